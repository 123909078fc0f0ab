//! Input between crossterm and the UI: terminal answers are taken out.
//!
//! crossterm does not know OSC answers: it reports `ESC ] 11;rgb:…` as alt-] and letters. They must
//! never become text in the composer, however late they come.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::ui::theme::Background;

/// An answer that comes later than this is not taken for one.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);

/// `11;rgba:ffff/ffff/ffff/ffff` is the longest answer.
const LONGEST_ANSWER: usize = 32;

/// Takes the answer to [`QUERY_BACKGROUND`](super::tty::QUERY_BACKGROUND) out of the keys.
#[derive(Debug, Default)]
pub struct ReplyFilter {
    asked: Option<Instant>,
    /// Keys that may be the beginning of the answer.
    held: Vec<Event>,
    text: String,
}

impl ReplyFilter {
    pub fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Passes `batch` on without the answer; what it said comes beside it.
    pub fn filter(&mut self, batch: Vec<Event>, now: Instant) -> (Vec<Event>, Option<Background>) {
        if self.asked.is_none_or(|asked| now > asked + ANSWER_PATIENCE) {
            return (batch, None);
        }
        let mut out = Vec::with_capacity(batch.len());
        let mut answer = None;
        for event in batch {
            match (&event, self.held.is_empty()) {
                (Event::Key(key), true) if is_alt(key, ']') => self.held.push(event),
                (_, true) => out.push(event),
                (Event::Key(key), false) if is_alt(key, '\\') || is_bell(key) => {
                    answer = parse_background(&self.text);
                    self.held.clear();
                    self.text.clear();
                    self.asked = None;
                }
                (Event::Key(key), false) => match answer_char(key) {
                    Some(c) if self.text.len() < LONGEST_ANSWER => {
                        self.text.push(c);
                        self.held.push(event);
                    }
                    _ => {
                        self.release(&mut out);
                        out.push(event);
                    }
                },
                (_, false) => out.push(event),
            }
        }
        (out, answer)
    }

    fn release(&mut self, out: &mut Vec<Event>) {
        self.text.clear();
        out.append(&mut self.held);
    }
}

fn is_alt(key: &KeyEvent, c: char) -> bool {
    key.kind == KeyEventKind::Press
        && key.modifiers == KeyModifiers::ALT
        && key.code == KeyCode::Char(c)
}

fn is_bell(key: &KeyEvent) -> bool {
    key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('g')
}

fn answer_char(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if c.is_ascii_hexdigit() || ";:/rgba".contains(c) => Some(c),
        _ => None,
    }
}

/// `11;rgb:RRRR/GGGG/BBBB`, one to four digits each.
fn parse_background(answer: &str) -> Option<Background> {
    let (_, colour) = answer.strip_prefix("11;")?.split_once(':')?;
    let mut parts = colour.split('/').map(|part| {
        let value = u32::from_str_radix(part, 16).ok()?;
        let max = 16_u32.checked_pow(part.len() as u32)? - 1;
        Some(f64::from(value) / f64::from(max.max(1)))
    });
    let mut next = || parts.next().flatten();
    let (red, green, blue) = (next()?, next()?, next()?);
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    Some(if luminance > 0.5 {
        Background::Light
    } else {
        Background::Dark
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(code), modifiers))
    }

    fn plain(text: &str) -> Vec<Event> {
        text.chars().map(|c| key(c, KeyModifiers::NONE)).collect()
    }

    fn answer(text: &str) -> Vec<Event> {
        let mut events = vec![key(']', KeyModifiers::ALT)];
        events.extend(plain(text));
        events.push(key('\\', KeyModifiers::ALT));
        events
    }

    #[test]
    fn an_answer_is_no_text_c115() {
        let now = Instant::now();
        let mut filter = ReplyFilter::default();
        filter.asked(now);
        let mut batch = plain("a");
        batch.extend(answer("11;rgb:1616/1818/1a1a"));
        batch.extend(plain("b"));
        let (keys, background) = filter.filter(batch, now);
        assert_eq!(keys, [plain("a"), plain("b")].concat());
        assert_eq!(background, Some(Background::Dark));
    }

    #[test]
    fn an_answer_in_pieces_is_no_text_either() {
        let now = Instant::now();
        let mut filter = ReplyFilter::default();
        filter.asked(now);
        let mut background = None;
        for event in answer("11;rgb:ff/ff/f0") {
            let (keys, said) = filter.filter(vec![event], now);
            assert!(keys.is_empty());
            background = background.or(said);
        }
        assert_eq!(background, Some(Background::Light));
    }

    #[test]
    fn keys_that_only_begin_like_an_answer_are_given_back() {
        let now = Instant::now();
        let mut filter = ReplyFilter::default();
        filter.asked(now);
        let batch = [vec![key(']', KeyModifiers::ALT)], plain("1x")].concat();
        let (keys, background) = filter.filter(batch.clone(), now);
        assert_eq!((keys, background), (batch, None));
    }

    #[test]
    fn nothing_is_held_when_nothing_was_asked() {
        let mut filter = ReplyFilter::default();
        let batch = answer("11;rgb:1616/1818/1a1a");
        assert_eq!(filter.filter(batch.clone(), Instant::now()), (batch, None));
    }
}
