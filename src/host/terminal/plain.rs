//! Terminal output as plain text: what a person would copy off the screen, for an agent to read.
//!
//! Not a screen: long lines stay whole and everything printed stays in order. The line being
//! printed can still be edited (carriage return, backspace, erase, movement within it), so that a
//! progress bar leaves its last state and not a thousand. Once a line feed ended it, it stands.
//! Colours, titles, links and other sequences leave no trace; moving to another row counts as a
//! line feed, as what follows belongs elsewhere.

use crate::text::last_bytes;

/// An unfinished line longer than this stands as it is, up to its last bytes.
const MAX_LINE_BYTES: usize = 4 << 10;

/// A control string (title, link, image) longer than this is taken for one that lost its end: what
/// follows is text again, so that a lost terminator cannot hide the rest of the output.
const MAX_STRING_CHARS: usize = 64 << 10;

#[derive(Default)]
pub struct PlainText {
    line: String,
    /// Byte position in `line` at which the next character goes.
    cursor: usize,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Text,
    /// Behind ESC.
    Escape,
    /// Behind ESC and an intermediate: one more character follows.
    EscapeRest,
    /// Behind CSI: the first parameter, and whether anything unusual stands in the sequence.
    Csi {
        first: Option<u16>,
        more: bool,
        private: bool,
    },
    /// Within OSC, DCS, APC, PM or SOS, up to ST or BEL.
    String { chars: usize, escape: bool },
}

impl PlainText {
    /// Interprets `text`; `done` gets what can no longer change.
    pub fn push(&mut self, text: &str, mut done: impl FnMut(&str)) {
        let mut rest = text;
        while !rest.is_empty() {
            if matches!(self.state, State::Text) {
                let end = rest.find(is_control).unwrap_or(rest.len());
                let (printable, after) = rest.split_at(end);
                self.print(printable, &mut done);
                rest = after;
            }
            let mut chars = rest.chars();
            if let Some(c) = chars.next() {
                self.control(c, &mut done);
                rest = chars.as_str();
            }
        }
    }

    /// The line that is not done yet.
    pub fn open_line(&self) -> &str {
        &self.line
    }

    fn print(&mut self, text: &str, done: &mut impl FnMut(&str)) {
        if self.cursor == self.line.len() {
            self.line.push_str(text);
            self.cursor = self.line.len();
        } else {
            for c in text.chars() {
                let end = self.next(self.cursor);
                self.line
                    .replace_range(self.cursor..end, c.encode_utf8(&mut [0; 4]));
                self.cursor += c.len_utf8();
            }
        }
        if self.line.len() > MAX_LINE_BYTES {
            let start = self.line.len() - last_bytes(&self.line, MAX_LINE_BYTES / 2).len();
            done(&self.line[..start]);
            self.line.drain(..start);
            self.cursor = self.cursor.saturating_sub(start);
        }
    }

    fn control(&mut self, c: char, done: &mut impl FnMut(&str)) {
        // These cancel whatever sequence is open.
        match c {
            '\x18' | '\x1a' => {
                self.state = State::Text;
                return;
            }
            '\x1b' if !matches!(self.state, State::String { .. }) => {
                self.state = State::Escape;
                return;
            }
            _ => {}
        }
        match &mut self.state {
            State::Text => self.simple(c, done),
            State::Escape => self.escape(c, done),
            State::EscapeRest => {
                if !(' '..='/').contains(&c) {
                    self.state = State::Text;
                }
            }
            State::Csi {
                first,
                more,
                private,
            } => match c {
                '0'..='9' if !*more => {
                    let digit = c as u16 - '0' as u16;
                    let value = first.unwrap_or(0).saturating_mul(10).saturating_add(digit);
                    *first = Some(value);
                }
                '<'..='?' | ' '..='/' => *private = true,
                '0'..=';' => *more = true,
                '@'..='~' => {
                    let (first, private) = (*first, *private);
                    self.state = State::Text;
                    if !private {
                        self.csi(c, first, done);
                    }
                }
                // Terminals carry these out amid the sequence.
                '\x08'..='\r' => self.simple(c, done),
                _ => {}
            },
            State::String { chars, escape } => {
                let ended = matches!(c, '\x07' | '\u{9c}') || (*escape && c == '\\');
                if ended || *chars >= MAX_STRING_CHARS {
                    self.state = State::Text;
                } else if *escape && c != '\x1b' {
                    // ESC and anything else ends the string, and begins a sequence.
                    self.escape(c, done);
                } else {
                    *chars += 1;
                    *escape = c == '\x1b';
                }
            }
        }
    }

    fn escape(&mut self, c: char, done: &mut impl FnMut(&str)) {
        self.state = match c {
            '[' => CSI,
            ']' | 'P' | '_' | '^' | 'X' => STRING,
            ' '..='/' => State::EscapeRest,
            _ => State::Text,
        };
        if matches!(c, 'D' | 'E' | 'M') {
            self.end_line(done);
        }
    }

    fn simple(&mut self, c: char, done: &mut impl FnMut(&str)) {
        match c {
            '\n' | '\x0b' | '\x0c' | '\u{85}' => {
                self.line.push('\n');
                self.finish_line(done);
            }
            '\r' => self.cursor = 0,
            '\x08' => self.cursor = self.previous(self.cursor),
            '\t' => self.print("\t", done),
            '\u{9b}' => self.state = CSI,
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.state = STRING,
            _ => {}
        }
    }

    fn csi(&mut self, command: char, first: Option<u16>, done: &mut impl FnMut(&str)) {
        let count = usize::from(first.unwrap_or(1).max(1)).min(MAX_LINE_BYTES);
        match command {
            'K' => match first.unwrap_or(0) {
                0 => self.line.truncate(self.cursor),
                1 => {
                    let blanks = self.line[..self.cursor].chars().count();
                    self.line.replace_range(..self.cursor, &" ".repeat(blanks));
                    self.cursor = blanks;
                }
                // The column is not kept: hardly anything does this without a carriage return.
                2 => {
                    self.line.clear();
                    self.cursor = 0;
                }
                _ => {}
            },
            'C' | 'a' => self.forward(count),
            'D' => {
                for _ in 0..count {
                    self.cursor = self.previous(self.cursor);
                }
            }
            'G' | '`' => {
                self.cursor = 0;
                self.forward(count - 1);
            }
            'P' => {
                let end = (0..count).fold(self.cursor, |at, _| self.next(at));
                self.line.replace_range(self.cursor..end, "");
            }
            '@' => {
                // A few bytes that add thousands: only what a line has room for.
                let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
                let blanks = " ".repeat(count.min(room));
                self.line.insert_str(self.cursor, &blanks);
            }
            'A' | 'B' | 'E' | 'F' | 'H' | 'd' | 'f' => self.end_line(done),
            _ => {}
        }
    }

    /// To the right, over blanks where there is no text yet.
    fn forward(&mut self, count: usize) {
        for _ in 0..count {
            if self.cursor == self.line.len() {
                if self.line.len() >= MAX_LINE_BYTES {
                    return;
                }
                self.line.push(' ');
            }
            self.cursor = self.next(self.cursor);
        }
    }

    /// Moves to another row: a line with text in it is done.
    fn end_line(&mut self, done: &mut impl FnMut(&str)) {
        if !self.line.trim_end().is_empty() {
            self.line.push('\n');
            self.finish_line(done);
        }
    }

    fn finish_line(&mut self, done: &mut impl FnMut(&str)) {
        done(&self.line);
        self.line.clear();
        self.cursor = 0;
    }

    fn next(&self, at: usize) -> usize {
        let c = self.line[at..].chars().next();
        at + c.map_or(0, char::len_utf8)
    }

    fn previous(&self, at: usize) -> usize {
        let c = self.line[..at].chars().next_back();
        at - c.map_or(0, char::len_utf8)
    }
}

const CSI: State = State::Csi {
    first: None,
    more: false,
    private: false,
};

const STRING: State = State::String {
    chars: 0,
    escape: false,
};

/// C0, DEL and C1.
fn is_control(c: char) -> bool {
    c.is_control()
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
            (MAX_STRING_CHARS - 1, true),
            (MAX_STRING_CHARS, true),
            (MAX_STRING_CHARS + 1, true),
            (MAX_STRING_CHARS + 2, false),
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
        let lost = format!("\x1b]0;{}", "t".repeat(2 * MAX_STRING_CHARS));
        assert!(!plain(&lost).is_empty());
        // Blanks that a few bytes ask for.
        for sequence in ["\x1b[9999C", "\x1b[9999@"] {
            let mut wide = PlainText::default();
            wide.push(&sequence.repeat(100), |_| {});
            assert!(wide.open_line().len() <= MAX_LINE_BYTES, "{sequence:?}");
        }
    }
}
