//! Wrapping plain text to rows of byte ranges. Styles are laid over the ranges by the renderers.
//!
//! Rows end where [`breaks`](super::breaks) has an opportunity; words longer than a row break behind
//! `/`, `.`, `_` and the like, else anywhere between graphemes.

use std::ops::Range;

use super::{
    breaks::{is_blank, may_break},
    width::{graphemes, prefix_of_width},
};

/// One screen row of a logical line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Bytes of the source on this row, without the blanks at which it was broken.
    pub bytes: Range<usize>,
    /// Cells that those bytes take.
    pub width: usize,
}

/// Wraps one logical line (no newlines, tabs already expanded) to rows of at most `first` cells and
/// then `rest` cells, between words. Blanks around a break and at the end are on no row; those at
/// the beginning are indentation and stay. Always returns at least one row. A grapheme wider than
/// the room stands alone on its row, which is then too wide.
pub fn wrap(line: &str, first: usize, rest: usize) -> Vec<Row> {
    let first = first.max(1);
    if line.len() <= first && line.is_ascii() {
        let end = line.trim_end_matches(' ').len();
        return vec![Row {
            bytes: 0..end,
            width: end,
        }];
    }
    let indent = graphemes(line)
        .take_while(|(start, end, _)| is_blank_cluster(&line[*start..*end]))
        .last()
        .map_or(0, |(_, end, _)| end);
    let mut rows = Rows::new(line, first, rest.max(1));
    if indent < line.len() {
        rows.indent(indent);
    }
    for unit in units(line, indent) {
        rows.place(unit);
    }
    rows.finish()
}

/// Wraps one logical line to rows that are full, breaking between any two graphemes: for code,
/// where every blank is content. Always returns at least one row; too wide graphemes as in
/// [`wrap`].
pub fn wrap_hard(line: &str, first: usize, rest: usize) -> Vec<Row> {
    let mut rows = Rows::new(line, first.max(1), rest.max(1));
    for (start, end, width) in graphemes(line) {
        if !rows.row.bytes.is_empty() && rows.row.width + width > rows.room {
            rows.next_row(start);
        }
        rows.take(end, width);
    }
    rows.finish()
}

/// Wraps one logical line as [`wrap_hard`] does, but behind a blank where one stands near the end of
/// the row (in its second half): for commands, which are read as words and shown to the last blank.
pub fn wrap_verbatim(line: &str, first: usize, rest: usize) -> Vec<Row> {
    let (mut done, mut row, mut room) = (Vec::new(), Row::default(), first.max(1));
    // The row up to behind its last blank.
    let mut seam: Option<Row> = None;
    for (start, end, width) in graphemes(line) {
        while !row.bytes.is_empty() && row.width + width > room {
            let head = seam
                .take()
                .filter(|seam| 2 * seam.width >= room && row.width - seam.width <= rest)
                .unwrap_or_else(|| row.clone());
            row = Row {
                bytes: head.bytes.end..row.bytes.end,
                width: row.width - head.width,
            };
            done.push(head);
            room = rest.max(1);
        }
        row.bytes.end = end;
        row.width += width;
        if is_blank_cluster(&line[start..end]) {
            seam = Some(row.clone());
        }
    }
    done.push(row);
    done
}

/// A piece of text with no break in it, and the blanks that follow.
struct Unit {
    bytes: Range<usize>,
    width: usize,
    /// Cells of the blanks behind it.
    blank: usize,
}

struct Rows<'a> {
    line: &'a str,
    done: Vec<Row>,
    row: Row,
    /// Cells of blanks between the row so far and what comes next.
    pending: usize,
    room: usize,
    rest: usize,
}

impl<'a> Rows<'a> {
    fn new(line: &'a str, first: usize, rest: usize) -> Self {
        Self {
            line,
            done: Vec::new(),
            row: Row::default(),
            pending: 0,
            room: first,
            rest,
        }
    }

    /// Keeps the first `len` bytes, all blank. Where they leave no room for text, what fits of them
    /// is a row.
    fn indent(&mut self, len: usize) {
        let kept = prefix_of_width(&self.line[..len], self.room - 1);
        self.take(kept.len(), super::cell_width(kept));
        if kept.len() < len && !kept.is_empty() {
            self.next_row(len);
        }
    }

    fn place(&mut self, unit: Unit) {
        if self.row.width + self.pending + unit.width <= self.room {
            if self.row.bytes.is_empty() {
                self.row.bytes.start = unit.bytes.start;
            }
            self.take(unit.bytes.end, self.pending + unit.width);
        } else if !self.row.bytes.is_empty() && unit.width <= self.rest {
            self.next_row(unit.bytes.start);
            self.take(unit.bytes.end, unit.width);
        } else {
            self.place_long(&unit);
        }
        self.pending = unit.blank;
    }

    /// Breaks a unit that is longer than a row.
    fn place_long(&mut self, unit: &Unit) {
        let mut at = unit.bytes.start;
        let used = self.row.width + self.pending;
        if !self.row.bytes.is_empty() {
            // A beginning stays on this row only if it ends well; else the unit gets a new one.
            match soft_break(
                &self.line[at..unit.bytes.end],
                self.room.saturating_sub(used),
            ) {
                Some((len, width)) if used + width > self.room / 2 => {
                    at += len;
                    self.take(at, self.pending + width);
                }
                _ if self.row.width > self.room / 2 => {}
                _ => {
                    let (len, width) = fitting(&self.line[at..unit.bytes.end], self.room, used);
                    at += len;
                    if len > 0 {
                        self.take(at, self.pending + width);
                    }
                }
            }
            self.next_row(at);
        } else {
            self.row.bytes = at..at;
        }
        loop {
            let left = &self.line[at..unit.bytes.end];
            let (len, width) = fitting(left, self.room, 0);
            if len == left.len() {
                self.take(unit.bytes.end, width);
                return;
            }
            let (len, width) = match soft_break(left, self.room) {
                Some((len, width)) if width > self.room / 2 => (len, width),
                _ if len > 0 => (len, width),
                _ => graphemes(left)
                    .next()
                    .map_or((left.len(), 0), |(_, end, width)| (end, width)),
            };
            at += len;
            self.take(at, width);
            if at == unit.bytes.end {
                return;
            }
            self.next_row(at);
        }
    }

    fn take(&mut self, end: usize, width: usize) {
        self.row.bytes.end = end;
        self.row.width += width;
        self.pending = 0;
    }

    fn next_row(&mut self, start: usize) {
        let next = Row {
            bytes: start..start,
            width: 0,
        };
        self.done.push(std::mem::replace(&mut self.row, next));
        self.room = self.rest;
        self.pending = 0;
    }

    fn finish(mut self) -> Vec<Row> {
        if !self.row.bytes.is_empty() || self.done.is_empty() {
            self.done.push(self.row);
        }
        self.done
    }
}

/// The units of `line` from byte `start`, which is no blank.
fn units(line: &str, start: usize) -> impl Iterator<Item = Unit> + '_ {
    let mut walk = graphemes(&line[start..])
        .map(move |(from, to, width)| (start + from, start + to, width))
        .peekable();
    std::iter::from_fn(move || {
        let &(from, _, _) = walk.peek()?;
        let mut unit = Unit {
            bytes: from..from,
            width: 0,
            blank: 0,
        };
        // The two characters before the place in question.
        let (mut earlier, mut before) = (' ', ' ');
        while let Some(&(from, to, width)) = walk.peek() {
            let next = first_char(&line[from..]);
            if is_blank_cluster(&line[from..to]) {
                unit.blank += width;
            } else if unit.blank > 0 || (!unit.bytes.is_empty() && may_break(earlier, before, next))
            {
                break;
            } else {
                unit.width += width;
                unit.bytes.end = to;
                earlier = before;
                before = next;
            }
            walk.next();
        }
        Some(unit)
    })
}

fn first_char(text: &str) -> char {
    text.chars().next().unwrap_or(' ')
}

/// A blank that carries a mark is text.
fn is_blank_cluster(grapheme: &str) -> bool {
    let c = first_char(grapheme);
    is_blank(c) && grapheme.len() == c.len_utf8()
}

/// Bytes and cells of the longest beginning of `text` that fits into `room` less `used`.
fn fitting(text: &str, room: usize, used: usize) -> (usize, usize) {
    let (mut len, mut total) = (0, 0);
    for (_, end, width) in graphemes(text) {
        if used + total + width > room {
            break;
        }
        (len, total) = (end, total + width);
    }
    (len, total)
}

/// Bytes and cells of the longest beginning of a long word that fits and ends behind a separator:
/// where paths, URLs and identifiers are best broken.
fn soft_break(text: &str, room: usize) -> Option<(usize, usize)> {
    let mut total = 0;
    let mut found = None;
    let mut behind_separator = false;
    for (start, _, width) in graphemes(text) {
        let next = first_char(&text[start..]);
        if behind_separator && next.is_alphanumeric() {
            found = Some((start, total));
        }
        total += width;
        if total > room {
            break;
        }
        behind_separator = matches!(
            next,
            '/' | '\\' | '.' | ',' | ':' | ';' | '?' | '&' | '=' | '#' | '_' | '-' | '+' | '|'
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::cell_width;

    fn rows(line: &str, width: usize) -> Vec<&str> {
        wrap(line, width, width)
            .into_iter()
            .map(|row| &line[row.bytes])
            .collect()
    }

    #[test]
    fn breaks_between_words() {
        assert_eq!(rows("the quick brown fox", 9), ["the quick", "brown fox"]);
        assert_eq!(rows("", 9), [""]);
        assert_eq!(rows("    ", 2), [""]);
        assert_eq!(rows("a  b   ", 4), ["a  b"]);
        assert_eq!(
            rows("a well-known --flag", 8),
            ["a well-", "known", "--flag"]
        );
    }

    #[test]
    fn a_command_breaks_behind_blanks_and_keeps_them() {
        let rows = |line, width| -> Vec<&str> {
            wrap_verbatim(line, width, width)
                .into_iter()
                .map(|row| &line[row.bytes])
                .collect()
        };
        assert_eq!(rows("echo one two", 10), ["echo one ", "two"]);
        assert_eq!(rows("a    b", 3), ["a  ", "  b"]);
        assert_eq!(
            rows("ls /a/very/long/path", 8),
            ["ls /a/ve", "ry/long/", "path"]
        );
        assert_eq!(rows("", 8), [""]);
    }

    #[test]
    fn indentation_is_content() {
        assert_eq!(rows("  indented text", 10), ["  indented", "text"]);
        assert_eq!(rows("      deep", 4), ["   ", "deep"]);
    }

    #[test]
    fn the_first_row_may_have_less_room() {
        let line = "one two three";
        let got: Vec<_> = wrap(line, 4, 9)
            .into_iter()
            .map(|row| (&line[row.bytes.clone()], row.width))
            .collect();
        assert_eq!(got, [("one", 3), ("two three", 9)]);
    }

    #[test]
    fn long_words_are_broken_between_graphemes() {
        assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(rows("日本語", 3), ["日", "本", "語"]);
        assert_eq!(rows("日本語", 1), ["日", "本", "語"]);
        assert_eq!(rows("👩‍👩‍👧👩‍👩‍👧", 3), ["👩‍👩‍👧", "👩‍👩‍👧"]);
    }

    #[test]
    fn urls_and_paths_break_behind_separators() {
        assert_eq!(
            rows("see https://example.com/some/long/path?query=1", 20),
            ["see https://example.", "com/some/long/path?", "query=1"]
        );
        assert_eq!(
            rows("src/ui/render/markdown/tables.rs", 16),
            ["src/ui/render/", "markdown/tables.", "rs"]
        );
    }

    #[test]
    fn ideographs_break_anywhere_but_not_around_punctuation() {
        assert_eq!(
            rows("これは長い文です。", 8),
            ["これは長", "い文で", "す。"]
        );
        assert_eq!(rows("彼は「はい」と", 6), ["彼は", "「は", "い」と"]);
        assert_eq!(rows("使用Rust语言编写", 8), ["使用Rust", "语言编写"]);
    }

    #[test]
    fn hard_rows_are_full_and_lose_nothing() {
        let line = "  let x = 日本;  ";
        let got: Vec<_> = wrap_hard(line, 5, 7)
            .into_iter()
            .map(|row| &line[row.bytes])
            .collect();
        assert_eq!(got, ["  let", " x = 日", "本;  "]);
    }

    fn check(line: &str, first: usize, rest: usize, rows: &[Row], hard: bool) {
        let mut at = 0;
        for (n, row) in rows.iter().enumerate() {
            assert!(row.bytes.start >= at && row.bytes.end <= line.len());
            let skipped = &line[at..row.bytes.start];
            assert!(if hard {
                skipped.is_empty()
            } else {
                skipped.chars().all(is_blank)
            });
            let text = &line[row.bytes.clone()];
            assert_eq!(cell_width(text), row.width, "{text:?}");
            let room = if n == 0 { first } else { rest };
            assert!(row.width <= room || graphemes(text).filter(|g| g.2 > 0).count() == 1);
            at = row.bytes.end;
        }
        assert!(line[at..].chars().all(|c| !hard && is_blank(c)));
    }

    proptest! {
        #[test]
        fn rows_cover_the_text_in_order_and_fit(
            line in r"([a-z]{1,9}|[ ]{1,3}|日本語|、|「|」|👩‍👩‍👧|e\u{301}|\u{301}|/|-|\u{3000}|🇩🇪|ᄀᄀ|\PC){0,40}",
            first in 1_usize..30,
            rest in 1_usize..30,
        ) {
            check(&line, first, rest, &wrap(&line, first, rest), false);
            check(&line, first, rest, &wrap_hard(&line, first, rest), true);
            check(&line, first, rest, &wrap_verbatim(&line, first, rest), true);
        }
    }
}
