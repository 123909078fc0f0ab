//! The project whose changes are followed: its store, and which checkpoints are whose.
//!
//! Lives on the thread of [`super::Following`]; everything here may block.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt::Write,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};

use super::{Place, forks::Forks};
use crate::{
    diff,
    host::changes::{Bounds, Changes, Turns, why},
    memory,
    model::{
        Cause, CauseKind, ChangedFile, Checkpoint, CheckpointId, FileState, ReviewScope, SessionId,
        Uncovered,
    },
    text::SafeText,
};

/// Bytes of texts whose lines are counted for one turn; of more only the files are.
const COUNTED: usize = 8 << 20;

/// Checkpoints older than this are given up when there is little room.
const KEPT_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Comparing the lines of one file ends after this, roughly.
const WITHIN: Duration = Duration::from_millis(200);

/// What a turn changed, as it was found on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TurnChanges {
    pub files: usize,
    /// Added and removed, where they could be counted.
    pub lines: Option<(usize, usize)>,
}

/// Undos that can be made again.
const MAX_UNDONE: usize = 100;

/// An undo that can be made again.
pub struct Undone {
    pub between: (CheckpointId, CheckpointId),
    /// The turn that it was of, if it was of one.
    pub turn: Option<u64>,
    /// What was said of it.
    pub note: Option<SafeText>,
}

pub struct Project {
    pub place: Place,
    changes: io::Result<Arc<Changes>>,
    /// Whose first look is due.
    turns: Arc<Turns>,
    cancelled: Arc<AtomicBool>,
    /// Turns of a session are counted on from what the store knows of it: a session that is opened
    /// again begins with 0.
    before: BTreeMap<SessionId, u64>,
    /// Which sessions have turns of others.
    forks: Forks,
    /// Of the last look.
    left: Uncovered,
    /// Why the last look found nothing.
    failed: Option<String>,
    /// What undos did, the last one last, until they are made again.
    pub undone: VecDeque<Undone>,
    /// The first turn of each session that has one in this run that is still kept, and its last one.
    in_use: BTreeMap<SessionId, (CheckpointId, CheckpointId)>,
    /// Sessions whose turn runs.
    running: BTreeSet<SessionId>,
    /// What was listed last, and the checkpoint that the disk had then.
    pub listed: Option<(Option<SessionId>, ReviewScope, CheckpointId)>,
}

impl Project {
    pub fn open(place: &Place, cancelled: Arc<AtomicBool>, turns: Arc<Turns>) -> Self {
        let folder = place
            .folder
            .join(name_of(place.roots.dirs().first().map(PathBuf::as_path)));
        let bounds = Bounds {
            store: place.most,
            ..Bounds::default()
        };
        let changes = Changes::open(&folder, place.roots.clone(), bounds);
        let changes = changes.map(|changes| Arc::new(changes.with_turns(turns.clone())));
        if let Err(error) = &changes {
            tracing::warn!(%error, "changes on the disk are not followed");
        }
        Self {
            place: place.clone(),
            changes,
            turns,
            cancelled,
            before: BTreeMap::new(),
            forks: Forks::open(&folder),
            left: Uncovered::default(),
            failed: None,
            undone: VecDeque::new(),
            in_use: BTreeMap::new(),
            running: BTreeSet::new(),
            listed: None,
        }
    }

    /// # Errors
    /// Why nothing is followed.
    pub fn changes(&self) -> io::Result<&Arc<Changes>> {
        self.changes.as_ref().map_err(|error| {
            let folder = self.place.folder.display();
            let why = format!("changes are not followed: they cannot be kept in {folder}: {error}");
            io::Error::new(error.kind(), why)
        })
    }

    /// Nothing is wanted for now.
    pub fn rest(&self) {
        if self.changes().is_ok_and(|changes| changes.rest()) {
            memory::give_back();
        }
    }

    pub fn begin(&mut self) {
        self.look(Cause::of(CauseKind::Look));
    }

    /// The checkpoint with which the disk is as it is now; `None` where it cannot be looked at.
    pub fn look(&mut self, cause: Cause) -> Option<CheckpointId> {
        let cancelled = self.cancelled.clone();
        let changes = self.changes().ok()?.clone();
        let looked = changes.look(cause, &|| cancelled.load(Ordering::Relaxed));
        match looked {
            Ok(report) => {
                if report.nearly_full {
                    self.make_room(&changes);
                }
                (self.left, self.failed) = (report.uncovered, None);
                Some(report.at)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    tracing::warn!(%error, "the disk was not looked at");
                    // A review says by itself who else has the project.
                    self.failed = (!changes.is_read_only()).then(|| why(&error));
                }
                None
            }
        }
    }

    /// Drops what is old. What turns of the sessions refer to that are open goes last: first all of it
    /// stays, then their last turns, and what can be made again.
    fn make_room(&self, changes: &Changes) {
        let firsts = self.in_use.values().map(|(first, _)| *first).min();
        let undone = self.undone.iter().map(|undone| undone.between.0);
        let lasts = self.in_use.values().map(|(_, last)| *last);
        let lasts = lasts.chain(undone).min();
        for keep in [firsts.into_iter().chain(lasts).min(), lasts] {
            match changes.sweep(now(), KEPT_FOR, keep) {
                Ok(swept) if swept.still_due => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(%error, "the store of changes cannot be swept");
                    return;
                }
            }
        }
    }

    /// An undo that can be made again, before those that could until now.
    pub fn undid(&mut self, undone: Undone) {
        if self.undone.len() >= MAX_UNDONE {
            self.undone.pop_front();
        }
        self.undone.push_back(undone);
    }

    /// A turn's number among all of its session.
    pub fn number(&mut self, of: &SessionId, turn: u64) -> u64 {
        let known = self.before.get(of).copied();
        let before = known.unwrap_or_else(|| {
            let turns = self.checkpoints_of(Some(of)).into_iter();
            let turns = turns.filter(|point| point.cause.session.as_ref() == Some(of));
            turns
                .filter_map(|point| point.cause.turn)
                .max()
                .unwrap_or(0)
        });
        self.before.insert(of.clone(), before);
        before.saturating_add(turn)
    }

    /// What the last look did not cover, in lines.
    pub fn uncovered(&self) -> Vec<SafeText> {
        let Uncovered {
            files,
            left,
            beyond,
            folders,
        } = &self.left;
        let mut lines: Vec<String> = files
            .iter()
            .map(|(path, why)| format!("{} {}", path.display(), why.why()))
            .collect();
        match left.saturating_sub(files.len()) {
            0 => {}
            more => lines.push(format!("{more} more files are not kept")),
        }
        if *beyond > 0 {
            lines.push(format!(
                "{beyond} files or more are not covered: the project has too many"
            ));
        }
        let listed = folders.iter();
        lines.extend(listed.map(|path| format!("{} cannot be looked into", path.display())));
        let missed = self.changes().map(|changes| changes.missed());
        let missed = missed.unwrap_or_default();
        lines.extend(missed.paths.iter().map(|(path, why)| {
            let path = path.display();
            format!("{path} was not kept before the agent was let at it: {why}")
        }));
        if missed.more > 0 {
            lines.push(format!(
                "{} more files were not kept before the agent was let at them",
                missed.more
            ));
        }
        if let Some(why) = &self.failed {
            let folder = self.place.folder.display();
            lines.insert(
                0,
                format!(
                    "what is on the disk now was not looked at (the store is in {folder}): {why}"
                ),
            );
        }
        lines.iter().map(|line| SafeText::line(line)).collect()
    }

    pub fn checkpoints(&self) -> Vec<Checkpoint> {
        let listed = self.changes().and_then(|changes| changes.checkpoints());
        listed.unwrap_or_default()
    }

    /// The same for the review of a session: turns that it took over count as its own.
    pub fn checkpoints_of(&self, of: Option<&SessionId>) -> Vec<Checkpoint> {
        let mut points = self.checkpoints();
        if let Some(of) = of {
            self.forks.take_over(&mut points, of);
        }
        points
    }

    /// The number of the last turn before the last so many prompts of a session; 0: there is none.
    pub fn turn_before(&self, of: &SessionId, prompts: usize) -> u64 {
        let points = self.checkpoints_of(Some(of)).into_iter();
        let begun = points.filter(|point| {
            let cause = &point.cause;
            cause.kind == CauseKind::TurnStart && cause.session.as_ref() == Some(of)
        });
        let turns: BTreeSet<u64> = begun.filter_map(|point| point.cause.turn).collect();
        turns.into_iter().rev().nth(prompts).unwrap_or(0)
    }

    /// A session goes on from another one, behind that turn.
    pub fn forked(&mut self, session: &SessionId, of: &SessionId, turn: u64) {
        if turn > 0 {
            let keep = self.changes().is_ok_and(|changes| !changes.is_read_only());
            self.forks.add(session, of, turn, keep);
        }
    }

    pub fn is_running(&self, of: Option<&SessionId>) -> bool {
        of.is_some_and(|of| self.running.contains(of))
    }

    pub fn turn_begins(&mut self, of: &SessionId, turn: u64) {
        let turn = self.number(of, turn);
        self.running.insert(of.clone());
        // Where what it has of earlier turns begins: it may have been opened again.
        let points = self.checkpoints_of(Some(of));
        let first = points.iter().find(|point| {
            point.cause.kind == CauseKind::TurnStart && point.cause.session.as_ref() == Some(of)
        });
        let first = first.map(|point| point.id);
        // Before the look: it may make room.
        let last = points.last().map(|point| point.id);
        if let Some(known) = last.map(|last| (first.unwrap_or(last), last)) {
            self.in_use.insert(of.clone(), known);
        }
        self.look(Cause {
            turn: Some(turn),
            ..self.cause(CauseKind::TurnStart, Some(of))
        });
        self.turns.looked();
    }

    pub fn turn_ended(&mut self, of: &SessionId, turn: u64) -> TurnChanges {
        let turn = self.number(of, turn);
        self.running.remove(of);
        let ended = self.look(Cause {
            turn: Some(turn),
            ..self.cause(CauseKind::TurnEnd, Some(of))
        });
        let begun = self.checkpoints().into_iter().rev().find(|point| {
            let cause = &point.cause;
            cause.kind == CauseKind::TurnStart
                && cause.turn == Some(turn)
                && cause.session.as_ref() == Some(of)
        });
        let span = begun.map(|point| point.id).zip(ended);
        let files = span.and_then(|(from, to)| self.changes().ok()?.changes(from, to).ok());
        let files = files.unwrap_or_default();
        TurnChanges {
            files: files.len(),
            lines: self.count(&files),
        }
    }

    pub fn cause(&self, kind: CauseKind, of: Option<&SessionId>) -> Cause {
        Cause {
            session: of.cloned(),
            ..Cause::of(kind)
        }
    }

    /// Added and removed lines of all of them; `None` where one is not known, or they are too large.
    fn count(&self, files: &[ChangedFile]) -> Option<(usize, usize)> {
        let mut bytes = 0;
        let mut sum = (0, 0);
        for file in files.iter().filter(|file| !file.binary) {
            bytes += size(&file.before) + size(&file.after);
            if bytes > COUNTED {
                return None;
            }
            let (added, removed) = self.lines(file)?;
            sum = (sum.0 + added, sum.1 + removed);
        }
        Some(sum)
    }

    /// Added and removed lines of a file; `None` where a text is not kept.
    pub fn lines(&self, file: &ChangedFile) -> Option<(usize, usize)> {
        let (old, new) = (self.text(&file.before)?, self.text(&file.after)?);
        let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(&new));
        Some(diff::changed_lines(&old, &new, WITHIN))
    }

    /// What a file holds; empty where there is none, `None` where it is not kept.
    pub fn text(&self, state: &FileState) -> Option<Vec<u8>> {
        match state {
            FileState::Absent | FileState::Folder => Some(Vec::new()),
            FileState::Link { target } => Some(target.clone()),
            FileState::File { .. } => self.changes().ok()?.content(state.blob()?).ok(),
        }
    }
}

fn size(state: &FileState) -> usize {
    match state {
        FileState::File { size, .. } => usize::try_from(*size).unwrap_or(usize::MAX / 4),
        _ => 0,
    }
}

/// Removes the store of a folder that is gone; `all`: where all stores are.
pub fn forget(all: &Path, folder: &Path) {
    if let Err(error) = fs::remove_dir_all(all.join(name_of(Some(folder))))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "what was kept of a removed worktree stays");
    }
}

/// The folder of a project's store: the same for the same directory, whatever others go with it.
fn name_of(root: Option<&Path>) -> PathBuf {
    let mut hash = Sha256::new();
    if let Some(root) = root {
        hash.update(root.as_os_str().as_bytes());
    }
    let mut name = String::new();
    for byte in hash.finalize().iter().take(16) {
        let _ = write!(name, "{byte:02x}");
    }
    Path::new(&name).to_owned()
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
