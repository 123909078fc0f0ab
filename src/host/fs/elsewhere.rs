//! In place of what only Linux does.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

/// Of a directory, to go on from there: one that may be searched but not listed cannot be held.
pub const HANDLE: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

/// There is no such call.
pub fn at_once(_: impl AsFd, _: &Path, _: OFlags) -> Option<io::Result<OwnedFd>> {
    None
}

/// Each file has a name.
pub fn nameless(_: impl AsFd, _: Mode) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

/// There is no such call.
pub fn exchange(_: impl AsFd, _: &OsStr, _: &OsStr) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}

/// There is no such call.
pub fn rename_new(_: impl AsFd, _: &OsStr, _: &OsStr) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}

/// It would be the whole process.
pub fn give_way() {}
