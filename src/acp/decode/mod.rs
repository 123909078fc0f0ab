//! From JSON text to [`model`](crate::model), in both versions of ACP.
//!
//! One set of readers serves both; how much may be wrong with a member, and which version it is of, is a value, the
//! [`Pass`]. Readers ask it where the versions differ on the wire.
//!
//! A message of version 1 is first read strictly ([`Pass::Strict`]). If something in it does not fit, it
//! goes through the [dialects](super::dialect), and is read again with [`Pass::Loose`]: then what
//! does not fit costs only itself, and is kept as raw JSON where it would have been shown. So the common case builds
//! no tree and copies no text twice. Version 2, a draft, is read once ([`Pass::V2`]) and has no dialects: what is unknown
//! in it is kept and shown as such, what is known and malformed is an error (V2-RPC-02).
//!
//! All is read by borrowing views of our own. `recordings` and the property tests hold them against
//! the published schema.

mod account;
mod auth_method;
mod blocks;
mod capabilities;
mod claims;
mod command;
mod elicitation;
mod entity;
mod form;
mod git_patch;
mod limit;
mod listing;
mod lists;
mod message;
mod meta;
mod permission;
mod plan;
mod provider;
mod reply;
mod request;
mod state;
mod subagent;
mod suggestion;
mod terminal;
mod tool;
mod update;
mod view;

#[cfg(test)]
pub use command::find as raw_tool_input;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{
    dialect::{ClientMethod, Dialects, Heard, Incoming},
    threads,
};
use crate::{
    acp::decode::view::{Misfit, Pass},
    model::{
        AgentEvent, CallResult, CallTag, ClientCaps, Dialect, DialectRow, FromAgent, HostRequest,
        Patch, PermissionSubject, Protocol as AgentProtocol, RawJson, RequestKey, RpcError,
        SessionId, ToolCallPatch, ToolContent, code,
    },
    rpc::{Aside, Plain, Protocol, decode_error, envelope::Answers, is_wide, tree},
    text::SafeText,
};

/// Raw JSON that is kept for showing on demand: unknown things, raw inputs and outputs. Each is cut
/// to this many bytes (V1-TOOL-13).
const RAW_LIMIT: usize = 16 * 1024;

pub(super) fn raw_json(text: &str) -> RawJson {
    RawJson::bounded(text, RAW_LIMIT)
}

/// Reads what an agent sends, in both versions of ACP.
pub struct Decoder {
    caps: ClientCaps,
    dialects: Dialects,
    /// Of an agent that speaks threads the adapter makes v1.
    protocol: AgentProtocol,
    aside: Aside,
    /// The answer to `initialize` that is read has no `jsonrpc`.
    bare_start: bool,
    /// Nearly all messages name the session of the one before: its id is shared, not copied.
    session: Option<SessionId>,
}

impl Decoder {
    /// `caps` is what `initialize` offers: methods beyond it are answered with -32601.
    pub fn new(caps: ClientCaps, dialects: Dialects) -> Self {
        Self {
            caps,
            dialects,
            protocol: AgentProtocol::V1,
            aside: Aside::default(),
            bare_start: false,
            session: None,
        }
    }

    pub fn with_protocol(self, protocol: AgentProtocol) -> Self {
        let dialects = match protocol {
            AgentProtocol::V2 => Dialects::new(Dialect::V1),
            AgentProtocol::V1 | AgentProtocol::Threads => self.dialects,
        };
        Self {
            dialects,
            protocol,
            ..self
        }
    }

    fn is_v2(&self) -> bool {
        self.protocol == AgentProtocol::V2
    }

    /// The method of that name; in version 1 by its other spellings as well.
    fn method(&self, name: &str) -> Option<ClientMethod> {
        let method = ClientMethod::from_name(name)?;
        (!self.is_v2() || method.name() == name).then_some(method)
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
            // Notifications; as requests they are nothing that ACP knows.
            ClientMethod::SessionUpdate | ClientMethod::ElicitationComplete => false,
            ClientMethod::ElicitationCreate => {
                self.caps.elicitation_form || self.caps.elicitation_url
            }
            // Version 2 has none of the others.
            _ if self.is_v2() => false,
            ClientMethod::DrainQueue => true,
            ClientMethod::ReadTextFile => self.caps.read_text_file,
            ClientMethod::WriteTextFile => self.caps.write_text_file,
            ClientMethod::TerminalCreate
            | ClientMethod::TerminalOutput
            | ClientMethod::TerminalWaitForExit
            | ClientMethod::TerminalKill
            | ClientMethod::TerminalRelease => self.caps.terminal,
        }
    }

    /// An update that cannot be read, or that belongs to no session: shown, never lost (V1-RPC-25).
    fn unreadable_update(&mut self, what: &str, params: &str, out: &mut Vec<FromAgent>) {
        let session =
            tree(params).and_then(|params| Some(self.session(params.get("sessionId")?.as_str()?)));
        out.push(FromAgent::Update {
            session,
            event: AgentEvent::Unknown {
                what: SafeText::line(what),
                raw: raw_json(params),
            },
        });
    }

    /// The typed form of a request's params.
    fn read_request(
        &mut self,
        pass: Pass,
        method: ClientMethod,
        params: &str,
    ) -> Result<HostRequest, RpcError> {
        Ok(match method {
            ClientMethod::RequestPermission => {
                let request = permission::decode(self, pass, params);
                let request = request.map_err(|Misfit| request::invalid_params(method))?;
                HostRequest::Permission(Box::new(request))
            }
            ClientMethod::ElicitationCreate => {
                let request = elicitation::decode(self, pass, params);
                HostRequest::Elicitation(Box::new(request.map_err(|unusable| unusable.error())?))
            }
            _ => request::decode(method, params)
                .map_err(|error| request::lacks_member(method, &error))?,
        })
    }

    /// Keeps the hints on a message's dialect for [`Aside`].
    fn note(&mut self, mut heard: Heard) -> Heard {
        let hints = heard.hints.drain(..).map(FromAgent::Dialect);
        self.aside.said.extend(hints);
        heard
    }

    /// Params that do not read as v1, in its words if there are any for them. `None` where they are
    /// to be dropped.
    fn plain_params<'p>(&mut self, method: ClientMethod, params: &'p str) -> Option<Cow<'p, str>> {
        let Some(mut value) = tree(params) else {
            return Some(params.into());
        };
        let heard = self.note(self.dialects.incoming(match method {
            ClientMethod::SessionUpdate => Incoming::Update(&mut value),
            method => Incoming::Request(method, &mut value),
        }));
        if heard.lost {
            return None;
        }
        if !heard.changed {
            return Some(params.into());
        }
        let plain = value.to_string();
        self.aside.plain = Some(Plain::Params {
            method: method.name(),
            params: plain.clone(),
        });
        Some(plain.into())
    }

    /// Reports another spelling of a method, also in the wire log.
    fn note_spelling(&mut self, method: ClientMethod, said: &str, params: &str) {
        if said == method.name() {
            return;
        }
        if said.contains('/') {
            self.note(self.dialects.takes(DialectRow::CamelMethods));
        }
        if self.aside.plain.is_none() {
            self.aside.plain = Some(Plain::Params {
                method: method.name(),
                params: params.to_owned(),
            });
        }
    }

    /// D-12
    fn note_relative_path(&mut self) {
        self.note(self.dialects.takes(DialectRow::RelativePaths));
    }

    /// Seen in the wild: `sessionUpdate` as the method.
    fn is_update(&mut self, method: &str) -> bool {
        // Nearly all are called so.
        if method == "session/update" || self.method(method) == Some(ClientMethod::SessionUpdate) {
            return true;
        }
        if method != "sessionUpdate" {
            return false;
        }
        self.note(self.dialects.takes(DialectRow::UpdateMethod))
            .changed
    }

    /// Whether what was read strictly is a list that more belongs to (D-21).
    fn lacks_options(&self, said: &[FromAgent]) -> bool {
        let is_list = |said: &FromAgent| {
            matches!(
                said,
                FromAgent::Update {
                    event: AgentEvent::ConfigOptions(_),
                    ..
                }
            )
        };
        said.iter().any(is_list) && self.dialects.adds_options()
    }
}

fn not_found(method: &str) -> RpcError {
    let method: String = method.chars().take(100).collect();
    RpcError::new(
        code::METHOD_NOT_FOUND,
        format!("Method not found: {method}"),
    )
}

/// Whether a path in it counts from the session's directory (D-12).
fn names_relative_path(said: &FromAgent) -> bool {
    let is_relative =
        |path: &str| !path.is_empty() && !path.starts_with('/') && !path.contains(':');
    fn set<T>(patch: &Patch<Vec<T>>) -> &[T] {
        match patch {
            Patch::Set(list) => list,
            _ => &[],
        }
    }
    let in_call = |call: &ToolCallPatch| {
        let locations = set(&call.locations).iter();
        let mut paths = locations.map(|location| &*location.path);
        let content = set(&call.content).iter();
        let mut diffs = content.filter_map(|item| match item {
            ToolContent::Diff(diff) => Some(&*diff.path),
            _ => None,
        });
        paths.any(is_relative) || diffs.any(is_relative)
    };
    match said {
        FromAgent::Update {
            event: AgentEvent::ToolCall(call),
            ..
        } => in_call(call),
        FromAgent::Request { request, .. } => match request {
            HostRequest::ReadTextFile(read) => is_relative(&read.path),
            HostRequest::WriteTextFile(write) => is_relative(&write.path),
            HostRequest::TerminalCreate(create) => create.cwd.as_deref().is_some_and(is_relative),
            HostRequest::Permission(permission) => match &permission.subject {
                PermissionSubject::ToolCall(call) => in_call(call),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

impl Protocol for Decoder {
    fn notification(&mut self, method: &str, params: &str, out: &mut Vec<FromAgent>) {
        if !self.is_update(method) {
            if method == account::METHOD {
                out.extend(account::told(params).map(FromAgent::Account));
            } else if self.method(method) == Some(ClientMethod::ElicitationComplete) {
                let done = elicitation::completed(params);
                out.extend(done.map(|id| FromAgent::ElicitationDone { id }));
            }
            return;
        }
        if self.is_v2() {
            if update::decode(self, Pass::V2, params, out).is_err() {
                self.unreadable_update("session/update (malformed)", params, out);
            }
            return;
        }
        let strict = update::decode(self, Pass::Strict, params, out);
        if strict.is_err() || self.lacks_options(out) {
            out.clear();
            let Some(plain) = self.plain_params(ClientMethod::SessionUpdate, params) else {
                tracing::debug!(
                    "dropped an update without a session id: several sessions are open"
                );
                return;
            };
            if update::decode(self, Pass::Loose, &plain, out).is_err() {
                out.clear();
                self.unreadable_update("session/update", params, out);
            }
        }
        self.note_spelling(ClientMethod::SessionUpdate, method, params);
        if out.iter().any(names_relative_path) {
            self.note_relative_path();
        }
    }

    fn request(
        &mut self,
        key: RequestKey,
        method: &str,
        params: &str,
    ) -> Result<FromAgent, RpcError> {
        let said = method;
        if self.protocol == AgentProtocol::Threads && method == threads::LOOK {
            return threads::decode_look(params)
                .map(|request| FromAgent::Request { key, request })
                .ok_or_else(|| RpcError::new(code::INVALID_PARAMS, "Invalid params"));
        }
        if self.protocol == AgentProtocol::V1 && threads::is_method(method) {
            self.note(self.dialects.speaks_threads());
        }
        let method = match self.method(method) {
            Some(method) if self.is_offered(method) => method,
            method => {
                if method == Some(ClientMethod::ElicitationCreate) {
                    let message = elicitation::message(params);
                    self.aside.said.push(FromAgent::Unasked { message });
                }
                return Err(not_found(said));
            }
        };
        let request = if self.is_v2() {
            self.read_request(Pass::V2, method, params)?
        } else {
            let strict = self.read_request(Pass::Strict, method, params);
            strict.or_else(|_| {
                let plain = self.plain_params(method, params).unwrap_or_default();
                self.read_request(Pass::Loose, method, &plain)
            })?
        };
        self.note_spelling(method, said, params);
        let asked = FromAgent::Request { key, request };
        if names_relative_path(&asked) {
            self.note_relative_path();
        }
        Ok(asked)
    }

    fn result(&mut self, call: &CallTag, result: &str) -> CallResult {
        if self.is_v2() {
            return reply::decode(self.protocol, call, result);
        }
        if std::mem::take(&mut self.bare_start) {
            let why = "the agent answers without `jsonrpc`, so its answers cannot be told from its log lines";
            return CallResult::Failed(RpcError::new(code::INVALID_REQUEST, why));
        }
        if is_wide(result) {
            // The turn has ended, whatever came with it.
            let result = if let CallTag::Prompt { .. } = call {
                "{}"
            } else {
                "[]"
            };
            return reply::decode(self.protocol, call, result);
        }
        let Some(mut value) = tree(result) else {
            return reply::decode(self.protocol, call, result);
        };
        let heard = self.note(self.dialects.incoming(Incoming::Result(call, &mut value)));
        if !heard.changed {
            return reply::decode(self.protocol, call, result);
        }
        let plain = value.to_string();
        let mut result = reply::decode(self.protocol, call, &plain);
        if let (CallResult::Initialized(answer), Some(odd)) = (&mut result, &heard.odd_version) {
            answer.odd_version = Some(SafeText::line(odd));
        }
        self.aside.plain = Some(Plain::Result(plain));
        result
    }

    fn error(&mut self, call: &CallTag, error: &str) -> RpcError {
        let Some(mut value) = tree(error).filter(|_| !self.is_v2()) else {
            return decode_error(error);
        };
        let heard = self.note(self.dialects.incoming(Incoming::Error(call, &mut value)));
        let ways = auth_method::named_in_error(&value);
        let error = if heard.changed {
            let said = decode_error(error).code;
            let plain = value.to_string();
            let error = decode_error(&plain);
            self.aside.plain = Some(Plain::Error(plain));
            RpcError {
                said: (said != error.code).then_some(said),
                ..error
            }
        } else {
            decode_error(error)
        };
        RpcError {
            auth_methods: ways.into(),
            ..error
        }
    }

    fn is_literal(&self, method: &str) -> bool {
        self.method(method)
            .is_some_and(|method| method.is_literal() && self.is_offered(method))
    }

    fn takes_bare(&mut self, call: &CallTag, answer: Result<&str, &str>) -> bool {
        if self.protocol != AgentProtocol::V1 || *call != CallTag::Initialize {
            return false;
        }
        let (Ok(said) | Err(said)) = answer;
        let Some(value) = tree(said) else {
            return false;
        };
        let error = answer.is_err().then_some(&value);
        // What else agents log is no answer.
        if error.is_none() && value.get("protocolVersion").is_none() {
            return false;
        }
        self.note(self.dialects.answered_bare(error));
        self.bare_start = error.is_none();
        true
    }

    fn untagged(&mut self, method: &str) {
        if threads::is_method(method) {
            return;
        }
        self.note(self.dialects.takes(DialectRow::BareRequests));
    }

    fn answers(&self) -> Answers {
        match self.dialects.takes_bare_answers() {
            true => Answers::Bare,
            false => Answers::Tagged,
        }
    }

    fn takes_null_ids(&self) -> bool {
        !self.is_v2()
    }

    fn aside(&mut self) -> Aside {
        std::mem::take(&mut self.aside)
    }
}
