//! Screens of terminals that the agent runs itself: drawn by the UI, and read by what stores a session,
//! with a UI and without.

use crate::{
    proto::TerminalId,
    session::ScreenChange,
    vt::{Screen, Screens, SharedScreen},
};

/// Size of such a terminal, where the agent does not tell it.
const ROWS: u16 = 40;
const COLS: u16 = 120;

/// What the agent told of one. How many there are is for the session to bound: the caller drops those
/// that it has forgotten.
pub fn change(screens: &mut Screens, id: TerminalId, change: ScreenChange) {
    let new = || SharedScreen::new(ROWS, COLS);
    match change {
        ScreenChange::Begin(size) => {
            let screen = match size.filter(|_| !screens.is_full()) {
                Some(size) => SharedScreen::new(size.rows, size.columns),
                None => new(),
            };
            screens.insert(id, screen);
        }
        ScreenChange::Resize(_) if screens.is_full() => {}
        ScreenChange::Resize(size) => {
            screens
                .get_or_insert(id, new)
                .change(|screen| screen.resize(size.rows, size.columns));
        }
        ScreenChange::Print(data) => {
            // Not every agent announces it.
            screens
                .get_or_insert(id, new)
                .change(|screen| screen.feed_output(&data));
        }
        ScreenChange::End => {
            if let Some(screen) = screens.get(&id) {
                screen.change(Screen::finish);
            }
        }
    }
}
