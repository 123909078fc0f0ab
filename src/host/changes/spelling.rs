//! Names of which one file answers to several: on file systems that take capitals and small letters for
//! the same, `README` is there as `readme` too. What counts is how the folder lists it.

use std::{
    collections::{HashMap, HashSet},
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{
    since,
    walk::{Meta, Seen},
};
use crate::host::Roots;

/// Names that a folder is searched for one of; a name in a larger one is taken as it is written.
const MAX_LISTED: usize = 100_000;

/// What is known of folders.
pub struct Spelling<'a> {
    roots: &'a Roots,
    /// How a name in a folder is listed, where that is known.
    known: HashMap<PathBuf, Option<OsString>>,
}

impl<'a> Spelling<'a> {
    pub fn new(roots: &'a Roots) -> Self {
        Self {
            roots,
            known: HashMap::new(),
        }
    }

    /// A path at which something stands, as its folders list it; `None`: just so.
    pub fn other(&mut self, path: &Path) -> Option<PathBuf> {
        let root = self.roots.dirs().iter().find(|root| path.starts_with(root));
        let root = root.map_or(Path::new("/"), PathBuf::as_path);
        let mut at = root.to_owned();
        for name in path.strip_prefix(root).ok()? {
            let named = at.join(name);
            let listed = match self.known.get(&named) {
                Some(listed) => listed.clone(),
                None => {
                    let listed = listed(self.roots, &at, name).ok().flatten();
                    self.known.insert(named, listed.clone());
                    listed
                }
            };
            at.push(listed.as_deref().unwrap_or(name));
        }
        (at != path).then_some(at)
    }
}

/// Names that were seen, by which files may be there that answer to other names as well.
pub struct Others<'a> {
    seen: &'a [Seen],
    numbers: Option<HashSet<u64>>,
    spelling: Spelling<'a>,
}

impl<'a> Others<'a> {
    pub fn new(roots: &'a Roots, seen: &'a [Seen]) -> Self {
        Self {
            seen,
            numbers: None,
            spelling: Spelling::new(roots),
        }
    }

    /// Whether what answers to this name was seen by another one.
    pub fn have(&mut self, path: &[u8], meta: &Meta) -> bool {
        let seen = self.seen.iter().map(|seen| seen.meta.inode);
        let numbers = self.numbers.get_or_insert_with(|| seen.collect());
        numbers.contains(&meta.inode) && self.spelling.other(&since::path(path)).is_some()
    }
}

/// How a folder lists what answers to a name; `None`: by that name, or that cannot be told.
fn listed(roots: &Roots, folder: &Path, name: &OsStr) -> io::Result<Option<OsString>> {
    let dir = roots.dir(folder, false)?;
    let number = |name: &OsStr| Some(dir.stat(name).ok()?.1.st_ino);
    // Where another spelling of it is none, this one is its own: most folders need not be listed.
    let (own, swapped) = (number(name), swapped(name).and_then(|other| number(&other)));
    if own.is_none() || own != swapped {
        return Ok(None);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut names = rustix::fs::Dir::new(dir.file(Path::new(""), flags)?)?;
    let mut alike = None;
    for _ in 0..MAX_LISTED {
        let Some(entry) = names.read() else {
            return Ok(alike);
        };
        let entry = entry?;
        let there = OsStr::from_bytes(entry.file_name().to_bytes());
        if there == name {
            return Ok(None);
        }
        if folded(there) == folded(name) {
            alike = Some(there.to_owned());
        }
    }
    Ok(None)
}

/// The name with capitals for small letters and the other way round; `None`: it has neither.
fn swapped(name: &OsStr) -> Option<OsString> {
    let swap = |letter: char| match letter.is_lowercase() {
        true => letter.to_uppercase().collect::<String>(),
        false => letter.to_lowercase().collect(),
    };
    let other = match name.to_str() {
        Some(text) => OsString::from(text.chars().map(swap).collect::<String>()),
        None => {
            let bytes = name.as_bytes().iter();
            let swap = |byte: &u8| match byte.is_ascii_lowercase() {
                true => byte.to_ascii_uppercase(),
                false => byte.to_ascii_lowercase(),
            };
            OsString::from_vec(bytes.map(swap).collect())
        }
    };
    (other != name).then_some(other)
}

fn folded(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}
