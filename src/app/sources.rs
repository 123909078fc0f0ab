//! What the loop waits for, in order of urgency.
//!
//! Signals before keys, keys before frames, frames before the agent: a flood can neither delay a
//! key nor starve drawing, and is itself slowed by the pipe (ARCHITECTURE §3).

use std::time::Instant;

use crossterm::event::Event as TerminalEvent;
use tokio::{
    sync::mpsc,
    time::{Instant as TokioInstant, sleep_until},
};

use crate::{
    acp::{Inbound, Inbox},
    app::{
        job::Job,
        reader::Input,
        signals::{Signals, Told},
    },
    proto::{AgentExit, ConnectionId},
};

/// Agent messages taken before the loop looks at keys and the clock again.
const AGENT_BATCH: usize = 256;

pub struct Sources {
    pub signals: Signals,
    pub input: mpsc::Receiver<Input>,
    pub jobs: mpsc::UnboundedReceiver<Job>,
    /// The agent's messages, while there is one.
    pub inbox: Option<(ConnectionId, Inbox)>,
}

/// When the loop is to wake up by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadlines {
    pub frame: Option<Instant>,
    /// Of the session's rules.
    pub tick: Option<Instant>,
    pub save_draft: Option<Instant>,
}

/// What happened.
pub enum Wake {
    Told(Told),
    Typed(Vec<TerminalEvent>),
    TerminalGone,
    Frame,
    Job(Job),
    Tick,
    SaveDraft,
    Agent(ConnectionId, Vec<Inbound>),
}

impl Sources {
    /// Waits for the most urgent thing. Cancel safe.
    pub async fn next(&mut self, deadlines: Deadlines) -> Wake {
        tokio::select! {
            biased;
            told = self.signals.recv() => Wake::Told(told),
            input = self.input.recv() => match input {
                Some(Input::Batch(batch)) => Wake::Typed(batch),
                Some(Input::Gone) | None => Wake::TerminalGone,
            },
            () = reached(deadlines.frame) => Wake::Frame,
            Some(job) = self.jobs.recv() => Wake::Job(job),
            () = reached(deadlines.tick) => Wake::Tick,
            () = reached(deadlines.save_draft) => Wake::SaveDraft,
            (connection, batch) = agent(&mut self.inbox) => Wake::Agent(connection, batch),
        }
    }
}

async fn reached(deadline: Option<Instant>) {
    match deadline {
        // A timer's least wait is a millisecond: one that is due needs none.
        Some(at) if at <= Instant::now() => {}
        Some(at) => sleep_until(TokioInstant::from_std(at)).await,
        None => std::future::pending().await,
    }
}

async fn agent(inbox: &mut Option<(ConnectionId, Inbox)>) -> (ConnectionId, Vec<Inbound>) {
    let Some((connection, receiver)) = inbox else {
        return std::future::pending().await;
    };
    let connection = *connection;
    let Some(first) = receiver.recv().await else {
        // Told already, as `Inbound::Exited` is the last item, unless the reader itself failed. To
        // hear of an end twice does nothing.
        *inbox = None;
        let exit = AgentExit {
            cause: Some("its messages cannot be read any more".into()),
            ..AgentExit::default()
        };
        return (connection, vec![Inbound::Exited(exit)]);
    };
    let mut batch = vec![first];
    while batch.len() < AGENT_BATCH
        && let Some(more) = receiver.try_recv()
    {
        batch.push(more);
    }
    (connection, batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc;

    #[tokio::test]
    async fn a_connection_never_ends_unheard_v1_rpc_19() {
        let (sender, receiver) = rpc::channel(1024);
        drop(sender);
        let mut inbox = Some((ConnectionId(1), receiver));
        let (connection, batch) = agent(&mut inbox).await;
        assert_eq!(connection, ConnectionId(1));
        assert!(matches!(&batch[..], [Inbound::Exited(exit)] if exit.cause.is_some()));
        assert!(inbox.is_none());
    }
}
