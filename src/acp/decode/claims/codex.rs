//! Changes as codex and the models of OpenAI write them: the text of `apply_patch`, and a map of
//! changes by path.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{MAX_CLAIMS, MAX_TEXT, file_text, of_patch, text};
use crate::{
    model::{Claim, Diff, Extent, FileChange},
    rpc::{Member, Members},
    text::SafeText,
};

/// What was found, and whether it shows all of what it was found in.
pub struct Found {
    pub list: Vec<Claim>,
    pub whole: bool,
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// Whether a text begins as one for `apply_patch` does.
pub fn is_patch_text(text: &str) -> bool {
    text.trim_start().starts_with(BEGIN)
}

/// The changes that a text for `apply_patch` describes. `None` if any line is something else: a question must not show
/// only a part of what would be done.
pub fn of_patch_text(patch: &str) -> Option<Found> {
    if patch.len() > MAX_TEXT {
        return None;
    }
    let inner = patch.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    // Each of the two is a whole line.
    let inner = inner.strip_prefix('\r').unwrap_or(inner);
    let inner = inner.strip_prefix('\n')?;
    let mut lines = inner.split_inclusive('\n').peekable();
    let mut found = Found {
        list: Vec::new(),
        whole: true,
    };
    while let Some(head) = lines.next() {
        let head = bare(head);
        if let Some(path) = head.strip_prefix(ADD) {
            let mut new = String::new();
            while let Some(line) = lines.next_if(|line| line.starts_with('+')) {
                new.push_str(&line[1..]);
            }
            let diff = Diff::of_texts(name(path)?, None, shown(&new)?);
            found.push(Claim::new(diff, Extent::Whole))?;
        } else if let Some(path) = head.strip_prefix(DELETE) {
            found.push(Claim::new(Diff::deleted(name(path)?), Extent::Unknown))?;
        } else if let Some(path) = head.strip_prefix(UPDATE) {
            let path = name(path)?;
            let moved = lines.next_if(|line| line.starts_with(MOVE));
            let (path, change) = match moved {
                Some(line) => {
                    let to = name(bare(line).strip_prefix(MOVE)?)?;
                    (to, FileChange::Move { from: path })
                }
                None => (path, FileChange::Modify),
            };
            let mut any = false;
            while lines.peek().is_some_and(|line| !is_head(line)) {
                let place = found.place(&mut lines)?;
                any = true;
                let diff = Diff::of_texts(path.clone(), Some(shown(&place.0)?), shown(&place.1)?);
                let diff = Diff {
                    change: change.clone(),
                    ..diff
                };
                found.push(Claim::new(diff, Extent::Unknown))?;
            }
            match (any, &change) {
                (false, FileChange::Move { .. }) => {
                    let diff = Diff::without_text(path, change);
                    found.push(Claim::new(diff, Extent::Unknown))?;
                }
                (false, _) => return None,
                (true, _) => {}
            }
        } else {
            return None;
        }
    }
    (!found.list.is_empty()).then_some(found)
}

impl Found {
    fn push(&mut self, claim: Claim) -> Option<()> {
        self.list.push(claim);
        (self.list.len() <= MAX_CLAIMS).then_some(())
    }

    /// One place of a file, before and after.
    fn place<'a>(
        &mut self,
        lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    ) -> Option<(String, String)> {
        while let Some(line) = lines.next_if(|line| line.starts_with("@@")) {
            // Where to look for the place: no diff shows it.
            self.whole &= bare(line).trim_end() == "@@";
        }
        let (mut old, mut new) = (String::new(), String::new());
        let mut any = false;
        while let Some(line) = lines.next_if(|line| !line.starts_with("@@") && !is_head(line)) {
            any = true;
            match line.split_at_checked(1) {
                Some(("+", text)) => new.push_str(text),
                Some(("-", text)) => old.push_str(text),
                Some((" ", text)) => {
                    old.push_str(text);
                    new.push_str(text);
                }
                // Blanks at the end of a line are often taken away.
                _ if bare(line).is_empty() => {
                    old.push_str(line);
                    new.push_str(line);
                }
                _ => return None,
            }
        }
        if lines.next_if(|line| bare(line) == END_OF_FILE).is_some() {
            any = true;
        }
        // An addition without context goes behind the end of the file, which two texts cannot express.
        (any && !old.is_empty()).then_some((old, new))
    }
}

fn is_head(line: &str) -> bool {
    line.starts_with("*** ")
}

fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn name(path: &str) -> Option<String> {
    let path = path.trim();
    (!path.is_empty()).then(|| path.to_owned())
}

fn shown(text: &str) -> Option<SafeText> {
    Some(SafeText::with_line_ends(text)).filter(|text| text.len() <= MAX_TEXT)
}

/// `{"path": {"type": "update", "unified_diff": …}}`, or `{"path": {"update": {…}}}`.
pub fn of_changes(changes: &RawValue) -> Option<Found> {
    let changes = pairs(changes.get())?;
    let mut found = Found {
        list: Vec::new(),
        whole: true,
    };
    for (path, change) in changes {
        let path = name(&path)?;
        let mut members = pairs(change.get())?;
        // The older form is keyed by the kind; the newer one has a member `type`.
        let kind = match members.as_slice() {
            [(kind, inner)] if inner.get().starts_with('{') => {
                let kind = kind.to_string();
                members = pairs(inner.get())?;
                kind
            }
            _ => {
                let at = members.iter().position(|(name, _)| name == "type")?;
                text(members.swap_remove(at).1)?
            }
        };
        let mut take = |wanted: &str| -> Member<'_> {
            let at = members.iter().position(|(name, _)| name == wanted)?;
            Some(members.swap_remove(at).1).filter(|raw| raw.get() != "null")
        };
        match kind.as_str() {
            "add" => {
                let new = file_text(take("content")?)?;
                let diff = Diff::of_texts(path, None, new);
                found.push(Claim::new(diff, Extent::Whole))?;
            }
            "delete" => match take("content") {
                Some(content) => {
                    let old = Some(file_text(content)?);
                    let diff = Diff::of_texts(path, old, SafeText::default());
                    let diff = Diff {
                        change: FileChange::Delete,
                        ..diff
                    };
                    found.push(Claim::new(diff, Extent::Unknown))?;
                }
                None => found.push(Claim::new(Diff::deleted(path), Extent::Unknown))?,
            },
            "update" => {
                let diff = text(take("unified_diff")?)?;
                let moved = take("move_path").map(text);
                let part = of_patch(&diff, &path);
                let [claim] = part.list.as_slice() else {
                    return None;
                };
                found.whole &= part.whole;
                let mut diff = Diff::clone(&claim.diff);
                match moved {
                    Some(to) => {
                        diff.path = name(&to?)?;
                        diff.change = FileChange::Move { from: path };
                    }
                    None => (diff.path, diff.change) = (path, FileChange::Modify),
                }
                found.push(Claim::new(diff, claim.extent))?;
            }
            _ => return None,
        }
        found.whole &= members.is_empty();
    }
    (!found.list.is_empty()).then_some(found)
}

/// The members of an object in their order; `None` for anything else, and for more than
/// [`MAX_CLAIMS`] of them.
fn pairs(object: &str) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    let read: Members<'_, MAX_CLAIMS> = serde_json::from_str(object).ok()?;
    (!read.more).then_some(read.members)
}
