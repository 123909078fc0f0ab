//! What agents say that is not plainly ACP v1, put into its words at the edge.
//!
//! The hook stands between the line reader and the typed layer: a message that does not read as v1
//! goes through [`normalise`] once and is then read again. Everything above sees only v1. So far it
//! holds the rows that are tolerated from every agent (class T). Rows that need a profile or
//! detection (class P: `kind`-tagged updates, models, permission options with `label`, …) belong
//! into `normalise` too, with the profile's list as a further parameter; rows that change what we
//! send (class E) belong behind `encode`.
//!
//! Rows of class T that need nothing here, because the typed layer takes them as they are: D-04
//! and D-05 (the envelope), D-12 and D-13 (paths and `oldText` are passed on; the host and the view
//! judge them), D-14, D-17, D-22, D-24, D-26, D-27, D-28, D-29.

use serde_json::{Map, Value, json};

/// The methods of a client that this one knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientMethod {
    SessionUpdate,
    RequestPermission,
    ReadTextFile,
    WriteTextFile,
    TerminalCreate,
    TerminalOutput,
    TerminalWaitForExit,
    TerminalKill,
    TerminalRelease,
    ElicitationCreate,
    ElicitationComplete,
}

impl ClientMethod {
    const ALL: [Self; 11] = [
        Self::SessionUpdate,
        Self::RequestPermission,
        Self::ReadTextFile,
        Self::WriteTextFile,
        Self::TerminalCreate,
        Self::TerminalOutput,
        Self::TerminalWaitForExit,
        Self::TerminalKill,
        Self::TerminalRelease,
        Self::ElicitationCreate,
        Self::ElicitationComplete,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::SessionUpdate => "session/update",
            Self::RequestPermission => "session/request_permission",
            Self::ReadTextFile => "fs/read_text_file",
            Self::WriteTextFile => "fs/write_text_file",
            Self::TerminalCreate => "terminal/create",
            Self::TerminalOutput => "terminal/output",
            Self::TerminalWaitForExit => "terminal/wait_for_exit",
            Self::TerminalKill => "terminal/kill",
            Self::TerminalRelease => "terminal/release",
            Self::ElicitationCreate => "elicitation/create",
            Self::ElicitationComplete => "elicitation/complete",
        }
    }

    /// Also by the spellings of D-01: the last segment may be in camel case.
    pub fn from_name(name: &str) -> Option<Self> {
        let exact = Self::ALL.into_iter().find(|method| method.name() == name);
        exact.or_else(|| {
            let folded = fold(name)?;
            Self::ALL
                .into_iter()
                .find(|method| fold(method.name()).as_ref() == Some(&folded))
        })
    }
}

fn fold(name: &str) -> Option<(&str, String)> {
    let (group, last) = name.rsplit_once('/')?;
    Some((group, last.replace('_', "").to_ascii_lowercase()))
}

/// Puts the params of a method into v1's words where that is harmless and unambiguous.
pub fn normalise(method: ClientMethod, params: &mut Value) {
    match method {
        ClientMethod::SessionUpdate => {
            if let Some(update) = object(params, "update") {
                text_becomes_block(update);
            }
        }
        ClientMethod::RequestPermission => {
            if let Some(call) = object(params, "toolCall") {
                text_becomes_block(call);
            }
        }
        ClientMethod::TerminalCreate => env_becomes_list(params),
        _ => {}
    }
}

fn object<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    value.get_mut(key)?.as_object_mut()
}

/// D-09: a plain string where a block, or a list of blocks, is expected.
fn text_becomes_block(update: &mut Map<String, Value>) {
    let is_chunk = update
        .get("sessionUpdate")
        .and_then(Value::as_str)
        .is_some_and(|tag| tag.ends_with("_chunk"));
    match update.get_mut("content") {
        Some(content @ Value::String(_)) if is_chunk => *content = text_block(content),
        Some(content @ Value::String(_)) => *content = json!([content_item(content)]),
        Some(Value::Array(items)) => {
            for item in items {
                if item.is_string() {
                    *item = content_item(item);
                } else if let Some(inner) = item.get_mut("content")
                    && inner.is_string()
                {
                    *inner = text_block(inner);
                }
            }
        }
        _ => {}
    }
}

fn text_block(text: &mut Value) -> Value {
    json!({ "type": "text", "text": text.take() })
}

fn content_item(text: &mut Value) -> Value {
    json!({ "type": "content", "content": text_block(text) })
}

/// D-19: `{"K": "V"}` for `[{"name": "K", "value": "V"}]`.
fn env_becomes_list(params: &mut Value) {
    if let Some(env) = params.get_mut("env")
        && let Value::Object(members) = env
    {
        *env = std::mem::take(members)
            .into_iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(method: ClientMethod, mut params: Value) -> Value {
        normalise(method, &mut params);
        params
    }

    #[test]
    fn methods_have_aliases_d_01() {
        for (name, method) in [
            ("fs/read_text_file", Some(ClientMethod::ReadTextFile)),
            ("fs/readTextFile", Some(ClientMethod::ReadTextFile)),
            ("fs/writeTextFile", Some(ClientMethod::WriteTextFile)),
            (
                "terminal/waitForExit",
                Some(ClientMethod::TerminalWaitForExit),
            ),
            (
                "session/requestPermission",
                Some(ClientMethod::RequestPermission),
            ),
            ("session/Update", Some(ClientMethod::SessionUpdate)),
            ("fs/read", None),
            ("FS/read_text_file", None),
            ("_fs/read_text_file", None),
            ("read_text_file", None),
        ] {
            assert_eq!(ClientMethod::from_name(name), method, "{name}");
        }
    }

    #[test]
    fn strings_become_text_blocks_d_09() {
        assert_eq!(
            normalised(
                ClientMethod::SessionUpdate,
                json!({"update": {"sessionUpdate": "agent_message_chunk", "content": "hi"}})
            )["update"]["content"],
            json!({"type": "text", "text": "hi"})
        );
        let block = json!({"type": "content", "content": {"type": "text", "text": "hi"}});
        for content in [
            json!("hi"),
            json!(["hi"]),
            json!([{"type": "content", "content": "hi"}]),
        ] {
            assert_eq!(
                normalised(
                    ClientMethod::SessionUpdate,
                    json!({"update": {"sessionUpdate": "tool_call_update", "content": content}})
                )["update"]["content"],
                json!([block])
            );
        }
    }

    #[test]
    fn an_env_object_becomes_a_list_d_19() {
        assert_eq!(
            normalised(
                ClientMethod::TerminalCreate,
                json!({"env": {"A": "1", "B": "2"}})
            ),
            json!({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]})
        );
    }
}
