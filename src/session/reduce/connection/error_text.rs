//! The words for a person in a JSON-RPC error.
//!
//! Agents put them in `message`, only in `data`, or send JSON text as the message. The texts are
//! scanned for string members, not parsed: they may be cut at a bound, and this layer has no JSON
//! of its own.

use crate::{
    model::{Protocol, RawJson, RpcError, code},
    text::SafeText,
};

use super::super::conversation::bounds::{MAX_ERROR_TEXT, bounded};

/// Members that hold text for people, best first.
const TEXT_MEMBERS: [&str; 4] = ["details", "message", "detail", "error"];

/// Messages that only repeat the code's name.
const EMPTY_WORDS: [&str; 8] = [
    "",
    "error",
    "internal error",
    "invalid params",
    "invalid request",
    "method not found",
    "server error",
    "unknown error",
];

/// What to show: the message; text of `data` where the message says nothing of its own.
pub fn readable(error: &RpcError) -> SafeText {
    let message = error.message.trim();
    let text = if message.starts_with('{') {
        text_member(message)
    } else if says_nothing(message) {
        error.data.as_ref().and_then(|data| data_text(&data.0))
    } else {
        None
    };
    let text = match text {
        Some(text) => SafeText::new(text.trim()),
        None if message.is_empty() => SafeText::new(&format!("error {}", error.shown_code())),
        None => SafeText::new(message),
    };
    bounded(&text, MAX_ERROR_TEXT)
}

/// Whether an agent that refuses another version of the protocol names version 1 as its own.
pub fn speaks_version_1(error: &RpcError) -> bool {
    error.code == code::UNSUPPORTED_VERSION
        && error.supported_versions.contains(&Protocol::V1.version())
}

/// The whole error, for the detail of a notice.
pub fn detail(error: &RpcError) -> SafeText {
    let data = error.data.as_ref().map_or("", |data| &data.0);
    let text = format!("error {}: {}\n{data}", error.shown_code(), error.message);
    SafeText::new(text.trim_end())
}

/// Whether it says that a sign-in is required. -32000 is the generic "server error" of JSON-RPC too:
/// it counts where its text names a sign-in, or the agent has ways to and does not call it that (D-15).
pub fn wants_sign_in(error: &RpcError, has_methods: bool) -> bool {
    if error.code != code::AUTH_REQUIRED {
        return false;
    }
    let text = detail(error).to_lowercase();
    let is_generic = error
        .message
        .trim()
        .to_lowercase()
        .starts_with("server error");
    (has_methods && !is_generic)
        || ["auth", "login", "log in", "sign in", "signin"]
            .iter()
            .any(|word| text.contains(word))
}

/// `{"sessionId": …}` as an error's data (V1-SES-04).
pub fn session_data(id: &str) -> RawJson {
    let mut json = String::from("{\"sessionId\":\"");
    for c in id.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push_str("\"}");
    RawJson(json.into())
}

fn says_nothing(message: &str) -> bool {
    let message = message.trim_end_matches(['.', ':', ' ']);
    EMPTY_WORDS
        .iter()
        .any(|word| message.eq_ignore_ascii_case(word))
}

/// Text of an error's data: a string, or a member of an object.
fn data_text(json: &str) -> Option<String> {
    match json.trim_start().strip_prefix('"') {
        Some(rest) => json_string(rest).map(|(text, _)| text),
        None => text_member(json),
    }
}

fn text_member(json: &str) -> Option<String> {
    TEXT_MEMBERS
        .iter()
        .find_map(|name| string_member(json, name))
}

/// The first non-empty string that is the value of a member `name`, at any depth.
fn string_member(json: &str, name: &str) -> Option<String> {
    let mut rest = json;
    while let Some((_, after_quote)) = rest.split_once('"') {
        let (key, after) = json_string(after_quote)?;
        rest = after;
        if key == name
            && let Some(value) = after.trim_start().strip_prefix(':')
            && let Some(value) = value.trim_start().strip_prefix('"')
        {
            let (text, after) = json_string(value)?;
            if !text.trim().is_empty() {
                return Some(text);
            }
            rest = after;
        }
    }
    None
}

/// A JSON string whose opening quote has been read: its value, and what follows it.
fn json_string(json: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = json.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, json.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                'b' | 'f' => text.push(' '),
                'u' => {
                    let mut unit = hex4(&mut chars)?;
                    if (0xd800..0xdc00).contains(&unit) && chars.as_str().starts_with("\\u") {
                        chars.nth(1);
                        let low = hex4(&mut chars)?;
                        unit =
                            0x10000 + ((unit - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
                    }
                    text.push(char::from_u32(unit).unwrap_or('\u{fffd}'));
                }
                c => text.push(c),
            },
            c => text.push(c),
        }
    }
    None
}

fn hex4(chars: &mut std::str::CharIndices<'_>) -> Option<u32> {
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit * 16 + chars.next()?.1.to_digit(16)?;
    }
    Some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(code: i64, message: &str, data: Option<&str>) -> RpcError {
        RpcError {
            data: data.map(|data| RawJson(data.into())),
            ..RpcError::new(code, message)
        }
    }

    // V1-PROMPT-06
    #[test]
    fn the_words_of_real_agents_are_found() {
        let cases = [
            // claude, codex, vibe: in the message.
            (
                error(
                    -32603,
                    "Internal error: API Error: 400 no",
                    Some(r#"{"errorKind":"unknown"}"#),
                ),
                "Internal error: API Error: 400 no",
            ),
            // qwen: only in data.details.
            (
                error(
                    -32603,
                    "Internal error",
                    Some(r#"{"details":"400 the \"script\" asked"}"#),
                ),
                "400 the \"script\" asked",
            ),
            (
                error(
                    -32603,
                    "Internal error",
                    Some(r#"{"errorKind":"x","message":"deep\nwords"}"#),
                ),
                "deep\nwords",
            ),
            (error(-32603, "", Some(r#""plain text""#)), "plain text"),
            // gemini: JSON text as the message, HTTP status as the code.
            (
                error(
                    400,
                    r#"{"error":{"code":400,"message":"the script asked","status":"X"}}"#,
                    None,
                ),
                "the script asked",
            ),
            (error(-32603, "Internal error", None), "Internal error"),
            (error(-7, "", None), "error -7"),
        ];
        for (error, words) in cases {
            assert_eq!(readable(&error).as_str(), words);
        }
    }

    // D-15
    #[test]
    fn a_server_error_is_no_wish_for_a_sign_in() {
        assert!(wants_sign_in(
            &error(-32000, "Authentication required", None),
            false
        ));
        assert!(wants_sign_in(&error(-32000, "", None), true));
        assert!(!wants_sign_in(
            &error(-32000, "Server error: disk full", None),
            false
        ));
        assert!(!wants_sign_in(&error(-32000, "Server error", None), true));
        assert!(wants_sign_in(
            &error(-32000, "Server error", Some(r#""please log in""#)),
            false
        ));
        assert!(!wants_sign_in(
            &error(-32603, "Authentication required", None),
            true
        ));
    }

    #[test]
    fn escapes_are_read() {
        let json = r#"{"message":"a\u00e9\ud83d\ude00\\"}"#;
        assert_eq!(text_member(json).as_deref(), Some("aé😀\\"));
        assert_eq!(
            &*session_data("a\"b\\\n").0,
            r#"{"sessionId":"a\"b\\\u000a"}"#
        );
    }

    proptest! {
        #[test]
        fn nothing_that_stands_in_an_error_makes_it_fail(message in ".{0,60}", data in ".{0,60}") {
            readable(&error(1, &message, Some(&data)));
            readable(&error(1, &format!("{{\"message\":\"{message}"), Some(&data)));
            string_member(&data, "message");
        }
    }
}
