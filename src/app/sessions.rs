//! Sessions and their agents as the app holds them: opening, showing, starting, ending.

use std::time::Instant;

use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::{
    app::{
        job::Job,
        restore::Behind,
        run::Seen,
        runtime::Running,
        services::session_config,
        setup::{agent_choices, with_tilde},
        state::App,
        terminal::Reason,
    },
    config::{AgentProfile, NotFound, StartError},
    host::worktree,
    model::{SessionKey, Setting, SettingSource, Worktree},
    session::{MAX_SESSIONS, Prompt, Routed, Session, Sessions, Start},
    store::files::Reopened,
    text::SafeText,
};

impl App {
    pub(super) fn pick_agent(&mut self) {
        self.ui.show_agent_picker();
        self.hint_at_warnings();
        self.frames.request(Instant::now(), Reason::Now);
        self.find_agents();
    }

    /// Looks for the programs of all agents, off the UI task: that is hundreds of places, and PATH
    /// may lead to slow disks.
    pub(super) fn find_agents(&self) {
        let config = self.runtime.config.clone();
        let cwd = self.runtime.launch.cwd.clone();
        self.in_background(move || {
            let found = |profile: &AgentProfile| match profile.locate(&cwd) {
                Ok(path) => Ok(SafeText::line(&path.to_string_lossy())),
                Err(error) => Err(what_to_do(&error)),
            };
            Job::Agents(agent_choices(&config, |profile| Some(found(profile))))
        });
    }

    /// Opens a session with an agent: in place of the one shown where nothing was said in that, else
    /// beside it.
    pub(super) fn open(
        &mut self,
        profile: AgentProfile,
        start: Start,
        first_prompt: Option<Prompt>,
        stored: Option<Reopened>,
        worktree: Option<Worktree>,
    ) {
        // What becomes of a worktree is asked.
        let replaced = |session: &Session| session.is_unused() && session.config.worktree.is_none();
        let unused = self.runtime.sessions.shown_key().filter(|key| {
            let session = self.runtime.sessions.get(*key);
            session.is_some_and(replaced) && self.ui.comments_of(*key) == 0
        });
        let (unsent, before) = match unused {
            Some(key) => {
                self.keep_review(key, true);
                self.ui.forget_session(key);
                self.close(key)
            }
            None => (Vec::new(), None),
        };
        let (mut config, scratch) = session_config(
            &self.runtime.launch,
            &self.runtime.config,
            &profile,
            start,
            first_prompt,
            worktree,
        );
        let meant = self.first_agent.get_or_insert_with(|| profile.id.clone());
        if *meant != profile.id {
            let by_profile = |setting: &Setting| setting.source == SettingSource::Profile;
            config.settings.retain(by_profile);
        }
        let opened = self.runtime.sessions.open(config, Instant::now());
        self.opened(opened, profile, scratch, before, stored);
        for prompt in unsent.iter().rev() {
            self.ui.composer().prepend(&prompt.text);
        }
    }

    /// Another session with the agent of the one shown, on its connection where it has one
    /// (V1-SES-02): in the project, or in a worktree.
    pub(super) fn open_another(
        &mut self,
        start: Start,
        stored: Option<Reopened>,
        first_prompt: Option<Prompt>,
        worktree: Option<Worktree>,
    ) {
        let Some(shown) = self.runtime.sessions.shown_key() else {
            return self.pick_agent();
        };
        if !self.has_room() {
            // Nothing that was typed is lost.
            if let Some(prompt) = first_prompt {
                self.ui.composer().prepend(&prompt.text);
            }
            return;
        }
        let Some(running) = self.runtime.running(shown) else {
            return;
        };
        let profile = running.profile.clone();
        if let Some(Err(gone)) = worktree.as_ref().map(worktree::is_there) {
            return self.warn(SafeText::line(&gone.to_string()));
        }
        // A process works where it was started.
        let beside = self.beside(shown, &profile, worktree.as_ref());
        let (mut config, scratch) = session_config(
            &self.runtime.launch,
            &self.runtime.config,
            &profile,
            start,
            first_prompt,
            worktree,
        );
        if let Some(session) = beside.and_then(|key| self.runtime.sessions.get(key)) {
            // On its connection no agent is started, and so nothing is looked up.
            config.mcp_servers.clone_from(&session.config.mcp_servers);
            config.mcp_problems.clone_from(&session.config.mcp_problems);
        }
        let now = Instant::now();
        let opened = match beside.filter(|_| !profile.own_process) {
            None => self.runtime.sessions.open(config, now),
            Some(beside) => self.runtime.sessions.open_beside(beside, config, now),
        };
        self.opened(opened, profile, scratch, None, stored);
    }

    /// Whether another session can be opened; if not, that is said.
    pub(super) fn has_room(&mut self) -> bool {
        let room = self.runtime.sessions.len() < MAX_SESSIONS;
        if !room {
            let text = format!("{MAX_SESSIONS} sessions are open: close one first (ctrl-s)");
            self.ui.toast(SafeText::line(&text));
            self.frames.request(Instant::now(), Reason::Now);
        }
        room
    }

    /// A session with that agent that works in the same place, that one before others.
    fn beside(
        &self,
        shown: SessionKey,
        profile: &AgentProfile,
        worktree: Option<&Worktree>,
    ) -> Option<SessionKey> {
        let keys = self.runtime.sessions.iter().map(|(key, _)| key);
        let mut keys = std::iter::once(shown).chain(keys);
        keys.find(|key| {
            let running = self.runtime.running(*key);
            let session = self.runtime.sessions.get(*key);
            running.is_some_and(|running| running.profile == *profile)
                && session.is_some_and(|session| session.config.worktree.as_ref() == worktree)
        })
    }

    /// A session that knows what the one shown knows, and goes its own way (V1-SES-16).
    pub(super) fn fork_session(&mut self) {
        let session = self.runtime.sessions.shown();
        let id = session
            .filter(|session| session.agent.caps.fork)
            .and_then(|session| session.id.clone());
        match id {
            Some(id) => self.open_kept(Start::Fork(id.into())),
            None => {
                let agent = session.map_or("there is no agent that", |s| s.agent_name().as_str());
                let text = format!("{agent} cannot fork a session");
                self.ui.toast(SafeText::line(&text));
                self.frames.request(Instant::now(), Reason::Now);
            }
        }
    }

    /// Completes a session that was just added.
    fn opened(
        &mut self,
        opened: Option<(SessionKey, Vec<Routed>)>,
        profile: AgentProfile,
        scratch: Option<TempDir>,
        before: Option<JoinHandle<()>>,
        stored: Option<Reopened>,
    ) {
        let Some((key, effects)) = opened else {
            self.has_room();
            return;
        };
        let mut running = Running::new(profile);
        running.scratch = scratch;
        running.ending = before;
        self.runtime.running.insert(key, running);
        self.had_session |= stored.is_some();
        let damage = stored.as_ref().and_then(|stored| stored.damage.clone());
        let held = stored.as_ref().map(|stored| stored.review.clone());
        self.runtime.begin_saving(key, stored);
        self.runtime.follow_worktree(key);
        self.perform(effects);
        self.show(key);
        self.restore_unsent(key);
        // A fork has what was said; what was held of the review stays with the session that it is of.
        let session = self.runtime.sessions.get(key);
        let is_fork = session.is_some_and(|s| matches!(s.config.start, Start::Fork(_)));
        self.restore_review(key, held.filter(|_| !is_fork).unwrap_or_default());
        let queued = std::mem::take(&mut self.restoring);
        self.restore_queue(key, queued);
        self.tell_warnings();
        if let Some(damage) = damage {
            self.warn(damage);
        }
        self.session_changed(Seen::default());
    }

    /// Shows a session, with its screen as it was left.
    pub(super) fn show(&mut self, key: SessionKey) {
        self.runtime.sessions.show(key);
        let fresh = self.ui.show_session(key, Instant::now());
        if fresh {
            self.ui
                .composer()
                .set_history(Behind::default().history(&self.store));
        }
        if let Some(running) = self.runtime.running(key) {
            let policy = self
                .runtime
                .launch
                .policy(&running.profile, &self.runtime.config);
            self.show_policy(policy);
        }
        if self.replay.is_some() {
            self.project.policy = None;
            let cwd = self
                .runtime
                .sessions
                .shown()
                .map(|session| &session.config.cwd);
            self.project.cwd =
                cwd.map_or_else(SafeText::default, |cwd| SafeText::line(&with_tilde(cwd)));
        }
        self.frames.request(Instant::now(), Reason::Now);
        // It may have waited behind others that are opened.
        self.apply_and_perform(Sessions::settle);
    }

    /// Ends a session, with its terminals, and its agent if no other session has it; in the
    /// background. Returns what the agent had not taken yet, and what a new process has to wait for.
    fn close(&mut self, key: SessionKey) -> (Vec<Prompt>, Option<JoinHandle<()>>) {
        self.runtime.save_session(key, true);
        let Some(session) = self.runtime.sessions.remove(key) else {
            return (Vec::new(), None);
        };
        for message in session.farewell() {
            self.runtime.send(key, message);
        }
        self.runtime.end_agent(key);
        self.runtime.end_login(key);
        let running = self.runtime.running.remove(&key);
        let unsent = session.unsent().cloned().collect();
        // Others may have waited for the agent that it was to start.
        self.apply_and_perform(Sessions::settle);
        (unsent, running.and_then(|running| running.ending))
    }

    /// Ends a session and shows another one; a picker where it was the last. What is returned ends when its
    /// agent has, if no other session has that.
    pub(super) fn close_session(&mut self, key: SessionKey) -> Option<JoinHandle<()>> {
        let was_shown = self.runtime.sessions.shown_key() == Some(key);
        let draft = self.ui.draft_text();
        self.keep_review(key, true);
        let (unsent, ending) = self.close(key);
        self.ui.forget_session(key);
        match self.runtime.sessions.shown_key() {
            Some(next) if was_shown => self.show(next),
            Some(_) => {}
            None => self.pick_agent(),
        }
        for prompt in unsent.iter().rev() {
            self.ui.composer().prepend(&prompt.text);
        }
        if !was_shown && self.ui.draft_text() != draft {
            let text = "the unsent text of the ended session was put in front of the draft";
            self.ui.toast(text.into());
        }
        self.frames.request(Instant::now(), Reason::Now);
        ending
    }
}

/// How to install what was not found; else what is wrong.
fn what_to_do(error: &StartError) -> SafeText {
    match error {
        StartError::NotFound(NotFound {
            install: Some(how),
            not_executable: false,
            under: None,
            ..
        }) => SafeText::line(&format!("install: {how}")),
        _ => SafeText::line(&error.to_string()),
    }
}
