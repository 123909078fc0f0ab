//! The mouse on the lines of a review: the cursor goes where it points, a drag makes a range, and one that is held
//! at an edge moves the lines on.

use std::time::Instant;

use super::pane::Pane;
use crate::ui::{
    pointer::{Edge, EdgeScroll},
    viewer::Motion,
};

impl Pane {
    /// The cursor goes to what is drawn on a row of the screen, and its hunk is what keys are about.
    pub fn click(&mut self, row: u16) {
        self.point(row, false);
    }

    /// The range goes on to a row.
    pub fn drag(&mut self, row: u16) {
        let area = self.area();
        let last = area.bottom().saturating_sub(1);
        let row = row.clamp(area.top(), last.max(area.top()));
        self.held = Some(row);
        self.point(row, true);
    }

    /// The button is up, or what was dragged is over.
    pub fn release(&mut self) {
        (self.held, self.scrolls) = (None, EdgeScroll::default());
    }

    pub fn drag_deadline(&self) -> Option<Instant> {
        self.scrolls.deadline()
    }

    fn edge(&self) -> Option<Edge> {
        let (row, area, diff) = (self.held?, self.area(), self.diff()?);
        if row <= area.top() && diff.has_more(false) {
            Some(Edge::Upper)
        } else if row + 1 >= area.bottom() && diff.has_more(true) {
            Some(Edge::Lower)
        } else {
            None
        }
    }

    /// Before a frame: moves the lines on under a drag that is held at their edge.
    pub fn scroll_at_edge(&mut self, now: Instant) {
        let rows = self.scrolls.rows(self.edge(), now);
        if rows != 0 {
            self.scroll(Motion::Rows(rows));
        }
    }

    /// Behind it: the range goes to where the pointer is. Whether the lines had moved.
    pub fn follow_drag(&mut self, now: Instant) -> bool {
        let due = self.scrolls.deadline().is_some_and(|at| at <= now);
        if let Some(row) = self.held.filter(|_| due) {
            self.point(row, true);
        }
        self.scrolls.hold(self.edge(), now);
        due
    }
}
