//! Answers of the agent to our calls.

use serde_json::Value;

use super::{
    auth_method::{auth_method, auth_method_of_v2},
    capabilities::{agent_caps, steering},
    listing, lists,
    provider::providers,
    view::{Misfit, Pass, members, need, need_line, need_object, object},
};
use crate::{
    acp::encode::method,
    model::{
        AgentCaps, CallResult, CallTag, FORK_AT_MESSAGE, Initialized, MessageId, Protocol,
        RpcError, SessionId, SessionOpened, SteerOutcome, StopReason, TurnTokens, code,
    },
    text::SafeText,
};

/// How version 1 reads answers. Nothing is typed strictly: absent and odd members are defaults (D-27).
const LOOSE: Pass = Pass::Loose;

/// Reads a result; one that lacks what it must have is a failure of the call.
pub fn decode(protocol: Protocol, call: &CallTag, result: &str) -> CallResult {
    let v2 = protocol == Protocol::V2;
    let pass = if v2 { Pass::V2 } else { LOOSE };
    // Null is as good as `{}` (V1-RPC-26).
    let result = if result == "null" && !v2 {
        "{}"
    } else {
        result
    };
    let decoded = match call {
        CallTag::ForkSession { .. }
        | CallTag::SetMode { .. }
        | CallTag::SetTitle { .. }
        | CallTag::ListProviders
        | CallTag::SetProvider { .. }
        | CallTag::DisableProvider { .. }
            if v2 =>
        {
            // Version 2 has no such call: it was not sent.
            Err(Misfit.into())
        }
        CallTag::Initialize if v2 => initialized_v2(result),
        CallTag::Initialize => initialized(result),
        CallTag::Authenticate { .. } => Ok(CallResult::Authenticated),
        CallTag::Logout => Ok(CallResult::LoggedOut),
        CallTag::ListProviders => providers(result)
            .ok()
            .flatten()
            .map(CallResult::ProvidersListed)
            .ok_or(Fault("has no providers")),
        CallTag::SetProvider { .. } => Ok(CallResult::ProviderSet),
        CallTag::DisableProvider { .. } => Ok(CallResult::ProviderDisabled),
        CallTag::NewSession | CallTag::ForkSession { .. } => opened(pass, result, true),
        CallTag::LoadSession { .. } | CallTag::ResumeSession { .. } => opened(pass, result, false),
        CallTag::CloseSession { .. } => Ok(CallResult::SessionClosed),
        CallTag::DeleteSession { .. } => Ok(CallResult::SessionDeleted),
        CallTag::SetTitle { .. } => title_set(result),
        CallTag::ListSessions { .. } => listing::page(result)
            .map(CallResult::SessionsListed)
            .map_err(|Misfit| NO_OBJECT),
        CallTag::Prompt { .. } if v2 => accepted(result),
        CallTag::Prompt { .. } => Ok(prompt_done(result)),
        CallTag::Steer { .. } => steered(result),
        CallTag::CancelToolCall { .. } | CallTag::CancelTerminal { .. } => {
            Ok(CallResult::CancelAccepted)
        }
        CallTag::SetMode { .. } => Ok(CallResult::ModeSet),
        CallTag::SetConfigOption { .. } => config_set(pass, result),
    };
    decoded.unwrap_or_else(|Fault(fault)| {
        // In version 2 nothing is repaired: the answer is malformed.
        let fault = if v2 { "is malformed" } else { fault };
        let message = format!("the agent's answer to {} {fault}", method(call, protocol));
        CallResult::Failed(RpcError::new(code::INTERNAL, message))
    })
}

/// What is wrong with an answer, as it goes on after its name.
struct Fault(&'static str);

const NO_OBJECT: Fault = Fault("is not an object");

impl From<Misfit> for Fault {
    fn from(_: Misfit) -> Self {
        Self("is malformed")
    }
}

members!(struct Initialize {
    protocol_version,
    agent_capabilities,
    agent_info,
    auth_methods,
    /// The names of two of them in version 2.
    capabilities,
    info,
    meta = "_meta",
});

members!(#[derive(Default)] struct Info {
    name,
    title,
    version,
});

impl Info<'_> {
    /// For people.
    fn title(&self) -> Result<Option<SafeText>, Misfit> {
        Ok(LOOSE.line(self.title)?.or(LOOSE.line(self.name)?))
    }
}

fn forks_at_message(name: Option<&str>) -> bool {
    name.is_some_and(|name| FORK_AT_MESSAGE.contains(&name))
}

fn initialized(result: &str) -> Result<CallResult, Fault> {
    let answer: Initialize<'_> = object(result).ok_or(NO_OBJECT)?;
    if answer.protocol_version.is_none() {
        return Err(Fault("has no protocolVersion"));
    }
    let info = LOOSE.object::<Info<'_>>(answer.agent_info)?;
    let info = info.unwrap_or_default();
    let methods = LOOSE.list(answer.auth_methods, |raw| {
        let method = LOOSE.read::<Value>(Some(raw))?;
        Ok(method.as_ref().and_then(auth_method))
    })?;
    let caps = agent_caps(LOOSE, answer.agent_capabilities);
    Ok(CallResult::Initialized(Box::new(Initialized {
        protocol_version: version(LOOSE.read(answer.protocol_version)?),
        odd_version: None,
        agent_name: info.title()?,
        agent_version: LOOSE.line(info.version)?,
        caps: AgentCaps {
            steering: steering(answer.meta),
            fork_at: caps.fork && forks_at_message(LOOSE.line(info.name)?.as_deref()),
            ..caps
        },
        auth_methods: methods.unwrap_or_default(),
    })))
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

fn initialized_v2(result: &str) -> Result<CallResult, Fault> {
    let answer: Initialize<'_> = object(result).ok_or(NO_OBJECT)?;
    let pass = Pass::V2;
    // In another version nothing but that and its name is looked at (V2-INIT-01): an agent of before
    // may name the version as it likes.
    let version: Option<u16> = pass.read(answer.protocol_version)?;
    if version != Some(2) {
        let info = answer.agent_info.or(answer.info);
        let info = pass.object::<Info<'_>>(info)?.unwrap_or_default();
        return Ok(CallResult::Initialized(Box::new(Initialized {
            protocol_version: version.map_or(0, i64::from),
            odd_version: None,
            agent_name: info.title()?,
            agent_version: None,
            caps: AgentCaps::default(),
            auth_methods: Vec::new(),
        })));
    }
    let info: Info<'_> = need_object(answer.info)?;
    need(info.name)?;
    let auth_methods = pass.list(answer.auth_methods, |raw| auth_method_of_v2(raw).map(Some))?;
    let auth_methods = auth_methods.unwrap_or_default();
    Ok(CallResult::Initialized(Box::new(Initialized {
        protocol_version: 2,
        odd_version: None,
        agent_name: info.title()?,
        agent_version: Some(need_line(info.version)?),
        caps: AgentCaps {
            // Nothing else marks it (V2-AUTH-03).
            logout: !auth_methods.is_empty(),
            steering: steering(answer.meta),
            ..agent_caps(pass, answer.capabilities)
        },
        auth_methods,
    })))
}

members!(struct Answer {
    session_id,
    modes,
    config_options,
    available_commands,
    message_id,
});

fn opened(pass: Pass, result: &str, is_new: bool) -> Result<CallResult, Fault> {
    let answer: Answer<'_> = object(result).ok_or(NO_OBJECT)?;
    let id = pass.text(answer.session_id)?;
    if is_new && id.is_none() {
        return Err(Fault("has no sessionId"));
    }
    let options = lists::config_options(pass, answer.config_options)?;
    let (modes, commands) = if pass.is_v2() {
        (None, lists::commands(pass, answer.available_commands)?)
    } else {
        (lists::modes(pass, answer.modes)?, None)
    };
    Ok(CallResult::SessionOpened(Box::new(SessionOpened {
        id: id
            .filter(|_| is_new || !pass.is_v2())
            .map(|id| SessionId::new(id.as_str())),
        modes,
        config_options: options.unwrap_or_default(),
        commands: commands.unwrap_or_default(),
    })))
}

/// Of version 2: the turn goes on (V2-PROMPT-01).
fn accepted(result: &str) -> Result<CallResult, Fault> {
    let answer: Answer<'_> = object(result).ok_or(NO_OBJECT)?;
    Ok(CallResult::PromptAccepted {
        message: MessageId::new(need(answer.message_id)?.as_str()),
    })
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

fn steered(result: &str) -> Result<CallResult, Fault> {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let outcome = result.get("outcome").and_then(Value::as_str);
    outcome
        .map(|outcome| CallResult::Steered(SteerOutcome::of(outcome)))
        .ok_or(Fault("has no outcome"))
}

/// Only what the agent says it keeps is shown (V1-SES-20).
fn title_set(result: &str) -> Result<CallResult, Fault> {
    let result: Value = serde_json::from_str(result).unwrap_or_default();
    let title = result.get("title").and_then(Value::as_str);
    title
        .map(|title| CallResult::TitleSet(SafeText::line(title)))
        .ok_or(Fault("has no title"))
}

fn config_set(pass: Pass, result: &str) -> Result<CallResult, Fault> {
    let answer: Answer<'_> = object(result).ok_or(NO_OBJECT)?;
    lists::config_options(pass, answer.config_options)?
        .map(CallResult::ConfigSet)
        .ok_or(Fault("has no configOptions"))
}
