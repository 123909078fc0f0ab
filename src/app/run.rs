//! The loop: waits, lets the parts act, draws.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;
use crossterm::event::Event as TerminalEvent;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    acp::{Inbound, Inbox},
    app::{
        agent::Agent,
        attention::Focus,
        draft::text_prompt,
        exit,
        frame::{FrameScheduler, Reason},
        input::ReplyFilter,
        job::Job,
        reader::{self, Reader},
        screen::Screen,
        signals::{Signals, Told},
        sources::{Deadlines, Sources, Wake},
        started::Started,
        store::Store,
        tty,
    },
    cli::{ExitCode, Launch, complain},
    config::{AgentProfile, Config, Dirs, ExitPrint, Loaded, TrustState},
    host::{
        Host,
        clipboard::{Clipboard, Surroundings},
        git,
    },
    proto::{ConnectionId, Policy, SessionId, ToAgent},
    session::{Event, NoticeLevel, Phase, Question, QuestionId, Session, Start},
    text::SafeText,
    ui::{
        ProjectInfo, TrustQuestion, Ui, UiContext, UiSettings, action::check_keys,
        offload::Offload, render::Row, theme::Colours,
    },
    vt::Screens,
};

/// A changed draft is on disk after this.
const DRAFT_DELAY: Duration = Duration::from_millis(500);

/// Set in the environment, the UI panics once it is up: for tests of what is left behind.
const TEST_PANIC: &str = "ACP_TUI_TEST_PANIC";

/// The state of the running client. What outlives it, however it ends, is in [`Started`].
pub(super) struct App {
    pub launch: Launch,
    pub dirs: Dirs,
    pub config: Config,
    pub trust: TrustState,
    pub store: Store,
    pub project: ProjectInfo,
    pub ui: Ui,
    pub offload: Offload,
    pub screens: Screens,
    pub screen: Screen,
    pub reader: Reader,
    pub frames: FrameScheduler,
    pub jobs: mpsc::UnboundedSender<Job>,
    pub started: Started,
    /// The agent chosen, its session and services; `None` while the picker is up.
    pub profile: Option<AgentProfile>,
    pub session: Option<Session>,
    pub host: Option<Host>,
    pub agent: Agent,
    /// A new connection's messages, for the loop to wait for.
    pub arrived: Option<(ConnectionId, Inbox)>,
    /// What is to be said once there is a transcript.
    pub warnings: Vec<SafeText>,
    pub clipboard: Clipboard,
    /// Files of a profile that wants a scratch folder; removed when it goes.
    pub scratch: Option<tempfile::TempDir>,
    /// Drafts are resolved one after the other, in the order in which they were sent.
    pub resolving: Option<JoinHandle<()>>,
    /// The policy's latest verdict, until it is told.
    pub deciding: Option<JoinHandle<()>>,
    pub focus: Focus,
    /// A session was open at some time: leaving is then no failure.
    pub had_session: bool,
    pub exit: Option<ExitCode>,
    replies: ReplyFilter,
    /// The question shown last, to draw a new one at once.
    question: Option<QuestionId>,
    save_draft: Option<Instant>,
    /// When another program gave the terminal back.
    pub(super) lent_until: Option<Instant>,
    /// As it is on disk, or soon will be.
    kept_draft: String,
    test_panic: bool,
}

/// What is left to say on the normal screen.
pub struct Farewell {
    code: ExitCode,
    rows: Vec<Row>,
    resume: Option<SafeText>,
    error: Option<SafeText>,
}

pub async fn run(
    launch: Launch,
    loaded: Loaded,
    dirs: Dirs,
    started: Started,
) -> anyhow::Result<Farewell> {
    let (jobs, job_receiver) = mpsc::unbounded_channel();
    let signals = Signals::listen().context("cannot listen to signals")?;
    tty::enter().context("cannot take over the terminal")?;
    let ahead = reader::typed_ahead();
    let (reader, input) = Reader::start().context("cannot read the terminal")?;
    let mut sources = Sources {
        signals,
        input,
        jobs: job_receiver,
        inbox: None,
    };
    let mut app = App::new(launch, loaded, dirs, started, jobs, reader)?;
    app.frames.request(Instant::now(), Reason::Now);
    app.draw()?;
    app.open_first();
    app.typed_ahead(ahead)?;
    app.serve(&mut sources).await?;
    app.leave();
    Ok(app.farewell())
}

impl App {
    fn new(
        launch: Launch,
        loaded: Loaded,
        dirs: Dirs,
        started: Started,
        jobs: mpsc::UnboundedSender<Job>,
        reader: Reader,
    ) -> anyhow::Result<Self> {
        let written = jobs.clone();
        // Sending fails only once the loop is over.
        let screen = Screen::new(move |result| drop(written.send(Job::Written(result))))
            .context("cannot draw on the terminal")?;
        let wake = jobs.clone();
        let offload = Offload::new(move || drop(wake.send(Job::Redraw)));
        let store = Store::new(&dirs.state, &launch.cwd);
        let mut ui = Ui::new(ui_settings(&loaded.config), offload.clone());
        ui.set_history(store.history());
        let draft = store.draft();
        if let Some(draft) = &draft {
            ui.set_draft(draft);
        }
        if let TrustState::Untrusted { path, content, .. } = &loaded.trust {
            let (path, content) = (path.clone(), SafeText::new(content));
            ui.set_trust_question(TrustQuestion { path, content });
        }
        let project = ProjectInfo {
            cwd: SafeText::line(&with_tilde(&launch.cwd)),
            path: launch.cwd.clone(),
            git_branch: git::branch(&launch.cwd),
            policy: None,
        };
        Ok(Self {
            warnings: config_warnings(&loaded),
            launch,
            dirs,
            config: loaded.config,
            trust: loaded.trust,
            store,
            project,
            ui,
            offload,
            screens: Screens::default(),
            screen,
            reader,
            frames: FrameScheduler::default(),
            jobs,
            started,
            profile: None,
            session: None,
            host: None,
            agent: Agent::default(),
            arrived: None,
            clipboard: Clipboard::new(Surroundings::detect()),
            scratch: None,
            resolving: None,
            deciding: None,
            focus: Focus::default(),
            had_session: false,
            exit: None,
            replies: ReplyFilter::default(),
            question: None,
            save_draft: None,
            lent_until: None,
            kept_draft: draft.unwrap_or_default(),
            test_panic: std::env::var_os(TEST_PANIC).is_some(),
        })
    }

    /// Takes over another configuration; what was typed stays.
    pub(super) fn configure(&mut self, loaded: Loaded) {
        self.warnings.extend(config_warnings(&loaded));
        self.config = loaded.config;
        let draft = self.ui.draft_text();
        let settings = ui_settings(&self.config);
        self.ui = Ui::new(settings, self.offload.clone());
        self.ui.set_history(self.store.history());
        self.ui.set_draft(&draft);
    }

    /// Something about the set-up is wrong: said in the transcript, as soon as there is one.
    pub(super) fn warn(&mut self, text: SafeText) {
        self.ui.toast(text.clone());
        self.warnings.push(text);
        self.tell_warnings();
    }

    pub(super) fn tell_warnings(&mut self) {
        if self.session.is_some() {
            for text in std::mem::take(&mut self.warnings) {
                self.note(NoticeLevel::Warning, text);
            }
        }
    }

    /// Starts the agent that was asked for, or shows the picker; waits for the word on a project
    /// file first, since that may say which agent and how.
    pub(super) fn open_first(&mut self) {
        if matches!(self.trust, TrustState::Untrusted { .. }) {
            return;
        }
        // Both were checked before the terminal was taken over, but for a project's file.
        match self.launch.agent(&self.config) {
            Ok(Some(profile)) => {
                let start = match self.launch.resume.take() {
                    Some(id) => Start::Reopen(SessionId::new(id)),
                    None => Start::New,
                };
                let prompt = self.launch.prompt.take().map(text_prompt);
                self.open(profile, start, prompt);
            }
            Ok(None) => self.pick_agent(),
            Err(error) => {
                self.warn(SafeText::line(&error.to_string()));
                self.pick_agent();
            }
        }
    }

    async fn serve(&mut self, sources: &mut Sources) -> anyhow::Result<()> {
        while self.exit.is_none() {
            if let Some(arrived) = self.arrived.take() {
                sources.inbox = Some(arrived);
            }
            let deadlines = Deadlines {
                frame: self.frames.deadline(),
                tick: self.session.as_ref().and_then(Session::deadline),
                save_draft: self.save_draft,
            };
            match sources.next(deadlines).await {
                Wake::Told(told) => self.told(told)?,
                Wake::TerminalGone => self.exit = Some(ExitCode::Interrupted),
                Wake::Typed(batch) => self.typed(batch)?,
                Wake::Frame => self.draw()?,
                Wake::Job(job) => self.job(job)?,
                Wake::Tick => self.reduce([Event::Tick]),
                Wake::SaveDraft => self.keep_draft(),
                Wake::Agent(connection, batch) => self.agent_said(connection, batch),
            }
        }
        Ok(())
    }

    fn agent_said(&mut self, connection: ConnectionId, batch: Vec<Inbound>) {
        let mut ended = false;
        let events = batch.into_iter().map(|inbound| match inbound {
            Inbound::FromAgent(message) => Event::Agent(connection, message),
            Inbound::Exited(exit) => {
                ended = true;
                Event::Exited(connection, exit)
            }
        });
        let events: Vec<Event> = events.collect();
        self.reduce(events);
        if ended && self.agent.is(connection) {
            self.end_agent();
        }
    }

    fn told(&mut self, told: Told) -> anyhow::Result<()> {
        match told {
            Told::Interrupt(signal) if self.was_lent_just_now() => {
                tracing::info!(signal, "meant for the program that had the terminal");
            }
            Told::End(signal) | Told::Interrupt(signal) => {
                tracing::info!(signal, "told to end");
                self.exit = Some(ExitCode::Interrupted);
            }
            Told::Continue => {
                // Whoever stopped us has had the terminal, and may have left it in any mode.
                tty::restore();
                tty::enter().context("cannot take the terminal over again")?;
                self.screen.repaint()?;
                self.frames.request(Instant::now(), Reason::Now);
            }
            Told::Resize => self.frames.request(Instant::now(), Reason::Now),
        }
        Ok(())
    }

    /// Takes what was typed before anything was to be seen: it answers no question.
    fn typed_ahead(&mut self, batch: Vec<TerminalEvent>) -> anyhow::Result<()> {
        if !batch.is_empty() {
            self.ui.typed_ahead(&UiContext {
                session: self.session.as_ref(),
                screens: &self.screens,
                project: &self.project,
                now: Instant::now(),
            });
        }
        self.typed(batch)
    }

    fn typed(&mut self, batch: Vec<TerminalEvent>) -> anyhow::Result<()> {
        let now = Instant::now();
        let (batch, background) = self.replies.filter(batch, now);
        if let Some(background) = background {
            self.ui.set_background(background);
            self.frames.request(now, Reason::Now);
        }
        for event in &batch {
            match event {
                TerminalEvent::FocusGained => self.focus = Focus::Here,
                TerminalEvent::FocusLost => self.focus = Focus::Elsewhere,
                _ => {}
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        let context = UiContext {
            session: self.session.as_ref(),
            screens: &self.screens,
            project: &self.project,
            now,
        };
        let commands = self.ui.handle(&batch, &context);
        self.frames.request(now, Reason::Now);
        for command in commands {
            self.carry_out(command)?;
        }
        self.save_draft.get_or_insert(now + DRAFT_DELAY);
        Ok(())
    }

    fn job(&mut self, job: Job) -> anyhow::Result<()> {
        let now = Instant::now();
        match job {
            Job::Written(Ok(written)) => {
                self.frames.written(written.bytes, written.cost);
                assert!(!self.test_panic, "asked to panic by {TEST_PANIC}");
            }
            Job::Written(Err(error)) => {
                tracing::info!(%error, "the terminal is gone");
                self.exit = Some(ExitCode::Interrupted);
            }
            Job::Redraw => self.frames.request(now, Reason::Stream),
            Job::Files(files) => {
                self.ui.set_files(files);
                self.frames.request(now, Reason::Now);
            }
            Job::Agents(agents) => {
                self.ui.set_agents(agents);
                self.frames.request(now, Reason::Now);
            }
            Job::Prompt { prompt, now } => {
                let event = if now {
                    Event::SendNow(prompt)
                } else {
                    Event::Submit(prompt)
                };
                self.reduce([event]);
            }
            // Ids of questions are a session's own: another one may have come in its place.
            Job::Session(connection, event) if self.agent.is(connection) => self.reduce([event]),
            Job::Session(..) => {}
            Job::Host(event) => self.host_event(event),
            Job::Launched(connection, launched) => self.launched(connection, launched),
        }
        Ok(())
    }

    /// Asks for a frame if the session shows something new.
    pub(super) fn session_changed(&mut self, rev_before: u64) {
        let Some(session) = &self.session else { return };
        if session.rev == rev_before {
            return;
        }
        self.had_session |= session.id.is_some();
        let question = session.shown_question().map(Question::id);
        let reason = if question == self.question {
            Reason::Stream
        } else {
            Reason::Now
        };
        self.question = question;
        self.frames.request(Instant::now(), reason);
    }

    pub(super) fn draw(&mut self) -> anyhow::Result<()> {
        let now = Instant::now();
        let context = UiContext {
            session: self.session.as_ref(),
            screens: &self.screens,
            project: &self.project,
            now,
        };
        let ui = &mut self.ui;
        let first = self.frames.is_first();
        if first {
            // Asked with the first frame, so that nothing waits for it (C115).
            self.screen.send_along(tty::QUERY_BACKGROUND);
            self.replies.asked(now);
        }
        let wrote = self.screen.draw(|frame| {
            ui.draw(frame, &context);
            ui.links().to_vec()
        })?;
        if wrote {
            self.frames.drawn(now);
        } else {
            self.frames.skipped();
        }
        if let Some(at) = self.ui.deadline(&context) {
            self.frames.request_at(at);
        }
        // What is drawn may want something too: an attached terminal its size.
        for command in self.ui.take_commands() {
            self.carry_out(command)?;
        }
        Ok(())
    }

    /// Saves the draft off the UI task, if it is another one.
    pub(super) fn keep_draft(&mut self) {
        self.save_draft = None;
        let draft = self.ui.draft_text();
        if draft != self.kept_draft {
            self.kept_draft.clone_from(&draft);
            let store = self.store.clone();
            tokio::task::spawn_blocking(move || store.save_draft(&draft));
        }
    }

    /// What was typed and not sent: the queue, then the draft.
    fn unsent(&self) -> String {
        let unsent = self.session.iter().flat_map(Session::unsent);
        let draft = self.ui.draft_text();
        let texts = unsent
            .map(|prompt| prompt.text.as_str())
            .chain([draft.as_str()]);
        texts
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    /// Ends the turn and the session as the protocol wants it; processes are ended by [`Started`].
    fn leave(&mut self) {
        self.store.save_draft(&self.unsent());
        if let Some(session) = &self.session {
            for message in session.farewell() {
                self.agent.send(message);
            }
        }
        self.ui.toast(SafeText::from("leaving…"));
        // A terminal that is gone is no reason to stop here.
        let _ = self.draw();
    }

    fn farewell(self) -> Farewell {
        let session = self.session.as_ref();
        let failed = session.and_then(|session| match &session.phase {
            Phase::Failed { error } => Some(error.clone()),
            Phase::SignIn { error, .. } => {
                let unsaid = SafeText::from("the agent wants a sign-in first");
                Some(error.clone().unwrap_or(unsaid))
            }
            _ => None,
        });
        let never_open = !self.had_session;
        let code = match (
            self.exit.unwrap_or(ExitCode::Done),
            session.map(|s| &s.phase),
        ) {
            (ExitCode::Done, Some(Phase::Failed { .. })) if never_open => ExitCode::NoAgent,
            (ExitCode::Done, Some(Phase::SignIn { .. })) if never_open => {
                ExitCode::NoAuthentication
            }
            (code, _) => code,
        };
        let width = tty::size().map_or(80, |size| size.width);
        let error = failed.filter(|_| never_open);
        let rows = match (session, self.config.ui.exit_print) {
            // All there is to be said.
            _ if error.is_some() => Vec::new(),
            (Some(session), ExitPrint::Last) => {
                self.ui.last_exchange(session, &self.screens, width)
            }
            (Some(session), ExitPrint::All) => {
                self.ui.whole_conversation(session, &self.screens, width)
            }
            _ => Vec::new(),
        };
        let reopens = |session: &&Session| {
            let caps = session.agent.caps;
            caps.load_session || caps.resume
        };
        let resume = session
            .filter(reopens)
            .and_then(|session| session.id.as_ref())
            .and_then(|id| exit::resume_command(&self.agent_arguments(), id.as_str()));
        Farewell {
            code,
            rows,
            resume,
            error,
        }
    }

    /// What a person types to get this agent again.
    fn agent_arguments(&self) -> Vec<String> {
        let Some(profile) = &self.profile else {
            return Vec::new();
        };
        match profile.origin {
            crate::config::Origin::CommandLine => {
                let command = std::iter::once(&profile.command)
                    .chain(&profile.args)
                    .cloned();
                std::iter::once("--".to_owned()).chain(command).collect()
            }
            _ => vec!["--agent".to_owned(), profile.id.clone()],
        }
    }

    /// Shows the policy in force where it is not the careful one.
    pub(super) fn show_policy(&mut self, policy: Policy) {
        self.project.policy = (policy != Policy::Ask)
            .then(|| (SafeText::from(policy.name()), policy == Policy::AllowAll));
    }

    /// A line in the transcript.
    pub(super) fn note(&mut self, level: NoticeLevel, text: SafeText) {
        self.reduce([Event::Note { level, text }]);
    }

    pub(super) fn send(&self, message: ToAgent) {
        self.agent.send(message);
    }
}

impl Farewell {
    /// Prints what is to stay on the screen; the terminal must be restored.
    pub fn say(self) -> ExitCode {
        let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let mut out = io::stdout().lock();
        // A terminal that is gone takes nothing, and nobody is there to be told.
        let _ = exit::print_rows(&mut out, &self.rows, colour);
        if let Some(error) = self.error {
            complain(error);
        }
        if let Some(resume) = self.resume {
            let _ = writeln!(out, "\nTo go on: {}", resume);
        }
        self.code
    }
}

fn ui_settings(config: &Config) -> UiSettings {
    UiSettings {
        ui: config.ui.clone(),
        keys: config.keys.clone(),
        agents: super::agent::choices(config, |_| None),
        colours: Colours::of_environment(
            std::env::var("NO_COLOR").ok().as_deref(),
            std::env::var("COLORTERM").ok().as_deref(),
        ),
    }
}

/// What the files hold that cannot be used; chords and actions are the UI's to judge.
fn config_warnings(loaded: &Loaded) -> Vec<SafeText> {
    let keys = check_keys(&loaded.config.keys).into_iter();
    let keys = keys.map(|(action, problem)| loaded.warning(&["keys", &action], problem));
    loaded
        .warnings
        .iter()
        .cloned()
        .chain(keys)
        .map(|w| SafeText::line(&w.to_string()))
        .collect()
}

/// The path with `~` for the home directory.
fn with_tilde(path: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match home
        .as_deref()
        .and_then(|home| path.strip_prefix(home).ok())
    {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
