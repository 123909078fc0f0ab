//! What is remembered of one connection: its sessions, and what was made up for them.

use std::collections::BTreeSet;

use super::models::Models;
use crate::model::{CallTag, DialectHint};

/// Tool calls of one session whose results may come without an id. More are not waited for.
const MAX_OPEN_CALLS: usize = 1_000;

/// Bytes of their ids.
const MAX_OPEN_BYTES: usize = 256 << 10;

#[derive(Default)]
pub struct Memory {
    /// Opened by us, so there are no more than a person asks for.
    sessions: Vec<Known>,
    /// For what comes before its session is named.
    nobody: Known,
    /// Hints that were given.
    pub told: BTreeSet<DialectHint>,
    made_up: u64,
    /// The agent has answered `initialize`.
    pub initialized: bool,
    /// `session/resume` goes by its older name (D-02).
    pub resumes_by_old_name: bool,
    /// The last session was asked for with MCP servers.
    pub offered_servers: bool,
    /// The last prompt had a link to a file.
    pub linked: bool,
}

/// A session of ours.
#[derive(Default)]
pub struct Known {
    id: String,
    /// The agent has confirmed it.
    opened: bool,
    /// A prompt is open.
    running: bool,
    pub models: Option<Models>,
    /// Ids of tool calls that were made up or have no result yet, the newest last (D-07).
    open_calls: Vec<String>,
}

/// Whose a message without a session is (D-11).
pub enum Whose {
    Session(String),
    /// There is none yet.
    Nobody,
    /// There are several that it could be.
    Unclear,
}

impl Memory {
    pub fn sent(&mut self, call: &CallTag) {
        match call {
            CallTag::LoadSession { id } | CallTag::ResumeSession { id } => {
                self.add(id.as_str());
            }
            CallTag::Prompt { session } => self.session(Some(session.as_str())).running = true,
            _ => {}
        }
    }

    /// The agent has answered the call: well, or with an error.
    pub fn answered(&mut self, call: &CallTag, well: bool) {
        match call {
            CallTag::Initialize => self.initialized = true,
            CallTag::LoadSession { id } | CallTag::ResumeSession { id } if well => {
                self.opened(id.as_str());
            }
            CallTag::LoadSession { id } | CallTag::ResumeSession { id } => self
                .sessions
                .retain(|session| session.opened || session.id != id.as_str()),
            CallTag::CloseSession { id } | CallTag::DeleteSession { id } => {
                self.sessions.retain(|session| session.id != id.as_str());
            }
            CallTag::Prompt { session } => self.session(Some(session.as_str())).running = false,
            _ => {}
        }
    }

    pub fn opened(&mut self, id: &str) {
        self.add(id).opened = true;
    }

    fn add(&mut self, id: &str) -> &mut Known {
        if !self.sessions.iter().any(|session| session.id == id) {
            self.sessions.push(Known {
                id: id.to_owned(),
                ..std::mem::take(&mut self.nobody)
            });
        }
        self.session(Some(id))
    }

    /// What is known of a session; for one that is not ours, what came before any session was named.
    pub fn session(&mut self, id: Option<&str>) -> &mut Known {
        let known = id.and_then(|id| self.sessions.iter().position(|session| session.id == id));
        match known.and_then(|at| self.sessions.get_mut(at)) {
            Some(session) => session,
            None => &mut self.nobody,
        }
    }

    /// The only session; else the only one that runs, for what needs no consent.
    pub fn whose_update(&self) -> Whose {
        match self.whose_request() {
            Whose::Unclear => one(self.sessions.iter().filter(|session| session.running)),
            whose => whose,
        }
    }

    /// The only session.
    pub fn whose_request(&self) -> Whose {
        if self.sessions.is_empty() {
            return Whose::Nobody;
        }
        one(self.sessions.iter())
    }

    pub fn has_sessions(&self) -> bool {
        !self.sessions.is_empty()
    }

    pub fn has_models(&self) -> bool {
        self.sessions.iter().any(|session| session.models.is_some())
    }

    /// An id that no agent would use.
    pub fn make_up(&mut self, what: &str) -> String {
        self.made_up += 1;
        format!("acp-tui:{what}-{}", self.made_up)
    }
}

fn one<'a>(mut sessions: impl Iterator<Item = &'a Known>) -> Whose {
    match (sessions.next(), sessions.next()) {
        (Some(only), None) => Whose::Session(only.id.clone()),
        _ => Whose::Unclear,
    }
}

impl Known {
    pub fn call_opened(&mut self, id: &str) {
        let held: usize = self.open_calls.iter().map(String::len).sum();
        if self.open_calls.len() < MAX_OPEN_CALLS && held + id.len() <= MAX_OPEN_BYTES {
            self.open_calls.push(id.to_owned());
        }
    }

    /// The call that a result is of: the one named, else the newest that is open.
    pub fn call_closed(&mut self, id: Option<&str>) -> Option<String> {
        match id {
            Some(id) => {
                self.open_calls.retain(|open| open != id);
                Some(id.to_owned())
            }
            None => self.open_calls.pop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_a_result_are_bounded_in_number_and_in_bytes() {
        let long = 1 << 10;
        for (length, most) in [(4, MAX_OPEN_CALLS), (long, MAX_OPEN_BYTES / long)] {
            for count in [most - 1, most, most + 1] {
                let mut known = Known::default();
                for n in 0..count {
                    known.call_opened(&format!("{n:0length$}"));
                }
                assert_eq!(
                    known.open_calls.len(),
                    count.min(most),
                    "{count} of {length}"
                );
            }
        }
    }
}
