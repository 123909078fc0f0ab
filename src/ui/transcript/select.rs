//! What is selected of the conversation with the mouse: from one cell to another, over blocks and rows.
//!
//! Owns the selection's ends, how it is drawn, and the text that it copies. An end stands on a row of a
//! block, so that text that comes in does not move it. What is copied is what was written: wrapped rows
//! are one line, and what only frames the text (margins, bars, line numbers) is left out; a message that is
//! selected as a whole is copied from its source, and so are diffs.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::{Modifier, Style},
};
use unicode_segmentation::UnicodeSegmentation;

use super::{TranscriptView, layout::Shown};
use crate::{
    session::{BlockId, BlockKind},
    text::grapheme_width,
    ui::{
        blocks::{Frame, Settings, Source, view},
        render::{
            RenderContext, Row,
            line::{row_width, selected_style},
            written::Join,
        },
    },
};

/// Bytes that are copied at most: more than any clipboard is good for.
const MAX_COPIED: usize = 8 << 20;

/// Characters that belong to a word for a double click, besides letters and digits: those of paths,
/// addresses and names in code.
const OF_WORDS: &str = "_-./~:@#%+=?&$";

/// A cell of a row of a segment of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    block: BlockId,
    segment: usize,
    row: usize,
    column: u16,
}

impl Spot {
    fn key(&self) -> (BlockId, usize, usize) {
        (self.block, self.segment, self.row)
    }

    /// It is on that row of that segment.
    pub fn is_row(&self, segment: usize, row: usize) -> bool {
        (self.segment, self.row) == (segment, row)
    }

    pub fn block(&self) -> BlockId {
        self.block
    }
}

/// Both ends belong to it.
#[derive(Clone, Copy, Debug)]
struct Selection {
    anchor: Spot,
    head: Spot,
}

impl Selection {
    /// Its ends in the order of the conversation.
    fn ends(&self) -> (Spot, Spot) {
        (self.anchor.min(self.head), self.anchor.max(self.head))
    }
}

/// What is selected, and where the button went down.
#[derive(Debug, Default)]
pub struct Selecting {
    pressed: Option<Spot>,
    selection: Option<Selection>,
    /// Columns of the rows that the ends count in.
    width: u16,
}

/// How much a click takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Cell,
    Word,
    Line,
}

impl TranscriptView {
    /// Where in the conversation a place of its last picture is; the nearest row beyond its rows.
    pub fn spot(&self, area: Rect, at: Position) -> Option<Spot> {
        let wanted = usize::from(at.y.saturating_sub(area.y + self.sticky_rows()));
        let last = self.rows_that_show().checked_sub(1)?;
        let mut left = wanted.min(last);
        for shown in &self.shown {
            if left < shown.len() {
                return Some(Spot {
                    block: self.items.get(shown.item)?.id,
                    segment: shown.segment,
                    row: shown.skip + left,
                    column: at.x.saturating_sub(area.x),
                });
            }
            left -= shown.len();
        }
        None
    }

    pub fn is_at_top(&self) -> bool {
        self.extent().0 == 0
    }

    /// Rows of the conversation in the last picture.
    pub fn rows_that_show(&self) -> usize {
        let rows: usize = self.shown.iter().map(Shown::len).sum();
        rows.min(self.height)
    }

    /// The button goes down: what was selected before is not any more.
    pub fn press(&mut self, spot: Spot, taken: Taken) {
        self.selecting = Selecting {
            pressed: Some(spot),
            selection: None,
            width: self.width,
        };
        self.selecting.selection = match taken {
            Taken::Cell => None,
            Taken::Word => self.word_at(spot),
            Taken::Line => self.line_at(spot),
        };
    }

    /// The pointer goes on with the button down.
    pub fn drag_to(&mut self, spot: Spot) {
        let Some(pressed) = self.selecting.pressed else {
            return;
        };
        match &mut self.selecting.selection {
            Some(selection) => selection.head = spot,
            None if spot != pressed => {
                self.selecting.selection = Some(Selection {
                    anchor: pressed,
                    head: spot,
                });
            }
            None => {}
        }
    }

    pub fn has_selection(&self) -> bool {
        self.selecting.selection.is_some()
    }

    pub fn clear_selection(&mut self) {
        self.selecting = Selecting::default();
    }

    fn row_at(&self, spot: Spot) -> Option<&Row> {
        self.shown_segment(spot)?.rows.get(spot.row)
    }

    fn shown_segment(&self, spot: Spot) -> Option<&Shown> {
        self.shown.iter().find(|shown| {
            let item = self.items.get(shown.item);
            item.is_some_and(|item| item.id == spot.block) && shown.segment == spot.segment
        })
    }

    fn word_at(&self, spot: Spot) -> Option<Selection> {
        let columns = self.word_columns(spot)?;
        Some(Selection {
            anchor: Spot {
                column: columns.start,
                ..spot
            },
            head: Spot {
                column: columns.end.checked_sub(1)?,
                ..spot
            },
        })
    }

    fn word_columns(&self, spot: Spot) -> Option<Range<u16>> {
        let row = self.row_at(spot)?;
        let cells = cells(row);
        let at = cells
            .iter()
            .position(|(columns, _)| columns.contains(&spot.column))?;
        let is_word = |(_, text): &(Range<u16>, &str)| {
            let mut chars = text.chars();
            chars.all(|c| c.is_alphanumeric() || OF_WORDS.contains(c) || !c.is_ascii())
        };
        if !is_word(cells.get(at)?) {
            return Some(cells.get(at)?.0.clone());
        }
        let from = cells[..at]
            .iter()
            .rposition(|cell| !is_word(cell))
            .map_or(0, |n| n + 1);
        let to = cells[at..]
            .iter()
            .position(|cell| !is_word(cell))
            .map_or(cells.len(), |n| at + n);
        // Punctuation at the end of a sentence is none of it.
        let closes = |(_, text): &(Range<u16>, &str)| matches!(*text, "." | ":" | "?");
        let trimmed = cells[at..to]
            .iter()
            .rposition(|cell| !closes(cell))
            .map_or(at, |n| at + n);
        let start = cells.get(from)?.0.start.max(row.written.from);
        Some(start..cells.get(trimmed)?.0.end)
    }

    /// The whole line that was wrapped to the row at a spot.
    fn line_at(&self, spot: Spot) -> Option<Selection> {
        let rows = &self.shown_segment(spot)?.rows;
        let goes_on = |at: usize| {
            let row = rows.get(at);
            row.is_some_and(|row| row.written.join != Join::Begins)
        };
        let mut first = spot.row;
        while first > 0 && goes_on(first) {
            first -= 1;
        }
        let mut last = spot.row;
        while goes_on(last + 1) {
            last += 1;
        }
        let (begin, end) = (written(rows.get(first)?), written(rows.get(last)?));
        (!begin.is_empty()).then_some(Selection {
            anchor: Spot {
                row: first,
                column: begin.start,
                ..spot
            },
            head: Spot {
                row: last,
                column: end.end.saturating_sub(1),
                ..spot
            },
        })
    }

    /// Keeps the ends on their rows after the conversation was laid out again.
    pub(super) fn settle_selection(&mut self, frame: &Frame<'_>) {
        let Some(selection) = self.selecting.selection else {
            return;
        };
        // Other rows: there is no telling cells by them.
        if self.selecting.width != self.width {
            return self.clear_selection();
        }
        let (Some(anchor), Some(head)) = (
            self.settled_spot(selection.anchor, frame),
            self.settled_spot(selection.head, frame),
        ) else {
            return self.clear_selection();
        };
        self.selecting.selection = Some(Selection { anchor, head });
    }

    /// A segment that was open may have become several.
    fn settled_spot(&mut self, mut spot: Spot, frame: &Frame<'_>) -> Option<Spot> {
        let index = self.index_of(spot.block)?;
        loop {
            let rows = self.rows(index, spot.segment, frame).len();
            if spot.row < rows {
                return Some(spot);
            }
            let segments = self.items.get(index)?.heights.len();
            if spot.segment + 1 >= segments {
                spot.row = rows.checked_sub(1)?;
                return Some(spot);
            }
            spot.row -= rows;
            spot.segment += 1;
        }
    }

    fn index_of(&self, block: BlockId) -> Option<usize> {
        self.items.binary_search_by_key(&block, |item| item.id).ok()
    }

    /// Marks what is selected of one row of the screen.
    pub(super) fn mark_row(
        &self,
        (item, segment, at): (usize, usize, usize),
        row: &Row,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) {
        let (Some(selection), Some(item)) = (self.selecting.selection, self.items.get(item)) else {
            return;
        };
        let (start, end) = selection.ends();
        let key = (item.id, segment, at);
        if key < start.key() || key > end.key() {
            return;
        }
        let written = written(row);
        let from = if key == start.key() { start.column } else { 0 };
        let to = if key == end.key() {
            end.column.saturating_add(1)
        } else {
            u16::MAX
        };
        let to = to.min(written.end).min(area.width);
        for x in from.max(written.start)..to {
            if let Some(cell) = buf.cell_mut((area.x + x, area.y)) {
                let style = selected_style(cell.style(), ctx.theme.selection);
                if style.add_modifier.contains(Modifier::REVERSED) {
                    // One colour, see there: a cell keeps what a style does not set.
                    cell.set_style(Style::reset());
                }
                cell.set_style(style);
            }
        }
    }

    /// The text that is selected; `None` if that is none. `width` is that of the area drawn to.
    pub fn selected_text(
        &mut self,
        source: Source<'_>,
        settings: &Settings,
        ctx: &RenderContext<'_>,
    ) -> Option<String> {
        let (start, end) = self.selecting.selection?.ends();
        let frame = self.frame(source, settings, ctx);
        let (first, last) = (self.index_of(start.block)?, self.index_of(end.block)?);
        let mut out = Copying::default();
        for index in first..=last {
            self.copy_item(index, (start, end), &frame, &mut out);
            if out.text.len() > MAX_COPIED {
                break;
            }
        }
        let text = out.finish();
        (!text.is_empty()).then_some(text)
    }

    fn copy_item(
        &mut self,
        index: usize,
        (start, end): (Spot, Spot),
        frame: &Frame<'_>,
        out: &mut Copying,
    ) {
        self.prepare(index, frame);
        let Some(item) = self.items.get(index) else {
            return;
        };
        let (id, gap, segments) = (item.id, usize::from(item.gap), item.heights.len());
        let mut whole = true;
        let mut own = Copying::default();
        for segment in 0..segments {
            let rows = self.rows(index, segment, frame);
            for (at, row) in rows.iter().enumerate() {
                let written = written(row);
                let key = (id, segment, at);
                let outside = key < start.key() || key > end.key();
                let from = if key == start.key() { start.column } else { 0 };
                let to = if key == end.key() {
                    end.column.saturating_add(1)
                } else {
                    u16::MAX
                };
                let has_text = !written.is_empty();
                whole &=
                    !has_text || !outside && from <= first_letter(row) && to >= last_letter(row);
                if outside || row.written.is_nothing() {
                    continue;
                }
                let join = if own.is_begun() {
                    row.written.join
                } else {
                    Join::Begins
                };
                own.push(
                    join,
                    &slice(row, from.max(written.start)..to.min(written.end)),
                );
                if out.text.len() + own.text.len() > MAX_COPIED {
                    break;
                }
            }
        }
        let block = frame.source.transcript.blocks().get(index);
        let from_source = block.filter(|block| whole && is_copied_from_source(&block.kind));
        match from_source {
            Some(block) => {
                let text = view(&block.kind).text(&frame.source);
                if gap == 1 && out.is_begun() {
                    out.push(Join::Begins, "");
                }
                for line in text.trim_end().lines() {
                    out.push(Join::Begins, line);
                }
            }
            None => out.append(own),
        }
    }
}

/// Blocks whose text as a whole says more than their rows: markdown, and diffs as patches.
fn is_copied_from_source(kind: &BlockKind) -> bool {
    match kind {
        BlockKind::Agent(_) | BlockKind::User(_) => true,
        BlockKind::Tool(call) => call.content.iter().any(|piece| piece.diff().is_some()),
        _ => false,
    }
}

/// The columns of a row that are text.
fn written(row: &Row) -> Range<u16> {
    let end = row
        .written
        .to
        .min(u16::try_from(row_width(row)).unwrap_or(u16::MAX));
    row.written.from.min(end)..end
}

/// The graphemes of a row and their columns.
fn cells(row: &Row) -> Vec<(Range<u16>, &str)> {
    let mut column = 0_u16;
    let graphemes = row
        .line
        .spans
        .iter()
        .flat_map(|span| span.content.graphemes(true));
    graphemes
        .map(|grapheme| {
            let width = u16::try_from(grapheme_width(grapheme)).unwrap_or(1);
            let columns = column..column.saturating_add(width);
            column = columns.end;
            (columns, grapheme)
        })
        .collect()
}

/// What stands in some columns; a wide character with any of its cells.
fn slice(row: &Row, columns: Range<u16>) -> String {
    let inside = |cell: &Range<u16>| cell.start < columns.end && cell.end > columns.start;
    let cells = cells(row).into_iter().filter(|(cell, _)| inside(cell));
    cells.map(|(_, text)| text).collect()
}

fn first_letter(row: &Row) -> u16 {
    let text = written(row);
    let mut cells = cells(row)
        .into_iter()
        .filter(|(at, _)| at.start >= text.start);
    let first = cells.find(|(_, text)| !text.trim().is_empty());
    first.map_or(text.end, |(columns, _)| columns.start)
}

/// The column behind it.
fn last_letter(row: &Row) -> u16 {
    let text = written(row);
    let cells = cells(row)
        .into_iter()
        .rev()
        .filter(|(at, _)| at.end <= text.end);
    let last = cells.into_iter().find(|(_, text)| !text.trim().is_empty());
    last.map_or(0, |(columns, _)| columns.end)
}

/// Text that grows by rows.
#[derive(Default)]
struct Copying {
    text: String,
    begun: bool,
}

impl Copying {
    fn is_begun(&self) -> bool {
        self.begun
    }

    fn push(&mut self, join: Join, piece: &str) {
        if self.begun {
            match join {
                Join::Begins => {
                    self.trim();
                    self.text.push('\n');
                }
                Join::Blank => {
                    self.trim();
                    self.text.push(' ');
                }
                Join::Tight => {}
            }
        }
        self.begun = true;
        self.text.push_str(piece);
    }

    fn append(&mut self, other: Self) {
        if !other.begun {
            return;
        }
        self.push(Join::Begins, &other.text);
    }

    /// Padding is no text.
    fn trim(&mut self) {
        let kept = self.text.trim_end_matches([' ', '\u{a0}']).len();
        self.text.truncate(kept);
    }

    fn finish(mut self) -> String {
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        let blank = self.text.len() - self.text.trim_start_matches('\n').len();
        self.text.drain(..blank);
        self.text
    }
}
