//! Answers of the agent to our calls.

use agent_client_protocol_schema::v1 as schema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    auth_method::auth_method,
    listing, options,
    provider::providers,
    view::{Member, Misfit, Pass, object},
};
use crate::{
    acp::encode::method,
    model::{
        AgentCaps, CallResult, CallTag, Initialized, McpCaps, PromptCaps, RpcError, SessionId,
        SessionOpened, StopReason, TurnTokens, code,
    },
    text::SafeText,
};

/// Reads a result; one that lacks what it must have is a failure of the call.
pub fn decode(call: &CallTag, result: &str) -> CallResult {
    // Nothing here is typed strictly: absent and odd members are defaults (D-27), and null is as good
    // as `{}` (V1-RPC-26).
    let result = if result == "null" { "{}" } else { result };
    let decoded = match call {
        CallTag::Initialize => initialized(result),
        CallTag::Authenticate { .. } => Ok(CallResult::Authenticated),
        CallTag::Logout => Ok(CallResult::LoggedOut),
        CallTag::ListProviders => providers(result)
            .map(CallResult::ProvidersListed)
            .ok_or("has no providers"),
        CallTag::SetProvider { .. } => Ok(CallResult::ProviderSet),
        CallTag::DisableProvider { .. } => Ok(CallResult::ProviderDisabled),
        CallTag::NewSession | CallTag::ForkSession { .. } => {
            session(result).and_then(|opened| match &opened.id {
                Some(_) => Ok(CallResult::SessionOpened(Box::new(opened))),
                None => Err("has no sessionId"),
            })
        }
        CallTag::LoadSession { .. } | CallTag::ResumeSession { .. } => {
            session(result).map(|opened| CallResult::SessionOpened(Box::new(opened)))
        }
        CallTag::CloseSession { .. } => Ok(CallResult::SessionClosed),
        CallTag::DeleteSession { .. } => Ok(CallResult::SessionDeleted),
        CallTag::SetTitle { .. } => title_set(result),
        CallTag::ListSessions { .. } => listing::page(result)
            .map(CallResult::SessionsListed)
            .ok_or(NO_OBJECT),
        CallTag::Prompt { .. } => Ok(prompt_done(result)),
        CallTag::CancelToolCall { .. } | CallTag::CancelTerminal { .. } => {
            Ok(CallResult::CancelAccepted)
        }
        CallTag::SetMode { .. } => Ok(CallResult::ModeSet),
        CallTag::SetConfigOption { .. } => config_set(result),
    };
    decoded.unwrap_or_else(|fault| {
        let message = format!("the agent's answer to {} {fault}", method(call));
        CallResult::Failed(RpcError::new(code::INTERNAL, message))
    })
}

type Fault = &'static str;
const NO_OBJECT: Fault = "is no object";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialize<'a> {
    #[serde(borrow)]
    protocol_version: Member<'a>,
    #[serde(borrow)]
    agent_capabilities: Member<'a>,
    #[serde(borrow)]
    agent_info: Member<'a>,
    #[serde(borrow)]
    auth_methods: Member<'a>,
}

fn initialized(result: &str) -> Result<CallResult, Fault> {
    let answer: Initialize<'_> = object(result).ok_or(NO_OBJECT)?;
    let loose = Pass::Loose;
    let read = |answer: &Initialize<'_>| {
        let info = loose.read::<Value>(answer.agent_info)?.unwrap_or_default();
        let text = |key: &str| info.get(key).and_then(Value::as_str).map(SafeText::line);
        let caps = loose.object::<schema::AgentCapabilities>(answer.agent_capabilities)?;
        let methods = loose.list(answer.auth_methods, |raw| {
            let method = loose.read::<Value>(Some(raw))?;
            Ok(method.as_ref().and_then(auth_method))
        })?;
        Ok::<_, Misfit>(Initialized {
            protocol_version: version(loose.read(answer.protocol_version)?),
            odd_version: None,
            agent_name: text("title").or_else(|| text("name")),
            agent_version: text("version"),
            caps: caps.map(agent_caps).unwrap_or_default(),
            auth_methods: methods.unwrap_or_default(),
        })
    };
    if answer.protocol_version.is_none() {
        return Err("has no protocolVersion");
    }
    let initialized = read(&answer).map_err(|Misfit| NO_OBJECT)?;
    Ok(CallResult::Initialized(Box::new(initialized)))
}

/// What is no version at all is 0, which is refused as such; text that is taken for 1 has become it
/// before (D-03).
fn version(version: Option<Value>) -> i64 {
    match version {
        Some(Value::String(text)) => {
            // MCP's are dates.
            let major = text.split(['.', '-']).next();
            let major = major.and_then(|major| major.parse().ok());
            major.filter(|major| *major != 1).unwrap_or(0)
        }
        // `1.0`; `as` saturates.
        Some(Value::Number(number)) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|float| float as i64))
            .unwrap_or(0),
        _ => 0,
    }
}

fn agent_caps(caps: schema::AgentCapabilities) -> AgentCaps {
    let prompt = &caps.prompt_capabilities;
    let session = &caps.session_capabilities;
    AgentCaps {
        sessionless: false,
        load_session: caps.load_session,
        prompt: PromptCaps {
            image: prompt.image,
            audio: prompt.audio,
            embedded_context: prompt.embedded_context,
        },
        resume: session.resume.is_some(),
        close: session.close.is_some(),
        list: session.list.is_some(),
        delete: session.delete.is_some(),
        fork: session.fork.is_some(),
        additional_directories: session.additional_directories.is_some(),
        system_prompt: session.system_prompt.is_some(),
        system_prompt_override: session
            .system_prompt
            .as_ref()
            .and_then(|prompt| prompt.mode.as_ref())
            .is_some_and(|mode| mode.override_.is_some()),
        logout: caps.auth.logout.is_some(),
        providers: caps.providers.is_some(),
        set_title: session.title.is_some(),
        mcp: McpCaps {
            stdio: true,
            http: caps.mcp_capabilities.http,
            sse: caps.mcp_capabilities.sse,
        },
        states: false,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionAnswer<'a> {
    #[serde(borrow)]
    session_id: Member<'a>,
    #[serde(borrow)]
    modes: Member<'a>,
    #[serde(borrow)]
    config_options: Member<'a>,
}

fn session(result: &str) -> Result<SessionOpened, Fault> {
    let answer: SessionAnswer<'_> = object(result).ok_or(NO_OBJECT)?;
    let loose = Pass::Loose;
    let read = || {
        let id = loose.text(answer.session_id)?;
        Ok::<_, Misfit>(SessionOpened {
            id: id.map(|id| SessionId::new(id.as_str())),
            modes: options::modes(loose, answer.modes)?,
            config_options: options::config_options(loose, answer.config_options)?
                .unwrap_or_default(),
            commands: Vec::new(),
        })
    };
    read().map_err(|Misfit| NO_OBJECT)
}

/// Whatever it says, the turn has ended (V1-PROMPT-04).
fn prompt_done(result: &str) -> CallResult {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    CallResult::PromptDone(stop_reason(&result), tokens(&result))
}

/// Nothing where the agent gives no sum: the parts differ from agent to agent (V1-PROMPT-08).
fn tokens(result: &Value) -> Option<TurnTokens> {
    let usage = result.get("usage")?;
    let count = |key| usage.get(key).and_then(Value::as_u64);
    Some(TurnTokens {
        total: count("totalTokens")?,
        input: count("inputTokens").unwrap_or_default(),
        output: count("outputTokens").unwrap_or_default(),
    })
}

fn stop_reason(result: &Value) -> StopReason {
    match result.get("stopReason") {
        Some(Value::String(reason)) => StopReason::of(reason),
        Some(other) => StopReason::Unknown(SafeText::line(&other.to_string())),
        None => StopReason::Unknown(SafeText::from("no reason given")),
    }
}

/// Only what the agent says it keeps is shown (V1-SES-20).
fn title_set(result: &str) -> Result<CallResult, Fault> {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let title = result.get("title").and_then(Value::as_str);
    title
        .map(|title| CallResult::TitleSet(SafeText::line(title)))
        .ok_or("has no title")
}

fn config_set(result: &str) -> Result<CallResult, Fault> {
    let answer: SessionAnswer<'_> = object(result).ok_or(NO_OBJECT)?;
    options::config_options(Pass::Loose, answer.config_options)
        .ok()
        .flatten()
        .map(CallResult::ConfigSet)
        .ok_or("has no configOptions")
}
