//! A look: what is on the disk now, against the table of the last one.

use std::{
    collections::HashMap,
    ffi::OsStr,
    io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    Bounds,
    git::{self, Converted, Index, Repository},
    log::Delta,
    packs::{Hash, Store},
    read::{self, Whole},
    spelling::{Others, Spelling},
    table::{Entry, Stamp, Table, UNSURE},
    walk::{self, Kind, Meta, Seen, threads},
};
use crate::{
    host::{Roots, fs::give_way},
    model::{BlobId, Content, FileState, Left, Uncovered},
};

/// Files that are named because they are not covered.
const MAX_NAMED: usize = 100;
/// Contents that one look copies from git, so that they are there whatever becomes of them there.
const FROM_GIT: u64 = 64 << 20;
/// Of the store's bound, what contents may take that were there before anything changed.
const FIRST_SHARE: u64 = 4;

pub struct Surroundings<'a> {
    pub roots: &'a Roots,
    pub bounds: &'a Bounds,
    pub folder: &'a Path,
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// What a look found.
pub struct Found {
    pub deltas: Vec<Delta>,
    pub uncovered: Uncovered,
    /// Of git's index.
    pub index: Stamp,
    pub began: u64,
}

/// What must be read to know its state.
struct Todo {
    path: Box<[u8]>,
    meta: Meta,
    /// What was known of it.
    old: Option<FileState>,
    /// It is new to the table, and was there before.
    quiet: bool,
    /// What git's index has for it.
    indexed: Option<git::Id>,
    /// git's stamps say that it is as git has it.
    clean: bool,
}

impl Entry {
    /// Whether nothing was touched since.
    fn is_as(&self, meta: &Meta) -> bool {
        match (&self.state, meta.kind) {
            // A folder is touched with each file in it.
            (FileState::Folder, kind) => kind == Kind::Folder,
            _ => self.stamp != UNSURE && self.stamp == meta.stamp(),
        }
    }
}

pub fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Looks at everything below the roots, and at what the table has elsewhere.
///
/// # Errors
/// It was cancelled; the store cannot be written.
pub fn whole(around: &Surroundings<'_>, table: &Table, packs: &Store) -> io::Result<Found> {
    let began = walk::now();
    let most = around.bounds.files.saturating_mul(2);
    let walked = walk::walk(around.roots, around.folder, most, around.cancelled)?;
    let repository = around
        .roots
        .dirs()
        .first()
        .and_then(|dir| Repository::of(dir));
    let stamp = repository
        .as_ref()
        .and_then(Repository::index_meta)
        .map_or(UNSURE, |meta| meta.sure(began));
    let known = stamp != UNSURE && stamp == table.index;
    let index = repository
        .as_ref()
        .filter(|_| !known)
        .and_then(Repository::index);
    let mut uncovered = Uncovered {
        folders: walked.folders.clone(),
        ..Uncovered::default()
    };
    let mut deltas = Vec::new();
    let todo = compare(
        around,
        table,
        &walked,
        index.as_ref(),
        &mut deltas,
        &mut uncovered,
    );
    let todo = match (&repository, &index) {
        (Some(repository), Some(index)) => of_git(
            repository,
            index,
            table,
            &walked.seen,
            todo,
            began,
            &mut deltas,
        ),
        _ => todo,
    };
    deltas.extend(read_all(around, todo, index.is_some(), packs)?);
    if let Some(repository) = &repository {
        copy_from_git(repository, &mut deltas, packs);
    }
    deltas.sort_by(|one, other| one.path.cmp(&other.path));
    note_left(&deltas, table, &mut uncovered);
    Ok(Found {
        deltas,
        uncovered,
        index: stamp,
        began,
    })
}

/// What differs by its stamps, and what is not there any more.
fn compare(
    around: &Surroundings<'_>,
    table: &Table,
    walked: &walk::Walked,
    index: Option<&Index>,
    deltas: &mut Vec<Delta>,
    uncovered: &mut Uncovered,
) -> Vec<Todo> {
    let mut todo = Vec::new();
    let mut known = table.entries.iter().peekable();
    let mut files = table.entries.len();
    let patterns = changed_patterns(table, &walked.seen);
    let mut unseen: Vec<&Entry> = Vec::new();
    for seen in &walked.seen {
        while let Some(entry) = known.next_if(|entry| entry.path < seen.path) {
            unseen.push(entry);
        }
        let entry = known.next_if(|entry| entry.path == seen.path);
        match entry {
            Some(entry) if entry.is_as(&seen.meta) => {}
            Some(entry) => todo.push(Todo::of(seen, Some(entry.state.clone()), false)),
            None if files >= around.bounds.files => uncovered.beyond += 1,
            None => {
                files += 1;
                // Of a root that is new, or of what patterns have hidden so far.
                let quiet = !is_below(&table.roots, &seen.path)
                    || (patterns && seen.meta.touched() < table.looked);
                todo.push(Todo::of(seen, None, quiet));
            }
        }
    }
    unseen.extend(known);
    if walked.more {
        uncovered.beyond = uncovered.beyond.max(1);
    }
    let mut folder = Unlisted(&walked.folders);
    let mut others = Others::new(around.roots, &walked.seen);
    for entry in unseen {
        if folder.holds(&entry.path) {
            continue;
        }
        match read::stat(around.roots, path_of(&entry.path)) {
            Ok(Some(meta)) if others.have(&entry.path, &meta) => {
                deltas.extend(gone(&entry.path, &entry.state));
            }
            Ok(Some(meta)) if entry.is_as(&meta) => {}
            Ok(Some(meta)) => {
                let seen = Seen {
                    path: entry.path.clone(),
                    meta,
                };
                todo.push(Todo::of(&seen, Some(entry.state.clone()), false));
            }
            Ok(None) => deltas.extend(gone(&entry.path, &entry.state)),
            // Who cannot look there cannot say that it is gone.
            Err(_) => {}
        }
    }
    // git has files that patterns would hide.
    let of_index = index.map_or(&[][..], |index| &index.entries);
    for entry in of_index {
        let seen = walked
            .seen
            .binary_search_by(|seen| seen.path.cmp(&entry.path));
        if seen.is_ok()
            || table.get(&entry.path).is_some()
            || !around.roots.contains(path_of(&entry.path))
            || files >= around.bounds.files
        {
            continue;
        }
        if let Ok(Some(meta)) = read::stat(around.roots, path_of(&entry.path))
            && !others.have(&entry.path, &meta)
        {
            files += 1;
            let seen = Seen {
                path: entry.path.clone(),
                meta,
            };
            let quiet = table.roots.is_empty() || meta.touched() < table.looked;
            todo.push(Todo::of(&seen, None, quiet));
        }
    }
    todo
}

/// Folders that could not be listed this time: what is in them is as it was.
struct Unlisted<'a>(&'a [PathBuf]);

impl Unlisted<'_> {
    fn holds(&mut self, path: &[u8]) -> bool {
        self.0
            .iter()
            .any(|folder| path_of(path).starts_with(folder))
    }
}

impl Todo {
    fn of(seen: &Seen, old: Option<FileState>, quiet: bool) -> Self {
        Self {
            path: seen.path.clone(),
            meta: seen.meta,
            old,
            quiet,
            indexed: None,
            clean: false,
        }
    }

    /// What is known of it now.
    fn is(&self, mut after: FileState, stamp: Stamp) -> Option<Delta> {
        let same = self.old.as_ref().is_some_and(|old| same(old, &after));
        let before = match &self.old {
            Some(old) if same => {
                // A content keeps its name.
                after = old.clone();
                None
            }
            Some(old) => Some(old.clone()),
            None if self.quiet => None,
            None => Some(FileState::Absent),
        };
        (!same || stamp != UNSURE).then(|| Delta {
            path: self.path.to_vec(),
            before,
            after,
            stamp,
            touched: self.meta.touched(),
        })
    }
}

/// Whether nothing that counts differs.
fn same(one: &FileState, other: &FileState) -> bool {
    match (one, other) {
        (
            FileState::File {
                content,
                size,
                mode,
                ..
            },
            FileState::File {
                content: content_2,
                size: size_2,
                mode: mode_2,
                ..
            },
        ) => content == content_2 && size == size_2 && mode == mode_2,
        _ => one == other,
    }
}

fn is_below(roots: &[Vec<u8>], path: &[u8]) -> bool {
    roots
        .iter()
        .any(|root| path_of(path).starts_with(path_of(root)))
}

/// Whether a file of patterns is not as it was: what comes into view need not be new then.
fn changed_patterns(table: &Table, seen: &[Seen]) -> bool {
    let is_patterns = |path: &[u8]| path.ends_with(b"/.gitignore") || path.ends_with(b"/.ignore");
    let now = seen.iter().filter(|seen| is_patterns(&seen.path));
    let now = now.map(|seen| (&seen.path, seen.meta.stamp()));
    let then = table
        .entries
        .iter()
        .filter(|entry| is_patterns(&entry.path) && entry.state != FileState::Absent);
    !then.map(|entry| (&entry.path, entry.stamp)).eq(now)
}

fn gone(path: &[u8], state: &FileState) -> Option<Delta> {
    (*state != FileState::Absent).then(|| Delta {
        path: path.to_vec(),
        before: Some(state.clone()),
        after: FileState::Absent,
        stamp: UNSURE,
        touched: 0,
    })
}

/// Takes out of the list what git has as it is on the disk: on the first look, before an agent was at it, it
/// need not be read. Later an index may be forged so that it has something harmless for a file.
fn of_git(
    repository: &Repository,
    index: &Index,
    table: &Table,
    seen: &[Seen],
    mut todo: Vec<Todo>,
    began: u64,
    deltas: &mut Vec<Delta>,
) -> Vec<Todo> {
    let of_index: Vec<(usize, &git::Indexed)> = todo
        .iter()
        .enumerate()
        .filter_map(|(at, todo)| Some((at, index.get(&todo.path)?)))
        .collect();
    if of_index.is_empty() {
        return todo;
    }
    let paths = seen.iter().map(|seen| path_of(&seen.path));
    let attributes = paths
        .filter(|path| git::is_attributes(path))
        .map(Path::to_owned);
    let ids: Vec<git::Id> = of_index.iter().map(|(_, entry)| entry.id).collect();
    // Without git, nothing could be fetched from it.
    let Some(converted) = repository.converted(index, attributes) else {
        return todo;
    };
    let Ok(sizes) = repository.sizes(&ids) else {
        return todo;
    };
    for ((at, entry), size) in of_index.into_iter().zip(sizes) {
        let Some(todo) = todo.get_mut(at) else {
            continue;
        };
        todo.indexed = size.map(|_| entry.id);
        todo.clean = todo.old.is_none()
            && !is_below(&table.roots, &todo.path)
            && size == Some(todo.meta.size)
            && index.is_clean(entry, &todo.meta)
            && !Converted::may_be(&converted, &todo.path);
    }
    todo.retain(|todo| {
        let Some(id) = todo.indexed.filter(|_| todo.clean) else {
            return true;
        };
        let state = FileState::File {
            content: Content::Kept(BlobId::Git(id)),
            size: todo.meta.size,
            mode: todo.meta.mode,
            binary: false,
        };
        deltas.extend(todo.is(state, todo.meta.sure(began)));
        false
    });
    todo
}

/// Reads what must be read, on several threads.
fn read_all(
    around: &Surroundings<'_>,
    todo: Vec<Todo>,
    with_git: bool,
    packs: &Store,
) -> io::Result<Vec<Delta>> {
    let next = AtomicUsize::new(0);
    let work = Reading {
        around,
        with_git,
        packs,
    };
    let count = threads().min(todo.len().div_ceil(16)).max(1);
    let parts: Vec<io::Result<Vec<Delta>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count)
            .map(|_| {
                scope.spawn(|| {
                    give_way();
                    let mut deltas = Vec::new();
                    while let Some(todo) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if (around.cancelled)() {
                            return Err(io::ErrorKind::Interrupted.into());
                        }
                        deltas.extend(work.state(todo)?);
                    }
                    Ok(deltas)
                })
            })
            .collect();
        let ended = || io::Error::other("a thread ended early");
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|part| part.unwrap_or_else(|_| Err(ended())))
            .collect()
    });
    let mut deltas = Vec::new();
    for part in parts {
        deltas.append(&mut part?);
    }
    Ok(deltas)
}

struct Reading<'a> {
    around: &'a Surroundings<'a>,
    with_git: bool,
    packs: &'a Store,
}

impl Reading<'_> {
    fn state(&self, todo: &Todo) -> io::Result<Option<Delta>> {
        let path = path_of(&todo.path);
        match todo.meta.kind {
            Kind::Folder => Ok(todo.is(FileState::Folder, UNSURE)),
            Kind::Link => Ok(match read::link(self.around.roots, path) {
                Ok(target) => {
                    let stamp = todo.meta.sure(walk::now());
                    todo.is(FileState::Link { target }, stamp)
                }
                Err(_) => todo.vanished(),
            }),
            Kind::File => self.file(todo, path),
        }
    }

    fn file(&self, todo: &Todo, path: &Path) -> io::Result<Option<Delta>> {
        let most = self.around.bounds.one_file;
        let (content, meta, began) = match read::whole(self.around.roots, path, todo.meta, most) {
            Whole::File(content, meta, began) => (content, meta, began),
            Whole::Left(left, meta) => return Ok(todo.left(left, &meta)),
            Whole::Gone => return Ok(todo.vanished()),
        };
        let stamp = meta.sure(began);
        let hash = *blake3::hash(&content).as_bytes();
        let id = self.with_git.then(|| git::id_of(&content));
        let old = todo.old.as_ref().and_then(FileState::blob);
        let blob = match (old, id) {
            (Some(BlobId::Git(old)), _) if git::id_of(&content) == old => BlobId::Git(old),
            (Some(BlobId::Own(old)), _) if old == hash => BlobId::Own(old),
            (_, Some(id)) if todo.indexed == Some(id) => BlobId::Git(id),
            _ => BlobId::Own(hash),
        };
        if let BlobId::Own(hash) = blob
            && !self.store(todo, &content, hash, old)?
        {
            return Ok(todo.left(Left::NoRoom, &meta));
        }
        let state = FileState::File {
            content: Content::Kept(blob),
            size: meta.size,
            mode: meta.mode,
            binary: read::is_binary(&content),
        };
        let delta = todo.is(state, stamp);
        Ok(delta.map(|delta| Delta {
            touched: meta.touched(),
            ..delta
        }))
    }

    /// Whether there is room for it.
    fn store(
        &self,
        todo: &Todo,
        content: &[u8],
        hash: Hash,
        old: Option<BlobId>,
    ) -> io::Result<bool> {
        if self.packs.with(|packs| Ok(packs.has(&hash)))? {
            return Ok(true);
        }
        let base = match old {
            Some(BlobId::Own(base)) => Some(base),
            _ => None,
        };
        // Without another version it is compressed here, where the others need not wait.
        let packed = base.is_none().then(|| lz4_flex::block::compress(content));
        let bound = match todo.quiet {
            true => self.around.bounds.store / FIRST_SHARE * (FIRST_SHARE - 1),
            false => self.around.bounds.store,
        };
        let more = packed.as_ref().map_or(0, Vec::len) as u64;
        self.packs.with(|packs| {
            if packs.bytes().saturating_add(more) > bound {
                return Ok(false);
            }
            packs.put_packed(content, hash, base.as_ref(), packed)?;
            Ok(true)
        })
    }
}

impl Todo {
    fn left(&self, left: Left, meta: &Meta) -> Option<Delta> {
        let state = FileState::File {
            content: Content::Left(left, meta.stamp()),
            size: meta.size,
            mode: meta.mode,
            binary: false,
        };
        let stamp = match left {
            Left::TooLarge => meta.stamp(),
            // The next look tries again.
            Left::NoRoom | Left::Unreadable | Left::Changing | Left::Unseen => UNSURE,
        };
        let tried = |old: &FileState| same(old, &state);
        if self.old.as_ref().is_some_and(tried) && stamp == UNSURE {
            return None;
        }
        let delta = self.is(state, stamp)?;
        Some(Delta {
            touched: meta.touched(),
            ..delta
        })
    }

    fn vanished(&self) -> Option<Delta> {
        self.old.as_ref().and_then(|old| gone(&self.path, old))
    }
}

/// What git had before is copied, within a bound: the next commit's garbage collection may take it.
fn copy_from_git(repository: &Repository, deltas: &mut [Delta], packs: &Store) {
    let mut wanted: HashMap<git::Id, Option<(Hash, bool)>> = HashMap::new();
    let mut bytes = 0_u64;
    for delta in &*deltas {
        if let Some(FileState::File {
            content: Content::Kept(BlobId::Git(id)),
            size,
            ..
        }) = &delta.before
        {
            bytes = bytes.saturating_add(*size);
            if bytes > FROM_GIT {
                break;
            }
            wanted.insert(*id, None);
        }
    }
    if wanted.is_empty() {
        return;
    }
    let ids: Vec<git::Id> = wanted.keys().copied().collect();
    // What cannot be fetched is still referred to.
    let _ = repository.contents(&ids, FROM_GIT, |id, content| {
        if let Ok(hash) = packs.with(|packs| packs.put(&content, None)) {
            wanted.insert(id, Some((hash, read::is_binary(&content))));
        }
    });
    for delta in deltas {
        if let Some(FileState::File {
            content, binary, ..
        }) = &mut delta.before
            && let Content::Kept(BlobId::Git(id)) = content
            && let Some(Some((hash, is_binary))) = wanted.get(id)
        {
            *content = Content::Kept(BlobId::Own(*hash));
            *binary = *is_binary;
        }
    }
}

fn note_left(deltas: &[Delta], table: &Table, uncovered: &mut Uncovered) {
    let mut note = |path: &[u8], state: &FileState| {
        if let FileState::File {
            content: Content::Left(left, _),
            ..
        } = state
        {
            uncovered.left += 1;
            if uncovered.files.len() < MAX_NAMED {
                uncovered.files.push((path_of(path).to_owned(), *left));
            }
        }
    };
    for delta in deltas {
        note(&delta.path, &delta.after);
    }
    let is_new = |path: &[u8]| {
        deltas
            .binary_search_by(|delta| (*delta.path).cmp(path))
            .is_ok()
    };
    for entry in &table.entries {
        let left = matches!(
            entry.state,
            FileState::File {
                content: Content::Left(..),
                ..
            }
        );
        if left && !is_new(&entry.path) {
            note(&entry.path, &entry.state);
        }
    }
}

/// What stands at these paths; of one that answers to a name which its folder does not list, at the
/// listed one as well. What cannot be looked at is `missed`.
fn named(
    roots: &Roots,
    paths: &[PathBuf],
    missed: &dyn Fn(&Path, &io::Error),
) -> Vec<(PathBuf, Option<Meta>)> {
    let mut spelling = Spelling::new(roots);
    let mut all = Vec::new();
    for path in paths {
        match read::stat(roots, path) {
            Ok(None) => all.push((path.clone(), None)),
            Ok(meta) => match spelling.other(path) {
                None => all.push((path.clone(), meta)),
                Some(listed) => all.extend([(path.clone(), None), (listed, meta)]),
            },
            // Nothing can have such a name.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {}
            Err(error) => missed(path, &error),
        }
    }
    all
}

/// Looks at single paths, whatever patterns say of them. `is_new` says of one that the table has not
/// whether it can only have been made since; `missed` is told what cannot be looked at.
///
/// # Errors
/// The store cannot be written.
pub fn paths(
    around: &Surroundings<'_>,
    table: &Table,
    packs: &Store,
    paths: &[PathBuf],
    is_new: &dyn Fn(&Path) -> bool,
    missed: &dyn Fn(&Path, &io::Error),
) -> io::Result<Vec<Delta>> {
    let mut deltas = Vec::new();
    let mut todo = Vec::new();
    for (path, meta) in named(around.roots, paths, missed) {
        let bytes = path.as_os_str().as_bytes();
        let entry = table.get(bytes);
        match (entry, meta) {
            (Some(entry), Some(meta)) if entry.is_as(&meta) => {}
            (Some(entry), None) => deltas.extend(gone(bytes, &entry.state)),
            (None, None) => deltas.push(Delta {
                path: bytes.to_vec(),
                before: None,
                after: FileState::Absent,
                stamp: UNSURE,
                touched: 0,
            }),
            (entry, Some(meta)) => {
                let seen = Seen {
                    path: bytes.into(),
                    meta,
                };
                let quiet = entry.is_none() && !is_new(&path);
                todo.push(Todo::of(
                    &seen,
                    entry.map(|entry| entry.state.clone()),
                    quiet,
                ));
            }
        }
    }
    deltas.extend(read_all(around, todo, false, packs)?);
    let repository = around
        .roots
        .dirs()
        .first()
        .and_then(|dir| Repository::of(dir));
    if let Some(repository) = repository {
        copy_from_git(&repository, &mut deltas, packs);
    }
    deltas.sort_by(|one, other| one.path.cmp(&other.path));
    deltas.dedup_by(|one, other| one.path == other.path);
    Ok(deltas)
}
