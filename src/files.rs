//! Files that are opened by their name alone, so that nothing that stands in their place is waited for: a pipe
//! would be for ever, and without a word.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

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
