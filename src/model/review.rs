//! What changed in a scope, and what an undo of it did, as they are shown.
//!
//! Found by `host/changes` and put into these words by the app. Text of files becomes [`SafeText`] before
//! it comes here.

use std::path::PathBuf;

use super::{ChangeKind, CheckpointId};
use crate::text::SafeText;

/// Which changes are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReviewScope {
    /// One turn of the session, by its number.
    Turn(u64),
    /// All turns of the session.
    Session,
}

/// A changed file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReviewFile {
    pub path: PathBuf,
    /// As it is shown: below the project without its path.
    pub name: SafeText,
    pub renamed_from: Option<SafeText>,
    pub kind: ChangeKind,
    pub binary: bool,
    /// Added and removed; `None` where they are not counted, and of what has no lines.
    pub lines: Option<(usize, usize)>,
}

/// What changed in a scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Review {
    /// By path.
    pub files: Vec<ReviewFile>,
    /// What is not covered, and why; each a line.
    pub uncovered: Vec<SafeText>,
    /// Between these.
    pub span: (CheckpointId, CheckpointId),
    /// Why nothing can be undone here.
    pub read_only: Option<SafeText>,
}

/// What an undo did, or would do, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReviewDone {
    /// One line: "put back 3 files, 1 merged with later changes".
    pub said: SafeText,
    /// What was not put back and why, each with both sides between marks where they are in conflict.
    pub refused: Vec<(SafeText, SafeText)>,
}
