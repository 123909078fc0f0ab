//! Whether what a question shows holds all that its raw input says.
//!
//! A yes to a call of which nothing, or too little, is shown would be blind. So the raw input stands
//! there as well, unless each value in it is seen to be shown otherwise; in doubt it is not.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::{
    proto::{Diff, DiffText},
    session::Session,
    text::SafeText,
};

use super::body::place;

/// Bytes of a raw input that are looked through; a longer one is shown.
const MOST: usize = 8 << 20;

/// What the question shows.
pub struct Shown<'a> {
    pub command: Option<&'a str>,
    /// Files and directories, as they are shown.
    pub places: Vec<SafeText>,
    pub texts: Vec<SafeText>,
    pub diffs: Vec<&'a Diff>,
    pub session: Option<&'a Session>,
}

impl Shown<'_> {
    /// Whether all of a raw input, which is any JSON, is among it.
    pub fn tells(&self, raw: &str) -> bool {
        if raw.len() > MOST {
            return false;
        }
        let mut json = serde_json::Deserializer::from_str(raw);
        let value = Value {
            shown: self,
            of: Of::Anything,
        };
        value.deserialize(&mut json).unwrap_or(false)
    }

    fn says(&self, said: &str, of: Of) -> bool {
        if said.trim().is_empty() || self.command == Some(said) {
            return true;
        }
        let of_kind = match of {
            Of::Command => self.command.is_some_and(|command| is_part(said, command)),
            // What is run is the command, whatever is said of it.
            Of::Remark => self.command.is_some(),
            Of::Text => self.diffs.iter().any(|diff| holds(diff, said)),
            Of::Anything | Of::Count => false,
        };
        of_kind
            || self.places.contains(&place(said, self.session).shown)
            || self.texts.iter().any(|text| {
                let said = SafeText::new(said);
                text.trim() == said.trim()
            })
    }
}

/// What a value is, by the names of the members that it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Anything,
    /// A command, or its words.
    Command,
    /// Text of a file, or a part of it.
    Text,
    /// Said to whoever reads it.
    Remark,
    /// How much or how long, which changes nothing that is done.
    Count,
}

impl Of {
    fn member(self, name: &str) -> Self {
        let name: String = name.chars().filter(|c| *c != '_' && *c != '-').collect();
        match &*name.to_ascii_lowercase() {
            "command" | "cmd" | "commandline" | "argv" | "args" | "arguments" => Self::Command,
            "oldstring" | "newstring" | "oldtext" | "newtext" | "oldstr" | "newstr" | "old"
            | "new" | "content" | "contents" | "filetext" | "newcontent" | "diff" | "patch" => {
                Self::Text
            }
            "description" | "explanation" | "justification" | "reason" => Self::Remark,
            "timeout" | "timeoutms" | "limit" | "offset" | "line" | "startline" | "endline" => {
                Self::Count
            }
            _ if self == Self::Command => Self::Command,
            _ => Self::Anything,
        }
    }
}

/// Whether a text is a command, its beginning, which its arguments follow, or one word of it.
fn is_part(said: &str, command: &str) -> bool {
    let rest = command.trim().strip_prefix(said.trim());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        || shlex::split(command).is_some_and(|words| words.iter().any(|word| word == said))
}

/// Whether a diff shows a text: either side as a whole, a part of one, or the change itself.
fn holds(diff: &Diff, text: &str) -> bool {
    let said = SafeText::with_line_ends(text);
    let (old, new) = match &diff.text {
        DiffText::Sides { old, new } => (old.as_deref().unwrap_or_default(), new.as_str()),
        DiffText::Patch(patch) => (patch.as_str(), ""),
        DiffText::None => return false,
    };
    old.contains(&*said) || new.contains(&*said) || is_change(&said, old, new)
}

/// Whether a text is a unified diff of which each line stands in one of the sides.
fn is_change(text: &str, old: &str, new: &str) -> bool {
    const HEADS: [&str; 8] = [
        "--- ", "+++ ", "@@", "diff ", "index ", "Index:", "===", "\\ ",
    ];
    if !text.contains("@@") {
        return false;
    }
    let lines: HashSet<&str> = old.lines().chain(new.lines()).map(str::trim_end).collect();
    text.lines().all(|line| {
        let head = HEADS.iter().any(|head| line.starts_with(head));
        head || line.trim().is_empty()
            || line
                .strip_prefix(['+', '-', ' '])
                .is_some_and(|line| line.trim().is_empty() || lines.contains(line.trim_end()))
    })
}

/// A value of the raw input; read without a tree, as it may be long.
#[derive(Clone, Copy)]
struct Value<'s> {
    shown: &'s Shown<'s>,
    of: Of,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = bool;

    fn deserialize<D: de::Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<bool, E> {
        Ok(!flag)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<bool, E> {
        Ok(self.of == Of::Count)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<bool, E> {
        Ok(self.of == Of::Count)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<bool, E> {
        Ok(self.of == Of::Count)
    }

    fn visit_str<E: de::Error>(self, said: &str) -> Result<bool, E> {
        Ok(self.shown.says(said, self.of))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut all = true;
        while let Some(told) = items.next_element_seed(self)? {
            all &= told;
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut all = true;
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            let of = self.of.member(&name);
            all &= members.next_value_seed(Self { of, ..self })?;
        }
        Ok(all)
    }
}
