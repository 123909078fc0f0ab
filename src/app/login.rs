//! Runs the programs that the person signs in with.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::{
    app::{frame::Reason, job::Job, state::App},
    config::{AgentProfile, Invocation, NotFound, StartError},
    host::{self, HostEvent, LoginCommand},
    proto::{TerminalId, env_words},
    session::{Event, Login},
    text::{SafeText, command_line},
};

/// The one that is shown, if any.
#[derive(Default)]
pub struct LoginRun {
    /// Counts them, to tell what an earlier one still says.
    number: u64,
    running: Option<host::Login>,
    terminal: Option<TerminalId>,
}

impl LoginRun {
    /// The program that has that terminal.
    pub fn at(&self, terminal: &TerminalId) -> Option<&host::Login> {
        self.running
            .as_ref()
            .filter(|_| self.terminal.as_ref() == Some(terminal))
    }
}

impl App {
    /// Looks for the program off the UI task; PATH may lead to slow disks.
    pub(super) fn log_in(&mut self, login: Login) {
        self.end_login();
        let Some(profile) = self.profile.clone() else {
            return;
        };
        let (number, jobs) = (self.login.number, self.jobs.clone());
        let cwd = self.launch.cwd.clone();
        tokio::task::spawn_blocking(move || {
            let found = command(login, &profile, cwd);
            let found = found.map_err(|error| SafeText::line(&error.to_string()));
            let _ = jobs.send(Job::LoginFound(number, found));
        });
    }

    pub(super) fn login_found(&mut self, number: u64, found: Result<LoginCommand, SafeText>) {
        if number != self.login.number {
            return;
        }
        let jobs = self.jobs.clone();
        let events = Arc::new(move |event| drop(jobs.send(Job::Login(number, event))));
        let started = found.and_then(|command| {
            host::Login::start(command, self.terminal_view, events).map_err(|error| error.message)
        });
        match started {
            Ok(login) => {
                self.started.add_login(login.clone());
                self.login.running = Some(login);
            }
            Err(error) => self.reduce([Event::LoginFailed { error }]),
        }
    }

    pub(super) fn login_event(&mut self, number: u64, event: HostEvent) {
        if number != self.login.number {
            return;
        }
        match event {
            HostEvent::TerminalStarted {
                id,
                command,
                cwd,
                screen,
            } => {
                self.login.terminal = Some(id.clone());
                self.screens.insert(id.clone(), screen);
                self.reduce([Event::LoginStarted {
                    terminal: id,
                    command,
                    cwd,
                }]);
                self.forget_screens();
            }
            HostEvent::TerminalOutput => self.frames.request(Instant::now(), Reason::Stream),
            // What it left running goes on with the session: it may be the person's browser.
            HostEvent::TerminalExited { id, status } => {
                self.reduce([Event::LoginEnded {
                    terminal: id,
                    status,
                }]);
                self.forget_screens();
            }
        }
    }

    /// Ends the program, in the background, or what one before it left running.
    pub(super) fn end_login(&mut self) {
        self.login.number += 1;
        self.login.terminal = None;
        if let Some(login) = self.login.running.take() {
            let started = self.started.clone();
            tokio::spawn(async move {
                login.shutdown().await;
                started.forget_login(&login);
            });
        }
    }
}

/// What is run: the agent's command from the profile, a line of the profile's own, or what the agent
/// named.
fn command(login: Login, profile: &AgentProfile, cwd: PathBuf) -> Result<LoginCommand, StartError> {
    let base = profile.invocation()?;
    match login {
        Login::Agent { args, env } => {
            let program = profile.locate(&cwd)?;
            let title = format!(
                "{} {} {}",
                env_words(&env),
                profile.command_line_of(&program.to_string_lossy()),
                command_line(args.iter().map(String::as_str))
            );
            Ok(LoginCommand {
                program: program.into(),
                name: base.program,
                args: base
                    .args
                    .into_iter()
                    .chain(args.into_iter().map(OsString::from))
                    .collect(),
                env: overlaid(base.env, env),
                cwd,
                title: SafeText::line(title.trim()),
            })
        }
        Login::Profile => {
            let line = profile.login_command.as_deref().unwrap_or_default();
            Ok(LoginCommand::line(line, base.env, cwd))
        }
        Login::Program(program) => {
            let title = program.command_line();
            let invocation = Invocation {
                program: program.command.into(),
                args: program.args.into_iter().map(OsString::from).collect(),
                env: overlaid(base.env, program.env),
            };
            let found = find(&invocation, &cwd)?;
            Ok(LoginCommand {
                program: found.into(),
                name: invocation.program,
                args: invocation.args,
                env: invocation.env,
                cwd,
                title,
            })
        }
    }
}

fn find(invocation: &Invocation, cwd: &Path) -> Result<PathBuf, StartError> {
    invocation
        .find(cwd)
        .ok_or_else(|| StartError::NotFound(NotFound::new(invocation.program.clone(), None, cwd)))
}

fn overlaid(
    mut base: Vec<(OsString, OsString)>,
    over: Vec<(String, String)>,
) -> Vec<(OsString, OsString)> {
    let over = over.into_iter();
    base.extend(over.map(|(name, value)| (name.into(), value.into())));
    base
}
