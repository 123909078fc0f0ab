//! The loop: waits, lets the parts act, draws.

use std::{collections::BTreeMap, sync::LazyLock, time::Instant};

use anyhow::Context;
use crossterm::event::Event as TerminalEvent;
use tokio::sync::mpsc;

use crate::{
    acp::Inbound,
    app::{
        attention::Focus,
        cleanup::Started,
        commands::Playing,
        job::Job,
        leave::Farewell,
        log,
        session_runtime::Running,
        signals::{SignalEvent, Signals},
        sources::{Deadlines, Sources, Wake},
        state::{App, TEST_PANIC},
        terminal::{Keyboard, Reader, Reason, tty},
    },
    cli::{ExitCode, Launch},
    config::{Dirs, Loaded},
    input::{Decoded, PASTE_BYTES, Shade},
    model::{ConnectionId, SessionKey},
    session::{Event, Question, Sessions},
    text::SafeText,
    ui::{ProjectInfo, UiContext, theme::Background},
    vt::Screens,
};

pub async fn run(
    launch: Launch,
    loaded: Loaded,
    dirs: Dirs,
    started: Started,
    replay: Option<Playing>,
) -> anyhow::Result<Farewell> {
    // Unbounded, as who sends must not wait for the loop; what sends is bounded: each piece of work
    // sends once, a terminal once until its screen is looked at, the writer one frame at a time.
    let (jobs, job_receiver) = mpsc::unbounded_channel();
    let told = jobs.clone();
    log::tell_lost(move |text| drop(told.send(Job::Warn(text))));
    let signals = Signals::listen().and_then(Signals::with_stops);
    let signals = signals.context("cannot listen to signals")?;
    tty::restore_on_crashes();
    tty::enter().context("cannot take over the terminal")?;
    let delay = tty::escape_delay(loaded.config.ui.escape_delay);
    let mut keyboard = Keyboard::new(delay);
    let ahead = keyboard.typed_ahead();
    let (reader, input) = Reader::start(keyboard, delay).context("cannot read the terminal")?;
    let mut sources = Sources {
        signals,
        input,
        jobs: job_receiver,
        inboxes: Vec::new(),
        turn: 0,
        replay: None,
    };
    let mut app = App::new(launch, loaded, dirs, started, jobs, reader, replay)?;
    app.frames.request(Instant::now(), Reason::Now);
    app.tell_window();
    app.draw()?;
    app.open_first();
    app.typed_ahead(ahead)?;
    if let Err(error) = app.serve(&mut sources).await {
        // A frame can meet a terminal that is gone before its hang-up is heard of.
        if tty::size().is_ok() {
            return Err(error);
        }
        tracing::info!(%error, "the terminal is gone");
        app.exit = Some(ExitCode::Interrupted);
    }
    app.leave();
    Ok(app.farewell())
}

/// What the UI may look at. No method, so that the UI can be borrowed beside it.
fn context<'a>(
    sessions: &'a Sessions,
    running: &'a BTreeMap<SessionKey, Running>,
    project: &'a ProjectInfo,
) -> UiContext<'a> {
    static NONE: LazyLock<Screens> = LazyLock::new(Screens::default);
    let running = sessions.shown_key().and_then(|key| running.get(&key));
    UiContext {
        session: sessions.shown(),
        sessions: Some(sessions),
        screens: running.map_or(&*NONE, |running| &running.screens),
        project,
        now: Instant::now(),
    }
}

impl App {
    async fn serve(&mut self, sources: &mut Sources) -> anyhow::Result<()> {
        while self.exit.is_none() {
            sources.inboxes.append(&mut self.arrived);
            if let Some(lines) = self.replayed.take() {
                sources.replay = Some(lines);
            }
            let deadlines = Deadlines {
                frame: self.frames.deadline(),
                tick: self.sessions.deadline(),
                save_draft: self.save_draft.due(),
                save_sessions: self.save_deadline(),
            };
            match sources.next(deadlines).await {
                Wake::Told(told) => self.told(told)?,
                Wake::TerminalGone => self.exit = Some(ExitCode::Interrupted),
                Wake::Typed(batch) => self.typed(batch)?,
                Wake::TypedAhead(batch) => self.typed_ahead(batch)?,
                Wake::Frame => self.draw()?,
                Wake::Job(job) => self.job(job)?,
                Wake::Tick => self.apply_and_perform(Sessions::tick),
                Wake::SaveDraft => self.keep_draft(),
                Wake::Replayed(lines) => self.recorded(lines),
                Wake::SaveSessions => self.save_due(),
                Wake::Agent(connection, batch) => self.agent_said(connection, batch),
            }
        }
        Ok(())
    }

    fn agent_said(&mut self, connection: ConnectionId, batch: Vec<Inbound>) {
        self.memory.used();
        let mut ended = false;
        self.apply_and_perform(|sessions, now| {
            let effects = batch.into_iter().map(|inbound| match inbound {
                Inbound::FromAgent(word) => sessions.from_agent(connection, word, now),
                Inbound::Exited(exit) => {
                    ended = true;
                    sessions.exited(connection, &exit, now)
                }
            });
            effects.flatten().collect()
        });
        if ended {
            let served = self
                .running
                .iter()
                .filter(|(_, running)| running.connection == Some(connection));
            let served: Vec<SessionKey> = served.map(|(key, _)| *key).collect();
            for key in served {
                self.end_agent(key);
            }
        }
    }

    fn told(&mut self, told: SignalEvent) -> anyhow::Result<()> {
        match told {
            SignalEvent::Interrupt(signal) if self.was_lent_just_now() => {
                tracing::info!(signal, "meant for the program that had the terminal");
            }
            SignalEvent::End(signal) | SignalEvent::Interrupt(signal) => {
                tracing::info!(signal, "told to end");
                self.exit = Some(ExitCode::Interrupted);
            }
            SignalEvent::Stop => self.suspend()?,
            SignalEvent::Continue => {
                // Whoever stopped us has had the terminal, and may have left it in any mode.
                tty::restore();
                tty::take_back().context("cannot take the terminal over again")?;
                self.screen.repaint()?;
                self.frames.request(Instant::now(), Reason::Now);
            }
            SignalEvent::Resize => {
                self.tell_window();
                self.frames.request(Instant::now(), Reason::Now);
            }
        }
        Ok(())
    }

    /// Says where a window is larger than what is drawn.
    fn tell_window(&mut self) {
        if let Some(said) = tty::window().ok().and_then(tty::beyond) {
            self.ui.toast(SafeText::line(&said));
        }
    }

    /// Takes what was typed before anything was to be seen: it answers no question.
    fn typed_ahead(&mut self, batch: Vec<Decoded>) -> anyhow::Result<()> {
        if !batch.is_empty() {
            let ui = &mut self.ui;
            ui.typed_ahead(&context(&self.sessions, &self.running, &self.project));
        }
        self.typed(batch)
    }

    fn typed(&mut self, decoded: Vec<Decoded>) -> anyhow::Result<()> {
        let now = Instant::now();
        let mut batch = Vec::with_capacity(decoded.len());
        for decoded in decoded {
            match decoded {
                Decoded::Background(shade) => {
                    self.ui.set_background(match shade {
                        Shade::Dark => Background::Dark,
                        Shade::Light => Background::Light,
                    });
                    self.frames.request(now, Reason::Now);
                }
                Decoded::PasteCut => {
                    let most = PASTE_BYTES >> 20;
                    let cut = format!("the paste was cut: it had more than {most} MiB");
                    self.say(SafeText::line(&cut));
                }
                Decoded::NotUtf8 => self.say(
                    "a key came that is not in UTF-8: set the terminal, and LANG, to UTF-8".into(),
                ),
                Decoded::Event(event) => {
                    match event {
                        TerminalEvent::FocusGained => self.focus = Focus::Here,
                        TerminalEvent::FocusLost => self.focus = Focus::Elsewhere,
                        _ => {}
                    }
                    batch.push(event);
                }
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        let context = context(&self.sessions, &self.running, &self.project);
        let commands = self.ui.handle(&batch, &context);
        self.frames.request(now, Reason::Now);
        for command in commands {
            self.carry_out(command)?;
        }
        self.save_draft.changed(now);
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
            Job::PastSessions(past) => {
                self.ui.show_past_sessions(past);
                self.frames.request(now, Reason::Now);
            }
            Job::Stored(stored) => {
                self.stored(stored);
                self.frames.request(now, Reason::Now);
            }
            Job::Kept(start, stored) => {
                self.open_another(start, stored.map(|stored| *stored));
                self.frames.request(now, Reason::Now);
            }
            Job::Saving(key, trouble) => self.saving_trouble(key, trouble),
            Job::Delete(key, id) => self.reduce_in(key, [Event::DeleteSession(id)]),
            Job::Files(files) => {
                self.ui.set_files(files);
                self.frames.request(now, Reason::Now);
            }
            Job::Folder(listing) => {
                self.ui.set_folder(listing);
                self.frames.request(now, Reason::Now);
            }
            Job::Agents(agents) => {
                self.ui.set_agents(agents);
                self.frames.request(now, Reason::Now);
            }
            Job::Looked(looked) => {
                self.ui.set_looked(&looked);
                self.frames.request(now, Reason::Now);
            }
            Job::Pasted(pasted) => self.pasted(pasted),
            Job::Unsent {
                session,
                draft,
                why,
            } => {
                self.ui.restore_text_of(session, &draft);
                self.say(why);
            }
            Job::Said(text) => self.say(text),
            Job::Warn(text) => self.warn(text),
            Job::Prompt {
                session,
                prompt,
                now,
            } => {
                let event = if now {
                    Event::SendNow(prompt)
                } else {
                    Event::Submit(prompt)
                };
                self.reduce_in(session, [event]);
            }
            Job::Queued(session, prompts) => {
                if let Some(running) = self.running_mut(session) {
                    running.restoring.clear();
                }
                self.reduce_in(session, [Event::RestoreQueue(prompts)]);
            }
            // What an agent asked that has been started again meanwhile is nobody's any more.
            Job::Session(key, connection, event) => {
                if self.is_connected(key, connection) {
                    self.reduce_in(key, [event]);
                }
            }
            Job::Host(key, event) => self.host_event(key, event),
            Job::LoginFound(key, number, found) => self.login_found(key, number, found),
            Job::Login(key, number, event) => self.login_event(key, number, event),
            Job::Copied(copied) => self.copied(copied),
            Job::Launched(key, connection, launched) => self.launched(key, connection, launched),
        }
        Ok(())
    }

    /// Asks for a frame if the session shows something new, or another one wants the person.
    pub(super) fn session_changed(&mut self, rev_before: u64) {
        let elsewhere = self.sessions.elsewhere();
        if elsewhere != self.elsewhere {
            self.elsewhere = elsewhere;
            self.frames.request(Instant::now(), Reason::Now);
        }
        let Some(session) = self.sessions.shown() else {
            return;
        };
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
        // Here, since terminals print without a word to anybody while none looks at them.
        for running in self.running.values_mut() {
            running.screens.trim_to_bound();
        }
        let context = context(&self.sessions, &self.running, &self.project);
        let ui = &mut self.ui;
        let first = self.frames.is_first();
        if first {
            // Asked with the first frame, so that nothing waits for it.
            self.screen.send_along(tty::QUERY_BACKGROUND);
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

    /// Saves what was typed and not sent off the UI task, if it is something else now: nobody knows
    /// of a queue any more when the client is killed.
    pub(super) fn keep_draft(&mut self) {
        self.save_draft.kept();
        if self.replay.is_some() {
            return;
        }
        if self.store.is_saving() {
            // A disk that is slow gets no more to do meanwhile.
            return self.save_draft.changed(Instant::now());
        }
        let kept = self.unsent();
        if kept != self.kept_draft {
            let store = self.store.clone();
            let draft = store.number_draft(kept.clone());
            self.kept_draft = kept;
            tokio::task::spawn_blocking(move || store.save_draft(&draft));
        }
    }
}
