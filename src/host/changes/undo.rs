//! Putting back: files, parts of them, or all that changed between two checkpoints.
//!
//! Nothing that changed since is written over: where a file is not as the change left it, the two are
//! merged, and if both touched one place the file stays as it is and both are handed back. Each file
//! is replaced as a whole, or not at all. A checkpoint is taken before and after, so that an undo can
//! be undone.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use rustix::fs::AtFlags;

use super::{
    Changes, Inner,
    log::Record,
    merge::{Step, against_disk},
    missed::why,
    place::{Disk, There, Wanted},
    since::{Span, path},
    spelling::Spelling,
};
use crate::model::{
    Cause, CauseKind, CheckpointId, Conflict, Content, FileState, HunkRange, Left, Selection,
    UndoPart, UndoReport,
};

mod moved;

/// A file that changes while it is put back is begun again, so often in all.
const TRIES: usize = 4;
const CHANGING: &str = "it goes on changing: put it back once nothing writes to it";

/// Whose changes paths have, where some stay.
struct Shares {
    /// Changed by others as well: each change that is to be taken out.
    shared: BTreeMap<Vec<u8>, Vec<Span>>,
    /// Changed only by what stays: it is put back where it is named.
    foreign: BTreeSet<Vec<u8>>,
}

impl Changes {
    /// Puts back what is selected. `dry`: only says what would be done, whoever has the store.
    ///
    /// # Errors
    /// As [`Changes::look`]; a checkpoint is not kept any more. What fails for one file is in the report.
    pub fn undo(&self, selection: &Selection, cause: Cause, dry: bool) -> io::Result<UndoReport> {
        if !dry {
            self.writable()?;
        }
        let mut inner = self.inner();
        self.undo_with(&mut inner, selection, cause, dry)
    }

    /// Makes again what an undo has put back: `undone` is its two checkpoints. An undo of the redo
    /// puts it back once more.
    ///
    /// # Errors
    /// As [`Changes::undo`].
    pub fn redo(
        &self,
        undone: (CheckpointId, CheckpointId),
        cause: Cause,
    ) -> io::Result<UndoReport> {
        let selection = Selection {
            from: undone.0,
            to: undone.1,
            parts: None,
            keep: BTreeSet::new(),
        };
        let cause = Cause {
            kind: CauseKind::Redo,
            ..cause
        };
        self.undo(&selection, cause, false)
    }

    fn undo_with(
        &self,
        inner: &mut Inner,
        selection: &Selection,
        cause: Cause,
        dry: bool,
    ) -> io::Result<UndoReport> {
        let spans = self.spans_with(inner, selection.from, selection.to)?;
        let mut chosen = chosen(&spans, selection);
        let Shares { shared, foreign } = self.shares(inner, selection)?;
        if selection.parts.is_none() {
            chosen.retain(|path, _| !foreign.contains(path));
        }
        let named = |path: &Vec<u8>| selection.parts.is_none() && !foreign.contains(path);
        let renamed = self.renamed(inner, selection)?;
        // A file that moved goes back.
        let whole = chosen.iter().filter(|(_, hunks)| hunks.is_none());
        let from: Vec<Vec<u8>> = whole
            .filter_map(|(to, _)| renamed.get(to))
            .cloned()
            .collect();
        chosen.extend(from.into_iter().map(|from| (from, None)));
        let mut report = UndoReport::default();
        let folders = spans.iter().filter(|(_, span)| is_folder(span));
        let paths = chosen.keys().chain(folders.map(|(path, _)| path));
        let paths: Vec<PathBuf> = paths.map(|bytes| path(bytes)).collect();
        let mut before = CheckpointId(inner.log.last());
        if !dry {
            for some in paths.chunks(super::MAX_TAKEN) {
                // What others changed since is theirs, and not the undo's.
                let cause = Cause {
                    kind: CauseKind::Named,
                    ..cause.clone()
                };
                before = self.take_with(inner, some, cause).map_err(|error| {
                    let (why, folder) = (why(&error), self.folder.display());
                    let text = format!(
                        "nothing was put back: what is there now cannot be kept in {folder}: {why}"
                    );
                    io::Error::new(error.kind(), text)
                })?;
            }
        }
        // What was made goes first, what is in a folder before it; then what was there comes back.
        let made = |span: &Span| matches!(span.before, FileState::Absent | FileState::Folder);
        let all = (&spans, &shared, &renamed);
        let mut above = self.move_back(all, &mut chosen, dry, &mut report);
        for (bytes, span) in spans.iter().rev() {
            let at = path(bytes);
            if span.after == FileState::Folder {
                let goes = named(bytes) || chosen.contains_key(bytes);
                if !dry && (goes || above.contains(&at)) {
                    self.drop_folder(&at);
                }
            } else if let Some(hunks) = chosen.get(bytes).filter(|_| made(span)) {
                let from = renamed.get(bytes).and_then(|from| spans.get(from));
                let hunks = hunks.as_deref().map(|hunks| (from.unwrap_or(span), hunks));
                let step = |there: &There| match (hunks, shared.get(bytes)) {
                    (None, Some(steps)) => self.without(&at, steps, &there.disk),
                    _ => self.step(&at, span, hunks, dry, there),
                };
                if self.take_step(&at, &step, dry, &mut report) {
                    above.extend(at.ancestors().skip(1).map(Path::to_owned));
                }
            }
        }
        for (bytes, hunks) in &chosen {
            let Some(span) = spans.get(bytes).filter(|span| !made(span)) else {
                continue;
            };
            let at = path(bytes);
            let hunks = hunks.as_deref().map(|hunks| (span, hunks));
            let step = |there: &There| match (hunks, shared.get(bytes)) {
                (None, Some(steps)) => self.without(&at, steps, &there.disk),
                _ => self.step(&at, span, hunks, dry, there),
            };
            self.take_step(&at, &step, dry, &mut report);
        }
        if selection.parts.is_none() && !dry {
            let spans = spans.iter().filter(|(path, _)| named(path));
            self.bring_folders(spans);
        }
        if !dry {
            let mut taken = Ok(before);
            for some in paths.chunks(super::MAX_TAKEN) {
                taken = taken.and_then(|_| self.take_with(inner, some, cause.clone()));
            }
            match taken {
                Ok(after) => report.checkpoints = Some((before, after)),
                // It is put back all the same.
                Err(error) => report.not_kept = Some(why(&error)),
            }
        }
        moved::count_once(&renamed, &mut report);
        report.done.sort_unstable();
        report.merged.sort_unstable();
        report.unchanged.sort_unstable();
        report.refused.sort_unstable();
        report
            .conflicts
            .sort_by(|one, other| one.path.cmp(&other.path));
        Ok(report)
    }

    /// Whether something was done.
    fn take_step(
        &self,
        at: &Path,
        step: &dyn Fn(&There) -> Step,
        dry: bool,
        report: &mut UndoReport,
    ) -> bool {
        for _ in 0..TRIES {
            let there = self.there(at);
            match step(&there) {
                Step::Nothing => report.unchanged.push(at.to_owned()),
                Step::Conflict(conflict) => report.conflicts.push(*conflict),
                Step::Refuse(why) => report.refused.push((at.to_owned(), why)),
                Step::Write { wanted, merged } => {
                    let written = match dry {
                        true => Ok(true),
                        false => self.write(at, &wanted, &there),
                    };
                    match written {
                        Ok(true) => {
                            report.done.push(at.to_owned());
                            if matches!(wanted, Wanted::Absent) {
                                report.gone.push(at.to_owned());
                            }
                            if merged {
                                report.merged.push(at.to_owned());
                            }
                            return true;
                        }
                        // It is another one than was read: what comes of that one?
                        Ok(false) => continue,
                        Err(error) => report.refused.push((at.to_owned(), why(&error))),
                    }
                }
            }
            return false;
        }
        report.refused.push((at.to_owned(), CHANGING.to_owned()));
        false
    }

    /// What of the changes stays.
    fn shares(&self, inner: &mut Inner, selection: &Selection) -> io::Result<Shares> {
        let (mut shared, mut foreign) = (BTreeMap::new(), BTreeSet::new());
        if selection.keep.is_empty() {
            return Ok(Shares { shared, foreign });
        }
        let stays = |id: u64| selection.keep.contains(&CheckpointId(id));
        let records = inner.log.records(selection.from.0, selection.to.0)?;
        for (path, steps) in steps(&records) {
            let kept = steps.iter().filter(|(id, _)| stays(*id)).count();
            if kept == 0 {
                continue;
            }
            if kept == steps.len() {
                foreign.insert(path);
                continue;
            }
            let runs = steps.chunk_by(|(one, _), (next, _)| stays(*one) == stays(*next));
            let others = runs.filter_map(|run| match run {
                [(id, first), .., (_, last)] if !stays(*id) => Some(Span {
                    after: last.after.clone(),
                    ..first.clone()
                }),
                [(id, one)] if !stays(*id) => Some(one.clone()),
                _ => None,
            });
            let others = others.filter(|span| span.before != span.after);
            shared.insert(path, others.collect());
        }
        Ok(Shares { shared, foreign })
    }

    /// Takes some changes of a file out of it, the last one first; what else changed it stays.
    fn without(&self, at: &Path, changes: &[Span], there: &Disk) -> Step {
        let mut disk = there.clone();
        let mut is_merged = false;
        for span in changes.iter().rev() {
            let (before, after) = match (self.fetch(&span.before), self.fetch(&span.after)) {
                (Ok(before), Ok(after)) => (before, after),
                (Err(why), _) | (_, Err(why)) => return Step::Refuse(why),
            };
            disk = match against_disk(at, before, after, disk.clone()) {
                Step::Nothing => continue,
                Step::Write { wanted, merged } => {
                    is_merged |= merged;
                    wanted.into()
                }
                Step::Conflict(conflict) => {
                    let disk = there.bytes().to_vec();
                    return Step::Conflict(Box::new(Conflict { disk, ..*conflict }));
                }
                refused @ Step::Refuse(_) => return refused,
            };
        }
        let wanted = match disk {
            Disk::Absent => Wanted::Absent,
            Disk::File(content, mode) => Wanted::File(content, mode),
            Disk::Link(target) => Wanted::Link(target),
            Disk::Folder | Disk::Other(_) => return Step::Nothing,
        };
        match wanted.is(there) {
            true => Step::Nothing,
            false => Step::Write {
                wanted,
                merged: is_merged,
            },
        }
    }

    fn fetch(&self, state: &FileState) -> Result<Wanted, String> {
        match state {
            FileState::Absent | FileState::Folder => Ok(Wanted::Absent),
            FileState::Link { target } => Ok(Wanted::Link(target.clone())),
            FileState::File {
                content: Content::Left(left, _),
                ..
            } => Err(format!("it {}", left.why())),
            FileState::File {
                content: Content::Kept(blob),
                mode,
                ..
            } => {
                let content = self.content_with(*blob);
                let content = content.map_err(|error| error.to_string())?;
                Ok(Wanted::File(content, *mode))
            }
        }
    }

    /// `hunks`: only these lines, and whose lines were there before.
    fn step(
        &self,
        at: &Path,
        span: &Span,
        hunks: Option<(&Span, &[HunkRange])>,
        dry: bool,
        there: &There,
    ) -> Step {
        if let (None, Some(stamp)) = (hunks, grown(span))
            && there.meta.is_some_and(|meta| meta.stamp() == stamp)
        {
            return match self.fetch(&span.before) {
                Ok(wanted) => Step::Write {
                    wanted,
                    merged: false,
                },
                Err(why) => Step::Refuse(why),
            };
        }
        let disk = match there.disk.clone() {
            // It would be gone by now.
            Disk::Folder if dry && span.after == FileState::Folder => Disk::Absent,
            // What answers to the name is there by another one, and is not what was made.
            Disk::File(..) | Disk::Link(_)
                if hunks.is_none()
                    && span.before == FileState::Absent
                    && Spelling::new(&self.roots).other(at).is_some() =>
            {
                Disk::Absent
            }
            disk => disk,
        };
        let before = match hunks {
            None => self.fetch(&span.before),
            Some((from, _)) => self.fetch(&from.before),
        };
        let (before, after) = match (before, self.fetch(&span.after)) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(why), _) | (_, Err(why)) => return Step::Refuse(why),
        };
        let Some((_, hunks)) = hunks else {
            return against_disk(at, before, after, disk);
        };
        let Wanted::File(new, mode) = &after else {
            return Step::Refuse(
                "it has no lines any more: it can only be put back whole".to_owned(),
            );
        };
        let old = match &before {
            Wanted::File(old, _) => old.as_slice(),
            Wanted::Absent => &[],
            Wanted::Link(_) => return Step::Refuse("it was a link".to_owned()),
        };
        match with_hunks(old, new, hunks) {
            Some(content) => against_disk(at, Wanted::File(content, *mode), after, disk),
            None => Step::Refuse("it has no such lines".to_owned()),
        }
    }

    /// Folders that are not there any more: some had nothing in them.
    fn bring_folders<'a>(&self, spans: impl Iterator<Item = (&'a Vec<u8>, &'a Span)>) {
        for (bytes, span) in spans {
            if span.before == FileState::Folder {
                // What stands in its place now stays.
                let _ = self.roots.dir(&path(bytes), true);
            }
        }
    }

    /// A folder that was made goes if it is empty.
    fn drop_folder(&self, at: &Path) {
        if let (Some(parent), Some(name)) = (at.parent(), at.file_name())
            && let Ok(dir) = self.roots.dir(parent, false)
        {
            let _ = rustix::fs::unlinkat(&dir, name, AtFlags::REMOVEDIR);
        }
    }
}

/// The paths that are selected, and of each the lines, if only some are.
fn chosen(
    spans: &BTreeMap<Vec<u8>, Span>,
    selection: &Selection,
) -> BTreeMap<Vec<u8>, Option<Vec<HunkRange>>> {
    let mut chosen = BTreeMap::new();
    match &selection.parts {
        None => {
            let files = spans.iter().filter(|(_, span)| !is_folder(span));
            chosen.extend(files.map(|(path, _)| (path.clone(), None)));
        }
        Some(parts) => {
            for part in parts {
                let (path, hunks) = match part {
                    UndoPart::File(path) => (path, None),
                    UndoPart::Hunks(path, hunks) => (path, Some(hunks.clone())),
                };
                chosen.insert(path.as_os_str().as_bytes().to_vec(), hunks);
            }
            chosen.retain(|path, _| spans.contains_key(path));
        }
    }
    chosen
}

/// Of a file whose content was kept, and is too large for that now: what it is as long as it was not
/// touched. What was made that large stays: nothing could bring it back.
fn grown(span: &Span) -> Option<u64> {
    match (&span.before, &span.after) {
        (
            FileState::File {
                content: Content::Kept(_),
                ..
            },
            FileState::File {
                content: Content::Left(Left::TooLarge, stamp),
                ..
            },
        ) => Some(*stamp),
        _ => None,
    }
}

/// No file, before or after.
fn is_folder(span: &Span) -> bool {
    let nothing = |state: &FileState| matches!(state, FileState::Absent | FileState::Folder);
    nothing(&span.before) && nothing(&span.after)
}

/// Each change of a path that these have seen, oldest first, with the checkpoint that saw it.
pub(super) fn steps(records: &[Record]) -> BTreeMap<Vec<u8>, Vec<(u64, Span)>> {
    let mut all: BTreeMap<Vec<u8>, Vec<(u64, Span)>> = BTreeMap::new();
    for record in records {
        for delta in &record.deltas {
            let before = delta.before.clone();
            let Some(before) = before.filter(|before| *before != delta.after) else {
                continue;
            };
            let span = Span {
                before,
                after: delta.after.clone(),
                seen: Vec::new(),
                turned: CheckpointId(record.id),
            };
            all.entry(delta.path.clone())
                .or_default()
                .push((record.id, span));
        }
    }
    all
}

/// `new` with the lines of some hunks as they were in `old`; `None` if there are no such lines.
fn with_hunks(old: &[u8], new: &[u8], hunks: &[HunkRange]) -> Option<Vec<u8>> {
    let lines =
        |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect() };
    let (old, new) = (lines(old), lines(new));
    let mut hunks: Vec<&HunkRange> = hunks.iter().collect();
    hunks.sort_by_key(|hunk| (hunk.after.start, hunk.after.end));
    let mut out = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        out.extend_from_slice(new.get(at..hunk.after.start)?);
        out.extend_from_slice(old.get(hunk.before.clone())?);
        new.get(hunk.after.clone())?;
        at = hunk.after.end;
    }
    out.extend_from_slice(new.get(at..)?);
    Some(out.concat())
}
