//! A window over entries of different heights, at a cost that depends only on what shows.

use super::Motion;
use crate::ui::{
    find::Pattern,
    render::Row,
    transcript::{MarkedCells, marks},
};

/// Rows that a page keeps of the one before.
const OVERLAP: usize = 2;

/// What a window scrolls through: entries that are laid out when they come into view.
pub trait Entries {
    fn len(&self) -> usize;
    /// The rows of one entry.
    fn rows(&self, at: usize) -> Vec<Row>;

    /// The first entry that is still kept.
    fn first(&self) -> usize {
        0
    }

    /// Whether a pattern may match in an entry; quicker than laying it out.
    fn may_match(&self, at: usize, pattern: &Pattern) -> bool;

    /// Where a pattern matches in an entry, as it is drawn.
    fn marks(&self, at: usize, pattern: &Pattern) -> Vec<Vec<MarkedCells>> {
        match self.may_match(at, pattern) {
            true => marks(&self.rows(at), pattern),
            false => Vec::new(),
        }
    }
}

/// An entry of which something shows: the first row that does, and how many of its rows follow.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub entry: usize,
    pub from: usize,
    pub rows: usize,
}

/// Where the window stands.
#[derive(Debug, Default)]
pub struct Window {
    /// The entry at the top, and how many of its rows are above.
    top: usize,
    skip: usize,
    height: usize,
    /// Applied with the next [`Window::rows`].
    pending: Vec<Motion>,
    at_end: bool,
    /// To be in sight with the next frame.
    kept: Option<usize>,
    /// As of the last frame; rows below the window's end included.
    shown: Vec<Shown>,
}

impl Window {
    pub fn ask(&mut self, motion: Motion) {
        match (self.pending.last_mut(), motion) {
            (Some(Motion::Rows(last)), Motion::Rows(more)) => *last = last.saturating_add(more),
            _ => self.pending.push(motion),
        }
    }

    /// Puts an entry at the top.
    pub fn go_to(&mut self, entry: usize) {
        self.pending.clear();
        (self.top, self.skip) = (entry, 0);
    }

    /// The entry at the top, and how many of its rows are above.
    pub fn place(&self) -> (usize, usize) {
        (self.top, self.skip)
    }

    /// Goes back to a place.
    pub fn go_back(&mut self, (top, skip): (usize, usize)) {
        self.pending.clear();
        (self.top, self.skip) = (top, skip);
    }

    /// What the last frame showed.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }

    /// Whether the last frame showed a row of an entry.
    pub fn shows(&self, entry: usize, row: usize) -> bool {
        let mut above = 0;
        for shown in &self.shown {
            if shown.entry == entry && row >= shown.from {
                return above + (row - shown.from) < self.height;
            }
            above += shown.rows;
        }
        false
    }

    /// Brings a row of an entry into view, with what led to it above.
    pub fn bring(&mut self, entry: usize, row: usize, entries: &impl Entries) {
        self.go_back((entry, row));
        self.by(-isize::try_from(self.height / 3).unwrap_or(0), entries);
    }

    /// Scrolls with the next frame as little as shows an entry with some rows around it.
    pub fn keep(&mut self, entry: usize) {
        self.kept = Some(entry);
    }

    pub fn height(&self) -> usize {
        self.height
    }

    pub fn top(&self) -> usize {
        self.top
    }

    /// The last row shows.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// The visible rows, after the moves that were asked for; at most `height`.
    pub fn rows(&mut self, entries: &impl Entries, height: usize) -> Vec<Row> {
        self.height = height;
        for motion in std::mem::take(&mut self.pending) {
            let page = isize::try_from(height.saturating_sub(OVERLAP).max(1)).unwrap_or(1);
            match motion {
                Motion::Rows(rows) => self.by(rows, entries),
                Motion::Pages(pages) => self.by(pages.saturating_mul(page), entries),
                Motion::HalfPages(pages) => self.by(pages.saturating_mul(page / 2 + 1), entries),
                Motion::Home => (self.top, self.skip) = (0, 0),
                Motion::End => self.go_to_end(entries),
            }
        }
        self.top = self.top.min(entries.len().saturating_sub(1));
        if let Some(kept) = self.kept.take() {
            self.show(kept, entries);
        }
        let mut rows = self.lay_out(entries);
        if rows.len() < height && (self.top, self.skip) != (0, 0) {
            self.go_to_end(entries);
            rows = self.lay_out(entries);
        }
        self.at_end = rows.len() <= height;
        rows.truncate(height);
        rows
    }

    /// Rows from the top on; one more than the window is high, where there is one.
    fn lay_out(&mut self, entries: &impl Entries) -> Vec<Row> {
        let mut rows = Vec::new();
        self.shown.clear();
        for entry in self.top..entries.len() {
            let of_entry = entries.rows(entry);
            let before = rows.len();
            let mut from = 0;
            if entry == self.top {
                from = self.skip.min(of_entry.len().saturating_sub(1));
                self.skip = self.skip.min(of_entry.len().saturating_sub(1));
                rows.extend(of_entry.into_iter().skip(self.skip));
            } else {
                rows.extend(of_entry);
            }
            self.shown.push(Shown {
                entry,
                from,
                rows: rows.len() - before,
            });
            if rows.len() > self.height {
                break;
            }
        }
        rows
    }

    fn by(&mut self, rows: isize, entries: &impl Entries) {
        let mut left = rows.unsigned_abs();
        if rows > 0 {
            self.skip += left;
            while self.top + 1 < entries.len() {
                let of_entry = entries.rows(self.top).len();
                if self.skip < of_entry {
                    return;
                }
                self.skip -= of_entry;
                self.top += 1;
            }
            return;
        }
        while left > self.skip {
            left -= self.skip;
            let Some(above) = self.top.checked_sub(1) else {
                self.skip = 0;
                return;
            };
            self.top = above;
            self.skip = entries.rows(above).len();
        }
        self.skip -= left;
    }

    fn show(&mut self, entry: usize, entries: &impl Entries) {
        let margin = self.height / 4;
        let signed = |rows: usize| isize::try_from(rows).unwrap_or(0);
        if entry < self.top || entry == self.top && self.skip > 0 {
            self.go_back((entry, 0));
            return self.by(-signed(margin), entries);
        }
        let rows = entries.rows(entry).len();
        let mut above = 0;
        for between in self.top..entry {
            above += entries.rows(between).len();
            if above > self.height + self.skip {
                // Far below.
                self.go_back((entry, 0));
                let room = self.height.saturating_sub(margin + rows);
                return self.by(-signed(room), entries);
            }
        }
        let above = above.saturating_sub(self.skip);
        let too_low = (above + rows + margin).saturating_sub(self.height);
        if too_low > 0 {
            self.by(signed(too_low.min(above)), entries);
        } else if above < margin {
            self.by(-signed(margin - above), entries);
        }
    }

    fn go_to_end(&mut self, entries: &impl Entries) {
        self.top = entries.len().saturating_sub(1);
        self.skip = entries.rows(self.top).len();
        let height = isize::try_from(self.height).unwrap_or(0);
        self.by(-height, entries);
    }
}
