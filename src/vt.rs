//! A terminal's screen as data: bytes in, rows of styled cells out.
//!
//! Owns: the vt100 parser with bounded scrollback, shared by the host's PTYs, by terminals that
//! agents report in `_meta`, and by what draws them. The only way in which terminal bytes come
//! near the screen (PRODUCT §6). Must not know about processes or widgets.

use std::{
    collections::HashMap,
    num::NonZeroU16,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{proto::TerminalId, text::SafeText};

/// Rows kept above the visible screen; older ones are counted, not kept.
pub const SCROLLBACK_ROWS: usize = 2_000;

/// One terminal's screen. Shared between the task that feeds it and the one that draws it; locks
/// are short (one fed piece, one drawn view).
#[derive(Clone)]
pub struct SharedScreen(Arc<Mutex<Screen>>);

impl SharedScreen {
    pub fn new(rows: u16, cols: u16) -> Self {
        Self(Arc::new(Mutex::new(Screen::new(rows, cols))))
    }

    pub fn lock(&self) -> MutexGuard<'_, Screen> {
        // A panic while feeding leaves a screen that is at worst half drawn.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    pub fn remove(&mut self, id: &TerminalId) {
        self.0.remove(id);
    }
}

/// A vt100 screen with scrollback and a revision.
pub struct Screen {
    parser: vt100::Parser,
    /// Grows with each change: what is drawn from the screen is cached by it.
    rev: u64,
}

/// Cells of one look, for the renderer to turn into a span.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub text: SafeText,
    pub style: CellStyle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CellStyle {
    pub fg: Color,
    pub bg: Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub inverse: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl Screen {
    /// A blank screen; sizes of 0 count as 1.
    pub fn new(rows: u16, cols: u16) -> Self {
        let at_least_one = |n| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
        let parser = vt100::Parser::new(at_least_one(rows), at_least_one(cols), SCROLLBACK_ROWS);
        Self { parser, rev: 0 }
    }

    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Interprets what the program printed.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.rev += 1;
    }

    /// Used rows, scrollback included: up to the last one with text in it or the cursor.
    pub fn row_count(&self) -> usize {
        todo!()
    }

    /// Rows that fell out of the scrollback, for "N rows hidden".
    pub fn dropped_rows(&self) -> usize {
        todo!()
    }

    /// The styled runs of `range` of the used rows, oldest first; trailing blanks left out.
    pub fn rows(&self, range: std::ops::Range<usize>) -> Vec<Vec<Run>> {
        todo!("{range:?}")
    }
}
