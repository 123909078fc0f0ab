//! A block as the view keeps it: how much of it is shown, its segments and their heights.

use std::time::{Duration, Instant};

use super::{
    cache::{Content, Key, Stamp},
    frame::{Frame, Source},
    heights::Heights,
    nested,
};
use crate::{
    config::Thoughts,
    model::ToolContent,
    session::{Block, BlockId, BlockKind, NoticeLevel},
    ui::{
        contain::contained,
        render::{
            markdown::{Segment, Splitter},
            tool::{Detail, default_detail, piece_count},
        },
    },
};

/// From this many bytes on the unfinished end of a message is huge, and is laid out again less
/// often than frames are drawn.
const HUGE_TAIL: usize = 32 << 10;

/// Bytes of a text that are taken in for one frame: what comes in megabytes at once is shown over
/// several frames, with the keys between them.
const BITE: usize = 512 << 10;

/// Until the next bite.
const BITE_PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub struct Item {
    pub id: BlockId,
    /// The person's own word on folding it.
    pub detail: Option<Detail>,
    /// A blank row stands above it.
    pub gap: bool,
    /// Heights of the segments: as drawn, or an estimate.
    pub heights: Heights,
    /// Leading segments whose heights are not estimates.
    pub measured: usize,
    /// The block changed and was not looked at yet.
    pub stale: bool,
    /// It waits to be measured.
    pub queued: bool,
    /// Of texts in markdown that are shown whole: where they are cut.
    pub text: Option<Box<Splitter>>,
    /// Which edition of the text that is.
    edition: u32,
    /// A text that is huge, or not taken in whole yet, is not looked at again before this.
    pub not_before: Option<Instant>,
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
            text: None,
            edition: 0,
            not_before: None,
        }
    }

    pub fn key(&self, segment: usize) -> Key {
        Key {
            block: self.id,
            segment,
        }
    }

    /// Cuts the block into segments again after it or its detail changed. Costs what was added.
    pub fn prepare(&mut self, block: &Block, detail: Detail, frame: &Frame<'_>) {
        self.stale = false;
        let now = frame.ctx.now;
        let edition = match &block.kind {
            BlockKind::Agent(message) => message.text.edition(),
            BlockKind::Thought(thought) => thought.text.edition(),
            _ => 0,
        };
        if edition != self.edition {
            // Another text (V2-UPD-01): nothing of the one before is known of it.
            self.edition = edition;
            self.text = None;
            self.not_before = None;
            self.measured = 0;
        }
        let count = match &block.kind {
            BlockKind::Agent(message) => self.split(&message.text, message.done, now),
            BlockKind::Thought(thought) if detail == Detail::Full => {
                1 + self.split(&thought.text, thought.took.is_some(), now)
            }
            BlockKind::Thought(thought) => {
                self.text = None;
                let live = detail == Detail::Short && thought.took.is_none();
                1 + usize::from(live)
            }
            BlockKind::Tool(call) => 1 + piece_count(call, detail),
            BlockKind::Compaction(compaction) if detail == Detail::Full => {
                1 + compaction.summary.len()
            }
            BlockKind::SessionMessage(message) if detail != Detail::Header => {
                1 + message.content.len()
            }
            BlockKind::Subagent(id) => nested::segments(id, detail, &frame.source),
            _ => 1,
        };
        self.heights.truncate(count);
        // The last segments may have changed; what is before them is final, in a text.
        let final_segments = match &block.kind {
            BlockKind::Agent(_) => count.saturating_sub(1),
            _ => 0,
        };
        self.measured = self.measured.min(final_segments);
        for segment in self.heights.len()..count {
            self.heights.push(self.estimate(block, segment, frame));
        }
    }

    /// As [`Item::prepare`], but takes in all of a text, however long.
    pub fn prepare_whole(&mut self, block: &Block, detail: Detail, frame: &Frame<'_>) {
        let seen = |item: &Self| item.text.as_ref().map(|text| text.seen());
        let mut before = None;
        loop {
            self.prepare(block, detail, frame);
            let now = seen(self);
            if now == before {
                return;
            }
            before = now;
        }
    }

    /// A text that the splitter cannot take stands as it is.
    fn split(&mut self, source: &str, done: bool, now: Instant) -> usize {
        if let Ok(count) = contained("a text", || self.split_by(source, done, now)) {
            return count;
        }
        self.text = Some(Box::new(Splitter::plain()));
        contained("a plain text", || self.split_by(source, done, now)).unwrap_or(1)
    }

    fn split_by(&mut self, source: &str, done: bool, now: Instant) -> usize {
        let text = self.text.get_or_insert_default();
        #[cfg(test)]
        if !text.is_plain() {
            crate::ui::contain::faults::meet("split", source);
        }
        let bite = source.floor_char_boundary(text.seen().saturating_add(BITE));
        if bite < source.len() {
            text.update(&source[..bite]);
            self.not_before = Some(now + BITE_PAUSE);
        } else if done {
            text.finish(source);
            self.not_before = None;
        } else if self.not_before.is_none_or(|at| at <= now) {
            text.update(source);
            let tail = text.segments().last().map_or(0, |last| last.range.len());
            self.not_before = (tail > HUGE_TAIL).then(|| now + pause(tail));
        }
        text.segments().len().max(1)
    }

    /// A first guess at a segment's height, at a cost that does not depend on its length.
    fn estimate(&self, block: &Block, segment: usize, frame: &Frame<'_>) -> usize {
        let width = usize::from(frame.ctx.width).max(1);
        let gap = usize::from(self.gap && segment == 0);
        let rows = match &block.kind {
            BlockKind::User(message) => 2 + (message.text.len() / width + 1).min(12),
            BlockKind::Agent(_) => {
                let bytes = self.text_segment(segment).map_or(0, |s| s.range.len());
                bytes / width + 2
            }
            BlockKind::Tool(_) if segment > 0 => 8,
            BlockKind::Plan(_) => 2,
            _ => 1,
        };
        rows + gap
    }

    /// A segment of a text in markdown.
    pub fn text_segment(&self, segment: usize) -> Option<&Segment> {
        self.text.as_ref()?.segments().get(segment)
    }

    /// What the segment's rows depend on.
    pub fn stamp(&self, block: &Block, segment: usize, detail: Detail, frame: &Frame<'_>) -> Stamp {
        let plain = Content::Block {
            rev: block.rev,
            screen: 0,
        };
        let text = |segment| {
            self.text_segment(segment)
                .map_or(plain, |segment| Content::Text {
                    edition: self.edition,
                    from: segment.range.start,
                    to: segment.range.end,
                    done: segment.done,
                })
        };
        let content = match &block.kind {
            BlockKind::Agent(_) => text(segment),
            BlockKind::Thought(thought) => match segment.checked_sub(1) {
                // Only time counts in the header while it is open.
                None if thought.took.is_none() => Content::Block { rev: 0, screen: 0 },
                Some(segment) if detail == Detail::Full => text(segment),
                _ => plain,
            },
            BlockKind::Tool(call) => {
                let piece = segment.checked_sub(1).and_then(|at| call.content.get(at));
                Content::Block {
                    rev: block.rev,
                    screen: piece.map_or(0, |piece| screen_rev(piece, frame)),
                }
            }
            BlockKind::Subagent(id) if segment > 0 => nested::content(id, segment, detail, frame),
            _ => plain,
        };
        let moves = segment_moves(block, segment, &frame.source);
        Stamp {
            content,
            width: frame.ctx.width,
            look: (frame.ctx.theme.id, frame.ctx.symbols.ascii),
            layout: frame.settings.diff,
            detail,
            tick: if moves { frame.tick.count } else { 0 },
            gap: self.gap && segment == 0,
        }
    }
}

/// How long a huge tail rests between two looks: its cost grows with its length, so that the share
/// of time spent on it stays the same.
fn pause(tail: usize) -> Duration {
    const STEP: usize = 256 << 10;
    let steps = u32::try_from(tail.div_ceil(STEP)).unwrap_or(u32::MAX);
    Duration::from_millis(100).saturating_mul(steps)
}

/// A spinner or a clock is in that segment.
pub fn segment_moves(block: &Block, segment: usize, source: &Source<'_>) -> bool {
    match &block.kind {
        BlockKind::Subagent(id) => nested::segment_moves(id, segment, source),
        _ => segment == 0 && moves(block, source),
    }
}

/// A spinner or a clock is in its header.
pub fn moves(block: &Block, source: &Source<'_>) -> bool {
    match &block.kind {
        BlockKind::Subagent(id) => nested::segment_moves(id, 0, source),
        BlockKind::Thought(thought) => thought.took.is_none(),
        BlockKind::Tool(call) => call.is_running(),
        BlockKind::Compaction(compaction) => compaction.is_open(),
        _ => false,
    }
}

pub fn screen_rev(piece: &ToolContent, frame: &Frame<'_>) -> u64 {
    let ToolContent::Terminal(id) = piece else {
        return 0;
    };
    let exited = frame
        .source
        .terminals
        .get(id)
        .is_some_and(|info| info.exit.is_some());
    let rev = frame
        .source
        .screens
        .get(id)
        .map_or(0, |screen| screen.lock().rev() + 1);
    2 * rev + u64::from(exited)
}

/// How much of a block is shown: as the person said of it, of all, or as is usual.
pub fn detail(
    block: &Block,
    own: Option<Detail>,
    all: bool,
    thoughts: Thoughts,
    source: &Source<'_>,
) -> Detail {
    if let Some(own) = own {
        return own;
    }
    match &block.kind {
        _ if all => Detail::Full,
        BlockKind::Agent(_) | BlockKind::Plan(_) => Detail::Full,
        BlockKind::Thought(thought) => match (thoughts, thought.took) {
            (Thoughts::Show, _) => Detail::Full,
            (Thoughts::Auto, None) => Detail::Short,
            (Thoughts::Auto, Some(_)) | (Thoughts::Hide, _) => Detail::Header,
        },
        BlockKind::Tool(call) => default_detail(call),
        // What an agent said when it failed is looked for at once.
        BlockKind::Notice(notice) if notice.level == NoticeLevel::Error => Detail::Short,
        BlockKind::Notice(_) | BlockKind::Compaction(_) => Detail::Header,
        BlockKind::PlanText(_) | BlockKind::SessionMessage(_) => Detail::Short,
        // What it does now is worth some rows; what it did is there on demand.
        BlockKind::Subagent(id) => match source.subagents.get(id) {
            Some(subagent) if subagent.is_active() => Detail::Short,
            _ => Detail::Header,
        },
        BlockKind::User(_) | BlockKind::Content(_) => Detail::Short,
    }
}

/// What folding makes of `now`: through all that differ for such a block.
pub fn next_detail(block: &Block, now: Detail) -> Detail {
    match (&block.kind, now) {
        (BlockKind::Agent(_) | BlockKind::Plan(_), _) => Detail::Full,
        (BlockKind::User(_) | BlockKind::Content(_) | BlockKind::PlanText(_), Detail::Full) => {
            Detail::Short
        }
        (BlockKind::Tool(call), Detail::Header) if default_detail(call) == Detail::Short => {
            Detail::Short
        }
        (_, Detail::Full) => Detail::Header,
        _ => Detail::Full,
    }
}

/// A blank row between what belongs to different trains of thought.
pub fn gap_between(above: Option<&BlockKind>, below: &BlockKind) -> bool {
    use BlockKind as K;
    match (above, below) {
        (None, _) => false,
        (Some(K::User(_)), _) => true,
        (_, K::User(_) | K::Plan(_) | K::PlanText(_)) => true,
        (Some(K::Plan(_) | K::PlanText(_)), _) => true,
        (Some(K::Agent(_)), _) => true,
        (Some(_), K::Agent(_)) => true,
        (Some(K::Tool(_)), K::Thought(_)) => true,
        _ => false,
    }
}
