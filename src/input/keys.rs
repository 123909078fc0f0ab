//! Which key a byte, a character or a key number is, in crossterm's words.
//!
//! Terminals report one key in several forms; what comes of them here is the same, and the same as for the
//! plain byte: a capital letter has shift, a sign that shift makes has none.

use crossterm::event::{KeyCode, KeyEvent, KeyEventState, KeyModifiers};

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// Key numbers of the kitty protocol for keys that make no text, in Unicode's private use area.
pub const FUNCTIONAL: std::ops::RangeInclusive<u32> = 57_344..=63_743;

/// Bytes of a character with that first byte, where a character has it.
pub fn char_len(lead: u8) -> Option<usize> {
    match lead {
        0x00..=0x7f => Some(1),
        0xc2..=0xdf => Some(2),
        0xe0..=0xef => Some(3),
        0xf0..=0xf4 => Some(4),
        _ => None,
    }
}

/// The key of an ASCII byte by itself, but for ESC.
pub fn of_byte(byte: u8) -> KeyEvent {
    let ctrl = |c: u8| KeyEvent::new(KeyCode::Char(char::from(c)), CTRL);
    match byte {
        0x00 => ctrl(b' '),
        b'\r' => KeyCode::Enter.into(),
        b'\t' => KeyCode::Tab.into(),
        0x01..=0x1a => ctrl(byte - 1 + b'a'),
        0x1b => KeyCode::Esc.into(),
        // Which of several signs is not known; terminals name these.
        0x1c..=0x1f => ctrl(byte - 0x1c + b'4'),
        0x7f => KeyCode::Backspace.into(),
        _ => of_char(char::from(byte)),
    }
}

/// The key of a typed character.
pub fn of_char(c: char) -> KeyEvent {
    let modifiers = if c.is_uppercase() {
        SHIFT
    } else {
        KeyModifiers::NONE
    };
    KeyEvent::new(KeyCode::Char(c), modifiers)
}

/// A key as `CSI …u` and `CSI 27;…~` tell it: its number, what shift makes of it and what is at its place
/// on a US keyboard, where the terminal tells that. `None` for keys that do nothing here.
pub fn of_number(
    number: u32,
    shifted: Option<u32>,
    base: Option<u32>,
    modifiers: KeyModifiers,
    state: KeyEventState,
) -> Option<KeyEvent> {
    let (code, modifiers, state) = match number {
        _ if FUNCTIONAL.contains(&number) => {
            let (code, keypad) = functional(number)?;
            (code, modifiers, state | keypad)
        }
        9 if modifiers.contains(SHIFT) => (KeyCode::BackTab, modifiers, state),
        8 | 0x7f => (KeyCode::Backspace, modifiers, state),
        0x00..=0x1f => {
            let key = of_byte(u8::try_from(number).ok()?);
            (key.code, key.modifiers | modifiers, state)
        }
        _ => {
            let c = character(number)?;
            let (shifted, base) = (shifted.and_then(character), base.and_then(character));
            let (c, modifiers) = char_with(c, shifted, base, modifiers)?;
            (KeyCode::Char(c), modifiers, state)
        }
    };
    let mut key = KeyEvent::new(code, modifiers);
    key.state = state;
    Some(key)
}

fn character(number: u32) -> Option<char> {
    char::from_u32(number).filter(|c| !c.is_control())
}

fn char_with(
    c: char,
    shifted: Option<char>,
    base: Option<char>,
    mut modifiers: KeyModifiers,
) -> Option<(char, KeyModifiers)> {
    if modifiers.intersects(KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META) {
        // No such chord can be bound, and the letter alone is not meant.
        return None;
    }
    let shift = modifiers.contains(SHIFT);
    if !modifiers.intersects(CTRL | ALT) {
        let c = if shift {
            shifted.unwrap_or_else(|| upper(c))
        } else {
            c
        };
        modifiers.set(SHIFT, c.is_uppercase());
        return Some((c, modifiers));
    }
    // Chords are those of the place on the keyboard where the layout has no Latin letters.
    if !c.is_ascii()
        && let Some(base) = base.filter(char::is_ascii)
    {
        return Some((base, modifiers));
    }
    if let Some(sign) = shifted.filter(|sign| shift && !sign.is_alphabetic()) {
        return Some((sign, modifiers - SHIFT));
    }
    Some((c, modifiers))
}

/// The capital, where it is one character.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    upper.next().filter(|_| upper.next().is_none()).unwrap_or(c)
}

/// Keys of the private use area, and whether they are on the keypad. Not those that only hold, lock or
/// play: they do nothing here.
fn functional(number: u32) -> Option<(KeyCode, KeyEventState)> {
    let keypad = |code| Some((code, KeyEventState::KEYPAD));
    let other = |code| Some((code, KeyEventState::NONE));
    match number {
        // Under their own numbers in some terminals, against the protocol.
        57_344 => other(KeyCode::Esc),
        57_345 => other(KeyCode::Enter),
        57_346 => other(KeyCode::Tab),
        57_347 => other(KeyCode::Backspace),
        57_348 => other(KeyCode::Insert),
        57_349 => other(KeyCode::Delete),
        57_350 => other(KeyCode::Left),
        57_351 => other(KeyCode::Right),
        57_352 => other(KeyCode::Up),
        57_353 => other(KeyCode::Down),
        57_354 => other(KeyCode::PageUp),
        57_355 => other(KeyCode::PageDown),
        57_356 => other(KeyCode::Home),
        57_357 => other(KeyCode::End),
        57_361 => other(KeyCode::PrintScreen),
        57_362 => other(KeyCode::Pause),
        57_363 => other(KeyCode::Menu),
        57_364..=57_398 => other(KeyCode::F(u8::try_from(number - 57_364 + 1).ok()?)),
        57_399..=57_408 => keypad(KeyCode::Char(char::from_digit(number - 57_399, 10)?)),
        57_409 => keypad(KeyCode::Char('.')),
        57_410 => keypad(KeyCode::Char('/')),
        57_411 => keypad(KeyCode::Char('*')),
        57_412 => keypad(KeyCode::Char('-')),
        57_413 => keypad(KeyCode::Char('+')),
        57_414 => keypad(KeyCode::Enter),
        57_415 => keypad(KeyCode::Char('=')),
        57_416 => keypad(KeyCode::Char(',')),
        57_417 => keypad(KeyCode::Left),
        57_418 => keypad(KeyCode::Right),
        57_419 => keypad(KeyCode::Up),
        57_420 => keypad(KeyCode::Down),
        57_421 => keypad(KeyCode::PageUp),
        57_422 => keypad(KeyCode::PageDown),
        57_423 => keypad(KeyCode::Home),
        57_424 => keypad(KeyCode::End),
        57_425 => keypad(KeyCode::Insert),
        57_426 => keypad(KeyCode::Delete),
        57_427 => keypad(KeyCode::KeypadBegin),
        _ => None,
    }
}
