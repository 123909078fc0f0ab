//! The processes that belong to one terminal, and ending them all (V1-TERM-12, V1-TERM-13,
//! V1-TERM-17).
//!
//! A command leads a session and a group of its own, so its descendants are found by session. Job
//! control makes more groups in it; a daemon leaves it by `setsid`, but not without the marker in
//! its environment. On Linux both are looked up in `/proc` ([`members`]); elsewhere there is only the
//! group.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal};

#[cfg(target_os = "linux")]
use crate::guard::members;
use crate::guard::{Leader, Ward};

pub use crate::guard::MARKER;

#[derive(Debug)]
pub struct Processes {
    leader: Leader,
    /// As long as it is kept, what is left here ends with the client even if that is killed.
    _ward: Ward,
    /// The leader was waited for.
    reaped: AtomicBool,
}

impl Processes {
    /// `marker`: the value of [`MARKER`], of this terminal alone; `None` where what leaves the session is
    /// let go. To be called before the leader was waited for.
    pub fn new(leader: Pid, marker: Option<String>) -> Self {
        let leader = Leader::new(leader, marker);
        Self {
            _ward: Ward::new(&leader),
            leader,
            reaped: AtomicBool::new(false),
        }
    }

    pub fn set_reaped(&self) {
        self.reaped.store(true, Ordering::Release);
    }

    #[cfg(not(target_os = "linux"))]
    fn reaped(&self) -> bool {
        self.reaped.load(Ordering::Acquire)
    }
}

/// Sends `signals` to every process of the terminals, and tells how many there were. Reads all of
/// `/proc` on Linux: for blocking tasks.
#[cfg(target_os = "linux")]
pub fn signal_all(terminals: &[&Processes], signals: &[Signal]) -> usize {
    let members = members(terminals.iter().map(|terminal| &terminal.leader));
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
        let taken_by_another = terminal.reaped() && test_kill_process(terminal.leader.pid).is_ok();
        if taken_by_another || test_kill_process_group(terminal.leader.pid).is_err() {
            continue;
        }
        alive += 1;
        for &signal in signals {
            let _ = kill_process_group(terminal.leader.pid, signal);
        }
    }
    alive
}
