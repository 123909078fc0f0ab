//! What a command has printed, as `terminal/output` answers it (V1-TERM-06, -07).

use super::{plain::PlainText, utf8::Utf8Stream};
use crate::text::last_bytes;

/// Bytes kept where the agent names no limit.
pub const DEFAULT_LIMIT: usize = 1 << 20;

/// A larger limit of the agent's counts as this one.
const MAX_LIMIT: usize = 16 << 20;

/// The last bytes of the output, cut between characters.
pub struct OutputBuffer {
    decoder: Utf8Stream,
    /// `None`: the bytes are passed as they come.
    plain: Option<PlainText>,
    tail: Tail,
    limit: usize,
    truncated: bool,
}

impl OutputBuffer {
    /// `limit` in bytes; 0 keeps nothing. `raw` leaves escape sequences in.
    pub fn new(limit: Option<u64>, raw: bool) -> Self {
        let limit = limit.map_or(DEFAULT_LIMIT, |limit| {
            usize::try_from(limit).unwrap_or(MAX_LIMIT).min(MAX_LIMIT)
        });
        Self {
            decoder: Utf8Stream::default(),
            plain: (!raw).then(PlainText::default),
            tail: Tail::new(limit),
            limit,
            truncated: false,
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let Self {
            decoder,
            plain,
            tail,
            ..
        } = self;
        decoder.push(bytes, |text| match plain {
            Some(plain) => plain.push(text, |done| tail.push(done)),
            None => tail.push(text),
        });
        self.note_truncation();
    }

    /// No more comes: a character that was begun is shown as broken.
    pub fn end(&mut self) {
        let Self {
            decoder,
            plain,
            tail,
            ..
        } = self;
        decoder.end(|text| match plain {
            Some(plain) => plain.push(text, |done| tail.push(done)),
            None => tail.push(text),
        });
        self.note_truncation();
    }

    /// At most `limit` bytes, the last ones.
    pub fn text(&self) -> String {
        let line = self.open_line();
        let room = self.limit.saturating_sub(line.len());
        let mut text = String::with_capacity(self.tail.len().min(room) + line.len());
        text.push_str(last_bytes(self.tail.as_str(), room));
        text.push_str(last_bytes(line, self.limit));
        text
    }

    /// Something was cut off, now or before.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    fn open_line(&self) -> &str {
        self.plain.as_ref().map_or("", PlainText::open_line)
    }

    fn note_truncation(&mut self) {
        self.truncated |=
            self.tail.dropped || self.tail.len() + self.open_line().len() > self.limit;
    }
}

/// The end of a text. Cut only when it has grown to twice the limit, so that a byte is moved once.
struct Tail {
    text: String,
    limit: usize,
    dropped: bool,
}

impl Tail {
    fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            limit,
            dropped: false,
        }
    }

    fn push(&mut self, more: &str) {
        self.text.push_str(more);
        if self.text.len() > self.limit {
            self.dropped = true;
            if self.text.len() > self.limit.saturating_mul(2) {
                let keep = last_bytes(&self.text, self.limit).len();
                self.text.drain(..self.text.len() - keep);
            }
        }
    }

    fn as_str(&self) -> &str {
        last_bytes(&self.text, self.limit)
    }

    fn len(&self) -> usize {
        self.text.len().min(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(limit: Option<u64>, pieces: &[&[u8]]) -> (String, bool) {
        let mut buffer = OutputBuffer::new(limit, false);
        for piece in pieces {
            buffer.push(piece);
        }
        (buffer.text(), buffer.truncated())
    }

    #[test]
    fn the_last_bytes_are_kept_between_characters_c063_v1_term_06() {
        let printed = format!("{}END", "é".repeat(1000));
        let (text, truncated) = plain(Some(102), &[printed.as_bytes()]);
        assert_eq!(text, format!("{}END", "é".repeat(49)));
        assert!(truncated);
        assert_eq!(plain(Some(0), &[b"x\r\n"]), (String::new(), true));
        assert_eq!(plain(Some(2), &[b"a\r\n"]), ("a\n".into(), false));
    }

    #[test]
    fn once_truncated_stays_truncated() {
        let (text, truncated) = plain(Some(4), &[b"12345", b"\r\x1b[K", b"ok"]);
        assert_eq!((text.as_str(), truncated), ("ok", true));
    }

    #[test]
    fn a_megabyte_into_a_thousand_bytes() {
        let lines = "0123456789\n".repeat(100_000);
        let (text, truncated) = plain(Some(1000), &[lines.as_bytes()]);
        assert_eq!(text.len(), 1000);
        assert!(lines.ends_with(&text) && truncated);
    }

    #[test]
    fn characters_may_be_split_over_reads_v1_term_07() {
        let (text, _) = plain(None, &[b"a\xf0\x9f", b"\x98\x80b\xff\xc3"]);
        assert_eq!(text, "a😀b\u{fffd}");
        let mut buffer = OutputBuffer::new(None, true);
        buffer.push(b"\x1b[1m\xc3");
        buffer.end();
        assert_eq!(buffer.text(), "\x1b[1m\u{fffd}");
    }

    proptest! {
        #[test]
        fn the_limit_holds_however_output_is_split(
            bytes in prop::collection::vec(
                prop_oneof![Just(b'\r'), Just(b'\n'), Just(0x1b), Just(b'['), any::<u8>()],
                0..400,
            ),
            cut in 1usize..40,
            limit in 0u64..60,
        ) {
            let mut whole = OutputBuffer::new(Some(limit), false);
            whole.push(&bytes);
            let mut split = OutputBuffer::new(Some(limit), false);
            for piece in bytes.chunks(cut) {
                split.push(piece);
            }
            prop_assert!(whole.text().len() as u64 <= limit);
            prop_assert_eq!(whole.text(), split.text());
        }
    }
}
