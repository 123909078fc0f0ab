//! Writing a whole text file (V1-FS-10, V1-FS-11).

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata, Permissions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::{
    Roots,
    aside::{Aside, with_new_name},
    dir::Dir,
    failure, refusal, system,
};
use crate::model::RpcError;

/// Of a new file; cut by the umask, as any.
const NEW: Mode = Mode::from_raw_mode(0o666);
/// Of what will take the place of a file that others may not read.
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

/// Replaces what `path`, which must be resolved, holds by exactly `content`; makes the file and the
/// directories above it where they are missing. A reader sees the old or the new content, never a
/// part: the text goes to a temporary file in the same directory, to disk, and takes the name.
///
/// All of it goes through the handle of that directory, so that not even the temporary file comes to
/// be where a link leads that was put there meanwhile.
///
/// Mode bits are kept; owner and group where that is allowed. A file in a directory that takes no
/// new file and one that is a mount point are written in place, as the rename is impossible.
///
/// A file with several names (hard links) never is: its other names may be outside of the workspace,
/// where the agent may not write. They keep the old content.
///
/// # Errors
/// No regular file; no permission; disk full; several names, where the rename is impossible. The old
/// content then still stands, except in place.
pub fn write(roots: &Roots, path: &Path, content: &str) -> Result<(), RpcError> {
    let fail = |error: io::Error| failure("write", path, &error);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(refusal("write", path, "it is a directory"));
    };
    let dir = match roots.dir(parent, false) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => roots.dir(parent, true),
        opened => opened,
    };
    let dir = dir.map_err(fail)?;
    let Some((mut old, meta)) = existing(&dir, path, name)? else {
        return put(&dir, name, content.as_bytes(), None, None).map_err(fail);
    };
    match put(&dir, name, content.as_bytes(), Some(&meta), None) {
        Err(error) if forbids_replacing(&error) => {
            // As it is by now, not as it was.
            if old.metadata().map_err(fail)?.nlink() > 1 {
                let why = "it has other names (hard links), and its directory takes no new file";
                return Err(refusal("write", path, why));
            }
            in_place(&mut old, content).map_err(fail)
        }
        result => result.map_err(fail),
    }
}

/// The file that is there, open to be written: read-only ones are protected by their mode, which a
/// rename would pass by.
fn existing(dir: &Dir, path: &Path, name: &OsStr) -> Result<Option<(File, Metadata)>, RpcError> {
    let fail = |error: io::Error| failure("write", path, &error);
    let no_file = || {
        let why = "it is not a regular file (a link that just appeared, a pipe, socket or device)";
        refusal("write", path, why)
    };
    match dir.stat(name) {
        Ok((FileType::RegularFile, _)) => {}
        Ok((FileType::Directory, _)) => return Err(refusal("write", path, "it is a directory")),
        Ok(_) => return Err(no_file()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    }
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match dir.file(Path::new(name), flags) {
        Ok(file) => file,
        // Removed a moment ago.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    let meta = file.metadata().map_err(fail)?;
    if meta.is_file() {
        Ok(Some((file, meta)))
    } else {
        Err(no_file())
    }
}

/// Gives a file with that content the name, in the place of what has it: all or nothing. Owner, group
/// and mode are those of `old`, the mode's bits `mode` where it is given.
///
/// # Errors
/// As for files; what was there still is.
pub fn put(
    dir: &Dir,
    name: &OsStr,
    content: &[u8],
    old: Option<&Metadata>,
    bits: Option<u32>,
) -> io::Result<()> {
    prepare(dir, content, old, bits)?.rename(name)?;
    // The name is on disk only with its directory. Not all file systems can; the text is safe.
    let _ = dir.sync();
    Ok(())
}

/// The same up to the last step: what is to take the name.
///
/// # Errors
/// As for files.
pub fn prepare<'a>(
    dir: &'a Dir,
    content: &[u8],
    old: Option<&Metadata>,
    bits: Option<u32>,
) -> io::Result<Aside<'a>> {
    let mode = if old.is_some() || bits.is_some() {
        PRIVATE
    } else {
        NEW
    };
    let fill = |file: &mut File| {
        file.write_all(content)?;
        if let Some(old) = old {
            // Another's file in a shared directory: giving it away needs rights we may not have.
            let (uid, gid) = (
                rustix::fs::Uid::from_raw(old.uid()),
                rustix::fs::Gid::from_raw(old.gid()),
            );
            let _ = rustix::fs::fchown(&*file, Some(uid), Some(gid));
            // After the owner, since changing that clears set-id bits.
            file.set_permissions(old.permissions())?;
        }
        if let Some(bits) = bits {
            file.set_permissions(Permissions::from_mode(bits))?;
        }
        file.sync_all()
    };
    let mut new = match Temporary::nameless(dir, mode) {
        Ok(new) => new,
        Err(_) => Temporary::named(dir, mode)?,
    };
    fill(&mut new.file)?;
    if new.take_name().is_err() {
        new = Temporary::named(dir, mode)?;
        fill(&mut new.file)?;
    }
    new.aside()
}

/// A file that is gone unless it gets its final name.
struct Temporary<'a> {
    dir: &'a Dir,
    file: File,
    /// In the directory.
    name: Option<OsString>,
}

impl<'a> Temporary<'a> {
    /// Without a name, where the system can.
    fn nameless(dir: &'a Dir, mode: Mode) -> io::Result<Self> {
        Ok(Self {
            dir,
            file: system::nameless(dir, mode)?.into(),
            name: None,
        })
    }

    fn named(dir: &'a Dir, mode: Mode) -> io::Result<Self> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (fd, name) = with_new_name(|name| rustix::fs::openat(dir, name, flags, mode))?;
        Ok(Self {
            dir,
            file: fd.into(),
            name: Some(name),
        })
    }

    /// Gives it a name, from which it can be renamed: no call puts a nameless file in the place of
    /// another one.
    fn take_name(&mut self) -> io::Result<()> {
        if self.name.is_none() {
            use std::os::fd::AsRawFd;
            let file = format!("/proc/self/fd/{}", self.file.as_raw_fd());
            let (cwd, flags) = (rustix::fs::CWD, AtFlags::SYMLINK_FOLLOW);
            let link = |name: &OsStr| rustix::fs::linkat(cwd, &*file, self.dir, name, flags);
            self.name = Some(with_new_name(link)?.1);
        }
        Ok(())
    }

    /// What is whole, by the name that it has.
    fn aside(mut self) -> io::Result<Aside<'a>> {
        let name = self.name.take().ok_or(io::ErrorKind::NotFound)?;
        Ok(Aside::new(self.dir, name))
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = self.name.take()
            && let Err(error) = rustix::fs::unlinkat(self.dir, &*name, AtFlags::empty())
        {
            tracing::warn!(%error, name = %name.display(), "a temporary file stays");
        }
    }
}

/// The directory takes no new file, or the file is a mount point (as in containers).
fn forbids_replacing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy
    )
}

fn in_place(file: &mut File, content: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::PathBuf};

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        (dir, path)
    }

    /// In a workspace that is elsewhere, so that the path leads from `/`.
    fn write(path: &Path, content: &str) -> Result<(), RpcError> {
        super::write(&Roots::new(Path::new("/dev"), &[]).unwrap(), path, content)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn names(dir: &Path) -> Vec<std::ffi::OsString> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    }

    // V1-FS-10
    #[test]
    fn a_new_file_in_a_new_folder() {
        let (_dir, dir) = folder();
        let path = dir.join("a/b/new.txt");
        write(&path, "no newline").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"no newline");
        let plain = dir.as_path().join("plain");
        fs::write(&plain, "").unwrap();
        assert_eq!(mode(&path), mode(&plain));
    }

    #[test]
    fn content_is_written_byte_for_byte() {
        let (_dir, dir) = folder();
        let path = dir.join("f");
        write(&path, "\u{feff}a\r\nb\r").unwrap();
        assert_eq!(fs::read(&path).unwrap(), "\u{feff}a\r\nb\r".as_bytes());
    }

    #[test]
    fn the_mode_survives_and_no_temporary_file_stays() {
        let (_dir, dir) = folder();
        let path = dir.join("run.sh");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(mode(&path), 0o755);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&dir), ["run.sh"]);
    }

    #[test]
    fn the_other_names_of_a_file_keep_the_old_content() {
        let ((_dir, dir), (_outside, outside)) = (folder(), folder());
        let (one, two) = (dir.join("one"), outside.join("two"));
        fs::write(&two, "old and longer").unwrap();
        fs::set_permissions(&two, Permissions::from_mode(0o755)).unwrap();
        fs::hard_link(&two, &one).unwrap();
        write(&one, "new").unwrap();
        assert_eq!(fs::read(&one).unwrap(), b"new");
        assert_eq!(mode(&one), 0o755);
        assert_eq!(fs::read(&two).unwrap(), b"old and longer");
        assert_eq!(names(&dir), ["one"]);
    }

    #[test]
    fn where_no_new_file_can_be_made_only_a_file_of_one_name_is_written() {
        let ((_dir, dir), (_outside, outside)) = (folder(), folder());
        for name in ["single", "double"] {
            fs::write(dir.join(name), "old").unwrap();
        }
        fs::hard_link(dir.join("double"), outside.join("other")).unwrap();
        fs::set_permissions(&dir, Permissions::from_mode(0o555)).unwrap();
        // No mode keeps root from making files.
        let closed = fs::write(dir.join("probe"), "").is_err();
        let written = ["single", "double"].map(|name| write(&dir.join(name), "new"));
        fs::set_permissions(&dir, Permissions::from_mode(0o755)).unwrap();
        assert!(written[0].is_ok());
        assert_eq!(fs::read(dir.join("single")).unwrap(), b"new");
        assert_eq!(fs::read(outside.join("other")).unwrap(), b"old");
        if closed {
            let error = written[1].as_ref().unwrap_err();
            assert!(error.message.contains("hard links"), "{}", error.message);
            assert_eq!(fs::read(dir.join("double")).unwrap(), b"old");
        }
    }

    // V1-FS-11
    #[test]
    fn directories_and_links_that_appeared_since_are_refused() {
        let ((_dir, dir), (_outside, outside)) = (folder(), folder());
        let target = outside.join("t");
        fs::write(&target, "kept").unwrap();
        let link = dir.as_path().join("link");
        symlink(&target, &link).unwrap();
        symlink(&outside, dir.join("sub")).unwrap();
        assert!(write(&link, "x").is_err());
        assert!(write(&dir.as_path().join("sub/t"), "x").is_err());
        assert!(write(&dir, "x").is_err());
        assert_eq!(fs::read(&target).unwrap(), b"kept");
    }

    #[test]
    fn no_temporary_file_stays_whatever_fails() {
        let (_dir, dir) = folder();
        let handle = Dir::open(&dir).unwrap();
        for make in [Temporary::nameless, Temporary::named] {
            let Ok(mut new) = make(&handle, PRIVATE) else {
                continue;
            };
            new.take_name().unwrap();
            assert_eq!(names(&dir).len(), 1);
            drop(new);
            assert_eq!(names(&dir).len(), 0);
            let mut new = make(&handle, PRIVATE).unwrap();
            new.take_name().unwrap();
            fs::create_dir(dir.join("taken")).unwrap();
            assert!(new.aside().unwrap().rename(OsStr::new("taken")).is_err());
            assert_eq!(names(&dir), ["taken"]);
            fs::remove_dir(dir.join("taken")).unwrap();
        }
    }

    #[test]
    fn where_there_are_no_nameless_files_named_ones_do() {
        let (_dir, dir) = folder();
        let handle = Dir::open(&dir).unwrap();
        let mut new = Temporary::named(&handle, NEW).unwrap();
        new.file.write_all(b"text").unwrap();
        new.take_name().unwrap();
        new.aside().unwrap().rename(OsStr::new("f")).unwrap();
        assert_eq!(names(&dir), ["f"]);
        assert_eq!(fs::read(dir.join("f")).unwrap(), b"text");
    }

    #[test]
    fn what_others_may_not_read_they_may_not_read_meanwhile() {
        let (_dir, dir) = folder();
        let handle = Dir::open(&dir).unwrap();
        for new in [
            Temporary::nameless(&handle, PRIVATE),
            Temporary::named(&handle, PRIVATE),
        ] {
            let Ok(new) = new else { continue };
            assert_eq!(new.file.metadata().unwrap().mode() & 0o077, 0);
        }
    }
}
