//! Decoding as a whole.

mod elicitations;
mod newer;
mod properties;
mod recordings;
mod replies;
mod requests;
mod subagents;
mod updates;

use serde_json::Value;

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
