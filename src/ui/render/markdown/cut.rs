//! Where segments may begin: what one parse says of the open bytes, and the safe places within a
//! block that has grown too long. Knows nothing of what was parsed before.

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::{LinkDefs, OPTIONS, split::Shape};
use crate::text::is_grapheme_boundary;

/// Rows of a piece of a table.
pub(super) const TABLE_ROWS: usize = 64;
/// Bytes that a grapheme cluster is looked for in; real ones are far shorter.
const MAX_CLUSTER: usize = 128;

/// What matters of a block's kind for cutting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Paragraph,
    List,
    Fence,
    Other,
}

/// A top-level block, by offsets in what was parsed.
pub(super) struct Top {
    /// With the link definitions right before it: whether it is what it is may hang on them.
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
pub(super) struct Cut {
    pub start: usize,
    pub gap: bool,
    pub shape: Shape,
    pub kind: Kind,
}

/// The open bytes as the parser must see them, and how many bytes were put before them: a piece of
/// a table needs the head.
pub(super) fn with_head<'a>(
    source: &'a str,
    shape: &Shape,
    open: Range<usize>,
) -> (Cow<'a, str>, usize) {
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

pub(super) fn top_level(text: &str, defs: &mut LinkDefs) -> Vec<Top> {
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
pub(super) fn cuts(
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
pub(super) fn first_line(text: &str) -> &str {
    text.find('\n').map_or(text, |at| &text[..=at])
}

/// The last place up to `at` that splits no cluster; one that is very long is split.
pub(super) fn floor_boundary(source: &str, mut at: usize) -> usize {
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
pub(super) fn safe_cut(source: &str, window: Range<usize>, kind: Kind) -> usize {
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
