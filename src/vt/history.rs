//! Rows that left the screen at its top, or that are left of a finished terminal.
//!
//! A row of vt100 cells takes 32 bytes a cell, used or not. Kept here are only the text and its
//! colour changes, in vt100's own capture format, read back by the same parser when it is drawn.

use std::{collections::VecDeque, num::NonZeroU16, ops::Range};

use super::{ROW, Run, SCROLLBACK_BYTES, SCROLLBACK_ROWS, cells};
use crate::text::SafeText;

#[derive(Default)]
pub(super) struct History {
    rows: VecDeque<Box<str>>,
    bytes: usize,
    dropped: usize,
    /// Columns of the widest screen that rows came from.
    cols: u16,
    /// Filled by each row in turn before it is copied to its own size.
    scratch: String,
    /// For the program, see [`super::Screen::take_answers`].
    answers: Vec<u8>,
}

/// Answers that wait; a program that asks more without reading gets no more.
pub(super) const MAX_ANSWER_BYTES: usize = 1 << 10;

impl History {
    pub(super) fn widen(&mut self, cols: u16) {
        self.cols = self.cols.max(cols);
    }

    pub(super) fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answers)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes, what each row costs besides its text included.
    pub(super) fn weight(&self) -> usize {
        self.bytes
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Appends a row; the oldest go where there are too many.
    fn push(&mut self, row: &vt100::capture::RowContents<'_>) {
        self.scratch.clear();
        // A state of its own for each row, so that each can be read alone. Writing to a string
        // does not fail.
        let mut state = vt100::capture::BasicFormattedCaptureState::new();
        if row
            .write_formatted_basic(&mut self.scratch, &mut state)
            .is_ok()
        {
            self.bytes += self.scratch.len() + ROW;
            self.rows.push_back(self.scratch.as_str().into());
        }
        while self.rows.len() > SCROLLBACK_ROWS || self.bytes > SCROLLBACK_BYTES {
            let Some(oldest) = self.rows.pop_front() else {
                break;
            };
            self.bytes -= oldest.len() + ROW;
            self.dropped += 1;
        }
    }

    /// Drops the oldest rows until the rest takes no more than `most` bytes.
    pub(super) fn cut_to(&mut self, most: usize) {
        while self.bytes > most {
            let Some(oldest) = self.rows.pop_front() else {
                break;
            };
            self.bytes -= oldest.len() + ROW;
            self.dropped += 1;
        }
        self.rows.shrink_to_fit();
    }

    /// The text of a row without its colours. Read off what is kept: a parser for each of 50,000 rows
    /// takes longer than the program that printed them.
    pub(super) fn plain(&self, row: usize) -> SafeText {
        let kept = self.rows.get(row).map(|row| &**row).unwrap_or_default();
        let text: String = vt100::capture::basic_formatted_to_plain(kept).collect();
        SafeText::line(&text)
    }

    /// The runs of a range of rows; what lies beyond the end is left out.
    pub(super) fn rows(&self, range: Range<usize>) -> Vec<Vec<Run>> {
        let cols = NonZeroU16::new(self.cols).unwrap_or(NonZeroU16::MIN);
        let mut reader = vt100::Parser::new(NonZeroU16::MIN, cols, 0);
        let count = range.len();
        self.rows
            .iter()
            .skip(range.start)
            .take(count)
            .map(|row| {
                reader.process(b"\x1bc");
                reader.process(row.as_bytes());
                cells::runs(reader.screen(), 0)
            })
            .collect()
    }
}

/// How rows that scroll off, and questions of the program, get here.
impl vt100::Callbacks for History {
    fn on_scroll(&mut self, row: vt100::capture::RowContents<'_>, alternate_screen: bool) {
        if !alternate_screen {
            self.push(&row);
        }
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        intermediate: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        command: char,
    ) {
        if intermediate.is_some() || self.answers.len() >= MAX_ANSWER_BYTES {
            return;
        }
        let param = params.first().and_then(|param| param.first()).copied();
        match (command, param.unwrap_or(0)) {
            // "I am well", and where the cursor is.
            ('n', 5) => self.answers.extend_from_slice(b"\x1b[0n"),
            ('n', 6) => {
                let (row, col) = screen.cursor_position();
                let col = col.min(screen.size().1.get() - 1);
                let answer = format!("\x1b[{};{}R", row + 1, col + 1);
                self.answers.extend_from_slice(answer.as_bytes());
            }
            // "A VT102".
            ('c', 0) => self.answers.extend_from_slice(b"\x1b[?6c"),
            _ => {}
        }
    }
}
