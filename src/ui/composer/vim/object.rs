//! Text objects: words, quoted and bracketed text, paragraphs.

use std::ops::Range;

use super::{
    motion::{closing, end_of_run, opening, start_of_run},
    text::{Class, Text},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: Kind,
    /// With what is around it: blanks, quotes, brackets.
    pub around: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word { big: bool },
    Quoted(char),
    Bracketed(char, char),
    Paragraph,
}

/// Cells that an operator takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub cells: Range<usize>,
    /// Whole lines: from the first one's start to the last one's end.
    pub lines: bool,
}

impl Span {
    pub fn chars(cells: Range<usize>) -> Self {
        let lines = false;
        Self { cells, lines }
    }

    /// Whole lines, both included.
    pub fn lines(text: &Text<'_>, first: usize, last: usize) -> Self {
        Self {
            cells: text.start(first)..text.end(last),
            lines: true,
        }
    }
}

pub fn span(text: &Text<'_>, object: Object, at: usize, count: usize) -> Option<Span> {
    let around = object.around;
    match object.kind {
        Kind::Word { big } => Some(words(text, at, count, big, around)),
        Kind::Quoted(quote) => quoted(text, at, quote, around),
        Kind::Bracketed(open, close) => bracketed(text, at, (open, close), count, around),
        Kind::Paragraph => Some(paragraph(text, at, count, around)),
    }
}

fn words(text: &Text<'_>, at: usize, count: usize, big: bool, around: bool) -> Span {
    let start = start_of_run(text, at, big);
    let mut end = start;
    let run = |end: usize| match text.is_end(end) {
        true => end,
        false => end_of_run(text, end, big) + 1,
    };
    let is_blank = |index: usize| text.class(index, big) == Class::Blank;
    if !around {
        for _ in 0..count {
            end = run(end);
        }
        return Span::chars(start..end);
    }
    let begins_blank = is_blank(start);
    for _ in 0..count {
        // The word and the blanks behind it, or the blanks and the word behind them.
        end = run(end);
        if is_blank(end) != begins_blank || (begins_blank && !text.is_end(end)) {
            end = run(end);
        }
    }
    let trailing = end > start && is_blank(end - 1);
    let line = text.start(text.line_of(at));
    if !begins_blank && !trailing && start > line && is_blank(start - 1) {
        let blanks = start_of_run(text, start - 1, big).max(line);
        // An indent stays.
        if blanks > line {
            return Span::chars(blanks..end);
        }
    }
    Span::chars(start..end)
}

fn quoted(text: &Text<'_>, at: usize, quote: char, around: bool) -> Option<Span> {
    let line = text.line_of(at);
    let cells = text.start(line)..text.end(line);
    let mut marks = Vec::new();
    let mut escaped = false;
    for index in cells.clone() {
        let c = text.char(index);
        if c == quote && !escaped {
            marks.push(index);
        }
        escaped = c == '\\' && !escaped;
    }
    let mut pairs = marks.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let (open, close) = pairs.find(|(_, close)| *close >= at)?;
    if !around {
        return Some(Span::chars(open + 1..close));
    }
    let is_blank = |index: usize| text.class(index, false) == Class::Blank;
    let (mut start, mut end) = (open, close + 1);
    if is_blank(end) {
        end = end_of_run(text, end, false) + 1;
    } else if start > cells.start && is_blank(start - 1) {
        start = start_of_run(text, start - 1, false).max(cells.start);
    }
    Some(Span::chars(start..end))
}

fn bracketed(
    text: &Text<'_>,
    at: usize,
    (open, close): (char, char),
    count: usize,
    around: bool,
) -> Option<Span> {
    // On the opening bracket that one is meant.
    let before = at + usize::from(text.char(at) == open);
    let first = opening(text, before, open, close, count)?;
    let last = closing(text, first + 1, open, close)?;
    if around {
        return Some(Span::chars(first..last + 1));
    }
    let (top, bottom) = (text.line_of(first), text.line_of(last));
    let alone = text.is_end(first + 1) && text.first_filled(bottom) == last;
    if alone && bottom > top + 1 {
        return Some(Span::lines(text, top + 1, bottom - 1));
    }
    Some(Span::chars(first + 1..last))
}

fn paragraph(text: &Text<'_>, at: usize, count: usize, around: bool) -> Span {
    let line = text.line_of(at);
    let is_blank = |line: usize| text.is_blank_line(line);
    let run = |from: usize| {
        let mut last = from;
        while last < text.last_line() && is_blank(last + 1) == is_blank(from) {
            last += 1;
        }
        last
    };
    let mut first = line;
    while first > 0 && is_blank(first - 1) == is_blank(line) {
        first -= 1;
    }
    let mut last = run(first);
    let more = if around { 2 * count - 1 } else { count - 1 };
    for _ in 0..more {
        if last == text.last_line() {
            break;
        }
        last = run(last + 1);
    }
    if around && !is_blank(line) && !is_blank(last) {
        while first > 0 && is_blank(first - 1) {
            first -= 1;
        }
    }
    Span::lines(text, first, last)
}
