//! What changed, for people and programs: lists of changed files, patches, what an undo did.

use std::{io, path::Path};

use super::project::Project;
use crate::{
    model::{
        CauseKind, ChangeKind, ChangedFile, Checkpoint, CheckpointId, Review, ReviewDone,
        ReviewFile, ReviewScope, Selection, SessionId, UndoPart, UndoReport,
    },
    text::SafeText,
};

/// Files whose lines are counted for a list; of the others the diff tells when it is shown.
const COUNTED_FILES: usize = 200;

/// Conflicts and refusals that are told.
const MOST_REFUSED: usize = 100;

/// The changes of a scope as a patch for `git apply`.
///
/// # Errors
/// The store cannot be read.
pub fn patch(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> io::Result<Vec<u8>> {
    let span = looked_at(project, of, scope)?;
    let changes = project.changes()?;
    let files = changes.changes(span.0, span.1)?;
    let base = project.place.roots.dirs().first().cloned();
    changes.patch(&files, &base.unwrap_or_default())
}

/// What changed in a scope, after another look.
///
/// # Errors
/// Nothing is kept of it, or the store cannot be read.
pub fn list(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> io::Result<Review> {
    let span = looked_at(project, of, scope)?;
    let changes = project.changes()?;
    let elsewhere = "another acp-tui has this project open: only that one can put files back";
    let read_only = changes.is_read_only().then(|| SafeText::from(elsewhere));
    let files = changes.changes(span.0, span.1)?;
    let files = files.iter().enumerate();
    let files = files.map(|(at, file)| shown(project, file, at < COUNTED_FILES));
    Ok(Review {
        files: files.collect(),
        uncovered: project.uncovered(),
        span,
        read_only,
    })
}

/// A file as the list has it.
fn shown(project: &Project, file: &ChangedFile, counted: bool) -> ReviewFile {
    let from = file.renamed_from.as_deref();
    let has_lines = counted && !file.binary && file.kind != ChangeKind::Mode;
    ReviewFile {
        path: file.path.clone(),
        name: name_of(project, &file.path),
        renamed_from: from.map(|path| name_of(project, path)),
        kind: file.kind,
        binary: file.binary,
        lines: has_lines.then(|| project.lines(file)).flatten(),
    }
}

/// Puts back what changed in between, all of it without `parts`. `dry`: only says what it would do.
///
/// # Errors
/// The store cannot be read or written. What fails for one file is in the report.
pub fn undo(
    project: &mut Project,
    of: Option<&SessionId>,
    span: (CheckpointId, CheckpointId),
    parts: Option<Vec<UndoPart>>,
    dry: bool,
) -> io::Result<UndoReport> {
    let cause = project.cause(CauseKind::Undo, of);
    let selection = Selection {
        from: span.0,
        to: span.1,
        parts,
    };
    project.changes()?.undo(&selection, cause, dry)
}

/// What an undo did, in words.
pub fn done(project: &Project, report: &UndoReport) -> ReviewDone {
    let files = |count: usize| match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let mut said = match report.done.len() {
        0 if report.conflicts.is_empty() && report.refused.is_empty() => {
            "the files are that way already".to_owned()
        }
        0 => "nothing was put back".to_owned(),
        count => format!("put back {}", files(count)),
    };
    if !report.merged.is_empty() {
        said.push_str(&format!(
            ", {} merged with later changes",
            report.merged.len()
        ));
    }
    let left = report.conflicts.len() + report.refused.len();
    if left > 0 {
        said.push_str(&format!(" · {} left as they are", files(left)));
    }
    let conflicts = report.conflicts.iter().map(|conflict| {
        let marked = String::from_utf8_lossy(&conflict.marked);
        let name = name_of(project, &conflict.path);
        let name = SafeText::line(&format!("{name} changed since in the same lines"));
        (name, SafeText::with_line_ends(&marked))
    });
    let refused = report.refused.iter().map(|(path, why)| {
        let name = name_of(project, path);
        (
            SafeText::line(&format!("{name}: {why}")),
            SafeText::default(),
        )
    });
    ReviewDone {
        said: SafeText::line(&said),
        refused: conflicts.chain(refused).take(MOST_REFUSED).collect(),
    }
}

fn is_of(point: &Checkpoint, session: Option<&SessionId>) -> bool {
    session.is_none() || point.cause.session.as_ref() == session
}

/// The checkpoints that a scope lies between, after another look at the disk.
fn looked_at(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> io::Result<(CheckpointId, CheckpointId)> {
    // Where nothing was followed, a look would only make a store.
    span_of(project, of, scope)?;
    let cause = project.cause(CauseKind::Look, of);
    project.look(cause);
    span_of(project, of, scope)
}

fn span_of(
    project: &Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> io::Result<(CheckpointId, CheckpointId)> {
    let none = || {
        let why =
            "none were followed of that: the session had no turn, or `changes.follow` was false";
        io::Error::new(io::ErrorKind::NotFound, why)
    };
    let points = project.checkpoints();
    let last = points.last().ok_or_else(none)?.id;
    let mut starts = points
        .iter()
        .filter(|point| point.cause.kind == CauseKind::TurnStart && is_of(point, of));
    match scope {
        ReviewScope::Session => {
            let first = starts.next().ok_or_else(none)?.id;
            Ok((first, last))
        }
        ReviewScope::Turn(turn) => {
            let begun = starts.find(|point| point.cause.turn == Some(turn));
            let begun = begun.ok_or_else(|| {
                io::Error::new(io::ErrorKind::NotFound, "that turn is not kept any more")
            })?;
            let ended = points.iter().find(|point| {
                point.cause.kind == CauseKind::TurnEnd
                    && point.cause.turn == Some(turn)
                    && is_of(point, of)
            });
            Ok((begun.id, ended.map_or(last, |point| point.id)))
        }
    }
}

/// Below the project without its path.
fn name_of(project: &Project, path: &Path) -> SafeText {
    let root = project.place.roots.dirs().first();
    let below = root.and_then(|root| path.strip_prefix(root).ok());
    SafeText::line(&below.unwrap_or(path).to_string_lossy())
}
