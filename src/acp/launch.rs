//! What to start, and why it could not be started.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

/// How an agent is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// A name, looked up on PATH, or a path (anything with a `/`), which counts from our own
    /// working directory.
    pub program: String,
    pub args: Vec<String>,
    /// Laid over our own environment. A PATH in here is also where `program` is looked up.
    pub env: Vec<(String, String)>,
    /// The process's working directory.
    pub cwd: PathBuf,
}

/// Why an agent could not be started, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error(
        "`{program}` was not found on PATH: install it, or give the agent's `command` as a full path"
    )]
    NotOnPath { program: String },
    #[error("`{}` does not exist: correct the agent's `command`", path.display())]
    NoSuchFile { path: PathBuf },
    #[error("`{}` is not executable: make it so (chmod +x), or correct the agent's `command`", path.display())]
    NotExecutable { path: PathBuf },
    #[error("the directory `{}` does not exist or cannot be entered: choose another with --cwd", cwd.display())]
    Cwd { cwd: PathBuf },
    #[error("`{}` could not be started: the interpreter that its first line names was not found", path.display())]
    NoInterpreter { path: PathBuf },
    #[error("`{}` could not be started: {source}; try it in a shell", path.display())]
    Spawn { path: PathBuf, source: io::Error },
}

impl LaunchSpec {
    /// The file to run.
    ///
    /// # Errors
    /// When there is none that can be run, or no directory to run it in.
    pub fn resolve(&self) -> Result<PathBuf, LaunchError> {
        if !self.cwd.is_dir() {
            return Err(LaunchError::Cwd {
                cwd: self.cwd.clone(),
            });
        }
        if !self.program.contains('/') {
            let own_path = self.env.iter().rfind(|(name, _)| name == "PATH");
            let path = own_path
                .map(|(_, path)| OsString::from(path))
                .or_else(|| std::env::var_os("PATH"))
                .unwrap_or_default();
            return find_program(&self.program, &path).ok_or_else(|| LaunchError::NotOnPath {
                program: self.program.clone(),
            });
        }
        // Absolute, since the child is to run elsewhere.
        let path = std::path::absolute(&self.program).unwrap_or_else(|_| (&self.program).into());
        if !path.exists() {
            Err(LaunchError::NoSuchFile { path })
        } else if !is_executable(&path) {
            Err(LaunchError::NotExecutable { path })
        } else {
            Ok(path)
        }
    }

    /// Why the system did not start what was found.
    pub(super) fn explain(path: PathBuf, source: io::Error) -> LaunchError {
        if source.kind() == io::ErrorKind::NotFound {
            LaunchError::NoInterpreter { path }
        } else {
            LaunchError::Spawn { path, source }
        }
    }
}

/// The first executable file of that name on `path`, which has the form of the variable PATH.
pub fn find_program(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    fn spec(program: &str) -> LaunchSpec {
        LaunchSpec {
            program: program.to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: std::env::temp_dir(),
        }
    }

    fn complaint(spec: &LaunchSpec) -> String {
        spec.resolve().expect_err("nothing to run").to_string()
    }

    // C117
    #[test]
    fn what_is_missing_is_named() {
        let said = complaint(&spec("/no/such/agent-xyz"));
        assert!(said.contains("/no/such/agent-xyz") && said.contains("does not exist"));
        let said = complaint(&spec("no-such-agent-xyz"));
        assert!(said.contains("`no-such-agent-xyz` was not found on PATH"));
        let mut elsewhere = spec("sh");
        elsewhere.cwd = "/no/such/folder".into();
        assert!(complaint(&elsewhere).contains("/no/such/folder"));
    }

    #[test]
    fn a_file_that_cannot_be_run_is_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("agent");
        fs::write(&file, "").expect("written");
        let path = file.to_string_lossy();
        assert!(complaint(&spec(&path)).contains("not executable"));

        // On PATH it is passed over, as by a shell.
        let mut by_name = spec("agent");
        by_name.env = vec![("PATH".into(), folder.path().to_string_lossy().into())];
        assert!(complaint(&by_name).contains("not found on PATH"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("chmod");
        assert_eq!(by_name.resolve().expect("found"), file);
    }
}
