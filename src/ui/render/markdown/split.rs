//! Cutting a growing message into segments, looking only at what was added.
//!
//! A block is committed when a *completed line* begins the next one; what is committed never
//! changes. (Committing on unfinished lines would be wrong: `#` may become `#foo`.) Three things
//! keep the work linear however long one block is: list items are segments of their own; fenced
//! code and tables are cut into pieces; and the more of a block is there, the more must be added
//! before it is parsed again.

use std::ops::Range;

use super::{
    LinkDefs,
    cut::{Kind, cuts, first_line, floor_boundary, safe_cut, top_level, with_head},
    fence::Fence,
};
use crate::ui::render::code::{Code, Language};

/// Complete lines are taken in steps of about so many bytes, so that a whole document at once
/// costs no more than a streamed one.
pub(super) const STEP: usize = 8 * 1024;
/// An open block under this size is parsed with each line; a bigger one when it grew by an eighth.
pub(super) const PARSE_EAGERLY: usize = 4 * 1024;
/// Lines and bytes of a piece of fenced code.
const CODE_LINES: usize = 64;
pub(super) const CODE_BYTES: usize = 16 * 1024;
/// A paragraph over this many bytes, and any other block over the other, is cut.
pub(super) const MAX_PARAGRAPH: usize = 16 * 1024;
pub(super) const MAX_BLOCK: usize = 128 * 1024;
/// An unfinished line that is this long will not become something else. So many bytes of an info
/// string are one.
pub(super) const SETTLED_LINE: usize = 1024;

/// A part of a message that is rendered by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Bytes of the source. Segments are in order and do not overlap.
    pub range: Range<usize>,
    /// Nothing that is added will change it. All but the last are.
    pub done: bool,
    /// Begins with a blank row: not the first one, not what continues the one before.
    pub gap: bool,
    pub shape: Shape,
}

/// How a segment's bytes are to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As markdown.
    Blocks,
    /// As one item of a list; with its number where the list is ordered.
    Item { ordinal: Option<u64> },
    /// As (a piece of) a fenced code block.
    Code(CodePiece),
    /// As more rows of the table whose head and first rows are at `head`.
    Rows { head: Range<usize> },
    /// As no markdown, but as it is.
    Plain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePiece {
    pub(super) fence: Fence,
    /// Bytes of the info string.
    pub(super) info: Range<usize>,
    /// Where the block's code begins.
    pub(super) start: usize,
    /// Bytes of this piece's code.
    pub(super) body: Range<usize>,
    /// [`Code::key`] of the piece before.
    pub(super) previous: u64,
}

impl CodePiece {
    pub(super) fn is_first(&self) -> bool {
        self.body.start == self.start
    }
}

/// Cuts one message. Starts empty: `Splitter::default()`.
#[derive(Debug)]
pub struct Splitter {
    /// The last one may be open.
    segments: Vec<Segment>,
    defs: LinkDefs,
    /// Bytes looked at, and the end of the last complete line among them.
    seen: usize,
    lines: usize,
    /// What is not committed yet; its range's end is not kept up to date.
    open: Segment,
    open_kind: Kind,
    /// Where the first line of the open code block begins that was not looked at.
    scan: usize,
    code_lines: usize,
    /// Complete lines must reach here before they are parsed, and the source before it is
    /// measured against the bounds.
    parse_at: usize,
    measure_at: usize,
    finished: bool,
    /// The work that was done, for tests of how it grows.
    #[cfg(test)]
    pub(super) parsed_bytes: usize,
}

impl Default for Splitter {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            defs: LinkDefs::default(),
            seen: 0,
            lines: 0,
            open: Segment {
                range: 0..0,
                done: false,
                gap: false,
                shape: Shape::Blocks,
            },
            open_kind: Kind::Other,
            scan: 0,
            code_lines: 0,
            parse_at: 0,
            measure_at: MAX_PARAGRAPH + 1,
            finished: false,
            #[cfg(test)]
            parsed_bytes: 0,
        }
    }
}

impl Splitter {
    /// One that cuts where it may and looks for no markdown: for a text that cannot be drawn as such.
    pub fn plain() -> Self {
        let mut splitter = Self::default();
        splitter.open.shape = Shape::Plain;
        splitter
    }

    pub fn is_plain(&self) -> bool {
        self.open.shape == Shape::Plain
    }

    /// Takes in what was appended to `source` since the last call. A source that did not grow by
    /// appending is started over when it is shorter, and must not be passed otherwise.
    pub fn update(&mut self, source: &str) {
        if source.len() < self.seen || (self.finished && source.len() > self.seen) {
            *self = match self.is_plain() {
                true => Self::plain(),
                false => Self::default(),
            };
        }
        if source.len() == self.seen {
            return;
        }
        self.take_open();
        while self.seen < source.len() {
            // A bite ends where the bounds are measured next, so that what is cut does not hang on
            // the pieces in which it came.
            let end = (self.seen + STEP).min(self.measure_at.max(self.seen + 1));
            let bite = source
                .get(..source.ceil_char_boundary(end))
                .unwrap_or(source);
            let last = bite.as_bytes()[self.seen..]
                .iter()
                .rposition(|b| *b == b'\n');
            if let Some(last) = last {
                self.lines = self.seen + last + 1;
                self.advance(bite, self.lines, false);
            }
            self.seen = bite.len();
            self.bound(bite);
        }
        self.put_open(source, false);
    }

    /// Takes in the rest: nothing will be appended, the last line is complete.
    pub fn finish(&mut self, source: &str) {
        self.update(source);
        if self.finished {
            return;
        }
        self.take_open();
        self.advance(source, source.len(), true);
        self.put_open(source, true);
        self.finished = true;
    }

    /// Bytes of the source that were taken in.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// In order. The last may be open, all others are done.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub fn defs(&self) -> &LinkDefs {
        &self.defs
    }

    fn take_open(&mut self) {
        if self.segments.last().is_some_and(|last| !last.done) {
            self.segments.pop();
        }
    }

    fn put_open(&mut self, source: &str, done: bool) {
        if self.open.range.start < source.len() {
            let mut open = self.open.clone();
            open.range.end = source.len();
            open.done = done;
            if let Shape::Code(piece) = &mut open.shape {
                piece.body.end = source.len();
            }
            self.segments.push(open);
        }
    }

    /// Looks at the complete lines up to `end`.
    fn advance(&mut self, source: &str, end: usize, force: bool) {
        loop {
            let again = match self.open.shape {
                Shape::Code(_) => self.scan_code(source, end),
                Shape::Plain => false,
                _ => self.parse(source, end, force),
            };
            if !again {
                return;
            }
        }
    }

    /// Ends the open segment at `at`, where the next begins.
    fn commit(&mut self, at: usize, next: Segment) {
        let mut done = std::mem::replace(&mut self.open, next);
        done.range.end = at;
        done.done = true;
        if let Shape::Code(piece) = &mut done.shape {
            piece.body.end = piece.body.end.min(at);
        }
        if !done.range.is_empty() {
            self.segments.push(done);
        }
        (self.parse_at, self.measure_at) = (0, at + MAX_PARAGRAPH + 1);
    }

    /// Parses the open segment. True where there is more to do.
    fn parse(&mut self, source: &str, end: usize, force: bool) -> bool {
        let start = self.open.range.start;
        if end <= start || (end < self.parse_at && !force) {
            return false;
        }
        let (text, head) = with_head(source, &self.open.shape, start..end);
        #[cfg(test)]
        {
            self.parsed_bytes += text.len();
        }
        let parsed = top_level(&text, &mut self.defs);
        let to_source = |at: usize| start + at.saturating_sub(head);
        for (n, cut) in cuts(source, &self.open.shape, parsed, to_source)
            .into_iter()
            .enumerate()
        {
            let next = Segment {
                range: cut.start..cut.start,
                done: false,
                gap: cut.gap,
                shape: cut.shape,
            };
            if n == 0 {
                // The open one itself, now that it is known what it is.
                self.open.shape = next.shape;
            } else {
                self.commit(cut.start, next);
            }
            self.open_kind = cut.kind;
            if cut.kind == Kind::Fence && self.open_code(source, cut.start) {
                return true;
            }
        }
        let size = end - self.open.range.start;
        self.parse_at = end + if size > PARSE_EAGERLY { size / 8 } else { 0 };
        false
    }

    /// Makes the open segment the first piece of the code block that is opened at `at`. Of an info
    /// string that is longer than any language's name the rest counts as code, so that it is shown.
    fn open_code(&mut self, source: &str, at: usize) -> bool {
        let line = first_line(&source[at..]);
        let Some((fence, mut info)) = Fence::open(line) else {
            return false;
        };
        let mut start = at + line.len();
        if info.len() > SETTLED_LINE {
            info.end = floor_boundary(line, info.start + SETTLED_LINE);
            start = at + info.end;
        }
        self.open.shape = Shape::Code(CodePiece {
            fence,
            info: at + info.start..at + info.end,
            start,
            body: start..start,
            previous: 0,
        });
        (self.scan, self.code_lines) = (start, 0);
        self.measure_at = start + CODE_BYTES + 1;
        true
    }

    /// Looks for the end of the open code block. True where it was found.
    fn scan_code(&mut self, source: &str, end: usize) -> bool {
        let Shape::Code(CodePiece { fence, .. }) = &self.open.shape else {
            return false;
        };
        let fence = *fence;
        while self.scan < end {
            let line = first_line(&source[self.scan..end]);
            let next = self.scan + line.len();
            if fence.closes(line) {
                self.end_piece(self.scan);
                let fresh = self.fresh(next);
                self.commit(next, fresh);
                self.open_kind = Kind::Other;
                return true;
            }
            self.scan = next;
            self.code_lines += 1;
            let bytes = next - self.measured_from();
            if self.code_lines >= CODE_LINES || bytes >= CODE_BYTES {
                self.next_piece(source, next);
            }
        }
        false
    }

    /// Ends the open piece of code at `at`, or where it begins: a line that was cut may turn out to
    /// be the one that closes the block.
    fn end_piece(&mut self, at: usize) {
        if let Shape::Code(piece) = &mut self.open.shape {
            piece.body.end = at.max(piece.body.start);
        }
    }

    /// Where the bytes begin that the open segment's bound counts.
    fn measured_from(&self) -> usize {
        match &self.open.shape {
            Shape::Code(piece) => piece.body.start,
            _ => self.open.range.start,
        }
    }

    /// Begins the next piece of the open code block.
    fn next_piece(&mut self, source: &str, at: usize) {
        self.end_piece(at);
        let Shape::Code(piece) = &self.open.shape else {
            return;
        };
        let mut next = piece.clone();
        next.previous = Code {
            previous: piece.previous,
            ..Code::whole(
                Language::Fence(&source[piece.info.clone()]),
                &piece.fence.code(&source[piece.body.clone()]),
            )
        }
        .key();
        next.body = at..at;
        self.code_lines = 0;
        let next = Segment {
            range: at..at,
            done: false,
            gap: false,
            shape: Shape::Code(next),
        };
        self.commit(at, next);
    }

    fn fresh(&self, at: usize) -> Segment {
        Segment {
            range: at..at,
            done: false,
            gap: true,
            shape: Shape::Blocks,
        }
    }

    /// Cuts an open block that has grown too long. Called with no more of the source than up to
    /// where it is measured.
    fn bound(&mut self, source: &str) {
        while source.len() >= self.measure_at {
            // What is cut must be known: by all its lines, and by the one that is not complete.
            self.advance(source, self.lines, true);
            let unfinished = source.len().saturating_sub(self.lines);
            let parsed = !matches!(self.open.shape, Shape::Code(_) | Shape::Plain);
            if unfinished > SETTLED_LINE && parsed {
                self.parse(source, source.len(), true);
            }
            let start = self.measured_from();
            let max = match (&self.open.shape, self.open_kind) {
                (Shape::Code(_) | Shape::Plain, _) => CODE_BYTES,
                (Shape::Blocks, Kind::Paragraph) => MAX_PARAGRAPH,
                _ => MAX_BLOCK,
            };
            if source.len() - start <= max {
                self.measure_at = start + max + 1;
                return;
            }
            let window = start..floor_boundary(source, start + max);
            if let Shape::Code(_) = self.open.shape {
                self.next_piece(source, window.end);
                continue;
            }
            let at = safe_cut(source, window, self.open_kind);
            let mut next = self.fresh(at);
            next.gap = false;
            if self.is_plain() {
                next.shape = Shape::Plain;
            }
            self.commit(at, next);
        }
    }
}
