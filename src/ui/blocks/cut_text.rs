//! A markdown text, cut into segments while it streams.

use std::time::{Duration, Instant};

use super::{
    Content, Frame, Markdown,
    rows::{indent, narrowed},
};
use crate::ui::{
    contain::contained,
    render::{
        RenderContext, Rendered, markdown,
        markdown::{Segment, Splitter},
    },
};

/// An unfinished end of more bytes than this is laid out less often than frames are drawn.
const HUGE_TAIL: usize = 32 << 10;

/// Bytes taken in for one frame: megabytes that arrive at once are spread over several frames, with
/// keys handled between them.
const BITE: usize = 512 << 10;

/// The time until the next bite.
const BITE_PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug, Default)]
pub struct CutText {
    splitter: Option<Box<Splitter>>,
    /// What places in the text count for: see [`SafeTextBuf::places`](crate::text::SafeTextBuf::places).
    places: u32,
    /// A text with a huge end, or not yet taken in whole, is not looked at before this.
    pub not_before: Option<Instant>,
}

impl CutText {
    /// Takes in all of a text.
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

    /// Takes in what is new, at the cost of that. True if the text was replaced by another one
    /// (V2-UPD-01), or cut short.
    pub fn update(&mut self, markdown: Option<Markdown<'_>>, now: Instant) -> bool {
        let Some(Markdown { text, done }) = markdown else {
            (self.splitter, self.not_before) = (None, None);
            return false;
        };
        let is_other = text.places() != self.places;
        if is_other {
            // Of one that was cut since only what is around the cut is looked at again.
            let hole = text.hole();
            let hole = hole.filter(|_| text.places() == self.places.wrapping_add(1));
            let goes_on = hole
                .zip(self.splitter.as_mut())
                .is_some_and(|(hole, known)| {
                    contained("a text", || known.cut_out(text, hole)).unwrap_or(false)
                });
            if !goes_on {
                self.splitter = None;
            }
            self.not_before = None;
            self.places = text.places();
        }
        if contained("a text", || self.split(text, done, now)).is_err() {
            // A text that the splitter cannot take is shown plain.
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

    /// What cuts it, if all of this text is cut, and as markdown.
    pub fn whole_of(&self, Markdown { text, done }: Markdown<'_>) -> Option<&Splitter> {
        let splitter = self.splitter.as_deref()?;
        let whole = self.places == text.places() && splitter.seen() == text.len();
        let same = whole && splitter.is_finished() == done && !splitter.is_plain();
        same.then_some(splitter)
    }

    fn seen(&self) -> Option<usize> {
        self.splitter.as_ref().map(|text| text.seen())
    }

    /// The number of segments: at least one if there is a text.
    pub fn segments(&self) -> usize {
        self.splitter
            .as_ref()
            .map_or(0, |text| text.segments().len().max(1))
    }

    pub fn segment(&self, at: usize) -> Option<&Segment> {
        self.splitter.as_ref()?.segments().get(at)
    }

    /// What a segment's rows depend on.
    pub fn content(&self, at: usize) -> Option<Content> {
        let segment = self.segment(at)?;
        Some(Content::Text {
            places: self.places,
            from: segment.range.start,
            to: segment.range.end,
            done: segment.done,
        })
    }

    /// A segment's rows, indented by `by` cells; on wide screens a column at the right is free.
    pub fn draw(&self, source: &str, at: usize, by: usize, frame: &Frame<'_>) -> Rendered {
        let (Some(text), Some(segment)) = (&self.splitter, self.segment(at)) else {
            return Rendered::default();
        };
        let right = usize::from(frame.ctx.width >= 40);
        let body = RenderContext {
            indent: frame.ctx.indent + u16::try_from(by).unwrap_or(0),
            ..narrowed(by + right, &frame.ctx)
        };
        let mut rendered = markdown::render(source, segment, text.defs(), &body);
        indent(&mut rendered.rows, by, &frame.ctx);
        rendered
    }
}

/// The pause between two layouts of a huge end: it grows with the cost, so that the share of time
/// spent on it stays constant.
fn pause(tail: usize) -> Duration {
    const STEP: usize = 256 << 10;
    let steps = u32::try_from(tail.div_ceil(STEP)).unwrap_or(u32::MAX);
    Duration::from_millis(100).saturating_mul(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{SafeText, SafeTextBuf};

    #[test]
    fn a_text_that_was_cut_short_and_has_grown_since_is_cut_into_segments_anew() {
        fn markdown(text: &SafeTextBuf) -> Option<Markdown<'_>> {
            Some(Markdown { text, done: false })
        }
        let now = Instant::now();
        let mut text = SafeTextBuf::from(SafeText::new("# One\n\nfirst words\n\nsecond words\n\n"));
        let mut cut = CutText::default();
        cut.update(markdown(&text), now);
        text.cut_out("# One\n\n".len()..text.len(), &SafeText::default());
        text.push(&SafeText::new(
            "a paragraph that is longer than all that was there before\n\nand one more\n\n",
        ));
        assert!(cut.update(markdown(&text), now), "it is told");
        let anew = CutText::whole(markdown(&text), now);
        assert_eq!(cut.segments(), anew.segments());
        for at in 0..anew.segments() {
            assert_eq!(cut.segment(at), anew.segment(at));
        }
    }
}
