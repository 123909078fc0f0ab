//! The order of operations on one path (V1-FS-13): first come, first served, whatever tasks run.

use std::{
    collections::{HashMap, VecDeque},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::oneshot;

/// Waiting operations by the path as it was asked for. Two names of one file are two lanes: what they
/// lead to is unknown without asking the disk, and that may take long.
#[derive(Clone, Default)]
pub struct Lanes(Arc<Shared>);

#[derive(Default)]
struct Shared {
    lines: Mutex<HashMap<PathBuf, VecDeque<Waiter>>>,
    tickets: AtomicU64,
}

struct Waiter {
    ticket: u64,
    /// Taken when the turn comes.
    turn: Option<oneshot::Sender<()>>,
}

/// A place in a lane. Given up when dropped, whether its turn came or not.
pub struct Lane {
    lanes: Lanes,
    path: PathBuf,
    ticket: u64,
    turn: oneshot::Receiver<()>,
    first: bool,
}

impl Lanes {
    /// Takes the next place at once; does not wait.
    pub fn enter(&self, path: PathBuf) -> Lane {
        let ticket = self.0.tickets.fetch_add(1, Ordering::Relaxed);
        let (sender, turn) = oneshot::channel();
        let mut lines = self.lock();
        let line = lines.entry(path.clone()).or_default();
        let first = line.is_empty();
        line.push_back(Waiter {
            ticket,
            turn: Some(sender),
        });
        Lane {
            lanes: self.clone(),
            path,
            ticket,
            turn,
            first,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, VecDeque<Waiter>>> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    /// Returns once all operations before it are done.
    pub async fn turn(&mut self) {
        if !self.first {
            // The sender stands in line as long as this lane does, so this is no error.
            let _ = (&mut self.turn).await;
            self.first = true;
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        let mut lines = self.lanes.lock();
        let Some(line) = lines.get_mut(&self.path) else {
            return;
        };
        let was_first = line.front().is_some_and(|w| w.ticket == self.ticket);
        line.retain(|waiter| waiter.ticket != self.ticket);
        if line.is_empty() {
            lines.remove(&self.path);
        } else if was_first && let Some(turn) = line.front_mut().and_then(|w| w.turn.take()) {
            // The next one may just be giving up; it then lets the one behind it go.
            let _ = turn.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-FS-13
    #[tokio::test]
    async fn one_path_is_served_in_order_of_arrival() {
        let lanes = Lanes::default();
        let mut first = lanes.enter("a".into());
        let mut second = lanes.enter("a".into());
        let mut other = lanes.enter("b".into());
        other.turn().await;
        first.turn().await;
        let waiting = tokio::spawn(async move {
            second.turn().await;
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
        drop(other);
        assert!(lanes.lock().is_empty());
    }

    #[tokio::test]
    async fn one_that_gives_up_waiting_does_not_let_others_overtake() {
        let lanes = Lanes::default();
        let mut first = lanes.enter("a".into());
        first.turn().await;
        let second = lanes.enter("a".into());
        let mut third = lanes.enter("a".into());
        drop(second);
        let waiting = tokio::spawn(async move { third.turn().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
    }
}
