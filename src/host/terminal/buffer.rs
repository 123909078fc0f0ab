//! What a command has printed, as `terminal/output` answers it (V1-TERM-06, V1-TERM-07).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::{plain::PlainText, utf8::Utf8Stream};
use crate::text::last_bytes;

/// Bytes kept where the agent names no limit.
pub const DEFAULT_LIMIT: usize = 1 << 20;

/// A larger limit of the agent's counts as this one.
const MAX_LIMIT: usize = 16 << 20;

/// Bytes that the outputs of all terminals of a connection may take together. Past it one that grows is
/// cut to [`SHARE`], and the agent is told that it is truncated, as where its own limit cuts it.
pub const OUTPUTS_BYTES: usize = 64 << 20;

/// Bytes that each may keep, whatever the others take.
pub const SHARE: usize = 64 << 10;

/// Counts what the outputs of one connection take. Cheap to clone; clones are the same.
#[derive(Clone, Default)]
pub struct Room(Arc<AtomicUsize>);

impl Room {
    fn taken(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn is_full(&self) -> bool {
        self.taken() > OUTPUTS_BYTES
    }

    /// Those that are over should give way to one that begins.
    pub fn is_nearly_full(&self) -> bool {
        self.taken() > OUTPUTS_BYTES / 2
    }
}

/// The last bytes of the output, cut between characters.
pub struct OutputBuffer {
    decoder: Utf8Stream,
    /// `None`: the bytes are passed as they come.
    plain: Option<PlainText>,
    tail: Tail,
    limit: usize,
    truncated: bool,
    room: Room,
    /// Its part of what `room` counts.
    taken: usize,
}

impl OutputBuffer {
    /// `limit` in bytes; 0 keeps nothing. `raw` leaves escape sequences in.
    pub fn new(limit: Option<u64>, raw: bool, room: Room) -> Self {
        let limit = limit.map_or(DEFAULT_LIMIT, |limit| {
            usize::try_from(limit).unwrap_or(MAX_LIMIT).min(MAX_LIMIT)
        });
        Self {
            decoder: Utf8Stream::default(),
            plain: (!raw).then(PlainText::default),
            tail: Tail::new(limit),
            limit,
            truncated: false,
            room,
            taken: 0,
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
        self.count();
        if self.room.is_full() && self.taken > SHARE {
            if !self.truncated {
                tracing::info!("the output of a terminal was cut: all take {OUTPUTS_BYTES} bytes");
            }
            self.give_way();
        }
        self.note_truncation();
    }

    /// Keeps no more than [`SHARE`], the last.
    pub fn give_way(&mut self) {
        self.tail.cut_to(SHARE / 2);
        self.note_truncation();
        self.count();
    }

    /// What it takes by now.
    fn count(&mut self) {
        let now = self.tail.text.capacity();
        let before = std::mem::replace(&mut self.taken, now);
        // Wraps to the difference.
        let more = now.wrapping_sub(before);
        self.room.0.fetch_add(more, Ordering::Relaxed);
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
        tail.text.shrink_to_fit();
        self.count();
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

impl Drop for OutputBuffer {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.taken, Ordering::Relaxed);
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

    /// Keeps the last `most` bytes, in no more memory than these need.
    fn cut_to(&mut self, most: usize) {
        let kept = last_bytes(&self.text, most);
        self.dropped |= kept.len() < self.text.len();
        self.text = kept.to_owned();
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
        let mut buffer = OutputBuffer::new(limit, false, Room::default());
        for piece in pieces {
            buffer.push(piece);
        }
        (buffer.text(), buffer.truncated())
    }

    // V1-TERM-06
    #[test]
    fn the_last_bytes_are_kept_between_characters() {
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

    // V1-TERM-07
    #[test]
    fn characters_may_be_split_over_reads() {
        let (text, _) = plain(None, &[b"a\xf0\x9f", b"\x98\x80b\xff\xc3"]);
        assert_eq!(text, "a😀b\u{fffd}");
        let mut buffer = OutputBuffer::new(None, true, Room::default());
        buffer.push(b"\x1b[1m\xc3");
        buffer.end();
        assert_eq!(buffer.text(), "\x1b[1m\u{fffd}");
    }

    #[test]
    fn the_limit_of_the_agent_and_ours_hold_at_their_edges() {
        for (asked, limit) in [
            (None, DEFAULT_LIMIT),
            (Some(1_000), 1_000),
            (Some(MAX_LIMIT as u64 + 1), MAX_LIMIT),
            (Some(u64::MAX), MAX_LIMIT),
        ] {
            for (length, cut) in [(limit - 1, false), (limit, false), (limit + 1, true)] {
                let mut buffer = OutputBuffer::new(asked, true, Room::default());
                buffer.push("x".repeat(length).as_bytes());
                assert_eq!(buffer.text().len(), length.min(limit), "{asked:?} {length}");
                assert_eq!(buffer.truncated(), cut, "{asked:?} {length}");
            }
        }
    }

    #[test]
    fn all_outputs_together_are_bounded_and_each_keeps_its_share() {
        let room = Room::default();
        let line = "0123456789abcde\n".repeat(SHARE / 16);
        let mut buffers: Vec<_> = (0..100)
            .map(|_| OutputBuffer::new(Some(u64::MAX), true, room.clone()))
            .collect();
        for _ in 0..40 {
            for buffer in &mut buffers {
                buffer.push(line.as_bytes());
                // Twice: as a string that grows may take as much again as is in it.
                assert!(room.taken() <= OUTPUTS_BYTES + 2 * SHARE * 100);
            }
        }
        assert!(room.taken() > OUTPUTS_BYTES / 4, "{}", room.taken());
        for buffer in &buffers {
            assert!(buffer.text().len() >= SHARE / 2);
            assert!(buffer.text().ends_with("abcde\n"));
        }
        assert!(buffers.iter().any(OutputBuffer::truncated));
        drop(buffers);
        assert_eq!(room.taken(), 0);
    }

    #[test]
    fn an_output_is_cut_only_past_the_bound_of_all() {
        for (more, cut) in [(-1, false), (0, false), (1, true)] {
            let room = Room::default();
            let mut buffer = OutputBuffer::new(Some(u64::MAX), true, room.clone());
            buffer.push(&[b'x'; 2 * SHARE]);
            let others = OUTPUTS_BYTES - room.taken();
            room.0
                .fetch_add(others.wrapping_add_signed(more), Ordering::Relaxed);
            buffer.push(b"");
            assert_eq!(buffer.truncated(), cut, "{more}");
            assert_eq!(buffer.text().len(), if cut { SHARE / 2 } else { 2 * SHARE });
        }
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
            let mut whole = OutputBuffer::new(Some(limit), false, Room::default());
            whole.push(&bytes);
            let mut split = OutputBuffer::new(Some(limit), false, Room::default());
            for piece in bytes.chunks(cut) {
                split.push(piece);
            }
            prop_assert!(whole.text().len() as u64 <= limit);
            prop_assert_eq!(whole.text(), split.text());
        }
    }
}
