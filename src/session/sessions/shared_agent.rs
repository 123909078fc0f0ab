//! Which process serves a session, where several share an agent.
//!
//! One session starts a process for all of them: the first, or the one that restarts the agent (F5, an
//! abandoned turn, a sign-in at a terminal). The others move to it: sessions at rest at once, sessions
//! at work when they are at rest, since one session must not cost another one its turn. They wait until
//! the process has introduced itself; then each opens its session there, a few at a time.
//!
//! A session knows the process that serves it, and that it waits for one. The rest is derived: the
//! newest process of an agent is the newest that serves one of its sessions.

use std::time::Instant;

use crate::{
    model::{ConnectionId, SessionKey},
    session::{Effect, Event, Phase, Routed, Session, SignInStep},
};

use super::{Entry, MAX_SESSIONS, Sessions};

/// Sessions that are opened on one connection at the same time when all of them move: each may
/// replay a whole conversation. The one that is shown does not wait.
const MAX_OPENING: usize = 4;

/// The start of an agent's next process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Start {
    /// The session that starts it, until the process has introduced itself or failed.
    by: Option<SessionKey>,
    /// The person has signed in before it: calls that were refused without a sign-in are made again.
    signed_in: bool,
}

/// A session before an event.
pub(super) struct Before {
    pub(super) starting: bool,
    pub(super) connection: Option<ConnectionId>,
    /// The event is a sign-in.
    pub(super) signed_in: bool,
}

#[derive(PartialEq)]
enum Process {
    /// The next one of that agent.
    Starts(u32),
    Runs(ConnectionId),
}

impl Sessions {
    /// A session wants a process, and starts one unless another session does or has a newer one than
    /// the one `left`. Whether it does.
    pub(super) fn start_or_wait(
        &mut self,
        at: usize,
        left: Option<ConnectionId>,
        all: &mut Vec<Routed>,
    ) -> bool {
        let Some(entry) = self.list.get(at) else {
            return false;
        };
        let (key, agent) = (entry.key, entry.agent);
        // Where what it started instead of one did not come, that one is not what it wants.
        let left = left.max(entry.left);
        let by_other = self.starter(agent).is_some_and(|by| by != key);
        let newer = self.newest(agent).and_then(|other| other.connection) > left;
        let Some(entry) = self.list.get_mut(at) else {
            return false;
        };
        (entry.comes_along, entry.left) = (false, left);
        if by_other || newer {
            entry.session.wait_for_agent();
            all.retain(|routed| routed.by != key || !spawns(routed));
            return false;
        }
        self.starts.entry(agent).or_default().by = Some(key);
        true
    }

    /// After an event in a session: whether it starts a process, or one that it started is there or
    /// did not come.
    pub(super) fn follow_start(
        &mut self,
        at: usize,
        before: Before,
        all: &mut Vec<Routed>,
        now: Instant,
    ) {
        let Some(Entry {
            key,
            session,
            agent,
            ..
        }) = self.list.get(at)
        else {
            return;
        };
        let (key, agent) = (*key, *agent);
        let starts = self.starter(agent) == Some(key);
        if let Phase::Starting { .. } = session.phase {
            let begins = !before.starting || all.iter().any(spawns);
            if begins && self.start_or_wait(at, before.connection, all) && !starts {
                self.starts.entry(agent).or_default().signed_in = before.signed_in;
                for other in &mut self.list {
                    let idle = other.session.connection.is_none() && !other.session.awaits_agent();
                    other.comes_along |= other.agent == agent && other.key != key && idle;
                }
            }
            return;
        }
        if !starts {
            return;
        }
        let failed = match &session.phase {
            Phase::Failed { error } => Some(error.clone()),
            _ => None,
        };
        self.starts.entry(agent).or_default().by = None;
        if let Some(error) = failed {
            for at in 0..self.list.len() {
                let waits = |entry: &Entry| entry.agent == agent && entry.session.awaits_agent();
                if self.list.get(at).is_some_and(waits) {
                    let error = error.clone();
                    all.append(&mut self.apply_at(at, Event::NoAgent { error }, now));
                }
            }
        }
    }

    /// Lets sessions move whose turn it is; after anything that may have changed that.
    pub fn settle(&mut self, now: Instant) -> Vec<Routed> {
        let mut all = Vec::new();
        self.settle_into(&mut all, now);
        all
    }

    pub(super) fn settle_into(&mut self, all: &mut Vec<Routed>, now: Instant) {
        // Each leaves its process and joins the next: there are no more steps.
        for _ in 0..2 * MAX_SESSIONS {
            let mut list = self.list.iter().enumerate();
            let Some((at, event)) = list.find_map(|(at, entry)| Some((at, self.next_move(entry)?)))
            else {
                break;
            };
            all.append(&mut self.apply_at(at, event, now));
        }
        // The old process is left by all of them before the new one is started.
        if all.iter().any(spawns) {
            all.sort_by_key(spawns);
        }
    }

    fn next_move(&self, entry: &Entry) -> Option<Event> {
        let start = self.starts.get(&entry.agent).copied().unwrap_or_default();
        if start.by == Some(entry.key) {
            return None;
        }
        let (starts, session) = (start.by.is_some(), &entry.session);
        let newest = self.newest(entry.agent);
        let runs = newest.and_then(|newest| newest.connection);
        if session.awaits_agent() {
            return match newest {
                _ if starts => None,
                Some(newest) => {
                    let connection = runs?;
                    let may =
                        self.shown == Some(entry.key) || self.opening_on(connection) < MAX_OPENING;
                    let agent = newest.agent.clone();
                    may.then_some(Event::Joined { connection, agent })
                }
                // The one that was to start it is gone.
                None => Some(Event::StartAgent),
            };
        }
        let behind = match session.connection {
            None => entry.comes_along && (starts || runs.is_some()),
            own => starts || runs > own,
        };
        let signed_in = start.signed_in;
        (behind && session.is_at_rest()).then_some(Event::StartOver { signed_in })
    }

    /// The session that starts the next process of an agent.
    pub(super) fn starter(&self, agent: u32) -> Option<SessionKey> {
        self.starts.get(&agent)?.by
    }

    /// A session on the newest process of an agent that has introduced itself.
    pub(super) fn newest(&self, agent: u32) -> Option<&Session> {
        let served = self.list.iter().filter(|entry| {
            entry.agent == agent
                && entry.session.connection.is_some()
                && !matches!(entry.session.phase, Phase::Starting { .. })
        });
        let newest = served.max_by_key(|entry| entry.session.connection)?;
        Some(&newest.session)
    }

    /// A session was taken out.
    pub(super) fn forget_starter(&mut self, gone: &Entry) {
        if !self.list.iter().any(|entry| entry.agent == gone.agent) {
            self.starts.remove(&gone.agent);
        } else if let Some(start) = self.starts.get_mut(&gone.agent) {
            start.by.take_if(|by| *by == gone.key);
        }
    }

    /// All that are without an agent when a session has its agent ended: the sessions that its process
    /// serves, and those that wait for that process.
    pub(super) fn ended_with(&mut self, at: usize) -> Vec<usize> {
        let Some(ending) = self.list.get(at) else {
            return Vec::new();
        };
        let (agent, process) = (ending.agent, self.process_of(ending));
        let ends = |(other, entry): &(usize, &Entry)| {
            *other == at || process.is_some() && self.process_of(entry) == process
        };
        let list = self.list.iter().enumerate();
        let all: Vec<usize> = list.filter(ends).map(|(at, _)| at).collect();
        if process == Some(Process::Starts(agent)) {
            self.starts.remove(&agent);
        }
        for at in &all {
            if let Some(entry) = self.list.get_mut(*at) {
                entry.comes_along = false;
            }
        }
        all
    }

    fn process_of(&self, entry: &Entry) -> Option<Process> {
        let waits = entry.session.awaits_agent();
        match self.starter(entry.agent) {
            Some(by) if waits || by == entry.key => return Some(Process::Starts(entry.agent)),
            _ if waits => self.newest(entry.agent)?.connection,
            _ => entry.session.connection,
        }
        .map(Process::Runs)
    }

    /// Sessions that wait for a sign-in to the same agent in other processes. One for each process: it
    /// takes the others along.
    pub(super) fn waiting_elsewhere(&self, at: usize) -> Vec<usize> {
        let Some(signed_in) = self.list.get(at) else {
            return Vec::new();
        };
        let mut agents = vec![signed_in.agent];
        let mut found = Vec::new();
        for (at, Entry { session, agent, .. }) in self.list.iter().enumerate() {
            let (own, other) = (&signed_in.session.config, &session.config);
            let same = (&own.agent, &own.command) == (&other.agent, &other.command);
            let choosing = matches!(
                session.phase,
                Phase::SignIn {
                    step: SignInStep::Choosing,
                    ..
                }
            );
            if same && choosing && !agents.contains(agent) {
                agents.push(*agent);
                found.push(at);
            }
        }
        found
    }

    fn opening_on(&self, connection: ConnectionId) -> usize {
        let on = self.on(connection).filter_map(|at| self.session_at(at));
        on.filter(|session| matches!(session.phase, Phase::Opening { .. }))
            .count()
    }
}

fn spawns(routed: &Routed) -> bool {
    matches!(routed.effect, Effect::Spawn(_))
}
