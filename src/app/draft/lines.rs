//! `@file#20-45`: some lines of a file.

use std::{ops::RangeInclusive, path::Path};

use crate::host::attachments;

/// A file of which lines are taken may be as large as this.
const MAX_READ: u64 = 16 << 20;

/// Lines by number, from 1.
pub type Lines = RangeInclusive<usize>;

/// Reads `#20` or `#20-45` at the start of a text, with or without an `L` before a number: the lines, and
/// how many bytes that takes.
pub fn lines_at(text: &str) -> Option<(Lines, usize)> {
    let rest = text.strip_prefix('#')?;
    let (first, rest) = number(rest)?;
    let second = rest.strip_prefix('-').and_then(number);
    let (last, rest) = second.unwrap_or((first, rest));
    // "#20x" is a part of a name.
    let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    (ends && first > 0 && first <= last).then(|| (first..=last, text.len() - rest.len()))
}

fn number(text: &str) -> Option<(usize, &str)> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// A path that ends in lines, parted from them.
pub fn parted(path: &Path) -> Option<(&Path, Lines)> {
    let text = path.to_str()?;
    let at = text.rfind('#')?;
    let (lines, len) = lines_at(&text[at..])?;
    (at + len == text.len() && at > 0).then(|| (Path::new(&text[..at]), lines))
}

/// How lines are written behind a path and in a URI.
pub fn written(lines: &Lines) -> String {
    match lines.start() == lines.end() {
        true => format!("#L{}", lines.start()),
        false => format!("#L{}-{}", lines.start(), lines.end()),
    }
}

/// These lines of a text file of at most `most` bytes; what is not there of them is left out.
///
/// # Errors
/// Why there are none.
pub fn read(path: &Path, lines: &Lines, most: usize) -> Result<String, String> {
    let bytes =
        attachments::read(path, MAX_READ).map_err(|error| format!("cannot be read: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| "is no text".to_owned())?;
    let taken = text.split_inclusive('\n').skip(lines.start() - 1);
    let taken: String = taken.take(lines.end() - lines.start() + 1).collect();
    if taken.is_empty() {
        return Err(format!("has only {} lines", text.lines().count()));
    }
    if taken.len() > most {
        return Err(format!("has more than {most} bytes in these lines"));
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_read_behind_a_path() {
        for (text, is) in [
            ("#20", Some((20..=20, 3))),
            ("#20-45, and", Some((20..=45, 6))),
            ("#L20-L45", Some((20..=45, 8))),
            ("#L7.", Some((7..=7, 3))),
            ("#20-", Some((20..=20, 3))),
            ("#45-20", None),
            ("#0", None),
            ("#20x", None),
            ("#", None),
            ("20", None),
            ("#99999999999999999999999", None),
        ] {
            assert_eq!(lines_at(text), is, "{text}");
        }
        assert_eq!(
            parted(Path::new("src/a.rs#2-3")),
            Some((Path::new("src/a.rs"), 2..=3))
        );
        assert_eq!(parted(Path::new("a#b.rs")), None);
        assert_eq!(parted(Path::new("#2")), None);
        assert_eq!(parted(Path::new("a#2.rs")), None);
    }

    #[test]
    fn only_these_lines_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        std::fs::write(&path, "one\ntwo\r\nthree").unwrap();
        assert_eq!(read(&path, &(2..=2), 100).as_deref(), Ok("two\r\n"));
        assert_eq!(read(&path, &(2..=9), 100).as_deref(), Ok("two\r\nthree"));
        assert_eq!(read(&path, &(4..=9), 100), Err("has only 3 lines".into()));
        assert!(read(&path, &(1..=1), 4).is_ok());
        assert!(read(&path, &(1..=1), 5).is_ok());
        assert!(read(&path, &(1..=1), 3).is_err());
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[#L0-9é -]{0,16}") {
            if let Some((lines, len)) = lines_at(&text) {
                prop_assert!(text.is_char_boundary(len) && lines.start() <= lines.end());
            }
            let _ = parted(Path::new(&text));
        }
    }
}
