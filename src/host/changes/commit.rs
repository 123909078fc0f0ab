//! What differs from the last commit of the project's git, read only.

use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
};

use super::{
    Changes, Inner,
    git::{self, Id, Index, Repository},
    read::{self, is_binary},
    since,
    table::{Entry, Table},
    undo,
};
use crate::model::{BlobId, ChangedFile, CheckpointId, Content, FileState};

/// As git has a link's kind.
const LINK: u32 = 0o120_000;
/// A submodule is none of its files.
const SUBMODULE: u32 = 0o160_000;
/// Contents that are fetched to tell texts from others.
const MAX_FETCHED: usize = 1_000;
/// Of them all.
const MAX_BYTES: u64 = 64 << 20;

impl Changes {
    /// What was seen in the last look against the last commit: what git knows, and files that it does not
    /// know yet. `None`: there is no git repository, or no commit.
    ///
    /// # Errors
    /// git cannot be asked.
    pub fn since_commit(&self) -> io::Result<Option<Vec<ChangedFile>>> {
        let root = self.roots.dirs().first();
        let Some(repository) = root.and_then(|root| Repository::of(root)) else {
            return Ok(None);
        };
        let head = repository.head(self.bounds.files.saturating_mul(2))?;
        if head.is_empty() {
            return Ok(None);
        }
        let index = repository.index();
        let mut inner = self.inner();
        let inner = &mut *inner;
        let table = match self.is_read_only() {
            true => Inner::read_table(&inner.log, &self.folder)?,
            false => inner.take_table(&self.folder)?,
        };
        let found = self.against(&table, head, index.as_ref());
        inner.table = Some(table).filter(|_| !self.is_read_only());
        let files = found.and_then(|mut files| {
            fetch(&repository, &mut files)?;
            files.sort_by(|one, other| one.path.cmp(&other.path));
            self.find_renames(&mut files, &[]);
            Ok(files)
        });
        files.map(Some)
    }

    /// Tells of these files which of the checkpoints saw them change since the commit, as far as they are now as the
    /// last of those left them.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn tell_seen(
        &self,
        from: CheckpointId,
        to: CheckpointId,
        files: &mut [ChangedFile],
    ) -> io::Result<()> {
        let mut inner = self.inner();
        inner.log.read_on()?;
        let steps = undo::steps(&inner.log.records(from.0, to.0)?);
        for file in files {
            let Some(steps) = steps.get(file.path.as_os_str().as_bytes()) else {
                continue;
            };
            if steps
                .last()
                .is_none_or(|(_, last)| last.after != file.after)
            {
                continue;
            }
            // What was committed within the session is not in the change any more.
            let committed = |(_, step): &(u64, since::Span)| self.is_as(&step.before, &file.before);
            let since = steps.iter().rposition(committed).unwrap_or(0);
            let since = steps.iter().skip(since);
            file.seen = since.map(|(id, _)| CheckpointId(*id)).collect();
        }
        Ok(())
    }

    /// Whether a file was then as the commit has it.
    fn is_as(&self, then: &FileState, commit: &FileState) -> bool {
        match (then.blob(), commit.blob()) {
            (Some(then @ BlobId::Own(_)), Some(BlobId::Git(id))) => {
                let content = self.content_with(then);
                content.is_ok_and(|content| git::id_of(&content) == id)
            }
            (then, commit) => then == commit,
        }
    }

    fn against(
        &self,
        table: &Table,
        mut head: HashMap<Vec<u8>, (u32, Id)>,
        index: Option<&Index>,
    ) -> io::Result<Vec<ChangedFile>> {
        let mut files = Vec::new();
        for entry in &table.entries {
            let known = head.remove(&*entry.path);
            match (known, &entry.state) {
                (None, FileState::Absent) | (_, FileState::Folder) => {}
                (None, after) => {
                    let below = self.roots.contains(&since::path(&entry.path));
                    if below {
                        files.push(changed(&entry.path, FileState::Absent, after.clone()));
                    }
                }
                (Some((SUBMODULE, _)), _) => {}
                (Some((mode, id)), after) => {
                    if let Some(before) = self.before(entry, mode, id, index) {
                        files.push(changed(&entry.path, before, after.clone()));
                    }
                }
            }
        }
        for (path, (mode, id)) in head {
            let at = since::path(&path);
            let wanted = mode != SUBMODULE && !index.is_some_and(|index| index.is_sparse(&path));
            if wanted && self.roots.contains(&at) && read::stat(&self.roots, &at)?.is_none() {
                files.push(changed(&path, of_head(mode, id), FileState::Absent));
            }
        }
        Ok(files)
    }

    /// What the commit has for a file, if that differs from what the table has.
    fn before(&self, entry: &Entry, mode: u32, id: Id, index: Option<&Index>) -> Option<FileState> {
        let same = match &entry.state {
            FileState::Absent => index.is_some_and(|index| index.is_sparse(&entry.path)),
            FileState::Link { target } => mode == LINK && git::id_of(target) == id,
            FileState::File {
                content,
                mode: bits,
                size,
                binary,
            } if mode != LINK => {
                let there = match content {
                    Content::Kept(BlobId::Git(there)) => Some(*there),
                    Content::Kept(blob) => self.content_with(*blob).ok().map(|it| git::id_of(&it)),
                    Content::Left(..) => None,
                };
                // git knows of one bit only.
                let same_mode = (bits & 0o100 != 0) == (mode & 0o100 != 0);
                let mode = if same_mode { *bits } else { mode & 0o777 };
                let same = there == Some(id) || self.is_clean(entry, id, index);
                let content = match same {
                    true => *content,
                    false => Content::Kept(BlobId::Git(id)),
                };
                return (!same || !same_mode).then_some(FileState::File {
                    content,
                    size: if same { *size } else { 0 },
                    mode,
                    binary: same && *binary,
                });
            }
            _ => false,
        };
        (!same).then(|| of_head(mode, id))
    }

    /// Whether git says that it is as committed, whatever it converts on the way.
    fn is_clean(&self, entry: &Entry, id: Id, index: Option<&Index>) -> bool {
        let indexed = index.and_then(|index| Some((index, index.get(&entry.path)?)));
        let Some((index, indexed)) = indexed.filter(|(_, indexed)| indexed.id == id) else {
            return false;
        };
        let meta = read::stat(&self.roots, &since::path(&entry.path));
        matches!(meta, Ok(Some(meta)) if index.is_clean(indexed, &meta))
    }
}

/// The size is not known before it is fetched.
fn of_head(mode: u32, id: Id) -> FileState {
    match mode {
        LINK => FileState::Link { target: Vec::new() },
        _ => FileState::File {
            content: Content::Kept(BlobId::Git(id)),
            size: 0,
            mode: mode & 0o777,
            binary: false,
        },
    }
}

fn changed(path: &[u8], before: FileState, after: FileState) -> ChangedFile {
    ChangedFile {
        path: PathBuf::from(OsString::from_vec(path.to_vec())),
        renamed_from: None,
        kind: since::kind(&before, &after),
        binary: after.is_binary(),
        before,
        after,
        seen: Vec::new(),
    }
}

/// What only the contents of the commit tell.
fn fetch(repository: &Repository, files: &mut [ChangedFile]) -> io::Result<()> {
    let id = |file: &ChangedFile| match file.before.blob() {
        Some(BlobId::Git(id)) => Some(id),
        _ => None,
    };
    let mut ids: Vec<Id> = files.iter().filter_map(id).take(MAX_FETCHED).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut known: HashMap<Id, (u64, bool)> = HashMap::new();
    repository.contents(&ids, MAX_BYTES, |id, content| {
        known.insert(id, (content.len() as u64, is_binary(&content)));
    })?;
    for file in files {
        let Some((length, is_binary)) = id(file).and_then(|id| known.get(&id)) else {
            continue;
        };
        if let FileState::File { size, binary, .. } = &mut file.before {
            (*size, *binary) = (*length, *is_binary);
        }
        file.binary |= is_binary;
    }
    Ok(())
}
