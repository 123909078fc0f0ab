//! Pastes that come as keys, from terminals without bracketed paste.
//!
//! Only what was read in one go counts: inside it an Enter with text behind it is a line end, as
//! nobody types so fast. The Enter at the end of one typed line sends, however fast it came; behind
//! several lines it belongs to them, since sending by mistake is worse than pressing it again.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::keys::text_of;

/// The next piece of a paste comes within this; the reader's buffer cuts long ones.
pub const GAP: Duration = Duration::from_millis(30);

/// Typed characters waiting together are inserted together from so many on.
const RUN: usize = 8;

/// What a batch of keys begins with.
#[derive(Debug, PartialEq, Eq)]
pub struct Burst {
    /// Key events it was made of.
    pub keys: usize,
    pub text: String,
    /// It has several lines: a paste. Else only a run of typed characters.
    pub paste: bool,
}

/// The text at the head of `keys`, which were read together. `continued`: a paste ended less than
/// [`GAP`] ago.
pub fn leading(keys: &[KeyEvent], continued: bool) -> Option<Burst> {
    let mut text = String::new();
    let mut count = 0;
    // As far as it is characters of one line.
    let mut run = None;
    for key in keys {
        if key.kind != KeyEventKind::Release {
            let Some(c) = pasted_char(key) else { break };
            if text_of(key).is_none() && run.is_none() {
                run = Some((count, text.len()));
            }
            text.push(c);
        }
        count += 1;
    }
    let lines = text.trim_end_matches('\n');
    if continued && !text.is_empty() || lines.contains('\n') {
        return Some(Burst {
            keys: count,
            text,
            paste: true,
        });
    }
    let (count, len) = run.unwrap_or((count, text.len()));
    text.truncate(len);
    (text.chars().count() >= RUN).then_some(Burst {
        keys: count,
        text,
        paste: false,
    })
}

fn pasted_char(key: &KeyEvent) -> Option<char> {
    match (key.code, key.modifiers) {
        (KeyCode::Enter, KeyModifiers::NONE) => Some('\n'),
        // A bare line feed, in raw mode.
        (KeyCode::Char('j'), KeyModifiers::CONTROL) => Some('\n'),
        (KeyCode::Tab, KeyModifiers::NONE) => Some('\t'),
        _ => text_of(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<KeyEvent> {
        text.chars()
            .map(|c| match c {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                c => KeyCode::Char(c),
            })
            .map(|code| KeyEvent::new(code, KeyModifiers::NONE))
            .collect()
    }

    fn paste(text: &str, continued: bool) -> Option<(usize, String)> {
        leading(&keys(text), continued)
            .filter(|burst| burst.paste)
            .map(|burst| (burst.keys, burst.text))
    }

    #[test]
    fn an_enter_inside_is_a_line_end() {
        assert_eq!(paste("a\nb", false), Some((3, "a\nb".into())));
        assert_eq!(paste("a\n\tb\n", false), Some((5, "a\n\tb\n".into())));
    }

    #[test]
    fn the_enter_behind_one_line_is_left_to_send() {
        assert_eq!(paste("yes\n", false), None);
        let run = leading(&keys("yes please\n"), false).expect("a run");
        assert_eq!((run.keys, run.text.as_str()), (10, "yes please"));
        assert_eq!(leading(&keys("\n"), false), None);
    }

    #[test]
    fn a_tab_behind_typed_text_is_left_to_complete() {
        let run = leading(&keys("@src/main\t"), false).expect("a run");
        assert_eq!((run.keys, run.paste), (9, false));
    }

    #[test]
    fn a_paste_goes_on_in_the_next_batch() {
        assert_eq!(paste("\n", true), Some((1, "\n".into())));
        assert_eq!(paste("c", true), Some((1, "c".into())));
        assert_eq!(paste("", true), None);
    }

    #[test]
    fn other_keys_end_it() {
        let mut keys = keys("a\nb");
        keys.push(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(leading(&keys, false).map(|burst| burst.keys), Some(3));
    }
}
