//! Signals as events.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What the process was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// SIGTERM or SIGHUP: end, leave nothing behind.
    End(i32),
    /// SIGINT or SIGQUIT: likewise, if they are for us. A terminal that is lent to another program
    /// sends them to the whole group for its ctrl-c.
    Interrupt(i32),
    /// SIGCONT: the terminal may have been used by others meanwhile.
    Continue,
    /// SIGWINCH.
    Resize,
}

pub struct Signals {
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
    quit: Signal,
    resumed: Signal,
    resize: Signal,
}

/// What is to end us, and nothing else: for while the terminal is lent.
pub struct Ends {
    terminate: Signal,
    hang_up: Signal,
}

impl Ends {
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub async fn recv(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// While we leave, the keyboard neither ends nor stops us, and to give the terminal back does not stop us
/// in the background. For good: we end already, and the exit code is to tell how it went.
pub fn hold_keyboard() {
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP, libc::SIGTTOU] {
        // SAFETY: sets a disposition; no handler of ours is involved.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// SIGTERM and SIGHUP end the process again, as they do where nobody listens.
pub fn as_usual() {
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: sets a disposition; no handler of ours is involved.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

impl Signals {
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            resumed: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            resize: signal(SignalKind::window_change())?,
        })
    }

    pub async fn recv(&mut self) -> Told {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => Told::End(15),
            _ = self.hang_up.recv() => Told::End(1),
            _ = self.interrupt.recv() => Told::Interrupt(2),
            _ = self.quit.recv() => Told::Interrupt(3),
            _ = self.resumed.recv() => Told::Continue,
            _ = self.resize.recv() => Told::Resize,
        }
    }
}
