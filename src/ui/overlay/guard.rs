//! The pause before a question takes an answer (PRODUCT §5, V1-PERM-11, C099): keys that were in
//! flight when it appeared were meant for something else.

use std::time::{Duration, Instant};

/// Time without any key, and since the question was first drawn, before an answer counts.
pub const PAUSE: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// When the question was first on the screen; until then nobody can have read it.
    appeared: Option<Instant>,
    last_key: Option<Instant>,
    /// Only a pause in typing is waited for.
    typing_only: bool,
}

impl Guard {
    /// For a question that is about to appear; `last_key` is the latest key pressed so far.
    pub fn new(last_key: Option<Instant>) -> Self {
        Self {
            appeared: None,
            last_key,
            typing_only: false,
        }
    }

    /// For a dialog that can be answered as soon as it is there, but not by what was being typed.
    pub fn typing_only(last_key: Option<Instant>) -> Self {
        Self {
            typing_only: true,
            ..Self::new(last_key)
        }
    }

    /// The question is drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.appeared.get_or_insert(now);
    }

    /// A key that was no part of answering: the pause begins again.
    pub fn typed(&mut self, now: Instant) {
        self.last_key = Some(now);
    }

    pub fn is_open(&self, now: Instant) -> bool {
        self.opens_at().is_some_and(|at| at <= now)
    }

    /// When an answer will count if no other key comes; `None` before the first frame.
    pub fn opens_at(&self) -> Option<Instant> {
        let appeared = self.appeared?;
        let after_key = self.last_key.map(|key| key + PAUSE);
        let after_appearing = if self.typing_only {
            appeared
        } else {
            appeared + PAUSE
        };
        Some(after_key.map_or(after_appearing, |at| at.max(after_appearing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
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
    fn each_key_begins_the_pause_again_v1_perm_11() {
        let start = Instant::now();
        let mut guard = Guard::new(Some(start));
        guard.drawn(start);
        for n in 1..10 {
            guard.typed(start + ms(300 * n));
            assert!(!guard.is_open(start + ms(300 * n + 399)));
        }
        assert!(guard.is_open(start + ms(2_700 + 400)));
    }
}
