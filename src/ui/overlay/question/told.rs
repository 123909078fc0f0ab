//! Whether what a question shows holds all that its raw input says.
//!
//! A yes to a call of which nothing, or too little, is shown would be blind. So the raw input stands
//! there as well, unless each value in it is seen to be shown otherwise; in doubt it is not.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashSet},
    fmt,
};

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::{
    proto::{
        Diff, DiffText,
        patch::{Hunk, HunkSign, hunks, is_all_diff},
    },
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

    fn diffs_hold(&self, text: &str) -> bool {
        let said = SafeText::with_line_ends(text);
        let mut sides = Sides::default();
        if said.contains("@@ ") {
            for diff in &self.diffs {
                sides.add(diff);
            }
        }
        sides.hold_change(&said) || self.diffs.iter().any(|diff| holds(diff, &said))
    }

    fn says(&self, said: &str, of: Of) -> bool {
        if said.trim().is_empty() || self.command == Some(said) {
            return true;
        }
        let of_kind = match of {
            Of::Command => self.command.is_some_and(|command| is_part(said, command)),
            // What is run is the command, whatever is said of it.
            Of::Remark => self.command.is_some(),
            Of::Text => self.diffs_hold(said),
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

/// Whether a diff shows a text: either side as a whole, or a part of one.
fn holds(diff: &Diff, said: &str) -> bool {
    match &diff.text {
        DiffText::Sides { old, new } => {
            old.as_ref().is_some_and(|old| old.contains(said)) || new.contains(said)
        }
        DiffText::Patch(patch) => {
            let said = said.trim_end_matches('\n');
            let side = |hunk: &Hunk<'_>, gone| {
                let lines = hunk.lines.iter().filter(|line| line.sign != gone);
                let lines: Vec<&str> = lines.map(|line| line.text).collect();
                lines.join("\n").contains(said)
            };
            let in_hunk =
                |hunk: &Hunk<'_>| side(hunk, HunkSign::Added) || side(hunk, HunkSign::Removed);
            patch.contains(said) || hunks(patch).iter().any(in_hunk)
        }
        DiffText::None => false,
    }
}

/// A line without what tools change at its end.
fn bare(line: &str) -> &str {
    line.trim_end().trim_end_matches('␍').trim_end()
}

/// Lines that stand in diffs, before and after.
#[derive(Default)]
struct Sides<'a> {
    old: HashSet<&'a str>,
    new: HashSet<&'a str>,
}

impl<'a> Sides<'a> {
    fn add(&mut self, diff: &'a Diff) {
        match &diff.text {
            DiffText::Sides { old, new } => {
                let old = old.as_deref().unwrap_or_default();
                self.old.extend(old.lines().map(bare));
                self.new.extend(new.lines().map(bare));
            }
            DiffText::Patch(patch) => {
                for line in hunks(patch).iter().flat_map(|hunk| &hunk.lines) {
                    if line.sign != HunkSign::Added {
                        self.old.insert(bare(line.text));
                    }
                    if line.sign != HunkSign::Removed {
                        self.new.insert(bare(line.text));
                    }
                }
            }
            DiffText::None => {}
        }
    }

    fn of(&self, sign: HunkSign) -> &HashSet<&'a str> {
        match sign {
            HunkSign::Added => &self.new,
            HunkSign::Removed | HunkSign::Context => &self.old,
        }
    }

    /// Whether a text is a unified diff of which each removed and each added line stands here. Some
    /// agents take the indentation away that all of its lines have (opencode).
    fn hold_change(&self, text: &str) -> bool {
        /// Indentations that are tried.
        const MOST: usize = 16;
        let hunks = hunks(text);
        if !is_all_diff(text, &hunks) {
            return false;
        }
        let changed = hunks.iter().flat_map(|hunk| &hunk.lines);
        let changed = changed.filter(|line| line.sign != HunkSign::Context);
        let changed: Vec<(HunkSign, &str)> = changed
            .map(|line| (line.sign, bare(line.text)))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        let Some((sign, first)) = changed.first() else {
            return false;
        };
        let here = self.of(*sign).iter();
        let indents = here.filter_map(|line| line.strip_suffix(first));
        let indents: BTreeSet<&str> = indents.filter(|rest| rest.trim().is_empty()).collect();
        indents.into_iter().take(MOST).any(|indent| {
            let mut changed = changed.iter();
            changed.all(|(sign, line)| self.of(*sign).contains(&*format!("{indent}{line}")))
        })
    }
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
