//! The tokio runtime that everything runs on, and what it needs of the system.

use std::{
    fs::File,
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

use crate::{acp::StopMode, app::cleanup::Started};

/// File descriptors that must be free at the start: the runtime's and its signals', of which some panic
/// where there is none, an agent's three pipes, and a few files.
const DESCRIPTORS: usize = 24;

/// Runs a command without a screen and ends what it started, also where it panicked.
///
/// # Errors
/// Those of [`start`], and of the command.
pub fn run<T>(
    workers: usize,
    command: impl AsyncFnOnce(Started) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let runtime = start(workers)?;
    let started = Started::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(command(started.clone()))
    }));
    runtime.block_on(started.end(StopMode::Quick));
    // Blocking tasks may hang on a dead file system: they are not waited for.
    runtime.shutdown_background();
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

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
