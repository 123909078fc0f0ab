//! Drafts and queued messages: saved while they change, and restored when their session is reopened.
//! Queued messages come back into a held queue: they stay until the person sends or deletes them.

use std::time::Instant;

use crate::{
    app::{
        draft::{resolve, text_prompt},
        job::Job,
        restore::restore,
        state::App,
    },
    model::SessionKey,
    session::{Session, Start},
    store::drafts::{Left, Owner, Unsent},
    ui::draft_of,
};

impl App {
    /// What waits in queues may have changed: what an agent took from one must not come back as a
    /// draft.
    pub(super) fn follow_unsent(&mut self) {
        let sessions = &self.runtime.sessions;
        let unsent = sessions.iter().map(|(_, session)| session.unsent().count());
        let open = sessions.shown().is_some_and(|s| s.id.is_some());
        let state = (unsent.sum(), sessions.shown_key(), open);
        if std::mem::replace(&mut self.kept_state, state) != state {
            self.save_draft.changed(Instant::now());
        }
    }

    /// What was typed and not sent, by session, the one shown first.
    pub(super) fn unsent(&self) -> Vec<Unsent> {
        let shown = self.runtime.sessions.shown_key();
        let mut drafts = self.ui.all_drafts();
        let others = self.runtime.sessions.iter().map(|(key, _)| Some(key));
        let keys = std::iter::once(shown).chain(others.filter(|key| *key != shown));
        let mut all: Vec<Unsent> = keys
            .map(|key| {
                // Before the first session and after the last one, the draft has no session.
                let typed = drafts.extract_if(.., |(of, _)| *of == key);
                let typed: Vec<String> = typed.map(|(_, draft)| draft).collect();
                let session = key.and_then(|key| self.runtime.sessions.get(key));
                let queue = session.into_iter().flat_map(|session| session.unsent());
                let queue = queue.map(|prompt| &prompt.text);
                let restoring = match key.and_then(|key| self.runtime.running(key)) {
                    Some(running) => &running.restoring,
                    None => &self.restoring,
                };
                Unsent {
                    owner: key.map_or_else(|| self.early_owner.clone(), |key| self.owner(key)),
                    draft: typed.join("\n"),
                    queue: queue.chain(restoring).cloned().collect(),
                    resumes: session.is_some_and(resumes),
                }
            })
            .collect();
        // The screen of a session that is gone, or none yet for the one there is.
        all.extend(drafts.into_iter().map(|(_, draft)| Unsent {
            owner: shown.map_or_else(|| self.early_owner.clone(), |key| self.owner(key)),
            draft,
            ..Unsent::default()
        }));
        for one in &mut all {
            one.queue.retain(|text| !text.is_empty());
        }
        all.retain(|one| !one.is_empty());
        all
    }

    /// The owner of what was typed there. A session that is being reopened is known already.
    pub(super) fn owner(&self, key: SessionKey) -> Owner {
        let session = self.runtime.sessions.get(key);
        let id = session.and_then(|session| match &session.config.start {
            Start::Reopen(id) => Some(session.id.as_ref().unwrap_or(id)),
            _ => session.id.as_ref(),
        });
        Owner {
            agent: self
                .runtime
                .running(key)
                .map(|running| running.profile.id.clone()),
            session: id.map(|id| id.as_str().to_owned()),
        }
    }

    /// Saves what was typed and not sent off the UI task, if it is something else now: nobody knows
    /// of a queue any more when the client is killed.
    pub(super) fn keep_draft(&mut self) {
        self.save_draft.kept();
        if self.replay.is_some() {
            return;
        }
        self.keep_reviews(false);
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

    /// Puts drafts into the composer and behind `up`.
    pub(super) fn restore_drafts(&mut self, drafts: Vec<String>) {
        let behind = restore(drafts, &Left::default(), &mut self.ui);
        if !behind.is_empty() {
            self.ui.composer().set_history(behind.history(&self.store));
        }
    }

    /// A session of the past is shown again: what was typed there and not sent comes back.
    pub(super) fn restore_unsent(&mut self, key: SessionKey) {
        let start = self
            .runtime
            .sessions
            .get(key)
            .map(|session| &session.config.start);
        let (Some(Start::Reopen(id)), Some(running)) = (start, self.runtime.running(key)) else {
            return;
        };
        let waited = self.store.take_waiting(&running.profile.id, id.as_str());
        if self.replay.is_some() || waited.is_empty() {
            return;
        }
        let typed = Some(self.ui.draft_text()).filter(|typed| !typed.is_empty());
        let waiting = Left {
            own: waited,
            ..Left::default()
        };
        let drafts = typed.into_iter().chain(waiting.drafts()).collect();
        self.restore_drafts(drafts);
        self.restore_queue(key, waiting.queued());
        // It no longer waits on disk, even if it is cleared at once.
        self.kept_draft.extend(waiting.own);
        self.save_draft.changed(Instant::now());
    }

    /// Puts messages into the queue of a session, as they would be sent from the composer.
    pub(super) fn restore_queue(&mut self, key: SessionKey, texts: Vec<String>) {
        let cwd = self.runtime.cwd_of(key);
        let Some(running) = self.runtime.running_mut(key).filter(|_| !texts.is_empty()) else {
            return;
        };
        running.restoring.extend(texts.iter().cloned());
        self.in_background(move || {
            let prompts = texts.into_iter().map(|text| {
                // A file may be gone by now: its name is still what was meant.
                resolve(draft_of(&text), &cwd).unwrap_or_else(|_| text_prompt(text))
            });
            Job::Queued(key, prompts.collect())
        });
    }
}

pub fn can_resume(session: &Session) -> bool {
    let caps = session.agent.caps;
    caps.load_session || caps.resume
}

/// Whether the person would look for a draft in that session: it goes on, and something was said in it.
fn resumes(session: &Session) -> bool {
    session.id.is_some() && can_resume(session) && !session.is_unused()
}
