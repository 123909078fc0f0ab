//! Where the caret may stand: between grapheme clusters, and on either side of a chip.
//!
//! All positions are byte offsets into one logical line.

use std::borrow::Cow;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Placeholders of chips: plane 16, which no icon font in use takes (those of plane 15 are pasted
/// often).
pub const PLACEHOLDERS: std::ops::RangeInclusive<u32> = 0x10_0000..=0x10_fffd;

pub fn is_placeholder(c: char) -> bool {
    PLACEHOLDERS.contains(&(c as u32))
}

/// Text from outside as the buffer takes it: lines end in `\n`, and nothing poses as a chip.
pub fn clean(raw: &str) -> Cow<'_, str> {
    if !raw.contains(|c| c == '\r' || is_placeholder(c)) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push('\n');
            }
            c if is_placeholder(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The units of `text` with their offsets: chips, and the grapheme clusters between them. A chip
/// is never part of a cluster, whatever marks follow it.
pub fn units(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive(is_placeholder)
        .scan(0, |start, part| {
            let at = *start;
            *start += part.len();
            let chip = part.chars().next_back().filter(|c| is_placeholder(*c));
            let plain = part.len() - chip.map_or(0, char::len_utf8);
            Some((at, &part[..plain], &part[plain..]))
        })
        .flat_map(|(at, plain, chip)| {
            plain
                .grapheme_indices(true)
                .chain((!chip.is_empty()).then_some((plain.len(), chip)))
                .map(move |(offset, unit)| (at + offset, unit))
        })
}

/// The end of the unit that starts at the boundary `at`; `None` at the end of the line.
pub fn next(line: &str, at: usize) -> Option<usize> {
    units(&line[at..]).next().map(|(_, unit)| at + unit.len())
}

/// The start of the unit that ends at the boundary `at`; `None` at the start of the line.
pub fn previous(line: &str, at: usize) -> Option<usize> {
    let before = &line[..at];
    let last = before.chars().next_back()?;
    if is_placeholder(last) {
        return Some(at - last.len_utf8());
    }
    let (plain, _) = run_around(line, at);
    let unit = before[plain..].graphemes(true).next_back()?;
    Some(at - unit.len())
}

/// The first boundary at or after `at`. Looks at the neighbourhood alone.
pub fn snap(line: &str, at: usize) -> usize {
    let at = (at..line.len())
        .find(|byte| line.is_char_boundary(*byte))
        .unwrap_or(line.len());
    // Nothing joins with a chip, so the text up to the chips around is all that matters.
    let (start, run) = run_around(line, at);
    let mut cursor = GraphemeCursor::new(at - start, run.len(), true);
    if cursor.is_boundary(run, 0) == Ok(true) {
        return at;
    }
    let next = cursor.next_boundary(run, 0).ok().flatten();
    start + next.unwrap_or(run.len())
}

/// The text without chips that `at` is in, and where it starts.
fn run_around(line: &str, at: usize) -> (usize, &str) {
    let (before, behind) = line.split_at(at);
    let start = before.char_indices().rfind(|(_, c)| is_placeholder(*c));
    let start = start.map_or(0, |(chip, c)| chip + c.len_utf8());
    let end = behind
        .find(is_placeholder)
        .map_or(line.len(), |chip| at + chip);
    (start, &line[start..end])
}

/// The end of the word at or after `at` (alt-f).
pub fn word_end(line: &str, at: usize) -> usize {
    line[at..]
        .split_word_bound_indices()
        .find(|(_, segment)| is_word(segment))
        .map_or(line.len(), |(offset, word)| {
            snap(line, at + offset + word.len())
        })
}

/// The start of the word at or before `at` (alt-b).
pub fn word_start(line: &str, at: usize) -> usize {
    let start = line[..at]
        .split_word_bound_indices()
        .rfind(|(_, segment)| is_word(segment))
        .map_or(0, |(offset, _)| offset);
    // Rather one unit too far than none at all.
    if snap(line, start) < at {
        snap(line, start)
    } else {
        previous(line, at).unwrap_or(0)
    }
}

/// The start of what a blank separates from `at` (ctrl-w).
pub fn blank_word_start(line: &str, at: usize) -> usize {
    let word_ends = line[..at].trim_end().len();
    let start = line[..word_ends]
        .rfind(char::is_whitespace)
        .map_or(0, |blank| {
            blank + line[blank..].chars().next().map_or(0, char::len_utf8)
        });
    if snap(line, start) < at {
        snap(line, start)
    } else {
        previous(line, at).unwrap_or(0)
    }
}

fn is_word(segment: &str) -> bool {
    segment.contains(|c: char| c.is_alphanumeric() || is_placeholder(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_clusters_and_chips() {
        let line = "e\u{301}👩‍👩‍👧\u{100000}\u{301}x";
        let found: Vec<&str> = units(line).map(|(_, unit)| unit).collect();
        assert_eq!(found, ["e\u{301}", "👩‍👩‍👧", "\u{100000}", "\u{301}", "x"]);
        let mut forward = vec![0];
        while let Some(at) = next(line, forward[forward.len() - 1]) {
            forward.push(at);
        }
        let mut back = vec![line.len()];
        while let Some(at) = previous(line, back[back.len() - 1]) {
            back.push(at);
        }
        back.reverse();
        assert_eq!(forward, back);
    }

    #[test]
    fn snapping_leaves_boundaries_and_repairs_the_rest() {
        let line = "ae\u{301}b";
        assert_eq!(snap(line, 1), 1);
        assert_eq!(snap(line, 2), 4);
        assert_eq!(snap(line, 3), 4);
        assert_eq!(snap(line, 5), 5);
        assert_eq!(snap(line, 9), 5);
        assert_eq!(snap("\u{100000}\u{301}", 4), 4);
    }

    #[test]
    fn words_are_unicode_words() {
        let line = "it's a_b (日本) füß";
        assert_eq!(word_end(line, 0), 4);
        assert_eq!(word_end(line, 4), 8);
        assert_eq!(&line[word_start(line, line.len())..], "füß");
        assert_eq!(&line[..word_end(line, 8)], "it's a_b (日");
    }

    #[test]
    fn blank_words_take_punctuation_along() {
        let line = "cargo test -p foo::bar  ";
        assert_eq!(
            &line[..blank_word_start(line, line.len())],
            "cargo test -p "
        );
        assert_eq!(blank_word_start("  ", 2), 0);
    }

    #[test]
    fn line_ends_become_newlines_and_placeholders_cannot_be_forged() {
        assert_eq!(clean("a\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(clean("x\u{100000}y"), "x\u{fffd}y");
        assert!(matches!(clean("日本\tx"), Cow::Borrowed(_)));
    }
}
