//! What is left of a scope's changes after something of them was put back.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use super::project::Project;
use crate::model::{Cause, CauseKind, ChangedFile, CheckpointId, Selection, UndoPart};

/// What is left of a change since `from`, and up to which checkpoint.
pub type StillChanged = Option<(ChangedFile, CheckpointId)>;

/// Files of which something was put back, or made again, after the end of a scope, with what is left of
/// their changes. Others are shown as they were at that end: what came later is not the scope's.
///
/// # Errors
/// The store cannot be read.
pub fn put_back_since(
    project: &Project,
    from: CheckpointId,
    to: CheckpointId,
) -> io::Result<BTreeMap<PathBuf, StillChanged>> {
    let points = project.checkpoints();
    let later = points.iter().filter(|point| point.id > to);
    let undos: BTreeSet<CheckpointId> = later
        .filter(|point| matches!(point.cause.kind, CauseKind::Undo | CauseKind::Redo))
        .map(|point| point.id)
        .collect();
    let mut left: BTreeMap<PathBuf, StillChanged> = BTreeMap::new();
    let (Some(last), false) = (points.last(), undos.is_empty()) else {
        return Ok(left);
    };
    let changes = project.changes()?;
    // By where their last undo was, so that each is compared once.
    let mut until: BTreeMap<CheckpointId, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in changes.touched(to, last.id)? {
        let Some(undone) = file.seen.iter().rfind(|id| undos.contains(id)) else {
            continue;
        };
        left.insert(file.path.clone(), None);
        let mut before = file.seen.iter().filter(|id| *id < undone);
        match before.any(|id| !undos.contains(id)) {
            // Others changed it in between: that is not the scope's, and not to be put back with it.
            true if is_put_back(project, (from, to), &file.path)? => {}
            true => drop(left.remove(&file.path)),
            false => drop(until.entry(*undone).or_default().insert(file.path)),
        }
    }
    for (undone, paths) in until {
        for file in changes.changes(from, undone)? {
            if paths.contains(&file.path) {
                left.insert(file.path.clone(), Some((file, undone)));
            }
        }
    }
    Ok(left)
}

/// Whether nothing of a file's change is there any more.
fn is_put_back(
    project: &Project,
    (from, to): (CheckpointId, CheckpointId),
    path: &Path,
) -> io::Result<bool> {
    let changes = project.changes()?;
    if changes.is_read_only() {
        return Ok(false);
    }
    let parts = Some(vec![UndoPart::File(path.to_owned())]);
    let selection = Selection {
        from,
        to,
        parts,
        keep: BTreeSet::new(),
    };
    let report = changes.undo(&selection, Cause::of(CauseKind::Undo), true)?;
    Ok(report.done.is_empty() && report.conflicts.is_empty() && report.refused.is_empty())
}
