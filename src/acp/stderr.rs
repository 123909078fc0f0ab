//! What an agent writes to its stderr: its end is kept, its beginning goes into the log.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::text::{SafeText, without_colours};

/// Bytes kept.
const TAIL: usize = 64 * 1024;
const READ_SIZE: usize = 8 * 1024;
/// Bytes that one connection may put into the log.
const LOGGED: usize = 256 * 1024;
/// Bytes after which a line that goes on is broken in the log.
const LOGGED_LINE: usize = 4 * 1024;

/// Shared by the task that reads and the one that reports how the agent ended.
#[derive(Clone, Default)]
pub struct Tail(Arc<Mutex<Ring>>);

#[derive(Default)]
struct Ring {
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    /// Reads to the end, whatever comes: a full pipe would block the agent (V1-RPC-03).
    pub async fn collect(self, mut stderr: impl AsyncRead + Unpin) {
        let mut chunk = [0; READ_SIZE];
        let mut log = Log::new(
            LOGGED,
            |line| tracing::info!(target: "agent_stderr", "{line}"),
        );
        while let Ok(len @ 1..) = stderr.read(&mut chunk).await {
            let chunk = chunk.get(..len).unwrap_or_default();
            log.take(chunk);
            self.push(chunk);
        }
        log.end();
    }

    fn push(&self, chunk: &[u8]) {
        let mut ring = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ring.bytes.extend(chunk);
        let excess = ring.bytes.len().saturating_sub(TAIL);
        if excess > 0 {
            ring.bytes.drain(..excess);
            ring.cut = true;
        }
    }

    /// The last whole lines; the end of one that is longer than what is kept.
    pub fn text(&self) -> SafeText {
        let mut ring = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cut = ring.cut;
        let bytes: &[u8] = ring.bytes.make_contiguous();
        let whole = match memchr::memchr(b'\n', bytes) {
            Some(newline) if cut => bytes.get(newline..).unwrap_or_default(),
            _ => bytes,
        };
        // One line can be all there is, and then its end is more than nothing.
        let text = match whole.trim_ascii().is_empty() {
            true => String::from_utf8_lossy(bytes),
            false => String::from_utf8_lossy(whole.strip_prefix(b"\n").unwrap_or(whole)),
        };
        SafeText::new(without_colours(&text).trim_end())
    }
}

/// Writes whole lines, until its room is used up.
struct Log<F> {
    partial: Vec<u8>,
    room: usize,
    write: F,
}

impl<F: FnMut(&str)> Log<F> {
    fn new(room: usize, write: F) -> Self {
        Self {
            partial: Vec::new(),
            room,
            write,
        }
    }

    fn take(&mut self, chunk: &[u8]) {
        for mut piece in chunk.split_inclusive(|b| *b == b'\n') {
            while !piece.is_empty() && self.room > 0 {
                let room = LOGGED_LINE - self.partial.len();
                let (head, rest) = piece.split_at(piece.len().min(room));
                self.partial.extend_from_slice(head);
                piece = rest;
                if head.ends_with(b"\n") || self.partial.len() == LOGGED_LINE {
                    self.end();
                }
            }
        }
    }

    /// No more of this line is expected.
    fn end(&mut self) {
        let line = std::mem::take(&mut self.partial);
        let text = String::from_utf8_lossy(&line);
        let text = SafeText::line(without_colours(&text).trim_end());
        if text.is_empty() || self.room == 0 {
            return;
        }
        self.room = self.room.saturating_sub(line.len());
        (self.write)(&text);
        if self.room == 0 {
            (self.write)("(more stderr from the agent was dropped)");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-RPC-03
    #[tokio::test]
    async fn the_last_whole_lines_are_kept() {
        let mut all = Vec::new();
        for n in 0..20_000 {
            all.extend_from_slice(format!("line {n}\n").as_bytes());
        }
        let tail = Tail::default();
        tail.clone().collect(all.as_slice()).await;
        let text = tail.text();
        assert!(text.len() <= TAIL && text.len() > TAIL - 20);
        assert!(text.starts_with("line "));
        assert!(text.ends_with("line 19999"));
    }

    #[tokio::test]
    async fn the_tail_is_bounded_at_its_edge() {
        // One line of two bytes, and one that fills the rest.
        for (length, first) in [
            (TAIL - 1, "a"),
            (TAIL, "a"),
            (TAIL + 1, "x"),
            (2 * TAIL, "x"),
        ] {
            let said = format!("a\n{}\n", "x".repeat(length - 3));
            let tail = Tail::default();
            tail.clone().collect(said.as_bytes()).await;
            assert!(tail.text().starts_with(first), "{length}");
            assert!(tail.text().len() <= TAIL);
            let held = tail.0.lock().unwrap().bytes.capacity();
            assert!(held <= 2 * (TAIL + READ_SIZE), "{held}");
        }
        // One line without an end is what there is.
        let tail = Tail::default();
        tail.clone().collect("x".repeat(TAIL + 1).as_bytes()).await;
        assert_eq!(tail.text().len(), TAIL);
    }

    #[tokio::test]
    async fn colours_are_no_part_of_what_is_shown() {
        let tail = Tail::default();
        let said = "\x1b[31merror\x1b[0m: no licence\x1b[K\n";
        tail.clone().collect(said.as_bytes()).await;
        assert_eq!(&*tail.text(), "error: no licence␛[K");
    }

    fn logged(room: usize, chunks: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut log = Log::new(room, |line: &str| lines.push(line.to_owned()));
        for chunk in chunks {
            log.take(chunk.as_bytes());
        }
        log.end();
        lines
    }

    #[test]
    fn lines_are_logged_whole_however_they_arrive() {
        let lines = logged(100, &["\x1b[2mst", "arting\n\nwai", "ting for ", "the key"]);
        assert_eq!(lines, ["starting", "waiting for the key"]);
    }

    #[test]
    fn the_log_takes_so_much_and_says_that_there_is_more() {
        let lines = logged(11, &["12345\n", "67890\n", "more\n", "and more"]);
        assert_eq!(
            lines,
            ["12345", "67890", "(more stderr from the agent was dropped)"]
        );
    }

    #[test]
    fn a_line_of_the_log_is_bounded_at_its_edge() {
        for (length, lines) in [(LOGGED_LINE - 1, 1), (LOGGED_LINE, 1), (LOGGED_LINE + 1, 2)] {
            let said = "x".repeat(length);
            // In pieces, as they are read.
            let pieces: Vec<&str> = said.split_inclusive("xxx").collect();
            let logged = logged(LOGGED, &pieces);
            assert_eq!(logged.len(), lines, "{length}");
            assert_eq!(logged.concat(), said, "{length}");
            assert!(logged.iter().all(|line| line.len() <= LOGGED_LINE));
        }
        // At once, as one read.
        let said = "x".repeat(LOGGED_LINE + 5);
        assert_eq!(logged(LOGGED, &[&said]).concat(), said);
    }

    #[test]
    fn the_log_of_a_connection_is_bounded_at_its_edge() {
        let line = "0123456789abcde\n";
        let full = LOGGED / line.len();
        for (lines, more) in [
            (full - 1, false),
            (full, true),
            (full + 1, true),
            (2 * full, true),
        ] {
            let logged = logged(LOGGED, &[&line.repeat(lines)]);
            assert_eq!(logged.len(), lines.min(full) + usize::from(more), "{lines}");
            let told = logged.last().is_some_and(|last| last.starts_with("(more"));
            assert_eq!(told, more, "{lines}");
        }
    }
}
