//! Screens of terminals that the agent runs itself: drawn by the UI, and read by what stores a session,
//! with a UI and without.

use crate::{
    model::TerminalId,
    session::ScreenChange,
    vt::{Screen, Screens, SharedScreen},
};

/// Size of such a terminal, where the agent does not tell it.
const ROWS: u16 = 40;
const COLS: u16 = 120;

/// The same where there is room for no more: what it holds beside its rows above goes by its size.
const FEW_ROWS: u16 = 24;
const FEW_COLS: u16 = 80;

/// What the agent told of one. How many there are is for the session to bound: the caller drops those
/// that it has forgotten.
pub fn change(screens: &mut Screens, id: TerminalId, change: ScreenChange) {
    screens.trim_to_bound();
    let full = screens.is_full();
    let new = || match full {
        true => SharedScreen::new(FEW_ROWS, FEW_COLS),
        false => SharedScreen::new(ROWS, COLS),
    };
    match change {
        ScreenChange::Begin(size) => {
            let screen = match size.filter(|_| !full) {
                Some(size) => SharedScreen::new(size.rows, size.columns),
                None => new(),
            };
            screens.insert(id, screen);
        }
        ScreenChange::Resize(_) if full => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::TerminalSize,
        vt::{MAX_COLS, MAX_ROWS, SCREENS_BYTES},
    };

    #[test]
    fn what_an_agent_runs_itself_is_bounded_however_large_it_is_and_however_many() {
        let mut screens = Screens::default();
        let size = TerminalSize {
            rows: MAX_ROWS,
            columns: MAX_COLS,
        };
        let mut most = 0;
        let id = |n: usize| TerminalId::new(format!("t{n}"));
        for n in 0..200 {
            change(&mut screens, id(n), ScreenChange::Begin(Some(size)));
            change(&mut screens, id(n), ScreenChange::Resize(size));
            change(
                &mut screens,
                id(n),
                ScreenChange::Print(b"x\n".repeat(9_000)),
            );
            most = most.max(screens.weight());
        }
        // The first two had their size; the rest are small.
        assert!(most < 3 * SCREENS_BYTES, "{most}");
        let last = screens.get(&id(199)).expect("there").lock().size();
        assert_eq!(last, (FEW_ROWS, FEW_COLS));
    }
}
