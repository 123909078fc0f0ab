//! Messages of agents that are not plain ACP v1, translated into it at the edge; and our messages, translated for
//! agents that expect another form.
//!
//! One function per direction works on JSON, between the line reader and the typed layer:
//! [`Dialects::incoming`] on what does not read as v1 (that is tried first), [`Dialects::outgoing`]
//! for a profile that names rows. Everything above sees only v1. Nothing that could approve, write
//! or run something is guessed: a request whose session or options cannot be understood stays as it
//! is, and is declined.
//!
//! Rows of class T that are only reported here, because the typed layer takes them as they
//! are: D-04 and D-05 (the envelope), D-12 and D-13 (paths and `oldText` are passed on; the host and the view
//! judge them), D-14, D-17, D-22, D-24, D-26, D-27, D-28, D-29.

mod answers;
mod content;
mod memory;
mod method;
mod models;
mod option_kind;
mod outgoing;
mod requests;
mod updates;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use self::memory::Memory;
pub use self::method::ClientMethod;
use crate::model::{Call, CallTag, Dialect, DialectHint, DialectRow, PromptBlock};

type Object = Map<String, Value>;

/// One connection's dialect, and what its two directions have to remember for each other. A clone is
/// the same.
#[derive(Clone)]
pub struct Dialects {
    dialect: Dialect,
    memory: Arc<Mutex<Memory>>,
}

/// The part of a message to translate into v1.
pub enum Incoming<'a> {
    /// Params of `session/update`.
    Update(&'a mut Value),
    Request(ClientMethod, &'a mut Value),
    Result(&'a CallTag, &'a mut Value),
    Error(&'a CallTag, &'a mut Value),
}

/// What became of it.
#[derive(Default)]
pub struct Heard {
    /// It is another than before.
    pub changed: bool,
    /// It is unknown which session it belongs to: drop it (D-11).
    pub lost: bool,
    /// For the person, each once.
    pub hints: Vec<DialectHint>,
    /// The protocol's version as it was named, where that was taken for 1 (V1-INIT-04).
    pub odd_version: Option<String>,
}

impl Dialects {
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            memory: Arc::default(),
        }
    }

    /// Translates a message of the agent into v1, as far as the dialect goes. What is v1 already stays
    /// as it is.
    pub fn incoming(&self, message: Incoming<'_>) -> Heard {
        self.at_edge(|edge| match message {
            Incoming::Update(params) => updates::normalise(edge, params),
            Incoming::Request(method, params) => requests::normalise(edge, method, params),
            Incoming::Result(call, result) => answers::result(edge, call, result),
            Incoming::Error(call, error) => answers::error(edge, call, error),
        })
    }

    /// Translates a call of ours into the agent's dialect, and returns its method there. Only what a profile
    /// names, and the one option that stands for the older `models`, are translated.
    pub fn outgoing(&self, method: &'static str, params: &mut Value) -> &'static str {
        let mut said = method;
        self.at_edge(|edge| said = outgoing::translate(edge, method, params));
        said
    }

    /// Whether [`outgoing`](Self::outgoing) may have something to say to a call.
    pub fn may_translate(&self, call: &CallTag) -> bool {
        self.dialect.is_named()
            || matches!(call, CallTag::SetConfigOption { option, .. } if models::is_option(option))
    }

    /// Notes a call that goes out: later it shows which session a message is for.
    pub fn sent(&self, call: &CallTag) {
        self.at_edge(|edge| edge.memory.sent(call));
    }

    /// What a call holds that an agent may refuse: MCP servers for a session, links in a prompt.
    pub fn note_contents(&self, call: &Call) {
        let setup = match call {
            Call::NewSession(setup)
            | Call::LoadSession { setup, .. }
            | Call::ResumeSession { setup, .. }
            | Call::ForkSession { setup, .. } => setup,
            Call::Prompt { blocks, .. } => {
                let linked = blocks
                    .iter()
                    .any(|block| matches!(block, PromptBlock::ResourceLink { .. }));
                self.at_edge(|edge| edge.memory.linked = linked);
                return;
            }
            _ => return,
        };
        self.at_edge(|edge| edge.memory.offered_servers = !setup.mcp_servers.is_empty());
    }

    /// A message showed a row by what stands around it; whether it is taken.
    pub fn takes(&self, row: DialectRow) -> Heard {
        self.at_edge(|edge| {
            edge.takes(row);
        })
    }

    /// A request that only the thread protocol has (D-43): a sign of it before a session is open.
    pub fn speaks_threads(&self) -> Heard {
        self.at_edge(|edge| {
            if !edge.memory.has_sessions() {
                edge.hint(DialectHint::Threads);
            }
        })
    }

    /// `initialize` was answered without `jsonrpc`: by the thread protocol, which does not have that
    /// method (D-43), or by an agent all of whose answers are so (D-04).
    pub fn answered_bare(&self, error: Option<&Value>) -> Heard {
        self.at_edge(|edge| match error {
            Some(error) if answers::is_unknown_method(error) => edge.hint(DialectHint::Threads),
            _ => edge.wanted(DialectRow::BareResponses),
        })
    }

    /// Whether answers without `jsonrpc` or `id` are answers (D-04).
    pub fn takes_bare_answers(&self) -> bool {
        self.dialect.takes(DialectRow::BareResponses)
    }

    /// Whether an option list of the agent has to be looked at, though it reads as v1 (D-21).
    pub fn adds_options(&self) -> bool {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.has_models()
    }

    fn at_edge(&self, act: impl FnOnce(&mut Edge<'_>)) -> Heard {
        // Whole after every statement, so a panic elsewhere does not spoil it.
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let mut edge = Edge {
            dialect: self.dialect,
            memory: &mut memory,
            heard: Heard::default(),
        };
        act(&mut edge);
        edge.heard
    }
}

/// One message under way.
struct Edge<'a> {
    dialect: Dialect,
    memory: &'a mut Memory,
    heard: Heard,
}

impl Edge<'_> {
    /// Whether the dialect takes this row, which the message shows: then the message is to be translated.
    fn takes(&mut self, row: DialectRow) -> bool {
        if !self.dialect.takes(row) {
            return false;
        }
        self.heard.changed = true;
        if self.dialect.detects(row) {
            self.hint(DialectHint::Detected(row));
        }
        true
    }

    /// Hints at the row that an agent seems to need, since it refused v1 and the profile does not name the row.
    fn wanted(&mut self, row: DialectRow) {
        if !self.dialect.names(row) {
            self.hint(DialectHint::Wanted(row));
        }
    }

    /// A session with MCP servers was refused, and the profile names none of the other forms.
    fn hint_servers(&mut self) {
        let forms = [
            DialectRow::LocalMcp,
            DialectRow::ObjectEnv,
            DialectRow::UnionMcp,
        ];
        if !forms.iter().any(|row| self.dialect.names(*row)) {
            self.hint(DialectHint::McpServers);
        }
    }

    fn hint(&mut self, hint: DialectHint) {
        if self.memory.told.insert(hint) {
            self.heard.hints.push(hint);
        }
    }
}

/// Absent, or `null`.
fn is_absent(member: Option<&Value>) -> bool {
    member.is_none_or(Value::is_null)
}

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}
