//! The end of what an agent writes to its stderr.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::text::SafeText;

/// Bytes kept.
const TAIL: usize = 64 * 1024;
const READ_SIZE: usize = 8 * 1024;

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
        while let Ok(len @ 1..) = stderr.read(&mut chunk).await {
            let chunk = chunk.get(..len).unwrap_or_default();
            for line in chunk.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
                tracing::debug!(target: "agent_stderr", "{}", String::from_utf8_lossy(line));
            }
            self.push(chunk);
        }
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
        SafeText::new(text.trim_end())
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
}
