//! Mouse reports as the bytes that a program in a terminal asked for.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::vt::{InputModes, MouseWanted};

/// The last column and row that the older form has a byte for.
const LAST_IN_A_BYTE: u16 = 222;

/// Where in `body` the pointer is, from 0; `None` beside it.
pub fn place(mouse: MouseEvent, body: Rect) -> Option<Position> {
    let at = Position::new(mouse.column, mouse.row);
    body.contains(at)
        .then(|| Position::new(at.x - body.x, at.y - body.y))
}

/// The report of it at `place`; `None` where the program has not asked for such reports.
pub fn bytes(mouse: MouseEvent, place: Position, modes: InputModes) -> Option<Vec<u8>> {
    let number = |button: MouseButton| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    let (code, least) = match mouse.kind {
        MouseEventKind::Down(button) => (number(button), MouseWanted::Presses),
        MouseEventKind::Up(button) => (number(button), MouseWanted::Releases),
        MouseEventKind::Drag(button) => (32 + number(button), MouseWanted::Moves),
        MouseEventKind::Moved => return None,
        MouseEventKind::ScrollUp => (64, MouseWanted::Presses),
        MouseEventKind::ScrollDown => (65, MouseWanted::Presses),
        MouseEventKind::ScrollLeft => (66, MouseWanted::Presses),
        MouseEventKind::ScrollRight => (67, MouseWanted::Presses),
    };
    if modes.mouse < least {
        return None;
    }
    let held = |modifier, bit| {
        if mouse.modifiers.contains(modifier) {
            bit
        } else {
            0
        }
    };
    let code: u8 = code
        + held(KeyModifiers::SHIFT, 4)
        + held(KeyModifiers::ALT, 8)
        + held(KeyModifiers::CONTROL, 16);
    let released = matches!(mouse.kind, MouseEventKind::Up(_));
    if modes.mouse_sgr {
        let end = if released { 'm' } else { 'M' };
        let (column, row) = (u32::from(place.x) + 1, u32::from(place.y) + 1);
        return Some(format!("\x1b[<{code};{column};{row}{end}").into_bytes());
    }
    // The older form does not tell which button was released.
    let code = if released { code | 3 } else { code };
    let byte = |at: u16| u8::try_from(at + 33).ok().filter(|_| at <= LAST_IN_A_BYTE);
    Some(vec![
        0x1b,
        b'[',
        b'M',
        32 + code,
        byte(place.x)?,
        byte(place.y)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: MouseEventKind) -> MouseEvent {
        MouseEvent {
            kind,
            column: 11,
            row: 6,
            modifiers: KeyModifiers::NONE,
        }
    }

    fn wanting(mouse: MouseWanted, mouse_sgr: bool) -> InputModes {
        InputModes {
            mouse,
            mouse_sgr,
            ..InputModes::default()
        }
    }

    #[test]
    fn a_program_gets_the_reports_that_it_asked_for() {
        let at = place(event(MouseEventKind::ScrollUp), Rect::new(2, 1, 80, 20)).expect("inside");
        assert_eq!(at, Position::new(9, 5));
        assert_eq!(
            place(event(MouseEventKind::Moved), Rect::new(0, 0, 11, 9)),
            None
        );
        let down = event(MouseEventKind::Down(MouseButton::Left));
        let up = event(MouseEventKind::Up(MouseButton::Left));
        let drag = event(MouseEventKind::Drag(MouseButton::Left));
        let sgr = |mouse, wanted| {
            let bytes = bytes(mouse, at, wanting(wanted, true))?;
            Some(String::from_utf8(bytes).expect("text"))
        };
        use MouseWanted::{Moves, Nothing, Presses, Releases};
        assert_eq!(sgr(down, Nothing), None);
        assert_eq!(sgr(down, Presses).as_deref(), Some("\x1b[<0;10;6M"));
        assert_eq!(sgr(up, Presses), None);
        assert_eq!(sgr(up, Releases).as_deref(), Some("\x1b[<0;10;6m"));
        assert_eq!(sgr(drag, Releases), None);
        assert_eq!(sgr(drag, Moves).as_deref(), Some("\x1b[<32;10;6M"));
        let old = |at| bytes(up, at, wanting(Releases, false));
        assert_eq!(old(at).as_deref(), Some(&b"\x1b[M#*&"[..]));
        assert!(old(Position::new(222, 0)).is_some());
        assert_eq!(old(Position::new(223, 0)), None, "no byte says so");
    }
}
