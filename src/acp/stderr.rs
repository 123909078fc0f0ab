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

/// Shared by the task that reads and whoever tells how the agent ended.
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

    /// The last whole lines.
    pub fn text(&self) -> SafeText {
        let mut ring = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cut = ring.cut;
        let bytes: &[u8] = ring.bytes.make_contiguous();
        let start = match memchr::memchr(b'\n', bytes) {
            Some(newline) if cut => newline + 1,
            _ => 0,
        };
        let text = String::from_utf8_lossy(bytes.get(start..).unwrap_or_default());
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
        for piece in chunk.split_inclusive(|b| *b == b'\n') {
            if self.room == 0 {
                return;
            }
            self.partial.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.partial.len() >= LOGGED_LINE {
                self.end();
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
            (self.write)("(more of the agent's stderr is left out)");
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
            ["12345", "67890", "(more of the agent's stderr is left out)"]
        );
        assert!(logged(100_000, &["x".repeat(3_000).as_str(); 3]).len() > 1);
    }
}
