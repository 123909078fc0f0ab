//! What the project's own git knows, read only: which contents need not be kept because it has them.
//!
//! A file's content is git's blob only where nothing converts between the two. So it is taken for it
//! if git's index has the file's stamps, the blob has the file's size, and no attribute names a
//! filter, an encoding or `ident` for it. Line ends change the size. Whatever is doubtful is read and
//! compared by hash.

use std::{
    collections::HashMap,
    ffi::OsStr,
    io::{self, BufRead, Read},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use sha1::{Digest, Sha1};

use super::{
    asked::Git,
    codec::Reader,
    walk::{Kind, Meta},
};
use crate::{files, host::git};

/// Of a content that was only referred to.
pub const LOST: &str = "git does not have it any more, and what git held unchanged was not copied: fetch it from \
     another clone";

/// Of an index that is read.
const MAX_INDEX: u64 = 256 << 20;
/// Of a file of attributes.
const MAX_ATTRIBUTES: u64 = 256 << 10;
/// Lines that name a filter.
const MAX_PATTERNS: usize = 2_000;
/// Of one blob that is fetched.
const MAX_BLOB: u64 = 64 << 20;
/// Of git's configuration.
const MAX_CONFIG: u64 = 4 << 20;
/// Of the list of what a commit has.
const MAX_TREE: u64 = 128 << 20;
/// Of a path in an index: no longer one can be opened.
const MAX_NAME: usize = 4_096;

pub type Id = [u8; 20];

/// The id that git gives a content.
pub fn id_of(content: &[u8]) -> Id {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", content.len()));
    hash.update(content);
    hash.finalize().into()
}

pub struct Repository {
    top: PathBuf,
    dir: PathBuf,
    git: Git,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// Absolute.
    pub path: Box<[u8]>,
    pub id: Id,
    stat: [u32; 6],
}

type Sparse = Vec<Box<[u8]>>;

pub struct Index {
    /// Regular files, sorted by path.
    pub entries: Vec<Indexed>,
    /// Files that git does not want on the disk, and folders of them with a `/` at the end, sorted.
    sparse: Sparse,
    /// What was changed from then on may not show in the stamps.
    written: (u32, u32),
}

impl Repository {
    /// The one that `folder` is in.
    pub fn of(folder: &Path) -> Option<Self> {
        let top = folder.ancestors().find(|top| top.join(".git").exists())?;
        let dir = git::git_dir(top)?;
        Some(Self {
            top: top.to_owned(),
            dir,
            git: Git::at(top),
        })
    }

    #[cfg(test)]
    pub fn patience(mut self, patience: std::time::Duration) -> Self {
        self.git = self.git.patience(patience);
        self
    }

    /// What tells one state of the index from another.
    pub fn index_meta(&self) -> Option<Meta> {
        let stat = rustix::fs::stat(self.dir.join("index")).ok()?;
        Meta::of(&stat)
    }

    /// `None`: there is none, or not one that can be relied on.
    pub fn index(&self) -> Option<Index> {
        let meta = self.index_meta()?;
        if meta.size > MAX_INDEX {
            return None;
        }
        let mut bytes = Vec::new();
        let file = files::regular(&self.dir.join("index")).ok()?;
        file.take(MAX_INDEX).read_to_end(&mut bytes).ok()?;
        let top = self.top.as_os_str().as_bytes();
        let (entries, sparse) = entries(&bytes, top, MAX_INDEX)?;
        let written = (meta.modified.0 as u32, meta.modified.1);
        Some(Index {
            entries,
            sparse,
            written,
        })
    }

    /// Sizes of blobs, in the order asked for; `None` for what is not there.
    ///
    /// # Errors
    /// There is no git, or it does not want to.
    pub fn sizes(&self, ids: &[Id]) -> io::Result<Vec<Option<u64>>> {
        let format = "--batch-check=%(objecttype) %(objectsize)";
        let mut sizes = Vec::with_capacity(ids.len());
        let words = ["cat-file", "--buffer", format];
        self.git.ask(&words, &lines(ids), u64::MAX, |out| {
            let mut line = String::new();
            for _ in ids {
                line.clear();
                out.read_line(&mut line)?;
                let size = line.trim_end().strip_prefix("blob ");
                sizes.push(size.and_then(|size| size.parse().ok()));
            }
            Ok(())
        })?;
        match sizes.len() == ids.len() {
            true => Ok(sizes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Contents of blobs, held against their ids, one after the other, until they are `most` bytes.
    ///
    /// # Errors
    /// As [`Repository::sizes`].
    pub fn contents(
        &self,
        ids: &[Id],
        most: u64,
        mut with: impl FnMut(Id, Vec<u8>),
    ) -> io::Result<()> {
        let words = ["cat-file", "--buffer", "--batch"];
        self.git.ask(&words, &lines(ids), u64::MAX, |out| {
            let mut line = String::new();
            let mut left = most;
            for id in ids {
                line.clear();
                out.read_line(&mut line)?;
                let mut words = line.split_whitespace().skip(1);
                let (Some(kind), Some(size)) = (words.next(), words.next()) else {
                    // It is missing.
                    continue;
                };
                let size: u64 = size.parse().map_err(io::Error::other)?;
                let Some(less) = left.checked_sub(size) else {
                    break;
                };
                left = less;
                if size > MAX_BLOB {
                    io::copy(&mut out.take(size + 1), &mut io::sink())?;
                    continue;
                }
                let mut content = Vec::new();
                out.take(size).read_to_end(&mut content)?;
                out.read_exact(&mut [0])?;
                if kind == "blob" && id_of(&content) == *id {
                    with(*id, content);
                }
            }
            Ok(())
        })
    }

    /// Of the files of the last commit, at most so many, by absolute path: kind of file and id. None, if
    /// there is no commit.
    ///
    /// # Errors
    /// As [`Repository::sizes`]; there are more.
    pub fn head(&self, most: usize) -> io::Result<HashMap<Vec<u8>, (u32, Id)>> {
        let words = ["ls-tree", "-r", "-z", "--full-tree", "HEAD"];
        self.git.ask(&words, &[], MAX_TREE, |out| {
            let mut found = HashMap::new();
            for record in out.split(0) {
                let record = record?;
                let tab = record.iter().position(|byte| *byte == b'\t');
                let Some((head, name)) = tab.and_then(|tab| record.split_at_checked(tab)) else {
                    continue;
                };
                let head = String::from_utf8_lossy(head);
                let mut words = head.split(' ');
                let mode = words
                    .next()
                    .and_then(|mode| u32::from_str_radix(mode, 8).ok());
                let id = words.nth(1).and_then(unhex);
                if let (Some(mode), Some(id), Some(name)) = (mode, id, name.get(1..)) {
                    found.insert(joined(self.top.as_os_str().as_bytes(), name), (mode, id));
                }
                if found.len() > most {
                    let why = format!("the last commit has more than {most} files");
                    return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
                }
            }
            Ok(found)
        })
    }

    /// Which files may be converted on their way from and to git; `None`: it cannot be said of any.
    pub fn converted(
        &self,
        index: &Index,
        walked: impl Iterator<Item = PathBuf>,
    ) -> Option<Converted> {
        let config = self.git.whole(&["config", "--list", "-z"], MAX_CONFIG);
        let config = String::from_utf8_lossy(&config.ok()?).into_owned();
        let value = |key: &str| {
            let mut entries = config
                .split('\0')
                .filter_map(|entry| entry.split_once('\n'));
            entries
                .rfind(|(name, _)| *name == key)
                .map(|(_, value)| value.to_owned())
        };
        if value("extensions.objectformat").is_some_and(|format| format != "sha1") {
            return None;
        }
        let home = |rest: &str| Some(PathBuf::from(std::env::var_os("HOME")?).join(rest));
        let own = match value("core.attributesfile") {
            Some(path) => match path.strip_prefix("~/") {
                Some(rest) => home(rest),
                None => Some(PathBuf::from(path)),
            },
            None => match std::env::var_os("XDG_CONFIG_HOME") {
                Some(folder) if !folder.is_empty() => {
                    Some(PathBuf::from(folder).join("git/attributes"))
                }
                _ => home(".config/git/attributes"),
            },
        };
        let mut converted = Converted::default();
        let common = git::common_dir(&self.top).unwrap_or_else(|| self.dir.clone());
        let of_top = [
            Some(PathBuf::from("/etc/gitattributes")),
            own,
            Some(common.join("info/attributes")),
        ];
        for path in of_top.into_iter().flatten() {
            converted.read(&self.top, &path);
        }
        let indexed = index
            .entries
            .iter()
            .map(|entry| Path::new(OsStr::from_bytes(&entry.path)));
        let indexed = indexed
            .filter(|path| is_attributes(path))
            .map(Path::to_owned);
        let mut all: Vec<PathBuf> = indexed.chain(walked).collect();
        all.sort_unstable();
        all.dedup();
        for path in all {
            converted.read(path.parent().unwrap_or(&self.top), &path);
        }
        Some(converted)
    }
}

pub fn is_attributes(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(".gitattributes"))
}

/// Patterns of attributes that change a file's content on its way.
#[derive(Default)]
pub struct Converted {
    patterns: Vec<Gitignore>,
    count: usize,
    /// It is not known of which.
    all: bool,
}

impl Converted {
    fn read(&mut self, folder: &Path, path: &Path) {
        let mut bytes = Vec::new();
        let file = match files::regular(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(_) => {
                self.all = true;
                return;
            }
        };
        let read = file.take(MAX_ATTRIBUTES + 1).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() as u64 > MAX_ATTRIBUTES {
            self.all = true;
            return;
        }
        self.add(folder, &String::from_utf8_lossy(&bytes));
    }

    fn add(&mut self, folder: &Path, text: &str) {
        let mut builder = GitignoreBuilder::new(folder);
        let mut found = false;
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let Some(pattern) = words.next() else {
                continue;
            };
            let converts = words.any(|word| {
                ["filter", "working-tree-encoding", "ident"]
                    .iter()
                    .any(|name| word.split('=').next() == Some(name))
            });
            if !converts || pattern.starts_with('#') {
                continue;
            }
            self.count += 1;
            // Names of several attributes and quoted patterns are left to git.
            let simple = !pattern.starts_with(['[', '"', '!']) && self.count <= MAX_PATTERNS;
            if !simple || builder.add_line(None, pattern).is_err() {
                self.all = true;
                return;
            }
            found = true;
        }
        match builder.build() {
            Ok(_) if !found => {}
            Ok(patterns) => self.patterns.push(patterns),
            Err(_) => self.all = true,
        }
    }

    pub fn may_be(&self, path: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        self.all
            || self.patterns.iter().any(|patterns| {
                path.starts_with(patterns.path()) && patterns.matched(path, false).is_ignore()
            })
    }
}

impl Index {
    pub fn get(&self, path: &[u8]) -> Option<&Indexed> {
        let found = self
            .entries
            .binary_search_by(|entry| (*entry.path).cmp(path));
        self.entries.get(found.ok()?)
    }

    /// Whether git does not want it on the disk.
    pub fn is_sparse(&self, path: &[u8]) -> bool {
        let after = self.sparse.partition_point(|known| **known <= *path);
        let before = after.checked_sub(1).and_then(|at| self.sparse.get(at));
        before.is_some_and(|known| {
            **known == *path || (known.ends_with(b"/") && path.starts_with(known))
        })
    }

    /// Whether git has seen the file as it is.
    pub fn is_clean(&self, entry: &Indexed, meta: &Meta) -> bool {
        let [ctime, cnanos, mtime, mnanos, inode, size] = entry.stat;
        let truncated = meta.size as u32;
        meta.kind == Kind::File
            && (mtime, mnanos) < self.written
            && (meta.changed.0 as u32, meta.changed.1) == (ctime, cnanos)
            && (meta.modified.0 as u32, meta.modified.1) == (mtime, mnanos)
            && (meta.inode as u32, truncated) == (inode, size)
    }
}

/// The regular files of an index, whose names have `most` bytes together; `None` for one that says more,
/// or whose entries stand elsewhere as well.
pub fn entries(bytes: &[u8], top: &[u8], most: u64) -> Option<(Vec<Indexed>, Sparse)> {
    const EXTENDED: u16 = 0x4000;
    const STAGE: u16 = 0x3000;
    const TO_BE_ADDED: u16 = 0x2000;
    const SKIPPED: u16 = 0x4000;
    const REGULAR: u32 = 0o100_000;
    const FOLDER: u32 = 0o040_000;
    let word = |reader: &mut Reader<'_>| reader.array().map(u32::from_be_bytes);
    let mut reader = Reader(bytes);
    if reader.take(4)? != b"DIRC" {
        return None;
    }
    let version = word(&mut reader)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = usize::try_from(word(&mut reader)?).ok()?;
    let mut entries = Vec::with_capacity(count.min(bytes.len() / 62));
    let mut sparse = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    let mut named = 0_usize;
    for _ in 0..count {
        let before = reader.0.len();
        let mut stat = [0; 10];
        for field in &mut stat {
            *field = word(&mut reader)?;
        }
        let id: Id = reader.array()?;
        let flags = reader.array().map(u16::from_be_bytes)?;
        let more = match flags & EXTENDED {
            0 => 0,
            _ => reader.array().map(u16::from_be_bytes)?,
        };
        let cut = match version {
            4 => offset(&mut reader)?,
            _ => name.len(),
        };
        name.truncate(name.len().checked_sub(cut)?);
        let end = reader.0.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(reader.take(end)?);
        // Version 4 says only in what a name differs from the one before: together they may be far
        // longer than the index.
        named = named.checked_add(name.len())?;
        if name.len() > MAX_NAME || named as u64 > most {
            return None;
        }
        let padding = match version {
            4 => 1,
            _ => 8 - (before - reader.0.len()) % 8,
        };
        reader.take(padding)?;
        let [ctime, cnanos, mtime, mnanos, _, inode, mode, _, _, size] = stat;
        let kind = mode & 0o170_000;
        if kind == FOLDER || more & SKIPPED != 0 {
            sparse.push(joined(top, &name).into());
        }
        if kind == REGULAR && flags & STAGE == 0 && more & TO_BE_ADDED == 0 {
            entries.push(Indexed {
                path: joined(top, &name).into(),
                id,
                stat: [ctime, cnanos, mtime, mnanos, inode, size],
            });
        }
    }
    while reader.0.len() > 20 {
        let name = reader.take(4)?;
        let length = usize::try_from(word(&mut reader)?).ok()?;
        if name == b"link" {
            return None;
        }
        reader.take(length)?;
    }
    entries
        .is_sorted_by(|one, next| one.path < next.path)
        .then_some((entries, sparse))
}

/// A number as version 4 has it.
fn offset(reader: &mut Reader<'_>) -> Option<usize> {
    let mut byte = reader.byte()?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = reader.byte()?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some(value)
}

fn joined(top: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(top.len() + 1 + name.len());
    path.extend_from_slice(top.strip_suffix(b"/").unwrap_or(top));
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

pub fn hex(id: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    id.iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// As git reads them.
fn lines(ids: &[Id]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(ids.len() * 41);
    for id in ids {
        lines.extend(hex(id).into_bytes());
        lines.push(b'\n');
    }
    lines
}

fn unhex(text: &str) -> Option<Id> {
    let mut id = [0; 20];
    if text.len() != 40 {
        return None;
    }
    for (at, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(id)
}
