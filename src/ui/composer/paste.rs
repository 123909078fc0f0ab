//! Pastes: as text or as a chip, in one event, or in many keys from terminals without bracketed paste.
//!
//! Only keys that were read together count: among them an Enter followed by text is a line end,
//! as no person types that fast. The Enter at the end of one typed line sends, however fast it came;
//! after several lines it belongs to them, since sending by mistake is worse than pressing it again.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{
    Composer, Expanded, Sources,
    buffer::{Caret, EditKind, LIMIT, clean, is_placeholder},
    chips::{Chip, is_long},
    popup::Popup,
};

use crate::ui::keymap::text_of;

/// A paste that comes as keys and may go on.
#[derive(Clone, Copy, Debug)]
pub struct RunningPaste {
    start: Caret,
    end: Caret,
    rev: u64,
    last: Instant,
    /// Its chip, once it is long enough for one.
    chip: Option<char>,
}

impl Composer {
    /// A paste in one event. A long one becomes a chip.
    pub fn insert_paste(&mut self, text: &str) {
        if let Some(Popup::Search(popup)) = &mut self.popup {
            popup.edit(|query| query.push(text), &self.history);
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

    /// To be called before each key with all keys that were read together: how many of them
    /// were taken as a paste (or as a run of typed text). 0: handle the first one as usual.
    pub fn take_burst(&mut self, keys: &[KeyEvent], sources: &Sources<'_>) -> usize {
        if self.is_searching() || !self.inserts() {
            return 0;
        }
        let running = self.running_paste.filter(|paste| {
            sources.now.saturating_duration_since(paste.last) < GAP
                && (paste.end, paste.rev) == (self.buffer.caret(), self.buffer.rev())
        });
        let Some(found) = leading(keys, running.is_some()) else {
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

    /// Replaces a pasted chip by its text: the one at the caret, else the first.
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

    /// Cleaned foreign text as it fits into the buffer: unchanged, or as a chip.
    pub(super) fn foreign(&mut self, text: &str) -> String {
        if self.buffer.has_room(text.len()) {
            text.to_owned()
        } else {
            self.chip_for(Chip::paste(text.to_owned())).to_string()
        }
    }

    /// As [`Composer::foreign`], for text that may hold chips.
    pub(super) fn own(&mut self, raw: String) -> String {
        if self.buffer.has_room(raw.len()) {
            raw
        } else {
            let text = self.chips.expand(&raw);
            self.foreign(&text)
        }
    }

    /// `text` in which each paste of the present draft that it still contains is a chip again.
    pub(super) fn refold(&mut self, text: &str) -> String {
        let mut raw = text.to_owned();
        for placeholder in self.buffer.text().chars().filter(|c| is_placeholder(*c)) {
            if let Some(pasted) = self.chips.get(placeholder).and_then(Chip::pasted) {
                raw = raw.replacen(pasted, &placeholder.to_string(), 1);
            }
        }
        // The draft is replaced: all of the buffer is free.
        if raw.len() <= LIMIT {
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
            // All of them are in use by draft and kills: the draft becomes one chip.
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
        let vim = self.modal.iter().flat_map(|modal| modal.vim.texts());
        let used = lines
            .chain(self.kills.texts())
            .chain(self.history.edited())
            .chain(vim);
        self.chips.retain_in(used);
    }
}

/// The next piece of a paste comes within this; the reader's buffer cuts long ones.
const GAP: Duration = Duration::from_millis(30);

/// From this many on, typed characters that were read together are inserted together.
const RUN: usize = 8;

/// The text at the start of a batch of keys.
#[derive(Debug, PartialEq, Eq)]
struct Burst {
    /// Key events it was made of.
    keys: usize,
    text: String,
    /// It has several lines and is a paste. Else it is a run of typed characters.
    paste: bool,
}

/// The text at the head of `keys`, which were read together. `continued`: a paste ended less than
/// [`GAP`] ago.
fn leading(keys: &[KeyEvent], continued: bool) -> Option<Burst> {
    let mut text = String::new();
    let mut count = 0;
    // Where the first line ends: keys and bytes.
    let mut run = None;
    for key in keys {
        if key.kind != KeyEventKind::Release {
            let Some(c) = pasted_char(key) else { break };
            if text_of(key).is_none() && run.is_none() {
                run = Some((count, text.len()));
            }
            text.push(c);
        }
        count += 1;
    }
    let lines = text.trim_end_matches('\n');
    if continued && !text.is_empty() || lines.contains('\n') {
        return Some(Burst {
            keys: count,
            text,
            paste: true,
        });
    }
    let (count, len) = run.unwrap_or((count, text.len()));
    text.truncate(len);
    (text.chars().count() >= RUN).then_some(Burst {
        keys: count,
        text,
        paste: false,
    })
}

fn pasted_char(key: &KeyEvent) -> Option<char> {
    match (key.code, key.modifiers) {
        (KeyCode::Enter, KeyModifiers::NONE) => Some('\n'),
        // A bare line feed, in raw mode.
        (KeyCode::Char('j'), KeyModifiers::CONTROL) => Some('\n'),
        (KeyCode::Tab, KeyModifiers::NONE) => Some('\t'),
        _ => text_of(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<KeyEvent> {
        text.chars()
            .map(|c| match c {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                c => KeyCode::Char(c),
            })
            .map(|code| KeyEvent::new(code, KeyModifiers::NONE))
            .collect()
    }

    fn paste(text: &str, continued: bool) -> Option<(usize, String)> {
        leading(&keys(text), continued)
            .filter(|burst| burst.paste)
            .map(|burst| (burst.keys, burst.text))
    }

    #[test]
    fn an_enter_inside_is_a_line_end() {
        assert_eq!(paste("a\nb", false), Some((3, "a\nb".into())));
        assert_eq!(paste("a\n\tb\n", false), Some((5, "a\n\tb\n".into())));
    }

    #[test]
    fn the_enter_behind_one_line_is_left_to_send() {
        assert_eq!(paste("yes\n", false), None);
        let run = leading(&keys("yes please\n"), false).expect("a run");
        assert_eq!((run.keys, run.text.as_str()), (10, "yes please"));
        assert_eq!(leading(&keys("\n"), false), None);
    }

    #[test]
    fn a_tab_behind_typed_text_is_left_to_complete() {
        let run = leading(&keys("@src/main\t"), false).expect("a run");
        assert_eq!((run.keys, run.paste), (9, false));
    }

    #[test]
    fn a_paste_goes_on_in_the_next_batch() {
        assert_eq!(paste("\n", true), Some((1, "\n".into())));
        assert_eq!(paste("c", true), Some((1, "c".into())));
        assert_eq!(paste("", true), None);
    }

    #[test]
    fn other_keys_end_it() {
        let mut keys = keys("a\nb");
        keys.push(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(leading(&keys, false).map(|burst| burst.keys), Some(3));
    }
}
