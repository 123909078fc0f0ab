//! What goes to the agent: a queue of whole lines and the task that writes them.

use std::{io, sync::Arc};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{mpsc, watch},
};

use crate::rpc::{Direction, Tap};

/// With more than this unwritten, the reader takes no more from the agent until the agent has read
/// some of it.
const UNWRITTEN_LIMIT: usize = 64 * 1024 * 1024;

/// The sending side. Its queue is unbounded, because the UI task sends and must not wait. What feeds it
/// is bounded: what a person does, and one answer for each request of the agent; the reader takes no
/// requests while [`UNWRITTEN_LIMIT`] is exceeded.
#[derive(Clone)]
pub struct Outbox {
    tx: mpsc::UnboundedSender<Out>,
    unwritten: Arc<watch::Sender<usize>>,
}

enum Out {
    Line {
        line: Vec<u8>,
        /// The same in v1's form, if the agent gets another one: for the wire log.
        plain: Option<Vec<u8>>,
    },
    Close,
}

/// The receiving side, for [`write_lines`].
pub struct Outgoing {
    rx: mpsc::UnboundedReceiver<Out>,
    unwritten: Arc<watch::Sender<usize>>,
}

impl Outbox {
    pub fn new() -> (Self, Outgoing) {
        let (tx, rx) = mpsc::unbounded_channel();
        let unwritten = Arc::new(watch::Sender::new(0));
        let outgoing = Outgoing {
            rx,
            unwritten: Arc::clone(&unwritten),
        };
        (Self { tx, unwritten }, outgoing)
    }

    /// Queues one line; without effect once the writer has ended.
    pub fn push(&self, line: Vec<u8>) {
        self.push_as(line, None);
    }

    /// As [`push`](Self::push); `plain` is the line as the protocol would have it.
    pub fn push_as(&self, mut line: Vec<u8>, plain: Option<Vec<u8>>) {
        line.push(b'\n');
        let len = line.len();
        self.unwritten.send_modify(|n| *n += len);
        if self.tx.send(Out::Line { line, plain }).is_err() {
            self.unwritten.send_modify(|n| *n = n.saturating_sub(len));
        }
    }

    /// Ends the writer, and with it the agent's stdin, behind everything queued so far.
    pub fn close(&self) {
        // Fails only if the writer has ended already.
        let _ = self.tx.send(Out::Close);
    }

    /// Waits until no more than the limit is unwritten.
    pub async fn ready(&self) {
        // Cannot fail: `self` holds the sender.
        let _ = self
            .unwritten
            .subscribe()
            .wait_for(|unwritten| *unwritten <= UNWRITTEN_LIMIT)
            .await;
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        // Closing first, so that no line is counted that will not be written.
        self.rx.close();
        self.unwritten.send_replace(0);
    }
}

/// Writes queued lines, each whole, until the outbox is closed. Dropping `writer` at the end is
/// what closes the agent's stdin.
///
/// # Errors
/// The agent no longer reads (a broken pipe).
pub async fn write_lines(
    mut outgoing: Outgoing,
    mut writer: impl AsyncWrite + Unpin,
    mut tap: Tap,
) -> io::Result<()> {
    while let Some(Out::Line { line, plain }) = outgoing.rx.recv().await {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        tap.record(Direction::ToAgent, text).await;
        if let Some(plain) = plain {
            tap.record_plain(Direction::ToAgent, &plain).await;
        }
        tap.flush().await;
        writer.write_all(&line).await?;
        writer.flush().await?;
        outgoing
            .unwritten
            .send_modify(|n| *n = n.saturating_sub(line.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_not_written_is_bounded_at_its_edge() {
        for (bytes, ready) in [
            (UNWRITTEN_LIMIT - 1, true),
            (UNWRITTEN_LIMIT, true),
            (UNWRITTEN_LIMIT + 1, false),
        ] {
            let (outbox, outgoing) = Outbox::new();
            // And its newline.
            outbox.push(vec![b'x'; bytes - 1]);
            let waited = tokio::time::timeout(Duration::from_secs(1), outbox.ready());
            assert_eq!(waited.await.is_ok(), ready, "{bytes}");
            // Nobody waits for a writer that has ended.
            drop(outgoing);
            outbox.ready().await;
        }
    }
}
