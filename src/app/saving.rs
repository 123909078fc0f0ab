//! Stores what is said and done, while it is.

use std::{io, time::Instant};

use crate::{
    app::{job::Job, state::App},
    model::SessionKey,
    session::{Event, NoticeLevel, Start},
    store::{
        files::{
            Destination, OPEN_ELSEWHERE, Reopened, Screens, SessionWriter, Trouble, wall_clock,
        },
        format::Saver,
    },
    text::SafeText,
};

impl App {
    /// A session was opened: what happens in it is stored from now on, behind what is stored of it
    /// already.
    pub(super) fn begin_saving(&mut self, key: SessionKey, stored: Option<Reopened>) {
        if let Some(stored) = &stored {
            self.had_session = true;
            tracing::info!(id = stored.id, "a stored session is opened again");
        }
        let mut shown = None;
        if let Some(stored) = stored {
            self.sessions.show_stored(key, stored.history);
            // A fork goes its own way from there: in a file of its own, which begins with it all.
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
        let (saver, destination) = match shown {
            Some((id, stored)) => (Saver::going_on(stored, session), Destination::GoOn(id)),
            None => (
                Saver::new(running.profile.id.clone(), wall_clock()),
                Destination::New,
            ),
        };
        running.saver = Some(saver);
        if let Some(writer) = self.writer() {
            writer.begin(key, destination);
        }
    }

    /// The thread that writes, started with the first session.
    fn writer(&mut self) -> Option<&SessionWriter> {
        if self.writer.is_none() {
            let jobs = self.jobs.clone();
            let keep = usize::try_from(self.config.sessions.keep).unwrap_or(usize::MAX);
            let tell = move |key, trouble: Trouble| drop(jobs.send(Job::Saving(key, trouble)));
            match SessionWriter::start(self.folder.clone(), keep, tell) {
                Ok(writer) => {
                    self.started.set_writer(writer.clone());
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
            if let Some(saver) = running.and_then(|running| running.saver.as_mut()) {
                saver.changed(session, now);
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
    pub(super) fn save_deadline(&self) -> Option<Instant> {
        let savers = self.running.values().filter_map(|r| r.saver.as_ref());
        savers.filter_map(Saver::due).min()
    }

    /// Hands what is due to the thread that writes.
    pub(super) fn save_due(&mut self) {
        let now = Instant::now();
        let is_due = |saver: &Saver| saver.due().is_some_and(|at| at <= now);
        let keys: Vec<SessionKey> = self
            .running
            .iter()
            .filter(|(_, running)| running.saver.as_ref().is_some_and(is_due))
            .map(|(key, _)| *key)
            .collect();
        for key in keys {
            self.save_session(key, false);
        }
    }

    /// The same for one session, due or not; `last`: it goes now.
    pub(super) fn save_session(&mut self, key: SessionKey, last: bool) {
        let (Some(session), Some(running), Some(writer)) = (
            self.sessions.get(key),
            self.running.get_mut(&key),
            &self.writer,
        ) else {
            return;
        };
        let Some(saver) = &mut running.saver else {
            return;
        };
        let now = Instant::now();
        if writer.is_behind() && !last {
            return saver.postpone(now);
        }
        let batch = saver.take(session, now, wall_clock(), last);
        if !batch.lines.is_empty() {
            let screens = Screens::of(&batch, &running.screens);
            writer.write(key, batch, screens);
        }
        if last {
            running.saver = None;
            writer.end(key);
        }
    }

    pub(super) fn saving_trouble(&mut self, key: SessionKey, trouble: Trouble) {
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
        if let Some(saver) = &mut running.saver {
            saver.failed(Instant::now());
        }
        if !std::mem::replace(&mut running.told_not_stored, true) {
            let text = SafeText::line(&format!("this conversation is not stored: {error}"));
            let level = NoticeLevel::Warning;
            self.reduce_in(key, [Event::Note { level, text }]);
        }
    }
}
