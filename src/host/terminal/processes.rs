//! The processes that belong to one terminal, and ending them all (V1-TERM-12, -13, -17).
//!
//! A command leads a session and a group of its own, so its descendants are found by session. Job
//! control makes more groups in it; a daemon leaves it by `setsid`, but not without the marker in
//! its environment. On Linux both are looked up in `/proc`; elsewhere there is only the group.
//!
//! Is the number still ours? As long as the leader was not waited for, its process number is
//! taken. Afterwards the kernel gives the number to nobody while a process is left whose session
//! or group it is. So: once the leader is gone, a process that has its number proves that nothing
//! of ours was left at some time since, and nothing is signalled by number any more.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal};

/// Names the terminal in the environment of what runs in it.
pub const MARKER: &str = "ACP_TUI_TERMINAL";

#[derive(Debug)]
pub struct Processes {
    leader: Pid,
    /// Value of [`MARKER`], of this terminal alone.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    marker: String,
    /// The leader was waited for.
    reaped: AtomicBool,
}

impl Processes {
    pub fn new(leader: Pid, marker: String) -> Self {
        Self {
            leader,
            marker,
            reaped: AtomicBool::new(false),
        }
    }

    pub fn set_reaped(&self) {
        self.reaped.store(true, Ordering::Release);
    }

    fn reaped(&self) -> bool {
        self.reaped.load(Ordering::Acquire)
    }
}

/// Sends `signals` to every process of the terminals, and tells how many there were. Reads all of
/// `/proc` on Linux: for blocking tasks.
#[cfg(target_os = "linux")]
pub fn signal_all(terminals: &[&Processes], signals: &[Signal]) -> usize {
    let members = linux::members(terminals);
    for &pid in &members {
        for &signal in signals {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
    members.len()
}

#[cfg(not(target_os = "linux"))]
pub fn signal_all(terminals: &[&Processes], signals: &[Signal]) -> usize {
    use rustix::process::{kill_process_group, test_kill_process, test_kill_process_group};
    let mut alive = 0;
    for terminal in terminals {
        let taken_by_another = terminal.reaped() && test_kill_process(terminal.leader).is_ok();
        if taken_by_another || test_kill_process_group(terminal.leader).is_err() {
            continue;
        }
        alive += 1;
        for &signal in signals {
            let _ = kill_process_group(terminal.leader, signal);
        }
    }
    alive
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{collections::HashSet, fs};

    use rustix::process::Pid;

    use super::{MARKER, Processes};

    struct Process {
        pid: Pid,
        parent: i32,
        session: i32,
        zombie: bool,
    }

    pub(super) fn members(terminals: &[&Processes]) -> Vec<Pid> {
        let all = processes();
        let sessions: HashSet<i32> = terminals
            .iter()
            .filter(|terminal| {
                !(terminal.reaped() && all.iter().any(|process| process.pid == terminal.leader))
            })
            .map(|terminal| terminal.leader.as_raw_nonzero().get())
            .collect();
        let markers: HashSet<Vec<u8>> = terminals
            .iter()
            .map(|terminal| format!("{MARKER}={}", terminal.marker).into_bytes())
            .collect();
        let mut members: HashSet<i32> = all
            .iter()
            .filter(|process| sessions.contains(&process.session) || has_marker(process, &markers))
            .map(|process| process.pid.as_raw_nonzero().get())
            .collect();
        // Children that left the session with an emptied environment, as long as their parent is
        // there. Each round goes one generation down.
        loop {
            let before = members.len();
            for process in &all {
                if members.contains(&process.parent) {
                    members.insert(process.pid.as_raw_nonzero().get());
                }
            }
            if members.len() == before {
                break;
            }
        }
        all.into_iter()
            .filter(|process| {
                !process.zombie && members.contains(&process.pid.as_raw_nonzero().get())
            })
            .map(|process| process.pid)
            .collect()
    }

    fn processes() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| {
                let name = entry.ok()?.file_name();
                let pid = Pid::from_raw(name.to_str()?.parse().ok()?)?;
                parse_stat(
                    pid,
                    &fs::read_to_string(format!("/proc/{}/stat", name.to_str()?)).ok()?,
                )
            })
            .collect()
    }

    /// `pid (name) state parent group session …`; the name may hold blanks and brackets.
    fn parse_stat(pid: Pid, stat: &str) -> Option<Process> {
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut fields = fields.split(' ');
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        Some(Process {
            pid,
            parent,
            session,
            zombie: matches!(state, "Z" | "X"),
        })
    }

    fn has_marker(process: &Process, markers: &HashSet<Vec<u8>>) -> bool {
        // Unreadable for processes of others, which cannot be ours.
        fs::read(format!("/proc/{}/environ", process.pid.as_raw_nonzero())).is_ok_and(|environ| {
            environ
                .split(|byte| *byte == 0)
                .any(|var| markers.contains(var))
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn stat_is_read_whatever_the_name() {
            let pid = Pid::from_raw(7).unwrap();
            let process = parse_stat(pid, "7 (a) (b) S 1 2 3 0 -1").unwrap();
            assert_eq!((process.parent, process.session), (1, 3));
            assert!(parse_stat(pid, "7 (x) Z 1 2 3").unwrap().zombie);
            assert!(parse_stat(pid, "garbage").is_none());
        }
    }
}
