//! Files in foreign text: what a terminal types for a file that is dropped on it, and
//! mentions in a returned draft.
//!
//! This reads text only; others look whether there is such a file.

use std::{ops::Range, path::PathBuf};

use percent_encoding::percent_decode_str;

use super::buffer::is_placeholder;
use crate::ui::begins_word;

/// Files that a mention may name, each with the length of its text.
pub type Names = Vec<(usize, PathBuf)>;

/// More files than anyone drops at once.
const MAX_DROPPED: usize = 32;
const MAX_DROPPED_BYTES: usize = 16 << 10;

/// Mentions looked at in one text.
const MAX_WRITTEN: usize = 64;

/// Names of files that are pictures or sounds, most likely.
const MEDIA: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "svg",
    "wav", "mp3", "ogg", "flac",
];

/// The files that a paste consists of, if it looks like one that terminals make of files dropped on
/// them: absolute paths, quoted for a shell in whatever way, or `file://` URIs.
pub fn dropped(paste: &str) -> Option<Vec<PathBuf>> {
    let paste = paste.trim();
    let begins = ["/", "'/", "\"/", "file://", "'file://"];
    if paste.len() > MAX_DROPPED_BYTES
        || paste.contains(is_placeholder)
        || !begins.iter().any(|begin| paste.starts_with(begin))
    {
        return None;
    }
    // A quoted name may hold a newline; else each line is read separately.
    let paths = paths_of(paste).or_else(|| {
        let lines = paste.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty()).map(paths_of);
        Some(lines.collect::<Option<Vec<_>>>()?.concat())
    });
    paths.filter(|paths| paths.len() <= MAX_DROPPED)
}

fn paths_of(paste: &str) -> Option<Vec<PathBuf>> {
    let words = shlex::split(paste);
    let paths = words.and_then(|words| words.iter().map(|word| path_of(word)).collect());
    // Some terminals quote nothing, even if there are blanks.
    paths.or_else(|| {
        let whole = !paste.contains(['\n', '\'', '"', '\\']);
        whole.then(|| path_of(paste).map(|path| vec![path]))?
    })
}

fn path_of(word: &str) -> Option<PathBuf> {
    let path = match word.strip_prefix("file://") {
        Some(rest) => {
            let path = rest.strip_prefix("localhost").unwrap_or(rest);
            percent_decode_str(path).decode_utf8().ok()?.into_owned()
        }
        None => word.to_owned(),
    };
    let absolute = path.starts_with('/') && path.len() > 1;
    (absolute && !path.contains('\0')).then(|| path.into())
}

/// Mentions (`@path`, `@"path"`, `@file://…`) of what may be a picture or sound, or of any file by its
/// absolute path: where they stand, in order.
pub fn mentioned(raw: &str) -> Vec<(Range<usize>, PathBuf)> {
    scan(raw, |text| {
        // "see @/tmp/a.png." ends a sentence.
        let (len, path) = names(text).pop()?;
        let in_a_line = !text[..len - 1].contains('\n');
        let looked_at = in_a_line && is_worth_a_look(&path.to_string_lossy());
        looked_at.then_some((len - 1, path))
    })
}

/// Each mention that is written out: where it stands, and what it may name, likeliest first, with how
/// many bytes of the text each takes. "@a.rs." is a file of that name, or ends a sentence.
pub fn typed(raw: &str) -> Vec<(Range<usize>, Names)> {
    scan(raw, |text| {
        let names = names(text);
        Some((names.first()?.0 - 1, names))
    })
}

/// What `read` makes of the text behind each `@` that begins a word, and how many bytes of it that is.
fn scan<T>(raw: &str, read: impl Fn(&str) -> Option<(usize, T)>) -> Vec<(Range<usize>, T)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = raw[from..].find('@').map(|offset| from + offset)
        && found.len() < MAX_WRITTEN
    {
        from = at + 1;
        if begins_word(&raw[..at])
            && let Some((len, what)) = read(&raw[from..])
        {
            from += len;
            found.push((at..from, what));
        }
    }
    found
}

/// The names after an `@`; their lengths include it.
fn names(text: &str) -> Names {
    if let Some(quoted) = text.strip_prefix('"') {
        let path = quoted.split_once('"').map(|(path, _)| path);
        let path = path.filter(|path| !path.is_empty() && !path.contains(is_placeholder));
        return path
            .map(|path| (path.len() + 3, path.into()))
            .into_iter()
            .collect();
    }
    let end = text.find(|c: char| c.is_whitespace() || is_placeholder(c));
    let word = &text[..end.unwrap_or(text.len())];
    let sentence = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '/');
    let mut names: Names = [word, sentence]
        .into_iter()
        .filter(|word| !word.is_empty())
        .filter_map(|word| {
            let path = match word.strip_prefix("file://") {
                Some(_) => path_of(word)?,
                None => word.into(),
            };
            Some((word.len() + 1, path))
        })
        .collect();
    names.dedup();
    names
}

fn is_worth_a_look(path: &str) -> bool {
    let absolute = (path.starts_with('/') || path.starts_with("file://")) && path.len() > 1;
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    absolute
        || ending.is_some_and(|ending| MEDIA.iter().any(|media| media.eq_ignore_ascii_case(ending)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ui::mention_text;

    #[test]
    fn what_terminals_type_for_dropped_files() {
        for (paste, paths) in [
            ("/a/b.png", &["/a/b.png"][..]),
            ("'/a/b c.png' ", &["/a/b c.png"]),
            ("'/a/it'\\''s.png'", &["/a/it's.png"]),
            ("\"/a/b c.png\"", &["/a/b c.png"]),
            ("/a/b\\ \\(c\\).png", &["/a/b (c).png"]),
            ("/a/b.png /c/d.png", &["/a/b.png", "/c/d.png"]),
            ("'/a/b c.png' '/d.png'", &["/a/b c.png", "/d.png"]),
            ("file:///a/b%20c.png\n", &["/a/b c.png"]),
            ("file://localhost/a\nfile:///b", &["/a", "/b"]),
            ("/a/b c.png", &["/a/b c.png"]),
            ("/a/b.png\n/c/d.png\n", &["/a/b.png", "/c/d.png"]),
            ("/a/b c.png\n\n/d e.png", &["/a/b c.png", "/d e.png"]),
            ("/日本/画.png", &["/日本/画.png"]),
        ] {
            let expected: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            assert_eq!(dropped(paste), Some(expected), "{paste:?}");
        }
    }

    #[test]
    fn other_pastes_are_no_files() {
        for paste in [
            "",
            "hello /a/b.png",
            "C:\\shot.png",
            "https://a/b.png",
            "./b.png",
            "~/b.png",
            "/",
            "// a comment\nlet x = 1;",
            "/a/b.png it's broken",
            "file://elsewhere",
            "'/a/b.png",
        ] {
            assert_eq!(dropped(paste), None, "{paste:?}");
        }
    }

    #[test]
    fn mentions_are_found_in_a_draft_that_comes_back() {
        let found = |raw: &str| {
            let found = mentioned(raw).into_iter();
            found
                .map(|(range, path)| (raw[range].to_owned(), path.display().to_string()))
                .collect::<Vec<_>>()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found("see @/tmp/a.png, @doc/b.JPG and @\"/c d.txt\"."),
            [
                pair("@/tmp/a.png", "/tmp/a.png"),
                pair("@doc/b.JPG", "doc/b.JPG"),
                pair("@\"/c d.txt\"", "/c d.txt"),
            ]
        );
        assert_eq!(found("me@a.png @src/a.rs @ @\"x.png"), []);
    }

    #[test]
    fn what_is_typed_behind_an_at_sign_names_a_file_perhaps() {
        let found = |raw: &str| -> Vec<(String, Vec<String>)> {
            let found = typed(raw).into_iter();
            found
                .map(|(range, names)| {
                    let text = &raw[range];
                    let name = |(len, path): &(usize, PathBuf)| {
                        format!("{} {}", &text[..*len], path.display())
                    };
                    (text.to_owned(), names.iter().map(name).collect())
                })
                .collect()
        };
        let one = |text: &str, names: &[&str]| {
            let names = names.iter().map(ToString::to_string).collect();
            (text.to_owned(), names)
        };
        assert_eq!(
            found("see @src/a.rs. (@src) and @\"my file.txt\", me@b.rs @ @\"c"),
            [
                one(
                    "@src/a.rs.",
                    &["@src/a.rs. src/a.rs.", "@src/a.rs src/a.rs"]
                ),
                one("@src)", &["@src) src)", "@src src"]),
                one("@\"my file.txt\"", &["@\"my file.txt\" my file.txt"]),
            ]
        );
    }

    #[test]
    fn each_path_comes_back_out_of_its_mention() {
        for path in [
            "/a b.png",
            "/a\"b.png",
            "/a\nb.png",
            "/x/é.png",
            "/100%.png",
        ] {
            let text = format!("x {} y", mention_text(path));
            let found = mentioned(&text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].1, PathBuf::from(path), "{text}");
            assert_eq!(&text[found[0].0.end..], " y");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[@/'\"\\\\ a.png~:\n%20\u{100000}日]{0,40}") {
            let _ = dropped(&text);
            for (range, _) in mentioned(&text) {
                prop_assert!(text[range].starts_with('@'));
            }
            for (range, names) in typed(&text) {
                let text = &text[range];
                prop_assert!(names.iter().all(|(len, _)| text.is_char_boundary(*len)));
            }
        }
    }
}
