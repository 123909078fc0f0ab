//! Carries out what the reducer wants, and brings back what the host has to say.

use std::time::{Duration, Instant};

use crate::{
    app::{attention, frame::Reason, job::Job, state::App},
    host::{self, HostEvent, ServeOutcome, Serving},
    proto::{
        HostReply, HostRequest, PermissionOption, RequestKey, RpcError, SessionKey, TerminalMeta,
        ToAgent, ToolContent, code,
    },
    session::{Consent, Effect, Event, QuestionId, Routed, Session, Sessions, Subject, Verdict},
    text::SafeText,
    vt::{Screen, SharedScreen},
};

/// Size of a terminal that the agent runs itself; it does not tell.
const FOREIGN_ROWS: u16 = 40;
const FOREIGN_COLS: u16 = 120;

/// How long a verdict waits for the one before it.
const VERDICT_PATIENCE: Duration = Duration::from_secs(1);

impl App {
    /// Lets the rules of the session that is shown work on events, and does what they want.
    pub(super) fn reduce(&mut self, events: impl IntoIterator<Item = Event>) {
        if let Some(key) = self.sessions.shown_key() {
            self.reduce_in(key, events);
        }
    }

    /// The same for any session.
    pub(super) fn reduce_in(&mut self, key: SessionKey, events: impl IntoIterator<Item = Event>) {
        self.let_rules_work(|sessions, now| {
            let effects = events
                .into_iter()
                .map(|event| sessions.apply(key, event, now));
            effects.flatten().collect()
        });
    }

    /// Lets rules work, does what they want, and draws what they changed.
    pub(super) fn let_rules_work(
        &mut self,
        rules: impl FnOnce(&mut Sessions, Instant) -> Vec<Routed>,
    ) {
        let rev = self.sessions.shown().map_or(0, |session| session.rev);
        let effects = rules(&mut self.sessions, Instant::now());
        self.perform(effects);
        self.session_changed(rev);
    }

    pub(super) fn perform(&mut self, effects: Vec<Routed>) {
        for Routed { by, effect } in effects {
            match effect {
                Effect::ToAgent(message) => self.send(by, message),
                Effect::Spawn => self.spawn_agent(by),
                Effect::StopAgent(_) => self.end_agent(by),
                Effect::TellStderr(connection) => {
                    if let Some(client) = self.client(by) {
                        let event = Event::Stderr(client.stderr());
                        // Sending fails only once the loop is over.
                        let _ = self.jobs.send(Job::Session(by, connection, event));
                    }
                }
                Effect::Decide {
                    question,
                    subject,
                    options,
                } => {
                    self.decide(by, question, *subject, options);
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
                Effect::TerminalMeta(meta) => self.foreign_terminal(by, meta),
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
                Effect::Notice(notice) => {
                    self.ui.notice(notice);
                    self.frames.request(Instant::now(), Reason::Now);
                }
                Effect::Toast(text) => {
                    self.ui.toast(text);
                    self.frames.request(Instant::now(), Reason::Now);
                }
            }
        }
    }

    /// Asks the policy off the UI task: it looks at the disk. Verdicts are told in the order of the
    /// questions, so that these are shown in the order in which the agent asked.
    fn decide(
        &mut self,
        key: SessionKey,
        question: QuestionId,
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
        let changes_files = subject
            .content
            .iter()
            .any(|content| matches!(content, ToolContent::Diff(_)));
        let asked = host::Subject {
            kind: subject.kind,
            tool: subject.name,
            command: subject.command,
            command_cwd: subject.command_cwd,
            paths: subject.paths,
            changes_files,
        };
        let verdict = tokio::spawn(host.decide(asked, options));
        let before = running.deciding.take();
        running.deciding = Some(tokio::spawn(async move {
            if let Some(before) = before {
                // One whose path is on a dead file system holds up the others for no longer.
                let _ = tokio::time::timeout(VERDICT_PATIENCE, before).await;
            }
            let verdict = verdict.await.unwrap_or(Verdict::Ask { reason: None });
            let event = Event::Decided { question, verdict };
            let _ = jobs.send(Job::Session(key, connection, event));
        }));
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
        // Entered here, in the order of arrival (V1-FS-13); done elsewhere.
        let outcome = host.serve(key, request.clone(), consent);
        let (client, jobs) = (client.clone(), self.jobs.clone());
        tokio::spawn(async move {
            let answer = |reply: HostReply| client.send(by, ToAgent::Reply { key, reply });
            let tell = |event: Event| {
                let _ = jobs.send(Job::Session(by, key.connection, event));
            };
            // Sending fails only once the loop is over; the agent is then answered by the client's
            // own end.
            match carried_out(outcome).await {
                ServeOutcome::Reply(reply) => {
                    if let Some(event) = wrote(&request, &reply) {
                        // Before the answer, and so before whatever the agent does next.
                        tell(event);
                    }
                    answer(reply);
                }
                ServeOutcome::OutsideRoots { resolved, write } => {
                    let event = Event::OutsideRoots {
                        key,
                        request,
                        resolved,
                        write,
                    };
                    tell(event);
                }
                ServeOutcome::AskTerminal {
                    command,
                    cwd,
                    reason,
                } => {
                    let cwd = SafeText::line(&cwd.to_string_lossy());
                    let event = Event::AskTerminal {
                        key,
                        request,
                        command,
                        cwd,
                        reason,
                    };
                    tell(event);
                }
                ServeOutcome::Refused { reply, what, rule } => {
                    answer(reply);
                    let event = Event::Refused { what, rule };
                    tell(event);
                }
            }
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
    fn forget_screens(&mut self, key: SessionKey) {
        if let (Some(session), Some(running)) = (self.sessions.get(key), self.running.get_mut(&key))
        {
            running
                .screens
                .retain(|id| session.terminals.contains_key(id));
        }
    }

    /// Output of a terminal that the agent runs itself.
    fn foreign_terminal(&mut self, key: SessionKey, meta: TerminalMeta) {
        let Some(running) = self.running_mut(key) else {
            return;
        };
        let screens = &mut running.screens;
        match meta {
            TerminalMeta::Info { id, .. } => {
                screens.insert(id, SharedScreen::new(FOREIGN_ROWS, FOREIGN_COLS));
                self.forget_screens(key);
            }
            TerminalMeta::Output { id, data } => {
                // Not every agent announces it.
                let new = || SharedScreen::new(FOREIGN_ROWS, FOREIGN_COLS);
                screens
                    .get_or_insert(id, new)
                    .change(|screen| screen.feed_text(&data));
            }
            TerminalMeta::Exit { id, .. } => {
                if let Some(screen) = screens.get(&id) {
                    screen.change(Screen::finish);
                }
            }
        }
        self.frames.request(Instant::now(), Reason::Stream);
    }
}

/// What is to be told of a file that was written.
fn wrote(request: &HostRequest, reply: &HostReply) -> Option<Event> {
    match (request, reply) {
        (_, HostReply::Error(_)) => None,
        (HostRequest::WriteTextFile(write), _) => Some(Event::Wrote {
            session: write.session.clone(),
            path: write.path.clone(),
            lines: write.content.lines().count(),
        }),
        _ => None,
    }
}

/// What came of a request, even if serving it panicked: it is answered all the same (V1-RPC-12).
async fn carried_out(serving: Serving) -> ServeOutcome {
    // On a task of its own, where a panic ends nothing but it.
    tokio::spawn(serving).await.unwrap_or_else(|error| {
        tracing::error!(%error, "serving a request failed");
        let error = RpcError::new(code::INTERNAL, "serving the request failed in the client");
        ServeOutcome::Reply(HostReply::Error(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_still_an_answer_v1_rpc_12_v1_err_05() {
        let outcome = carried_out(Box::pin(async { panic!("while serving") })).await;
        let ServeOutcome::Reply(HostReply::Error(error)) = outcome else {
            panic!("no error: {outcome:?}");
        };
        assert_eq!(error.code, -32603);
        assert!(!error.message.contains("while serving"));
    }
}
