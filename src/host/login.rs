//! A program that the person signs in with, on its own PTY (V1-AUTH-03).
//!
//! Apart from the services of a connection: the agent may end, or be started again, while the
//! person still types a password.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use super::{
    EventSink,
    terminal::{Launch, TerminalSettings, Terminals},
};
use crate::{model::RpcError, text::SafeText};

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginCommand {
    /// A file, or a name that is looked up.
    pub program: OsString,
    /// The name that it is called by.
    pub name: OsString,
    pub args: Vec<OsString>,
    /// Laid over our own environment; the last of a name counts.
    pub env: Vec<(OsString, OsString)>,
    pub cwd: PathBuf,
    /// As a person would type it.
    pub title: SafeText,
}

impl LoginCommand {
    /// A line of the configuration, for the shell.
    pub fn line(line: &str, env: Vec<(OsString, OsString)>, cwd: PathBuf) -> Self {
        Self {
            program: "sh".into(),
            name: "sh".into(),
            args: vec!["-c".into(), line.into()],
            env,
            cwd,
            title: SafeText::line(line),
        }
    }
}

/// Cheap to clone; clones are the same program.
#[derive(Clone)]
pub struct Login {
    terminals: Terminals,
    me: Arc<()>,
}

impl Login {
    /// Starts it and reports to `events`, first its id. To be called on the runtime's own threads.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(
        command: LoginCommand,
        view: Option<(u16, u16)>,
        events: EventSink,
    ) -> Result<Self, RpcError> {
        let settings = TerminalSettings {
            env: Vec::new(),
            raw_output: false,
            scrub_env: false,
        };
        let terminals = Terminals::new(settings, events);
        if let Some((rows, cols)) = view {
            terminals.set_view(rows, cols);
        }
        let launch = Launch {
            program: command.program,
            name: Some(command.name),
            args: command.args,
            cwd: command.cwd,
            may_leave: true,
            ..Launch::default()
        };
        let launch = launch.with_own_env(std::env::vars_os(), command.env);
        terminals.run(launch, command.title)?;
        Ok(Self {
            terminals,
            me: Arc::new(()),
        })
    }

    /// Whether both are the same program.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.me, &other.me)
    }

    /// Its one terminal, for the person.
    pub fn terminals(&self) -> &Terminals {
        &self.terminals
    }

    /// Ends it and what it left running in its session.
    pub async fn shutdown(&self) {
        self.terminals.shutdown().await;
    }
}
