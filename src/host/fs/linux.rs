//! What Linux does in one step or without a name.

use std::{
    ffi::OsStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{Mode, OFlags, RenameFlags, ResolveFlags, openat, openat2, renameat_with},
    io::Errno,
};

/// Of a directory, only to go on from there: not even the right to list it is needed.
pub const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);

/// Opens what is below a directory, following no link. `None` where the kernel cannot, or a sandbox
/// does not let it.
pub fn at_once(dir: impl AsFd, below: &Path, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    /// How often a rename somewhere may disturb it.
    const TRIES: usize = 16;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let below = if below.as_os_str().is_empty() {
        Path::new(".")
    } else {
        below
    };
    for _ in 0..TRIES {
        match openat2(&dir, below, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            // Going part by part will show whether it is the file that forbids it.
            Err(Errno::NOSYS | Errno::PERM) => return None,
            opened => return Some(opened.map_err(io::Error::from)),
        }
    }
    None
}

/// A file without a name, so that nothing is left of it even if the client is killed.
pub fn nameless(dir: impl AsFd, mode: Mode) -> io::Result<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    Ok(openat(dir, ".", flags, mode)?)
}

/// Two names of a directory change places, in one step.
pub fn exchange(dir: impl AsFd, one: &OsStr, other: &OsStr) -> rustix::io::Result<()> {
    renameat_with(&dir, one, &dir, other, RenameFlags::EXCHANGE)
}

/// A rename within a directory to a name that nothing has, in one step.
pub fn rename_new(dir: impl AsFd, from: &OsStr, to: &OsStr) -> rustix::io::Result<()> {
    renameat_with(&dir, from, &dir, to, RenameFlags::NOREPLACE)
}

/// The calling thread gives way to others.
pub fn give_way() {
    const NICE: i32 = 10;
    // For Linux that is one thread. It may have less already.
    let _ = rustix::process::setpriority_process(None, NICE);
}
