//! How a process ended.

use std::{os::unix::process::ExitStatusExt, process};

use crate::{model::ExitStatus, text::SafeText};

/// How the agent's process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentExit {
    /// `None` if it did not end in time.
    pub status: Option<ExitStatus>,
    /// The end of its stderr, bounded.
    pub stderr: SafeText,
    /// Any other reason for the end of the connection: stdout closed, stdin not writable.
    pub cause: Option<SafeText>,
}

impl ExitStatus {
    /// To follow "ended": `with exit code 1`, `by SIGKILL`.
    pub fn how(&self) -> String {
        match (&self.signal, self.code) {
            (Some(signal), _) => format!("by {signal}"),
            (None, Some(code)) => format!("with exit code {code}"),
            (None, None) => "for an unknown reason".to_owned(),
        }
    }
}

impl AgentExit {
    /// The line of stderr that says why it ended; `None` if a signal from outside ended it.
    pub fn why(&self) -> Option<String> {
        let status = self.status.as_ref();
        match status.and_then(|status| status.signal.as_deref()) {
            Some("SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT") => None,
            _ => telling_line(&self.stderr),
        }
    }
}

/// Lines at the end of stderr that are searched for the cause: the agent survived older errors.
const LAST_LINES: usize = 50;

/// The last line that looks like an error: later lines rarely help ("note: run with
/// RUST_BACKTRACE=1"). Without one, the last line.
fn telling_line(stderr: &str) -> Option<String> {
    const SIGNS: &[&str] = &[
        "error",
        "panic",
        "fatal",
        "exception",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "unable to",
        "failed",
        "not found",
        "no such",
        "denied",
        "refused",
        "missing",
    ];
    let lines = stderr.lines().map(str::trim);
    let mut lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.drain(..lines.len().saturating_sub(LAST_LINES));
    let looks_like_error = |line: &&str| {
        let line = line.to_lowercase();
        // A stack's frame may well be in a function that throws errors.
        !line.starts_with("at ") && SIGNS.iter().any(|sign| line.contains(sign))
    };
    let at = lines.iter().rposition(looks_like_error);
    let (line, next) = match at {
        Some(at) => (lines.get(at)?, lines.get(at + 1)),
        None => (lines.last()?, None),
    };
    Some(match next {
        // "thread 'main' panicked at src/main.rs:1:5:"
        Some(next) if line.ends_with(':') => format!("{line} {next}"),
        _ => (*line).to_owned(),
    })
}

impl From<process::ExitStatus> for ExitStatus {
    fn from(status: process::ExitStatus) -> Self {
        Self {
            code: status.code().map(i64::from),
            signal: status.signal().map(signal_name),
        }
    }
}

/// A signal's name, `SIGKILL` (V1-TERM-09); `SIG` and the number if it has no name here.
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
