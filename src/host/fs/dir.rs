//! Directories by handle.
//!
//! A path is judged first and used later, and in between a process in the workspace may replace one of
//! its directories by a link. So nothing here follows a link: a path that was
//! resolved leads through real directories only, and what has become a link since is an error. What
//! follows in a directory (looking, making, renaming) goes through its handle, and so stays in it
//! wherever its name leads by then.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Component, Path},
};

use super::system::{self, HANDLE};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat},
    io::Errno,
};

/// Cut by the umask, as for any directory.
const NEW_DIRECTORY: Mode = Mode::from_raw_mode(0o777);

#[derive(Debug)]
pub struct Dir(OwnedFd);

impl Dir {
    /// Opens a resolved directory.
    ///
    /// # Errors
    /// A part of it is missing, is no directory or has become a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::slash()?.dir(path.strip_prefix("/").unwrap_or(path))
    }

    /// `/`
    pub fn slash() -> io::Result<Self> {
        let opened = rustix::fs::open("/", HANDLE | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self(opened))
    }

    /// The directory below this one.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn dir(&self, below: &Path) -> io::Result<Self> {
        self.beneath(below, HANDLE).map(Self)
    }

    /// The same, with what is missing made.
    ///
    /// # Errors
    /// As [`Dir::open`], and as `mkdir`.
    pub fn make(&self, below: &Path) -> io::Result<Self> {
        let mut at = self.dir(Path::new(""))?;
        for name in names(below) {
            let name = Path::new(name?);
            at = match at.dir(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match rustix::fs::mkdirat(&at.0, name, NEW_DIRECTORY) {
                        // Somebody else was faster.
                        Ok(()) | Err(Errno::EXIST) => at.dir(name)?,
                        Err(error) => return Err(error.into()),
                    }
                }
                opened => opened?,
            };
        }
        Ok(at)
    }

    /// Opens a file below this directory that exists.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn file(&self, below: &Path, flags: OFlags) -> io::Result<File> {
        self.beneath(below, flags).map(File::from)
    }

    /// What stands under a name of this directory; a link is a link.
    ///
    /// # Errors
    /// There is nothing.
    pub fn stat(&self, name: &OsStr) -> io::Result<(FileType, Stat)> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((FileType::from_raw_mode(stat.st_mode), stat))
    }

    /// Of the directory itself.
    ///
    /// # Errors
    /// As `fstat`.
    pub fn own_stat(&self) -> io::Result<Stat> {
        Ok(rustix::fs::fstat(&self.0)?)
    }

    /// Its names are on the disk when this returns.
    ///
    /// # Errors
    /// Not all file systems can.
    pub fn sync(&self) -> io::Result<()> {
        self.file(Path::new(""), OFlags::RDONLY | OFlags::DIRECTORY)?
            .sync_all()
    }

    fn beneath(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Some(opened) = system::at_once(&self.0, below, flags) {
            return opened;
        }
        self.part_by_part(below, flags)
    }

    /// Each part from the directory before it.
    fn part_by_part(&self, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let open = |at: BorrowedFd<'_>, name: &OsStr, flags| {
            rustix::fs::openat(at, name, flags, Mode::empty()).map_err(io::Error::from)
        };
        let on_the_way = HANDLE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut names = names(below).peekable();
        let mut at: Option<OwnedFd> = None;
        while let Some(name) = names.next() {
            let from = at.as_ref().map_or(self.0.as_fd(), AsFd::as_fd);
            let last = names.peek().is_none();
            let next = open(from, name?, if last { flags } else { on_the_way })?;
            at = Some(next);
        }
        match at {
            Some(opened) => Ok(opened),
            None => open(self.0.as_fd(), OsStr::new("."), flags),
        }
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The names of a path that was resolved: nothing else may be in it.
fn names(path: &Path) -> impl Iterator<Item = io::Result<&OsStr>> {
    path.components().map(|component| match component {
        Component::Normal(name) => Ok(name),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path is not resolved",
        )),
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Read, os::unix::fs::symlink};

    use super::*;

    type Way = fn(&Dir, &Path) -> io::Result<File>;

    /// As the kernel has it, and part by part.
    const WAYS: [Way; 2] = [
        |dir, path| dir.file(path, OFlags::RDONLY),
        |dir, path| {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            dir.part_by_part(path, flags).map(File::from)
        },
    ];

    #[test]
    fn no_link_is_followed_whichever_way_it_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("ws/a/b")).unwrap();
        fs::write(base.join("ws/a/b/f"), "inside").unwrap();
        fs::write(base.join("secret"), "outside").unwrap();
        symlink("a", base.join("ws/link")).unwrap();
        symlink("f", base.join("ws/a/b/last")).unwrap();
        let dir = Dir::open(&base.join("ws")).unwrap();
        for way in WAYS {
            let mut text = String::new();
            way(&dir, Path::new("a/b/f"))
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, "inside");
            for path in [
                "link/b/f",
                "a/b/last",
                "../secret",
                "a/../../secret",
                "/secret",
            ] {
                assert!(way(&dir, Path::new(path)).is_err(), "{path}");
            }
            let missing = way(&dir, Path::new("no/f")).unwrap_err();
            assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        }
    }

    #[test]
    fn missing_directories_are_made_and_never_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("ws")).unwrap();
        fs::create_dir(base.join("out")).unwrap();
        symlink("../out", base.join("ws/link")).unwrap();
        let dir = Dir::open(&base.join("ws")).unwrap();
        dir.make(Path::new("a/b/c")).unwrap();
        assert!(base.join("ws/a/b/c").is_dir());
        assert!(dir.make(Path::new("link/x")).is_err());
        assert!(dir.make(Path::new("../out/x")).is_err());
        assert_eq!(fs::read_dir(base.join("out")).unwrap().count(), 0);
    }
}
