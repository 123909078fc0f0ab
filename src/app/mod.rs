//! The loop that wires everything: terminal, UI, session, agent, host.
//!
//! Owns: the order in which things happen ([`run`](mod@run)), carrying out what the reducer and the UI
//! want ([`runtime`], [`command`]), and leaving nothing behind ([`cleanup`]). Holds no rules of its
//! own.

mod attachments;
mod attention;
mod changes;
mod cleanup;
mod command;
mod commands;
mod debounce;
mod draft;
mod executor;
mod exit;
mod export;
mod external;
mod graphics;
mod hand_over;
mod held_review;
mod job;
mod leave;
mod local_time;
mod log;
mod notify_command;
mod prompts;
mod reopen;
mod resend;
mod restore;
mod review;
mod run;
mod runtime;
mod search_past;
mod services;
mod sessions;
mod setup;
mod signals;
mod state;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod title;
mod told;
mod unsent;
mod worktrees;
mod written_copy;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::Duration,
};

use crate::{
    acp::StopMode,
    cli::{ExitCode, Launch, complain},
    config::Loaded,
};

use terminal::tty;

pub use commands::{
    changes, doctor, print_replay, replay, run_headless, sessions, undo, worktrees,
};
pub use executor::outlive_file_limits;
pub use reopen::find_session;
pub use worktrees::check_worktree;

/// How long a terminal that takes no output is waited for at the end, before what it has not taken is
/// thrown away; by then nothing else is left of us.
const RESTORE_PATIENCE: Duration = Duration::from_millis(400);

/// Threads for reading, decoding, files and terminals; the UI has the main thread.
const WORKERS: usize = 2;

/// Opens the UI and stays until the person leaves.
///
/// # Errors
/// What keeps it from running at all; the terminal is restored by then.
pub fn run(launch: Launch, loaded: Loaded) -> anyhow::Result<ExitCode> {
    open(launch, loaded, None)
}

fn open(
    launch: Launch,
    loaded: Loaded,
    replay: Option<commands::Playing>,
) -> anyhow::Result<ExitCode> {
    let options = launch.load_options()?;
    let _log = log::start(launch.log.as_deref(), &options.dirs.state)?;
    let runtime = executor::start(WORKERS)?;
    crate::memory::set_up();
    let started = cleanup::Started::default();
    tty::install_panic_hook();
    // Whatever happens in there, what was started is ended and the terminal is given back.
    let mut outcome = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(run::run(
            launch,
            loaded,
            options.dirs,
            started.clone(),
            replay,
        ))
    }));
    signals::hold_keyboard();
    let lost = runtime.block_on(started.end(StopMode::Quick));
    if let Ok(Ok(farewell)) = &mut outcome {
        farewell.end_worktrees();
    }
    let code = match &outcome {
        Ok(Ok(farewell)) => farewell.code(),
        _ => ExitCode::Failure,
    };
    let _watchdog = tty::restore_within(RESTORE_PATIENCE, code.number());
    // From here on nothing is left that a signal could leave behind.
    signals::as_usual();
    // Blocking tasks may hang on a dead file system: they are not waited for.
    runtime.shutdown_background();
    let result = match outcome {
        Ok(Ok(farewell)) => {
            let code = farewell.say();
            // The screen, and messages on it, are gone.
            if let Some(lost) = lost {
                complain(lost);
            }
            Ok(code)
        }
        Ok(Err(error)) => Err(error),
        Err(panic) => {
            tty::settle();
            resume_unwind(panic)
        }
    };
    tty::settle();
    result
}
