//! A terminal's screen as data: bytes in, rows of styled cells out.
//!
//! Owns: the vt100 parser with bounded scrollback, shared by the host's PTYs, by terminals that
//! agents report in `_meta`, and by what draws them. The only way in which terminal bytes come
//! near the screen (PRODUCT §6). Must not know about processes or widgets.

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
pub use screen::{Cursor, InputModes, Screen, missing};

use crate::proto::TerminalId;

/// Rows kept above the visible screen; older ones are counted, not kept. What a person wants to look
/// through is there whole: the bytes are what bounds it, mostly.
pub const SCROLLBACK_ROWS: usize = 50_000;

/// Bytes that those rows may take together, with [`ROW`] for each: rows full of colour changes are
/// much longer than wide.
pub const SCROLLBACK_BYTES: usize = 2 << 20;

/// What a row takes beside its text.
const ROW: usize = 24;

/// Sizes above these are taken for these: an agent or a program can ask for any.
pub const MAX_ROWS: u16 = 500;
pub const MAX_COLS: u16 = 1_000;

/// One terminal's screen. Shared between the task that feeds it and the one that draws it; locks
/// are short (one fed piece, one drawn view).
#[derive(Clone)]
pub struct SharedScreen(Arc<Shared>);

struct Shared {
    screen: Mutex<Screen>,
    /// Somebody was told of a change and has not looked since.
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

    /// Changes the screen. True if whoever draws it is to be told: at most once until the next
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

/// The terminals that can be shown, by id.
#[derive(Default)]
pub struct Screens(HashMap<TerminalId, SharedScreen>);

impl Screens {
    pub fn get(&self, id: &TerminalId) -> Option<&SharedScreen> {
        self.0.get(id)
    }

    pub fn insert(&mut self, id: TerminalId, screen: SharedScreen) {
        self.0.insert(id, screen);
    }

    /// The screen of that id, made where there is none.
    pub fn get_or_insert(
        &mut self,
        id: TerminalId,
        new: impl FnOnce() -> SharedScreen,
    ) -> &SharedScreen {
        self.0.entry(id).or_insert_with(new)
    }

    /// Forgets all but those that `keep` wants.
    pub fn retain(&mut self, keep: impl Fn(&TerminalId) -> bool) {
        self.0.retain(|id, _| keep(id));
    }
}

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
}
