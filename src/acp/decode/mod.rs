//! From JSON text to [`proto`](crate::proto).
//!
//! A message is first read strictly as v1 ([`Pass::Strict`]). If something in it does not fit, it
//! goes through the [dialects](super::dialect), and is read again with [`Pass::Loose`]: then what
//! does not fit costs only itself, and is kept as raw JSON where it would have been shown. So both
//! passes share one code, and the common case builds no tree and copies no text twice.
//!
//! Updates and permission requests are read by borrowing views of our own: the schema crate's types
//! drop what they do not know (a status, an item of a list) and build trees of `_meta`. Everything
//! else is read by the crate's types. `recordings` and the property tests hold the two together.

mod blocks;
mod command;
mod newer;
mod options;
mod permission;
mod reply;
mod request;
mod subagent;
mod terminal_meta;
mod tool;
mod update;
mod view;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::dialect::{self, ClientMethod};
use crate::{
    acp::decode::view::{Misfit, Pass},
    proto::{
        AgentEvent, CallResult, CallTag, ClientCaps, FromAgent, RawJson, RequestKey, RpcError,
        SessionId, code,
    },
    rpc::Protocol,
    text::SafeText,
};

/// Raw JSON that is kept for showing on demand: unknown things, raw inputs and outputs. Each is cut
/// to this many bytes (V1-TOOL-13).
const RAW_LIMIT: usize = 16 * 1024;

fn raw_json(text: &str) -> RawJson {
    RawJson::bounded(text, RAW_LIMIT)
}

/// ACP v1, as the agent's side speaks it.
pub struct Decoder {
    caps: ClientCaps,
    /// Nearly all messages name the session of the one before: its id is shared, not copied.
    session: Option<SessionId>,
}

impl Decoder {
    /// `caps` is what `initialize` offers: methods beyond it are answered with -32601.
    pub fn new(caps: ClientCaps) -> Self {
        Self {
            caps,
            session: None,
        }
    }

    fn session(&mut self, id: &str) -> SessionId {
        match &self.session {
            Some(last) if last.as_str() == id => last.clone(),
            _ => self.session.insert(SessionId::new(id)).clone(),
        }
    }

    fn is_offered(&self, method: ClientMethod) -> bool {
        match method {
            ClientMethod::RequestPermission => true,
            // A notification; as a request it is nothing that ACP knows.
            ClientMethod::SessionUpdate => false,
            ClientMethod::ReadTextFile => self.caps.read_text_file,
            ClientMethod::WriteTextFile => self.caps.write_text_file,
            ClientMethod::TerminalCreate
            | ClientMethod::TerminalOutput
            | ClientMethod::TerminalWaitForExit
            | ClientMethod::TerminalKill
            | ClientMethod::TerminalRelease => self.caps.terminal,
        }
    }

    /// An update that is none, or that belongs to no session: said, never lost (V1-RPC-25).
    fn unreadable_update(&mut self, params: &str, out: &mut Vec<FromAgent>) {
        let session = serde_json::from_str::<Value>(params)
            .ok()
            .and_then(|params| Some(self.session(params.get("sessionId")?.as_str()?)));
        out.push(FromAgent::Update {
            session,
            event: AgentEvent::Unknown {
                what: SafeText::from("session/update"),
                raw: raw_json(params),
            },
        });
    }
}

/// The params in v1's words, as text again; `None` if they are no JSON.
fn normalised(method: ClientMethod, params: &str) -> Option<String> {
    let mut params = serde_json::from_str(params).ok()?;
    dialect::normalise(method, &mut params);
    serde_json::to_string(&params).ok()
}

impl Protocol for Decoder {
    fn notification(&mut self, method: &str, params: &str, out: &mut Vec<FromAgent>) {
        if ClientMethod::from_name(method) != Some(ClientMethod::SessionUpdate) {
            return;
        }
        if update::decode(self, Pass::Strict, params, out).is_ok() {
            return;
        }
        out.clear();
        let loose = normalised(ClientMethod::SessionUpdate, params)
            .ok_or(Misfit)
            .and_then(|params| update::decode(self, Pass::Loose, &params, out));
        if loose.is_err() {
            out.clear();
            self.unreadable_update(params, out);
        }
    }

    fn request(
        &mut self,
        key: RequestKey,
        method: &str,
        params: &str,
    ) -> Result<FromAgent, RpcError> {
        let method = ClientMethod::from_name(method)
            .filter(|method| self.is_offered(*method))
            .ok_or_else(|| {
                let method: String = method.chars().take(100).collect();
                RpcError::new(
                    code::METHOD_NOT_FOUND,
                    format!("Method not found: {method}"),
                )
            })?;
        let request = request::decode(self, Pass::Strict, method, params).or_else(|_| {
            let params = normalised(method, params).unwrap_or_default();
            request::decode(self, Pass::Loose, method, &params)
                .map_err(|error| request::invalid_params(method, &error))
        })?;
        Ok(FromAgent::Request { key, request })
    }

    fn result(&mut self, call: &CallTag, result: &str) -> CallResult {
        reply::decode(call, result)
    }
}
