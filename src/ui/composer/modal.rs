//! vim's modes in the composer: what [`vim`](super::vim) wants done is done here.

use std::ops::Range;

use crossterm::event::KeyEvent;

use super::{
    Composer,
    buffer::{Buffer, Caret, EditKind, LIMIT},
    editing::Edit,
    vim::{Act, ModalKey, Mode, Reply, Then, Vim},
};
use crate::{
    config::Editing,
    ui::{CaretShape, UiCommand},
};

/// vim's modes and what the composer has to know for them.
#[derive(Debug)]
pub struct Modal {
    pub vim: Vim,
    /// Where in the undo history insert mode began.
    inserting_since: usize,
}

impl Composer {
    /// With these keys.
    pub fn with_editing(mut self, editing: Editing) -> Self {
        self.modal = match editing {
            Editing::Emacs => None,
            Editing::Vim => Some(Modal {
                vim: Vim::default(),
                inserting_since: self.buffer.undo_mark(),
            }),
        };
        self
    }

    /// vim's mode; `None` with other keys.
    pub fn mode(&self) -> Option<Mode> {
        self.modal.as_ref().map(|modal| modal.vim.mode())
    }

    /// The mode and what was typed of a command, for the status line.
    pub fn mode_told(&self) -> Option<(&'static str, String)> {
        let vim = &self.modal.as_ref()?.vim;
        Some((vim.mode().name(), vim.pending()))
    }

    /// Whether a key that types something puts it in.
    pub(super) fn inserts(&self) -> bool {
        self.mode().is_none_or(|mode| mode == Mode::Insert)
    }

    /// Whether esc has no meaning of its own here: vim's insert mode is left by it.
    pub fn leaves_by_esc(&self) -> bool {
        self.mode().is_none_or(|mode| mode == Mode::Normal)
    }

    /// How the terminal's cursor looks on the draft.
    pub fn caret_shape(&self) -> CaretShape {
        match self.mode() {
            None => CaretShape::Default,
            Some(_) if self.is_searching() => CaretShape::Bar,
            Some(Mode::Insert) => CaretShape::Bar,
            Some(Mode::Normal | Mode::Visual { .. }) => CaretShape::Block,
        }
    }

    /// Gives a key to vim's modes: before the popup and the keymap.
    pub fn modal_key(&mut self, key: KeyEvent) -> ModalKey {
        let searching = self.is_searching();
        let caret = self.buffer.caret();
        let Some(modal) = self.modal.as_mut().filter(|_| !searching) else {
            return ModalKey::Pass(key);
        };
        let before = modal.vim.mode();
        let reply = modal.vim.key(&key, self.buffer.lines(), caret);
        let acts = match reply {
            Reply::Pass => {
                if before != modal.vim.mode() {
                    modal.inserting_since = self.buffer.undo_mark();
                }
                return ModalKey::Pass(key);
            }
            Reply::As(code) => return ModalKey::Pass(KeyEvent::from(code)),
            Reply::Palette => return ModalKey::Palette,
            Reply::Acts(acts) => acts,
        };
        self.kills.close();
        self.popup = None;
        self.dismissed = None;
        let mark = match before {
            Mode::Insert => self.modal.as_ref().map_or(0, |modal| modal.inserting_since),
            Mode::Normal | Mode::Visual { .. } => self.buffer.undo_mark(),
        };
        let undoes = |act: &Act| matches!(act, Act::Undo(_) | Act::Redo(_));
        let joins = !acts.iter().any(undoes);
        for act in acts {
            self.carry_out(act);
        }
        let caret = self.buffer.caret();
        if let Some(modal) = &mut self.modal {
            if modal.vim.mode() == Mode::Insert {
                modal.inserting_since = mark;
                modal.vim.inserts_at(caret);
            } else if joins {
                self.buffer.join_undo(mark);
            }
        }
        self.settle();
        ModalKey::Taken
    }

    /// In normal mode these do nothing to the text: what they would put in or take away.
    pub(super) fn is_kept_out(&self, edit: Edit) -> bool {
        let moves = matches!(
            edit,
            Edit::Move(_) | Edit::Up | Edit::Down | Edit::Newline | Edit::Undo | Edit::Redo
        );
        !moves && !self.inserts()
    }

    /// The draft has changed by other means than vim's keys, or the caret moved.
    pub(super) fn modal_moved(&mut self) {
        let caret = self.buffer.caret();
        if let Some(modal) = &mut self.modal {
            modal.vim.moved_to(caret);
        }
    }

    /// What was selected may stand elsewhere now.
    pub(super) fn modal_edited(&mut self) {
        if self.selected().is_some() {
            self.modal_moved();
        }
    }

    /// A draft begins.
    pub(super) fn modal_begin(&mut self) {
        if let Some(modal) = &mut self.modal {
            modal.vim.begin();
            modal.inserting_since = self.buffer.undo_mark();
        }
    }

    /// In normal mode the caret stands on a character, not behind the last one.
    pub(super) fn settle(&mut self) {
        let caret = self.buffer.caret();
        let at_end = caret.byte > 0 && caret.byte >= self.buffer.line(caret.line).len();
        if self.mode() != Some(Mode::Normal) || !at_end {
            return;
        }
        self.buffer.set_caret(self.buffer.left_of(caret));
        let recalled = (self.buffer.rev(), caret);
        if self.recalled == Some(recalled) {
            self.recalled = Some((self.buffer.rev(), self.buffer.caret()));
        }
    }

    /// What is selected.
    pub(super) fn selected(&self) -> Option<Range<Caret>> {
        let modal = self.modal.as_ref()?;
        let (anchor, caret) = (modal.vim.anchor()?, self.buffer.caret());
        let (first, last) = (anchor.min(caret), anchor.max(caret));
        Some(match modal.vim.mode() {
            Mode::Visual { lines: true } => {
                let byte = self.buffer.line(last.line).len() + 1;
                Caret { byte: 0, ..first }..Caret { byte, ..last }
            }
            _ => {
                let at_end = last.byte >= self.buffer.line(last.line).len();
                let end = match at_end {
                    true => Caret {
                        byte: last.byte + 1,
                        ..last
                    },
                    false => self.buffer.right_of(last),
                };
                first..end
            }
        })
    }

    fn carry_out(&mut self, act: Act) {
        if !matches!(act, Act::Rows { .. }) {
            self.goal = None;
        }
        match act {
            Act::Caret(to) => self.buffer.set_caret(to),
            Act::Replace { range, text, then } => self.change(range, text, then),
            Act::Insert(text) => {
                let caret = self.buffer.caret();
                self.change(caret..caret, text, Then::Last);
            }
            Act::Rows { down, count } => {
                for _ in 0..count {
                    let caret = self.buffer.caret();
                    if !self.move_by_row(caret, down) {
                        break;
                    }
                }
            }
            Act::Undo(count) => self.go_back(Buffer::undo, count),
            Act::Redo(count) => self.go_back(Buffer::redo, count),
            Act::Copy(text) => {
                let text = self.chips.expand(&text);
                self.wanted.push(UiCommand::Copy(text));
            }
            Act::PasteClipboard => self.wanted.push(UiCommand::PasteClipboard),
            Act::StepBack => self.step_back(),
        }
    }

    /// Undoes or redoes; the caret goes to where the text has changed.
    fn go_back(&mut self, step: fn(&mut Buffer) -> bool, count: usize) {
        let before = self.buffer.lines().to_vec();
        let steps = (0..count).take_while(|_| step(&mut self.buffer)).count();
        if steps > 0 {
            let to = first_difference(&before, self.buffer.lines());
            self.buffer.set_caret(to);
        }
    }

    fn step_back(&mut self) {
        let caret = self.buffer.caret();
        if caret.byte > 0 {
            self.buffer.set_caret(self.buffer.left_of(caret));
        }
    }

    /// Nothing where the draft would be too long.
    fn change(&mut self, range: Range<Caret>, text: String, then: Then) {
        let removed = self.buffer.slice(range.clone()).len();
        let left = self.buffer.len() - removed.min(self.buffer.len());
        let text = match range.is_empty() {
            true => self.own(text),
            false => text,
        };
        if left + text.len() > LIMIT {
            return;
        }
        let start = range.start;
        self.goal = None;
        self.buffer.replace(range, &text, EditKind::Other);
        match then {
            Then::End => {}
            Then::Start => self.buffer.set_caret(start),
            Then::Last if text.is_empty() => {}
            Then::Last => self.step_back(),
            Then::At(caret) => self.buffer.set_caret(caret),
            Then::Filled { below } => {
                let line = (start.line + below).min(self.buffer.lines().len() - 1);
                let text = self.buffer.line(line);
                let byte = text.len() - text.trim_start().len();
                self.buffer.set_caret(Caret { line, byte });
            }
        }
    }
}

fn first_difference(before: &[String], now: &[String]) -> Caret {
    let mut pairs = before.iter().zip(now);
    let line = pairs.position(|(before, now)| before != now);
    let line = line.unwrap_or(before.len().min(now.len()));
    let (Some(before), Some(now)) = (before.get(line), now.get(line)) else {
        return Caret { line, byte: 0 };
    };
    let same = before.chars().zip(now.chars());
    let same = same.take_while(|(before, now)| before == now);
    let byte = same.map(|(c, _)| c.len_utf8()).sum();
    Caret { line, byte }
}
