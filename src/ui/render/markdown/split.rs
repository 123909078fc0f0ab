//! Cutting a growing message into segments, looking only at what was added.
//!
//! A block is committed when a *completed line* begins the next one; what is committed never
//! changes. (Committing on unfinished lines would be wrong: `#` may become `#foo`.) Three things
//! keep the work linear however long one block is: list items are segments of their own; fenced
//! code and tables are cut into pieces; and the more of a block is there, the more must be added
//! before it is parsed again.

mod hole;

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::{LinkDefs, OPTIONS, fence::Fence};
use crate::{
    text::is_grapheme_boundary,
    ui::render::code::{Code, Language},
};

/// Complete lines are taken in steps of about this many bytes, so that a whole document at once
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

/// Rows of a piece of a table.
pub(super) const TABLE_ROWS: usize = 64;
/// Bytes that a grapheme cluster is looked for in; real ones are far shorter.
const MAX_CLUSTER: usize = 128;

/// A part of a message that is rendered separately.
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

impl Segment {
    fn open(at: usize, gap: bool, shape: Shape) -> Self {
        Self {
            range: at..at,
            done: false,
            gap,
            shape,
        }
    }
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
            open: Segment::open(0, false, Shape::Blocks),
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
            // A bite ends where the bounds are measured next, so that cuts do not depend on
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

    /// The text is complete.
    pub fn is_finished(&self) -> bool {
        self.finished
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
            let next = Segment::open(cut.start, cut.gap, cut.shape);
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
                self.commit(next, Segment::open(next, true, Shape::Blocks));
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
        self.commit(at, Segment::open(at, false, Shape::Code(next)));
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
            let shape = match self.is_plain() {
                true => Shape::Plain,
                false => Shape::Blocks,
            };
            self.commit(at, Segment::open(at, false, shape));
        }
    }
}

/// What matters of a block's kind for cutting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Paragraph,
    List,
    Fence,
    Other,
}

/// A top-level block, by offsets in what was parsed.
struct Top {
    /// With the link definitions right before it: its kind may depend on them.
    from: usize,
    start: usize,
    end: usize,
    kind: Kind,
    /// Where its items or rows begin.
    parts: Vec<usize>,
    /// The first number of an ordered list.
    ordinal: Option<u64>,
}

/// Where a segment begins.
struct Cut {
    start: usize,
    gap: bool,
    shape: Shape,
    kind: Kind,
}

/// The open bytes as the parser must see them, and how many bytes were put before them: a piece of
/// a table needs the head.
fn with_head<'a>(source: &'a str, shape: &Shape, open: Range<usize>) -> (Cow<'a, str>, usize) {
    let open = &source[open];
    let Shape::Rows { head } = shape else {
        return (Cow::Borrowed(open), 0);
    };
    let head = table_head(&source[head.clone()]);
    (Cow::Owned(format!("{head}{open}")), head.len())
}

/// The line with the names and the one with the dashes.
fn table_head(table: &str) -> &str {
    let names = first_line(table).len();
    &table[..names + first_line(&table[names..]).len()]
}

fn top_level(text: &str, defs: &mut LinkDefs) -> Vec<Top> {
    let mut events = Parser::new_ext(text, OPTIONS).into_offset_iter();
    let mut found: Vec<Top> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in events.by_ref() {
        let (kind, ordinal) = match &event {
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Start(tag) => {
                depth += 1;
                match tag {
                    Tag::Item | Tag::TableRow if depth == 2 => {
                        if let Some(top) = found.last_mut() {
                            top.parts.push(range.start);
                        }
                        continue;
                    }
                    _ if depth > 1 => continue,
                    Tag::Paragraph => (Kind::Paragraph, None),
                    Tag::List(ordinal) => (Kind::List, *ordinal),
                    Tag::CodeBlock(CodeBlockKind::Fenced(_)) => (Kind::Fence, None),
                    _ => (Kind::Other, None),
                }
            }
            _ if depth > 0 => continue,
            _ => (Kind::Other, None),
        };
        let behind = found.last().map_or(0, |top| top.end);
        let between = text.get(behind..range.start).unwrap_or_default();
        found.push(Top {
            from: range.start - between.trim_start().len(),
            start: range.start,
            end: range.end,
            kind,
            parts: Vec::new(),
            ordinal,
        });
    }
    defs.learn(events.reference_definitions());
    found
}

/// Where the segments begin in what was parsed. The first is the open one, of shape `open`.
fn cuts(
    source: &str,
    open: &Shape,
    blocks: Vec<Top>,
    to_source: impl Fn(usize) -> usize,
) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    for (n, block) in blocks.into_iter().enumerate() {
        let after = cuts.last().map(|cut| cut.kind);
        let gap = after
            .is_none_or(|before| gap_between(source, before, block.kind, to_source(block.start)));
        let start = line_start(source, to_source(block.from));
        // The open segment is what it was; what is parsed first goes on with it.
        let (shape, ordinal) = match open {
            Shape::Item { ordinal } if n == 0 => (open.clone(), *ordinal),
            Shape::Rows { .. } if n == 0 => (open.clone(), None),
            _ if block.kind == Kind::List => (
                Shape::Item {
                    ordinal: block.ordinal,
                },
                block.ordinal,
            ),
            _ => (Shape::Blocks, None),
        };
        let kind = block.kind;
        let head = match open {
            Shape::Rows { head } if n == 0 => Some(head.clone()),
            // The table itself: definitions before it are none of its head.
            _ => (block.parts.get(TABLE_ROWS))
                .map(|row| line_start(source, to_source(block.start))..to_source(*row)),
        };
        cuts.push(Cut {
            start,
            gap,
            shape,
            kind,
        });
        match (kind, head) {
            (Kind::List, _) => {
                for (item, at) in block.parts.iter().enumerate().skip(1) {
                    let start = line_start(source, to_source(*at));
                    cuts.push(Cut {
                        start,
                        gap: is_after_blank_line(source, start),
                        shape: Shape::Item {
                            ordinal: ordinal.map(|first| first.saturating_add(item as u64)),
                        },
                        kind,
                    });
                }
            }
            (Kind::Other, Some(head)) => {
                for at in block.parts.iter().step_by(TABLE_ROWS).skip(1) {
                    cuts.push(Cut {
                        start: line_start(source, to_source(*at)),
                        gap: false,
                        shape: Shape::Rows { head: head.clone() },
                        kind,
                    });
                }
            }
            _ => {}
        }
    }
    cuts
}

/// Whether blocks are a blank row apart. A list may follow the line that leads to it closely.
fn gap_between(source: &str, before: Kind, next: Kind, start: usize) -> bool {
    !(before == Kind::Paragraph && next == Kind::List) || is_after_blank_line(source, start)
}

/// Whether the line before the one of the block at `start` is blank but for quote marks.
pub(super) fn is_after_blank_line(source: &str, start: usize) -> bool {
    // Of a block that is set in by a tab the parser says that it begins with the newline before.
    let start = source.len() - source[start..].trim_start().len();
    let before = &source[..line_start(source, start)];
    let line = before.strip_suffix('\n').unwrap_or(before);
    let line = &line[line_start(line, line.len())..];
    line.bytes().all(|b| matches!(b, b' ' | b'\t' | b'>'))
}

fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// With its newline.
fn first_line(text: &str) -> &str {
    text.find('\n').map_or(text, |at| &text[..=at])
}

/// The last place up to `at` that splits no cluster; one that is very long is split.
fn floor_boundary(source: &str, mut at: usize) -> usize {
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    let near = at.saturating_sub(MAX_CLUSTER)..at;
    near.rev()
        .map(|before| before + 1)
        .find(|at| is_grapheme_boundary(source, *at))
        .unwrap_or(at)
}

/// The last place in `window` where what follows cannot be taken for the beginning of another kind
/// of block.
fn safe_cut(source: &str, window: Range<usize>, kind: Kind) -> usize {
    let text = &source[window.clone()];
    let end = window.end;
    if kind != Kind::Paragraph {
        // The blocks that get here say on each line what they are.
        let line = line_start(source, end);
        return if line > window.start { line } else { end };
    }
    let mut anywhere = None;
    for (at, c) in text.char_indices().rev() {
        if !c.is_alphabetic() || at == 0 {
            continue;
        }
        let after_blank = text[..at].ends_with([' ', '\n']);
        if after_blank {
            return window.start + at;
        }
        if anywhere.is_none() && is_grapheme_boundary(source, window.start + at) {
            anywhere = Some(window.start + at);
        }
    }
    anywhere.unwrap_or(end)
}
