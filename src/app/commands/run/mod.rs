//! `acp-tui run`: one prompt turn without a screen.
//!
//! The same rules and the same [`runtime`](crate::app::runtime) as with one. The session is `unattended`: no
//! question is asked. What happens is written ([`report`](mod@crate::report)) instead of drawn. Every way
//! out leaves nothing behind, and has a time limit.

mod ending;
mod events;
mod output;
mod session;

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::sync::mpsc;

use self::{
    ending::{Stop, ended},
    output::Output,
};
use crate::app::{
    WORKERS,
    draft::{self, Unsent},
    executor, log,
    runtime::{Done, Reach, Runtime, reached},
    services,
    signals::{SignalEvent, Signals},
    worktrees::make_worktree,
};
use crate::{
    acp::Inbound,
    cli::{CliError, ExitCode, Format, Launch, RunOptions, complain},
    config::{AgentProfile, Loaded},
    host::{attachments, worktree::Made},
    model::{ConnectionId, SessionKey, Way},
    report::{self, Change, Narrator, Observer, Problem, Record, Scope},
    session::{CANCEL_PATIENCE, Event, Prompt, Session},
    store::files::SessionFolder,
    text::SafeText,
    ui::{Draft, DraftPart},
};

/// How long the end waits for a look at what the turn changed: `acp-tui changes` tells it later.
const CHANGES_PATIENCE: Duration = Duration::from_secs(5);

/// The same of a run that was stopped: enough for a look at a usual project.
const STOPPED_CHANGES_PATIENCE: Duration = Duration::from_millis(500);

/// How long a run that was stopped waits for a reader of stdout that takes nothing.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(2);

/// Runs one prompt turn and prints what comes of it.
///
/// # Errors
/// What keeps it from running at all.
pub fn run(
    mut launch: Launch,
    loaded: Loaded,
    profile: AgentProfile,
    options: RunOptions,
) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let deadline = options.timeout.map(|timeout| begun + timeout);
    let Some(prompt) = options.prompt.clone().read(options.timeout)? else {
        let (code, problem) = Stop::TimeOver.outcome();
        complain(problem.map(|problem| problem.message).unwrap_or_default());
        return Ok(code);
    };
    let prompt = with_files(prompt, &options)?;
    let dirs = launch.load_options()?.dirs;
    let _log = log::start(launch.log.as_deref(), &dirs.state)?;
    log::tell_lost(complain);
    let made = make_worktree(&mut launch, &loaded.config, &dirs.state)?;
    executor::run(WORKERS, async move |started| {
        let (config, folder) = (loaded.config, SessionFolder::new(&dirs.state));
        let reach = Reach::Machine;
        let (mut runtime, done) = Runtime::new(launch, config, reach, folder, started, complain);
        runtime.following =
            services::following(&runtime.launch, &runtime.config, &dirs.state, None);
        let mut run = Run::new(runtime, profile, &options)?;
        run.begun = begun;
        run.made = made;
        run.serve(prompt, done, deadline).await
    })
}

/// The prompt with the files that go along with it, behind its text: those for a human's eyes first.
///
/// # Errors
/// One is not there, cannot be read or is not what it is said to be.
fn with_files(prompt: String, options: &RunOptions) -> Result<Prompt, CliError> {
    let mut parts = vec![DraftPart::Text(prompt)];
    let all = options.images.iter().map(|path| (path, true));
    let all = all.chain(options.files.iter().map(|path| (path, false)));
    for (path, image) in all {
        let wrong = |why: &dyn std::fmt::Display| {
            CliError::Usage(format!(
                "{}: {why}",
                SafeText::line(&path.to_string_lossy())
            ))
        };
        let seen = attachments::look(path).map_err(|error| wrong(&error))?;
        match seen.way(None) {
            Way::Image => {}
            Way::Link(why) if image => return Err(wrong(&why)),
            _ if image => return Err(wrong(&"is not an image (PNG, JPEG, GIF or WebP)")),
            _ => {}
        }
        if let [DraftPart::Text(text)] = &mut parts[..] {
            text.push_str("\n\n");
        }
        parts.push(DraftPart::Mention {
            path: path.clone(),
            seen: Some(seen),
        });
    }
    // Absolute paths: the directory does not matter.
    let resolved = draft::resolve(Draft { parts }, Path::new("/"));
    resolved.map_err(|Unsent(why)| CliError::Usage(why.to_string()))
}

struct Run {
    runtime: Runtime,
    /// Of the one session there is.
    key: SessionKey,
    profile: AgentProfile,
    format: Format,
    quiet: bool,
    begun: Instant,
    /// The worktree that was made for it.
    made: Option<Made>,
    observer: Observer,
    narrator: Narrator,
    output: Output,
    /// What the transcript last said went wrong.
    last_error: Option<String>,
    stop: Option<Stop>,
    /// When a turn that was cancelled is waited for no longer.
    give_up: Option<Instant>,
}

impl Run {
    fn new(runtime: Runtime, profile: AgentProfile, options: &RunOptions) -> anyhow::Result<Self> {
        Ok(Self {
            runtime,
            key: SessionKey::default(),
            observer: Observer::new(&profile.id, Scope::Turn),
            profile,
            format: options.format,
            quiet: options.quiet,
            begun: Instant::now(),
            made: None,
            narrator: Narrator::default(),
            output: Output::start().context("cannot write to stdout")?,
            last_error: None,
            stop: None,
            give_up: None,
        })
    }

    fn session(&self) -> Option<&Session> {
        self.runtime.sessions.get(self.key)
    }

    async fn serve(
        mut self,
        prompt: Prompt,
        mut done: mpsc::UnboundedReceiver<Done>,
        deadline: Option<Instant>,
    ) -> anyhow::Result<ExitCode> {
        let mut signals = Signals::listen().context("cannot listen to signals")?;
        let closed = self.output.closed();
        let place = self.place()?;
        let worktree = place.worktree.as_ref();
        self.observer.works_in(worktree);
        self.tell(vec![Record::Start {
            version: report::VERSION,
            agent: self.profile.id.clone(),
            cwd: worktree
                .map_or(&self.runtime.launch.cwd, |worktree| &worktree.cwd)
                .display()
                .to_string(),
            worktree: worktree.map(report::Worktree::of),
            policy: self.runtime.policy(&self.profile).name(),
        }]);
        if let Some(made) = self.made.take().filter(|_| !self.quiet) {
            self.output.err(&SafeText::line(&made.told));
        }
        self.open(prompt, place)?;
        let (code, problem) = loop {
            if let Some(outcome) = self.is_over() {
                break outcome;
            }
            let tick = self.session().and_then(Session::deadline);
            let save = self.runtime.save_deadline();
            let running = self.stop.is_none();
            let full = self.output.is_full();
            tokio::select! {
                biased;
                told = signals.recv() => match told {
                    SignalEvent::End(signal) | SignalEvent::Interrupt(signal) => {
                        tracing::info!(signal, "told to end");
                        self.stop(Stop::Interrupted);
                    }
                    SignalEvent::Stop | SignalEvent::Continue | SignalEvent::Resize => {}
                },
                () = closed.cancelled(), if running => self.stop(Stop::OutputClosed),
                () = reached(deadline), if running => self.stop(Stop::TimeOver),
                () = reached(self.give_up) => break self.given_up(),
                Some(done) = done.recv() => self.done(done),
                () = reached(tick) => self.reduce(vec![Event::Tick]),
                () = reached(save) => self.runtime.save_due(),
                () = self.output.wrote(), if full => {}
                (from, said) = self.runtime.inboxes.next(), if !full => self.agent_said(from, said),
            }
        };
        let changes = self.changes(&mut signals).await;
        Ok(self.end(code, problem, changes, signals, deadline).await)
    }

    /// What the turn changed on the disk, where it is followed. Who stops the run does not wait for it.
    async fn changes(&self, signals: &mut Signals) -> Option<Vec<Change>> {
        let following = self.runtime.following_of(self.key)?;
        let of = self.runtime.follower(self.key)?;
        let patience = match self.stop {
            None => CHANGES_PATIENCE,
            Some(_) => STOPPED_CHANGES_PATIENCE,
        };
        let stopped = async {
            while !matches!(
                signals.recv().await,
                SignalEvent::End(_) | SignalEvent::Interrupt(_)
            ) {}
        };
        let review = tokio::select! {
            review = following.last_turn(of, patience) => review,
            () = stopped => Err(io::Error::other("the run was stopped before they were looked at")),
        };
        match review {
            Ok(review) => Some(review?.files.iter().map(Change::from).collect()),
            Err(error) => {
                following.cancel();
                complain(format!("changes were not followed: {error}"));
                None
            }
        }
    }

    /// The first time the turn is cancelled as the protocol wants it, and its end waited for; the
    /// second time nothing is waited for.
    fn stop(&mut self, stop: Stop) {
        let turn = self.session().is_some_and(|s| s.turn.is_some());
        let now = Instant::now();
        self.give_up = Some(match self.stop {
            None if turn => now + CANCEL_PATIENCE,
            _ => now,
        });
        self.stop.get_or_insert(stop);
        self.reduce(vec![Event::Stop]);
    }

    fn is_over(&self) -> Option<(ExitCode, Option<Problem>)> {
        let session = self.session()?;
        let outcome = ended(
            session,
            &self.observer,
            &self.profile,
            self.last_error.as_deref(),
        )?;
        Some(self.stop.map_or(outcome, Stop::outcome))
    }

    /// What it still says that was told to end is not listened to.
    fn agent_said(&mut self, connection: ConnectionId, said: Vec<Inbound>) {
        if !self.runtime.is_connected(self.key, connection) {
            return;
        }
        let mut ended = false;
        let events = said.into_iter().map(|inbound| match inbound {
            Inbound::FromAgent(message) => Event::Agent(connection, message),
            Inbound::Exited(exit) => {
                ended = true;
                Event::Exited(connection, exit)
            }
        });
        let events = events.collect();
        self.reduce(events);
        if ended {
            self.runtime.exited(connection);
        }
    }

    fn done(&mut self, done: Done) {
        if let Some((_, events)) = self.runtime.take(done) {
            self.reduce(events);
        }
    }

    fn given_up(&self) -> (ExitCode, Option<Problem>) {
        self.stop.unwrap_or(Stop::Interrupted).outcome()
    }
}
