//! Content that is no block of v1: plain text (D-09), `context` (D-20), and blocks keyed by their kind.

use serde_json::{Value, json};

use super::{Edge, Object, text};
use crate::{model::DialectRow, text::Words};

/// The content of an update, where its tag says that it has some.
pub fn of_update(edge: &mut Edge<'_>, update: &mut Object) {
    match text(update, "sessionUpdate") {
        Some(tag) if tag.ends_with("_chunk") => {
            if let Some(content) = update.get_mut("content") {
                block(edge, content);
            }
        }
        Some("tool_call" | "tool_call_update") => of_call(edge, update),
        _ => {}
    }
}

/// The content of a tool call.
pub fn of_call(edge: &mut Edge<'_>, call: &mut Object) {
    let Some(content) = call.get_mut("content") else {
        return;
    };
    match content {
        Value::String(_) if edge.takes(DialectRow::TextContent) => {
            *content = json!([item(content)]);
        }
        Value::Array(items) => {
            for entry in items {
                if entry.is_string() {
                    if edge.takes(DialectRow::TextContent) {
                        *entry = item(entry);
                    }
                    continue;
                }
                keyed_item(edge, entry);
                if let Some(inner) = entry.get_mut("content") {
                    block(edge, inner);
                }
            }
        }
        _ => {}
    }
}

/// The one of these kinds that an object has for a member, if that and `_meta` are all it has: its
/// key, which may be in camel case, and the kind.
pub fn only_kind(object: &Object, kinds: Words) -> Option<(String, &'static str)> {
    let mut members = object.keys().filter(|key| *key != "_meta");
    let (Some(key), None) = (members.next(), members.next()) else {
        return None;
    };
    let fold = |word: &str| word.replace('_', "").to_ascii_lowercase();
    let kind = kinds.iter().find(|kind| fold(kind) == fold(key))?;
    Some((key.clone(), kind))
}

/// `{"text": {"text": …}}`, or with no more than its content: `{"text": …}`.
fn keyed_block(edge: &mut Edge<'_>, value: &mut Value) {
    const KINDS: Words = Words("text image audio resource_link resource");
    let Some(block) = value.as_object_mut() else {
        return;
    };
    let Some((key, kind)) = only_kind(block, KINDS) else {
        return;
    };
    let held = block.get(&key);
    let is_inside = held.and_then(Value::as_object).is_some_and(|inner| {
        // What holds a text or resource is named as that is.
        !matches!(kind, "text" | "resource") || inner.contains_key(kind)
    });
    let is_bare = match kind {
        "text" => held.is_some_and(Value::is_string),
        "resource" => held.is_some_and(Value::is_object),
        _ => false,
    };
    if !(is_inside || is_bare) || !edge.takes(DialectRow::KeyedUpdates) {
        return;
    }
    match block.remove(&key) {
        Some(Value::Object(members)) if is_inside => block.extend(members),
        held => {
            block.insert(kind.to_owned(), held.unwrap_or_default());
        }
    }
    block.insert("type".to_owned(), kind.into());
}

/// `{"diff": {…}}`, `{"content": {"content": {…}}}`.
fn keyed_item(edge: &mut Edge<'_>, value: &mut Value) {
    let Some(item) = value.as_object_mut() else {
        return;
    };
    let Some((key, kind)) = only_kind(item, Words("content diff terminal")) else {
        return;
    };
    if !item.get(&key).is_some_and(Value::is_object) || !edge.takes(DialectRow::KeyedUpdates) {
        return;
    }
    if let Some(Value::Object(members)) = item.remove(&key) {
        if kind != "content" || members.contains_key("content") {
            item.extend(members);
        } else {
            item.insert("content".to_owned(), members.into());
        }
        item.insert("type".to_owned(), kind.into());
    }
}

fn block(edge: &mut Edge<'_>, value: &mut Value) {
    keyed_block(edge, value);
    if value.is_string() {
        if edge.takes(DialectRow::TextContent) {
            *value = text_block(value);
        }
    } else if value["type"] == "context"
        && let Some(block) = value.as_object().and_then(resource)
        && edge.takes(DialectRow::ContextBlocks)
    {
        *value = block;
    }
}

/// What `context` holds, itself or one level down.
fn resource(block: &Object) -> Option<Value> {
    let inner = ["context", "resource"]
        .iter()
        .find_map(|key| block.get(*key)?.as_object());
    let context = inner.unwrap_or(block);
    let uri = text(context, "uri");
    let Some(said) = text(context, "text") else {
        return uri.map(|uri| json!({ "type": "resource_link", "uri": uri, "name": uri }));
    };
    let mut contents = json!({ "uri": uri.unwrap_or("context:"), "text": said });
    if let (Some(contents), Some(mime_type)) = (contents.as_object_mut(), text(context, "mimeType"))
    {
        contents.insert("mimeType".to_owned(), mime_type.into());
    }
    Some(json!({ "type": "resource", "resource": contents }))
}

pub fn text_block(text: &mut Value) -> Value {
    json!({ "type": "text", "text": text.take() })
}

fn item(text: &mut Value) -> Value {
    json!({ "type": "content", "content": text_block(text) })
}

/// Content of any form as one block for a chunk.
pub fn as_block(content: Value) -> Value {
    match content {
        Value::String(text) => json!({ "type": "text", "text": text }),
        Value::Array(mut items) => {
            let texts: Option<String> = items
                .iter()
                .map(|item| item.as_str().or_else(|| item["text"].as_str()))
                .collect();
            match texts {
                Some(text) => json!({ "type": "text", "text": text }),
                // Of a mixture the first is kept; a chunk has room for one.
                None => items.drain(..).next().unwrap_or_default(),
            }
        }
        block => block,
    }
}

/// Content of any form as a tool call's list.
pub fn as_items(content: Value) -> Value {
    match content {
        Value::Array(items) => items.into_iter().map(as_item).collect(),
        content => json!([as_item(content)]),
    }
}

fn as_item(content: Value) -> Value {
    let is_item = matches!(
        content["type"].as_str(),
        Some("content" | "diff" | "terminal")
    );
    if is_item {
        return content;
    }
    json!({ "type": "content", "content": as_block(content) })
}
