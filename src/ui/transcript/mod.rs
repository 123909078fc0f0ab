//! The transcript's view: virtual scroll over blocks, row caches, anchors, folds, browsing.
//!
//! Owns what is visible and where. Each block of the transcript is an item of one or more segments;
//! only segments that show are drawn, and kept as rows until what they were drawn from changes.
//! Nothing here costs more per frame for a longer transcript or a longer message. Must not know
//! how a block looks (that is [`crate::ui::blocks`]) nor change the session.

mod browse;
mod cache;
mod exit;
mod found;
mod heights;
mod items;
mod layout;
mod printed;
mod scroll;
mod select;
mod sticky;

use std::{collections::VecDeque, sync::Arc, time::Instant};

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::{
    config::Thoughts,
    picture::Strip,
    session::{Block, BlockId},
    ui::{
        blocks::{Detail, Frame, Settings, Source, Tick, view},
        find::Place,
        render::{RenderContext, Row, line::row_width},
    },
};

use cache::RowCache;
use found::Opened;
use heights::Heights;
use items::Item;
use layout::{Position, Shown};
use select::Selecting;

pub use exit::{Printed, printed_rows};
pub use found::{Current, Found, ViewPlace};
pub(crate) use found::{MarkedCells, mark_style, marks};
pub use printed::How;
pub use select::Taken;

/// A move of the view, applied with the next [`TranscriptView::sync`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scroll {
    /// Rows; negative: towards the beginning.
    Lines(i32),
    /// Screens.
    Pages(f32),
    Top,
    /// Follow new rows again.
    Bottom,
    PrevPrompt,
    NextPrompt,
}

/// A move to be made with the next sync.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    By(Scroll),
    /// As little as possible to bring this block into view.
    Show(BlockId),
    /// This match into view, unfolded.
    Found(Place),
}

/// From this width on the last column is the scroll bar's.
const SCROLL_BAR_FROM: u16 = 40;

/// From this height on a blank row sets the conversation apart from what is below.
const FOOT_FROM: u16 = 9;

/// What is below a view that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    /// Rows that came in since the person scrolled.
    pub new: usize,
    /// All rows below; partly an estimate.
    pub rows: usize,
}

/// A hyperlink on the screen, for OSC 8.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedLink {
    /// One row high.
    pub area: Rect,
    pub uri: Arc<str>,
}

/// A row of an image on the screen.
#[derive(Clone, Debug)]
pub struct PlacedPicture {
    /// One row high, as far as it shows.
    pub area: Rect,
    pub strip: Strip,
}

/// Where the images of rows stand that are drawn from the top of `area` on.
pub fn placed_pictures<'r>(
    rows: impl IntoIterator<Item = &'r Row>,
    area: Rect,
) -> impl Iterator<Item = PlacedPicture> {
    let rows = (area.top()..area.bottom()).zip(rows);
    rows.filter_map(move |(y, row)| {
        let strip = row.picture.clone()?;
        let room = area.width.saturating_sub(strip.column);
        Some(PlacedPicture {
            area: Rect::new(
                area.x.saturating_add(strip.column),
                y,
                strip.drawn.size.width.min(room),
                1,
            ),
            strip,
        })
    })
}

/// The view's state. Call [`sync`](Self::sync) before each [`draw`](Self::draw).
#[derive(Default)]
pub struct TranscriptView {
    /// One per block, in order.
    items: Vec<Item>,
    /// Heights of the items.
    heights: Heights,
    /// Indexes of what the person said.
    prompts: Vec<usize>,
    /// The last revision of the transcript that was taken in.
    rev: Option<u64>,
    cache: RowCache,
    position: Position,
    /// Moves not applied yet: they need the transcript.
    pending: Vec<Move>,
    /// The segments on the screen, from top to bottom.
    shown: Vec<Shown>,
    /// Items with text still to be taken in: huge ones are taken in over several frames.
    late: Vec<usize>,
    /// Items below the view whose heights are estimates, to be measured bit by bit.
    unmeasured: VecDeque<usize>,
    unseen: Option<layout::Seen>,
    /// Details of everything are unfolded (ctrl-o).
    details: bool,
    /// A block that the person folds or unfolds, and its detail before: the next detail
    /// may look the same, which only drawing shows.
    folding: Option<(BlockId, Detail)>,
    /// The block that is browsed.
    selected: Option<BlockId>,
    /// With the mouse.
    selecting: Selecting,
    /// Columns of the rows.
    width: u16,
    /// What find marks, and the block that it unfolded.
    found: Option<Found>,
    opened: Option<Opened>,
    /// Rows of the area, the foot not among them.
    rows_in_all: usize,
    /// Those for the conversation: all but the sticky one.
    height: usize,
    /// The prompt that the rows belong to, where it is above them.
    sticky: Option<Row>,
    /// The area's last row is not for the conversation, but blank.
    foot: bool,
    /// The settings of the last sync, so that a change is noticed.
    settings: Option<Settings>,
    epoch: Option<Instant>,
    /// When the view must be drawn again without an event.
    wake: Option<Instant>,
    /// What is in the terminal's scrollback.
    printed: Option<printed::Printed>,
    /// The first item and segment that is laid out, where not all are.
    floor: Option<(usize, usize)>,
    #[cfg(test)]
    rendered_rows: usize,
}

impl TranscriptView {
    /// Takes in what changed and lays out what is visible. `ctx.width` and `height` are those of
    /// the area that will be drawn to.
    pub fn sync(
        &mut self,
        source: Source<'_>,
        settings: &Settings,
        height: u16,
        ctx: &RenderContext<'_>,
    ) {
        let frame = self.frame(source, settings, ctx);
        self.width = frame.ctx.width;
        self.foot = height >= FOOT_FROM;
        self.rows_in_all = usize::from(height) - usize::from(self.foot);
        self.height = self.rows_in_all - usize::from(self.sticky.is_some()).min(self.rows_in_all);
        self.cache.begin_frame();
        self.take_in(&frame);
        self.finish_fold(&frame);
        self.layout(&frame);
        self.apply_scrolls(&frame);
        self.measure_some(&frame);
        self.settle_selection(&frame);
        self.wake = self.next_wake(&frame);
    }

    /// What rows are drawn from, for an area as wide as `ctx` says.
    fn frame<'a>(
        &mut self,
        source: Source<'a>,
        settings: &Settings,
        ctx: &RenderContext<'a>,
    ) -> Frame<'a> {
        let epoch = *self.epoch.get_or_insert(ctx.now);
        Frame {
            source,
            settings: *settings,
            ctx: RenderContext {
                width: content_width(ctx.width),
                ..*ctx
            },
            tick: Tick::at(ctx.now, epoch, settings.motion),
            found: None,
        }
    }

    /// When the view must be drawn again although nothing happened: a spinner or a clock is
    /// visible, or work was put off. `None` when idle.
    pub fn deadline(&self) -> Option<Instant> {
        self.wake
    }

    /// The view stays at the end.
    pub fn is_following(&self) -> bool {
        matches!(self.position, Position::Follow)
    }

    /// Folds or unfolds the details of everything (ctrl-o).
    pub fn toggle_details(&mut self) {
        self.details = !self.details;
        self.touched(None);
        for item in &mut self.items {
            item.detail = None;
            item.stale = true;
        }
        self.rest_on_header(None);
    }

    /// How much of a block is shown: as chosen for it, for all, or as usual.
    fn detail(
        &self,
        index: usize,
        block: &Block,
        thoughts: Thoughts,
        source: &Source<'_>,
    ) -> Detail {
        let own = self.items.get(index).and_then(|item| item.detail);
        match own {
            Some(own) => own,
            None if self.details => Detail::Full,
            None => view(&block.kind).usual_detail(thoughts, source),
        }
    }

    fn detail_of(&self, index: usize, frame: &Frame<'_>) -> Detail {
        let block = frame.source.transcript.blocks().get(index);
        block.map_or(Detail::Short, |block| {
            self.detail(index, block, frame.settings.thoughts, &frame.source)
        })
    }
}

impl TranscriptView {
    /// Draws the layout of the last sync, at the cost of the visible rows. Returns the links
    /// among them.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) -> Vec<PlacedLink> {
        let area = area.intersection(buf.area);
        let mut links = Vec::new();
        if area.is_empty() {
            return links;
        }
        let bar = area.width >= SCROLL_BAR_FROM;
        let width = area.width - u16::from(bar);
        let selected = self.selected_index();
        let rows = self.shown.iter().flat_map(|shown| {
            let rows = shown.rows.iter().enumerate().skip(shown.skip);
            rows.map(|(at, row)| ((shown.item, shown.segment, at), row))
        });
        let bottom = area.bottom() - u16::from(self.foot).min(area.height);
        if let Some(prompt) = &self.sticky {
            buf.set_line(area.x, area.y, &prompt.line, width);
        }
        let top = area.y + self.sticky_rows();
        for (y, (place, row)) in (top..bottom).zip(rows) {
            buf.set_line(area.x, y, &row.line, width);
            self.mark_row(place, row, Rect::new(area.x, y, width, 1), buf, ctx);
            if selected == Some(place.0) && row_width(row) > 0 {
                mark_selected(area.x, y, buf, ctx);
            }
            links.extend(row.links.iter().map(|link| {
                let columns = link.columns.start.min(width)..link.columns.end.min(width);
                PlacedLink {
                    area: Rect::new(area.x + columns.start, y, columns.end - columns.start, 1),
                    uri: link.uri.clone(),
                }
            }));
        }
        if self.found.is_some() {
            let mut y = top.min(bottom);
            for shown in self.shown.iter().filter(|shown| shown.len() > 0) {
                let visible = Rect::new(area.x, y, width, bottom - y);
                self.draw_marks(shown, visible, buf, ctx);
                let rows = u16::try_from(shown.len()).unwrap_or(u16::MAX);
                y = y.saturating_add(rows).min(bottom);
            }
        }
        if bar {
            self.draw_bar(
                Rect::new(area.right() - 1, area.y, 1, area.height),
                buf,
                ctx,
            );
        }
        links
    }

    /// The images among the rows that were drawn.
    pub fn pictures(&self, area: Rect) -> Vec<PlacedPicture> {
        let foot = u16::from(self.foot).min(area.height);
        let top = self.sticky_rows().min(area.height - foot);
        let area = Rect {
            y: area.y + top,
            height: area.height - foot - top,
            width: content_width(area.width).min(area.width),
            ..area
        };
        let rows = self.shown.iter();
        let rows = rows.flat_map(|shown| shown.rows.iter().skip(shown.skip));
        placed_pictures(rows, area).collect()
    }

    /// What is below the rows of the last sync, while the view does not follow.
    pub fn below(&self) -> Option<Below> {
        if self.is_following() {
            return None;
        }
        let (above, total) = self.extent();
        Some(Below {
            new: self.new_rows(),
            rows: total.saturating_sub(above + self.height),
        })
    }

    /// The scroll bar, while the view does not follow.
    fn draw_bar(&self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        if self.is_following() {
            return;
        }
        let (above, total) = self.extent();
        let track = usize::from(area.height);
        let total = total.max(above + track).max(1);
        let length = (track * track / total).clamp(1, track);
        let from = (above * track / total).min(track - length);
        let (thumb, style) = if ctx.symbols.ascii {
            ("#", ctx.theme.dim)
        } else {
            ("▐", ctx.theme.dim)
        };
        for y in from..from + length {
            let y = area.y + u16::try_from(y).unwrap_or(0);
            buf.set_string(area.x, y, thumb, style);
        }
    }
}

/// The margin beside the selected block.
fn mark_selected(x: u16, y: u16, buf: &mut Buffer, ctx: &RenderContext<'_>) {
    buf.set_string(
        x,
        y,
        ctx.symbols.quote,
        Style::new().patch(ctx.theme.accent),
    );
}

/// Cells for rows; the scroll bar takes one where there is room.
pub fn content_width(width: u16) -> u16 {
    if width >= SCROLL_BAR_FROM {
        width - 1
    } else {
        width.max(1)
    }
}

#[cfg(test)]
mod bound_tests;
#[cfg(test)]
mod browse_tests;
#[cfg(test)]
mod found_tests;
#[cfg(test)]
mod gap_tests;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
