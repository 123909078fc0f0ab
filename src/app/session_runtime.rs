//! What a session has on this machine: its agent's connection, its services, its screens.
//!
//! The pure side is [`Sessions`](crate::session::Sessions); both have the same keys.

use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::{
    acp::Client,
    app::{sign_in_program::LoginRun, state::App},
    config::AgentProfile,
    host::{Before, Host},
    model::{ConnectionId, SessionKey, ToAgent},
    store::format::Saver,
    vt::Screens,
};

pub struct Running {
    pub profile: AgentProfile,
    /// The connection in use, or the one that is being made.
    pub connection: Option<ConnectionId>,
    pub host: Option<Host>,
    pub login: LoginRun,
    /// An old process on its way out: a new one waits for it, since both would write the same
    /// session.
    pub ending: Option<JoinHandle<()>>,
    pub screens: Screens,
    /// Files of a profile that wants a scratch folder; removed when it goes.
    pub scratch: Option<tempfile::TempDir>,
    /// What an earlier client had queued, until it is in this session's queue.
    pub restoring: Vec<String>,
    /// Drafts are resolved one after the other, in the order in which they were sent.
    pub resolving: Option<JoinHandle<()>>,
    /// The policy's latest verdict, until it is told.
    pub deciding: Option<JoinHandle<()>>,
    /// Files as tool calls found them, and the latest comparison with them.
    pub before: Before,
    pub comparing: Option<JoinHandle<()>>,
    /// Stores the session; `None` where nothing is stored.
    pub saver: Option<Saver>,
    /// That it could not be stored was said.
    pub told_not_stored: bool,
}

impl Running {
    pub fn new(profile: AgentProfile) -> Self {
        Self {
            profile,
            connection: None,
            host: None,
            login: LoginRun::default(),
            ending: None,
            screens: Screens::default(),
            scratch: None,
            restoring: Vec::new(),
            resolving: None,
            deciding: None,
            before: Before::default(),
            comparing: None,
            saver: None,
            told_not_stored: false,
        }
    }
}

impl App {
    pub(super) fn running(&self, key: SessionKey) -> Option<&Running> {
        self.running.get(&key)
    }

    pub(super) fn running_mut(&mut self, key: SessionKey) -> Option<&mut Running> {
        self.running.get_mut(&key)
    }

    /// Of the session that is shown.
    pub(super) fn shown_running(&self) -> Option<&Running> {
        self.running(self.sessions.shown_key()?)
    }

    pub(super) fn shown_host(&self) -> Option<&Host> {
        self.shown_running()?.host.as_ref()
    }

    /// The agent that a session talks with.
    pub(super) fn client(&self, key: SessionKey) -> Option<&Arc<Client>> {
        let connection = self.running(key)?.connection?;
        self.clients.get(&connection)
    }

    /// Puts a message of a session on the wire, if it has an agent.
    pub(super) fn send(&self, key: SessionKey, message: ToAgent) {
        if let Some(client) = self.client(key) {
            client.send(key, message);
        }
    }

    /// Whether that is the connection in use.
    pub(super) fn is_connected(&self, key: SessionKey, connection: ConnectionId) -> bool {
        self.running(key)
            .is_some_and(|running| running.connection == Some(connection))
    }
}
