//! The tokio runtime that everything runs on, and what it needs of the system.

use std::{fs::File, io};

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// File descriptors that must be free at the start: the runtime's and its signals', of which some panic
/// where there is none, an agent's three pipes, and a few files.
const DESCRIPTORS: usize = 24;

/// Starts it with `workers` threads for tasks.
///
/// # Errors
/// The system gives no threads, or too few file descriptors.
pub fn start(workers: usize) -> anyhow::Result<Runtime> {
    (0..DESCRIPTORS)
        .map(|_| File::open("/dev/null"))
        .collect::<io::Result<Vec<_>>>()
        .context("too few files can be open at once: raise the limit (ulimit -n)")?;
    Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .context("cannot start the runtime")
}

/// From now on a file that grows past the limit of the process (`ulimit -f`) is an error of that write, like
/// a full disk, and not the end of the process. By a handler: what is only ignored would stay ignored in
/// agents and commands.
pub fn outlive_file_limits() {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: the handler does nothing, so it may run at any point.
    unsafe { libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t) };
}
