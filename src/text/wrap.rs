//! Wrapping plain text to rows of byte ranges. Styles are laid over the ranges by the renderers.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::width::grapheme_width;

/// One screen row of a logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Bytes of the source on this row, without the blanks at which it was broken.
    pub bytes: Range<usize>,
    /// Cells that those bytes take.
    pub width: usize,
}

/// Wraps one logical line (no newlines, tabs already expanded) to rows of at most `first` cells and
/// then `rest` cells. Breaks at word borders; a word longer than a row is broken between graphemes.
/// Always returns at least one row. A grapheme wider than the room stands alone on its row.
pub fn wrap(line: &str, first: usize, rest: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut room = first.max(1);
    if line.is_ascii() && line.len() <= room {
        return vec![Row {
            bytes: 0..line.len(),
            width: line.len(),
        }];
    }
    let (mut start, mut end, mut width) = (0, 0, 0);
    // `end`/`width` stop before trailing blanks; `pending` is the blanks behind them.
    let mut pending = 0;
    for (at, word) in line.split_word_bound_indices() {
        let blank = word.chars().all(|c| c == ' ' || c == '\u{3000}');
        let word_width: usize = word.graphemes(true).map(grapheme_width).sum();
        if blank {
            if width == 0 && rows.is_empty() {
                // Indentation of the first row is content.
                let keep = word_width.min(room);
                end = at + keep.min(word.len());
                width = keep;
            } else {
                pending += word_width;
            }
            continue;
        }
        if width + pending + word_width <= room {
            width += pending + word_width;
            pending = 0;
            end = at + word.len();
            continue;
        }
        if width > 0 && (word_width <= rest.max(1) || pending > 0) {
            rows.push(Row {
                bytes: start..end,
                width,
            });
            room = rest.max(1);
            (start, end, width) = (at, at, 0);
        }
        if width + pending > 0 && width == 0 {
            start = at;
        }
        pending = 0;
        for (offset, grapheme) in word.grapheme_indices(true) {
            let w = grapheme_width(grapheme);
            if width > 0 && width + w > room {
                rows.push(Row {
                    bytes: start..end,
                    width,
                });
                room = rest.max(1);
                (start, width) = (at + offset, 0);
            }
            width += w;
            end = at + offset + grapheme.len();
        }
    }
    if start < end || rows.is_empty() {
        rows.push(Row {
            bytes: start..end.max(start),
            width,
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(rows("  indented text", 10), ["  indented", "text"]);
    }

    #[test]
    fn long_words_are_broken_between_graphemes() {
        assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(rows("日本語", 3), ["日", "本", "語"]);
        assert_eq!(rows("日本語", 1), ["日", "本", "語"]);
    }
}
