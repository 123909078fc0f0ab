//! Requests of the agent: whose they are (D-11), environments as objects (D-19), and permission
//! requests in other words (D-23).
//!
//! An option gets a kind only where its text leaves no doubt ([`option_kind`]); one without a kind can only be chosen
//! by a person.

use serde_json::{Value, json};

use super::{ClientMethod, Edge, Object, content, is_absent, memory::Whose, option_kind, text};
use crate::{model::DialectRow, text::Words};

pub fn normalise(edge: &mut Edge<'_>, method: ClientMethod, params: &mut Value) {
    let Some(params) = params.as_object_mut() else {
        return;
    };
    // A form may be about a request of ours instead (V1-ELI-02).
    let of_request =
        method == ClientMethod::ElicitationCreate && !is_absent(params.get("requestId"));
    if is_absent(params.get("sessionId"))
        && !of_request
        && let Whose::Session(id) = edge.memory.whose_request()
        && edge.takes(DialectRow::NoSessionId)
    {
        params.insert("sessionId".to_owned(), id.into());
    }
    match method {
        ClientMethod::RequestPermission => permission(edge, params),
        ClientMethod::TerminalCreate => env_becomes_list(edge, params),
        _ => {}
    }
}

/// D-19: `{"K": "V"}` for `[{"name": "K", "value": "V"}]`; harmless, so from every agent.
fn env_becomes_list(edge: &mut Edge<'_>, params: &mut Object) {
    if let Some(env) = params.get_mut("env")
        && let Value::Object(members) = env
    {
        *env = std::mem::take(members)
            .into_iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        edge.heard.changed = true;
    }
}

/// Members of a tool call that stand among those of the request.
const CALL_MEMBERS: Words =
    Words("toolCallId title name kind status content locations rawInput rawOutput");

fn permission(edge: &mut Edge<'_>, params: &mut Object) {
    if is_absent(params.get("toolCall"))
        && text(params, "toolCallId").is_some()
        && edge.takes(DialectRow::FlatToolCall)
    {
        let call: Object = CALL_MEMBERS
            .iter()
            .filter_map(|key| Some((key.to_owned(), params.remove(key)?)))
            .collect();
        params.insert("toolCall".to_owned(), call.into());
    }
    if has_labels(params) && edge.takes(DialectRow::LabelOptions) {
        name_options(params);
        if is_absent(params.get("toolCall")) {
            let id = edge.memory.make_up("permission");
            let call = call_of(params, &id);
            params.insert("toolCall".to_owned(), call);
        }
    }
    if let Some(call) = params.get_mut("toolCall").and_then(Value::as_object_mut) {
        content::of_call(edge, call);
    }
}

/// Every option has an `id` and no `optionId`.
fn has_labels(params: &Object) -> bool {
    let options = params.get("options").and_then(Value::as_array);
    options.is_some_and(|options| {
        !options.is_empty()
            && options
                .iter()
                .all(|option| option["id"].is_string() && option.get("optionId").is_none())
    })
}

fn name_options(params: &mut Object) {
    let options = params.get_mut("options").and_then(Value::as_array_mut);
    for option in options.into_iter().flatten() {
        let Some(option) = option.as_object_mut() else {
            continue;
        };
        for (old, new) in [("id", "optionId"), ("label", "name")] {
            if is_absent(option.get(new))
                && let Some(value) = option.remove(old)
            {
                option.insert(new.to_owned(), value);
            }
        }
        let id = text(option, "optionId").unwrap_or_default();
        let name = text(option, "name").unwrap_or_default();
        let kind = option_kind::kind_of(id, name);
        // A second name is not shown: where it says something else, the option has no kind.
        let agreed =
            text(option, "label").is_none_or(|label| option_kind::kind_of(id, label) == kind);
        if is_absent(option.get("kind"))
            && let Some(kind) = kind.filter(|_| agreed)
        {
            option.insert("kind".to_owned(), kind.into());
        }
    }
}

/// A tool call that shows what is asked.
fn call_of(params: &mut Object, id: &str) -> Value {
    let title = text(params, "title").unwrap_or("permission").to_owned();
    let mut call = json!({ "toolCallId": id, "title": title, "status": "pending" });
    if let (Some(call), Some(description)) = (call.as_object_mut(), text(params, "description")) {
        let content = content::as_items(description.into());
        call.insert("content".to_owned(), content);
    }
    call
}
