//! The session of a run, and what is stored of it.

use std::{io, time::Instant};

use super::{Job, Run, SESSION, store, store::Store};
use crate::{
    app::services,
    cli::{CliError, Reopen},
    model::{ClientCaps, SessionId},
    session::{Event, NoticeLevel, Prompt, Session, SessionConfig, Start, reduce},
    store::files::{OPEN_ELSEWHERE, Trouble},
    text::SafeText,
};

impl Run {
    pub(super) fn open(&mut self, prompt: Prompt) -> anyhow::Result<Option<tempfile::TempDir>> {
        let before = match &self.launch.resume {
            Some(Reopen::Stored { record, .. }) => {
                let stored = store::stored(&self.state, record.clone());
                Some(stored.map_err(CliError::from)?)
            }
            _ => None,
        };
        let start = match self.launch.resume.take() {
            Some(
                Reopen::Named(id)
                | Reopen::Stored {
                    session: Some(id), ..
                },
            ) => Start::Reopen(SessionId::new(id)),
            // The others were refused before, or mean that no agent has the session.
            _ => Start::New,
        };
        let (config, scratch) = services::session_config(
            &self.launch,
            &self.config,
            &self.profile,
            start,
            Some(prompt),
        );
        let config = SessionConfig {
            unattended: true,
            caps: ClientCaps {
                // Nobody is there to fill in a form or to look at a page, nor a screen to sign in at
                // (V1-INIT-14).
                elicitation_form: false,
                elicitation_url: false,
                login_terminal: false,
                ..config.caps
            },
            ..config
        };
        let (mut session, effects) = Session::start(config, Instant::now());
        let mut damage = None;
        let before = before.map(|stored| {
            damage = stored.damage;
            session.show_stored(stored.history);
            self.observer.know(&session);
            (stored.id, stored.going_on)
        });
        let jobs = self.jobs.clone();
        let tell = move |trouble| drop(jobs.send(Job::Saving(trouble)));
        let run = store::Place {
            key: SESSION,
            state: &self.state,
            config: &self.config,
            started: &self.started,
        };
        self.store = Store::begin(&run, &self.profile.id, before, &session, tell);
        self.session = Some(session);
        self.perform(effects);
        if let Some(text) = damage {
            let level = NoticeLevel::Warning;
            self.reduce(vec![Event::Note { level, text }]);
        }
        Ok(scratch)
    }

    /// Writes what is to be stored by now; `last`: nothing more comes.
    pub(super) fn store(&mut self, last: bool) {
        let Some(session) = &self.session else { return };
        let terminals = &session.terminals;
        self.screens.retain(|id| terminals.contains_key(id));
        if let Some(store) = &mut self.store {
            store.write(session, &self.screens, last);
        }
        if last {
            self.store = None;
        }
    }

    pub(super) fn saving_trouble(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::NotStored(error) => self.not_stored(&error),
            Trouble::OpenElsewhere => {
                let text = SafeText::from(OPEN_ELSEWHERE);
                let level = NoticeLevel::Warning;
                self.reduce(vec![Event::Note { level, text }]);
            }
        }
    }

    /// Said once: it is no reason to stop.
    fn not_stored(&mut self, error: &io::Error) {
        if let Some(store) = &mut self.store {
            store.failed();
        }
        if !std::mem::replace(&mut self.told_not_stored, true) {
            let text = SafeText::line(&format!("this conversation is not stored: {error}"));
            let level = NoticeLevel::Warning;
            self.reduce(vec![Event::Note { level, text }]);
        }
    }

    /// Lets the session's rules work on events, does what they want, and tells what is new.
    pub(super) fn reduce(&mut self, events: Vec<Event>) {
        let Some(session) = &mut self.session else {
            return;
        };
        let now = Instant::now();
        let mut effects = Vec::new();
        let mut records = Vec::new();
        for event in events {
            records.append(&mut self.observer.hear(&event));
            effects.append(&mut reduce(session, event, now));
        }
        records.append(&mut self.observer.look(session));
        if let Some(store) = &mut self.store {
            store.changed(session);
        }
        self.tell(records);
        self.perform(effects);
    }
}
