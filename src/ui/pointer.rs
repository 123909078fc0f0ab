//! What the mouse does, as those under it are told: the wheel in rows, presses and releases.
//!
//! Owns how fast the wheel goes. Must not know what is under the pointer.

use std::time::{Duration, Instant};

use ratatui::layout::Position;

/// Rows of a notch of the wheel.
pub const WHEEL_ROWS: isize = 3;

/// Rows of a notch at most, however fast the wheel turns.
const WHEEL_ROWS_MOST: isize = 12;

/// Notches that follow each other as fast as this make the wheel faster, a row for each [`STREAK`].
const QUICK: Duration = Duration::from_millis(30);
const STREAK: isize = 3;

/// What it does to what is under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Rows; negative: towards the beginning.
    Wheel(isize),
    /// The left button goes down, or up.
    Press(Position),
    Release(Position),
}

impl Pointer {
    pub fn is_wheel(self) -> bool {
        matches!(self, Self::Wheel(_))
    }
}

/// Clicks that follow each other on one place within this time are one with its count.
const DOUBLE: Duration = Duration::from_millis(400);

/// How often the button went down on one place.
#[derive(Debug, Default)]
pub struct Clicks {
    last: Option<(Instant, Position)>,
    count: u8,
}

impl Clicks {
    /// The button goes down: 1 to 3, and from 1 again.
    pub fn press(&mut self, at: Position, now: Instant) -> u8 {
        let again = self.last.is_some_and(|(then, place)| {
            place == at && now.saturating_duration_since(then) <= DOUBLE
        });
        self.last = Some((now, at));
        self.count = if again { self.count % 3 + 1 } else { 1 };
        self.count
    }
}

/// Rows that move, and how often, while a drag is held at an edge of what it selects in.
const EDGE_ROWS: isize = 2;
const EDGE_PAUSE: Duration = Duration::from_millis(50);

/// At which edge a drag is held; `None` between them, or where there is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Upper,
    Lower,
}

/// Moves rows on under a drag that is held at an edge.
#[derive(Debug, Default)]
pub struct EdgeScroll {
    next: Option<Instant>,
}

impl EdgeScroll {
    pub fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// How many are due; negative: towards the beginning.
    pub fn rows(&self, edge: Option<Edge>, now: Instant) -> isize {
        match edge.filter(|_| self.next.is_some_and(|at| at <= now)) {
            None => 0,
            Some(Edge::Upper) => -EDGE_ROWS,
            Some(Edge::Lower) => EDGE_ROWS,
        }
    }

    /// Behind a frame: where the drag is held now.
    pub fn hold(&mut self, edge: Option<Edge>, now: Instant) {
        self.next = edge.map(|_| {
            let next = self.next.filter(|at| *at > now);
            next.unwrap_or(now + EDGE_PAUSE)
        });
    }
}

/// How fast the wheel turns.
#[derive(Debug, Default)]
pub struct Wheel {
    last: Option<(Instant, bool)>,
    quick: isize,
}

impl Wheel {
    /// The rows of one more notch.
    pub fn turn(&mut self, down: bool, now: Instant) -> isize {
        let before = self.last.replace((now, down));
        let goes_on = before
            .is_some_and(|(at, same)| same == down && now.saturating_duration_since(at) <= QUICK);
        self.quick = if goes_on {
            self.quick.saturating_add(1)
        } else {
            0
        };
        let rows = (WHEEL_ROWS + self.quick / STREAK).min(WHEEL_ROWS_MOST);
        if down { rows } else { -rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_held_at_an_edge_moves_on_at_a_steady_pace() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut scroll = EdgeScroll::default();
        assert_eq!(scroll.rows(Some(Edge::Lower), start), 0);
        scroll.hold(Some(Edge::Lower), start);
        assert_eq!(scroll.deadline(), Some(at(50)));
        scroll.hold(Some(Edge::Lower), at(20));
        assert_eq!(scroll.rows(Some(Edge::Lower), at(49)), 0);
        assert_eq!(scroll.rows(Some(Edge::Lower), at(50)), 2);
        assert_eq!(scroll.rows(Some(Edge::Upper), at(50)), -2);
        assert_eq!(scroll.rows(None, at(50)), 0);
        scroll.hold(Some(Edge::Lower), at(50));
        assert_eq!(scroll.deadline(), Some(at(100)));
        scroll.hold(None, at(60));
        assert_eq!(scroll.deadline(), None);
    }

    #[test]
    fn a_fast_wheel_goes_further_up_to_a_bound() {
        let start = Instant::now();
        let mut wheel = Wheel::default();
        for n in 0..5 {
            assert_eq!(wheel.turn(true, start + n * Duration::from_millis(31)), 3);
        }
        let mut fast = Wheel::default();
        let rows: Vec<isize> = (0..40)
            .map(|n| fast.turn(true, start + n * Duration::from_millis(10)))
            .collect();
        assert_eq!(rows[..4], [3, 3, 3, 4]);
        assert_eq!(rows[26..29], [11, 12, 12]);
        assert!(rows.iter().all(|rows| *rows <= 12));
        assert_eq!(fast.turn(false, start + Duration::from_millis(400)), -3);
    }
}
