//! Which key edits what: readline's keys, and those of terminals that tell more.
//!
//! Sending, stopping, scrolling and the like are the keymap's business; these keys come after it.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert(char),
    Newline,
    Move(Motion),
    /// Deletes without keeping.
    Delete(Motion),
    /// Deletes, for yanking.
    Kill(Motion),
    Yank,
    /// Replaces what was just yanked by what was killed before it.
    YankPop,
    Undo,
    Redo,
    /// A row up, or an older history entry.
    Up,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    WordLeft,
    WordRight,
    /// Words being what blanks separate (ctrl-w).
    BlankWordLeft,
    LineStart,
    LineEnd,
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const NONE: KeyModifiers = KeyModifiers::NONE;

/// What `key` does to the text; `None` for releases and keys that do nothing to it.
pub fn edit_of(key: &KeyEvent) -> Option<Edit> {
    use Edit::{Delete, Kill, Move, Newline, Redo, Undo, Yank, YankPop};
    use Motion::{BlankWordLeft, Left, LineEnd, LineStart, Right, WordLeft, WordRight};
    if let Some(c) = text_of(key) {
        return Some(Edit::Insert(c));
    }
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let modifiers = key.modifiers - KeyModifiers::SHIFT;
    Some(match (key.code, modifiers) {
        (KeyCode::Enter, NONE) if shift => Newline,
        (KeyCode::Enter, ALT) | (KeyCode::Char('j'), CTRL) => Newline,

        (KeyCode::Left, NONE) | (KeyCode::Char('b'), CTRL) => Move(Left),
        (KeyCode::Right, NONE) | (KeyCode::Char('f'), CTRL) => Move(Right),
        (KeyCode::Left, CTRL | ALT) | (KeyCode::Char('b'), ALT) => Move(WordLeft),
        (KeyCode::Right, CTRL | ALT) | (KeyCode::Char('f'), ALT) => Move(WordRight),
        (KeyCode::Home, NONE) | (KeyCode::Char('a'), CTRL) => Move(LineStart),
        (KeyCode::End, NONE) | (KeyCode::Char('e'), CTRL) => Move(LineEnd),
        (KeyCode::Up, NONE) => Edit::Up,
        (KeyCode::Down, NONE) => Edit::Down,

        (KeyCode::Backspace, NONE) | (KeyCode::Char('h'), CTRL) => Delete(Left),
        (KeyCode::Delete, NONE) | (KeyCode::Char('d'), CTRL) => Delete(Right),
        (KeyCode::Backspace, ALT | CTRL) => Kill(WordLeft),
        (KeyCode::Delete, ALT | CTRL) | (KeyCode::Char('d'), ALT) => Kill(WordRight),
        (KeyCode::Char('w'), CTRL) => Kill(BlankWordLeft),
        (KeyCode::Char('u'), CTRL) => Kill(LineStart),
        (KeyCode::Char('k'), CTRL) => Kill(LineEnd),
        (KeyCode::Char('y'), CTRL) => Yank,
        (KeyCode::Char('y'), ALT) => YankPop,

        // Without the kitty protocol ctrl-_ and ctrl-/ are the byte 0x1f, reported as ctrl-7.
        (KeyCode::Char('_' | '/' | '7' | '-'), CTRL) => Undo,
        (KeyCode::Char('_' | '/'), ALT) => Redo,
        _ => return None,
    })
}

/// The character that `key` types.
pub fn text_of(key: &KeyEvent) -> Option<char> {
    let KeyCode::Char(c) = key.code else {
        return None;
    };
    if key.kind == KeyEventKind::Release || c.is_control() {
        return None;
    }
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    match key.modifiers - KeyModifiers::SHIFT {
        // The kitty protocol may name the unshifted key.
        NONE if shift => {
            let mut upper = c.to_uppercase();
            upper.next().filter(|_| upper.next().is_none()).or(Some(c))
        }
        NONE => Some(c),
        // AltGr, where it is reported as the two: it makes signs, chords are on letters.
        modifiers if modifiers == CTRL | ALT && !c.is_ascii_alphanumeric() => Some(c),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(code, modifiers)
    }

    #[test]
    fn text_with_shift_and_altgr() {
        let typed = |c, modifiers| text_of(&key(KeyCode::Char(c), modifiers));
        assert_eq!(typed('a', NONE), Some('a'));
        assert_eq!(typed('a', KeyModifiers::SHIFT), Some('A'));
        assert_eq!(typed('A', KeyModifiers::SHIFT), Some('A'));
        assert_eq!(typed('ß', KeyModifiers::SHIFT), Some('ß'));
        assert_eq!(typed('@', CTRL | ALT), Some('@'));
        assert_eq!(typed('x', CTRL | ALT), None);
        assert_eq!(typed('x', KeyModifiers::SUPER), None);
        assert_eq!(typed('\u{7}', NONE), None);
    }

    #[test]
    fn releases_do_nothing() {
        let mut release = key(KeyCode::Char('a'), NONE);
        release.kind = KeyEventKind::Release;
        assert_eq!(edit_of(&release), None);
        release.code = KeyCode::Backspace;
        assert_eq!(edit_of(&release), None);
    }

    #[test]
    fn plain_enter_is_not_ours() {
        assert_eq!(edit_of(&key(KeyCode::Enter, NONE)), None);
        for (code, modifiers) in [
            (KeyCode::Enter, KeyModifiers::SHIFT),
            (KeyCode::Enter, ALT),
            (KeyCode::Char('j'), CTRL),
        ] {
            assert_eq!(edit_of(&key(code, modifiers)), Some(Edit::Newline));
        }
    }
}
