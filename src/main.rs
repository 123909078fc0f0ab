//! The `acp-tui` program: the command line to what carries it out.

use std::{
    path::{Path, PathBuf},
    process::ExitCode as ProcessCode,
};

use acp_tui::{
    app,
    cli::{
        self, AgentWanted, Cli, CliError, Command, ExitCode, Launch, Reopen, RunArgs,
        SessionsAction,
    },
    config::{AgentError, AgentProfile, ConfigError, Loaded, TrustState, load},
    demo, guard,
    ui::keymap::check_keys,
};
use anyhow::Context;
use clap::Parser;

fn main() -> ProcessCode {
    if guard::is_wanted(std::env::args_os().nth(1).as_deref()) {
        guard::run();
        return ProcessCode::SUCCESS;
    }
    guard::enable();
    app::outlive_file_limits();
    let code = run(Cli::parse()).unwrap_or_else(|error| {
        cli::complain(said(&error));
        exit_code(&error)
    });
    code.into()
}

/// The error and its causes, each once: many name their cause themselves.
fn said(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

fn exit_code(error: &anyhow::Error) -> ExitCode {
    if let Some(error) = error.downcast_ref::<CliError>() {
        error.exit_code()
    } else if error.is::<ConfigError>() || error.is::<AgentError>() {
        ExitCode::Usage
    } else {
        ExitCode::Failure
    }
}

fn run(mut cli: Cli) -> anyhow::Result<ExitCode> {
    let start = starting_point(&mut cli)?;
    let Some(command) = cli.command.take() else {
        let mut launch = Launch::resolve(cli, &start)?;
        launch.check_logs()?;
        cli::terminal_check()?;
        let options = launch.load_options()?;
        let mut loaded = load(&options)?;
        if app::find_session(&mut launch, &loaded.config, &options.dirs.state)? {
            loaded = load(&launch.load_options()?)?;
        }
        chosen(&launch, &loaded)?;
        app::check_worktree(&launch, &loaded.config, &options.dirs.state)?;
        return app::run(launch, loaded);
    };
    let command = match command {
        Command::Run(run) => return run_headless(*run, cli, &start),
        command => command,
    };
    let launch = Launch::for_command(&command, cli, &start)?;
    match command {
        Command::Replay(replay) => match replay.format {
            Some(format) => {
                let state = launch.load_options()?.dirs.state;
                return app::print_replay(&replay, format, &state);
            }
            None => {
                cli::terminal_check()?;
                let loaded = load(&launch.load_options()?)?;
                return app::replay(launch, loaded, &replay);
            }
        },
        // Carried out above: its options are its own.
        Command::Run(_) => {}
        Command::Agents { action } => {
            let options = launch.load_options()?;
            let loaded = load(&options)?;
            cli::print_warnings(&loaded.warnings);
            match action {
                None => cli::agents(&loaded.config, &launch.cwd, &options.dirs.state)?,
                Some(action) => cli::add_agents(&options, &loaded, &action)?,
            }
        }
        Command::Doctor(args) => {
            let loaded = load(&launch.load_options()?)?;
            let agent = match launch.agent {
                // All are looked at, not the default one.
                AgentWanted::Default => None,
                _ => chosen(&launch, &loaded)?,
            };
            return app::doctor(&launch, &loaded, agent, &args);
        }
        Command::Sessions { action, json } => {
            let options = launch.load_options()?;
            let loaded = load(&options)?;
            cli::print_warnings(&loaded.warnings);
            let words = Vec::new();
            let action = action.unwrap_or(SessionsAction::List { words, json });
            app::sessions(action, &loaded.config, &options.dirs.state, &start)?;
        }
        Command::Worktrees { json } => {
            let options = launch.load_options()?;
            let loaded = load(&options)?;
            cli::print_warnings(&loaded.warnings);
            app::worktrees(json, &launch.cwd, &loaded.config, &options.dirs.state)?;
        }
        Command::Changes(args) => {
            let options = launch.load_options()?;
            let config = load(&options)?.config;
            app::changes(&args, &config, &options.dirs.state, &launch)?;
        }
        Command::Undo(args) => {
            let options = launch.load_options()?;
            let config = load(&options)?.config;
            return Ok(app::undo(&args, &config, &options.dirs.state, &launch)?);
        }
        Command::Config { action } => {
            let options = launch.load_options()?;
            return Ok(cli::config(&options, action, check_keys)?);
        }
        Command::Trust { yes, revoke, .. } => {
            return Ok(cli::trust(&launch.load_options()?, yes, revoke)?);
        }
        Command::Completions { shell } => cli::completions(shell)?,
        Command::Man {
            dir: Some(folder), ..
        } => cli::man_pages(&folder)?,
        Command::Man { command, .. } => cli::man(&command)?,
        Command::DemoAgent => demo::run()?,
    }
    Ok(ExitCode::Done)
}

/// The directory that relative paths count from. One that was removed meanwhile is only missed by
/// commands that look at a project.
fn starting_point(cli: &mut Cli) -> Result<PathBuf, CliError> {
    let error = match std::env::current_dir() {
        Ok(here) => return Ok(here),
        Err(error) => error,
    };
    let needs_none = !matches!(
        cli.command,
        None | Some(Command::Run(_) | Command::Doctor(_) | Command::Trust { dir: None, .. })
    );
    match &cli.cwd {
        Some(named) if named.is_absolute() => {}
        None if needs_none => cli.cwd = Some("/".into()),
        _ => {
            return Err(CliError::Usage(format!(
                "the current directory is gone ({error}): change to another one, or pass a full path with -C"
            )));
        }
    }
    // Files named by a relative path are as little there as it is.
    Ok(std::env::var_os("PWD").map_or_else(|| "/nonexistent".into(), PathBuf::from))
}

fn run_headless(run: RunArgs, cli: Cli, start: &Path) -> anyhow::Result<ExitCode> {
    let (mut launch, options) = Launch::for_run(run, cli, start)?;
    launch.check_logs()?;
    cli::check_stdout()?;
    if launch.resume == Some(Reopen::Pick) {
        let text = "--resume needs a session: `acp-tui sessions` lists them";
        return Err(CliError::Usage(text.into()).into());
    }
    let load_options = launch.load_options()?;
    let mut loaded = load(&load_options)?;
    if app::find_session(&mut launch, &loaded.config, &load_options.dirs.state)? {
        loaded = load(&launch.load_options()?)?;
    }
    if !options.quiet {
        cli::print_warnings(&loaded.warnings);
        if let TrustState::Untrusted { path, .. } = &loaded.trust {
            cli::complain(format_args!(
                "{}: not approved, so it is ignored; acp-tui trust shows and approves it",
                path.display()
            ));
        }
    }
    let agent = chosen(&launch, &loaded)?.ok_or_else(no_agent)?;
    app::run_headless(launch, loaded, agent, options)
}

fn no_agent() -> CliError {
    CliError::Usage("no agent: name one with --agent, or set default_agent".into())
}

/// The agent asked for. One that does not exist may be in a project's file without approval.
fn chosen(launch: &Launch, loaded: &Loaded) -> anyhow::Result<Option<AgentProfile>> {
    let agent = launch.agent(&loaded.config);
    match (&agent, &loaded.trust) {
        (Err(AgentError::Unknown { .. }), TrustState::Untrusted { .. }) => {
            agent.context("the project's file is not approved yet (acp-tui trust)")
        }
        _ => Ok(agent?),
    }
}
