//! ACP version 2, a draft: its own codec, apart from [version 1's](super::decode), with the same
//! words above it.
//!
//! Read by views of our own, and built as plain JSON, not by the schema crate's types: its feature
//! `unstable_protocol_v2` takes that crate from 29 to 65 s of compiling in a release build (12 to 24 s
//! in a debug one) and its library from 19 to 39 MB, for types that would be taken apart again here.
//! So there is no cargo feature for it either, and no second set of builds to be tested. What is sent is
//! held against the published schema by the tests, and what it says to the reading of each member
//! stands in [`read`].
//!
//! The draft changes; what is unknown in it is kept and shown as such, what is known and malformed is
//! an error (V2-RPC-02). There are no dialects of it.

mod blocks;
mod diff;
mod elicitation;
mod encode;
mod lists;
mod message;
mod permission;
mod read;
mod reply;
mod state;
mod terminal;
mod tool;
mod update;

#[cfg(test)]
mod tests;

pub use encode::send;

use super::decode::elicitation::{completed, message};
use crate::{
    model::{
        CallResult, CallTag, ClientCaps, FromAgent, HostRequest, RequestKey, RpcError, SessionId,
        code,
    },
    rpc::{Aside, Protocol},
};

/// Version 2, as the agent's side speaks it.
pub struct Decoder {
    caps: ClientCaps,
    aside: Aside,
    /// Nearly all messages name the session of the one before: its id is shared, not copied.
    session: Option<SessionId>,
}

impl Decoder {
    /// `caps` is what `initialize` offers: methods beyond it are answered with -32601.
    pub fn new(caps: ClientCaps) -> Self {
        Self {
            caps,
            aside: Aside::default(),
            session: None,
        }
    }

    fn session(&mut self, id: &str) -> SessionId {
        match &self.session {
            Some(last) if last.as_str() == id => last.clone(),
            _ => self.session.insert(SessionId::new(id)).clone(),
        }
    }
}

impl Protocol for Decoder {
    fn notification(&mut self, method: &str, params: &str, out: &mut Vec<FromAgent>) {
        match method {
            "session/update" => update::decode(self, params, out),
            "elicitation/complete" => {
                let done = completed(params);
                out.extend(done.map(|id| FromAgent::ElicitationDone { id }));
            }
            _ => {}
        }
    }

    fn request(
        &mut self,
        key: RequestKey,
        method: &str,
        params: &str,
    ) -> Result<FromAgent, RpcError> {
        let offers_elicitation = self.caps.elicitation_form || self.caps.elicitation_url;
        let request = match method {
            "session/request_permission" => permission::decode(self, params)
                .map(|request| HostRequest::Permission(Box::new(request)))
                .map_err(|_| {
                    RpcError::new(code::INVALID_PARAMS, format!("Invalid params for {method}"))
                })?,
            "elicitation/create" if offers_elicitation => elicitation::decode(self, params)
                .map(|request| HostRequest::Elicitation(Box::new(request)))
                .map_err(|unusable| unusable.error())?,
            _ => {
                if method == "elicitation/create" {
                    let message = message(params);
                    self.aside.said.push(FromAgent::Unasked { message });
                }
                let method: String = method.chars().take(100).collect();
                return Err(RpcError::new(
                    code::METHOD_NOT_FOUND,
                    format!("Method not found: {method}"),
                ));
            }
        };
        Ok(FromAgent::Request { key, request })
    }

    fn result(&mut self, call: &CallTag, result: &str) -> CallResult {
        reply::decode(call, result)
    }

    fn takes_null_ids(&self) -> bool {
        false
    }

    fn aside(&mut self) -> Aside {
        std::mem::take(&mut self.aside)
    }
}
