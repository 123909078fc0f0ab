//! Secrets that are known by how they look, wherever they stand: tokens of well-known services and
//! private keys.

use std::ops::Range;

use memchr::memmem;

/// What a token begins with, and how many characters follow at least. If the beginning says little, they
/// must contain digits and letters of both cases (`mixed`).
struct Shape {
    prefix: &'static str,
    shortest: usize,
    /// Characters of a token other than letters and digits.
    others: &'static [u8],
    mixed: bool,
}

const fn shape(prefix: &'static str, shortest: usize, others: &'static [u8], mixed: bool) -> Shape {
    Shape {
        prefix,
        shortest,
        others,
        mixed,
    }
}

const SHAPES: &[Shape] = &[
    shape("ghp_", 30, b"", false),
    shape("gho_", 30, b"", false),
    shape("ghu_", 30, b"", false),
    shape("ghs_", 30, b"", false),
    shape("ghr_", 30, b"", false),
    shape("github_pat_", 30, b"_", false),
    shape("glpat-", 20, b"_-", false),
    shape("npm_", 36, b"", false),
    shape("xoxb-", 20, b"-", false),
    shape("xoxp-", 20, b"-", false),
    shape("xoxa-", 20, b"-", false),
    shape("xoxr-", 20, b"-", false),
    shape("xoxs-", 20, b"-", false),
    shape("sk-ant-", 20, b"_-", false),
    shape("sk-proj-", 20, b"_-", false),
    shape("sk-", 20, b"_-", true),
    shape("AIza", 35, b"_-", false),
];

/// Of the access key of Amazon: capitals and digits.
const AMAZON: &[&str] = &["AKIA", "ASIA"];
const AMAZON_LEN: usize = 20;

/// Parts of a JWT are at least that long.
const SHORTEST_PART: usize = 10;

const BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";
const KEY: &[u8] = b"PRIVATE KEY";
const LONGEST_LABEL: usize = 64;

/// Where such secrets stand, in order and apart. Each character is looked at a bounded number of times.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    for at in starts(bytes) {
        if found
            .last()
            .is_some_and(|last: &Range<usize>| at < last.end)
        {
            continue;
        }
        let rest = &bytes[at..];
        let len = token(rest).or_else(|| amazon(rest)).or_else(|| jwt(rest));
        found.extend(len.map(|len| at..at + len));
    }
    private_keys(bytes, &mut found);
    found
}

/// Where a word begins with a letter that a token may begin with.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.iter().enumerate().filter_map(move |(at, &b)| {
        let of_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        // Or behind the end of a line that is written `\n`.
        let first = || {
            let before = &bytes[..at];
            !before.last().is_some_and(of_word)
                || [&b"\\n"[..], b"\\r", b"\\t"]
                    .iter()
                    .any(|end| before.ends_with(end))
        };
        (matches!(b, b'g' | b'n' | b'x' | b's' | b'A' | b'e') && first()).then_some(at)
    })
}

fn run(bytes: &[u8], others: &[u8]) -> usize {
    let is = |b: &u8| b.is_ascii_alphanumeric() || others.contains(b);
    bytes.iter().position(|b| !is(b)).unwrap_or(bytes.len())
}

fn token(rest: &[u8]) -> Option<usize> {
    SHAPES.iter().find_map(|shape| {
        let own = rest.strip_prefix(shape.prefix.as_bytes())?;
        let own = &own[..run(own, shape.others)];
        let has = |of: fn(&u8) -> bool| own.iter().any(of);
        let telling = !shape.mixed
            || has(u8::is_ascii_digit)
                && has(u8::is_ascii_uppercase)
                && has(u8::is_ascii_lowercase);
        // Words joined by hyphens hold no digit.
        let made_up = has(u8::is_ascii_digit);
        (own.len() >= shape.shortest && telling && made_up)
            .then_some(shape.prefix.len() + own.len())
    })
}

fn amazon(rest: &[u8]) -> Option<usize> {
    let known = AMAZON
        .iter()
        .any(|prefix| rest.starts_with(prefix.as_bytes()));
    let word = if known {
        rest.get(..AMAZON_LEN)?
    } else {
        return None;
    };
    let ends = rest
        .get(AMAZON_LEN)
        .is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'_');
    let of_key = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    (ends && word.iter().all(of_key)).then_some(AMAZON_LEN)
}

/// `eyJ….eyJ….…`
fn jwt(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    for part in 0..3 {
        if part > 0 {
            at += usize::from(rest.get(at) == Some(&b'.'));
        }
        let own = &rest[at..];
        if part < 2 && !own.starts_with(b"eyJ") {
            return None;
        }
        let len = run(own, b"_-");
        if len < SHORTEST_PART {
            return None;
        }
        at += len;
    }
    Some(at)
}

/// Of a block in PEM what stands between its first line and its last, or its first lines where the last is
/// missing.
fn private_keys(bytes: &[u8], found: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(begin) = memmem::find(&bytes[from..], BEGIN) {
        from += begin + BEGIN.len();
        let head = &bytes[from..bytes.len().min(from + LONGEST_LABEL)];
        let Some(dashes) = memmem::find(head, DASHES) else {
            continue;
        };
        if memmem::find(&head[..dashes], KEY).is_none() {
            continue;
        }
        let start = from + dashes + DASHES.len();
        let rest = &bytes[start..];
        // Headers may stand before the key. Nothing is looked at twice: a line of first lines stays linear.
        let is_body = |b: u8| b.is_ascii_alphanumeric() || b"+/=\\\r\n\t :,-".contains(&b);
        let ends = |at: &usize| !is_body(rest[*at]) || rest[*at..].starts_with(DASHES);
        let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
        let body = &rest[..end];
        let len = if rest[end..].starts_with(DASHES) {
            end
        } else {
            body.iter().position(|b| *b == b' ').unwrap_or(end)
        };
        if body[..len].iter().any(u8::is_ascii_alphanumeric) {
            found.push(start..start + len);
        }
        from = start + end;
    }
}
