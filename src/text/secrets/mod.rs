//! What must not stand in logs and printed settings: the values of names that are those of secrets,
//! passwords and secret parameters in addresses and command lines, tokens of well-known shapes.
//!
//! Owns: which names these are, and masking in plain text ([`mask`]) and in JSON ([`mask_json`]).
//! It errs on the safe side: what is masked for nothing costs a look elsewhere. Prose and code that
//! speak of secrets stay as they are: `password: enter the one …`, `token: String`, `key = get_key()`.
//! Masking takes time and memory in proportion to the text, and keeps no tree of it.

mod json;
mod line;
mod shapes;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::Words;

pub use json::mask_json;
pub use line::mask;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// Names longer than this are texts.
const MAX_NAME: usize = 128;

/// Whether an environment variable or a field of a form is a secret's, by its name: a word of it, or the
/// end of one where words are run together (`PGPASSWORD`).
pub fn is_secret_name(name: &str) -> bool {
    const WORDS: Words = Words("key token secret password passwd passphrase passcode credential");
    /// That end like one of them and are something else.
    const OTHERS: [&str; 5] = ["monkey", "turkey", "donkey", "hotkey", "hockey"];
    let words = words(name);
    let last = words.last().map(|word| &**word).unwrap_or_default();
    if about(&words) || ABOUT.contains(last) && last != "id" {
        return false;
    }
    let is_one = |word: &String| {
        if word == "tokens" && has(&words, NUMBERS) {
            return false;
        }
        let one = word.strip_suffix('s').unwrap_or(word);
        let ends = WORDS.iter().any(|known| one.ends_with(known));
        ends && !OTHERS.contains(&one)
    };
    words.iter().any(is_one) || words.len() > 1 && matches!(last, "pass" | "pwd" | "pw")
}

/// Whether a name is a secret's and written as variables of the environment are.
fn is_secret_variable(name: &str) -> bool {
    let shouted = !name.contains(|c: char| c.is_ascii_lowercase() || matches!(c, '-' | '.' | ' '));
    name.len() > 3 && shouted && is_secret_name(name)
}

/// Whether a value is on or off, or the like: to look for it elsewhere would find everything else.
pub fn is_switch(value: &str) -> bool {
    let words = [
        "true", "false", "yes", "no", "on", "off", "none", "null", "enabled", "disabled", "enable",
        "disable", "required", "optional", "always", "never", "default",
    ];
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a value is made of words alone, as a mode or a path, or is a small number: nothing that was
/// made up to be secret.
pub fn is_ordinary(value: &str) -> bool {
    const DIGITS: usize = 8;
    let number = value.bytes().all(|b| b.is_ascii_digit());
    if number {
        return value.len() <= DIGITS;
    }
    let is_between = |c: char| "-_./:, ~".contains(c);
    let mut words = value.split(is_between).filter(|word| !word.is_empty());
    words.all(is_word)
}

/// Letters in lower case, with a capital first, or all in capitals.
fn is_word(word: &str) -> bool {
    const LONGEST: usize = 20;
    let rest = word.char_indices().nth(1).map_or("", |(at, _)| &word[at..]);
    word.len() <= LONGEST
        && word.chars().all(char::is_alphabetic)
        && (!rest.contains(char::is_uppercase) || !word.contains(char::is_lowercase))
}

/// How certain it is that a name is a secret's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Plain,
    /// `tokens`: secrets where they are text, and numbers of something where not.
    Texts,
    Secret,
}

/// Whether a member of JSON, an option or a header is a secret's, by its name: in snake, kebab or
/// camel case, run together, or as a variable of the environment.
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

/// Last words of names that are about a secret without being one.
const ABOUT_ANY: Words = Words(
    "url uri type types name names policy file files path paths dir directory folder count counts \
     length size limit limits reset rotation manager provider helper prompt input form page \
     screen required enabled disabled strength expiry ttl timeout error errors validation \
     parallelism",
);

/// Behind `token`: likewise.
const ABOUT: Words = Words(
    "usage used budget endpoint window total id ids per cost expires at in refresh bucket stream \
     ring parser kind position index",
);

/// Before `token`: of texts, pages and progress.
const OTHER_TOKENS: Words = Words(
    "progress page cancel cancellation continuation stop pad eos bos unk design color colour \
     theme syntax",
);

/// With `tokens`: numbers of them.
const NUMBERS: Words =
    Words("max min num count limit budget total input output thinking reasoning cached context");

/// Words of a name that say enough.
const SECRETS: Words = Words(
    "secret secrets password passwords passwd passphrase passcode credential credentials creds \
     authorization bearer cookie cookies jwt otp apikey apikeys authtoken privatekey privatekeyid \
     accesskey",
);

/// Ends of a name whose words may be run together.
const ENDINGS: Words = Words(
    "apikey apikeys accesskey accesskeyid secretkey privatekey privatekeyid signingkey \
     encryptionkey sessionkey authkey sshkey masterkey authtoken accesstoken refreshtoken \
     sessiontoken idtoken bearertoken",
);

/// Words of a name that ends with `key` and means something else.
const OTHER_KEYS: Words = Words(
    "public primary foreign sort cache group partition object map row index unique hot shortcut \
     arrow enter progress translation i18n message required sorted dict json yaml toml config \
     option options lookup dedup dedupe idempotency modifier item registry num function control \
     ctrl alt shift escape esc tab return backspace navigation field column property attribute \
     element parent node list set sorting same any each all missing duplicate i react",
);

fn has(words: &[String], wanted: Words) -> bool {
    words.iter().any(|word| wanted.contains(word))
}

/// Whether the name is that of something about a secret.
fn about(words: &[String]) -> bool {
    let last = words.last().map(|word| &**word).unwrap_or_default();
    words.len() > 1 && ABOUT_ANY.contains(last)
}

fn naming(name: &str) -> Naming {
    if name.len() > MAX_NAME {
        return Naming::Plain;
    }
    let words = words(name);
    if about(&words) {
        return Naming::Plain;
    }
    let run_together = words.concat();
    let last = words.last().map(|word| &**word).unwrap_or_default();
    if has(&words, SECRETS) || is_secret_variable(name) {
        return Naming::Secret;
    }
    if ENDINGS.iter().any(|ending| run_together.ends_with(ending)) {
        return Naming::Secret;
    }
    if has(&words, Words("token")) {
        let plain = ABOUT.contains(last) || has(&words, OTHER_TOKENS);
        return if plain { Naming::Plain } else { Naming::Secret };
    }
    if run_together.ends_with("token") || words == ["auth"] {
        return Naming::Texts;
    }
    if last == "tokens" {
        return Naming::Texts;
    }
    if words.len() > 1 && matches!(last, "key" | "keys") && !has(&words, OTHER_KEYS) {
        return Naming::Secret;
    }
    Naming::Plain
}

/// `apiKey`, `api-key`, `API_KEY`, `APIKey` and `API_KEY2` are all `api`, `key`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut end = |word: &mut String| {
        let named = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if !named.is_empty() {
            word.truncate(named.len());
        }
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let next = chars.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
                || before.is_some_and(|c| c.is_uppercase())
                    && next.is_some_and(|c| c.is_lowercase()));
        if begins || !c.is_alphanumeric() {
            end(&mut word);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    end(&mut word);
    words
}

/// What of a setting may be seen by others. A value that is made of variables alone
/// (`Bearer ${TOKEN}`) shows nothing; `secret`: any other value is one, whatever its name.
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
