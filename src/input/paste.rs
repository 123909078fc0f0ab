//! Pastes in brackets, and what comes late of anything that was given up in silence.

use std::time::{Duration, Instant};

use crossterm::event::Event;
use memchr::memmem;

use super::{BEL, Decoded, Decoder, ESC, State, keys};

/// Bytes of one paste; what is behind them is dropped, and that is told.
pub const PASTE_BYTES: usize = 16 << 20;

/// Silence that ends a paste without its end mark.
pub const PASTE_PATIENCE: Duration = Duration::from_secs(1);

/// How long the late end of something that was given up is swallowed.
pub(super) const LATE: Duration = Duration::from_secs(10);

pub(super) const PASTE_BEGIN: &[u8] = b"\x1b[200~";
pub(super) const PASTE_END: &[u8] = b"\x1b[201~";

/// What was given up in silence and may have its end to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    Text,
    /// Of a string whose ESC came.
    TextEnd,
    /// Of a paste; this many bytes of its end mark came.
    Paste(usize),
    /// The same of one that was too long: what is left of it is dropped.
    PasteRest(usize),
}

impl Decoder {
    /// Takes what belongs to the paste; gives the rest.
    pub(super) fn paste<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<Decoded>) -> &'a [u8] {
        let before = self.paste.len();
        self.paste.extend_from_slice(bytes);
        // The mark may have begun in what was there.
        let from = before.saturating_sub(PASTE_END.len() - 1);
        let found = memmem::find(self.paste.get(from..).unwrap_or_default(), PASTE_END);
        let end = found.map(|at| from + at);
        let length = end.unwrap_or_else(|| self.paste.len() - end_mark_begun(&self.paste));
        if length > PASTE_BYTES {
            self.state = State::PasteRest;
            let unread = self.paste.split_off(PASTE_BYTES);
            out.push(pasted_text(whole_chars(&self.paste)));
            out.push(Decoded::PasteCut);
            return self.paste_tail(&unread, bytes);
        }
        let Some(end) = end else {
            return &[];
        };
        self.state = State::Ground;
        out.push(pasted_text(self.paste.get(..end).unwrap_or_default()));
        self.paste = Vec::new();
        bytes
            .get(end + PASTE_END.len() - before..)
            .unwrap_or_default()
    }

    /// Drops what belongs to a paste that is too long; gives the rest.
    pub(super) fn paste_rest<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let mut unread = std::mem::take(&mut self.paste);
        unread.extend_from_slice(bytes);
        self.paste_tail(&unread, bytes)
    }

    /// One of `unread` and `bytes` is the end of the other.
    fn paste_tail<'a>(&mut self, unread: &[u8], bytes: &'a [u8]) -> &'a [u8] {
        if let Some(at) = memmem::find(unread, PASTE_END) {
            self.state = State::Ground;
            let left = unread.len() - at - PASTE_END.len();
            return bytes.get(bytes.len() - left..).unwrap_or_default();
        }
        let kept = unread.len().saturating_sub(PASTE_END.len() - 1);
        self.paste = unread.get(kept..).unwrap_or_default().to_vec();
        &[]
    }

    /// No more of it comes.
    pub(super) fn paste_stalled(&mut self, now: Instant, out: &mut Vec<Decoded>) {
        let pasted = std::mem::take(&mut self.paste);
        let mark = end_mark_begun(&pasted);
        let text = pasted.get(..pasted.len() - mark).unwrap_or_default();
        out.push(pasted_text(text));
        self.late = Some((Late::Paste(mark), now + LATE));
    }

    /// No more comes of one that is too long.
    pub(super) fn paste_rest_stalled(&mut self, now: Instant) {
        let mark = end_mark_begun(&std::mem::take(&mut self.paste));
        self.late = Some((Late::PasteRest(mark), now + LATE));
    }

    /// What comes late of something given up is taken out of `bytes`; gives the rest.
    pub(super) fn without_late_end<'a>(
        &mut self,
        bytes: &'a [u8],
        now: Instant,
        out: &mut Vec<Decoded>,
    ) -> &'a [u8] {
        let Some((late, until)) = self.late.take().filter(|(_, until)| now < *until) else {
            return bytes;
        };
        match late {
            Late::Text => {
                let control = bytes.iter().position(|byte| *byte < 0x20);
                let end = control.unwrap_or(bytes.len());
                match bytes.get(end..) {
                    Some([BEL, rest @ ..] | [ESC, b'\\', rest @ ..]) => rest,
                    _ => bytes,
                }
            }
            Late::TextEnd => bytes.strip_prefix(b"\\").unwrap_or(bytes),
            Late::Paste(begun) | Late::PasteRest(begun) => {
                let (rest, more, over) = late_of_paste(begun, bytes);
                let too_long = matches!(late, Late::PasteRest(_));
                if !too_long && !more.is_empty() {
                    out.push(pasted_text(more));
                }
                if !over {
                    let late = match too_long {
                        true => Late::PasteRest(0),
                        false => Late::Paste(0),
                    };
                    self.late = Some((late, until));
                }
                rest
            }
        }
    }
}

/// What is no part of a paste that was given up when `begun` bytes of its end mark had come; what is
/// more of it; whether that is all.
fn late_of_paste(begun: usize, bytes: &[u8]) -> (&[u8], &[u8], bool) {
    let missing = PASTE_END.get(begun..).unwrap_or_default();
    if begun > 0
        && let Some(rest) = bytes.strip_prefix(missing)
    {
        return (rest, &[], true);
    }
    if memmem::find(bytes, PASTE_BEGIN).is_some() {
        return (bytes, &[], true);
    }
    if let Some(end) = memmem::find(bytes, PASTE_END) {
        let (text, rest) = bytes.split_at(end);
        return (rest.get(PASTE_END.len()..).unwrap_or_default(), text, true);
    }
    // More of it: typed, an Enter would come alone.
    let lines = memchr::memchr2(b'\r', b'\n', bytes).is_some();
    if bytes.len() > 1 && lines && !bytes.contains(&ESC) {
        return (&[], bytes, false);
    }
    (bytes, &[], false)
}

fn pasted_text(bytes: &[u8]) -> Decoded {
    Decoded::Event(Event::Paste(String::from_utf8_lossy(bytes).into_owned()))
}

/// How much of [`PASTE_END`] stands at the end of `pasted`.
fn end_mark_begun(pasted: &[u8]) -> usize {
    (1..PASTE_END.len())
        .rev()
        .find(|len| pasted.ends_with(PASTE_END.get(..*len).unwrap_or_default()))
        .unwrap_or(0)
}

/// Without the beginning of a character at its end.
pub(super) fn whole_chars(bytes: &[u8]) -> &[u8] {
    let tail = bytes.len().saturating_sub(3);
    let lead = bytes.iter().rposition(|byte| byte & 0xc0 != 0x80);
    match lead.filter(|at| *at >= tail) {
        Some(at) if keys::char_len(bytes[at]).is_some_and(|len| at + len > bytes.len()) => {
            bytes.get(..at).unwrap_or_default()
        }
        _ => bytes,
    }
}
