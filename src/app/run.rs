//! The loop: waits, lets the parts act, draws.

use std::time::{Duration, Instant};

use anyhow::Context;
use crossterm::event::Event as TerminalEvent;
use tokio::sync::mpsc;

use crate::{
    acp::Inbound,
    app::{
        attention::Focus,
        frame::Reason,
        job::Job,
        leave::Farewell,
        reader::{self, Reader},
        signals::{Signals, Told},
        sources::{Deadlines, Sources, Wake},
        started::Started,
        state::{App, TEST_PANIC},
        tty,
    },
    cli::{ExitCode, Launch},
    config::{Dirs, Loaded},
    proto::ConnectionId,
    session::{Event, Question, Session},
    ui::UiContext,
};

/// A changed draft is on disk after this.
const DRAFT_DELAY: Duration = Duration::from_millis(500);

pub async fn run(
    launch: Launch,
    loaded: Loaded,
    dirs: Dirs,
    started: Started,
) -> anyhow::Result<Farewell> {
    // Unbounded, as who sends must not wait for the loop; what sends is bounded: each piece of work
    // sends once, a terminal once until its screen is looked at, the writer one frame at a time.
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
            Job::Host(session, event) if session == self.sessions => self.host_event(event),
            // Of a session that another one has replaced.
            Job::Host(..) => {}
            Job::LoginFound(number, found) => self.login_found(number, found),
            Job::Login(number, event) => self.login_event(number, event),
            Job::Copied(copied) => self.copied(copied),
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
            let draft = store.number_draft(draft);
            tokio::task::spawn_blocking(move || store.save_draft(&draft));
        }
    }
}
