//! Edits and motions of the draft.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent};

use super::{
    Composer, Sources,
    buffer::Caret,
    chips::clean,
    keys::{Edit, Motion, edit_of},
    kill::Side,
    layout,
    popup::Popup,
    undo::EditKind,
};

impl Composer {
    /// Applies an editing key. False if `key` is none, or is ctrl-d with nothing to delete.
    pub fn edit_key(&mut self, key: KeyEvent, sources: &Sources<'_>) -> bool {
        let Some(edit) = edit_of(&key) else {
            return false;
        };
        let ctrl_d = key.code == KeyCode::Char('d');
        if edit == Edit::Delete(Motion::Right) && ctrl_d && self.is_empty() {
            return false;
        }
        // What history or undo brings is not being typed: a popup would take their keys away.
        let typing = matches!(edit, Edit::Insert(_) | Edit::Delete(_));
        let follow = typing || self.popup_is_open();
        self.apply(edit);
        if follow {
            self.follow_typing(sources);
        }
        true
    }

    /// A new line at the caret.
    pub fn newline(&mut self) {
        self.apply(Edit::Newline);
    }

    /// Text typed elsewhere that belongs here, as while a dialog was open.
    pub fn insert_text(&mut self, text: &str, sources: &Sources<'_>) {
        let text = clean(text);
        let raw = self.foreign(&text);
        self.insert(&raw, EditKind::Type);
        self.follow_typing(sources);
    }

    fn apply(&mut self, edit: Edit) {
        if !matches!(edit, Edit::Kill(_)) {
            self.kills.close();
        }
        if !matches!(edit, Edit::Up | Edit::Down) {
            self.goal = None;
        }
        match edit {
            Edit::Insert(c) => self.insert_char(c),
            Edit::Newline => self.insert("\n", EditKind::Other),
            Edit::Move(motion) => {
                let to = self.target(motion, false);
                self.buffer.set_caret(to);
            }
            Edit::Delete(motion) => {
                let range = self.between_caret_and(self.target(motion, true));
                self.edit(range, "", EditKind::Delete);
            }
            Edit::Kill(motion) => {
                let range = self.between_caret_and(self.target(motion, true));
                self.kill(range);
            }
            Edit::Yank => self.yank(0),
            Edit::YankPop => self.yank_pop(),
            Edit::Undo => {
                self.buffer.undo();
            }
            Edit::Redo => {
                self.buffer.redo();
            }
            Edit::Up => self.vertically(false),
            Edit::Down => self.vertically(true),
        }
    }

    fn insert_char(&mut self, c: char) {
        let kind = if c.is_whitespace() {
            EditKind::Space
        } else {
            EditKind::Type
        };
        let text = c.to_string();
        let raw = self.foreign(&clean(&text));
        self.insert(&raw, kind);
    }

    pub(super) fn insert(&mut self, raw: &str, kind: EditKind) {
        let caret = self.buffer.caret();
        self.edit(caret..caret, raw, kind);
    }

    /// Every change of the text but undo goes through here.
    pub(super) fn edit(&mut self, range: Range<Caret>, raw: &str, kind: EditKind) {
        self.goal = None;
        // A popup knows places in the text. After typing it is brought up to date.
        if kind == EditKind::Other && !matches!(self.popup, Some(Popup::Search(_))) {
            self.popup = None;
        }
        self.buffer.replace(range, raw, kind);
    }

    pub(super) fn replace_all(&mut self, raw: &str) {
        let all = self.buffer.start()..self.buffer.end();
        self.edit(all, raw, EditKind::Other);
    }

    fn between_caret_and(&self, other: Caret) -> Range<Caret> {
        let caret = self.buffer.caret();
        caret.min(other)..caret.max(other)
    }

    /// `over`: at a line's start or end, on to the next line, as deleting does.
    fn target(&self, motion: Motion, over: bool) -> Caret {
        let caret = self.buffer.caret();
        match motion {
            Motion::Left => self.buffer.left_of(caret),
            Motion::Right => self.buffer.right_of(caret),
            Motion::WordLeft => self.buffer.word_left_of(caret),
            Motion::WordRight => self.buffer.word_right_of(caret),
            Motion::BlankWordLeft => self.buffer.blank_word_left_of(caret),
            Motion::LineStart if over => self.buffer.line_start_of(caret),
            Motion::LineStart => Caret { byte: 0, ..caret },
            Motion::LineEnd if over => self.buffer.line_end_of(caret),
            Motion::LineEnd => Caret {
                byte: self.buffer.line(caret.line).len(),
                ..caret
            },
        }
    }

    pub(super) fn kill(&mut self, range: Range<Caret>) {
        let side = if range.end == self.buffer.caret() {
            Side::Before
        } else {
            Side::Behind
        };
        let killed = self.buffer.slice(range.clone());
        self.kills.add(killed, side);
        self.edit(range, "", EditKind::Other);
    }

    fn yank(&mut self, age: usize) {
        let Some(killed) = self.kills.get(age).map(str::to_owned) else {
            return;
        };
        let raw = self.own(killed);
        let start = self.buffer.caret();
        self.insert(&raw, EditKind::Other);
        self.yanked = Some((start, age, self.buffer.rev()));
    }

    fn yank_pop(&mut self) {
        let Some((start, age, rev)) = self.yanked else {
            return;
        };
        if rev == self.buffer.rev() {
            let end = self.buffer.caret();
            self.edit(start..end.max(start), "", EditKind::Other);
            self.yank(age + 1);
        }
    }

    /// Whether there is no row above the caret, and no past prompt is being looked at.
    pub fn is_at_top(&mut self) -> bool {
        !self.history.is_browsing() && !self.has_row(false)
    }

    /// Whether there is a row below the caret, or above it.
    pub fn has_row(&mut self, down: bool) -> bool {
        let caret = self.buffer.caret();
        let rows = self.rows_of(caret.line);
        let line = self.buffer.line(caret.line);
        let row = layout::locate(line, &rows, caret.byte, self.room, &self.chips).0;
        match down {
            true => caret.line + 1 < self.buffer.lines().len() || row + 1 < rows.len(),
            false => caret.line > 0 || row > 0,
        }
    }

    /// A row up or down; over the first or last one into the history.
    fn vertically(&mut self, down: bool) {
        let caret = self.buffer.caret();
        // What history has just put here is passed as a whole, however many rows it has.
        let passing = self.recalled == Some((self.buffer.rev(), caret));
        let moved = !passing && self.move_by_row(caret, down);
        if moved {
            return;
        }
        let current = self.buffer.text();
        let entry = if down {
            self.history.newer(&current)
        } else {
            self.history.older(&current)
        };
        if let Some(entry) = entry {
            let raw = self.own(entry);
            self.replace_all(&raw);
            self.look_at_mentioned(&raw);
            self.recalled = Some((self.buffer.rev(), self.buffer.caret()));
        } else if passing {
            self.recalled = None;
        }
    }

    fn move_by_row(&mut self, caret: Caret, down: bool) -> bool {
        let room = self.room;
        let rows = self.rows_of(caret.line);
        let line = self.buffer.line(caret.line);
        let (row, column) = layout::locate(line, &rows, caret.byte, room, &self.chips);
        let column = self.goal.unwrap_or(column);
        let (to_line, to_row) = match (down, row) {
            (true, row) if row + 1 < rows.len() => (caret.line, row + 1),
            (true, _) if caret.line + 1 < self.buffer.lines().len() => (caret.line + 1, 0),
            (false, row) if row > 0 => (caret.line, row - 1),
            (false, _) if caret.line > 0 => {
                let above = caret.line - 1;
                (above, self.rows_of(above).len() - 1)
            }
            _ => return false,
        };
        let rows = self.rows_of(to_line);
        let line = self.buffer.line(to_line);
        let byte = layout::byte_at(line, &rows, to_row, column, room, &self.chips);
        self.buffer.set_caret(Caret {
            line: to_line,
            byte,
        });
        self.goal = Some(column);
        true
    }
}
