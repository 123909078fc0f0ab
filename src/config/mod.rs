//! Configuration: layered TOML to one [`Config`], with errors that name file, line and remedy.
//!
//! Owns: the types below, where files are, layering (defaults < user < trusted project <
//! environment; flags are `cli::Launch`'s), project trust, built-in profiles. A bad value costs
//! only itself. Must not know about the UI, the host or the protocol's wire.
//!
//! How a file becomes a [`Config`]: `source_text` reads it, `check` drops what `file::File` would
//! not take and says so, `layer` lays it over the layers before, and in the end `load` lets serde
//! read the whole. The types in `file` (and here) are the parser's and the JSON schema's alike.

mod check;
mod describe;
mod diagnostic;
mod dirs;
mod environment;
mod expand;
mod file;
mod layer;
mod like;
mod load;
mod mcp;
mod nearest;
mod profile;
mod program;
mod project;
mod prompts;
mod rule;
mod source_text;
#[cfg(test)]
mod tests;
pub mod themes;
pub mod trust;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    diagnostic::{ConfigError, Source, Warning},
    dirs::Dirs,
    expand::{ExpandError, expand, literal},
    file::schema,
    load::{KeyCheck, LoadOptions, Loaded, load},
    mcp::{McpError, McpServerConfig},
    nearest::nearest,
    profile::{AgentError, Invocation, InvocationError, StartError},
    program::{NotFound, find_program},
    project::find as project_file,
    prompts::{PromptFile, Prompts, Unapproved, project_folder as project_prompts, prompts},
    themes::ThemeChoice,
    trust::TrustState,
};
use crate::model::{Dialect, OutsideWorkspace, Policy, Protocol, Rule, SystemPrompt};

/// The effective configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub default_agent: Option<String>,
    /// By id: built-in and configured.
    pub agents: BTreeMap<String, AgentProfile>,
    /// By name.
    pub mcp_servers: BTreeMap<String, McpServerConfig>,
    /// By id and alias: entries that cannot be used, and why. Asking for one is an error.
    pub broken_agents: BTreeMap<String, Warning>,
    /// Policy where neither flag nor profile names one.
    pub policy: Policy,
    pub rules: Vec<Rule>,
    pub fs: FsConfig,
    pub terminal: TerminalConfig,
    pub sessions: SessionsConfig,
    pub changes: ChangesConfig,
    pub worktree: WorktreeConfig,
    pub connection: ConnectionConfig,
    pub ui: UiConfig,
    pub themes: themes::Themes,
    /// What the files say about the theme, for [`themes::chosen::keep`]: `ui` may hold what was
    /// chosen in the program.
    pub configured_theme: String,
    /// Action name to its chords; only what the files set. Judged by the UI's action table.
    pub keys: BTreeMap<String, Vec<String>>,
}

/// How an agent is started and spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProfile {
    /// The key in the config.
    pub id: String,
    /// For people; defaults to the id.
    pub name: String,
    /// Program: looked up on PATH, `~` and `${VAR}` expanded when it is started.
    pub command: String,
    pub args: Vec<String>,
    /// Laid over the client's own environment; values expanded when it is started.
    pub env: Vec<(String, String)>,
    pub aliases: Vec<String>,
    /// Session mode to set after the start.
    pub mode: Option<String>,
    /// Ids of modes that it is known to have, though it names none; see
    /// [`AgentProfile::own_modes`].
    pub modes: Vec<String>,
    /// Options to set after the start, as (id or name, value).
    pub config: Vec<(String, String)>,
    /// MCP servers that it is handed, as they are configured.
    pub mcp_servers: Vec<McpServerConfig>,
    /// For agents that take one.
    pub system_prompt: Option<SystemPrompt>,
    pub policy: Option<Policy>,
    pub fs_read: bool,
    pub fs_write: bool,
    /// It may run commands through us.
    pub terminal: bool,
    /// In which words of ACP it speaks, and is spoken to.
    pub dialect: Dialect,
    pub protocol: Protocol,
    /// How to install it, shown when the command is not found.
    pub install: Option<String>,
    /// A shell line to sign in with, run at a terminal.
    pub login_command: Option<String>,
    /// A temporary folder is made for each session, an additional root of its workspace.
    pub scratch: bool,
    /// Each session gets its own process: the agent serves one at a time.
    pub own_process: bool,
    pub origin: Origin,
    /// The command is the built-in profile's, whatever else was laid over that.
    pub built_in_command: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
    File(PathBuf),
    /// `ACP_TUI_AGENTS__…`.
    Environment,
    /// `-- COMMAND` or a NAME with a `/`.
    CommandLine,
}

/// `[fs]`: what agents may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FsConfig {
    /// An agent that wants a file outside of the workspace.
    pub outside_workspace: OutsideWorkspace,
}

/// `[terminal]`: commands that agents run through the client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TerminalConfig {
    /// What the agent gets of a command's output: `plain` text with ANSI interpreted away, or the
    /// `raw` bytes.
    // V1-TERM-07
    #[serde(rename = "output", with = "file::terminal_output")]
    #[schemars(with = "file::TerminalOutput")]
    pub raw_output: bool,
    /// Start commands with only the variables that make programs run, and so without secrets.
    pub scrub_env: bool,
    /// Ask before each command.
    // V1-TERM-19
    pub ask: bool,
}

/// `[sessions]`: what is stored of conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsConfig {
    /// How many stay; with more, those that were not changed for longest go. 0: none is stored.
    pub keep: u32,
}

/// `[changes]`: what is kept of files, so that changes can be reviewed and undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChangesConfig {
    /// Follow what changes in the project.
    pub follow: bool,
    /// MiB that is kept for one project at most; what is oldest goes first.
    #[serde(deserialize_with = "file::max_store")]
    #[schemars(range(min = 16, max = 65536))]
    pub max_store: u32,
}

/// `[worktree]`: git worktrees for sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorktreeConfig {
    /// The folder that they are made in, absolute or from `~` on. Without it `worktrees` in the state
    /// directory.
    #[serde(
        deserialize_with = "file::folder",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "String")]
    pub dir: Option<String>,
}

impl WorktreeConfig {
    /// Where worktrees are made; `state` is the state directory.
    ///
    /// # Errors
    /// What it names cannot be told.
    pub fn folder(&self, state: &Path) -> Result<PathBuf, ExpandError> {
        match &self.dir {
            None => Ok(state.join("worktrees")),
            Some(dir) => expand(dir, &|name| std::env::var_os(name)).map(PathBuf::from),
        }
    }
}

/// `[connection]`: limits for an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConnectionConfig {
    /// Seconds that an agent may be silent at its start before the person is told.
    // V1-INIT-24
    #[serde(deserialize_with = "file::start_timeout")]
    #[schemars(range(min = 1, max = 3600))]
    pub start_timeout: u32,
    /// MiB of the longest message that is taken from an agent. A longer one is skipped.
    // V1-RPC-21
    #[serde(deserialize_with = "file::max_message")]
    #[schemars(range(min = 1, max = 1024))]
    pub max_message: u32,
}

/// `[ui]`: how it looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UiConfig {
    /// Colours: `auto`, `dark` or `light` from the terminal's palette, or a theme by name.
    pub theme: ThemeChoice,
    /// The theme on a dark background, where `theme` is `auto` or `dark`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub theme_dark: Option<String>,
    /// The theme on a light background, where `theme` is `auto` or `light`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub theme_light: Option<String>,
    /// The signs that the client draws.
    #[serde(rename = "symbols", with = "file::symbols")]
    #[schemars(with = "file::Symbols")]
    pub ascii_symbols: bool,
    /// Spinners, and times that count up.
    pub motion: bool,
    /// Keys in the composer: readline's, or vim's modes.
    pub editing: Editing,
    /// The mouse scrolls, selects and clicks here; else it is the terminal's.
    pub mouse: bool,
    /// What is selected with the mouse is copied when the button is released; else ctrl-c or y
    /// copies it.
    pub copy_on_select: bool,
    /// Prompts that the agent suggests stand in the empty composer. Without it those that cost nothing: agents
    /// that make them unasked, by a call of the model, are told not to.
    #[serde(with = "file::auto_or_bool")]
    #[schemars(with = "file::AutoOrBool")]
    pub suggestions: Option<bool>,
    /// Columns that the conversation and its dialogs take. Without it all of them, and of wide screens
    /// as many for prose, prompts and dialogs as are comfortable to read.
    #[serde(with = "file::width")]
    #[schemars(with = "file::Width")]
    pub width: Option<u16>,
    /// Lines in their order, each once, without frames and motion, for a screen reader. Without it
    /// where the environment tells of one.
    #[serde(with = "file::auto_or_bool")]
    #[schemars(with = "file::AutoOrBool")]
    pub screen_reader: Option<bool>,
    /// The open sessions as tabs on the first row.
    pub tabs: Tabs,
    /// How changes are laid out.
    pub diff: DiffLayout,
    /// How images are shown.
    pub images: Images,
    /// Tell state, project and session in the terminal's title, and its progress where that is shown.
    pub title: bool,
    /// Ring the bell when a permission waits.
    pub bell: bool,
    /// Tell the desktop when a turn has finished and the terminal is not focused.
    pub notifications: bool,
    /// A program of the person's own, with its arguments, that is run for each of these; title and text
    /// are added as the last two. No shell reads it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify_command: Vec<String>,
    /// The agent's thoughts.
    pub thoughts: Thoughts,
    /// What stays on the screen after leaving.
    pub exit_print: ExitPrint,
    /// Milliseconds that an ESC waits for the rest of a key before it is the escape key. Without it
    /// 25, and over ssh 100.
    #[serde(
        deserialize_with = "file::escape_delay",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "u32", range(min = 0, max = 1000))]
    pub escape_delay: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiffLayout {
    /// Split from 140 columns.
    Auto,
    Unified,
    Split,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Images {
    /// In pixels where the terminal draws them, else as blocks.
    Auto,
    /// In characters with two colours each.
    Blocks,
    /// A line with type and size.
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Editing {
    /// As in a shell.
    Emacs,
    /// A draft begins in insert mode.
    Vim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tabs {
    /// Where several are open.
    Auto,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Thoughts {
    /// Folded once finished.
    Auto,
    Show,
    Hide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExitPrint {
    Last,
    None,
    All,
}

impl Default for ChangesConfig {
    fn default() -> Self {
        Self {
            follow: true,
            max_store: 1024,
        }
    }
}

impl Default for SessionsConfig {
    fn default() -> Self {
        Self { keep: 1_000 }
    }
}

impl ConnectionConfig {
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.start_timeout.into())
    }

    /// In bytes.
    pub fn max_line(&self) -> usize {
        usize::try_from(self.max_message).unwrap_or_default() << 20
    }
}

impl Default for ConnectionConfig {
    fn default() -> Self {
        Self {
            start_timeout: 60,
            max_message: 64,
        }
    }
}

impl Default for UiConfig {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::Auto,
            theme_dark: None,
            theme_light: None,
            ascii_symbols: false,
            motion: true,
            editing: Editing::Emacs,
            suggestions: None,
            width: None,
            mouse: true,
            copy_on_select: true,
            screen_reader: None,
            tabs: Tabs::Auto,
            diff: DiffLayout::Auto,
            images: Images::Auto,
            title: true,
            bell: true,
            notifications: true,
            notify_command: Vec::new(),
            thoughts: Thoughts::Auto,
            exit_print: ExitPrint::Last,
            escape_delay: None,
        }
    }
}
