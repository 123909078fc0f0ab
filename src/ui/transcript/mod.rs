//! The transcript's view: virtual scroll over blocks, row caches, anchors, folds, browsing.
//!
//! Owns what is visible and where. Each block of the transcript is an item of one or more segments;
//! only segments that show are drawn, and kept as rows until what they were drawn from changes.
//! Nothing here costs more per frame for a longer transcript or a longer message. Must not know
//! how a block looks (that is [`crate::ui::render`]) nor change the session.

mod browse;
mod cache;
mod exit;
mod frame;
mod heights;
mod item;
mod layout;
mod nested;
mod paint;
mod plain;
mod scroll;
mod segment;
mod take_in;

use std::{collections::VecDeque, time::Instant};

use crate::{
    session::{BlockId, Session},
    ui::render::{RenderContext, tool::Detail},
    vt::Screens,
};

use cache::RowCache;
use frame::{Frame, Source, Tick};
use heights::Heights;
use item::Item;
use layout::{Position, Shown};

pub use browse::FileLocation;
pub use exit::{all_rows, conversation_rows, last_exchange_rows};
pub use frame::Settings;
pub use paint::PlacedLink;
pub use plain::transcript_text;

/// How the view is to move. Applied with the next [`TranscriptView::sync`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scroll {
    /// Rows; negative: towards the beginning.
    Lines(i32),
    /// Screens.
    Pages(f32),
    Top,
    /// Follow what comes in again.
    Bottom,
    PrevPrompt,
    NextPrompt,
}

/// A move that waits for the next sync.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    By(Scroll),
    /// As little as brings this block into view.
    Show(BlockId),
}

/// From this width on the last column is the scroll bar's.
const SCROLL_BAR_FROM: u16 = 40;

/// From this height on a blank row sets the conversation apart from what is below.
const FOOT_FROM: u16 = 9;

/// The view's state. Call [`sync`](Self::sync) before each [`draw`](Self::draw).
#[derive(Default)]
pub struct TranscriptView {
    /// One per block, in order.
    items: Vec<Item>,
    /// Heights of the items.
    heights: Heights,
    /// Indexes of what the person said.
    prompts: Vec<usize>,
    /// The transcript's revision that was taken in.
    rev: Option<u64>,
    cache: RowCache,
    position: Position,
    /// Not applied yet: moving needs the transcript.
    pending: Vec<Move>,
    /// What the last layout put on the screen, from top to bottom.
    shown: Vec<Shown>,
    /// Items with more text than was looked at: huge ones are looked at now and then.
    late: Vec<usize>,
    /// Items below the view whose heights are estimates, to be measured bit by bit.
    unmeasured: VecDeque<usize>,
    unseen: Option<layout::Seen>,
    /// Details of everything are unfolded (ctrl-o).
    details: bool,
    /// A block that the person folds or unfolds, and how much of it was shown before: what is next
    /// may look the same, which only drawing tells.
    folding: Option<(BlockId, Detail)>,
    /// The block that is browsed.
    selected: Option<BlockId>,
    /// Rows of the area, the foot not among them.
    height: usize,
    /// The area's last row is kept free of the conversation: blank, or the marker's.
    foot: bool,
    /// Details as of the last sync, so that a change of settings is noticed.
    settings: Option<Settings>,
    epoch: Option<Instant>,
    /// When the view wants to be drawn again by itself.
    wake: Option<Instant>,
    #[cfg(test)]
    rendered_rows: usize,
}

impl TranscriptView {
    /// Takes in what changed and lays out what is visible. `ctx.width` and `height` are those of
    /// the area that will be drawn to.
    pub fn sync(
        &mut self,
        session: &Session,
        screens: &Screens,
        settings: &Settings,
        height: u16,
        ctx: &RenderContext<'_>,
    ) {
        self.sync_source(Source::new(session, screens), settings, height, ctx);
    }

    fn sync_source(
        &mut self,
        source: Source<'_>,
        settings: &Settings,
        height: u16,
        ctx: &RenderContext<'_>,
    ) {
        let epoch = *self.epoch.get_or_insert(ctx.now);
        let frame = Frame {
            source,
            settings: *settings,
            ctx: RenderContext {
                width: content_width(ctx.width),
                ..*ctx
            },
            tick: Tick::at(ctx.now, epoch, settings.motion),
        };
        self.foot = height >= FOOT_FROM;
        self.height = usize::from(height) - usize::from(self.foot);
        self.cache.begin_frame();
        self.take_in(&frame);
        self.finish_fold(&frame);
        self.layout(&frame);
        self.apply_scrolls(&frame);
        self.measure_some(&frame);
        self.wake = self.next_wake(&frame);
    }

    /// When the view wants to be drawn again although nothing happened: a spinner or a clock is
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
        for item in &mut self.items {
            item.detail = None;
            item.stale = true;
        }
        self.rest_on_header(None);
    }

    fn detail_of(&self, index: usize, frame: &Frame<'_>) -> Detail {
        let own = self.items.get(index).and_then(|item| item.detail);
        frame
            .source
            .transcript
            .blocks()
            .get(index)
            .map_or(Detail::Short, |block| {
                item::detail(
                    block,
                    own,
                    self.details,
                    frame.settings.thoughts,
                    &frame.source,
                )
            })
    }
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
mod samples;
#[cfg(test)]
mod tests;
