//! What a permission option means, where an agent gives it an id and a label and no kind (D-23).
//!
//! Only where its text leaves no doubt, because a rule may answer with it unseen. Words that contradict each other, and
//! words that could be about something else, give no kind.

use crate::text::Words;

/// Longer texts are not read.
const MAX_BYTES: usize = 200;

const ALLOW: Words = Words(
    "allow allowed approve approved accept accepted yes y ok okay permit grant confirm proceed \
     agree sure",
);
const REJECT: Words = Words(
    "deny denied reject rejected refuse decline disallow forbid block cancel cancelled abort no n \
     nope dismiss disapprove skip stop",
);
const ALWAYS: Words = Words("always forever permanently session remember");
const ONCE: Words = Words("once one");
/// They negate a word of [`ALLOW`].
const NOT: Words = Words("not don't dont never");
/// They say nothing about it.
const FILLERS: Words = Words(
    "this it the that a and for in to now time only just tool call command action request option \
     me please again thanks use",
);
/// Said of an answer that is remembered.
const NOT_ASKED_AGAIN: [&str; 6] = [
    "don't ask again",
    "dont ask again",
    "do not ask again",
    "never ask again",
    "don't ask me again",
    "without asking",
];

/// What one text says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reading {
    /// Allowed or rejected.
    allows: Option<bool>,
    always: bool,
    once: bool,
    /// It contradicts itself.
    torn: bool,
    /// It says other things as well.
    more: bool,
}

/// The kind of an option, as v1 names it.
pub fn kind_of(id: &str, label: &str) -> Option<&'static str> {
    let (id, label) = (read(id), read(label));
    if id.torn || label.torn {
        return None;
    }
    let allows = match (id.allows, label.allows) {
        (Some(id), Some(label)) if id != label => return None,
        // Both say so, whatever else they say.
        (Some(allows), Some(_)) => Some(allows),
        (Some(allows), None) => (!id.more).then_some(allows),
        (None, Some(allows)) => (!label.more).then_some(allows),
        (None, None) => None,
    };
    let always = id.always || label.always;
    if always && (id.once || label.once) {
        return None;
    }
    match (allows, always) {
        (Some(true), false) => Some("allow_once"),
        (Some(true), true) => Some("allow_always"),
        (Some(false), false) => Some("reject_once"),
        (Some(false), true) => Some("reject_always"),
        // "Always", and nothing of what.
        (None, true) => {
            let silent = id.allows.is_none() && label.allows.is_none();
            (silent && !id.more && !label.more).then_some("allow_always")
        }
        (None, false) => None,
    }
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    if text.len() > MAX_BYTES {
        reading.more = true;
        return reading;
    }
    let mut text = spaced(text);
    for phrase in NOT_ASKED_AGAIN {
        if text.contains(phrase) {
            reading.always = true;
            text = text.replace(phrase, " ");
        }
    }
    let (mut allow, mut reject, mut not) = (false, false, false);
    for word in text.split_whitespace() {
        let word = word.trim_matches('\'');
        allow |= ALLOW.contains(word);
        reject |= REJECT.contains(word);
        not |= NOT.contains(word);
        reading.always |= ALWAYS.contains(word) || word == "never";
        reading.once |= ONCE.contains(word);
        let known = [ALLOW, REJECT, NOT, ALWAYS, ONCE, FILLERS];
        reading.more |= !word.is_empty() && !known.iter().any(|words| words.contains(word));
    }
    let never = text.split_whitespace().any(|word| word == "never");
    (reading.allows, reading.torn) = match (allow, reject, not) {
        (true, false, false) => (Some(true), false),
        (false, true, false) => (Some(false), false),
        (true, false, true) => (Some(false), false),
        // "No, never", "No, don't allow it".
        (_, true, true) if text.split_whitespace().any(|word| word == "no") => {
            let others = REJECT.iter().filter(|word| *word != "no");
            let doubled = text
                .split_whitespace()
                .any(|word| others.clone().any(|other| other == word));
            (Some(false), doubled)
        }
        (false, false, true) if never => (Some(false), false),
        (false, false, false) => (None, false),
        _ => (None, true),
    };
    reading
}

/// In small letters, `allowOnce` and `allow_once` as two words.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut small = false;
    for c in text.chars() {
        match c {
            '\u{2019}' => out.push('\''),
            c if c.is_alphanumeric() || c == '\'' => {
                if c.is_uppercase() && small {
                    out.push(' ');
                }
                out.extend(c.to_lowercase());
            }
            _ => out.push(' '),
        }
        small = c.is_lowercase();
    }
    // One blank between words, so that phrases are found.
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_words_tell_the_kind() {
        for (id, label, kind) in [
            ("allow", "Allow", "allow_once"),
            ("deny", "Deny", "reject_once"),
            ("yes", "Yes", "allow_once"),
            ("no", "No", "reject_once"),
            ("allow_once", "Allow once", "allow_once"),
            ("allowOnce", "Allow", "allow_once"),
            ("allow-always", "Always allow", "allow_always"),
            ("yes", "Allow always", "allow_always"),
            ("always", "Always", "allow_always"),
            ("never", "Never", "reject_always"),
            ("no", "No, never", "reject_always"),
            ("1", "Approve", "allow_once"),
            ("approve", "1", "allow_once"),
            ("cancel", "Cancel", "reject_once"),
            ("reject_always", "Reject always", "reject_always"),
            ("yes", "Yes, and don\u{2019}t ask again", "allow_always"),
            ("session", "Allow for this session", "allow_always"),
            ("opt", "Don't allow", "reject_once"),
            (
                "reject",
                "No, tell the agent what to do instead",
                "reject_once",
            ),
            ("allow", "Allow npm test", "allow_once"),
        ] {
            assert_eq!(kind_of(id, label), Some(kind), "{id} {label}");
        }
    }

    #[test]
    fn what_is_in_doubt_is_not_told() {
        for (id, label) in [
            ("allow", "Deny"),
            ("yes", "No"),
            ("do", "Do it"),
            ("opt-1", "Allow all of npm"),
            ("x", "Run in the background"),
            ("allow", "Allow once, always"),
            ("a", "Don't deny"),
            ("maybe", "Ask me later"),
            ("always", "Always run as root"),
            ("", ""),
        ] {
            assert_eq!(kind_of(id, label), None, "{id} {label}");
        }
    }

    proptest! {
        /// A word of refusal is never taken for a yes.
        #[test]
        fn a_refusal_allows_nothing(
            word in prop::sample::select(REJECT.iter().collect::<Vec<_>>()),
            before in "[a-z ]{0,12}",
            after in "[a-z ]{0,12}",
            id in "[a-z_]{0,12}",
        ) {
            let label = format!("{before} {word} {after}");
            let kind = kind_of(&id, &label);
            prop_assert!(!kind.is_some_and(|kind| kind.starts_with("allow")), "{label}: {kind:?}");
        }
    }
}
