//! Results and errors that answer our calls.

use serde_json::{Value, json};

use super::{Edge, Object, is_absent, models, models::Models, text, updates::add_models};
use crate::model::{CallTag, DialectRow, OptionValue, code};

pub fn result(edge: &mut Edge<'_>, call: &CallTag, result: &mut Value) {
    if let CallTag::NewSession | CallTag::ForkSession { .. } = call
        && let Some(id) = result["sessionId"].as_str()
    {
        edge.memory.opened(id);
    }
    edge.memory.answered(call, true);
    if result.is_null() && matches!(call, CallTag::SetConfigOption { .. }) {
        *result = json!({});
    }
    let Some(result) = result.as_object_mut() else {
        return;
    };
    match call {
        CallTag::Initialize => {
            version(edge, result);
            resume(edge, result);
            prompt_blocks(edge, result);
        }
        CallTag::NewSession | CallTag::ForkSession { .. } => {
            let id = text(result, "sessionId").map(str::to_owned);
            session(edge, id.as_deref(), result);
        }
        CallTag::LoadSession { id } | CallTag::ResumeSession { id } => {
            session(edge, Some(id.as_str()), result);
        }
        CallTag::Prompt { .. } => stop_reason(edge, result),
        CallTag::SetConfigOption {
            session,
            option,
            value,
        } => option_set(edge, session.as_str(), option, value, result),
        _ => {}
    }
}

/// D-03, V1-INIT-04: `"1"`, `"1.x"`, and `"0.12.0"`, the version of an early package, are 1.
fn version(edge: &mut Edge<'_>, result: &mut Object) {
    let Some(said) = text(result, "protocolVersion") else {
        return;
    };
    let is_one = match said.split_once('.') {
        Some((major, _)) => matches!(major, "0" | "1"),
        None => said == "1",
    };
    if is_one && edge.dialect.takes(DialectRow::StringVersion) {
        // Told with the version itself, and so not as a hint.
        edge.heard.odd_version = Some(said.to_owned());
        edge.heard.changed = true;
        result.insert("protocolVersion".to_owned(), 1.into());
    }
}

/// D-02: who resumes by the older name does not say that it can.
fn resume(edge: &mut Edge<'_>, result: &mut Object) {
    if !edge.dialect.names(DialectRow::UnstableResume) {
        return;
    }
    if let Some(known) = capabilities(result, "sessionCapabilities")
        && is_absent(known.get("resume"))
    {
        known.insert("resume".to_owned(), json!({}));
        edge.memory.resumes_by_old_name = true;
        edge.heard.changed = true;
    }
}

/// D-20: who has blocks of type `context` has pictures too, and does not say so.
fn prompt_blocks(edge: &mut Edge<'_>, result: &mut Object) {
    if !edge.dialect.names(DialectRow::ContextBlocks) {
        return;
    }
    let Some(known) = capabilities(result, "promptCapabilities") else {
        return;
    };
    for key in ["image", "embeddedContext"] {
        if is_absent(known.get(key)) {
            known.insert(key.to_owned(), true.into());
            edge.heard.changed = true;
        }
    }
}

/// A group of the agent's capabilities, made where it is missing; `None` where something else stands there.
fn capabilities<'a>(result: &'a mut Object, group: &str) -> Option<&'a mut Object> {
    let mut at = result;
    for key in ["agentCapabilities", group] {
        if is_absent(at.get(key)) {
            at.insert(key.to_owned(), json!({}));
        }
        at = at.get_mut(key)?.as_object_mut()?;
    }
    Some(at)
}

/// D-21: `models` as a config option, where the session has none for its model.
fn session(edge: &mut Edge<'_>, id: Option<&str>, result: &mut Object) {
    let Some(models) = Models::read(result) else {
        return;
    };
    let options = result.get("configOptions").and_then(Value::as_array);
    let mut options = options.cloned().unwrap_or_default();
    if models::has_own_option(&options) || !edge.takes(DialectRow::Models) {
        return;
    }
    edge.memory.session(id).models = Some(models);
    add_models(edge, id, &mut options);
    result.insert("configOptions".to_owned(), options.into());
}

/// D-21: a model was set, or the agent's options come anew.
fn option_set(
    edge: &mut Edge<'_>,
    session: &str,
    option: &str,
    value: &OptionValue,
    result: &mut Object,
) {
    if models::is_option(option)
        && let OptionValue::Id(value) = value
        && let Some(models) = &mut edge.memory.session(Some(session)).models
    {
        models.choose(value);
        let all = models.all_options();
        result.insert("configOptions".to_owned(), all.into());
        edge.heard.changed = true;
    } else if let Some(Value::Array(options)) = result.get_mut("configOptions") {
        add_models(edge, Some(session), options);
    }
}

fn stop_reason(edge: &mut Edge<'_>, result: &mut Object) {
    let plain = match text(result, "stopReason") {
        Some("endTurn") => "end_turn",
        Some("maxTokens") => "max_tokens",
        Some("maxTurnRequests") => "max_turn_requests",
        _ => return,
    };
    if edge.takes(DialectRow::CamelStopReasons) {
        result.insert("stopReason".to_owned(), plain.into());
    }
}

/// The codes of v1 for errors that others, or only their text, stand for.
pub fn error(edge: &mut Edge<'_>, call: &CallTag, error: &mut Value) {
    edge.memory.answered(call, false);
    let Some(code) = error["code"].as_i64() else {
        return;
    };
    let said = words(error);
    let has = |word: &str| said.contains(word);
    let plain = match (call, code) {
        (CallTag::Initialize, code::INVALID_PARAMS | code::INVALID_REQUEST)
            if has("protocolversion") || has("string") =>
        {
            edge.wanted(DialectRow::StringVersion);
            return;
        }
        // Zig's message is only "MissingField".
        (CallTag::SetMode { .. }, code::INVALID_PARAMS)
            if (has("missing") || has("required")) && !has("modeid") =>
        {
            edge.wanted(DialectRow::ModeParam);
            return;
        }
        (
            CallTag::NewSession
            | CallTag::ForkSession { .. }
            | CallTag::LoadSession { .. }
            | CallTag::ResumeSession { .. },
            _,
        ) if edge.memory.offered_servers && (code == code::INVALID_PARAMS || has("mcp")) => {
            edge.hint_servers();
            None
        }
        (CallTag::Prompt { .. }, _)
            if edge.memory.linked
                && (code == code::INVALID_PARAMS
                    || has("resource_link")
                    || has("resourcelink")) =>
        {
            edge.wanted(DialectRow::PathText);
            None
        }
        // D-25
        (CallTag::Initialize, -32_001 | code::UNSUPPORTED_VERSION) => {
            Some((DialectRow::VersionErrors, code::UNSUPPORTED_VERSION))
        }
        (CallTag::Initialize, _) if has("protocol version") => {
            Some((DialectRow::VersionErrors, code::UNSUPPORTED_VERSION))
        }
        // D-16: what they mean is known to their text alone, so nothing is done because of them.
        (_, -32_001 | code::NOT_FOUND) if edge.dialect.names(DialectRow::OldErrorCodes) => {
            Some((DialectRow::OldErrorCodes, code::INTERNAL))
        }
        // D-15
        (_, code::INVALID_REQUEST) if has("session") && has("not found") => {
            Some((DialectRow::SessionErrors, code::NOT_FOUND))
        }
        (
            CallTag::NewSession
            | CallTag::ForkSession { .. }
            | CallTag::LoadSession { .. }
            | CallTag::ResumeSession { .. }
            | CallTag::Prompt { .. },
            code::INTERNAL,
        ) if wants_sign_in(error) => Some((DialectRow::AuthText, code::AUTH_REQUIRED)),
        _ => None,
    };
    if let Some((row, plain)) = plain
        && plain != code
        && edge.takes(row)
        && let Some(error) = error.as_object_mut()
    {
        error.insert("code".to_owned(), plain.into());
    }
}

/// Whether it says that there is no such method.
pub fn is_unknown_method(error: &Value) -> bool {
    error["code"] == code::METHOD_NOT_FOUND || words(error).contains("method not found")
}

/// Message and data in small letters.
fn words(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or_default();
    let data = &error["data"];
    let data = if data.is_null() {
        String::new()
    } else {
        data.to_string()
    };
    format!("{message}\n{data}").to_lowercase()
}

/// Nothing but the wish itself: an error that quotes one of something else is not it.
fn wants_sign_in(error: &Value) -> bool {
    let is_wish = |text: &str| {
        let text = text.trim().to_lowercase();
        let text = text.strip_prefix("internal error:").unwrap_or(&text).trim();
        [
            "auth_required",
            "authentication required",
            "authentication_required",
        ]
        .iter()
        .any(|wish| {
            text.strip_prefix(wish)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    let data = &error["data"];
    let texts = [
        &error["message"],
        data,
        &data["details"],
        &data["message"],
        &data["errorKind"],
        &data["type"],
    ];
    texts.iter().any(|text| text.as_str().is_some_and(is_wish))
}
