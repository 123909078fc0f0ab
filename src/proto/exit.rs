//! How a process ended.

use std::{os::unix::process::ExitStatusExt, process};

use crate::{proto::ExitStatus, text::SafeText};

/// How the agent's process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentExit {
    /// `None` if it did not end in time to be told.
    pub status: Option<ExitStatus>,
    /// The end of its stderr, bounded.
    pub stderr: SafeText,
    /// Why the connection ended otherwise: stdout closed, could not be written to.
    pub cause: Option<SafeText>,
}

impl From<process::ExitStatus> for ExitStatus {
    fn from(status: process::ExitStatus) -> Self {
        Self {
            code: status.code().map(i64::from),
            signal: status.signal().map(signal_name),
        }
    }
}

/// `SIGKILL` form (V1-TERM-09); `SIG` and the number for what has no name here.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGALRM => "SIGALRM",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGIO => "SIGIO",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGPROF => "SIGPROF",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGVTALRM => "SIGVTALRM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        other => return format!("SIG{other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-TERM-09
    #[test]
    fn codes_and_signals_are_told_apart() {
        let exited = ExitStatus::from(process::ExitStatus::from_raw(3 << 8));
        assert_eq!((exited.code, exited.signal), (Some(3), None));
        let killed = ExitStatus::from(process::ExitStatus::from_raw(9));
        assert_eq!(
            (killed.code, killed.signal.as_deref()),
            (None, Some("SIGKILL"))
        );
    }
}
