//! What changed, for people and programs: lists of changed files, patches, what an undo did.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use super::{
    content::content_of,
    left::put_back_since,
    project::{Project, Undone},
};
use crate::{
    model::{
        Cause, CauseKind, ChangeKind, ChangedFile, Checkpoint, CheckpointId, Content, FileState,
        REDONE, Review, ReviewDone, ReviewFile, ReviewScope, ReviewTexts, ReviewTold, ReviewWish,
        ScopeChoice, Selection, SessionId, UNDONE, UndoPart, UndoReport,
    },
    text::{SafeText, exact_line, in_backticks},
};

/// Files whose lines are counted for a list; of the others the diff tells when it is shown.
const COUNTED_FILES: usize = 200;

/// Bytes of one side that is shown.
const MOST_SHOWN: u64 = 8 << 20;

/// Conflicts and refusals that are told.
const MOST_REFUSED: usize = 100;

/// Answers the review. Patches are made by [`patch`]: where they go is the app's to know.
pub fn answer(project: &mut Project, of: Option<&SessionId>, wish: ReviewWish) -> ReviewTold {
    let answered = match wish {
        ReviewWish::List(scope) => listed(project, of, scope),
        ReviewWish::Texts { scope, path } => texts(project, of, scope, path),
        ReviewWish::Undo { scope, span, parts } => {
            let named = parts.clone();
            undo(project, of, scope, span, parts, false).map(|report| {
                let note = note(project, UNDONE, &report, named.as_deref());
                let changed = !report.done.is_empty();
                if let Some(between) = report.checkpoints.filter(|_| changed) {
                    let note = note.clone();
                    let turn = turn_of(scope);
                    project.undid(Undone {
                        between,
                        turn,
                        note,
                    });
                }
                let hunks = hunks_of(named.as_deref().unwrap_or_default());
                told(ReviewDone {
                    note,
                    ..done(project, "put back", hunks, &report)
                })
            })
        }
        ReviewWish::Redo => redo(project, of),
        ReviewWish::Patch { .. } => Err(io::ErrorKind::Unsupported.into()),
    };
    answered.unwrap_or_else(|error| ReviewTold::Failed(SafeText::line(&error.to_string())))
}

fn told(done: ReviewDone) -> ReviewTold {
    ReviewTold::Done(Box::new(done))
}

/// The list of a scope; without one that of the newest turn, if it changed something, else of the session, or
/// since the last commit where the session has had no turn.
fn listed(
    project: &mut Project,
    of: Option<&SessionId>,
    wanted: Option<ReviewScope>,
) -> io::Result<ReviewTold> {
    let newest = scopes(&project.checkpoints_of(of), of)
        .first()
        .map(|choice| choice.scope);
    let scope = wanted.or(newest).unwrap_or(ReviewScope::Session);
    let review = match list(project, of, scope) {
        // A session without a turn still has what is not committed.
        Err(why) if wanted.is_none() => list(project, of, ReviewScope::Commit).map_err(|_| why)?,
        listed => listed?,
    };
    let review = match wanted {
        // One that runs is looked at for what it is about to change.
        None if matches!(review.scope, ReviewScope::Turn(_)) && project.is_running(of) => review,
        None if review.scope != ReviewScope::Commit && review.files.is_empty() => {
            list(project, of, ReviewScope::Session)?
        }
        _ => review,
    };
    Ok(ReviewTold::Listed(Box::new(review)))
}

/// The changes of a scope as a patch for `git apply`; of one file where `path` names it.
///
/// # Errors
/// The store cannot be read.
pub fn patch(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
    path: Option<&Path>,
) -> io::Result<Vec<u8>> {
    look(project, of, scope)?;
    let files = Found::of(project, of, scope)?.files.into_iter();
    let files: Vec<ChangedFile> = files
        .map(|(file, _)| file)
        .filter(|file| path.is_none_or(|path| file.path == path))
        .collect();
    let base = project.place.roots.dirs().first().cloned();
    project.changes()?.patch(&files, &base.unwrap_or_default())
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
    look(project, of, scope)?;
    listed_now(project, of, scope)
}

/// Looks again; the list where it may be another one than before.
pub fn follow(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> Option<Box<Review>> {
    look(project, of, scope).ok()?;
    let now = project.checkpoints().last().map(|point| point.id)?;
    let known = project
        .listed
        .as_ref()
        .is_some_and(|(other, listed, at)| (other.as_ref(), *listed, *at) == (of, scope, now));
    // A commit changes what is listed since the last one, and no file.
    if known && scope != ReviewScope::Commit {
        return None;
    }
    listed_now(project, of, scope).ok().map(Box::new)
}

/// What changed in a scope up to the last look.
fn listed_now(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> io::Result<Review> {
    let points = project.checkpoints_of(of);
    let Found { files, span } = Found::of(project, of, scope)?;
    project.listed = points.last().map(|point| (of.cloned(), scope, point.id));
    let elsewhere = "another acp-tui has this project open: only that one can put files back";
    let elsewhere = project.changes()?.is_read_only().then_some(elsewhere);
    let commit = "git has what was there: it is only looked at here";
    let commit = span.is_none().then_some(commit);
    let files = files.iter().enumerate();
    let turns = turns_of(&points, of);
    let files =
        files.map(|(at, (file, until))| shown(project, file, *until, at < COUNTED_FILES, &turns));
    Ok(Review {
        scope,
        scopes: scopes(&points, of),
        files: files.collect(),
        uncovered: project.uncovered(),
        span,
        read_only: elsewhere.or(commit).map(SafeText::from),
        can_redo: !project.undone.is_empty(),
    })
}

/// Looks at the disk. Where nothing was followed, a look would only make a store.
fn look(project: &mut Project, of: Option<&SessionId>, scope: ReviewScope) -> io::Result<()> {
    if scope != ReviewScope::Commit {
        span_of(project, of, scope)?;
    }
    let cause = project.cause(CauseKind::Look, of);
    project.look(cause);
    Ok(())
}

/// Who may have made what a checkpoint saw.
#[derive(Clone, Default)]
enum Maker {
    /// No turn was open: the person, or another program.
    #[default]
    Outside,
    /// These turns of the session, or one of another session, were open.
    Turns(Vec<u64>),
    /// The same, and what stood there when one of them began was not seen, but what did before.
    Begun(Vec<u64>),
    /// It was put back or made again here.
    Undo,
}

impl Maker {
    /// It is a turn's of that scope: not the person's, another session's or another turn's, and not what was put
    /// back here, whosever change that was.
    fn is_of(&self, scope: ReviewScope) -> bool {
        let (Self::Turns(own) | Self::Begun(own)) = self else {
            return false;
        };
        match turn_of(scope) {
            Some(turn) => own.contains(&turn),
            None => !own.is_empty(),
        }
    }
}

/// The one turn that a scope is of.
fn turn_of(scope: ReviewScope) -> Option<u64> {
    match scope {
        ReviewScope::Turn(turn) => Some(turn),
        ReviewScope::Since(_) | ReviewScope::Session | ReviewScope::Commit => None,
    }
}

/// Which turns were open when a checkpoint was taken, whatever it was taken for.
fn turns_of(points: &[Checkpoint], of: Option<&SessionId>) -> BTreeMap<CheckpointId, Maker> {
    let mut open: Vec<(&Option<SessionId>, u64)> = Vec::new();
    let mut makers = BTreeMap::new();
    for point in points {
        let Cause { kind, session, .. } = &point.cause;
        if *kind == CauseKind::TurnStart {
            // One that was cut off has no end.
            open.retain(|(other, _)| *other != session);
        }
        let maker = match kind {
            CauseKind::Undo | CauseKind::Redo => Maker::Undo,
            _ if open.is_empty() => Maker::Outside,
            _ => {
                let own = open
                    .iter()
                    .filter(|(other, _)| of.is_none() || other.as_ref() == of);
                let own = own.map(|(_, turn)| *turn).collect();
                match kind {
                    CauseKind::Begun => Maker::Begun(own),
                    _ => Maker::Turns(own),
                }
            }
        };
        makers.insert(point.id, maker);
        match (kind, point.cause.turn) {
            (CauseKind::TurnStart, Some(turn)) => open.push((session, turn)),
            (CauseKind::TurnEnd, _) => open.retain(|(other, _)| *other != session),
            _ => {}
        }
    }
    makers
}

/// What made the change of a file; empty where that was outside of all turns.
fn made_by(file: &ChangedFile, makers: &BTreeMap<CheckpointId, Maker>) -> Vec<SafeText> {
    let (mut outside, mut elsewhere, mut about) = (false, false, false);
    let mut turns: BTreeSet<u64> = BTreeSet::new();
    for id in &file.seen {
        about |= matches!(makers.get(id), Some(Maker::Begun(_)));
        match makers.get(id) {
            Some(Maker::Turns(of) | Maker::Begun(of)) if of.is_empty() => elsewhere = true,
            Some(Maker::Turns(of) | Maker::Begun(of)) => turns.extend(of),
            Some(Maker::Outside) | None => outside = true,
            Some(Maker::Undo) => {}
        }
    }
    let mut by: Vec<SafeText> = turns
        .iter()
        .map(|turn| SafeText::line(&format!("turn {turn}")))
        .collect();
    if elsewhere {
        by.push("another session".into());
    }
    if about && !turns.is_empty() {
        by.push("at about its start".into());
    }
    if outside && !by.is_empty() {
        by.push("changes outside of turns".into());
    }
    by
}

/// A file as the list has it.
fn shown(
    project: &Project,
    file: &ChangedFile,
    until: Option<CheckpointId>,
    counted: bool,
    makers: &BTreeMap<CheckpointId, Maker>,
) -> ReviewFile {
    ReviewFile {
        path: file.path.clone(),
        name: name_of(project, &file.path),
        renamed_from: file
            .renamed_from
            .as_deref()
            .map(|path| name_of(project, path)),
        kind: file.kind,
        binary: file.binary,
        lines: counted
            .then(|| project.lines(file))
            .flatten()
            .filter(|_| !file.binary && file.kind != ChangeKind::Mode),
        content: content_of(file),
        until,
        by: made_by(file, makers),
        by_unknown: file.seen.is_empty(),
        is_elsewhere: !project.place.roots.contains(&file.path),
        by_a_turn: file.seen.iter().any(|id| {
            let maker = makers.get(id);
            maker.is_some_and(|maker| maker.is_of(ReviewScope::Session))
        }),
    }
}

fn texts(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
    path: PathBuf,
) -> io::Result<ReviewTold> {
    let files = Found::of(project, of, scope)?.files.into_iter();
    let mut files = files.map(|(file, _)| file);
    let file = files.find(|file| file.path == path);
    let (content, texts) = match file {
        None => (0, Err("it is not changed any more".into())),
        Some(file) => (content_of(&file), both(project, &file)),
    };
    Ok(ReviewTold::Texts(Box::new(ReviewTexts {
        scope,
        path,
        content,
        texts,
    })))
}

/// Both sides of a file.
fn both(
    project: &Project,
    file: &ChangedFile,
) -> Result<(Option<SafeText>, Option<SafeText>), SafeText> {
    if file.binary {
        return Err("it is binary".into());
    }
    let side = |state: &FileState| match state {
        FileState::Absent | FileState::Folder => Ok(None),
        FileState::File { size, .. } if *size > MOST_SHOWN => {
            Err(SafeText::from("it is too large"))
        }
        FileState::File { content, .. } => match project.text(state) {
            Some(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(Some(SafeText::with_line_ends(&text)))
            }
            None => Err(match content {
                Content::Left(left, _) => SafeText::line(&format!("it {}", left.why())),
                Content::Kept(_) => "what it held is not kept any more".into(),
            }),
        },
        FileState::Link { target } => {
            let target = String::from_utf8_lossy(target);
            Ok(Some(SafeText::line(&format!("link to {target}"))))
        }
    };
    Ok((side(&file.before)?, side(&file.after)?))
}

/// Puts back what changed in between, all of it without `parts`. `dry`: only says what it would do.
///
/// # Errors
/// The store cannot be read or written. What fails for one file is in the report.
pub fn undo(
    project: &mut Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
    span: (CheckpointId, CheckpointId),
    parts: Option<Vec<UndoPart>>,
    dry: bool,
) -> io::Result<UndoReport> {
    let cause = Cause {
        turn: turn_of(scope),
        ..project.cause(CauseKind::Undo, of)
    };
    let made = turns_of(&project.checkpoints_of(of), of).into_iter();
    let keep = made.filter(|(_, maker)| !maker.is_of(scope));
    let selection = Selection {
        from: span.0,
        to: span.1,
        parts,
        keep: keep.map(|(id, _)| id).collect(),
    };
    project.changes()?.undo(&selection, cause, dry)
}

fn redo(project: &mut Project, of: Option<&SessionId>) -> io::Result<ReviewTold> {
    let Some(undone) = project.undone.pop_back() else {
        return Ok(ReviewTold::Failed("Nothing to redo".into()));
    };
    let cause = Cause {
        turn: undone.turn,
        ..project.cause(CauseKind::Redo, of)
    };
    let report = project.changes()?.redo(undone.between, cause)?;
    let whole = report.conflicts.is_empty() && report.refused.is_empty();
    Ok(told(ReviewDone {
        note: note(project, REDONE, &report, None),
        void: undone.note.filter(|_| whole),
        ..done(project, "redid", None, &report)
    }))
}

/// How many hunks are named, where nothing else is.
fn hunks_of(parts: &[UndoPart]) -> Option<usize> {
    let count = |part: &UndoPart| match part {
        UndoPart::Hunks(_, hunks) => Some(hunks.len()),
        UndoPart::File(_) => None,
    };
    parts
        .iter()
        .map(count)
        .sum::<Option<usize>>()
        .filter(|count| *count > 0)
}

/// What an undo or a redo did, in words; `hunks`: it was only of so many.
pub fn done(
    project: &Project,
    verb: &str,
    hunks: Option<usize>,
    report: &UndoReport,
) -> ReviewDone {
    let files = |count: usize| match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let left = report.conflicts.len() + report.refused.len();
    let mut said = match report.done.len() {
        0 if left == 0 => "nothing to do: the files are that way already".to_owned(),
        0 => String::new(),
        count => match hunks {
            None => format!("{verb} {}", files(count)),
            Some(1) => format!("{verb} 1 hunk"),
            Some(hunks) => format!("{verb} {hunks} hunks"),
        },
    };
    if !report.merged.is_empty() {
        said.push_str(&format!(
            ", {} merged with other changes",
            report.merged.len()
        ));
    }
    if left > 0 {
        let between = if said.is_empty() { "" } else { " · " };
        let was = if left == 1 { "was" } else { "were" };
        let verb = if verb == "redid" { "redone" } else { verb };
        let why = if report.refused.is_empty() {
            ": changed since"
        } else {
            ""
        };
        said.push_str(&format!("{between}{} {was} not {verb}{why}", files(left)));
    }
    if let Some(why) = &report.not_kept {
        said.push_str(&format!(
            " · it cannot be redone: what is there now was not kept, {why}"
        ));
    }
    let conflicts = report.conflicts.iter().map(|conflict| {
        let marked = String::from_utf8_lossy(&conflict.marked);
        let name = name_of(project, &conflict.path);
        let name = match conflict.words.as_str() {
            "" => format!("{name} changed since in the same lines"),
            words => format!("{name} changed since: {words}"),
        };
        (SafeText::line(&name), SafeText::with_line_ends(&marked))
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
        note: None,
        void: None,
    }
}

/// What the agent is told.
fn note(
    project: &Project,
    verb: &str,
    report: &UndoReport,
    parts: Option<&[UndoPart]>,
) -> Option<SafeText> {
    const NAMED: usize = 5;
    if report.done.is_empty() {
        return None;
    }
    let lines = |path: &Path| {
        let hunks = parts?.iter().find_map(|part| match part {
            UndoPart::Hunks(of, hunks) if of == path => Some(hunks),
            _ => None,
        })?;
        let ranges = hunks
            .iter()
            .map(|hunk| match (hunk.after.start + 1, hunk.after.end) {
                (first, last) if last <= first => format!("line {first}"),
                (first, last) => format!("lines {first}–{last}"),
            });
        Some(ranges.collect::<Vec<_>>().join(", "))
    };
    let mut named: Vec<String> = report
        .done
        .iter()
        .take(NAMED)
        .map(|path| {
            let name = below(project, path).to_string_lossy();
            let name = in_backticks(&name);
            match lines(path) {
                Some(lines) => format!("{name} {lines}"),
                None => name,
            }
        })
        .collect();
    if report.done.len() > NAMED {
        named.push(format!("{} more files", report.done.len() - NAMED));
    }
    Some(SafeText::line(&format!("{verb} {}.)", named.join(", "))))
}

/// The turns of the session, newest first, and the session.
fn scopes(points: &[Checkpoint], of: Option<&SessionId>) -> Vec<ScopeChoice> {
    let mut turns: Vec<u64> = points
        .iter()
        .filter(|point| is_of(point, of))
        .filter(|point| point.cause.kind == CauseKind::TurnStart)
        .filter_map(|point| point.cause.turn)
        .collect();
    turns.sort_unstable();
    turns.dedup();
    let newest = turns.last().copied();
    let turns = turns.into_iter().rev().map(|turn| ScopeChoice {
        scope: ReviewScope::Turn(turn),
        name: match Some(turn) == newest {
            true => "this turn".into(),
            false => SafeText::line(&format!("turn {turn}")),
        },
    });
    let session = ScopeChoice {
        scope: ReviewScope::Session,
        name: "the session".into(),
    };
    let commit = ScopeChoice {
        scope: ReviewScope::Commit,
        name: "since the last commit".into(),
    };
    turns.chain([session, commit]).collect()
}

fn is_of(point: &Checkpoint, session: Option<&SessionId>) -> bool {
    session.is_none() || point.cause.session.as_ref() == session
}

/// What changed in a scope.
struct Found {
    /// With the checkpoint up to which it was compared; none with git.
    files: Vec<(ChangedFile, Option<CheckpointId>)>,
    /// Between which checkpoints the scope lies; git's last commit is none.
    span: Option<(CheckpointId, CheckpointId)>,
}

impl Found {
    fn of(project: &mut Project, of: Option<&SessionId>, scope: ReviewScope) -> io::Result<Self> {
        if scope == ReviewScope::Commit {
            let none = || io::Error::new(io::ErrorKind::NotFound, "there is no commit of git here");
            let mut files = project.changes()?.since_commit()?.ok_or_else(none)?;
            // Before the session's first turn nothing is known of who made what.
            if let Ok((from, to)) = span_of(project, of, ReviewScope::Session) {
                project.changes()?.tell_seen(from, to, &mut files)?;
            }
            let files = files.into_iter().map(|file| (file, None)).collect();
            return Ok(Self { files, span: None });
        }
        let (from, to) = span_of(project, of, scope)?;
        let files = project.changes()?.changes(from, to)?;
        let mut put_back = put_back_since(project, of, turn_of(scope), (from, to))?;
        let files = files.into_iter().filter_map(|file| {
            match put_back.remove(&file.path) {
                None => Some((file, Some(to))),
                // All of it is as it was.
                Some(None) => None,
                Some(Some((now, last))) => Some((now, Some(last))),
            }
        });
        Ok(Self {
            files: files.collect(),
            span: Some((from, to)),
        })
    }
}

/// The checkpoints that a scope lies between.
fn span_of(
    project: &Project,
    of: Option<&SessionId>,
    scope: ReviewScope,
) -> io::Result<(CheckpointId, CheckpointId)> {
    let elsewhere = project.changes()?.is_read_only();
    let none = || {
        let why = match elsewhere {
            true => {
                "another acp-tui has this project open, and follows the turns of its own sessions only"
            }
            false => {
                "none were followed of that: the session had no turn, or `changes.follow` was false"
            }
        };
        io::Error::new(io::ErrorKind::NotFound, why)
    };
    let points = project.checkpoints_of(of);
    let last = points.last().ok_or_else(none)?.id;
    let mut starts = points
        .iter()
        .filter(|point| point.cause.kind == CauseKind::TurnStart && is_of(point, of));
    match scope {
        ReviewScope::Session => {
            let first = starts.next().ok_or_else(none)?.id;
            Ok((first, last))
        }
        ReviewScope::Turn(turn) | ReviewScope::Since(turn) => {
            let begun = starts.find(|point| point.cause.turn == Some(turn));
            let begun = begun.ok_or_else(|| match elsewhere {
                true => none(),
                false => io::Error::new(io::ErrorKind::NotFound, no_turn(&points, of, turn)),
            })?;
            if matches!(scope, ReviewScope::Since(_)) {
                return Ok((begun.id, last));
            }
            let ended = points.iter().find(|point| {
                point.cause.kind == CauseKind::TurnEnd
                    && point.cause.turn == Some(turn)
                    && is_of(point, of)
            });
            Ok((begun.id, ended.map_or(last, |point| point.id)))
        }
        // git has it: see `Found::of`.
        ReviewScope::Commit => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Why there is nothing of that turn.
fn no_turn(points: &[Checkpoint], of: Option<&SessionId>, turn: u64) -> String {
    let turns = points.iter().filter(|point| is_of(point, of));
    match turns.filter_map(|point| point.cause.turn).max() {
        None => "no turn of the session was followed".to_owned(),
        Some(last) if turn == 0 || turn > last => {
            format!("there was no turn {turn}: the last that was followed is turn {last}")
        }
        Some(_) => format!("turn {turn} is not kept any more"),
    }
}

/// Below the project without its path.
fn name_of(project: &Project, path: &Path) -> SafeText {
    exact_line(&below(project, path).to_string_lossy())
}

fn below<'a>(project: &Project, path: &'a Path) -> &'a Path {
    let root = project.place.roots.dirs().first();
    let below = root.and_then(|root| path.strip_prefix(root).ok());
    below.unwrap_or(path)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
