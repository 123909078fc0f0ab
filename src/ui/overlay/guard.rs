//! The pause before a question takes an answer (V1-PERM-11): keys that were in
//! flight when it appeared were meant for something else.

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;

use crate::ui::keymap::Chord;

/// Time without typing, and since the question was first drawn, before an answer counts.
pub const PAUSE: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// When the question was first on the screen; until then nobody can have read it.
    appeared: Option<Instant>,
    last_typed: Option<Instant>,
    /// The person asked for it: there is nothing to wait for once it is drawn.
    wanted: bool,
}

impl Guard {
    /// For a question that is about to appear; `last_typed` is when something was typed last.
    pub fn new(last_typed: Option<Instant>) -> Self {
        Self {
            appeared: None,
            last_typed,
            wanted: false,
        }
    }

    /// For what the person has just opened, and which takes the next key.
    pub fn of_wanted() -> Self {
        Self {
            wanted: true,
            ..Self::new(None)
        }
    }

    /// The question is drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.appeared.get_or_insert(now);
    }

    /// The question shows something else: the pause begins again with the next frame.
    pub fn changed(&mut self) {
        self.appeared = None;
        self.wanted = false;
    }

    /// Something was typed: the pause begins again. Keys of the dialog and of what it opens are not
    /// typing.
    pub fn typed(&mut self, now: Instant) {
        self.last_typed = Some(now);
    }

    /// [`Guard::typed`], if that is what the key does.
    pub fn pressed(&mut self, key: Chord, now: Instant) {
        if is_typing(key) {
            self.typed(now);
        }
    }

    pub fn is_open(&self, now: Instant) -> bool {
        self.opens_at().is_some_and(|at| at <= now)
    }

    /// It is on the screen, and nothing was typed just before.
    pub fn is_quiet(&self, now: Instant) -> bool {
        let pause = |typed: Instant| typed + PAUSE <= now;
        self.appeared.is_some() && self.last_typed.is_none_or(pause)
    }

    /// When an answer will count if nothing more is typed; `None` before the first frame.
    pub fn opens_at(&self) -> Option<Instant> {
        let appeared = self.appeared?;
        let after_typing = self.last_typed.map(|typed| typed + PAUSE);
        let after_appearing = if self.wanted {
            appeared
        } else {
            appeared + PAUSE
        };
        Some(after_typing.map_or(after_appearing, |at| at.max(after_appearing)))
    }
}

/// Whether a key is part of writing something: it types, or takes back what was typed.
pub fn is_typing(key: Chord) -> bool {
    key.is_text() || matches!(key.code(), KeyCode::Backspace | KeyCode::Delete)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn key(name: &str) -> Chord {
        Chord::parse(name).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn opens_after_a_pause_since_it_appeared_v1_perm_11() {
        let start = Instant::now();
        let mut guard = Guard::new(None);
        assert!(!guard.is_open(start + ms(9_000)), "never drawn");
        guard.drawn(start);
        guard.drawn(start + ms(300));
        assert!(!guard.is_open(start + ms(399)));
        assert!(guard.is_open(start + ms(400)));
    }

    #[test]
    fn whatever_is_typed_begins_the_pause_again_v1_perm_11() {
        let start = Instant::now();
        let mut guard = Guard::new(Some(start));
        guard.drawn(start);
        for n in 1..10 {
            guard.typed(start + ms(300 * n));
            assert!(!guard.is_open(start + ms(300 * n + 399)));
        }
        assert!(guard.is_open(start + ms(2_700 + 400)));
    }

    #[test]
    fn only_typing_begins_it_again() {
        let start = Instant::now();
        let mut guard = Guard::new(None);
        guard.drawn(start);
        for name in [
            "down", "enter", "esc", "pgdn", "ctrl-o", "alt-x", "F1", "tab",
        ] {
            guard.pressed(key(name), start + ms(399));
            assert!(guard.is_open(start + ms(400)), "{name}");
        }
        for (n, name) in ["x", "1", "space", "backspace"].into_iter().enumerate() {
            let at = start + ms(1_000 * (n as u64 + 1));
            guard.pressed(key(name), at);
            assert!(!guard.is_open(at + ms(399)), "{name}");
        }
    }

    #[test]
    fn what_the_person_opened_takes_the_next_key() {
        let start = Instant::now();
        let mut guard = Guard::of_wanted();
        assert!(!guard.is_open(start));
        guard.drawn(start);
        assert!(guard.is_open(start));
    }
}
