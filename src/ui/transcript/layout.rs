//! Places rows on the screen: from the anchor down, or from the end up.

use std::sync::Arc;

use super::TranscriptView;
use crate::{
    session::BlockId,
    ui::{
        blocks::{Frame, draw},
        render::Row,
    },
};

#[derive(Clone, Debug, Default)]
pub enum Position {
    /// The end is at the bottom.
    #[default]
    Follow,
    /// The person scrolled: this row stays at the top, whatever changes elsewhere.
    At(Anchor),
}

/// A row identified by its block, so that changes above or below do not move it.
#[derive(Clone, Debug)]
pub struct Anchor {
    pub item: usize,
    pub segment: usize,
    pub row: usize,
    /// The segment's rows among which `row` counts; `None` before the first layout.
    pub laid: Option<Arc<[Row]>>,
    /// Letters and digits of the segment before the row, once the segment was drawn again: they find
    /// the text again when it is wrapped elsewhere. Kept over several changes, so that going back
    /// to a width goes back to the row.
    pub mark: Option<usize>,
}

impl Anchor {
    pub fn new(item: usize, segment: usize, row: usize) -> Self {
        Self {
            item,
            segment,
            row,
            laid: None,
            mark: None,
        }
    }
}

/// How far the person has seen the transcript.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub item: usize,
    pub segment: usize,
    pub rows: usize,
}

/// A segment, or a part of one, on the screen.
pub struct Shown {
    pub item: usize,
    pub segment: usize,
    pub rows: Arc<[Row]>,
    /// Rows of it above the screen.
    pub skip: usize,
}

impl Shown {
    pub fn len(&self) -> usize {
        self.rows.len().saturating_sub(self.skip)
    }
}

impl TranscriptView {
    pub(super) fn layout(&mut self, frame: &Frame<'_>) {
        if let Position::At(anchor) = &self.position {
            let anchor = self.settled(anchor.clone(), frame);
            self.stick(Some(&anchor), frame);
            let (shown, rows, ended) = self.down_from(&anchor, frame);
            if !(ended && rows <= self.height) {
                self.position = Position::At(anchor);
                self.shown = shown;
                self.note_seen();
                return;
            }
            self.follow();
        }
        self.stick(None, frame);
        self.shown = self.up_from_end(frame);
    }

    pub(super) fn follow(&mut self) {
        self.position = Position::Follow;
        self.unseen = None;
    }

    /// The rows of a segment, drawn again if out of date; its height is noted.
    pub(super) fn rows(&mut self, index: usize, segment: usize, frame: &Frame<'_>) -> Arc<[Row]> {
        self.prepare(index, frame);
        if segment == 0 {
            self.settle_gap(index, frame);
        }
        let detail = self.detail_of(index, frame);
        let (Some(block), Some(item)) = (
            frame.source.transcript.blocks().get(index),
            self.items.get(index),
        ) else {
            return Arc::new([]);
        };
        let frame = &Frame {
            found: self.found_line(item.id, segment),
            ..*frame
        };
        let key = item.key(segment);
        let stamp = item.stamp(block, segment, detail, frame);
        let generation = frame.ctx.offload.generation();
        if let Some(rows) = self.cache.fresh(key, &stamp, generation) {
            self.note_height(index, segment, rows.len(), true);
            return rows;
        }
        let rendered = draw(block, item.gap, &item.part(segment, detail), frame);
        #[cfg(test)]
        {
            self.rendered_rows += rendered.rows.len();
        }
        let last = self.cache.last(key);
        let same_content = last.is_some_and(|entry| entry.stamp.content == stamp.content);
        let rows = self.cache.put(key, stamp, rendered, generation);
        self.note_height(index, segment, rows.len(), same_content);
        rows
    }

    fn note_height(&mut self, index: usize, segment: usize, height: usize, same_content: bool) {
        let Some(item) = self.items.get_mut(index) else {
            return;
        };
        let old = item.heights.get(segment);
        if old == height {
            return;
        }
        item.heights.set(segment, height);
        let total = item.heights.total();
        self.heights.set(index, total);
        // What was seen of a segment stays seen when it is only wrapped differently.
        if let Some(seen) = &mut self.unseen
            && same_content
            && (seen.item, seen.segment) == (index, segment)
        {
            seen.rows = (seen.rows + height).saturating_sub(old);
        }
    }

    /// The anchor, adjusted to changes of what it points to.
    fn settled(&mut self, mut anchor: Anchor, frame: &Frame<'_>) -> Anchor {
        let last = self.items.len().saturating_sub(1);
        if anchor.item > last {
            anchor = Anchor::new(last, 0, 0);
        }
        loop {
            let rows = self.rows(anchor.item, anchor.segment, frame);
            let segments = self
                .items
                .get(anchor.item)
                .map_or(1, |item| item.heights.len().max(1));
            if anchor.segment >= segments {
                anchor = Anchor::new(anchor.item, segments - 1, 0);
                continue;
            }
            match &anchor.laid {
                Some(laid) if Arc::ptr_eq(laid, &rows) => return anchor,
                Some(laid) => {
                    let mark = anchor
                        .mark
                        .unwrap_or_else(|| letters_before(laid, anchor.row));
                    anchor.mark = Some(mark);
                }
                None => {}
            }
            anchor.laid = Some(rows.clone());
            let Some(mark) = anchor.mark else {
                anchor.row = anchor.row.min(rows.len().saturating_sub(1));
                return anchor;
            };
            if anchor.row < rows.len() && letters_before(&rows, anchor.row) == mark {
                return anchor;
            }
            let all = letters_before(&rows, rows.len());
            if mark >= all && anchor.segment + 1 < segments {
                // The text after it has become another segment.
                anchor = Anchor {
                    mark: Some(mark - all),
                    ..Anchor::new(anchor.item, anchor.segment + 1, usize::MAX)
                };
                continue;
            }
            anchor.row = row_of(&rows, mark);
            return anchor;
        }
    }

    /// The rows from the anchor on, how many there are, and whether the end is among them.
    /// It looks one row beyond the screen, to know whether there is more.
    fn down_from(&mut self, anchor: &Anchor, frame: &Frame<'_>) -> (Vec<Shown>, usize, bool) {
        let (mut shown, mut total) = (Vec::new(), 0);
        let mut at = Some((anchor.item, anchor.segment));
        let mut skip = anchor.row;
        while let Some((item, segment)) = at {
            if total > self.height {
                return (shown, total, false);
            }
            let rows = self.rows(item, segment, frame);
            if rows.len() > skip {
                total += rows.len() - skip;
                shown.push(Shown {
                    item,
                    segment,
                    rows,
                    skip,
                });
            }
            skip = 0;
            at = self.next(item, segment, frame);
        }
        (shown, total, true)
    }

    /// The last rows; if they do not fill the screen, they are at its top.
    pub(super) fn up_from_end(&mut self, frame: &Frame<'_>) -> Vec<Shown> {
        let (mut shown, mut total) = (Vec::new(), 0);
        let mut at = self.last(frame).filter(|at| !self.is_below_floor(*at));
        while let Some((item, segment)) = at {
            let rows = self.rows(item, segment, frame);
            total += rows.len();
            if !rows.is_empty() {
                shown.push(Shown {
                    item,
                    segment,
                    rows,
                    skip: total.saturating_sub(self.height),
                });
            }
            if total >= self.height {
                break;
            }
            if self.is_floor((item, segment)) {
                break;
            }
            at = self.previous(item, segment, frame);
        }
        shown.reverse();
        shown
    }

    pub(super) fn last(&mut self, frame: &Frame<'_>) -> Option<(usize, usize)> {
        let item = self.items.len().checked_sub(1)?;
        Some((item, self.last_segment(item, frame)))
    }

    fn last_segment(&mut self, item: usize, frame: &Frame<'_>) -> usize {
        self.prepare(item, frame);
        self.items
            .get(item)
            .map_or(0, |item| item.heights.len().saturating_sub(1))
    }

    pub(super) fn next(
        &mut self,
        item: usize,
        segment: usize,
        frame: &Frame<'_>,
    ) -> Option<(usize, usize)> {
        self.prepare(item, frame);
        let segments = self.items.get(item)?.heights.len();
        if segment + 1 < segments {
            return Some((item, segment + 1));
        }
        (item + 1 < self.items.len()).then_some((item + 1, 0))
    }

    pub(super) fn previous(
        &mut self,
        item: usize,
        segment: usize,
        frame: &Frame<'_>,
    ) -> Option<(usize, usize)> {
        if let Some(segment) = segment.checked_sub(1) {
            return Some((item, segment));
        }
        let item = item.checked_sub(1)?;
        Some((item, self.last_segment(item, frame)))
    }

    pub(super) fn anchor_block(&self) -> Option<BlockId> {
        match &self.position {
            Position::Follow => None,
            Position::At(anchor) => self.items.get(anchor.item).map(|item| item.id),
        }
    }

    /// Finds the anchor's block after the items were made again: the block, else the next
    /// that is left.
    pub(super) fn reanchor(&mut self, block: Option<BlockId>) {
        let (Position::At(anchor), Some(id)) = (&mut self.position, block) else {
            return self.follow();
        };
        let index = self.items.partition_point(|item| item.id < id);
        match self.items.get(index) {
            Some(item) if item.id == id => anchor.item = index,
            Some(_) => *anchor = Anchor::new(index, 0, 0),
            None => return self.follow(),
        }
        // Unseen rows may be elsewhere now.
        self.unseen = None;
    }

    /// The anchored block changes its folds (if it is `only`, where given): its header goes to the
    /// top, as the row that was there may be gone.
    pub(super) fn rest_on_header(&mut self, only: Option<usize>) {
        if let Position::At(anchor) = &mut self.position
            && only.is_none_or(|item| item == anchor.item)
        {
            *anchor = Anchor::new(anchor.item, 0, 0);
        }
    }

    /// Notes what is on the screen as seen.
    fn note_seen(&mut self) {
        let Some(last) = self.shown.last() else {
            return;
        };
        let rows: usize = self.shown.iter().map(Shown::len).sum();
        let below = rows.saturating_sub(self.height);
        let seen = Seen {
            item: last.item,
            segment: last.segment,
            rows: last.rows.len().saturating_sub(below),
        };
        let further = self.unseen.is_none_or(|before| {
            (before.item, before.segment, before.rows) < (seen.item, seen.segment, seen.rows)
        });
        if further && self.unseen.is_some() {
            self.unseen = Some(seen);
        }
    }

    /// Rows below what was seen, as far as they are measured.
    pub(super) fn new_rows(&self) -> usize {
        let Some(seen) = &self.unseen else {
            return 0;
        };
        let in_item = self
            .items
            .get(seen.item)
            .map_or(0, |item| item.heights.before(seen.segment) + seen.rows);
        let seen_to = self.heights.before(seen.item) + in_item;
        self.heights.total().saturating_sub(seen_to)
    }

    /// Rows above the screen, and all rows; partly estimates.
    pub(super) fn extent(&self) -> (usize, usize) {
        let above = self.shown.first().map_or(0, |first| {
            let in_item = self
                .items
                .get(first.item)
                .map_or(0, |item| item.heights.before(first.segment));
            self.heights.before(first.item) + in_item + first.skip
        });
        (above, self.heights.total())
    }
}

/// Letters and digits in the rows before `row`. Borders, bullets and blanks do not count: they
/// change with the width.
fn letters_before(rows: &[Row], row: usize) -> usize {
    rows.iter().take(row).map(letters).sum()
}

fn letters(row: &Row) -> usize {
    row.line
        .spans
        .iter()
        .map(|span| span.content.chars().filter(|c| c.is_alphanumeric()).count())
        .sum()
}

/// The row with the letter number `mark`.
fn row_of(rows: &[Row], mark: usize) -> usize {
    let mut before = 0;
    for (at, row) in rows.iter().enumerate() {
        before += letters(row);
        if before > mark {
            return at;
        }
    }
    rows.len().saturating_sub(1)
}
