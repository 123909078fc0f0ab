//! What an earlier client left unsent comes back: drafts into the composer and behind `up`, queued
//! messages into a queue that is held, so that they are seen until somebody does something with them.

use std::time::Instant;

use crate::{
    app::{
        draft::{resolve, text_prompt},
        job::Job,
        state::App,
    },
    model::SessionKey,
    session::Start,
    store::drafts::{Drafts, Left, Owner},
    text::SafeText,
    ui::{Ui, draft_of},
};

impl App {
    /// A session of the past is shown again: what was typed there and not sent comes back.
    pub(super) fn restore_unsent(&mut self, key: SessionKey) {
        let start = self.sessions.get(key).map(|session| &session.config.start);
        let (Some(Start::Reopen(id)), Some(running)) = (start, self.running(key)) else {
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
        restore(drafts, &Left::default(), &mut self.ui, &self.store);
        self.restore_queue(key, waiting.queued());
        // It no longer waits on disk, even if it is cleared at once.
        self.kept_draft.extend(waiting.own);
        self.save_draft.changed(Instant::now());
    }

    /// Puts messages into the queue of a session, as they would be sent from the composer.
    pub(super) fn restore_queue(&mut self, key: SessionKey, texts: Vec<String>) {
        let (jobs, cwd) = (self.jobs.clone(), self.launch.cwd.clone());
        let Some(running) = self.running_mut(key).filter(|_| !texts.is_empty()) else {
            return;
        };
        running.restoring.extend(texts.iter().cloned());
        tokio::task::spawn_blocking(move || {
            let prompts = texts.into_iter().map(|text| {
                // A file may be gone by now: its name is still what was meant.
                resolve(draft_of(&text), &cwd).unwrap_or_else(|_| text_prompt(text))
            });
            let _ = jobs.send(Job::Queued(key, prompts.collect()));
        });
    }
}

/// Puts the first of what was typed earlier into the composer, and the others where up finds them,
/// each by itself; so too, for this run, what stands beside it. Says so, and which sessions have kept
/// theirs, at once.
pub(super) fn restore(drafts: Vec<String>, left: &Left, ui: &mut Ui, store: &Drafts) {
    let mut drafts = drafts.into_iter();
    let first = drafts.next();
    let others: Vec<String> = drafts.collect();
    // The last that was added is the first that up brings.
    for draft in others.iter().rev() {
        store.add_history(draft);
    }
    if !(others.is_empty() && left.beside.is_empty()) {
        let mut history = store.history();
        let at = history.len() - others.len().min(history.len());
        history.splice(at..at, left.beside.iter().rev().cloned());
        ui.set_history(history);
    }
    let more = others.len() + left.beside.len();
    let mut said = match (&first, more) {
        (None, 0) => String::new(),
        (Some(_), 0) => "draft restored".to_owned(),
        (Some(_), more) => format!("draft restored; up brings back {more} more"),
        (None, more) => format!("up brings back {more} unsent"),
    };
    if let Some(first) = first {
        ui.set_draft(&first);
    }
    if let Some(kept) = kept_elsewhere(&left.kept) {
        let between = if said.is_empty() { "" } else { "; " };
        said = format!("{said}{between}{kept}");
    }
    if !said.is_empty() {
        ui.toast(SafeText::line(&said));
    }
}

/// Which sessions still have a draft.
fn kept_elsewhere(owners: &[Owner]) -> Option<String> {
    match owners {
        [] => None,
        [
            Owner {
                session: Some(id), ..
            },
        ] => Some(format!("a draft waits in its session: --resume {id}")),
        owners => Some(format!(
            "drafts wait in {} sessions: --resume opens them",
            owners.len()
        )),
    }
}
