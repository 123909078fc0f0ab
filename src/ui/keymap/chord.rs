//! One key with its modifiers, by the name that configuration and help use for it.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key press in the one form in which terminals' different reports of it compare equal:
/// shift-tab is never `BackTab`, a capital letter has no shift, a letter with ctrl or alt is small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// Named keys; the first name of each is the one shown.
const NAMES: [(&str, KeyCode); 24] = [
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("escape", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("ins", KeyCode::Insert),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pageup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("pgdown", KeyCode::PageDown),
    ("pagedown", KeyCode::PageDown),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("space", KeyCode::Char(' ')),
    ("minus", KeyCode::Char('-')),
    ("plus", KeyCode::Char('+')),
];

const MODIFIERS: [(&str, KeyModifiers); 5] = [
    ("ctrl", KeyModifiers::CONTROL),
    ("control", KeyModifiers::CONTROL),
    ("alt", KeyModifiers::ALT),
    ("meta", KeyModifiers::ALT),
    ("shift", KeyModifiers::SHIFT),
];

/// Function keys that terminals report.
const FUNCTION_KEYS: std::ops::RangeInclusive<u8> = 1..=24;

impl Chord {
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers =
            modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            // What a terminal without the kitty protocol sends for the same keys.
            KeyCode::Char('h' | 'H') if modifiers == KeyModifiers::CONTROL => {
                modifiers -= KeyModifiers::CONTROL;
                KeyCode::Backspace
            }
            KeyCode::Char('i' | 'I') if modifiers == KeyModifiers::CONTROL => {
                modifiers -= KeyModifiers::CONTROL;
                KeyCode::Tab
            }
            KeyCode::Char('m' | 'M') if modifiers == KeyModifiers::CONTROL => {
                modifiers -= KeyModifiers::CONTROL;
                KeyCode::Enter
            }
            KeyCode::Char('[') if modifiers == KeyModifiers::CONTROL => {
                modifiers -= KeyModifiers::CONTROL;
                KeyCode::Esc
            }
            KeyCode::Char(c) => KeyCode::Char(normal_case(c, &mut modifiers)),
            other => other,
        };
        Self { code, modifiers }
    }

    /// Reads a name such as `ctrl-p`, `alt-enter`, `f5` or `?`.
    ///
    /// # Errors
    /// What is wrong with it, with the nearest name that exists.
    pub fn parse(name: &str) -> Result<Self, String> {
        let mut rest = name.trim();
        if rest.is_empty() {
            return Err("a key is missing between the quotes".into());
        }
        let mut modifiers = KeyModifiers::NONE;
        // The last `-` of `ctrl--` is the key.
        while let Some((head, tail)) = rest.split_once('-')
            && !head.is_empty()
            && !tail.is_empty()
        {
            let Some((_, modifier)) = MODIFIERS
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(head))
            else {
                return Err(unknown("modifier", head, MODIFIERS.iter().map(|m| m.0)));
            };
            modifiers |= *modifier;
            rest = tail;
        }
        let code = match parse_code(rest)? {
            // Written `Ctrl-P`, meant without shift; alone, `N` is not `n`.
            KeyCode::Char(c) if !modifiers.is_empty() => KeyCode::Char(c.to_ascii_lowercase()),
            code => code,
        };
        Ok(Self::new(code, modifiers))
    }

    /// Types a character when nothing else takes it.
    pub fn is_text(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.modifiers.is_empty()
    }

    /// The digit that the key types, if any.
    pub fn digit(self) -> Option<u8> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => {
                c.to_digit(10).and_then(|digit| u8::try_from(digit).ok())
            }
            _ => None,
        }
    }

    pub fn code(self) -> KeyCode {
        self.code
    }

    pub fn modifiers(self) -> KeyModifiers {
        self.modifiers
    }

    /// The plain press of the key.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl From<KeyEvent> for Chord {
    fn from(key: KeyEvent) -> Self {
        Self::new(key.code, key.modifiers)
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, modifier) in [
            ("ctrl-", KeyModifiers::CONTROL),
            ("alt-", KeyModifiers::ALT),
            ("shift-", KeyModifiers::SHIFT),
        ] {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        if let Some((name, _)) = NAMES
            .iter()
            .find(|(_, code)| *code == self.code)
            .filter(|_| !matches!(self.code, KeyCode::Char('-' | '+')))
        {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::F(n) => write!(f, "F{n}"),
            KeyCode::Char(c) => write!(f, "{c}"),
            other => write!(f, "{other}"),
        }
    }
}

/// A capital letter alone carries its shift; with ctrl or alt it is a small one with shift.
fn normal_case(c: char, modifiers: &mut KeyModifiers) -> char {
    let shifted = modifiers.contains(KeyModifiers::SHIFT);
    if modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        if c.is_ascii_uppercase() {
            *modifiers |= KeyModifiers::SHIFT;
            return c.to_ascii_lowercase();
        }
        if !c.is_ascii_alphabetic() {
            *modifiers -= KeyModifiers::SHIFT;
        }
        return c;
    }
    *modifiers -= KeyModifiers::SHIFT;
    if shifted { c.to_ascii_uppercase() } else { c }
}

fn parse_code(name: &str) -> Result<KeyCode, String> {
    if let Some((_, code)) = NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
    {
        return Ok(*code);
    }
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && !c.is_control()
    {
        return Ok(KeyCode::Char(c));
    }
    if let Some(number) = name.strip_prefix(['f', 'F'])
        && let Ok(n) = number.parse::<u8>()
    {
        return if FUNCTION_KEYS.contains(&n) {
            Ok(KeyCode::F(n))
        } else {
            Err(format!(
                "there is no key `{name}`: function keys are f1 to f24"
            ))
        };
    }
    Err(unknown("key", name, NAMES.iter().map(|n| n.0)))
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(near) => format!("unknown {what} `{name}`: did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`: keys are written as in `ctrl-p`, `f5`, `pgup`"),
    }
}

/// The known name that `name` was probably meant to be.
pub(in crate::ui) fn nearest<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    /// Below this likeness a guess would be noise.
    const LIKE: f64 = 0.7;
    let name = name.to_lowercase();
    known
        .map(|candidate| (strsim::jaro_winkler(&name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Chord {
        Chord::from(KeyEvent::new(code, modifiers))
    }

    fn parse(name: &str) -> Chord {
        Chord::parse(name).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[test]
    fn what_terminals_report_differently_is_one_chord() {
        let (none, shift) = (KeyModifiers::NONE, KeyModifiers::SHIFT);
        let (ctrl, alt) = (KeyModifiers::CONTROL, KeyModifiers::ALT);
        for (name, code, modifiers) in [
            ("shift-tab", KeyCode::BackTab, none),
            ("shift-tab", KeyCode::BackTab, shift),
            ("shift-tab", KeyCode::Tab, shift),
            ("backspace", KeyCode::Char('h'), ctrl),
            ("enter", KeyCode::Char('m'), ctrl),
            ("tab", KeyCode::Char('i'), ctrl),
            ("esc", KeyCode::Char('['), ctrl),
            ("ctrl-j", KeyCode::Char('j'), ctrl),
            ("N", KeyCode::Char('N'), shift),
            ("N", KeyCode::Char('N'), none),
            ("N", KeyCode::Char('n'), shift),
            ("?", KeyCode::Char('?'), shift),
            ("ctrl-shift-p", KeyCode::Char('P'), ctrl),
            ("ctrl-shift-p", KeyCode::Char('p'), ctrl | shift),
            ("alt-?", KeyCode::Char('?'), alt | shift),
            ("shift-enter", KeyCode::Enter, shift),
            ("f5", KeyCode::F(5), none),
            ("pgup", KeyCode::PageUp, none),
        ] {
            assert_eq!(parse(name), key(code, modifiers), "{name}");
        }
    }

    #[test]
    fn names_are_forgiving_and_errors_suggest() {
        assert_eq!(parse("Ctrl-P"), parse("control-p"));
        assert_eq!(parse("PageUp"), parse("pgup"));
        assert_eq!(parse("ctrl--"), parse("ctrl-minus"));
        assert_eq!(parse("-"), parse("minus"));
        assert_eq!(
            Chord::parse("ctrl-entre"),
            Err("unknown key `entre`: did you mean `enter`?".into())
        );
        assert_eq!(
            Chord::parse("crtl-p"),
            Err("unknown modifier `crtl`: did you mean `ctrl`?".into())
        );
        assert!(Chord::parse("f99").is_err_and(|error| error.contains("f1 to f24")));
        assert!(Chord::parse("").is_err());
    }

    #[test]
    fn a_chord_is_shown_as_it_is_written() {
        for name in [
            "ctrl-p",
            "alt-enter",
            "shift-tab",
            "pgup",
            "?",
            "N",
            "ctrl-home",
            "space",
        ] {
            assert_eq!(parse(name).to_string(), name);
        }
        assert_eq!(parse("f5").to_string(), "F5");
        assert_eq!(parse("pagedown").to_string(), "pgdn");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused_and_shown_text_is_read_back(name in "\\PC{0,12}") {
            if let Ok(chord) = Chord::parse(&name) {
                prop_assert_eq!(Chord::parse(&chord.to_string()), Ok(chord));
            }
        }

        #[test]
        fn modifiers_and_keys_are_read_back(
            modifiers in 0_u8..8,
            key in prop::sample::select(NAMES.iter().map(|n| n.1).collect::<Vec<_>>()),
        ) {
            let chord = Chord::new(key, KeyModifiers::from_bits_truncate(modifiers));
            prop_assert_eq!(Chord::parse(&chord.to_string()), Ok(chord));
        }
    }
}
