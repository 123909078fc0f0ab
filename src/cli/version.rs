//! Which version of an agent is installed: its command is asked once with `--version`, and the answer
//! is kept in the state directory until the file changes.
//!
//! Owns the question and the kept answers. Must not run while the UI starts: a command may take
//! seconds to answer.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, Metadata},
    io::{self, Read, Seek, Write},
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde::{Deserialize, Serialize};

use crate::{
    config::{AgentProfile, Dirs},
    files,
    text::SafeText,
};

/// How long a program may take to answer. Agents in Python take four seconds at their first start.
const PATIENCE: Duration = Duration::from_secs(6);

/// Bytes read of the answer.
const MAX_ANSWER: u64 = 4096;

/// Bytes of the version that is shown and kept.
const MAX_VERSION: usize = 64;

/// Bytes of the file of kept answers; a larger one is not ours and is replaced.
const MAX_FILE: u64 = 256 << 10;

/// Kept answers: more than there are agents on any machine.
const MAX_KEPT: usize = 256;

/// A launcher may stay the same file while the package behind it is updated.
const KEEP_ANSWER: u64 = 7 * 24 * 3600;

/// A program that told no version may have been slow only once.
const KEEP_SILENCE: u64 = 24 * 3600;

/// Programs that run what their first argument names, which then takes the `--version`.
const INTERPRETERS: &[&str] = &[
    "bash", "bun", "deno", "node", "nodejs", "perl", "python", "python3", "ruby", "sh",
];

/// Programs that would tell their own version, or fetch a package to ask it.
const RUNNERS: &[&str] = &[
    "bunx", "cargo", "docker", "env", "npm", "npx", "pipx", "pnpm", "podman", "ssh", "sudo", "uv",
    "uvx", "yarn",
];

/// The kept answers.
pub struct Versions {
    file: PathBuf,
    kept: BTreeMap<String, Kept>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// Of the files that were asked.
    stamp: String,
    /// Seconds since 1970.
    asked: u64,
    version: Option<String>,
}

/// What is run to learn a version.
struct Question {
    program: PathBuf,
    script: Option<OsString>,
    env: Vec<(OsString, OsString)>,
    key: String,
    stamp: String,
}

impl Versions {
    /// `state` is the state directory; neither it nor the file needs to exist.
    pub fn new(state: &Path) -> Self {
        let file = state.join("agent-versions.json");
        let kept = read(&file).unwrap_or_default();
        Self { file, kept }
    }

    /// Of each agent with its program, where that is found. Those that are not known yet are asked
    /// all at once: each may take its whole time.
    pub fn of_all<'a>(
        mut self,
        agents: impl Iterator<Item = (&'a AgentProfile, Option<&'a Path>)>,
        cwd: &Path,
    ) -> Vec<Option<SafeText>> {
        let now = seconds();
        let questions: Vec<Option<Question>> = agents
            .map(|(agent, program)| question(agent, program?, cwd))
            .collect();
        let news: Vec<(String, Kept)> = thread::scope(|scope| {
            let asked: Vec<_> = questions
                .iter()
                .flatten()
                .filter(|question| self.known(question, now).is_none())
                .map(|question| {
                    let thread = scope.spawn(|| ask(question, cwd));
                    (question, thread)
                })
                .collect();
            let answered = asked.into_iter().map(|(question, thread)| {
                let kept = Kept {
                    stamp: question.stamp.clone(),
                    asked: now,
                    version: thread.join().ok().flatten(),
                };
                (question.key.clone(), kept)
            });
            answered.collect()
        });
        if !news.is_empty() {
            self.kept.extend(news);
            self.save(now);
        }
        let version = |question: &Option<Question>| {
            let kept = self.known(question.as_ref()?, now)?;
            kept.version.as_deref().map(SafeText::line)
        };
        questions.iter().map(version).collect()
    }

    fn known(&self, question: &Question, now: u64) -> Option<&Kept> {
        let kept = self.kept.get(&question.key)?;
        (kept.stamp == question.stamp && is_fresh(kept, now)).then_some(kept)
    }

    fn save(&mut self, now: u64) {
        self.kept.retain(|_, kept| is_fresh(kept, now));
        while self.kept.len() > MAX_KEPT {
            self.kept.pop_first();
        }
        if let Err(error) = self.write() {
            // They are asked again the next time.
            tracing::warn!(file = %self.file.display(), %error, "versions not kept");
        }
    }

    fn write(&self) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        Dirs::ensure(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(&self.kept)?)?;
        file.persist(&self.file)?;
        Ok(())
    }
}

fn is_fresh(kept: &Kept, now: u64) -> bool {
    let keep = match kept.version {
        Some(_) => KEEP_ANSWER,
        None => KEEP_SILENCE,
    };
    // A clock that went back makes nothing fresh for ever.
    kept.asked <= now && now - kept.asked < keep
}

fn read(file: &Path) -> Option<BTreeMap<String, Kept>> {
    let mut text = String::new();
    let file = files::regular(file).ok()?;
    file.take(MAX_FILE).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// `None`: there is no file that could tell its version. What a relative path leads to is another one in each
/// folder, and may be any project's: that is not run only to be asked.
fn question(agent: &AgentProfile, program: &Path, cwd: &Path) -> Option<Question> {
    let invocation = agent.invocation().ok()?;
    let named = invocation.program.as_encoded_bytes();
    if named.contains(&b'/') && Path::new(&invocation.program).is_relative() {
        return None;
    }
    let script = script(program, &invocation.args, cwd)?;
    let mut stamp = stamp(&fs::metadata(program).ok()?);
    let mut key = program.to_string_lossy().into_owned();
    if let Some(script) = &script {
        key = format!("{key} {}", script.to_string_lossy());
        stamp = format!(
            "{stamp} {}",
            self::stamp(&fs::metadata(cwd.join(script)).ok()?)
        );
    }
    Some(Question {
        program: program.to_owned(),
        script,
        env: invocation.env,
        key,
        stamp,
    })
}

/// The argument that goes before `--version`. `None`: whatever answered would not be the agent.
#[allow(
    clippy::option_option,
    reason = "not to be asked, or to be asked without a script"
)]
fn script(program: &Path, args: &[OsString], cwd: &Path) -> Option<Option<OsString>> {
    let name = program.file_name()?.to_string_lossy();
    if RUNNERS.contains(&&*name) {
        return None;
    }
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&&*name) && !INTERPRETERS.contains(&bare) {
        return Some(None);
    }
    let first = args
        .first()
        .filter(|first| Path::new(first).is_absolute())?;
    cwd.join(first).is_file().then(|| Some(first.clone()))
}

/// Not the time of change: packages of npm all carry the same one.
fn stamp(file: &Metadata) -> String {
    let (seconds, nanos) = (file.ctime(), file.ctime_nsec());
    format!("{}:{}:{seconds}.{nanos}", file.ino(), file.len())
}

fn ask(question: &Question, cwd: &Path) -> Option<String> {
    let mut command = Command::new(&question.program);
    command
        .args(&question.script)
        .envs(question.env.iter().map(|(name, value)| (name, value)))
        .current_dir(cwd);
    answer(command)
}

/// What a program answers to `--version`, where it does so in time.
pub fn program_version(program: &Path) -> Option<SafeText> {
    answer(Command::new(program)).map(|version| SafeText::line(&version))
}

fn answer(mut command: Command) -> Option<String> {
    // A file takes any amount without a reader; a pipe held open by a grandchild would not end.
    let mut answer = tempfile::tempfile().ok()?;
    let mut child = command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(answer.try_clone().ok()?)
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let deadline = Instant::now() + PATIENCE;
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
    answer.take(MAX_ANSWER).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let word = text.split_whitespace().find(|word| {
        let digits = word.trim_start_matches('v');
        word.len() <= MAX_VERSION && digits.starts_with(|c: char| c.is_ascii_digit())
    })?;
    ended.then(|| word.trim_end_matches([',', ';']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(asked: u64, version: Option<&str>) -> Kept {
        Kept {
            stamp: "1".into(),
            asked,
            version: version.map(str::to_owned),
        }
    }

    #[test]
    fn an_answer_is_kept_for_a_week_and_silence_for_a_day() {
        for (version, keep) in [(Some("1.0"), KEEP_ANSWER), (None, KEEP_SILENCE)] {
            let kept = kept(100, version);
            assert!(is_fresh(&kept, 100 + keep - 1));
            assert!(!is_fresh(&kept, 100 + keep));
            assert!(!is_fresh(&kept, 99), "the clock went back");
        }
    }

    #[test]
    fn no_more_answers_are_kept_than_the_bound() {
        for (count, left) in [
            (MAX_KEPT - 1, MAX_KEPT - 1),
            (MAX_KEPT, MAX_KEPT),
            (MAX_KEPT + 1, MAX_KEPT),
        ] {
            let state = tempfile::tempdir().expect("a folder");
            let mut versions = Versions::new(state.path());
            let answers = (0..count).map(|n| (n.to_string(), kept(1, Some("1.0"))));
            versions.kept.extend(answers);
            versions.save(1);
            assert_eq!(Versions::new(state.path()).kept.len(), left);
        }
    }

    #[test]
    fn a_version_is_the_first_word_that_begins_with_a_digit() {
        for (text, version) in [
            ("1.18.33\n", Some("1.18.33")),
            ("kimi, version 1.51.0\n", Some("1.51.0")),
            ("@agentclientprotocol/codex-acp 2.6.0\n", Some("2.6.0")),
            ("fast-agent-mcp v0.10.48\n", Some("v0.10.48")),
            ("0.9.1, build 3\n", Some("0.9.1")),
            ("usage: agent\n", None),
            ("", None),
        ] {
            let mut command = Command::new("/bin/sh");
            // `--version` is `$0` of the script.
            command.args(["-c", &format!("printf '%s' '{text}'")]);
            assert_eq!(answer(command).as_deref(), version, "{text}");
        }
    }
}
