//! The loop: waits, lets the parts act, draws.
//!
//! Owns the order of urgency. Signals before keys, keys before frames, frames before the agent: a
//! flood can neither delay a key nor starve drawing, and is itself slowed by the pipe.

use std::{sync::LazyLock, time::Instant};

use anyhow::Context;
use crossterm::event::Event as TerminalEvent;
use tokio::sync::mpsc;

use crate::{
    acp::{Inbound, Recorded},
    app::{
        attention::{self, Focus},
        cleanup::Started,
        commands::Playing,
        job::Job,
        leave::Farewell,
        log,
        runtime::{Done, ForPerson, Inboxes, Runtime, reached},
        setup::is_spoken,
        signals::{SignalEvent, Signals},
        state::{App, TEST_PANIC},
        terminal::{Input, KEY_INTERVAL, Keyboard, Reader, Reason, restore_on_crashes, tty},
    },
    cli::{ExitCode, Launch},
    config::{Dirs, Loaded},
    host::HostEvent,
    input::{Decoded, PASTE_BYTES, Shade},
    model::{ConnectionId, ReviewTold, SessionKey},
    session::{Effect, Event, NoticeLevel, Question, QuestionId, Routed, Session, Sessions},
    store::files::{OPEN_ELSEWHERE, Trouble},
    text::SafeText,
    ui::{ProjectInfo, UiContext, theme::Background},
    vt::Screens,
};

/// What the loop waits for.
struct Sources {
    signals: Signals,
    input: mpsc::Receiver<Input>,
    jobs: mpsc::UnboundedReceiver<Job>,
    /// What came of what sessions want.
    done: mpsc::UnboundedReceiver<Done>,
    /// Lines of a log that is played.
    replay: Option<mpsc::Receiver<Vec<Recorded>>>,
}

/// When the loop is to wake up if nothing happens.
#[derive(Clone, Copy, Debug, Default)]
struct Deadlines {
    frame: Option<Instant>,
    /// Of the session's rules.
    tick: Option<Instant>,
    save_draft: Option<Instant>,
    /// Something is to be stored.
    save_sessions: Option<Instant>,
    /// The disk is to be looked at for an open review.
    look: Option<Instant>,
}

/// What happened.
enum Wake {
    Told(SignalEvent),
    Typed(Vec<Decoded>),
    /// The same, from before anything was to be seen.
    TypedAhead(Vec<Decoded>),
    TerminalGone,
    Frame,
    Job(Job),
    Done(Done),
    Tick,
    SaveDraft,
    SaveSessions,
    Look,
    Agent(ConnectionId, Vec<Inbound>),
    /// Of a log that is played; `None` at its end.
    Replayed(Option<Vec<Recorded>>),
}

impl Sources {
    /// Waits for the most urgent thing. Cancel safe.
    async fn next(&mut self, inboxes: &mut Inboxes, deadlines: Deadlines) -> Wake {
        tokio::select! {
            biased;
            told = self.signals.recv() => Wake::Told(told),
            input = self.input.recv() => match input {
                Some(Input::Batch(batch)) => Wake::Typed(batch),
                Some(Input::Ahead(batch)) => Wake::TypedAhead(batch),
                Some(Input::Gone) | None => Wake::TerminalGone,
            },
            () = reached(deadlines.frame) => Wake::Frame,
            Some(job) = self.jobs.recv() => Wake::Job(job),
            Some(done) = self.done.recv() => Wake::Done(done),
            () = reached(deadlines.tick) => Wake::Tick,
            () = reached(deadlines.save_draft) => Wake::SaveDraft,
            lines = recorded(&mut self.replay) => Wake::Replayed(lines),
            () = reached(deadlines.save_sessions) => Wake::SaveSessions,
            () = reached(deadlines.look) => Wake::Look,
            (connection, batch) = inboxes.next() => Wake::Agent(connection, batch),
        }
    }
}

async fn recorded(lines: &mut Option<mpsc::Receiver<Vec<Recorded>>>) -> Option<Vec<Recorded>> {
    let Some(receiver) = lines else {
        return std::future::pending().await;
    };
    let batch = receiver.recv().await;
    if batch.is_none() {
        *lines = None;
    }
    batch
}

/// What of the session that is shown makes a frame worth drawing.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    rev: u64,
    /// A new one is drawn at once.
    question: Option<QuestionId>,
}

pub async fn run(
    mut launch: Launch,
    mut loaded: Loaded,
    dirs: Dirs,
    started: Started,
    replay: Option<Playing>,
) -> anyhow::Result<Farewell> {
    // Unbounded, as who sends must not wait for the loop; what sends is bounded: each piece of work
    // sends once, the writer one frame at a time.
    let (jobs, job_receiver) = mpsc::unbounded_channel();
    let told = jobs.clone();
    log::tell_lost(move |text| drop(told.send(Job::Warn(text))));
    let signals = Signals::listen().and_then(Signals::with_stops);
    let signals = signals.context("cannot listen to signals")?;
    restore_on_crashes();
    // What is said is said once, as it is printed.
    launch.inline |= is_spoken(&loaded.config.ui);
    tty::want_inline(launch.inline);
    // There the mouse is the terminal's, which scrolls and selects what was printed.
    loaded.config.ui.mouse &= !launch.inline;
    tty::want_mouse(loaded.config.ui.mouse);
    tty::enter().context("cannot take over the terminal")?;
    let delay = tty::escape_delay(loaded.config.ui.escape_delay);
    let mut keyboard = Keyboard::new(delay);
    let ahead = keyboard.typed_ahead();
    let (reader, input) = Reader::start(keyboard, delay).context("cannot read the terminal")?;
    let (mut app, done) = App::new(launch, loaded, dirs, started, jobs, reader, replay)?;
    let mut sources = Sources {
        signals,
        input,
        jobs: job_receiver,
        done,
        replay: None,
    };
    app.frames.request(Instant::now(), Reason::Now);
    app.tell_window();
    // The agent starts while the first frame is drawn.
    app.open_first();
    app.list_prompts();
    app.draw()?;
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

/// What the UI may look at. No method, so that the UI can be borrowed as well.
fn context<'a>(runtime: &'a Runtime, project: &'a ProjectInfo) -> UiContext<'a> {
    static NONE: LazyLock<Screens> = LazyLock::new(Screens::default);
    UiContext {
        session: runtime.sessions.shown(),
        sessions: Some(&runtime.sessions),
        screens: runtime
            .shown_running()
            .map_or(&*NONE, |running| &running.screens),
        project,
        now: Instant::now(),
    }
}

impl App {
    async fn serve(&mut self, sources: &mut Sources) -> anyhow::Result<()> {
        while self.exit.is_none() {
            if let Some(lines) = self.replayed.take() {
                sources.replay = Some(lines);
            }
            self.live.follow(self.followed(), Instant::now());
            let deadlines = Deadlines {
                frame: self.frames.deadline(),
                tick: self.runtime.sessions.deadline(),
                save_draft: self.save_draft.due(),
                save_sessions: self.runtime.save_deadline(),
                look: self.live.due(),
            };
            match sources.next(&mut self.runtime.inboxes, deadlines).await {
                Wake::Told(told) => self.told(told)?,
                Wake::TerminalGone => self.exit = Some(ExitCode::Interrupted),
                Wake::Typed(batch) => self.typed(batch)?,
                Wake::TypedAhead(batch) => self.typed_ahead(batch)?,
                Wake::Frame => self.draw()?,
                Wake::Job(job) => self.job(job),
                Wake::Done(done) => self.done(done),
                Wake::Tick => self.apply_and_perform(Sessions::tick),
                Wake::SaveDraft => self.keep_draft(),
                Wake::Replayed(lines) => self.recorded(lines),
                Wake::SaveSessions => self.runtime.save_due(),
                Wake::Look => self.look_again(),
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
            self.runtime.exited(connection);
        }
    }

    /// Lets the rules of the session that is shown work on events, and does what they want.
    pub(super) fn reduce(&mut self, events: impl IntoIterator<Item = Event>) {
        if let Some(key) = self.runtime.sessions.shown_key() {
            self.reduce_in(key, events);
        }
    }

    /// The same for any session.
    pub(super) fn reduce_in(&mut self, key: SessionKey, events: impl IntoIterator<Item = Event>) {
        self.apply_and_perform(|sessions, now| {
            let effects = events
                .into_iter()
                .map(|event| sessions.apply(key, event, now));
            effects.flatten().collect()
        });
    }

    /// Lets rules work, does what they want, and draws what they changed.
    pub(super) fn apply_and_perform(
        &mut self,
        rules: impl FnOnce(&mut Sessions, Instant) -> Vec<Routed>,
    ) {
        let seen = self.seen();
        let effects = rules(&mut self.runtime.sessions, Instant::now());
        self.perform(effects);
        self.session_changed(seen);
        self.runtime.follow_sessions();
        self.follow_unsent();
    }

    pub(super) fn perform(&mut self, effects: Vec<Routed>) {
        for Routed { effect, .. } in &effects {
            match effect {
                Effect::ToAgent(message) => self.forget_sent_images(message),
                Effect::AgentScreen { .. } => self.frames.request(Instant::now(), Reason::Stream),
                _ => {}
            }
        }
        for (by, wish) in self.runtime.perform(effects) {
            match wish {
                ForPerson::Attention(attention) => {
                    let agent = self.runtime.sessions.get(by).map(Session::agent_name);
                    let agent = agent.map_or("the agent", SafeText::as_str);
                    let (focus, ui) = (self.focus, &self.runtime.config.ui);
                    let form = attention::Form::detect();
                    let bytes = attention::bytes(attention, focus, ui, agent, form);
                    self.screen.send_along(&bytes);
                    if let Some(text) = attention::note(attention, focus, ui, agent) {
                        self.notify_command.run(&ui.notify_command, &text);
                    }
                }
                ForPerson::Draft(prompt) => self.ui.restore_text_of(by, &prompt.text),
                ForPerson::Notice(mut notice) => {
                    notice.title = self.as_of(by, notice.title);
                    self.ui.notice(notice);
                }
                ForPerson::AskToContinue => {
                    let may = Event::MayContinue(self.has_written_nothing(by));
                    // Sending fails only once the loop is over.
                    let _ = self.jobs.send(Job::Session(by, may));
                }
                ForPerson::Toast(text) => {
                    let text = self.as_of(by, text);
                    self.ui.toast(text);
                }
            }
            self.frames.request(Instant::now(), Reason::Now);
        }
    }

    /// There is no draft for that session, and none is on its way to it.
    fn has_written_nothing(&self, key: SessionKey) -> bool {
        let drafts = self.ui.all_drafts();
        let running = self.runtime.running(key);
        let under_way = running
            .and_then(|running| running.resolving.as_ref())
            .is_some_and(|resolving| !resolving.is_finished());
        !under_way && drafts.iter().all(|(of, _)| *of != Some(key))
    }

    /// What a session says, with its name where another one is shown.
    fn as_of(&self, by: SessionKey, text: SafeText) -> SafeText {
        match self.runtime.sessions.get(by) {
            Some(session) if self.runtime.sessions.shown_key() != Some(by) => {
                SafeText::line(&format!("{}: {text}", session.label()))
            }
            _ => text,
        }
    }

    fn done(&mut self, done: Done) {
        let now = Instant::now();
        match &done {
            Done::Host(_, HostEvent::TerminalOutput)
            | Done::Login(.., HostEvent::TerminalOutput) => {
                self.frames.request(now, Reason::Stream);
            }
            Done::TurnChanged(session, ..) => self.ui.review(*session, ReviewTold::Changed),
            // A replay that comes may take the transcript's place.
            Done::Saving(_, Trouble::OpenElsewhere) => self.ui.toast(OPEN_ELSEWHERE.into()),
            _ => {}
        }
        if let Some((key, events)) = self.runtime.take(done) {
            self.reduce_in(key, events);
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
                // Another program has had the terminal, and may have left it in any mode.
                tty::restore();
                tty::take_back().context("cannot take back the terminal")?;
                self.screen.repaint()?;
                self.frames.request(Instant::now(), Reason::Now);
            }
            SignalEvent::Resize => {
                self.tell_window();
                self.ui.set_canvas(self.graphics.canvas());
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
            ui.typed_ahead(&context(&self.runtime, &self.project));
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
                Decoded::Told(told) => self.told_of_graphics(told),
                Decoded::PasteCut => {
                    let most = PASTE_BYTES >> 20;
                    let cut = format!("the paste was cut at {most} MiB");
                    self.say(SafeText::line(&cut));
                }
                Decoded::NotUtf8 => {
                    self.say("a key was not UTF-8: set your terminal and LANG to UTF-8".into())
                }
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
        let context = context(&self.runtime, &self.project);
        let commands = self.ui.handle(&batch, &context);
        self.frames.request(now, Reason::Now);
        for command in commands {
            self.carry_out(command)?;
        }
        if !batch
            .iter()
            .all(|event| matches!(event, TerminalEvent::Mouse(_)))
        {
            self.save_draft.changed(now);
        }
        self.look_for_person(now);
        Ok(())
    }

    pub(super) fn job(&mut self, job: Job) {
        match job {
            Job::Written(Ok(written)) => {
                self.frames.written(written.bytes, written.cost);
                assert!(!self.test_panic, "asked to panic by {TEST_PANIC}");
                return;
            }
            Job::Written(Err(error)) => {
                tracing::info!(%error, "the terminal is gone");
                self.exit = Some(ExitCode::Interrupted);
                return;
            }
            Job::Redraw => return self.frames.request(Instant::now(), Reason::Stream),
            Job::PastSessions(past) => self.ui.show_past_sessions(past),
            Job::FoundInText(found) => self.ui.found_in_text(found),
            Job::Stored(stored) => self.stored(stored),
            Job::Kept(kept) => self.kept(*kept),
            Job::Since(session, row, since) => self.since_prompt(session, row, since),
            Job::Again(again) => self.send_again(*again),
            Job::WorktreeMade(made) => self.worktree_made(*made),
            Job::WorktreeLooked(session, stands) => self.worktree_looked(session, stands),
            Job::WorktreeCarried(session, carried) => self.worktree_carried(session, carried),
            Job::Prompts(prompts) => self.prompts_read(prompts),
            Job::Files(files) => self.ui.composer().set_files(files),
            Job::Folder(listing) => self.ui.composer().set_folder(listing),
            Job::Agents(agents) => self.ui.set_agents(agents),
            Job::Looked(looked) => self.ui.set_looked(&looked),
            Job::Pasted(pasted) => self.pasted(pasted),
            Job::Unsent {
                session,
                draft,
                why,
            } => {
                self.ui.restore_text_of(session, &draft);
                self.ui.toast(why);
            }
            Job::Said(text) => self.ui.toast(text),
            Job::Told(text) => self.tell(NoticeLevel::Info, text),
            Job::HandOver(hand_over) => self.handed_over(*hand_over),
            Job::NoBrowser(why) => self.project.no_browser = Some(why),
            Job::Warn(text) => self.warn(text),
            Job::Session(session, event) => self.reduce_in(session, [event]),
            Job::Queued(session, prompts) => {
                if let Some(running) = self.runtime.running_mut(session) {
                    running.restoring.clear();
                }
                self.reduce_in(session, [Event::RestoreQueue(prompts)]);
            }
            Job::FileExists(path, text) => self.ui.ask_replace(path, text),
            Job::Copied(copied) => self.copied(copied),
            Job::Review(session, told) => self.review_told(session, *told),
            Job::Followed(session, review, took) => {
                self.live.ended(took, Instant::now());
                match review {
                    Some(review) => self.ui.review(session, ReviewTold::Followed(review)),
                    None => return,
                }
            }
            Job::Patch(patch) => self.patch_made(patch),
        }
        self.frames.request(Instant::now(), Reason::Now);
    }

    pub(super) fn seen(&self) -> Seen {
        let session = self.runtime.sessions.shown();
        session.map_or_else(Seen::default, |session| Seen {
            rev: session.rev,
            question: session.shown_question().map(Question::id),
        })
    }

    /// Asks for a frame if the session shows something new, or another one wants the person.
    pub(super) fn session_changed(&mut self, before: Seen) {
        let elsewhere = self.runtime.sessions.elsewhere();
        if elsewhere != self.elsewhere {
            self.elsewhere = elsewhere;
            self.frames.request(Instant::now(), Reason::Now);
        }
        let seen = self.seen();
        let Some(session) = self
            .runtime
            .sessions
            .shown()
            .filter(|_| seen.rev != before.rev)
        else {
            return;
        };
        self.had_session |= session.id.is_some();
        let reason = if seen.question == before.question {
            Reason::Stream
        } else {
            Reason::Now
        };
        self.frames.request(Instant::now(), reason);
    }

    pub(super) fn draw(&mut self) -> anyhow::Result<()> {
        let now = Instant::now();
        // Here, since terminals whose output is not shown report none of it.
        for running in self.runtime.running.values_mut() {
            running.screens.trim_to_bound();
        }
        let context = context(&self.runtime, &self.project);
        let ui = &mut self.ui;
        let first = self.frames.is_first();
        if first {
            // Asked with the first frame, so that nothing waits for it.
            self.screen.send_along(tty::QUERY_BACKGROUND);
            self.screen.send_along(&self.graphics.query());
            ui.background_asked(now);
        }
        let title = self.title.bytes(
            self.runtime.sessions.shown(),
            self.runtime.sessions.elsewhere().waiting > 0,
            &self.project.cwd,
            tty::is_titled(),
        );
        if !title.is_empty() {
            tty::titled(self.title.tells_progress());
            self.screen.send_along(&title);
        }
        if let Some(shape) = tty::shape_caret(ui.caret_shape()) {
            self.screen.send_along(shape);
        }
        let inline = match ui.fills_screen() {
            true => None,
            false => ui.draw_inline(self.screen.size()?, &context),
        };
        let wrote = match inline {
            Some(frame) => self.screen.draw_inline(&frame)?,
            None => self.screen.draw(|frame| {
                ui.draw(frame, &context);
                (ui.links().to_vec(), ui.pictures())
            })?,
        };
        if wrote {
            self.frames.drawn(now);
        } else {
            self.frames.skipped();
        }
        if tty::is_inline() && !tty::is_normal() && !self.ui.fills_screen() {
            // A move that led nowhere: back to the normal screen.
            self.frames.request_at(now);
        }
        if self.screen.wants_frame() {
            self.frames.request_at(now + KEY_INTERVAL);
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
}
