//! Files of our own folders, opened so that nothing that stands in their place is waited for: a pipe would be
//! for ever, and without a word.

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
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    only_regular(&file)?;
    Ok(file)
}

/// # Errors
/// It is no regular file.
pub fn only_regular(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        return Ok(());
    }
    let why = "is not a regular file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}
