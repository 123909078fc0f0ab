//! What must not stand in logs and printed settings: the values of names that are those of secrets,
//! passwords and secret parameters in addresses and command lines.
//!
//! Owns: which names these are, and masking in plain text ([`mask`]) and in JSON ([`mask_json`]).
//! It errs on the safe side: what is masked for nothing costs a look elsewhere. Masking takes time
//! and memory in proportion to the text, and keeps no tree of it.

mod json;
mod line;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use json::mask_json;
pub use line::mask;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// Names longer than this are texts.
const MAX_NAME: usize = 128;

/// Whether an environment variable or a field of a form is a secret's, by its name.
pub fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 8] = [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "PASSCODE",
        "CREDENTIAL",
    ];
    let name = name.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Whether a name is a secret's and written as variables of the environment are.
fn is_secret_variable(name: &str) -> bool {
    let shouted = !name.contains(|c: char| c.is_ascii_lowercase() || matches!(c, '-' | '.' | ' '));
    name.len() > 3 && shouted && is_secret_name(name)
}

/// How sure a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Plain,
    /// `tokens`: secrets where they are text, and numbers of something where not.
    Texts,
    Secret,
}

/// Whether a member of JSON, an option or a header is a secret's, by its name: in snake, kebab or
/// camel case, or run together.
pub fn is_secret_member(name: &str) -> bool {
    naming(name) == Naming::Secret
}

/// A parameter of an address: some say `key` or `sig` where a member would say more.
fn is_secret_parameter(name: &str) -> bool {
    let is = |name: &str, words: &[&str]| words.iter().any(|word| name.eq_ignore_ascii_case(word));
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    is(last, &["key", "sig", "signature"])
        || is(name, &["code", "pass", "pwd", "pw", "auth"])
        || naming(name) != Naming::Plain
}

/// Behind `token`: what tells about one without being one.
const ABOUT: &[&str] = &[
    "count", "counts", "limit", "limits", "usage", "used", "budget", "type", "types", "url", "uri",
    "endpoint", "window", "length", "size", "total", "id", "ids", "name", "names", "policy", "per",
    "cost", "expires",
];

/// Words of a name that say enough.
const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "credential",
    "credentials",
    "creds",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "jwt",
    "otp",
    "apikey",
    "apikeys",
    "authtoken",
    "privatekey",
    "privatekeyid",
    "accesskey",
];

/// Ends of a name whose words may be run together.
const ENDINGS: &[&str] = &[
    "apikey",
    "apikeys",
    "accesskey",
    "accesskeyid",
    "secretkey",
    "privatekey",
    "privatekeyid",
    "signingkey",
    "encryptionkey",
    "sessionkey",
    "authkey",
    "sshkey",
    "masterkey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "sessiontoken",
    "idtoken",
    "bearertoken",
];

/// Words of a name that ends with `key` and means something else.
const KEYS_OF_NOTHING: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "sort",
    "cache",
    "group",
    "partition",
    "object",
    "map",
    "row",
    "index",
    "unique",
    "hot",
    "shortcut",
    "arrow",
    "enter",
    "progress",
    "translation",
    "i18n",
    "message",
];

fn naming(name: &str) -> Naming {
    if name.len() > MAX_NAME {
        return Naming::Plain;
    }
    let words = words(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&&**word));
    let run_together = words.concat();
    let last = words.last().map(|word| &**word).unwrap_or_default();
    if has(SECRETS) && !matches!(last, "url" | "uri" | "type" | "name" | "policy") {
        return Naming::Secret;
    }
    if ENDINGS.iter().any(|ending| run_together.ends_with(ending)) {
        return Naming::Secret;
    }
    if has(&["token"]) {
        return match last {
            last if ABOUT.contains(&last) => Naming::Plain,
            _ => Naming::Secret,
        };
    }
    if run_together.ends_with("token") || words == ["auth"] {
        return Naming::Texts;
    }
    if last == "tokens" {
        return Naming::Texts;
    }
    if words.len() > 1 && matches!(last, "key" | "keys") && !has(KEYS_OF_NOTHING) {
        return Naming::Secret;
    }
    Naming::Plain
}

/// `apiKey`, `api-key`, `API_KEY` and `APIKey` are all `api`, `key`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let next = chars.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
                || before.is_some_and(|c| c.is_uppercase())
                    && next.is_some_and(|c| c.is_lowercase()));
        if (begins || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// What of a setting may be seen by others. A value that is made of variables alone
/// (`Bearer ${TOKEN}`) tells nothing; `secret` says that any other is one, whatever its name.
pub fn setting<'a>(name: &str, value: &'a str, secret: bool) -> Cow<'a, str> {
    if !secret && !is_secret_variable(name) && naming(name) == Naming::Plain {
        mask(value)
    } else if value.is_empty() || of_variables(value) {
        Cow::Borrowed(value)
    } else {
        Cow::Borrowed(MASK)
    }
}

/// The words of a command line, each with what [`mask`] leaves of it, and what stands behind an
/// option for a secret.
pub fn mask_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Cow<'a, str>> {
    let mut behind_option = false;
    let mut masked = Vec::new();
    for word in words {
        let secret = std::mem::replace(&mut behind_option, line::is_secret_option(word));
        masked.push(match word {
            word if secret && !word.starts_with('-') && !line::is_variable(word) => {
                Cow::Borrowed(MASK)
            }
            word => mask(word),
        });
    }
    masked
}

/// Whether there is nothing else in it than variables, and perhaps the scheme of a header.
fn of_variables(value: &str) -> bool {
    let mut rest = value;
    let mut literal = String::new();
    let mut found = false;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((_, behind)) = behind.split_once('}') else {
            return false;
        };
        literal.push_str(before);
        (rest, found) = (behind, true);
    }
    literal.push_str(rest);
    let scheme = literal.trim();
    let is = |known: &&str| scheme.eq_ignore_ascii_case(known);
    found && (scheme.is_empty() || ["Bearer", "Basic", "Token"].iter().any(is))
}
