//! One line of text being edited, with the composer's keys: a field of a form.
//!
//! Line breaks are kept, shown as a sign: a field may hold them, and nothing the agent or the person
//! put there is lost by editing it.

use crate::{
    text::{SafeText, cell_width, prefix_of_width},
    ui::{
        composer::{
            buffer::{Buffer, EditKind, Motion, clean},
            editing::{Edit, edit_of},
        },
        keymap::Chord,
    },
};

/// Stands for a line break: the sign for it.
const BREAK: char = '\u{2424}';

#[derive(Debug, Default)]
pub struct LineInput {
    buffer: Buffer,
    /// The last killed text.
    killed: String,
}

impl LineInput {
    /// With the caret at the end.
    pub fn new(text: &str) -> Self {
        let mut input = Self::default();
        input.insert(text, EditKind::Other);
        input.buffer.forget_undo();
        input
    }

    pub fn text(&self) -> String {
        self.line().replace(BREAK, "\n")
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    fn line(&self) -> &str {
        self.buffer.line(0)
    }

    /// Applies an editing key; false if `key` is none, or up or down, or deletes where nothing is.
    pub fn handle(&mut self, key: Chord) -> bool {
        let Some(edit) = edit_of(&key.event()) else {
            return false;
        };
        let ctrl_d = key.modifiers() == crossterm::event::KeyModifiers::CONTROL;
        match edit {
            Edit::Up | Edit::Down => return false,
            Edit::Delete(Motion::Right) if ctrl_d && self.is_empty() => return false,
            Edit::Insert(c) => {
                self.insert(&c.to_string(), EditKind::of_typed(c));
            }
            Edit::Newline => self.insert("\n", EditKind::Other),
            Edit::Move(motion) => {
                let to = self.buffer.target(motion, false);
                self.buffer.set_caret(to);
            }
            Edit::Delete(motion) => self.delete(motion, EditKind::Delete),
            Edit::Kill(motion) => {
                self.killed = self.buffer.slice(self.buffer.range_to(motion, false));
                self.delete(motion, EditKind::Other);
            }
            Edit::Yank | Edit::YankPop => {
                let killed = self.killed.clone();
                self.insert(&killed, EditKind::Other);
            }
            Edit::Undo => {
                self.buffer.undo();
            }
            Edit::Redo => {
                self.buffer.redo();
            }
        }
        true
    }

    pub fn paste(&mut self, text: &str) {
        self.insert(text, EditKind::Other);
    }

    /// Text longer than the buffer allows is cut: no one types that much into a field.
    fn insert(&mut self, text: &str, kind: EditKind) {
        let text = clean(text).replace('\n', "\u{2424}");
        let mut end = text.len();
        while !self.buffer.has_room(end) || !text.is_char_boundary(end) {
            end -= 1;
        }
        let caret = self.buffer.caret();
        self.buffer.replace(caret..caret, &text[..end], kind);
    }

    fn delete(&mut self, motion: Motion, kind: EditKind) {
        let range = self.buffer.range_to(motion, false);
        self.buffer.replace(range, "", kind);
    }

    /// The part of the text that fits into `width` cells, and the caret's column in it.
    pub fn shown(&self, width: usize, ellipsis: &str) -> (SafeText, usize) {
        self.shown_as(SafeText::line, width, ellipsis)
    }

    /// The same with what is [masked].
    pub fn shown_masked(&self, width: usize, ellipsis: &str) -> (SafeText, usize) {
        self.shown_as(|text| SafeText::line(&masked(text)), width, ellipsis)
    }

    fn shown_as(
        &self,
        shown: impl Fn(&str) -> SafeText,
        width: usize,
        ellipsis: &str,
    ) -> (SafeText, usize) {
        let line = self.line();
        let text = shown(line);
        let before = line.get(..self.buffer.caret().byte).unwrap_or_default();
        let caret = cell_width(&shown(before));
        // The caret behind the last character takes a cell as well.
        let width = width.max(2);
        if caret < width && cell_width(&text) < width {
            return (text, caret);
        }
        let Some(from) = (caret + 1).checked_sub(width) else {
            let shown = prefix_of_width(&text, width);
            return (SafeText::line(shown), caret);
        };
        // The sign takes a cell of those that are left out.
        let from = from + cell_width(ellipsis);
        let mut cut = prefix_of_width(&text, from);
        if cell_width(cut) < from {
            // Half of a wide character is none.
            cut = prefix_of_width(&text, from + 1);
        }
        let rest = text.get(cut.len()..).unwrap_or_default();
        let room = width - cell_width(ellipsis).min(width);
        let shown = format!("{ellipsis}{}", prefix_of_width(rest, room));
        let column = (caret + cell_width(ellipsis)).saturating_sub(cell_width(cut));
        (SafeText::line(&shown), column)
    }
}

/// Shows the value of each `Name: value` as stars: text before a place looks the same
/// whatever follows it.
pub fn masked(text: &str) -> String {
    let mut in_value = false;
    let mask = |c: char| match c {
        BREAK => {
            in_value = false;
            c
        }
        ' ' => c,
        _ if in_value => '*',
        ':' => {
            in_value = true;
            c
        }
        _ => c,
    };
    text.chars().map(mask).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(input: &mut LineInput, keys: &str) {
        for key in keys.split_whitespace() {
            let chord = Chord::parse(key).unwrap_or_else(|error| panic!("{error}"));
            input.handle(chord);
        }
    }

    #[test]
    fn keys_edit_as_in_the_composer() {
        let mut input = LineInput::new("one two");
        press(&mut input, "ctrl-w x ctrl-a ctrl-y");
        assert_eq!(input.text(), "twoone x");
        press(&mut input, "ctrl-e backspace ctrl-_");
        assert_eq!(input.text(), "twoone x");
        press(&mut input, "ctrl-u");
        assert!(input.is_empty());
        let ctrl_d = Chord::parse("ctrl-d").expect("a key");
        assert!(!input.handle(ctrl_d), "not an edit of nothing");
    }

    #[test]
    fn line_breaks_are_kept_and_seen() {
        let mut input = LineInput::new("a\r\nb");
        input.paste("\nc");
        assert_eq!(input.text(), "a\nb\nc");
        assert_eq!(input.shown(20, "…").0.as_str(), "a␤b␤c");
    }

    // V1-AUTH-12
    #[test]
    fn values_of_headers_are_not_to_be_read() {
        let mut input = LineInput::new("Authorization: Bearer sésame:1\nX-Org: 日本");
        let (shown, caret) = input.shown_masked(80, "…");
        assert_eq!(shown.as_str(), "Authorization: ****** ********␤X-Org: **");
        assert_eq!(caret, 40);
        press(&mut input, "left");
        assert_eq!(input.shown_masked(80, "…").1, 39);
    }

    #[test]
    fn the_caret_is_always_in_sight() {
        let mut input = LineInput::new("日本語 and a longer text");
        for width in 2..30 {
            for _ in 0..30 {
                let (shown, caret) = input.shown(width, "…");
                assert!(caret < width, "{caret} in {width}: {shown}");
                assert!(cell_width(&shown) <= width, "{shown} in {width}");
                press(&mut input, "left");
            }
            press(&mut input, "end");
        }
        assert_eq!(input.shown(5, "…"), ("…ext".into(), 4));
    }

    #[test]
    fn a_field_is_bounded() {
        let mut input = LineInput::default();
        input.paste(&"é".repeat(60_000));
        assert!(input.text().len() <= crate::ui::composer::buffer::LIMIT);
    }
}
