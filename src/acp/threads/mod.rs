//! The thread protocol (D-30 to D-43): the prototype that came before ACP, behind the same core.
//!
//! An adapter of lines: to our side it is an agent that speaks v1, to the agent it is a client that
//! speaks threads. [`Threads`] is the pure part, message in, messages out; [`bridge`](mod@bridge) puts it between
//! the connection and the process. What v1 has no method for is asked of the core by methods of our
//! own, `_threads/…`, which the decoder takes only from the adapter.

mod bridge;
mod calls;
mod requests;
mod store;
#[cfg(test)]
mod tests;

use std::{collections::HashMap, time::Duration};

use serde_json::{Value, json};

pub use self::{bridge::bridge, requests::decode_look};
use self::{calls::Pending, store::Store};
use crate::model::code;

/// A turn whose prompt was answered at once is over when the agent has been silent for this long.
const QUIET: Duration = Duration::from_secs(3);
/// How long to wait for the first message of a turn, since a model may think.
const FIRST_WORD: Duration = Duration::from_secs(30);

/// Asked of the core: see [`LookAt`](crate::model::LookAt).
pub const LOOK: &str = "_threads/look";

/// Whether only an agent of threads asks so (D-43).
pub fn is_method(method: &str) -> bool {
    matches!(
        method,
        "streamMessageChunk"
            | "readTextFile"
            | "readBinaryFile"
            | "stat"
            | "globSearch"
            | "getThreads"
    )
}

/// What one message leads to, in order.
#[derive(Debug, Default)]
pub struct Out {
    pub to_agent: Vec<Value>,
    /// As v1.
    pub to_client: Vec<Value>,
}

/// The state between both sides.
#[derive(Default)]
pub struct Threads {
    /// Ids towards the agent are integers from 0 (D-30).
    calls: u64,
    pending: HashMap<u64, Pending>,
    /// Ids towards the core, and the agent's ids of what was asked.
    asks: u64,
    asked: HashMap<u64, Value>,
    store: Store,
    /// The agent ends its turns itself, so that the answer to a prompt is not their end (D-35).
    ends_turns: bool,
    /// The directory that the agent was started in: the only one there is.
    cwd: String,
}

impl Threads {
    pub fn new(cwd: String) -> Self {
        Self {
            cwd,
            ..Self::default()
        }
    }

    /// A message of ours, as v1.
    pub fn client_said(&mut self, message: &Value, out: &mut Out) {
        let params = &message["params"];
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => self.call(id, method, params, out),
            (Some("session/cancel"), None) => {
                if let Some(thread) = params["sessionId"].as_str() {
                    self.store.cancel(thread);
                    // One that was answered has nothing more to wait for.
                    self.end_turn(thread, false, out);
                }
            }
            (Some(_), None) => {}
            (None, id) => {
                let asked = id.and_then(Value::as_u64);
                if let Some(agents_id) = asked.and_then(|id| self.asked.remove(&id)) {
                    out.to_agent.push(match message.get("error") {
                        Some(error) => json!({ "id": agents_id, "error": error }),
                        None => json!({ "id": agents_id, "result": message["result"] }),
                    });
                }
            }
        }
    }

    /// A message of the agent, with `jsonrpc` or without.
    pub fn agent_said(&mut self, message: &Value, out: &mut Out) {
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), id) => {
                let id = id.cloned().unwrap_or_default();
                self.request(&id, method, &message["params"], out);
            }
            (None, Some(id)) => {
                let pending = id.as_u64().and_then(|id| self.pending.remove(&id));
                if let Some(pending) = pending {
                    let answer = match message.get("error").filter(|error| !error.is_null()) {
                        Some(error) => Err(error.clone()),
                        None => Ok(message["result"].clone()),
                    };
                    self.answered(pending, answer, out);
                }
            }
            (None, None) => {}
        }
    }

    /// For how long the agent has to be silent until the open turns are over; `None` where none waits
    /// for that.
    pub fn patience(&self) -> Option<Duration> {
        let (open, all_said) = self.store.open_ended();
        if open.is_empty() || self.ends_turns {
            return None;
        }
        Some(if all_said { QUIET } else { FIRST_WORD })
    }

    /// The agent was silent for that long.
    pub fn was_quiet(&mut self, out: &mut Out) {
        for thread in self.store.open_ended().0 {
            self.end_turn(&thread, true, out);
        }
    }

    /// Calls the agent; D-30: no `jsonrpc`, and `null` where there are no params.
    fn ask_agent(&mut self, method: &str, params: Value, pending: Pending, out: &mut Out) {
        let id = self.calls;
        self.calls += 1;
        self.pending.insert(id, pending);
        out.to_agent
            .push(json!({ "id": id, "method": method, "params": params }));
    }

    /// Asks the core for the agent, whose request has this id.
    fn ask_client(&mut self, agents_id: &Value, method: &str, params: Value, out: &mut Out) {
        self.asks += 1;
        let id = self.asks;
        self.asked.insert(id, agents_id.clone());
        out.to_client
            .push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }
}

fn update(thread: &str, update: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": { "sessionId": thread, "update": update },
    })
}

fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn failure(id: &Value, error: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

fn not_found(method: &str) -> Value {
    let method: String = method.chars().take(100).collect();
    error(
        code::METHOD_NOT_FOUND,
        &format!("Method not found: {method}"),
    )
}

fn error(code: i64, message: &str) -> Value {
    json!({ "code": code, "message": message })
}
