//! Changes of files in version 2: the list says what was done, the patch may show it (V2-UPD-06).

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::value::RawValue;

use super::{
    meta::note,
    raw_json,
    view::{Misfit, Pass, Text, members, need, object},
};
use crate::{
    diff::unquoted,
    model::{Diff, DiffText, FileChange, FileKind, Meta, ToolContent},
    text::SafeText,
};

/// The changes of one `diff`, each with its part of the patch.
///
/// # Errors
/// It holds no change.
pub fn changes(pass: Pass, content: &str, meta: &mut Meta) -> Result<Vec<ToolContent>, Misfit> {
    members!(struct Content {
        changes,
        patch,
    });
    members!(struct Patch {
        format,
        text,
        meta = "_meta",
    });
    let content: Content<'_> = object(content).ok_or(Misfit)?;
    let changes = pass.list(content.changes, |raw| change(pass, raw, meta).map(Some))?;
    let changes = changes.unwrap_or_default();
    if changes.is_empty() {
        return Err(Misfit);
    }
    let patch = match pass.object::<Patch<'_>>(content.patch)? {
        Some(patch) => {
            note(pass, patch.meta, meta);
            pass.text(patch.format)?.zip(pass.text(patch.text)?)
        }
        None => None,
    };
    Ok(match &patch {
        Some((format, text)) if format.as_str() == "git_patch" => {
            with_patch(changes, text.as_str())
        }
        // A patch in an unknown format is shown after them.
        Some((format, _)) => {
            let unknown = ToolContent::Unknown {
                kind: SafeText::line(&format!("patch in {}", format.as_str())),
                raw: raw_json(content.patch.map_or("", RawValue::get)),
            };
            changes.into_iter().chain([unknown]).collect()
        }
        None => changes,
    })
}

fn change(pass: Pass, raw: &RawValue, meta: &mut Meta) -> Result<ToolContent, Misfit> {
    members!(struct Change {
        operation: Text<'a>,
        path,
        old_path,
        file_type,
        mime_type,
        meta = "_meta",
    });
    let change: Change<'_> = object(raw.get()).ok_or(Misfit)?;
    note(pass, change.meta, meta);
    let old = || Ok(need(change.old_path)?.into_string());
    let done = match change.operation.as_str() {
        "add" => FileChange::Add,
        "delete" => FileChange::Delete,
        "modify" => FileChange::Modify,
        "move" => FileChange::Move { from: old()? },
        "copy" => FileChange::Copy { from: old()? },
        other if pass.text(change.path)?.is_some() => FileChange::Other(SafeText::line(other)),
        // Something else than a file.
        other => {
            return Ok(ToolContent::Unknown {
                kind: SafeText::line(other),
                raw: raw_json(raw.get()),
            });
        }
    };
    Ok(shared(Diff {
        path: need(change.path)?.into_string(),
        change: done,
        file: pass
            .text(change.file_type)?
            .map_or(FileKind::Unknown, |kind| FileKind::of(kind.as_str())),
        mime_type: pass.line(change.mime_type)?,
        text: DiffText::None,
        note: None,
    }))
}

fn shared(diff: Diff) -> ToolContent {
    ToolContent::Diff(Arc::new(diff))
}

/// Gives each change the part of a git patch about its file; a part about another file becomes an item.
fn with_patch(changes: Vec<ToolContent>, patch: &str) -> Vec<ToolContent> {
    let sections = sections(patch);
    if let ([ToolContent::Diff(diff)], [section]) = (&changes[..], &sections[..]) {
        // What else could it be about?
        return vec![showing(diff, section)];
    }
    let paths: HashSet<&str> = changes.iter().filter_map(path).collect();
    let mut parts: HashMap<String, String> = HashMap::new();
    let mut others = Vec::new();
    for section in sections {
        match file_of(section) {
            Some(path) if paths.contains(path.as_str()) => {
                parts.entry(path).or_default().push_str(section);
            }
            _ => others.push(ToolContent::Unknown {
                kind: SafeText::from("patch of another file"),
                raw: raw_json(section),
            }),
        }
    }
    let changes = changes.into_iter().map(|content| match content {
        ToolContent::Diff(diff) => match parts.remove(&diff.path) {
            Some(part) => showing(&diff, &part),
            None => ToolContent::Diff(diff),
        },
        other => other,
    });
    let changes: Vec<_> = changes.collect();
    changes.into_iter().chain(others).collect()
}

fn path(content: &ToolContent) -> Option<&str> {
    match content {
        ToolContent::Diff(diff) => Some(&diff.path),
        _ => None,
    }
}

fn showing(diff: &Diff, patch: &str) -> ToolContent {
    shared(Diff {
        text: DiffText::Patch(SafeText::with_line_ends(patch)),
        ..diff.clone()
    })
}

/// The parts of a patch, a file each.
fn sections(patch: &str) -> Vec<&str> {
    const HEAD: &str = "diff --git ";
    let mut starts: Vec<usize> = patch
        .match_indices(HEAD)
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || patch.as_bytes()[at - 1] == b'\n')
        .collect();
    // Text before the first head belongs to no file; without any head all of it is one part.
    if starts.is_empty() && !patch.is_empty() {
        starts.push(0);
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    let parts = starts.iter().zip(ends);
    parts.map(|(start, end)| &patch[*start..end]).collect()
}

/// The file that a part is about: as it is called after the change, or before, if it is gone then.
fn file_of(section: &str) -> Option<String> {
    let head = section.lines().take_while(|line| !line.starts_with("@@"));
    let (mut old, mut new, mut named) = (None, None, None);
    for line in head {
        if let Some(path) = line.strip_prefix("--- ") {
            old = Some(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            new = Some(path);
        } else if let Some(path) = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("copy to "))
        {
            named = Some(path);
        }
    }
    let there = |path: &&str| *path != "/dev/null";
    let path = named.or(new.filter(there)).or(old.filter(there));
    let path = path.or_else(|| same_twice(section.lines().next()?.strip_prefix("diff --git ")?));
    path.map(unquoted)
}

/// `PATH PATH`: a part without a text, as of a binary or an empty file.
fn same_twice(names: &str) -> Option<&str> {
    let (first, second) = names.split_at_checked(names.len() / 2)?;
    (second.strip_prefix(' ')? == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    // V2-UPD-06
    #[test]
    fn parts_of_a_patch_are_told_apart_by_their_files() {
        let patch = "diff --git /p/a.rs /p/a.rs\n--- /p/a.rs\n+++ /p/a.rs\n@@ -1 +1 @@\n-diff --git x\n+--- y\n\
                     diff --git /p/old /p/new\nsimilarity index 100%\nrename from /p/old\nrename to /p/new\n\
                     diff --git /p/gone /p/gone\ndeleted file mode 100644\n--- /p/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                     diff --git \"/p/\\303\\251\" \"/p/\\303\\251\"\n--- /dev/null\n+++ \"/p/\\303\\251\"\n\
                     diff --git /p/i.png /p/i.png\nBinary files differ\n";
        let files: Vec<_> = sections(patch).into_iter().map(file_of).collect();
        let files: Vec<_> = files.iter().map(|file| file.as_deref()).collect();
        assert_eq!(
            files,
            [
                Some("/p/a.rs"),
                Some("/p/new"),
                Some("/p/gone"),
                Some("/p/é"),
                Some("/p/i.png")
            ]
        );
        assert_eq!(sections(patch).concat(), patch);
        assert_eq!(sections("--- /p/a\n+++ /p/a\n").len(), 1);
        assert!(sections("").is_empty());
    }
}
