//! Sessions and their agents as the app holds them: opening, showing, starting, ending.

use std::{sync::Arc, time::Instant};

use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::{
    acp::{StopMode, WireLogHandle},
    app::{
        job::Job,
        services::{self, Launched, Workspace, session_config},
        session_runtime::Running,
        state::{App, with_tilde},
        terminal::Reason,
    },
    config::{AgentProfile, Config, NotFound, StartError},
    host::Host,
    model::{ConnectionId, Protocol, SessionKey, Setting, SettingSource},
    session::{Event, MAX_SESSIONS, NoticeLevel, Prompt, Routed, Session, Sessions, Start},
    store::files::Reopened,
    text::SafeText,
    ui::{AgentChoice, AgentList},
};

impl App {
    pub(super) fn pick_agent(&mut self) {
        self.ui.show_agent_picker();
        self.hint_at_warnings();
        self.frames.request(Instant::now(), Reason::Now);
        self.find_agents();
    }

    /// Looks for the programs of all agents, off the UI task: that is hundreds of places, and PATH
    /// may lead to slow disks.
    pub(super) fn find_agents(&self) {
        let (jobs, config, cwd) = (
            self.jobs.clone(),
            self.config.clone(),
            self.launch.cwd.clone(),
        );
        tokio::task::spawn_blocking(move || {
            let found = |profile: &AgentProfile| match profile.locate(&cwd) {
                Ok(path) => Ok(SafeText::line(&path.to_string_lossy())),
                Err(error) => Err(what_to_do(&error)),
            };
            let agents = choices(&config, |profile| Some(found(profile)));
            let _ = jobs.send(Job::Agents(agents));
        });
    }

    /// Opens a session with an agent: in place of the one shown where nothing was said in that, else
    /// beside it.
    pub(super) fn open(
        &mut self,
        profile: AgentProfile,
        start: Start,
        first_prompt: Option<Prompt>,
        stored: Option<Reopened>,
    ) {
        let unused = self.sessions.shown_key().filter(|key| {
            let session = self.sessions.get(*key);
            session.is_some_and(Session::is_unused)
        });
        let (unsent, before) = match unused {
            Some(key) => {
                self.ui.forget_session(key);
                self.close(key)
            }
            None => (Vec::new(), None),
        };
        let (mut config, scratch) =
            session_config(&self.launch, &self.config, &profile, start, first_prompt);
        let meant = self.first_agent.get_or_insert_with(|| profile.id.clone());
        if *meant != profile.id {
            let by_profile = |setting: &Setting| setting.source == SettingSource::Profile;
            config.settings.retain(by_profile);
        }
        let opened = self.sessions.open(config, Instant::now());
        self.opened(opened, profile, scratch, before, stored);
        for prompt in unsent.iter().rev() {
            self.ui.restore_draft(prompt);
        }
    }

    /// Another session with the agent of the one shown, on its connection where it has one
    /// (V1-SES-02).
    pub(super) fn open_another(&mut self, start: Start, stored: Option<Reopened>) {
        let Some(beside) = self.sessions.shown_key() else {
            return self.pick_agent();
        };
        let Some(running) = self.running(beside) else {
            return;
        };
        let profile = running.profile.clone();
        let (mut config, scratch) =
            session_config(&self.launch, &self.config, &profile, start, None);
        if let Some(session) = self.sessions.get(beside) {
            // On its connection no agent is started, and so nothing is looked up.
            config.mcp_servers.clone_from(&session.config.mcp_servers);
            config.mcp_problems.clone_from(&session.config.mcp_problems);
        }
        let now = Instant::now();
        let opened = if profile.own_process {
            self.sessions.open(config, now)
        } else {
            self.sessions.open_beside(beside, config, now)
        };
        self.opened(opened, profile, scratch, None, stored);
    }

    /// A session that knows what the one shown knows, and goes its own way (V1-SES-16).
    pub(super) fn fork_session(&mut self) {
        let session = self.sessions.shown();
        let id = session
            .filter(|session| session.agent.caps.fork)
            .and_then(|session| session.id.clone());
        match id {
            Some(id) => self.open_kept(Start::Fork(id)),
            None => {
                let agent = session.map_or("there is no agent that", |s| s.agent_name().as_str());
                let text = format!("{agent} cannot fork a session");
                self.ui.toast(SafeText::line(&text));
                self.frames.request(Instant::now(), Reason::Now);
            }
        }
    }

    /// A new session is in the list and shown: the rest of it follows.
    fn opened(
        &mut self,
        opened: Option<(SessionKey, Vec<Routed>)>,
        profile: AgentProfile,
        scratch: Option<TempDir>,
        before: Option<JoinHandle<()>>,
        stored: Option<Reopened>,
    ) {
        let Some((key, effects)) = opened else {
            let text = format!("{MAX_SESSIONS} sessions are open: close one first (ctrl-s)");
            self.ui.toast(SafeText::line(&text));
            return;
        };
        let mut running = Running::new(profile);
        running.scratch = scratch;
        running.ending = before;
        running.connection = self.sessions.get(key).and_then(|s| s.connection);
        self.running.insert(key, running);
        let damage = stored.as_ref().and_then(|stored| stored.damage.clone());
        self.begin_saving(key, stored);
        self.show(key);
        self.restore_unsent(key);
        let queued = std::mem::take(&mut self.restoring);
        self.restore_queue(key, queued);
        if self.client(key).is_some()
            && let Err(error) = self.host(key)
        {
            self.note(NoticeLevel::Error, error);
        }
        self.perform(effects);
        self.tell_warnings();
        if let Some(damage) = damage {
            self.warn(damage);
        }
        self.session_changed(0);
    }

    /// Shows a session, with its screen as it was left.
    pub(super) fn show(&mut self, key: SessionKey) {
        self.sessions.show(key);
        let fresh = self.ui.show_session(key, Instant::now());
        if fresh {
            self.ui.set_history(self.store.history());
        }
        if let Some(running) = self.running(key) {
            let policy = self.launch.policy(&running.profile, &self.config);
            self.show_policy(policy);
        }
        if self.replay.is_some() {
            self.project.policy = None;
            let cwd = self.sessions.shown().map(|session| &session.config.cwd);
            self.project.cwd =
                cwd.map_or_else(SafeText::default, |cwd| SafeText::line(&with_tilde(cwd)));
        }
        self.question = self.sessions.shown().and_then(|session| {
            let question = session.shown_question()?;
            Some(question.id())
        });
        self.frames.request(Instant::now(), Reason::Now);
        // It may have waited behind others that are opened.
        self.apply_and_perform(Sessions::settle);
    }

    /// Ends a session, with its terminals, and its agent if no other session has it; in the
    /// background. Returns what the agent had not taken yet, and what a new process has to wait for.
    fn close(&mut self, key: SessionKey) -> (Vec<Prompt>, Option<JoinHandle<()>>) {
        self.save_session(key, true);
        let Some(session) = self.sessions.remove(key) else {
            return (Vec::new(), None);
        };
        for message in session.farewell() {
            self.send(key, message);
        }
        self.end_agent(key);
        self.end_login(key);
        let running = self.running.remove(&key);
        let unsent = session.unsent().cloned().collect();
        // Others may have waited for the agent that it was to start.
        self.apply_and_perform(Sessions::settle);
        (unsent, running.and_then(|running| running.ending))
    }

    /// Ends a session and shows another one; a picker where it was the last.
    pub(super) fn close_session(&mut self, key: SessionKey) {
        let was_shown = self.sessions.shown_key() == Some(key);
        let draft = self.ui.draft_text();
        let (unsent, _) = self.close(key);
        self.ui.forget_session(key);
        match self.sessions.shown_key() {
            Some(next) if was_shown => self.show(next),
            Some(_) => {}
            None => self.pick_agent(),
        }
        for prompt in unsent.iter().rev() {
            self.ui.restore_draft(prompt);
        }
        if !was_shown && self.ui.draft_text() != draft {
            let text = "what was typed in the session that ended stands in front of the draft";
            self.ui.toast(text.into());
        }
        self.frames.request(Instant::now(), Reason::Now);
    }

    pub(super) fn spawn_agent(&mut self, key: SessionKey, protocol: Protocol) {
        self.connections += 1;
        let connection = ConnectionId(self.connections);
        let Some(caps) = self.sessions.get(key).map(|session| session.config.caps) else {
            return;
        };
        if let Err(error) = self.host(key) {
            return self.reduce_in(key, [Event::SpawnFailed { error }]);
        }
        let Some(running) = self.running.get_mut(&key) else {
            return;
        };
        running.connection = Some(connection);
        let profile = AgentProfile {
            protocol,
            ..running.profile.clone()
        };
        // What sessions have left behind that have no agent now: they may have shared the last one,
        // and a new one would write the same sessions.
        let left = self
            .running
            .iter_mut()
            .filter(|(other, running)| **other == key || running.connection.is_none());
        let endings: Vec<JoinHandle<()>> = left
            .filter_map(|(_, running)| running.ending.take())
            .collect();
        let cwd = self.launch.cwd.clone();
        let max_line = self.config.connection.max_line();
        let wire_log = self.wire_log();
        let jobs = self.jobs.clone();
        tokio::spawn(async move {
            for ending in endings {
                // It cannot panic; and if it did, it would have ended.
                let _ = ending.await;
            }
            if jobs.is_closed() {
                // The person has left meanwhile.
                return;
            }
            let launched =
                services::launch(profile, cwd, max_line, connection, caps, wire_log).await;
            let _ = jobs.send(Job::Launched(key, connection, launched));
        });
    }

    /// A session goes on with an agent that another one has started.
    pub(super) fn join_agent(&mut self, key: SessionKey, connection: ConnectionId) {
        if let Some(running) = self.running.get_mut(&key) {
            running.connection = Some(connection);
        }
        if let Err(text) = self.host(key) {
            let level = NoticeLevel::Error;
            self.reduce_in(key, [Event::Note { level, text }]);
        }
    }

    /// The services for one session on one connection: what they still do and run ends with it
    /// (V1-RPC-19). They are there before it, and after it where the person runs something of their
    /// own.
    ///
    /// # Errors
    /// The project directory cannot be used, or there is no session.
    pub(super) fn host(&mut self, key: SessionKey) -> Result<&Host, SafeText> {
        let none = || SafeText::from("no agent is chosen");
        if self.running(key).ok_or_else(none)?.host.is_none() {
            let host = self.start_host(key)?;
            if let Some(running) = self.running_mut(key) {
                running.host = Some(host);
            }
        }
        self.running(key)
            .and_then(|running| running.host.as_ref())
            .ok_or_else(none)
    }

    fn start_host(&self, key: SessionKey) -> Result<Host, SafeText> {
        let (Some(session), Some(running)) = (self.sessions.get(key), self.running(key)) else {
            return Err(SafeText::from("no agent is chosen"));
        };
        let workspace = Workspace {
            launch: &self.launch,
            config: &self.config,
            profile: &running.profile,
        };
        let jobs = self.jobs.clone();
        let host = services::host(&workspace, &session.config, move |event| {
            drop(jobs.send(Job::Host(key, event)));
        })?;
        if let Some((rows, cols)) = self.terminal_view {
            host.set_view(rows, cols);
        }
        self.started.add_host(host.clone());
        Ok(host)
    }

    /// The wire log, started with the first agent; later ones go into the same file.
    fn wire_log(&mut self) -> Option<WireLogHandle> {
        let path = self.launch.wire.clone()?;
        let profiles = self.running.values().map(|running| &running.profile);
        let jobs = self.jobs.clone();
        let tell = move |text| drop(jobs.send(Job::Warn(text)));
        match services::wire_log(&path, &self.config, profiles, &self.started, tell) {
            Ok(handle) => Some(handle),
            Err(error) => {
                self.warn(error);
                None
            }
        }
    }

    pub(super) fn launched(
        &mut self,
        key: SessionKey,
        connection: ConnectionId,
        launched: Result<Box<Launched>, SafeText>,
    ) {
        let current = self.is_connected(key, connection);
        match launched {
            Ok(launched) => {
                let client = Arc::new(launched.client);
                self.started.add_agent(client.clone());
                if !current {
                    // The session has gone or was started again meanwhile.
                    let started = self.started.clone();
                    tokio::spawn(async move {
                        client.shutdown(StopMode::Quick).await;
                        started.forget_agent(&client);
                    });
                    return;
                }
                self.clients.insert(connection, client);
                self.arrived.push((connection, launched.inbox));
                let events = [launched.mcp_servers, Event::Connected(connection)];
                self.reduce_in(key, events);
            }
            Err(error) if current => self.reduce_in(key, [Event::SpawnFailed { error }]),
            Err(_) => {}
        }
    }

    /// Takes a session off its agent and ends what it had running, in the background; ends the
    /// process too, where no other session has it. The session's next process waits for that. Also
    /// after the process has ended by itself: what it left behind goes too.
    pub(super) fn end_agent(&mut self, key: SessionKey) {
        let Some(running) = self.running.get_mut(&key) else {
            return;
        };
        let connection = running.connection.take();
        let host = running.host.take();
        let before = running.ending.take();
        let shared = self
            .running
            .values()
            .any(|other| connection.is_some() && other.connection == connection);
        let client = connection
            .filter(|_| !shared)
            .and_then(|connection| self.clients.remove(&connection));
        let started = self.started.clone();
        let ending = tokio::spawn(async move {
            if let Some(before) = before {
                // It cannot panic; and if it did, it would have ended.
                let _ = before.await;
            }
            if let Some(host) = host {
                host.shutdown().await;
                started.forget_host(&host);
            }
            if let Some(client) = client {
                client.shutdown(StopMode::Quick).await;
                started.forget_agent(&client);
            }
        });
        if let Some(running) = self.running.get_mut(&key) {
            running.ending = Some(ending);
        }
    }
}

/// All profiles for the picker. `found` says where a profile's program is, if that is known.
pub(super) fn choices(
    config: &Config,
    found: impl Fn(&AgentProfile) -> Option<Result<SafeText, SafeText>>,
) -> AgentList {
    let choice = |profile: &AgentProfile| AgentChoice {
        id: profile.id.clone(),
        name: SafeText::line(&profile.name),
        found: found(profile),
    };
    config.agents.values().map(choice).collect()
}

/// How to install what was not found; else what is wrong.
fn what_to_do(error: &StartError) -> SafeText {
    match error {
        StartError::NotFound(NotFound {
            install: Some(how),
            not_executable: false,
            under: None,
            ..
        }) => SafeText::line(&format!("install: {how}")),
        _ => SafeText::line(&error.to_string()),
    }
}
