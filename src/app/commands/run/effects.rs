//! What the session wants done, and what comes of it: the agent, its host, decisions.

use std::sync::Arc;

use super::{Job, Run, SESSION};
use crate::{
    acp::{Inbound, Inbox, StopMode, WireLogHandle},
    app::{
        agent_terminals,
        services::{self, Workspace},
        sources::batch,
    },
    config::AgentProfile,
    host::HostEvent,
    model::{AgentExit, ConnectionId, Protocol},
    session::{Effect, Event},
    text::SafeText,
};

impl Run {
    pub(super) fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::ToAgent(message) => {
                    if let Some(client) = &self.client {
                        client.send(SESSION, message);
                    }
                }
                Effect::Spawn(protocol) => self.spawn(protocol),
                Effect::StopAgent(_) => self.stop_agent(),
                Effect::TellStderr(_) => {
                    if let Some(client) = &self.client {
                        // Sending fails only once the loop is over.
                        let _ = self.jobs.send(Job::Session(Event::Stderr(client.stderr())));
                    }
                }
                Effect::Compare(comparison) => {
                    let jobs = self.jobs.clone();
                    let compared = services::compare(&self.before, *comparison, move |event| {
                        drop(jobs.send(Job::Session(event)));
                    });
                    self.comparing = Some(compared);
                }
                Effect::Decide {
                    question,
                    revision,
                    subject,
                    options,
                } => {
                    if let Some(host) = &self.host {
                        let jobs = self.jobs.clone();
                        let before = [self.deciding.take(), self.comparing.take()];
                        let decided = services::decide(
                            host,
                            before,
                            (question, revision),
                            *subject,
                            options,
                            move |event| drop(jobs.send(Job::Session(event))),
                        );
                        self.deciding = Some(decided);
                    }
                }
                Effect::Serve {
                    key,
                    request,
                    consent,
                } => {
                    if let (Some(host), Some(client)) = (&self.host, &self.client) {
                        let jobs = self.jobs.clone();
                        services::serve(
                            host,
                            client,
                            SESSION,
                            key,
                            *request,
                            consent,
                            move |event| drop(jobs.send(Job::Session(event))),
                        );
                    }
                }
                // A sign-in is never chosen here: the run ends with the wish for one.
                Effect::Login(_) | Effect::EndLogin => {}
                // There is no other session.
                Effect::Join(_) => {}
                Effect::CancelServe(key) => {
                    if let Some(host) = &self.host {
                        host.cancel(key);
                    }
                }
                // For a screen, and for the person before it.
                Effect::Notice(notice) => {
                    let records = self.observer.notice(&notice);
                    self.tell(records);
                }
                // Its own terminals are stored like those that run here.
                Effect::AgentScreen { id, change } => {
                    if self.store.is_some() {
                        agent_terminals::change(&mut self.screens, id, change);
                    }
                }
                Effect::SessionDeleted(_)
                | Effect::Attention(_)
                | Effect::OpenPage { .. }
                | Effect::RestoreDraft(_)
                | Effect::Toast(_) => {}
            }
        }
    }

    /// What it still says is not listened to.
    fn stop_agent(&mut self) {
        self.inbox = None;
        let Some(client) = self.client.take() else {
            return;
        };
        let started = self.started.clone();
        self.ending = Some(tokio::spawn(async move {
            client.shutdown(StopMode::Graceful).await;
            started.forget_agent(&client);
        }));
    }

    fn spawn(&mut self, protocol: Protocol) {
        self.connection = ConnectionId(self.connection.0 + 1);
        let Some(session) = &self.session else { return };
        let caps = session.config.caps;
        let workspace = Workspace {
            launch: &self.launch,
            config: &self.config,
            profile: &self.profile,
        };
        let jobs = self.jobs.clone();
        let host = services::host(&workspace, &session.config, move |event| {
            drop(jobs.send(Job::Host(event)));
        });
        match host {
            Ok(host) => {
                // One before has served nothing: no session was open yet.
                if let Some(before) = self.host.take() {
                    self.started.forget_host(&before);
                }
                self.started.add_host(host.clone());
                self.host = Some(host);
            }
            Err(error) => return self.reduce(vec![Event::SpawnFailed { error }]),
        }
        let wire_log = match self.wire_log() {
            Ok(wire_log) => wire_log,
            Err(error) => return self.reduce(vec![Event::SpawnFailed { error }]),
        };
        let profile = AgentProfile {
            protocol,
            ..self.profile.clone()
        };
        let cwd = self.launch.cwd.clone();
        let max_line = self.config.connection.max_line();
        let jobs = self.jobs.clone();
        let (connection, ending) = (self.connection, self.ending.take());
        tokio::spawn(async move {
            if let Some(ending) = ending {
                // It cannot panic; and if it did, it would have ended.
                let _ = ending.await;
            }
            let launched =
                services::launch(profile, cwd, max_line, connection, caps, wire_log).await;
            let _ = jobs.send(Job::Launched(launched));
        });
    }

    fn wire_log(&self) -> Result<Option<WireLogHandle>, SafeText> {
        let Some(path) = &self.launch.wire else {
            return Ok(None);
        };
        let tell = |text: SafeText| crate::cli::complain(text);
        services::wire_log(path, &self.config, [&self.profile], &self.started, tell).map(Some)
    }

    pub(super) fn job(&mut self, job: Job) {
        match job {
            Job::Launched(Ok(launched)) => {
                let client = Arc::new(launched.client);
                self.started.add_agent(client.clone());
                self.client = Some(client);
                self.inbox = Some(launched.inbox);
                let connected = Event::Connected(self.connection);
                self.reduce(vec![launched.mcp_servers, connected]);
            }
            Job::Launched(Err(error)) => self.reduce(vec![Event::SpawnFailed { error }]),
            Job::Host(HostEvent::TerminalStarted {
                session,
                id,
                command,
                cwd,
                screen,
            }) => {
                if self.store.is_some() {
                    self.screens.insert(id.clone(), screen);
                }
                self.reduce(vec![Event::TerminalStarted {
                    session,
                    id,
                    command,
                    cwd,
                }]);
            }
            Job::Host(HostEvent::TerminalExited { id, status }) => {
                self.reduce(vec![Event::TerminalExited { id, status }]);
            }
            Job::Host(HostEvent::TerminalOutput) => self.screens.trim_to_bound(),
            Job::Session(event) => self.reduce(vec![event]),
            Job::Saving(trouble) => self.saving_trouble(trouble),
        }
    }

    pub(super) fn agent_said(&mut self, said: Vec<Inbound>) {
        let connection = self.connection;
        let events = said.into_iter().map(|inbound| match inbound {
            Inbound::FromAgent(message) => Event::Agent(connection, message),
            Inbound::Exited(exit) => Event::Exited(connection, exit),
        });
        self.reduce(events.collect());
    }
}

/// What the agent sends next; its end, where nothing more will come.
pub(super) async fn next(inbox: &mut Option<Inbox>) -> Vec<Inbound> {
    let Some(receiver) = inbox else {
        return std::future::pending().await;
    };
    if let Some(said) = batch(receiver).await {
        return said;
    }
    *inbox = None;
    let exit = AgentExit {
        cause: Some("its messages cannot be read any more".into()),
        ..AgentExit::default()
    };
    vec![Inbound::Exited(exit)]
}
