//! File changes, for display only (V1-TOOL-09, V2-UPD-06).

use std::{path::PathBuf, sync::Arc};

use crate::{model::SessionId, text::SafeText};

/// A change of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diff {
    /// The path after the change, as the agent named it; relative to the session's cwd (D-12).
    pub path: String,
    pub change: FileChange,
    /// Of the file after the change; of one that is deleted, before it.
    pub file: FileKind,
    pub mime_type: Option<SafeText>,
    pub text: DiffText,
    /// What a reader must know besides its lines, for example that they were not found in the file.
    pub note: Option<SafeText>,
}

/// What was done to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileChange {
    Add,
    Delete,
    Modify,
    /// The whole content of an existing file is replaced.
    Overwrite,
    Move {
        from: String,
    },
    Copy {
        from: String,
    },
    /// An unknown operation, shown as it is.
    Other(SafeText),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum FileKind {
    /// The agent does not say.
    #[default]
    Unknown,
    Text,
    Binary,
    Directory,
    Symlink,
    /// An unknown one, shown as it is.
    Other(SafeText),
}

impl FileChange {
    /// As ACP and stored sessions name it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Add => "add",
            Self::Delete => "delete",
            Self::Modify => "modify",
            Self::Overwrite => "overwrite",
            Self::Move { .. } => "move",
            Self::Copy { .. } => "copy",
            Self::Other(name) => name,
        }
    }

    /// `from`: where the file was.
    pub fn of(name: &str, from: String) -> Self {
        match name {
            "add" => Self::Add,
            "delete" => Self::Delete,
            "modify" => Self::Modify,
            "overwrite" => Self::Overwrite,
            "move" => Self::Move { from },
            "copy" => Self::Copy { from },
            other => Self::Other(SafeText::line(other)),
        }
    }
}

impl FileKind {
    /// As ACP and stored sessions name it.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Unknown => None,
            Self::Text => Some("text"),
            Self::Binary => Some("binary"),
            Self::Directory => Some("directory"),
            Self::Symlink => Some("symlink"),
            Self::Other(name) => Some(name),
        }
    }

    pub fn of(name: &str) -> Self {
        match name {
            "text" => Self::Text,
            "binary" => Self::Binary,
            "directory" => Self::Directory,
            "symlink" => Self::Symlink,
            other => Self::Other(SafeText::line(other)),
        }
    }
}

/// The text of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiffText {
    /// The whole text before and after.
    Sides {
        /// `None`: a new file (V1-TOOL-09).
        old: Option<SafeText>,
        new: SafeText,
    },
    /// The part of a git patch about this file.
    Patch(SafeText),
    /// No text, only the operation.
    None,
}

impl Diff {
    /// Of the texts before and after, as in v1.
    pub fn of_texts(path: String, old: Option<SafeText>, new: SafeText) -> Self {
        Self {
            path,
            change: match old {
                None => FileChange::Add,
                Some(_) => FileChange::Modify,
            },
            file: FileKind::Text,
            mime_type: None,
            text: DiffText::Sides { old, new },
            note: None,
        }
    }

    /// Of a part of a patch.
    pub fn of_patch(path: String, change: FileChange, patch: SafeText) -> Self {
        Self {
            path,
            change,
            file: FileKind::Text,
            mime_type: None,
            text: DiffText::Patch(patch),
            note: None,
        }
    }

    /// A deletion without text.
    pub fn deleted(path: String) -> Self {
        Self::without_text(path, FileChange::Delete)
    }

    /// A change without text.
    pub fn without_text(path: String, change: FileChange) -> Self {
        Self {
            path,
            change,
            file: FileKind::Unknown,
            mime_type: None,
            text: DiffText::None,
            note: None,
        }
    }

    /// The old path, if the file moved or was copied.
    pub fn from(&self) -> Option<&str> {
        match &self.change {
            FileChange::Move { from } | FileChange::Copy { from } => Some(from),
            _ => None,
        }
    }

    /// All paths that it names, its own first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str()).chain(self.from())
    }

    /// Whether it has text to compare with the file.
    pub fn is_comparable(&self) -> bool {
        match (&self.text, &self.change) {
            (DiffText::None, change) => *change == FileChange::Delete,
            (_, FileChange::Other(_)) => false,
            _ => true,
        }
    }

    /// Bytes of its text.
    pub fn weight(&self) -> usize {
        match &self.text {
            DiffText::Sides { old, new } => old.as_ref().map_or(0, |old| old.len()) + new.len(),
            DiffText::Patch(patch) => patch.len(),
            DiffText::None => 0,
        }
    }
}

/// A diff as the agent claims it, before the comparison with the file: its texts may be a whole
/// file or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    pub diff: Arc<Diff>,
    pub extent: Extent,
    /// Lines (from 1) where the change may begin, from other members of the call.
    pub lines: Vec<u32>,
}

impl Claim {
    pub fn new(diff: Diff, extent: Extent) -> Self {
        Self {
            diff: Arc::new(diff),
            extent,
            lines: Vec::new(),
        }
    }
}

/// How much of its file a claim is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extent {
    /// The whole file or one place in it; the agent does not say which.
    #[default]
    Unknown,
    /// Every place where the old text stands.
    Everywhere,
    /// The new text replaces the whole file.
    Whole,
}

/// The changes that a tool call's raw input claims.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// An empty path means that of the call's location.
    pub list: Vec<Claim>,
    /// The raw input holds nothing else: these show all of it.
    pub complete: bool,
    /// It holds only this path: a call of kind delete deletes it.
    pub only_path: Option<String>,
}

/// The input of a comparison with the disk.
#[derive(Clone, PartialEq, Debug)]
pub enum Compared {
    /// Changes that a tool call claims.
    Call {
        /// Whose call it is; `None`: the session's own.
        inside: Option<SessionId>,
        /// The call's block.
        block: u64,
        /// Which of the call's comparisons it is: of several only the last counts.
        ticket: u64,
    },
    /// What a question is about.
    Question(u64),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub of: Compared,
    /// What relative paths count from.
    pub cwd: PathBuf,
    pub claims: Vec<Claim>,
    /// The call has not begun: the file is looked at anew. Otherwise what was seen of it before
    /// still counts.
    pub fresh: bool,
    /// The call may have changed the file already.
    pub late: bool,
}
