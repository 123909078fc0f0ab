//! The agent's process and the group it leads.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group, setsid, test_kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::{
    acp::{LaunchError, LaunchSpec},
    guard::{self, Leader, Ward},
};

/// A started agent.
pub struct Process {
    pub child: Child,
    pub group: Group,
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
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
    spec.check()?;
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
        Err(error) => return Err(LaunchSpec::explain(path, error)),
    };
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let ((Some(stdin), Some(stdout), Some(stderr)), Some(group)) = (pipes, group) else {
        let source = std::io::Error::other("it has no pipes");
        return Err(LaunchError::Spawn { path, source });
    };
    Ok(Process {
        child,
        group: Group::new(group),
        stdin,
        stdout,
        stderr,
    })
}
