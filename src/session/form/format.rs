//! `format` of a text: as strict as needed to catch a slip, no stricter.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::model::TextFormat;

pub fn fits(format: TextFormat, text: &str) -> bool {
    match format {
        TextFormat::Email => is_email(text),
        TextFormat::Uri => is_uri(text),
        TextFormat::Date => is_date(text),
        TextFormat::DateTime => is_date_time(text),
    }
}

fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let has_blank = text.contains(|c: char| c.is_whitespace() || c.is_control());
    let labels = || domain.split('.');
    !name.is_empty()
        && !has_blank
        && labels().all(|label| !label.is_empty())
        && !domain.contains(['@', '/', ','])
}

/// With a scheme (RFC 3986).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut letters = scheme.bytes();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        && !rest.is_empty()
        && !text
            .contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c))
}

/// `YYYY-MM-DD`, a day that there is.
fn is_date(text: &str) -> bool {
    is_date_time(&format!("{text}T00:00:00Z"))
}

/// As in RFC 3339, which JSON Schema means: with seconds and an offset.
fn is_date_time(text: &str) -> bool {
    let separator = text.as_bytes().get("YYYY-MM-DD".len());
    separator.is_some_and(|byte| b"Tt ".contains(byte))
        && OffsetDateTime::parse(text, &Rfc3339).is_ok()
}
