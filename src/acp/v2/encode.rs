//! From [`model`](crate::model) to the wire. What is built here is held against the schema by all
//! tests that send it.

use serde_json::{Map, Value, json};
use tracing::debug;

use crate::{
    model::{
        Call, CallTag, ClientCaps, ElicitationAnswer, FormValue, HostReply, McpServer,
        McpTransport, Notification, OptionValue, PermissionOutcome, PromptBlock, RequestKey,
        RpcError, SecretPairs, SessionKey, SessionSetup, SystemPrompt, ToAgent, code,
    },
    rpc::Peer,
};

/// Puts one message on the wire.
pub fn send(peer: &Peer, caller: SessionKey, message: ToAgent) {
    match message {
        ToAgent::Call(call) => send_call(peer, caller, call),
        ToAgent::Notify(Notification::Cancel { session }) => {
            peer.notify("session/cancel", json!({ "sessionId": session.as_str() }));
        }
        ToAgent::Notify(Notification::CancelCall(call)) => peer.cancel(caller, &call),
        ToAgent::Reply { key, reply } => answer(peer, key, reply),
    }
}

/// The method of a call.
pub fn method(call: &CallTag) -> &'static str {
    match call {
        CallTag::Initialize => "initialize",
        CallTag::Authenticate { .. } => "auth/login",
        CallTag::Logout => "auth/logout",
        CallTag::NewSession => "session/new",
        CallTag::LoadSession { .. } | CallTag::ResumeSession { .. } => "session/resume",
        CallTag::CloseSession { .. } => "session/close",
        CallTag::ListSessions { .. } => "session/list",
        CallTag::DeleteSession { .. } => "session/delete",
        CallTag::Prompt { .. } => "session/prompt",
        CallTag::CancelToolCall { .. } => "tool_call/cancel",
        CallTag::CancelTerminal { .. } => "terminal/cancel",
        CallTag::SetConfigOption { .. } => "session/set_config_option",
        // Of version 1 only, and never sent here.
        other => crate::acp::encode::method(other),
    }
}

fn send_call(peer: &Peer, caller: SessionKey, call: Call) {
    let tag = call.tag();
    let method = method(&tag);
    let params = match call {
        Call::Initialize { caps } => initialize(caps),
        Call::Authenticate { method } => json!({ "methodId": method }),
        Call::Logout => json!({}),
        Call::NewSession(setup) => Value::Object(session(setup)),
        Call::LoadSession { id, setup } => {
            let mut params = session(setup);
            params.insert("sessionId".to_owned(), id.as_str().into());
            params.insert("replayFrom".to_owned(), json!({ "type": "start" }));
            Value::Object(params)
        }
        Call::ResumeSession { id, setup } => {
            let mut params = session(setup);
            params.insert("sessionId".to_owned(), id.as_str().into());
            Value::Object(params)
        }
        Call::ListSessions { cwd, cursor } => {
            let mut params = Map::from_iter([("cwd".to_owned(), path(&cwd))]);
            // An empty one is a cursor (V2-SES-05).
            params.extend(cursor.map(|cursor| ("cursor".to_owned(), cursor.into())));
            Value::Object(params)
        }
        Call::DeleteSession { id } | Call::CloseSession { id } => {
            json!({ "sessionId": id.as_str() })
        }
        Call::Prompt { session, blocks } => {
            let blocks: Vec<Value> = blocks.into_iter().map(block).collect();
            json!({ "sessionId": session.as_str(), "prompt": blocks })
        }
        Call::CancelToolCall { session, id } => {
            json!({ "sessionId": session.as_str(), "toolCallId": id.as_str() })
        }
        Call::CancelTerminal { session, id } => {
            json!({ "sessionId": session.as_str(), "terminalId": id.as_str() })
        }
        Call::SetConfigOption {
            session,
            option,
            value,
        } => {
            let (kind, value): (&str, Value) = match value {
                OptionValue::Id(id) => ("id", id.into()),
                OptionValue::Flag(flag) => ("boolean", flag.into()),
            };
            json!({
                "sessionId": session.as_str(), "configId": option, "type": kind, "value": value,
            })
        }
        // Version 2 has none of them: no agent says that it can, so nothing asks for them.
        Call::ForkSession { .. }
        | Call::SetMode { .. }
        | Call::SetTitle { .. }
        | Call::ListProviders
        | Call::SetProvider(_)
        | Call::DisableProvider { .. } => {
            return debug!(method, "a call that version 2 has not");
        }
    };
    peer.call(caller, tag, method, params);
}

/// Offers what works and nothing else: an object is yes, what is left out is no (V2-INIT-03).
fn initialize(caps: ClientCaps) -> Value {
    let marked = |marks: &[(&str, bool)]| {
        let marks = marks.iter().filter(|(_, offered)| *offered);
        let marks: Map<String, Value> = marks
            .map(|(name, _)| ((*name).to_owned(), json!({})))
            .collect();
        (!marks.is_empty()).then_some(Value::Object(marks))
    };
    let auth = marked(&[("terminal", caps.login_terminal)]);
    let elicitation = marked(&[
        ("form", caps.elicitation_form),
        ("url", caps.elicitation_url),
    ]);
    let mut capabilities = Map::new();
    capabilities.extend(auth.map(|auth| ("auth".to_owned(), auth)));
    capabilities.extend(elicitation.map(|modes| ("elicitation".to_owned(), modes)));
    json!({
        "protocolVersion": 2,
        "info": {
            "name": env!("CARGO_PKG_NAME"),
            "title": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
        },
        "capabilities": capabilities,
    })
}

fn path(path: &std::path::Path) -> Value {
    // One that is no UTF-8 cannot be said in JSON.
    path.to_string_lossy().into()
}

fn session(setup: SessionSetup) -> Map<String, Value> {
    let directories = setup.additional_directories.iter();
    let directories: Vec<Value> = directories.map(|directory| path(directory)).collect();
    let servers: Vec<Value> = setup.mcp_servers.into_iter().map(mcp_server).collect();
    let mut params = Map::from_iter([("cwd".to_owned(), path(&setup.cwd))]);
    if !directories.is_empty() {
        params.insert("additionalDirectories".to_owned(), directories.into());
    }
    if !servers.is_empty() {
        params.insert("mcpServers".to_owned(), servers.into());
    }
    params.extend(
        setup
            .system_prompt
            .map(|prompt| ("systemPrompt".to_owned(), system_prompt(prompt))),
    );
    params
}

/// Each with its `type` (V2-SES-06).
fn mcp_server(server: McpServer) -> Value {
    let pairs = |pairs: SecretPairs| -> Value {
        let pairs = pairs.0.into_iter();
        pairs
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect()
    };
    match server.transport {
        McpTransport::Stdio { command, args, env } => json!({
            "type": "stdio", "name": server.name, "command": path(&command), "args": args,
            "env": pairs(env),
        }),
        McpTransport::Http { url, headers } => json!({
            "type": "http", "name": server.name, "url": url, "headers": pairs(headers),
        }),
        // No agent of version 2 says that it can: they are left out before.
        McpTransport::Sse { url, headers } => json!({
            "type": "sse", "name": server.name, "url": url, "headers": pairs(headers),
        }),
    }
}

fn system_prompt(prompt: SystemPrompt) -> Value {
    json!({
        "mode": if prompt.replaces { "override" } else { "append" },
        "content": [{ "type": "text", "text": prompt.text }],
    })
}

fn block(block: PromptBlock) -> Value {
    match block {
        PromptBlock::Text(text) => json!({ "type": "text", "text": text }),
        PromptBlock::ResourceLink { uri, name, size } => {
            let mut link = json!({ "type": "resource_link", "uri": uri, "name": name });
            if let (Some(size), Some(link)) = (size, link.as_object_mut()) {
                link.insert("size".to_owned(), size.into());
            }
            link
        }
        PromptBlock::Resource { uri, text } => {
            json!({ "type": "resource", "resource": { "uri": uri, "text": text } })
        }
        PromptBlock::Image(media) => {
            let mut image =
                json!({ "type": "image", "data": &*media.data, "mimeType": media.mime_type });
            if let (false, Some(image)) = (media.passing, image.as_object_mut()) {
                image.insert("uri".to_owned(), media.uri.into());
            }
            image
        }
        PromptBlock::Audio(media) => {
            json!({ "type": "audio", "data": &*media.data, "mimeType": media.mime_type })
        }
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
        HostReply::Error(error) => Err(error),
        // Of files and terminals, which no agent can ask for in version 2.
        HostReply::Content(_)
        | HostReply::Done
        | HostReply::TerminalCreated(_)
        | HostReply::TerminalOutput(_)
        | HostReply::TerminalExit(_)
        | HostReply::Looked(_) => Err(RpcError::new(code::METHOD_NOT_FOUND, "Method not found")),
    };
    peer.answer(key, outcome);
}

fn elicited(answer: ElicitationAnswer) -> Value {
    match answer {
        ElicitationAnswer::Accept(None) => json!({ "action": "accept" }),
        ElicitationAnswer::Accept(Some(values)) => {
            let value = |value| match value {
                FormValue::Text(text) => Value::from(text),
                FormValue::Integer(number) => number.into(),
                FormValue::Number(number) => number.into(),
                FormValue::Boolean(yes) => yes.into(),
                FormValue::Texts(texts) => texts.into(),
            };
            let content: Map<String, Value> = values
                .into_iter()
                .map(|(key, filled)| (key, value(filled)))
                .collect();
            json!({ "action": "accept", "content": content })
        }
        ElicitationAnswer::Decline => json!({ "action": "decline" }),
        ElicitationAnswer::Cancel => json!({ "action": "cancel" }),
    }
}
