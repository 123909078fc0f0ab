//! When to draw. Pure: time comes in, a deadline goes out.
//!
//! Owns these rules: a request after idle draws at once; keys draw at once unless
//! a frame went out a moment ago; streaming alone is held to [`STREAM_INTERVAL`], to a budget of
//! bytes, and to twice what the terminal takes for a frame. No request, no deadline: idle is no
//! wake-ups.

use std::time::{Duration, Instant};

/// Frames that only streaming asks for are at least this far apart.
pub const STREAM_INTERVAL: Duration = Duration::from_millis(33);

/// Keys and dialogs draw at once, but not closer than this to the last frame: a burst of keys is
/// one frame.
pub const KEY_INTERVAL: Duration = Duration::from_millis(4);

/// Bytes a second up to which streaming may draw: a slow line must not fall behind, and nobody
/// reads faster. Frames that keys ask for count, though they do not wait.
pub const STREAM_BYTES_PER_SECOND: u32 = 120_000;

/// Longest gap that the byte budget or a slow terminal may put between streamed frames.
const MAX_INTERVAL: Duration = Duration::from_millis(250);

/// Why a frame is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The person did something, or is asked something.
    Now,
    /// Something streams in or moves.
    Stream,
}

#[derive(Debug, Default)]
pub struct FrameScheduler {
    wanted: Option<Instant>,
    /// Something streamed in and was not drawn: its time depends on what is written meanwhile.
    streamed: bool,
    last: Option<Instant>,
    /// When the bytes written so far are within the budget.
    paid: Option<Instant>,
    /// Gap after the last frame before a streamed one, for a terminal that takes its time.
    breath: Duration,
    /// A frame is being written to the terminal; the next one waits for it.
    in_flight: bool,
}

impl FrameScheduler {
    /// Asks for a frame as soon as the rules allow.
    pub fn request(&mut self, now: Instant, reason: Reason) {
        match (reason, self.last) {
            (_, None) => self.request_at(now),
            (Reason::Now, Some(last)) => self.request_at(now.max(last + KEY_INTERVAL)),
            (Reason::Stream, Some(_)) => self.streamed = true,
        }
    }

    /// Asks for a frame at `at`; the earliest request wins.
    pub fn request_at(&mut self, at: Instant) {
        self.wanted = Some(self.wanted.map_or(at, |wanted| wanted.min(at)));
    }

    /// When to draw next; `None` while nothing is wanted or the last frame is still being written.
    pub fn deadline(&self) -> Option<Instant> {
        if self.in_flight {
            return None;
        }
        let streamed = self.last.filter(|_| self.streamed).map(|last| {
            let least = last + self.breath.max(STREAM_INTERVAL);
            self.paid.map_or(least, |paid| paid.max(least))
        });
        [self.wanted, streamed].into_iter().flatten().min()
    }

    /// A frame was drawn at `now` and handed to the terminal.
    pub fn drawn(&mut self, now: Instant) {
        (self.wanted, self.streamed) = (None, false);
        self.last = Some(now);
        self.in_flight = true;
    }

    /// No frame was drawn yet.
    pub fn is_first(&self) -> bool {
        self.last.is_none()
    }

    /// Something else had the terminal: no frame is on its way, none was drawn lately.
    pub fn reset(&mut self) {
        self.in_flight = false;
        (self.wanted, self.streamed) = (None, false);
    }

    /// Nothing had changed: no frame went out.
    pub fn skipped(&mut self) {
        (self.wanted, self.streamed) = (None, false);
    }

    /// The terminal took the frame: `bytes` in `cost`.
    pub fn written(&mut self, bytes: usize, cost: Duration) {
        self.in_flight = false;
        let Some(last) = self.last else { return };
        let budget = Duration::from_secs_f64(bytes as f64 / f64::from(STREAM_BYTES_PER_SECOND));
        // What MAX_INTERVAL let pass unpaid is forgiven.
        let from = self.paid.map_or(last, |paid| paid.max(last));
        self.paid = Some((from + budget).min(last + MAX_INTERVAL));
        self.breath = (cost * 2).min(MAX_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn idle_has_no_deadline_and_the_first_request_draws_at_once() {
        let mut frames = FrameScheduler::default();
        let now = Instant::now();
        assert_eq!(frames.deadline(), None);
        frames.request(now, Reason::Stream);
        assert_eq!(frames.deadline(), Some(now));
    }

    #[test]
    fn streaming_is_clamped_and_a_key_is_not() {
        let mut frames = FrameScheduler::default();
        let start = Instant::now();
        frames.request(start, Reason::Stream);
        frames.drawn(start);
        frames.written(100, ms(0));
        frames.request(start + ms(1), Reason::Stream);
        assert_eq!(frames.deadline(), Some(start + STREAM_INTERVAL));
        frames.request(start + ms(10), Reason::Now);
        assert_eq!(frames.deadline(), Some(start + ms(10)));
    }

    #[test]
    fn a_burst_of_keys_is_one_frame() {
        let mut frames = FrameScheduler::default();
        let start = Instant::now();
        frames.drawn(start);
        frames.written(100, ms(0));
        frames.request(start + ms(1), Reason::Now);
        assert_eq!(frames.deadline(), Some(start + KEY_INTERVAL));
    }

    #[test]
    fn a_hundred_thousand_chunks_in_a_second_are_at_most_31_frames() {
        let mut frames = FrameScheduler::default();
        let start = Instant::now();
        let mut drawn = 0;
        for n in 0..100_000_u64 {
            let now = start + Duration::from_micros(10 * n);
            frames.request(now, Reason::Stream);
            if frames.deadline().is_some_and(|at| at <= now) {
                frames.drawn(now);
                frames.written(100, ms(0));
                drawn += 1;
            }
        }
        assert!(drawn <= 31, "{drawn} frames");
    }

    #[test]
    fn a_slow_or_flooded_terminal_gets_fewer_streamed_frames() {
        let mut frames = FrameScheduler::default();
        let start = Instant::now();
        frames.drawn(start);
        assert_eq!(frames.deadline(), None, "one frame in flight at a time");
        frames.written(100, ms(100));
        frames.request(start + ms(101), Reason::Stream);
        assert_eq!(frames.deadline(), Some(start + ms(200)));
        frames.drawn(start + ms(200));
        frames.written(12_000, ms(0));
        frames.request(start + ms(201), Reason::Stream);
        assert_eq!(frames.deadline(), Some(start + ms(300)));
    }

    #[test]
    fn frames_for_keys_count_towards_the_bytes_of_streaming() {
        let mut frames = FrameScheduler::default();
        let start = Instant::now();
        frames.drawn(start);
        frames.written(12_000, ms(0));
        frames.request(start + ms(10), Reason::Now);
        assert_eq!(frames.deadline(), Some(start + ms(10)));
        frames.drawn(start + ms(10));
        frames.written(6_000, ms(0));
        frames.request(start + ms(11), Reason::Stream);
        assert_eq!(frames.deadline(), Some(start + ms(150)));
        // However much was written, the screen does not stand still for long.
        frames.drawn(start + ms(150));
        frames.written(1_000_000, ms(0));
        frames.request(start + ms(151), Reason::Stream);
        assert_eq!(frames.deadline(), Some(start + ms(150) + MAX_INTERVAL));
    }
}
