//! Leaving: ends the session with the agent, keeps the draft, prints the last exchange.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
    time::Instant,
};

use crate::{
    app::{
        changes::forget,
        exit::{self, StoredIds},
        reopen::UP_TO_DATE,
        runtime::Running,
        state::App,
        terminal::tty,
        unsent::can_resume,
        worktrees,
    },
    cli::{ExitCode, complain},
    config::{ExitPrint, Origin},
    model::{SessionKey, Worktree},
    session::Phase,
    text::SafeText,
    ui::{render::Row, transcript::Printed},
};

/// What is left to say on the normal screen.
pub struct Farewell {
    code: ExitCode,
    rows: Vec<Row>,
    resume: Vec<SafeText>,
    /// Worktrees that stay, and how to come back to them.
    kept: Vec<SafeText>,
    /// Worktrees of sessions in which nothing was said, and the same of them.
    unused: Vec<(Worktree, SafeText)>,
    /// Where changes are kept.
    changes: PathBuf,
    error: Option<SafeText>,
}

impl App {
    /// Ends the turn and the session as the protocol wants it; processes are ended by
    /// [`Started`](super::cleanup::Started).
    pub(super) fn leave(&mut self) {
        if self.replay.is_none() {
            let unsent = self.unsent();
            self.store.sweep_images(&unsent);
            self.store.save_draft(&self.store.number_draft(unsent));
        }
        self.keep_reviews(true);
        self.runtime.end_turns();
        let farewell = self.runtime.sessions.leave(Instant::now());
        let keys: Vec<_> = self.runtime.sessions.iter().map(|(key, _)| key).collect();
        for key in keys {
            self.runtime.save_session(key, true);
        }
        for (key, message) in farewell {
            self.runtime.send(key, message);
        }
        if !tty::is_ours() {
            return;
        }
        self.ui.toast(SafeText::from("leaving…"));
        // A terminal that is gone is no reason to stop here.
        let _ = self.draw();
    }

    pub(super) fn farewell(mut self) -> Farewell {
        self.screen.put_away();
        if self.replay.is_some() {
            // What was played is in its file.
            return Farewell {
                code: self.exit.unwrap_or(ExitCode::Done),
                rows: Vec::new(),
                resume: Vec::new(),
                kept: Vec::new(),
                unused: Vec::new(),
                changes: PathBuf::new(),
                error: None,
            };
        }
        let session = self.runtime.sessions.shown();
        let failed = session.and_then(|session| match &session.phase {
            Phase::Failed { error } => Some(error.clone()),
            Phase::SignIn { error, .. } => {
                let unsaid = SafeText::from("the agent requires a sign-in");
                Some(error.clone().unwrap_or(unsaid))
            }
            _ => None,
        });
        let never_open = !self.had_session;
        let code = match (
            self.exit.unwrap_or(ExitCode::Done),
            session.map(|s| &s.phase),
        ) {
            (ExitCode::Done, Some(Phase::Failed { .. })) if never_open => ExitCode::NoAgent,
            (ExitCode::Done, Some(Phase::SignIn { .. })) if never_open => {
                ExitCode::NoAuthentication
            }
            (code, _) => code,
        };
        let width = tty::size().map_or(80, |size| size.width);
        let error = failed.filter(|_| never_open);
        let screens = self.runtime.shown_running().map(|running| &running.screens);
        let rows = match (session.zip(screens), self.runtime.config.ui.exit_print) {
            // All there is to be said.
            _ if error.is_some() => Vec::new(),
            (Some((session, screens)), _) if tty::is_inline() => {
                self.ui.rest(session, screens, width)
            }
            (Some((session, screens)), ExitPrint::Last) => {
                let last = Printed::LastExchange;
                self.ui.printed(last, session, screens, width)
            }
            (Some((session, screens)), ExitPrint::All) => {
                let whole = Printed::Conversation;
                self.ui.printed(whole, session, screens, width)
            }
            _ => Vec::new(),
        };
        let stored = self.stored_ids();
        let (kept, unused) = self.kept_worktrees(&stored);
        Farewell {
            code,
            rows,
            resume: self.resume_commands(&stored),
            kept,
            unused,
            changes: self.dirs.state.join("changes"),
            error,
        }
    }

    /// What is stored under which id, once it is written.
    fn stored_ids(&self) -> StoredIds {
        if let Some(writer) = &self.runtime.writer {
            writer.finish(UP_TO_DATE);
        }
        let mut ids = StoredIds::new();
        // The newest first.
        for summary in self.runtime.folder.list() {
            if let Some(session) = summary.about.session {
                ids.entry((summary.about.agent, session))
                    .or_insert(summary.id);
            }
        }
        ids
    }

    /// Of the sessions in which something was said, the one shown first.
    fn resume_commands(&self, stored: &StoredIds) -> Vec<SafeText> {
        /// Lines that a person looks through.
        const MAX: usize = 5;
        let shown = self.runtime.sessions.shown_key();
        let others = self.runtime.sessions.iter().map(|(key, _)| key);
        let keys = shown
            .into_iter()
            .chain(others.filter(|key| Some(*key) != shown));
        let said = |key: &SessionKey| {
            let session = self.runtime.sessions.get(*key);
            session.is_some_and(|session| !session.is_unused())
        };
        let commands = keys
            .filter(said)
            .filter_map(|key| self.resume_command_of(key, stored));
        commands.take(MAX).collect()
    }

    /// What reopens the session, where the agent can: by the shorter of its ids.
    pub(super) fn resume_command_of(
        &self,
        key: SessionKey,
        stored: &StoredIds,
    ) -> Option<SafeText> {
        let session = self.runtime.sessions.get(key)?;
        let id = session.id.as_ref().filter(|_| can_resume(session))?;
        let id = id.as_str();
        let agent = self.runtime.running(key).map(|r| r.profile.id.clone());
        let known = agent.and_then(|agent| stored.get(&(agent, id.to_owned())));
        let id = known.map_or(id, |short| if short.len() < id.len() { short } else { id });
        let mut words = self.config_arguments();
        words.extend(self.agent_arguments(key));
        exit::resume_command(&words, id)
    }

    /// What a person types to get this configuration again.
    pub(super) fn config_arguments(&self) -> Vec<String> {
        match &self.runtime.launch.config_file {
            Some(file) => vec!["--config".to_owned(), file.to_string_lossy().into_owned()],
            None => Vec::new(),
        }
    }

    /// What a person types to get this agent again.
    fn agent_arguments(&self, key: SessionKey) -> Vec<String> {
        let Some(Running { profile, .. }) = self.runtime.running(key) else {
            return Vec::new();
        };
        match profile.origin {
            Origin::CommandLine => {
                let command = std::iter::once(&profile.command)
                    .chain(&profile.args)
                    .cloned();
                std::iter::once("--".to_owned()).chain(command).collect()
            }
            _ => vec!["--agent".to_owned(), profile.id.clone()],
        }
    }
}

impl Farewell {
    pub fn code(&self) -> ExitCode {
        self.code
    }

    /// Removes worktrees that have nothing in them, as when their sessions are closed. No agent may run any more.
    pub fn end_worktrees(&mut self) {
        for (of, line) in self.unused.drain(..) {
            let ended = worktrees::end_unused(&of);
            self.kept.push(match ended {
                Ok(true) => {
                    forget(&self.changes, &of.cwd);
                    let text = format!("The worktree of {} was not used and is removed", of.branch);
                    SafeText::line(&text)
                }
                Ok(false) => line,
                Err(why) => SafeText::line(&format!("{line}; {why}")),
            });
        }
    }

    /// Prints what is to stay on the screen; the terminal must be restored.
    pub fn say(self) -> ExitCode {
        let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let mut out = io::stdout().lock();
        // A terminal that is gone takes nothing, and no one reads a message.
        let _ = exit::print_rows(&mut out, &self.rows, colour);
        if let Some(error) = self.error {
            complain(error);
        }
        let width = tty::size().map_or(80, |size| size.width.into());
        let lines = exit::resume_lines(&self.resume, width);
        if !lines.is_empty() {
            let _ = writeln!(out, "\n{}", lines.join("\n"));
        }
        for line in self.kept {
            let _ = writeln!(out, "\n{line}");
        }
        self.code
    }
}
