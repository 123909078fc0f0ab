//! Decoding as a whole.

mod accounts;
mod compactions;
mod elicitations;
mod limits;
mod notices;
mod plans;
mod properties;
mod recordings;
mod replies;
mod requests;
mod subagents;
mod suggestions;
mod updates;
mod v2;

use agent_client_protocol_schema::v1 as schema;
use serde_json::{Value, json};

use super::*;
use crate::model::{ConnectionId, Dialect};

fn decoder() -> Decoder {
    Decoder::new(ClientCaps::default(), Dialects::new(Dialect::default()))
}

fn key() -> RequestKey {
    RequestKey {
        connection: ConnectionId(1),
        number: 1,
    }
}

fn updates(params: &Value) -> Vec<FromAgent> {
    let mut out = Vec::new();
    decoder().notification("session/update", &params.to_string(), &mut out);
    out
}

fn event(update: &Value) -> AgentEvent {
    let said = updates(&json!({"sessionId": "s", "update": update}));
    match said.as_slice() {
        [FromAgent::Update { event, .. }] => event.clone(),
        other => panic!("{other:?}"),
    }
}

/// What an update means that is version 1 to the letter, as the schema crate writes it.
fn strictly(update: schema::SessionUpdate) -> AgentEvent {
    let params = schema::SessionNotification::new("s", update);
    let params = serde_json::to_string(&params).expect("JSON");
    let mut out = Vec::new();
    update::decode(&mut decoder(), Pass::Strict, &params, &mut out).expect("plain v1");
    match out.pop() {
        Some(FromAgent::Update { event, .. }) => event,
        other => panic!("{other:?}"),
    }
}
