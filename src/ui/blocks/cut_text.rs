//! A text in markdown as it is cut into segments while it comes in.

use std::time::{Duration, Instant};

use super::{
    Content, Frame, Markdown,
    rows::{indent, narrowed},
};
use crate::ui::{
    contain::contained,
    render::{
        Rendered, markdown,
        markdown::{Segment, Splitter},
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

#[derive(Debug, Default)]
pub struct CutText {
    splitter: Option<Box<Splitter>>,
    /// Which edition of the text it is.
    edition: u32,
    /// A text that is huge, or not taken in whole yet, is not looked at again before this.
    pub not_before: Option<Instant>,
}

impl CutText {
    /// All of a text, however long.
    pub fn whole(markdown: Option<Markdown<'_>>, now: Instant) -> Self {
        let mut text = Self::default();
        loop {
            let before = text.seen();
            text.update(markdown, now);
            if text.seen() == before {
                return text;
            }
        }
    }

    /// Takes in what came, at the cost of that. `true` if it is another text than before (V2-UPD-01):
    /// nothing of the one before is known of it.
    pub fn update(&mut self, markdown: Option<Markdown<'_>>, now: Instant) -> bool {
        let Some(Markdown { text, done }) = markdown else {
            (self.splitter, self.not_before) = (None, None);
            return false;
        };
        let is_other = text.edition() != self.edition;
        if is_other {
            (self.splitter, self.not_before) = (None, None);
            self.edition = text.edition();
        }
        if contained("a text", || self.split(text, done, now)).is_err() {
            // One that the splitter cannot take stands as it is.
            self.splitter = Some(Box::new(Splitter::plain()));
            if contained("a plain text", || self.split(text, done, now)).is_err() {
                self.splitter = Some(Box::new(Splitter::plain()));
            }
        }
        is_other
    }

    fn split(&mut self, source: &str, done: bool, now: Instant) {
        let text = self.splitter.get_or_insert_default();
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
    }

    fn seen(&self) -> Option<usize> {
        self.splitter.as_ref().map(|text| text.seen())
    }

    /// How many segments it has: at least one, if there is a text.
    pub fn segments(&self) -> usize {
        self.splitter
            .as_ref()
            .map_or(0, |text| text.segments().len().max(1))
    }

    pub fn segment(&self, at: usize) -> Option<&Segment> {
        self.splitter.as_ref()?.segments().get(at)
    }

    /// What the rows of a segment depend on.
    pub fn content(&self, at: usize) -> Option<Content> {
        let segment = self.segment(at)?;
        Some(Content::Text {
            edition: self.edition,
            from: segment.range.start,
            to: segment.range.end,
            done: segment.done,
        })
    }

    /// A segment's rows, `by` cells set in and with a column left free at the right of wide ones.
    pub fn draw(&self, source: &str, at: usize, by: usize, frame: &Frame<'_>) -> Rendered {
        let (Some(text), Some(segment)) = (&self.splitter, self.segment(at)) else {
            return Rendered::default();
        };
        let right = usize::from(frame.ctx.width >= 40);
        let body = narrowed(by + right, &frame.ctx);
        let mut rendered = markdown::render(source, segment, text.defs(), &body);
        indent(&mut rendered.rows, by, &frame.ctx);
        rendered
    }
}

/// How long a huge tail rests between two looks: its cost grows with its length, so that the share
/// of time spent on it stays the same.
fn pause(tail: usize) -> Duration {
    const STEP: usize = 256 << 10;
    let steps = u32::try_from(tail.div_ceil(STEP)).unwrap_or(u32::MAX);
    Duration::from_millis(100).saturating_mul(steps)
}
