//! The files that a patch names, in all forms in which tools apply one.

use super::json::whole_text;
use crate::diff::unquoted;

/// What stands before a name. Tools take patches by their own reading, so blanks before it do not
/// hide one.
const HEADERS: [&str; 11] = [
    "*** Update File:",
    "*** Add File:",
    "*** Delete File:",
    "*** Move to:",
    "+++ ",
    "--- ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Index: ",
];
const GIT_HEAD: &str = "diff --git ";

/// What one line of a patch says.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Header {
    pub files: Vec<String>,
    pub deletes: bool,
    pub moves: bool,
    /// It names files, but their names cannot be told apart.
    pub unclear: bool,
}

/// The lines of a patch; some end in a carriage return alone.
pub fn headers(text: &str) -> impl Iterator<Item = Header> + '_ {
    text.split(['\n', '\r']).filter_map(header)
}

/// `None`: the line is no header.
pub fn header(line: &str) -> Option<Header> {
    let line = line.trim_start();
    if let Some(names) = line.strip_prefix(GIT_HEAD) {
        let files = names_of_head(names.trim());
        return Some(Header {
            unclear: files.is_none(),
            files: files.unwrap_or_default(),
            ..Header::default()
        });
    }
    let (head, name) = HEADERS
        .iter()
        .find_map(|head| Some((*head, line.strip_prefix(head)?)))?;
    let file = name_of(name, line.starts_with(['+', '-']));
    let none = file == "/dev/null";
    Some(Header {
        deletes: head == "*** Delete File:" || head == "+++ " && none,
        moves: head == "*** Move to:" || head.starts_with("rename "),
        files: if none || file.is_empty() {
            Vec::new()
        } else {
            vec![file]
        },
        unclear: false,
    })
}

/// A list of texts as the lines of one; `None` where it holds something else.
pub fn joined<'a>(items: impl Iterator<Item = &'a str>) -> Option<String> {
    let lines: Vec<String> = items.map(whole_text).collect::<Option<_>>()?;
    Some(lines.join("\n"))
}

fn name_of(name: &str, prefixed: bool) -> String {
    // `diff -u` puts a time behind a tab.
    let name = name.split('\t').next().unwrap_or(name).trim();
    let name = unquoted(name);
    let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    match bare {
        Some(bare) if prefixed => bare.to_owned(),
        _ => name,
    }
}

/// Both names behind `diff --git `, which nothing but a blank parts.
fn names_of_head(names: &str) -> Option<Vec<String>> {
    let of = |(old, new): (&str, &str)| Some(vec![name_of(old, true), name_of(new, true)]);
    if let Some(quoted) = names.strip_prefix('"') {
        return of(names.split_at(end_of_quotes(quoted)? + 2));
    }
    if names.ends_with('"') {
        return of(names
            .split_once(" \"")
            .map(|(old, _)| names.split_at(old.len()))?);
    }
    let mut blanks = names.match_indices(' ');
    if let (Some((at, _)), None) = (blanks.next(), blanks.next()) {
        return of(names.split_at(at));
    }
    // The same name twice, or one prefix that can be found.
    let halves = names
        .split_at_checked(names.len() / 2)
        .filter(|(old, new)| new.strip_prefix(' ').is_some_and(|new| is_same(old, new)));
    let mut prefixes = names.match_indices(" b/");
    let prefix = match (prefixes.next(), prefixes.next()) {
        (Some((at, _)), None) if names.starts_with("a/") => Some(names.split_at(at)),
        _ => None,
    };
    of(halves.or(prefix)?)
}

/// But for `a/` and `b/`.
fn is_same(old: &str, new: &str) -> bool {
    let bare = |name| str::strip_prefix(name, "a/").zip(new.strip_prefix("b/"));
    old == new || bare(old).is_some_and(|(old, new)| old == new)
}

/// Where the quote is that ends it.
fn end_of_quotes(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_header_name_their_files() {
        let files = |line: &str| header(line).map(|header| header.files);
        for line in [
            "+++ b/.env",
            "--- a/.env\t2024-01-01",
            "+++ \"b/.env\"",
            "+++ \"b/\\056env\"",
            "  *** Add File: .env",
            "*** Delete File:.env",
            "*** Move to: .env ",
            "copy from .env",
            "copy to \".env\"",
            "rename to \"\\056env\"",
            "Index: .env",
        ] {
            assert_eq!(files(line), Some(vec![".env".to_owned()]), "{line}");
        }
        for (line, old, new) in [
            ("diff --git a/x b/.env", "x", ".env"),
            ("diff --git x .env", "x", ".env"),
            ("diff --git a/x y b/x y", "x y", "x y"),
            ("diff --git a/x y b/.env", "x y", ".env"),
            ("diff --git \"a/\\056x\" b/y", ".x", "y"),
            ("diff --git a/x \"b/\\\"y\"", "x", "\"y"),
            ("diff --git \"a/x\" \"b/.env\"", "x", ".env"),
        ] {
            let both = vec![old.to_owned(), new.to_owned()];
            assert_eq!(files(line), Some(both), "{line}");
        }
        assert!(header("diff --git a/x b/y b/z b/u").unwrap().unclear);
        assert_eq!(files("+++ /dev/null"), Some(Vec::new()));
        assert_eq!(files("+ b/.env"), None);
        let text = "*** Begin Patch\r*** Add File: a\r+x\r*** Delete File: b";
        assert_eq!(headers(text).count(), 2);
    }
}
