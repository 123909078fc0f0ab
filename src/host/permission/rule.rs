//! One rule against one request.

use std::borrow::Cow;

use super::{
    command::{begins_with, may_be, rule_words},
    facts::Facts,
    path::{JudgedPath, PathGlob},
};
use crate::{
    model::{Rule, ToolKind},
    text::first_bytes,
};

/// Bytes of a command's word that a reason quotes.
const MAX_QUOTED: usize = 200;

/// A rule, ready to be matched.
pub struct CompiledRule {
    pub rule: Rule,
    path: Option<PathGlob>,
    words: Option<Vec<String>>,
}

/// Whether a deny or ask rule matches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Catch {
    No,
    /// It cannot be told what the command runs, or what it touches.
    Unclear,
    Yes,
}

/// Whether an allow rule matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fit<'a> {
    No,
    /// But for this.
    Hindered(Cow<'a, str>),
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

    /// For allow rules: every part that it names matches for certain, with all paths, and in all
    /// ways in which a command can be read. A rule that names no path does not reach outside
    /// the workspace: not by a location, nor by a word of a command that the rule does not name itself.
    /// A command that is not plain matches none, nor does one with an environment or in a directory that
    /// may make something else of it.
    pub fn fits<'a>(&self, facts: &'a Facts<'_>) -> Fit<'a> {
        let kind = self.rule.kind.is_none_or(|kind| kind == facts.kind());
        let paths = match &self.path {
            Some(glob) => {
                !facts.paths.is_empty() && facts.paths.iter().all(|path| glob.allows(path))
            }
            None => facts.paths.iter().all(JudgedPath::inside),
        };
        let command = match (&self.words, &facts.plain) {
            (Some(rule), Some(plain)) => plain.iter().all(|words| begins_with(words, rule)),
            (Some(_), None) => false,
            (None, plain) => !facts.has_command() || plain.is_some(),
        };
        if !(self.names_something() && kind && self.matches_tool(facts) && paths && command) {
            return Fit::No;
        }
        if let Some(hindrance) = &facts.hindrance {
            return Fit::Hindered(hindrance.into());
        }
        if let Some(unknown) = facts
            .unknown_member()
            .filter(|_| !self.takes_any_member(facts))
        {
            return Fit::Hindered(unknown.into());
        }
        if self.path.is_some() && facts.changes_by_glob() {
            return Fit::Hindered("it may change any file that its glob matches".into());
        }
        let only_kind = self.rule.tool.is_none() && self.path.is_none() && self.words.is_none();
        if only_kind && facts.is_blank() {
            return Fit::Hindered("the call does not say what it would do".into());
        }
        // The program itself is for the rule, or for PATH, to say.
        let named = self.words.as_ref().map_or(1, Vec::len);
        match facts.stray_word(named) {
            Some(word) => {
                let word = first_bytes(word, MAX_QUOTED);
                Fit::Hindered(format!("{word:?} may lead outside the workspace").into())
            }
            None => Fit::Yes,
        }
    }

    /// For deny and ask rules: what the call says of its kind or what it does, one path, or one
    /// command that the line may run, is enough.
    pub fn catches(&self, facts: &Facts<'_>) -> Catch {
        // An unknown member may be a command, which the words of the rule may match.
        let may_run = self.words.is_some() && !facts.subject.input.unknown_texts.is_empty();
        let kind =
            |kind| facts.kinds().any(|of| of == kind) || kind == ToolKind::Execute && may_run;
        if !self.names_something() || !self.rule.kind.is_none_or(kind) || !self.matches_tool(facts)
        {
            return Catch::No;
        }
        self.catches_path(facts).min(self.catches_command(facts))
    }

    fn catches_path(&self, facts: &Facts<'_>) -> Catch {
        let Some(glob) = &self.path else {
            return Catch::Yes;
        };
        if facts.paths.iter().any(|path| glob.catches(path)) {
            return Catch::Yes;
        }
        // A word of a command, a text of an input: what is there is meant; else it may be.
        let mut maybe = facts.maybe_paths().iter().filter(|path| glob.catches(path));
        if facts.possible.is_none() && maybe.clone().any(JudgedPath::exists) {
            Catch::Yes
        } else if maybe.next().is_some() || facts.is_crowded() || facts.changes_by_glob() {
            Catch::Unclear
        } else {
            Catch::No
        }
    }

    fn catches_command(&self, facts: &Facts<'_>) -> Catch {
        let Some(rule) = &self.words else {
            return Catch::Yes;
        };
        let runs = |commands: &[Vec<String>]| commands.iter().any(|command| may_be(command, rule));
        let unknown_runs = || facts.unknown_commands().is_none_or(runs);
        let Some(possible) = &facts.possible else {
            let unknown = facts.kind() == ToolKind::Execute || facts.subject.input.unclear;
            return if unknown || unknown_runs() {
                Catch::Unclear
            } else {
                Catch::No
            };
        };
        if runs(&possible.commands) {
            Catch::Yes
        } else if possible.unclear || runs(&possible.perhaps) || unknown_runs() {
            Catch::Unclear
        } else {
            Catch::No
        }
    }

    /// A rule that names nothing at all matches nothing.
    fn names_something(&self) -> bool {
        let rule = &self.rule;
        rule.kind.is_some()
            || rule.tool.is_some()
            || self.path.is_some()
            || self.words.as_ref().is_some_and(|words| !words.is_empty())
    }

    /// A rule for a tool, or for what is of no usual kind, speaks of all that such a call has; not one
    /// for a command or a path, nor where there is a command.
    fn takes_any_member(&self, facts: &Facts<'_>) -> bool {
        let rule = &self.rule;
        let whole = rule.tool.is_some() || rule.kind == Some(ToolKind::Other);
        whole && self.path.is_none() && self.words.is_none() && !facts.has_command()
    }

    fn matches_tool(&self, facts: &Facts<'_>) -> bool {
        let tool = self.rule.tool.as_deref();
        tool.is_none_or(|tool| facts.subject.tool.as_deref() == Some(tool))
    }
}
