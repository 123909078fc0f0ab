//! The arguments, resolved: absolute, checked paths, one prompt, one agent.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use clap::CommandFactory;

use super::{AgentArg, Cli, CliError, Command, OpenArgs, RunArgs, RunOptions};
use crate::{
    config::{AgentError, AgentProfile, Config, ConfigError, LoadOptions, nearest},
    files,
    model::{Policy, Setting, SettingKey, SettingSource},
};

/// How the UI is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Sent at once.
    pub prompt: Option<String>,
    pub agent: AgentWanted,
    /// Absolute, without symbolic links, UTF-8.
    pub cwd: PathBuf,
    /// Likewise.
    pub add_dirs: Vec<PathBuf>,
    /// Absolute; in place of the user's file.
    pub config_file: Option<PathBuf>,
    /// `-C` named the directory: a session that is reopened does not choose its own.
    pub cwd_chosen: bool,
    /// Session to reopen.
    pub resume: Option<Reopen>,
    /// `--worktree`, and the name that it is to have; taken when it is made.
    pub worktree: Option<Option<String>>,
    /// `--model`, `--set` and `--mode`; see [`Launch::settings`].
    pub settings: Vec<Setting>,
    /// `--policy`; see [`Launch::policy`].
    pub policy: Option<Policy>,
    /// `--inline`: without the alternate screen.
    pub inline: bool,
    /// Absolute.
    pub log: Option<PathBuf>,
    /// Absolute.
    pub wire: Option<PathBuf>,
}

/// Which session to reopen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reopen {
    /// The person picks one.
    Pick,
    /// The newest that is stored of this directory and agent.
    Newest,
    /// As it was typed: of those that are stored, or one that only the agent knows.
    Named(String),
    /// A stored one, by its id in the store, and what its agent calls it.
    Stored {
        record: String,
        session: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentWanted {
    /// The configuration's, else the picker's.
    Default,
    /// A profile's name, or a program's absolute path.
    Named(String),
    /// `-- COMMAND ARGS…`
    Command(Box<AgentProfile>),
}

impl Launch {
    /// `start` is the directory that relative paths count from.
    ///
    /// # Errors
    /// What is wrong with the command line.
    pub fn resolve(cli: Cli, start: &Path) -> Result<Self, CliError> {
        let open = cli.open;
        let agent = if let Some((program, args)) = open.agent_command.split_first() {
            let args = args.iter().map(utf8).collect::<Result<_, _>>()?;
            let program = program_path(&utf8(program)?, start)?;
            AgentWanted::Command(Box::new(AgentProfile::command(program, args)))
        } else {
            match &cli.agent.agent {
                Some(name) => AgentWanted::Named(program_path(name, start)?),
                None => AgentWanted::Default,
            }
        };
        Ok(Self {
            settings: settings(
                SettingSource::CommandLine,
                &open.set,
                open.model.as_ref(),
                open.mode.as_ref(),
            )
            .collect(),
            prompt: prompt(&open)?,
            agent,
            cwd: match &cli.cwd {
                Some(dir) => directory("--cwd", dir, start)?,
                None => directory("the current directory", start, start)?,
            },
            add_dirs: open
                .add_dir
                .iter()
                .map(|dir| directory("--add-dir", dir, start))
                .collect::<Result<_, _>>()?,
            config_file: cli.config.map(|path| start.join(path)),
            cwd_chosen: cli.cwd.is_some(),
            resume: match open.resume {
                _ if open.go_on => Some(Reopen::Newest),
                Some(Some(name)) => Some(Reopen::Named(name)),
                Some(None) => Some(Reopen::Pick),
                None => None,
            },
            worktree: open.worktree,
            policy: open.policy,
            inline: open.inline,
            log: open.log.map(|path| start.join(path)),
            wire: open.wire.map(|path| start.join(path)),
        })
    }

    /// For a subcommand: where, with which configuration and agent.
    ///
    /// # Errors
    /// As [`Launch::resolve`]; also options of the UI, which would be lost silently.
    pub fn for_command(command: &Command, mut cli: Cli, start: &Path) -> Result<Self, CliError> {
        let takes_agent = matches!(command, Command::Doctor(doctor) if !doctor.all);
        if cli.open != OpenArgs::default() || (cli.agent.agent.is_some() && !takes_agent) {
            return Err(CliError::Usage(
                "options that open the UI cannot be used with a command; see acp-tui --help".into(),
            ));
        }
        match command {
            Command::Doctor(doctor) => {
                if doctor.agent.agent.is_some() {
                    cli.agent.agent.clone_from(&doctor.agent.agent);
                }
                if cli.agent.agent.is_some() && !doctor.agent_command.is_empty() {
                    return Err(CliError::Usage(
                        "--agent names an agent, and so does the command after `--`".into(),
                    ));
                }
                cli.open.agent_command.clone_from(&doctor.agent_command);
            }
            Command::Trust { dir: Some(dir), .. } => cli.cwd = Some(dir.clone()),
            _ => {}
        }
        Self::resolve(cli, start)
    }

    /// For `run`, and what it is to do. Its options stand behind it; `--agent` may stand before.
    ///
    /// # Errors
    /// What is wrong with the command line.
    pub fn for_run(
        mut run: RunArgs,
        mut cli: Cli,
        start: &Path,
    ) -> Result<(Self, RunOptions), CliError> {
        if cli.open != OpenArgs::default() {
            return Err(CliError::Usage(
                "options go after the command: acp-tui run [OPTIONS] PROMPT".into(),
            ));
        }
        let options = RunOptions::resolve(&mut run, start)?;
        cli.open = run.open;
        if run.agent != AgentArg::default() {
            cli.agent = run.agent;
        } else if !cli.open.agent_command.is_empty() && cli.agent != AgentArg::default() {
            return Err(CliError::Usage(
                "--agent and -- COMMAND are two agents".into(),
            ));
        }
        Ok((Self::resolve(cli, start)?, options))
    }

    /// Before anything starts: whether the files that were asked for can be written.
    ///
    /// # Errors
    /// One cannot.
    pub fn check_logs(&self) -> Result<(), CliError> {
        for (flag, path) in [("--log", &self.log), ("--wire", &self.wire)] {
            let Some(path) = path else { continue };
            let mut options = OpenOptions::new();
            options.create(true).append(true).mode(0o600);
            if let Err(error) = files::writable(path, &mut options) {
                let folder = path.parent().filter(|folder| !folder.exists());
                let next = match folder {
                    Some(folder) => format!("make the folder {}, or", folder.display()),
                    None => "fix that, or".to_owned(),
                };
                let path = path.display();
                let text =
                    format!("{flag} {path}: cannot be written: {error}; {next} name another file");
                return Err(CliError::Usage(text));
            }
        }
        Ok(())
    }

    /// # Errors
    /// There is no home directory.
    pub fn load_options(&self) -> Result<LoadOptions, ConfigError> {
        LoadOptions::new(self.cwd.clone(), self.config_file.clone())
    }

    /// The agent to start; `None`: let the person pick.
    ///
    /// # Errors
    /// The one asked for does not exist, or its profile is broken.
    pub fn agent(&self, config: &Config) -> Result<Option<AgentProfile>, AgentError> {
        match (&self.agent, &config.default_agent) {
            (AgentWanted::Command(profile), _) => Ok(Some(*profile.clone())),
            (AgentWanted::Named(name), _) | (AgentWanted::Default, Some(name)) => {
                config.agent(name).map(Some)
            }
            (AgentWanted::Default, None) => Ok(None),
        }
    }

    /// The flag's, else the profile's, else the configuration's.
    pub fn policy(&self, agent: &AgentProfile, config: &Config) -> Policy {
        self.policy.or(agent.policy).unwrap_or(config.policy)
    }

    /// What the session is to open with: the profile's, then the flags', which win where both are
    /// about the same option.
    pub fn settings(&self, agent: &AgentProfile) -> Vec<Setting> {
        let of_profile = SettingSource::Profile;
        let of_profile = settings(of_profile, &agent.config, None, agent.mode.as_ref());
        of_profile.chain(self.settings.iter().cloned()).collect()
    }
}

fn settings<'a>(
    source: SettingSource,
    options: &'a [(String, String)],
    model: Option<&'a String>,
    mode: Option<&'a String>,
) -> impl Iterator<Item = Setting> + 'a {
    let options = options.iter();
    let options = options.map(|(key, value)| (SettingKey::Option(key.clone()), value));
    let model = model.map(|value| (SettingKey::Model, value));
    let mode = mode.map(|value| (SettingKey::Mode, value));
    let all = options.chain(model).chain(mode);
    all.map(move |(key, value)| Setting {
        source,
        key,
        value: value.clone(),
    })
}

/// A prompt has a space or came by `--prompt`; one bare word is a mistyped subcommand.
fn prompt(open: &OpenArgs) -> Result<Option<String>, CliError> {
    let usage = |message: String| Err(CliError::Usage(message));
    match (&open.prompt, open.words.as_slice()) {
        (Some(prompt), _) if prompt.trim().is_empty() => usage("--prompt is empty".into()),
        (Some(prompt), _) => Ok(Some(prompt.clone())),
        (None, []) => Ok(None),
        (None, [prompt]) if prompt.trim().contains(char::is_whitespace) => Ok(Some(prompt.clone())),
        (None, [word]) => usage(unknown_command(word)),
        (None, [_, ..]) => usage(format!(
            "put the prompt in quotes: acp-tui {:?}",
            open.words.join(" ")
        )),
    }
}

fn unknown_command(word: &str) -> String {
    let cli = Cli::command();
    let commands = cli.get_subcommands().filter(|c| !c.is_hide_set());
    let hint = match nearest(word, commands.map(clap::Command::get_name)) {
        Some(near) => format!("did you mean `{near}`? A"),
        None => "a".to_owned(),
    };
    // A command of the agent, most likely.
    let example = if word.starts_with('/') {
        format!(" (--prompt {})", word.escape_debug())
    } else {
        String::new()
    };
    format!(
        "there is no command {word:?}; {hint} prompt of one word goes after --prompt{example}, \
         the commands are in acp-tui --help"
    )
}

fn utf8(text: &OsString) -> Result<String, CliError> {
    text.to_str()
        .map(str::to_owned)
        .ok_or_else(|| CliError::Usage(format!("{} is not UTF-8", text.display())))
}

/// A program named by a path counts from where it was typed, not from the project.
fn program_path(program: &str, start: &Path) -> Result<String, CliError> {
    if program.contains('/') {
        utf8(&start.join(program).into_os_string())
    } else {
        Ok(program.to_owned())
    }
}

fn directory(flag: &str, dir: &Path, start: &Path) -> Result<PathBuf, CliError> {
    let wrong = |problem: &str| CliError::Usage(format!("{flag} {}: {problem}", dir.display()));
    let path = start
        .join(dir)
        .canonicalize()
        .map_err(|e| wrong(&e.to_string()))?;
    if !path.is_dir() {
        return Err(wrong("is not a directory"));
    }
    if path.to_str().is_none() {
        return Err(wrong("is not UTF-8, and the protocol sends paths as text"));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn resolve(args: &[&str]) -> Result<Launch, String> {
        let cli = Cli::try_parse_from([&["acp-tui"], args].concat()).map_err(|e| e.to_string())?;
        Launch::resolve(cli, Path::new("/")).map_err(|e| e.to_string())
    }

    #[test]
    fn a_directory_is_blamed_on_what_named_it() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let start = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
        std::fs::create_dir(&start).unwrap();
        for (args, named) in [
            (&["acp-tui"][..], "the current directory /"),
            (&["acp-tui", "-C", "."], "--cwd .: "),
            (&["acp-tui", "-C", "/", "--add-dir", "."], "--add-dir .: "),
        ] {
            let cli = Cli::try_parse_from(args).unwrap();
            let error = Launch::resolve(cli, &start).unwrap_err().to_string();
            assert!(
                error.starts_with(named) && error.contains("is not UTF-8"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_prompt_has_a_space_or_comes_by_its_flag() {
        let prompt = |args: &[&str]| resolve(args).unwrap().prompt;
        assert_eq!(prompt(&[]), None);
        assert_eq!(prompt(&["fix it"]).as_deref(), Some("fix it"));
        assert_eq!(prompt(&["fix\nit"]).as_deref(), Some("fix\nit"));
        assert_eq!(prompt(&["--prompt", "fix"]).as_deref(), Some("fix"));
        assert_eq!(
            prompt(&["fix it", "--", "agent"]).as_deref(),
            Some("fix it")
        );
    }

    #[test]
    fn one_bare_word_is_refused_with_the_nearest_command() {
        for (args, expected) in [
            (
                &["agnets"][..],
                "there is no command \"agnets\"; did you mean `agents`? ",
            ),
            (
                &["frobnicate"],
                "there is no command \"frobnicate\"; a prompt of one word goes after --prompt, ",
            ),
            (
                &["/tour"],
                "there is no command \"/tour\"; a prompt of one word goes after --prompt \
                 (--prompt /tour), ",
            ),
            (
                &["sesions"],
                "there is no command \"sesions\"; did you mean `sessions`?",
            ),
            (
                &["fix", "it"],
                "put the prompt in quotes: acp-tui \"fix it\"",
            ),
            (&["--prompt", " "], "--prompt is empty"),
        ] {
            let error = resolve(args).unwrap_err();
            assert!(error.starts_with(expected), "{args:?}: {error}");
        }
    }

    #[test]
    fn the_agent_is_a_name_a_program_or_a_command() {
        let agent = |args: &[&str]| resolve(args).unwrap().agent;
        assert_eq!(agent(&[]), AgentWanted::Default);
        assert_eq!(agent(&["--agent", "pi"]), AgentWanted::Named("pi".into()));
        assert_eq!(
            agent(&["--agent", "bin/x"]),
            AgentWanted::Named("/bin/x".into())
        );
        let AgentWanted::Command(profile) = agent(&["--", "./x", "--agent", "a b"]) else {
            panic!("no command");
        };
        assert_eq!(profile.command, "/./x");
        assert_eq!(profile.args, ["--agent", "a b"]);
        assert!(resolve(&["--agent", "pi", "--", "x"]).is_err());
    }

    #[test]
    fn paths_are_made_absolute_and_looked_at() {
        let launch = resolve(&["-C", "usr/..", "--wire", "w", "--add-dir", "usr"]).unwrap();
        assert_eq!(launch.cwd, Path::new("/"));
        assert_eq!(launch.wire.as_deref(), Some(Path::new("/w")));
        assert_eq!(launch.add_dirs, [Path::new("/usr")]);
        let error = resolve(&["-C", "no/such"]).unwrap_err();
        assert!(error.starts_with("--cwd no/such: No such file"), "{error}");
        let error = resolve(&["-C", "etc/passwd"]).unwrap_err();
        assert_eq!(error, "--cwd etc/passwd: is not a directory");
    }

    #[test]
    fn the_flag_goes_before_the_profile_before_the_configuration() {
        let mut agent = AgentProfile::command("x".into(), Vec::new());
        let config = Config {
            policy: Policy::AcceptEdits,
            ..Config::default()
        };
        let plain = resolve(&[]).unwrap();
        let flags = resolve(&["--policy", "read-only"]).unwrap();
        assert_eq!(plain.policy(&agent, &config), Policy::AcceptEdits);
        agent.policy = Some(Policy::Ask);
        assert_eq!(plain.policy(&agent, &config), Policy::Ask);
        assert_eq!(flags.policy(&agent, &config), Policy::ReadOnly);
    }

    #[test]
    fn what_the_flags_set_comes_behind_what_the_profile_sets() {
        let mut agent = AgentProfile::command("x".into(), Vec::new());
        agent.mode = Some("code".into());
        agent.config = vec![("model".into(), "sonnet".into())];
        let said = |launch: &Launch| {
            let said = |setting: Setting| {
                let key = match setting.key {
                    SettingKey::Mode => "--mode".to_owned(),
                    SettingKey::Model => "--model".to_owned(),
                    SettingKey::Option(key) => key,
                };
                format!("{:?} {key} {}", setting.source, setting.value)
            };
            launch.settings(&agent).into_iter().map(said).collect()
        };
        let plain: Vec<String> = said(&resolve(&[]).unwrap());
        assert_eq!(plain, ["Profile model sonnet", "Profile --mode code"]);
        let args = [
            "--mode",
            "plan",
            "--set",
            "effort = high",
            "--model",
            "opus",
            "--set",
            "a=b=c",
        ];
        let flags: Vec<String> = said(&resolve(&args).unwrap());
        assert_eq!(flags[..2], plain);
        assert_eq!(
            flags[2..],
            [
                "CommandLine effort high",
                "CommandLine a b=c",
                "CommandLine --model opus",
                "CommandLine --mode plan",
            ]
        );
        for wrong in ["effort", "=high", " =x"] {
            let error = resolve(&["--set", wrong]).unwrap_err();
            assert!(error.contains("KEY=VALUE"), "{error}");
        }
    }

    #[test]
    fn the_doctor_takes_a_command_as_the_launch_does() {
        let mut cli = Cli::try_parse_from(["acp-tui", "doctor", "--", "./x", "--all"]).unwrap();
        let command = cli.command.take().unwrap();
        let launch = Launch::for_command(&command, cli, Path::new("/")).unwrap();
        let AgentWanted::Command(profile) = launch.agent else {
            panic!("no command");
        };
        assert_eq!(profile.command, "/./x");
        assert_eq!(profile.args, ["--all"]);
    }

    #[test]
    fn options_of_the_ui_are_not_lost_on_a_command() {
        let refused = |args: &[&str]| {
            let mut cli = Cli::try_parse_from([&["acp-tui"], args].concat()).unwrap();
            let command = cli.command.take().unwrap();
            Launch::for_command(&command, cli, Path::new("/")).is_err()
        };
        assert!(refused(&["--mode", "plan", "agents"]));
        assert!(refused(&["--agent", "pi", "agents"]));
        assert!(!refused(&["--agent", "pi", "doctor"]));
        assert!(refused(&["--agent", "pi", "doctor", "--all"]));
        assert!(refused(&["--agent", "pi", "doctor", "--", "x"]));
        assert!(!refused(&["--config", "x", "config", "path"]));
    }
}
