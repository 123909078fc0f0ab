//! One file as it is: all of its bytes, or why not.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rustix::fs::OFlags;

use super::walk::{Kind, Meta, now};
use crate::{host::Roots, model::Left};

/// A file that changes while it is read is read this often.
const TRIES: usize = 3;
/// git looks as far for a NUL byte.
const BINARY: usize = 8_000;

pub enum Whole {
    /// What was read, of which state, and when that began.
    File(Vec<u8>, Meta, u64),
    Left(Left, Meta),
    /// There is no file any more.
    Gone,
}

/// Reads a file that a look has found. `most`: of its bytes.
pub fn whole(roots: &Roots, path: &Path, seen: Meta, most: u64) -> Whole {
    let mut last = seen;
    if seen.size > most {
        return Whole::Left(Left::TooLarge, seen);
    }
    for _ in 0..TRIES {
        let began = now();
        match once(roots, path, most) {
            Ok(Some((content, before, after))) => {
                if before == after && content.len() as u64 == after.size {
                    return Whole::File(content, after, began);
                }
                last = after;
                if after.size > most {
                    return Whole::Left(Left::TooLarge, after);
                }
            }
            Ok(None) => return Whole::Gone,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Whole::Gone,
            Err(_) => return Whole::Left(Left::Unreadable, last),
        }
    }
    Whole::Left(Left::Changing, last)
}

fn once(roots: &Roots, path: &Path, most: u64) -> io::Result<Option<(Vec<u8>, Meta, Meta)>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut file = roots.open(path, flags)?;
    let before = meta(&file)?;
    if before.kind != Kind::File {
        return Ok(None);
    }
    let size = usize::try_from(before.size.min(most)).unwrap_or(0);
    let mut content = Vec::with_capacity(size + 1);
    io::Read::by_ref(&mut file)
        .take(most + 1)
        .read_to_end(&mut content)?;
    let after = meta(&file)?;
    Ok(Some((content, before, after)))
}

fn meta(file: &File) -> io::Result<Meta> {
    Meta::of(&rustix::fs::fstat(file)?).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

pub fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY).any(|byte| *byte == 0)
}

/// What stands at a path, links not followed; `None`: nothing that could be covered.
///
/// # Errors
/// It cannot be said.
pub fn stat(roots: &Roots, path: &Path) -> io::Result<Option<Meta>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    let found = roots.dir(parent, false).and_then(|dir| dir.stat(name));
    match found {
        Ok((_, stat)) => Ok(Meta::of(&stat)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            // A folder above it has become a link.
            _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Ok(None),
            _ => Err(error),
        },
    }
}

/// What a folder is, a root as well.
pub fn folder(roots: &Roots, path: &Path) -> Option<Meta> {
    let stat = roots.dir(path, false).and_then(|dir| dir.own_stat());
    Meta::of(&stat.ok()?)
}

/// Whether anything stands at a path, links not followed.
pub fn stands(roots: &Roots, path: &Path) -> bool {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return false;
    };
    let found = roots.dir(parent, false).and_then(|dir| dir.stat(name));
    found.is_ok()
}

/// Where a link leads.
///
/// # Errors
/// There is none.
pub fn link(roots: &Roots, path: &Path) -> io::Result<Vec<u8>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let dir = roots.dir(parent, false)?;
    let target = rustix::fs::readlinkat(&dir, name, Vec::new())?;
    Ok(target.into_bytes())
}
