//! The agent's process and the group it leads: what to start, and why it could not be started.

use std::{ffi::OsString, io, path::PathBuf, process::Stdio};

use rustix::process::{Pid, Signal, kill_process_group, setsid, test_kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};

use crate::{
    acp::pipe::Pipe,
    guard::{self, Leader, Ward},
    model::{Dialect, Protocol},
};

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

impl LaunchError {
    /// Why the system did not start it.
    pub fn of(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::NoInterpreter { path },
            _ => Self::Spawn { path, source },
        }
    }
}

/// A started agent.
pub struct Process {
    pub child: Child,
    pub group: Group,
    pub stdin: ChildStdin,
    pub stdout: Pipe,
    pub stderr: ChildStderr,
}

/// Everything that the agent started, as far as it stayed in the group. It can outlive its leader:
/// launchers end and leave the real agent behind. What is left of it when the client is killed
/// is the [guard]'s to end.
#[derive(Debug)]
pub struct Group {
    leader: Pid,
    _ward: Ward,
}

impl Group {
    /// To be called before the leader was waited for.
    fn new(leader: Pid) -> Self {
        Self {
            leader,
            _ward: Ward::new(&Leader::of_group(leader)),
        }
    }

    /// A group that is gone is no error.
    pub fn signal(&self, signal: Signal) {
        // The only other failure, a member that became another user's, cannot be helped.
        let _ = kill_process_group(self.leader, signal);
    }

    pub fn is_alive(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }
}

/// Starts the agent. To be called on a thread that lives as long as the agent should: on Linux the
/// process gets a signal when the thread that started it ends.
///
/// # Errors
/// The directory is missing, or the system refuses.
pub fn spawn(spec: &LaunchSpec) -> Result<Process, LaunchError> {
    if !spec.cwd.is_dir() {
        let cwd = spec.cwd.clone();
        return Err(LaunchError::Cwd { cwd });
    }
    let path = spec.program.clone();
    let mut command = Command::new(&path);
    command
        .arg0(&spec.name)
        .args(&spec.args)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // The last resort, should the runtime end without stopping the agent.
        .kill_on_drop(true);
    // SAFETY: between fork and exec only system calls are made; nothing allocates or locks.
    unsafe {
        command.pre_exec(|| {
            // A session of its own: a process group to signal, and no terminal, so that nothing the
            // agent runs can write to our screen or take our keys.
            setsid()?;
            guard::end_with_parent()
        });
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Err(LaunchError::of(path, error)),
    };
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let ((Some(stdin), Some(stdout), Some(stderr)), Some(group)) = (pipes, group) else {
        let source = io::Error::other("it has no pipes");
        return Err(LaunchError::Spawn { path, source });
    };
    let stdout = match Pipe::new(stdout) {
        Ok(stdout) => stdout,
        Err(error) => return Err(LaunchError::of(path, error)),
    };
    Ok(Process {
        child,
        group: Group::new(group),
        stdin,
        stdout,
        stderr,
    })
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
        let said = spawn(&spec).err().expect("no folder").to_string();
        assert!(said.contains("/no/such/folder") && said.contains("--cwd"));
        let gone = io::Error::from(io::ErrorKind::NotFound);
        let said = LaunchError::of("/opt/agent".into(), gone).to_string();
        assert!(said.contains("/opt/agent") && said.contains("not found"));
    }
}
