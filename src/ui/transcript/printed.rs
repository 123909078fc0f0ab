//! What has gone into the terminal's own scrollback (`--inline`), and what is still to go there.
//!
//! Blocks are printed in their order, each once, when nothing about them is expected to change any more;
//! of a text that streams, the segments that later text cannot change.

use super::{TranscriptView, items::Item};
use crate::{
    session::{Block, BlockId, BlockKind},
    ui::{
        blocks::{Content, Frame, Settings, Source, view},
        render::{
            RenderContext, Row,
            line::{StyledLine, row_width},
        },
    },
};

/// Rows that are handed out for one frame: a session that is opened again is printed over several.
const ROWS_PER_FRAME: usize = 500;

/// In which form blocks are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As they are drawn.
    Drawn,
    /// As text, with who says it: for a screen reader.
    Plain,
}

/// How far a transcript is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    /// All blocks before this one are.
    block: BlockId,
    /// Segments of it; `None`: all.
    segments: Option<usize>,
}

impl TranscriptView {
    /// As [`sync`](Self::sync), for the rows that are not finished. Returns those that are since the last
    /// time. `working`: the turn is open.
    pub fn sync_live(
        &mut self,
        source: Source<'_>,
        settings: &Settings,
        height: u16,
        (working, how): (bool, How),
        ctx: &RenderContext<'_>,
    ) -> Vec<Row> {
        let frame = self.frame(source, settings, ctx);
        self.width = frame.ctx.width;
        self.foot = height > 0;
        self.rows_in_all = usize::from(height) - usize::from(self.foot);
        self.height = self.rows_in_all;
        self.sticky = None;
        self.cache.begin_frame();
        self.take_in(&frame);
        self.finish_fold(&frame);
        self.pending.clear();
        self.follow();
        let (rows, more) = self.take_finished(working, how, &frame);
        self.floor = Some(self.printed_to());
        self.shown = self.up_from_end(&frame);
        self.floor = None;
        self.measure_some(&frame);
        self.settle_selection(&frame);
        self.wake = self.next_wake(&frame);
        if more {
            self.wake = Some(ctx.now);
        }
        rows
    }

    /// Rows that the last [`sync_live`](Self::sync_live) left to be drawn, with the blank one below.
    pub fn live_rows(&self) -> u16 {
        let rows: usize = self.shown.iter().map(|shown| shown.len()).sum();
        let rows = rows.min(self.height) + usize::from(self.foot);
        u16::try_from(rows).unwrap_or(u16::MAX)
    }

    /// All that is not printed yet, finished or not.
    pub fn rest(
        &mut self,
        source: Source<'_>,
        settings: &Settings,
        how: How,
        ctx: &RenderContext<'_>,
    ) -> Vec<Row> {
        let settings = Settings {
            motion: false,
            ..*settings
        };
        let frame = self.frame(source, &settings, ctx);
        self.take_in(&frame);
        let mut all = Vec::new();
        let mut at = self.printed_to();
        while let Some(segments) = self.segments(at.0, &frame) {
            for segment in at.1..segments {
                match how {
                    How::Drawn => all.extend(self.rows(at.0, segment, &frame).iter().cloned()),
                    How::Plain => all.extend(self.plain(at.0, segment, &frame)),
                }
            }
            at = (at.0 + 1, 0);
        }
        all
    }

    /// The view is not at the end, or is asked to leave it.
    pub fn is_away(&self) -> bool {
        use super::{Move, Scroll};
        let leaves = |wanted: &Move| !matches!(wanted, Move::By(Scroll::Bottom));
        !self.is_following() || self.pending.iter().any(leaves)
    }

    /// The first item and segment that is not printed.
    fn printed_to(&self) -> (usize, usize) {
        let Some(printed) = self.printed else {
            return (0, 0);
        };
        let item = self.items.partition_point(|item| item.id < printed.block);
        let is_there = self
            .items
            .get(item)
            .is_some_and(|item| item.id == printed.block);
        match printed.segments {
            None if is_there => (item + 1, 0),
            Some(segments) if is_there => (item, segments),
            _ => (item, 0),
        }
    }

    fn segments(&mut self, index: usize, frame: &Frame<'_>) -> Option<usize> {
        self.prepare(index, frame);
        self.items.get(index).map(|item| item.heights.len())
    }

    /// Finished rows, and whether there are more.
    fn take_finished(&mut self, working: bool, how: How, frame: &Frame<'_>) -> (Vec<Row>, bool) {
        let blocks = frame.source.transcript.blocks();
        let mut rows = Vec::new();
        if self.printed.is_some_and(|printed| {
            let last = blocks.last();
            last.is_none_or(|last| last.id < printed.block)
        }) {
            // Another transcript: it begins anew.
            self.printed = None;
        }
        loop {
            let (index, segment) = self.printed_to();
            let Some(block) = blocks.get(index) else {
                return (rows, false);
            };
            if rows.len() >= ROWS_PER_FRAME {
                return (rows, true);
            }
            let Some(segments) = self.segments(index, frame) else {
                return (rows, false);
            };
            let is_last = index + 1 == blocks.len();
            let said = matches!(block.kind, BlockKind::User(_));
            let finished = said || !(is_open(block, frame) || is_last && working);
            let fixed = finished || self.is_fixed(block, index, segment, frame);
            if segment >= segments || !fixed {
                if !finished {
                    return (rows, false);
                }
                self.printed = Some(Printed {
                    block: block.id,
                    segments: None,
                });
                continue;
            }
            let next = Some(Printed {
                block: block.id,
                segments: Some(segment + 1),
            });
            if how == How::Plain {
                rows.extend(self.plain(index, segment, frame));
                self.printed = next;
                continue;
            }
            let drawn = self.rows(index, segment, frame);
            let item = self.items.get(index);
            if item.is_some_and(|item| self.cache.is_provisional(item.key(segment))) {
                // It comes with its colours, or not at all.
                return (rows, false);
            }
            rows.extend(drawn.iter().cloned());
            self.printed = next;
        }
    }

    /// Later text cannot change that segment of an open block.
    fn is_fixed(&self, block: &Block, index: usize, segment: usize, frame: &Frame<'_>) -> bool {
        let Some(item) = self.items.get(index) else {
            return false;
        };
        let detail = self.detail_of(index, frame);
        let own = view(&block.kind).segments(detail, &frame.source);
        let text = segment
            .checked_sub(own)
            .and_then(|at| item.text.content(at));
        matches!(text, Some(Content::Text { done: true, .. })) && !self.is_end(item, segment)
    }

    fn is_end(&self, item: &Item, segment: usize) -> bool {
        segment + 1 >= item.heights.len()
    }

    /// A segment as lines of text; all of a block that is no text stands with its first segment. Blank lines
    /// are not said.
    fn plain(&self, index: usize, segment: usize, frame: &Frame<'_>) -> Vec<Row> {
        let source = &frame.source;
        let (Some(block), Some(item)) =
            (source.transcript.blocks().get(index), self.items.get(index))
        else {
            return Vec::new();
        };
        let shown = view(&block.kind);
        let text = match &block.kind {
            BlockKind::Agent(message) => {
                let range = item.text.segment(segment).map(|part| part.range.clone());
                let text = range.and_then(|range| message.text.get(range));
                let who = if segment == 0 { "Agent: " } else { "" };
                text.map(|text| format!("{who}{}", text.trim()))
            }
            _ if segment > 0 => None,
            BlockKind::User(message) => Some(format!("You: {}", message.text.trim())),
            _ => shown.paged_text(source),
        };
        let text = text.unwrap_or_default();
        let lines = StyledLine::lines(text.trim_end(), ratatui::style::Style::new());
        lines
            .flat_map(|line| line.wrap(frame.ctx.width.into()))
            .filter(|row| row_width(row) > 0)
            .collect()
    }

    /// Nothing above this is drawn.
    pub(super) fn is_floor(&self, at: (usize, usize)) -> bool {
        self.floor.is_some_and(|floor| at <= floor)
    }

    pub(super) fn is_below_floor(&self, at: (usize, usize)) -> bool {
        self.floor.is_some_and(|floor| at < floor)
    }
}

/// It is expected to change.
fn is_open(block: &Block, frame: &Frame<'_>) -> bool {
    view(&block.kind).is_open(&frame.source)
}
