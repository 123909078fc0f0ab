//! Ends an agent: first by asking, last by force (V1-RPC-20).

use std::{process::ExitStatus, sync::Arc, time::Duration};

use rustix::process::Signal;
use tokio::{
    process::Child,
    sync::{oneshot, watch},
    task::AbortHandle,
    time::{Instant, sleep, sleep_until},
};
use tracing::debug;

use crate::{acp::process::Group, rpc::Peer};

/// How much time an agent is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// 2 s after each step: some agents need that long to save their session.
    Graceful,
    /// When the app exits: nothing is left after 3 s, whatever it ignores, and those that end on SIGTERM
    /// only are not waited for long.
    Quick,
}

#[derive(Clone, Copy)]
enum Step {
    StdinClosed,
    Terminated,
}

impl StopMode {
    /// What the agent may take after a step, before the next one is taken.
    fn grace(self, step: Step) -> Duration {
        match (self, step) {
            (Self::Graceful, _) => Duration::from_secs(2),
            (Self::Quick, Step::StdinClosed) => Duration::from_millis(500),
            (Self::Quick, Step::Terminated) => Duration::from_secs(1),
        }
    }
}

/// How long a killed process may take to be gone; only one stuck in the kernel takes longer.
const KILL_GRACE: Duration = Duration::from_millis(500);
/// How long what the leader left behind may take to end on SIGTERM.
const SWEEP_GRACE: Duration = Duration::from_millis(500);
const SWEEP_POLL: Duration = Duration::from_millis(20);

/// Watches one agent process to its end.
pub struct Supervisor {
    pub child: Child,
    pub group: Group,
    pub peer: Arc<Peer>,
    /// The task that owns the agent's stdin.
    pub writer: AbortHandle,
    /// Set when the agent is to end; its sender being gone counts as [`StopMode::Quick`].
    pub stop: watch::Receiver<Option<StopMode>>,
}

impl Supervisor {
    /// Waits for the agent to end, or ends it step by step, and then for everything it started. Sends the
    /// status as soon as it is known.
    pub async fn run(mut self, status: oneshot::Sender<ExitStatus>) {
        let ended = tokio::select! {
            ended = self.child.wait() => ended.ok(),
            () = stop_wanted(&mut self.stop) => self.end().await,
        };
        // Stdin closes for those that the leader left behind, too.
        self.writer.abort();
        if let Some(ended) = ended {
            // An error means that the receiver is gone.
            let _ = status.send(ended);
        }
        self.sweep().await;
    }

    async fn end(&mut self) -> Option<ExitStatus> {
        self.peer.close();
        if let Some(status) = self.ends_within_grace(Step::StdinClosed).await {
            return Some(status);
        }
        // An agent that reads nothing keeps the writer from its end.
        self.writer.abort();
        debug!("the agent still runs after its stdin closed: sending SIGTERM");
        self.group.signal(Signal::TERM);
        if let Some(status) = self.ends_within_grace(Step::Terminated).await {
            return Some(status);
        }
        debug!("the agent still runs after SIGTERM: sending SIGKILL");
        self.group.signal(Signal::KILL);
        tokio::time::timeout(KILL_GRACE, self.child.wait())
            .await
            .ok()?
            .ok()
    }

    /// `None` when the time is up, which is sooner if [`StopMode::Quick`] is asked for meanwhile.
    async fn ends_within_grace(&mut self, step: Step) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            let mode = self.stop.borrow_and_update().unwrap_or(StopMode::Quick);
            tokio::select! {
                status = self.child.wait() => return status.ok(),
                () = sleep_until(started + mode.grace(step)) => return None,
                Ok(()) = self.stop.changed() => {}
            }
        }
    }

    /// Ends what is left of the group once its leader is gone.
    async fn sweep(&self) {
        if self.group_ends_within(Duration::ZERO).await {
            return;
        }
        debug!("the agent left processes behind: sending SIGTERM");
        self.group.signal(Signal::TERM);
        if !self.group_ends_within(SWEEP_GRACE).await {
            self.group.signal(Signal::KILL);
            self.group_ends_within(KILL_GRACE).await;
        }
    }

    async fn group_ends_within(&self, grace: Duration) -> bool {
        let until = Instant::now() + grace;
        while self.group.is_alive() {
            if Instant::now() >= until {
                return false;
            }
            sleep(SWEEP_POLL).await;
        }
        true
    }
}

async fn stop_wanted(stop: &mut watch::Receiver<Option<StopMode>>) {
    // An error is a sender that is gone: as good as a wish.
    let _ = stop.wait_for(Option::is_some).await;
}
