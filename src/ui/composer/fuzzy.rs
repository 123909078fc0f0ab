//! Fuzzy matching of one query against many names.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{Atom, AtomKind, CaseMatching, Normalization},
};

/// A query being matched. Signs in it mean themselves: names hold `$` and `!`.
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
        let name = Utf32Str::new(name, &mut self.chars);
        self.atom.indices(name, &mut self.matcher, &mut indices);
        indices.sort_unstable();
        indices.dedup();
        indices.into_iter().map(|index| index as usize).collect()
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
        assert_eq!(Fuzzy::new("mr").marks("main.rs"), [0, 5]);
    }
}
