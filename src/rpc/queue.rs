//! An ordered queue between tasks, bounded by bytes as well as by count.
//!
//! What is at hand travels as one batch, so that the cost of waking and locking is shared by the
//! hundreds of small messages that one read from a pipe brings. Nothing is ever dropped: a full
//! queue makes the sender wait, and the pipe behind it slows the agent down (V1-RPC-21).

use std::{sync::Arc, vec};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Items of one batch.
const BATCH_ITEMS: usize = 256;
/// Bytes after which a batch is full.
const BATCH_BYTES: usize = 256 * 1024;
/// Batches waiting.
const BATCHES: usize = 64;

struct Batch<T> {
    items: vec::IntoIter<T>,
    /// Given back when the whole batch has been taken.
    _weight: OwnedSemaphorePermit,
}

/// Fills batches; a clone has its own.
pub struct Sender<T> {
    tx: mpsc::Sender<Batch<T>>,
    budget: Arc<Semaphore>,
    limit: usize,
    batch: Vec<T>,
    weight: usize,
}

pub struct Receiver<T> {
    rx: mpsc::Receiver<Batch<T>>,
    current: Option<Batch<T>>,
}

/// The receiver is gone.
#[derive(Debug, PartialEq, Eq)]
pub struct Closed;

/// `limit` bytes, as weighed by the sender, may wait in addition to the batch at either end; a single item
/// heavier than that waits alone.
pub fn channel<T>(limit: usize) -> (Sender<T>, Receiver<T>) {
    let limit = limit.min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
    let (tx, rx) = mpsc::channel(BATCHES);
    let sender = Sender {
        tx,
        budget: Arc::new(Semaphore::new(limit)),
        limit,
        batch: Vec::new(),
        weight: 0,
    };
    (sender, Receiver { rx, current: None })
}

impl<T> Sender<T> {
    /// Adds to the batch; `bytes` is about what the item holds beyond itself.
    pub fn push(&mut self, item: T, bytes: usize) {
        self.batch.push(item);
        self.weight += bytes + size_of::<T>();
    }

    /// True when the batch should go before more is added.
    pub fn is_full(&self) -> bool {
        self.batch.len() >= BATCH_ITEMS || self.weight >= BATCH_BYTES
    }

    /// Sends the batch, waiting for room. Not cancel safe: a batch under way would be lost.
    pub async fn flush(&mut self) -> Result<(), Closed> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let items = std::mem::take(&mut self.batch).into_iter();
        let weight = std::mem::take(&mut self.weight).clamp(1, self.limit);
        let budget = Arc::clone(&self.budget);
        let permits = u32::try_from(weight).unwrap_or(u32::MAX);
        let weight = budget
            .acquire_many_owned(permits)
            .await
            .map_err(|_| Closed)?;
        let batch = Batch {
            items,
            _weight: weight,
        };
        self.tx.send(batch).await.map_err(|_| Closed)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self {
            tx: self.tx.clone(),
            budget: Arc::clone(&self.budget),
            limit: self.limit,
            batch: Vec::new(),
            weight: 0,
        }
    }
}

impl<T> Receiver<T> {
    /// The next item; `None` once all senders are gone and everything has been taken. Cancel safe.
    pub async fn recv(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.next_here() {
                return Some(item);
            }
            self.current = Some(self.rx.recv().await?);
        }
    }

    /// The next item, if one is here.
    pub fn try_recv(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.next_here() {
                return Some(item);
            }
            self.current = Some(self.rx.try_recv().ok()?);
        }
    }

    /// As [`recv`](Self::recv), on a thread without a runtime.
    pub fn blocking_recv(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.next_here() {
                return Some(item);
            }
            self.current = Some(self.rx.blocking_recv()?);
        }
    }

    fn next_here(&mut self) -> Option<T> {
        let item = self.current.as_mut()?.items.next();
        if item.is_none() {
            self.current = None;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn order_is_kept_and_the_end_comes_last() {
        let (mut tx, mut rx) = channel(1 << 20);
        for n in 0..1000 {
            tx.push(n, 0);
            if tx.is_full() {
                tx.flush().await.expect("open");
            }
        }
        tx.flush().await.expect("open");
        drop(tx);
        for n in 0..1000 {
            assert_eq!(rx.recv().await, Some(n));
        }
        assert_eq!(rx.recv().await, None);
    }

    // V1-RPC-21
    #[tokio::test]
    async fn a_queue_full_by_bytes_makes_the_sender_wait() {
        let (mut tx, mut rx) = channel(1000);
        tx.push("first", 900);
        assert_eq!(tx.flush().now_or_never(), Some(Ok(())));
        tx.push("second", 900);
        let mut second = Box::pin(tx.flush());
        assert_eq!(second.as_mut().now_or_never(), None);
        assert_eq!(rx.try_recv(), Some("first"));
        // Room is made when the batch is done with.
        assert_eq!(rx.try_recv(), None);
        assert_eq!(second.await, Ok(()));
        assert_eq!(rx.try_recv(), Some("second"));
    }

    #[tokio::test]
    async fn an_item_heavier_than_the_limit_passes_alone() {
        let (mut tx, mut rx) = channel(1000);
        tx.push("huge", 1_000_000);
        assert_eq!(tx.flush().now_or_never(), Some(Ok(())));
        assert_eq!(rx.recv().await, Some("huge"));
    }

    #[tokio::test]
    async fn a_sender_without_receiver_is_told() {
        let (mut tx, rx) = channel(10);
        drop(rx);
        tx.push(1, 0);
        assert_eq!(tx.flush().await, Err(Closed));
    }
}
