//! Moving back: a file that moved is one thing under two names.
//!
//! Where nothing has touched it since, its new name goes and its old one comes, as for any files. Where others
//! changed it under its new name, that would leave it there with all changes in it, and bring back another one:
//! so what they changed goes along to the old name, or both names stay as they are.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

use super::{
    super::{
        Changes, Inner,
        merge::{Step, in_words},
        missed::why,
        place::{Disk, There, Wanted},
        since::{Span, path},
        spelling::Spelling,
    },
    CHANGING, TRIES,
};
use crate::model::{FileState, Selection, UndoReport};

/// All changes, those that are not all of what changed a file, and where files were that moved.
pub type All<'a> = (
    &'a BTreeMap<Vec<u8>, Span>,
    &'a BTreeMap<Vec<u8>, Vec<Span>>,
    &'a HashMap<Vec<u8>, Vec<u8>>,
);

impl Changes {
    /// Where the files that moved were.
    pub(super) fn renamed(
        &self,
        inner: &mut Inner,
        selection: &Selection,
    ) -> io::Result<HashMap<Vec<u8>, Vec<u8>>> {
        let files = self.changes_with(inner, selection.from, selection.to)?;
        let bytes = |path: PathBuf| path.into_os_string().into_vec();
        let moved = files
            .into_iter()
            .filter_map(|file| Some((bytes(file.path), bytes(file.renamed_from?))));
        Ok(moved.collect())
    }

    /// Moves back what else was changed since it moved, and takes both names out of `chosen`. The folders that the
    /// new ones were in.
    pub(super) fn move_back<H>(
        &self,
        all: All<'_>,
        chosen: &mut BTreeMap<Vec<u8>, Option<H>>,
        dry: bool,
        report: &mut UndoReport,
    ) -> BTreeSet<PathBuf> {
        let mut above = BTreeSet::new();
        for (to, from) in all.2 {
            let whole = |name: &Vec<u8>| matches!(chosen.get(name), Some(None));
            if !whole(to) || !whole(from) {
                continue;
            }
            let (new, old) = (path(to), path(from));
            for tried in 1..=TRIES {
                let (now, was) = (self.there(&new), self.there(&old));
                let disks = (&now.disk, &was.disk);
                let Some(step) = self.moved_step(all, (to, &new), (from, &old), disks) else {
                    break;
                };
                chosen.remove(to);
                chosen.remove(from);
                let moved = match step {
                    Step::Nothing => break,
                    Step::Conflict(conflict) => {
                        report.conflicts.push(*conflict);
                        break;
                    }
                    Step::Refuse(why) => Err(why),
                    Step::Write { .. } if dry => Ok(true),
                    Step::Write { wanted, .. } => {
                        let moved = self.write_moved((&new, &now), (&old, &was), &wanted);
                        moved.map_err(|error| why(&error))
                    }
                };
                match moved {
                    Ok(true) => {
                        above.extend(new.ancestors().skip(1).map(Path::to_owned));
                        report.merged.push(old.clone());
                        report.gone.push(new.clone());
                        report.done.extend([new.clone(), old.clone()]);
                    }
                    Ok(false) if tried < TRIES => continue,
                    Ok(false) => report.refused.push((new.clone(), CHANGING.to_owned())),
                    Err(why) => report.refused.push((new.clone(), why)),
                }
                break;
            }
        }
        above
    }

    /// What is to stand under the old name; `None` where each name can be taken for itself.
    fn moved_step(
        &self,
        (spans, shared, _): All<'_>,
        (to, new): (&Vec<u8>, &Path),
        (from, old): (&Vec<u8>, &Path),
        (there, at_old): (&Disk, &Disk),
    ) -> Option<Step> {
        let span = spans.get(to)?;
        let as_left = |after: Wanted| after.is(there);
        if !matches!(there, Disk::File(..))
            || Spelling::new(&self.roots).other(new).is_some()
            || (!shared.contains_key(to) && self.fetch(&span.after).is_ok_and(as_left))
        {
            return None;
        }
        let parts = |name: &Vec<u8>| match shared.get(name) {
            Some(parts) => Some(parts.clone()),
            None => Some(vec![spans.get(name)?.clone()]),
        };
        let (mut changes, later) = (parts(from)?, parts(to)?);
        let gone = changes.pop()?;
        let (came, later) = later.split_first()?;
        if gone.after != FileState::Absent || came.before != FileState::Absent {
            return None;
        }
        changes.push(Span {
            before: gone.before,
            ..came.clone()
        });
        changes.extend_from_slice(later);
        let wanted = match self.without(new, &changes, there) {
            // All that is there is of others.
            Step::Nothing => there.clone().into_wanted()?,
            Step::Write { wanted, .. } => wanted,
            left => return Some(left),
        };
        match (&wanted, at_old) {
            (Wanted::Absent, _) => None,
            (_, Disk::Other(why)) => Some(Step::Refuse(why.clone())),
            (_, Disk::Folder) => Some(Step::Refuse(format!(
                "a folder is at {} again",
                old.display()
            ))),
            (_, disk) if matches!(disk, Disk::Absent) || wanted.is(disk) => Some(Step::Write {
                wanted,
                merged: true,
            }),
            (_, disk) => Some(in_words(old, wanted, disk.clone())),
        }
    }

    /// The old name first: there is no moment without any of them. `false`: something else is there by now.
    fn write_moved(
        &self,
        (new, now): (&Path, &There),
        (old, was): (&Path, &There),
        wanted: &Wanted,
    ) -> io::Result<bool> {
        if !wanted.is(&was.disk) && !self.write(old, wanted, was)? {
            return Ok(false);
        }
        let gone = self.write(new, &Wanted::Absent, now);
        if !matches!(gone, Ok(true)) && was.meta.is_none() {
            let there = self.there(old);
            if wanted.is(&there.disk) {
                let _ = self.write(old, &Wanted::Absent, &there);
            }
        }
        gone
    }
}

impl Disk {
    fn into_wanted(self) -> Option<Wanted> {
        match self {
            Self::File(content, mode) => Some(Wanted::File(content, mode)),
            Self::Link(target) => Some(Wanted::Link(target)),
            Self::Absent | Self::Folder | Self::Other(_) => None,
        }
    }
}

/// A file that is back under its old name is one, as it was in the list of changes.
pub fn count_once(renamed: &HashMap<Vec<u8>, Vec<u8>>, report: &mut UndoReport) {
    let done: BTreeSet<PathBuf> = report.done.iter().cloned().collect();
    let pairs = renamed.iter().map(|(to, from)| (path(to), path(from)));
    let both = pairs.filter(|(to, from)| done.contains(to) && done.contains(from));
    let moved: BTreeMap<PathBuf, PathBuf> = both.collect();
    report.done.retain(|path| !moved.contains_key(path));
    report.gone.retain(|path| !moved.contains_key(path));
    report.moved = moved.into_iter().map(|(to, from)| (from, to)).collect();
}
