//! What agents tell of changes, looked up in the file on disk: a fragment where it stands in it, a
//! new text as what it overwrites.
//!
//! Owns the pure combination of both. Reading the file is the host's, asking for it the session's.

mod find;
mod hunk;

use std::sync::Arc;

use crate::{
    diff::{Unified, unified},
    model::{Claim, Diff, DiffText, Extent, FileChange},
    text::SafeText,
};
use find::Misfit;

/// Bytes of a text that stands in a file on purpose.
const LONG: usize = 16;

/// Bytes of a diff that is made here. Larger ones are shown as the agent sent them.
const MAX_PATCH: usize = 12 << 20;

/// A file as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OnDisk {
    Missing,
    /// With line ends shown, as in the sides of a diff.
    Text(SafeText),
    /// There is one, but no text of it: why.
    Unread(SafeText),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base {
    pub file: OnDisk,
    /// It was looked at when the change may have been made already.
    pub late: bool,
}

/// What to show for the claims about one file, in their order; `None` for one that is shown with an
/// earlier one.
pub fn compare(claims: &[&Claim], base: &Base) -> Vec<Option<Arc<Diff>>> {
    let Some(first) = claims.first() else {
        return Vec::new();
    };
    let each = |shown: &dyn Fn(&Claim) -> Arc<Diff>| {
        let shown = claims.iter().map(|claim| Some(shown(claim)));
        shown.collect()
    };
    if claims.iter().any(|claim| !claim.diff.is_comparable()) {
        return each(&|claim| claim.diff.clone());
    }
    let text = match &base.file {
        OnDisk::Missing => return each(&|claim| missing(claim, base)),
        OnDisk::Unread(why) => return each(&|claim| unread(claim, why)),
        OnDisk::Text(text) => text,
    };
    if let Some(merged) = together(claims, text, base.late) {
        let diff = shown(first, &merged, claims, base.late);
        let rest = claims.iter().skip(1).map(|_| None);
        return std::iter::once(Some(diff)).chain(rest).collect();
    }
    each(&|claim| match alone(claim, text, base.late) {
        Ok(change) => shown(claim, &change, &[claim], base.late),
        Err(misfit) => noted(claim, misfit.said()),
    })
}

/// A file before and after.
struct Change {
    before: String,
    after: String,
    /// A remark on how it was found.
    note: Option<&'static str>,
}

/// All claims one after the other, before or after they were done.
fn together(claims: &[&Claim], text: &str, late: bool) -> Option<Change> {
    let ahead = || {
        let mut at = text.to_owned();
        let mut note = None;
        for claim in claims {
            let next = applied(claim, &at).ok()?;
            (at, note) = (next.text, note.or(next.note));
        }
        Some(Change {
            before: text.to_owned(),
            after: at,
            note,
        })
    };
    let back = || {
        let mut at = text.to_owned();
        for claim in claims.iter().rev() {
            at = undone(claim, &at)?;
        }
        Some(Change {
            before: at,
            after: text.to_owned(),
            note: (!late).then_some("the file already has this change"),
        })
    };
    if late {
        return back().or_else(ahead);
    }
    // A short text can stand somewhere by chance.
    let long = |claim: &&Claim| match &claim.diff.text {
        DiffText::Sides { new, .. } => new.trim().len() >= LONG,
        DiffText::Patch(_) | DiffText::None => true,
    };
    ahead().or_else(|| claims.iter().all(long).then(back).flatten())
}

fn alone(claim: &Claim, text: &str, late: bool) -> Result<Change, Misfit> {
    match together(&[claim], text, late) {
        Some(change) => Ok(change),
        None => Err(match applied(claim, text) {
            Err(misfit) => misfit,
            Ok(_) => Misfit::Never,
        }),
    }
}

/// A text with one claim done to it.
struct Applied {
    text: String,
    note: Option<&'static str>,
}

fn applied(claim: &Claim, text: &str) -> Result<Applied, Misfit> {
    let plainly = |text: String| Applied { text, note: None };
    match &claim.diff.text {
        DiffText::None => Ok(plainly(String::new())),
        DiffText::Patch(patch) => hunk::apply(patch, text, hunk::Way::Ahead).map(plainly),
        DiffText::Sides { old, new } => match old.as_deref() {
            None | Some("") => Ok(plainly(new.to_string())),
            Some(_) if claim.extent == Extent::Whole => Ok(plainly(new.to_string())),
            Some(old) => {
                let every = claim.extent == Extent::Everywhere;
                let (text, loosely) = find::replace(text, old, new, every, &claim.lines)?;
                Ok(Applied {
                    text,
                    note: loosely.then_some("found in the file with different indentation"),
                })
            }
        },
    }
}

/// The text that a claim was done to, where `text` is what came of it.
fn undone(claim: &Claim, text: &str) -> Option<String> {
    match &claim.diff.text {
        DiffText::None => None,
        DiffText::Patch(patch) => hunk::apply(patch, text, hunk::Way::Back).ok(),
        DiffText::Sides { old, new } => match old.as_deref() {
            _ if new.is_empty() => None,
            // The whole file was written, and its whole old text is known.
            Some(old) if claim.extent == Extent::Whole && !old.is_empty() => {
                (**new == *text).then(|| old.to_owned())
            }
            _ if claim.extent == Extent::Whole => None,
            // What it has overwritten is unknown.
            None | Some("") if **new == *text => None,
            old => {
                let old = old.unwrap_or("");
                // If the old text still stands there too, it was not replaced.
                let (rest, _) = find::replace(text, new, "\0", false, &claim.lines).ok()?;
                if !old.is_empty() && rest.contains(old) {
                    return None;
                }
                let (before, loosely) = find::replace(text, new, old, false, &claim.lines).ok()?;
                (!loosely).then_some(before)
            }
        },
    }
}

/// The diff of a change that was found in the file.
fn shown(first: &Claim, change: &Change, claims: &[&Claim], late: bool) -> Arc<Diff> {
    let told = &first.diff;
    if change.before == change.after {
        let same = SafeText::with_line_ends(&change.before);
        // Written before it was looked at: what was there before is unknown.
        if late && claims.len() == 1 && overwrites(first) {
            return noted(first, "it was written before it could be compared".into());
        }
        return Arc::new(Diff {
            change: kept_change(told).unwrap_or(FileChange::Modify),
            text: DiffText::Sides {
                old: Some(same.clone()),
                new: same,
            },
            note: Some("the file already has this text".into()),
            ..Diff::clone(told)
        });
    }
    let Unified { text, rough } = unified(
        &change.before,
        &change.after,
        old_name(told),
        new_name(told),
    );
    if text.len() > MAX_PATCH {
        return noted(first, "too large to be compared with the file".into());
    }
    let note = change.note.or(rough.then_some("large: compared roughly"));
    let told_so = claims.iter().any(|claim| overwrites(claim)) && change.note.is_none();
    let modified = if told_so || replaces(change, &text) {
        FileChange::Overwrite
    } else {
        FileChange::Modify
    };
    Arc::new(Diff {
        change: kept_change(told).unwrap_or(modified),
        text: DiffText::Patch(SafeText::with_line_ends(&text)),
        note: note.map(SafeText::from),
        ..Diff::clone(told)
    })
}

fn old_name(diff: &Diff) -> &str {
    diff.from().unwrap_or(&diff.path)
}

fn new_name(diff: &Diff) -> &str {
    match diff.change {
        FileChange::Delete => "/dev/null",
        _ => &diff.path,
    }
}

/// What the agent says of the change beyond that there is one.
fn kept_change(diff: &Diff) -> Option<FileChange> {
    match &diff.change {
        FileChange::Add | FileChange::Modify | FileChange::Overwrite => None,
        other => Some(other.clone()),
    }
}

/// Whether hardly a line of what was there is left: nine of ten are gone. Agents that tell both sides
/// do not say whether they edit or overwrite.
fn replaces(change: &Change, unified: &str) -> bool {
    let before = change.before.lines().count();
    // The first two lines are names.
    let gone = unified.lines().skip(2);
    let gone = gone.filter(|line| line.starts_with('-')).count();
    before > 1 && !change.after.is_empty() && gone.saturating_mul(10) >= before.saturating_mul(9)
}

/// It says what the file becomes, and nothing of what it was.
fn overwrites(claim: &Claim) -> bool {
    match &claim.diff.text {
        DiffText::Sides { old, .. } => {
            claim.extent == Extent::Whole || old.as_ref().is_none_or(|old| old.is_empty())
        }
        DiffText::Patch(_) | DiffText::None => false,
    }
}

/// There is no file: a new one, or one that was deleted.
fn missing(claim: &Claim, base: &Base) -> Arc<Diff> {
    let diff = &claim.diff;
    let new = match &diff.text {
        DiffText::Sides { new, .. } if overwrites(claim) => Some(new.clone()),
        DiffText::Patch(patch) => hunk::apply(patch, "", hunk::Way::Ahead)
            .ok()
            .filter(|new| !new.is_empty())
            .map(|new| SafeText::with_line_ends(&new)),
        _ => None,
    };
    match new {
        Some(new) => Arc::new(Diff {
            change: FileChange::Add,
            text: DiffText::Sides { old: None, new },
            ..Diff::clone(diff)
        }),
        None if base.late && is_deletion(diff) => diff.clone(),
        None => noted(claim, "no such file on disk".into()),
    }
}

fn is_deletion(diff: &Diff) -> bool {
    match &diff.text {
        DiffText::Sides { new, .. } => new.is_empty(),
        _ => diff.change == FileChange::Delete,
    }
}

/// There is a file that cannot be compared: never is it a new one.
fn unread(claim: &Claim, why: &SafeText) -> Arc<Diff> {
    let mut diff = Diff::clone(&claim.diff);
    if let DiffText::Sides { old, new } = &diff.text
        && overwrites(claim)
    {
        diff.change = FileChange::Overwrite;
        let all = unified("", new, old_name(&diff), new_name(&diff)).text;
        // An empty text has no lines to be shown.
        diff.text = if new.is_empty() || all.len() > MAX_PATCH {
            DiffText::Sides {
                old: Some(old.clone().unwrap_or_default()),
                new: new.clone(),
            }
        } else {
            DiffText::Patch(SafeText::with_line_ends(&all))
        };
    }
    diff.note = Some(SafeText::line(&format!(
        "not compared with the file: {why}"
    )));
    Arc::new(diff)
}

/// As the agent sent it, and why.
fn noted(claim: &Claim, note: SafeText) -> Arc<Diff> {
    Arc::new(Diff {
        note: Some(note),
        ..Diff::clone(&claim.diff)
    })
}

#[cfg(test)]
mod tests;
