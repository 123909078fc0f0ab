//! Changes of files within a tool call's raw input.
//!
//! Agents call the members of their tools as they like; what is known here is what agents have been
//! seen to send. Members are read where they stand in the message: a raw input can have many
//! megabytes, and only what becomes a diff is copied.

mod codex;

use std::path::Path;

use serde_json::value::RawValue;

use super::view::{Items, Text};
use crate::{
    diff::{FilePatch, by_file, hunks, is_all_diff},
    model::{
        Claim, Claims, Diff, DiffText, Extent, FileChange,
        input_names::{self, Edit},
        plain_name,
    },
    rpc,
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

/// The changes of files that a raw input, which is any JSON, describes; empty if it describes none.
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
    let wrapped = members.get(Edit::Wrapped)?.get();
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
    /// By [`Edit`].
    parts: [Option<&'a RawValue>; Edit::Wrapped as usize + 1],
    /// Text for the reader, which no diff shows.
    remark: bool,
    instruction: bool,
    /// There are others, which could say something else.
    others: bool,
}

/// Members that describe a change.
const CHANGES: [Edit; 7] = [
    Edit::Old,
    Edit::New,
    Edit::Content,
    Edit::Diff,
    Edit::Edits,
    Edit::Changes,
    Edit::Wrapped,
];

impl<'a> Members<'a> {
    fn read(object: &'a str) -> Option<Self> {
        let all: rpc::Members<'_> = serde_json::from_str(object).ok()?;
        let mut members = Self {
            others: all.more,
            ..Self::default()
        };
        for (name, value) in all.members {
            members.add(&name, value);
        }
        Some(members)
    }

    fn add(&mut self, name: &str, value: &'a RawValue) {
        match input_names::edit(&plain_name(name)) {
            Some(part) => {
                let twice = self.parts[part as usize].replace(value);
                self.others |= twice.is_some();
                let everywhere = self.get(Edit::Everywhere).map(RawValue::get);
                self.others |= everywhere.is_some_and(|flag| !Beside::Flag.is_said_by(flag));
            }
            // The text editor of some models has several tools in one.
            None if name == "command" => {
                let edits = ["\"str_replace\"", "\"create\"", "\"write\"", "\"edit\""];
                self.others |= !edits.contains(&value.get());
            }
            None => {
                let kind = beside(name);
                let says = !matches!(value.get(), "null" | "\"\"");
                match kind {
                    Some(Beside::Remark) => self.remark |= says,
                    Some(Beside::Instruction) => self.instruction |= says,
                    _ => {}
                }
                self.others |= kind.is_none_or(|kind| !kind.is_said_by(value.get()));
            }
        }
    }

    fn get(&self, part: Edit) -> Option<&'a RawValue> {
        self.parts[part as usize]
    }

    fn has(&self, part: Edit) -> bool {
        self.get(part).is_some()
    }

    /// `None` where members are not what their names say.
    fn claims(&self) -> Option<Found> {
        let path = match self.get(Edit::Path) {
            Some(path) => text(path)?,
            None => String::new(),
        };
        // No other member describes a change.
        let alone = |parts: &[Edit]| {
            let mut told = CHANGES.iter().filter(|part| self.has(**part));
            told.all(|part| parts.contains(part))
        };
        if let Some(changes) = self.get(Edit::Changes) {
            let found = codex::of_changes(changes)?;
            let whole = found.whole && alone(&[Edit::Changes]) && !self.has(Edit::Path);
            return Some(Found { whole, ..found });
        }
        if let Some(edits) = self.get(Edit::Edits) {
            let found = edits_of(edits, &path)?;
            let whole = found.whole && alone(&[Edit::Edits]);
            return Some(Found { whole, ..found });
        }
        if let (Some(old), Some(new)) = (self.get(Edit::Old), self.get(Edit::New)) {
            let new = file_text(new)?;
            let old = match old.get() {
                "null" => None,
                _ => Some(file_text(old)?),
            };
            let extent = match self.get(Edit::Everywhere).map(RawValue::get) {
                Some("true") => Extent::Everywhere,
                _ => Extent::Unknown,
            };
            return Some(Found {
                list: vec![Claim::new(Diff::of_texts(path, old, new), extent)],
                whole: alone(&[Edit::Old, Edit::New]),
            });
        }
        if self.has(Edit::Old) || self.has(Edit::New) {
            return None;
        }
        if let Some(diff) = self.get(Edit::Diff) {
            let diff = text(diff)?;
            let found = match codex::is_patch_text(&diff) {
                true => codex::of_patch_text(&diff)?,
                false => of_patch(&diff, &path),
            };
            let whole = found.whole && alone(&[Edit::Diff]);
            return Some(Found { whole, ..found });
        }
        // With anything else it could be put at a line, or behind the end.
        if let Some(content) = self
            .get(Edit::Content)
            .filter(|_| !path.is_empty() && !self.others)
        {
            let new = file_text(content)?;
            let diff = Diff::of_texts(path, None, new);
            return Some(Found {
                list: vec![Claim::new(diff, Extent::Whole)],
                whole: alone(&[Edit::Content]),
            });
        }
        Some(Found {
            list: Vec::new(),
            whole: false,
        })
    }

    /// The path, if the object holds nothing else.
    fn only_path(&self) -> Option<String> {
        let path = text(self.get(Edit::Path)?).filter(|path| !path.is_empty())?;
        let mut beside = CHANGES.into_iter().chain([Edit::Everywhere]);
        let alone = !self.others && !beside.any(|part| self.has(part));
        alone.then_some(path)
    }

    /// Whether there is text that belongs to no edit. An instruction does only if there are an old and a new text as
    /// well (gemini, qwen).
    fn remarks(&self) -> bool {
        let pair = self.has(Edit::Old) && self.has(Edit::New);
        self.remark || self.instruction && !pair
    }

    /// Whether the object holds nothing but the arguments.
    fn is_all_in_wrapped(&self) -> bool {
        let mut beside = [Edit::Path, Edit::Content, Edit::Everywhere, Edit::Diff].into_iter();
        !self.others && !self.remarks() && !beside.any(|part| self.has(part))
    }
}

/// What a member holds that says nothing of what would be in the file.
#[derive(Clone, Copy)]
enum Beside {
    /// Text for the reader.
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

/// Only in the spellings that agents have been seen to use: an unknown member may say anything.
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
    let edits = match serde_json::from_str::<Items<'_>>(edits.get()) {
        Ok(Items { items, .. }) => items,
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
        (members.has(Edit::Old) && members.has(Edit::New)).then_some(())?;
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
