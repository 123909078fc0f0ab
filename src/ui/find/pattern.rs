//! What is looked for: words as they stand or a regular expression, with smart case.
//!
//! Matches lie within one line. The engine takes time linear in the text, whatever the expression.

use std::ops::Range;

use regex_automata::{
    Input,
    meta::{BuildError, Config, Regex},
    util::syntax,
};

/// Bytes of a pattern: nobody types more.
pub const MAX_PATTERN: usize = 1 << 10;

/// Bytes that a compiled expression, and what it remembers while it searches, may take.
const MAX_COMPILED: usize = 1 << 20;
const MAX_CACHE: usize = 1 << 20;

/// A pattern ready to be searched for.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    is_regex: bool,
    matcher: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.is_regex) == (&other.text, other.is_regex)
    }
}

impl Pattern {
    /// `None` where there is nothing to look for; else what is wrong with the expression.
    pub fn new(text: &str, is_regex: bool) -> Result<Option<Self>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        if text.len() > MAX_PATTERN {
            return Err("too long".into());
        }
        let expression = if is_regex {
            text.to_owned()
        } else {
            escaped(text)
        };
        let has_capital = if is_regex {
            has_capital_outside_escapes(text)
        } else {
            text.chars().any(char::is_uppercase)
        };
        let syntax = syntax::Config::new()
            .case_insensitive(!has_capital)
            .multi_line(true);
        let config = Config::new()
            .nfa_size_limit(Some(MAX_COMPILED))
            .hybrid_cache_capacity(MAX_CACHE)
            .utf8_empty(true);
        let matcher = Regex::builder()
            .configure(config)
            .syntax(syntax)
            .build(&expression)
            .map_err(|error| complaint(&error))?;
        Ok(Some(Self {
            text: text.to_owned(),
            is_regex,
            matcher,
        }))
    }

    /// As typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Words as they stand: what matches is as long as they are.
    pub fn is_words(&self) -> bool {
        !self.is_regex
    }

    /// Whether it is anywhere in the text; also true where it would only match over a line's end.
    pub fn may_be_in(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }

    /// The first match in a text.
    pub fn first_in(&self, text: &str) -> Option<Range<usize>> {
        self.matcher.find(text).map(|found| found.range())
    }

    /// The matches in one line, from left to right; none is empty.
    pub fn in_line<'a>(&'a self, line: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.matcher
            .find_iter(line)
            .map(|found| found.range())
            .filter(|range| !range.is_empty())
    }

    /// Calls `found` with line (from 0) and range of each match. Lines without one cost no more than the
    /// engine's own pace.
    pub fn each(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let (mut at, mut line, mut counted) = (0, 0, 0);
        while at < text.len() {
            let Some(hit) = self.matcher.search(&Input::new(text).range(at..)) else {
                return;
            };
            let start = text[..hit.start()].rfind('\n').map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', &text.as_bytes()[hit.start()..])
                .map_or(text.len(), |len| hit.start() + len);
            line += lines(&text[counted..start.max(counted)]);
            counted = start.max(counted);
            for range in self.in_line(&text[start..end]) {
                found(line, start + range.start..start + range.end);
            }
            at = end + 1;
        }
    }
}

/// Line ends in a text.
pub fn lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// As an expression that means these very words.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Smart case for expressions: `\W` and `\pL` are no capitals.
fn has_capital_outside_escapes(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('p' | 'P') => match chars.next() {
                    Some('{') => {
                        chars.by_ref().find(|c| *c == '}');
                    }
                    _ => continue,
                },
                _ => continue,
            },
            c if c.is_uppercase() => return true,
            _ => {}
        }
    }
    false
}

/// What is wrong, in a few words.
fn complaint(error: &BuildError) -> String {
    if error.size_limit().is_some() {
        return "too large".into();
    }
    // The parser's message draws the place below the expression; its last line says what it is.
    let told = error
        .syntax_error()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let last = told.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.unwrap_or("not understood").trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(pattern: &str, is_regex: bool, text: &str) -> Vec<(usize, String)> {
        let pattern = Pattern::new(pattern, is_regex)
            .expect("understood")
            .expect("not empty");
        let mut all = Vec::new();
        pattern.each(text, |line, range| all.push((line, text[range].to_owned())));
        all
    }

    fn words(pattern: &str, text: &str) -> Vec<(usize, String)> {
        found(pattern, false, text)
    }

    #[test]
    fn small_letters_match_any_case_and_a_capital_only_its_own() {
        let text = "Error\nerror\nERROR";
        assert_eq!(words("error", text).len(), 3);
        assert_eq!(words("Error", text), [(0, "Error".into())]);
        assert_eq!(words("übung", "Übung"), [(0, "Übung".into())]);
        // The names of classes are no capitals.
        assert_eq!(found(r"e\Dr", true, "ERR").len(), 1);
        assert_eq!(found(r"\p{Lu}x", true, "AX").len(), 1);
        assert_eq!(found(r"E\w", true, "er").len(), 0);
    }

    #[test]
    fn words_mean_themselves_and_expressions_do_not() {
        assert_eq!(words("a.c", "abc a.c"), [(0, "a.c".into())]);
        assert_eq!(found("a.c", true, "abc a.c").len(), 2);
        for sign in r"\.+*?()|[]{}^$#&-~<>/'".chars() {
            assert_eq!(words(&sign.to_string(), &format!("x{sign}y")).len(), 1);
        }
    }

    #[test]
    fn a_match_stays_in_its_line() {
        assert_eq!(found(r"a\s+b", true, "a\nb\na b"), [(2, "a b".into())]);
        assert_eq!(found("^b$", true, "a\nb\nab"), [(1, "b".into())]);
        assert!(found("x*", true, "abc").is_empty(), "nothing is no match");
    }

    #[test]
    fn what_is_wrong_with_an_expression_is_said() {
        assert_eq!(Pattern::new("", false), Ok(None));
        let wrong = Pattern::new("(a", true).expect_err("not closed");
        assert_eq!(wrong, "unclosed group");
        let large = Pattern::new(r"(\w{100}){100}", true).expect_err("too large");
        assert_eq!(large, "too large");
    }

    #[test]
    fn a_pattern_is_bounded() {
        for (len, fits) in [
            (MAX_PATTERN - 1, true),
            (MAX_PATTERN, true),
            (MAX_PATTERN + 1, false),
        ] {
            assert_eq!(Pattern::new(&"a".repeat(len), false).is_ok(), fits, "{len}");
        }
    }

    #[test]
    fn what_makes_other_engines_hang_is_found_in_time() {
        let text = "a".repeat(30_000);
        let begun = std::time::Instant::now();
        assert!(found("(a+)+b", true, &text).is_empty());
        assert!(begun.elapsed().as_secs() < 20);
    }

    proptest! {
        #[test]
        fn matches_are_where_a_naive_search_finds_them(
            pattern in "[abA.]{1,3}",
            text in "[abA.é\n]{0,60}",
        ) {
            let fold = |text: &str| match pattern.contains('A') {
                true => text.to_owned(),
                false => text.to_lowercase(),
            };
            let mut naive = Vec::new();
            let mut offset = 0;
            for (n, line) in text.split('\n').enumerate() {
                let line_folded = fold(line);
                naive.extend(line_folded.match_indices(&pattern).map(|(at, _)| (n, offset + at)));
                offset += line.len() + 1;
            }
            let mut ours = Vec::new();
            let compiled = Pattern::new(&pattern, false).expect("words").expect("not empty");
            compiled.each(&text, |line, range| ours.push((line, range.start)));
            prop_assert_eq!(ours, naive);
        }
    }
}
