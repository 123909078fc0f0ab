//! Starting a command on its own PTY (V1-TERM-01 to V1-TERM-04, V1-TERM-16).

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use pty_process::{Command, Pty, Size};
use rustix::termios::{InputModes, OptionalActions};
use tokio::process::Child;

use crate::{guard, text::Words};

/// Rows and columns while no view shows the terminal.
pub const DEFAULT_SIZE: (u16, u16) = (40, 120);

/// Set for each command, unless the agent sets it: no one would answer a pager or git's password prompt.
/// The PTY is a real one, so colours stay on.
const PRESET: [(&str, &str); 4] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", TERM),
];

/// What `vt` understands.
const TERM: &str = "xterm-256color";

/// Told by the PTY; what our own terminal has would be wrong.
const UNSET: [&str; 2] = ["COLUMNS", "LINES"];

/// What passes `terminal.scrub_env`: what makes programs and tool chains run, and no secrets.
const HARMLESS: Words = Words(
    "CARGO_HOME CONDA_PREFIX DISPLAY EDITOR GEM_HOME GOBIN GOCACHE GOPATH GOROOT HOME JAVA_HOME \
     LANG LANGUAGE LOGNAME NODE_PATH NVM_DIR PATH PKG_CONFIG_PATH PNPM_HOME PYENV_ROOT RBENV_ROOT \
     RUSTUP_HOME SHELL TEMP TMP TMPDIR TZ USER VIRTUAL_ENV VISUAL VOLTA_HOME WAYLAND_DISPLAY",
);
const HARMLESS_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// A command, ready to be started.
#[derive(Debug, Default)]
pub struct Launch {
    pub program: OsString,
    /// The name that it is called by, where that is another.
    pub name: Option<OsString>,
    pub args: Vec<OsString>,
    pub cwd: PathBuf,
    /// Everything the command gets.
    pub env: BTreeMap<OsString, OsString>,
    /// What leaves its session is not looked for to be ended: the browser that a login opens is the
    /// person's.
    pub may_leave: bool,
}

/// Characters that only a shell understands. A command without arguments that has one of them, or
/// a blank, is a whole command line.
const SHELL_SYNTAX: &str = "|&;<>()$`\\\"'*?[]#~=%{}!";

/// Whether `terminal/create` means a line for a shell, and not a program.
pub fn is_line(command: &str, args: &[String], cwd: &Path) -> bool {
    args.is_empty()
        && command.contains(|c: char| c.is_whitespace() || SHELL_SYNTAX.contains(c))
        // A program whose path has a blank in it.
        && !cwd.join(command).is_file()
}

impl Launch {
    /// `command` with `args` as they are, or, with `line`, the whole of it for `sh -c`.
    pub fn new(command: &str, args: &[String], cwd: PathBuf, line: bool) -> Self {
        if line {
            return Self::shell("sh".as_ref(), command, cwd);
        }
        Self {
            program: command.into(),
            args: args.iter().map(OsString::from).collect(),
            cwd,
            ..Self::default()
        }
    }

    /// `line` for a shell.
    pub fn shell(shell: &OsStr, line: &str, cwd: PathBuf) -> Self {
        Self {
            program: shell.to_owned(),
            args: vec!["-c".into(), line.into()],
            cwd,
            ..Self::default()
        }
    }

    /// For a program that the person deals with: `base`, but for what is another terminal's, then
    /// `own`. Its pager and prompts stay as the person has them.
    pub fn with_own_env(
        mut self,
        base: impl IntoIterator<Item = (OsString, OsString)>,
        own: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let base = base
            .into_iter()
            .filter(|(name, _)| !UNSET.iter().any(|unset| name == unset));
        self.env.extend(base);
        self.env.insert("TERM".into(), TERM.into());
        self.env.extend(own);
        self
    }

    /// The environment: `base` (scrubbed or not), our presets, then the agent's own.
    pub fn with_env(
        mut self,
        base: &[(OsString, OsString)],
        scrub: bool,
        own: &[(String, String)],
    ) -> Self {
        let inherited = base
            .iter()
            .filter(|(name, _)| !scrub || is_harmless(name))
            .filter(|(name, _)| !UNSET.iter().any(|unset| name == unset));
        self.env.extend(inherited.cloned());
        self.env
            .extend(PRESET.map(|(name, value)| (name.into(), value.into())));
        self.env
            .extend(own.iter().map(|(name, value)| (name.into(), value.into())));
        self
    }
}

fn is_harmless(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        HARMLESS.contains(name)
            || HARMLESS_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
    })
}

/// Starts it as the leader of a new session and group, with a PTY of that size on all three
/// descriptors.
/// Must be called on a runtime thread that lives as long as the runtime (not in `spawn_blocking`):
/// on Linux the command ends with that thread, so that it does not outlive a killed client even where
/// there is no [guard].
///
/// # Errors
/// The directory or the program does not exist or cannot be used, or the system has no PTY left.
pub fn spawn(launch: &Launch, (rows, cols): (u16, u16)) -> io::Result<(Pty, Child)> {
    check_dir(&launch.cwd)?;
    let (pty, pts) = pty_process::open().map_err(into_io)?;
    pty.resize(Size::new(rows, cols)).map_err(into_io)?;
    // So that erasing in a line of input takes whole characters. Only a comfort.
    if let Ok(mut modes) = rustix::termios::tcgetattr(&pty) {
        modes.input_modes |= InputModes::IUTF8;
        let _ = rustix::termios::tcsetattr(&pty, OptionalActions::Now, &modes);
    }
    let name = launch.name.as_ref().unwrap_or(&launch.program);
    let command = Command::new(&launch.program)
        .arg0(name)
        .args(&launch.args)
        .current_dir(&launch.cwd)
        .env_clear()
        .envs(&launch.env);
    // SAFETY: the closure runs in the new process before it becomes the program; it allocates
    // nothing, takes no lock and makes two system calls that are safe at that point.
    let command = unsafe { command.pre_exec(before_exec) };
    let child = command.spawn(pts).map_err(into_io)?;
    Ok((pty, child))
}

fn before_exec() -> io::Result<()> {
    // When the leader of a session ends, the kernel hangs up on the rest of its foreground group. A
    // server that a command leaves running has to survive that, as if there were no terminal.
    // Clean-up is done by SIGTERM and SIGKILL.
    // SAFETY: sets a disposition; no handler is involved.
    if unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) } == libc::SIG_ERR {
        return Err(io::Error::last_os_error());
    }
    guard::end_with_parent()
}

fn check_dir(dir: &Path) -> io::Result<()> {
    let found = std::fs::metadata(dir).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("directory {}: {error}", dir.display()),
        )
    })?;
    if found.is_dir() {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::NotADirectory,
            format!("{} is not a directory", dir.display()),
        ))
    }
}

fn into_io(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        pty_process::Error::Rustix(error) => error.into(),
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Vec<(OsString, OsString)> {
        [
            ("PATH", "/bin"),
            ("API_TOKEN", "x"),
            ("COLUMNS", "7"),
            ("LC_ALL", "C"),
            ("PAGER", "less"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec()
    }

    fn get<'a>(launch: &'a Launch, name: &str) -> Option<&'a str> {
        launch.env.get(OsStr::new(name))?.to_str()
    }

    // V1-TERM-02
    #[test]
    fn a_whole_command_line_goes_to_the_shell() {
        let launch = |command: &str, args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            let line = is_line(command, &args, Path::new("/"));
            Launch::new(command, &args, "/".into(), line)
        };
        for line in ["echo a b", "a|b", "X=1", "~/bin/x", "a\nb"] {
            assert_eq!(launch(line, &[]).program, "sh", "{line}");
        }
        assert_eq!(launch("ls", &[]).program, "ls");
        assert_eq!(launch("a b", &["c"]).program, "a b");
    }

    // V1-TERM-03, V1-TERM-16
    #[test]
    fn the_environment_is_ours_with_presets_and_the_agents_own() {
        let own = [("GIT_PAGER".to_owned(), "less".to_owned())];
        let launch = Launch::new("x", &[], "/".into(), false).with_env(&base(), false, &own);
        assert_eq!(get(&launch, "API_TOKEN"), Some("x"));
        assert_eq!(get(&launch, "PAGER"), Some("cat"));
        assert_eq!(get(&launch, "GIT_PAGER"), Some("less"));
        assert_eq!(get(&launch, "TERM"), Some("xterm-256color"));
        assert_eq!(get(&launch, "COLUMNS"), None);
    }

    #[test]
    fn a_scrubbed_environment_has_no_secrets() {
        let launch = Launch::new("x", &[], "/".into(), false).with_env(&base(), true, &[]);
        assert_eq!(get(&launch, "API_TOKEN"), None);
        assert_eq!(get(&launch, "PATH"), Some("/bin"));
        assert_eq!(get(&launch, "LC_ALL"), Some("C"));
    }
}
