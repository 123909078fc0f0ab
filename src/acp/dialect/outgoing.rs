//! Calls of ours, translated for a profile that names rows of class E.

use serde_json::{Value, json};

use super::{Edge, Object, models, text};
use crate::model::{DialectRow, path_of_uri};

/// Early packages named their own version there (D-03).
const STRING_VERSION: &str = "0.12.0";

/// Gives the method's name.
pub fn translate(edge: &mut Edge<'_>, method: &'static str, params: &mut Value) -> &'static str {
    let Some(params) = params.as_object_mut() else {
        return method;
    };
    let names = |row| edge.dialect.names(row);
    match method {
        "initialize" if names(DialectRow::StringVersion) => {
            params.insert("protocolVersion".to_owned(), STRING_VERSION.into());
        }
        "session/new" | "session/load" | "session/resume" | "session/fork" => {
            mcp_servers(edge, params);
            if method == "session/resume" && edge.memory.resumes_by_old_name {
                return resume_by_old_name(params);
            }
        }
        "session/set_mode" if names(DialectRow::ModeParam) => {
            if let Some(mode) = params.get("modeId").cloned() {
                params.insert("mode".to_owned(), mode);
            }
        }
        "session/prompt" => {
            let (context, paths) = (
                names(DialectRow::ContextBlocks),
                names(DialectRow::ContextBlocks) || names(DialectRow::PathText),
            );
            if let Some(Value::Array(blocks)) = params.get_mut("prompt") {
                if context {
                    blocks.iter_mut().for_each(as_context);
                }
                if paths {
                    write_out_links(blocks);
                }
            }
        }
        "session/set_config_option" => return set_model(edge, params).unwrap_or(method),
        _ => {}
    }
    method
}

/// D-02: with the members that it is known to have.
fn resume_by_old_name(params: &mut Object) -> &'static str {
    params.retain(|key, _| matches!(key.as_str(), "sessionId" | "cwd" | "mcpServers"));
    let servers = params.entry("mcpServers").or_insert_with(|| json!([]));
    if servers.is_null() {
        *servers = json!([]);
    }
    "unstable_resumeSession"
}

/// D-21: the option made of `models` is set by the older method, and only it.
fn set_model(edge: &mut Edge<'_>, params: &mut Object) -> Option<&'static str> {
    let session = text(params, "sessionId")?.to_owned();
    if !text(params, "configId").is_some_and(models::is_option) {
        return None;
    }
    edge.memory.session(Some(&session)).models.as_ref()?;
    let model = text(params, "value")?.to_owned();
    params.clear();
    params.insert("sessionId".to_owned(), session.into());
    params.insert("modelId".to_owned(), model.into());
    Some("session/set_model")
}

/// Where there are no links: each file's path, in the text around it.
fn write_out_links(blocks: &mut Vec<Value>) {
    let is_link = |block: &Value| block["type"] == "resource_link";
    if !blocks.iter().any(is_link) {
        return;
    }
    let mut written: Vec<Value> = Vec::new();
    for mut block in std::mem::take(blocks) {
        if is_link(&block) {
            let path = path_of_uri(block["uri"].as_str().unwrap_or_default());
            block = json!({ "type": "text", "text": path });
        }
        let is_text = |block: &Value| block["type"] == "text";
        match written.last_mut() {
            Some(last) if is_text(last) && is_text(&block) => {
                let text = [&*last, &block].map(|block| block["text"].as_str().unwrap_or_default());
                last["text"] = text.concat().into();
            }
            _ => written.push(block),
        }
    }
    *blocks = written;
}

/// D-20: `context` in place of `resource`.
fn as_context(block: &mut Value) {
    if block["type"] != "resource" {
        return;
    }
    if let Some(Value::Object(mut contents)) = block.get_mut("resource").map(Value::take) {
        contents.insert("type".to_owned(), "context".into());
        *block = contents.into();
    }
}

fn mcp_servers(edge: &Edge<'_>, params: &mut Object) {
    let servers = params.get_mut("mcpServers").and_then(Value::as_array_mut);
    for server in servers.into_iter().flatten() {
        let Some(members) = server.as_object_mut() else {
            continue;
        };
        let is_stdio = !members.contains_key("type") && members.contains_key("command");
        if is_stdio && edge.dialect.names(DialectRow::LocalMcp) {
            local(members);
            continue;
        }
        if edge.dialect.names(DialectRow::ObjectEnv) {
            pairs_become_objects(members);
        }
        if edge.dialect.names(DialectRow::UnionMcp) {
            *server = in_union(std::mem::take(members), is_stdio);
        }
    }
}

/// D-18: one list for command and arguments.
fn local(server: &mut Object) {
    let command = server.get("command").cloned().unwrap_or_default();
    let args = server.insert("args".to_owned(), json!([]));
    let args = args.and_then(|args| args.as_array().cloned());
    let command: Vec<Value> = std::iter::once(command)
        .chain(args.unwrap_or_default())
        .collect();
    server.insert("command".to_owned(), command.into());
    server.insert("type".to_owned(), "local".into());
}

/// D-19: a union by its member's name.
fn in_union(mut server: Object, is_stdio: bool) -> Value {
    let kind = match server.remove("type") {
        Some(Value::String(kind)) => kind,
        _ if is_stdio => "stdio".to_owned(),
        _ => return server.into(),
    };
    Value::Object(Object::from_iter([(kind, server.into())]))
}

/// D-19: the environment and headers as objects, no empty headers.
fn pairs_become_objects(server: &mut Object) {
    for key in ["env", "headers"] {
        let Some(Value::Array(pairs)) = server.get(key) else {
            continue;
        };
        let object: Object = pairs
            .iter()
            .filter_map(|pair| Some((pair["name"].as_str()?.to_owned(), pair["value"].clone())))
            .collect();
        if key == "headers" && object.is_empty() {
            server.remove(key);
        } else {
            server.insert(key.to_owned(), object.into());
        }
    }
}
