//! Keys as the bytes that a program in a terminal expects (xterm's encoding).

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::vt::InputModes;

/// The bytes of a key; `None` for those that have none.
pub fn key_bytes(key: KeyEvent, modes: InputModes) -> Option<Vec<u8>> {
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    // Shift, alt, ctrl as xterm counts them.
    let modifier = 1
        + u8::from(key.modifiers.contains(KeyModifiers::SHIFT))
        + 2 * u8::from(alt)
        + 4 * u8::from(ctrl);
    let mut bytes = match key.code {
        // xterm sends a sign that ctrl changes nothing of as it is.
        KeyCode::Char(c) if ctrl => {
            control(c).map_or_else(|| c.to_string().into_bytes(), |byte| vec![byte])
        }
        KeyCode::Char(c) => c.to_string().into_bytes(),
        KeyCode::Enter => vec![b'\r'],
        KeyCode::Tab => vec![b'\t'],
        KeyCode::Backspace => vec![if ctrl { 0x08 } else { 0x7f }],
        KeyCode::Esc => vec![0x1b],
        code => return special(code, modifier, modes),
    };
    if alt {
        bytes.insert(0, 0x1b);
    }
    Some(bytes)
}

/// Pasted text, in brackets where the program wants them; without the sequence that would end them.
pub fn paste_bytes(text: &str, modes: InputModes) -> Vec<u8> {
    let text = text.replace("\r\n", "\r").replace('\n', "\r");
    if !modes.bracketed_paste {
        return text.into_bytes();
    }
    let text = text.replace('\x1b', "");
    format!("\x1b[200~{text}\x1b[201~").into_bytes()
}

fn control(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' => c as u8 - b'a' + 1,
        'A'..='Z' => c as u8 - b'A' + 1,
        ' ' | '@' | '2' => 0,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

fn special(code: KeyCode, modifier: u8, modes: InputModes) -> Option<Vec<u8>> {
    let letter = |letter: char| {
        if modifier > 1 {
            format!("\x1b[1;{modifier}{letter}")
        } else if modes.application_cursor {
            format!("\x1bO{letter}")
        } else {
            format!("\x1b[{letter}")
        }
    };
    let number = |number: u8| {
        if modifier > 1 {
            format!("\x1b[{number};{modifier}~")
        } else {
            format!("\x1b[{number}~")
        }
    };
    let text = match code {
        KeyCode::Up => letter('A'),
        KeyCode::Down => letter('B'),
        KeyCode::Right => letter('C'),
        KeyCode::Left => letter('D'),
        KeyCode::Home => letter('H'),
        KeyCode::End => letter('F'),
        KeyCode::BackTab => "\x1b[Z".to_owned(),
        KeyCode::Insert => number(2),
        KeyCode::Delete => number(3),
        KeyCode::PageUp => number(5),
        KeyCode::PageDown => number(6),
        KeyCode::F(n @ 1..=4) if modifier == 1 => {
            format!("\x1bO{}", char::from(b'P' + n - 1))
        }
        KeyCode::F(n @ 1..=4) => format!("\x1b[1;{modifier}{}", char::from(b'P' + n - 1)),
        KeyCode::F(5) => number(15),
        KeyCode::F(n @ 6..=10) => number(n + 11),
        KeyCode::F(n @ 11..=12) => number(n + 12),
        _ => return None,
    };
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(code: KeyCode, modifiers: KeyModifiers) -> String {
        let bytes = key_bytes(KeyEvent::new(code, modifiers), InputModes::default());
        String::from_utf8(bytes.expect("a key with bytes")).expect("text")
    }

    #[test]
    fn keys_are_encoded_as_xterm_does() {
        let none = KeyModifiers::NONE;
        assert_eq!(bytes(KeyCode::Char('y'), none), "y");
        assert_eq!(bytes(KeyCode::Char('ä'), none), "ä");
        assert_eq!(bytes(KeyCode::Enter, none), "\r");
        assert_eq!(bytes(KeyCode::Backspace, none), "\x7f");
        assert_eq!(bytes(KeyCode::Esc, none), "\x1b");
        assert_eq!(bytes(KeyCode::Char('c'), KeyModifiers::CONTROL), "\x03");
        assert_eq!(bytes(KeyCode::Char(';'), KeyModifiers::CONTROL), ";");
        assert_eq!(bytes(KeyCode::Enter, KeyModifiers::SHIFT), "\r");
        assert_eq!(bytes(KeyCode::Char('b'), KeyModifiers::ALT), "\x1bb");
        assert_eq!(bytes(KeyCode::Left, KeyModifiers::CONTROL), "\x1b[1;5D");
        assert_eq!(bytes(KeyCode::Delete, none), "\x1b[3~");
        assert_eq!(bytes(KeyCode::F(5), none), "\x1b[15~");
        assert_eq!(bytes(KeyCode::F(12), none), "\x1b[24~");
    }

    #[test]
    fn arrows_follow_the_programs_mode() {
        let modes = InputModes {
            application_cursor: true,
            ..InputModes::default()
        };
        let up = KeyEvent::new(KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(key_bytes(up, modes).as_deref(), Some(&b"\x1bOA"[..]));
        assert_eq!(
            key_bytes(up, InputModes::default()).as_deref(),
            Some(&b"\x1b[A"[..])
        );
    }

    #[test]
    fn a_paste_cannot_leave_its_brackets() {
        let modes = InputModes {
            bracketed_paste: true,
            ..InputModes::default()
        };
        assert_eq!(
            paste_bytes("a\nb\x1b[201~rm", modes),
            b"\x1b[200~a\rb[201~rm\x1b[201~"
        );
        assert_eq!(paste_bytes("a\r\nb", InputModes::default()), b"a\rb");
    }
}
