//! Answers of the agent to our calls.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    encode::method,
    lists,
    read::{
        Member, Misfit, Text, is_marked, items, line, lines, need, need_as, need_object, object,
        object_in, read_as,
    },
};
use crate::{
    acp::decode::listing,
    model::{
        AgentCaps, AuthMethod, AuthMethodKind, CallResult, CallTag, Initialized, McpCaps,
        MessageId, PromptCaps, RpcError, SessionId, SessionOpened, code,
    },
    text::SafeText,
};

/// Reads a result; one that is malformed is a failure of the call.
pub fn decode(call: &CallTag, result: &str) -> CallResult {
    let decoded = match call {
        CallTag::Initialize => initialized(result),
        CallTag::Authenticate { .. } => Ok(CallResult::Authenticated),
        CallTag::Logout => Ok(CallResult::LoggedOut),
        CallTag::NewSession => opened(result, true),
        CallTag::LoadSession { .. } | CallTag::ResumeSession { .. } => opened(result, false),
        CallTag::CloseSession { .. } => Ok(CallResult::SessionClosed),
        CallTag::DeleteSession { .. } => Ok(CallResult::SessionDeleted),
        CallTag::ListSessions { .. } => listing::page(result)
            .map(CallResult::SessionsListed)
            .ok_or(Misfit),
        CallTag::Prompt { .. } => accepted(result),
        CallTag::CancelToolCall { .. } | CallTag::CancelTerminal { .. } => {
            Ok(CallResult::CancelAccepted)
        }
        CallTag::SetConfigOption { .. } => config_set(result),
        // Version 2 has no such call: it was not sent.
        CallTag::ForkSession { .. }
        | CallTag::SetMode { .. }
        | CallTag::SetTitle { .. }
        | CallTag::ListProviders
        | CallTag::SetProvider { .. }
        | CallTag::DisableProvider { .. } => Err(Misfit),
    };
    decoded.unwrap_or_else(|Misfit| {
        let message = format!("the agent's answer to {} is malformed", method(call));
        CallResult::Failed(RpcError::new(code::INTERNAL, message))
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    #[serde(borrow)]
    protocol_version: Member<'a>,
    #[serde(borrow)]
    info: Member<'a>,
    /// In the answer of an agent of version 1.
    #[serde(borrow)]
    agent_info: Member<'a>,
    #[serde(borrow)]
    capabilities: Member<'a>,
    #[serde(borrow)]
    auth_methods: Member<'a>,
}

#[derive(Deserialize)]
struct Info<'a> {
    #[serde(borrow)]
    name: Member<'a>,
    #[serde(borrow)]
    title: Member<'a>,
    #[serde(borrow)]
    version: Member<'a>,
}

fn initialized(result: &str) -> Result<CallResult, Misfit> {
    let answer: Initialize<'_> = object(result).ok_or(Misfit)?;
    // In another version nothing but that and its name is looked at (V2-INIT-01): an agent of before
    // may name the version as it likes.
    let version: Option<u16> = read_as(answer.protocol_version);
    if version != Some(2) {
        let info = answer.agent_info.or(answer.info);
        let info: Option<Info<'_>> = object_in(info);
        return Ok(CallResult::Initialized(Box::new(Initialized {
            protocol_version: version.map_or(0, i64::from),
            odd_version: None,
            agent_name: info.and_then(|info| line(info.title).or_else(|| line(info.name))),
            agent_version: None,
            caps: AgentCaps::default(),
            auth_methods: Vec::new(),
        })));
    }
    let info: Info<'_> = need_object(answer.info)?;
    let auth_methods: Vec<AuthMethod> = items(answer.auth_methods, auth_method).unwrap_or_default();
    let name = SafeText::line(need(info.name)?.as_str());
    Ok(CallResult::Initialized(Box::new(Initialized {
        protocol_version: 2,
        odd_version: None,
        agent_name: Some(line(info.title).unwrap_or(name)),
        agent_version: Some(SafeText::line(need(info.version)?.as_str())),
        caps: AgentCaps {
            // There is no other marker for it (V2-AUTH-03).
            logout: !auth_methods.is_empty(),
            ..capabilities(answer.capabilities)
        },
        auth_methods,
    })))
}

/// An object is yes; what is absent, null or something else is no (V2-INIT-03).
fn capabilities(member: Member<'_>) -> AgentCaps {
    #[derive(Deserialize, Default)]
    struct Capabilities<'a> {
        #[serde(borrow)]
        session: Member<'a>,
    }
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Session<'a> {
        #[serde(borrow)]
        prompt: Member<'a>,
        #[serde(borrow)]
        mcp: Member<'a>,
        #[serde(borrow)]
        delete: Member<'a>,
        #[serde(borrow)]
        additional_directories: Member<'a>,
        #[serde(borrow)]
        system_prompt: Member<'a>,
    }
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Prompt<'a> {
        #[serde(borrow)]
        image: Member<'a>,
        #[serde(borrow)]
        audio: Member<'a>,
        #[serde(borrow)]
        embedded_context: Member<'a>,
    }
    #[derive(Deserialize, Default)]
    struct Mcp<'a> {
        #[serde(borrow)]
        stdio: Member<'a>,
        #[serde(borrow)]
        http: Member<'a>,
    }
    #[derive(Deserialize, Default)]
    struct SystemPrompt<'a> {
        #[serde(borrow)]
        mode: Member<'a>,
    }
    #[derive(Deserialize, Default)]
    struct Modes<'a> {
        #[serde(borrow)]
        r#override: Member<'a>,
    }
    let all: Capabilities<'_> = object_in(member).unwrap_or_default();
    let has_sessions = is_marked(all.session);
    let session: Session<'_> = object_in(all.session).unwrap_or_default();
    let prompt: Prompt<'_> = object_in(session.prompt).unwrap_or_default();
    let mcp: Mcp<'_> = object_in(session.mcp).unwrap_or_default();
    let system: SystemPrompt<'_> = object_in(session.system_prompt).unwrap_or_default();
    let modes: Modes<'_> = object_in(system.mode).unwrap_or_default();
    AgentCaps {
        sessionless: !has_sessions,
        // Baseline of every agent that has sessions (V2-INIT-04); a resume that replays is a load.
        load_session: has_sessions,
        resume: has_sessions,
        close: has_sessions,
        list: has_sessions,
        delete: is_marked(session.delete),
        fork: false,
        additional_directories: is_marked(session.additional_directories),
        system_prompt: is_marked(session.system_prompt),
        system_prompt_override: is_marked(modes.r#override),
        logout: false,
        providers: false,
        set_title: false,
        mcp: McpCaps {
            stdio: is_marked(mcp.stdio),
            http: is_marked(mcp.http),
            sse: false,
        },
        prompt: PromptCaps {
            image: is_marked(prompt.image),
            audio: is_marked(prompt.audio),
            embedded_context: is_marked(prompt.embedded_context),
        },
        states: true,
    }
}

fn auth_method(raw: &RawValue) -> Result<AuthMethod, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Method<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        method_id: Member<'a>,
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        #[serde(borrow)]
        args: Member<'a>,
        #[serde(borrow)]
        env: Member<'a>,
    }
    let method: Method<'_> = object(raw.get()).ok_or(Misfit)?;
    let kind = match method.kind.as_str() {
        "agent" => AuthMethodKind::Agent,
        "terminal" => AuthMethodKind::Terminal {
            args: match method.args {
                Some(args) => need_as(Some(args))?,
                None => Vec::new(),
            },
            env: match method.env {
                Some(env) => variables(env)?,
                None => Vec::new(),
            },
        },
        other => AuthMethodKind::Unsupported(SafeText::line(other)),
    };
    Ok(AuthMethod {
        id: need(method.method_id)?.into_string(),
        name: SafeText::line(need(method.name)?.as_str()),
        description: lines(method.description),
        kind,
    })
}

/// Of two of one name the last one holds (V2-AUTH-02).
fn variables(raw: &RawValue) -> Result<Vec<(String, String)>, Misfit> {
    #[derive(Deserialize)]
    struct Variable {
        name: String,
        value: String,
    }
    let listed: Vec<Variable> = need_as(Some(raw))?;
    let mut variables: Vec<(String, String)> = Vec::with_capacity(listed.len());
    for Variable { name, value } in listed {
        // No system takes others.
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Misfit);
        }
        variables.retain(|(known, _)| *known != name);
        variables.push((name, value));
    }
    Ok(variables)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(borrow)]
    session_id: Member<'a>,
    #[serde(borrow)]
    config_options: Member<'a>,
    #[serde(borrow)]
    available_commands: Member<'a>,
    #[serde(borrow)]
    message_id: Member<'a>,
}

fn opened(result: &str, names: bool) -> Result<CallResult, Misfit> {
    let answer: Answer<'_> = object(result).ok_or(Misfit)?;
    let id = match names {
        true => Some(SessionId::new(need(answer.session_id)?.as_str())),
        false => None,
    };
    Ok(CallResult::SessionOpened(Box::new(SessionOpened {
        id,
        modes: None,
        config_options: lists::config_options(answer.config_options).unwrap_or_default(),
        commands: lists::commands(answer.available_commands).unwrap_or_default(),
    })))
}

fn accepted(result: &str) -> Result<CallResult, Misfit> {
    let answer: Answer<'_> = object(result).ok_or(Misfit)?;
    Ok(CallResult::PromptAccepted {
        message: MessageId::new(need(answer.message_id)?.as_str()),
    })
}

fn config_set(result: &str) -> Result<CallResult, Misfit> {
    let answer: Answer<'_> = object(result).ok_or(Misfit)?;
    let options = lists::config_options(answer.config_options).ok_or(Misfit)?;
    Ok(CallResult::ConfigSet(options))
}
