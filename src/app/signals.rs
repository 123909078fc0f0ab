//! Signals as events.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

use std::{future::poll_fn, io, task::Poll};

use tokio::signal::unix::{Signal, SignalKind, signal};

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

/// What the process was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalEvent {
    /// SIGTERM, SIGHUP, SIGUSR1 and the like: end, leave nothing behind.
    End(i32),
    /// SIGINT or SIGQUIT: likewise, if they are for us. A terminal that is lent to another program
    /// sends them to the whole group for its ctrl-c.
    Interrupt(i32),
    /// SIGTSTP from elsewhere, as by `kill`: the shell gets its terminal first. Heard only
    /// [`with_stops`](Signals::with_stops).
    Stop,
    /// SIGCONT: the terminal may have been used by others meanwhile.
    Continue,
    /// SIGWINCH.
    Resize,
}

/// What ends a process that does not listen, but for the keyboard's, crashes and what nobody can listen
/// to: with those of the system's own. SIGPIPE is ignored, SIGXFSZ is an error of what was written.
const ENDS: &[i32] = &[
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGXCPU,
];

pub struct Signals {
    ends: Ends,
    interrupt: Signal,
    quit: Signal,
    stop: Option<Signal>,
    resumed: Signal,
    resize: Signal,
}

/// What is to end us, and nothing else: for while the terminal is lent.
pub struct Ends(Vec<(i32, Signal)>);

impl Ends {
    pub fn listen() -> io::Result<Self> {
        let listen = |number: &i32| Ok((*number, signal(SignalKind::from_raw(*number))?));
        let all = ENDS.iter().chain(system::ENDS);
        all.map(listen).collect::<io::Result<_>>().map(Self)
    }

    /// Which one came. Cancel safe.
    pub async fn recv(&mut self) -> i32 {
        poll_fn(|context| {
            for (number, signal) in &mut self.0 {
                if signal.poll_recv(context).is_ready() {
                    return Poll::Ready(*number);
                }
            }
            Poll::Pending
        })
        .await
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

/// Signals that end a process end this one again.
pub fn as_usual() {
    for &signal in ENDS.iter().chain(system::ENDS) {
        // SAFETY: sets a disposition; no handler of ours is involved.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// SIGTSTP stops the process until this is dropped.
pub struct UsualStop(libc::sigaction);

/// For while another program has the terminal: its ctrl-z stops our whole group.
pub fn stops_as_usual() -> UsualStop {
    // SAFETY: reads and sets a disposition; both structures are plain data.
    unsafe {
        let mut usual: libc::sigaction = std::mem::zeroed();
        usual.sa_sigaction = libc::SIG_DFL;
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGTSTP, &raw const usual, &raw mut before);
        UsualStop(before)
    }
}

impl Drop for UsualStop {
    fn drop(&mut self) {
        // SAFETY: what was there before is set again.
        unsafe { libc::sigaction(libc::SIGTSTP, &raw const self.0, std::ptr::null_mut()) };
    }
}

impl Signals {
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            ends: Ends::listen()?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            stop: None,
            resumed: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            resize: signal(SignalKind::window_change())?,
        })
    }

    /// SIGTSTP does not stop the process any more, but where it [`stops_as_usual`].
    pub fn with_stops(mut self) -> io::Result<Self> {
        self.stop = Some(signal(SignalKind::from_raw(libc::SIGTSTP))?);
        Ok(self)
    }

    pub async fn recv(&mut self) -> SignalEvent {
        let stop = &mut self.stop;
        let stopped = poll_fn(|context| match stop {
            Some(stop) => stop.poll_recv(context),
            None => Poll::Pending,
        });
        tokio::select! {
            biased;
            signal = self.ends.recv() => SignalEvent::End(signal),
            _ = self.interrupt.recv() => SignalEvent::Interrupt(2),
            _ = self.quit.recv() => SignalEvent::Interrupt(3),
            _ = stopped => SignalEvent::Stop,
            _ = self.resumed.recv() => SignalEvent::Continue,
            _ = self.resize.recv() => SignalEvent::Resize,
        }
    }
}
