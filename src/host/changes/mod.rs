//! What changed on the disk, and putting it back, whoever changed it.
//!
//! Owns: an own store of contents in a folder that is given to it, one for each project; looks at the
//! project; checkpoints, what differs between them, undo and patches. Must not know sessions or the
//! screen, and must not write into the project but for an undo. Everything here blocks and is called
//! from blocking tasks.
//!
//! - [`Changes::open`] opens the store of a project. One client writes; others read
//!   ([`Changes::is_read_only`]) until that one has ended.
//! - [`Changes::look`] compares the disk with what was seen last and keeps what differs as a
//!   checkpoint; [`Changes::take`] does so for single paths, at once, before something that names
//!   them is let through.
//! - [`Changes::checkpoints`] lists them, [`Changes::changes`] says what differs between two, and
//!   [`Changes::content`] fetches a content. [`Changes::since_commit`] compares with git's last commit.
//! - [`Changes::undo`] puts back files or parts of them, [`Changes::redo`] takes that back.
//! - [`Changes::patch`] writes changes for `git apply`; [`Changes::sweep`] drops what is old, and
//!   [`stores::sweep`] the stores of projects that are gone, or for which there is no room.
//!
//! The disk is the truth: nothing is believed that was not looked at. What the project's own git holds
//! unchanged is referred to, not copied.

mod asked;
mod binary;
mod codec;
mod commit;
mod delta;
mod fault;
mod git;
mod lock;
mod log;
mod look;
mod merge;
mod missed;
mod packs;
mod patch;
mod place;
mod read;
mod since;
mod spelling;
pub mod stores;
mod sweep;
mod table;
mod turns;
mod undo;
mod walk;

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::{ffi::OsStrExt, fs::DirBuilderExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lock::Lock;
use log::{Delta, Log, Record};
use look::Surroundings;
use packs::{Packs, Store};
use table::{Entry, Table};
use turns::Moments;

pub use missed::{Missed, why};
pub use turns::Turns;
pub use walk::threads;

use super::Roots;
use crate::model::{BlobId, Cause, CauseKind, Checkpoint, CheckpointId, FileState, LookReport};

/// What is kept, at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Files and folders that are covered.
    pub files: usize,
    /// Of a file that is kept.
    pub one_file: u64,
    /// Of the whole store.
    pub store: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            files: 250_000,
            one_file: 16 << 20,
            store: 1 << 30,
        }
    }
}

/// Tables with more entries, and more places of contents, are not held while nothing is asked.
const HELD: usize = 20_000;
/// Paths that one `take` looks at.
const MAX_TAKEN: usize = 1_000;
/// Deltas that only say what came into view; more are written with the table.
const MAX_QUIET: usize = 2_000;

/// The changes of one project.
pub struct Changes {
    folder: PathBuf,
    roots: Roots,
    bounds: Bounds,
    /// Whose first look is due.
    turns: Arc<Turns>,
    lock: Lock,
    /// Held by a look and a sweep, for as long as they take.
    looking: Mutex<()>,
    /// Held for moments only: what is named is taken while a look goes on.
    inner: Mutex<Inner>,
    store: Store,
    /// What was named and not kept.
    missed: Mutex<Missed>,
}

struct Inner {
    log: Log,
    table: Option<Table>,
}

impl Changes {
    /// Opens the store in `folder`, which is made where it is missing.
    ///
    /// # Errors
    /// As for files.
    pub fn open(folder: &Path, roots: Roots, bounds: Bounds) -> io::Result<Self> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let folder = folder.canonicalize()?;
        let lock = Lock::new(&folder);
        let is_ours = lock.take()?;
        if is_ours {
            begin(&folder, &roots);
        }
        let mut inner = Inner {
            log: Log::open(&folder)?,
            table: None,
        };
        if is_ours {
            inner.end_turns();
        }
        Ok(Self {
            store: Store::new(&folder),
            folder,
            roots,
            bounds,
            turns: Arc::default(),
            lock,
            looking: Mutex::new(()),
            inner: Mutex::new(inner),
            missed: Mutex::default(),
        })
    }

    /// With the turns that look at their start.
    #[must_use]
    pub fn with_turns(mut self, turns: Arc<Turns>) -> Self {
        self.turns = turns;
        self
    }

    /// Another client has the project: nothing is looked at, taken, undone or swept here. What is tried
    /// once that one has ended makes this one the one that writes.
    pub fn is_read_only(&self) -> bool {
        !self.lock.is_held()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of what takes much memory and is read again when it is wanted: for when nothing was asked
    /// for a while. Whether there was any.
    pub fn rest(&self) -> bool {
        self.rest_above(HELD)
    }

    fn rest_above(&self, held: usize) -> bool {
        let mut inner = self.inner();
        let is_large = |table: &mut Table| table.entries.len() > held;
        let table = inner.table.take_if(is_large).is_some();
        let store = self.store.cool(held);
        table || store
    }

    fn writable(&self) -> io::Result<()> {
        if self.lock.is_held() {
            return Ok(());
        }
        // Before the lock is: what is done with the other client's last list would be lost.
        let mut inner = self.inner();
        if self.lock.take()? {
            begin(&self.folder, &self.roots);
            inner.table = None;
            self.store.forget();
            inner.log.read_on()?;
            inner.end_turns();
        }
        match self.lock.is_held() {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::ReadOnlyFilesystem,
                "another client follows the changes of this project",
            )),
        }
    }

    fn around<'a>(&'a self, cancelled: &'a (dyn Fn() -> bool + Sync)) -> Surroundings<'a> {
        Surroundings {
            roots: &self.roots,
            bounds: &self.bounds,
            folder: &self.folder,
            cancelled,
        }
    }

    /// Looks at the whole project and keeps what differs from the last checkpoint. The first look of a
    /// root finds no changes: it is what later ones are compared with.
    ///
    /// # Errors
    /// It was cancelled (`Interrupted`), another client has the project, or the store cannot be written.
    /// What was known before is still known then.
    pub fn look(
        &self,
        cause: Cause,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> io::Result<LookReport> {
        self.writable()?;
        let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let looked = self.look_now(cause, cancelled);
        drop(looking);
        looked
    }

    fn look_now(
        &self,
        cause: Cause,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> io::Result<LookReport> {
        let mut table = self.inner().take_table(&self.folder)?;
        let found = look::whole(&self.around(cancelled), &table, &self.store)?;
        let mut inner = self.inner();
        let inner = &mut *inner;
        self.store.flush(true)?;
        let mut found = found;
        // What was taken meanwhile is newer, or the next look finds what differs from it.
        for record in inner.log.records(table.upto, u64::MAX)? {
            table.take_in(&record);
            let taken = |delta: &Delta| {
                let same = |other: &Delta| other.path == delta.path;
                record.deltas.iter().any(same)
            };
            found.deltas.retain(|delta| !taken(delta));
        }
        let uncovered = found.uncovered;
        let mut deltas = found.deltas;
        let moments = self.turns.moments(cause.kind);
        let begun = moments.divide(&self.roots, &table, &mut deltas);
        let changes = |delta: &&Delta| delta.before.is_some();
        let changed = deltas.iter().filter(changes).count();
        let roots: Vec<Vec<u8>> = self.known_roots(&table);
        let quiet = deltas.len() - changed;
        let changed = changed + begun.len();
        let whole = roots != table.roots || found.index != table.index || quiet > MAX_QUIET;
        if whole {
            table.set_all(deltas.iter().map(Delta::entry).collect());
            deltas.retain(|delta| delta.before.is_some());
        }
        let marks = !matches!(cause.kind, CauseKind::Look);
        let of_turn = Cause {
            kind: CauseKind::Begun,
            ..cause.clone()
        };
        let first = marks || !deltas.is_empty() || inner.log.last() == 0;
        let both = [(first, cause, deltas), (!begun.is_empty(), of_turn, begun)];
        for (_, cause, deltas) in both.into_iter().filter(|(counts, ..)| *counts) {
            let record = Record {
                id: inner.log.last() + 1,
                time: found.began / 1_000_000,
                cause,
                deltas,
            };
            inner.log.append(&record, true)?;
            table.set_all(record.deltas.iter().map(Delta::entry).collect());
            table.upto = record.id;
        }
        table.looked = found.began;
        table.roots = roots;
        table.index = found.index;
        if whole {
            table.save(&self.folder)?;
        }
        let is_file =
            |entry: &&Entry| !matches!(entry.state, FileState::Absent | FileState::Folder);
        let files = table.entries.iter().filter(is_file).count();
        inner.table = Some(table);
        let bytes = self.store.bytes()?;
        Ok(LookReport {
            at: CheckpointId(inner.log.last()),
            changed,
            files,
            uncovered,
            nearly_full: sweep::is_due(bytes, &self.bounds),
        })
    }

    fn known_roots(&self, table: &Table) -> Vec<Vec<u8>> {
        let own = self.roots.dirs().iter();
        let mut roots: Vec<Vec<u8>> = own
            .map(|root| root.as_os_str().as_bytes().to_vec())
            .collect();
        roots.extend(table.roots.iter().cloned());
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Keeps what stands at these paths (absolute, without links) now, whatever ignore rules say of
    /// them; from then on they are covered. Of a folder only that it is there. Returns the checkpoint with which
    /// they are as they are now.
    ///
    /// # Errors
    /// As [`Changes::look`].
    pub fn take(&self, paths: &[PathBuf], cause: Cause) -> io::Result<CheckpointId> {
        let taken = self.writable().and_then(|()| {
            let mut inner = self.inner();
            let inner = &mut *inner;
            let moments = self.turns.moments(cause.kind);
            self.take_at(inner, paths, cause, moments)
        });
        if let Err(error) = &taken {
            self.note_missed(paths, &error.to_string());
        }
        taken
    }

    fn take_with(
        &self,
        inner: &mut Inner,
        paths: &[PathBuf],
        cause: Cause,
    ) -> io::Result<CheckpointId> {
        self.take_at(inner, paths, cause, Moments::default())
    }

    fn take_at(
        &self,
        inner: &mut Inner,
        paths: &[PathBuf],
        cause: Cause,
        moments: Moments,
    ) -> io::Result<CheckpointId> {
        let mut table = inner.take_table(&self.folder)?;
        let (paths, more) = paths.split_at_checked(MAX_TAKEN).unwrap_or((paths, &[]));
        self.note_missed(more, "too many were named at once");
        let looked = !table.roots.is_empty();
        let is_new = |path: &Path| looked && self.is_covered(path);
        let missed = |path: &Path, error: &io::Error| {
            self.note_missed(&[path.to_owned()], &error.to_string());
        };
        let around = self.around(&|| false);
        let mut deltas = look::paths(&around, &table, &self.store, paths, &is_new, &missed)?;
        // What an open turn has changed already waits for the look at its start.
        moments.divide(&self.roots, &table, &mut deltas);
        self.store.flush(false)?;
        if !deltas.is_empty() || inner.log.last() == 0 {
            let record = Record {
                id: inner.log.last() + 1,
                time: walk::now() / 1_000_000,
                cause,
                deltas,
            };
            inner.log.append(&record, false)?;
            table.set_all(record.deltas.iter().map(Delta::entry).collect());
            table.upto = record.id;
        }
        inner.table = Some(table);
        Ok(CheckpointId(inner.log.last()))
    }

    /// Whether a look covers this path whether it is named or not.
    fn is_covered(&self, path: &Path) -> bool {
        use super::ignored::{OF_A_LIST, Rules, VERSION_CONTROL};
        let Some(root) = self.roots.dirs().iter().find(|root| path.starts_with(root)) else {
            return false;
        };
        let mut left = OF_A_LIST;
        let mut rules = std::sync::Arc::new(Rules::above(root, &mut left));
        let below = path.strip_prefix(root).unwrap_or(path);
        let mut at = root.clone();
        let mut parts = below.components().peekable();
        while let Some(part) = parts.next() {
            rules = rules.below(&at, &mut left);
            at.push(part);
            let hidden = VERSION_CONTROL.iter().any(|name| part.as_os_str() == *name);
            if hidden || rules.ignore(&at, parts.peek().is_some()) {
                return false;
            }
        }
        true
    }

    /// All checkpoints that are kept, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn checkpoints(&self) -> io::Result<Vec<Checkpoint>> {
        let mut inner = self.inner();
        inner.log.read_on()?;
        Ok(inner.log.list().cloned().collect())
    }

    /// A content as it was, byte for byte.
    ///
    /// # Errors
    /// It is gone, as what git had may be.
    pub fn content(&self, blob: BlobId) -> io::Result<Vec<u8>> {
        let _inner = self.inner();
        self.content_with(blob)
    }

    fn content_with(&self, blob: BlobId) -> io::Result<Vec<u8>> {
        match blob {
            BlobId::Own(hash) => self.store.with(|packs| {
                let found = packs.get(&hash);
                if found.is_ok() || !self.is_read_only() {
                    return found;
                }
                // The other client may have written it since, or moved it.
                *packs = Packs::open(&self.folder)?;
                packs.get(&hash)
            }),
            BlobId::Git(id) => {
                let gone = || io::Error::new(io::ErrorKind::NotFound, git::LOST);
                let root = self.roots.dirs().first();
                let repository = root
                    .and_then(|root| git::Repository::of(root))
                    .ok_or_else(gone)?;
                let mut found = None;
                repository.contents(&[id], u64::MAX, |_, content| found = Some(content))?;
                found.ok_or_else(gone)
            }
        }
    }
}

impl Inner {
    /// The client that had the project before has ended, and its turns with it. What changed after its last
    /// look may be the person's: it is not the turns'.
    fn end_turns(&mut self) {
        let mut open: Vec<Cause> = Vec::new();
        for point in self.log.list() {
            let cause = &point.cause;
            if matches!(cause.kind, CauseKind::TurnStart | CauseKind::TurnEnd) {
                open.retain(|other| other.session != cause.session);
            }
            if cause.kind == CauseKind::TurnStart {
                open.push(cause.clone());
            }
        }
        for cause in open {
            let ended = Record {
                id: self.log.last() + 1,
                time: walk::now() / 1_000_000,
                cause: Cause {
                    kind: CauseKind::TurnEnd,
                    ..cause
                },
                deltas: Vec::new(),
            };
            if let Err(error) = self.log.append(&ended, true) {
                tracing::warn!(%error, "a turn that was cut off cannot be ended in the store of changes");
                return;
            }
        }
    }

    /// What is known of the disk: the table, and what the log has since.
    fn take_table(&mut self, folder: &Path) -> io::Result<Table> {
        match self.table.take() {
            Some(table) => Ok(table),
            None => Self::read_table(&self.log, folder),
        }
    }

    fn read_table(log: &Log, folder: &Path) -> io::Result<Table> {
        let mut table = Table::load(folder).unwrap_or_default();
        for record in log.records(table.upto, u64::MAX)? {
            table.take_in(&record);
        }
        Ok(table)
    }
}

impl Table {
    /// What a checkpoint says counts over what was known.
    fn take_in(&mut self, record: &Record) {
        self.set_all(record.deltas.iter().map(Delta::entry).collect());
        self.upto = record.id;
        let kind = record.cause.kind;
        if !matches!(kind, CauseKind::Named | CauseKind::Undo | CauseKind::Redo) {
            self.looked = self.looked.max(record.time.saturating_mul(1_000_000));
        }
    }
}

impl Delta {
    fn entry(&self) -> Entry {
        Entry {
            path: self.path.as_slice().into(),
            state: self.after.clone(),
            stamp: self.stamp,
        }
    }
}

/// This client writes from now on.
fn begin(folder: &Path, roots: &Roots) {
    clean(folder);
    if let Some(project) = roots.dirs().first()
        && let Err(error) = stores::note(folder, project)
    {
        tracing::warn!(%error, "the store of changes does not know its project");
    }
}

/// Removes what a crash has left half written.
fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().as_bytes().starts_with(b".new-") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests;
