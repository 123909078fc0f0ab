//! Version 2 as a whole, by what is read.

mod conversation;
mod properties;
mod replies;
mod requests;
mod tool_calls;
mod updates;

use serde_json::{Value, json};

use super::{Decoder, key};
use crate::{
    acp::dialect::Dialects,
    model::{
        self, AgentEvent, CallResult, CallTag, ClientCaps, ContentBlock, Dialect, FromAgent,
        HostRequest, SessionId,
    },
    rpc::Protocol,
    text::SafeText,
};

fn decoder() -> Decoder {
    offering(ClientCaps::default())
}

fn offering(caps: ClientCaps) -> Decoder {
    let dialects = Dialects::new(Dialect::default());
    Decoder::new(caps, dialects).with_protocol(model::Protocol::V2)
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

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(SafeText::new(text))
}

fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
