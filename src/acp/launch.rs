//! What to start, and why it could not be started.

use std::{ffi::OsString, io, path::PathBuf};

use crate::model::{Dialect, Protocol};

/// How an agent is started, and spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSpec {
    /// The file to run: absolute, already looked up.
    pub program: PathBuf,
    /// The name that it was asked for by, its `argv[0]`: some programs look at it.
    pub name: OsString,
    pub args: Vec<OsString>,
    /// Laid over our own environment.
    pub env: Vec<(OsString, OsString)>,
    /// The process's working directory.
    pub cwd: PathBuf,
    pub dialect: Dialect,
    pub protocol: Protocol,
    /// Bytes of the longest line that is read from it (V1-RPC-21).
    pub max_line: usize,
}

/// Why an agent could not be started, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("the directory `{}` does not exist or cannot be entered: choose another with --cwd", cwd.display())]
    Cwd { cwd: PathBuf },
    #[error("`{}` could not be started: it, or the interpreter that its first line names, was not found", path.display())]
    NoInterpreter { path: PathBuf },
    #[error("`{}` could not be started: {source}; try it in a shell", path.display())]
    Spawn { path: PathBuf, source: io::Error },
}

impl LaunchSpec {
    /// # Errors
    /// There is no directory to run it in.
    pub(super) fn check(&self) -> Result<(), LaunchError> {
        if self.cwd.is_dir() {
            Ok(())
        } else {
            Err(LaunchError::Cwd {
                cwd: self.cwd.clone(),
            })
        }
    }

    /// Why the system did not start it.
    pub(super) fn explain(path: PathBuf, source: io::Error) -> LaunchError {
        if source.kind() == io::ErrorKind::NotFound {
            LaunchError::NoInterpreter { path }
        } else {
            LaunchError::Spawn { path, source }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Without the name people look for the fault in the agent and not in their configuration.
    #[test]
    fn what_is_missing_is_named() {
        let spec = LaunchSpec {
            program: "/bin/sh".into(),
            name: "sh".into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: "/no/such/folder".into(),
            dialect: Dialect::default(),
            protocol: Protocol::V1,
            max_line: usize::MAX,
        };
        let said = spec.check().expect_err("no folder").to_string();
        assert!(said.contains("/no/such/folder") && said.contains("--cwd"));
        let gone = io::Error::from(io::ErrorKind::NotFound);
        let said = LaunchSpec::explain("/opt/agent".into(), gone).to_string();
        assert!(said.contains("/opt/agent") && said.contains("not found"));
    }
}
