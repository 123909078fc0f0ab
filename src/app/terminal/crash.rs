//! A crash gives the terminal back before it ends the process.
//!
//! What runs here runs in a signal handler: it does only what signal-safety(7) allows.

use std::{
    sync::atomic::{AtomicPtr, Ordering},
    time::Duration,
};

use rustix::{
    stdio::{stdin, stdout},
    termios::{OptionalActions, tcsetattr},
};

use super::tty::{CUT, ENTERED, FOUND_MODES, ours_back, takes_output, way_back};
use crate::guard;

/// A crash (an abort for want of memory, a bad access) gives the terminal back before it ends the
/// process as it would have.
pub fn restore_on_crashes() {
    for &signal in CRASHES {
        // SAFETY: the handler does what signal-safety(7) allows: it reads atomics, asks the kernel to
        // poll, write and set the terminal's modes, and changes dispositions.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = crashed as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO | libc::SA_NODEFER;
            libc::sigemptyset(&raw mut action.sa_mask);
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, &raw const action, &raw mut before) == 0
                && let Some(kept) = BEFORE.get(usize::try_from(signal).unwrap_or(usize::MAX))
            {
                kept.store(Box::into_raw(Box::new(before)), Ordering::SeqCst);
            }
        }
    }
}

const CRASHES: &[i32] = &[
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGSEGV,
    libc::SIGSYS,
    libc::SIGTRAP,
];

/// By the signal's number, what was done about it before: the standard library tells of an overflown
/// stack. Never freed, as a handler may read it any time.
static BEFORE: [AtomicPtr<libc::sigaction>; 32] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; 32];

extern "C" fn crashed(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    if ENTERED.swap(false, Ordering::SeqCst) {
        guard::no_terminal();
        // A terminal that takes nothing must not keep a crash from its end.
        if takes_output(Duration::from_millis(200)) {
            let _ = rustix::io::write(stdout(), CUT);
            for bytes in ours_back() {
                let _ = rustix::io::write(stdout(), bytes);
            }
            for bytes in way_back() {
                let _ = rustix::io::write(stdout(), bytes);
            }
        }
        // SAFETY: null, or a box that is never freed.
        if let Some(found) = unsafe { FOUND_MODES.load(Ordering::SeqCst).as_ref() } {
            let _ = tcsetattr(stdin(), OptionalActions::Now, found);
        }
    }
    // SAFETY: `info` is the kernel's, and what is in `BEFORE` is never freed.
    unsafe {
        let kept = usize::try_from(signal).ok().and_then(|at| BEFORE.get(at));
        let before = kept.map_or(std::ptr::null_mut(), |kept| kept.load(Ordering::SeqCst));
        // What the machine raised it raises again; what was sent has to be sent again.
        let by_the_machine = !info.is_null() && (*info).si_code > 0;
        if by_the_machine && !before.is_null() {
            libc::sigaction(signal, before, std::ptr::null_mut());
        } else {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
