//! What the person holds of a session's review: stored while it changes, as drafts are, and back when the session
//! is opened again.

use std::time::Instant;

use crate::{
    app::state::App,
    model::{KeptReview, SessionKey},
};

impl App {
    /// Has what changed of it written; `last`: now, however slow the disk is.
    pub(super) fn keep_reviews(&mut self, last: bool) {
        let keys: Vec<SessionKey> = self.runtime.sessions.iter().map(|(key, _)| key).collect();
        for key in keys {
            self.keep_review(key, last);
        }
    }

    /// The same for one session.
    pub(super) fn keep_review(&mut self, key: SessionKey, last: bool) {
        let Some(rev) = self.ui.review_rev(key) else {
            return;
        };
        let running = self.runtime.running(key);
        if self.replay.is_some() || running.is_none_or(|running| running.review_rev == rev) {
            return;
        }
        let Some(held) = self.ui.kept_review(key) else {
            return;
        };
        if !self.runtime.save_review(key, held, last) {
            return self.save_draft.changed(Instant::now());
        }
        self.review_is_stored(key, rev);
    }

    /// A session of the past is open again, with what was held of its review.
    pub(super) fn restore_review(&mut self, key: SessionKey, held: KeptReview) {
        if held.is_empty() {
            return;
        }
        self.ui.restore_review(key, held);
        if let Some(rev) = self.ui.review_rev(key) {
            self.review_is_stored(key, rev);
        }
    }

    fn review_is_stored(&mut self, key: SessionKey, rev: u64) {
        if let Some(running) = self.runtime.running_mut(key) {
            running.review_rev = rev;
        }
    }
}
