//! From [`model`](crate::model) to the wire, in both versions. Tests hold every message against the published schema of
//! its version, so that nothing is sent that it does not have (V1-META-02, V2-INIT-03).

use std::path::Path;

use serde_json::{Map, Value, json};
use tracing::debug;

use crate::{
    acp::dialect::Dialects,
    model::{
        Call, CallTag, ClientCaps, ElicitationAnswer, ExitStatus, FormValue, HostReply, Looked,
        McpServer, McpTransport, MediaBlock, Notification, OptionValue, PermissionOutcome,
        PromptBlock, Protocol, ProviderSetting, RequestKey, STEER_IDLE, STEER_METHOD, SecretPairs,
        SessionId, SessionKey, SessionSetup, SystemPrompt, ToAgent,
    },
    rpc::Peer,
};

/// Puts one message on the wire, a call in the agent's dialect.
pub fn send(
    peer: &Peer,
    dialects: &Dialects,
    protocol: Protocol,
    caller: SessionKey,
    message: ToAgent,
) {
    match message {
        ToAgent::Call(call) => send_call(peer, dialects, protocol, caller, call),
        ToAgent::Notify(Notification::Cancel { session }) => {
            peer.notify("session/cancel", json!({ "sessionId": session.as_str() }));
        }
        ToAgent::Notify(Notification::CancelCall(call)) => peer.cancel(caller, &call),
        ToAgent::Reply { key, reply } => answer(peer, key, reply),
    }
}

/// The method of a call.
pub fn method(call: &CallTag, protocol: Protocol) -> &'static str {
    let v2 = protocol == Protocol::V2;
    match call {
        CallTag::Initialize => "initialize",
        CallTag::Authenticate { .. } if v2 => "auth/login",
        CallTag::Authenticate { .. } => "authenticate",
        CallTag::Logout if v2 => "auth/logout",
        CallTag::Logout => "logout",
        CallTag::ListProviders => "providers/list",
        CallTag::SetProvider { .. } => "providers/set",
        CallTag::DisableProvider { .. } => "providers/disable",
        CallTag::NewSession => "session/new",
        // In version 2 a resume that replays the session (V2-SES-02).
        CallTag::LoadSession { .. } if !v2 => "session/load",
        CallTag::LoadSession { .. } | CallTag::ResumeSession { .. } => "session/resume",
        CallTag::ForkSession { .. } => "session/fork",
        CallTag::CloseSession { .. } => "session/close",
        CallTag::ListSessions { .. } => "session/list",
        CallTag::DeleteSession { .. } => "session/delete",
        CallTag::SetTitle { .. } => "session/set_title",
        CallTag::Prompt { .. } => "session/prompt",
        CallTag::Steer { .. } => STEER_METHOD,
        CallTag::CancelToolCall { .. } => "tool_call/cancel",
        CallTag::CancelTerminal { .. } => "terminal/cancel",
        CallTag::SetMode { .. } => "session/set_mode",
        CallTag::SetConfigOption { .. } => "session/set_config_option",
    }
}

fn send_call(peer: &Peer, dialects: &Dialects, protocol: Protocol, caller: SessionKey, call: Call) {
    let tag = call.tag();
    let method = method(&tag, protocol);
    let v2 = protocol == Protocol::V2;
    if !v2 {
        dialects.note_contents(&call);
    }
    let Some(params) = params(call, v2) else {
        return debug!(method, "a call that this version does not have");
    };
    if v2 {
        peer.call(caller, tag, method, params);
    } else {
        call_in_dialect(peer, dialects, caller, tag, method, params);
    }
}

/// A call of version 1, translated into the agent's dialect if it has one.
pub(super) fn call_in_dialect(
    peer: &Peer,
    dialects: &Dialects,
    caller: SessionKey,
    tag: CallTag,
    method: &'static str,
    plain: Value,
) {
    dialects.sent(&tag);
    if !dialects.may_translate(&tag) {
        return peer.call(caller, tag, method, plain);
    }
    let mut said = plain.clone();
    let name = dialects.outgoing(method, &mut said);
    if name == method && said == plain {
        peer.call(caller, tag, method, plain);
    } else {
        peer.call_otherwise(caller, tag, (name, said), Some((method, plain)));
    }
}

/// `None` for what that version does not have. No agent says that it can, so nothing asks for it.
fn params(call: Call, v2: bool) -> Option<Value> {
    let of = |session: SessionId| ("sessionId", session.as_str().into());
    Some(match call {
        Call::CancelToolCall { .. } | Call::CancelTerminal { .. } if !v2 => return None,
        Call::ForkSession { .. }
        | Call::SetMode { .. }
        | Call::SetTitle { .. }
        | Call::ListProviders
        | Call::SetProvider(_)
        | Call::DisableProvider { .. }
            if v2 =>
        {
            return None;
        }
        Call::Initialize { caps } if v2 => initialize_v2(caps),
        Call::Initialize { caps } => initialize_v1(caps),
        Call::Authenticate { method } => object([("methodId", method.into())]),
        Call::Logout | Call::ListProviders => object([]),
        Call::SetProvider(setting) => set_provider(setting),
        Call::DisableProvider { id } => object([("providerId", id.into())]),
        // Version 1 requires the list of servers even if it is empty.
        Call::NewSession(setup) => opening(None, setup, v2, !v2),
        Call::LoadSession { id, setup } => {
            let mut params = opening(Some(id), setup, v2, !v2);
            if v2 {
                params["replayFrom"] = json!({ "type": "start" });
            }
            params
        }
        Call::ResumeSession { id, setup } => opening(Some(id), setup, v2, false),
        Call::ForkSession { id, at, setup } => {
            let mut params = opening(Some(id), setup, v2, false);
            if let Some(message) = at {
                let fork = json!({ "version": 1, "messageId": message.as_str() });
                params["_meta"]["jetbrains"] = json!({ "air": { "fork": fork } });
            }
            params
        }
        // An empty cursor is one (V1-SES-12, V2-SES-05).
        Call::ListSessions { cwd, cursor } => {
            object([("cwd", path(&cwd)), ("cursor", cursor.into())])
        }
        Call::DeleteSession { id } | Call::CloseSession { id } => object([of(id)]),
        Call::SetTitle { session, title } => object([of(session), ("title", title.into())]),
        Call::Prompt { session, blocks } => {
            let blocks: Value = blocks.into_iter().map(block).collect();
            object([of(session), ("prompt", blocks)])
        }
        Call::Steer {
            session, blocks, ..
        } => {
            let blocks: Value = blocks.into_iter().map(block).collect();
            let idle = json!({ "steering": { "idleBehavior": STEER_IDLE } });
            object([of(session), ("prompt", blocks), ("_meta", idle)])
        }
        Call::CancelToolCall { session, id } => {
            object([of(session), ("toolCallId", id.as_str().into())])
        }
        Call::CancelTerminal { session, id } => {
            object([of(session), ("terminalId", id.as_str().into())])
        }
        Call::SetMode { session, mode } => object([of(session), ("modeId", mode.as_str().into())]),
        Call::SetConfigOption {
            session,
            option,
            value,
        } => {
            // In version 1 an id does not name its type (V1-CFG-03, V1-CFG-08).
            let (kind, value) = match value {
                OptionValue::Id(id) => (v2.then_some("id"), id.into()),
                OptionValue::Flag(flag) => (Some("boolean"), flag.into()),
            };
            let option = ("configId", option.into());
            object([of(session), option, ("type", kind.into()), ("value", value)])
        }
    })
}

/// An object without its null members.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(
        members
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

/// Nothing where there is nothing in it.
fn filled(value: Value) -> Value {
    let is_empty = match &value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if is_empty { Value::Null } else { value }
}

/// A capability: an object means yes, absence means no.
fn offer(offered: bool) -> Value {
    if offered { json!({}) } else { Value::Null }
}

/// Launch refuses what is not UTF-8.
fn path(path: &Path) -> Value {
    path.to_string_lossy().into()
}

/// Offers what works and nothing else (V1-INIT-07, V1-INIT-08, V1-INIT-14).
fn initialize_v1(caps: ClientCaps) -> Value {
    // Claude reports its commands as terminals only to a client that says it shows them so.
    // `terminal-auth` is the older name of `auth.terminal`; some agents look only for that.
    let meta = object([
        ("terminal_output", true.into()),
        ("terminal-auth", caps.login_terminal.then_some(true).into()),
    ]);
    json!({
        "protocolVersion": 1,
        "clientCapabilities": object([
            ("fs", json!({ "readTextFile": caps.read_text_file, "writeTextFile": caps.write_text_file })),
            ("terminal", caps.terminal.into()),
            ("auth", json!({ "terminal": caps.login_terminal })),
            // V1-INIT-09, V1-INIT-10, V1-INIT-11, V1-INIT-12, V1-INIT-13, V1-INIT-16: the whole contract of
            // each is built.
            ("session", object([
                ("configOptions", json!({ "boolean": {} })),
                ("notices", json!({})),
                ("compaction", json!({})),
                ("promptSuggestions", offer(caps.suggestions)),
            ])),
            ("plan", json!({})),
            ("subagents", json!({})),
            ("elicitation", elicitation(caps)),
            ("_meta", meta),
        ]),
        "clientInfo": ourselves(),
    })
}

/// Each capability is an object; absence means no (V2-INIT-03).
fn initialize_v2(caps: ClientCaps) -> Value {
    let auth = filled(object([("terminal", offer(caps.login_terminal))]));
    json!({
        "protocolVersion": 2,
        "info": ourselves(),
        "capabilities": object([("auth", auth), ("elicitation", elicitation(caps))]),
    })
}

/// Each mode by its name (V1-INIT-15).
fn elicitation(caps: ClientCaps) -> Value {
    filled(object([
        ("form", offer(caps.elicitation_form)),
        ("url", offer(caps.elicitation_url)),
    ]))
}

fn ourselves() -> Value {
    let name = env!("CARGO_PKG_NAME");
    json!({ "name": name, "title": name, "version": env!("CARGO_PKG_VERSION") })
}

/// A protocol's name is sent as it came, even if it is unknown.
fn set_provider(setting: ProviderSetting) -> Value {
    let headers = setting.headers.0.into_iter();
    let headers: Map<String, Value> = headers.map(|(name, value)| (name, value.into())).collect();
    object([
        ("providerId", setting.id.into()),
        ("apiType", setting.route.protocol.into()),
        ("baseUrl", setting.route.base_url.into()),
        ("headers", filled(headers.into())),
    ])
}

fn opening(id: Option<SessionId>, setup: SessionSetup, v2: bool, names_servers: bool) -> Value {
    let directories = setup.additional_directories.iter();
    let directories: Value = directories.map(|directory| path(directory)).collect();
    let servers = setup.mcp_servers.into_iter();
    let servers: Value = servers.map(|server| mcp_server(server, v2)).collect();
    let servers = match names_servers {
        true => servers,
        false => filled(servers),
    };
    let prompt = setup.system_prompt.map(system_prompt);
    let quiet = || json!({ "claudeCode": { "options": { "promptSuggestions": false } } });
    let meta = setup.no_suggestions.then(quiet);
    object([
        ("sessionId", id.map(|id| id.as_str().to_owned()).into()),
        ("cwd", path(&setup.cwd)),
        ("additionalDirectories", filled(directories)),
        ("mcpServers", servers),
        ("systemPrompt", prompt.into()),
        ("_meta", meta.into()),
    ])
}

/// With its `type`, which version 1 does not have over stdio (V1-MCP-01, V2-SES-06).
fn mcp_server(server: McpServer, v2: bool) -> Value {
    let pairs = |pairs: SecretPairs| -> Value {
        let pairs = pairs.0.into_iter();
        pairs
            .map(|(name, value)| object([("name", name.into()), ("value", value.into())]))
            .collect()
    };
    let name = ("name", server.name.into());
    let (kind, url, headers) = match server.transport {
        McpTransport::Stdio { command, args, env } => {
            return object([
                ("type", v2.then_some("stdio").into()),
                name,
                ("command", path(&command)),
                ("args", args.into()),
                ("env", pairs(env)),
            ]);
        }
        McpTransport::Http { url, headers } => ("http", url, headers),
        // No agent of version 2 offers SSE, so such servers were dropped earlier.
        McpTransport::Sse { url, headers } => ("sse", url, headers),
    };
    object([
        ("type", kind.into()),
        name,
        ("url", url.into()),
        ("headers", pairs(headers)),
    ])
}

/// Text only, and never without any (V1-SES-10).
fn system_prompt(prompt: SystemPrompt) -> Value {
    json!({
        "mode": if prompt.replaces { "override" } else { "append" },
        "content": [{ "type": "text", "text": prompt.text }],
    })
}

fn block(block: PromptBlock) -> Value {
    let media = |kind: &str, media: MediaBlock, uri: Option<String>| {
        object([
            ("type", kind.into()),
            ("data", media.data.as_ref().into()),
            ("mimeType", media.mime_type.into()),
            ("uri", uri.into()),
        ])
    };
    match block {
        PromptBlock::Text(text) => object([("type", "text".into()), ("text", text.into())]),
        PromptBlock::ResourceLink { uri, name, size } => {
            let size = size.and_then(|size| i64::try_from(size).ok());
            object([
                ("type", "resource_link".into()),
                ("uri", uri.into()),
                ("name", name.into()),
                ("size", size.into()),
            ])
        }
        PromptBlock::Resource { uri, text } => {
            let contents = object([("uri", uri.into()), ("text", text.into())]);
            object([("type", "resource".into()), ("resource", contents)])
        }
        PromptBlock::Image(image) => {
            let uri = (!image.passing).then(|| image.uri.clone());
            media("image", image, uri)
        }
        PromptBlock::Audio(audio) => media("audio", audio, None),
    }
}

fn answer(peer: &Peer, key: RequestKey, reply: HostReply) {
    let outcome = match reply {
        HostReply::Permission(PermissionOutcome::Selected(option)) => {
            Ok(json!({ "outcome": { "outcome": "selected", "optionId": option.as_str() } }))
        }
        HostReply::Permission(PermissionOutcome::Cancelled) => {
            Ok(json!({ "outcome": { "outcome": "cancelled" } }))
        }
        HostReply::Elicitation(answer) => Ok(elicited(answer)),
        HostReply::Content(content) => Ok(object([("content", content.into())])),
        HostReply::Done => Ok(object([])),
        HostReply::TerminalCreated(id) => Ok(json!({ "terminalId": id.as_str() })),
        HostReply::TerminalOutput(snapshot) => Ok(object([
            ("output", snapshot.output.into()),
            ("truncated", snapshot.truncated.into()),
            ("exitStatus", snapshot.exit.map(exit_status).into()),
        ])),
        HostReply::TerminalExit(status) => Ok(exit_status(status)),
        HostReply::QueueDrained { messages, waits } => {
            Ok(json!({ "messages": messages, "hasQueuedPrompt": waits }))
        }
        HostReply::Looked(looked) => Ok(looked_at(looked)),
        HostReply::Error(error) => Err(error),
    };
    peer.answer(key, outcome);
}

/// In the thread protocol's form: the adapter passes it on.
fn looked_at(looked: Looked) -> Value {
    match looked {
        Looked::File { version, content } => json!({ "version": version, "content": content }),
        Looked::Stat {
            exists,
            is_directory,
        } => json!({ "exists": exists, "isDirectory": is_directory }),
        Looked::Matches(matches) => json!({ "matches": matches }),
    }
}

fn elicited(answer: ElicitationAnswer) -> Value {
    let value = |value| match value {
        FormValue::Text(text) => Value::from(text),
        FormValue::Integer(number) => number.into(),
        FormValue::Number(number) => number.into(),
        FormValue::Boolean(yes) => yes.into(),
        FormValue::Texts(texts) => texts.into(),
    };
    let (action, content) = match answer {
        ElicitationAnswer::Accept(values) => ("accept", values),
        ElicitationAnswer::Decline => ("decline", None),
        ElicitationAnswer::Cancel => ("cancel", None),
    };
    let content: Option<Map<String, Value>> = content.map(|values| {
        let values = values.into_iter();
        values.map(|(key, filled)| (key, value(filled))).collect()
    });
    object([
        ("action", action.into()),
        ("content", content.map(Value::Object).into()),
    ])
}

/// A code that no exit can have is omitted.
fn exit_status(status: ExitStatus) -> Value {
    let code = status.code.and_then(|code| u32::try_from(code).ok());
    object([("exitCode", code.into()), ("signal", status.signal.into())])
}

#[cfg(test)]
pub(super) mod tests;
