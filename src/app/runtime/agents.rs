//! Agents and the services that go with them: starting, joining, ending.

use tokio::task::JoinHandle;

use super::{Done, Runtime};
use crate::{
    acp::{StopMode, WireLogHandle},
    app::services::{self, Launched},
    config::AgentProfile,
    host::Host,
    model::{ConnectionId, Protocol, SessionKey},
    session::{Event, NoticeLevel},
    text::SafeText,
};

impl Runtime {
    pub(super) fn spawn_agent(&mut self, key: SessionKey, protocol: Protocol) {
        self.connections += 1;
        let connection = ConnectionId(self.connections);
        let Some(session) = self.sessions.get(key) else {
            return;
        };
        let (caps, unattended) = (session.config.caps, session.config.unattended);
        let Some(running) = self.running.get_mut(&key) else {
            return;
        };
        running.connection = Some(connection);
        let profile = AgentProfile {
            protocol,
            ..running.profile.clone()
        };
        // It takes less time than an agent does to start.
        if let Some(following) = self.following_of(key) {
            following.begin();
        }
        let ready = self.host(key).map(drop);
        let wire_log = match ready.and_then(|()| self.wire_log(unattended)) {
            Ok(wire_log) => wire_log,
            Err(error) => {
                let _ = self.done.send(Done::Launched(key, connection, Err(error)));
                return;
            }
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
        let (project, cwd) = (self.launch.cwd.clone(), self.cwd_of(key));
        let max_line = self.config.connection.max_line();
        let done = self.done.clone();
        tokio::spawn(async move {
            for ending in endings {
                // It cannot panic; and if it did, it would have ended.
                let _ = ending.await;
            }
            if done.is_closed() {
                // The person has left meanwhile.
                return;
            }
            let launched =
                services::launch(profile, project, cwd, max_line, connection, caps, wire_log).await;
            let _ = done.send(Done::Launched(key, connection, launched));
        });
    }

    pub(super) fn launched(
        &mut self,
        key: SessionKey,
        connection: ConnectionId,
        launched: Result<Box<Launched>, SafeText>,
    ) -> Option<(SessionKey, Vec<Event>)> {
        let current = self.is_connected(key, connection);
        match launched {
            Ok(launched) => {
                let client = launched.client;
                self.started.add_agent(client.clone());
                if !current {
                    // The session has gone or was started again meanwhile.
                    let started = self.started.clone();
                    tokio::spawn(async move { started.end_agent(&client, StopMode::Quick).await });
                    return None;
                }
                self.clients.insert(connection, client);
                self.inboxes.add(connection, launched.inbox);
                self.tell_branch(key);
                let events = vec![launched.mcp_servers, Event::Connected(connection)];
                Some((key, events))
            }
            Err(error) => current.then(|| (key, vec![Event::SpawnFailed { error }])),
        }
    }

    /// A session goes on with an agent that another one has started.
    pub(super) fn join_agent(&mut self, key: SessionKey, connection: ConnectionId) {
        if let Some(running) = self.running.get_mut(&key) {
            running.connection = Some(connection);
        }
        self.tell_branch(key);
        if let Err(text) = self.host(key) {
            let level = NoticeLevel::Error;
            self.tell(key, connection)(Event::Note { level, text });
        }
    }

    /// The services for one session on one connection: what they still do and run ends with it
    /// (V1-RPC-19). They are there before it, and after it where the person runs something of their
    /// own.
    ///
    /// # Errors
    /// The project directory cannot be used, or there is no session.
    pub fn host(&mut self, key: SessionKey) -> Result<&Host, SafeText> {
        let none = || SafeText::from("no agent chosen");
        let running = self.running.get_mut(&key).ok_or_else(none)?;
        if running.host.is_none() {
            let session = self.sessions.get(key).ok_or_else(none)?;
            let done = self.done.clone();
            let told = move |event| drop(done.send(Done::Host(key, event)));
            let host = services::host(
                &self.launch,
                &self.config,
                &running.profile,
                &session.config,
                told,
            )?;
            if let Some((rows, cols)) = self.terminal_view {
                host.set_view(rows, cols);
            }
            self.started.add_host(host.clone());
            running.host = Some(host);
        }
        running.host.as_ref().ok_or_else(none)
    }

    /// The size of what terminals are shown in.
    pub fn set_view(&mut self, rows: u16, cols: u16) {
        self.terminal_view = Some((rows, cols));
        for host in self.running.values().filter_map(|r| r.host.as_ref()) {
            host.set_view(rows, cols);
        }
    }

    /// The wire log, started with the first agent; later ones go into the same file. Without it the
    /// agent is started all the same, if a person is there to be warned.
    ///
    /// # Errors
    /// It cannot be written, and the session is `unattended`.
    fn wire_log(&self, unattended: bool) -> Result<Option<WireLogHandle>, SafeText> {
        let Some(path) = &self.launch.wire else {
            return Ok(None);
        };
        let profiles = self.running.values().map(|running| &running.profile);
        let warn = self.warn.clone();
        let lost = move |text| warn(text);
        match services::wire_log(path, &self.config, profiles, &self.started, lost) {
            Err(error) if !unattended => {
                (self.warn)(error);
                Ok(None)
            }
            wire_log => wire_log.map(Some),
        }
    }

    /// A process has ended: ends the services of its sessions too.
    pub fn exited(&mut self, connection: ConnectionId) {
        let served = self.running.iter();
        let served = served.filter(|(_, running)| running.connection == Some(connection));
        let served: Vec<SessionKey> = served.map(|(key, _)| *key).collect();
        for key in served {
            self.end_agent(key);
        }
    }

    /// Takes a session off its agent and ends what it had running, in the background; ends the
    /// process too, where no other session has it. The session's next process waits for that. Also
    /// after the process has ended: what it left behind goes too.
    pub fn end_agent(&mut self, key: SessionKey) {
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
                started.end_agent(&client, StopMode::Quick).await;
            }
        });
        if let Some(running) = self.running.get_mut(&key) {
            running.ending = Some(ending);
        }
    }
}
