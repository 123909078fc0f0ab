//! Keys pressed one after the other that together mean an action: `space f`, `ctrl-x ctrl-s`.

use std::fmt;

use super::Chord;
use crate::ui::action::Action;

/// Keys in a sequence at most.
pub const MAX_KEYS: usize = 4;

/// One key or several, never none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sequence {
    first: Chord,
    rest: Vec<Chord>,
}

/// What may follow keys that were pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follows<'a> {
    /// Keys that are missing; empty: it is complete.
    pub rest: &'a [Chord],
    pub action: Action,
}

impl Sequence {
    /// Reads names of keys with blanks between them.
    ///
    /// # Errors
    /// What is wrong with one of them, or that they are too many.
    pub fn parse(names: &str) -> Result<Self, String> {
        let mut names = names.split_whitespace();
        let first = Chord::parse(names.next().unwrap_or_default())?;
        let rest = names.map(Chord::parse).collect::<Result<Vec<_>, _>>()?;
        if rest.len() >= MAX_KEYS {
            return Err(format!("at most {MAX_KEYS} keys can follow each other"));
        }
        Ok(Self { first, rest })
    }

    pub fn first(&self) -> Chord {
        self.first
    }

    /// The key, where it is only one.
    pub fn single(&self) -> Option<Chord> {
        self.rest.is_empty().then_some(self.first)
    }

    /// What is missing of it behind these keys; `None` if it does not begin with them.
    pub fn behind(&self, typed: &[Chord]) -> Option<&[Chord]> {
        match typed.split_first() {
            Some((first, typed)) if *first == self.first => self.rest.strip_prefix(typed),
            _ => None,
        }
    }

    /// Whether one of both cannot be pressed for the other: they are the same, or begin so.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        self.first == other.first
            && (self.rest.starts_with(&other.rest) || other.rest.starts_with(&self.rest))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.rest.iter().try_for_each(|key| write!(f, " {key}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &str) -> Sequence {
        Sequence::parse(names).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_sequence_is_shown_as_it_is_written() {
        for names in ["space f", "ctrl-x ctrl-s", "g g", "F5", "a b c d"] {
            assert_eq!(keys(names).to_string(), names);
        }
        assert_eq!(keys("  ctrl-x   ctrl-s "), keys("ctrl-x ctrl-s"));
        assert!(Sequence::parse("a b c d e").is_err_and(|error| error.contains("at most 4")));
        assert!(Sequence::parse("space ctrl-entre").is_err_and(|error| error.contains("`enter`")));
        assert!(Sequence::parse(" ").is_err());
    }

    #[test]
    fn what_is_missing_is_known_behind_each_key() {
        let typed = |names: &str| -> Vec<Chord> {
            names
                .split(' ')
                .map(|name| Chord::parse(name).unwrap())
                .collect()
        };
        let sequence = keys("space f g");
        assert_eq!(sequence.behind(&typed("space")), Some(&typed("f g")[..]));
        assert_eq!(sequence.behind(&typed("space f g")), Some(&[][..]));
        assert_eq!(sequence.behind(&typed("space g")), None);
        assert_eq!(sequence.behind(&typed("space f g h")), None);
        assert_eq!(sequence.behind(&[]), None);
    }

    #[test]
    fn what_begins_another_is_in_its_way() {
        assert!(keys("ctrl-x").conflicts_with(&keys("ctrl-x a")));
        assert!(keys("ctrl-x a").conflicts_with(&keys("ctrl-x")));
        assert!(keys("ctrl-x a").conflicts_with(&keys("ctrl-x a")));
        assert!(!keys("ctrl-x a").conflicts_with(&keys("ctrl-x b")));
        assert!(!keys("ctrl-x a b").conflicts_with(&keys("ctrl-y a")));
    }
}
