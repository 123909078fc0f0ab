//! Tells requests, notifications and responses apart without copying what they carry.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::rpc::{Member, Text, present, pruned};

/// One message. Params, result and error are JSON text, not looked into.
#[derive(Debug)]
pub enum Message<'a> {
    Request {
        id: &'a RawValue,
        method: Cow<'a, str>,
        params: &'a str,
        /// With `"jsonrpc":"2.0"`.
        tagged: bool,
    },
    Notification {
        method: Cow<'a, str>,
        params: &'a str,
        tagged: bool,
    },
    Response {
        /// Absent only where [`Answers::Bare`] are taken.
        id: Option<&'a RawValue>,
        outcome: Outcome<'a>,
    },
    /// Meant as a request, and answered with -32600: to its id, or to `null` where that is no id.
    Invalid { id: Box<RawValue> },
    /// No JSON-RPC: not acted on, not answered (V1-RPC-14).
    Noise,
}

#[derive(Debug)]
pub enum Outcome<'a> {
    Result(&'a str),
    Error(&'a str),
    /// Both a result and an error, or neither (V1-RPC-16).
    Unclear,
}

/// An id of `null` is an id (V1-RPC-06), and a result of `null` is a result (V1-RPC-26).
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Member<'a>,
    #[serde(borrow)]
    jsonrpc: Member<'a>,
    #[serde(borrow)]
    method: Member<'a>,
    #[serde(borrow)]
    params: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Member<'a>,
}

/// What counts as an answer to a call of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// What says `"jsonrpc":"2.0"`: agents log JSON objects with an `id` and a `result` on stdout,
    /// and such a line must not end a call.
    Tagged,
    /// Also what does not, or names no id (D-04).
    Bare,
}

/// Reads one line. The method decides before the id (V1-RPC-04): a request of the agent may have
/// the id of one of ours.
pub fn parse(line: &str, answers: Answers) -> Message<'_> {
    // A derived struct also takes an array, positionally (V1-RPC-15).
    if !line.starts_with('{') {
        return Message::Noise;
    }
    let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(line) else {
        return broken(line);
    };
    let Some(method) = envelope.method else {
        return response(&envelope, answers);
    };
    let params = envelope.params.map_or("null", RawValue::get);
    let tagged = is_tagged(&envelope);
    match (
        serde_json::from_str(method.get()).map(Text::into_inner),
        envelope.id,
    ) {
        (Ok(method), None) => Message::Notification {
            method,
            params,
            tagged,
        },
        (Ok(method), Some(id)) if is_id(id.get()) => Message::Request {
            id,
            method,
            params,
            tagged,
        },
        (_, Some(id)) => Message::Invalid {
            id: if is_id(id.get()) {
                id.to_owned()
            } else {
                RawValue::NULL.to_owned()
            },
        },
        (Err(_), None) => Message::Noise,
    }
}

fn is_tagged(envelope: &Envelope<'_>) -> bool {
    envelope.jsonrpc.is_some_and(|v| v.get() == r#""2.0""#)
}

fn response<'a>(envelope: &Envelope<'a>, answers: Answers) -> Message<'a> {
    let tagged = is_tagged(envelope);
    let id = envelope.id;
    let answer = match answers {
        Answers::Tagged => tagged && id.is_some(),
        Answers::Bare => {
            (tagged && id.is_some()) || envelope.result.is_some() || envelope.error.is_some()
        }
    };
    if !answer {
        return Message::Noise;
    }
    // Some agents write `null` for the one of the two that is absent.
    let filled = |v: &&RawValue| v.get() != "null";
    let outcome = match (envelope.result, envelope.error) {
        (Some(result), error) if error.filter(filled).is_none() => Outcome::Result(result.get()),
        (result, Some(error)) if result.filter(filled).is_none() => Outcome::Error(error.get()),
        _ => Outcome::Unclear,
    };
    Message::Response { id, outcome }
}

/// An object that is no envelope, for instance with a member twice.
fn broken<'a>(line: &str) -> Message<'a> {
    let Some(serde_json::Value::Object(members)) = pruned(line) else {
        return Message::Noise;
    };
    let id = members.get("id").filter(|_| members.contains_key("method"));
    match id.map(serde_json::value::to_raw_value) {
        Some(Ok(id)) if is_id(id.get()) => Message::Invalid { id },
        _ => Message::Noise,
    }
}

/// A string, an integer or `null`; no fraction (V1-RPC-06).
fn is_id(raw: &str) -> bool {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    raw == "null"
        || raw.starts_with('"')
        || (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> String {
        kind_of(line, Answers::Tagged)
    }

    fn kind_of(line: &str, answers: Answers) -> String {
        match parse(line, answers) {
            Message::Request {
                id, method, params, ..
            } => format!("request {id} {method} {params}"),
            Message::Notification { method, params, .. } => {
                format!("notification {method} {params}")
            }
            Message::Response { id, outcome } => {
                let id = id.map_or("-", RawValue::get);
                match outcome {
                    Outcome::Result(r) => format!("result {id} {r}"),
                    Outcome::Error(e) => format!("error {id} {e}"),
                    Outcome::Unclear => format!("unclear {id}"),
                }
            }
            Message::Invalid { id } => format!("invalid {id}"),
            Message::Noise => "noise".to_owned(),
        }
    }

    // V1-RPC-04, V1-RPC-05, V1-RPC-06
    #[test]
    fn method_decides_first_and_ids_stay_as_they_are() {
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}"#,
                r#"request 7 m {"a":1}"#,
            ),
            (r#"{"id":"7","method":"m"}"#, r#"request "7" m null"#),
            (r#"{"id":"","method":"m"}"#, r#"request "" m null"#),
            (
                r#"{"id":9007199254740993,"method":"m"}"#,
                "request 9007199254740993 m null",
            ),
            (r#"{"id":-1,"method":"m","result":{}}"#, "request -1 m null"),
            (r#"{"id":null,"method":"m"}"#, "request null m null"),
            (r#"{"id":1.5,"method":"m"}"#, "invalid null"),
            (r#"{"id":{},"method":"m"}"#, "invalid null"),
            (r#"{"id":3,"method":5}"#, "invalid 3"),
            (
                r#"{"id":3,"method":"m","params":{},"params":{}}"#,
                "invalid 3",
            ),
            (
                r#"{"method":"m\u002fn","params":[]}"#,
                "notification m/n []",
            ),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    // V1-RPC-16, V1-RPC-26
    #[test]
    fn responses_have_a_result_or_an_error() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "result 1 null"),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#,
                "result 1 {}",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1}}"#,
                r#"error 1 {"code":1}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
                "unclear 1",
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, "unclear 1"),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
    }

    // V1-RPC-14, V1-RPC-15, D-04
    #[test]
    fn what_is_no_json_rpc_is_noise() {
        for line in [
            r#""just a string""#,
            "42",
            "null",
            "[1,2]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#,
            r#"{"level":"info","id":1,"result":{}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"method":5}"#,
            "INFO starting",
            "{ not json",
        ] {
            assert_eq!(kind(line), "noise", "{line}");
        }
    }

    // D-04
    #[test]
    fn bare_answers_are_taken_where_they_are_expected() {
        for (line, expected) in [
            (r#"{"id":1,"result":{}}"#, "result 1 {}"),
            (r#"{"result":{}}"#, "result - {}"),
            (
                r#"{"jsonrpc":"2.0","error":{"code":1}}"#,
                r#"error - {"code":1}"#,
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, "unclear 1"),
            (r#"{"level":"info","id":1}"#, "noise"),
        ] {
            assert_eq!(kind_of(line, Answers::Bare), expected, "{line}");
        }
    }
}
