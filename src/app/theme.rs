//! The theme that was chosen in the list is remembered.

use crate::{
    app::{job::Job, state::App},
    config::{ThemeChoice, themes::chosen},
    text::SafeText,
};

impl App {
    pub(super) fn keep_theme(&mut self, choice: ThemeChoice) {
        let (dirs, jobs) = (self.dirs.clone(), self.jobs.clone());
        let configured = self.runtime.config.configured_theme.clone();
        self.runtime.config.ui.theme = choice.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = chosen::keep(&dirs, &configured, choice.word()) {
                let text = format!("the theme cannot be remembered: {error}");
                // Sending fails only once the loop is over.
                drop(jobs.send(Job::Said(SafeText::line(&text))));
            }
        });
    }
}
