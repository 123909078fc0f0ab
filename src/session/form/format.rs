//! `format` of a text: as strict as needed to catch a slip, no stricter.

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
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// As RFC 3339 has it, which JSON Schema means: with seconds and an offset.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else {
        return false;
    };
    let (time, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => return false,
    };
    let offset = match offset {
        "Z" | "z" => true,
        offset => offset
            .get(1..)
            .and_then(|offset| offset.split_once(':'))
            .is_some_and(|(hours, minutes)| below(hours, 24) && below(minutes, 60)),
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hours, minutes, seconds] = time.split(':').collect::<Vec<_>>()[..] else {
        return false;
    };
    is_date(date)
        && below(hours, 24)
        && below(minutes, 60)
        // A leap second.
        && below(seconds, 61)
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && offset
}

fn below(text: &str, bound: u32) -> bool {
    digits(text, 2).is_some_and(|number| number < bound)
}

fn digits(text: &str, count: usize) -> Option<u32> {
    let fits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}
