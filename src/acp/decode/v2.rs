//! ACP version 2, a draft: the same readers as for version 1, without dialects.
//!
//! The draft changes; what is unknown in it is kept and shown as such, what is known and malformed is
//! an error (V2-RPC-02).

use super::{Decoder, Dialects, Pass, elicitation, permission, reply, update};
use crate::{
    model::{
        CallResult, CallTag, ClientCaps, Dialect, FromAgent, HostRequest,
        Protocol as AgentProtocol, RequestKey, RpcError, code,
    },
    rpc::{Aside, Protocol},
};

/// Version 2, as the agent's side speaks it.
pub struct DecoderOfV2(Decoder);

impl DecoderOfV2 {
    /// `caps` is what `initialize` offers: methods beyond it are answered with -32601.
    pub fn new(caps: ClientCaps) -> Self {
        let decoder = Decoder::new(caps, Dialects::new(Dialect::V1));
        Self(decoder.with_protocol(AgentProtocol::V2))
    }
}

impl Protocol for DecoderOfV2 {
    fn notification(&mut self, method: &str, params: &str, out: &mut Vec<FromAgent>) {
        match method {
            "session/update" if update::decode(&mut self.0, Pass::V2, params, out).is_err() => {
                let what = "session/update (malformed)";
                self.0.unreadable_update(what, params, out);
            }
            "elicitation/complete" => {
                let done = elicitation::completed(params);
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
        let decoder = &mut self.0;
        let caps = decoder.caps;
        let request = match method {
            "session/request_permission" => permission::decode(decoder, Pass::V2, params)
                .map(|request| HostRequest::Permission(Box::new(request)))
                .map_err(|_| {
                    RpcError::new(code::INVALID_PARAMS, format!("Invalid params for {method}"))
                })?,
            "elicitation/create" if caps.elicitation_form || caps.elicitation_url => {
                elicitation::decode(decoder, Pass::V2, params)
                    .map(|request| HostRequest::Elicitation(Box::new(request)))
                    .map_err(|unusable| unusable.error())?
            }
            _ => {
                if method == "elicitation/create" {
                    let message = elicitation::message(params);
                    decoder.aside.said.push(FromAgent::Unasked { message });
                }
                return Err(super::not_found(method));
            }
        };
        Ok(FromAgent::Request { key, request })
    }

    fn result(&mut self, call: &CallTag, result: &str) -> CallResult {
        reply::decode(AgentProtocol::V2, call, result)
    }

    fn takes_null_ids(&self) -> bool {
        false
    }

    fn aside(&mut self) -> Aside {
        self.0.aside()
    }
}
