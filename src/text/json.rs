//! JSON that can be printed on a terminal, and JSON that is nearly so.

use std::{borrow::Cow, io};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::sanitize;

/// One value on one line, with its end.
pub fn line(value: &impl Serialize) -> String {
    write(value, Guarded(CompactFormatter))
}

/// One value for people to read, with a line's end.
pub fn pretty(value: &impl Serialize) -> String {
    write(value, Guarded(PrettyFormatter::new()))
}

/// One value on one line, with its end, into `out`; JSON that is in it as text is guarded as well.
///
/// # Errors
/// `out` cannot be written.
pub fn write_line(out: &mut impl io::Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(
        &mut *out,
        Guarded(CompactFormatter),
    ))?;
    out.write_all(b"\n")
}

fn write(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, formatter);
    // Memory takes it, and there are no keys but texts.
    if value.serialize(&mut serializer).is_err() {
        out.clear();
    }
    out.push(b'\n');
    String::from_utf8(out).unwrap_or_default()
}

/// Replaces each `\uD800`–`\uDFFF` that is not half of a pair by `\uFFFD`: a message cut between
/// the halves of an emoji is no JSON otherwise.
pub fn repair_surrogates(text: &str) -> Cow<'_, str> {
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

/// Texts of agents are data, also where they stand in JSON: what would act on a terminal, or hide in
/// it, is escaped. JSON itself lets C1 controls and marks of direction pass.
struct Guarded<F>(F);

fn guard<W: ?Sized + io::Write>(writer: &mut W, text: &str) -> io::Result<()> {
    // A text that needs nothing is written as it is; one that does is so from end to end, as what a
    // character means may hang on the one before it.
    if sanitize(text) == text {
        return writer.write_all(text.as_bytes());
    }
    for c in text.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            write!(writer, "{c}")?;
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
    }
    Ok(())
}

macro_rules! pass {
    ($($name:ident($($arg:ident: $kind:ty),*);)*) => {
        $(fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W $(, $arg: $kind)*) -> io::Result<()> {
            self.0.$name(writer $(, $arg)*)
        })*
    };
}

impl<F: Formatter> Formatter for Guarded<F> {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        guard(writer, fragment)
    }

    // Beyond ASCII there are only texts in JSON.
    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        guard(writer, fragment)
    }

    pass! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn nothing_in_it_acts_on_a_terminal() {
        let text = "é😀 \u{9b}31m \u{202e}x \u{7f}\u{1b}[2J";
        let written = line(&json!({ "text": text, text: 1 }));
        assert_eq!(
            written
                .matches("\\u00e9\\ud83d\\ude00 \\u009b31m \\u202ex \\u007f\\u001b[2J")
                .count(),
            2
        );
        assert_eq!(
            serde_json::from_str::<Value>(&written).ok(),
            Some(json!({ "text": text, text: 1 }))
        );
        assert_eq!(line(&json!(["é"])), "[\"é\"]\n");
        assert_eq!(pretty(&json!(["é"])), "[\n  \"é\"\n]\n");
    }

    proptest! {
        #[test]
        fn it_is_read_back_as_it_was(text in ".{0,40}", raw in "\\PC{0,20}") {
            let value = json!({ "a": [text, 1.5, null, true, { raw: {} }] });
            for written in [line(&value), pretty(&value)] {
                prop_assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value.clone());
                let body = written.trim_end_matches('\n');
                prop_assert!(!body.chars().any(|c| c.is_control() && c != '\n'));
            }
        }
    }
}
