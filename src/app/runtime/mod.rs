//! What sessions have on this machine, and what performs their effects: for the screen, `run` and a
//! replay alike.
//!
//! Owns: the sessions, their agents ([`agents`]), hosts and what is asked of them ([`requests`]), programs
//! to sign in with ([`login`]), what of them is followed on the disk ([`changes`]) and what stores them ([`saving`]). What differs is given: where results go ([`Done`]), who hears of what the
//! person should know ([`ForPerson`]), and whether there is anything but a log ([`Reach`]). Holds no
//! rules, and reduces nothing by itself: whatever comes of an effect comes back as [`Done`].

mod agent_terminals;
mod agents;
mod changes;
mod inboxes;
mod login;
mod requests;
mod running;
mod saving;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Instant};

use tokio::sync::mpsc;

use crate::{
    acp::Client,
    app::{
        changes::{Following, TurnChanges},
        cleanup::Started,
        local_time,
        services::Launched,
    },
    cli::Launch,
    config::{AgentProfile, Config},
    host::{Host, HostEvent, Login, LoginCommand, Terminals, browser, git, worktree},
    model::{AgentNotice, ConnectionId, Policy, SessionId, SessionKey, TerminalId, ToAgent},
    session::{
        Attention, BlockId, Effect, Event, Prompt, QuestionId, Routed, ScreenChange, Sessions,
    },
    store::files::{SessionFolder, SessionWriter, Trouble},
    text::SafeText,
};

pub use inboxes::{Inboxes, reached};
pub use running::Running;

/// Whether effects reach anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Machine,
    /// A log is played: what it shows is drawn, and nothing is started, served, asked or stored.
    Log,
}

/// What came of an effect, or happened to what runs for a session.
pub enum Done {
    /// The agent runs, or does not.
    Launched(SessionKey, ConnectionId, Result<Box<Launched>, SafeText>),
    /// With the session that the host serves.
    Host(SessionKey, HostEvent),
    /// What a program to sign in with is, by its number in that session.
    LoginFound(SessionKey, u64, Result<LoginCommand, SafeText>),
    Login(SessionKey, u64, HostEvent),
    /// For the reducer: what came of a request or question of that session on that connection.
    Session(SessionKey, ConnectionId, Event),
    /// A session is not stored as it should be.
    Saving(SessionKey, Trouble),
    /// What a turn of it, by its number, has changed on the disk.
    TurnChanged(SessionKey, u64, TurnChanges),
}

/// Effects that are for the person.
pub enum ForPerson {
    Attention(Attention),
    Draft(Prompt),
    Notice(AgentNotice),
    Toast(SafeText),
    /// [`Effect::AskToContinue`].
    AskToContinue,
}

pub struct Runtime {
    pub launch: Launch,
    pub config: Config,
    pub reach: Reach,
    pub started: Started,
    /// Empty while the first agent is picked.
    pub sessions: Sessions,
    /// What each session has on this machine.
    pub running: BTreeMap<SessionKey, Running>,
    /// Agents that run. Sessions may share one.
    clients: BTreeMap<ConnectionId, Arc<Client>>,
    /// Their messages.
    pub inboxes: Inboxes,
    /// Connections made so far, for their ids.
    connections: u32,
    pub folder: SessionFolder,
    /// What changes on the disk; `None` where nothing is followed.
    pub following: Option<Following>,
    /// The same in worktrees of sessions, by their directory.
    in_worktrees: BTreeMap<PathBuf, Option<Following>>,
    /// Started with the first session that is stored.
    pub writer: Option<SessionWriter>,
    /// What terminals are shown in.
    terminal_view: Option<(u16, u16)>,
    done: mpsc::UnboundedSender<Done>,
    /// Hears of what is wrong with the set-up.
    warn: Arc<dyn Fn(SafeText) + Send + Sync>,
}

impl Runtime {
    /// Results come from the receiver. Unbounded, as who sends must not wait for the loop; what sends
    /// is bounded: each piece of work sends once, a terminal once until its screen is looked at.
    pub fn new(
        launch: Launch,
        config: Config,
        reach: Reach,
        folder: SessionFolder,
        started: Started,
        warn: impl Fn(SafeText) + Send + Sync + 'static,
    ) -> (Self, mpsc::UnboundedReceiver<Done>) {
        let (done, receiver) = mpsc::unbounded_channel();
        let runtime = Self {
            launch,
            config,
            reach,
            started,
            sessions: Sessions::default(),
            running: BTreeMap::new(),
            clients: BTreeMap::new(),
            inboxes: Inboxes::default(),
            connections: 0,
            folder,
            following: None,
            in_worktrees: BTreeMap::new(),
            writer: None,
            terminal_view: None,
            done,
            warn: Arc::new(warn),
        };
        (runtime, receiver)
    }

    pub fn running(&self, key: SessionKey) -> Option<&Running> {
        self.running.get(&key)
    }

    pub fn running_mut(&mut self, key: SessionKey) -> Option<&mut Running> {
        self.running.get_mut(&key)
    }

    /// The directory that a session works in.
    pub fn cwd_of(&self, key: SessionKey) -> PathBuf {
        let session = self.sessions.get(key);
        session.map_or_else(|| self.launch.cwd.clone(), |s| s.config.cwd.clone())
    }

    /// That of the session that is shown.
    pub fn shown_cwd(&self) -> PathBuf {
        let shown = self.sessions.shown_key();
        shown.map_or_else(|| self.launch.cwd.clone(), |key| self.cwd_of(key))
    }

    /// Of the session that is shown.
    pub fn shown_running(&self) -> Option<&Running> {
        self.running(self.sessions.shown_key()?)
    }

    /// Where that terminal of the session that is shown is: with the program to sign in with, or the
    /// host.
    pub fn shown_terminals(&self, id: &TerminalId) -> Option<&Terminals> {
        let running = self.shown_running()?;
        let login = running.login.at(id).map(Login::terminals);
        login.or_else(|| running.host.as_ref().map(Host::terminals))
    }

    /// The agent that a session talks with.
    pub fn client(&self, key: SessionKey) -> Option<&Arc<Client>> {
        let connection = self.running(key)?.connection?;
        self.clients.get(&connection)
    }

    /// What is done about requests of that agent which no rule decides.
    pub fn policy(&self, profile: &AgentProfile) -> Policy {
        self.launch.policy(profile, &self.config)
    }

    /// Puts a message of a session on the wire, if it has an agent.
    pub fn send(&self, key: SessionKey, message: ToAgent) {
        if let Some(client) = self.client(key) {
            client.send(key, message);
        }
    }

    /// Whether that is the connection in use.
    pub fn is_connected(&self, key: SessionKey, connection: ConnectionId) -> bool {
        self.running(key)
            .is_some_and(|running| running.connection == Some(connection))
    }

    /// Performs effects on this machine, and returns those that are for the person.
    pub fn perform(&mut self, effects: Vec<Routed>) -> Vec<(SessionKey, ForPerson)> {
        let mut rest = Vec::new();
        for Routed { by, effect } in effects {
            if self.reach == Reach::Log && !matches!(effect, Effect::AgentScreen { .. }) {
                continue;
            }
            match effect {
                Effect::ToAgent(message) => self.send(by, message),
                Effect::Spawn(protocol) => self.spawn_agent(by, protocol),
                Effect::StopAgent(_) => self.end_agent(by),
                Effect::Join(connection) => self.join_agent(by, connection),
                Effect::TellStderr(connection) => {
                    if let Some(client) = self.client(by) {
                        let event = Event::Stderr(client.stderr());
                        self.tell(by, connection)(event);
                    }
                }
                Effect::TellTime(row) => {
                    self.tell_time(by, row);
                    self.tell_branch(by);
                }
                Effect::TellReset(at) => self.tell_reset(by, at),
                Effect::AskToContinue => rest.push((by, ForPerson::AskToContinue)),
                Effect::FollowTurn(moment) => self.follow_turn(by, moment),
                Effect::Compare(comparison) => self.compare(by, *comparison),
                Effect::Decide {
                    question,
                    revision,
                    subject,
                    options,
                } => self.decide(by, (question, revision), *subject, options),
                Effect::Serve {
                    key,
                    request,
                    consent,
                } => self.serve(by, key, *request, consent),
                Effect::CancelServe(key) => {
                    if let Some(host) = self.running(by).and_then(|r| r.host.as_ref()) {
                        host.cancel(key);
                    }
                }
                Effect::OpenPage { question, url } => self.open_page(by, question, url),
                Effect::Login(login) => self.log_in(by, login),
                Effect::EndLogin => self.end_login(by),
                Effect::AgentScreen { id, change } => self.agent_screen(by, id, change),
                Effect::SessionDeleted(id) => self.forget_stored(by, id),
                Effect::Attention(attention) => rest.push((by, ForPerson::Attention(attention))),
                Effect::RestoreDraft(prompt) => rest.push((by, ForPerson::Draft(prompt))),
                Effect::Notice(notice) => rest.push((by, ForPerson::Notice(notice))),
                Effect::Toast(text) => rest.push((by, ForPerson::Toast(text))),
            }
        }
        rest
    }

    /// What comes of a request or question of a session on a connection is told by this.
    fn tell(
        &self,
        key: SessionKey,
        connection: ConnectionId,
    ) -> impl Fn(Event) + Send + Sync + 'static {
        let done = self.done.clone();
        // Sending fails only once the loop is over.
        move |event| drop(done.send(Done::Session(key, connection, event)))
    }

    /// Where the local time cannot be told, the row stays without.
    fn tell_time(&self, by: SessionKey, row: BlockId) {
        let connection = self.running(by).and_then(|running| running.connection);
        if let (Some(connection), Some(time)) = (connection, local_time::now()) {
            self.tell(by, connection)(Event::EndedAt { row, time });
        }
    }

    /// Looks at the git branch of a session's directory, off the UI task.
    pub(super) fn tell_branch(&self, by: SessionKey) {
        let connection = self.running(by).and_then(|running| running.connection);
        let (Some(connection), Some(session)) = (connection, self.sessions.get(by)) else {
            return;
        };
        let (tell, cwd) = (self.tell(by, connection), session.config.cwd.clone());
        let worktree = session.config.worktree.clone();
        tokio::task::spawn_blocking(move || {
            tell(Event::OnBranch(git::branch(&cwd)));
            if let Some(Ok(status)) = worktree.as_ref().map(worktree::status) {
                tell(Event::WorktreeSeen(Box::new(status)));
            }
        });
    }

    /// A time that is past, or cannot be told, is not.
    fn tell_reset(&self, by: SessionKey, resets: u64) {
        let connection = self.running(by).and_then(|running| running.connection);
        if let (Some(connection), Some((left, time))) = (connection, local_time::of(resets)) {
            let at = Instant::now() + left;
            self.tell(by, connection)(Event::LimitEnds { resets, at, time });
        }
    }

    /// The person has consented: starts their browser off the UI task.
    fn open_page(&self, by: SessionKey, question: QuestionId, url: String) {
        let Some(connection) = self.running(by).and_then(|running| running.connection) else {
            return;
        };
        let tell = self.tell(by, connection);
        tokio::spawn(async move {
            let result = browser::open(&url).await;
            tell(Event::PageOpened { question, result });
        });
    }

    /// The screen of a terminal that the agent runs itself.
    fn agent_screen(&mut self, key: SessionKey, id: TerminalId, change: ScreenChange) {
        if let Some(running) = self.running_mut(key) {
            agent_terminals::change(&mut running.screens, id, change);
        }
        self.forget_screens(key);
    }

    /// Removes what is stored of a session that its agent has deleted.
    fn forget_stored(&self, by: SessionKey, session: SessionId) {
        let Some(agent) = self.running(by).map(|running| running.profile.id.clone()) else {
            return;
        };
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || {
            for id in folder.of_session(&agent, &session) {
                if let Err(error) = folder.remove(&id) {
                    tracing::warn!(%error, "a deleted session stays stored");
                }
            }
        });
    }

    /// Takes in what came of an effect: events for the rules of a session, if any.
    pub fn take(&mut self, done: Done) -> Option<(SessionKey, Vec<Event>)> {
        match done {
            Done::Launched(key, connection, launched) => self.launched(key, connection, launched),
            Done::Host(key, event) => self.host_event(key, event),
            Done::LoginFound(key, number, found) => self.login_found(key, number, found),
            Done::Login(key, number, event) => self.login_event(key, number, event),
            // It was for a connection that has ended since.
            Done::Session(key, connection, event) => self
                .is_connected(key, connection)
                .then(|| (key, vec![event])),
            Done::Saving(key, trouble) => self.saving_trouble(key, trouble),
            Done::TurnChanged(key, turn, TurnChanges { files, lines }) => {
                Some((key, vec![Event::TurnChanged { turn, files, lines }]))
            }
        }
    }

    fn host_event(
        &mut self,
        key: SessionKey,
        event: HostEvent,
    ) -> Option<(SessionKey, Vec<Event>)> {
        self.forget_screens(key);
        let running = self.running_mut(key)?;
        let event = match event {
            HostEvent::TerminalStarted {
                session,
                id,
                command,
                cwd,
                screen,
            } => {
                running.screens.insert(id.clone(), screen);
                Event::TerminalStarted {
                    session,
                    id,
                    command,
                    cwd,
                }
            }
            HostEvent::TerminalOutput => {
                running.screens.trim_to_bound();
                return None;
            }
            HostEvent::TerminalExited { id, status } => Event::TerminalExited { id, status },
        };
        Some((key, vec![event]))
    }

    /// Something may have happened in any session: what follows them is told. Cheap: comes with each
    /// batch of messages.
    pub fn follow_sessions(&mut self) {
        let now = Instant::now();
        let mut forks = Vec::new();
        for (key, session) in self.sessions.iter() {
            let Some(running) = self.running.get_mut(&key) else {
                continue;
            };
            if let Some(saver) = running.saver.as_mut() {
                saver.changed(session, now);
            }
            if running.forked.is_some() && session.id.is_some() {
                forks.push(key);
            }
        }
        for key in forks {
            self.follow_fork(key);
        }
    }

    /// Screens of terminals that the session has forgotten: it is what bounds their number.
    fn forget_screens(&mut self, key: SessionKey) {
        if let (Some(session), Some(running)) = (self.sessions.get(key), self.running.get_mut(&key))
        {
            running
                .screens
                .retain(|id| session.terminals.contains_key(id));
        }
    }
}
