//! What a tool's raw input tells of what it would do: what is judged is what is shown.

use super::ToolKind;
use crate::model::CommandRun;

/// What a tool's raw input tells of what it would do, whatever the call says of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolInput {
    pub run: Option<CommandRun>,
    /// Lines that may be run as well, under names that are none for a command.
    pub scripts: Vec<String>,
    /// Of members that are named like paths.
    pub paths: Vec<String>,
    /// Other texts in it that could be paths.
    pub maybe_paths: Vec<String>,
    /// The member by which it asks for more than the command alone: to run it without the agent's own
    /// sandbox, or by another user.
    pub beyond: Option<String>,
    /// A member of which it is not known what it does, by its name; no name is a text that stands alone.
    pub unknown: Option<String>,
    /// Such names and the texts that they hold: each may be a command line or a place.
    pub unknown_texts: Vec<String>,
    /// Texts that say which files are meant.
    pub globs: Vec<String>,
    /// It holds what would be written to a file.
    pub writes: bool,
    /// It says that a file goes, or becomes another.
    pub deletes: bool,
    pub moves: bool,
    /// A text in it is a URL.
    pub fetches: bool,
    /// Parts of it were not looked into, or could mean anything.
    pub unclear: bool,
    /// It holds more texts than are in `maybe_paths`.
    pub crowded: bool,
}

impl ToolInput {
    /// What the input does, whatever the call says; `None` where it does not tell.
    pub fn kind(&self) -> Option<ToolKind> {
        if self.run.is_some() || !self.scripts.is_empty() {
            Some(ToolKind::Execute)
        } else if self.writes {
            Some(ToolKind::Edit)
        } else {
            self.fetches.then_some(ToolKind::Fetch)
        }
    }

    /// The same, and what becomes of files by it.
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
