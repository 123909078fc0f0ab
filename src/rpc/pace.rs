//! How often an agent that streams is read. Pure: time comes in, a time to wait for goes out.
//!
//! An agent that says a word at a time would wake its reader and the UI task for each, hundreds of times a
//! second, though what streams is drawn 30 times a second at most. So after a batch of notifications the
//! reader rests until the next beat, and reads what has come meanwhile as one batch; the pipe keeps it. The
//! beats of all readers are the same, so that the UI task wakes once for all agents that stream. What comes
//! after silence, requests and answers do not wait, nor does a flood.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

/// From beat to beat: half of what lies between two frames of a stream.
pub const BEAT: Duration = Duration::from_millis(16);

/// Bytes between two rests that are a flood: 1 MB a second. A pipe holds more.
const FLOOD: usize = 16 * 1024;

/// After one there is no rest for so long.
const RESTLESS: Duration = Duration::from_millis(100);

/// When the first beat was.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

#[derive(Debug)]
pub struct Pace {
    start: Instant,
    /// Bytes since the last rest.
    read: usize,
    restless: Option<Instant>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            start: *START,
            read: 0,
            restless: None,
        }
    }
}

impl Pace {
    /// So many bytes were read.
    pub fn read(&mut self, bytes: usize) {
        self.read = self.read.saturating_add(bytes);
    }

    /// What was read is delivered, nothing but notifications: until when to rest, if at all.
    pub fn rest(&mut self, now: Instant) -> Option<Instant> {
        let read = std::mem::take(&mut self.read);
        if read >= FLOOD {
            self.restless = Some(now + RESTLESS);
        }
        if self.restless.is_some_and(|until| now < until) {
            return None;
        }
        self.restless = None;
        let since = now.saturating_duration_since(self.start);
        let beat = BEAT.as_micros();
        let left = beat - since.as_micros() % beat;
        Some(now + Duration::from_micros(u64::try_from(left).unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rest_until_the_same_beat() {
        let start = *START;
        let at = start + BEAT * 5;
        for (since, next) in [(1, 1), (9, 1), (15, 1), (16, 2), (17, 2)] {
            let now = at + Duration::from_millis(since);
            let mut pace = Pace::default();
            pace.read(200);
            assert_eq!(pace.rest(now), Some(at + BEAT * next), "{since}");
        }
    }

    #[test]
    fn a_flood_is_not_held_up_until_a_while_after_it() {
        let start = Instant::now();
        let mut pace = Pace::default();
        pace.read(FLOOD - 1);
        assert!(pace.rest(start).is_some(), "no flood");
        pace.read(FLOOD);
        assert_eq!(pace.rest(start), None);
        pace.read(1);
        assert_eq!(pace.rest(start + RESTLESS / 2), None);
        pace.read(1);
        assert!(pace.rest(start + RESTLESS).is_some());
    }
}
