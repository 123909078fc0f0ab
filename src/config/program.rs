//! Programs on PATH.

use std::{
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::text::SafeText;

/// A program that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", SafeText::line(&self.text()))]
pub struct NotFound {
    pub program: OsString,
    pub install: Option<String>,
}

impl NotFound {
    fn text(&self) -> String {
        let program = self.program.to_string_lossy();
        let place = if program.contains('/') {
            ""
        } else {
            " on PATH"
        };
        match &self.install {
            Some(how) => format!("{program} was not found{place}; install: {how}"),
            None => format!("{program} was not found{place}"),
        }
    }
}

/// The file that would be run for `program`: with a `/` in it that path (relative ones count from
/// `cwd`), else the first executable of that name on `path` (a PATH variable's value).
pub fn find_program(program: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(cwd.join(program)).filter(|p| is_executable(p));
    }
    std::env::split_paths(path?)
        .map(|dir| cwd.join(dir).join(program))
        .find(|p| is_executable(p))
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
