//! On Linux the processes that belong to a leader are found in `/proc`.

use std::{collections::HashSet, ffi::CString, fs, io};

use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};

use super::{Leader, MARKER};

struct Process {
    pid: Pid,
    parent: i32,
    group: i32,
    session: i32,
    start: u64,
    zombie: bool,
}

/// Every process that belongs to one of them: by its session or group, by the marker in its
/// environment, or by its parent. Reads all of `/proc`: for blocking tasks.
///
/// Is the number of a leader still its own? As long as it was not waited for, it is taken. Afterwards
/// the kernel gives the number to nobody while a process is left whose session or group it is. So a
/// process that has the number and another start proves that nothing of ours was left at some time
/// since, and nothing is found by that number any more.
fn members<'a>(leaders: impl IntoIterator<Item = &'a Leader>) -> Vec<Pid> {
    let all = processes();
    let (mut sessions, mut groups) = (HashSet::new(), HashSet::new());
    let mut markers: HashSet<Vec<u8>> = HashSet::new();
    for leader in leaders {
        if let Some(marker) = &leader.marker {
            markers.insert(format!("{MARKER}={marker}").into_bytes());
        }
        let number = leader.pid.as_raw_nonzero().get();
        let now = all.iter().find(|process| process.pid == leader.pid);
        if now.is_some_and(|now| leader.start.is_some_and(|start| start != now.start)) {
            continue;
        }
        if leader.group_only {
            groups.insert(number);
        } else {
            sessions.insert(number);
        }
    }
    let mut members: HashSet<i32> = all
        .iter()
        .filter(|process| {
            sessions.contains(&process.session)
                || groups.contains(&process.group)
                || !markers.is_empty() && has_marker(process, &markers)
        })
        .map(|process| process.pid.as_raw_nonzero().get())
        .collect();
    // Children that left the session with an emptied environment, as long as their parent is
    // there. Each round goes one generation down. What left an agent's group is its own affair.
    let of_group: HashSet<i32> = all
        .iter()
        .filter(|process| groups.contains(&process.group))
        .map(|process| process.pid.as_raw_nonzero().get())
        .collect();
    loop {
        let before = members.len();
        for process in &all {
            if members.contains(&process.parent) && !of_group.contains(&process.parent) {
                members.insert(process.pid.as_raw_nonzero().get());
            }
        }
        if members.len() == before {
            break;
        }
    }
    all.into_iter()
        .filter(|process| !process.zombie && members.contains(&process.pid.as_raw_nonzero().get()))
        .map(|process| process.pid)
        .collect()
}

/// Sends `signals` to all that belongs to the leaders, and returns how many processes there were. For
/// blocking tasks.
pub fn signal<'a>(leaders: impl IntoIterator<Item = &'a Leader>, signals: &[Signal]) -> usize {
    let members = members(leaders);
    for &pid in &members {
        for &signal in signals {
            // It may have ended meanwhile.
            let _ = kill_process(pid, signal);
        }
    }
    members.len()
}

/// Between fork and exec: who started it ends it by its own end, however that comes.
pub fn end_with_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::TERM))?)
}

/// What lists of processes show for this one, else the name of the link it was started by.
pub fn set_name(name: &str) {
    if let Ok(name) = CString::new(name) {
        let _ = rustix::thread::set_name(&name);
    }
}

/// When a process was started, in ticks since the system was.
pub fn start_of(pid: Pid) -> Option<u64> {
    Some(process(pid)?.start)
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            process(Pid::from_raw(name.to_str()?.parse().ok()?)?)
        })
        .collect()
}

fn process(pid: Pid) -> Option<Process> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name in it is bytes.
    parse_stat(pid, &String::from_utf8_lossy(&stat))
}

/// `pid (name) state parent group session …`; the name may hold blanks and brackets.
fn parse_stat(pid: Pid, stat: &str) -> Option<Process> {
    /// The start is the 22nd field of all.
    const FROM_SESSION_TO_START: usize = 15;
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let start = fields.nth(FROM_SESSION_TO_START)?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        group,
        session,
        start,
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
        let rest = "0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        let process = parse_stat(pid, &format!("7 (a) (b) S 1 2 3 {rest}")).unwrap();
        assert_eq!((process.parent, process.group, process.session), (1, 2, 3));
        assert!(
            parse_stat(pid, &format!("7 (x) Z 1 2 3 {rest}"))
                .unwrap()
                .zombie
        );
        assert!(parse_stat(pid, "garbage").is_none());
    }

    #[test]
    fn the_start_of_a_process_is_its_own() {
        let own = rustix::process::getpid();
        assert_eq!(start_of(own), start_of(own));
        let own_start = start_of(own).unwrap();
        let first = start_of(Pid::from_raw(1).unwrap()).unwrap();
        assert!(first < own_start, "{first} {own_start}");
    }
}
