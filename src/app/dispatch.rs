//! Carries out what the reducer wants, and brings back what the host has to say.

use std::time::Instant;

use crate::{
    app::{agent_terminals, attention, job::Job, services, state::App, terminal::Reason},
    host::{HostEvent, browser},
    model::{Comparison, HostRequest, PermissionOption, RequestKey, SessionKey, TerminalId},
    session::{
        Consent, Effect, Event, QuestionId, Routed, ScreenChange, Session, Sessions, Subject,
    },
    text::SafeText,
};

impl App {
    /// Lets the rules of the session that is shown work on events, and does what they want.
    pub(super) fn reduce(&mut self, events: impl IntoIterator<Item = Event>) {
        if let Some(key) = self.sessions.shown_key() {
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
        let rev = self.sessions.shown().map_or(0, |session| session.rev);
        let effects = rules(&mut self.sessions, Instant::now());
        self.perform(effects);
        self.session_changed(rev);
        self.follow_sessions();
    }

    pub(super) fn perform(&mut self, effects: Vec<Routed>) {
        for Routed { by, effect } in effects {
            match effect {
                Effect::ToAgent(message) => {
                    self.forget_sent_images(&message);
                    self.send(by, message);
                }
                Effect::Spawn(protocol) => self.spawn_agent(by, protocol),
                Effect::StopAgent(_) => self.end_agent(by),
                Effect::Join(connection) => self.join_agent(by, connection),
                Effect::TellStderr(connection) => {
                    if let Some(client) = self.client(by) {
                        let event = Event::Stderr(client.stderr());
                        // Sending fails only once the loop is over.
                        let _ = self.jobs.send(Job::Session(by, connection, event));
                    }
                }
                Effect::Compare(comparison) => self.compare(by, *comparison),
                Effect::Decide {
                    question,
                    revision,
                    subject,
                    options,
                } => {
                    self.decide(by, (question, revision), *subject, options);
                }
                Effect::Serve {
                    key,
                    request,
                    consent,
                } => self.serve_request(by, key, *request, consent),
                Effect::CancelServe(key) => {
                    if let Some(host) = self.running(by).and_then(|r| r.host.as_ref()) {
                        host.cancel(key);
                    }
                }
                Effect::OpenPage { question, url } => self.open_page(by, question, url),
                Effect::Login(login) => self.log_in(by, login),
                Effect::EndLogin => self.end_login(by),
                Effect::AgentScreen { id, change } => self.agent_screen(by, id, change),
                Effect::Attention(attention) => {
                    let agent = self.sessions.get(by).map(Session::agent_name);
                    let bytes = attention::bytes(
                        attention,
                        self.focus,
                        &self.config.ui,
                        agent.map_or("the agent", SafeText::as_str),
                    );
                    self.screen.send_along(&bytes);
                    self.frames.request(Instant::now(), Reason::Now);
                }
                Effect::RestoreDraft(prompt) => {
                    self.ui.restore_draft_of(by, &prompt);
                    self.frames.request(Instant::now(), Reason::Now);
                }
                Effect::Notice(mut notice) => {
                    notice.title = self.as_of(by, notice.title);
                    self.ui.notice(notice);
                    self.frames.request(Instant::now(), Reason::Now);
                }
                Effect::SessionDeleted(id) => self.forget_stored(by, id),
                Effect::Toast(text) => {
                    let text = self.as_of(by, text);
                    self.ui.toast(text);
                    self.frames.request(Instant::now(), Reason::Now);
                }
            }
        }
    }

    /// What a session says, with its name where another one is shown.
    fn as_of(&self, by: SessionKey, text: SafeText) -> SafeText {
        match self.sessions.get(by) {
            Some(session) if self.sessions.shown_key() != Some(by) => {
                SafeText::line(&format!("{}: {text}", session.label()))
            }
            _ => text,
        }
    }

    fn compare(&mut self, key: SessionKey, comparison: Comparison) {
        let jobs = self.jobs.clone();
        let Some(running) = self.running_mut(key) else {
            return;
        };
        let Some(connection) = running.connection else {
            return;
        };
        let compared = services::compare(&running.before, comparison, move |event| {
            drop(jobs.send(Job::Session(key, connection, event)));
        });
        running.comparing = Some(compared);
    }

    /// Asks the policy off the UI task: it looks at the disk. Verdicts are told in the order of the
    /// questions, so that these are shown in the order in which the agent asked.
    fn decide(
        &mut self,
        key: SessionKey,
        question: (QuestionId, u64),
        subject: Subject,
        options: Vec<PermissionOption>,
    ) {
        let jobs = self.jobs.clone();
        let Some(running) = self.running_mut(key) else {
            return;
        };
        let (Some(host), Some(connection)) = (&running.host, running.connection) else {
            return;
        };
        let before = [running.deciding.take(), running.comparing.take()];
        let decided = services::decide(host, before, question, subject, options, move |event| {
            drop(jobs.send(Job::Session(key, connection, event)));
        });
        running.deciding = Some(decided);
    }

    /// The person has consented: starts their browser off the UI task.
    fn open_page(&self, by: SessionKey, question: QuestionId, url: String) {
        let Some(connection) = self.running(by).and_then(|running| running.connection) else {
            return;
        };
        let jobs = self.jobs.clone();
        tokio::spawn(async move {
            let result = browser::open(&url).await;
            let event = Event::PageOpened { question, result };
            let _ = jobs.send(Job::Session(by, connection, event));
        });
    }

    /// Serves a request off the UI task; its answer goes straight to the agent.
    fn serve_request(
        &self,
        by: SessionKey,
        key: RequestKey,
        request: HostRequest,
        consent: Consent,
    ) {
        let host = self.running(by).and_then(|running| running.host.as_ref());
        let (Some(host), Some(client)) = (host, self.client(by)) else {
            return;
        };
        let jobs = self.jobs.clone();
        services::serve(host, client, by, key, request, consent, move |event| {
            drop(jobs.send(Job::Session(by, key.connection, event)));
        });
    }

    pub(super) fn host_event(&mut self, key: SessionKey, event: HostEvent) {
        match event {
            HostEvent::TerminalStarted {
                session,
                id,
                command,
                cwd,
                screen,
            } => {
                if let Some(running) = self.running_mut(key) {
                    running.screens.insert(id.clone(), screen);
                }
                let started = Event::TerminalStarted {
                    session,
                    id,
                    command,
                    cwd,
                };
                self.reduce_in(key, [started]);
                self.forget_screens(key);
            }
            HostEvent::TerminalOutput => {
                self.frames.request(Instant::now(), Reason::Stream);
            }
            HostEvent::TerminalExited { id, status } => {
                self.reduce_in(key, [Event::TerminalExited { id, status }]);
            }
        }
    }

    /// Screens of terminals that the session has forgotten: it is what bounds their number.
    pub(super) fn forget_screens(&mut self, key: SessionKey) {
        if let (Some(session), Some(running)) = (self.sessions.get(key), self.running.get_mut(&key))
        {
            running
                .screens
                .retain(|id| session.terminals.contains_key(id));
        }
    }

    /// The screen of a terminal that the agent runs itself.
    pub(super) fn agent_screen(&mut self, key: SessionKey, id: TerminalId, change: ScreenChange) {
        let Some(running) = self.running_mut(key) else {
            return;
        };
        agent_terminals::change(&mut running.screens, id, change);
        self.forget_screens(key);
        self.frames.request(Instant::now(), Reason::Stream);
    }
}
