//! What was named and let through without being kept: an undo may not bring it back, so it is told.

use std::{
    io,
    path::{Path, PathBuf},
    sync::PoisonError,
};

use super::Changes;

/// Paths that are told; of more only how many.
const MOST: usize = 100;
/// No file has a longer path.
const LONGEST: usize = 4 << 10;

/// Those paths, each once, with the last reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Missed {
    pub paths: Vec<(PathBuf, String)>,
    pub more: usize,
}

impl Missed {
    fn note(&mut self, path: &Path, why: &str) {
        if path.as_os_str().len() > LONGEST {
            return;
        }
        let full = self.paths.len() >= MOST;
        let mut known = self.paths.iter_mut();
        match known.find(|(known, _)| known == path) {
            Some((_, last)) => why.clone_into(last),
            None if full => self.more += 1,
            None => self.paths.push((path.to_owned(), why.to_owned())),
        }
    }
}

impl Changes {
    /// These are let through without being kept.
    pub fn note_missed(&self, paths: &[PathBuf], why: &str) {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            missed.note(path, why);
        }
    }

    /// What was let through without being kept, in this run of the program.
    pub fn missed(&self) -> Missed {
        let missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        missed.clone()
    }
}

/// What went wrong, and what to do, where that is known.
pub fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full: make room, then try again".to_owned(),
        io::ErrorKind::QuotaExceeded => {
            "your quota is used up: make room, then try again".to_owned()
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "its file system is read-only: mount it writable, then try again".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "permission denied: make its folder writable for you, then try again".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_told_once_and_of_many_only_how_many() {
        for over in [-1_isize, 0, 1] {
            let mut missed = Missed::default();
            for n in 0..MOST.strict_add_signed(over) {
                missed.note(Path::new(&n.to_string()), "first");
                missed.note(Path::new("0"), "last");
            }
            assert_eq!(missed.paths.len(), MOST.strict_add_signed(over.min(0)));
            assert_eq!(missed.more, usize::from(over == 1));
            assert_eq!(missed.paths[0].1, "last");
        }
        let mut missed = Missed::default();
        for over in [0, 1] {
            missed.note(Path::new(&"x".repeat(LONGEST + over)), "");
        }
        assert_eq!(missed.paths.len(), 1);
    }
}
