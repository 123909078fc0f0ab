//! What a review of changes on the disk asks for and is shown, as plain data.
//!
//! What changed is found by `host/changes`; the app turns that into these lists, the UI draws them. Text
//! of files becomes [`SafeText`] before it comes here.

use std::path::PathBuf;

use super::{ChangeKind, CheckpointId, UndoPart};
use crate::text::SafeText;

/// Which changes a review is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReviewScope {
    /// One turn of the session, by its number.
    Turn(u64),
    /// That turn and all that came later, whoever changed it.
    Since(u64),
    /// All turns of the session.
    Session,
    /// Since the last commit of the project's git: it is only read, nothing of it can be undone.
    Commit,
}

/// A scope to choose from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScopeChoice {
    pub scope: ReviewScope,
    /// "this turn", "turn 3: add a flag", "the session", "since the last commit".
    pub name: SafeText,
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
    /// Added and removed; `None` while they are not counted, and of what has no lines.
    pub lines: Option<(usize, usize)>,
    /// Differs whenever the file does: a mark "reviewed" is for this content alone.
    pub content: u64,
    /// What is shown of it is the change up to here: something of it may have been put back since.
    /// `None`: the end of the scope.
    pub until: Option<CheckpointId>,
    /// What changed it; empty: "changed outside of turns".
    pub by: Vec<SafeText>,
    /// Nothing is known of that, as of what was not committed before the session.
    pub by_unknown: bool,
    /// A turn of this session has changed it, alone or together with others: it is part of what undoing a scope
    /// puts back. What else changed is the person's, or another session's.
    pub by_a_turn: bool,
    /// Outside of the project's folders: it is put back only where it is named.
    pub is_elsewhere: bool,
}

/// The answer to [`ReviewWish::List`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Review {
    pub scope: ReviewScope,
    /// Newest turn first.
    pub scopes: Vec<ScopeChoice>,
    /// By path.
    pub files: Vec<ReviewFile>,
    /// What is not covered, and why; each a line.
    pub uncovered: Vec<SafeText>,
    /// Between these; `None` for [`ReviewScope::Commit`], of which nothing can be undone.
    pub span: Option<(CheckpointId, CheckpointId)>,
    /// Why nothing can be undone here.
    pub read_only: Option<SafeText>,
    /// There is an undo that can be made again.
    pub can_redo: bool,
}

/// Both texts of a changed file, the answer to [`ReviewWish::Texts`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReviewTexts {
    pub scope: ReviewScope,
    pub path: PathBuf,
    /// Of [`ReviewFile`]: which contents these are.
    pub content: u64,
    /// With line ends as in the file; `None` where the file is not there on that side. An error: why
    /// there is nothing to be shown.
    pub texts: Result<(Option<SafeText>, Option<SafeText>), SafeText>,
}

/// How the agent is told of an undo, and of one that was made again: "(I reverted `src/a.rs` lines 10–14.)"
pub const UNDONE: &str = "(I reverted";
pub const REDONE: &str = "(I put the changes back into";

/// Whether a line of a draft tells such a thing.
pub fn tells_undo(line: &str) -> bool {
    let told = [UNDONE, REDONE];
    told.iter().any(|begins| line.starts_with(begins)) && line.ends_with(".)")
}

/// What an undo did, or would do, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReviewDone {
    /// One line: "put back 3 files, 1 merged with your edits".
    pub said: SafeText,
    /// What was not put back and why, and conflicts: name, and the text with both sides between marks.
    pub refused: Vec<(SafeText, SafeText)>,
    /// For the agent, in one line, as [`tells_undo`] knows it. `None`: nothing was put back.
    pub note: Option<SafeText>,
    /// The note of what was made again: if the agent has not been told it yet, it need not be told
    /// either.
    pub void: Option<SafeText>,
}

/// Files that turns have changed since some prompt.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Since {
    pub files: usize,
    /// The first of them.
    pub names: Vec<SafeText>,
}

/// What the review asks of the app.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReviewWish {
    /// Look at the disk and list; `None`: the newest turn with changes, else the session.
    List(Option<ReviewScope>),
    Texts {
        scope: ReviewScope,
        path: PathBuf,
    },
    /// Put back; `None`: all of the scope. The person has confirmed a whole scope.
    Undo {
        scope: ReviewScope,
        span: (CheckpointId, CheckpointId),
        parts: Option<Vec<UndoPart>>,
    },
    /// Make the last undo again.
    Redo,
    /// As a patch for `git apply`; `None`: all files. To the clipboard, or to a file.
    Patch {
        scope: ReviewScope,
        path: Option<PathBuf>,
        to: Option<PathBuf>,
    },
}

/// What the app tells the review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReviewTold {
    Listed(Box<Review>),
    Texts(Box<ReviewTexts>),
    Done(Box<ReviewDone>),
    /// The disk was looked at again, and the scope that is shown has changed.
    Followed(Box<Review>),
    /// The disk was looked at and something changed: an open review asks for its list again.
    Changed,
    /// Why there is no list.
    Failed(SafeText),
}
