//! What changed on the disk, and what stood there before, as plain data.
//!
//! Paths are absolute and bytes; contents are named by hash and fetched from the store when they are wanted.

use std::{collections::BTreeSet, ops::Range, path::PathBuf};

use super::{SessionId, ToolCallId};

/// A moment to which the files can be put back. Later ones have higher numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CheckpointId(pub u64);

/// A content by its hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlobId {
    /// In the store of changes, by BLAKE3.
    Own([u8; 32]),
    /// In the project's own git repository, by its id there.
    Git([u8; 20]),
}

/// Why a checkpoint was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CauseKind {
    /// The disk was looked at, for no other reason.
    #[default]
    Look,
    TurnStart,
    /// What was touched at about a turn's start, before the look there came to it.
    Begun,
    TurnEnd,
    /// Before something that names files is let through.
    Named,
    /// Files were put back.
    Undo,
    /// What was put back was made again.
    Redo,
}

/// What a checkpoint belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cause {
    pub kind: CauseKind,
    pub session: Option<SessionId>,
    pub turn: Option<u64>,
    /// The calls that named its files.
    pub calls: Vec<ToolCallId>,
}

impl Cause {
    pub fn of(kind: CauseKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }
}

/// A checkpoint in the list of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    pub id: CheckpointId,
    /// Milliseconds since 1970.
    pub time: u64,
    pub cause: Cause,
    /// Files that differ from the checkpoint before.
    pub changed: usize,
}

/// Why a file's content is not kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Left {
    TooLarge,
    /// The store has reached its bound.
    NoRoom,
    Unreadable,
    /// It changed each time it was read.
    Changing,
    /// It changed before it was read for the first time.
    Unseen,
}

impl Left {
    /// As it goes on after the file's name.
    pub fn why(self) -> &'static str {
        match self {
            Self::TooLarge => "is too large to be kept",
            Self::NoRoom => "is not kept: the store of changes is full",
            Self::Unreadable => "cannot be read",
            Self::Changing => "kept changing while it was read",
            Self::Unseen => "changed before it was first looked at: what it held is not known",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    Kept(BlobId),
    /// What is known instead is a stamp of its size and times.
    Left(Left, u64),
}

/// What stands at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileState {
    Absent,
    File {
        content: Content,
        size: u64,
        /// Its permission bits.
        mode: u32,
        /// It has a NUL byte at its start, as git tells them.
        binary: bool,
    },
    /// A symbolic link, and the bytes of where it leads.
    Link {
        target: Vec<u8>,
    },
    Folder,
}

impl FileState {
    pub fn blob(&self) -> Option<BlobId> {
        match self {
            Self::File {
                content: Content::Kept(blob),
                ..
            } => Some(*blob),
            _ => None,
        }
    }

    pub fn is_file(&self) -> bool {
        matches!(self, Self::File { .. })
    }

    pub fn is_binary(&self) -> bool {
        matches!(self, Self::File { binary: true, .. })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    Added,
    Deleted,
    Modified,
    Renamed,
    /// Only its permissions.
    Mode,
    /// A file became a link or a link a file, or the like.
    Type,
}

/// A file that differs between two checkpoints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedFile {
    pub path: PathBuf,
    pub renamed_from: Option<PathBuf>,
    pub before: FileState,
    pub after: FileState,
    pub kind: ChangeKind,
    pub binary: bool,
    /// The checkpoints that saw it change, oldest first.
    pub seen: Vec<CheckpointId>,
}

/// Lines of a file before and after a change, from 0: what is put back is that those after become
/// those before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HunkRange {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UndoPart {
    /// The path after the change.
    File(PathBuf),
    Hunks(PathBuf, Vec<HunkRange>),
}

/// What is to be put back: as it was at `from`, where it changed up to `to`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    pub from: CheckpointId,
    pub to: CheckpointId,
    /// `None`: all that changed between the two.
    pub parts: Option<Vec<UndoPart>>,
    /// What these checkpoints saw stays in a file that others have changed as well: the others' changes are
    /// taken out of it. Lines that are selected go whoever has changed them, and so does a file that only
    /// these have changed.
    pub keep: BTreeSet<CheckpointId>,
}

/// A file that was not put back, because it changed since in the same place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    pub path: PathBuf,
    /// As it is on the disk.
    pub disk: Vec<u8>,
    /// As it would be.
    pub wanted: Vec<u8>,
    /// Both, between git's marks; empty where they have no lines.
    pub marked: Vec<u8>,
    /// What is there and what would be, where there are no marks.
    pub words: String,
}

/// What an undo did, or would do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UndoReport {
    /// Those that moved count once, by the name that they have again.
    pub done: Vec<PathBuf>,
    /// Of those, the ones that went.
    pub gone: Vec<PathBuf>,
    /// Of those, the ones that moved back, with the name that they had.
    pub moved: Vec<(PathBuf, PathBuf)>,
    /// Of those, the ones where what changed since was kept.
    pub merged: Vec<PathBuf>,
    /// They are as wanted already.
    pub unchanged: Vec<PathBuf>,
    pub conflicts: Vec<Conflict>,
    /// And why.
    pub refused: Vec<(PathBuf, String)>,
    /// Before it and after it: what lies between them is what the undo did.
    pub checkpoints: Option<(CheckpointId, CheckpointId)>,
    /// Why the one after it could not be taken: it cannot be undone from here then.
    pub not_kept: Option<String>,
}

/// What a look does not cover.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Uncovered {
    /// Some of the files whose content is not kept, and why.
    pub files: Vec<(PathBuf, Left)>,
    /// All of them.
    pub left: usize,
    /// Files beyond the bound, at least.
    pub beyond: usize,
    /// Folders that could not be listed, or are on another file system.
    pub folders: Vec<PathBuf>,
}

impl Uncovered {
    pub fn is_empty(&self) -> bool {
        self.left == 0 && self.beyond == 0 && self.folders.is_empty()
    }
}

/// What came of a look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LookReport {
    /// The checkpoint that it is: a new one, or the last if nothing differs.
    pub at: CheckpointId,
    /// Files that differ from the checkpoint before.
    pub changed: usize,
    /// Files that are covered.
    pub files: usize,
    pub uncovered: Uncovered,
    /// The store comes near its bound: what is not needed should be swept.
    pub nearly_full: bool,
}
