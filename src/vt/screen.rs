//! The screen of one terminal, live or finished.

use std::{num::NonZeroU16, ops::Range};

use super::{MAX_COLS, MAX_ROWS, Run, cells, history::History};
use crate::text::SafeText;
use vt100::{MouseProtocolEncoding, MouseProtocolMode};

/// A vt100 screen with scrollback and a revision.
pub struct Screen {
    state: State,
    /// Grows with each change: what is drawn from the screen is cached by it.
    rev: u64,
    /// The text fed last ended with a carriage return: a line feed that follows belongs to it.
    ends_with_cr: bool,
}

enum State {
    Live(Box<vt100::Parser<History>>),
    /// Only rows are left, and the size that it had.
    Finished(History, (u16, u16)),
}

/// Where the cursor is on the screen proper (without the scrollback), from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
}

/// How the program wants keys to be sent to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InputModes {
    /// Arrow keys as `ESC O A` instead of `ESC [ A`.
    pub application_cursor: bool,
    pub application_keypad: bool,
    pub bracketed_paste: bool,
    pub mouse: MouseWanted,
    /// Mouse reports in SGR's form.
    pub mouse_sgr: bool,
}

/// Which mouse reports the program asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum MouseWanted {
    #[default]
    Nothing,
    Presses,
    Releases,
    Moves,
}

impl Screen {
    /// A blank screen; a size of 0 counts as 1, one above the maximum as the maximum.
    pub fn new(rows: u16, cols: u16) -> Self {
        Self {
            state: State::blank(rows, cols),
            rev: 0,
            ends_with_cr: false,
        }
    }

    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Interprets what the program printed. A finished screen comes to life again, as reports of
    /// other terminals may come late: it goes on below its last row.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let State::Finished(history, (rows, cols)) = &mut self.state {
            self.state = State::live(*rows, *cols, std::mem::take(history));
        }
        if let State::Live(parser) = &mut self.state {
            parser.process(bytes);
            if !parser.screen().alternate_screen() {
                forget_scrolled(parser);
            }
            self.rev += 1;
        }
    }

    /// Bytes that it takes, about.
    pub fn weight(&self) -> usize {
        let cells = match &self.state {
            State::Live(parser) => {
                let (rows, cols) = parser.screen().size();
                2 * super::CELL * usize::from(rows.get()) * usize::from(cols.get())
            }
            State::Finished(..) => 0,
        };
        cells + self.history().weight()
    }

    /// Bytes of the rows above the screen.
    pub(super) fn rows_weight(&self) -> usize {
        self.history().weight()
    }

    /// Drops rows above the screen, the oldest first, down to `most` bytes; they count as dropped.
    pub(super) fn cut_rows(&mut self, most: usize) {
        let history = match &mut self.state {
            State::Live(parser) => parser.callbacks_mut(),
            State::Finished(history, _) => history,
        };
        if history.weight() > most {
            history.cut_to(most);
            self.rev += 1;
        }
    }

    /// Nothing more is to come.
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Finished(..))
    }

    /// What the terminal answers to questions of the program (where is the cursor, what are you):
    /// to be sent to it as if typed. Programs that draw within the page wait for it.
    pub fn take_answers(&mut self) -> Vec<u8> {
        match &mut self.state {
            State::Live(parser) => parser.callbacks_mut().take_answers(),
            State::Finished(..) => Vec::new(),
        }
    }

    /// As [`Screen::feed`], for output that agents report of terminals that they run themselves:
    /// such text has mostly been through no terminal, so a line feed alone starts a new line.
    pub fn feed_text(&mut self, text: &str) {
        self.feed_output(text.as_bytes());
    }

    /// As [`Screen::feed_text`]. The bytes of a character may come apart (V2-UPD-05).
    pub fn feed_output(&mut self, bytes: &[u8]) {
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
        for byte in bytes {
            if *byte == b'\n' && !self.ends_with_cr {
                out.push(b'\r');
            }
            out.push(*byte);
            self.ends_with_cr = *byte == b'\r';
        }
        self.feed(&out);
    }

    /// Changes the size. Rows that no longer fit go to the scrollback.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        let (rows, cols) = (clamp(rows, MAX_ROWS), clamp(cols, MAX_COLS));
        if (rows.get(), cols.get()) == self.size() {
            return;
        }
        if let State::Live(parser) = &mut self.state {
            parser.callbacks_mut().widen(cols.get());
            parser.set_size(rows, cols);
            forget_scrolled(parser);
            self.rev += 1;
        }
    }

    /// Nothing more will come: only the rows are kept, in the form of the scrollback, and a
    /// full-screen program's screen is replaced by what was there before it, as when it ends properly.
    pub fn finish(&mut self) {
        let (used, size) = (self.leave_alternate_screen(), self.size());
        let State::Live(parser) = &mut self.state else {
            return;
        };
        // The parser gives rows away only as they scroll off: so let them, from the last row.
        let mut scroll = format!("\x1b[r\x1b[{};1H", size.0);
        scroll.extend(std::iter::repeat_n('\n', used));
        parser.process(scroll.as_bytes());
        let history = std::mem::take(parser.callbacks_mut());
        self.state = State::Finished(history, size);
        self.rev += 1;
    }

    fn leave_alternate_screen(&mut self) -> usize {
        if self.alternate_screen() {
            self.feed(b"\x1b[?1049l");
        }
        self.used_rows()
    }

    /// Rows and columns of the screen proper.
    pub fn size(&self) -> (u16, u16) {
        match &self.state {
            State::Live(parser) => {
                let (rows, cols) = parser.screen().size();
                (rows.get(), cols.get())
            }
            State::Finished(_, size) => *size,
        }
    }

    /// `None` where it is hidden or the screen finished.
    pub fn cursor(&self) -> Option<Cursor> {
        let screen = self.live()?;
        let (row, col) = screen.cursor_position();
        // Behind the last column a wrap is pending; the cursor is drawn on the column.
        let last = screen.size().1.get() - 1;
        (!screen.hide_cursor()).then_some(Cursor {
            row,
            col: col.min(last),
        })
    }

    pub fn input_modes(&self) -> InputModes {
        self.live()
            .map_or_else(InputModes::default, |screen| InputModes {
                application_cursor: screen.application_cursor(),
                application_keypad: screen.application_keypad(),
                bracketed_paste: screen.bracketed_paste(),
                mouse: match screen.mouse_protocol_mode() {
                    MouseProtocolMode::None => MouseWanted::Nothing,
                    MouseProtocolMode::Press => MouseWanted::Presses,
                    MouseProtocolMode::PressRelease => MouseWanted::Releases,
                    MouseProtocolMode::ButtonMotion | MouseProtocolMode::AnyMotion => {
                        MouseWanted::Moves
                    }
                },
                mouse_sgr: screen.mouse_protocol_encoding() == MouseProtocolEncoding::Sgr,
            })
    }

    /// A full-screen program has it.
    pub fn alternate_screen(&self) -> bool {
        self.live().is_some_and(vt100::Screen::alternate_screen)
    }

    /// Used rows, scrollback included: up to the last one with text in it or the cursor.
    pub fn row_count(&self) -> usize {
        self.screen_start() + self.used_rows()
    }

    /// Index of the first row of the screen proper, which is what an attached view shows.
    pub fn screen_start(&self) -> usize {
        self.history().len()
    }

    /// Rows that fell out of the scrollback, for "N rows hidden".
    pub fn dropped_rows(&self) -> usize {
        self.history().dropped()
    }

    /// The styled runs of `range` of the used rows, oldest first, without trailing blanks. Rows beyond
    /// the used ones are skipped.
    pub fn rows(&self, range: Range<usize>) -> Vec<Vec<Run>> {
        let start = self.screen_start();
        let end = range.end.min(self.row_count());
        let mut rows = self.history().rows(range.start.min(start)..end.min(start));
        if let Some(screen) = self.live() {
            let on_screen = range.start.max(start)..end;
            rows.extend(on_screen.filter_map(|row| {
                let row = u16::try_from(row - start).ok()?;
                Some(cells::runs(screen, row))
            }));
        }
        rows
    }

    /// All that is kept of the output as plain text, at most `most` bytes of it, the last; before it
    /// stands what is missing.
    pub fn text(&self, most: usize) -> String {
        // From the end up: no more is read than is given. So it is written backwards.
        let mut first = self.row_count();
        let mut text: Vec<u8> = Vec::new();
        while first > 0 {
            let line = self.plain(first - 1);
            let line = line.trim_end();
            // Blank rows at the end do not count.
            if !(text.is_empty() && line.is_empty()) {
                if text.len() + line.len() + 1 > most {
                    break;
                }
                text.push(b'\n');
                text.extend(line.bytes().rev());
            }
            first -= 1;
        }
        if let Some(missing) = missing(self.dropped_rows() + first) {
            text.push(b'\n');
            text.extend(missing.bytes().rev());
        }
        text.reverse();
        // Behind the last line nothing stands.
        text.pop();
        String::from_utf8(text).unwrap_or_default()
    }

    /// The text of one of the used rows.
    fn plain(&self, row: usize) -> SafeText {
        let Some(on_screen) = row.checked_sub(self.screen_start()) else {
            return self.history().plain(row);
        };
        let row = u16::try_from(on_screen).ok();
        let runs = self
            .live()
            .zip(row)
            .map(|(screen, row)| cells::runs(screen, row));
        let runs = runs.iter().flatten();
        SafeText::line(&runs.map(|run| run.text.as_str()).collect::<String>())
    }

    /// Rows of the screen proper that are in use.
    fn used_rows(&self) -> usize {
        let Some(screen) = self.live() else {
            return 0;
        };
        let printed = (0..screen.size().0.get())
            .rev()
            .find(|&row| cells::is_used(screen, row))
            .map_or(0, |row| row + 1);
        // A cursor below the text shows that the program waits there, unless it is at the start of an
        // empty line.
        let waiting = match self.cursor() {
            Some(Cursor { row, col }) if col > 0 => row + 1,
            _ => 0,
        };
        usize::from(printed.max(waiting))
    }

    fn live(&self) -> Option<&vt100::Screen> {
        match &self.state {
            State::Live(parser) => Some(parser.screen()),
            State::Finished(..) => None,
        }
    }

    fn history(&self) -> &History {
        match &self.state {
            State::Live(parser) => parser.callbacks(),
            State::Finished(history, _) => history,
        }
    }
}

impl State {
    fn blank(rows: u16, cols: u16) -> Self {
        Self::live(rows, cols, History::default())
    }

    fn live(rows: u16, cols: u16, mut history: History) -> Self {
        let (rows, cols) = (clamp(rows, MAX_ROWS), clamp(cols, MAX_COLS));
        history.widen(cols.get());
        // The parser keeps no scrollback: rows that scroll off go to the history.
        Self::Live(Box::new(vt100::Parser::new_with_callbacks(
            rows, cols, 0, history,
        )))
    }
}

/// vt100 counts the rows that scrolled off, and where the screen grows puts as many blank ones on
/// top, as it keeps none itself. It must not remember them.
fn forget_scrolled(parser: &mut vt100::Parser<History>) {
    parser.screen_mut().clear_scrollback();
}

/// What stands for the rows at the beginning that are not kept.
pub fn missing(rows: usize) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("[1 earlier row was dropped]".to_owned()),
        rows => Some(format!("[{rows} earlier rows were dropped]")),
    }
}

fn clamp(n: u16, max: u16) -> NonZeroU16 {
    NonZeroU16::new(n.min(max)).unwrap_or(NonZeroU16::MIN)
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
