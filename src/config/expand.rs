//! `~` and `${VAR}` in command lines and environments.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    #[error("the variable {0} is not set; set it, or write $${{ for a literal ${{")]
    Unset(String),
    #[error("`${{{0}}}` names no variable; write $${{ for a literal ${{")]
    BadName(String),
    #[error("`${{` is not closed; write $${{ for a literal ${{")]
    Unclosed,
    #[error("~ needs HOME to be set")]
    NoHome,
}

/// Expands `~` (alone, or before a `/`, at the start) and `${VAR}`; `$${` is a literal `${`. All
/// other bytes stay as they are, and so do those of the variables.
///
/// # Errors
/// A variable that `lookup` does not have, or a `${` that names none.
pub fn expand(
    text: &str,
    lookup: &dyn Fn(&str) -> Option<OsString>,
) -> Result<OsString, ExpandError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    if let Some(after) = text.strip_prefix('~')
        && (after.is_empty() || after.starts_with('/'))
    {
        let home = lookup("HOME").ok_or(ExpandError::NoHome)?;
        out.extend_from_slice(home.as_bytes());
        rest = after;
    }
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        let inner = &from["${".len()..];
        if let Some(before) = before.strip_suffix('$') {
            out.extend_from_slice(before.as_bytes());
            out.extend_from_slice(b"${");
            rest = inner;
            continue;
        }
        out.extend_from_slice(before.as_bytes());
        let (name, after) = inner.split_once('}').ok_or(ExpandError::Unclosed)?;
        if !is_name(name) {
            return Err(ExpandError::BadName(name.to_owned()));
        }
        let value = lookup(name).ok_or_else(|| ExpandError::Unset(name.to_owned()))?;
        out.extend_from_slice(value.as_bytes());
        rest = after;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(OsString::from_vec(out))
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Text that [`expand`] gives back as it is, but for a `~` at its start.
pub fn literal(path: &OsStr) -> Option<String> {
    path.to_str().map(|p| p.replace("${", "$${"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lookup(name: &str) -> Option<OsString> {
        match name {
            "HOME" => Some("/home/me".into()),
            "KEY" => Some("s3 cr\net".into()),
            "EMPTY" => Some("".into()),
            "BYTES" => Some(OsString::from_vec(vec![0xff, b'x'])),
            _ => None,
        }
    }

    #[test]
    fn variables_and_home_are_expanded() {
        for (text, expected) in [
            ("~/bin/agent", "/home/me/bin/agent"),
            ("~", "/home/me"),
            ("~you/bin", "~you/bin"),
            ("a~", "a~"),
            ("${KEY}", "s3 cr\net"),
            ("x${KEY}${EMPTY}y", "xs3 cr\nety"),
            ("$KEY $ {KEY} $", "$KEY $ {KEY} $"),
            ("$${KEY}", "${KEY}"),
            ("a$$${KEY}", "a$${KEY}"),
        ] {
            assert_eq!(
                expand(text, &lookup).as_deref(),
                Ok(OsStr::new(expected)),
                "{text}"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_text_pass() {
        let expanded = expand("<${BYTES}>", &lookup).unwrap();
        assert_eq!(expanded.as_bytes(), b"<\xffx>");
    }

    #[test]
    fn what_cannot_be_expanded_is_named() {
        for (text, expected) in [
            (
                "${NOPE}",
                "the variable NOPE is not set; set it, or write $${ for a literal ${",
            ),
            (
                "${A:-b}",
                "`${A:-b}` names no variable; write $${ for a literal ${",
            ),
            ("${", "`${` is not closed; write $${ for a literal ${"),
        ] {
            assert_eq!(expand(text, &lookup).unwrap_err().to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn a_literal_comes_back_as_it_was(path in "/[a-z${}~ ]*") {
            let text = literal(OsStr::new(&path)).unwrap();
            prop_assert_eq!(expand(&text, &|_| None), Ok(OsString::from(path)));
        }
    }
}
