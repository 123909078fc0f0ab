//! Rows that left the screen at its top, or that are left of a finished terminal.
//!
//! A row of vt100 cells takes 32 bytes a cell, used or not. Kept here are only the text and its
//! colour changes, in vt100's own capture format, read back by the same parser when it is drawn.

use std::{collections::VecDeque, num::NonZeroU16, ops::Range};

use super::{ROW, Run, SCROLLBACK_BYTES, SCROLLBACK_ROWS, cells};
use crate::text::SafeText;

#[derive(Default)]
pub(super) struct History {
    /// The rows in order; no chunk is without one that is kept.
    chunks: VecDeque<Chunk>,
    /// Rows that ever came.
    came: usize,
    /// Those of them that are no longer kept, the oldest.
    dropped: usize,
    bytes: usize,
    /// Columns of the widest screen that rows came from.
    cols: u16,
    /// For the program, see [`super::Screen::take_answers`].
    answers: Vec<u8>,
}

/// Consecutive rows in one allocation: an allocation for each would take several times a short row.
#[derive(Default)]
struct Chunk {
    /// The number of its first row, of all that came.
    first: usize,
    text: String,
    /// Where each row ends in `text`.
    ends: Vec<u32>,
}

/// Bytes and rows of a chunk, past which another begins. The rows that go leave memory by chunks.
const CHUNK_BYTES: usize = 16 << 10;
const CHUNK_ROWS: usize = 1 << 10;

impl Chunk {
    fn is_full(&self) -> bool {
        self.text.len() >= CHUNK_BYTES || self.ends.len() >= CHUNK_ROWS
    }

    /// The row of that number, of all that came.
    fn row(&self, number: usize) -> Option<&str> {
        let at = number.checked_sub(self.first)?;
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..end as usize)
    }
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
        self.came - self.dropped
    }

    /// Bytes, with [`ROW`] for each row.
    pub(super) fn weight(&self) -> usize {
        self.bytes
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// Appends a row; the oldest go where there are too many.
    fn push(&mut self, row: &vt100::capture::RowContents<'_>) {
        if self.chunks.back().is_none_or(Chunk::is_full) {
            if let Some(full) = self.chunks.back_mut() {
                full.text.shrink_to_fit();
                full.ends.shrink_to_fit();
            }
            self.chunks.push_back(Chunk {
                first: self.came,
                ..Chunk::default()
            });
        }
        let Some(chunk) = self.chunks.back_mut() else {
            return;
        };
        let start = chunk.text.len();
        // A new state for each row, so that each can be read alone. Writing to a string does not
        // fail.
        let mut state = vt100::capture::BasicFormattedCaptureState::new();
        let _ = row.write_formatted_basic(&mut chunk.text, &mut state);
        let end = chunk.text.len();
        chunk.ends.push(u32::try_from(end).unwrap_or(u32::MAX));
        self.came += 1;
        self.bytes += end - start + ROW;
        while self.len() > SCROLLBACK_ROWS || self.bytes > SCROLLBACK_BYTES {
            self.drop_oldest();
        }
    }

    /// Drops the oldest rows until the rest takes no more than `most` bytes.
    pub(super) fn cut_to(&mut self, most: usize) {
        while self.bytes > most && self.len() > 0 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let bytes = self.row(0).map_or(0, str::len);
        self.bytes = self.bytes.saturating_sub(bytes + ROW);
        self.dropped += 1;
        let ended = |chunk: &Chunk| chunk.first + chunk.ends.len() <= self.dropped;
        if self.chunks.front().is_some_and(ended) {
            self.chunks.pop_front();
        }
    }

    /// A row as it is kept.
    fn row(&self, row: usize) -> Option<&str> {
        let number = self.dropped + row;
        let behind = self.chunks.partition_point(|chunk| chunk.first <= number);
        self.chunks.get(behind.checked_sub(1)?)?.row(number)
    }

    /// The text of a row without its colours. Read off what is kept: a parser for each of 50,000 rows
    /// takes longer than the program that printed them.
    pub(super) fn plain(&self, row: usize) -> SafeText {
        let kept = self.row(row).unwrap_or_default();
        let text: String = vt100::capture::basic_formatted_to_plain(kept).collect();
        SafeText::line(&text)
    }

    /// The runs of a range of rows, up to the last row.
    pub(super) fn rows(&self, range: Range<usize>) -> Vec<Vec<Run>> {
        let cols = NonZeroU16::new(self.cols).unwrap_or(NonZeroU16::MIN);
        let mut reader = vt100::Parser::new(NonZeroU16::MIN, cols, 0);
        range
            .map_while(|row| self.row(row))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(lines: &[String]) -> vt100::Parser<History> {
        let (rows, cols) = (NonZeroU16::MIN, NonZeroU16::new(100).expect("not zero"));
        let mut parser = vt100::Parser::new_with_callbacks(rows, cols, 0, History::default());
        parser.callbacks_mut().widen(100);
        for line in lines {
            parser.process(format!("{line}\r\n").as_bytes());
        }
        parser
    }

    #[test]
    fn short_rows_take_little_more_than_is_counted() {
        let lines: Vec<String> = (1..=60_000).map(|n| n.to_string()).collect();
        let parser = printed(&lines);
        let history = parser.callbacks();
        let held = history.chunks.iter().map(|chunk| {
            size_of::<Chunk>() + chunk.text.capacity() + size_of::<u32>() * chunk.ends.capacity()
        });
        let held: usize = held.sum();
        assert!(held < history.weight() / 10 * 11 + CHUNK_BYTES, "{held}");
        assert_eq!(history.weight(), history.len() * (5 + ROW));
    }

    proptest! {
        #[test]
        fn each_row_is_there_until_it_goes(
            lengths in prop::collection::vec(0_usize..100, 1..3_000),
            most in 0_usize..100_000,
            from in 0_usize..3_000,
        ) {
            let lines: Vec<String> = lengths.iter().enumerate()
                .map(|(n, length)| format!("{n}{}", "x".repeat(*length))[..*length].to_owned())
                .collect();
            let mut parser = printed(&lines);
            let history = parser.callbacks_mut();
            prop_assert_eq!(history.len(), lines.len());
            history.cut_to(most);
            prop_assert_eq!(history.len() + history.dropped(), lines.len());
            let kept = &lines[history.dropped()..];
            let weight: usize = kept.iter().map(|line| line.len() + ROW).sum();
            prop_assert_eq!(history.weight(), weight);
            prop_assert!(weight <= most);
            for (row, line) in kept.iter().enumerate() {
                let plain = history.plain(row);
                prop_assert_eq!(plain.as_str(), line);
            }
            let shown = history.rows(from..from + 10);
            prop_assert_eq!(shown.len(), kept.len().saturating_sub(from).min(10));
        }
    }
}
