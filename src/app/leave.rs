//! Leaving: ends the session with the agent, keeps the draft, prints the last exchange.

use std::{
    io::{self, IsTerminal, Write},
    time::Instant,
};

use crate::{
    app::{exit, runtime::Running, state::App, terminal::tty, unsent::can_resume},
    cli::{ExitCode, complain},
    config::{ExitPrint, Origin},
    model::SessionKey,
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
        Farewell {
            code,
            rows,
            resume: self.resume_commands(),
            kept: self.kept_worktrees(),
            error,
        }
    }

    /// Of the sessions in which something was said, the one shown first.
    fn resume_commands(&self) -> Vec<SafeText> {
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
            .filter_map(|key| self.resume_command_of(key));
        commands.take(MAX).collect()
    }

    /// What reopens the session, where the agent can.
    pub(super) fn resume_command_of(&self, key: SessionKey) -> Option<SafeText> {
        let session = self.runtime.sessions.get(key)?;
        let id = session.id.as_ref().filter(|_| can_resume(session))?;
        exit::resume_command(&self.agent_arguments(key), id.as_str())
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
