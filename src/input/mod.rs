//! The terminal's bytes as keys, pastes and answers.
//!
//! Owns: a state machine that takes bytes as they are read, and the time. It reads nothing and waits for
//! nothing itself: [`Decoder::deadline`] says when the silence after an unfinished sequence means something,
//! and [`Decoder::expire`] is called then. So whatever a terminal sends can be played in a test, cut at any
//! byte.
//!
//! What it holds:
//! - What has the form of a report (an answer to a question that we or another program asked) is neither
//!   text nor a key, whenever and however often it comes. A finished sequence that is not known is dropped.
//! - An ESC is the escape key only if nothing follows it in time.
//! - Nothing waits without an end, and nothing is kept without a bound.
//!
//! Not crossterm's parser, nor termina's and terminput's, which descend from it: they know no time, take
//! the older form of modified keys (`CSI 27;…~`) for nothing, wait for ever behind a report that they do not
//! know, and keep what they wait for without a bound. Not vte: it is made for the other direction, where
//! ESC is never a key.

mod csi;
mod keys;
mod paste;
mod report;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use csi::Meaning;
use paste::{LATE, Late};
pub use paste::{PASTE_BYTES, PASTE_PATIENCE};
pub use report::{Shade, Told, without_orphan};

/// Bytes of one sequence that are kept; of a longer one only its end is looked for. Answers of which we
/// use something are shorter.
pub const SEQUENCE_BYTES: usize = 256;

/// Bytes of an unfinished string (OSC, DCS and the like) that are dropped before it counts as broken off.
/// The clipboard of another program can be in one.
pub const STRING_BYTES: usize = 1 << 20;

/// Silence that ends a sequence which has begun so that no key can be meant.
pub const SEQUENCE_PATIENCE: Duration = Duration::from_millis(500);

/// After bytes that are no text, only typed characters count for so long: a broken line or a binary file
/// does not press keys. A little over the pause that a question makes after typed text.
const NOISE: Duration = Duration::from_millis(500);

/// The same after one such byte that came by itself, so long behind what was before it: a key of a terminal
/// that is not set to UTF-8. What such a person presses next counts.
const NOISE_TYPED: Duration = Duration::from_millis(30);

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// What bytes stood for.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// A key, a paste, the mouse or the focus.
    Event(Event),
    /// The terminal told its background, asked or not.
    Background(Shade),
    /// The terminal told what it can.
    Told(Told),
    /// The paste before this was longer than [`PASTE_BYTES`].
    PasteCut,
    /// A key was pressed whose byte is no UTF-8.
    NotUtf8,
}

/// Strings that end in ST, by what opens them behind ESC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `]`, and ends in BEL as well.
    Osc,
    /// `P`
    Dcs,
    /// `_`
    Apc,
    /// `^`
    Pm,
    /// `X`
    Sos,
}

impl Kind {
    fn opened_by(byte: u8) -> Option<Self> {
        Some(match byte {
            b']' => Self::Osc,
            b'P' => Self::Dcs,
            b'_' => Self::Apc,
            b'^' => Self::Pm,
            b'X' => Self::Sos,
            _ => return None,
        })
    }

    fn opener(self) -> char {
        match self {
            Self::Osc => ']',
            Self::Dcs => 'P',
            Self::Apc => '_',
            Self::Pm => '^',
            Self::Sos => 'X',
        }
    }

    /// Whether a string of this kind begins with `byte`. If not, what opened it was a key with alt.
    fn begins_with(self, byte: u8) -> bool {
        match self {
            // Numbers; `l` and `L` are window titles.
            Self::Osc => matches!(byte, b'0'..=b'9' | b';' | b'l' | b'L'),
            // Parameters and intermediates.
            Self::Dcs => matches!(byte, 0x20..=0x3f),
            Self::Apc | Self::Pm | Self::Sos => byte >= 0x20 && byte != 0x7f,
        }
    }

    /// What has begun like this may also have been typed, and is given back when no end comes.
    fn may_be_typed(self, begun: &[u8]) -> bool {
        match self {
            Self::Osc | Self::Dcs => false,
            // Graphics in the kitty terminal.
            Self::Apc => begun.first() != Some(&b'G'),
            Self::Pm | Self::Sos => true,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// In a character of several bytes; `alt`: behind an ESC.
    Char,
    /// Behind one ESC, or two where `alt` is set.
    Esc,
    /// Behind `ESC [`; in this and the following `alt` tells of one more ESC before it.
    Csi,
    /// Behind `ESC [ [`, which the Linux console sends for F1 to F5.
    Console,
    /// Behind `ESC [ M`: three bytes of a mouse report of the oldest form.
    Mouse,
    /// Behind `ESC O`.
    Ss3,
    /// Directly behind what opens a string.
    Opened(Kind),
    Text(Kind),
    /// At an ESC in a string, which may be its end.
    TextEsc(Kind),
    Paste,
    /// In a paste that is longer than [`PASTE_BYTES`].
    PasteRest,
}

/// See the module.
#[derive(Debug)]
pub struct Decoder {
    escape_delay: Duration,
    state: State,
    /// One more ESC was before what is being read.
    alt: bool,
    /// The sequence that is being read, at most [`SEQUENCE_BYTES`].
    held: Vec<u8>,
    /// Its bytes, kept or not.
    taken: usize,
    paste: Vec<u8>,
    deadline: Option<Instant>,
    /// Until when what comes does not count as typed.
    noise: Option<Instant>,
    /// When bytes came last.
    read: Option<Instant>,
    /// When the byte came that is the first of a character or of nothing, if it came by itself.
    alone: Option<Instant>,
    late: Option<(Late, Instant)>,
}

impl Decoder {
    /// An ESC is a key when nothing has followed it for `escape_delay`.
    pub fn new(escape_delay: Duration) -> Self {
        Self {
            escape_delay,
            state: State::default(),
            alt: false,
            held: Vec::new(),
            taken: 0,
            paste: Vec::new(),
            deadline: None,
            noise: None,
            read: None,
            alone: None,
            late: None,
        }
    }

    pub fn set_escape_delay(&mut self, delay: Duration) {
        self.escape_delay = delay;
    }

    /// Forgets what is unfinished: another program had the terminal.
    pub fn reset(&mut self) {
        *self = Self::new(self.escape_delay);
    }

    /// When [`Decoder::expire`] is to be called, unless bytes come before.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Takes bytes that were read together.
    pub fn feed(&mut self, bytes: &[u8], now: Instant, out: &mut Vec<Decoded>) {
        if bytes.is_empty() {
            return;
        }
        // Not the first one: what it was part of may be gone.
        let pause = self.read.map(|read| now.saturating_duration_since(read));
        let alone = bytes.len() == 1 && pause.is_some_and(|pause| pause >= NOISE_TYPED);
        self.read = Some(now);
        self.alone = match self.state {
            State::Ground => alone.then_some(now),
            State::Char => self.alone,
            _ => None,
        };
        let mut rest = self.without_late_end(bytes, now, out);
        while let Some((&byte, tail)) = rest.split_first() {
            rest = match self.state {
                State::Paste => self.paste(rest, out),
                State::PasteRest => self.paste_rest(rest),
                State::Text(kind) => self.text(kind, rest, now, out),
                _ => {
                    self.byte(byte, now, out);
                    tail
                }
            };
        }
        self.deadline = self.patience().map(|patience| now + patience);
    }

    /// The time has come that [`Decoder::deadline`] named, and nothing more was there to read.
    pub fn expire(&mut self, now: Instant, out: &mut Vec<Decoded>) {
        if self.deadline.is_none_or(|at| now < at) {
            return;
        }
        self.deadline = None;
        let late = |late| Some((late, now + LATE));
        match std::mem::take(&mut self.state) {
            State::Ground | State::Char => {}
            State::Esc => {
                self.escape_before(now, out);
                self.push(KeyCode::Esc.into(), now, out);
            }
            State::Csi if self.taken == 0 => self.alt_char('[', now, out),
            State::Csi => match self.shifted() {
                Some(key) => self.key(key, now, out),
                None => self.escape_before(now, out),
            },
            State::Ss3 if self.taken == 0 => self.alt_char('O', now, out),
            State::Console | State::Mouse | State::Ss3 => self.escape_before(now, out),
            State::Opened(kind) => self.alt_char(kind.opener(), now, out),
            State::Text(kind) => {
                if self.taken == self.held.len() && kind.may_be_typed(&self.held) {
                    self.alt_char(kind.opener(), now, out);
                    for byte in std::mem::take(&mut self.held) {
                        self.byte(byte, now, out);
                    }
                } else {
                    self.late = late(Late::Text);
                }
            }
            State::TextEsc(_) => self.late = late(Late::TextEnd),
            State::Paste => self.paste_stalled(now, out),
            State::PasteRest => self.paste_rest_stalled(now),
        }
    }

    /// How long it is waited for what goes on with the present state.
    fn patience(&self) -> Option<Duration> {
        Some(match self.state {
            State::Ground | State::Char => return None,
            State::Esc | State::Opened(_) => self.escape_delay,
            State::Csi | State::Ss3 if self.taken == 0 => self.escape_delay,
            State::Csi if self.shifted().is_some() => self.escape_delay,
            State::Csi
            | State::Ss3
            | State::Console
            | State::Mouse
            | State::Text(_)
            | State::TextEsc(_) => SEQUENCE_PATIENCE.max(self.escape_delay),
            State::Paste | State::PasteRest => PASTE_PATIENCE,
        })
    }

    fn byte(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        match self.state {
            State::Ground => self.ground(byte, false, now, out),
            State::Char => self.in_char(byte, now, out),
            State::Esc => self.behind_escape(byte, now, out),
            State::Csi => self.in_csi(byte, now, out),
            State::Console => {
                self.state = State::Ground;
                match byte {
                    b'A'..=b'E' => self.key(KeyCode::F(byte - b'A' + 1).into(), now, out),
                    _ => self.broken_off(byte, now, out),
                }
            }
            State::Mouse => self.in_mouse(byte, now, out),
            State::Ss3 => self.in_ss3(byte, now, out),
            State::Opened(kind) => self.opened(kind, byte, now, out),
            State::TextEsc(kind) => {
                self.state = State::Ground;
                if byte == b'\\' {
                    self.string(kind, out);
                } else {
                    self.begin(State::Esc);
                    self.byte(byte, now, out);
                }
            }
            // `feed` takes these in pieces.
            State::Text(_) | State::Paste | State::PasteRest => {}
        }
    }

    /// `alt`: the byte is behind an ESC that is no sequence with it.
    fn ground(&mut self, byte: u8, alt: bool, now: Instant, out: &mut Vec<Decoded>) {
        match byte {
            ESC => self.begin(State::Esc),
            0x80.. => {
                self.begin(State::Char);
                self.alt = alt;
                self.hold(byte);
                if keys::char_len(byte).is_none() {
                    self.not_text(now, out);
                }
            }
            _ => {
                let mut key = keys::of_byte(byte);
                key.modifiers.set(KeyModifiers::ALT, alt);
                self.push(key, now, out);
            }
        }
    }

    fn in_char(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        if byte & 0xc0 != 0x80 {
            self.not_text(now, out);
            return self.byte(byte, now, out);
        }
        self.hold(byte);
        let whole = self.held.first().and_then(|lead| keys::char_len(*lead));
        if whole != Some(self.held.len()) {
            return;
        }
        let Some(c) = std::str::from_utf8(&self.held)
            .ok()
            .and_then(|text| text.chars().next())
        else {
            return self.not_text(now, out);
        };
        self.state = State::Ground;
        // Controls of the second set are no text, and in UTF-8 no sequences either.
        if !c.is_control() {
            let mut key = keys::of_char(c);
            key.modifiers.set(KeyModifiers::ALT, self.alt);
            self.push(key, now, out);
        }
        self.alt = false;
    }

    fn behind_escape(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        match byte {
            ESC if self.alt => self.push(KeyCode::Esc.into(), now, out),
            ESC => self.alt = true,
            b'[' => self.begin_behind_escape(State::Csi),
            b'O' => self.begin_behind_escape(State::Ss3),
            _ => {
                self.escape_before(now, out);
                match Kind::opened_by(byte) {
                    Some(kind) => self.begin(State::Opened(kind)),
                    None => {
                        self.state = State::Ground;
                        self.ground(byte, true, now, out);
                    }
                }
            }
        }
    }

    fn in_csi(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        // What ends in `y` is the report of a mode, even where it is none that is known.
        if byte != b'y'
            && let Some(key) = self.shifted()
        {
            self.state = State::Ground;
            self.key(key, now, out);
            return self.byte(byte, now, out);
        }
        match byte {
            0x20..=0x3f => self.hold(byte),
            b'[' if self.taken == 0 => self.state = State::Console,
            b'M' if self.taken == 0 => self.state = State::Mouse,
            0x40..=0x7e => {
                self.state = State::Ground;
                let meaning = if self.taken == self.held.len() {
                    csi::read(&self.held, byte)
                } else {
                    Meaning::Nothing
                };
                self.means(meaning, now, out);
            }
            _ => {
                if self.taken == 0 {
                    self.alt_char('[', now, out);
                }
                self.broken_off(byte, now, out);
            }
        }
    }

    /// A key of rxvt's that is whole unless a certain byte follows.
    fn shifted(&self) -> Option<KeyEvent> {
        let whole = self.taken == self.held.len();
        whole.then(|| csi::shifted(&self.held)).flatten()
    }

    fn in_mouse(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        // Places that one byte has no number for are told as 0, or wrap around: none of them is a key.
        if byte == ESC || byte < 0x20 && self.taken == 0 {
            return self.broken_off(byte, now, out);
        }
        self.hold(byte);
        if let [button, column, row] = self.held[..] {
            self.state = State::Ground;
            self.means(csi::old_mouse(button, column, row), now, out);
        }
    }

    fn in_ss3(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        match byte {
            b'0'..=b'9' | b';' => self.hold(byte),
            0x40..=0x7e => {
                self.state = State::Ground;
                let meaning = if self.taken == self.held.len() {
                    csi::read_ss3(&self.held, byte)
                } else {
                    Meaning::Nothing
                };
                self.means(meaning, now, out);
            }
            _ => {
                if self.taken == 0 {
                    self.alt_char('O', now, out);
                }
                self.broken_off(byte, now, out);
            }
        }
    }

    fn opened(&mut self, kind: Kind, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        if kind.begins_with(byte) {
            self.state = State::Text(kind);
            self.hold(byte);
        } else if kind == Kind::Osc && byte == BEL {
            self.state = State::Ground;
        } else {
            self.state = State::Ground;
            self.alt_char(kind.opener(), now, out);
            self.byte(byte, now, out);
        }
    }

    /// Takes what belongs to the string; gives the rest.
    fn text<'a>(
        &mut self,
        kind: Kind,
        bytes: &'a [u8],
        now: Instant,
        out: &mut Vec<Decoded>,
    ) -> &'a [u8] {
        let end = bytes.iter().position(|byte| *byte < 0x20);
        let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        let room = SEQUENCE_BYTES.saturating_sub(self.held.len());
        self.held.extend(text.iter().take(room));
        self.taken += text.len();
        if self.taken > STRING_BYTES {
            self.state = State::Ground;
            self.late = Some((Late::Text, now + LATE));
            return rest;
        }
        let Some((&control, tail)) = rest.split_first() else {
            return rest;
        };
        match control {
            ESC => self.state = State::TextEsc(kind),
            BEL if kind == Kind::Osc => {
                self.state = State::Ground;
                self.string(kind, out);
            }
            // What ends a sequence in every terminal, and the key that always works.
            0x18 | 0x1a => self.state = State::Ground,
            0x03 => {
                self.state = State::Ground;
                self.byte(control, now, out);
            }
            _ => {}
        }
        tail
    }

    /// A string is whole.
    fn string(&mut self, kind: Kind, out: &mut Vec<Decoded>) {
        let whole = self.taken == self.held.len();
        if kind == Kind::Apc
            && whole
            && let Some(told) = report::graphics(&self.held)
        {
            out.push(Decoded::Told(told));
        }
        if kind == Kind::Osc
            && whole
            && let Some(shade) = report::background(&self.held)
        {
            out.push(Decoded::Background(shade));
        }
    }

    /// Does what a finished sequence means.
    fn means(&mut self, meaning: Meaning, now: Instant, out: &mut Vec<Decoded>) {
        match meaning {
            Meaning::Key(key) => self.key(key, now, out),
            Meaning::Text(text) => {
                self.escape_before(now, out);
                for c in text.chars() {
                    self.push(keys::of_char(c), now, out);
                }
            }
            Meaning::Event(event) => {
                self.escape_before(now, out);
                out.push(Decoded::Event(event));
            }
            Meaning::Background(shade) => {
                self.escape_before(now, out);
                out.push(Decoded::Background(shade));
            }
            Meaning::Told(told) => {
                self.escape_before(now, out);
                out.push(Decoded::Told(told));
            }
            Meaning::PasteBegins => {
                self.escape_before(now, out);
                self.paste.clear();
                self.state = State::Paste;
            }
            Meaning::Nothing => self.escape_before(now, out),
        }
    }

    /// The key of a sequence; an ESC before that is alt.
    fn key(&mut self, mut key: KeyEvent, now: Instant, out: &mut Vec<Decoded>) {
        if std::mem::take(&mut self.alt) {
            key.modifiers |= KeyModifiers::ALT;
        }
        self.push(key, now, out);
    }

    /// What only looked like the beginning of a sequence was `c` with alt.
    fn alt_char(&mut self, c: char, now: Instant, out: &mut Vec<Decoded>) {
        self.escape_before(now, out);
        let mut key = keys::of_char(c);
        key.modifiers |= KeyModifiers::ALT;
        self.push(key, now, out);
    }

    /// The first of two ESC was a key, as what follows takes no alt.
    fn escape_before(&mut self, now: Instant, out: &mut Vec<Decoded>) {
        if std::mem::take(&mut self.alt) {
            self.push(KeyCode::Esc.into(), now, out);
        }
    }

    /// The sequence is dropped at a byte that cannot be in it.
    fn broken_off(&mut self, byte: u8, now: Instant, out: &mut Vec<Decoded>) {
        self.state = State::Ground;
        self.escape_before(now, out);
        self.byte(byte, now, out);
    }

    fn not_text(&mut self, now: Instant, out: &mut Vec<Decoded>) {
        self.state = State::Ground;
        self.alt = false;
        let until = match self.alone.take() {
            Some(came) => {
                out.push(Decoded::NotUtf8);
                came + NOISE_TYPED
            }
            None => now + NOISE,
        };
        self.noise = self.noise.max(Some(until));
    }

    fn push(&mut self, key: KeyEvent, now: Instant, out: &mut Vec<Decoded>) {
        if self.noise.is_some_and(|until| now < until) && !is_text(&key) {
            return;
        }
        out.push(Decoded::Event(Event::Key(key)));
    }

    fn begin(&mut self, state: State) {
        self.alt = false;
        self.begin_behind_escape(state);
    }

    /// As [`Decoder::begin`]; whether there was one more ESC is remembered.
    fn begin_behind_escape(&mut self, state: State) {
        self.state = state;
        self.held.clear();
        self.taken = 0;
    }

    fn hold(&mut self, byte: u8) {
        self.taken = self.taken.saturating_add(1);
        if self.held.len() < SEQUENCE_BYTES {
            self.held.push(byte);
        }
    }
}

/// Whether a key may count amid bytes that are no text: it only types.
fn is_text(key: &KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char(_)) && (key.modifiers - KeyModifiers::SHIFT).is_empty()
}
