//! What must happen before a question takes an answer: a pause (V1-PERM-11), as keys that were in
//! flight when it appeared were meant for something else; and what must be read must have been on
//! the screen.

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use crossterm::event::KeyCode;

use crate::ui::keymap::Chord;

/// Time without typing, and since the question was first drawn, before an answer counts.
pub const PAUSE: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// When the question was first on the screen; before that no one can have read it.
    appeared: Option<Instant>,
    last_typed: Option<Instant>,
    /// The person opened it: there is no pause once it is drawn.
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

    /// For a dialog that the person has just opened: it takes the next key.
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

/// Which rows of a long text have been on the screen.
///
/// A row counts once it has stood on a screen of one size for the guard's pause, or once the person
/// has scrolled on from it: a window that is being resized shows rows that no one reads.
#[derive(Debug, Default)]
pub struct Reading {
    /// Columns and rows of what is read: as another layout, its rows are others.
    of: Option<(usize, usize)>,
    read: Vec<bool>,
    /// Rows of the last picture, its size, and since when it has that.
    window: Range<usize>,
    size: (u16, u16),
    since: Option<Instant>,
    /// Scrolled since the last picture.
    turned: bool,
    whole: bool,
}

impl Reading {
    /// A picture of `rows` rows, `width` columns wide, shows those of `window`.
    pub fn drawn(
        &mut self,
        (width, rows): (usize, usize),
        window: Range<usize>,
        size: (u16, u16),
        now: Instant,
    ) {
        self.turned = false;
        if self.whole {
            return;
        }
        if self.of.replace((width, rows)) != Some((width, rows)) {
            self.read = vec![false; rows];
        }
        if self.since.is_none() || self.size != size {
            self.since = Some(now);
            self.size = size;
        }
        self.window = window;
        self.settle(now);
    }

    /// The person scrolls. False where the last step has not been drawn yet: rows that no picture
    /// had would be skipped.
    pub fn turn(&mut self) -> bool {
        if self.turned {
            return false;
        }
        self.turned = true;
        self.mark();
        true
    }

    /// Whether all of it was read by now.
    pub fn is_whole(&mut self, now: Instant) -> bool {
        if !self.turned {
            self.settle(now);
        }
        self.whole
    }

    /// The first row that was not read, as far as is known.
    pub fn first_unread(&self) -> Option<usize> {
        self.read.iter().position(|read| !read)
    }

    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let at = self.since.filter(|_| !self.whole)? + PAUSE;
        (at > now).then_some(at)
    }

    fn settle(&mut self, now: Instant) {
        let stood = self.since.map(|since| now.saturating_duration_since(since));
        if stood.unwrap_or(Duration::ZERO) >= PAUSE {
            self.mark();
        }
    }

    fn mark(&mut self) {
        let end = self.window.end.min(self.read.len());
        for row in self
            .read
            .get_mut(self.window.start..end)
            .unwrap_or_default()
        {
            *row = true;
        }
        self.whole = self.since.is_some() && self.read.iter().all(|read| *read);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn key(name: &str) -> Chord {
        Chord::parse(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// V1-PERM-11
    #[test]
    fn opens_after_a_pause_since_it_appeared() {
        let start = Instant::now();
        let mut guard = Guard::new(None);
        assert!(!guard.is_open(start + ms(9_000)), "never drawn");
        guard.drawn(start);
        guard.drawn(start + ms(300));
        assert!(!guard.is_open(start + ms(399)));
        assert!(guard.is_open(start + ms(400)));
    }

    /// V1-PERM-11
    #[test]
    fn whatever_is_typed_begins_the_pause_again() {
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

    const SIZE: (u16, u16) = (80, 10);

    #[test]
    fn what_fits_is_read_after_the_pause() {
        let start = Instant::now();
        let mut reading = Reading::default();
        assert!(!reading.is_whole(start), "never drawn");
        reading.drawn((80, 8), 0..8, SIZE, start);
        assert!(!reading.is_whole(start + ms(399)));
        assert_eq!(reading.deadline(start), Some(start + ms(400)));
        assert!(reading.is_whole(start + ms(400)));
        assert_eq!(reading.deadline(start), None);
    }

    #[test]
    fn what_is_longer_is_read_page_by_page_and_no_page_is_skipped() {
        let start = Instant::now();
        let mut reading = Reading::default();
        reading.drawn((80, 30), 0..10, SIZE, start);
        let later = start + ms(1_000);
        assert!(!reading.is_whole(later));
        assert!(reading.turn());
        assert!(!reading.turn(), "the next page was not drawn");
        reading.drawn((80, 30), 20..30, SIZE, later);
        assert!(!reading.is_whole(later), "the middle was never there");
        assert_eq!(reading.first_unread(), Some(10));
        reading.turn();
        reading.drawn((80, 30), 10..20, SIZE, later);
        assert!(reading.is_whole(later));
    }

    #[test]
    fn a_window_that_is_made_larger_for_a_moment_reads_nothing() {
        let start = Instant::now();
        let mut reading = Reading::default();
        reading.drawn((80, 30), 0..10, SIZE, start);
        reading.drawn((80, 30), 0..30, (80, 60), start + ms(900));
        reading.drawn((80, 30), 20..30, SIZE, start + ms(1_000));
        assert!(!reading.is_whole(start + ms(1_200)));
        // In other columns it has other rows.
        reading.drawn((40, 60), 50..60, (40, 10), start + ms(2_000));
        assert!(!reading.is_whole(start + ms(9_000)));
    }

    proptest! {
        /// It is whole only when each row of one layout was in a picture.
        #[test]
        fn nothing_is_read_that_was_not_drawn(
            rows in 1_usize..60,
            steps in prop::collection::vec((0_usize..60, 1_usize..20, any::<bool>(), 0_u64..900), 0..40),
        ) {
            let start = Instant::now();
            let mut reading = Reading::default();
            let mut drawn = vec![false; rows];
            let mut now = start;
            for (top, height, turn, wait) in steps {
                let window = top.min(rows)..(top + height).min(rows);
                drawn[window.clone()].fill(true);
                reading.drawn((80, rows), window, SIZE, now);
                if turn {
                    reading.turn();
                }
                now += ms(wait);
                if reading.is_whole(now) {
                    prop_assert!(drawn.iter().all(|row| *row));
                }
            }
        }
    }
}
