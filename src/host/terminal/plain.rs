//! Terminal output as plain text: what a person would copy off the screen, for an agent to read.
//!
//! Not a screen: long lines stay whole and everything printed stays in order. The line being
//! printed can still be edited (carriage return, backspace, erase, movement within it), so that a
//! progress bar leaves its last state and not a thousand. Once a line feed ended it, it stands.
//! Colours, titles, links and other sequences leave no trace; moving to another row counts as a
//! line feed, as what follows belongs elsewhere. `vte` tells sequences from text.

use std::borrow::Cow;

use vte::{Params, Parser, Perform};

use crate::text::last_bytes;

/// An unfinished line longer than this stands as it is, up to its last bytes.
const MAX_LINE_BYTES: usize = 4 << 10;

/// A control string (title, link, image) longer than this is taken for one that lost its end: what
/// follows is text again, so that a lost terminator cannot hide the rest of the output.
const MAX_STRING_BYTES: usize = 64 << 10;

/// With what begins it, and the byte that shows that it never ended.
const MAX_UNUSED_BYTES: usize = MAX_STRING_BYTES + 3;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

#[derive(Default)]
pub struct PlainText {
    parser: Parser,
    line: OpenLine,
    /// Bytes since the parser last made something of them.
    unused: usize,
}

impl PlainText {
    /// Interprets `text`; `done` gets what can no longer change.
    pub fn push(&mut self, text: &str, mut done: impl FnMut(&str)) {
        let text = in_seven_bits(text);
        let mut rest = &*text;
        while !rest.is_empty() {
            // A piece holds no more than one sequence, at its beginning; a bell is one.
            let is_bell = rest.as_bytes().first() == Some(&BELL);
            let begins = |byte| matches!(byte, ESCAPE | BELL);
            let next = rest.bytes().skip(1).position(begins).filter(|_| !is_bell);
            let mut end = next.map_or(rest.len(), |at| at + 1);
            if is_bell {
                end = 1;
            }
            end = end.min(MAX_UNUSED_BYTES - self.unused);
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            let (piece, after) = rest.split_at(end);
            let mut printer = Printer {
                line: &mut self.line,
                done: &mut done,
                used: false,
            };
            self.parser.advance(&mut printer, piece.as_bytes());
            self.unused = if printer.used { 0 } else { self.unused + end };
            // A bell ends every control string, as it did before any terminal knew another end; the parser lets it
            // end titles and links alone.
            if self.unused >= MAX_UNUSED_BYTES || is_bell && !printer.used {
                (self.parser, self.unused) = (Parser::new(), 0);
            }
            rest = after;
        }
    }

    /// The line that is not done yet.
    pub fn open_line(&self) -> &str {
        &self.line.text
    }
}

/// With the sequences that begin with a C1 control written as they are in seven bits: in UTF-8 the parser knows no
/// others.
fn in_seven_bits(text: &str) -> Cow<'_, str> {
    let begins = |c| matches!(c, '\u{90}'..='\u{9f}');
    if !text.contains(begins) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if begins(c) {
            out.push(char::from(ESCAPE));
            out.push(char::from(c as u8 - 0x40));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// What the parser finds, carried out on the open line.
struct Printer<'a, F> {
    line: &'a mut OpenLine,
    done: &'a mut F,
    used: bool,
}

impl<F: FnMut(&str)> Perform for Printer<'_, F> {
    fn print(&mut self, c: char) {
        self.used = true;
        if c != '\x7f' {
            self.line.print(c, self.done);
        }
    }

    fn execute(&mut self, byte: u8) {
        self.used = true;
        match byte {
            b'\n' | 0x0b | 0x0c | 0x85 => self.line.finish(self.done),
            b'\r' => self.line.cursor = 0,
            0x08 => self.line.back(1),
            b'\t' => self.line.print('\t', self.done),
            _ => {}
        }
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.used = true;
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, byte: u8) {
        self.used = true;
        if intermediates.is_empty() && matches!(byte, b'D' | b'E' | b'M') {
            self.line.leave(self.done);
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, command: char) {
        self.used = true;
        if intermediates.is_empty() {
            let first = params.iter().next().and_then(|first| first.first());
            let first = first.copied().unwrap_or_default();
            self.line.edit(command, first, self.done);
        }
    }
}

#[derive(Default)]
struct OpenLine {
    text: String,
    /// Byte position in `text` at which the next character goes.
    cursor: usize,
}

impl OpenLine {
    fn print(&mut self, c: char, done: &mut impl FnMut(&str)) {
        if self.cursor == self.text.len() {
            self.text.push(c);
        } else {
            let end = self.next(self.cursor);
            self.text
                .replace_range(self.cursor..end, c.encode_utf8(&mut [0; 4]));
        }
        self.cursor += c.len_utf8();
        if self.text.len() > MAX_LINE_BYTES {
            let start = self.text.len() - last_bytes(&self.text, MAX_LINE_BYTES / 2).len();
            done(&self.text[..start]);
            self.text.drain(..start);
            self.cursor = self.cursor.saturating_sub(start);
        }
    }

    /// A control sequence with its first parameter, 0 where it names none.
    fn edit(&mut self, command: char, first: u16, done: &mut impl FnMut(&str)) {
        let count = usize::from(first.max(1)).min(MAX_LINE_BYTES);
        match command {
            'K' => match first {
                0 => self.text.truncate(self.cursor),
                1 => {
                    let blanks = self.text[..self.cursor].chars().count();
                    self.text.replace_range(..self.cursor, &" ".repeat(blanks));
                    self.cursor = blanks;
                }
                // The column is not kept: hardly anything does this without a carriage return.
                2 => {
                    self.text.clear();
                    self.cursor = 0;
                }
                _ => {}
            },
            'C' | 'a' => self.forward(count),
            'D' => self.back(count),
            'G' | '`' => {
                self.cursor = 0;
                self.forward(count - 1);
            }
            'P' => {
                let end = (0..count).fold(self.cursor, |at, _| self.next(at));
                self.text.replace_range(self.cursor..end, "");
            }
            '@' => {
                // A few bytes that add thousands: only what a line has room for.
                let room = MAX_LINE_BYTES.saturating_sub(self.text.len());
                let blanks = " ".repeat(count.min(room));
                self.text.insert_str(self.cursor, &blanks);
            }
            'A' | 'B' | 'E' | 'F' | 'H' | 'd' | 'f' => self.leave(done),
            _ => {}
        }
    }

    /// To the right, over blanks where there is no text yet.
    fn forward(&mut self, count: usize) {
        for _ in 0..count {
            if self.cursor == self.text.len() {
                if self.text.len() >= MAX_LINE_BYTES {
                    return;
                }
                self.text.push(' ');
            }
            self.cursor = self.next(self.cursor);
        }
    }

    fn back(&mut self, count: usize) {
        for _ in 0..count {
            let before = self.text[..self.cursor].chars().next_back();
            self.cursor -= before.map_or(0, char::len_utf8);
        }
    }

    /// Moves to another row: a line with text in it is done.
    fn leave(&mut self, done: &mut impl FnMut(&str)) {
        if !self.text.trim_end().is_empty() {
            self.finish(done);
        }
    }

    fn finish(&mut self, done: &mut impl FnMut(&str)) {
        self.text.push('\n');
        done(&self.text);
        self.text.clear();
        self.cursor = 0;
    }

    fn next(&self, at: usize) -> usize {
        let c = self.text[at..].chars().next();
        at + c.map_or(0, char::len_utf8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let mut plain = PlainText::default();
        let mut out = String::new();
        plain.push(text, |done| out.push_str(done));
        out + plain.open_line()
    }

    #[test]
    fn a_bell_ends_every_control_string() {
        for start in [
            "\x1b]0;", "\x1bP", "\x1bP1$r", "\x1b_G", "\x1b^", "\x1bX", "\u{9f}",
        ] {
            assert_eq!(
                plain(&format!("a{start}title\x07b\nc")),
                "ab\nc",
                "{start:?}"
            );
        }
        assert_eq!(plain("a\x07b\x1b[3\x07Cc"), "ab   c");
    }

    // V1-TERM-07
    #[test]
    fn sequences_leave_no_trace() {
        for (printed, text) in [
            ("\x1b[1;31mred\x1b[0m\r\n", "red\n"),
            (
                "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\",
                "ab",
            ),
            ("\u{9b}31ma\u{9d}0;t\u{9c}b", "ab"),
            ("\x1b(Ba\x1b=b\x1b[?25lc\x1bPq#0\x1b\\d", "abcd"),
            ("a\x07b\x7fc", "abc"),
            ("\x1b]0;lost\x1b[1mtext", "text"),
            ("a\tb", "a\tb"),
            ("a\x1b[38;5;1mb\x1b[>4;1mc", "abc"),
        ] {
            assert_eq!(plain(printed), text, "{printed:?}");
        }
    }

    #[test]
    fn the_open_line_can_be_edited() {
        for (printed, text) in [
            ("10%\r20%\r100%\r\ndone", "100%\ndone"),
            ("working...\r\x1b[Kok\r\n", "ok\n"),
            ("working...\x1b[2K\rok", "ok"),
            ("abc\x08\x08X", "aXc"),
            ("日本\r語", "語本"),
            ("ab\x1b[5Gc", "ab  c"),
            ("abc\x1b[1D\x1b[1K!", "  !"),
            ("abcdef\r\x1b[2Px", "xdef"),
        ] {
            assert_eq!(plain(printed), text, "{printed:?}");
        }
    }

    #[test]
    fn moving_to_another_row_ends_the_line() {
        assert_eq!(plain("\x1b[2J\x1b[Hone\x1b[2;1Htwo\x1b[1A"), "one\ntwo\n");
    }

    #[test]
    fn an_open_line_is_bounded_at_its_edge() {
        for fill in ["x", "é", "日"] {
            for more in [-1, 0, 1] {
                let length = MAX_LINE_BYTES.saturating_add_signed(more) / fill.len() * fill.len();
                let length = length + usize::from(more > 0 && fill.len() > 1) * fill.len();
                let printed = fill.repeat(length / fill.len());
                let mut plain = PlainText::default();
                let mut done = String::new();
                plain.push(&printed, |text| done.push_str(text));
                assert_eq!(done.is_empty(), length <= MAX_LINE_BYTES, "{fill} {length}");
                assert!(plain.open_line().len() <= MAX_LINE_BYTES);
                // Nothing is lost, and what stays open can still be edited.
                assert_eq!(done.clone() + plain.open_line(), printed);
                plain.push("\x08\x1b[Kend", |text| done.push_str(text));
                assert!(plain.open_line().ends_with(&format!("{fill}end")));
            }
        }
    }

    #[test]
    fn a_string_without_end_is_bounded_at_its_edge() {
        for (chars, hidden) in [
            (MAX_STRING_BYTES - 1, true),
            (MAX_STRING_BYTES, true),
            (MAX_STRING_BYTES + 1, true),
            (MAX_STRING_BYTES + 2, false),
        ] {
            // The one that shows that it never ended goes with it.
            let printed = format!("\x1b]0;{}", "t".repeat(chars - 2));
            assert_eq!(plain(&printed).is_empty(), hidden, "{chars}");
        }
    }

    #[test]
    fn what_never_ends_is_bounded_and_hides_nothing() {
        let long = "x".repeat(3 * MAX_LINE_BYTES);
        assert_eq!(plain(&long), long);
        let lost = format!("\x1b]0;{}", "t".repeat(2 * MAX_STRING_BYTES));
        assert!(!plain(&lost).is_empty());
        // Blanks that a few bytes ask for.
        for sequence in ["\x1b[9999C", "\x1b[9999@"] {
            let mut wide = PlainText::default();
            wide.push(&sequence.repeat(100), |_| {});
            assert!(wide.open_line().len() <= MAX_LINE_BYTES, "{sequence:?}");
        }
    }
}
