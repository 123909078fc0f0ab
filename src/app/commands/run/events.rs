//! Prints each event as it happens, and the summary.

use std::time::Instant;

use super::{OUTPUT_PATIENCE, Run, ending::Stop};
use crate::{
    acp::StopMode,
    app::{
        runtime::reached,
        signals::{SignalEvent, Signals},
    },
    cli::{ExitCode, Format, complain},
    report::{self, Change, Problem, Record},
};

impl Run {
    pub(super) fn tell(&mut self, records: Vec<Record>) {
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
                    let t = report::seconds(self.begun.elapsed());
                    self.output.out(report::timed_line(t, record));
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

    /// Says the last words, ends the agent, and waits until all is written.
    pub(super) async fn end(
        mut self,
        code: ExitCode,
        problem: Option<Problem>,
        changes: Option<Vec<Change>>,
        mut signals: Signals,
        deadline: Option<Instant>,
    ) -> ExitCode {
        self.runtime.save_session(self.key, true);
        let mut summary = self.observer.summary().clone();
        summary.exit_code = code.number();
        summary.error.clone_from(&problem);
        summary.changes = changes;
        summary.seconds = report::seconds(self.begun.elapsed());
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
        if let Some(session) = self.session() {
            for message in session.farewell() {
                self.runtime.send(self.key, message);
            }
        }
        // Agents keep their sessions when they are asked to end, not when they are made to.
        let mode = match self.stop {
            None => StopMode::Graceful,
            Some(_) => StopMode::Quick,
        };
        let started = self.runtime.started.clone();
        let lost = self.output.closed();
        let written = self.output.finish();
        let running = self.runtime.running(self.key);
        let told = running.is_some_and(|running| running.told_not_stored);
        let ending = async {
            let (not_stored, ()) = tokio::join!(started.end(mode), written.cancelled());
            if let Some(why) = not_stored.filter(|_| !told) {
                complain(why);
            }
        };
        // A slow reader is waited for as long as a turn would be.
        let given_up = async {
            if self.stop.is_some() {
                tokio::time::sleep(OUTPUT_PATIENCE).await;
                return code;
            }
            let stop = loop {
                tokio::select! {
                    told = signals.recv() => match told {
                        SignalEvent::End(_) | SignalEvent::Interrupt(_) => break Stop::Interrupted,
                        SignalEvent::Stop | SignalEvent::Continue | SignalEvent::Resize => {}
                    },
                    () = reached(deadline) => break Stop::TimeOver,
                }
            };
            // What went wrong before was said with its own code, which stands.
            if code != ExitCode::Done {
                return code;
            }
            let (code, problem) = stop.outcome();
            complain(problem.map(|problem| problem.message).unwrap_or_default());
            code
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
}
