//! Version 2 as a whole, by what is read and what is sent.

mod conversation;
mod encode;
mod properties;
mod replies;
mod requests;
mod updates;

use serde_json::{Value, json};

use super::*;
use crate::model::{AgentEvent, ConnectionId};

fn decoder() -> Decoder {
    Decoder::new(ClientCaps::default())
}

fn key() -> RequestKey {
    RequestKey {
        connection: ConnectionId(1),
        number: 1,
    }
}

/// What one update of the session `s` says.
fn event(update: Value) -> AgentEvent {
    let params = json!({"sessionId": "s", "update": update});
    let mut out = Vec::new();
    decoder().notification("session/update", &params.to_string(), &mut out);
    match out.pop() {
        Some(FromAgent::Update {
            session: Some(session),
            event,
        }) if out.is_empty() && session.as_str() == "s" => event,
        other => panic!("{other:?}"),
    }
}

fn tagged(kind: &str, mut update: Value) -> Value {
    update["sessionUpdate"] = kind.into();
    update
}

/// Whether it is said to be malformed, and so not acted on.
fn is_malformed(event: &AgentEvent) -> bool {
    matches!(event, AgentEvent::Unknown { what, .. } if what.contains("malformed"))
}
