//! Cell widths: by grapheme cluster, with the same crate that ratatui uses, so that what is
//! computed here is what its buffer draws.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns between tab stops.
pub const TAB_WIDTH: usize = 4;

/// Cells that one grapheme cluster takes (0, 1 or 2).
pub fn grapheme_width(grapheme: &str) -> usize {
    grapheme.width().min(2)
}

/// Cells that `text` takes on one row; it must hold no tabs or newlines.
pub fn cell_width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
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
                out.extend(std::iter::repeat_n(' ', spaces));
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
    if cell_width(text) <= width {
        return Cow::Borrowed(text);
    }
    if width == 0 {
        return Cow::Borrowed("");
    }
    let mut used = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let w = grapheme_width(grapheme);
        if used + w > width - 1 {
            break;
        }
        used += w;
        end = at + grapheme.len();
    }
    Cow::Owned(format!("{}…", &text[..end]))
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
    }
}
