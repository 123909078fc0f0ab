//! The command line: what was typed ([`Cli`]), what it means ([`Launch`]), and the commands that
//! need no agent.
//!
//! Owns: flags and their help, exit codes, everything printed to a plain stdout. Must not know
//! about the loop, the UI or a running agent: `main` hands a [`Launch`] to `app`.

mod agents;
mod args;
mod asking;
mod config;
mod doctor;
mod generate;
mod import;
mod launch;
mod output;
mod run;
mod terminal;
mod trust;
mod version;

use std::{fmt::Display, io};

use crate::config::{AgentError, ConfigError};

pub use self::{
    agents::agents,
    args::{
        AddFrom, Adding, AgentArg, AgentsAction, ChangesArgs, ChangesFormat, Cli, Command,
        ConfigAction, DoctorArgs, ExportFormat, Format, ImportFrom, OpenArgs,
        ReplayArgs as ReplayOptions, ReportFormat, RunArgs, SessionsAction, UndoArgs,
    },
    asking::asked,
    config::config,
    doctor::{DoctorReport, Finding, Survey, Verdict},
    generate::{completions, man, man_pages},
    import::add_agents,
    launch::{AgentWanted, Launch, Reopen},
    output::{check_stdout, columns, complain, print, print_warnings, write_file},
    run::{PromptSource, RunOptions},
    terminal::terminal_check,
    trust::trust,
    version::program_version,
};

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    Done = 0,
    Failure = 1,
    /// Wrong usage, unusable configuration, no terminal.
    Usage = 2,
    /// Left without ever having had a session: the agent could not be started.
    NoAgent = 3,
    /// The same, for want of authentication.
    NoAuthentication = 4,
    /// Without a screen: the agent or a rule refused, or a limit was reached.
    Refused = 5,
    Interrupted = 130,
}

impl ExitCode {
    pub fn number(self) -> u8 {
        self as u8
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

/// Why a command did not do what was asked. Its text is for stderr and says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
}

impl CliError {
    /// Of what failed.
    pub fn io(what: impl Display) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            what: what.to_string(),
            source,
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Config(_) | Self::Agent(_) => ExitCode::Usage,
            Self::Io { .. } => ExitCode::Failure,
        }
    }
}
