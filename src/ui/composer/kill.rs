//! Killed text: consecutive kills are joined, the last few are kept for yanking.

use std::collections::VecDeque;

/// Kills kept; each is at most as long as the buffer.
const KEPT: usize = 16;

#[derive(Debug, Default)]
pub struct Kills {
    /// Newest first.
    ring: VecDeque<String>,
    /// The last edit was a kill.
    joining: bool,
}

/// On which side of the caret it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    Behind,
}

impl Kills {
    pub fn add(&mut self, text: String, side: Side) {
        if text.is_empty() {
            return;
        }
        match self.ring.front_mut() {
            Some(last) if self.joining => match side {
                Side::Before => last.insert_str(0, &text),
                Side::Behind => last.push_str(&text),
            },
            _ => {
                self.ring.push_front(text);
                self.ring.truncate(KEPT);
            }
        }
        self.joining = true;
    }

    /// The next kill starts a new entry.
    pub fn close(&mut self) {
        self.joining = false;
    }

    /// The `age`th newest, counted around the ring.
    pub fn get(&self, age: usize) -> Option<&str> {
        let index = age.checked_rem(self.ring.len())?;
        self.ring.get(index).map(String::as_str)
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.ring.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_kills_are_one() {
        let mut kills = Kills::default();
        kills.add("b".into(), Side::Before);
        kills.add("a".into(), Side::Before);
        kills.add("c".into(), Side::Behind);
        kills.close();
        kills.add("x".into(), Side::Before);
        assert_eq!(kills.get(0), Some("x"));
        assert_eq!(kills.get(1), Some("abc"));
        assert_eq!(kills.get(2), Some("x"));
        assert_eq!(Kills::default().get(0), None);
    }
}
