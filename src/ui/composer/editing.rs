//! Edits of the draft: which key edits what, as readline has it, and doing so.
//!
//! Sending, stopping, scrolling and the like are the keymap's business; these keys come after it.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::ui::{UiCommand, begins_word, keymap::text_of};

use super::{
    Composer, Sources,
    buffer::{Caret, EditKind, Motion, clean, is_placeholder},
    draw::byte_at,
    kill::Side,
    popup::{FilePopup, Popup, commands_of},
    vim::ModalKey,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert(char),
    Newline,
    Move(Motion),
    /// Deletes without keeping.
    Delete(Motion),
    /// Deletes, for yanking.
    Kill(Motion),
    Yank,
    /// Replaces what was just yanked by what was killed before it.
    YankPop,
    Undo,
    Redo,
    /// A row up, or an older history entry.
    Up,
    Down,
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const NONE: KeyModifiers = KeyModifiers::NONE;

/// What `key` does to the text; `None` for releases and keys that do nothing to it.
pub fn edit_of(key: &KeyEvent) -> Option<Edit> {
    use Edit::{Delete, Kill, Move, Newline, Redo, Undo, Yank, YankPop};
    use Motion::{BlankWordLeft, Left, LineEnd, LineStart, Right, WordLeft, WordRight};
    if let Some(c) = text_of(key) {
        return Some(Edit::Insert(c));
    }
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let modifiers = key.modifiers - KeyModifiers::SHIFT;
    Some(match (key.code, modifiers) {
        (KeyCode::Enter, NONE) if shift => Newline,
        (KeyCode::Enter, ALT) | (KeyCode::Char('j'), CTRL) => Newline,

        (KeyCode::Left, NONE) | (KeyCode::Char('b'), CTRL) => Move(Left),
        (KeyCode::Right, NONE) | (KeyCode::Char('f'), CTRL) => Move(Right),
        (KeyCode::Left, CTRL | ALT) | (KeyCode::Char('b'), ALT) => Move(WordLeft),
        (KeyCode::Right, CTRL | ALT) | (KeyCode::Char('f'), ALT) => Move(WordRight),
        (KeyCode::Home, NONE) | (KeyCode::Char('a'), CTRL) => Move(LineStart),
        (KeyCode::End, NONE) | (KeyCode::Char('e'), CTRL) => Move(LineEnd),
        (KeyCode::Up, NONE) => Edit::Up,
        (KeyCode::Down, NONE) => Edit::Down,

        (KeyCode::Backspace, NONE) | (KeyCode::Char('h'), CTRL) => Delete(Left),
        (KeyCode::Delete, NONE) | (KeyCode::Char('d'), CTRL) => Delete(Right),
        (KeyCode::Backspace, ALT | CTRL) => Kill(WordLeft),
        (KeyCode::Delete, ALT | CTRL) | (KeyCode::Char('d'), ALT) => Kill(WordRight),
        (KeyCode::Char('w'), CTRL) => Kill(BlankWordLeft),
        (KeyCode::Char('u'), CTRL) => Kill(LineStart),
        (KeyCode::Char('k'), CTRL) => Kill(LineEnd),
        (KeyCode::Char('y'), CTRL) => Yank,
        (KeyCode::Char('y'), ALT) => YankPop,

        // Without the kitty protocol ctrl-_ and ctrl-/ are the byte 0x1f, reported as ctrl-7.
        (KeyCode::Char('_' | '/' | '7' | '-'), CTRL) => Undo,
        (KeyCode::Char('_' | '/'), ALT) => Redo,
        _ => return None,
    })
}

impl Composer {
    /// Applies an editing key. False if `key` is none, or is ctrl-d with nothing to delete.
    pub fn edit_key(&mut self, key: KeyEvent, sources: &Sources<'_>) -> bool {
        let key = match self.modal_key(key) {
            ModalKey::Taken | ModalKey::Palette => return true,
            ModalKey::Pass(key) => key,
        };
        let Some(edit) = edit_of(&key) else {
            return false;
        };
        let ctrl_d = key.code == KeyCode::Char('d');
        if edit == Edit::Delete(Motion::Right) && ctrl_d && self.is_empty() {
            return false;
        }
        if self.is_kept_out(edit) {
            return true;
        }
        // Text from history or undo opens no popup: it would take over the keys for history and undo.
        let typing = matches!(edit, Edit::Insert(_) | Edit::Delete(_));
        let follow = typing || self.popup_is_open();
        self.apply(edit);
        if matches!(
            edit,
            Edit::Move(_) | Edit::Up | Edit::Down | Edit::Undo | Edit::Redo
        ) {
            self.modal_moved();
            self.settle();
        }
        if follow {
            self.follow_typing(sources);
        }
        true
    }

    /// A new line at the caret.
    pub fn newline(&mut self) {
        self.apply(Edit::Newline);
    }

    /// Inserts text that was typed while something else had the keys.
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
                let to = self.buffer.target(motion, false);
                self.buffer.set_caret(to);
            }
            Edit::Delete(motion) => {
                let range = self.buffer.range_to(motion, true);
                self.edit(range, "", EditKind::Delete);
            }
            Edit::Kill(motion) => {
                let range = self.buffer.range_to(motion, true);
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
        let text = c.to_string();
        let raw = self.foreign(&clean(&text));
        let caret = self.buffer.caret();
        let blank = self.completed.filter(|place| *place == caret && joins(c));
        let from = blank.map_or(caret, |place| Caret {
            byte: place.byte.saturating_sub(1),
            ..place
        });
        self.edit(from..caret, &raw, EditKind::of_typed(c));
    }

    pub(super) fn insert(&mut self, raw: &str, kind: EditKind) {
        let caret = self.buffer.caret();
        self.edit(caret..caret, raw, kind);
    }

    /// Every change of the text except undo goes through here.
    pub(super) fn edit(&mut self, range: Range<Caret>, raw: &str, kind: EditKind) {
        self.goal = None;
        self.completed = None;
        // A popup holds places in the text. Typing updates it; other edits close it.
        if kind == EditKind::Other && !self.is_searching() {
            self.popup = None;
        }
        self.buffer.replace(range, raw, kind);
        self.modal_edited();
    }

    pub(super) fn replace_all(&mut self, raw: &str) {
        self.edit(self.buffer.all(), raw, EditKind::Other);
        self.modal_moved();
        self.settle();
    }

    pub(super) fn kill(&mut self, range: Range<Caret>) {
        let side = match range.end == self.buffer.caret() {
            true => Side::Before,
            false => Side::Behind,
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

    /// Whether the caret is in the first row and no past prompt is shown.
    pub fn is_at_top(&mut self) -> bool {
        !self.history.is_browsing() && !self.has_row(false)
    }

    /// Whether there is a row below the caret, or above it.
    pub fn has_row(&mut self, down: bool) -> bool {
        let caret = self.buffer.caret();
        let (row, _) = self.place(caret);
        let rows = self.rows_of(caret.line).len();
        match down {
            true => caret.line + 1 < self.buffer.lines().len() || row + 1 < rows,
            false => caret.line > 0 || row > 0,
        }
    }

    /// A row up or down; over the first or last one into the history.
    fn vertically(&mut self, down: bool) {
        let caret = self.buffer.caret();
        // A prompt that history has just inserted is skipped as a whole, however many rows it has.
        let passing = self.recalled == Some((self.buffer.rev(), caret));
        if !passing && self.move_by_row(caret, down) {
            return;
        }
        let current = self.buffer.text();
        let entry = match down {
            true => self.history.newer(&current),
            false => self.history.older(&current),
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

    /// Puts the caret somewhere, as a motion does.
    pub(super) fn place_caret(&mut self, to: Caret) {
        self.kills.close();
        self.goal = None;
        if !self.is_searching() {
            self.popup = None;
        }
        self.buffer.set_caret(to);
        self.modal_moved();
        self.settle();
    }

    pub(super) fn move_by_row(&mut self, caret: Caret, down: bool) -> bool {
        let (row, column) = self.place(caret);
        let column = self.goal.unwrap_or(column);
        let rows = self.rows_of(caret.line).len();
        let (line, row) = match (down, row) {
            (true, row) if row + 1 < rows => (caret.line, row + 1),
            (true, _) if caret.line + 1 < self.buffer.lines().len() => (caret.line + 1, 0),
            (false, row) if row > 0 => (caret.line, row - 1),
            (false, _) if caret.line > 0 => {
                let above = caret.line - 1;
                (above, self.rows_of(above).len() - 1)
            }
            _ => return false,
        };
        let rows = self.rows_of(line);
        let text = self.buffer.line(line);
        let byte = byte_at(text, &rows, row, column, self.room, &self.chips);
        self.buffer.set_caret(Caret { line, byte });
        self.goal = Some(column);
        true
    }

    /// Opens, feeds or closes the popup that fits what is being written at the caret.
    pub(super) fn follow_typing(&mut self, sources: &Sources<'_>) {
        if self.is_searching() {
            return;
        }
        let word = self.word_at_caret();
        let start = word.as_ref().map(|(start, _)| *start);
        if self.dismissed.is_some() && self.dismissed != start {
            self.dismissed = None;
        }
        let (Some((start, query)), None) = (word, self.dismissed) else {
            self.popup = None;
            return;
        };
        if start == self.buffer.start() && self.buffer.line(0).starts_with('/') {
            if query.is_empty() {
                self.wanted.push(UiCommand::ListPrompts);
            }
            self.popup = commands_of(&query, sources).map(Popup::Commands);
            return;
        }
        if names_lines(&query) {
            // The file is written out already.
            self.popup = None;
            return;
        }
        let mut popup = match self.popup.take() {
            Some(Popup::Files(popup)) if popup.start == start => popup,
            _ => {
                if self.files.ask(sources.now) {
                    self.wanted.push(UiCommand::ListFiles);
                }
                FilePopup::open(start)
            }
        };
        if let Some(folder) = self.files.folder.ask(&query, sources.now) {
            self.wanted.push(UiCommand::ListFolder(folder));
        }
        popup.look_for(&query, &self.files, &self.offload);
        self.popup = Some(Popup::Files(popup));
    }

    /// The command or mention at the caret: where it begins, and what is written
    /// after its sign.
    fn word_at_caret(&self) -> Option<(Caret, String)> {
        let caret = self.buffer.caret();
        let (line, byte) = self.buffer.at_caret();
        let before = &line[..byte];
        if let Some(query) = before.strip_prefix('/')
            && caret.line == 0
            && !query.contains(is_placeholder)
        {
            return Some((self.buffer.start(), query.to_owned()));
        }
        let at = before.rfind('@')?;
        let query = &before[at + 1..];
        let in_word = !query.contains(|c: char| c.is_whitespace() || is_placeholder(c));
        (in_word && begins_word(&before[..at])).then(|| {
            let start = Caret { byte: at, ..caret };
            (start, query.to_owned())
        })
    }
}

/// Whether a mention goes on with lines of its file: `src/a.rs#20-45`.
fn names_lines(query: &str) -> bool {
    let lines = query.rsplit_once('#').map(|(_, lines)| lines);
    lines.is_some_and(|lines| {
        let known = |c: char| c.is_ascii_digit() || matches!(c, '-' | 'L');
        !lines.is_empty() && lines.chars().all(known)
    })
}

/// Whether this belongs to the word before it, as a range of lines does (`@file#20-45`) and the end of a sentence:
/// a blank that was added for the next word is in its way.
const fn joins(c: char) -> bool {
    matches!(c, '#' | ',' | '.' | ':' | ';' | '?' | '!' | ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn text_with_shift_and_altgr() {
        let typed = |c, modifiers| text_of(&key(KeyCode::Char(c), modifiers));
        assert_eq!(typed('a', NONE), Some('a'));
        assert_eq!(typed('a', KeyModifiers::SHIFT), Some('A'));
        assert_eq!(typed('A', KeyModifiers::SHIFT), Some('A'));
        assert_eq!(typed('ß', KeyModifiers::SHIFT), Some('ß'));
        assert_eq!(typed('@', CTRL | ALT), Some('@'));
        assert_eq!(typed('x', CTRL | ALT), None);
        assert_eq!(typed('x', KeyModifiers::SUPER), None);
        assert_eq!(typed('\u{7}', NONE), None);
    }

    #[test]
    fn releases_do_nothing() {
        let mut release = key(KeyCode::Char('a'), NONE);
        release.kind = KeyEventKind::Release;
        assert_eq!(edit_of(&release), None);
        release.code = KeyCode::Backspace;
        assert_eq!(edit_of(&release), None);
    }

    #[test]
    fn plain_enter_is_not_ours() {
        assert_eq!(edit_of(&key(KeyCode::Enter, NONE)), None);
        for (code, modifiers) in [
            (KeyCode::Enter, KeyModifiers::SHIFT),
            (KeyCode::Enter, ALT),
            (KeyCode::Char('j'), CTRL),
        ] {
            assert_eq!(edit_of(&key(code, modifiers)), Some(Edit::Newline));
        }
    }
}
