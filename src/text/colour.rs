//! Programs colour their output even where nothing draws it.

use std::borrow::Cow;

/// The text without colours and other styles (SGR). All else stays as it is, incomplete sequences too.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    const CSI: &str = "\x1b[";
    if !text.contains(CSI) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(CSI) {
        let (before, sequence) = rest.split_at(at);
        out.push_str(before);
        let parameters = sequence.strip_prefix(CSI).unwrap_or(sequence);
        let after = parameters.trim_start_matches(|c: char| c.is_ascii_digit() || ";:".contains(c));
        rest = match after.strip_prefix('m') {
            Some(after) => after,
            None => {
                out.push_str(CSI);
                parameters
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_and_nothing_else() {
        for (text, expected) in [
            ("plain [31m text", "plain [31m text"),
            ("\x1b[31merror\x1b[0m: no\x1b[m", "error: no"),
            ("\x1b[1;38:2:1:2:3mred", "red"),
            ("a\x1b[2Kb\x1b[31", "a\x1b[2Kb\x1b[31"),
            ("\x1b[\x1b[31mé", "\x1b[é"),
        ] {
            assert_eq!(without_colours(text), expected, "{text:?}");
        }
    }
}
