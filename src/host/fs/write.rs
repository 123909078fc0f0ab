//! Writing a whole text file (V1-FS-10, -11).

use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

use super::{failure, refusal};
use crate::proto::RpcError;

/// Replaces what `path`, which must be resolved, holds by exactly `content`; makes the file and the
/// directories above it where they are missing. A reader sees the old or the new content, never a
/// part: the text goes to a temporary file in the same directory, to disk, and takes the name.
///
/// Mode bits are kept; owner and group where that is allowed. A file with several names (hard
/// links), one in a directory that takes no new file and one that is a mount point are written in
/// place, as the rename would part the names, or is impossible.
///
/// # Errors
/// No regular file; no permission; disk full. The old content then still stands, except in place.
pub fn write(path: &Path, content: &str) -> Result<(), RpcError> {
    let fail = |error: io::Error| failure("write", path, &error);
    let Some(dir) = path.parent() else {
        return Err(refusal("write", path, "it is a directory"));
    };
    let old = match fs::symlink_metadata(path) {
        Ok(meta) => Some(meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
    };
    if let Some(old) = &old {
        if old.is_dir() {
            return Err(refusal("write", path, "it is a directory"));
        }
        if !old.is_file() {
            return Err(refusal(
                "write",
                path,
                "it is no regular file (a link that just appeared, a pipe, socket or device)",
            ));
        }
        // Read-only files are protected by their mode, which a rename would pass by.
        check_writable(path).map_err(fail)?;
    } else {
        fs::create_dir_all(dir).map_err(fail)?;
    }
    // Once more, with the directories there: none may have become a link since the path was judged.
    if fs::canonicalize(dir).map_err(fail)? != dir {
        return Err(refusal(
            "write",
            path,
            "a directory above it has just moved",
        ));
    }
    if let Some(old) = &old
        && old.nlink() > 1
    {
        return in_place(path, content).map_err(fail);
    }
    match replace(path, dir, content, old.as_ref()) {
        Err(error) if old.is_some() && forbids_replacing(&error) => {
            in_place(path, content).map_err(fail)
        }
        result => result.map_err(fail),
    }
}

fn replace(path: &Path, dir: &Path, content: &str, old: Option<&fs::Metadata>) -> io::Result<()> {
    let mut temp = tempfile::Builder::new()
        .prefix(".acp-tui-")
        // Cut by the umask, as any new file.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir)?;
    temp.write_all(content.as_bytes())?;
    if let Some(old) = old {
        // Another's file in a shared directory: giving it away needs rights we may not have.
        let (uid, gid) = (
            rustix::fs::Uid::from_raw(old.uid()),
            rustix::fs::Gid::from_raw(old.gid()),
        );
        let _ = rustix::fs::fchown(temp.as_file(), Some(uid), Some(gid));
        // After the owner, since changing that clears set-id bits.
        temp.as_file().set_permissions(old.permissions())?;
    }
    temp.as_file().sync_all()?;
    temp.persist(path).map_err(|error| error.error)?;
    // The name is on disk only with its directory. Not all file systems can; the text is safe.
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
    Ok(())
}

/// The directory takes no new file, or the file is a mount point (as in containers).
fn forbids_replacing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy
    )
}

fn in_place(path: &Path, content: &str) -> io::Result<()> {
    let mut file = open_existing(path)?;
    file.set_len(0)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()
}

fn check_writable(path: &Path) -> io::Result<()> {
    open_existing(path).map(drop)
}

fn open_existing(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

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

    #[test]
    fn a_new_file_in_a_new_folder_c055_v1_fs_10() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/new.txt");
        write(&path, "no newline").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"no newline");
        let plain = dir.path().join("plain");
        fs::write(&plain, "").unwrap();
        assert_eq!(mode(&path), mode(&plain));
    }

    #[test]
    fn content_is_written_byte_for_byte_c047() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write(&path, "\u{feff}a\r\nb\r").unwrap();
        assert_eq!(fs::read(&path).unwrap(), "\u{feff}a\r\nb\r".as_bytes());
    }

    #[test]
    fn the_mode_survives_and_no_temporary_file_stays_c059() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.sh");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(mode(&path), 0o755);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["run.sh"]);
    }

    #[test]
    fn hard_links_stay_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        fs::write(&one, "old and longer").unwrap();
        fs::hard_link(&one, &two).unwrap();
        write(&one, "new").unwrap();
        assert_eq!(fs::read(&two).unwrap(), b"new");
    }

    #[test]
    fn directories_and_links_that_appeared_since_are_refused_v1_fs_11() {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("t");
        fs::write(&target, "kept").unwrap();
        let link = dir.path().join("link");
        symlink(&target, &link).unwrap();
        symlink(outside.path(), dir.path().join("sub")).unwrap();
        assert!(write(&link, "x").is_err());
        assert!(write(&dir.path().join("sub/t"), "x").is_err());
        assert!(write(dir.path(), "x").is_err());
        assert_eq!(fs::read(&target).unwrap(), b"kept");
    }
}
