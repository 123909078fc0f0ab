//! The screens of sessions that are not shown: draft, folds and scroll positions are kept.

use std::time::Instant;

use crate::{
    model::{SessionKey, TerminalId},
    session::{BlockId, QuestionId},
    ui::{
        composer::Composer,
        layers::Layers,
        notices::Notices,
        review::Reviewing,
        root::{Finding, Ui, whole_draft},
        transcript::TranscriptView,
        viewer::Viewer,
    },
};

/// The parts of the screen that belong to one session.
pub(super) struct Parked {
    transcript: TranscriptView,
    pub(super) composer: Composer,
    pub(super) layers: Layers,
    viewer: Option<Viewer>,
    viewer_of: Option<QuestionId>,
    pub(super) review: Reviewing,
    editing: Option<BlockId>,
    finding: Option<Finding>,
    login: Option<TerminalId>,
    plan_open: bool,
}

impl Ui {
    /// Shows the screen of that session as it was left. Returns whether it is new: its composer has
    /// no history yet. The first session takes over what was typed before it existed, and so
    /// does one that replaces a closed one.
    pub fn show_session(&mut self, key: SessionKey, now: Instant) -> bool {
        if self.session == Some(key) {
            return false;
        }
        let parked = self.parked.remove(&key);
        let fresh = parked.is_none();
        let Some(before) = self.session.replace(key) else {
            if let Some(parked) = parked {
                let draft = self.draft_text();
                self.unpark(parked);
                self.prepend_draft(&draft);
            }
            return false;
        };
        let next = parked.unwrap_or_else(|| Parked {
            transcript: TranscriptView::default(),
            composer: Composer::new(self.look.offload.clone())
                .with_editing(self.look.settings.editing),
            layers: Layers::default(),
            viewer: None,
            viewer_of: None,
            review: Reviewing::default(),
            editing: None,
            finding: None,
            login: None,
            plan_open: false,
        });
        let left = self.unpark(next);
        self.parked.insert(before, left);
        self.just_answered = None;
        self.notices = Notices::default();
        // The key that led here answers no question there.
        self.last_typed = Some(now);
        self.layers.typed_elsewhere(now);
        fresh
    }

    /// A session is gone, and its screen with it; its draft stays where it was the one shown.
    pub fn forget_session(&mut self, key: SessionKey) {
        // What was said of it, as that it would end, is over.
        self.moment.clear_message();
        if self.session == Some(key) {
            self.session = None;
            self.composer.unstash();
            self.transcript = TranscriptView::default();
            self.viewer = None;
            self.viewer_of = None;
            self.review = Reviewing::default();
            self.editing = None;
            self.finding = None;
            self.login = None;
            self.notices = Notices::default();
        } else if let Some(parked) = self.parked.remove(&key) {
            self.prepend_draft(&whole_draft(&parked.layers, &parked.composer));
        }
    }

    fn prepend_draft(&mut self, draft: &str) {
        if !draft.is_empty() {
            self.composer.prepend(draft);
        }
    }

    /// Puts a screen in place of the one there is, which is returned.
    fn unpark(&mut self, next: Parked) -> Parked {
        use std::mem::replace;
        Parked {
            transcript: replace(&mut self.transcript, next.transcript),
            composer: replace(&mut self.composer, next.composer),
            layers: replace(&mut self.layers, next.layers),
            viewer: replace(&mut self.viewer, next.viewer),
            viewer_of: replace(&mut self.viewer_of, next.viewer_of),
            review: replace(&mut self.review, next.review),
            editing: replace(&mut self.editing, next.editing),
            finding: replace(&mut self.finding, next.finding),
            login: replace(&mut self.login, next.login),
            plan_open: replace(&mut self.plan_open, next.plan_open),
        }
    }
}
