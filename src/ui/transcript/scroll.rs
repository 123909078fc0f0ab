//! Moves the view.

use super::{
    Move, Scroll, TranscriptView,
    layout::{Anchor, Position, Seen},
};
use crate::ui::blocks::Frame;

/// Rows that a page leaves of the one before.
const OVERLAP: usize = 2;

/// Scrolls that wait for a frame at most: more than a person can ask for within one.
const MAX_PENDING: usize = 64;

impl TranscriptView {
    /// Asks for a move, which is made with the next sync.
    pub fn scroll(&mut self, by: Scroll) {
        if let (Some(Move::By(Scroll::Lines(last))), Scroll::Lines(more)) =
            (self.pending.last_mut(), by)
        {
            *last = last.saturating_add(more);
        } else {
            self.ask(Move::By(by));
        }
    }

    pub(super) fn ask(&mut self, wanted: Move) {
        if self.pending.len() < MAX_PENDING {
            self.pending.push(wanted);
        }
    }

    pub(super) fn apply_scrolls(&mut self, frame: &Frame<'_>) {
        for wanted in std::mem::take(&mut self.pending) {
            match wanted {
                Move::By(Scroll::Lines(rows)) => self.move_rows(i64::from(rows), frame),
                Move::By(Scroll::Pages(pages)) => {
                    let page = self.height.saturating_sub(OVERLAP).max(1);
                    // Saturates; a page is far below 2^24 rows.
                    self.move_rows((f64::from(pages) * page as f64) as i64, frame);
                }
                Move::By(Scroll::Top) => self.put_top(0, 0, 0),
                Move::By(Scroll::Bottom) => self.follow(),
                Move::By(Scroll::PrevPrompt) => self.previous_prompt(frame),
                Move::By(Scroll::NextPrompt) => self.next_prompt(frame),
                Move::Show(block) => self.show(block, frame),
                Move::Found(place) => {
                    if !self.show_found(place, frame) {
                        // Its text is laid out over several frames.
                        self.ask(wanted);
                    }
                }
            }
            self.layout(frame);
        }
    }

    /// Puts a row at the top. Rows that come in from now on count as new.
    pub(super) fn put_top(&mut self, item: usize, segment: usize, row: usize) {
        if self.is_following() {
            self.unseen = self.items.len().checked_sub(1).map(|item| {
                let heights = &self.items[item].heights;
                let segment = heights.len().saturating_sub(1);
                Seen {
                    item,
                    segment,
                    rows: heights.get(segment),
                }
            });
        }
        self.position = Position::At(Anchor::new(item, segment, row));
    }

    fn move_rows(&mut self, rows: i64, frame: &Frame<'_>) {
        let Some(top) = self.shown.first() else {
            return;
        };
        let from = (top.item, top.segment, top.skip);
        if rows == 0 || rows > 0 && self.is_following() {
            // At the end there is nothing below.
            return;
        }
        let stuck = self.sticky.is_some();
        let (item, segment, row) = self.away(from, rows, frame);
        // What is read moves by that many rows, whether the sticky prompt comes or goes.
        let sticks = self.prompt_above(item, segment, row).is_some();
        let (item, segment, row) = match (stuck, sticks) {
            (false, true) => self.away(from, rows + 1, frame),
            (true, false) => self.away(from, rows - 1, frame),
            _ => (item, segment, row),
        };
        self.put_top(item, segment, row);
    }

    /// The place that many rows below; negative: above.
    fn away(
        &mut self,
        (item, segment, row): (usize, usize, usize),
        rows: i64,
        frame: &Frame<'_>,
    ) -> (usize, usize, usize) {
        let distance = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        match rows {
            0.. => self.place_below(item, segment, row, distance, frame),
            _ => self.above(item, segment, row, distance, frame),
        }
    }

    /// The place `distance` rows above; the beginning if there are fewer.
    pub(super) fn above(
        &mut self,
        mut item: usize,
        mut segment: usize,
        mut row: usize,
        mut distance: usize,
        frame: &Frame<'_>,
    ) -> (usize, usize, usize) {
        while distance > row {
            distance -= row;
            let Some((above, at)) = self.previous(item, segment, frame) else {
                return (0, 0, 0);
            };
            (item, segment) = (above, at);
            row = self.rows(item, segment, frame).len();
        }
        (item, segment, row - distance)
    }

    /// The place `distance` rows below; the last row if there are fewer.
    fn place_below(
        &mut self,
        mut item: usize,
        mut segment: usize,
        row: usize,
        distance: usize,
        frame: &Frame<'_>,
    ) -> (usize, usize, usize) {
        let mut row = row.saturating_add(distance);
        loop {
            let rows = self.rows(item, segment, frame).len();
            if row < rows {
                return (item, segment, row);
            }
            let Some((below, at)) = self.next(item, segment, frame) else {
                return (item, segment, rows.saturating_sub(1));
            };
            row -= rows;
            (item, segment) = (below, at);
        }
    }

    fn previous_prompt(&mut self, frame: &Frame<'_>) {
        let Some(top) = self.shown.first() else {
            return;
        };
        // A prompt at the very top is the present one.
        let inside = top.segment > 0 || top.skip > self.gap_of(top.item);
        let end = top.item + usize::from(inside);
        let before = self.prompts.partition_point(|prompt| *prompt < end);
        if let Some(prompt) = before.checked_sub(1).and_then(|at| self.prompts.get(at)) {
            let prompt = *prompt;
            // Only then is it known whether a blank row stands above it.
            self.prepare(prompt, frame);
            self.put_top(prompt, 0, self.gap_of(prompt));
        } else {
            self.put_top(0, 0, 0);
        }
    }

    fn next_prompt(&mut self, frame: &Frame<'_>) {
        if self.is_following() {
            return;
        }
        let Some(top) = self.shown.first().map(|top| top.item) else {
            return;
        };
        let after = self.prompts.partition_point(|prompt| *prompt <= top);
        match self.prompts.get(after).copied() {
            Some(prompt) => {
                self.prepare(prompt, frame);
                self.put_top(prompt, 0, self.gap_of(prompt));
            }
            None => self.follow(),
        }
    }

    pub(super) fn gap_of(&self, item: usize) -> usize {
        self.items.get(item).map_or(0, |item| usize::from(item.gap))
    }
}
