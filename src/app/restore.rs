//! How what an earlier client left unsent comes back: drafts into the composer and behind `up`.

use std::sync::mpsc;

use tokio::task::spawn_blocking;

use crate::{
    store::drafts::{Drafts, Left, Owner},
    text::SafeText,
    ui::{History, Ui},
};

/// Texts that `up` finds, besides those of the history.
#[derive(Default)]
pub struct Behind {
    /// Become part of the history, the first one as its latest.
    own: Vec<String>,
    /// For this run alone.
    beside: Vec<String>,
}

impl Behind {
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.beside.is_empty()
    }

    /// The history with them, read off the UI task: its file may have megabytes, and the first key
    /// need not wait for it.
    pub fn history(self, store: &Drafts) -> History {
        let (sender, reader) = mpsc::channel();
        let store = store.clone();
        // Sending fails if the composer is gone.
        spawn_blocking(move || drop(sender.send(History::of(self.read(&store)))));
        History::read_by(reader)
    }

    /// Oldest first. Reads and writes files.
    fn read(&self, store: &Drafts) -> Vec<String> {
        // The last that was added is the first that up brings.
        for draft in self.own.iter().rev() {
            store.add_history(draft);
        }
        let mut history = store.history();
        let at = history.len() - self.own.len().min(history.len());
        history.splice(at..at, self.beside.iter().rev().cloned());
        history
    }
}

/// Puts the first of what was typed earlier into the composer, and gives the others, each by itself, and
/// what stands beside it for this run. Says so, and which sessions have kept theirs, at once.
pub fn restore(drafts: Vec<String>, left: &Left, ui: &mut Ui) -> Behind {
    let mut drafts = drafts.into_iter();
    let first = drafts.next();
    let behind = Behind {
        own: drafts.collect(),
        beside: left.beside.clone(),
    };
    let more = behind.own.len() + behind.beside.len();
    let mut said = match (&first, more) {
        (None, 0) => String::new(),
        (Some(_), 0) => "draft restored".to_owned(),
        (Some(_), more) => format!("draft restored; up brings back {more} more"),
        (None, more) => format!("up brings back {more} unsent"),
    };
    if let Some(first) = first {
        ui.composer().set_text(&first);
    }
    if let Some(kept) = kept_elsewhere(&left.kept) {
        let between = if said.is_empty() { "" } else { "; " };
        said = format!("{said}{between}{kept}");
    }
    if !said.is_empty() {
        ui.toast(SafeText::line(&said));
    }
    behind
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
