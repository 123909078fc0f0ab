//! All sessions of this run, and which of them an agent's word is for.
//!
//! Owns the order of the sessions, which one is shown, and the routing of V1-SES-02: several may
//! share a connection, each with its own turn, queue and questions. The rules of one session are
//! the module `reduce`'s.

mod shared_agent;

use std::{collections::BTreeMap, time::Instant};

use crate::{
    model::{
        AgentExit, CallResult, CallTag, ConnectionId, FromAgent, SessionId, SessionKey, ToAgent,
    },
    session::{Effect, Event, History, Phase, Session, SessionConfig, reduce},
};

use shared_agent::{Place, Process};

/// Sessions that can be open at once. Each has a transcript, and most an agent process; no person
/// looks after more.
pub const MAX_SESSIONS: usize = 32;

/// What one session wants done.
#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    pub by: SessionKey,
    pub effect: Effect,
}

/// Sessions besides the one that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere {
    pub open: usize,
    /// Ask the person something.
    pub waiting: usize,
    /// Have a turn that asks nothing, or work beside it.
    pub working: usize,
    pub failed: usize,
}

#[derive(Debug, Default)]
pub struct Sessions {
    /// In the order in which they were opened.
    list: Vec<(SessionKey, Session)>,
    /// Of each of them.
    places: BTreeMap<SessionKey, Place>,
    shown: Option<SessionKey>,
    last: u32,
}

impl Sessions {
    /// Opens a session with an agent process of its own, and shows it. `None` where there are
    /// [`MAX_SESSIONS`].
    pub fn open(
        &mut self,
        config: SessionConfig,
        now: Instant,
    ) -> Option<(SessionKey, Vec<Routed>)> {
        // A family of its own: keys are not used twice.
        let family = self.last + 1;
        self.add(family, || Session::start(config, now))
    }

    /// Opens a session on the connection that `beside` has, or that another one with the same agent
    /// has by now, and shows it; with a process of its own where none of them has one. `None` as in
    /// [`open`](Self::open).
    pub fn open_beside(
        &mut self,
        beside: SessionKey,
        config: SessionConfig,
        now: Instant,
    ) -> Option<(SessionKey, Vec<Routed>)> {
        let family = self.family(beside).unwrap_or(self.last + 1);
        match self.process_of(beside) {
            Process::None => self.add(family, || Session::start(config, now)),
            Process::Runs(connection, agent) => self.add(family, || {
                Session::start_on(config, connection, *agent, now)
            }),
            Process::Starts(leader) => {
                let added = self.add(family, || Session::start_behind(config, now));
                if let Some((key, _)) = &added {
                    self.wait_for(*key, leader);
                }
                added
            }
        }
    }

    fn add(
        &mut self,
        family: u32,
        start: impl FnOnce() -> (Session, Vec<Effect>),
    ) -> Option<(SessionKey, Vec<Routed>)> {
        if self.list.len() >= MAX_SESSIONS {
            return None;
        }
        self.last += 1;
        let key = SessionKey(self.last);
        let (session, effects) = start();
        self.list.push((key, session));
        self.places.insert(key, Place::of(family));
        self.shown = Some(key);
        Some((key, routed(key, effects).collect()))
    }

    /// Takes in one that is only looked at, and shows it. `None` as in [`open`](Self::open).
    pub fn open_past(&mut self, session: Session) -> Option<SessionKey> {
        let family = self.last + 1;
        let (key, _) = self.add(family, || (session, Vec::new()))?;
        Some(key)
    }

    /// Takes a session out. If it was shown, the one before it is now. Who waited for its agent needs
    /// [`settle`](Self::settle).
    pub fn remove(&mut self, key: SessionKey) -> Option<Session> {
        let at = self.position(key)?;
        self.hand_on_lead(key);
        let (_, session) = self.list.remove(at);
        if self.shown == Some(key) {
            let next = self.list.get(at.saturating_sub(1));
            self.shown = next.map(|(key, _)| *key);
        }
        Some(session)
    }

    /// As [`Session::show_stored`], for one that was just opened.
    pub fn show_stored(&mut self, key: SessionKey, history: History) {
        if let Some(at) = self.position(key)
            && let Some((_, session)) = self.list.get_mut(at)
        {
            session.show_stored(history);
        }
    }

    /// Whether there is such a session. It does not wait behind others that are opened: see
    /// [`settle`](Self::settle).
    pub fn show(&mut self, key: SessionKey) -> bool {
        let known = self.position(key).is_some();
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
        self.list
            .get(self.position(key)?)
            .map(|(_, session)| session)
    }

    /// In the order in which they were opened.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (SessionKey, &Session)> + ExactSizeIterator {
        self.list.iter().map(|(key, session)| (*key, session))
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

    /// The client ends: what agents are told, in order. The questions that are open are closed, so that
    /// nothing is shown or stored as if it waited still.
    pub fn leave(&mut self, now: Instant) -> Vec<(SessionKey, ToAgent)> {
        let mut all = Vec::new();
        for (key, session) in &mut self.list {
            all.extend(
                session
                    .farewell()
                    .into_iter()
                    .map(|message| (*key, message)),
            );
            // Its answers are among them, behind the cancel.
            let _ = reduce(session, Event::Leave, now);
        }
        all
    }

    /// When [`tick`](Self::tick) is wanted next.
    pub fn deadline(&self) -> Option<Instant> {
        self.list
            .iter()
            .filter_map(|(_, session)| session.deadline())
            .min()
    }

    /// The time came that [`deadline`](Self::deadline) asked for.
    pub fn tick(&mut self, now: Instant) -> Vec<Routed> {
        let mut all = Vec::new();
        for (key, session) in &mut self.list {
            if session.deadline().is_some_and(|at| at <= now) {
                all.extend(routed(*key, reduce(session, Event::Tick, now)));
            }
        }
        self.settle_into(&mut all, now);
        all
    }

    /// Lets a session's rules work on an event. One that is gone wants nothing.
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
        if logged_in && all.iter().any(|routed| starts_over(&routed.effect)) {
            // What a process knows of a sign-in, others of the same agent may not.
            for other in self.waiting_elsewhere(at) {
                let event = Event::StartOver { signed_in: true };
                all.append(&mut self.apply_at(other, event, now));
            }
        }
        self.settle_into(&mut all, now);
        all
    }

    fn apply_at(&mut self, at: usize, event: Event, now: Instant) -> Vec<Routed> {
        // Most words are chunks, on which no session leaves its agent.
        let may_leave = !matches!(&event, Event::Agent(_, FromAgent::Update { .. }));
        let shares = may_leave && self.shares_connection(at);
        let others_start = may_leave && self.leader_of(at).is_some();
        let signed_in = matches!(
            &event,
            Event::LoginEnded { .. } | Event::StartOver { signed_in: true }
        );
        let Some((key, session)) = self.list.get_mut(at) else {
            return Vec::new();
        };
        let key = *key;
        let was_starting = matches!(session.phase, Phase::Starting { .. });
        session.leave_start_to_others(others_start);
        // An agent that others still talk with goes on when this session leaves it: it is told what
        // an agent is told whose process ends.
        let farewell = if shares {
            session.farewell()
        } else {
            Vec::new()
        };
        let effects = reduce(session, event, now);
        let leaves = effects
            .iter()
            .any(|effect| matches!(effect, Effect::StopAgent(_)));
        if may_leave {
            let starts = effects
                .iter()
                .any(|effect| matches!(effect, Effect::Spawn(_)))
                || !was_starting && matches!(session.phase, Phase::Starting { .. });
            self.came_from(at, starts, signed_in);
        }
        let farewell = farewell.into_iter().filter(|_| leaves).map(Effect::ToAgent);
        routed(key, farewell.chain(effects)).collect()
    }

    fn shares_connection(&self, at: usize) -> bool {
        let connection = self.list.get(at).and_then(|(_, s)| s.connection);
        connection.is_some_and(|connection| self.on(connection).count() > 1)
    }

    /// Something from an agent, for whichever sessions it is for.
    pub fn from_agent(
        &mut self,
        connection: ConnectionId,
        word: FromAgent,
        now: Instant,
    ) -> Vec<Routed> {
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

    /// Who may wait for a sign-in that another session's call has brought: it is the connection's
    /// (V1-AUTH-08).
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

    /// Whom a word is for. What no session is known for goes to the connection's first, whose rules
    /// say so, or refuse it (V1-SES-04).
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
                let unnamed: Vec<usize> = self.unnamed(connection).collect();
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
            // Each forgets keys and pages that are not its own.
            FromAgent::CancelRequest { .. } | FromAgent::ElicitationDone { .. } => on.collect(),
            FromAgent::Noise { .. } | FromAgent::Dialect(_) | FromAgent::Unasked { .. } => {
                on.next().into_iter().collect()
            }
            // Whose it was is not known.
            FromAgent::Oversized { .. } => on.collect(),
        }
    }

    /// For an update that names no session (D-11): the only one on the connection, else the only
    /// one that works; else it cannot be told, and nobody hears it.
    fn unaddressed(&self, connection: ConnectionId) -> Vec<usize> {
        let on: Vec<usize> = self.on(connection).collect();
        if on.len() == 1 {
            return on;
        }
        let works = |at: &usize| self.list.get(*at).is_some_and(|(_, s)| s.turn.is_some());
        let working: Vec<usize> = on.into_iter().filter(works).collect();
        if working.len() == 1 {
            working
        } else {
            Vec::new()
        }
    }

    fn addressee(&self, connection: ConnectionId, id: &SessionId) -> Option<usize> {
        self.list
            .iter()
            .position(|(_, session)| session.connection == Some(connection) && session.is(id))
            // A child's words and requests are its parent's to take (V1-SUB-02).
            .or_else(|| {
                self.list.iter().position(|(_, session)| {
                    session.connection == Some(connection) && session.has_subagent(id)
                })
            })
    }

    fn unnamed(&self, connection: ConnectionId) -> impl Iterator<Item = usize> {
        let unnamed = move |(_, (_, session)): &(usize, &(SessionKey, Session))| {
            session.connection == Some(connection) && session.is_being_named()
        };
        self.list
            .iter()
            .enumerate()
            .filter(unnamed)
            .map(|(at, _)| at)
    }

    fn on(&self, connection: ConnectionId) -> impl Iterator<Item = usize> {
        let on = move |(_, (_, session)): &(usize, &(SessionKey, Session))| {
            session.connection == Some(connection)
        };
        self.list.iter().enumerate().filter(on).map(|(at, _)| at)
    }

    fn position(&self, key: SessionKey) -> Option<usize> {
        self.list.iter().position(|(own, _)| *own == key)
    }
}

/// The session goes on in another process.
fn starts_over(effect: &Effect) -> bool {
    matches!(effect, Effect::Spawn(_) | Effect::StopAgent(_))
}

fn routed(
    by: SessionKey,
    effects: impl IntoIterator<Item = Effect>,
) -> impl Iterator<Item = Routed> {
    effects.into_iter().map(move |effect| Routed { by, effect })
}

#[cfg(test)]
mod tests;
