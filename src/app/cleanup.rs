//! Everything started outside this process; every way out ends it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::{
    acp::{Client, StopMode, WireLog, WireLogHandle},
    host::{Host, Login},
    store::files::SessionWriter,
    text::SafeText,
};

/// How long a slow disk may hold up the end.
const STORE_PATIENCE: Duration = Duration::from_secs(2);

/// Shared by the app, which adds to it, and by `run`, which ends it all, also after a panic.
#[derive(Clone, Default)]
pub struct Started(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    agents: Vec<Arc<Client>>,
    hosts: Vec<Host>,
    logins: Vec<Login>,
    wire_log: Option<WireLog>,
    writer: Option<SessionWriter>,
    /// The last prompt that goes into the history file; it comes behind those before.
    history: Option<JoinHandle<()>>,
}

impl Started {
    pub fn add_agent(&self, client: Arc<Client>) {
        self.with(|inner| inner.agents.push(client));
    }

    fn forget_agent(&self, client: &Arc<Client>) {
        self.with(|inner| inner.agents.retain(|kept| !Arc::ptr_eq(kept, client)));
    }

    /// Ends one, and forgets it.
    pub async fn end_agent(&self, client: &Arc<Client>, mode: StopMode) {
        client.shutdown(mode).await;
        self.forget_agent(client);
    }

    pub fn add_host(&self, host: Host) {
        self.with(|inner| inner.hosts.push(host));
    }

    /// Forgets services that have been shut down.
    pub fn forget_host(&self, host: &Host) {
        self.with(|inner| inner.hosts.retain(|kept| !kept.is(host)));
    }

    pub fn add_login(&self, login: Login) {
        self.with(|inner| inner.logins.push(login));
    }

    /// Forgets a program that has been ended.
    pub fn forget_login(&self, login: &Login) {
        self.with(|inner| inner.logins.retain(|kept| !kept.is(login)));
    }

    pub fn set_wire_log(&self, wire_log: WireLog) {
        self.with(|inner| inner.wire_log = Some(wire_log));
    }

    /// Of the wire log, if there is one.
    pub fn wire_log(&self) -> Option<WireLogHandle> {
        self.with(|inner| inner.wire_log.as_ref().map(WireLog::handle))
    }

    pub fn set_writer(&self, writer: SessionWriter) {
        self.with(|inner| inner.writer = Some(writer));
    }

    /// Writes to the history file, behind what is written there already; the end waits for it. Within the runtime.
    pub fn keep_history(&self, write: impl FnOnce() + Send + 'static) {
        self.with(|inner| {
            let before = inner.history.take();
            inner.history = Some(tokio::spawn(async move {
                if let Some(before) = before {
                    // One that failed has said so.
                    let _ = before.await;
                }
                let _ = spawn_blocking(write).await;
            }));
        });
    }

    /// Ends all agents and terminals, side by side, and finishes the wire log. Bounded in time by
    /// the ladders. Gives why the end of a session is not stored, where that is so.
    pub async fn end(&self, mode: StopMode) -> Option<SafeText> {
        let history = self.with(|inner| inner.history.take());
        let (agents, hosts, logins, wire_log, writer) = self.with(|inner| {
            (
                std::mem::take(&mut inner.agents),
                std::mem::take(&mut inner.hosts),
                std::mem::take(&mut inner.logins),
                inner.wire_log.take(),
                inner.writer.take(),
            )
        });
        let agents = join_all(agents.iter().map(|agent| agent.shutdown(mode)));
        let hosts = join_all(hosts.iter().map(Host::shutdown));
        let logins = join_all(logins.iter().map(Login::shutdown));
        tokio::join!(agents, hosts, logins);
        if let Some(history) = history {
            let _ = tokio::time::timeout(STORE_PATIENCE, history).await;
        }
        let lost = writer.and_then(|writer| writer.finish(STORE_PATIENCE));
        if let Some(wire_log) = wire_log {
            wire_log.finish();
        }
        lost
    }

    fn with<T>(&self, f: impl FnOnce(&mut Inner) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
