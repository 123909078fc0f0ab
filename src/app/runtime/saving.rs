//! Stores sessions while they run.

use std::time::Instant;

use super::{Done, Runtime};
use crate::{
    model::{KeptReview, SessionKey},
    session::{Event, NoticeLevel, Start},
    store::{
        files::{
            Destination, OPEN_ELSEWHERE, Reopened, Screens, SessionWriter, Trouble, wall_clock,
        },
        format::Saver,
    },
    text::SafeText,
};

impl Runtime {
    /// A session was opened: what happens in it is stored from now on, behind what is stored of it
    /// already.
    pub fn begin_saving(&mut self, key: SessionKey, stored: Option<Reopened>) {
        let mut shown = None;
        if let Some(stored) = stored {
            tracing::info!(id = stored.id, "reopening a stored session");
            self.sessions.show_stored(key, stored.history);
            // A fork is stored in a new file, which begins with what it was forked from.
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
            let done = self.done.clone();
            let keep = usize::try_from(self.config.sessions.keep).unwrap_or(usize::MAX);
            let tell = move |key, trouble: Trouble| drop(done.send(Done::Saving(key, trouble)));
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

    /// When something is to be written next.
    pub fn save_deadline(&self) -> Option<Instant> {
        let savers = self.running.values().filter_map(|r| r.saver.as_ref());
        savers.filter_map(Saver::due).min()
    }

    /// Hands what is due to the thread that writes.
    pub fn save_due(&mut self) {
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
    pub fn save_session(&mut self, key: SessionKey, last: bool) {
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

    /// What is held of a session's review, to be written in the place of what was. False while the disk is
    /// behind; `last`: it goes now.
    pub fn save_review(&self, key: SessionKey, held: KeptReview, last: bool) -> bool {
        let Some(writer) = &self.writer else {
            return true;
        };
        let goes = last || !writer.is_behind();
        if goes {
            writer.review(key, held);
        }
        goes
    }

    pub(super) fn saving_trouble(
        &mut self,
        key: SessionKey,
        trouble: Trouble,
    ) -> Option<(SessionKey, Vec<Event>)> {
        let text = match trouble {
            Trouble::OpenElsewhere => SafeText::from(OPEN_ELSEWHERE),
            Trouble::NotStored(error) => {
                let running = self.running_mut(key)?;
                if let Some(saver) = &mut running.saver {
                    saver.failed(Instant::now());
                }
                // Said once for each session: it is no reason to stop.
                if std::mem::replace(&mut running.told_not_stored, true) {
                    return None;
                }
                SafeText::line(&format!("this conversation is not stored: {error}"))
            }
            Trouble::ReviewNotStored(error) => {
                let running = self.running_mut(key)?;
                if std::mem::replace(&mut running.told_review_not_stored, true) {
                    return None;
                }
                let text = format!(
                    "comments and marks of the review are not stored: {error}; send the comments before you quit"
                );
                SafeText::line(&text)
            }
        };
        let level = NoticeLevel::Warning;
        Some((key, vec![Event::Note { level, text }]))
    }
}
