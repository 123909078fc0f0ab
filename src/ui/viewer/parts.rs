//! What a viewer of diffs is made of: its entries, and the cursor on them.

use super::notes::places;
use crate::ui::render::diff::{DiffLine, Item, Layout};

#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub file: usize,
    pub kind: EntryKind,
}

#[derive(Clone, Copy)]
pub(super) enum EntryKind {
    /// Between files.
    Blank,
    Header,
    /// The comparison is still running.
    Waiting,
    /// `hunk`: the first line of one.
    Item {
        item: Item,
        layout: Layout,
        hunk: bool,
    },
    /// Which of the notes, and its key.
    Note(usize, u64),
}

impl Entry {
    /// Whether it shows what another one does, maybe in another layout.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let same = match (self.kind, other.kind) {
            (EntryKind::Item { item, .. }, EntryKind::Item { item: other, .. }) => {
                item == other || places(item).any(|place| places(other).any(|of| of == place))
            }
            (EntryKind::Note(_, one), EntryKind::Note(_, other)) => one == other,
            (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
        };
        same && self.file == other.file
    }

    pub(super) fn is_change(&self) -> bool {
        matches!(self.kind, EntryKind::Item { item, .. } if item.is_change())
    }

    /// Its line in the text after.
    pub(super) fn line_after(&self) -> Option<u32> {
        let EntryKind::Item { item, .. } = self.kind else {
            return None;
        };
        let line = match item {
            Item::Line(line) => Some(line),
            Item::Pair(_, right) => right,
        };
        match line? {
            DiffLine::Context { new, .. } | DiffLine::Added { new } => Some(new),
            DiffLine::Gap { .. } | DiffLine::Removed { .. } => None,
        }
    }

    pub(super) fn begins_hunk(&self) -> bool {
        matches!(self.kind, EntryKind::Item { hunk: true, .. })
    }

    pub(super) fn begins_file(&self) -> bool {
        matches!(self.kind, EntryKind::Header)
    }
}

/// Where the cursor on the lines is.
#[derive(Default)]
pub(super) struct Cursor {
    /// It is to be there, in this hunk if that is in sight.
    pub wanted: Option<usize>,
    pub at: Option<usize>,
    /// Where the range begins.
    pub from: Option<usize>,
    /// It was moved: the window follows with the next frame.
    pub leads: bool,
}

impl Cursor {
    pub fn ends(&self) -> impl Iterator<Item = usize> + use<> {
        self.at.into_iter().chain(self.from)
    }
}
