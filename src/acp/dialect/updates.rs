//! `session/update`: whose it is (D-11), and what it is where its tag does not say so (D-07, D-08,
//! D-10, and unions by the name of their member).

use serde_json::{Value, json};

use super::{Edge, Object, content, is_absent, memory::Whose, models, text};
use crate::{model::DialectRow, text::Words};

pub fn normalise(edge: &mut Edge<'_>, params: &mut Value) {
    let Some(params) = params.as_object_mut() else {
        return;
    };
    if is_absent(params.get("sessionId")) {
        match edge.memory.whose_update() {
            Whose::Session(id) => {
                if edge.takes(DialectRow::NoSessionId) {
                    params.insert("sessionId".to_owned(), id.into());
                }
            }
            Whose::Nobody => {}
            Whose::Unclear => edge.heard.lost = edge.takes(DialectRow::NoSessionId),
        }
    }
    let session = text(params, "sessionId").map(str::to_owned);
    let Some(update) = params.get_mut("update").and_then(Value::as_object_mut) else {
        return;
    };
    keyed(edge, update);
    tag(edge, session.as_deref(), update);
    content::of_update(edge, update);
    if text(update, "sessionUpdate") == Some("config_option_update")
        && let Some(Value::Array(options)) = update.get_mut("configOptions")
    {
        add_models(edge, session.as_deref(), options);
    }
}

/// D-21: the option made of `models` stays in each new list, unless the agent has its own by now.
pub fn add_models(edge: &mut Edge<'_>, session: Option<&str>, options: &mut Vec<Value>) {
    let known = edge.memory.session(session);
    if models::has_own_option(options) {
        known.models = None;
    }
    if let Some(models) = &mut known.models {
        models.take_options(options);
        *options = models.all_options();
        edge.heard.changed = true;
    }
}

/// The tags of v1 that an update may stand under.
const TAGS: Words = Words(
    "user_message_chunk agent_message_chunk agent_thought_chunk tool_call tool_call_update plan \
     available_commands_update current_mode_update config_option_update session_info_update \
     usage_update",
);

/// `{"agent_message_chunk": {…}}`, as a union by the name of its member.
fn keyed(edge: &mut Edge<'_>, update: &mut Object) {
    let Some((key, tag)) = content::only_kind(update, TAGS) else {
        return;
    };
    if !update.get(&key).is_some_and(Value::is_object) || !edge.takes(DialectRow::KeyedUpdates) {
        return;
    }
    if let Some(Value::Object(members)) = update.remove(&key) {
        update.extend(members);
        set(update, "sessionUpdate", tag);
    }
}

/// Words for what an update is, in its `kind` or `type`.
const WORDS: Words = Words("text thinking tool_use tool_result plan error");

fn tag(edge: &mut Edge<'_>, session: Option<&str>, update: &mut Object) {
    if update.contains_key("sessionUpdate") {
        return;
    }
    let word = |key: &str| WORDS.iter().find(|word| text(update, key) == Some(word));
    let (row, member, word) = if let Some(word) = word("kind") {
        (DialectRow::KindUpdates, Some("kind"), word)
    } else if let Some(word) = word("type") {
        (DialectRow::TypeUpdates, Some("type"), word)
    } else if !update.contains_key("kind")
        && !update.contains_key("type")
        && update.contains_key("content")
    {
        (DialectRow::UntaggedUpdates, None, "text")
    } else {
        return;
    };
    if !edge.takes(row) {
        return;
    }
    if let Some(member) = member {
        update.remove(member);
    }
    match word {
        "thinking" => chunk(update, "agent_thought_chunk"),
        "tool_use" => tool_use(edge, session, update),
        "tool_result" => tool_result(edge, session, update),
        "plan" => plan(update),
        "error" => error(update),
        _ => chunk(update, "agent_message_chunk"),
    }
}

fn set(update: &mut Object, key: &str, value: impl Into<Value>) {
    update.insert(key.to_owned(), value.into());
}

/// The first of these members, taken out.
fn take(update: &mut Object, keys: &[&str]) -> Option<Value> {
    let key = keys.iter().find(|key| !is_absent(update.get(**key)))?;
    update.remove(*key)
}

fn chunk(update: &mut Object, tag: &str) {
    set(update, "sessionUpdate", tag);
    if let Some(content) = take(update, &["content", "text", "thinking"]) {
        set(update, "content", content::as_block(content));
    }
}

/// The id of a tool call, if there is one.
fn call_id(update: &mut Object) -> Option<String> {
    match take(update, &["toolCallId", "id", "toolUseId", "tool_use_id"])? {
        Value::String(id) => Some(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn tool_use(edge: &mut Edge<'_>, session: Option<&str>, update: &mut Object) {
    let id = call_id(update).unwrap_or_else(|| edge.memory.make_up("tool"));
    edge.memory.session(session).call_opened(&id);
    let name = text(update, "name").map(str::to_owned);
    let title = take(update, &["title"]).or(name.map(Value::from));
    set(update, "sessionUpdate", "tool_call");
    set(update, "toolCallId", id);
    set(update, "title", title.unwrap_or_else(|| "tool".into()));
    set(update, "status", "in_progress");
    if let Some(input) = take(update, &["rawInput", "input", "arguments"]) {
        set(update, "rawInput", input);
    }
    list_content(update);
}

fn tool_result(edge: &mut Edge<'_>, session: Option<&str>, update: &mut Object) {
    let id = call_id(update);
    let known = edge.memory.session(session).call_closed(id.as_deref());
    let id = known.unwrap_or_else(|| edge.memory.make_up("tool"));
    let failed = ["isError", "is_error"]
        .iter()
        .any(|key| update.get(*key) == Some(&Value::Bool(true)));
    set(update, "sessionUpdate", "tool_call_update");
    set(update, "toolCallId", id);
    set(
        update,
        "status",
        if failed { "failed" } else { "completed" },
    );
    if let Some(output) = take(update, &["rawOutput", "output"]) {
        set(update, "rawOutput", output);
    }
    list_content(update);
}

fn list_content(update: &mut Object) {
    if let Some(content) = take(update, &["content", "text"]) {
        set(update, "content", content::as_items(content));
    }
}

/// Its entries, else each line of its text as one.
fn plan(update: &mut Object) {
    set(update, "sessionUpdate", "plan");
    if !is_absent(update.get("entries")) {
        return;
    }
    let content = take(update, &["content", "text"]).map(content::as_block);
    let text = content.as_ref().and_then(|block| block["text"].as_str());
    let entries: Vec<Value> = text
        .unwrap_or_default()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| json!({ "content": line, "priority": "medium", "status": "pending" }))
        .collect();
    set(update, "entries", entries);
}

/// v1 has no update for it: a tag of our own, read as [`AgentEvent::Error`].
///
/// [`AgentEvent::Error`]: crate::model::AgentEvent::Error
fn error(update: &mut Object) {
    let content = take(update, &["content", "text", "message", "error"]).map(content::as_block);
    let said = content.as_ref().and_then(|block| block["text"].as_str());
    let title = text(update, "title");
    let message = said.or(title).unwrap_or("the agent reports an error");
    let message = message.to_owned();
    set(update, "sessionUpdate", "_error");
    set(update, "message", message);
}
