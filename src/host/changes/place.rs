//! What stands at a path, and putting something else there: only over what was read.
//!
//! Between the reading and the writing the person may save the file, or the agent write to it. So where
//! the file system can, the two change places in one step, and what came out is compared with what was
//! read: if it is something else, it goes back and nothing was done. Where it cannot, `stat` is asked
//! just before, and what is written between that and the rename is lost. What a program writes to a
//! file that it has open goes wherever that file goes: no rename can see it.

use std::{
    ffi::OsStr,
    fs::Metadata,
    io::{self, Read},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use rustix::{
    fs::{AtFlags, FileType, OFlags},
    io::Errno,
};

use super::{
    Changes, fault,
    read::{self, Whole},
    walk::{Kind, Meta},
};
use crate::host::fs::{
    aside::{Aside, cannot},
    dir::Dir,
    prepare,
};

/// What a file is to be.
pub enum Wanted {
    Absent,
    File(Vec<u8>, u32),
    Link(Vec<u8>),
}

/// What is on the disk.
#[derive(Clone)]
pub enum Disk {
    Absent,
    /// With its permission bits.
    File(Vec<u8>, u32),
    Link(Vec<u8>),
    Folder,
    /// What cannot be read: it is not touched.
    Other(String),
}

/// The same, and what `stat` said of it, where there is something.
pub struct There {
    pub disk: Disk,
    pub meta: Option<Meta>,
}

impl Disk {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::File(bytes, _) | Self::Link(bytes) => bytes,
            Self::Absent | Self::Folder | Self::Other(_) => &[],
        }
    }
}

impl From<Wanted> for Disk {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Absent => Self::Absent,
            Wanted::File(content, mode) => Self::File(content, mode),
            Wanted::Link(target) => Self::Link(target),
        }
    }
}

impl Wanted {
    pub fn is(&self, disk: &Disk) -> bool {
        match (self, disk) {
            (Self::Absent, Disk::Absent) => true,
            (Self::File(content, mode), Disk::File(there, bits)) => {
                content == there && mode == bits
            }
            (Self::Link(target), Disk::Link(there)) => target == there,
            _ => false,
        }
    }
}

impl Changes {
    pub(super) fn there(&self, at: &Path) -> There {
        let without = |disk| There { disk, meta: None };
        let meta = match read::stat(&self.roots, at) {
            Ok(Some(meta)) => meta,
            // What is not covered may stand there all the same: it is nobody's to replace.
            Ok(None) if read::stands(&self.roots, at) => {
                let why = "a pipe, socket or device is there";
                return without(Disk::Other(why.to_owned()));
            }
            Ok(None) => return without(Disk::Absent),
            Err(error) => return without(Disk::Other(error.to_string())),
        };
        let (disk, meta) = match meta.kind {
            Kind::Folder => (Disk::Folder, meta),
            Kind::Link => match read::link(&self.roots, at) {
                Ok(target) => (Disk::Link(target), meta),
                Err(error) => (Disk::Other(error.to_string()), meta),
            },
            Kind::File => match read::whole(&self.roots, at, meta, self.bounds.one_file) {
                Whole::File(content, meta, _) => (Disk::File(content, meta.mode), meta),
                Whole::Left(left, meta) => {
                    let why = format!("the file there {}", left.why());
                    (Disk::Other(why), meta)
                }
                Whole::Gone => return without(Disk::Absent),
            },
        };
        There {
            disk,
            meta: Some(meta),
        }
    }

    /// Puts it in the place of what was read there. `false`: something else is there by now, and stays.
    ///
    /// # Errors
    /// As for files; what was there still is.
    pub(super) fn write(&self, at: &Path, wanted: &Wanted, there: &There) -> io::Result<bool> {
        let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        fault::meanwhile("read", at);
        let makes = !matches!(wanted, Wanted::Absent);
        let dir = match self.roots.dir(parent, makes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !makes => return Ok(false),
            opened => opened?,
        };
        let spot = Spot {
            dir: &dir,
            name,
            at,
            there,
        };
        if let Ok((FileType::Directory, _)) = dir.stat(name) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let written = match wanted {
            Wanted::Absent => spot.clear()?,
            Wanted::File(content, mode) => {
                let old = spot.old()?;
                spot.fill(prepare(&dir, content, old.as_ref(), Some(*mode))?)?
            }
            Wanted::Link(target) => spot.fill(Aside::link(&dir, OsStr::from_bytes(target))?)?,
        };
        fault::point();
        // The name is on disk only with its directory. Not all file systems can.
        let _ = dir.sync();
        Ok(written)
    }
}

/// A name in a directory, and what was read there.
struct Spot<'a> {
    dir: &'a Dir,
    name: &'a OsStr,
    at: &'a Path,
    there: &'a There,
}

impl Spot<'_> {
    /// Whose owner and permissions the new file takes.
    fn old(&self) -> io::Result<Option<Metadata>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        match self.dir.stat(self.name) {
            // It may go in this moment, or be known to a mount that is slow to forget.
            Ok((FileType::RegularFile, _)) => match self.dir.file(Path::new(self.name), flags) {
                Ok(file) => Ok(file.metadata().ok()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            },
            _ => Ok(None),
        }
    }

    /// Gives the name to what is new.
    fn fill(&self, mut new: Aside<'_>) -> io::Result<bool> {
        fault::point();
        if !self.is_still() {
            return Ok(false);
        }
        fault::meanwhile("checked", self.at);
        if self.there.meta.is_none() {
            return match known(|| new.rename_new(self.name)) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(error) if cannot(&error) => new.rename(self.name).map(|()| true),
                Err(error) => Err(error),
            };
        }
        let ours = self.dir.stat(new.name()).ok();
        let ours = ours.and_then(|(_, stat)| Meta::of(&stat));
        match known(|| new.exchange(self.name)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) if cannot(&error) => return new.rename(self.name).map(|()| true),
            Err(error) => return Err(error),
        }
        fault::point();
        if self.is_what_was_read(new.name()) {
            return Ok(true);
        }
        match new.exchange(self.name) {
            Ok(()) => {}
            // What was put there is gone again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.give_back(new);
            }
            Err(error) => return Err(kept(new, &error)),
        }
        let now = self.dir.stat(new.name()).ok();
        let now = now.and_then(|(_, stat)| Meta::of(&stat));
        match ours.zip(now).is_some_and(|(ours, now)| alike(&ours, &now)) {
            true => Ok(false),
            // Saved twice, and between the two steps.
            false => Err(kept(new, &"it was written to meanwhile")),
        }
    }

    /// Takes away what was read.
    fn clear(&self) -> io::Result<bool> {
        fault::point();
        if !self.is_still() {
            return Ok(false);
        }
        fault::meanwhile("checked", self.at);
        match known(|| Aside::taken(self.dir, self.name)) {
            Ok(old) if self.is_what_was_read(old.name()) => {
                fault::point();
                Ok(true)
            }
            Ok(other) => self.give_back(other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            // A full directory takes no other name either.
            Err(error) if cannot(&error) || error.kind() == io::ErrorKind::StorageFull => {
                rustix::fs::unlinkat(self.dir, self.name, AtFlags::empty())?;
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    /// What is not what was read gets its name again.
    fn give_back(&self, mut other: Aside<'_>) -> io::Result<bool> {
        match other.rename_new(self.name) {
            Ok(()) => Ok(false),
            Err(error) => Err(kept(other, &error)),
        }
    }

    fn is_still(&self) -> bool {
        match self.dir.stat(self.name) {
            Ok((_, stat)) => self.there.meta.is_some() && Meta::of(&stat) == self.there.meta,
            Err(error) => self.there.meta.is_none() && error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Whether that is what is under this name by now: a rename changes a file's times.
    fn is_what_was_read(&self, name: &OsStr) -> bool {
        let meta = self.dir.stat(name).ok();
        let meta = meta.and_then(|(_, stat)| Meta::of(&stat));
        let Some((now, was)) = meta.zip(self.there.meta) else {
            return false;
        };
        match &self.there.disk {
            Disk::File(content, mode) => {
                now.kind == Kind::File && now.mode == *mode && self.holds(name, content)
            }
            Disk::Link(target) => {
                let there = rustix::fs::readlinkat(self.dir, name, Vec::new());
                there.is_ok_and(|there| there.as_bytes() == target)
            }
            Disk::Other(_) => alike(&now, &was),
            Disk::Absent | Disk::Folder => false,
        }
    }

    fn holds(&self, name: &OsStr, content: &[u8]) -> bool {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let mut now = Vec::with_capacity(content.len() + 1);
        let most = content.len() as u64 + 1;
        let file = self.dir.file(Path::new(name), flags);
        let read = file.and_then(|file| file.take(most).read_to_end(&mut now));
        read.is_ok() && now == content
    }
}

/// But for the time that a rename changes.
fn alike(one: &Meta, other: &Meta) -> bool {
    let changed = one.changed;
    *one == Meta { changed, ..*other }
}

/// It could not be given its name again: it is nobody's to remove.
fn kept(aside: Aside<'_>, why: &dyn std::fmt::Display) -> io::Error {
    let name = aside.keep();
    let text = format!(
        "it changed while it was put back ({why}): one version of it is in {} of its folder",
        name.display()
    );
    io::Error::other(text)
}

/// As if the file system did not know it, where a test says so.
fn known<T>(rename: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    match fault::is_plain() {
        true => Err(Errno::NOSYS.into()),
        false => rename(),
    }
}
