//! Which chord means which action in which context.
//!
//! Owns: chords and their names, the defaults of the action table with the person's bindings laid
//! over them. Knows nothing about what actions do.

mod sequence;
#[cfg(test)]
mod tests;

pub use sequence::{Follows, MAX_KEYS, Sequence};

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::{
    config::nearest,
    ui::action::{ACTIONS, Action, Context},
};

/// Chords by context.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: HashMap<(Context, Chord), Action>,
    /// Single chords of each action in the order in which they are shown.
    chords: HashMap<Action, Vec<Chord>>,
    /// What takes several keys.
    sequences: Vec<(Context, Sequence, Action)>,
    /// Default chords of the composer that were rebound: it must ignore them.
    freed: HashSet<Chord>,
}

impl Keymap {
    /// The defaults; an action that `keys` names has the chords given there instead (none: no key).
    /// A chord given there is taken from the defaults of others that would compete for it. What
    /// cannot be read is left out: [`check_keys`] reports it.
    pub fn new(keys: &BTreeMap<String, Vec<String>>) -> Self {
        let own: HashMap<Action, Vec<Sequence>> = keys
            .iter()
            .filter_map(|(name, chords)| Some((Action::named(name)?, parse_all(chords))))
            .collect();
        // The first key of several is taken as well: it cannot wait for the next and act at once.
        let taken = |chord: Chord, context: Context| {
            own.iter().any(|(action, sequences)| {
                action.info().context.overlaps(context)
                    && sequences.iter().any(|keys| keys.first() == chord)
            })
        };
        let mut map = Self {
            bindings: HashMap::new(),
            chords: HashMap::new(),
            sequences: Vec::new(),
            freed: HashSet::new(),
        };
        for info in ACTIONS {
            let sequences = match own.get(&info.action) {
                Some(sequences) => sequences.clone(),
                None => parse_all(info.keys)
                    .into_iter()
                    .filter(|keys| !taken(keys.first(), info.context))
                    .collect(),
            };
            let chords: Vec<Chord> = sequences.iter().filter_map(Sequence::single).collect();
            if info.context == Context::Composer {
                let defaults = parse_all(info.keys).into_iter();
                let defaults = defaults.filter_map(|keys| keys.single());
                map.freed
                    .extend(defaults.filter(|chord| !chords.contains(chord)));
            }
            for keys in sequences.into_iter().filter(|keys| keys.single().is_none()) {
                let context = counts_in(info.context, keys.first());
                map.sequences.push((context, keys, info.action));
            }
            for chord in &chords {
                let context = counts_in(info.context, *chord);
                map.bindings.entry((context, *chord)).or_insert(info.action);
            }
            map.chords.insert(info.action, chords);
        }
        map
    }

    /// The action of a chord in the first of `contexts` that binds it.
    pub fn action(&self, chord: Chord, contexts: &[Context]) -> Option<Action> {
        self.actions(chord, contexts).next()
    }

    /// All that it may mean, the most special first: an action that means nothing now leaves it to the
    /// next.
    pub fn actions(&self, chord: Chord, contexts: &[Context]) -> impl Iterator<Item = Action> {
        let bound = contexts.iter();
        bound.filter_map(move |context| self.bindings.get(&(*context, chord)).copied())
    }

    /// What may follow these keys, in the order of the actions: the rest of each sequence that begins
    /// with them.
    pub fn following(&self, typed: &[Chord], contexts: &[Context]) -> Vec<Follows<'_>> {
        let here = self.sequences.iter();
        let here = here.filter(|(context, ..)| contexts.contains(context));
        here.filter_map(|(_, keys, action)| {
            let rest = keys.behind(typed)?;
            Some(Follows {
                rest,
                action: *action,
            })
        })
        .collect()
    }

    /// Whether the chord did something in the composer by default and no longer does.
    pub fn is_freed(&self, chord: Chord) -> bool {
        self.freed.contains(&chord)
    }

    /// The chords of an action, the one to show first.
    pub fn chords(&self, action: Action) -> &[Chord] {
        self.chords.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The names of all keys of an action.
    pub fn names(&self, action: Action) -> impl Iterator<Item = String> {
        let several = self
            .sequences
            .iter()
            .filter(move |(_, _, of)| *of == action);
        let several = several.map(|(_, keys, _)| keys.to_string());
        let single = self.chords(action).iter().map(ToString::to_string);
        single.chain(several)
    }

    /// The first key's name, for hints; empty where the action has no key.
    pub fn hint(&self, action: Action) -> String {
        self.names(action).next().unwrap_or_default()
    }

    /// Of two actions that belong together: `up/down`.
    pub fn two(&self, first: Action, second: Action) -> String {
        format!("{}/{}", self.hint(first), self.hint(second))
    }
}

fn parse_all<S: AsRef<str>>(names: &[S]) -> Vec<Sequence> {
    names
        .iter()
        .filter_map(|name| Sequence::parse(name.as_ref()).ok())
        .collect()
}

/// The context in which a chord of an action counts.
fn counts_in(context: Context, chord: Chord) -> Context {
    match context {
        // They write, or move in what is written.
        Context::Anywhere if chord.is_text() || chord.is_sideways() => Context::EmptyComposer,
        context => context,
    }
}

/// Judges `[keys]` of the configuration: `(action as written, what is wrong and what to do)`, in the
/// order of the names. Each problem costs only the chord or action that it is about.
pub fn check_keys(keys: &BTreeMap<String, Vec<String>>) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    let mut bound: Vec<(Sequence, Action)> = Vec::new();
    for (name, chords) in keys {
        let Some(action) = Action::named(name) else {
            let hint = match nearest(&name.to_lowercase(), ACTIONS.iter().map(|info| info.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "F1 in the program lists them".into(),
            };
            problems.push((name.clone(), format!("unknown action `{name}`: {hint}")));
            continue;
        };
        for text in chords {
            let mut wrong = |problem| problems.push((name.clone(), problem));
            let keys = match Sequence::parse(text) {
                Ok(keys) => keys,
                Err(problem) => {
                    wrong(problem);
                    continue;
                }
            };
            let context = action.info().context;
            let first = keys.first();
            if first.is_text() && context == Context::Composer {
                wrong(format!(
                    "`{first}` alone types a character: add ctrl or alt"
                ));
            }
            let here =
                |other: Action| counts_in(other.info().context, first) == counts_in(context, first);
            if let Some((taken, other)) = bound.iter().find(|(taken, other)| {
                taken.conflicts_with(&keys) && *other != action && here(*other)
            }) {
                let other = other.info().name;
                wrong(format!(
                    "`{taken}` is already the key of `{other}`: choose another for one of them"
                ));
            }
            bound.push((keys, action));
        }
    }
    problems
}

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
            KeyCode::Char(c @ ('h' | 'H' | 'i' | 'I' | 'm' | 'M' | '['))
                if modifiers == KeyModifiers::CONTROL =>
            {
                modifiers = KeyModifiers::NONE;
                match c {
                    'h' | 'H' => KeyCode::Backspace,
                    'i' | 'I' => KeyCode::Tab,
                    'm' | 'M' => KeyCode::Enter,
                    _ => KeyCode::Esc,
                }
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

    /// Moves by a character in a line.
    fn is_sideways(self) -> bool {
        matches!(self.code, KeyCode::Left | KeyCode::Right) && self.modifiers.is_empty()
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
        KeyModifiers::NONE if shift => {
            let mut upper = c.to_uppercase();
            upper.next().filter(|_| upper.next().is_none()).or(Some(c))
        }
        KeyModifiers::NONE => Some(c),
        // AltGr, where it is reported as the two: it makes signs, chords are on letters.
        modifiers
            if modifiers == KeyModifiers::CONTROL | KeyModifiers::ALT
                && !c.is_ascii_alphanumeric() =>
        {
            Some(c)
        }
        _ => None,
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
    match nearest(&name.to_lowercase(), known) {
        Some(near) => format!("unknown {what} `{name}`: did you mean `{near}`?"),
        None => format!("unknown {what} `{name}`: keys are written as in `ctrl-p`, `f5`, `pgup`"),
    }
}
