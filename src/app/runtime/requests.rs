//! What an agent asks of this machine, judged and served in tasks; what comes of it is told as an event.

use std::{path::PathBuf, time::Duration};

use super::Runtime;
use crate::{
    host::{self, ServeOutcome, Serving},
    model::{
        CommandRun, Comparison, HostReply, HostRequest, PermissionOption, RequestKey, RpcError,
        SessionKey, ToAgent, ToolContent, code,
    },
    session::{Consent, Event, QuestionId, Subject, Verdict},
    text::{SafeText, exact_line},
};

/// How long a verdict waits for the one before it.
const VERDICT_PATIENCE: Duration = Duration::from_secs(1);

impl Runtime {
    /// Compares what a tool call or a question claims with the disk.
    pub(super) fn compare(&mut self, key: SessionKey, comparison: Comparison) {
        let Some(connection) = self.running(key).and_then(|running| running.connection) else {
            return;
        };
        let tell = self.tell(key, connection);
        if let Some(running) = self.running_mut(key) {
            let (of, before) = (comparison.of.clone(), running.before.clone());
            running.comparing = Some(tokio::spawn(async move {
                let shown = before.compare(comparison).await;
                tell(Event::Compared { of, shown });
            }));
        }
    }

    /// Asks the policy, which looks at the disk. Verdicts are told in the order of the questions, so
    /// that these are shown in the order in which the agent asked, and with their diffs.
    pub(super) fn decide(
        &mut self,
        key: SessionKey,
        (question, revision): (QuestionId, u64),
        subject: Subject,
        options: Vec<PermissionOption>,
    ) {
        let Some(connection) = self.running(key).and_then(|running| running.connection) else {
            return;
        };
        let tell = self.tell(key, connection);
        // A rule may let it through at once.
        let kept = self.keep_named(key, &subject);
        let Some(running) = self.running_mut(key) else {
            return;
        };
        let Some(host) = &running.host else {
            return;
        };
        let verdict = tokio::spawn(host.decide(asked_of(subject), options));
        let before = [running.deciding.take(), running.comparing.take()];
        running.deciding = Some(tokio::spawn(async move {
            kept.await;
            for before in before.into_iter().flatten() {
                // One whose path is on a dead file system holds up the others for no longer.
                let _ = tokio::time::timeout(VERDICT_PATIENCE, before).await;
            }
            let verdict = verdict.await.unwrap_or(Verdict::ask(None));
            tell(Event::Decided {
                question,
                revision: Some(revision),
                verdict,
            });
        }));
    }

    /// Serves a request; its answer goes straight to the agent. To be called in the order in which
    /// requests came (V1-FS-13).
    pub(super) fn serve(
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
        let tell = self.tell(by, key.connection);
        let kept = self.keep_written(by, &request);
        // Entered here; done elsewhere.
        let outcome = host.serve(key, request.clone(), consent);
        let client = client.clone();
        tokio::spawn(async move {
            let answer = |reply: HostReply| client.send(by, ToAgent::Reply { key, reply });
            kept.await;
            // Telling fails only once the loop is over; the agent is then answered by the client's own
            // end.
            match carried_out(outcome).await {
                ServeOutcome::Reply(reply) => {
                    if let Some(event) = wrote(&request, &reply) {
                        // Before the answer, and so before whatever the agent does next.
                        tell(event);
                    }
                    answer(reply);
                }
                ServeOutcome::OutsideRoots {
                    resolved,
                    write,
                    protected,
                } => tell(Event::AskFile {
                    key,
                    request,
                    resolved,
                    write,
                    protected: protected.map(SafeText::from),
                    reason: None,
                }),
                ServeOutcome::AskFile {
                    resolved,
                    write,
                    reason,
                } => tell(Event::AskFile {
                    key,
                    request,
                    resolved,
                    write,
                    protected: None,
                    reason: Some(reason),
                }),
                ServeOutcome::AskTerminal {
                    command,
                    shell,
                    cwd,
                    outside,
                    reason,
                } => {
                    let cwd = exact_line(&cwd.to_string_lossy());
                    tell(Event::AskTerminal {
                        key,
                        request,
                        command,
                        shell,
                        cwd,
                        outside,
                        reason,
                    });
                }
                ServeOutcome::Refused { reply, what, rule } => {
                    answer(reply);
                    let of = request.session().cloned();
                    tell(Event::Refused { of, what, rule });
                }
            }
        });
    }
}

/// All that is told of what a call would do, for the judge.
fn asked_of(subject: Subject) -> host::Subject {
    let mut input = (*subject.input).clone();
    let shown = subject.command.map(|line| CommandRun {
        line,
        cwd: subject.command_cwd.clone(),
        env: subject.env,
        ..CommandRun::default()
    });
    input.run = match (input.run.take(), shown) {
        // Where it runs is counted from the session's directory there.
        (Some(run), Some(shown)) if run.line == shown.line => Some(CommandRun {
            cwd: shown.cwd,
            ..run
        }),
        (run, shown) => shown.or(run),
    };
    let diff = |content: &ToolContent| matches!(content, ToolContent::Diff(_));
    input.writes |= subject.content.iter().any(diff);
    host::Subject {
        kind: subject.kind,
        tool: subject.name,
        base: subject.command_cwd.map(PathBuf::from),
        paths: subject.paths,
        input,
        opaque: subject.opaque,
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
pub(super) async fn carried_out(serving: Serving) -> ServeOutcome {
    // In a separate task, so that a panic ends only that.
    tokio::spawn(serving).await.unwrap_or_else(|error| {
        tracing::error!(%error, "serving a request failed");
        let error = RpcError::new(code::INTERNAL, "serving the request failed in the client");
        ServeOutcome::Reply(HostReply::Error(error))
    })
}
