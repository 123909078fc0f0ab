//! One rule against one request.

use super::{
    command::{Possible, begins_with, may_be, rule_words},
    path::{JudgedPath, PathGlob},
};
use crate::proto::{Rule, ToolKind};

/// A rule, ready to be matched.
pub struct CompiledRule {
    pub rule: Rule,
    path: Option<PathGlob>,
    words: Option<Vec<String>>,
}

/// What a request is, to a rule.
pub struct Facts<'a> {
    pub kind: ToolKind,
    pub tool: Option<&'a str>,
    pub paths: &'a [JudgedPath],
    /// The directory that a command runs in is in the workspace, or there is no command.
    pub cwd_inside: bool,
    /// The words of a plain command.
    pub plain: Option<&'a [String]>,
    /// `None`: no command, or none that is known.
    pub possible: Option<&'a Possible>,
}

/// Whether a deny or ask rule matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Catch {
    No,
    /// It cannot be told what the command runs.
    Unclear,
    Yes,
}

impl CompiledRule {
    pub fn new(rule: Rule) -> Self {
        Self {
            path: rule.path.as_deref().map(PathGlob::new),
            words: rule.command.as_deref().map(rule_words),
            rule,
        }
    }

    /// For allow rules: every part that it names matches for certain, with all paths. Without a
    /// path of its own a rule does not reach outside the workspace. A command that is not plain
    /// matches none.
    pub fn allows(&self, facts: &Facts<'_>) -> bool {
        let has_command = facts.kind == ToolKind::Execute || facts.possible.is_some();
        let paths = match &self.path {
            Some(glob) => {
                !facts.paths.is_empty() && facts.paths.iter().all(|path| glob.allows(path))
            }
            None => facts.cwd_inside && facts.paths.iter().all(JudgedPath::inside),
        };
        let command = match &self.words {
            Some(rule) => facts.plain.is_some_and(|words| begins_with(words, rule)),
            None => !has_command || facts.plain.is_some(),
        };
        self.matches_names(facts) && paths && command
    }

    /// For deny and ask rules: one path, or one command that the line may run, is enough.
    pub fn catches(&self, facts: &Facts<'_>) -> Catch {
        let path = self
            .path
            .as_ref()
            .is_none_or(|glob| facts.paths.iter().any(|path| glob.catches(path)));
        if !self.matches_names(facts) || !path {
            return Catch::No;
        }
        match (&self.words, facts.possible) {
            (None, _) => Catch::Yes,
            (Some(rule), Some(possible)) => {
                if possible
                    .commands
                    .iter()
                    .any(|command| may_be(command, rule))
                {
                    Catch::Yes
                } else if possible.unclear {
                    Catch::Unclear
                } else {
                    Catch::No
                }
            }
            (Some(_), None) if facts.kind == ToolKind::Execute => Catch::Unclear,
            (Some(_), None) => Catch::No,
        }
    }

    /// Kind and tool. A rule that names nothing at all matches nothing.
    fn matches_names(&self, facts: &Facts<'_>) -> bool {
        let rule = &self.rule;
        let names_something = rule.kind.is_some()
            || rule.tool.is_some()
            || self.path.is_some()
            || self.words.as_ref().is_some_and(|words| !words.is_empty());
        names_something
            && rule.kind.is_none_or(|kind| kind == facts.kind)
            && rule
                .tool
                .as_deref()
                .is_none_or(|tool| facts.tool == Some(tool))
    }
}
