//! The processes that belong to one terminal, and ending them all (V1-TERM-12, V1-TERM-13,
//! V1-TERM-17).
//!
//! A command leads a new session and group, so its descendants are found by session. Job
//! control makes more groups in it; a daemon leaves it by `setsid`, but not without the marker in
//! its environment. On Linux both are looked up in `/proc`; elsewhere there is only the group.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, test_kill_process};

use crate::guard::{Leader, Ward, signal};

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

    /// By its number alone: a process that has it although the leader was waited for is another's. On
    /// Linux it is known by its start.
    fn is_taken_by_another(&self) -> bool {
        !cfg!(target_os = "linux")
            && self.reaped.load(Ordering::Acquire)
            && test_kill_process(self.leader.pid).is_ok()
    }
}

/// Sends `signals` to every process of the terminals, and returns how many were left. Reads all of
/// `/proc` on Linux: for blocking tasks.
pub fn signal_all(terminals: &[&Processes], signals: &[Signal]) -> usize {
    let terminals = terminals.iter();
    let ours = terminals.filter(|terminal| !terminal.is_taken_by_another());
    signal(ours.map(|terminal| &terminal.leader), signals)
}
