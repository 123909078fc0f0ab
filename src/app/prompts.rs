//! The person's prompts: read off the UI task, and what of them cannot be used told once.

use crate::{
    app::{job::Job, state::App},
    config::{self, Prompts},
    text::SafeText,
    ui::own_commands::own_command,
};

impl App {
    pub(super) fn list_prompts(&self) {
        if self.replay.is_some() {
            return;
        }
        let (dirs, cwd) = (self.dirs.clone(), self.runtime.launch.cwd.clone());
        let file = self.runtime.launch.config_file.clone();
        self.in_background(move || Job::Prompts(config::prompts(&dirs, file.as_deref(), &cwd)));
    }

    pub(super) fn prompts_read(&mut self, prompts: Prompts) {
        let ours = prompts
            .found
            .iter()
            .filter(|prompt| own_command(&prompt.name).is_some());
        let hidden = ours.map(|prompt| {
            SafeText::line(&format!(
                "the prompt {} has the name of a command of acp-tui: give its file another",
                prompt.name
            ))
        });
        let waiting = match prompts.unapproved.len() {
            0 => None,
            1 => Some("a prompt of this project is ignored until you approve it".to_owned()),
            n => Some(format!(
                "{n} prompts of this project are ignored until you approve them"
            )),
        };
        let waiting = waiting.map(|text| SafeText::line(&format!("{text}: acp-tui trust")));
        let all: Vec<SafeText> = hidden.chain(prompts.problems).chain(waiting).collect();
        for text in all {
            if self.project.told.insert(text.to_string()) {
                self.warn(text);
            }
        }
        self.project.prompts = prompts.found.into();
    }
}
