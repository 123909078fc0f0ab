//! Configuration: layered TOML to one [`Config`], with errors that name file, line and remedy.
//!
//! Owns: the types below, where files are, layering (defaults < user < trusted project <
//! environment < flags), project trust, built-in profiles. A bad value costs only itself. Must not
//! know about the UI, the host or the protocol's wire.

use std::{collections::BTreeMap, path::PathBuf};

use crate::proto::{Policy, Rule};

/// The effective configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub default_agent: Option<String>,
    /// By name: built-in and configured.
    pub agents: BTreeMap<String, AgentProfile>,
    /// Policy where neither flag nor profile names one.
    pub policy: Policy,
    pub rules: Vec<Rule>,
    pub fs: FsConfig,
    pub terminal: TerminalConfig,
    pub ui: UiConfig,
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
    pub policy: Option<Policy>,
    pub fs_read: bool,
    pub fs_write: bool,
    /// How to install it, shown when the command is not found.
    pub install: Option<String>,
    /// Run by hand to sign in, shown where the agent names no way of its own.
    pub login_command: Option<String>,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    BuiltIn,
    File(PathBuf),
    /// `-- COMMAND` or a NAME with a `/`.
    CommandLine,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsConfig {
    pub outside_workspace: OutsideWorkspace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideWorkspace {
    Ask,
    Deny,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalConfig {
    /// What `terminal/output` answers: text with ANSI interpreted away, or the bytes (V1-TERM-07).
    pub raw_output: bool,
    /// Start commands with a scrubbed environment.
    pub scrub_env: bool,
    /// Ask before each `terminal/create` (V1-TERM-19).
    pub ask: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiConfig {
    pub theme: ThemeChoice,
    pub ascii_symbols: bool,
    /// Spinners and the like.
    pub motion: bool,
    pub diff: DiffLayout,
    pub bell: bool,
    pub notifications: bool,
    pub thoughts: Thoughts,
    pub exit_print: ExitPrint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// The terminal's palette, background asked of the terminal.
    Auto,
    Dark,
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLayout {
    /// Split from 140 columns.
    Auto,
    Unified,
    Split,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoughts {
    /// Folded once finished.
    Auto,
    Show,
    Hide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitPrint {
    Last,
    None,
    All,
}

impl Default for FsConfig {
    fn default() -> Self {
        Self {
            outside_workspace: OutsideWorkspace::Ask,
        }
    }
}

impl Default for TerminalConfig {
    fn default() -> Self {
        Self {
            raw_output: false,
            scrub_env: false,
            ask: false,
        }
    }
}

impl Default for UiConfig {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::Auto,
            ascii_symbols: false,
            motion: true,
            diff: DiffLayout::Auto,
            bell: true,
            notifications: true,
            thoughts: Thoughts::Auto,
            exit_print: ExitPrint::Last,
        }
    }
}
