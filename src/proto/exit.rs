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

/// `SIGKILL` form (V1-TERM-09). The numbers that differ between systems are left as numbers.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("SIG{signal}"),
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
