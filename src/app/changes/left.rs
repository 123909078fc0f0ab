//! What is left of a scope's changes after something of them was put back.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
};

use super::project::Project;
use crate::model::{Cause, CauseKind, ChangedFile, CheckpointId, Selection, SessionId, UndoPart};

/// What is left of a change since `from`, and up to which checkpoint.
pub type StillChanged = Option<(ChangedFile, CheckpointId)>;

/// Files of which something was put back, or made again, after the end of a scope, with what is left of their
/// changes. Others are shown as they were at that end: what came later is not the scope's. `turn`: the one
/// of the session `of` that the scope is of.
///
/// # Errors
/// The store cannot be read.
pub fn put_back_since(
    project: &Project,
    of: Option<&SessionId>,
    turn: Option<u64>,
    (from, to): (CheckpointId, CheckpointId),
) -> io::Result<BTreeMap<PathBuf, StillChanged>> {
    let points = project.checkpoints();
    let later = points.iter().filter(|point| point.id > to);
    let undos = later.filter(|point| matches!(point.cause.kind, CauseKind::Undo | CauseKind::Redo));
    // What was put back of another turn, or of several at once, is not this one's change. Each session counts its
    // turns from 1.
    let is_its = |cause: &Cause| cause.turn == turn && cause.session.as_ref() == of;
    let undos: BTreeMap<CheckpointId, bool> = undos
        .map(|point| (point.id, is_its(&point.cause)))
        .collect();
    let is_own = |id: &CheckpointId| undos.get(id) == Some(&true);
    let mut left: BTreeMap<PathBuf, StillChanged> = BTreeMap::new();
    let (Some(last), false) = (points.last(), undos.is_empty()) else {
        return Ok(left);
    };
    let changes = project.changes()?;
    // By where their last undo was, so that each is compared once.
    let mut until: BTreeMap<CheckpointId, BTreeSet<PathBuf>> = BTreeMap::new();
    let mut mixed = Vec::new();
    for file in changes.touched(to, last.id)? {
        let Some(undone) = file.seen.iter().rfind(|id| undos.contains_key(id)) else {
            continue;
        };
        let mut before = file.seen.iter().filter(|id| *id <= undone);
        match before.all(is_own) {
            true => {
                left.insert(file.path.clone(), None);
                until.entry(*undone).or_default().insert(file.path);
            }
            // Others changed it in between: that is not the scope's, and not to be put back with it.
            false => mixed.push(file.path),
        }
    }
    for path in put_back(project, (from, to), mixed)? {
        left.insert(path, None);
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

/// The files of whose change nothing is there any more.
fn put_back(
    project: &Project,
    (from, to): (CheckpointId, CheckpointId),
    paths: Vec<PathBuf>,
) -> io::Result<Vec<PathBuf>> {
    let changes = project.changes()?;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let selection = Selection {
        from,
        to,
        parts: Some(paths.into_iter().map(UndoPart::File).collect()),
        keep: BTreeSet::new(),
    };
    let report = changes.undo(&selection, Cause::of(CauseKind::Undo), true)?;
    Ok(report.unchanged)
}
