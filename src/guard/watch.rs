//! The guard itself: waits, and ends what was not taken back.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io::{self, BufRead},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags},
    process::Signal,
};

use super::{Leader, NAME, Order, Terminal, signal, system};

/// How long what is left may take to end after SIGTERM, and how long to repeat SIGKILL.
const GRACE: Duration = Duration::from_millis(1000);
const INSIST: Duration = Duration::from_millis(4000);
const POLL: Duration = Duration::from_millis(50);

/// Returns when everything is over.
pub fn run() {
    step_aside();
    let mut wards: BTreeMap<u64, Leader> = BTreeMap::new();
    let mut terminal = None;
    for line in io::stdin().lock().split(b'\n') {
        // An error is as good as an end.
        let Ok(line) = line else { break };
        match std::str::from_utf8(&line).ok().and_then(Order::read) {
            Some(Order::Add(number, leader)) => drop(wards.insert(number, leader)),
            Some(Order::Forget(number)) => drop(wards.remove(&number)),
            Some(Order::Terminal(held)) => terminal = held,
            None => {}
        }
    }
    // First: the shell is about to read from it.
    if let Some(terminal) = terminal {
        give_back(&terminal);
    }
    // The client is gone. One that left in good order has taken everything back.
    if !wards.is_empty() {
        end(&wards.into_values().collect::<Vec<_>>());
    }
}

/// What ends the client by a signal to its group, or its terminal, must not end the guard.
fn step_aside() {
    let _ = rustix::process::setsid();
    for signal in [
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGALRM,
    ] {
        // SAFETY: sets a disposition; no handler is involved, and there is only this thread.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    system::set_name(NAME);
}

/// Its settings are the shell's to restore, which it does for what a signal has ended. A terminal that is gone
/// or takes nothing needs nothing.
fn give_back(terminal: &Terminal) {
    use std::os::unix::ffi::OsStrExt;
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let path = OsStr::from_bytes(&terminal.path);
    if let Ok(file) = rustix::fs::open(path, flags, Mode::empty())
        && rustix::termios::isatty(&file)
    {
        let _ = rustix::io::write(&file, &terminal.bytes);
    }
}

fn end(leaders: &[Leader]) {
    let started = Instant::now();
    // A stopped process acts on no signal but SIGKILL until it continues.
    let mut left = signal(leaders, &[Signal::TERM, Signal::CONT]);
    while left > 0 && started.elapsed() < GRACE {
        sleep(POLL);
        left = signal(leaders, &[]);
    }
    // Again until nothing is left, as something may be forking.
    while left > 0 && started.elapsed() < GRACE + INSIST {
        left = signal(leaders, &[Signal::KILL]);
        sleep(POLL);
    }
}
