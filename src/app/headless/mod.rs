//! `acp-tui run`: one prompt turn without a screen.
//!
//! The same rules and services as with one: the session's reducer, [`services`], the
//! agent's client. What differs is that nobody can be asked (the session is `unattended`) and that
//! what happens is written ([`report`](mod@crate::report)) instead of drawn. Every way out leaves nothing
//! behind, and none is waited for without a bound.

mod ending;
mod output;
mod store;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::sync::mpsc;

use self::{
    ending::{Stop, ended},
    output::Output,
    store::Store,
};
use super::{
    WORKERS,
    draft::{self, Unsent},
    log,
    records::{OPEN_ELSEWHERE, Trouble},
    screens,
    services::{self, Workspace},
    signals::{Signals, Told},
    sources::{batch, reached},
    started::Started,
};
use crate::{
    acp::{Client, Inbound, Inbox, StopMode, TraceHandle},
    cli::{CliError, ExitCode, Format, Launch, Reopen, RunOptions, complain},
    config::{AgentProfile, Config, Loaded},
    host::{Before, Host, HostEvent, attach},
    proto::{AgentExit, ClientCaps, ConnectionId, Protocol, SessionId, SessionKey, Way},
    report::{self, Narrator, Observer, Problem, Record, Scope},
    session::{
        CANCEL_PATIENCE, Effect, Event, NoticeLevel, Prompt, Session, SessionConfig, Start, reduce,
    },
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
    /// The session's record is not as it should be.
    Record(Trouble),
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
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
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
        let seen = attach::look(path).map_err(|error| wrong(&error))?;
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
                    Told::End(signal) | Told::Interrupt(signal) => {
                        tracing::info!(signal, "told to end");
                        self.stop(Stop::Interrupted);
                    }
                    Told::Continue | Told::Resize => {}
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

    fn open(&mut self, prompt: Prompt) -> anyhow::Result<Option<tempfile::TempDir>> {
        let before = match &self.launch.resume {
            Some(Reopen::Stored { record, .. }) => {
                let stored = store::stored(&self.state, record.clone());
                Some(stored.map_err(CliError::from)?)
            }
            _ => None,
        };
        let start = match self.launch.resume.take() {
            Some(
                Reopen::Named(id)
                | Reopen::Stored {
                    session: Some(id), ..
                },
            ) => Start::Reopen(SessionId::new(id)),
            // The others were refused before, or mean that no agent has the session.
            _ => Start::New,
        };
        let (config, scratch) = services::session_config(
            &self.launch,
            &self.config,
            &self.profile,
            start,
            Some(prompt),
        );
        let config = SessionConfig {
            unattended: true,
            caps: ClientCaps {
                // Nobody is there to fill in a form or to look at a page, nor a screen to sign in at
                // (V1-INIT-14).
                elicitation_form: false,
                elicitation_url: false,
                login_terminal: false,
                ..config.caps
            },
            ..config
        };
        let (mut session, effects) = Session::start(config, Instant::now());
        let before = before.map(|stored| {
            session.show_stored(stored.history);
            self.observer.know(&session);
            (stored.id, stored.going_on)
        });
        let jobs = self.jobs.clone();
        let tell = move |trouble| drop(jobs.send(Job::Record(trouble)));
        let run = store::Place {
            key: SESSION,
            state: &self.state,
            config: &self.config,
            started: &self.started,
        };
        self.store = Store::begin(&run, &self.profile.id, before, &session, tell);
        self.session = Some(session);
        self.perform(effects);
        Ok(scratch)
    }

    /// Writes what is to be stored by now; `last`: nothing more comes.
    fn store(&mut self, last: bool) {
        let Some(session) = &self.session else { return };
        let terminals = &session.terminals;
        self.screens.retain(|id| terminals.contains_key(id));
        if let Some(store) = &mut self.store {
            store.write(session, &self.screens, last);
        }
        if last {
            self.store = None;
        }
    }

    fn record_trouble(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::NotStored(error) => self.not_stored(&error),
            Trouble::OpenElsewhere => {
                let text = SafeText::from(OPEN_ELSEWHERE);
                let level = NoticeLevel::Warning;
                self.reduce(vec![Event::Note { level, text }]);
            }
        }
    }

    /// Said once: it is no reason to stop.
    fn not_stored(&mut self, error: &io::Error) {
        if let Some(store) = &mut self.store {
            store.failed();
        }
        if !std::mem::replace(&mut self.told_not_stored, true) {
            let text = SafeText::line(&format!("this conversation is not stored: {error}"));
            let level = NoticeLevel::Warning;
            self.reduce(vec![Event::Note { level, text }]);
        }
    }

    /// Lets the session's rules work on events, does what they want, and tells what is new.
    fn reduce(&mut self, events: Vec<Event>) {
        let Some(session) = &mut self.session else {
            return;
        };
        let now = Instant::now();
        let mut effects = Vec::new();
        let mut records = Vec::new();
        for event in events {
            records.append(&mut self.observer.hear(&event));
            effects.append(&mut reduce(session, event, now));
        }
        records.append(&mut self.observer.look(session));
        if let Some(store) = &mut self.store {
            store.changed(session);
        }
        self.tell(records);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::ToAgent(message) => {
                    if let Some(client) = &self.client {
                        client.send(SESSION, message);
                    }
                }
                Effect::Spawn(protocol) => self.spawn(protocol),
                Effect::StopAgent(_) => self.stop_agent(),
                Effect::TellStderr(_) => {
                    if let Some(client) = &self.client {
                        // Sending fails only once the loop is over.
                        let _ = self.jobs.send(Job::Session(Event::Stderr(client.stderr())));
                    }
                }
                Effect::Compare(comparison) => {
                    let jobs = self.jobs.clone();
                    let compared = services::compare(&self.before, *comparison, move |event| {
                        drop(jobs.send(Job::Session(event)));
                    });
                    self.comparing = Some(compared);
                }
                Effect::Decide {
                    question,
                    subject,
                    options,
                } => {
                    if let Some(host) = &self.host {
                        let jobs = self.jobs.clone();
                        let before = [self.deciding.take(), self.comparing.take()];
                        let decided = services::decide(
                            host,
                            before,
                            question,
                            *subject,
                            options,
                            move |event| drop(jobs.send(Job::Session(event))),
                        );
                        self.deciding = Some(decided);
                    }
                }
                Effect::Serve {
                    key,
                    request,
                    consent,
                } => {
                    if let (Some(host), Some(client)) = (&self.host, &self.client) {
                        let jobs = self.jobs.clone();
                        services::serve(
                            host,
                            client,
                            SESSION,
                            key,
                            *request,
                            consent,
                            move |event| drop(jobs.send(Job::Session(event))),
                        );
                    }
                }
                // A sign-in is never chosen here: the run ends with the wish for one.
                Effect::Login(_) | Effect::EndLogin => {}
                // There is no other session.
                Effect::Join(_) => {}
                Effect::CancelServe(key) => {
                    if let Some(host) = &self.host {
                        host.cancel(key);
                    }
                }
                // For a screen, and for the person before it.
                Effect::Notice(notice) => {
                    let records = self.observer.notice(&notice);
                    self.tell(records);
                }
                // Its own terminals are stored like those that run here.
                Effect::AgentScreen { id, change } => {
                    if self.store.is_some() {
                        screens::change(&mut self.screens, id, change);
                    }
                }
                Effect::SessionDeleted(_)
                | Effect::Attention(_)
                | Effect::OpenPage { .. }
                | Effect::RestoreDraft(_)
                | Effect::Toast(_) => {}
            }
        }
    }

    /// What it still says is not listened to.
    fn stop_agent(&mut self) {
        self.inbox = None;
        let Some(client) = self.client.take() else {
            return;
        };
        let started = self.started.clone();
        self.ending = Some(tokio::spawn(async move {
            client.shutdown(StopMode::Graceful).await;
            started.forget_agent(&client);
        }));
    }

    fn spawn(&mut self, protocol: Protocol) {
        self.connection = ConnectionId(self.connection.0 + 1);
        let Some(session) = &self.session else { return };
        let caps = session.config.caps;
        let workspace = Workspace {
            launch: &self.launch,
            config: &self.config,
            profile: &self.profile,
        };
        let jobs = self.jobs.clone();
        let host = services::host(&workspace, &session.config, move |event| {
            drop(jobs.send(Job::Host(event)));
        });
        match host {
            Ok(host) => {
                // One before has served nothing: no session was open yet.
                if let Some(before) = self.host.take() {
                    self.started.forget_host(&before);
                }
                self.started.add_host(host.clone());
                self.host = Some(host);
            }
            Err(error) => return self.reduce(vec![Event::SpawnFailed { error }]),
        }
        let trace = match self.trace() {
            Ok(trace) => trace,
            Err(error) => return self.reduce(vec![Event::SpawnFailed { error }]),
        };
        let profile = AgentProfile {
            protocol,
            ..self.profile.clone()
        };
        let cwd = self.launch.cwd.clone();
        let max_line = self.config.connection.max_line();
        let jobs = self.jobs.clone();
        let (connection, ending) = (self.connection, self.ending.take());
        tokio::spawn(async move {
            if let Some(ending) = ending {
                // It cannot panic; and if it did, it would have ended.
                let _ = ending.await;
            }
            let launched = services::launch(profile, cwd, max_line, connection, caps, trace).await;
            let _ = jobs.send(Job::Launched(launched));
        });
    }

    fn trace(&self) -> Result<Option<TraceHandle>, SafeText> {
        let Some(path) = &self.launch.wire else {
            return Ok(None);
        };
        services::trace(path, &self.config, [&self.profile], &self.started).map(Some)
    }

    fn job(&mut self, job: Job) {
        match job {
            Job::Launched(Ok(launched)) => {
                let client = Arc::new(launched.client);
                self.started.add_agent(client.clone());
                self.client = Some(client);
                self.inbox = Some(launched.inbox);
                let connected = Event::Connected(self.connection);
                self.reduce(vec![launched.mcp_servers, connected]);
            }
            Job::Launched(Err(error)) => self.reduce(vec![Event::SpawnFailed { error }]),
            Job::Host(HostEvent::TerminalStarted {
                session,
                id,
                command,
                cwd,
                screen,
            }) => {
                if self.store.is_some() {
                    self.screens.insert(id.clone(), screen);
                }
                self.reduce(vec![Event::TerminalStarted {
                    session,
                    id,
                    command,
                    cwd,
                }]);
            }
            Job::Host(HostEvent::TerminalExited { id, status }) => {
                self.reduce(vec![Event::TerminalExited { id, status }]);
            }
            Job::Host(HostEvent::TerminalOutput) => self.screens.relieve(),
            Job::Session(event) => self.reduce(vec![event]),
            Job::Record(trouble) => self.record_trouble(trouble),
        }
    }

    fn agent_said(&mut self, said: Vec<Inbound>) {
        let connection = self.connection;
        let events = said.into_iter().map(|inbound| match inbound {
            Inbound::FromAgent(message) => Event::Agent(connection, message),
            Inbound::Exited(exit) => Event::Exited(connection, exit),
        });
        self.reduce(events.collect());
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

    /// Says the last words, ends the agent, and waits until all is written.
    async fn end(
        mut self,
        code: ExitCode,
        problem: Option<Problem>,
        mut signals: Signals,
        deadline: Option<Instant>,
    ) -> ExitCode {
        self.store(true);
        let mut summary = self.observer.summary().clone();
        summary.exit_code = code.number();
        summary.error.clone_from(&problem);
        summary.seconds = seconds(self.begun);
        if !self.quiet
            && let Some(line) = self.narrator.rest()
        {
            self.output.err(&line);
        }
        match self.format {
            Format::Text => {
                let end = self.narrator.end();
                self.output.out(end);
            }
            Format::Json => self.output.out(report::pretty(&summary)),
            Format::Jsonl => self.tell(vec![Record::End(Box::new(summary))]),
        }
        if let Some(problem) = &problem {
            let text = format!("acp-tui: {}", problem.message);
            self.output.err(crate::text::sanitize(&text).as_ref());
        }
        if let Some(session) = &self.session
            && let Some(client) = &self.client
        {
            for message in session.farewell() {
                client.send(SESSION, message);
            }
        }
        // Agents keep their sessions when they are asked to end, not when they are made to.
        let mode = match self.stop {
            None => StopMode::Graceful,
            Some(_) => StopMode::Quick,
        };
        let started = self.started.clone();
        let lost = self.output.closed();
        let written = self.output.finish();
        let told = self.told_not_stored;
        let ending = async {
            let (not_stored, ()) = tokio::join!(started.end(mode), written.cancelled());
            if let Some(why) = not_stored.filter(|_| !told) {
                complain(why);
            }
        };
        // Who reads slowly is waited for as long as a turn would be.
        let given_up = async {
            if self.stop.is_some() {
                tokio::time::sleep(OUTPUT_PATIENCE).await;
                return code;
            }
            loop {
                tokio::select! {
                    told = signals.recv() => match told {
                        Told::End(_) | Told::Interrupt(_) => return ExitCode::Interrupted,
                        Told::Continue | Told::Resize => {}
                    },
                    () = reached(deadline) => return ExitCode::Refused,
                }
            }
        };
        tokio::select! {
            // What cannot be written is no success, however the turn ended.
            () = ending => match code {
                ExitCode::Done if lost.is_cancelled() => {
                    complain("stdout was closed before all was written");
                    ExitCode::Failure
                }
                code => code,
            },
            code = given_up => code,
        }
    }

    fn tell(&mut self, records: Vec<Record>) {
        for record in &records {
            if let Record::Notice {
                level: "error",
                text,
                ..
            } = record
            {
                self.last_error = Some(text.clone());
            }
            match self.format {
                Format::Text => {
                    let words = self.narrator.words(record);
                    self.output.out(words);
                }
                Format::Jsonl => {
                    let t = seconds(self.begun);
                    self.output.out(report::line(&Timed { t, record }));
                    continue;
                }
                Format::Json => {}
            }
            if !self.quiet {
                for line in self.narrator.aside(record) {
                    self.output.err(&line);
                }
            }
        }
    }
}

#[derive(serde::Serialize)]
struct Timed<'a> {
    t: f64,
    #[serde(flatten)]
    record: &'a Record,
}

fn seconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e3).round() / 1e3
}

/// What the agent sends next; its end, where nothing more will come.
async fn next(inbox: &mut Option<Inbox>) -> Vec<Inbound> {
    let Some(receiver) = inbox else {
        return std::future::pending().await;
    };
    if let Some(said) = batch(receiver).await {
        return said;
    }
    *inbox = None;
    let exit = AgentExit {
        cause: Some("its messages cannot be read any more".into()),
        ..AgentExit::default()
    };
    vec![Inbound::Exited(exit)]
}
