//! Runs the programs that the person signs in with.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Done, Running, Runtime};
use crate::{
    config::{AgentProfile, Invocation, StartError},
    host::{self, HostEvent, LoginCommand},
    model::{SessionKey, env_words},
    session::{Event, Login},
    text::{SafeText, command_line},
};

impl Runtime {
    /// Looks for the program off the UI task; PATH may lead to slow disks.
    pub(super) fn log_in(&mut self, key: SessionKey, login: Login) {
        self.end_login(key);
        let Some(running) = self.running(key) else {
            return;
        };
        let (number, profile) = (running.login.number, running.profile.clone());
        let (done, cwd) = (self.done.clone(), self.cwd_of(key));
        tokio::task::spawn_blocking(move || {
            let found = command(login, &profile, cwd);
            let found = found.map_err(|error| SafeText::line(&error.to_string()));
            let _ = done.send(Done::LoginFound(key, number, found));
        });
    }

    pub(super) fn login_found(
        &mut self,
        key: SessionKey,
        number: u64,
        found: Result<LoginCommand, SafeText>,
    ) -> Option<(SessionKey, Vec<Event>)> {
        let (done, view) = (self.done.clone(), self.terminal_view);
        let running = self.login_numbered(key, number)?;
        let events = Arc::new(move |event| drop(done.send(Done::Login(key, number, event))));
        let started = found.and_then(|command| {
            host::Login::start(command, view, events).map_err(|error| error.message)
        });
        match started {
            Ok(login) => {
                running.login.running = Some(login.clone());
                self.started.add_login(login);
                None
            }
            Err(error) => Some((key, vec![Event::LoginFailed { error }])),
        }
    }

    pub(super) fn login_event(
        &mut self,
        key: SessionKey,
        number: u64,
        event: HostEvent,
    ) -> Option<(SessionKey, Vec<Event>)> {
        self.forget_screens(key);
        let running = self.login_numbered(key, number)?;
        let event = match event {
            HostEvent::TerminalStarted {
                id,
                command,
                cwd,
                screen,
                ..
            } => {
                running.login.terminal = Some(id.clone());
                running.screens.insert(id.clone(), screen);
                Event::LoginStarted {
                    terminal: id,
                    command,
                    cwd,
                }
            }
            HostEvent::TerminalOutput => return None,
            // What it left running goes on with the session: it may be the person's browser.
            HostEvent::TerminalExited { id, status } => Event::LoginEnded {
                terminal: id,
                status,
            },
        };
        Some((key, vec![event]))
    }

    /// That session, if the program is its latest.
    fn login_numbered(&mut self, key: SessionKey, number: u64) -> Option<&mut Running> {
        self.running_mut(key)
            .filter(|running| running.login.number == number)
    }

    /// Ends the program, in the background, or what one before it left running.
    pub fn end_login(&mut self, key: SessionKey) {
        let started = self.started.clone();
        let Some(running) = self.running_mut(key) else {
            return;
        };
        running.login.number += 1;
        running.login.terminal = None;
        if let Some(login) = running.login.running.take() {
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
            let line = profile.login_line().unwrap_or_default();
            Ok(LoginCommand::line(&line, base.env, cwd))
        }
        Login::Program(program) => {
            let title = program.command_line();
            let invocation = Invocation {
                program: program.command.into(),
                args: program.args.into_iter().map(OsString::from).collect(),
                env: overlaid(base.env, program.env),
            };
            let found = find(&invocation, profile, &cwd)?;
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

/// On PATH; else, where it is called like the agent's own program, that.
fn find(
    invocation: &Invocation,
    profile: &AgentProfile,
    cwd: &Path,
) -> Result<PathBuf, StartError> {
    let own = || {
        profile.own_program(invocation.program.to_str()?)?;
        profile.locate(cwd).ok()
    };
    invocation
        .find(cwd)
        .or_else(own)
        .ok_or_else(|| StartError::NotFound(invocation.not_found(None, cwd)))
}

fn overlaid(
    mut base: Vec<(OsString, OsString)>,
    over: Vec<(String, String)>,
) -> Vec<(OsString, OsString)> {
    let over = over.into_iter();
    base.extend(over.map(|(name, value)| (name.into(), value.into())));
    base
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::model::LoginProgram;

    #[test]
    fn an_agent_that_is_configured_by_its_path_signs_in_with_the_same_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("own agent");
        fs::write(&program, "").expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("chmod");
        let path = program.to_string_lossy().into_owned();
        let of = |command: &str, line: &str| AgentProfile {
            login_command: Some(line.into()),
            ..AgentProfile::command(command.into(), vec!["acp".into()])
        };
        let cwd = || folder.path().to_owned();
        let line = |command: &str, line: &str| {
            let found = super::command(Login::Profile, &of(command, line), cwd());
            found.expect("there").title.to_string()
        };
        for (command, typed, run) in [
            ("/opt/x/kimi", "kimi login", "/opt/x/kimi login"),
            ("/opt/x/kimi", "  kimi", "/opt/x/kimi"),
            ("/opt/x y/kimi", "kimi login", "'/opt/x y/kimi' login"),
            (
                "./kimi",
                "kimi login && kimi info",
                "./kimi login && kimi info",
            ),
            ("/opt/x/kimi", "kimi-cli login", "kimi-cli login"),
            ("/opt/x/kimi", "A=1 kimi login", "A=1 kimi login"),
            ("kimi", "kimi login", "kimi login"),
        ] {
            assert_eq!(line(command, typed), run);
        }
        let named = |name: &str| {
            let program = LoginProgram {
                command: name.into(),
                args: vec!["login".into()],
                env: Vec::new(),
            };
            let found = command(Login::Program(program), &of(&path, ""), cwd());
            found.ok().map(|found| PathBuf::from(found.program))
        };
        assert_eq!(named("own agent"), Some(program.clone()));
        assert_eq!(named("no such agent"), None);
        assert!(named("sh").is_some_and(|found| found.ends_with("bin/sh")));
    }
}
