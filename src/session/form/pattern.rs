//! `pattern` of a text: an ECMA regular expression, matched by another engine.
//!
//! What that engine cannot read or cannot decide within its bounds binds nothing (V1-ELI-06): the
//! agent checks what it gets in any case.

use fancy_regex::{Regex, RegexBuilder};

use crate::text::SafeText;

/// Bytes of a pattern that is looked at.
const MAX_PATTERN: usize = 1 << 10;
/// Bytes of its program: what bounds `(a{1000}){1000}`.
const MAX_PROGRAM: usize = 1 << 20;
/// Steps back of a pattern with look-around or back references: well under 10 ms of them.
const MAX_STEPS: usize = 20_000;
/// Bytes of a text that is matched.
const MAX_TEXT: usize = 64 << 10;

#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    source: SafeText,
}

impl Pattern {
    /// `None`: it binds nothing.
    pub fn new(source: &str) -> Option<Self> {
        if source.len() > MAX_PATTERN {
            return None;
        }
        let regex = RegexBuilder::new(&translated(source))
            .backtrack_limit(MAX_STEPS)
            .delegate_size_limit(MAX_PROGRAM)
            .delegate_dfa_size_limit(MAX_PROGRAM)
            .build()
            .ok()?;
        Some(Self {
            regex,
            source: SafeText::line(source),
        })
    }

    /// Anywhere in the text, as JSON Schema has it.
    pub fn fits(&self, text: &str) -> bool {
        text.len() > MAX_TEXT || self.regex.is_match(text).unwrap_or(true)
    }

    pub fn source(&self) -> &SafeText {
        &self.source
    }
}

/// Where both languages read the same text otherwise: `\d` and `\w` are ASCII in ECMA, and within
/// brackets `[`, `&&`, `--` and `~~` are characters.
fn translated(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut in_class = false;
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match (chars.next(), in_class) {
                (Some('d'), false) => out.push_str("[0-9]"),
                (Some('D'), false) => out.push_str("[^0-9]"),
                (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                (Some('W'), false) => out.push_str("[^0-9A-Za-z_]"),
                (Some('d'), true) => out.push_str("0-9"),
                (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                // An escaped slash is a slash; only JavaScript's literals need the escape.
                (Some('/'), _) => out.push('/'),
                (Some(escaped), _) => {
                    out.push('\\');
                    out.push(escaped);
                }
                (None, _) => out.push('\\'),
            },
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '[' => out.push_str("\\["),
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            '-' if in_class && chars.peek() == Some(&'-') => {
                // A range that ends in `-`; first in the class one that begins there.
                if out.ends_with(['[', '^']) {
                    out.push_str("\\-");
                } else {
                    chars.next();
                    out.push_str("-\\-");
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).is_none_or(|pattern| pattern.fits(text))
    }

    // V1-ELI-06
    #[test]
    fn patterns_are_read_as_ecma_has_them() {
        for (pattern, good, bad) in [
            ("^[a-z]+$", "abc", "abC"),
            ("^\\d{4}$", "2026", "٢٠٢٦"),
            ("^\\w+$", "a_1", "ä"),
            ("^[\\d.]+$", "1.2", "x"),
            ("^https?:\\/\\/", "https://x", "ftp://x"),
            ("^(?!admin$)[a-z]+$", "adm", "admin"),
            ("^(a|b)\\1$", "aa", "ab"),
            ("^(?<x>a)$", "a", "b"),
            ("^[[a]$", "[", "b"),
            ("^[a&&b]+$", "a&b", "c"),
            ("^[+--]$", ",", "a"),
            ("^[--9]+$", "-.5", "a"),
            ("^\\u0041$", "A", "B"),
            ("b", "abc", "ac"),
        ] {
            assert!(Pattern::new(pattern).is_some(), "{pattern} is read");
            assert!(fits(pattern, good), "{pattern} {good}");
            assert!(!fits(pattern, bad), "{pattern} {bad}");
        }
    }

    // V1-ELI-06
    #[test]
    fn what_cannot_be_read_or_decided_binds_nothing() {
        for pattern in [
            "(",
            "[^]",
            "\\cX",
            "a{2,1}",
            "(?<!",
            "(a{1000}){1000}{1000}",
        ] {
            assert!(fits(pattern, "anything"), "{pattern}");
        }
        assert!(fits(&"a".repeat(MAX_PATTERN + 1), "b"));
        // Catastrophic, and not linear for this engine either: it looks back.
        let started = std::time::Instant::now();
        assert!(fits("^(a+)+\\1b$", &"a".repeat(60)));
        assert!(started.elapsed() < std::time::Duration::from_secs(2));
    }
}
