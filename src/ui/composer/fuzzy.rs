//! What is typed to narrow a list, and fuzzy matching of it against many names.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{Atom, AtomKind, CaseMatching, Normalization},
};
use unicode_segmentation::UnicodeSegmentation;

/// Characters of a query; more cannot be seen and finds nothing.
const MAX_QUERY: usize = 200;

/// One line that is typed to narrow a list.
#[derive(Debug, Default)]
pub struct Query(String);

impl Query {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn push(&mut self, text: &str) {
        let room = MAX_QUERY.saturating_sub(self.0.chars().count());
        let line = text.lines().next().unwrap_or_default().chars();
        self.0.extend(line.filter(|c| !c.is_control()).take(room));
    }

    pub fn pop(&mut self) {
        if let Some((last, _)) = self.0.grapheme_indices(true).next_back() {
            self.0.truncate(last);
        }
    }

    pub fn pop_word(&mut self) {
        let kept = self.0.trim_end().rfind(' ').map_or(0, |at| at + 1);
        self.0.truncate(kept);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// A query being matched. `$` and `!` have no special meaning: names contain them.
pub struct Fuzzy {
    matcher: Matcher,
    atom: Atom,
    chars: Vec<char>,
}

impl Fuzzy {
    pub fn new(query: &str) -> Self {
        Self {
            matcher: Matcher::new(Config::DEFAULT.match_paths()),
            atom: Atom::new(
                query,
                CaseMatching::Smart,
                Normalization::Smart,
                AtomKind::Fuzzy,
                false,
            ),
            chars: Vec::new(),
        }
    }

    /// Higher is better; `None` if `name` does not match.
    pub fn score(&mut self, name: &str) -> Option<u16> {
        let name = Utf32Str::new(name, &mut self.chars);
        self.atom.score(name, &mut self.matcher)
    }

    /// Which grapheme clusters of `name` match, in order.
    pub fn marks(&mut self, name: &str) -> Vec<usize> {
        let mut indices = Vec::new();
        let haystack = Utf32Str::new(name, &mut self.chars);
        // A name in which each cluster begins with ASCII ("Über" in two code points) is taken for
        // ASCII there, and its bytes are counted.
        let counts_bytes = matches!(haystack, Utf32Str::Ascii(_));
        self.atom.indices(haystack, &mut self.matcher, &mut indices);
        let mut marks: Vec<usize> = indices.into_iter().map(|index| index as usize).collect();
        if counts_bytes && !name.is_ascii() {
            let starts: Vec<usize> = name.grapheme_indices(true).map(|(at, _)| at).collect();
            for mark in &mut marks {
                *mark = starts.partition_point(|start| *start <= *mark) - 1;
            }
        }
        marks.sort_unstable();
        marks.dedup();
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_in_a_query_are_plain() {
        assert!(Fuzzy::new("$pla").score("$plan").is_some());
        assert!(Fuzzy::new("!x").score("x").is_none());
        assert!(Fuzzy::new("memory sh").score("memory show").is_some());
    }

    #[test]
    fn marks_are_clusters() {
        assert_eq!(Fuzzy::new("b").marks("e\u{301}b"), [1]);
        assert_eq!(Fuzzy::new("b").marks("日本b"), [2]);
        assert_eq!(Fuzzy::new("mr").marks("main.rs"), [0, 5]);
    }
}
