//! Pastes: as text or as a chip, in one event or in many keys.

use std::time::Instant;

use crossterm::event::KeyEvent;

use super::{
    Composer, Expanded, Sources,
    buffer::Caret,
    burst,
    chips::{Chip, clean, is_long, is_placeholder},
    popup::Popup,
    undo::EditKind,
};

/// A paste that comes as keys and may go on.
#[derive(Clone, Copy, Debug)]
pub struct RunningPaste {
    start: Caret,
    end: Caret,
    rev: u64,
    last: Instant,
    /// The chip that it has become.
    chip: Option<char>,
}

impl Composer {
    /// A paste in one event. A long one becomes a chip.
    pub fn insert_paste(&mut self, text: &str) {
        if let Some(Popup::Search(popup)) = &mut self.popup {
            popup.push(text, &self.history);
            return;
        }
        self.kills.close();
        let pasted = text;
        let text = clean(text);
        let raw = if is_long(&text) {
            self.chip_for(Chip::paste(text.into_owned())).to_string()
        } else {
            self.foreign(&text)
        };
        self.insert(&raw, EditKind::Other);
        self.look_at_dropped(pasted, raw);
    }

    /// To be asked before each key, with it and all keys read together with it: how many of them
    /// were taken as a paste (or as a run of typed text). 0: handle the first one as usual.
    pub fn take_burst(&mut self, keys: &[KeyEvent], sources: &Sources<'_>) -> usize {
        if matches!(self.popup, Some(Popup::Search(_))) {
            return 0;
        }
        let running = self.running_paste.filter(|paste| {
            sources.now.saturating_duration_since(paste.last) < burst::GAP
                && (paste.end, paste.rev) == (self.buffer.caret(), self.buffer.rev())
        });
        let Some(found) = burst::leading(keys, running.is_some()) else {
            return 0;
        };
        if found.paste {
            self.go_on_pasting(running, &clean(&found.text), sources.now);
        } else {
            self.insert_text(&found.text, sources);
            // A file that was dropped on a terminal without bracketed paste.
            self.look_at_dropped(&found.text, found.text.clone());
        }
        found.keys
    }

    fn go_on_pasting(&mut self, running: Option<RunningPaste>, text: &str, now: Instant) {
        let start = running.map_or(self.buffer.caret(), |paste| paste.start);
        let mut chip = running.and_then(|paste| paste.chip);
        if let Some(chip) = chip {
            self.chips.extend_paste(chip, text);
            self.buffer.touch();
        } else {
            let caret = self.buffer.caret();
            let whole = self.buffer.slice(start..caret) + text;
            if is_long(&whole) || !self.buffer.has_room(text.len()) {
                let placeholder = self.chip_for(Chip::paste(self.chips.expand(&whole)));
                chip = Some(placeholder);
                self.edit(start..caret, &placeholder.to_string(), EditKind::Other);
            } else {
                self.insert(text, EditKind::Other);
            }
        }
        self.running_paste = Some(RunningPaste {
            start,
            end: self.buffer.caret(),
            rev: self.buffer.rev(),
            last: now,
            chip,
        });
    }

    /// Puts the text of a pasted chip in its place: of the one at the caret, else of the first.
    pub fn expand_paste(&mut self) -> Expanded {
        if let Some(path) = self.file_at_caret() {
            return Expanded::File(path.into());
        }
        let Some((at, placeholder)) = self.chip_to_expand() else {
            return Expanded::Nothing;
        };
        let pasted = self.chips.get(placeholder).and_then(Chip::pasted);
        let text = pasted.unwrap_or("").to_owned();
        if !self.buffer.has_room(text.len()) {
            return Expanded::TooLong;
        }
        let end = self.buffer.right_of(at);
        self.edit(at..end, &text, EditKind::Other);
        Expanded::Done
    }

    fn chip_to_expand(&self) -> Option<(Caret, char)> {
        let caret = self.buffer.caret();
        let pasted = |at: Caret| {
            let c = self.buffer.line(at.line)[at.byte..].chars().next()?;
            self.chips.get(c)?.pasted().map(|_| (at, c))
        };
        pasted(self.buffer.left_of(caret))
            .or_else(|| pasted(caret))
            .or_else(|| {
                let lines = self.buffer.lines().iter().enumerate();
                lines
                    .flat_map(|(line, text)| {
                        let chips = text.match_indices(is_placeholder);
                        chips.map(move |(byte, _)| Caret { line, byte })
                    })
                    .find_map(pasted)
            })
    }

    /// Cleaned text from outside as it fits into the buffer: as it is, or as a chip.
    pub(super) fn foreign(&mut self, text: &str) -> String {
        if self.buffer.has_room(text.len()) {
            text.to_owned()
        } else {
            self.chip_for(Chip::paste(text.to_owned())).to_string()
        }
    }

    /// As [`Composer::foreign`], of text that may hold chips.
    pub(super) fn own(&mut self, raw: String) -> String {
        if self.buffer.has_room(raw.len()) {
            raw
        } else {
            let text = self.chips.expand(&raw);
            self.foreign(&text)
        }
    }

    /// `text` with each paste of the present draft that it still contains as a chip again.
    pub(super) fn refold(&mut self, text: &str) -> String {
        let mut raw = text.to_owned();
        for placeholder in self.buffer.text().chars().filter(|c| is_placeholder(*c)) {
            if let Some(pasted) = self.chips.get(placeholder).and_then(Chip::pasted) {
                raw = raw.replacen(pasted, &placeholder.to_string(), 1);
            }
        }
        // The draft is replaced: all of the buffer is free.
        if raw.len() <= super::buffer::LIMIT {
            raw
        } else {
            let text = self.chips.expand(&raw);
            self.chip_for(Chip::paste(text)).to_string()
        }
    }

    /// A placeholder for `chip`, making room where there are too many.
    pub(super) fn chip_for(&mut self, chip: Chip) -> char {
        if self.chips.is_full() {
            self.buffer.forget_undo();
            self.forget_unused_chips();
        }
        if self.chips.is_full() {
            // All of them stand in draft and kills: the draft becomes one.
            let whole = self.draft_text();
            self.kills = super::Kills::default();
            self.history.leave();
            self.replace_all("");
            self.buffer.forget_undo();
            self.forget_unused_chips();
            if let Some(placeholder) = self.chips.add(Chip::paste(whole)) {
                self.insert(&placeholder.to_string(), EditKind::Other);
            }
        }
        self.chips.add(chip).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    pub(super) fn forget_unused_chips(&mut self) {
        let lines = self.buffer.lines().iter().map(String::as_str);
        let used = lines.chain(self.kills.texts()).chain(self.history.edited());
        self.chips.retain_in(used);
    }
}
