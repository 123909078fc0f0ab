//! Looks for words in the text of stored sessions, off the UI task.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use tokio::task::spawn_blocking;

use crate::{
    app::{job::Job, state::App},
    store::files::find_words,
    ui::FoundInText,
};

/// How often what was found is told, at most.
const TOLD_EVERY: Duration = Duration::from_millis(80);

impl App {
    /// What is found comes back as [`Job::FoundInText`], in pieces, until a later search begins.
    pub(super) fn search_past(&self, words: String, ids: Vec<String>) {
        let number = 1 + self.search.fetch_add(1, Ordering::Relaxed);
        if words.is_empty() {
            return;
        }
        let (latest, jobs) = (self.search.clone(), self.jobs.clone());
        let folder = self.runtime.folder.clone();
        spawn_blocking(move || {
            let goes_on = || latest.load(Ordering::Relaxed) == number && !jobs.is_closed();
            let mut hits = Vec::new();
            let mut told = Instant::now();
            for id in ids {
                if !goes_on() {
                    return;
                }
                match find_words(&folder.path(&id), &words, goes_on) {
                    Ok(Some(text)) => hits.push((id, text)),
                    Ok(None) => {}
                    Err(error) => tracing::debug!(id, %error, "not searched"),
                }
                if !hits.is_empty() && told.elapsed() >= TOLD_EVERY {
                    told = Instant::now();
                    let found = FoundInText {
                        words: words.clone(),
                        hits: std::mem::take(&mut hits),
                        done: false,
                    };
                    // Sending fails only once the loop is over.
                    let _ = jobs.send(Job::FoundInText(found));
                }
            }
            if goes_on() {
                let done = true;
                let _ = jobs.send(Job::FoundInText(FoundInText { words, hits, done }));
            }
        });
    }
}
