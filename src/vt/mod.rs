//! A terminal's screen as data: bytes in, rows of styled cells out.
//!
//! Owns: the vt100 parser with bounded scrollback, shared by the host's PTYs, by terminals that
//! agents report in `_meta`, and by what draws them. The only way in which terminal bytes come
//! near the screen. Must not know about processes or widgets.

mod cells;
mod history;
mod screen;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

pub use cells::{CellStyle, Color, Run};
pub use screen::{Cursor, InputModes, MouseWanted, Screen, missing};

use crate::model::TerminalId;

/// Rows kept above the visible screen; older ones are counted, not kept. What a person wants to look
/// through is there whole: the bytes are what bounds it, mostly.
pub const SCROLLBACK_ROWS: usize = 50_000;

/// Bytes that those rows may take together, with [`ROW`] for each: rows full of colour changes are
/// much longer than wide.
pub const SCROLLBACK_BYTES: usize = 2 << 20;

/// Bytes that a row takes in addition to its text: where it ends.
const ROW: usize = 4;

/// Bytes that all terminals of a session may take together. Past it the oldest that are over go; then
/// those that run lose rows above their screens, the largest first. The screens themselves stay.
pub const SCREENS_BYTES: usize = 32 << 20;

/// Bytes of those rows that each keeps.
const KEPT_OF_EACH: usize = 16 << 10;

/// Sizes above these are taken for these: an agent or a program can ask for any.
pub const MAX_ROWS: u16 = 500;
pub const MAX_COLS: u16 = 1_000;

/// One terminal's screen. Shared between the task that feeds it and the one that draws it; locks
/// are short (one fed piece, one drawn view).
#[derive(Clone)]
pub struct SharedScreen(Arc<Shared>);

struct Shared {
    screen: Mutex<Screen>,
    /// The one who draws it was notified of a change and has not looked since.
    announced: AtomicBool,
}

impl SharedScreen {
    pub fn new(rows: u16, cols: u16) -> Self {
        Self(Arc::new(Shared {
            screen: Mutex::new(Screen::new(rows, cols)),
            announced: AtomicBool::new(false),
        }))
    }

    /// Looks at the screen. From here on the next change is announced again.
    pub fn lock(&self) -> MutexGuard<'_, Screen> {
        self.0.announced.store(false, Ordering::Release);
        self.guard()
    }

    /// Changes the screen. True if the one who draws it must be notified: at most once until the next
    /// [`SharedScreen::lock`], so that a flood of output is no flood of wake-ups.
    pub fn change(&self, change: impl FnOnce(&mut Screen)) -> bool {
        change(&mut self.guard());
        !self.0.announced.swap(true, Ordering::AcqRel)
    }

    fn guard(&self) -> MutexGuard<'_, Screen> {
        // A panic while feeding leaves a screen that is at worst half drawn.
        self.0.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The terminals that can be shown, by id, up to [`SCREENS_BYTES`].
#[derive(Default)]
pub struct Screens {
    screens: HashMap<TerminalId, (u64, SharedScreen)>,
    /// Counts those that came.
    came: u64,
}

impl Screens {
    pub fn get(&self, id: &TerminalId) -> Option<&SharedScreen> {
        self.screens.get(id).map(|(_, screen)| screen)
    }

    pub fn insert(&mut self, id: TerminalId, screen: SharedScreen) {
        self.trim_to_bound();
        self.came += 1;
        self.screens.insert(id, (self.came, screen));
    }

    /// The screen of that id, made where there is none.
    pub fn get_or_insert(
        &mut self,
        id: TerminalId,
        new: impl FnOnce() -> SharedScreen,
    ) -> &SharedScreen {
        if !self.screens.contains_key(&id) {
            self.trim_to_bound();
            self.came += 1;
        }
        let came = self.came;
        &self.screens.entry(id).or_insert_with(|| (came, new())).1
    }

    /// Whether those that run take all the room: another one should be small.
    pub fn is_full(&self) -> bool {
        self.weight() > SCREENS_BYTES
    }

    /// Bytes that all of them take, about.
    pub fn weight(&self) -> usize {
        let all = self.screens.values();
        all.map(|(_, screen)| screen.guard().weight()).sum()
    }

    /// Forgets all but those that `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(&TerminalId) -> bool) {
        self.screens.retain(|id, _| keep(id));
    }

    /// Brings them below their bound: before another one comes, and when some have printed. What a
    /// terminal showed is still stored, and its view says that it is no longer known; views count the rows
    /// that were dropped.
    pub fn trim_to_bound(&mut self) {
        let mut total = 0;
        let mut over: Vec<(u64, TerminalId, usize)> = Vec::new();
        for (id, (came, screen)) in &self.screens {
            // Not by `lock`: this is no look at the screen.
            let screen = screen.guard();
            total += screen.weight();
            if screen.is_finished() {
                over.push((*came, id.clone(), screen.weight()));
            }
        }
        over.sort_unstable_by_key(|(came, ..)| *came);
        for (_, id, weight) in over {
            if total <= SCREENS_BYTES {
                return;
            }
            total -= weight;
            self.screens.remove(&id);
        }
        if total <= SCREENS_BYTES {
            return;
        }
        let rows = |(_, screen): &(u64, SharedScreen)| screen.guard().rows_weight();
        let mut running: Vec<_> = self.screens.values().map(|one| (rows(one), one)).collect();
        running.sort_unstable_by_key(|(rows, _)| std::cmp::Reverse(*rows));
        for (before, (_, screen)) in running {
            if total <= SCREENS_BYTES || before <= KEPT_OF_EACH {
                return;
            }
            let mut screen = screen.guard();
            screen.cut_rows(KEPT_OF_EACH);
            total -= before.saturating_sub(screen.rows_weight());
        }
    }
}

/// Bytes of a cell of vt100's.
const CELL: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_announced_once_until_somebody_looks() {
        let shared = SharedScreen::new(4, 20);
        assert!(shared.change(|screen| screen.feed(b"a")));
        assert!(!shared.change(|screen| screen.feed(b"b")));
        assert_eq!(shared.lock().rev(), 2);
        assert!(shared.change(|screen| screen.feed(b"c")));
    }

    #[test]
    fn terminals_that_are_over_go_by_what_they_take_and_running_ones_stay() {
        let mut screens = Screens::default();
        let id = |n: usize| TerminalId::new(format!("t{n}"));
        let long = "0123456789".repeat(9) + "\r\n";
        for n in 0..200 {
            let screen = SharedScreen::new(24, 100);
            screen.change(|screen| screen.feed(long.repeat(2_100).as_bytes()));
            if n != 3 {
                screen.change(Screen::finish);
            }
            let one = screen.guard().weight();
            screens.insert(id(n), screen);
            assert!(screens.weight() <= SCREENS_BYTES + one);
        }
        assert!(screens.get(&id(0)).is_none() && screens.get(&id(199)).is_some());
        assert!(screens.get(&id(3)).is_some(), "it runs");
    }

    #[test]
    fn rows_of_terminals_that_run_are_bounded_together_and_counted() {
        let mut screens = Screens::default();
        let id = |n: usize| TerminalId::new(format!("t{n}"));
        let long = "0123456789".repeat(9) + "\r\n";
        let mut printed = 0;
        for n in 0..150 {
            let screen = SharedScreen::new(24, 100);
            screens.insert(id(n), screen.clone());
            for _ in 0..7 {
                screen.change(|screen| screen.feed(long.repeat(300).as_bytes()));
                screens.trim_to_bound();
                assert!(screens.weight() <= SCREENS_BYTES, "{}", screens.weight());
            }
            printed = 7 * 300;
        }
        let mut cut = 0;
        for n in 0..150 {
            let screen = screens.get(&id(n)).expect("it runs").lock();
            assert_eq!(screen.row_count() + screen.dropped_rows(), printed, "{n}");
            cut += usize::from(screen.dropped_rows() > 0);
        }
        assert!((1..150).contains(&cut), "{cut}");
    }

    #[test]
    fn screens_are_bounded_at_their_edges() {
        for (more, cut) in [(-1, false), (0, false), (1, true)] {
            let mut screens = Screens::default();
            let all = SCREENS_BYTES.saturating_add_signed(more);
            let mut n = 0;
            // Of the bound what is not cells is taken by rows, to the byte: one of 99 bytes or less.
            while screens.weight() < all {
                let screen = SharedScreen::new(1, 100);
                screens.insert(TerminalId::new(format!("t{n}")), screen.clone());
                n += 1;
                let left = all.saturating_sub(screens.weight());
                let mut room = left.min(SCROLLBACK_BYTES - 200);
                while room > ROW {
                    let text = match room - ROW {
                        text @ 0..=99 => text,
                        // What is left behind this one is room for another.
                        left if left < 100 + ROW => 90,
                        _ => 99,
                    };
                    screen.change(|screen| screen.feed_text(&("x".repeat(text) + "\n")));
                    room -= text + ROW;
                }
            }
            assert_eq!(screens.weight(), all, "{more}");
            screens.trim_to_bound();
            assert_eq!(screens.weight() < all, cut, "{more}");
        }
    }

    #[test]
    fn a_size_is_bounded_at_its_edges() {
        for (asked, rows, cols) in [
            (0, 1, 1),
            (1, 1, 1),
            (MAX_ROWS - 1, MAX_ROWS - 1, MAX_ROWS - 1),
            (MAX_ROWS, MAX_ROWS, MAX_ROWS),
            (MAX_ROWS + 1, MAX_ROWS, MAX_ROWS + 1),
            (MAX_COLS - 1, MAX_ROWS, MAX_COLS - 1),
            (MAX_COLS, MAX_ROWS, MAX_COLS),
            (MAX_COLS + 1, MAX_ROWS, MAX_COLS),
            (u16::MAX, MAX_ROWS, MAX_COLS),
        ] {
            assert_eq!(Screen::new(asked, asked).size(), (rows, cols), "{asked}");
            let mut screen = Screen::new(2, 2);
            screen.resize(asked, asked);
            assert_eq!(screen.size(), (rows, cols), "{asked}");
        }
    }
}
