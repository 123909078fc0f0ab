//! The words of a plain command behind those that an allow rule names: which places they may mean.
//!
//! The author of a rule knew only its first words. The words behind them may lead the same command to
//! another project, in all the spellings that programs and shells have for it. In doubt a word is taken for
//! a place, and the person is asked.

use std::path::Path;

/// Entries of a directory in which a glob is looked up; in a larger one its matches count as unknown.
const MAX_ENTRIES: usize = 10_000;

/// The shell's usual places for nothing.
const NOWHERE: [&str; 5] = [
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
];

/// Of addresses of other machines.
const SCHEMES: [&str; 8] = ["http", "https", "ftp", "ftps", "ssh", "git", "ws", "wss"];

/// What separates parts of a word that may each be a place.
const SEPARATORS: [char; 4] = ['=', ':', ',', '@'];

/// Where programs are that the system and its owner have put there.
const PROGRAMS: [&str; 6] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/opt/homebrew/bin/",
];

/// The parts of a word that a program may take for a place: all of it, what stands behind `=`, `:` and the
/// like, and what is joined to an option or to several (`-C/x`, `-kC/x`). `exists`: something of that name
/// is there, so that no option is joined to it (`-Isrc/include`).
pub fn places_in(word: &str, exists: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut places = Vec::new();
    match word.strip_prefix('-') {
        None => places.push(word),
        Some(flags) if !flags.starts_with('-') => {
            let mut rest = flags.chars();
            rest.next();
            let joined = rest.as_str();
            places.push(joined);
            if !exists(joined) {
                let at = ["/", "~", ".."]
                    .iter()
                    .filter_map(|begin| joined.find(begin))
                    .min();
                places.extend(at.map(|at| &joined[at..]));
            }
        }
        Some(_) => {}
    }
    for (at, separator) in word.match_indices(SEPARATORS) {
        let rest = &word[at + separator.len()..];
        let scheme = word[..at]
            .rsplit(['=', ',', '@'])
            .next()
            .unwrap_or_default();
        if separator == ":" && rest.starts_with("//") && SCHEMES.contains(&scheme) {
            continue;
        }
        places.push(rest);
        places.extend(rest.split(SEPARATORS).next());
    }
    // Of a list `a:b` what stands first.
    let head = word.split(SEPARATORS).next();
    places.extend(head.filter(|head| head.len() < word.len() && !head.starts_with('-')));
    places.retain(|place| !place.is_empty() && !NOWHERE.contains(place));
    places
}

/// What a shell makes of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion<'a> {
    /// The word itself.
    None,
    /// Names of files in that directory, as it stands in the word: empty is the one of the command.
    Files(&'a str),
    /// Something that cannot be expanded here: braces, another person's home, globs of directories.
    Unknown,
}

impl<'a> Expansion<'a> {
    /// Quotes are gone from the word: what was quoted is taken to be expanded.
    pub fn of(word: &'a str) -> Self {
        let home = word.starts_with('~') && word.len() > 1 && !word.starts_with("~/");
        if home || word.contains('{') && word.contains([',', '.']) {
            return Self::Unknown;
        }
        let Some(first) = word.find(['*', '?', '[']) else {
            return Self::None;
        };
        if word[first..].contains('/') {
            return Self::Unknown;
        }
        Self::Files(word[..first].rfind('/').map_or("", |at| &word[..at]))
    }
}

/// The links in a directory; `None` where it cannot be listed whole.
pub fn links_in(dir: &Path) -> Option<Vec<String>> {
    let mut links = Vec::new();
    for (n, entry) in std::fs::read_dir(dir).ok()?.enumerate() {
        let entry = entry.ok().filter(|_| n < MAX_ENTRIES)?;
        if entry.file_type().ok()?.is_symlink() {
            links.push(entry.path().to_str()?.to_owned());
        }
    }
    Some(links)
}

/// Whether a program is where programs of the system are.
pub fn is_of_system(program: &str) -> bool {
    PROGRAMS.iter().any(|dir| {
        program
            .strip_prefix(dir)
            .is_some_and(|name| !name.contains('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_all_spellings() {
        for (word, expected) in [
            ("a/b", &["a/b"][..]),
            ("-C/x", &["/x", "/x"]),
            ("-kC/x", &["C/x", "/x"]),
            ("-kC../x", &["C../x", "../x"]),
            ("-Isrc/include", &["src/include"]),
            ("-j4", &["4"]),
            ("--release", &[]),
            ("--file=/x", &["/x", "/x"]),
            ("of=/dev/null", &["of=/dev/null", "of"]),
            ("a:/b", &["a:/b", "/b", "/b", "a"]),
            ("https://h/x", &["https://h/x", "https"]),
            ("lib://h/x", &["lib://h/x", "//h/x", "//h/x", "lib"]),
            ("@/etc/x", &["@/etc/x", "/etc/x", "/etc/x"]),
        ] {
            let places = places_in(word, |path| path == "src/include");
            assert_eq!(places, expected, "{word}");
        }
    }

    #[test]
    fn what_a_shell_would_make_of_a_word_is_known_or_said_to_be_unknown() {
        use Expansion::{Files, None, Unknown};
        for (word, expected) in [
            ("a/b", None),
            ("{}", None),
            ("~/x", None),
            ("~", None),
            ("~root/x", Unknown),
            ("{/etc/passwd,x}", Unknown),
            ("{..,}/x", Unknown),
            ("{a..c}", Unknown),
            ("*.rs", Files("")),
            ("src/l*", Files("src")),
            ("/*", Files("")),
            ("l?nked/x", Unknown),
            ("s[a-z]c/*", Unknown),
        ] {
            assert_eq!(Expansion::of(word), expected, "{word}");
        }
    }
}
