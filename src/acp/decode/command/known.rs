//! Whether it is known what a member of a raw input does. An unknown one may do anything, so no rule
//! that covers the rest allows it. That is why the lists here name what is harmless.

use super::{
    json::{Member, is_json, whole_text},
    names::{MAX_SETTING, READING, WRITING},
    patched::header,
};
use crate::model::{
    input_names::{self, Role},
    plain_name,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// It changes nothing.
    Always,
    /// A word for changing a file.
    Writes,
    /// Of a file, or a search. Beside a command it may be its input.
    WithoutCommand,
    Never,
}

/// The object that a member is in.
#[derive(Clone, Copy)]
pub struct Around {
    /// It says what to search for.
    searches: bool,
    /// It says what stands before a change and after it.
    pair: bool,
    /// It stands for one of several files, or describes the command.
    entry: bool,
}

impl Around {
    pub fn of(members: &[Member<'_>], entry: bool) -> Self {
        let has = |name: &str| members.iter().any(|member| member.name == name);
        Self {
            searches: (members.iter()).any(|member| input_names::is(&member.name, Role::Search)),
            pair: has("before") && has("after"),
            entry,
        }
    }
}

pub fn known(member: &Member<'_>, around: Around) -> Known {
    let (name, value) = (&*member.name, member.value.get().trim_ascii());
    let is = |role| input_names::is(name, role);
    let describes = is(Role::Describing)
        && (value.starts_with('"')
            || says_nothing(value)
            || is(Role::DescribingList) && value.starts_with('['));
    if describes || around.entry && is(Role::OfEntry) && value.starts_with('{') {
        return Known::Always;
    }
    if is(Role::Wrapper) {
        return wrapped(value);
    }
    if is(Role::Kind) {
        return kind(value, around.entry || name == "type" && around.searches);
    }
    if is(Role::Setting) && is_setting(value) || is(Role::Named) || is(Role::Cwd) {
        return Known::Always;
    }
    let pair = matches!(name, "before" | "after") && around.pair;
    let of_file = pair
        || is(Role::FileSetting) && is_setting(value)
        || [
            Role::FileText,
            Role::Glob,
            Role::Path,
            Role::Uri,
            Role::Writes,
            Role::WritesToPath,
        ]
        .into_iter()
        .any(is);
    if of_file {
        Known::WithoutCommand
    } else {
        Known::Never
    }
}

/// What holds the members, also as a text; or a patch.
fn wrapped(value: &str) -> Known {
    let text = match value.as_bytes().first() {
        Some(b'{') => return Known::Always,
        Some(b'[') => {
            let objects = value[1..].trim_ascii_start().starts_with('{');
            return if objects { Known::Always } else { Known::Never };
        }
        _ => whole_text(value).unwrap_or_default(),
    };
    if text.trim_ascii_start().starts_with(['{', '[']) && is_json(&text) {
        Known::Always
    } else if is_patch(&text) {
        Known::WithoutCommand
    } else {
        Known::Never
    }
}

/// Which tool it is, which way of reading or writing.
fn kind(value: &str, any: bool) -> Known {
    let word = whole_text(value).map(|word| plain_name(&word));
    match word.as_deref() {
        Some(word) if WRITING.contains(word) => Known::Writes,
        Some(word) if READING.contains(word) => Known::Always,
        Some(_) if any => Known::Always,
        _ => Known::Never,
    }
}

pub fn is_patch(text: &str) -> bool {
    let mut lines = text.trim_ascii_start().split(['\n', '\r']);
    let first = lines.next().unwrap_or_default();
    first.starts_with("*** Begin Patch") || header(first).is_some()
}

/// `null`, and what is empty.
pub fn says_nothing(value: &str) -> bool {
    let value = value.trim_ascii();
    match value.as_bytes() {
        [b'{', inner @ .., b'}'] | [b'[', inner @ .., b']'] | [b'"', inner @ .., b'"'] => {
            inner.trim_ascii().is_empty()
        }
        _ => value == "null",
    }
}

/// A number, yes or no, a list of numbers, one short word.
fn is_setting(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:+|".contains(c);
    match value.as_bytes().first() {
        Some(b'"') => whole_text(value)
            .is_some_and(|word| word.len() <= MAX_SETTING && word.chars().all(plain)),
        Some(b'[') => value
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_whitespace() || b"[],-.".contains(&b)),
        Some(b'{') | None => false,
        Some(_) => true,
    }
}
