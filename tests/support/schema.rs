//! What the client sends, held against the schema of the protocol, members that it does not know
//! forbidden (V1-META-02).
//!
//! The schema is open by design: every object may have more members than it names. Here each is closed
//! where it stands, so that only `_meta` takes what is ours; of version 2 the alternatives for what it
//! does not name are left out as well.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// All that one client sends, line by line, and what its agents have asked it.
#[derive(Default)]
pub struct Traffic {
    /// Which version of the protocol the client speaks on this connection.
    version: Version,
    /// Methods of the agent's requests, by id.
    asked: HashMap<String, String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
enum Version {
    #[default]
    V1,
    V2,
}

impl Traffic {
    /// On a connection on which version 2 is spoken already.
    #[allow(dead_code, reason = "tests use a part each")]
    pub fn in_version_2() -> Self {
        Self {
            version: Version::V2,
            ..Self::default()
        }
    }

    /// A connection begins: ids are counted anew.
    pub fn connected(&mut self) {
        *self = Self::default();
    }

    /// The agent has sent this.
    pub fn received(&mut self, message: &Value) {
        if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
            self.asked.insert(id.to_string(), method.to_owned());
        }
    }

    /// Checks a line of ours.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn sent(&mut self, line: &str) -> Result<(), String> {
        let message: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if message["method"] == "initialize" && message["params"]["protocolVersion"] == 2 {
            self.version = Version::V2;
        }
        let checked = self.check(&message);
        checked.map_err(|wrong| format!("{wrong}\n  in {message}"))
    }

    fn check(&self, message: &Value) -> Result<(), String> {
        let members = message.as_object().ok_or("not an object")?;
        if members.get("jsonrpc") != Some(&json!("2.0")) {
            return Err("not JSON-RPC 2.0".to_owned());
        }
        match (members.get("method"), members.get("id")) {
            (Some(method), id) => {
                only(members, &["jsonrpc", "id", "method", "params"])?;
                let method = method.as_str().ok_or("the method is no text")?;
                // An extension, whose params are those of a prompt.
                let method = match method {
                    "_session/steering" => "session/prompt",
                    method => method,
                };
                let definition = match id {
                    Some(_) => self.version.of_method(method, "agent", "Request"),
                    None => self
                        .version
                        .of_method(method, "agent", "Notification")
                        .or_else(|| self.version.of_method(method, "protocol", "Notification")),
                };
                let definition = definition.ok_or("agents have no such method")?;
                let params = members.get("params").ok_or("no params")?;
                self.version.valid(definition, params)
            }
            (None, None) => Err("neither method nor id".to_owned()),
            (None, Some(id)) => {
                only(members, &["jsonrpc", "id", "result", "error"])?;
                let asked = self.asked.get(&id.to_string()).map(String::as_str);
                // An extension, with an answer of its own.
                if asked == Some("craft/drainMidTurnQueue") {
                    let result = members.get("result").and_then(Value::as_object);
                    let result = result.ok_or("no result")?;
                    return only(result, &["messages", "hasQueuedPrompt"]);
                }
                let definition =
                    asked.and_then(|m| self.version.of_method(m, "client", "Response"));
                match (members.get("result"), members.get("error"), definition) {
                    (Some(result), None, Some(definition)) => {
                        self.version.valid(definition, result)
                    }
                    (Some(_), None, None) => Err(format!("a result for {asked:?}")),
                    (None, Some(error), _) => self.version.valid("Error", error),
                    _ => Err("not one of result and error".to_owned()),
                }
            }
        }
    }
}

/// Checks all lines that a test has recorded: `{"connected": …}`, `{"received": MESSAGE}`,
/// `{"sent": LINE}`.
#[track_caller]
pub fn check_record(record: &str) {
    let mut traffic = Traffic::default();
    let mut wrong = Vec::new();
    let mut ids = Vec::new();
    for entry in entries(record) {
        if entry.get("connected").is_some() {
            traffic.connected();
            ids.clear();
        }
        if let Some(message) = entry.get("received") {
            traffic.received(message);
        }
        if let Some(line) = entry["sent"].as_str() {
            wrong.extend(traffic.sent(line).err());
            ids.extend(id_of_request(line));
            // V1-RPC-07
            assert!(
                ids.is_sorted_by(|a, b| 0 < *a && a < b),
                "ids grow: {ids:?}"
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "against the schema:\n{}",
        wrong.join("\n")
    );
}

/// Checks what a client has sent by its own wire log.
#[track_caller]
pub fn check_wire(log: &str) {
    let mut traffic = Traffic::default();
    let mut wrong = Vec::new();
    for entry in entries(log) {
        let message = &entry["msg"];
        if entry["dir"] == "a2c" {
            traffic.received(message);
        } else {
            if message["method"] == "initialize" {
                traffic.connected();
            }
            wrong.extend(traffic.sent(&message.to_string()).err());
        }
    }
    assert!(
        wrong.is_empty(),
        "against the schema:\n{}",
        wrong.join("\n")
    );
}

/// The lines of a record. The last one may not be whole.
fn entries(record: &str) -> impl Iterator<Item = Value> {
    record
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
}

fn id_of_request(line: &str) -> Option<i64> {
    let message: Value = serde_json::from_str(line).ok()?;
    message.get("method")?;
    Some(message.get("id")?.as_i64().unwrap_or(0))
}

fn only(members: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    let unknown = members.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| Err(format!("unknown member {key:?}")))
}

impl Version {
    /// The definition of a method's request, response or notification on that side.
    fn of_method(self, method: &str, side: &str, kind: &str) -> Option<&'static str> {
        if self == Self::V1 && method == "session/fork" && kind == "Request" {
            // Not stable yet (V1-SES-16): its members are those of a resume.
            return Some("ResumeSessionRequest");
        }
        let definitions = self.schema()["$defs"].as_object().expect("definitions");
        let mut fits = definitions.iter().filter(|(name, definition)| {
            definition["x-method"] == method && definition["x-side"] == side && name.ends_with(kind)
        });
        fits.next().map(|(name, _)| name.as_str())
    }

    fn valid(self, definition: &str, value: &Value) -> Result<(), String> {
        let errors: Vec<String> = self
            .validator(definition)
            .iter_errors(value)
            .map(|error| format!("{definition}{}: {error}", error.instance_path()))
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors.join("\n"))
        }
    }

    fn schema(self) -> &'static Value {
        match self {
            Self::V1 => &V1,
            Self::V2 => &V2,
        }
    }

    /// The validator of a definition, made once: they are large.
    fn validator(self, definition: &str) -> Arc<Validator> {
        type Made = HashMap<(Version, String), Arc<Validator>>;
        static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
        let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let make = || {
            let mut schema = json!({
                "$schema": self.schema()["$schema"],
                "$ref": format!("#/$defs/{definition}"),
                "$defs": self.schema()["$defs"],
            });
            close(&mut schema);
            Arc::new(jsonschema::validator_for(&schema).expect("the schema is one"))
        };
        made.entry((self, definition.to_owned()))
            .or_insert_with(make)
            .clone()
    }
}

static V1: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../schema/v1.json");
    let mut schema: Value = serde_json::from_str(text).expect("the schema is JSON");
    let text = include_str!("../schema/v1-unstable.json");
    let mut unstable: Value = serde_json::from_str(text).expect("the schema is JSON");
    let more = unstable["$defs"].as_object_mut().expect("definitions");
    let definitions = schema["$defs"].as_object_mut().expect("definitions");
    definitions.append(more);
    definitions.values_mut().for_each(close_within);
    schema
});

static V2: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../schema/v2.json");
    let mut schema: Value = serde_json::from_str(text).expect("the schema is JSON");
    let definitions = schema["$defs"].as_object_mut().expect("definitions");
    definitions.values_mut().for_each(leave_out_others);
    definitions.values_mut().for_each(close_within);
    schema
});

/// Version 2 leaves every choice open to what it does not name, by an alternative titled "other".
/// What we send is always one of those that it names; only error codes are not all named.
fn leave_out_others(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for key in ["anyOf", "oneOf"] {
                if let Some(Value::Array(parts)) = members.get_mut(key) {
                    parts.retain(|part| part["title"] != "other" || part["type"] == "integer");
                }
            }
            members.values_mut().for_each(leave_out_others);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_others),
        _ => {}
    }
}

/// Forbids members that this schema of a whole value does not name.
fn close(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let names_members = ["$ref", "properties", "allOf", "anyOf", "oneOf"]
        .iter()
        .any(|key| members.contains_key(*key));
    if names_members && !members.contains_key("additionalProperties") {
        members.insert("unevaluatedProperties".to_owned(), false.into());
    }
}

/// Closes the schemas of all values within, not those of parts of this one's own value.
fn close_within(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    for (key, value) in members {
        let (values, whole): (Vec<&mut Value>, bool) = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => (properties.values_mut().collect(), true),
            ("items" | "additionalProperties", value) => (vec![value], true),
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                (parts.iter_mut().collect(), false)
            }
            _ => continue,
        };
        for value in values {
            close_within(value);
            if whole {
                close(value);
            }
        }
    }
}
