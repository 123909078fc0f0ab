//! What the loop waits for, in order of urgency.
//!
//! Signals before keys, keys before frames, frames before the agent: a flood can neither delay a
//! key nor starve drawing, and is itself slowed by the pipe.

use std::time::Instant;

use futures_util::{FutureExt, future::select_all};
use tokio::{
    sync::mpsc,
    time::{Instant as TokioInstant, sleep_until},
};

use crate::{
    acp::{Inbound, Inbox, Recorded},
    app::{
        commands::Lines,
        job::Job,
        signals::{SignalEvent, Signals},
        terminal::Input,
    },
    input::Decoded,
    model::{AgentExit, ConnectionId},
};

/// Agent messages taken before the loop looks at keys and the clock again.
const AGENT_BATCH: usize = 256;

pub struct Sources {
    pub signals: Signals,
    pub input: mpsc::Receiver<Input>,
    pub jobs: mpsc::UnboundedReceiver<Job>,
    /// The messages of each agent, and whose turn it is to be looked at first.
    pub inboxes: Vec<(ConnectionId, Inbox)>,
    pub turn: usize,
    /// Lines of a log that is played.
    pub replay: Option<Lines>,
}

/// When the loop is to wake up by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadlines {
    pub frame: Option<Instant>,
    /// Of the session's rules.
    pub tick: Option<Instant>,
    pub save_draft: Option<Instant>,
    /// Something is to be stored.
    pub save_sessions: Option<Instant>,
}

/// What happened.
pub enum Wake {
    Told(SignalEvent),
    Typed(Vec<Decoded>),
    /// The same, from before anything was to be seen.
    TypedAhead(Vec<Decoded>),
    TerminalGone,
    Frame,
    Job(Job),
    Tick,
    SaveDraft,
    SaveSessions,
    Agent(ConnectionId, Vec<Inbound>),
    /// Of a log that is played; `None` at its end.
    Replayed(Option<Vec<Recorded>>),
}

impl Sources {
    /// Waits for the most urgent thing. Cancel safe.
    pub async fn next(&mut self, deadlines: Deadlines) -> Wake {
        tokio::select! {
            biased;
            told = self.signals.recv() => Wake::Told(told),
            input = self.input.recv() => match input {
                Some(Input::Batch(batch)) => Wake::Typed(batch),
                Some(Input::Ahead(batch)) => Wake::TypedAhead(batch),
                Some(Input::Gone) | None => Wake::TerminalGone,
            },
            () = reached(deadlines.frame) => Wake::Frame,
            Some(job) = self.jobs.recv() => Wake::Job(job),
            () = reached(deadlines.tick) => Wake::Tick,
            () = reached(deadlines.save_draft) => Wake::SaveDraft,
            lines = recorded(&mut self.replay) => Wake::Replayed(lines),
            () = reached(deadlines.save_sessions) => Wake::SaveSessions,
            (connection, batch) = agent(&mut self.inboxes, &mut self.turn) => Wake::Agent(connection, batch),
        }
    }
}

async fn recorded(lines: &mut Option<Lines>) -> Option<Vec<Recorded>> {
    let Some(receiver) = lines else {
        return std::future::pending().await;
    };
    let batch = receiver.recv().await;
    if batch.is_none() {
        *lines = None;
    }
    batch
}

pub async fn reached(deadline: Option<Instant>) {
    match deadline {
        // A timer's least wait is a millisecond: one that is due needs none.
        Some(at) if at <= Instant::now() => {}
        Some(at) => sleep_until(TokioInstant::from_std(at)).await,
        None => std::future::pending().await,
    }
}

/// The next messages of whichever agent has some. Each is looked at first in turn, so that one that
/// floods does not silence the others. Cancel safe: what is received is returned.
async fn agent(
    inboxes: &mut Vec<(ConnectionId, Inbox)>,
    turn: &mut usize,
) -> (ConnectionId, Vec<Inbound>) {
    if inboxes.is_empty() {
        return std::future::pending().await;
    }
    let count = inboxes.len();
    let start = *turn % count;
    *turn = start + 1;
    let receive = inboxes
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
        inboxes.remove(at);
        let exit = AgentExit {
            cause: Some("its messages cannot be read any more".into()),
            ..AgentExit::default()
        };
        return (connection, vec![Inbound::Exited(exit)]);
    };
    (connection, batch)
}

/// `None` where nothing more will come.
pub async fn batch(inbox: &mut Inbox) -> Option<Vec<Inbound>> {
    let mut batch = vec![inbox.recv().await?];
    while batch.len() < AGENT_BATCH
        && let Some(more) = inbox.try_recv()
    {
        batch.push(more);
    }
    Some(batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc;

    #[tokio::test]
    async fn a_connection_never_ends_unheard_v1_rpc_19() {
        let (sender, receiver) = rpc::channel(1024);
        drop(sender);
        let mut inboxes = vec![(ConnectionId(1), receiver)];
        let (connection, batch) = agent(&mut inboxes, &mut 0).await;
        assert_eq!(connection, ConnectionId(1));
        assert!(matches!(&batch[..], [Inbound::Exited(exit)] if exit.cause.is_some()));
        assert!(inboxes.is_empty());
    }
}
