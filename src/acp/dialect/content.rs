//! Content blocks that are none: plain text (D-09), `context` (D-20).

use serde_json::{Value, json};

use super::{Edge, Object, text};
use crate::proto::DialectRow;

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
                } else if let Some(inner) = entry.get_mut("content") {
                    block(edge, inner);
                }
            }
        }
        _ => {}
    }
}

fn block(edge: &mut Edge<'_>, value: &mut Value) {
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
