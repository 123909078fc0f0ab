//! Whether what a question shows holds all that its raw input says.
//!
//! A yes to a call of which nothing, or too little, is shown would be blind. So the raw input stands
//! there as well, unless each member of it is one whose meaning is known, and what it holds is seen
//! to be shown as that: a path as a path, a command as the command, a text on its side of the change.
//! In doubt it is not.

mod edits;
mod json;

use std::borrow::Cow;

use crate::{
    diff::FilePatch,
    model::{
        Diff, DiffText, FileChange,
        input_names::{self, Shown as Of},
        plain_name,
    },
    session::Session,
    text::{SafeText, command_line},
};

use super::body::place;
use edits::Edit;
use json::Json;

/// Bytes of a raw input that are looked through; a longer one is shown.
const MOST: usize = 8 << 20;

/// What the question shows.
pub struct Shown<'a> {
    pub command: Option<&'a str>,
    /// Where the command runs, as it is shown.
    pub cwd: Option<SafeText>,
    /// Files and directories, as they are shown.
    pub places: Vec<SafeText>,
    pub texts: Vec<SafeText>,
    pub diffs: Vec<&'a Diff>,
    /// What the agent claims of changes, where `diffs` are what came of it in the files.
    pub claimed: Vec<&'a Diff>,
    pub session: Option<&'a Session>,
}

/// What a member is, by its name; `None`: whatever it holds could mean anything.
fn member(name: &str) -> Option<Of> {
    input_names::shown(&plain_name(name))
}

impl Shown<'_> {
    /// Whether all of a raw input, which is any JSON, is among it.
    pub fn tells(&self, raw: &str) -> bool {
        if raw.len() > MOST {
            return false;
        }
        let Some(json) = Json::read(raw) else {
            return false;
        };
        let mut edits = Vec::new();
        let told = match &json {
            Json::Map(members) => self.members(members, &[], &mut edits),
            Json::Text(text) => self.says(text) || self.command == Some(&**text),
            other => other.is_empty(),
        };
        told && edits::are_told(&edits, self)
    }

    /// Whether an object holds nothing but what is shown. What it changes is left in `edits`.
    fn members<'j>(
        &self,
        members: &'j [(Cow<'j, str>, Json<'j>)],
        around: &[&'j str],
        edits: &mut Vec<Edit<'j>>,
    ) -> bool {
        let of_kind = |wanted: Of| {
            let named = members.iter().map(|(name, value)| (member(name), value));
            named.filter_map(move |(of, value)| (of == Some(wanted)).then_some(value))
        };
        let mut paths: Vec<&str> = around.to_vec();
        for path in of_kind(Of::Path) {
            paths.extend(path.texts().unwrap_or_default());
        }
        let each = |(name, value): &'j (Cow<'j, str>, Json<'j>)| match member(name) {
            None => false,
            // Judged below, all of them together.
            Some(Of::Old | Of::New) => true,
            Some(Of::Command | Of::Args) => {
                !matches!(value, Json::Map(_)) || self.inner(value, &paths, edits)
            }
            Some(Of::Wrapper) => self.inner(value, &paths, edits),
            Some(Of::Edits) => match value {
                Json::List(list) => list.iter().all(|edit| self.inner(edit, &paths, edits)),
                other => self.inner(other, &paths, edits),
            },
            Some(Of::Patch) => match value {
                Json::Text(text) => match Edit::of_patch(text, &paths) {
                    Some(edit) => {
                        edits.push(edit);
                        true
                    }
                    None => false,
                },
                other => *other == Json::Null,
            },
            Some(Of::Whole) => match value {
                Json::Text(text) => self.shows_whole(text, &paths),
                other => *other == Json::Null,
            },
            Some(of) => self.value(value, of),
        };
        members.iter().all(each)
            && self.shows_command(of_kind(Of::Command), of_kind(Of::Args))
            && self.pair(of_kind(Of::Old), of_kind(Of::New), &paths, edits)
    }

    fn inner<'j>(&self, value: &'j Json<'j>, paths: &[&'j str], edits: &mut Vec<Edit<'j>>) -> bool {
        match value {
            Json::Map(members) => self.members(members, paths, edits),
            other => other.is_empty(),
        }
    }

    /// Whether a value that stands for itself is shown, as a member of that meaning.
    fn value(&self, value: &Json<'_>, of: Of) -> bool {
        let text = match value {
            Json::Text(text) if !text.trim().is_empty() => text,
            // Of a change they may tell another place than the one that is shown.
            Json::Number if of == Of::Lines => return self.diffs.is_empty(),
            Json::Number => return of == Of::Count,
            Json::Bool(flag) => return of == Of::Flag && !flag,
            Json::List(list) if of == Of::Path => {
                return list.iter().all(|path| self.value(path, of));
            }
            other => return other.is_empty(),
        };
        match of {
            Of::Path => self.shows_path(text),
            Of::Cwd => self.shows_cwd(text),
            Of::Directory => self.shows_path(text) || self.shows_cwd(text),
            // What is run is the command, whatever is said of it.
            Of::Remark => self.command.is_some() || self.says(text),
            Of::Text => self.says(text),
            _ => false,
        }
    }

    fn says(&self, said: &str) -> bool {
        let said = SafeText::new(said);
        self.texts.iter().any(|text| text.trim() == said.trim())
    }

    fn shows_path(&self, said: &str) -> bool {
        is_plain(said) && self.places.contains(&place(said, self.session).shown)
    }

    fn shows_cwd(&self, said: &str) -> bool {
        let shown = || place(said, self.session).shown;
        self.command.is_some() && is_plain(said) && self.cwd.as_ref() == Some(&shown())
    }

    /// Whether a diff is about these paths, where there are any.
    fn is_about(&self, diff: &Diff, paths: &[&str]) -> bool {
        paths.iter().all(|path| {
            let said = place(path, self.session).shown;
            let mut named = diff.paths();
            is_plain(path) && named.any(|named| place(named, self.session).shown == said)
        })
    }

    /// Whether a part of a unified diff does to the same file what a diff does: it is created, deleted
    /// and renamed by both, or by neither. `paths`, which stand beside it, may say more of its names.
    fn is_of_same_file(&self, part: &FilePatch<'_>, diff: &Diff, paths: &[&str]) -> bool {
        let is = |name: &str, path: &str| {
            let said = place(name, self.session).shown;
            is_plain(name) && place(path, self.session).shown == said
        };
        let ends = |name: &str| {
            let mut paths = paths.iter().map(std::path::Path::new);
            is_plain(name) && paths.any(|path| path.ends_with(name))
        };
        let names = match (&part.old, &part.new, diff.from()) {
            (Some(old), Some(new), Some(from)) => is(old, from) && is(new, &diff.path),
            (Some(old), Some(new), None) if old != new => false,
            (old, new, None) => {
                let mut named = [old, new].into_iter().flatten();
                named.all(|name| is(name, &diff.path) || ends(name))
            }
            _ => false,
        };
        let adds = diff.change == FileChange::Add;
        // Some name the new file on both sides (opencode).
        let created = part.created || adds && edits::is_of_nothing(part.text);
        names && created == adds && part.deleted == (diff.change == FileChange::Delete)
    }

    /// Whether what a file becomes, all of it, is shown.
    fn shows_whole(&self, text: &str, paths: &[&str]) -> bool {
        let said = SafeText::with_line_ends(text);
        let by_diff = |diff: &&Diff| match &diff.text {
            DiffText::Sides { new, .. } => *new == said,
            DiffText::Patch(text) => edits::is_new_file(text, &said),
            DiffText::None => false,
        };
        let mut about = self.diffs.iter().filter(|diff| self.is_about(diff, paths));
        about.any(by_diff) || paths.is_empty() && !said.trim().is_empty() && self.says(text)
    }

    /// Whether each of the commands is the one that is shown; or that is one of them, and what it is
    /// given.
    fn shows_command<'j>(
        &self,
        commands: impl Iterator<Item = &'j Json<'j>>,
        args: impl Iterator<Item = &'j Json<'j>>,
    ) -> bool {
        let stated = |value: &&Json<'_>| !value.is_empty() && !matches!(value, Json::Map(_));
        let commands: Vec<&Json<'_>> = commands.filter(stated).collect();
        let args: Vec<&Json<'_>> = args.filter(stated).collect();
        if commands.is_empty() && args.is_empty() {
            return true;
        }
        let Some(shown) = self.command.map(str::trim) else {
            return false;
        };
        let words = shlex::split(shown);
        let is_all = |value: &&Json<'_>| match value {
            Json::Text(text) => text.trim() == shown,
            other => other.texts().is_some_and(|said| {
                command_line(said.iter().copied()) == shown
                    || said.join("\n") == shown
                    || words.as_ref().is_some_and(|words| *words == said)
            }),
        };
        if commands.iter().chain(&args).all(is_all) {
            return true;
        }
        let ([command], [args]) = (&*commands, &*args) else {
            return false;
        };
        let split = |value: &Json<'_>| match value {
            Json::Text(text) => shlex::split(text),
            other => {
                let texts = other.texts()?;
                Some(texts.into_iter().map(str::to_owned).collect())
            }
        };
        let together = split(command).zip(split(args)).map(|(mut words, args)| {
            words.extend(args);
            words
        });
        together.is_some() && together == words
    }

    /// Old and new text of one object.
    fn pair<'j>(
        &self,
        mut old: impl Iterator<Item = &'j Json<'j>>,
        mut new: impl Iterator<Item = &'j Json<'j>>,
        paths: &[&'j str],
        edits: &mut Vec<Edit<'j>>,
    ) -> bool {
        let (old, new) = match ((old.next(), old.next()), (new.next(), new.next())) {
            ((None, _), (None, _)) => return true,
            ((Some(old), None), (Some(new), None)) => (old, new),
            _ => return false,
        };
        match (old, new) {
            (Json::Null, Json::Null) => true,
            (Json::Text(old), Json::Text(new)) if !old.is_empty() => {
                edits.push(Edit::of_texts(old, new, paths));
                true
            }
            // Nothing is looked for: the file becomes the text.
            (Json::Text(_) | Json::Null, Json::Text(new)) => self.shows_whole(new, paths),
            _ => false,
        }
    }
}

/// Whether a path is shown as it is spelled: nothing of it is folded away by a `..` behind it.
fn is_plain(path: &str) -> bool {
    let mut parts = path.split('/').skip_while(|part| *part == "..");
    !parts.any(|part| part == "..")
}
