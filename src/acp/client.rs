//! The handle to one running agent.

use std::{process::ExitStatus, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{oneshot, watch},
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::{
    acp::{
        LaunchError, LaunchSpec, WireLogHandle,
        decode::Decoder,
        dialect::Dialects,
        encode, process,
        stderr::Tail,
        stop::{StopMode, Supervisor},
        threads,
    },
    model::{AgentExit, ClientCaps, ConnectionId, Protocol, SessionKey, ToAgent},
    rpc::{self, Outbox, Peer, Reader, Tap},
    text::SafeText,
};

pub use crate::rpc::Inbound;

/// What the agent sent, in order; [`Inbound::Exited`] is the last.
pub type Inbox = rpc::Receiver<Inbound>;

/// Decoded messages that may wait for the app, in bytes as they were on the wire. Beyond it the
/// reader stops, the pipe fills, and the agent waits (V1-RPC-21).
const INBOX_LIMIT: usize = 16 * 1024 * 1024;

/// How long the process may go on after it has closed its stdout; then its end is reported without an
/// exit status.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// How long stdout may stay open and silent once the agent is gone or does not read.
const SILENCE_AT_THE_END: Duration = Duration::from_secs(1);
/// How long is waited for the last of stderr.
const STDERR_GRACE: Duration = Duration::from_millis(200);

type AgentsIn = Box<dyn AsyncWrite + Unpin + Send>;
type AgentsOut = Box<dyn AsyncRead + Unpin + Send>;

/// One connection. Dropping it ends the agent as [`StopMode::Quick`] does, without waiting.
pub struct Client {
    peer: Arc<Peer>,
    protocol: Protocol,
    dialects: Dialects,
    stop: watch::Sender<Option<StopMode>>,
    /// True once the process and its group are gone.
    gone: watch::Receiver<bool>,
    stderr: Tail,
}

impl Client {
    /// Starts the agent and the tasks that serve it. Nothing is sent yet. `caps` must be what
    /// [`Call::Initialize`](crate::model::Call::Initialize) will offer: methods beyond it are
    /// refused.
    ///
    /// # Errors
    /// The agent cannot be started.
    pub async fn connect(
        spec: LaunchSpec,
        id: ConnectionId,
        caps: ClientCaps,
        wire_log: Option<WireLogHandle>,
    ) -> Result<(Self, Inbox), LaunchError> {
        let path = spec.program.clone();
        let dialects = Dialects::new(spec.dialect);
        let max_line = spec.max_line;
        let protocol = spec.protocol;
        let cwd = spec.cwd.to_string_lossy().into_owned();
        // On a worker of the runtime: the thread has to last (see `process::spawn`).
        let process = tokio::spawn(async move { process::spawn(&spec) })
            .await
            .unwrap_or_else(|error| Err(LaunchError::of(path, std::io::Error::other(error))))?;

        let tap = Tap::new(wire_log.map(WireLogHandle::into_sender));
        let (outbox, outgoing) = Outbox::new();
        let peer = Arc::new(Peer::new(id, outbox));
        let (inbox, inbound) = rpc::channel(INBOX_LIMIT);
        let (stop, _) = watch::channel(None);
        let (gone_tx, gone) = watch::channel(false);
        let (status_tx, status) = oneshot::channel();

        let stderr = Tail::default();
        let stderr_task = tokio::spawn(stderr.clone().collect(process.stderr));
        let stdout = process.stdout;
        let (stdin, stdout, tap): (AgentsIn, AgentsOut, Tap) = match protocol {
            Protocol::V1 | Protocol::V2 => (Box::new(process.stdin), Box::new(stdout), tap),
            Protocol::Threads => {
                let (to, from) = threads::bridge(process.stdin, stdout, cwd, max_line, tap);
                // Each form of a message is logged by the bridge.
                (Box::new(to), Box::new(from), Tap::new(None))
            }
        };
        let writer = tokio::spawn(rpc::write_lines(outgoing, stdin, tap.clone()));
        let supervisor = Supervisor {
            child: process.child,
            group: process.group,
            peer: Arc::clone(&peer),
            writer: writer.abort_handle(),
            stop: stop.subscribe(),
        };
        tokio::spawn(async move {
            supervisor.run(status_tx).await;
            gone_tx.send_replace(true);
        });
        let ending = Ending {
            stop: stop.clone(),
            gone: gone.clone(),
            status,
            writer,
            stderr: stderr.clone(),
            stderr_task,
        };
        let decoder = Decoder::new(caps, dialects.clone()).with_protocol(protocol);
        let reader = Reader::new(Arc::clone(&peer), decoder, inbox, tap);
        tokio::spawn(ending.read(reader, stdout, max_line));
        let client = Self {
            peer,
            protocol,
            dialects,
            stop,
            gone,
            stderr,
        };
        Ok((client, inbound))
    }

    /// Puts a message on the wire. Never waits, never fails: after the agent's end it does nothing,
    /// and [`Inbound::Exited`] reports the end itself.
    /// Replies to calls come back to `caller`.
    pub fn send(&self, caller: SessionKey, message: ToAgent) {
        encode::send(&self.peer, &self.dialects, self.protocol, caller, message);
    }

    /// The last lines of its stderr so far.
    pub fn stderr(&self) -> SafeText {
        self.stderr.text()
    }

    /// Ends the agent and everything it started, and returns when they are gone: after at most 5.5 s
    /// when graceful, 3 s when quick. Requests of the agent that are still open are answered
    /// first. May be called again with [`StopMode::Quick`] to hurry.
    pub async fn shutdown(&self, mode: StopMode) {
        request_stop(&self.stop, mode);
        // An error means that the supervisor is gone.
        let _ = self.gone.clone().wait_for(|gone| *gone).await;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        request_stop(&self.stop, StopMode::Quick);
    }
}

/// What it takes to report how a connection ended.
struct Ending {
    stop: watch::Sender<Option<StopMode>>,
    gone: watch::Receiver<bool>,
    status: oneshot::Receiver<ExitStatus>,
    writer: JoinHandle<std::io::Result<()>>,
    stderr: Tail,
    stderr_task: JoinHandle<()>,
}

impl Ending {
    /// Reads to the end of stdout, then reports how the connection ended.
    async fn read(mut self, reader: Reader<Decoder>, stdout: AgentsOut, max_line: usize) {
        let mut deaf = false;
        let over = async {
            let gone = self.gone.wait_for(|gone| *gone);
            tokio::select! {
                // Somebody beyond our reach holds the pipe.
                _ = gone => {}
                // An agent that cannot be written to is of no use, even if it goes on talking.
                Ok(Err(_)) = &mut self.writer => deaf = true,
            }
            sleep(SILENCE_AT_THE_END).await;
        };
        let mut inbox = reader.run(stdout, max_line, over).await;
        let exit = self.exit(deaf).await;
        inbox.push(Inbound::Exited(exit), 0);
        // An error means that the receiver is gone.
        let _ = inbox.flush().await;
    }

    async fn exit(&mut self, deaf: bool) -> AgentExit {
        let status = if self.stop.borrow().is_some() {
            // Stopping takes a bounded time.
            (&mut self.status).await.ok()
        } else {
            let status = timeout(EXIT_GRACE, &mut self.status).await;
            status.ok().and_then(Result::ok)
        };
        let cause = match status {
            Some(_) => None,
            None if deaf => Some("the agent closed its input"),
            None => Some("the agent closed its output but went on running"),
        };
        // It cannot be talked with any more, so it has to go.
        request_stop(&self.stop, StopMode::Graceful);
        let _ = timeout(STDERR_GRACE, &mut self.stderr_task).await;
        AgentExit {
            status: status.map(Into::into),
            stderr: self.stderr.text(),
            cause: cause.map(SafeText::from),
        }
    }
}

/// Asks for the end; a hurry is never taken back.
fn request_stop(stop: &watch::Sender<Option<StopMode>>, mode: StopMode) {
    stop.send_if_modified(|stop| {
        let news = stop.is_none() || (mode == StopMode::Quick && *stop != Some(mode));
        if news {
            *stop = Some(mode);
        }
        news
    });
}
