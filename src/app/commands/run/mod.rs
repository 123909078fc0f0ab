//! `acp-tui run`: one prompt turn without a screen.
//!
//! The same rules and services as with one: the session's reducer, [`services`], the
//! agent's client. What differs is that nobody can be asked (the session is `unattended`) and that
//! what happens is written ([`report`](mod@crate::report)) instead of drawn. Every way out leaves nothing
//! behind, and none is waited for without a bound.

mod effects;
mod ending;
mod events;
mod output;
mod session;
mod store;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::sync::mpsc;

use self::{
    effects::next,
    ending::{Stop, ended},
    output::Output,
    store::Store,
};
use crate::app::{
    WORKERS,
    cleanup::Started,
    draft::{self, Unsent},
    log, runtime, services,
    signals::{SignalEvent, Signals},
    sources::reached,
};
use crate::{
    acp::{Client, Inbox, StopMode},
    cli::{CliError, ExitCode, Format, Launch, RunOptions},
    config::{AgentProfile, Config, Loaded},
    host::{Before, Host, HostEvent, attachments},
    model::{ConnectionId, SessionKey, Way},
    report::{self, Narrator, Observer, Problem, Record, Scope},
    session::{CANCEL_PATIENCE, Event, Prompt, Session},
    store::files::Trouble,
    text::SafeText,
    ui::{Draft, DraftPart},
    vt::Screens,
};

/// The one session there is.
const SESSION: SessionKey = SessionKey(0);

/// How long a reader of stdout that takes nothing is waited for once the run was stopped.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(2);

/// Results of work done elsewhere.
enum Job {
    Launched(Result<Box<services::Launched>, SafeText>),
    Host(HostEvent),
    Session(Event),
    /// The session's file is not as it should be.
    Saving(Trouble),
}

/// Runs one prompt turn and prints what comes of it.
///
/// # Errors
/// What keeps it from running at all.
pub fn run(
    launch: Launch,
    loaded: Loaded,
    profile: AgentProfile,
    options: RunOptions,
) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let deadline = options.timeout.map(|timeout| begun + timeout);
    let Some(prompt) = options.prompt.clone().read(options.timeout)? else {
        let (code, problem) = Stop::TimeOver.outcome();
        crate::cli::complain(problem.map(|problem| problem.message).unwrap_or_default());
        return Ok(code);
    };
    let prompt = with_files(prompt, &options)?;
    let dirs = launch.load_options()?.dirs;
    let _log = log::start(launch.log.as_deref(), &dirs.state)?;
    log::tell_lost(crate::cli::complain);
    let runtime = runtime::start(WORKERS)?;
    let started = Started::default();
    // Whatever happens in there, what was started is ended.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let mut run = Run::new(launch, loaded.config, profile, &options, started.clone())?;
            (run.begun, run.state) = (begun, dirs.state);
            run.serve(prompt, deadline).await
        })
    }));
    runtime.block_on(started.end(StopMode::Quick));
    runtime.shutdown_background();
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
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
            _ if image => return Err(wrong(&"is no image (PNG, JPEG, GIF or WebP)")),
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
    launch: Launch,
    config: Config,
    profile: AgentProfile,
    format: Format,
    quiet: bool,
    begun: Instant,
    started: Started,
    jobs: mpsc::UnboundedSender<Job>,
    waiting: mpsc::UnboundedReceiver<Job>,
    /// The state directory.
    state: PathBuf,
    session: Option<Session>,
    store: Option<Store>,
    /// That the session cannot be stored was said.
    told_not_stored: bool,
    /// Of the terminals of the session: their last words are stored with it.
    screens: Screens,
    host: Option<Host>,
    client: Option<Arc<Client>>,
    /// Of how many processes `client` is the last.
    connection: ConnectionId,
    inbox: Option<Inbox>,
    /// Done when the process before has ended.
    ending: Option<tokio::task::JoinHandle<()>>,
    deciding: Option<tokio::task::JoinHandle<()>>,
    before: Before,
    comparing: Option<tokio::task::JoinHandle<()>>,
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
    fn new(
        launch: Launch,
        config: Config,
        profile: AgentProfile,
        options: &RunOptions,
        started: Started,
    ) -> anyhow::Result<Self> {
        let (jobs, waiting) = mpsc::unbounded_channel();
        Ok(Self {
            observer: Observer::new(&profile.id, Scope::Turn),
            launch,
            config,
            profile,
            format: options.format,
            quiet: options.quiet,
            begun: Instant::now(),
            started,
            jobs,
            waiting,
            state: PathBuf::new(),
            session: None,
            store: None,
            told_not_stored: false,
            screens: Screens::default(),
            host: None,
            client: None,
            connection: ConnectionId(0),
            inbox: None,
            ending: None,
            deciding: None,
            before: Before::default(),
            comparing: None,
            narrator: Narrator::default(),
            output: Output::start().context("cannot write to stdout")?,
            last_error: None,
            stop: None,
            give_up: None,
        })
    }

    async fn serve(
        mut self,
        prompt: Prompt,
        deadline: Option<Instant>,
    ) -> anyhow::Result<ExitCode> {
        let mut signals = Signals::listen().context("cannot listen to signals")?;
        let closed = self.output.closed();
        self.tell(vec![Record::Start {
            version: report::VERSION,
            agent: self.profile.id.clone(),
            cwd: self.launch.cwd.display().to_string(),
            policy: self.launch.policy(&self.profile, &self.config).name(),
        }]);
        // Held to the end: its files are the agent's until then.
        let _scratch = self.open(prompt)?;
        let (code, problem) = loop {
            if let Some(outcome) = self.is_over() {
                break outcome;
            }
            let tick = self.session.as_ref().and_then(Session::deadline);
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
                Some(job) = self.waiting.recv() => self.job(job),
                () = reached(tick) => self.reduce(vec![Event::Tick]),
                () = reached(self.store.as_ref().and_then(Store::due)) => self.store(false),
                () = self.output.wrote(), if full => {}
                said = next(&mut self.inbox), if !full => self.agent_said(said),
            }
        };
        Ok(self.end(code, problem, signals, deadline).await)
    }

    /// The first time the turn is cancelled as the protocol wants it, and its end waited for; the
    /// second time nothing is waited for.
    fn stop(&mut self, stop: Stop) {
        let turn = self.session.as_ref().is_some_and(|s| s.turn.is_some());
        let now = Instant::now();
        self.give_up = Some(match self.stop {
            None if turn => now + CANCEL_PATIENCE,
            _ => now,
        });
        self.stop.get_or_insert(stop);
        self.reduce(vec![Event::Stop]);
    }

    fn is_over(&self) -> Option<(ExitCode, Option<Problem>)> {
        let session = self.session.as_ref()?;
        let outcome = ended(
            session,
            &self.observer,
            &self.profile,
            self.last_error.as_deref(),
        )?;
        Some(self.stop.map_or(outcome, Stop::outcome))
    }

    fn given_up(&self) -> (ExitCode, Option<Problem>) {
        self.stop.unwrap_or(Stop::Interrupted).outcome()
    }
}
