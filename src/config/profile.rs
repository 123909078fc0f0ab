//! Agent profiles: the built-in ones, finding one by name, and the process that one means.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{
    AgentProfile, Config, ExpandError, McpError, NotFound, Origin, Warning,
    diagnostic::join,
    expand::{expand, literal},
    file::{AgentEntry, SystemPromptMode},
    find_program, nearest,
};
use crate::{
    model::{DialectRow, McpServer, ModeId, ModeState, SessionMode, SystemPrompt},
    text::{self, SafeText},
};

macro_rules! built_in {
    ($($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../../config/agents/", $id, ".toml")))),*]
    };
}

/// Id and TOML of an [`AgentEntry`].
pub(super) const BUILT_IN: &[(&str, &str)] = built_in![
    "amp",
    "auggie",
    "claude-code",
    "cline",
    "codebuddy",
    "codex",
    "copilot",
    "cursor",
    "demo",
    "droid",
    "fast-agent",
    "gemini",
    "goose",
    "grok",
    "junie",
    "kilo",
    "kimi",
    "kiro",
    "opencode",
    "openhands",
    "pi",
    "qoder",
    "qwen",
    "stakpak",
    "vibe",
];

/// The demo agent is this program, wherever it is and whatever it is called there.
pub(super) const DEMO: &str = "demo";

pub(super) fn own_program() -> Option<String> {
    literal(std::env::current_exe().ok()?.as_os_str())
}

/// Why an agent that was asked for cannot be had. Exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    #[error("{}", SafeText::line(&unknown(name, suggestion.as_deref())))]
    Unknown {
        name: String,
        suggestion: Option<String>,
    },
    #[error("{0}")]
    Broken(Warning),
}

fn unknown(name: &str, suggestion: Option<&str>) -> String {
    let hint = match suggestion {
        Some(near) => format!("did you mean {near}?"),
        None => "`acp-tui agents` lists them".to_owned(),
    };
    format!("there is no agent {name:?}; {hint}")
}

impl Config {
    /// The profile that `name` means: an id, else an alias (of the first in order of ids), else,
    /// with a `/` in it, a program.
    ///
    /// # Errors
    /// There is none, or its entry in the configuration cannot be used.
    pub fn agent(&self, name: &str) -> Result<AgentProfile, AgentError> {
        if let Some(problem) = self.broken_agents.get(name) {
            return Err(AgentError::Broken(problem.clone()));
        }
        let known = self.agents.get(name).or_else(|| {
            self.agents
                .values()
                .find(|agent| agent.aliases.iter().any(|alias| alias == name))
        });
        if let Some(agent) = known {
            return Ok(agent.clone());
        }
        if name.contains('/') {
            return Ok(AgentProfile::command(name.to_owned(), Vec::new()));
        }
        let names = self.agents.values().flat_map(|agent| {
            std::iter::once(&agent.id)
                .chain(&agent.aliases)
                .map(String::as_str)
        });
        Err(AgentError::Unknown {
            name: name.to_owned(),
            suggestion: nearest(name, names).map(str::to_owned),
        })
    }
}

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub program: OsString,
    pub args: Vec<OsString>,
    /// Laid over the client's own environment.
    pub env: Vec<(OsString, OsString)>,
}

impl Invocation {
    /// Where the program is: looked up with its own PATH if it has one.
    pub fn find(&self, cwd: &Path) -> Option<PathBuf> {
        find_program(&self.program, self.path().as_deref(), cwd)
    }

    /// Why it is not found.
    pub fn not_found(&self, install: Option<String>, cwd: &Path) -> NotFound {
        NotFound::new(self.program.clone(), install, self.path().as_deref(), cwd)
    }

    /// PATH as the child gets it.
    pub fn path(&self) -> Option<OsString> {
        let own = self.env.iter().rev().find(|(name, _)| name == "PATH");
        match own {
            Some((_, path)) => Some(path.clone()),
            None => std::env::var_os("PATH"),
        }
    }
}

impl AgentProfile {
    /// `-- COMMAND ARGS…`, or a NAME with a `/`.
    pub fn command(command: String, args: Vec<String>) -> Self {
        let id = Path::new(&command)
            .file_name()
            .and_then(OsStr::to_str)
            .unwrap_or(&command)
            .to_owned();
        let entry = AgentEntry {
            args,
            ..AgentEntry::default()
        };
        Self::from_entry(id, command, entry, Origin::CommandLine)
    }

    pub(super) fn from_entry(
        id: String,
        command: String,
        entry: AgentEntry,
        origin: Origin,
    ) -> Self {
        Self {
            name: entry.name.unwrap_or_else(|| id.clone()),
            id,
            command,
            args: entry.args,
            env: entry.env.into_iter().collect(),
            aliases: entry.aliases,
            mode: entry.mode,
            modes: entry.modes,
            system_prompt: entry
                .system_prompt
                // Never an empty one (V1-SES-10).
                .filter(|text| !text.trim().is_empty())
                .map(|text| SystemPrompt {
                    text,
                    replaces: entry.system_prompt_mode == SystemPromptMode::Override,
                }),
            config: entry
                .config
                .into_iter()
                .map(|(key, value)| (key, value.into()))
                .collect(),
            mcp_servers: Vec::new(),
            policy: entry.policy,
            fs_read: entry.fs.read,
            fs_write: entry.fs.write,
            terminal: entry.terminal.unwrap_or(true),
            dialect: entry.dialect.dialect(),
            protocol: entry.protocol,
            install: entry.install,
            login_command: entry.login_command,
            scratch: entry.scratch,
            own_process: entry.own_process,
            origin,
            built_in_command: false,
        }
    }

    /// Modes of an agent that has them without saying so (D-24): only where it is spoken to in the
    /// words of such agents (D-06). Which one it is in is not known.
    pub fn own_modes(&self) -> Option<ModeState> {
        if self.modes.is_empty() || !self.dialect.names(DialectRow::ModeParam) {
            return None;
        }
        let mode = |id: &String| SessionMode {
            id: ModeId::new(id),
            name: SafeText::line(id),
            description: None,
        };
        Some(ModeState {
            current: ModeId::new(""),
            available: self.modes.iter().map(mode).collect(),
        })
    }

    /// Command and arguments as a person would type them, nothing expanded.
    pub fn command_line(&self) -> String {
        self.command_line_of(&self.command)
    }

    /// The same with the file that was found for the command.
    pub fn command_line_of(&self, program: &str) -> String {
        let args = self.args.iter().map(String::as_str);
        text::command_line(std::iter::once(program).chain(args))
    }

    /// The line to sign in with, for a shell. Its first word is the agent's own program where it is
    /// called like that: one that is configured by its path need not be on PATH.
    pub fn login_line(&self) -> Option<String> {
        let line = self.login_command.as_deref()?.trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        Some(match self.own_program(first) {
            Some(program) => {
                let rest = line.get(first.len()..).unwrap_or_default();
                format!("{}{rest}", text::command_line([&*program]))
            }
            None => line.to_owned(),
        })
    }

    /// The path that the profile gives its command, if that is the program of this name.
    pub fn own_program(&self, name: &str) -> Option<String> {
        let program = self.invocation().ok()?.program.into_string().ok()?;
        let (_, own) = program.rsplit_once('/')?;
        (own == name).then_some(program)
    }

    /// Expands command, arguments and environment with the client's own environment. A command
    /// from the command line is taken as it is: the shell has expanded it.
    ///
    /// # Errors
    /// Names the profile, the part and the variable.
    pub fn invocation(&self) -> Result<Invocation, InvocationError> {
        self.invocation_with(&|name| std::env::var_os(name))
    }

    pub(super) fn invocation_with(
        &self,
        lookup: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Invocation, InvocationError> {
        let part = |path: &[&str], text: &str| self.expand_part(path, text, lookup);
        Ok(Invocation {
            program: part(&["command"], &self.command)?,
            args: self
                .args
                .iter()
                .map(|arg| part(&["args"], arg))
                .collect::<Result<_, _>>()?,
            env: self
                .env
                .iter()
                .map(|(name, value)| Ok((name.into(), part(&["env", name], value)?)))
                .collect::<Result<_, InvocationError>>()?,
        })
    }

    /// All that [`AgentProfile::invocation`] would stumble over.
    pub(super) fn unexpandable(
        &self,
        lookup: &dyn Fn(&str) -> Option<OsString>,
    ) -> Vec<InvocationError> {
        let problem = |path: &[&str], text: &str| self.expand_part(path, text, lookup).err();
        let command = problem(&["command"], &self.command).into_iter();
        let args = self.args.iter().filter_map(|arg| problem(&["args"], arg));
        let env = self.env.iter();
        let env = env.filter_map(|(name, value)| problem(&["env", name], value));
        command.chain(args).chain(env).collect()
    }

    fn expand_part(
        &self,
        path: &[&str],
        text: &str,
        lookup: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<OsString, InvocationError> {
        if self.origin == Origin::CommandLine {
            return Ok(OsString::from(text));
        }
        expand(text, lookup).map_err(|source| {
            let agent = join("agents", &self.id);
            let key = path.iter().fold(agent, |path, part| join(&path, part));
            InvocationError { key, source }
        })
    }

    /// The MCP servers that it is handed, and why others are not. Reads PATH's folders.
    pub fn mcp_servers(&self, cwd: &Path) -> (Vec<McpServer>, Vec<McpError>) {
        let path = std::env::var_os("PATH");
        let lookup = |name: &str| std::env::var_os(name);
        let mut problems = Vec::new();
        let servers = self.mcp_servers.iter().filter_map(|server| {
            let resolved = server.resolve(&lookup, path.as_deref(), cwd);
            resolved.map_err(|problem| problems.push(problem)).ok()
        });
        (servers.collect(), problems)
    }

    /// The file that would be run; relative commands count from `cwd`.
    ///
    /// # Errors
    /// One line for people: what is missing and how to get it.
    pub fn locate(&self, cwd: &Path) -> Result<PathBuf, StartError> {
        let invocation = self.invocation()?;
        invocation
            .find(cwd)
            .ok_or_else(|| StartError::NotFound(invocation.not_found(self.install.clone(), cwd)))
    }
}

/// Why an agent cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Invocation(#[from] InvocationError),
    #[error(transparent)]
    NotFound(NotFound),
}

/// A profile that cannot be started as things are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", SafeText::line(&format!("{key}: {source}")))]
pub struct InvocationError {
    /// `agents.x.env.KEY`.
    pub key: String,
    pub source: ExpandError,
}

/// Names that two agents claim, as (name, first, second): the first in order of ids has it, and an
/// id goes before an alias.
pub(super) fn clashes(agents: &BTreeMap<String, AgentProfile>) -> Vec<(String, String, String)> {
    let mut owners: BTreeMap<&str, &str> =
        agents.keys().map(|id| (id.as_str(), id.as_str())).collect();
    let mut clashes = Vec::new();
    for agent in agents.values() {
        for alias in &agent.aliases {
            let owner = owners.entry(alias).or_insert(&agent.id);
            if *owner != agent.id {
                clashes.push((alias.clone(), (*owner).to_owned(), agent.id.clone()));
            }
        }
    }
    clashes
}
