//! What waits in a directory under a name of ours, to take the place of something or to go.

use std::{
    ffi::{OsStr, OsString},
    hash::{BuildHasher, RandomState},
    io,
};

use rustix::{fs::AtFlags, io::Errno};

use super::{dir::Dir, system};

/// It goes unless it got another name or is kept.
pub struct Aside<'a> {
    dir: &'a Dir,
    name: Option<OsString>,
}

impl<'a> Aside<'a> {
    pub fn new(dir: &'a Dir, name: OsString) -> Self {
        Self {
            dir,
            name: Some(name),
        }
    }

    /// A new link.
    ///
    /// # Errors
    /// As for files.
    pub fn link(dir: &'a Dir, target: &OsStr) -> io::Result<Self> {
        let make = |name: &OsStr| rustix::fs::symlinkat(target, dir, name);
        Ok(Self::new(dir, with_new_name(make)?.1))
    }

    /// Takes its name from what has it.
    ///
    /// # Errors
    /// As for files; [`cannot`]: the file system has no such call.
    pub fn taken(dir: &'a Dir, name: &OsStr) -> io::Result<Self> {
        let take = |aside: &OsStr| system::rename_new(dir, name, aside);
        Ok(Self::new(dir, with_new_name(take)?.1))
    }

    pub fn name(&self) -> &OsStr {
        self.name.as_deref().unwrap_or_default()
    }

    /// It stays. Returns its name.
    pub fn keep(mut self) -> OsString {
        self.name.take().unwrap_or_default()
    }

    /// Changes places with what has this name.
    ///
    /// # Errors
    /// As for files; [`cannot`]: the file system has no such call.
    pub fn exchange(&self, name: &OsStr) -> io::Result<()> {
        Ok(system::exchange(self.dir, self.name(), name)?)
    }

    /// Gives it this name, which nothing has.
    ///
    /// # Errors
    /// Something has it; as for files; [`cannot`]: the file system has no such call.
    pub fn rename_new(&mut self, name: &OsStr) -> io::Result<()> {
        system::rename_new(self.dir, self.name(), name)?;
        self.name = None;
        Ok(())
    }

    /// Gives it this name, whatever has it.
    ///
    /// # Errors
    /// As for files.
    pub fn rename(&mut self, name: &OsStr) -> io::Result<()> {
        rustix::fs::renameat(self.dir, self.name(), self.dir, name)?;
        self.name = None;
        Ok(())
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        if let Some(name) = self.name.take()
            && let Err(error) = rustix::fs::unlinkat(self.dir, &*name, AtFlags::empty())
        {
            tracing::warn!(%error, name = %name.display(), "a temporary file stays");
        }
    }
}

/// The system, the file system or a sandbox does not have this kind of rename.
pub fn cannot(error: &io::Error) -> bool {
    let without = [
        Errno::NOSYS,
        Errno::INVAL,
        Errno::OPNOTSUPP,
        Errno::PERM,
        Errno::XDEV,
    ];
    without
        .iter()
        .any(|known| error.raw_os_error() == Some(known.raw_os_error()))
}

/// Tries names that nothing has yet.
pub fn with_new_name<T>(
    make: impl Fn(&OsStr) -> rustix::io::Result<T>,
) -> io::Result<(T, OsString)> {
    const TRIES: u32 = 64;
    let random = RandomState::new();
    let mut last = Errno::EXIST;
    for n in 0..TRIES {
        let name = OsString::from(format!(".acp-tui-{:016x}.tmp", random.hash_one(n)));
        match make(&name) {
            Ok(made) => return Ok((made, name)),
            Err(Errno::EXIST) => {}
            Err(error) => {
                last = error;
                break;
            }
        }
    }
    Err(last.into())
}
