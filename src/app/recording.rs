//! Stores what is said and done, while it is.

use std::{io, time::Instant};

use crate::{
    app::{
        job::Job,
        records::{
            Destination, OPEN_ELSEWHERE, RecordWriter, Screens, Stored, Trouble, wall_clock,
        },
        state::App,
    },
    model::SessionKey,
    record::Recorder,
    session::{Event, NoticeLevel, Start},
    text::SafeText,
};

impl App {
    /// A session was opened: what happens in it is stored from now on, behind what is stored of it
    /// already.
    pub(super) fn begin_record(&mut self, key: SessionKey, stored: Option<Stored>) {
        if let Some(stored) = &stored {
            self.had_session = true;
            tracing::info!(id = stored.id, "a stored session is opened again");
        }
        let mut shown = None;
        if let Some(stored) = stored {
            self.sessions.show_stored(key, stored.history);
            // A fork goes its own way from there: in a record of its own, which begins with it all.
            let forked = self
                .sessions
                .get(key)
                .is_some_and(|session| matches!(session.config.start, Start::Fork(_)));
            if !forked {
                shown = Some((stored.id, stored.going_on));
            }
        }
        if self.config.sessions.keep == 0 {
            return;
        }
        let (Some(session), Some(running)) = (self.sessions.get(key), self.running.get_mut(&key))
        else {
            return;
        };
        let (recorder, destination) = match shown {
            Some((id, stored)) => (Recorder::going_on(stored, session), Destination::GoOn(id)),
            None => (
                Recorder::new(running.profile.id.clone(), wall_clock()),
                Destination::New,
            ),
        };
        running.recorder = Some(recorder);
        if let Some(writer) = self.writer() {
            writer.begin(key, destination);
        }
    }

    /// The thread that writes, started with the first session.
    fn writer(&mut self) -> Option<&RecordWriter> {
        if self.writer.is_none() {
            let jobs = self.jobs.clone();
            let keep = usize::try_from(self.config.sessions.keep).unwrap_or(usize::MAX);
            let tell = move |key, trouble: Trouble| drop(jobs.send(Job::Record(key, trouble)));
            match RecordWriter::start(self.records.clone(), keep, tell) {
                Ok(writer) => {
                    self.started.set_records(writer.clone());
                    self.writer = Some(writer);
                }
                Err(error) => tracing::warn!(%error, "sessions are not stored"),
            }
        }
        self.writer.as_ref()
    }

    /// Something may have happened in any session. Cheap: comes with each batch of messages.
    pub(super) fn follow_sessions(&mut self) {
        let now = Instant::now();
        let mut unsent = 0;
        for (key, session) in self.sessions.iter() {
            unsent += session.unsent().count();
            let running = self.running.get_mut(&key);
            if let Some(recorder) = running.and_then(|running| running.recorder.as_mut()) {
                recorder.changed(session, now);
            }
        }
        // What an agent took from a queue must not come back as a draft.
        let open = self.sessions.shown().is_some_and(|s| s.id.is_some());
        let state = (unsent, self.sessions.shown_key(), open);
        if std::mem::replace(&mut self.kept_state, state) != state {
            self.save_draft.changed(now);
        }
    }

    /// When something is to be written, if at all.
    pub(super) fn record_deadline(&self) -> Option<Instant> {
        let recorders = self.running.values().filter_map(|r| r.recorder.as_ref());
        recorders.filter_map(Recorder::due).min()
    }

    /// Hands what is due to the thread that writes.
    pub(super) fn record_due(&mut self) {
        let now = Instant::now();
        let is_due = |recorder: &Recorder| recorder.due().is_some_and(|at| at <= now);
        let keys: Vec<SessionKey> = self
            .running
            .iter()
            .filter(|(_, running)| running.recorder.as_ref().is_some_and(is_due))
            .map(|(key, _)| *key)
            .collect();
        for key in keys {
            self.record(key, false);
        }
    }

    /// The same for one session, due or not; `last`: it goes now.
    pub(super) fn record(&mut self, key: SessionKey, last: bool) {
        let (Some(session), Some(running), Some(writer)) = (
            self.sessions.get(key),
            self.running.get_mut(&key),
            &self.writer,
        ) else {
            return;
        };
        let Some(recorder) = &mut running.recorder else {
            return;
        };
        let now = Instant::now();
        if writer.is_behind() && !last {
            return recorder.postpone(now);
        }
        let batch = recorder.take(session, now, wall_clock(), last);
        if !batch.lines.is_empty() {
            let screens = Screens::of(&batch, &running.screens);
            writer.write(key, batch, screens);
        }
        if last {
            running.recorder = None;
            writer.end(key);
        }
    }

    pub(super) fn record_trouble(&mut self, key: SessionKey, trouble: Trouble) {
        match trouble {
            Trouble::NotStored(error) => self.not_stored(key, &error),
            Trouble::OpenElsewhere => {
                let text = SafeText::from(OPEN_ELSEWHERE);
                // A replay that comes may take the transcript's place.
                self.ui.toast(text.clone());
                let level = NoticeLevel::Warning;
                self.reduce_in(key, [Event::Note { level, text }]);
            }
        }
    }

    /// Said once for each session: it is no reason to stop.
    fn not_stored(&mut self, key: SessionKey, error: &io::Error) {
        let Some(running) = self.running.get_mut(&key) else {
            return;
        };
        if let Some(recorder) = &mut running.recorder {
            recorder.failed(Instant::now());
        }
        if !std::mem::replace(&mut running.told_not_stored, true) {
            let text = SafeText::line(&format!("this conversation is not stored: {error}"));
            let level = NoticeLevel::Warning;
            self.reduce_in(key, [Event::Note { level, text }]);
        }
    }
}
