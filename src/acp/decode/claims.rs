//! Changes of files within a tool call's raw input.
//!
//! Agents call the members of their tools as they like; what is known here is what agents have been
//! seen to send. Members are read where they stand in the message: a raw input can have many
//! megabytes, and only what becomes a diff is copied.

mod codex;

use std::{fmt, path::Path};

use serde::{
    Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::view::{Items, Text};
use crate::{
    diff::{FilePatch, by_file, hunks, is_all_diff},
    model::{Claim, Claims, Diff, DiffText, Extent, FileChange},
    text::SafeText,
};
use codex::Found;

/// Bytes of a raw input that is looked at.
const MAX_RAW: usize = 32 << 20;
/// Bytes of one text in it.
const MAX_TEXT: usize = 8 << 20;
/// Changes that are taken from one call.
const MAX_CLAIMS: usize = 200;
/// How deep the arguments of a tool lie.
const MAX_DEPTH: usize = 2;

/// The changes that a raw input tells, which is any JSON. None where it tells something else.
pub fn find(raw_input: &str) -> Claims {
    if raw_input.len() > MAX_RAW {
        return Claims::default();
    }
    // Arguments as a model wrote them: JSON within a string, or the text of a patch.
    if raw_input.starts_with('"') {
        return match serde_json::from_str::<String>(raw_input) {
            Ok(inner) => in_text(&inner, 0).unwrap_or_default(),
            Err(_) => Claims::default(),
        };
    }
    in_object(raw_input, 0).unwrap_or_default()
}

fn in_text(text: &str, depth: usize) -> Option<Claims> {
    if !codex::is_patch_text(text) {
        return in_object(text, depth);
    }
    let found = codex::of_patch_text(text)?;
    Some(Claims {
        complete: found.whole && !repeats(&found.list),
        list: found.list,
        only_path: None,
    })
}

fn in_object(object: &str, depth: usize) -> Option<Claims> {
    let members = Members::read(object)?;
    let Found { list, whole } = members.claims()?;
    if !list.is_empty() {
        return Some(Claims {
            complete: whole && !members.others && !members.remarks() && !repeats(&list),
            list,
            only_path: None,
        });
    }
    if let Some(path) = members.only_path() {
        return Some(Claims {
            only_path: Some(path),
            ..Claims::default()
        });
    }
    if depth == MAX_DEPTH {
        return None;
    }
    let wrapped = members.wrapped?.get();
    let inner = if wrapped.starts_with('"') {
        in_text(&serde_json::from_str::<String>(wrapped).ok()?, depth + 1)?
    } else {
        in_object(wrapped, depth + 1)?
    };
    Some(Claims {
        complete: inner.complete && members.is_all_in_wrapped(),
        only_path: inner.only_path.filter(|_| members.is_all_in_wrapped()),
        ..inner
    })
}

/// What is known by its name. Of several members for one thing the last counts, and the others say
/// something else.
#[derive(Default)]
struct Members<'a> {
    path: Option<&'a RawValue>,
    old: Option<&'a RawValue>,
    new: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    diff: Option<&'a RawValue>,
    edits: Option<&'a RawValue>,
    changes: Option<&'a RawValue>,
    everywhere: Option<&'a RawValue>,
    wrapped: Option<&'a RawValue>,
    /// Words for whoever reads them, which no diff shows.
    remark: bool,
    instruction: bool,
    /// There are others, which could say something else.
    others: bool,
}

impl<'a> Members<'a> {
    fn read(object: &'a str) -> Option<Self> {
        let mut read = serde_json::Deserializer::from_str(object);
        let members = read.deserialize_map(MembersVisitor).ok()?;
        read.end().is_ok().then_some(members)
    }

    fn place(&mut self, name: &str) -> Option<&mut Option<&'a RawValue>> {
        let plain: String = name
            .chars()
            .filter(|c| !matches!(c, '_' | '-'))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        Some(match plain.as_str() {
            "path" | "filepath" | "file" | "filename" | "targetfile" | "absolutepath" => {
                &mut self.path
            }
            "oldstring" | "oldtext" | "oldstr" | "old" | "search" => &mut self.old,
            "newstring" | "newtext" | "newstr" | "new" | "replace" => &mut self.new,
            "content" | "contents" | "text" | "filetext" => &mut self.content,
            "diff" | "patch" | "patchtext" | "unifieddiff" => &mut self.diff,
            "edits" | "replacements" => &mut self.edits,
            "changes" | "filechanges" => &mut self.changes,
            "replaceall" | "allowmultiple" => &mut self.everywhere,
            "args" | "arguments" | "input" | "params" | "parameters" | "rawinput" => {
                &mut self.wrapped
            }
            _ => return None,
        })
    }

    /// `None` where members are not what their names say.
    fn claims(&self) -> Option<Found> {
        let path = match self.path {
            Some(path) => text(path)?,
            None => String::new(),
        };
        let alone = |members: &[Option<&RawValue>]| {
            let all = [
                self.old,
                self.new,
                self.content,
                self.diff,
                self.edits,
                self.changes,
                self.wrapped,
            ];
            let given = |list: &[Option<&RawValue>]| list.iter().flatten().count();
            given(members) == given(&all)
        };
        if let Some(changes) = self.changes {
            let found = codex::of_changes(changes)?;
            let whole = found.whole && alone(&[self.changes]) && self.path.is_none();
            return Some(Found { whole, ..found });
        }
        if let Some(edits) = self.edits {
            let found = edits_of(edits, &path)?;
            let whole = found.whole && alone(&[self.edits]);
            return Some(Found { whole, ..found });
        }
        if let (Some(old), Some(new)) = (self.old, self.new) {
            let new = file_text(new)?;
            let old = match old.get() {
                "null" => None,
                _ => Some(file_text(old)?),
            };
            let extent = match self.everywhere.map(RawValue::get) {
                Some("true") => Extent::Everywhere,
                _ => Extent::Unknown,
            };
            return Some(Found {
                list: vec![Claim::new(Diff::of_texts(path, old, new), extent)],
                whole: alone(&[self.old, self.new]),
            });
        }
        if self.old.is_some() || self.new.is_some() {
            return None;
        }
        if let Some(diff) = self.diff {
            let diff = text(diff)?;
            let found = match codex::is_patch_text(&diff) {
                true => codex::of_patch_text(&diff)?,
                false => of_patch(&diff, &path),
            };
            let whole = found.whole && alone(&[self.diff]);
            return Some(Found { whole, ..found });
        }
        // With anything else it could be put at a line, or behind the end.
        if let Some(content) = self.content.filter(|_| !path.is_empty() && !self.others) {
            let new = file_text(content)?;
            let diff = Diff::of_texts(path, None, new);
            return Some(Found {
                list: vec![Claim::new(diff, Extent::Whole)],
                whole: alone(&[self.content]),
            });
        }
        Some(Found {
            list: Vec::new(),
            whole: false,
        })
    }

    /// The path, where there is nothing beside it.
    fn only_path(&self) -> Option<String> {
        let path = text(self.path?).filter(|path| !path.is_empty())?;
        let beside = [
            self.old,
            self.new,
            self.content,
            self.diff,
            self.edits,
            self.changes,
            self.everywhere,
            self.wrapped,
        ];
        let alone = !self.others && beside.iter().all(Option::is_none);
        alone.then_some(path)
    }

    /// Whether words stand there that are known as no part of an edit: only beside an old and a new
    /// text are instructions so (gemini, qwen).
    fn remarks(&self) -> bool {
        let pair = self.old.is_some() && self.new.is_some();
        self.remark || self.instruction && !pair
    }

    /// Whether nothing stands beside the arguments.
    fn is_all_in_wrapped(&self) -> bool {
        let beside = [self.path, self.content, self.everywhere, self.diff];
        !self.others && !self.remarks() && beside.iter().all(Option::is_none)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        while let Some(name) = map.next_key::<Text<'_>>()? {
            match members.place(name.as_str()) {
                Some(place) => {
                    let twice = place.replace(map.next_value()?).is_some();
                    members.others |= twice;
                    let everywhere = members.everywhere.map(RawValue::get);
                    members.others |= everywhere.is_some_and(|flag| !Beside::Flag.is_said_by(flag));
                }
                // The text editor of some models has several tools in one.
                None if name.as_str() == "command" => {
                    let command: &RawValue = map.next_value()?;
                    members.others |= !matches!(
                        command.get(),
                        "\"str_replace\"" | "\"create\"" | "\"write\"" | "\"edit\""
                    );
                }
                None => {
                    let value: &RawValue = map.next_value()?;
                    let kind = beside(name.as_str());
                    let says = !matches!(value.get(), "null" | "\"\"");
                    match kind {
                        Some(Beside::Remark) => members.remark |= says,
                        Some(Beside::Instruction) => members.instruction |= says,
                        _ => {}
                    }
                    members.others |= kind.is_none_or(|kind| !kind.is_said_by(value.get()));
                }
            }
        }
        Ok(members)
    }
}

/// What a member holds that says nothing of what would be in the file.
#[derive(Clone, Copy)]
enum Beside {
    /// Words for whoever reads it.
    Remark,
    /// What the change is for.
    Instruction,
    Flag,
    Count,
    /// A name that a program made up.
    Id,
}

impl Beside {
    /// Whether a value is one of these, and no more.
    fn is_said_by(self, json: &str) -> bool {
        let json = json.trim();
        let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        json == "null"
            || match self {
                Self::Remark | Self::Instruction => json.starts_with('"'),
                Self::Flag => matches!(json, "true" | "false"),
                Self::Count => json.bytes().all(|b| b.is_ascii_digit()),
                Self::Id => json.trim_matches('"').chars().all(is_id),
            }
    }
}

fn beside(name: &str) -> Option<Beside> {
    Some(match name {
        "description" | "explanation" => Beside::Remark,
        "instruction" => Beside::Instruction,
        "overwrite" | "auto_approved" | "create_dirs" | "create_directories"
        | "createDirectories" => Beside::Flag,
        "content_length" => Beside::Count,
        "call_id" | "turn_id" => Beside::Id,
        _ => return None,
    })
}

/// Whether a change is asked for more than once: one diff would tell it once.
fn repeats(list: &[Claim]) -> bool {
    let mut rest = list;
    while let [first, behind @ ..] = rest {
        let same = |other: &Claim| other.diff.text == first.diff.text;
        if first.diff.text != DiffText::None && behind.iter().any(same) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Each from its old to its new text, in one file or in several.
fn edits_of(edits: &RawValue, path: &str) -> Option<Found> {
    let edits = match serde_json::from_str(edits.get()) {
        Ok(Items(edits)) => edits,
        Err(_) => vec![edits],
    };
    if edits.len() > MAX_CLAIMS {
        return None;
    }
    let mut list = Vec::with_capacity(edits.len());
    let mut whole = true;
    for edit in edits {
        let members = Members::read(edit.get())?;
        // Only changes of places: a list of whole texts is something else.
        (members.old.is_some() && members.new.is_some()).then_some(())?;
        let found = members.claims()?;
        whole &= found.whole && !members.others && !members.remarks();
        for mut claim in found.list {
            if claim.diff.path.is_empty() {
                let diff = Diff {
                    path: path.to_owned(),
                    ..Diff::clone(&claim.diff)
                };
                claim.diff = diff.into();
            }
            list.push(claim);
        }
    }
    Some(Found { list, whole })
}

/// A unified diff, of one file or of several.
fn of_patch(diff: &str, path: &str) -> Found {
    let parts = by_file(diff);
    let one = parts.len() == 1;
    let mut whole = is_all_diff(diff, &hunks(diff));
    let claim = |part: &FilePatch<'_>| {
        // Where it is about one file, that is named better outside of it.
        let path = match part.path() {
            _ if one && !path.is_empty() => path.to_owned(),
            Some(named) => named.to_owned(),
            None => path.to_owned(),
        };
        let change = match (&part.old, &part.new) {
            _ if part.created => FileChange::Add,
            _ if part.deleted => FileChange::Delete,
            (Some(old), Some(new)) if !one && old != new => FileChange::Move { from: old.clone() },
            _ => FileChange::Modify,
        };
        let text = SafeText::with_line_ends(part.text);
        Claim::new(Diff::of_patch(path, change, text), Extent::Unknown)
    };
    let list: Vec<Claim> = match parts.len() {
        ..=MAX_CLAIMS => parts.iter().map(claim).collect(),
        _ => Vec::new(),
    };
    // Another file that it names is shown nowhere. The path that stands outside may say more of it.
    let shown = |name: &String| {
        let mut paths = list.iter().flat_map(|claim| claim.diff.paths());
        let ends = one && !path.is_empty() && Path::new(path).ends_with(name);
        paths.any(|path| path == name) || ends
    };
    let is_move = |part: &FilePatch<'_>| matches!((&part.old, &part.new), (Some(old), Some(new)) if old != new);
    let mut named = parts.iter().flat_map(|part| [&part.old, &part.new]);
    whole &= named.by_ref().flatten().all(shown) && !(one && parts.iter().any(is_move));
    Found { list, whole }
}

fn text(raw: &RawValue) -> Option<String> {
    if raw.get().len() > 2 * MAX_TEXT {
        return None;
    }
    let text: Text<'_> = serde_json::from_str(raw.get()).ok()?;
    Some(text.into_string())
}

fn file_text(raw: &RawValue) -> Option<SafeText> {
    let text = text(raw).filter(|text| text.len() <= MAX_TEXT)?;
    // Signs for control characters are longer than what they stand for.
    Some(SafeText::with_line_ends(&text)).filter(|text| text.len() <= MAX_TEXT)
}

#[cfg(test)]
mod tests;
