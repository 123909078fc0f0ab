//! Files that are opened by their name alone, so that nothing that stands in their place is waited for: a pipe
//! would be for ever, and without a word.

use std::{
    fs::{File, Metadata, OpenOptions},
    io,
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::Path,
};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Opens a file to be read.
///
/// # Errors
/// As for files; it is no regular one.
pub fn regular(path: &Path) -> io::Result<File> {
    // Some devices act on being opened.
    if !path.metadata()?.is_file() {
        return Err(not_regular());
    }
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    // Another one may be there by now.
    only_regular(&file)?;
    Ok(file)
}

/// Opens a file that was asked for, with `options` that write: a regular one, a terminal or the like, or a pipe
/// that a shell has made for us (`/dev/stderr`, `/dev/fd/3`), which has a reader.
///
/// # Errors
/// As for files; it is something else.
pub fn writable(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Ok(meta) = path.metadata() {
        can_be_written(path, &meta)?;
    }
    let file = options
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    can_be_written(path, &file.metadata()?)?;
    // Only opening must not wait: who reads slowly gets all.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

fn can_be_written(path: &Path, meta: &Metadata) -> io::Result<()> {
    let kind = meta.file_type();
    let of_a_shell = kind.is_fifo() && path.starts_with("/dev");
    // What is wrong with a folder is said when it is opened.
    if kind.is_file() || kind.is_dir() || kind.is_char_device() || of_a_shell {
        return Ok(());
    }
    let why = "is neither a regular file nor a terminal";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// # Errors
/// It is no regular file.
pub fn only_regular(file: &File) -> io::Result<()> {
    match file.metadata()?.is_file() {
        true => Ok(()),
        false => Err(not_regular()),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    #[test]
    fn no_pipe_is_waited_for_and_devices_are_written_to_where_that_is_meant() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).expect("made");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("pipe", &link).expect("made");
        for path in [&pipe, &link] {
            let error = regular(path).expect_err("a pipe");
            assert_eq!(error.to_string(), "is not a regular file");
            let error = writable(path, OpenOptions::new().append(true)).expect_err("a pipe");
            assert_eq!(
                error.to_string(),
                "is neither a regular file nor a terminal"
            );
        }
        for path in ["/dev/zero", "/dev/tty", "."] {
            assert!(regular(Path::new(path)).is_err(), "{path}");
        }
        let file = folder.path().join("file");
        for path in [Path::new("/dev/null"), &file] {
            let file = writable(path, OpenOptions::new().create(true).append(true));
            file.and_then(|mut file| file.write_all(b"x"))
                .expect("written");
        }
        assert_eq!(fs::read(&file).expect("there"), b"x");
        // As of a shell: `>(cat)`.
        let (reader, writer) = io::pipe().expect("a pipe");
        let number = std::os::fd::AsRawFd::as_raw_fd(&writer);
        let path = format!("/dev/fd/{number}");
        let file = writable(Path::new(&path), OpenOptions::new().write(true)).expect("opened");
        let flags = fcntl_getfl(&file).expect("flags");
        assert!(
            !flags.contains(OFlags::NONBLOCK),
            "it would lose what comes too fast"
        );
        drop(reader);
    }
}
