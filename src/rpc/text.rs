//! Makes readable JSON text of a line that is nearly so (V1-RPC-22).

use std::borrow::Cow;

use crate::model::{RpcError, code};

/// The line as text without surroundings: byte-order mark and white space cut off, invalid UTF-8
/// and lone surrogate escapes replaced by U+FFFD. Borrowed when nothing had to be repaired, which
/// is nearly always.
pub fn readable(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    match String::from_utf8_lossy(line.trim_ascii()) {
        Cow::Borrowed(text) => repair_surrogates(text),
        Cow::Owned(text) => Cow::Owned(repair_surrogates(&text).into_owned()),
    }
}

/// The answer to a request whose text had to be repaired and is meant to the letter: what would be done
/// is not what was asked for.
pub fn not_whole(method: &str) -> RpcError {
    let message = format!(
        "Invalid params for {method}: half of a surrogate pair (as \\ud800 alone), or bytes that are \
         not UTF-8; nothing was done"
    );
    RpcError::new(code::INVALID_PARAMS, message)
}

/// Replaces each `\uD800`–`\uDFFF` that is not half of a pair by `\uFFFD`: a message cut between
/// the halves of an emoji is no JSON otherwise.
fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + found;
        match surrogate(bytes, escape) {
            Some(Half::High) if surrogate(bytes, escape + 6) == Some(Half::Low) => at = escape + 12,
            Some(_) => {
                out.push_str(text.get(copied..escape).unwrap_or_default());
                out.push_str("\\ufffd");
                at = escape + 6;
                copied = at;
            }
            // Two bytes, so that the second of `\\` does not start an escape.
            None => at = escape + 2,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

#[derive(PartialEq)]
enum Half {
    High,
    Low,
}

/// The surrogate that a `\uXXXX` escape at this place stands for, if it is one.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    let [b'\\', b'u', b'd' | b'D', second, third, fourth] = bytes.get(at..at + 6)? else {
        return None;
    };
    if !third.is_ascii_hexdigit() || !fourth.is_ascii_hexdigit() {
        return None;
    }
    match second.to_ascii_lowercase() {
        b'8' | b'9' | b'a' | b'b' => Some(Half::High),
        b'c'..=b'f' => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-RPC-22
    #[test]
    fn surroundings_and_bad_bytes_are_repaired() {
        assert_eq!(readable(b"\xef\xbb\xbf{\"a\":1}\r"), "{\"a\":1}");
        assert_eq!(readable(b"  \t\r"), "");
        assert_eq!(readable(b"{\"a\":\"\xff\"}"), "{\"a\":\"\u{fffd}\"}");
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (line, repaired) in [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\uDE00x\ud83d"}"#, r#"{"a":"\ufffdx\ufffd"}"#),
            (
                r#"{"a":"\ud83d\ud83d\ude00"}"#,
                r#"{"a":"\ufffd\ud83d\ude00"}"#,
            ),
            (r#"{"a":"\\ud83d"}"#, r#"{"a":"\\ud83d"}"#),
            (r#"{"a":"\ud7ff\ue000"}"#, r#"{"a":"\ud7ff\ue000"}"#),
        ] {
            assert_eq!(readable(line.as_bytes()), repaired);
        }
    }

    #[test]
    fn clean_lines_are_not_copied() {
        assert!(matches!(
            readable(br#"{"a":"\ud83d\ude00 \n"}"#),
            Cow::Borrowed(_)
        ));
    }
}
