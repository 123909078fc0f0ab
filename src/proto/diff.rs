//! Changes of files, for display only (V1-TOOL-09, V2-UPD-06).

use crate::text::SafeText;

/// A change of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diff {
    /// As the agent named it; relative paths count from the session's cwd (D-12). Where the file is
    /// after the change.
    pub path: String,
    pub change: FileChange,
    /// Of the file after the change; of one that is deleted, before it.
    pub file: FileKind,
    pub mime_type: Option<SafeText>,
    pub text: DiffText,
}

/// What was done to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileChange {
    Add,
    Delete,
    Modify,
    Move {
        from: String,
    },
    Copy {
        from: String,
    },
    /// An operation that this client does not know, shown as it is.
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
    /// One that this client does not know, shown as it is.
    Other(SafeText),
}

/// What there is to show of a change.
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
    /// Only that it changed.
    None,
}

impl Diff {
    /// By the texts before and after, as v1 has it.
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
        }
    }

    /// Where the file was, if that was elsewhere.
    pub fn from(&self) -> Option<&str> {
        match &self.change {
            FileChange::Move { from } | FileChange::Copy { from } => Some(from),
            _ => None,
        }
    }

    /// Every file that it names: the one that it is about first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str()).chain(self.from())
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
