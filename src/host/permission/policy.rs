//! The verdict: deny beats ask beats allow, then the policy.

use std::ffi::OsString;

use super::{
    facts::{Facts, Subject},
    path::JudgedPath,
    rule::{Catch, CompiledRule, Fit},
};
use crate::{
    host::fs::Roots,
    model::{
        Decision, PermissionKind, PermissionOption, Policy, Rule, TerminalCreate, ToolKind, Verdict,
    },
    text::SafeText,
};

/// What is to become of a request of `fs/*` or `terminal/*`, as far as rules and policy go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    Serve,
    Ask {
        reason: SafeText,
    },
    Refuse {
        /// The rule or policy, as the config names it.
        rule: SafeText,
    },
}

/// Policy and rules of one session.
pub struct Judge {
    policy: Policy,
    rules: Vec<CompiledRule>,
    /// `terminal.ask`: commands are asked about even if nothing speaks against them.
    ask_terminal: bool,
    /// PATH, as agents and commands inherit it.
    search: Option<OsString>,
}

/// What is to become of a request, whichever way it came.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ruling {
    Deny(SafeText),
    /// A rule requires it, or may be meant; or it is not known what is asked for.
    Ask(Option<SafeText>),
    Allow(SafeText),
    /// The policy would allow it inside the workspace.
    Outside(SafeText),
    /// Neither a rule nor the policy covers it; why the nearest rule does not count.
    Open(Option<SafeText>),
}

impl Judge {
    pub fn new(
        policy: Policy,
        rules: Vec<Rule>,
        ask_terminal: bool,
        search: Option<OsString>,
    ) -> Self {
        Self {
            policy,
            rules: rules.into_iter().map(CompiledRule::new).collect(),
            ask_terminal,
            search,
        }
    }

    /// What to answer to a permission request with these options.
    pub fn decide(
        &self,
        subject: &Subject,
        options: &[PermissionOption],
        roots: &Roots,
    ) -> Verdict {
        let facts = self.facts(subject, roots);
        let verdict = match self.rule_on(&facts) {
            Ruling::Deny(rule) => answer(options, Answer::Deny, &rule),
            Ruling::Allow(rule) => answer(options, Answer::Allow, &rule),
            Ruling::Outside(reason) => Verdict::ask(Some(reason)),
            Ruling::Ask(reason) | Ruling::Open(reason) => Verdict::ask(reason),
        };
        match verdict {
            Verdict::Ask { reason, .. } => Verdict::Ask {
                reason,
                strays: facts.strays(),
            },
            answered => answered,
        }
    }

    /// What is to become of `fs/read_text_file` or `fs/write_text_file`. The roots and the person's
    /// word are not looked at here: outside of the workspace only they count.
    pub fn file(&self, path: &str, write: bool, roots: &Roots) -> Access {
        match self.rule_on(&self.facts(&Subject::of_file(path, write), roots)) {
            Ruling::Deny(rule) => Access::Refuse { rule },
            Ruling::Ask(reason) => Access::Ask {
                reason: reason.unwrap_or_default(),
            },
            Ruling::Allow(_) | Ruling::Outside(_) | Ruling::Open(_) => Access::Serve,
        }
    }

    /// What is to become of `terminal/create` (V1-TERM-19). `shell`: it is a line for `sh`.
    pub fn terminal(&self, request: &TerminalCreate, shell: bool, roots: &Roots) -> Access {
        let subject = Subject::of_terminal(request, shell);
        let facts = self.facts(&subject, roots);
        // Outside asks, as a file does; whatever the rules leave open.
        let elsewhere = facts.cwd.as_ref().filter(|cwd| !cwd.inside());
        match (self.rule_on(&facts), elsewhere.map(JudgedPath::why_outside)) {
            (Ruling::Open(_) | Ruling::Outside(_), Some(reason)) => Access::Ask { reason },
            (ruling, _) => self.terminal_verdict(ruling),
        }
    }

    fn terminal_verdict(&self, ruling: Ruling) -> Access {
        match ruling {
            Ruling::Deny(rule) => Access::Refuse { rule },
            Ruling::Ask(reason) => Access::Ask {
                reason: reason.unwrap_or_default(),
            },
            Ruling::Allow(_) => Access::Serve,
            Ruling::Open(_) | Ruling::Outside(_) if !self.ask_terminal => Access::Serve,
            Ruling::Outside(reason) | Ruling::Open(Some(reason)) => Access::Ask { reason },
            Ruling::Open(None) => Access::Ask {
                reason: "terminal.ask is set".into(),
            },
        }
    }

    fn facts<'a>(&self, subject: &'a Subject, roots: &'a Roots) -> Facts<'a> {
        Facts::gather(subject, roots, self.search.as_deref())
    }

    /// Deny beats ask beats allow, then the policy.
    fn rule_on(&self, facts: &Facts<'_>) -> Ruling {
        let subject = facts.subject;
        let denied = self.caught(Decision::Deny, facts);
        if let Caught::Yes(rule) = denied {
            return Ruling::Deny(rule.clone());
        }
        if self.policy == Policy::ReadOnly && facts.is_change() {
            return Ruling::Deny(policy_label(self.policy));
        }
        match (self.caught(Decision::Ask, facts), denied) {
            (Caught::Yes(rule), _) => return Ruling::Ask(Some(rule.clone())),
            (Caught::Unclear(rule), _) | (_, Caught::Unclear(rule)) => {
                return Ruling::Ask(Some(unclear(rule)));
            }
            _ => {}
        }
        if subject.opaque {
            return Ruling::Ask(None);
        }
        if let Some(path) = facts.protected() {
            return Ruling::Outside(path.why_outside());
        }
        let mut hindered = None;
        for rule in self.of(Decision::Allow) {
            match rule.fits(facts) {
                Fit::Yes => return Ruling::Allow(rule.rule.label.clone()),
                Fit::Hindered(why) if hindered.is_none() => {
                    hindered = Some(does_not_count(&rule.rule.label, &why));
                }
                Fit::Hindered(_) | Fit::No => {}
            }
        }
        let by_policy = match self.policy {
            Policy::Ask | Policy::ReadOnly => false,
            Policy::AcceptEdits => {
                let edits = facts.kind() == ToolKind::Edit
                    && !facts.has_command()
                    && !facts.paths.is_empty()
                    && !subject.input.unclear;
                let globs = || {
                    let any = facts.changes_by_glob();
                    any.then(|| "it may change any file that its glob matches".to_owned())
                };
                let unknown = facts.unknown_member().or_else(|| facts.odd_path());
                let unknown = unknown.or_else(globs).filter(|_| edits);
                hindered = hindered.or_else(|| {
                    Some(does_not_count(
                        &policy_label(self.policy),
                        unknown.as_ref()?,
                    ))
                });
                edits && unknown.is_none()
            }
            Policy::AllowAll => true,
        };
        if !by_policy {
            return Ruling::Open(hindered);
        }
        let outside = facts.outside().map(JudgedPath::why_outside);
        match outside.or_else(|| Some(facts.maybe_outside()?.why_outside())) {
            Some(reason) => Ruling::Outside(reason),
            None => Ruling::Allow(policy_label(self.policy)),
        }
    }

    fn of(&self, decision: Decision) -> impl Iterator<Item = &CompiledRule> {
        let rules = self.rules.iter();
        rules.filter(move |rule| rule.rule.decision == decision)
    }

    fn caught(&self, decision: Decision, facts: &Facts<'_>) -> Caught<'_> {
        let mut result = Caught::No;
        for rule in self.of(decision) {
            match rule.catches(facts) {
                Catch::Yes => return Caught::Yes(&rule.rule.label),
                Catch::Unclear => result = Caught::Unclear(&rule.rule.label),
                Catch::No => {}
            }
        }
        result
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

/// By kind, never by position or name, and only where there is no choice (V1-PERM-05, V1-PERM-06).
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
            Verdict::ask(Some(SafeText::line(&format!(
                "{rule} would {verb} it, but there is {many} to {verb} once"
            ))))
        }
    }
}

fn unclear(rule: &SafeText) -> SafeText {
    SafeText::line(&format!("it is unclear whether {rule} applies"))
}

fn does_not_count(rule: &SafeText, why: &str) -> SafeText {
    SafeText::line(&format!("{rule} does not count: {why}"))
}

fn policy_label(policy: Policy) -> SafeText {
    SafeText::line(&format!("policy {}", policy.name()))
}

#[cfg(test)]
mod tests;
