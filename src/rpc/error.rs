//! The error object of a response.

use serde_json::{Map, Value};

use crate::{
    model::{RawJson, RpcError, code},
    rpc::pruned,
    text::SafeText,
};

/// `data` is kept up to this many bytes: some agents put a whole request there.
const DATA_LIMIT: usize = 16 * 1024;

/// Versions of the protocol that are taken from an error.
const MAX_VERSIONS: usize = 8;

/// Reads an error object, whatever is wrong with it (V1-ERR-09): a code that is out of range is
/// clamped, a missing one is -32603. Where the text for people stands in `data` only, or as JSON
/// within the message, it is brought to light.
pub fn decode_error(raw: &str) -> RpcError {
    let error = match pruned(raw) {
        Some(Value::Object(error)) => error,
        Some(Value::String(text)) => return RpcError::new(code::INTERNAL, text),
        _ => Map::new(),
    };
    let data = error.get("data").filter(|data| !data.is_null());
    RpcError {
        code: error
            .get("code")
            .and_then(integer)
            .unwrap_or(code::INTERNAL),
        said: None,
        message: SafeText::new(&message(&error, data)),
        data: data.map(|data| RawJson::bounded(&data.to_string(), DATA_LIMIT)),
        auth_methods: Box::default(),
        supported_versions: data.map(versions).unwrap_or_default(),
    }
}

/// `{"requested": 2, "supported": [1]}` (V2-INIT-02).
fn versions(data: &Value) -> Box<[i64]> {
    let named = data.get("supported").and_then(Value::as_array);
    let versions = named.into_iter().flatten().take(MAX_VERSIONS);
    versions.filter_map(Value::as_i64).collect()
}

fn integer(value: &Value) -> Option<i64> {
    value
        .as_i64()
        // `as` saturates.
        .or_else(|| value.as_f64().map(|float| float as i64))
        .or_else(|| value.as_str()?.parse().ok())
}

fn message(error: &Map<String, Value>, data: Option<&Value>) -> String {
    let said = error.get("message").and_then(Value::as_str).unwrap_or("");
    // gemini: an HTTP answer's body, as it is.
    let said = match pruned(said) {
        Some(body @ Value::Object(_)) => detail(&body).unwrap_or_else(|| said.to_owned()),
        _ => said.to_owned(),
    };
    match data.and_then(detail) {
        Some(detail) if said.is_empty() => detail,
        // qwen, vibe: "Internal error", and the reason in `data.details`.
        Some(detail) if !said.contains(&detail) => format!("{said}: {detail}"),
        _ if said.is_empty() => "the agent gave no reason".to_owned(),
        _ => said,
    }
}

/// The text for people in an error's `data`, or in a body that quotes another error.
fn detail(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.as_str(),
        Value::Object(members) => {
            if let Some(inner) = members.get("error").filter(|inner| inner.is_object()) {
                return detail(inner);
            }
            ["details", "detail", "message", "error"]
                .iter()
                .find_map(|key| members.get(*key)?.as_str())?
        }
        _ => return None,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(raw: &str) -> (i64, String) {
        let error = decode_error(raw);
        (error.code, error.message.to_string())
    }

    // V1-ERR-01, V1-ERR-02, V1-ERR-05: errors like any other.
    #[test]
    fn codes_of_json_rpc_are_kept() {
        for number in [-32700, code::INVALID_REQUEST, code::INTERNAL] {
            let raw = format!(r#"{{"code":{number},"message":"m","data":null}}"#);
            assert_eq!(said(&raw), (number, "m".into()));
        }
    }

    // V2-INIT-02
    #[test]
    fn the_versions_that_an_agent_speaks_are_read() {
        let versions = |data: &str| {
            let raw = format!(r#"{{"code":-32022,"message":"m","data":{data}}}"#);
            decode_error(&raw).supported_versions.into_vec()
        };
        assert_eq!(versions(r#"{"requested":2,"supported":[1, 3]}"#), [1, 3]);
        for odd in [
            "null",
            "7",
            "{}",
            r#"{"supported":7}"#,
            r#"{"supported":["1"]}"#,
        ] {
            assert!(versions(odd).is_empty(), "{odd}");
        }
    }

    // V1-ERR-09
    #[test]
    fn odd_codes_do_no_harm() {
        assert_eq!(
            said(r#"{"code":99999999999,"message":"m"}"#).0,
            99_999_999_999
        );
        assert_eq!(said(r#"{"code":1e300,"message":"m"}"#).0, i64::MAX);
        assert_eq!(said(r#"{"code":"-32000","message":"m"}"#).0, -32000);
        assert_eq!(said(r#"{"message":"m"}"#), (code::INTERNAL, "m".into()));
        assert_eq!(said("[]").1, "the agent gave no reason");
        assert_eq!(said(r#""boom""#).1, "boom");
    }

    #[test]
    fn the_readable_text_is_found() {
        assert_eq!(
            said(r#"{"code":-32603,"message":"Internal error","data":{"details":"400 no"}}"#).1,
            "Internal error: 400 no"
        );
        assert_eq!(
            said(r#"{"code":400,"message":"{\"error\":{\"code\":400,\"message\":\"no quota\"}}"}"#)
                .1,
            "no quota"
        );
        assert_eq!(
            said(r#"{"code":-32603,"message":"a: b","data":{"message":"b"}}"#).1,
            "a: b"
        );
    }
}
