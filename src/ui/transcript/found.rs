//! Matches of find in the view: brought into view, unfolded where they are folded, marked where they
//! show.

use std::{ops::Range, sync::Arc};

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    Move, TranscriptView,
    layout::{Position, Shown},
};
use crate::{
    session::{Block, BlockId},
    text::{cell_width, prefix_of_width},
    ui::{
        blocks::{Detail, Frame, view},
        find::{Cuts, Pattern, Place},
        render::{RenderContext, Row, markdown::Splitter, written::Join},
        theme::Theme,
    },
};

/// What is marked.
#[derive(Clone, Debug)]
pub struct Found {
    pub pattern: Arc<Pattern>,
    pub current: Option<Current>,
}

/// The match that find is at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Current {
    pub place: Place,
    /// Matches in its segment.
    pub of: usize,
    /// Which of its line it is.
    pub in_line: usize,
}

/// A block that find has unfolded, and the detail that was chosen for it before.
#[derive(Clone, Copy, Debug)]
pub struct Opened {
    block: BlockId,
    before: Option<Detail>,
}

/// A place of the view to go back to.
#[derive(Clone, Debug)]
pub struct ViewPlace {
    position: Position,
    block: Option<BlockId>,
}

impl Cuts for TranscriptView {
    fn cut(&self, block: &Block) -> Option<&Splitter> {
        let at = self.items.binary_search_by_key(&block.id, |item| item.id);
        let item = self.items.get(at.ok()?)?;
        item.text
            .whole_of(view(&block.kind).markdown(Detail::Full)?)
    }
}

impl TranscriptView {
    pub fn place(&self) -> ViewPlace {
        ViewPlace {
            position: self.position.clone(),
            block: self.anchor_block(),
        }
    }

    pub fn go_back_to(&mut self, place: ViewPlace) {
        self.pending.clear();
        self.position = place.position;
        match place.block {
            Some(block) => self.reanchor(Some(block)),
            None => self.follow(),
        }
    }

    /// The first block on the screen, and the segment of it.
    pub fn first_shown(&self) -> Option<(BlockId, usize)> {
        let first = self.shown.iter().find(|shown| shown.len() > 0)?;
        let item = self.items.get(first.item)?;
        Some((item.id, first.segment))
    }

    /// What is marked from now on. `go`: the current match is to be brought into view.
    pub fn set_found(&mut self, found: Option<Found>, go: bool) {
        let current = found.as_ref().and_then(|found| found.current);
        let block = current.map(|current| current.place.block);
        if let Some(opened) = self.opened.filter(|opened| Some(opened.block) != block) {
            self.fold_again(opened);
        }
        self.found = found;
        if let Some(current) = current.filter(|_| go) {
            self.ask(Move::Found(current.place));
        }
    }

    /// Nothing is marked any more. `stay`: the match's block remains unfolded.
    pub fn leave_found(&mut self, stay: bool) {
        if stay {
            self.opened = None;
        }
        self.set_found(None, false);
    }

    /// The person decided on that block's folds: they are not changed back.
    /// `None`: on all.
    pub(super) fn touched(&mut self, block: Option<BlockId>) {
        self.opened = self
            .opened
            .filter(|opened| block.is_some_and(|block| block != opened.block));
    }

    fn fold_again(&mut self, opened: Opened) {
        self.opened = None;
        let Ok(index) = self
            .items
            .binary_search_by_key(&opened.block, |item| item.id)
        else {
            return;
        };
        if let Some(item) = self.items.get_mut(index) {
            item.detail = opened.before;
            item.stale = true;
        }
        self.rest_on_header(Some(index));
    }

    /// The line of the current match, for drawing its segment.
    pub(super) fn found_line(&self, block: BlockId, segment: usize) -> Option<usize> {
        let place = self.found.as_ref()?.current?.place;
        let here = place.block == block && place.segment as usize == segment;
        here.then_some(place.line as usize)
    }

    /// Brings a match into view; `false`: its text is not laid out yet.
    pub(super) fn show_found(&mut self, place: Place, frame: &Frame<'_>) -> bool {
        let Ok(index) = self
            .items
            .binary_search_by_key(&place.block, |item| item.id)
        else {
            return true;
        };
        self.prepare(index, frame);
        let mut row = self.row_of_found(index, place, frame);
        let mut unfolded = false;
        if row.is_none() && self.detail_of(index, frame) != Detail::Full {
            self.unfold_found(index, place.block);
            self.prepare(index, frame);
            row = self.row_of_found(index, place, frame);
            unfolded = true;
        }
        let Some(item) = self.items.get(index) else {
            return true;
        };
        let last = item.heights.len().saturating_sub(1);
        let segment = place.segment as usize;
        if segment > last && item.text.not_before.is_some() {
            return false;
        }
        let segment = segment.min(last);
        let row = row.unwrap_or_else(|| if segment == 0 { self.gap_of(index) } else { 0 });
        if !unfolded && self.is_row_shown(index, segment, row) {
            return true;
        }
        // With what led to it above, and more of what follows below.
        let lead = self.height / 3;
        let (item, segment, row) = self.above(index, segment, row, lead, frame);
        self.put_top(item, segment, row);
        true
    }

    fn unfold_found(&mut self, index: usize, block: BlockId) {
        if let Some(item) = self.items.get_mut(index) {
            self.opened = Some(Opened {
                block,
                before: item.detail,
            });
            item.detail = Some(Detail::Full);
            item.stale = true;
        }
    }

    fn is_row_shown(&self, index: usize, segment: usize, row: usize) -> bool {
        let mut above = 0;
        for shown in &self.shown {
            if (shown.item, shown.segment) == (index, segment) {
                let at = row.checked_sub(shown.skip).map(|row| above + row);
                return at.is_some_and(|at| at + 1 < self.height.max(2));
            }
            above += Shown::len(shown);
        }
        false
    }

    /// Where in its segment a match is; `None` if not all of the segment's matches are drawn.
    fn row_of_found(&mut self, index: usize, place: Place, frame: &Frame<'_>) -> Option<usize> {
        let found = self.found.clone()?;
        let current = found.current.filter(|current| current.place == place)?;
        let segment = place.segment as usize;
        if segment >= self.items.get(index)?.heights.len() {
            return None;
        }
        let rows = self.rows(index, segment, frame);
        let marks = marks(&rows, &found.pattern);
        if let Some(mark) = current_mark(&current, &rows, &marks) {
            return marks.get(mark)?.first().map(|piece| piece.row);
        }
        // Of a very long line only the beginning is drawn.
        rows.iter().position(|row| row.written.found)
    }

    /// Marks what is visible of the matches in a segment whose first visible row is at `area`'s top.
    pub(super) fn draw_marks(
        &self,
        shown: &Shown,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) {
        let (Some(found), Some(item)) = (&self.found, self.items.get(shown.item)) else {
            return;
        };
        let here = |current: &Current| {
            (current.place.block, current.place.segment as usize) == (item.id, shown.segment)
        };
        let current = found.current.filter(here);
        let marks = marks(&shown.rows, &found.pattern);
        let current = current.and_then(|current| current_mark(&current, &shown.rows, &marks));
        for (n, mark) in marks.iter().enumerate() {
            let style = mark_style(ctx.theme, current == Some(n));
            for piece in mark {
                let Some(y) = piece.row.checked_sub(shown.skip) else {
                    continue;
                };
                let y = u16::try_from(y).unwrap_or(u16::MAX);
                if y >= area.height {
                    continue;
                }
                let columns =
                    piece.columns.start.min(area.width)..piece.columns.end.min(area.width);
                let cells = Rect::new(
                    area.x + columns.start,
                    area.y + y,
                    columns.end - columns.start,
                    1,
                );
                buf.set_style(cells, style);
            }
        }
    }
}

/// The mark of the current match among those that are drawn. Where not all rows are, it is found by its
/// line.
fn current_mark(current: &Current, rows: &[Row], marks: &[Vec<MarkedCells>]) -> Option<usize> {
    let Some(row) = rows.iter().position(|row| row.written.found) else {
        return nth_mark(current.place.nth as usize, current.of, marks.len());
    };
    let next = rows.iter().skip(row + 1);
    let len = 1 + next
        .take_while(|row| row.written.join != Join::Begins)
        .count();
    let first = |mark: &Vec<MarkedCells>| mark.first().map_or(0, |piece| piece.row);
    let before = marks.partition_point(|mark| first(mark) < row);
    let at = before + current.in_line;
    let here = marks.get(at).is_some_and(|mark| first(mark) < row + len);
    here.then_some(at)
}

/// The mark that is match `nth` of `of` where `drawn` are drawn: rows may hold words of the client's
/// own that match as well. `None` if fewer are drawn.
fn nth_mark(nth: usize, of: usize, drawn: usize) -> Option<usize> {
    // What a block says of itself stands above its text.
    (drawn >= of.max(nth + 1)).then(|| nth + (drawn - of.max(nth + 1)))
}

pub(crate) fn mark_style(theme: &Theme, current: bool) -> Style {
    match current {
        true => theme.found_current,
        false => theme.found,
    }
}

/// The part of a match on one row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MarkedCells {
    pub row: usize,
    pub columns: Range<u16>,
}

/// The matches in rows, each with its parts: one that is broken over rows has several.
pub(crate) fn marks(rows: &[Row], pattern: &Pattern) -> Vec<Vec<MarkedCells>> {
    let mut all = Vec::new();
    let mut line = JoinedRows::default();
    for (at, row) in rows.iter().enumerate() {
        if row.written.join == Join::Begins {
            line.find(pattern, &mut all);
            line = JoinedRows::default();
        }
        line.push(at, row);
    }
    line.find(pattern, &mut all);
    all
}

/// A line of text put together again from the rows that it was broken into.
#[derive(Default)]
struct JoinedRows {
    text: String,
    /// Row, where its text begins in `text`, and in which column.
    pieces: Vec<(usize, usize, usize)>,
}

impl JoinedRows {
    fn push(&mut self, at: usize, row: &Row) {
        let whole: String = row.line.spans.iter().map(|span| &*span.content).collect();
        // Margins, bars, line numbers and padding are no text.
        let column = usize::from(row.written.from);
        let text = prefix_of_width(&whole, usize::from(row.written.to));
        let prefix = prefix_of_width(&whole, column).len();
        let text = text.get(prefix..).unwrap_or_default();
        if row.written.join == Join::Blank {
            self.text.truncate(self.text.trim_end().len());
            self.text.push(' ');
        }
        self.pieces.push((at, self.text.len(), column));
        self.text.push_str(text);
    }

    fn find(&self, pattern: &Pattern, all: &mut Vec<Vec<MarkedCells>>) {
        all.extend(pattern.in_line(&self.text).map(|range| self.cells(&range)));
    }

    fn cells(&self, range: &Range<usize>) -> Vec<MarkedCells> {
        let ends = self.pieces.iter().skip(1).map(|(_, begin, _)| *begin);
        let ends = ends.chain([self.text.len()]);
        let mut cells = Vec::new();
        for ((row, begin, column), end) in self.pieces.iter().zip(ends) {
            let part = range.start.max(*begin)..range.end.min(end);
            if part.is_empty() {
                continue;
            }
            let to_column = |at: usize| {
                let before = self.text.get(*begin..at).unwrap_or_default();
                u16::try_from(column + cell_width(before)).unwrap_or(u16::MAX)
            };
            cells.push(MarkedCells {
                row: *row,
                columns: to_column(part.start)..to_column(part.end),
            });
        }
        cells
    }
}
