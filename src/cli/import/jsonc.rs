//! JSON with comments and trailing commas.

use serde_json::Value;

/// Reads JSON with `//` and `/* */` comments and trailing commas.
///
/// # Errors
/// One line, with the place in the text as it was written.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    // Windows editors put it there.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(&plain(text)).map_err(|error| error.to_string())
}

/// The text as plain JSON of the same length: what is more than that becomes blanks, so that places
/// in errors stay what they are.
fn plain(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    // The last comma that nothing but blanks and comments has followed so far.
    let mut comma = None;
    let mut at = 0;
    while let Some(byte) = out.get(at) {
        match byte {
            b'"' => {
                at = string_end(&out, at);
                comma = None;
                continue;
            }
            b'/' => {
                let end = comment_end(&out, at);
                blank(&mut out, at, end);
                if end > at {
                    at = end;
                    continue;
                }
                comma = None;
            }
            b',' => comma = Some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    blank(&mut out, comma, comma + 1);
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += 1;
    }
    // Only whole comments went, and commas: it is still UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// Behind the closing quote; the end of the text if there is none.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Behind the comment that begins there; `start` where none does.
fn comment_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let length = if rest.starts_with(b"//") {
        memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    } else if rest.starts_with(b"/*") {
        memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4)
    } else {
        0
    };
    start + length
}

fn blank(text: &mut [u8], start: usize, end: usize) {
    for byte in text.get_mut(start..end).into_iter().flatten() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_no_mistake() {
        let text = r#"// settings
        {
            "a": "// no \" comment /*", /* one
            of two lines */ "b": [1, 2, /* last */],
            "c": {"d": "é", }, // é
        }"#;
        let expected = json!({"a": "// no \" comment /*", "b": [1, 2], "c": {"d": "é"}});
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn a_mistake_is_named_by_its_place_in_the_text() {
        let error = parse("{\n  // fine\n  \"a\": [1, 2,],\n  \"b\" 3\n}").unwrap_err();
        assert!(error.ends_with("at line 4 column 7"), "{error}");
        assert!(parse("[1,,]").is_err());
        assert!(parse("[,]").is_ok(), "read as []: harmless");
    }

    proptest! {
        #[test]
        fn plain_json_is_read_as_it_is(text in "[\\[\\]{}\",:/*\\\\ a1\n-]{0,40}", key in ".{0,12}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(parse(&text), Ok(value));
            }
            let value = json!({ key.as_str(): [text.as_str(), key.as_str()] });
            prop_assert_eq!(parse(&value.to_string()), Ok(value));
        }
    }
}
