//! Where every line can be watched, in both directions.

use std::time::Instant;

use crate::rpc::Sender;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ToAgent,
    FromAgent,
}

/// A line as it was on the wire, without its end.
#[derive(Debug)]
pub struct WireLine {
    pub direction: Direction,
    pub at: Instant,
    /// Not from the wire: the line before, translated into v1.
    pub plain: bool,
    pub bytes: Box<[u8]>,
}

/// Hands copies of lines to a watcher. A watcher that is slow slows the wire; one that is gone
/// costs nothing more.
#[derive(Clone)]
pub struct Tap(Option<Sender<WireLine>>);

impl Tap {
    pub fn new(watcher: Option<Sender<WireLine>>) -> Self {
        Self(watcher)
    }

    pub async fn record(&mut self, direction: Direction, line: &[u8]) {
        self.push(direction, line, false).await;
    }

    /// The line just recorded, translated into v1.
    pub async fn record_plain(&mut self, direction: Direction, line: &[u8]) {
        self.push(direction, line, true).await;
    }

    async fn push(&mut self, direction: Direction, line: &[u8], plain: bool) {
        let Some(watcher) = &mut self.0 else { return };
        let line = WireLine {
            direction,
            at: Instant::now(),
            plain,
            bytes: line.into(),
        };
        let bytes = line.bytes.len();
        watcher.push(line, bytes);
        if watcher.is_full() {
            self.flush().await;
        }
    }

    /// Sends what has been recorded; to be called before waiting for something else.
    pub async fn flush(&mut self) {
        if let Some(watcher) = &mut self.0
            && watcher.flush().await.is_err()
        {
            self.0 = None;
        }
    }
}
