//! Sessions that share an agent's process move to the next one together.
//!
//! Whoever has the agent started again (F5, a turn that is abandoned, a sign-in at a terminal) leads:
//! it alone starts a process. The others come along: those at rest at once, those at work when they
//! have come to rest, since what one session does must not cost another one its turn. They wait until
//! the process has introduced itself, then each opens its session there, a few at a time.

use std::time::Instant;

use crate::{
    model::{ConnectionId, SessionKey},
    session::{AgentInfo, Effect, Event, Phase, Routed, Session, SignInStep},
};

use super::{MAX_SESSIONS, Sessions};

/// Sessions that are opened on one connection at the same time, when all of them move: each may
/// replay a whole conversation. One that is shown does not wait.
const MAX_OPENING: usize = 4;

/// Where a session stands among those that share an agent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The same for all that were opened beside each other: one process serves them.
    pub(super) family: u32,
    follows: Option<Follow>,
}

impl Place {
    pub(super) fn of(family: u32) -> Self {
        Self {
            family,
            follows: None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Follow {
    /// Who starts the next process.
    leader: SessionKey,
    /// The person has signed in there: what was refused for want of it is tried again.
    signed_in: bool,
}

/// What serves a session, or is to.
pub(super) enum Process {
    None,
    Runs(ConnectionId, Box<AgentInfo>),
    /// That session starts it.
    Starts(SessionKey),
}

impl Sessions {
    /// The newest process that a session's family has, or is to have.
    pub(super) fn process_of(&self, key: SessionKey) -> Process {
        let starts =
            |own: &Session| matches!(own.phase, Phase::Starting { .. }) && !own.awaits_agent();
        if self.get(key).is_some_and(starts) {
            return Process::Starts(key);
        }
        let at = self.position(key);
        let leader = at.and_then(|at| self.leader_of(at));
        // Its own may be one that is about to be left.
        let Some(has) = self.get(leader.unwrap_or(key)) else {
            return Process::None;
        };
        match introduced(has) {
            Some(connection) => Process::Runs(connection, Box::new(has.agent.clone())),
            None => leader.map_or(Process::None, Process::Starts),
        }
    }

    /// A new session is served by what that one starts.
    pub(super) fn wait_for(&mut self, key: SessionKey, leader: SessionKey) {
        let signed_in = false;
        self.follow(key, Some(Follow { leader, signed_in }));
    }

    /// Sessions whose turn it is to follow do so; after anything that may have changed that.
    pub fn settle(&mut self, now: Instant) -> Vec<Routed> {
        let mut all = Vec::new();
        self.settle_into(&mut all, now);
        all
    }

    pub(super) fn settle_into(&mut self, all: &mut Vec<Routed>, now: Instant) {
        // Each follows, and then joins: more steps there are not.
        for _ in 0..2 * MAX_SESSIONS {
            let Some((at, event)) = self.next_move() else {
                break;
            };
            all.append(&mut self.apply_at(at, event, now));
        }
        // The old process is left by all of them before the new one is started.
        let starts = |routed: &Routed| matches!(routed.effect, Effect::Spawn(_));
        if all.iter().any(starts) {
            all.sort_by_key(starts);
        }
    }

    fn next_move(&mut self) -> Option<(usize, Event)> {
        for at in 0..self.list.len() {
            let (key, session) = self.list.get(at)?;
            let (key, awaits) = (*key, session.awaits_agent());
            let Some(follow) = self.follows(key) else {
                continue;
            };
            let Some(leader) = self.get(follow.leader) else {
                if let Some(next) = self.succeed(key, follow.leader) {
                    return Some(next);
                }
                continue;
            };
            if let Phase::Failed { error } = &leader.phase {
                let error = error.clone();
                self.follow(key, None);
                if awaits {
                    return Some((at, Event::NoAgent { error }));
                }
                // Others may have come to the new process all the same.
                let next = self.leader_of(at);
                let signed_in = follow.signed_in;
                self.follow(key, next.map(|leader| Follow { leader, signed_in }));
                continue;
            }
            if !awaits {
                if leader.connection.is_some() && leader.connection == session.connection {
                    self.follow(key, None);
                } else if session.is_at_rest() {
                    let signed_in = follow.signed_in;
                    return Some((at, Event::StartOver { signed_in }));
                }
                continue;
            }
            if let Some(connection) = introduced(leader)
                && (self.shown == Some(key) || self.opening_on(connection) < MAX_OPENING)
            {
                let agent = Box::new(leader.agent.clone());
                self.follow(key, None);
                return Some((at, Event::Joined { connection, agent }));
            }
        }
        None
    }

    /// The leader is gone before anybody could join it: who waited for it first leads.
    fn succeed(&mut self, key: SessionKey, gone: SessionKey) -> Option<(usize, Event)> {
        let mut waiting = self.list.iter().enumerate().filter(|(_, (key, session))| {
            let follow = self.follows(*key);
            session.awaits_agent() && follow.is_some_and(|follow| follow.leader == gone)
        });
        let Some((at, next)) = waiting.next().map(|(at, (next, _))| (at, *next)) else {
            self.follow(key, None);
            return None;
        };
        self.repoint(gone, next);
        self.follow(next, None);
        Some((at, Event::Restart))
    }

    /// Before a session goes.
    pub(super) fn hand_on_lead(&mut self, key: SessionKey) {
        let connection = self.get(key).and_then(introduced);
        let mut others = self.list.iter().filter(|(other, session)| {
            *other != key && connection.is_some() && session.connection == connection
        });
        if let Some(next) = others.next().map(|(other, _)| *other) {
            self.repoint(key, next);
            if self
                .follows(next)
                .is_some_and(|follow| follow.leader == next)
            {
                self.follow(next, None);
            }
        }
        self.places.remove(&key);
    }

    fn repoint(&mut self, from: SessionKey, to: SessionKey) {
        for place in self.places.values_mut() {
            if let Some(follow) = &mut place.follows
                && follow.leader == from
            {
                follow.leader = to;
            }
        }
    }

    fn follows(&self, key: SessionKey) -> Option<Follow> {
        self.places.get(&key)?.follows
    }

    fn follow(&mut self, key: SessionKey, follow: Option<Follow>) {
        if let Some(place) = self.places.get_mut(&key) {
            place.follows = follow;
        }
    }

    pub(super) fn family(&self, key: SessionKey) -> Option<u32> {
        self.places.get(&key).map(|place| place.family)
    }

    /// Who starts, or has started, the next process for a session.
    pub(super) fn leader_of(&self, at: usize) -> Option<SessionKey> {
        let (key, session) = self.list.get(at)?;
        if let Some(follow) = self.follows(*key)
            && self
                .get(follow.leader)
                .is_some_and(|leader| !failed(leader))
        {
            return Some(follow.leader);
        }
        let family = self.family(*key);
        let leads = |(other, leader): &&(SessionKey, Session)| {
            let starting = matches!(leader.phase, Phase::Starting { .. }) && !leader.awaits_agent();
            let newer = !failed(leader)
                && introduced(leader).is_some_and(|other| Some(other) > session.connection);
            *other != *key && self.family(*other) == family && (starting || newer)
        };
        let leaders = self.list.iter().filter(leads);
        // One that starts is newer than all that run.
        let newest = leaders.max_by_key(|(_, leader)| match leader.phase {
            Phase::Starting { .. } => (true, None),
            _ => (false, leader.connection),
        });
        newest.map(|(key, _)| *key)
    }

    /// A session has done something: whether it leads, or follows. `starts`: a process starts for it.
    pub(super) fn came_from(&mut self, at: usize, starts: bool, signed_in: bool) {
        let Some((key, session)) = self.list.get(at) else {
            return;
        };
        let key = *key;
        if session.awaits_agent() {
            if self.follows(key).is_none()
                && let Some(leader) = self.leader_of(at)
            {
                self.follow(key, Some(Follow { leader, signed_in }));
            }
        } else if starts {
            self.follow(key, None);
            let leader = key;
            for fellow in self.fellows(key) {
                self.follow(fellow, Some(Follow { leader, signed_in }));
                self.repoint(fellow, leader);
            }
        }
    }

    /// All others of the family, on whichever process: one may have stayed on an older one, when the
    /// next failed to start.
    fn fellows(&self, of: SessionKey) -> Vec<SessionKey> {
        let family = self.family(of);
        let keys = self.list.iter().map(|(key, _)| *key);
        keys.filter(|key| *key != of && self.family(*key) == family)
            .collect()
    }

    /// All that are without an agent when a session has its agent ended: whom that process serves,
    /// and who waits for it.
    pub(super) fn ended_with(&mut self, at: usize) -> Vec<usize> {
        let Some((key, session)) = self.list.get(at) else {
            return Vec::new();
        };
        let follow = self.follows(*key).filter(|_| session.awaits_agent());
        let leader = follow.map_or(*key, |follow| follow.leader);
        let connection = self.get(leader).and_then(|leader| leader.connection);
        let on =
            |session: &Session| session.connection.is_some() && session.connection == connection;
        let ends = |(key, session): &(SessionKey, Session)| {
            let waits_for = self.follows(*key).filter(|_| session.awaits_agent());
            let waits = waits_for.is_some_and(|follow| {
                follow.leader == leader || self.get(follow.leader).is_some_and(on)
            });
            *key == leader || on(session) || waits
        };
        let mut all: Vec<usize> = (0..self.list.len())
            .filter(|other| self.list.get(*other).is_some_and(ends))
            .collect();
        if !all.contains(&at) {
            all.push(at);
        }
        for at in &all {
            if let Some((key, _)) = self.list.get(*at) {
                self.follow(*key, None);
            }
        }
        all
    }

    /// Sessions with the same agent in processes of their own, that wait for a sign-in. One of each
    /// family: it takes the others along.
    pub(super) fn waiting_elsewhere(&self, at: usize) -> Vec<usize> {
        let Some((key, session)) = self.list.get(at) else {
            return Vec::new();
        };
        let mut families = vec![self.family(*key)];
        let mut found = Vec::new();
        for (other, (key, waiting)) in self.list.iter().enumerate() {
            let same = waiting.config.agent == session.config.agent
                && waiting.config.command == session.config.command;
            let choosing = matches!(
                waiting.phase,
                Phase::SignIn {
                    step: SignInStep::Choosing,
                    ..
                }
            );
            let family = self.family(*key);
            if same && choosing && !families.contains(&family) {
                families.push(family);
                found.push(other);
            }
        }
        found
    }

    fn opening_on(&self, connection: ConnectionId) -> usize {
        let opening = self.list.iter().filter(|(_, session)| {
            session.connection == Some(connection) && matches!(session.phase, Phase::Opening { .. })
        });
        opening.count()
    }
}

/// The connection of a session whose agent has introduced itself.
fn introduced(session: &Session) -> Option<ConnectionId> {
    let starting = matches!(session.phase, Phase::Starting { .. });
    session.connection.filter(|_| !starting)
}

fn failed(session: &Session) -> bool {
    matches!(session.phase, Phase::Failed { .. })
}
