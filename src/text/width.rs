//! Cell widths: by grapheme cluster, with the same crate and the same rule that ratatui uses, so
//! that what is computed here is what its buffer draws.

use std::{borrow::Cow, iter};

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};
use unicode_width::UnicodeWidthStr;

/// Columns between tab stops.
pub const TAB_WIDTH: usize = 4;

/// Cells that one grapheme cluster takes: 0, 1, 2; more for clusters of several wide letters
/// (old Hangul).
pub fn grapheme_width(grapheme: &str) -> usize {
    match grapheme.len() {
        1 => 1,
        // Terminals give half-width voiced sound marks a cell of their own, and so does ratatui.
        _ => {
            grapheme.width()
                + grapheme
                    .chars()
                    .filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}'))
                    .count()
        }
    }
}

/// Cells that `text` takes on one row; it must hold no tabs or newlines.
pub fn cell_width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    graphemes(text).map(|(_, _, width)| width).sum()
}

/// Replaces tabs by spaces up to the next stop, counted from column `start`.
pub fn expand_tabs(text: &str, start: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut column = start;
    for grapheme in text.graphemes(true) {
        match grapheme {
            "\t" => {
                let spaces = TAB_WIDTH - column % TAB_WIDTH;
                out.extend(iter::repeat_n(' ', spaces));
                column += spaces;
            }
            "\n" => {
                out.push('\n');
                column = 0;
            }
            other => {
                out.push_str(other);
                column += grapheme_width(other);
            }
        }
    }
    Cow::Owned(out)
}

/// The longest beginning of `text` that fits into `width` cells; with `…` as its last cell where
/// something was cut. `text` must hold no tabs or newlines.
pub fn truncate_to_width(text: &str, width: usize) -> Cow<'_, str> {
    truncate_with(text, width, "…")
}

/// The same with that mark at its end; without one where there is no room for it.
pub fn truncate_with<'t>(text: &'t str, width: usize, mark: &str) -> Cow<'t, str> {
    if cell_width(text) <= width {
        return Cow::Borrowed(text);
    }
    match width.checked_sub(cell_width(mark)) {
        Some(room) => Cow::Owned(format!("{}{mark}", prefix_of_width(text, room))),
        None => Cow::Borrowed(prefix_of_width(text, width)),
    }
}

/// The longest beginning of `text` that fits into `width` cells.
pub fn prefix_of_width(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, _, cells) in graphemes(text) {
        used += cells;
        if used > width {
            return &text[..at];
        }
    }
    text
}

/// Whether a grapheme cluster ends and another begins at byte `at` of `text`.
pub fn is_grapheme_boundary(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let ascii = |at: usize| bytes.get(at).is_some_and(u8::is_ascii);
    if at == 0 || at >= text.len() || (ascii(at - 1) && ascii(at)) {
        return text.is_char_boundary(at);
    }
    text.is_char_boundary(at)
        && GraphemeCursor::new(at, text.len(), true)
            .is_boundary(text, 0)
            .unwrap_or(true)
}

/// The graphemes of `text`: where each begins, where it ends, its cells. Runs of ASCII, which
/// most text is, are cut without looking at Unicode tables.
pub(super) fn graphemes(text: &str) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    iter::from_fn(move || {
        let start = at;
        let first = *bytes.get(start)?;
        // What follows an ASCII byte can only join it when it is not ASCII (or is CR LF, which
        // safe text does not hold).
        if first.is_ascii() && bytes.get(start + 1).is_none_or(u8::is_ascii) {
            at = start + 1;
            return Some((start, at, 1));
        }
        let grapheme = text[start..].graphemes(true).next()?;
        at = start + grapheme.len();
        Some((start, at, grapheme_width(grapheme)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_by_grapheme() {
        assert_eq!(cell_width("abc"), 3);
        assert_eq!(cell_width("日本"), 4);
        assert_eq!(cell_width("👩‍👩‍👧"), 2);
        assert_eq!(cell_width("e\u{301}"), 1);
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!(expand_tabs("a\tb", 0), "a   b");
        assert_eq!(expand_tabs("\t", 3), " ");
        assert_eq!(expand_tabs("日\tx", 0), "日  x");
    }

    #[test]
    fn truncation_never_exceeds_and_never_splits() {
        assert_eq!(truncate_to_width("abcdef", 4), "abc…");
        assert_eq!(truncate_to_width("日本語", 4), "日…");
        assert_eq!(truncate_to_width("abc", 3), "abc");
        assert_eq!(truncate_to_width("abc", 0), "");
        assert_eq!(truncate_with("abcdef", 5, "..."), "ab...");
        assert_eq!(truncate_with("abcdef", 3, "..."), "...");
        assert_eq!(truncate_with("abcdef", 2, "..."), "ab");
        assert_eq!(prefix_of_width("a日本", 4), "a日");
    }

    #[test]
    fn clusters_are_not_split() {
        let text = "a👩‍👧e\u{301}b";
        let boundaries: Vec<usize> = (0..=text.len())
            .filter(|at| is_grapheme_boundary(text, *at))
            .collect();
        let expected: Vec<usize> = text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        assert_eq!(boundaries, expected);
        let walked: Vec<usize> = graphemes(text).map(|(at, _, _)| at).collect();
        assert_eq!(walked, expected[..expected.len() - 1]);
    }
}
