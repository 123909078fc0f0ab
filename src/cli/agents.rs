//! `acp-tui agents`.

use std::{
    io::{Read, Seek},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{CliError, output::columns, print};
use crate::{
    config::{AgentProfile, Config, Origin, StartError},
    text::SafeText,
};

/// How long a program may take to tell its version.
const VERSION_PATIENCE: Duration = Duration::from_secs(2);

/// Of a program's answer to `--version`.
const MAX_VERSION_BYTES: u64 = 4096;

/// One line for each agent: those that are found first.
///
/// # Errors
/// Stdout cannot be written.
pub fn agents(config: &Config, cwd: &Path) -> Result<(), CliError> {
    let located: Vec<(&AgentProfile, Result<PathBuf, StartError>)> = config
        .agents
        .values()
        .map(|agent| (agent, agent.locate(cwd)))
        .collect();
    // All at once: each may take its two seconds.
    let versions: Vec<Option<SafeText>> = thread::scope(|scope| {
        let asked: Vec<_> = located
            .iter()
            .map(|(agent, found)| scope.spawn(|| version(agent, found.as_deref().ok()?)))
            .collect();
        asked
            .into_iter()
            .map(|thread| thread.join().ok().flatten())
            .collect()
    });
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for ((agent, place), version) in located.iter().zip(versions) {
        let is_default = config.default_agent.as_deref().is_some_and(|name| {
            name == agent.id || agent.aliases.iter().any(|alias| alias == name)
        });
        let mark = if is_default { "*" } else { "" };
        let version = version.map_or_else(|| "-".to_owned(), |v| v.to_string());
        let (rows, place) = match place {
            Ok(path) => (&mut found, agent.command_line_of(&path.to_string_lossy())),
            Err(problem) => (&mut missing, problem.to_string()),
        };
        rows.push(vec![
            SafeText::line(&format!("{}{mark}", agent.id)).to_string(),
            SafeText::line(&agent.name).to_string(),
            origin(&agent.origin),
            version,
            SafeText::line(&place).to_string(),
        ]);
    }
    let head = ["AGENT", "NAME", "FROM", "VERSION", "COMMAND"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    rows.append(&mut found);
    rows.append(&mut missing);
    print(&columns(&rows))
}

pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::BuiltIn => "built-in".into(),
        Origin::File(path) => SafeText::line(&path.to_string_lossy()).to_string(),
        Origin::Environment => "environment".into(),
        Origin::CommandLine => "command line".into(),
    }
}

/// What the program answers to `--version`. Only programs of built-in profiles are asked: what
/// another one would make of the flag is unknown.
fn version(agent: &AgentProfile, program: &Path) -> Option<SafeText> {
    agent.built_in_command.then(|| program_version(program))?
}

/// What a program answers to `--version`, where it does so soon.
pub fn program_version(program: &Path) -> Option<SafeText> {
    // A file takes any amount without a reader; a pipe held open by a grandchild would not end.
    let mut answer = tempfile::tempfile().ok()?;
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(answer.try_clone().ok()?)
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let deadline = Instant::now() + VERSION_PATIENCE;
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(20)),
            _ => break false,
        }
    };
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        // Whatever it left behind goes with it. An error says that there is nothing.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
    let mut text = Vec::new();
    answer.rewind().ok()?;
    answer.take(MAX_VERSION_BYTES).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let word = text.split_whitespace().find(|word| {
        word.trim_start_matches('v')
            .starts_with(|c: char| c.is_ascii_digit())
    })?;
    ended.then(|| SafeText::line(word))
}
