//! Terminals that an agent runs itself: for display only, nothing can be typed there.

use crate::model::{ExitStatus, Meta, Patch, TerminalId};

/// `terminal_update` (V2-UPD-05); v1 has no word for it, and some agents say the same in `_meta`.
/// The first sight of an id makes it known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalPatch {
    pub id: TerminalId,
    /// Raw text, as the directory.
    pub command: Patch<String>,
    pub cwd: Patch<String>,
    /// Replaces all that was printed; cleared, the screen is empty.
    pub output: Patch<Vec<u8>>,
    /// Set: it has ended, even if nothing is known of how.
    pub exit: Patch<ExitStatus>,
    pub size: Patch<TerminalSize>,
    /// It can be cancelled by itself (V2-CAN-02).
    pub cancel: Patch<bool>,
    pub meta: Meta,
}

impl TerminalPatch {
    pub fn new(id: TerminalId) -> Self {
        Self {
            id,
            command: Patch::Keep,
            cwd: Patch::Keep,
            output: Patch::Keep,
            exit: Patch::Keep,
            size: Patch::Keep,
            cancel: Patch::Keep,
            meta: Meta::default(),
        }
    }
}

/// In cells; neither is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}
