//! Blocks as the view keeps them: how much of each is shown, its segments and their heights. What
//! changed in the transcript is taken in with work for each change, not for each block.

use std::{collections::VecDeque, time::Instant};

use super::{
    TranscriptView,
    cache::{Key, Stamp},
    heights::Heights,
    layout::Position,
};
use crate::{
    session::{Block, BlockId, BlockKind, Changes},
    ui::blocks::{Content, CutText, Detail, Frame, Part, has_gap, view},
};

/// Segments below the view that are measured in one frame.
const MEASURED_PER_FRAME: usize = 16;

#[derive(Debug)]
pub struct Item {
    pub id: BlockId,
    /// The detail that the person chose for it.
    pub detail: Option<Detail>,
    /// A blank row stands above it.
    pub gap: bool,
    /// Heights of the segments: as drawn, or an estimate.
    pub heights: Heights,
    /// Leading segments whose heights are not estimates.
    pub measured: usize,
    /// The block changed and has not been prepared again.
    pub stale: bool,
    /// It waits to be measured.
    pub queued: bool,
    /// For markdown shown whole: where it is cut into segments.
    pub text: CutText,
}

impl Item {
    pub fn new(block: &Block, gap: bool) -> Self {
        Self {
            id: block.id,
            detail: None,
            gap,
            heights: Heights::default(),
            measured: 0,
            stale: true,
            queued: false,
            text: CutText::default(),
        }
    }

    pub fn key(&self, segment: usize) -> Key {
        Key {
            block: self.id,
            segment,
        }
    }

    pub fn part(&self, segment: usize, detail: Detail) -> Part<'_> {
        Part {
            segment,
            detail,
            text: &self.text,
        }
    }

    /// Cuts the block into segments again after it or its detail changed, at the cost of what was
    /// added.
    pub fn prepare(&mut self, block: &Block, detail: Detail, frame: &Frame<'_>) {
        self.stale = false;
        let view = view(&block.kind);
        if self.text.update(view.markdown(detail), frame.ctx.now) {
            self.measured = 0;
        }
        let own = view.segments(detail, &frame.source);
        let count = own + self.text.segments();
        self.heights.truncate(count);
        // Only the last segment of a text may have changed.
        let final_segments = if own == 0 { count.saturating_sub(1) } else { 0 };
        self.measured = self.measured.min(final_segments);
        let width = usize::from(frame.ctx.width).max(1);
        for segment in self.heights.len()..count {
            let gap = usize::from(self.gap && segment == 0);
            let rows = view.estimate(segment, &self.text, width);
            self.heights.push(rows + gap);
        }
    }

    /// As [`Item::prepare`], but takes in all of a text, however long.
    pub fn prepare_whole(&mut self, block: &Block, detail: Detail, frame: &Frame<'_>) {
        self.text = CutText::whole(view(&block.kind).markdown(detail), frame.ctx.now);
        self.prepare(block, detail, frame);
    }

    /// What the segment's rows depend on.
    pub fn stamp(&self, block: &Block, segment: usize, detail: Detail, frame: &Frame<'_>) -> Stamp {
        let view = view(&block.kind);
        let content = match segment.checked_sub(view.segments(detail, &frame.source)) {
            Some(at) => self.text.content(at).unwrap_or(Content::Block {
                rev: block.rev,
                screen: 0,
            }),
            None => view.content(block.rev, segment, detail, frame),
        };
        let moves = view.moves(segment, &frame.source);
        Stamp {
            content,
            width: frame.ctx.width,
            look: (frame.ctx.theme.id, frame.ctx.symbols.ascii),
            pictures: frame.ctx.pictures,
            layout: frame.settings.diff,
            detail,
            tick: if moves { frame.tick.count } else { 0 },
            gap: self.gap && segment == 0,
            found: frame.found,
        }
    }
}

impl TranscriptView {
    pub(super) fn take_in(&mut self, frame: &Frame<'_>) {
        let transcript = frame.source.transcript;
        if self.settings.replace(frame.settings) != Some(frame.settings) {
            // How much of a block shows may depend on it.
            self.items.iter_mut().for_each(|item| item.stale = true);
        }
        let changes = match self.rev {
            Some(rev) => transcript.changes_since(rev),
            None => Changes::All,
        };
        self.rev = Some(transcript.rev());
        match changes {
            Changes::Some(changed) => {
                let late = std::mem::take(&mut self.late);
                for index in late.into_iter().chain(changed) {
                    self.take_in_block(index, frame);
                }
            }
            Changes::All => self.take_in_all(transcript.blocks()),
        }
    }

    /// Takes in one changed block; those before it are known.
    fn take_in_block(&mut self, index: usize, frame: &Frame<'_>) {
        let blocks = frame.source.transcript.blocks();
        while self.items.len() <= index
            && let Some(block) = blocks.get(self.items.len())
        {
            self.append(block);
        }
        let Some(item) = self.items.get_mut(index) else {
            return;
        };
        item.stale = true;
        self.prepare(index, frame);
        if self.is_following() {
            return;
        }
        if let Some(item) = self.items.get_mut(index).filter(|item| !item.queued) {
            item.queued = true;
            self.unmeasured.push_back(index);
        }
    }

    /// Blocks and indexes may all be different. What is known of blocks that are
    /// still there is kept; they are prepared when they come into view.
    fn take_in_all(&mut self, blocks: &[Block]) {
        let anchored = self.anchor_block();
        let mut known: VecDeque<Item> = std::mem::take(&mut self.items).into();
        self.heights = Heights::default();
        self.prompts.clear();
        self.late.clear();
        self.unmeasured.clear();
        for block in blocks {
            while known.front().is_some_and(|item| item.id < block.id) {
                known.pop_front();
            }
            self.append(block);
            if known.front().is_some_and(|item| item.id == block.id)
                && let Some(item) = known.pop_front()
                && let Some(last) = self.items.last_mut()
            {
                *last = item;
                (last.stale, last.queued) = (true, false);
                let height = last.heights.total();
                self.heights.set(self.items.len() - 1, height);
            }
        }
        self.reanchor(anchored);
    }

    fn append(&mut self, block: &Block) {
        if matches!(block.kind, BlockKind::User(_)) {
            self.prompts.push(self.items.len());
        }
        self.items.push(Item::new(block, false));
        // Until it is prepared.
        self.heights.push(1);
    }

    /// Cuts a stale item into segments.
    pub(super) fn prepare(&mut self, index: usize, frame: &Frame<'_>) {
        let Some(block) = frame.source.transcript.blocks().get(index) else {
            return;
        };
        if !self.items.get(index).is_some_and(|item| item.stale) {
            return;
        }
        let detail = self.detail_of(index, frame);
        let Some(item) = self.items.get_mut(index) else {
            return;
        };
        item.prepare(block, detail, frame);
        if item.text.not_before.is_some_and(|at| at > frame.ctx.now) && !self.late.contains(&index)
        {
            self.late.push(index);
        }
        let height = item.heights.total();
        self.heights.set(index, height);
        self.settle_gap(index, frame);
        self.settle_gap(index + 1, frame);
    }

    /// Whether a blank row stands above a block changes with what is shown of it and of the one above.
    pub(super) fn settle_gap(&mut self, index: usize, frame: &Frame<'_>) {
        let gap = has_gap(index, |at| self.detail_of(at, frame), &frame.source);
        let Some(item) = self.items.get_mut(index).filter(|item| item.gap != gap) else {
            return;
        };
        item.gap = gap;
        if item.heights.len() == 0 {
            return;
        }
        let rows = item.heights.get(0);
        let rows = match gap {
            true if rows > 0 => rows + 1,
            true => 0,
            false => rows.saturating_sub(1),
        };
        item.heights.set(0, rows);
        let height = item.heights.total();
        self.heights.set(index, height);
    }

    /// Measures some of what came in below the view, so that the marker's count becomes exact.
    pub(super) fn measure_some(&mut self, frame: &Frame<'_>) {
        if self.is_following() {
            for index in self.unmeasured.drain(..) {
                if let Some(item) = self.items.get_mut(index) {
                    item.queued = false;
                }
            }
            return;
        }
        let mut budget = MEASURED_PER_FRAME;
        while budget > 0
            && let Some(index) = self.unmeasured.front().copied()
        {
            let Some(item) = self.items.get_mut(index) else {
                self.unmeasured.pop_front();
                continue;
            };
            let block = frame.source.transcript.blocks().get(index);
            // An unfinished end is measured once it is finished or visible.
            let open = block.is_some_and(|block| {
                let view = view(&block.kind);
                let text = view.markdown(Detail::Full);
                text.is_some_and(|text| !text.done) || view.moves(0, &frame.source)
            });
            let end = item.heights.len().saturating_sub(usize::from(open));
            let segment = item.measured;
            if segment >= end {
                item.queued = false;
                self.unmeasured.pop_front();
                continue;
            }
            self.rows(index, segment, frame);
            if let Some(item) = self.items.get_mut(index) {
                item.measured = item.measured.max(segment + 1);
            }
            budget -= 1;
        }
    }

    pub(super) fn next_wake(&self, frame: &Frame<'_>) -> Option<Instant> {
        let blocks = frame.source.transcript.blocks();
        let moving = self.shown.iter().any(|shown| {
            let block = blocks.get(shown.item);
            block.is_some_and(|block| view(&block.kind).moves(shown.segment, &frame.source))
        });
        let tick = frame.tick.next.filter(|_| moving);
        let measure = (!self.unmeasured.is_empty() && matches!(self.position, Position::At(_)))
            .then(|| frame.ctx.now + std::time::Duration::from_millis(50));
        let late = self
            .late
            .iter()
            .filter_map(|index| self.items.get(*index)?.text.not_before)
            .min();
        [tick, measure, late].into_iter().flatten().min()
    }
}
