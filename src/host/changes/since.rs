//! What differs between two checkpoints, file by file.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
};

use super::{Changes, Inner, log::Record};
use crate::model::{
    BlobId, CauseKind, ChangeKind, ChangedFile, Checkpoint, CheckpointId, Content, FileState,
};

/// Pairs of a deleted and a new file that are compared for being one that moved.
const MAX_PAIRS: usize = 400;
/// Of a file that is compared for that.
const MAX_COMPARED: u64 = 256 << 10;
/// In hundredths: lines that two files have in common, for one to be the other one moved.
const ALIKE: usize = 50;

/// One path between two checkpoints.
#[derive(Clone)]
pub struct Span {
    pub before: FileState,
    pub after: FileState,
    pub seen: Vec<CheckpointId>,
    /// The last one that saw it come or go.
    pub turned: CheckpointId,
}

/// A file that was another one for some time.
pub struct Touched {
    pub path: PathBuf,
    /// The checkpoints that saw it change, oldest first.
    pub seen: Vec<CheckpointId>,
}

/// All that changed, folders as well, by path.
pub fn spans(records: &[Record]) -> BTreeMap<Vec<u8>, Span> {
    let mut all = all_spans(records);
    all.retain(|_, span| span.before != span.after);
    all
}

fn all_spans(records: &[Record]) -> BTreeMap<Vec<u8>, Span> {
    let mut all: BTreeMap<Vec<u8>, Span> = BTreeMap::new();
    for record in records {
        for delta in &record.deltas {
            let Some(before) = &delta.before else {
                continue;
            };
            let span = all.entry(delta.path.clone()).or_insert_with(|| Span {
                before: before.clone(),
                after: delta.after.clone(),
                seen: Vec::new(),
                turned: CheckpointId(record.id),
            });
            let is_there = |state: &FileState| *state != FileState::Absent;
            if is_there(before) != is_there(&delta.after) {
                span.turned = CheckpointId(record.id);
            }
            span.after = delta.after.clone();
            span.seen.push(CheckpointId(record.id));
        }
    }
    all
}

impl Changes {
    /// What differs between two checkpoints, by path. For what is on the disk now, look first.
    ///
    /// # Errors
    /// One of them is not kept any more; the store cannot be read.
    pub fn changes(&self, from: CheckpointId, to: CheckpointId) -> io::Result<Vec<ChangedFile>> {
        let mut inner = self.inner();
        self.changes_with(&mut inner, from, to)
    }

    /// All files that changed between two checkpoints, each by its own path, those as well that are as
    /// they were in the end.
    ///
    /// # Errors
    /// As [`Changes::changes`].
    pub fn touched(&self, from: CheckpointId, to: CheckpointId) -> io::Result<Vec<Touched>> {
        let mut inner = self.inner();
        inner.log.read_on()?;
        let records = inner.log.records(from.0, to.0)?;
        let all = all_spans(&records).into_iter();
        let all = all.map(|(at, span)| Touched {
            path: path(&at),
            seen: span.seen,
        });
        Ok(all.collect())
    }

    pub(super) fn changes_with(
        &self,
        inner: &mut Inner,
        from: CheckpointId,
        to: CheckpointId,
    ) -> io::Result<Vec<ChangedFile>> {
        let mut all = self.spans_with(inner, from, to)?;
        all.retain(|_, span| span.before != FileState::Folder || span.after.is_file());
        all.retain(|_, span| span.after != FileState::Folder || span.before.is_file());
        let stretches = stretches(inner.log.list());
        let mut when = Vec::new();
        let mut files = Vec::new();
        for (path, span) in all {
            when.push(stretches.get(&span.turned).copied());
            files.push(ChangedFile {
                path: PathBuf::from(std::ffi::OsString::from_vec(path)),
                renamed_from: None,
                kind: kind(&span.before, &span.after),
                binary: span.before.is_binary() || span.after.is_binary(),
                before: span.before,
                after: span.after,
                seen: span.seen,
            });
        }
        self.find_renames(&mut files, &when);
        Ok(files)
    }

    pub(super) fn spans_with(
        &self,
        inner: &mut Inner,
        from: CheckpointId,
        to: CheckpointId,
    ) -> io::Result<BTreeMap<Vec<u8>, Span>> {
        inner.log.read_on()?;
        let first = inner.log.list().next().map_or(0, |first| first.id.0);
        if from.0.saturating_add(1) < first {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "what was there before is not kept any more",
            ));
        }
        let mut all = spans(&inner.log.records(from.0, to.0)?);
        // One content may be known by two names.
        let doubtful: Vec<Vec<u8>> = all
            .iter()
            .filter(|(_, span)| may_be_same(&span.before, &span.after))
            .map(|(path, _)| path.clone())
            .collect();
        for path in doubtful {
            let Some(span) = all.get(&path) else { continue };
            let content = |state: &FileState| {
                let blob = state.blob().ok_or(io::ErrorKind::NotFound)?;
                self.content_with(blob)
            };
            if let (Ok(before), Ok(after)) = (content(&span.before), content(&span.after))
                && before == after
                && let Some(span) = all.get_mut(&path)
            {
                named_alike(span);
            }
        }
        all.retain(|_, span| span.before != span.after);
        Ok(all)
    }

    /// Makes one of a file that went and one that came, where they are alike. `when`: in which stretch each did, as
    /// [`stretches`] has them; files of different ones are no pair, and without any all may be.
    ///
    /// What the agent deletes and what the person writes later are not one change however alike they are: one of
    /// them would count for the other's maker, and be put back, or kept, with it.
    pub(super) fn find_renames(&self, files: &mut Vec<ChangedFile>, when: &[Option<usize>]) {
        let when = |at: &usize| when.get(*at).copied().flatten();
        let of = |kind: ChangeKind, files: &[ChangedFile]| -> Vec<usize> {
            let all = files.iter().enumerate();
            let all = all.filter(|(_, file)| file.kind == kind);
            all.map(|(at, _)| at).collect()
        };
        let (mut added, mut deleted) =
            (of(ChangeKind::Added, files), of(ChangeKind::Deleted, files));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        // The same content first, and of several the one with the same name.
        let mut by_blob: HashMap<(BlobId, Option<usize>), Vec<usize>> = HashMap::new();
        for at in &deleted {
            if let Some(file) = files.get(*at)
                && !is_empty(&file.before)
                && let Some(blob) = file.before.blob()
            {
                by_blob.entry((blob, when(at))).or_default().push(*at);
            }
        }
        added.retain(|at| {
            let Some(file) = files.get(*at) else {
                return true;
            };
            let blob = file.after.blob();
            let same = blob.and_then(|blob| by_blob.get_mut(&(blob, when(at))));
            let Some(same) = same.filter(|same| !same.is_empty()) else {
                return true;
            };
            let name = |at: &usize| files.get(*at).and_then(|file| file.path.file_name());
            let best = same
                .iter()
                .position(|from| name(from) == name(at))
                .unwrap_or(0);
            pairs.push((same.swap_remove(best), *at));
            false
        });
        deleted.retain(|at| !pairs.iter().any(|(from, _)| from == at));
        pairs.extend(self.alike(files, &deleted, &added, when));
        let mut gone: Vec<usize> = Vec::new();
        for (from, to) in pairs {
            let Some(old) = files.get(from).cloned() else {
                continue;
            };
            if let Some(file) = files.get_mut(to) {
                file.before = old.before;
                file.binary |= old.binary;
                file.renamed_from = Some(old.path);
                file.kind = ChangeKind::Renamed;
                gone.push(from);
            }
        }
        let mut at = 0;
        files.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
    }

    /// Pairs of texts that have most lines in common.
    fn alike(
        &self,
        files: &[ChangedFile],
        deleted: &[usize],
        added: &[usize],
        when: impl Fn(&usize) -> Option<usize>,
    ) -> Vec<(usize, usize)> {
        if deleted.len().saturating_mul(added.len()) > MAX_PAIRS {
            return Vec::new();
        }
        let text = |at: &usize, before: bool| -> Option<Vec<u8>> {
            let file = files.get(*at)?;
            let state = if before { &file.before } else { &file.after };
            let FileState::File {
                size: 1..=MAX_COMPARED,
                binary: false,
                ..
            } = state
            else {
                return None;
            };
            self.content_with(state.blob()?).ok()
        };
        let old: Vec<_> = deleted.iter().map(|at| (*at, text(at, true))).collect();
        let new: Vec<_> = added.iter().map(|at| (*at, text(at, false))).collect();
        let mut rated = Vec::new();
        for (from, old) in &old {
            for (to, new) in &new {
                if let (Some(old), Some(new)) = (old, new)
                    && when(from) == when(to)
                {
                    let alike = common(old, new);
                    if alike >= ALIKE {
                        rated.push((alike, *from, *to));
                    }
                }
            }
        }
        rated.sort_by(|one, other| other.cmp(one));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (_, from, to) in rated {
            if !pairs
                .iter()
                .any(|(known, other)| *known == from || *other == to)
            {
                pairs.push((from, to));
            }
        }
        pairs
    }
}

fn is_empty(state: &FileState) -> bool {
    matches!(state, FileState::File { size: 0, .. })
}

/// The bytes of lines in both, in hundredths of the larger.
fn common(old: &[u8], new: &[u8]) -> usize {
    let lines = |text| <[u8]>::split_inclusive(text, |byte: &u8| *byte == b'\n');
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for line in lines(old) {
        *counts.entry(line).or_default() += 1;
    }
    let mut bytes = 0;
    for line in lines(new) {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            bytes += line.len();
        }
    }
    bytes * 100 / old.len().max(new.len()).max(1)
}

/// In which stretch each checkpoint was taken. Each start and each end of a turn begins one, so that who was at work
/// is the same all through it; what was put back counts apart. A file that moves is written and deleted in one
/// turn, but two looks may see that.
fn stretches<'a>(points: impl Iterator<Item = &'a Checkpoint>) -> HashMap<CheckpointId, usize> {
    let mut stretch = 0;
    let number = |point: &Checkpoint| {
        let kind = point.cause.kind;
        let undo = matches!(kind, CauseKind::Undo | CauseKind::Redo);
        let now = stretch * 2 + usize::from(undo);
        // What these two see is of before them.
        if matches!(kind, CauseKind::TurnStart | CauseKind::TurnEnd) {
            stretch += 1;
        }
        (point.id, now)
    };
    points.map(number).collect()
}

/// One content may be known by git's name and by ours.
fn may_be_same(before: &FileState, after: &FileState) -> bool {
    let own = |state: &FileState| match state {
        FileState::File {
            content: Content::Kept(blob),
            size,
            ..
        } => Some((matches!(blob, BlobId::Own(_)), *size)),
        _ => None,
    };
    match (own(before), own(after)) {
        (Some((own, size)), Some((own_2, size_2))) => size == size_2 && own != own_2,
        _ => false,
    }
}

/// One content has one name; what else differs still does.
fn named_alike(span: &mut Span) {
    if let (FileState::File { content, .. }, FileState::File { content: now, .. }) =
        (&mut span.before, &span.after)
    {
        *content = *now;
    }
}

pub fn kind(before: &FileState, after: &FileState) -> ChangeKind {
    use FileState::{Absent, File, Folder, Link};
    match (before, after) {
        (Absent, _) => ChangeKind::Added,
        (_, Absent) => ChangeKind::Deleted,
        (
            File { content, size, .. },
            File {
                content: now,
                size: size_now,
                ..
            },
        ) => match (content, size) == (now, size_now) {
            true => ChangeKind::Mode,
            false => ChangeKind::Modified,
        },
        (Link { .. }, Link { .. }) => ChangeKind::Modified,
        (File { .. } | Link { .. } | Folder, _) => ChangeKind::Type,
    }
}

/// A path's bytes as a path.
pub fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
