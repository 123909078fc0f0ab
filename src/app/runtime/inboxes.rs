//! The messages of the agents, and how many are taken before the loop looks at the rest.

use std::time::Instant;

use futures_util::{FutureExt, future::select_all};
use tokio::time::{Instant as TokioInstant, sleep_until};

use crate::{
    acp::{Inbound, Inbox},
    model::{AgentExit, ConnectionId},
};

/// Agent messages taken before the loop looks at keys and the clock again.
const BATCH: usize = 256;

/// The messages of each agent, and whose turn it is to be looked at first.
#[derive(Default)]
pub struct Inboxes {
    list: Vec<(ConnectionId, Inbox)>,
    turn: usize,
}

impl Inboxes {
    pub fn add(&mut self, connection: ConnectionId, inbox: Inbox) {
        self.list.push((connection, inbox));
    }

    /// The next messages of whichever agent has some. Each is looked at first in turn, so that one that
    /// floods does not silence the others. Cancel safe: what is received is returned.
    pub async fn next(&mut self) -> (ConnectionId, Vec<Inbound>) {
        if self.list.is_empty() {
            return std::future::pending().await;
        }
        let start = self.turn % self.list.len();
        self.turn = start + 1;
        let receive = self
            .list
            .iter_mut()
            .enumerate()
            .map(|(at, (connection, inbox))| {
                let connection = *connection;
                async move { (at, connection, batch(inbox).await) }.boxed_local()
            });
        let mut waiting: Vec<_> = receive.collect();
        waiting.rotate_left(start);
        let ((at, connection, batch), _, rest) = select_all(waiting).await;
        drop(rest);
        let Some(batch) = batch else {
            // Told already, as `Inbound::Exited` is the last item, unless the reader itself failed. To
            // hear of an end twice does nothing.
            self.list.remove(at);
            let exit = AgentExit {
                cause: Some("its messages can no longer be read".into()),
                ..AgentExit::default()
            };
            return (connection, vec![Inbound::Exited(exit)]);
        };
        (connection, batch)
    }
}

/// `None` where nothing more will come.
async fn batch(inbox: &mut Inbox) -> Option<Vec<Inbound>> {
    let mut batch = vec![inbox.recv().await?];
    while batch.len() < BATCH
        && let Some(more) = inbox.try_recv()
    {
        batch.push(more);
    }
    Some(batch)
}

pub async fn reached(deadline: Option<Instant>) {
    match deadline {
        // A timer's least wait is a millisecond: one that is due needs none.
        Some(at) if at <= Instant::now() => {}
        Some(at) => sleep_until(TokioInstant::from_std(at)).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc;

    // V1-RPC-19
    #[tokio::test]
    async fn a_connection_never_ends_unheard() {
        let (sender, receiver) = rpc::channel(1024);
        drop(sender);
        let mut inboxes = Inboxes::default();
        inboxes.add(ConnectionId(1), receiver);
        let (connection, batch) = inboxes.next().await;
        assert_eq!(connection, ConnectionId(1));
        assert!(matches!(&batch[..], [Inbound::Exited(exit)] if exit.cause.is_some()));
        assert!(inboxes.list.is_empty());
    }
}
