//! Which client writes: one at a time for each project. Another one takes its place once it has ended.

use std::{
    fs::{DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use rustix::{fs::FlockOperation, io::Errno};

use super::packs::private;

pub const NAME: &str = "lock";
/// A store may be swept away between its opening and its locking.
const TRIES: usize = 3;

pub struct Lock {
    folder: PathBuf,
    held: Mutex<Option<File>>,
}

impl Lock {
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            held: Mutex::new(None),
        }
    }

    pub fn is_held(&self) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.is_some()
    }

    /// Takes it, if no other client has it. `true`: it was not ours before.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn take(&self) -> io::Result<bool> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(false);
        }
        for _ in 0..TRIES {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&self.folder)?;
            let path = self.folder.join(NAME);
            let Some(file) = locked(&path)? else {
                return Ok(false);
            };
            if path.metadata().map(|meta| meta.ino()).ok() == Some(file.metadata()?.ino()) {
                // When the store was used last.
                let _ = file.set_modified(SystemTime::now());
                *held = Some(file);
                return Ok(true);
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    #[cfg(test)]
    pub fn copy(&self) -> File {
        let held = self.held.lock().unwrap();
        held.as_ref().unwrap().try_clone().unwrap()
    }
}

/// The file, locked; `None`: another process has it.
///
/// # Errors
/// It cannot be opened, or its file system has no locks.
pub fn locked(path: &Path) -> io::Result<Option<File>> {
    let file = private(path)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Lets go of it. A process that is just being started has the file as well, until it runs its program:
/// closing ours would leave it locked for so long.
pub fn release(file: &File) {
    let _ = rustix::fs::flock(file, FlockOperation::Unlock);
}

impl Drop for Lock {
    fn drop(&mut self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*held {
            release(file);
        }
    }
}
