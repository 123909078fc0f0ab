//! JSON laid out for people, from its text alone: it is not parsed into a tree, so that duplicate
//! or odd members stay as they are.

/// Deeper levels are not indented further.
const MAX_INDENT: usize = 24;

/// JSON over several lines, and how many bytes of `raw` it covers: as many as `most` bytes of text
/// have room for. A string continues in a new line after each line break in it, which is still shown
/// as `\n`.
pub fn laid_out(raw: &str, most: usize) -> (String, usize) {
    let mut out = String::with_capacity(raw.len().min(most) + 64);
    let mut depth: usize = 0;
    let mut chars = raw.char_indices().peekable();
    let mut in_string = false;
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    while let Some((at, c)) = chars.next() {
        if out.len() >= most {
            return (out, at);
        }
        if in_string {
            out.push(c);
            match c {
                '"' => in_string = false,
                '\\' => {
                    let escaped = chars.next().map(|(_, c)| c);
                    out.extend(escaped);
                    let ends = chars.peek().is_none_or(|(_, c)| *c == '"');
                    if escaped == Some('n') && !ends {
                        indent(&mut out, depth + 1);
                    }
                }
                _ => {}
            }
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|(_, c)| c.is_ascii_whitespace()).is_some() {}
                if let Some((_, end)) = chars.next_if(|(_, c)| matches!(c, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    indent(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                indent(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                indent(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    (out, raw.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(raw: &str) -> String {
        laid_out(raw, usize::MAX).0
    }

    #[test]
    fn members_and_lines_of_a_text_stand_below_each_other() {
        let raw = r#"{"script":"cd /tmp\nrm -rf ~\n","n":[1, {}],"n":[],"quote":"a\"b{"}"#;
        assert_eq!(
            whole(raw),
            "{\n  \"script\": \"cd /tmp\\n\n    rm -rf ~\\n\",\n  \"n\": [\n    1,\n    {}\n  ],\n  \"n\": [],\n  \"quote\": \"a\\\"b{\"\n}"
        );
        assert_eq!(whole("null"), "null");
        assert_eq!(whole("[ ]"), "[]");
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        let raw = format!("[{}1]", "1,".repeat(10_000));
        let (text, held) = laid_out(&raw, 100);
        assert!(text.len() < 110 && held < raw.len(), "{held}");
        let deep = "[".repeat(100_000);
        assert!(laid_out(&deep, 1 << 16).0.len() <= (1 << 16) + 64);
    }

    proptest! {
        /// But for blanks outside of strings, and the breaks within them, it is the text.
        #[test]
        fn nothing_is_lost(text in ".{0,40}", number in any::<i64>(), flag in any::<bool>()) {
            let value = serde_json::json!({ "a": [text, number], text.clone(): { "b": flag } });
            let raw = value.to_string();
            let bare = |text: &str| text.replace(char::is_whitespace, "");
            prop_assert_eq!(bare(&whole(&raw)), bare(&raw));
        }

        #[test]
        fn no_text_is_too_odd(raw in ".{0,60}", most in 0_usize..80) {
            let (_, held) = laid_out(&raw, most);
            prop_assert!(raw.is_char_boundary(held));
        }
    }
}
