//! The session of a run: opening it, and performing its effects.

use std::time::Instant;

use super::Run;
use crate::{
    app::{
        runtime::{ForPerson, Running},
        services,
    },
    cli::{CliError, Reopen},
    model::{ClientCaps, SessionId, Worktree},
    session::{Event, NoticeLevel, Prompt, Routed, SessionConfig, Start},
    store::files::Reopened,
};

/// Where the session works, and what of it is there already.
pub(super) struct Place {
    start: Start,
    stored: Option<Reopened>,
    pub(super) worktree: Option<Worktree>,
}

impl Run {
    /// # Errors
    /// The stored session cannot be read, or its worktree is gone.
    pub(super) fn place(&mut self) -> anyhow::Result<Place> {
        let reopen = self.runtime.launch.resume.take();
        let stored = match &reopen {
            Some(Reopen::Stored { record, .. }) => {
                let stored = self.runtime.folder.load(record).map_err(CliError::from)?;
                Some(Reopened::new(record.clone(), stored))
            }
            _ => None,
        };
        let start = match reopen {
            Some(
                Reopen::Named(id)
                | Reopen::Stored {
                    session: Some(id), ..
                },
            ) => Start::Reopen(SessionId::new(id)),
            // The others were refused before, or mean that no agent has the session.
            _ => Start::New,
        };
        let kept = stored.as_ref().and_then(|stored| stored.about.worktree());
        let launch = &self.runtime.launch;
        let kept = kept.filter(|kept| !launch.cwd_chosen || kept.project == launch.cwd);
        let made = self.made.as_ref().map(|made| made.worktree.clone());
        Ok(Place {
            start,
            stored,
            worktree: made.or(kept),
        })
    }

    pub(super) fn open(&mut self, prompt: Prompt, place: Place) -> anyhow::Result<()> {
        let Place {
            start,
            stored,
            worktree,
        } = place;
        let (config, scratch) = services::session_config(
            &self.runtime.launch,
            &self.runtime.config,
            &self.profile,
            start,
            Some(prompt),
            worktree,
        );
        let config = SessionConfig {
            unattended: true,
            caps: ClientCaps {
                // No one fills in a form, looks at a page or is offered a prompt, and there is no screen
                // to sign in at (V1-INIT-14).
                elicitation_form: false,
                elicitation_url: false,
                login_terminal: false,
                suggestions: false,
                ..config.caps
            },
            ..config
        };
        let Some((key, effects)) = self.runtime.sessions.open(config, Instant::now()) else {
            // It is the first one.
            return Ok(());
        };
        self.key = key;
        let running = Running {
            scratch,
            ..Running::new(self.profile.clone())
        };
        self.runtime.running.insert(key, running);
        let damage = stored.as_ref().map(|stored| stored.damage.clone());
        self.runtime.begin_saving(key, stored);
        self.runtime.follow_worktree(key);
        if let (Some(_), Some(session)) = (&damage, self.runtime.sessions.get(key)) {
            self.observer.know(session);
        }
        self.perform(effects);
        if let Some(text) = damage.flatten() {
            let level = NoticeLevel::Warning;
            self.reduce(vec![Event::Note { level, text }]);
        }
        Ok(())
    }

    /// Lets the session's rules work on events, does what they want, and tells what is new.
    pub(super) fn reduce(&mut self, events: Vec<Event>) {
        let now = Instant::now();
        let mut effects = Vec::new();
        let mut records = Vec::new();
        for event in events {
            records.append(&mut self.observer.hear(&event));
            effects.append(&mut self.runtime.sessions.apply(self.key, event, now));
        }
        if let Some(session) = self.runtime.sessions.get(self.key) {
            records.append(&mut self.observer.look(session));
        }
        self.runtime.follow_sessions();
        self.tell(records);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Routed>) {
        for (_, wish) in self.runtime.perform(effects) {
            match wish {
                ForPerson::Notice(notice) => {
                    let records = self.observer.notice(&notice);
                    self.tell(records);
                }
                // For a screen, and for the person before it.
                ForPerson::Attention(_)
                | ForPerson::Draft(_)
                | ForPerson::Toast(_)
                | ForPerson::AskToContinue => {}
            }
        }
    }
}
