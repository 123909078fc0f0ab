//! What a tool call would do, by its raw input.

use super::ToolKind;
use crate::model::CommandRun;

/// What a call would do by its raw input, whatever kind it claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolInput {
    pub run: Option<CommandRun>,
    /// Other texts that may be run as commands, by the names of their members.
    pub scripts: Vec<String>,
    /// Values of members that are named like paths.
    pub paths: Vec<String>,
    /// Other texts that could be paths.
    pub maybe_paths: Vec<String>,
    /// The member that asks for more than the command: to run it without the agent's sandbox, or as
    /// another user.
    pub beyond: Option<String>,
    /// The name of a member with an unknown effect; an empty name is a text without a member.
    pub unknown: Option<String>,
    /// Names of unknown members and their texts: each may be a command line or a path.
    pub unknown_texts: Vec<String>,
    /// Texts that select files.
    pub globs: Vec<String>,
    /// It holds content for a file.
    pub writes: bool,
    /// It deletes or moves a file.
    pub deletes: bool,
    pub moves: bool,
    /// A text in it is a URL.
    pub fetches: bool,
    /// Parts of it were not examined or could mean anything.
    pub unclear: bool,
    /// It holds more texts than are in `maybe_paths`.
    pub crowded: bool,
}

impl ToolInput {
    /// The kind of call by the input alone; `None` if it does not say.
    pub fn kind(&self) -> Option<ToolKind> {
        if self.run.is_some() || !self.scripts.is_empty() {
            Some(ToolKind::Execute)
        } else if self.writes {
            Some(ToolKind::Edit)
        } else {
            self.fetches.then_some(ToolKind::Fetch)
        }
    }

    /// The same, and its effect on files.
    pub fn kinds(&self) -> impl Iterator<Item = ToolKind> + use<> {
        let deletes = self.deletes.then_some(ToolKind::Delete);
        let moves = self.moves.then_some(ToolKind::Move);
        [self.kind(), deletes, moves].into_iter().flatten()
    }

    /// The bytes that it takes, roughly.
    pub fn weight(&self) -> usize {
        let run = self.run.as_ref().map_or(0, |run| {
            let env = run.env.iter().map(|(name, value)| name.len() + value.len());
            let words = run.words.iter().flatten().map(String::len);
            run.line.len()
                + run.other.as_ref().map_or(0, String::len)
                + env.chain(words).sum::<usize>()
        });
        let texts = self
            .paths
            .iter()
            .chain(&self.maybe_paths)
            .chain(&self.unknown)
            .chain(&self.unknown_texts)
            .chain(&self.globs)
            .chain(&self.scripts);
        run + texts.map(String::len).sum::<usize>()
    }
}
