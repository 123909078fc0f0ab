//! The client's state: what it consists of, and how it starts.

use std::{
    sync::{Arc, Mutex, atomic::AtomicU64},
    time::Instant,
};

use anyhow::Context;
use tokio::{sync::mpsc, task::spawn_blocking};

use crate::{
    acp::Recorded,
    app::{
        attention::Focus,
        changes::Live,
        cleanup::Started,
        commands::Playing,
        debounce::Debounce,
        draft::text_prompt,
        graphics::Graphics,
        job::Job,
        notify_command::NotifyCommand,
        restore::{Behind, restore},
        runtime::{Done, Reach, Runtime},
        services,
        setup::{config_warnings, project_info, ui_settings, wanted_agent},
        terminal::{FrameScheduler, Reader, Reason, Screen, tty},
        title::Title,
    },
    cli::{AgentWanted, ExitCode, Launch, Reopen},
    config::{Config, Dirs, Loaded, TrustState},
    host::{
        browser,
        clipboard::{Clipboard, Surroundings},
    },
    input::Told,
    memory::Memory,
    model::{Policy, SessionId, SessionKey},
    session::{Elsewhere, Event, NoticeLevel, Start},
    store::{
        drafts::{Drafts, Left, Owner, Unsent, Wanted},
        files::SessionFolder,
    },
    text::SafeText,
    ui::{ProjectInfo, TrustQuestion, Ui, offload::Offload, theme::Background},
};

/// Set in the environment, the UI panics once it is up: for tests of what is left behind. In a released
/// program too, since the scenarios that are run on it (`tests/cases/bindings.json`) need it.
pub const TEST_PANIC: &str = "ACP_TUI_TEST_PANIC";

/// The state of the running client. What outlives it, however it ends, is in [`Started`].
pub struct App {
    pub runtime: Runtime,
    pub dirs: Dirs,
    pub trust: TrustState,
    pub store: Drafts,
    pub project: ProjectInfo,
    pub ui: Ui,
    pub offload: Offload,
    pub screen: Screen,
    pub title: Title,
    pub graphics: Graphics,
    pub reader: Reader,
    pub frames: FrameScheduler,
    pub jobs: mpsc::UnboundedSender<Job>,
    /// The number of the latest search in stored sessions: earlier ones stop.
    pub search: Arc<AtomicU64>,
    /// The agent that `--mode`, `--model` and `--set` are for: the agent that the command line names, or
    /// the first one that was picked.
    pub first_agent: Option<String>,
    /// The state of the sessions that are not shown, as of the last frame.
    pub elsewhere: Elsewhere,
    /// Shown once there is a transcript.
    pub warnings: Vec<SafeText>,
    /// What became of sessions that are closed, until a transcript is there to say it in.
    pub news: Vec<(NoticeLevel, SafeText)>,
    /// Used by blocking tasks: the desktop may take its time.
    pub clipboard: Arc<Mutex<Clipboard>>,
    pub focus: Focus,
    pub notify_command: NotifyCommand,
    /// A session was open at some time: leaving is then no failure.
    pub had_session: bool,
    pub exit: Option<ExitCode>,
    pub save_draft: Debounce,
    /// When the disk is looked at again for an open review.
    pub live: Live,
    /// When another program gave the terminal back.
    pub lent_until: Option<Instant>,
    /// What is on disk, or is being written.
    pub kept_draft: Vec<Unsent>,
    /// What an earlier client had queued, until there is a session for it.
    pub restoring: Vec<String>,
    /// The owner of what is typed before there is a session.
    pub early_owner: Owner,
    /// Prompts that wait in all queues, and which session is open and shown: a change is to be kept.
    pub kept_state: (usize, Option<SessionKey>, bool),
    pub test_panic: bool,
    pub memory: Memory,
    /// Set while a log is played: nothing else is done.
    pub replay: Option<Playing>,
    /// Its lines, for the loop to wait for.
    pub replayed: Option<mpsc::Receiver<Vec<Recorded>>>,
}

impl App {
    /// With what comes of effects.
    pub fn new(
        launch: Launch,
        loaded: Loaded,
        dirs: Dirs,
        started: Started,
        jobs: mpsc::UnboundedSender<Job>,
        reader: Reader,
        replay: Option<Playing>,
    ) -> anyhow::Result<(Self, mpsc::UnboundedReceiver<Done>)> {
        let written = jobs.clone();
        // Sending fails only once the loop is over.
        let tmux = Graphics::detect().is_in_tmux();
        let screen = Screen::new(tmux, move |result| drop(written.send(Job::Written(result))))
            .context("cannot draw on the terminal")?;
        let wake = jobs.clone();
        let offload = Offload::new(move || drop(wake.send(Job::Redraw)));
        let wanted = wanted_draft(&launch, &loaded.config);
        let store = Drafts::new(&dirs.state, &launch.cwd, &wanted).telling(said(&jobs));
        let mut ui = Ui::new(ui_settings(&loaded.config, launch.inline), offload.clone());
        let (left, reach) = match replay {
            None => (store.left().clone(), Reach::Machine),
            Some(_) => (Left::default(), Reach::Log),
        };
        let behind = restore(left.drafts(), &left, &mut ui);
        ui.composer().set_history(behind.history(&store));
        ask_for_trust(&mut ui, &loaded.trust);
        // What no first frame shows.
        spawn_blocking({
            let (store, jobs) = (store.clone(), jobs.clone());
            move || {
                if let Some(why) = browser::missing() {
                    let _ = jobs.send(Job::NoBrowser(why));
                }
                store.sweep_images(&store.left().own);
            }
        });
        let mut project = project_info(&launch.cwd, &dirs.state);
        project.stores = loaded.config.sessions.keep > 0;
        let title = Title::new(loaded.config.ui.title, loaded.config.ui.ascii_symbols);
        let graphics = Graphics::detect();
        ui.set_canvas(graphics.canvas());
        let warnings = config_warnings(&loaded);
        let warn = jobs.clone();
        let folder = SessionFolder::new(&dirs.state);
        let warn = move |text| drop(warn.send(Job::Warn(text)));
        let (mut runtime, done) = Runtime::new(launch, loaded.config, reach, folder, started, warn);
        if reach == Reach::Machine {
            runtime.following =
                services::following(&runtime.launch, &runtime.config, &dirs.state, None);
        }
        let app = Self {
            runtime,
            warnings,
            news: Vec::new(),
            dirs,
            trust: loaded.trust,
            store,
            project,
            ui,
            offload,
            screen,
            title,
            graphics,
            reader,
            frames: FrameScheduler::default(),
            jobs,
            search: Arc::default(),
            first_agent: None,
            elsewhere: Elsewhere::default(),
            clipboard: Arc::new(Mutex::new(Clipboard::new(Surroundings::detect()))),
            focus: Focus::default(),
            notify_command: NotifyCommand::default(),
            had_session: false,
            exit: None,
            save_draft: Debounce::default(),
            live: Live::default(),
            lent_until: None,
            restoring: left.queued(),
            kept_draft: left.own,
            early_owner: wanted.owner,
            kept_state: Default::default(),
            test_panic: std::env::var_os(TEST_PANIC).is_some(),
            memory: Memory::watch(),
            replay,
            replayed: None,
        };
        Ok((app, done))
    }

    /// Takes over another configuration; what was typed stays.
    pub(super) fn configure(&mut self, loaded: Loaded) {
        self.warnings.extend(config_warnings(&loaded));
        self.runtime.config = loaded.config;
        self.project.stores = self.runtime.config.sessions.keep > 0;
        let inline = self.runtime.launch.inline;
        self.runtime.config.ui.mouse &= !inline;
        self.reader
            .set_escape_delay(tty::escape_delay(self.runtime.config.ui.escape_delay));
        self.screen
            .send_along(tty::want_mouse(self.runtime.config.ui.mouse));
        let ui = &self.runtime.config.ui;
        self.title.configure(ui.title, ui.ascii_symbols);
        let draft = self.ui.draft_text();
        let settings = ui_settings(&self.runtime.config, inline);
        let (typed, background) = (self.ui.last_typed(), self.ui.background());
        let canvas = self.ui.canvas();
        self.ui = Ui::new(settings, self.offload.clone());
        self.ui.typed_at(typed);
        self.ui.set_canvas(canvas);
        match background {
            Background::Unknown => self.ui.background_asked(Instant::now()),
            known => self.ui.set_background(known),
        }
        self.ui
            .composer()
            .set_history(Behind::default().history(&self.store));
        self.ui.composer().set_text(&draft);
    }

    /// The same for the directory that the client works in from now on.
    pub(super) fn configure_in(&mut self, mut loaded: Loaded) {
        // What waits for the session that is opened here comes with it.
        let wanted = Wanted {
            reopens: true,
            ..wanted_draft(&self.runtime.launch, &loaded.config)
        };
        let store = Drafts::new(&self.dirs.state, &self.runtime.launch.cwd, &wanted);
        self.store = store.telling(said(&self.jobs));
        let no_browser = self.project.no_browser.take();
        self.project = project_info(&self.runtime.launch.cwd, &self.dirs.state);
        self.project.no_browser = no_browser;
        self.list_prompts();
        self.trust = std::mem::replace(&mut loaded.trust, TrustState::NotNeeded);
        self.configure(loaded);
        let typed = Some(self.ui.draft_text()).filter(|typed| !typed.is_empty());
        let left = self.store.left().drafts();
        if !left.is_empty() {
            let drafts = typed.into_iter().chain(left).collect();
            self.restore_drafts(drafts);
        }
        self.restoring.extend(self.store.left().queued());
        self.kept_draft.clone_from(&self.store.left().own);
        self.early_owner = wanted.owner;
        self.ask_for_trust();
    }

    /// Asks about the project's file if it is not trusted as it is now; whether it does.
    pub(super) fn ask_for_trust(&mut self) -> bool {
        ask_for_trust(&mut self.ui, &self.trust);
        matches!(self.trust, TrustState::Untrusted { .. })
    }

    /// Something about the set-up is wrong: said in the transcript, as soon as there is one.
    pub(super) fn warn(&mut self, text: SafeText) {
        self.ui.toast(text.clone());
        self.warnings.push(text);
        self.tell_warnings();
    }

    /// What the person is not to miss, whichever session it is about: in the transcript that is shown, or the one
    /// that is shown next.
    pub(super) fn tell(&mut self, level: NoticeLevel, text: SafeText) {
        self.ui.toast(text.clone());
        self.news.push((level, text));
        self.tell_warnings();
    }

    pub(super) fn tell_warnings(&mut self) {
        if !self.runtime.sessions.is_empty() {
            for (level, text) in std::mem::take(&mut self.news) {
                self.note(level, text);
            }
            for text in std::mem::take(&mut self.warnings) {
                self.note(NoticeLevel::Warning, text);
            }
        }
    }

    /// Where there is no transcript to say it in yet, the status line does.
    pub(super) fn hint_at_warnings(&mut self) {
        let problems = match self.warnings.len() {
            0 => return,
            1 => "a problem".to_owned(),
            several => format!("{several} problems"),
        };
        let hint = format!("{problems} in the settings: run `acp-tui config check`");
        self.ui.toast(SafeText::line(&hint));
    }

    /// Starts the agent that was asked for, or shows the picker; waits for the word on a project
    /// file first, since that may say which agent and how.
    pub(super) fn open_first(&mut self) {
        if self.replay.is_some() {
            return self.open_replay();
        }
        if matches!(self.trust, TrustState::Untrusted { .. }) {
            return;
        }
        match self.runtime.launch.resume.take() {
            Some(Reopen::Stored { record, .. }) => return self.reopen(record),
            Some(Reopen::Pick) => {
                let agent = wanted_agent(&self.runtime.launch, &self.runtime.config)
                    .ok()
                    .flatten();
                return self.pick_session(agent);
            }
            other => self.runtime.launch.resume = other,
        }
        // Both were checked before the terminal was taken over, but for a project's file.
        match self.runtime.launch.agent(&self.runtime.config) {
            Ok(Some(profile)) => {
                let prompt = self.runtime.launch.prompt.take().map(text_prompt);
                match self.runtime.launch.resume.take() {
                    Some(Reopen::Named(id)) => {
                        let start = Start::Reopen(SessionId::new(id));
                        self.open(profile, start, prompt, None, None);
                    }
                    _ => self.open_new(profile, prompt),
                }
            }
            Ok(None) => self.pick_agent(),
            Err(error) => {
                self.warn(SafeText::line(&error.to_string()));
                self.pick_agent();
            }
        }
    }

    /// Shows the policy in force where it is not the careful one.
    pub(super) fn show_policy(&mut self, policy: Policy) {
        self.project.policy = (policy != Policy::Ask)
            .then(|| (SafeText::from(policy.name()), policy == Policy::AllowAll));
    }

    /// Works off the UI task, as on a disk that may be slow; the result comes back as a [`Job`].
    pub(super) fn in_background(&self, work: impl FnOnce() -> Job + Send + 'static) {
        let jobs = self.jobs.clone();
        // Sending fails only once the loop is over.
        spawn_blocking(move || drop(jobs.send(work())));
    }

    /// A line in the transcript.
    pub(super) fn note(&mut self, level: NoticeLevel, text: SafeText) {
        self.reduce([Event::Note { level, text }]);
    }

    /// Images that were drawn before look better now.
    pub(super) fn told_of_graphics(&mut self, told: Told) {
        self.graphics.told(told);
        let canvas = self.graphics.canvas();
        if self.ui.canvas() != canvas {
            self.ui.set_canvas(canvas);
            self.frames.request(Instant::now(), Reason::Now);
        }
    }
}

/// Whose draft is to come back.
fn wanted_draft(launch: &Launch, config: &Config) -> Wanted {
    let session = match &launch.resume {
        Some(Reopen::Stored { session, .. }) => session.clone(),
        Some(Reopen::Named(id)) => Some(id.clone()),
        _ => None,
    };
    let agent = launch.agent(config).ok().flatten();
    Wanted {
        owner: Owner {
            agent: agent.map(|profile| profile.id),
            session,
        },
        chosen: launch.agent != AgentWanted::Default,
        reopens: launch.resume.is_some(),
    }
}

fn ask_for_trust(ui: &mut Ui, trust: &TrustState) {
    if let TrustState::Untrusted {
        path,
        content,
        display,
        ..
    } = trust
    {
        ui.set_trust_question(TrustQuestion {
            path: path.clone(),
            content: SafeText::new(content),
            display: *display,
        });
    }
}

/// Tells the person from any thread.
fn said(jobs: &mpsc::UnboundedSender<Job>) -> impl Fn(SafeText) + Send + Sync + 'static {
    let jobs = jobs.clone();
    // Sending fails only once the loop is over.
    move |text| drop(jobs.send(Job::Said(text)))
}
