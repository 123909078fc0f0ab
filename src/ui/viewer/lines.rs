//! The cursor on the lines of a diff, and the range that it spans: what a comment is about.
//!
//! It stands on lines and on notes, never on what counts lines that are left out. Where the window is
//! scrolled it stays in sight; where it is moved the window follows.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{
    DiffViewer, Motion,
    notes::{NoteBody, places},
    parts::{Cursor, Entry, EntryKind},
};
use crate::ui::render::{
    RenderContext,
    diff::{DiffLine, Item, Side},
    line::selected_style,
};

/// Lines of one file, from 0, the last one included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::ui) struct LineRange {
    pub file: usize,
    pub side: Side,
    pub first: u32,
    pub last: u32,
}

/// Where the cursor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::ui) enum At {
    Lines(LineRange),
    Note(u64),
}

impl DiffViewer {
    /// Whether there is a cursor; the hunk that it begins in.
    pub(in crate::ui) fn want_cursor(&mut self, hunk: Option<usize>) {
        self.cursor.wanted = hunk;
        if hunk.is_none() {
            self.cursor = Cursor::default();
        }
    }

    /// A cursor is to be there from the next frame on.
    pub(in crate::ui) fn begin_cursor(&mut self) {
        self.cursor.wanted.get_or_insert(0);
    }

    /// The same, where an entry was gone to.
    pub(super) fn begin_cursor_at(&mut self, entry: usize) {
        if self.has_cursor() {
            self.lift_cursor();
            self.cursor.wanted = Some(self.hunk_at(entry).unwrap_or(0));
        }
    }

    pub(in crate::ui) fn has_cursor(&self) -> bool {
        self.cursor.wanted.is_some()
    }

    pub(in crate::ui) fn cursor(&self) -> Option<usize> {
        self.cursor.at
    }

    pub(in crate::ui) fn has_range(&self) -> bool {
        self.cursor.from.is_some()
    }

    /// The range begins here, or ends to be one.
    pub(in crate::ui) fn turn_range(&mut self) {
        self.cursor.from = match self.cursor.from {
            Some(_) => None,
            None => self.cursor.at,
        };
    }

    pub(in crate::ui) fn drop_range(&mut self) {
        self.cursor.from = None;
    }

    /// It begins anew with the next frame.
    pub(in crate::ui) fn lift_cursor(&mut self) {
        (self.cursor.at, self.cursor.from) = (None, None);
    }

    /// A motion of a pager's keys; `spans`: the range grows with it.
    pub(in crate::ui) fn move_cursor(&mut self, motion: Motion, spans: bool) {
        if let Motion::Rows(by) = motion {
            return self.step_cursor(by, spans);
        }
        self.move_by(motion);
        if let Motion::Home | Motion::End = motion {
            self.put_cursor_at_end(matches!(motion, Motion::End));
        }
    }

    /// By so many lines; `spans`: the range grows with it.
    fn step_cursor(&mut self, by: isize, spans: bool) {
        let Some(at) = self.cursor.at else {
            return self.move_by(Motion::Rows(by));
        };
        if spans {
            self.cursor.from.get_or_insert(at);
        }
        let next = self.next_line(at, by);
        // Of a line that is higher than what is left of the window all is shown.
        if next.is_none() || self.is_cut(at, by > 0) {
            return self.move_by(Motion::Rows(by));
        }
        (self.cursor.at, self.cursor.leads) = (next, true);
    }

    fn next_line(&self, at: usize, by: isize) -> Option<usize> {
        let mut next = at;
        loop {
            next = next.checked_add_signed(by)?;
            if self.entries.get(next)?.takes_cursor(self) {
                return Some(next);
            }
        }
    }

    /// Whether the last frame left out rows of an entry at that end.
    fn is_cut(&self, entry: usize, lower: bool) -> bool {
        let mut above = 0;
        for shown in self.window.shown() {
            let below = above + shown.rows;
            if shown.entry == entry {
                return match lower {
                    true => below > self.window.height() && above < self.window.height(),
                    false => shown.from > 0,
                };
            }
            above = below;
        }
        false
    }

    /// Puts it on an entry; false where none of its kind is.
    pub(in crate::ui) fn put_cursor(&mut self, entry: usize, spans: bool) -> bool {
        let takes = self
            .entries
            .get(entry)
            .is_some_and(|e| e.takes_cursor(self));
        if takes {
            match spans {
                true => self.cursor.from = self.cursor.from.or(self.cursor.at),
                false => self.cursor.from = None,
            }
            self.cursor.at = Some(entry);
            self.cursor.wanted.get_or_insert(0);
        }
        takes
    }

    /// On the first or the last line; the window goes there by itself.
    fn put_cursor_at_end(&mut self, last: bool) {
        if self.cursor.at.is_none() {
            return;
        }
        let takes = |at: &usize| self.entries.get(*at).is_some_and(|e| e.takes_cursor(self));
        let mut all = 0..self.entries.len();
        let end = match last {
            true => all.rfind(takes),
            false => all.find(takes),
        };
        self.cursor.at = end.or(self.cursor.at);
    }

    /// On a note, which is brought into view.
    pub(in crate::ui) fn go_to_note(&mut self, key: u64) -> bool {
        let found = self.note_entry(key);
        if let Some(entry) = found {
            self.put_cursor(entry, false);
            self.cursor.leads = true;
        }
        found.is_some()
    }

    fn note_entry(&self, key: u64) -> Option<usize> {
        let is_it = |entry: &Entry| matches!(entry.kind, EntryKind::Note(_, of) if of == key);
        self.entries.iter().position(is_it)
    }

    /// The entry of the rows that are kept free.
    pub(super) fn room_entry(&self) -> Option<usize> {
        let is_it = |entry: &Entry| match entry.kind {
            EntryKind::Note(at, _) => self
                .notes
                .get(at)
                .is_some_and(|note| note.body == NoteBody::Room),
            _ => false,
        };
        self.entries.iter().position(is_it)
    }

    /// What the cursor is on, with its range.
    pub(in crate::ui) fn at_cursor(&self) -> Option<At> {
        let at = self.cursor.at?;
        if self.cursor.from.is_none()
            && let EntryKind::Note(_, key) = self.entries.get(at)?.kind
        {
            return Some(At::Note(key));
        }
        let from = self.cursor.from.unwrap_or(at);
        self.range_of(from.min(at)..=from.max(at), |_| true)
            .map(At::Lines)
    }

    /// All changed lines of a hunk, if the last frame has shown some of it.
    pub(in crate::ui) fn changes_of(&self, hunk: usize) -> Option<LineRange> {
        let in_hunk = |entry: &usize| self.hunk_at(*entry) == Some(hunk);
        let seen = self.in_sight()?.find(in_hunk)?;
        let after = seen..self.entries.len();
        // Notes between its lines are of no hunk, and stand in nothing's way.
        let is_other = |entry: &usize| self.hunk_at(*entry).is_some_and(|other| other != hunk);
        let last = after
            .take_while(|entry| !is_other(entry))
            .filter(in_hunk)
            .last()?;
        let before = (0..=seen).rev();
        let first = before
            .take_while(|entry| !is_other(entry))
            .filter(in_hunk)
            .last()?;
        self.range_of(first..=last, Entry::is_change)
    }

    /// The entries of which the last frame had rows.
    fn in_sight(&self) -> Option<std::ops::RangeInclusive<usize>> {
        let mut above = 0;
        let seen = self.window.shown().iter().take_while(|shown| {
            let from = above;
            above += shown.rows;
            from < self.window.height()
        });
        let mut seen = seen.filter(|shown| shown.rows > 0).map(|shown| shown.entry);
        let first = seen.next()?;
        Some(first..=seen.last().unwrap_or(first))
    }

    /// The lines of some entries: those of the text after, unless there are only removed ones.
    fn range_of(
        &self,
        entries: std::ops::RangeInclusive<usize>,
        counts: impl Fn(&Entry) -> bool,
    ) -> Option<LineRange> {
        let entries = self.entries.get(entries)?;
        let items = || {
            entries
                .iter()
                .filter(|entry| counts(entry))
                .filter_map(|entry| match entry.kind {
                    EntryKind::Item { item, .. } => Some((entry.file, item)),
                    _ => None,
                })
        };
        let file = items().next()?.0;
        let range = |side: Side| {
            let of_file = items().filter(|(of, _)| *of == file);
            let lines = of_file.flat_map(|(_, item)| places(item));
            let lines: Vec<u32> = lines
                .filter(|(of, _)| *of == side)
                .map(|(_, line)| line)
                .collect();
            Some(LineRange {
                file,
                side,
                first: *lines.iter().min()?,
                last: *lines.iter().max()?,
            })
        };
        range(Side::New).or_else(|| range(Side::Old))
    }

    /// The entry that a row of the last frame was of.
    pub(in crate::ui) fn entry_at(&self, row: usize) -> Option<usize> {
        let mut above = 0;
        let shown = self.window.shown().iter().find(|shown| {
            above += shown.rows;
            row < above
        });
        shown.map(|shown| shown.entry)
    }

    /// What the window has to show with the next frame.
    pub(super) fn follow_cursor(&mut self) {
        let leads = std::mem::take(&mut self.cursor.leads);
        if let Some(entry) = self.room_entry() {
            self.window.keep(entry);
        } else if let Some(at) = self.cursor.at.filter(|_| leads) {
            self.window.keep(at);
        }
    }

    /// A cursor that the window has left comes back into sight; one that is wanted begins.
    pub(super) fn settle_cursor(&mut self) {
        let Some(hunk) = self.cursor.wanted else {
            return;
        };
        let Some(sight) = self.in_sight() else { return };
        let takes = |entry: &usize| {
            self.entries
                .get(*entry)
                .is_some_and(|e| e.takes_cursor(self))
        };
        let changes = |entry: &usize| self.entries.get(*entry).is_some_and(Entry::is_change);
        let at = match self.cursor.at {
            Some(at) if sight.contains(&at) => return,
            Some(at) if at < *sight.start() => sight.clone().find(takes),
            Some(_) => sight.clone().rev().find(takes),
            None => {
                let in_hunk = |entry: &usize| changes(entry) && self.hunk_at(*entry) == Some(hunk);
                // What is there now rather than what was.
                let is_there = |entry: &usize| {
                    let line = self.entries.get(*entry).and_then(Entry::line_after);
                    in_hunk(entry) && line.is_some()
                };
                let first = sight
                    .clone()
                    .find(is_there)
                    .or_else(|| sight.clone().find(in_hunk));
                first
                    .or_else(|| sight.clone().find(changes))
                    .or_else(|| sight.clone().find(takes))
            }
        };
        self.cursor.at = at.or(self.cursor.at);
    }

    /// Whether an entry is the cursor's (true) or only in its range.
    pub(in crate::ui) fn is_chosen(&self, entry: usize) -> Option<bool> {
        let at = self.cursor.at?;
        let from = self.cursor.from.unwrap_or(at);
        let chosen = (from.min(at)..=from.max(at)).contains(&entry);
        chosen.then_some(entry == at)
    }

    /// What is left of an area beside the sign of the cursor.
    pub(super) fn beside_sign(&self, area: Rect) -> Rect {
        let sign = u16::from(self.has_cursor()).min(area.width);
        Rect {
            x: area.x + sign,
            width: area.width - sign,
            ..area
        }
    }

    /// The sign left of the cursor's row.
    pub(super) fn draw_sign(&self, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        let body = self.drawn.0;
        let mut y = usize::from(body.y);
        for shown in self.window.shown() {
            let row = u16::try_from(y).ok().filter(|row| *row < body.bottom());
            if self.is_chosen(shown.entry) == Some(true)
                && let (Some(row), Some(x)) = (row, body.x.checked_sub(1))
            {
                buf.set_stringn(x, row, ctx.symbols.prompt, 1, ctx.theme.accent);
            }
            y += shown.rows;
        }
    }

    /// The mouse at a place of the screen: the cursor goes there, dragged with its range.
    pub(in crate::ui) fn point(&mut self, at: Position, spans: bool) {
        let body = self.drawn.0;
        if !self.has_cursor() || !body.contains(at) {
            return;
        }
        if let Some(entry) = self.entry_at(usize::from(at.y - body.y)) {
            self.put_cursor(entry, spans);
        }
    }

    /// Where the last frame had lines, and hints.
    pub(in crate::ui) fn drawn(&self) -> (Rect, Rect) {
        self.drawn
    }

    /// Paints the rows of the range.
    pub(in crate::ui) fn draw_cursor(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        let mut y = usize::from(area.y);
        for shown in self.window.shown() {
            let rows = y..y + shown.rows;
            y = rows.end;
            if self.is_chosen(shown.entry).is_none() {
                continue;
            }
            let rows = rows.filter_map(|row| u16::try_from(row).ok());
            for row in rows.take_while(|row| *row < area.bottom()) {
                for x in area.left()..area.right() {
                    if let Some(cell) = buf.cell_mut((x, row)) {
                        cell.set_style(selected_style(cell.style(), ctx.theme.selected));
                    }
                }
            }
        }
    }

    /// After the entries were made again: where what was there stands now.
    pub(super) fn settle_again(&mut self, moved: impl Fn(usize) -> Option<usize>) {
        self.cursor.at = self.cursor.at.and_then(&moved);
        self.cursor.from = self.cursor.from.and_then(&moved);
    }

    /// On the line of the text after with that number, or the next one that is shown.
    pub(in crate::ui) fn put_cursor_on_line(&mut self, line: u32) {
        let is_there = |entry: &Entry| entry.line_after().is_some_and(|at| at >= line);
        self.cursor.at = self.entries.iter().position(is_there);
    }
}

impl Entry {
    fn takes_cursor(&self, of: &DiffViewer) -> bool {
        match self.kind {
            EntryKind::Item { item, .. } => !matches!(item, Item::Line(DiffLine::Gap { .. })),
            EntryKind::Note(at, _) => of
                .notes
                .get(at)
                .is_some_and(|note| note.body != NoteBody::Room),
            EntryKind::Blank | EntryKind::Header | EntryKind::Waiting => false,
        }
    }
}
