//! Where there is no `/proc`, only the group that a leader leads is found.

use std::io;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::Leader;

/// Sends `signals` to the groups of the leaders, and returns how many there were.
pub fn signal<'a>(leaders: impl IntoIterator<Item = &'a Leader>, signals: &[Signal]) -> usize {
    let leaders = leaders.into_iter();
    let alive = leaders.filter(|leader| {
        for &signal in signals {
            let _ = kill_process_group(leader.pid, signal);
        }
        test_kill_process_group(leader.pid).is_ok()
    });
    alive.count()
}

/// Unknown there.
pub fn start_of(_: Pid) -> Option<u64> {
    None
}

/// There is no such signal.
pub fn end_with_parent() -> io::Result<()> {
    Ok(())
}

/// It keeps the name of the link it was started by.
pub fn set_name(_: &str) {}
