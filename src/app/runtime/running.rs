//! What a session has on this machine: its agent's connection, its services, its screens.
//!
//! The pure side is [`Sessions`](crate::session::Sessions); both have the same keys.

use tokio::task::JoinHandle;

use crate::{
    app::changes::Forked,
    config::AgentProfile,
    host::{self, Host, OriginalFiles},
    model::{ConnectionId, TerminalId},
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
    /// The scratch folder, if the profile asks for one; removed when this is dropped.
    pub scratch: Option<tempfile::TempDir>,
    /// What an earlier client had queued, until it is in this session's queue.
    pub restoring: Vec<String>,
    /// Drafts are resolved one after the other, in the order in which they were sent.
    pub resolving: Option<JoinHandle<()>>,
    /// The policy's latest verdict, until it is told.
    pub deciding: Option<JoinHandle<()>>,
    /// Files as tool calls found them, and the latest comparison with them.
    pub before: OriginalFiles,
    pub comparing: Option<JoinHandle<()>>,
    /// Stores the session; `None` where nothing is stored.
    pub saver: Option<Saver>,
    /// A notice said that it could not be stored.
    pub told_not_stored: bool,
    pub told_review_not_stored: bool,
    /// From where it goes on, until the fork has an id.
    pub forked: Option<Forked>,
    /// The revision of the review that is stored, or is being written.
    pub review_rev: u64,
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
            before: OriginalFiles::default(),
            comparing: None,
            saver: None,
            told_not_stored: false,
            told_review_not_stored: false,
            forked: None,
            review_rev: 0,
        }
    }
}

/// The latest program of a session to sign in with.
#[derive(Default)]
pub struct LoginRun {
    /// Counts them, to tell what an earlier one still says.
    pub number: u64,
    pub running: Option<host::Login>,
    pub terminal: Option<TerminalId>,
}

impl LoginRun {
    /// The program that has that terminal.
    pub fn at(&self, terminal: &TerminalId) -> Option<&host::Login> {
        self.running
            .as_ref()
            .filter(|_| self.terminal.as_ref() == Some(terminal))
    }
}
