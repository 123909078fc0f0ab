//! The arguments. Help texts are here and nowhere else.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{
    Args, Parser, Subcommand, ValueEnum, ValueHint,
    builder::{PossibleValuesParser, TypedValueParser},
};

use crate::model::Policy;

/// A terminal client for coding agents that speak the Agent Client Protocol
#[derive(Parser, Debug)]
#[command(
    name = "acp-tui",
    version,
    disable_help_subcommand = true,
    override_usage = "acp-tui [OPTIONS] [PROMPT]\n       \
                      acp-tui [OPTIONS] -- COMMAND [ARGS…]\n       \
                      acp-tui COMMAND",
    after_help = "Without --agent: `default_agent` of the configuration, else a picker.\n\
                  To try it without an account: acp-tui --agent demo"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Project directory [default: the current one]
    #[arg(short = 'C', long, value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,

    /// Use this file instead of the user's configuration
    #[arg(long, value_name = "FILE", global = true, value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub agent: AgentArg,

    #[command(flatten)]
    pub open: OpenArgs,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentArg {
    /// Agent to start: a profile's name or alias, or a program (with a `/`)
    #[arg(long = "agent", value_name = "NAME")]
    pub agent: Option<String>,
}

/// What only means something when the UI is opened.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct OpenArgs {
    /// Prompt to send at once; a single word is read as a command, except by `run`
    #[arg(value_name = "PROMPT", num_args = 0..)]
    pub words: Vec<String>,

    /// Prompt to send at once, whatever it looks like
    #[arg(long, value_name = "PROMPT", conflicts_with = "words")]
    pub prompt: Option<String>,

    /// Additional workspace root; may be repeated
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub add_dir: Vec<PathBuf>,

    /// Reopen a session: an id from `acp-tui sessions` or from the agent; without a value, choose
    /// one
    #[arg(long, value_name = "SESSION", num_args = 0..=1)]
    pub resume: Option<Option<String>>,

    /// Reopen the newest session of this directory, and of --agent if given
    #[arg(long = "continue", conflicts_with = "resume")]
    pub go_on: bool,

    /// Work in a git worktree of its own, on the new branch acp/NAME; without NAME one is made up
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        conflicts_with_all = ["resume", "go_on"]
    )]
    pub worktree: Option<Option<String>>,

    /// Session mode to set after the start
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,

    /// Model to set after the start
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,

    /// Option of the agent to set after the start; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub set: Vec<(String, String)>,

    /// Policy for requests that no rule decides
    #[arg(long, value_name = "POLICY", value_parser = policies())]
    pub policy: Option<Policy>,

    /// Keep the terminal's own scrollback: what is finished is printed into it, and only what
    /// still changes is drawn below
    #[arg(long)]
    pub inline: bool,

    /// Write the application's log to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub log: Option<PathBuf>,

    /// Write every protocol message to this file, one JSON object a line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub wire: Option<PathBuf>,

    /// Agent to start, as a command
    #[arg(
        last = true,
        value_name = "COMMAND",
        conflicts_with = "agent",
        value_hint = ValueHint::CommandWithArguments
    )]
    pub agent_command: Vec<OsString>,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// List agents: where each comes from, whether it is found, how to install it
    #[command(override_usage = "acp-tui agents\n       \
                                acp-tui agents import zed [FILE]\n       \
                                acp-tui agents add registry ID [FILE]")]
    Agents {
        #[command(subcommand)]
        action: Option<AgentsAction>,
    },
    /// Send one prompt without a screen and print the answer
    #[command(
        override_usage = "acp-tui run [OPTIONS] PROMPT\n       \
                          acp-tui run [OPTIONS] [PROMPT] -\n       \
                          acp-tui run [OPTIONS] PROMPT -- COMMAND [ARGS…]",
        after_help = "`-` reads the prompt from stdin, or the text after PROMPT.\n\
                      It never asks: what no rule or policy allows is refused.\n\
                      Exit codes: 0 the turn ended; 1 failure; 2 wrong usage; 3 no agent; 4 no \
                      authentication;\n5 refused, or a limit (--timeout too) was reached; 130 interrupted."
    )]
    Run(Box<RunArgs>),
    /// Play a wire log or a stored session, offline
    Replay(ReplayArgs),
    /// Start an agent and print what it can do, what is missing and what to do about it
    #[command(
        override_usage = "acp-tui doctor [OPTIONS]\n       \
                          acp-tui doctor [OPTIONS] --agent NAME\n       \
                          acp-tui doctor [OPTIONS] -- COMMAND [ARGS…]",
        after_help = "Without an agent, all are listed and none is started.\n\
                      Exit codes: 0 usable; 1 opens no session or, with --all, any agent failed;\n2 \
                      wrong usage; 3 cannot be started or does not speak ACP; 4 sign-in required; 130 \
                      interrupted."
    )]
    Doctor(DoctorArgs),
    /// List, show and export stored sessions
    #[command(args_conflicts_with_subcommands = true)]
    Sessions {
        #[command(subcommand)]
        action: Option<SessionsAction>,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the git worktrees of sessions in this project, and what is in them
    Worktrees {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print what a session changed on the disk, as a patch that `git apply` takes
    Changes(ChangesArgs),
    /// Put back what a session changed on the disk
    #[command(
        after_help = "What changed since is kept: the older text is merged into it, or the file is left as it is \
                      and named.\nIt shows what it would do and asks; without a terminal it needs --yes."
    )]
    Undo(UndoArgs),
    /// Print the effective configuration and which file set each key
    Config {
        #[command(subcommand)]
        action: Option<ConfigAction>,
    },
    /// Show and approve a project's `.acp-tui.toml` and prompts
    Trust {
        /// The project [default: the current directory]
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
        /// Approve without asking
        #[arg(long, conflicts_with = "revoke")]
        yes: bool,
        /// Take an approval back
        #[arg(long)]
        revoke: bool,
    },
    /// Print completions for a shell
    Completions {
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of a command
    Man {
        /// Command, such as `run` or `sessions export`
        command: Vec<String>,

        /// Write all pages into this folder instead
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "command")]
        dir: Option<PathBuf>,
    },
    /// Run the built-in demo agent on stdin and stdout
    #[command(hide = true)]
    DemoAgent,
}

/// One prompt turn without a screen.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub struct RunArgs {
    #[command(flatten)]
    pub agent: AgentArg,

    #[command(flatten)]
    pub open: OpenArgs,

    /// Read the prompt from this file; `-` is stdin
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["words", "prompt"],
        value_hint = ValueHint::FilePath
    )]
    pub prompt_file: Option<PathBuf>,

    /// Attach this image to the prompt (PNG, JPEG, GIF, WebP, up to 3.75 MiB); may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub image: Vec<PathBuf>,

    /// Attach this file to the prompt, in a form the agent takes; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Vec<PathBuf>,

    /// Output: the answer as it comes, one JSON object at the end, or one for each event
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,

    /// Print only errors to stderr
    #[arg(short, long)]
    pub quiet: bool,

    /// Stop after this time, with exit code 5
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

/// A look at agents.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub agent: AgentArg,

    /// Start each agent that is found, one after the other
    #[arg(long, conflicts_with_all = ["agent", "agent_command"])]
    pub all: bool,

    /// Timeout for each answer [default: connection.start_timeout]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: ReportFormat,

    /// Agent to start, as a command
    #[arg(
        last = true,
        value_name = "COMMAND",
        conflicts_with = "agent",
        value_hint = ValueHint::CommandWithArguments
    )]
    pub agent_command: Vec<OsString>,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportFormat {
    #[default]
    Text,
    Json,
}

#[derive(Args, Clone, Debug, PartialEq)]
pub struct ReplayArgs {
    /// A wire log (--wire) or a stored session: its file (`-` is stdin), or its ID from `acp-tui
    /// sessions`
    #[arg(value_name = "FILE|ID", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Print it
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<Format>,

    /// Play a wire log at its own speed (1) or this many times faster, instead of at once
    #[arg(long, value_name = "TIMES", value_parser = times, conflicts_with = "format")]
    pub speed: Option<f64>,

    /// Show this session of a wire log first [default: the one with the most prompts]
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
}

/// How what happens is written.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Text,
    Json,
    Jsonl,
}

fn times(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(times) if (1e-3..=1e6).contains(&times) => Ok(times),
        _ => Err("expected a number, such as 1 or 4.5".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds")?;
    match Duration::try_from_secs_f64(seconds) {
        // A year is for ever.
        Ok(time) if !time.is_zero() && time < Duration::from_secs(366 * 86_400) => Ok(time),
        _ => Err("not a time to wait".to_owned()),
    }
}

#[derive(Subcommand, Clone, Debug, PartialEq, Eq)]
pub enum AgentsAction {
    /// Import agents from another program's settings into the configuration
    #[command(disable_help_subcommand = true)]
    Import {
        #[command(subcommand)]
        from: ImportFrom,
    },
    /// Add one agent from a list of agents to the configuration
    #[command(disable_help_subcommand = true)]
    Add {
        #[command(subcommand)]
        from: AddFrom,
    },
}

// How agents are added, wherever they come from; clap would take a doc comment for help.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adding {
    /// Show what would be added, change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also take one that has the name of a built-in agent, in its place
    #[arg(long)]
    pub force: bool,
}

#[derive(Subcommand, Clone, Debug, PartialEq, Eq)]
pub enum ImportFrom {
    /// `agent_servers` of Zed
    Zed {
        /// Its settings.json [default: where Zed keeps it]
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        #[command(flatten)]
        adding: Adding,
    },
}

#[derive(Subcommand, Clone, Debug, PartialEq, Eq)]
pub enum AddFrom {
    /// The ACP agent registry
    Registry {
        /// The agent's id there
        #[arg(value_name = "ID")]
        id: String,
        /// registry.json, or one agent's agent.json; `-` is stdin
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        #[command(flatten)]
        adding: Adding,
    },
}

#[derive(Subcommand, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigAction {
    /// Print which files are read
    Path,
    /// Report what is wrong with them
    Check,
    /// Print the JSON Schema of the file format
    Schema,
}

/// What a session changed.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ChangesArgs {
    /// The session, as `acp-tui sessions` lists it [default: the newest of the current directory]
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Only what this turn changed, counted from 1
    #[arg(long, value_name = "N")]
    pub turn: Option<u64>,
    /// Print the files and how many lines changed in each
    ///
    /// A letter tells what became of a file: A is new, D deleted, M modified, R renamed, m has other permissions
    /// alone, T is of another type.
    #[arg(long, conflicts_with = "format")]
    pub stat: bool,
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: ChangesFormat,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangesFormat {
    #[default]
    Patch,
    Json,
}

/// What is put back.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct UndoArgs {
    /// The session, as `acp-tui sessions` lists it
    #[arg(value_name = "SESSION")]
    pub session: String,
    /// Only these files
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub paths: Vec<PathBuf>,
    /// Only what this turn changed, counted from 1
    #[arg(long, value_name = "N")]
    pub turn: Option<u64>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Say what would be put back, and do nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}

/// An ID may be shortened to a beginning that no other has; the agent's own id of a session does, too.
#[derive(Subcommand, Clone, Debug, PartialEq, Eq)]
pub enum SessionsAction {
    /// List stored sessions, the newest first
    #[command(visible_alias = "search")]
    List {
        /// Only sessions in which all of these words occur, anywhere
        #[arg(value_name = "WORDS")]
        words: Vec<String>,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a conversation
    Show {
        /// The session, as `acp-tui sessions` lists it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Write a conversation to stdout, or to a file
    Export {
        /// The session, as `acp-tui sessions` lists it
        #[arg(value_name = "ID")]
        id: String,
        #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
        format: ExportFormat,
        /// Write to this file, which must not be there yet [default: stdout, as `-`]
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
        /// Replace the file if it is there
        #[arg(short, long, requires = "output")]
        force: bool,
    },
    /// Remove stored sessions; the agents' own copies stay
    Delete {
        /// The sessions, as `acp-tui sessions` lists them
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportFormat {
    #[default]
    Markdown,
    Json,
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected KEY=VALUE, such as model=sonnet".into()),
    }
}

fn policies() -> impl TypedValueParser<Value = Policy> {
    PossibleValuesParser::new(Policy::ALL.map(Policy::name)).map(|name| {
        Policy::ALL
            .into_iter()
            .find(|policy| policy.name() == name)
            .unwrap_or_default()
    })
}
