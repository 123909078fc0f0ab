//! From [`model`](crate::model) to the wire, by the schema crate's types: so nothing is sent that
//! ACP v1 does not have (V1-META-02).

use agent_client_protocol_schema::{ProtocolVersion, v1 as schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    acp::dialect::Dialects,
    model::{
        Call, CallTag, ClientCaps, ElicitationAnswer, ExitStatus, FormValue, HostReply, Looked,
        McpServer, McpTransport, Notification, OptionValue, PermissionOutcome, PromptBlock,
        ProviderSetting, RequestKey, SecretPairs, SessionKey, SystemPrompt, ToAgent,
    },
    rpc::Peer,
};

/// Puts one message on the wire, a call in the agent's dialect.
pub fn send(peer: &Peer, dialects: &Dialects, caller: SessionKey, message: ToAgent) {
    match message {
        ToAgent::Call(call) => send_call(&Wire { peer, dialects }, caller, call),
        ToAgent::Notify(Notification::Cancel { session }) => {
            peer.notify("session/cancel", schema::CancelNotification::new(session.0));
        }
        ToAgent::Notify(Notification::CancelCall(call)) => peer.cancel(caller, &call),
        ToAgent::Reply { key, reply } => answer(peer, key, reply),
    }
}

/// The method of a call.
pub fn method(call: &CallTag) -> &'static str {
    match call {
        CallTag::Initialize => "initialize",
        CallTag::Authenticate { .. } => "authenticate",
        CallTag::Logout => "logout",
        CallTag::ListProviders => "providers/list",
        CallTag::SetProvider { .. } => "providers/set",
        CallTag::DisableProvider { .. } => "providers/disable",
        CallTag::NewSession => "session/new",
        CallTag::LoadSession { .. } => "session/load",
        CallTag::ResumeSession { .. } => "session/resume",
        CallTag::ForkSession { .. } => "session/fork",
        CallTag::CloseSession { .. } => "session/close",
        CallTag::ListSessions { .. } => "session/list",
        CallTag::DeleteSession { .. } => "session/delete",
        CallTag::SetTitle { .. } => "session/set_title",
        CallTag::Prompt { .. } => "session/prompt",
        CallTag::CancelToolCall { .. } => "tool_call/cancel",
        CallTag::CancelTerminal { .. } => "terminal/cancel",
        CallTag::SetMode { .. } => "session/set_mode",
        CallTag::SetConfigOption { .. } => "session/set_config_option",
    }
}

/// Where calls go.
pub(super) struct Wire<'a> {
    pub peer: &'a Peer,
    pub dialects: &'a Dialects,
}

impl Wire<'_> {
    pub fn call(
        &self,
        caller: SessionKey,
        tag: CallTag,
        method: &'static str,
        params: impl Serialize,
    ) {
        self.dialects.sent(&tag);
        if !self.dialects.has_words_for(&tag) {
            return self.peer.call(caller, tag, method, params);
        }
        let Ok(plain) = serde_json::to_value(params) else {
            return;
        };
        let mut said = plain.clone();
        let name = self.dialects.outgoing(method, &mut said);
        if name == method && said == plain {
            self.peer.call(caller, tag, method, plain);
        } else {
            self.peer
                .call_otherwise(caller, tag, (name, said), (method, plain));
        }
    }
}

fn send_call(peer: &Wire<'_>, caller: SessionKey, call: Call) {
    let tag = call.tag();
    let method = method(&tag);
    peer.dialects.holds(&call);
    match call {
        Call::Initialize { caps } => peer.call(caller, tag, method, initialize(caps)),
        Call::Authenticate { method: id } => {
            peer.call(caller, tag, method, schema::AuthenticateRequest::new(id));
        }
        Call::Logout => peer.call(caller, tag, method, schema::LogoutRequest::new()),
        Call::ListProviders => {
            peer.call(caller, tag, method, schema::ListProvidersRequest::new());
        }
        Call::SetProvider(setting) => peer.call(caller, tag, method, set_provider(setting)),
        Call::DisableProvider { id } => {
            peer.call(caller, tag, method, schema::DisableProviderRequest::new(id));
        }
        Call::NewSession(setup) => {
            let request = schema::NewSessionRequest::new(setup.cwd)
                .additional_directories(setup.additional_directories)
                .mcp_servers(mcp_servers(setup.mcp_servers))
                .system_prompt(setup.system_prompt.map(system_prompt));
            peer.call(caller, tag, method, request);
        }
        Call::LoadSession { id, setup } => {
            let request = schema::LoadSessionRequest::new(id.0, setup.cwd)
                .additional_directories(setup.additional_directories)
                .mcp_servers(mcp_servers(setup.mcp_servers))
                .system_prompt(setup.system_prompt.map(system_prompt));
            peer.call(caller, tag, method, request);
        }
        Call::ResumeSession { id, setup } => {
            let request = schema::ResumeSessionRequest::new(id.0, setup.cwd)
                .additional_directories(setup.additional_directories)
                .mcp_servers(mcp_servers(setup.mcp_servers))
                .system_prompt(setup.system_prompt.map(system_prompt));
            peer.call(caller, tag, method, request);
        }
        Call::ForkSession { id, setup } => {
            let request = schema::ForkSessionRequest::new(id.0, setup.cwd)
                .additional_directories(setup.additional_directories)
                .mcp_servers(mcp_servers(setup.mcp_servers))
                .system_prompt(setup.system_prompt.map(system_prompt));
            peer.call(caller, tag, method, request);
        }
        Call::ListSessions { cwd, cursor } => {
            let request = schema::ListSessionsRequest::new().cwd(cwd).cursor(cursor);
            peer.call(caller, tag, method, request);
        }
        Call::DeleteSession { id } => {
            peer.call(caller, tag, method, schema::DeleteSessionRequest::new(id.0));
        }
        Call::SetTitle { session, title } => {
            let request = schema::SetSessionTitleRequest::new(session.0, title);
            peer.call(caller, tag, method, request);
        }
        Call::CloseSession { id } => {
            peer.call(caller, tag, method, schema::CloseSessionRequest::new(id.0));
        }
        Call::Prompt { session, blocks } => {
            let blocks = blocks.into_iter().map(block).collect();
            peer.call(
                caller,
                tag,
                method,
                schema::PromptRequest::new(session.0, blocks),
            );
        }
        // Of version 2: in v1 nothing advertises that it can be cancelled by itself.
        Call::CancelToolCall { .. } | Call::CancelTerminal { .. } => {}
        Call::SetMode { session, mode } => {
            let request = schema::SetSessionModeRequest::new(session.0, mode.0);
            peer.call(caller, tag, method, request);
        }
        Call::SetConfigOption {
            session,
            option,
            value,
        } => {
            // A flag names its type, an id does not (V1-CFG-03, V1-CFG-08).
            let value = match value {
                OptionValue::Id(id) => schema::SessionConfigOptionValue::value_id(id),
                OptionValue::Flag(flag) => schema::SessionConfigOptionValue::boolean(flag),
            };
            let request = schema::SetSessionConfigOptionRequest::new(session.0, option, value);
            peer.call(caller, tag, method, request);
        }
    }
}

/// A protocol's name goes as it came, also one that the schema does not know.
fn set_provider(setting: ProviderSetting) -> schema::SetProviderRequest {
    let protocol = setting.route.protocol;
    let protocol = serde_json::from_value(Value::String(protocol.clone()))
        .unwrap_or(schema::LlmProtocol::Other(protocol));
    schema::SetProviderRequest::new(setting.id, protocol, setting.route.base_url)
        .headers(setting.headers.0.into_iter().collect())
}

/// Offers what works and nothing else (V1-INIT-07, V1-INIT-08, V1-INIT-14).
fn initialize(caps: ClientCaps) -> schema::InitializeRequest {
    let fs = schema::FileSystemCapabilities::new()
        .read_text_file(caps.read_text_file)
        .write_text_file(caps.write_text_file);
    // Claude reports its commands as terminals only to a client that says it shows them so.
    let mut meta = Map::from_iter([("terminal_output".to_owned(), Value::Bool(true))]);
    if caps.login_terminal {
        // The name of `auth.terminal` from before it was one: agents that know no other ask for it.
        meta.insert("terminal-auth".to_owned(), Value::Bool(true));
    }
    // V1-INIT-09, V1-INIT-10, V1-INIT-11, V1-INIT-12, V1-INIT-13: the whole contract of each
    // is built.
    let options = schema::SessionConfigOptionsCapabilities::new()
        .boolean(schema::BooleanConfigOptionCapabilities::new());
    let session = schema::ClientSessionCapabilities::new()
        .config_options(options)
        .notices(schema::NoticeCapabilities::new())
        .compaction(schema::CompactionCapabilities::new());
    let capabilities = schema::ClientCapabilities::new()
        .fs(fs)
        .terminal(caps.terminal)
        .auth(schema::AuthCapabilities::new().terminal(caps.login_terminal))
        .session(session)
        .plan(schema::PlanCapabilities::new())
        .subagents(schema::SubagentCapabilities::new())
        .meta(meta);
    let capabilities = match (caps.elicitation_form, caps.elicitation_url) {
        (false, false) => capabilities,
        (form, url) => capabilities.elicitation(
            // V1-INIT-15: each mode by name.
            schema::ElicitationCapabilities::new()
                .form(form.then(schema::ElicitationFormCapabilities::new))
                .url(url.then(schema::ElicitationUrlCapabilities::new)),
        ),
    };
    let info = schema::Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .title(env!("CARGO_PKG_NAME").to_owned());
    schema::InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(capabilities)
        .client_info(info)
}

/// Over stdio without a `type`, which v1 does not have there (V1-MCP-01).
fn mcp_servers(servers: Vec<McpServer>) -> Vec<schema::McpServer> {
    let headers = |pairs: SecretPairs| {
        let pairs = pairs.0.into_iter();
        pairs
            .map(|(name, value)| schema::HttpHeader::new(name, value))
            .collect()
    };
    let server = |server: McpServer| match server.transport {
        McpTransport::Stdio { command, args, env } => {
            let env = env.0.into_iter();
            let env = env.map(|(name, value)| schema::EnvVariable::new(name, value));
            schema::McpServer::Stdio(
                schema::McpServerStdio::new(server.name, command)
                    .args(args)
                    .env(env.collect()),
            )
        }
        McpTransport::Http {
            url,
            headers: pairs,
        } => schema::McpServer::Http(
            schema::McpServerHttp::new(server.name, url).headers(headers(pairs)),
        ),
        McpTransport::Sse {
            url,
            headers: pairs,
        } => schema::McpServer::Sse(
            schema::McpServerSse::new(server.name, url).headers(headers(pairs)),
        ),
    };
    servers.into_iter().map(server).collect()
}

/// Text only, and never without any (V1-SES-10).
fn system_prompt(prompt: SystemPrompt) -> schema::SystemPrompt {
    let text = schema::ContentBlock::Text(schema::TextContent::new(prompt.text));
    schema::SystemPrompt::new(vec![text]).mode(if prompt.replaces {
        schema::SystemPromptMode::Override
    } else {
        schema::SystemPromptMode::Append
    })
}

fn block(block: PromptBlock) -> schema::ContentBlock {
    match block {
        PromptBlock::Text(text) => schema::ContentBlock::Text(schema::TextContent::new(text)),
        PromptBlock::ResourceLink { uri, name, size } => schema::ContentBlock::ResourceLink(
            schema::ResourceLink::new(name, uri)
                .size(size.and_then(|size| i64::try_from(size).ok())),
        ),
        PromptBlock::Resource { uri, text } => {
            let contents = schema::EmbeddedResourceResource::TextResourceContents(
                schema::TextResourceContents::new(text, uri),
            );
            schema::ContentBlock::Resource(schema::EmbeddedResource::new(contents))
        }
        PromptBlock::Image(media) => schema::ContentBlock::Image(
            schema::ImageContent::new(media.data.as_ref(), media.mime_type)
                .uri((!media.passing).then_some(media.uri)),
        ),
        PromptBlock::Audio(media) => schema::ContentBlock::Audio(schema::AudioContent::new(
            media.data.as_ref(),
            media.mime_type,
        )),
    }
}

fn answer(peer: &Peer, key: RequestKey, reply: HostReply) {
    match reply {
        HostReply::Permission(outcome) => {
            let outcome = match outcome {
                PermissionOutcome::Selected(option) => schema::RequestPermissionOutcome::Selected(
                    schema::SelectedPermissionOutcome::new(option.0),
                ),
                PermissionOutcome::Cancelled => schema::RequestPermissionOutcome::Cancelled,
            };
            peer.answer(key, Ok(schema::RequestPermissionResponse::new(outcome)));
        }
        HostReply::Elicitation(answer) => {
            peer.answer(
                key,
                Ok(schema::CreateElicitationResponse::new(elicited(answer))),
            );
        }
        HostReply::Content(content) => {
            peer.answer(key, Ok(schema::ReadTextFileResponse::new(content)));
        }
        HostReply::Done => peer.answer(key, Ok(Map::<String, Value>::new())),
        HostReply::TerminalCreated(id) => {
            peer.answer(key, Ok(schema::CreateTerminalResponse::new(id.0)));
        }
        HostReply::TerminalOutput(snapshot) => {
            let response = schema::TerminalOutputResponse::new(snapshot.output, snapshot.truncated)
                .exit_status(snapshot.exit.map(exit_status));
            peer.answer(key, Ok(response));
        }
        HostReply::TerminalExit(status) => {
            let response = schema::WaitForTerminalExitResponse::new(exit_status(status));
            peer.answer(key, Ok(response));
        }
        HostReply::Looked(looked) => peer.answer(key, Ok(looked_at(looked))),
        HostReply::Error(error) => peer.answer(key, Err::<(), _>(error)),
    }
}

/// In the thread protocol's words: the adapter passes it on.
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

fn elicited(answer: ElicitationAnswer) -> schema::ElicitationAction {
    use schema::ElicitationContentValue as Value;
    match answer {
        ElicitationAnswer::Accept(content) => {
            let content = content.map(|values| {
                let values = values.into_iter().map(|(key, value)| {
                    let value = match value {
                        FormValue::Text(text) => Value::String(text),
                        FormValue::Integer(number) => Value::Integer(number),
                        FormValue::Number(number) => Value::Number(number),
                        FormValue::Boolean(yes) => Value::Boolean(yes),
                        FormValue::Texts(texts) => Value::StringArray(texts),
                    };
                    (key, value)
                });
                values.collect::<std::collections::BTreeMap<_, _>>()
            });
            schema::ElicitationAction::Accept(
                schema::ElicitationAcceptAction::new().content(content),
            )
        }
        ElicitationAnswer::Decline => schema::ElicitationAction::Decline,
        ElicitationAnswer::Cancel => schema::ElicitationAction::Cancel,
    }
}

fn exit_status(status: ExitStatus) -> schema::TerminalExitStatus {
    schema::TerminalExitStatus::new()
        .exit_code(status.code.and_then(|code| u32::try_from(code).ok()))
        .signal(status.signal)
}

#[cfg(test)]
pub(super) mod tests;
