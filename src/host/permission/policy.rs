//! The verdict: deny beats ask beats allow, then the policy (PRODUCT §2).

use super::{
    command::{Possible, allowable_words, possible, possible_of},
    path::JudgedPath,
    rule::{Catch, CompiledRule, Facts},
};
use crate::{
    host::fs::{Obstacle, Roots},
    proto::{
        Decision, PermissionKind, PermissionOption, Policy, Rule, TerminalCreate, ToolKind, Verdict,
    },
    text::SafeText,
};

/// What a permission request is about.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    pub kind: ToolKind,
    /// Programmatic tool name.
    pub tool: Option<String>,
    /// The whole command line.
    pub command: Option<String>,
    pub command_cwd: Option<String>,
    /// Of locations and diffs; as the agent named them.
    pub paths: Vec<String>,
    /// It carries a diff, whatever its kind says.
    pub changes_files: bool,
    /// It is not known what it is about: no rule or policy allows it (V2-PERM-01).
    pub opaque: bool,
}

/// A request of fs/* or terminal/* that is not served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The rule or policy, as the config names it.
    pub rule: SafeText,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TerminalVerdict {
    Run,
    Ask { reason: SafeText },
    Refuse(Refusal),
}

/// Policy and rules of one session.
pub struct Judge {
    policy: Policy,
    rules: Vec<CompiledRule>,
    /// `terminal.ask`: commands are asked about even if nothing speaks against them.
    ask_terminal: bool,
}

impl Judge {
    pub fn new(policy: Policy, rules: Vec<Rule>, ask_terminal: bool) -> Self {
        Self {
            policy,
            rules: rules.into_iter().map(CompiledRule::new).collect(),
            ask_terminal,
        }
    }

    /// What to answer to a permission request with these options.
    pub fn decide(
        &self,
        subject: &Subject,
        options: &[PermissionOption],
        roots: &Roots,
    ) -> Verdict {
        let paths: Vec<_> = subject
            .paths
            .iter()
            .map(|path| JudgedPath::new(path, roots))
            .collect();
        let cwd = subject
            .command_cwd
            .as_deref()
            .map(|dir| JudgedPath::new(dir, roots));
        let command = subject.command.as_deref();
        let plain = command.and_then(allowable_words);
        let possible = command.map(possible);
        let facts = Facts {
            kind: subject.kind,
            tool: subject.tool.as_deref(),
            paths: &paths,
            cwd_inside: cwd.as_ref().is_none_or(JudgedPath::inside),
            plain: plain.as_deref(),
            possible: possible.as_ref(),
        };
        let outside = paths.iter().chain(&cwd).find(|path| !path.inside());

        let denied = self.caught(Decision::Deny, &facts);
        if let Caught::Yes(rule) = denied {
            return answer(options, Answer::Deny, rule);
        }
        if self.policy == Policy::ReadOnly && is_change(subject) {
            return answer(options, Answer::Deny, &policy_label(self.policy));
        }
        if subject.opaque {
            return Verdict::Ask { reason: None };
        }
        match (self.caught(Decision::Ask, &facts), denied) {
            (Caught::Yes(rule), _) => return ask(rule.clone()),
            (Caught::Unclear(rule), _) | (_, Caught::Unclear(rule)) => {
                return ask(unclear(rule));
            }
            _ => {}
        }
        let protected =
            |path: &&JudgedPath| matches!(path.obstacle(), Some(Obstacle::Protected(_)));
        if let Some(path) = paths.iter().chain(&cwd).find(protected) {
            return ask(path.why_outside());
        }
        if let Some(rule) = self.allowed(&facts) {
            return answer(options, Answer::Allow, rule);
        }
        let by_policy = match self.policy {
            Policy::Ask | Policy::ReadOnly => false,
            Policy::AcceptEdits => {
                subject.kind == ToolKind::Edit && command.is_none() && !paths.is_empty()
            }
            Policy::AllowAll => true,
        };
        match outside {
            _ if !by_policy => Verdict::Ask { reason: None },
            Some(path) => ask(path.why_outside()),
            None => answer(options, Answer::Allow, &policy_label(self.policy)),
        }
    }

    /// Whether `fs/read_text_file` or `fs/write_text_file` is refused. The roots and the person's
    /// word are not looked at here.
    pub fn file(&self, path: &str, write: bool, roots: &Roots) -> Option<Refusal> {
        if write && self.policy == Policy::ReadOnly {
            return Some(Refusal {
                rule: policy_label(self.policy),
            });
        }
        let facts = Facts {
            kind: if write {
                ToolKind::Edit
            } else {
                ToolKind::Read
            },
            tool: None,
            paths: &[JudgedPath::new(path, roots)],
            cwd_inside: true,
            plain: None,
            possible: None,
        };
        match self.caught(Decision::Deny, &facts) {
            Caught::Yes(rule) => Some(Refusal { rule: rule.clone() }),
            _ => None,
        }
    }

    /// Whether `terminal/create` is served, asked about or refused (V1-TERM-19).
    pub fn terminal(&self, request: &TerminalCreate) -> TerminalVerdict {
        if self.policy == Policy::ReadOnly {
            return TerminalVerdict::Refuse(Refusal {
                rule: policy_label(self.policy),
            });
        }
        // Without arguments the command may be a whole line.
        let (possible, plain): (Possible, _) = if request.args.is_empty() {
            (
                possible(&request.command),
                allowable_words(&request.command),
            )
        } else {
            let possible = possible_of(&request.command, &request.args);
            let words = std::iter::once(&request.command).chain(&request.args);
            (possible, Some(words.cloned().collect()))
        };
        let facts = Facts {
            kind: ToolKind::Execute,
            tool: None,
            paths: &[],
            cwd_inside: true,
            plain: plain.as_deref(),
            possible: Some(&possible),
        };
        match self.caught(Decision::Deny, &facts) {
            Caught::Yes(rule) => return TerminalVerdict::Refuse(Refusal { rule: rule.clone() }),
            Caught::Unclear(rule) => {
                return TerminalVerdict::Ask {
                    reason: unclear(rule),
                };
            }
            Caught::No => {}
        }
        let settled = self.policy == Policy::AllowAll || self.allowed(&facts).is_some();
        if self.ask_terminal && !settled {
            return TerminalVerdict::Ask {
                reason: "terminal.ask is set".into(),
            };
        }
        TerminalVerdict::Run
    }

    fn caught(&self, decision: Decision, facts: &Facts<'_>) -> Caught<'_> {
        let mut result = Caught::No;
        for rule in self
            .rules
            .iter()
            .filter(|rule| rule.rule.decision == decision)
        {
            match rule.catches(facts) {
                Catch::Yes => return Caught::Yes(&rule.rule.label),
                Catch::Unclear => result = Caught::Unclear(&rule.rule.label),
                Catch::No => {}
            }
        }
        result
    }

    fn allowed(&self, facts: &Facts<'_>) -> Option<&SafeText> {
        self.rules
            .iter()
            .filter(|rule| rule.rule.decision == Decision::Allow)
            .find(|rule| rule.allows(facts))
            .map(|rule| &rule.rule.label)
    }
}

#[derive(Clone, Copy)]
enum Caught<'a> {
    No,
    Unclear(&'a SafeText),
    Yes(&'a SafeText),
}

#[derive(Clone, Copy)]
enum Answer {
    Allow,
    Deny,
}

/// By kind, never by position or name, and only where there is no choice (V1-PERM-05, -06).
fn answer(options: &[PermissionOption], answer: Answer, rule: &SafeText) -> Verdict {
    let (kind, verb) = match answer {
        Answer::Allow => (PermissionKind::AllowOnce, "allow"),
        Answer::Deny => (PermissionKind::RejectOnce, "reject"),
    };
    let mut of_kind = options.iter().filter(|option| option.kind == kind);
    match (of_kind.next(), of_kind.next()) {
        (Some(only), None) => {
            let (option, rule) = (only.id.clone(), rule.clone());
            match answer {
                Answer::Allow => Verdict::Allow { option, rule },
                Answer::Deny => Verdict::Deny { option, rule },
            }
        }
        (first, _) => {
            let many = if first.is_some() {
                "several options"
            } else {
                "no option"
            };
            ask(SafeText::line(&format!(
                "{rule} would {verb} it, but there is {many} to {verb} once"
            )))
        }
    }
}

fn ask(reason: SafeText) -> Verdict {
    Verdict::Ask {
        reason: Some(reason),
    }
}

fn unclear(rule: &SafeText) -> SafeText {
    SafeText::line(&format!("it cannot be told whether {rule} is meant"))
}

fn is_change(subject: &Subject) -> bool {
    let by_kind = matches!(
        subject.kind,
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Execute
    );
    by_kind || subject.changes_files || subject.command.is_some() || subject.opaque
}

fn policy_label(policy: Policy) -> SafeText {
    SafeText::line(&format!("policy {}", policy.name()))
}

#[cfg(test)]
mod tests;
