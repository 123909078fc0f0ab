//! When the disk is looked at again for an open review.
//!
//! While a turn runs soon after something has ended that may have changed files, and otherwise every now and then,
//! as a command tells nothing before its end. Without a turn only when the person does something: nothing is done
//! for a review that is left open. Never while a look is under way, and the longer one takes the rarer they are.

use std::time::{Duration, Instant};

use crate::{host::changes::threads, model::SessionKey};

/// Between looks, where nothing has ended.
const EVERY: Duration = Duration::from_secs(2);

/// Between looks at least: calls that end together need one.
const LEAST: Duration = Duration::from_millis(200);

/// After a look as many times as long as all its threads may have worked: a tenth of a core.
const REST: u32 = 9;

#[derive(Debug, Default)]
pub struct Live {
    /// The session whose review is followed.
    of: Option<SessionKey>,
    /// Its turn runs.
    runs: bool,
    /// What had ended in it before the last look.
    acts: u64,
    /// Something has ended since.
    hurries: bool,
    /// A look is under way.
    looking: bool,
    /// Not before this.
    rested: Option<Instant>,
    /// If nothing ends until then.
    next: Option<Instant>,
}

impl Live {
    /// The session whose review is open, and while its turn runs how often something has ended in it.
    pub fn follow(&mut self, followed: Option<(SessionKey, Option<u64>)>, now: Instant) {
        let of = followed.map(|(key, _)| key);
        let acts = followed.and_then(|(_, acts)| acts);
        if of != self.of || acts.is_some() != self.runs {
            // Opening it has looked, and so do a turn's beginning and its end.
            (self.of, self.runs, self.hurries) = (of, acts.is_some(), false);
            self.acts = acts.unwrap_or(0);
            self.next = Some(now + EVERY);
        }
        if let Some(acts) = acts
            && acts != self.acts
        {
            (self.acts, self.hurries) = (acts, true);
            self.rested.get_or_insert(now);
        }
    }

    /// When to look while a turn runs.
    pub fn due(&self) -> Option<Instant> {
        let at = match self.hurries {
            true => self.rested,
            false => self.next,
        };
        at.filter(|_| self.runs && !self.looking)
    }

    /// Whether to look because the person does something.
    pub fn may_look(&self, now: Instant) -> bool {
        let idle = self.of.is_some() && !self.runs && !self.looking;
        idle && self.next.is_some_and(|next| next <= now)
    }

    pub fn begun(&mut self) {
        (self.looking, self.hurries) = (true, false);
    }

    pub fn ended(&mut self, took: Duration, now: Instant) {
        let threads = u32::try_from(threads()).unwrap_or(1);
        let rest = took.saturating_mul(REST).saturating_mul(threads);
        self.looking = false;
        self.rested = Some(now + rest.max(LEAST));
        self.next = Some(now + rest.max(EVERY));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: SessionKey = SessionKey(1);

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn looks_come_when_something_ends_and_else_now_and_then() {
        let start = Instant::now();
        let mut live = Live::default();
        assert_eq!(live.due(), None);
        live.follow(Some((ONE, Some(7))), start);
        assert_eq!(live.due(), Some(start + EVERY));
        // A call ends: at once.
        live.follow(Some((ONE, Some(8))), start + millis(500));
        assert_eq!(live.due(), Some(start + millis(500)));
        live.begun();
        // What ends meanwhile is looked for afterwards, once.
        live.follow(Some((ONE, Some(9))), start + millis(510));
        live.follow(Some((ONE, Some(10))), start + millis(520));
        assert_eq!(live.due(), None, "one look at a time");
        live.ended(millis(1), start + millis(530));
        assert_eq!(live.due(), Some(start + millis(530) + LEAST));
        live.begun();
        live.ended(millis(1), start + millis(800));
        assert_eq!(live.due(), Some(start + millis(800) + EVERY));
    }

    #[test]
    fn a_long_look_is_followed_by_a_long_pause() {
        let start = Instant::now();
        let mut live = Live::default();
        live.follow(Some((ONE, Some(0))), start);
        live.begun();
        live.ended(millis(1_000), start);
        live.follow(Some((ONE, Some(1))), start);
        let due = live.due().expect("something has ended");
        assert!(due >= start + millis(9_000), "{:?}", due - start);
    }

    #[test]
    fn nothing_is_due_without_a_turn_or_an_open_review() {
        let start = Instant::now();
        let mut live = Live::default();
        live.follow(Some((ONE, Some(0))), start);
        live.follow(None, start + millis(10));
        assert_eq!(live.due(), None);
        // Another session's calls are not this one's.
        live.follow(Some((SessionKey(2), Some(40))), start + millis(20));
        assert_eq!(live.due(), Some(start + millis(20) + EVERY));
    }

    #[test]
    fn without_a_turn_the_person_has_it_looked_and_not_too_often() {
        let start = Instant::now();
        let mut live = Live::default();
        assert!(!live.may_look(start), "nothing is open");
        live.follow(Some((ONE, None)), start);
        assert!(
            !live.may_look(start + millis(1_900)),
            "opening it has looked"
        );
        assert!(live.may_look(start + EVERY));
        assert_eq!(live.due(), None, "never without the person");
        live.begun();
        assert!(!live.may_look(start + millis(9_000)), "one look at a time");
        live.ended(millis(1), start + millis(9_000));
        assert!(!live.may_look(start + millis(10_900)));
        assert!(live.may_look(start + millis(11_000)));
        // A turn has its own times.
        live.follow(Some((ONE, Some(3))), start + millis(20_000));
        assert!(!live.may_look(start + millis(30_000)));
        assert_eq!(live.due(), Some(start + millis(22_000)));
    }
}
