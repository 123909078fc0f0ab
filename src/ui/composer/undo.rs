//! What one undo takes back.
//!
//! The text widget keeps every single insertion and deletion; a person undoes words and whole
//! operations. This counts how many of the widget's entries belong together.

use std::collections::VecDeque;

/// Entries that the widget keeps.
pub const MAX_ENTRIES: usize = 2_000;

/// What an edit is to the grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Characters of a word.
    Type,
    /// A blank: ends a word's group, and belongs to it.
    Space,
    /// One unit deleted.
    Delete,
    /// Anything else: a group of its own.
    Other,
}

#[derive(Debug, Default)]
pub struct UndoGroups {
    /// Entries per group, oldest first.
    sizes: VecDeque<usize>,
    /// Groups not undone.
    done: usize,
    /// What may still be added to the last group.
    open: Option<EditKind>,
}

impl UndoGroups {
    /// The widget made `entries` entries.
    pub fn record(&mut self, kind: EditKind, entries: usize) {
        if entries == 0 {
            return;
        }
        self.sizes.truncate(self.done);
        let joins = match self.open {
            Some(EditKind::Type) => matches!(kind, EditKind::Type | EditKind::Space),
            Some(EditKind::Space) => kind == EditKind::Space,
            Some(EditKind::Delete) => kind == EditKind::Delete,
            Some(EditKind::Other) | None => false,
        };
        match self.sizes.back_mut() {
            Some(size) if joins => *size += entries,
            _ => self.sizes.push_back(entries),
        }
        self.done = self.sizes.len();
        self.open = Some(kind);
        // The widget forgets its oldest entries; a group that lost some is not undone by halves.
        while self.sizes.iter().sum::<usize>() > MAX_ENTRIES {
            self.sizes.pop_front();
            self.done -= 1;
        }
    }

    /// The caret moved: what follows is another group.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Entries to undo; 0 if there is nothing.
    pub fn undo(&mut self) -> usize {
        self.close();
        let Some(last) = self.done.checked_sub(1) else {
            return 0;
        };
        self.done = last;
        self.sizes.get(last).copied().unwrap_or(0)
    }

    /// Entries to redo; 0 if there is nothing.
    pub fn redo(&mut self) -> usize {
        self.close();
        let Some(size) = self.sizes.get(self.done) else {
            return 0;
        };
        self.done += 1;
        *size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_groups() {
        let mut groups = UndoGroups::default();
        for kind in "ab cd".chars().map(|c| match c {
            ' ' => EditKind::Space,
            _ => EditKind::Type,
        }) {
            groups.record(kind, 1);
        }
        assert_eq!((groups.undo(), groups.undo(), groups.undo()), (2, 3, 0));
        assert_eq!((groups.redo(), groups.redo(), groups.redo()), (3, 2, 0));
    }

    #[test]
    fn a_new_edit_drops_what_was_undone() {
        let mut groups = UndoGroups::default();
        groups.record(EditKind::Other, 1);
        groups.record(EditKind::Other, 2);
        groups.undo();
        groups.record(EditKind::Other, 3);
        assert_eq!((groups.redo(), groups.undo(), groups.undo()), (0, 3, 1));
    }

    #[test]
    fn groups_are_bounded_like_the_widget() {
        let mut groups = UndoGroups::default();
        for _ in 0..MAX_ENTRIES {
            groups.record(EditKind::Other, 2);
        }
        assert_eq!(groups.sizes.len(), MAX_ENTRIES / 2);
    }
}
