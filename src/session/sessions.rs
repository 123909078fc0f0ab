//! All sessions of this run, and which of them an agent's message is for.
//!
//! Owns the order of the sessions, which one is shown, and the routing of V1-SES-02: several may
//! share a connection, each with its own turn, queue and questions. The rules of one session are
//! the module `reduce`'s.

mod shared_agent;

use std::{collections::BTreeMap, time::Instant};

use crate::{
    model::{
        AgentExit, CallResult, CallTag, ConnectionId, FromAgent, RpcError, SessionId, SessionKey,
        ToAgent, code,
    },
    session::{Effect, Event, History, Phase, Session, SessionConfig, reduce},
};

use shared_agent::{Before, Start};

/// Sessions that can be open at once. Each has a transcript, and most an agent process; no person
/// looks after more.
pub const MAX_SESSIONS: usize = 32;

/// An effect, and the session that it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    pub by: SessionKey,
    pub effect: Effect,
}

/// The sessions that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere {
    pub open: usize,
    /// Have a question for the person.
    pub waiting: usize,
    /// Have an open turn without a question, or background work.
    pub working: usize,
    pub failed: usize,
}

#[derive(Debug, Default)]
pub struct Sessions {
    /// In the order in which they were opened.
    list: Vec<Entry>,
    /// The next process of each agent.
    starts: BTreeMap<u32, Start>,
    shown: Option<SessionKey>,
    last: u32,
}

#[derive(Debug)]
struct Entry {
    key: SessionKey,
    session: Session,
    /// The same for all sessions that share an agent, and so a process.
    agent: u32,
    /// It had no agent when one was started for the others: it goes to that one.
    comes_along: bool,
    /// The newest process that it left for another one.
    left: Option<ConnectionId>,
}

impl Sessions {
    /// Opens a session with a new agent process, and shows it. `None` where there are
    /// [`MAX_SESSIONS`].
    pub fn open(
        &mut self,
        config: SessionConfig,
        now: Instant,
    ) -> Option<(SessionKey, Vec<Routed>)> {
        // Keys are not used twice, so no other agent has this number.
        self.start(self.last + 1, config, now)
    }

    /// Opens a session with the agent that `beside` has, and shows it: on the agent's process, if one
    /// runs or starts. `None` as in [`open`](Self::open).
    pub fn open_beside(
        &mut self,
        beside: SessionKey,
        config: SessionConfig,
        now: Instant,
    ) -> Option<(SessionKey, Vec<Routed>)> {
        let agent = self
            .entry(beside)
            .map_or(self.last + 1, |entry| entry.agent);
        self.start(agent, config, now)
    }

    fn start(
        &mut self,
        agent: u32,
        config: SessionConfig,
        now: Instant,
    ) -> Option<(SessionKey, Vec<Routed>)> {
        let mut effects = Vec::new();
        let key = self.add(agent, || {
            let (session, wanted) = Session::start(config, now);
            effects = wanted;
            session
        })?;
        let mut all = routed(key, effects).collect();
        self.start_or_wait(self.list.len() - 1, None, &mut all);
        self.settle_into(&mut all, now);
        Some((key, all))
    }

    fn add(&mut self, agent: u32, session: impl FnOnce() -> Session) -> Option<SessionKey> {
        if self.list.len() >= MAX_SESSIONS {
            return None;
        }
        self.last += 1;
        let key = SessionKey(self.last);
        self.list.push(Entry {
            key,
            session: session(),
            agent,
            comes_along: false,
            left: None,
        });
        self.shown = Some(key);
        Some(key)
    }

    /// Adds a session that is only looked at, and shows it. `None` as in [`open`](Self::open).
    pub fn open_past(&mut self, session: Session) -> Option<SessionKey> {
        self.add(self.last + 1, || session)
    }

    /// Takes a session out. If it was shown, the one before it is now. Sessions that waited for it to
    /// start their agent need [`settle`](Self::settle).
    pub fn remove(&mut self, key: SessionKey) -> Option<Session> {
        let at = self.position(key)?;
        let entry = self.list.remove(at);
        self.forget_starter(&entry);
        if self.shown == Some(key) {
            self.shown = self.list.get(at.saturating_sub(1)).map(|entry| entry.key);
        }
        Some(entry.session)
    }

    /// As [`Session::show_stored`], for one that was just opened.
    pub fn show_stored(&mut self, key: SessionKey, history: History) {
        let entry = self.list.iter_mut().find(|entry| entry.key == key);
        if let Some(entry) = entry {
            entry.session.show_stored(history);
        }
    }

    /// Whether there is such a session. It does not wait behind others that are opened: see
    /// [`settle`](Self::settle).
    pub fn show(&mut self, key: SessionKey) -> bool {
        let known = self.entry(key).is_some();
        if known {
            self.shown = Some(key);
        }
        known
    }

    pub fn shown_key(&self) -> Option<SessionKey> {
        self.shown
    }

    pub fn shown(&self) -> Option<&Session> {
        self.get(self.shown?)
    }

    pub fn get(&self, key: SessionKey) -> Option<&Session> {
        self.entry(key).map(|entry| &entry.session)
    }

    /// In the order in which they were opened.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (SessionKey, &Session)> + ExactSizeIterator {
        self.list.iter().map(|entry| (entry.key, &entry.session))
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How the sessions that are not shown stand, in all.
    pub fn elsewhere(&self) -> Elsewhere {
        let mut all = Elsewhere::default();
        for (_, session) in self.iter().filter(|(key, _)| Some(*key) != self.shown) {
            all.open += 1;
            let waits = session.waits_for_person();
            all.waiting += usize::from(waits);
            all.working += usize::from(session.is_at_work() && !waits);
            all.failed += usize::from(matches!(session.phase, Phase::Failed { .. }));
        }
        all
    }

    /// The next session that waits for the person, in their order from the one that is shown on.
    pub fn next_waiting(&self) -> Option<SessionKey> {
        let at = self.shown.and_then(|key| self.position(key));
        let (before, behind) = self.list.split_at(at.map_or(0, |at| at + 1));
        let before = before.iter().filter(|entry| Some(entry.key) != self.shown);
        let mut others = behind.iter().chain(before);
        others
            .find(|entry| entry.session.waits_for_person())
            .map(|entry| entry.key)
    }

    /// The client ends: what agents are told, in order. Open questions are closed, so that none is
    /// shown or stored as if it still waited.
    pub fn leave(&mut self, now: Instant) -> Vec<(SessionKey, ToAgent)> {
        let mut all = Vec::new();
        for Entry { key, session, .. } in &mut self.list {
            let farewell = session.farewell().into_iter();
            all.extend(farewell.map(|message| (*key, message)));
            // Its answers are among them, behind the cancel.
            let _ = reduce(session, Event::Leave, now);
        }
        all
    }

    /// When [`tick`](Self::tick) is wanted next.
    pub fn deadline(&self) -> Option<Instant> {
        self.iter()
            .filter_map(|(_, session)| session.deadline())
            .min()
    }

    /// The time came that [`deadline`](Self::deadline) asked for.
    pub fn tick(&mut self, now: Instant) -> Vec<Routed> {
        let mut all = Vec::new();
        for Entry { key, session, .. } in &mut self.list {
            if session.deadline().is_some_and(|at| at <= now) {
                all.extend(routed(*key, reduce(session, Event::Tick, now)));
            }
        }
        self.settle_into(&mut all, now);
        all
    }

    /// Applies an event to a session; to none if that session is gone.
    pub fn apply(&mut self, key: SessionKey, event: Event, now: Instant) -> Vec<Routed> {
        let Some(at) = self.position(key) else {
            return Vec::new();
        };
        let logged_in = matches!(event, Event::LoginEnded { .. });
        let mut all = match event {
            // The last to leave ends it.
            Event::EndAgent => {
                let served = self.ended_with(at).into_iter();
                let end = |at| self.apply_at(at, Event::EndAgent, now);
                served.flat_map(end).collect()
            }
            event => self.apply_at(at, event, now),
        };
        let starts_over =
            |routed: &Routed| matches!(routed.effect, Effect::Spawn(_) | Effect::StopAgent(_));
        if logged_in && all.iter().any(starts_over) {
            // The agent's other processes may not know of a sign-in that this one was told of.
            for other in self.waiting_elsewhere(at) {
                let event = Event::StartOver { signed_in: true };
                all.append(&mut self.apply_at(other, event, now));
            }
        }
        self.settle_into(&mut all, now);
        all
    }

    fn apply_at(&mut self, at: usize, event: Event, now: Instant) -> Vec<Routed> {
        // Most messages are updates, on which no session leaves its agent.
        let may_leave = !matches!(&event, Event::Agent(_, FromAgent::Update { .. }));
        let shares = may_leave && self.shares_connection(at);
        let signed_in = matches!(
            &event,
            Event::LoginEnded { .. } | Event::StartOver { signed_in: true }
        );
        let Some(Entry { key, session, .. }) = self.list.get_mut(at) else {
            return Vec::new();
        };
        let key = *key;
        let before = Before {
            starting: matches!(session.phase, Phase::Starting { .. }),
            connection: session.connection,
            signed_in,
        };
        // A shared agent goes on when one session leaves it, and is told what it would be told before
        // its process ends.
        let farewell = if shares {
            session.farewell()
        } else {
            Vec::new()
        };
        let effects = reduce(session, event, now);
        let leaves = effects
            .iter()
            .any(|effect| matches!(effect, Effect::StopAgent(_)));
        let farewell = farewell.into_iter().filter(|_| leaves).map(Effect::ToAgent);
        let mut all = routed(key, farewell.chain(effects)).collect();
        if may_leave {
            self.follow_start(at, before, &mut all, now);
        }
        all
    }

    fn shares_connection(&self, at: usize) -> bool {
        let connection = self.list.get(at).and_then(|entry| entry.session.connection);
        connection.is_some_and(|connection| self.on(connection).count() > 1)
    }

    /// Something from an agent, for whichever sessions it is for.
    pub fn from_agent(
        &mut self,
        connection: ConnectionId,
        word: FromAgent,
        now: Instant,
    ) -> Vec<Routed> {
        let word = self.without_a_taken_id(connection, word);
        let mut to = self.addressees(connection, &word);
        let freed = self.freed_by(connection, &word);
        let mut all = Vec::new();
        if let Some(last) = to.pop() {
            for at in to {
                all.append(&mut self.apply_at(at, Event::Agent(connection, word.clone()), now));
            }
            all.append(&mut self.apply_at(last, Event::Agent(connection, word), now));
        }
        for at in freed {
            all.append(&mut self.apply_at(at, Event::SignedIn, now));
        }
        self.settle_into(&mut all, now);
        all
    }

    /// A session that was opened by the id of another one on the connection is refused: what the agent
    /// says by that id could be meant for either (V1-SES-02).
    fn without_a_taken_id(&self, connection: ConnectionId, word: FromAgent) -> FromAgent {
        let FromAgent::Reply {
            caller,
            call,
            result: CallResult::SessionOpened(opened),
        } = &word
        else {
            return word;
        };
        let asked = match call {
            CallTag::LoadSession { id } | CallTag::ResumeSession { id } => Some(id),
            _ => None,
        };
        let taken = opened.id.as_ref().or(asked).is_some_and(|id| {
            self.on(connection)
                .filter_map(|at| self.list.get(at))
                .any(|entry| entry.key != *caller && entry.session.is(id))
        });
        if !taken {
            return word;
        }
        FromAgent::Reply {
            caller: *caller,
            call: call.clone(),
            result: CallResult::Failed(RpcError::new(
                code::INTERNAL,
                "the agent gave it the id of another session that is open here",
            )),
        }
    }

    /// An agent's process ended (V1-RPC-19): for every session that it served.
    pub fn exited(
        &mut self,
        connection: ConnectionId,
        exit: &AgentExit,
        now: Instant,
    ) -> Vec<Routed> {
        let served: Vec<usize> = self.on(connection).collect();
        let mut all = Vec::new();
        for at in served {
            let event = Event::Exited(connection, exit.clone());
            all.append(&mut self.apply_at(at, event, now));
        }
        self.settle_into(&mut all, now);
        all
    }

    /// Sessions that may wait for a sign-in which another session's call has brought: it holds for the
    /// whole connection (V1-AUTH-08).
    fn freed_by(&self, connection: ConnectionId, word: &FromAgent) -> Vec<usize> {
        let FromAgent::Reply {
            caller,
            call: CallTag::Authenticate { .. },
            result: CallResult::Authenticated,
        } = word
        else {
            return Vec::new();
        };
        let caller = self.position(*caller);
        self.on(connection)
            .filter(|at| Some(*at) != caller)
            .collect()
    }

    /// The sessions that a message is for. One for a session that is not known goes to the connection's
    /// first, whose rules say so, or refuse it (V1-SES-04).
    fn addressees(&self, connection: ConnectionId, word: &FromAgent) -> Vec<usize> {
        let mut on = self.on(connection);
        match word {
            FromAgent::Reply { caller, .. } | FromAgent::CallOver { caller, .. } => {
                self.position(*caller).into_iter().collect()
            }
            FromAgent::Update { session: None, .. } => self.unaddressed(connection),
            FromAgent::Update {
                session: Some(id), ..
            } => {
                if let Some(at) = self.addressee(connection, id) {
                    return vec![at];
                }
                let unnamed: Vec<usize> = self
                    .on(connection)
                    .filter(|at| self.session_at(*at).is_some_and(Session::may_be_named))
                    .collect();
                if unnamed.is_empty() {
                    on.next().into_iter().collect()
                } else {
                    unnamed
                }
            }
            FromAgent::Request { request, .. } => match request.session() {
                Some(session) => self.addressee(connection, session),
                // It belongs to a request of ours (V1-ELI-02).
                None => request.caller().and_then(|caller| self.position(caller)),
            }
            .or_else(|| on.next())
            .into_iter()
            .collect(),
            // Each session ignores keys and pages that are not its own. Of a message that was too long
            // nothing is known.
            FromAgent::CancelRequest { .. }
            | FromAgent::ElicitationDone { .. }
            | FromAgent::Account(_)
            | FromAgent::Oversized { .. } => on.collect(),
            FromAgent::Noise { .. } | FromAgent::Dialect(_) | FromAgent::Unasked { .. } => {
                on.next().into_iter().collect()
            }
        }
    }

    /// For an update that names no session (D-11): the only one on the connection, else the only
    /// one that works; else none.
    fn unaddressed(&self, connection: ConnectionId) -> Vec<usize> {
        let on: Vec<usize> = self.on(connection).collect();
        if on.len() == 1 {
            return on;
        }
        let works = |at: &usize| self.session_at(*at).is_some_and(|s| s.turn.is_some());
        let working: Vec<usize> = on.into_iter().filter(works).collect();
        if working.len() == 1 {
            working
        } else {
            Vec::new()
        }
    }

    fn addressee(&self, connection: ConnectionId, id: &SessionId) -> Option<usize> {
        let on_it = |is: fn(&Session, &SessionId) -> bool| {
            self.list.iter().position(|entry| {
                entry.session.connection == Some(connection) && is(&entry.session, id)
            })
        };
        // A child's words and requests are its parent's to take (V1-SUB-02), a side question's those
        // of the session that it is asked beside.
        on_it(Session::is)
            .or_else(|| on_it(Session::has_subagent))
            .or_else(|| on_it(Session::has_side))
    }

    fn on(&self, connection: ConnectionId) -> impl Iterator<Item = usize> {
        let list = self.list.iter().enumerate();
        list.filter(move |(_, entry)| entry.session.connection == Some(connection))
            .map(|(at, _)| at)
    }

    fn position(&self, key: SessionKey) -> Option<usize> {
        self.list.iter().position(|entry| entry.key == key)
    }

    fn entry(&self, key: SessionKey) -> Option<&Entry> {
        self.list.iter().find(|entry| entry.key == key)
    }

    fn session_at(&self, at: usize) -> Option<&Session> {
        self.list.get(at).map(|entry| &entry.session)
    }
}

fn routed(
    by: SessionKey,
    effects: impl IntoIterator<Item = Effect>,
) -> impl Iterator<Item = Routed> {
    effects.into_iter().map(move |effect| Routed { by, effect })
}

#[cfg(test)]
mod tests;
