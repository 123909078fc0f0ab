//! What a finished `CSI …` or `SS3 …` means.
//!
//! Keys are known by their whole form, everything else is a report: a letter alone says little, since
//! reports end in the same ones. `CSI 1;2R` is shift-F3 and `CSI 7;2R` the place of a cursor, as in xterm;
//! kitty avoids that letter.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

use super::{
    keys,
    report::{self, Shade, Told},
};

/// What a sequence means.
#[derive(Debug, PartialEq)]
pub enum Meaning {
    Key(KeyEvent),
    /// A key that the terminal told the text of.
    Text(String),
    Event(Event),
    Background(Shade),
    Told(Told),
    PasteBegins,
    /// A report, or nothing known.
    Nothing,
}

impl From<Option<KeyEvent>> for Meaning {
    fn from(key: Option<KeyEvent>) -> Self {
        key.map_or(Self::Nothing, Self::Key)
    }
}

fn told(told: Option<Told>) -> Meaning {
    told.map_or(Meaning::Nothing, Meaning::Told)
}

/// A `CSI` with its parameters and its last byte.
pub fn read(params: &[u8], last: u8) -> Meaning {
    match (params, last) {
        ([b'<', params @ ..], b'M' | b'm') => {
            return numbered_mouse(Params(params), 0, last == b'm');
        }
        // The colour scheme, as the desktop has it.
        (b"?997;1", b'n') => return Meaning::Background(Shade::Dark),
        (b"?997;2", b'n') => return Meaning::Background(Shade::Light),
        ([b'?', attributes @ ..], b'c') => return told(report::attributes(attributes)),
        (cell, b't') => return told(report::cell(cell)),
        (b"", b'I') => return Meaning::Event(Event::FocusGained),
        (b"", b'O') => return Meaning::Event(Event::FocusLost),
        (b"200", b'~') => return Meaning::PasteBegins,
        _ => {}
    }
    if params
        .iter()
        .any(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))
    {
        return Meaning::Nothing;
    }
    let params = Params(params);
    match last {
        b'~' if params.number(0) == Some(27) => modified(params).into(),
        b'~' => numbered(params, KeyModifiers::NONE).into(),
        // rxvt tells ctrl, and ctrl with shift, by the last byte.
        b'^' => numbered(params, KeyModifiers::CONTROL).into(),
        b'@' => numbered(params, KeyModifiers::CONTROL | KeyModifiers::SHIFT).into(),
        b'u' => by_number(params),
        b'Z' => {
            let key = params
                .pressed()
                .map(|pressed| pressed.key(KeyCode::BackTab));
            let key = key.map(|mut key| {
                key.modifiers |= KeyModifiers::SHIFT;
                key
            });
            key.into()
        }
        b'M' if params.count() == 3 => numbered_mouse(params, 32, false),
        // rxvt: arrows with shift.
        b'a'..=b'd' if params.count() == 0 => arrow(last.to_ascii_uppercase())
            .map(|code| KeyEvent::new(code, KeyModifiers::SHIFT))
            .into(),
        // The 5 of the Linux console's keypad.
        b'G' if params.count() == 0 => Meaning::Key(KeyCode::KeypadBegin.into()),
        _ => lettered(params, last).into(),
    }
}

/// A key with shift in rxvt: `CSI 23 $`, which has no last byte. Reports of modes go on behind that sign,
/// and have two numbers before it.
pub fn shifted(held: &[u8]) -> Option<KeyEvent> {
    let number = held.strip_suffix(b"$")?;
    let digits = number.iter().all(u8::is_ascii_digit);
    digits
        .then(|| numbered(Params(number), KeyModifiers::SHIFT))
        .flatten()
}

/// An `SS3` with its parameter, which old terminals put a modifier in.
pub fn read_ss3(params: &[u8], last: u8) -> Meaning {
    let params = Params(params);
    let modifiers = params.number(params.count().saturating_sub(1)).unwrap_or(1);
    let Some(modifiers) = modifiers_of(modifiers) else {
        return Meaning::Nothing;
    };
    let keypad = |c: u8| (KeyCode::Char(char::from(c)), KeyModifiers::NONE);
    let (code, more) = match last {
        b'M' => (KeyCode::Enter, KeyModifiers::NONE),
        b'I' => (KeyCode::Tab, KeyModifiers::NONE),
        b'X' => keypad(b'='),
        // The keypad in its application mode: `j` to `y` for `*` to `9`.
        b'j'..=b'y' => keypad(last - b'j' + b'*'),
        // PuTTY as a VT100+ goes on behind F4; its F9 is the keypad's `=` of the others.
        b'T'..=b'W' | b'Y'..=b'[' => (KeyCode::F(last - b'P' + 1), KeyModifiers::NONE),
        // rxvt: arrows with ctrl.
        b'a'..=b'd' => match arrow(last.to_ascii_uppercase()) {
            Some(code) => (code, KeyModifiers::CONTROL),
            None => return Meaning::Nothing,
        },
        _ => match letter(last) {
            Some(code) => (code, KeyModifiers::NONE),
            None => return Meaning::Nothing,
        },
    };
    Meaning::Key(KeyEvent::new(code, modifiers | more))
}

/// A mouse report of the oldest form.
pub fn old_mouse(button: u8, column: u8, row: u8) -> Meaning {
    let place = |byte: u8| u16::from(byte.saturating_sub(33));
    mouse(button.checked_sub(32), place(column), place(row), false)
}

/// Parameters: fields between `;`, parts of them between `:`.
#[derive(Clone, Copy)]
struct Params<'a>(&'a [u8]);

/// Modifiers and the rest that is told of a press.
struct Pressed {
    modifiers: KeyModifiers,
    kind: KeyEventKind,
    state: KeyEventState,
}

impl Pressed {
    fn key(&self, code: KeyCode) -> KeyEvent {
        KeyEvent::new_with_kind_and_state(code, self.modifiers, self.kind, self.state)
    }
}

impl<'a> Params<'a> {
    fn count(self) -> usize {
        if self.0.is_empty() {
            0
        } else {
            self.0.split(|byte| *byte == b';').count()
        }
    }

    fn field(self, at: usize) -> &'a [u8] {
        let mut fields = self.0.split(|byte| *byte == b';');
        fields.nth(at).unwrap_or_default()
    }

    /// `None` where there is none, and where it is no number that could be meant.
    fn part(self, field: usize, part: usize) -> Option<u32> {
        let mut parts = self.field(field).split(|byte| *byte == b':');
        std::str::from_utf8(parts.nth(part)?).ok()?.parse().ok()
    }

    fn number(self, field: usize) -> Option<u32> {
        self.part(field, 0)
    }

    /// The second field: modifiers, and behind a colon what happened to the key.
    fn pressed(self) -> Option<Pressed> {
        let mask = self.number(1).unwrap_or(1);
        Some(Pressed {
            modifiers: modifiers_of(mask)?,
            kind: match self.part(1, 1) {
                Some(2) => KeyEventKind::Repeat,
                Some(3) => KeyEventKind::Release,
                _ => KeyEventKind::Press,
            },
            state: locks_of(mask),
        })
    }
}

/// Modifiers as terminals count them: one more than the sum of their bits.
fn modifiers_of(mask: u32) -> Option<KeyModifiers> {
    let bits = mask.saturating_sub(1);
    if bits > 0xff {
        return None;
    }
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ] {
        modifiers.set(modifier, bits & bit != 0);
    }
    Some(modifiers)
}

fn locks_of(mask: u32) -> KeyEventState {
    let bits = mask.saturating_sub(1);
    let mut state = KeyEventState::NONE;
    state.set(KeyEventState::CAPS_LOCK, bits & 64 != 0);
    state.set(KeyEventState::NUM_LOCK, bits & 128 != 0);
    state
}

fn arrow(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        _ => return None,
    })
}

fn letter(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return arrow(letter),
    })
}

fn lettered(params: Params<'_>, last: u8) -> Option<KeyEvent> {
    let code = letter(last)?;
    match (params.count(), params.number(0)) {
        (0, _) => Some(code.into()),
        (1, Some(1)) if last != b'R' => Some(code.into()),
        // Old terminals: the modifier alone.
        (1, Some(mask @ 2..=16)) if last != b'R' => Some(KeyEvent::new(code, modifiers_of(mask)?)),
        (2 | 3, Some(1) | None) => {
            let mask = params.number(1)?;
            // In the first row, the place of a cursor is told so too.
            let place = last == b'R' && !(2..=16).contains(&mask);
            (!place).then_some(params.pressed()?.key(code))
        }
        _ => None,
    }
}

/// `CSI number ; modifiers ~`.
fn numbered(params: Params<'_>, more: KeyModifiers) -> Option<KeyEvent> {
    let number = params.number(0)?;
    if keys::FUNCTIONAL.contains(&number) {
        // kitty tells the middle key of the keypad so.
        let pressed = params.pressed()?;
        let key = keys::of_number(number, None, None, pressed.modifiers, pressed.state)?;
        return Some(KeyEvent {
            kind: pressed.kind,
            ..key
        });
    }
    let number = u8::try_from(number).ok()?;
    let code = match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number - 10),
        17..=21 => KeyCode::F(number - 11),
        23..=26 => KeyCode::F(number - 12),
        28..=29 => KeyCode::F(number - 13),
        31..=34 => KeyCode::F(number - 14),
        _ => return None,
    };
    let mut key = params.pressed()?.key(code);
    key.modifiers |= more;
    Some(key)
}

/// `CSI 27 ; modifiers ; character ~`, xterm's modifyOtherKeys.
fn modified(params: Params<'_>) -> Option<KeyEvent> {
    let pressed = params.pressed()?;
    let number = params.number(2)?;
    let key = keys::of_number(number, None, None, pressed.modifiers, pressed.state)?;
    Some(KeyEvent {
        kind: pressed.kind,
        ..key
    })
}

/// `CSI key : shifted : base ; modifiers : event ; text u`, the kitty protocol's and that before it.
fn by_number(params: Params<'_>) -> Meaning {
    let Some((number, pressed)) = params.number(0).zip(params.pressed()) else {
        return Meaning::Nothing;
    };
    let text: String = params
        .field(2)
        .split(|byte| *byte == b':')
        .filter_map(|code| std::str::from_utf8(code).ok()?.parse().ok())
        .filter_map(char::from_u32)
        .filter(|c| !c.is_control())
        .collect();
    let chord = pressed.modifiers - KeyModifiers::SHIFT;
    if !text.is_empty() && chord.is_empty() && pressed.kind != KeyEventKind::Release {
        return Meaning::Text(text);
    }
    let key = keys::of_number(
        number,
        params.part(0, 1),
        params.part(0, 2),
        pressed.modifiers,
        pressed.state,
    );
    key.map(|key| KeyEvent {
        kind: pressed.kind,
        ..key
    })
    .into()
}

/// Numbers for button, column and row. `offset` is what this form adds to the button.
fn numbered_mouse(params: Params<'_>, offset: u32, released: bool) -> Meaning {
    let place = |at| u16::try_from(params.number(at)?.saturating_sub(1)).ok();
    let (Some(column), Some(row)) = (place(1), place(2)) else {
        return Meaning::Nothing;
    };
    let button = params.number(0).and_then(|bits| bits.checked_sub(offset));
    let button = button.and_then(|bits| u8::try_from(bits).ok());
    mouse(button, column, row, released)
}

/// `button`: two bits of its number, shift, alt, ctrl, whether the mouse moves, two bits more.
fn mouse(button: Option<u8>, column: u16, row: u16, released: bool) -> Meaning {
    let Some(bits) = button else {
        return Meaning::Nothing;
    };
    let number = bits & 0b11 | (bits & 0b1100_0000) >> 4;
    let moves = bits & 0b10_0000 != 0;
    let pressed = match number {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (number, pressed, moves) {
        (_, Some(button), true) => MouseEventKind::Drag(button),
        (_, Some(button), false) if released => MouseEventKind::Up(button),
        (_, Some(button), false) => MouseEventKind::Down(button),
        // Which one was let go of, this form does not tell.
        (3, _, false) => MouseEventKind::Up(MouseButton::Left),
        (3..=5, _, true) => MouseEventKind::Moved,
        (4, _, false) => MouseEventKind::ScrollUp,
        (5, _, false) => MouseEventKind::ScrollDown,
        (6, _, false) => MouseEventKind::ScrollLeft,
        (7, _, false) => MouseEventKind::ScrollRight,
        _ => return Meaning::Nothing,
    };
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::SHIFT, bits & 0b100 != 0);
    modifiers.set(KeyModifiers::ALT, bits & 0b1000 != 0);
    modifiers.set(KeyModifiers::CONTROL, bits & 0b1_0000 != 0);
    Meaning::Event(Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers,
    }))
}
