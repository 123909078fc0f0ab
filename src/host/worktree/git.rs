//! Running `git` for worktrees: bounded in time and output, its errors in a sentence.

use std::{
    ffi::OsStr,
    fmt,
    io::{self, Read},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::host::git;

/// For what only looks.
const LOOKS: Duration = Duration::from_secs(60);
/// For what writes files: a large project on a slow disk.
const WORKS: Duration = Duration::from_secs(15 * 60);
/// Of what git prints.
const MAX_OUTPUT: u64 = 64 << 20;
/// Of what it says went wrong, and how much of that is handed on.
const MAX_ERROR: u64 = 16 << 10;
const SAID: usize = 400;

/// Why something cannot be done: names the thing, the cause and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem(pub String);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

pub fn problem<T>(text: impl Into<String>) -> Result<T, Problem> {
    Err(Problem(text.into()))
}

/// What git did.
pub struct Out {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    stderr: String,
}

impl Out {
    pub fn ok(&self) -> bool {
        self.code == Some(0)
    }

    /// Its output as a line.
    pub fn line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end().to_owned()
    }

    /// What it said went wrong, in one line.
    pub fn why(&self) -> String {
        let lines = self.stderr.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("hint:"));
        let text = lines.collect::<Vec<_>>().join(" ");
        let text = text.replace("fatal: ", "").replace("error: ", "");
        match text.is_empty() {
            true => format!("git ended with {}", self.code.unwrap_or(-1)),
            false => crate::text::first_bytes(&text, SAID).to_owned(),
        }
    }
}

/// `git` in a folder.
#[derive(Clone)]
pub struct Git {
    pub dir: PathBuf,
    /// In place of the folder's own.
    index: Option<PathBuf>,
    /// The commits that it makes are nobody's, and never stay.
    passing: bool,
}

impl Git {
    pub fn at(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            index: None,
            passing: false,
        }
    }

    pub fn with_index(&self, index: &Path) -> Self {
        Self {
            index: Some(index.to_owned()),
            ..self.clone()
        }
    }

    pub fn passing(&self) -> Self {
        Self {
            passing: true,
            ..self.clone()
        }
    }

    /// Runs what only looks, whatever comes of it.
    ///
    /// # Errors
    /// There is no git, or it takes too long.
    pub fn ask<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<Out, Problem> {
        self.run(words, LOOKS)
    }

    /// The same for what must succeed; its output as a line.
    ///
    /// # Errors
    /// As [`Git::ask`], and what git says.
    pub fn line<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<String, Problem> {
        self.told(words, self.ask(words)?).map(|out| out.line())
    }

    /// The same, with all of its output.
    ///
    /// # Errors
    /// As [`Git::line`].
    pub fn look<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<Out, Problem> {
        self.told(words, self.ask(words)?)
    }

    /// The same for what changes something.
    ///
    /// # Errors
    /// As [`Git::line`].
    pub fn work<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<Out, Problem> {
        self.told(words, self.run(words, WORKS)?)
    }

    /// The same, whatever comes of it.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn try_to<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<Out, Problem> {
        self.run(words, WORKS)
    }

    fn told<S: AsRef<OsStr>>(&self, words: &[S], out: Out) -> Result<Out, Problem> {
        if out.ok() {
            return Ok(out);
        }
        let why = out.why();
        if why.contains("tell me who you are") || why.contains("ident name") {
            return problem(
                "git has no name and email to commit with: git config --global user.name NAME, and \
                 user.email EMAIL, then try again",
            );
        }
        let what = words.first().map_or_else(String::new, |word| {
            word.as_ref().to_string_lossy().into_owned()
        });
        problem(format!("git {what} in {}: {why}", self.dir.display()))
    }

    fn run<S: AsRef<OsStr>>(&self, words: &[S], patience: Duration) -> Result<Out, Problem> {
        if !self.dir.is_dir() {
            return problem(format!("the folder {} is gone", self.dir.display()));
        }
        let mut command = git::program(&self.dir);
        command.args(words).stderr(Stdio::piped()).process_group(0);
        if let Some(index) = &self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        if self.passing {
            for who in ["AUTHOR", "COMMITTER"] {
                command
                    .env(format!("GIT_{who}_NAME"), "acp-tui")
                    .env(format!("GIT_{who}_EMAIL"), "acp-tui@localhost");
            }
        }
        let child = command.spawn().map_err(|error| {
            match error.kind() {
            io::ErrorKind::NotFound => Problem(
                "git is not on PATH, and worktrees are made by it: install git, or go on without a \
                 worktree"
                    .to_owned(),
            ),
            _ => Problem(format!("git cannot be started: {error}")),
        }
        })?;
        let what = words.first().map(|word| word.as_ref().to_string_lossy());
        let what = what.unwrap_or_default();
        match collected(child, patience) {
            Ok(Some(out)) => Ok(out),
            Ok(None) => problem(format!(
                "git {what} in {} took longer than {} s and was ended: try again, or do it at a shell",
                self.dir.display(),
                patience.as_secs()
            )),
            Err(error) => problem(format!("git {what} in {}: {error}", self.dir.display())),
        }
    }
}

/// Waits for it; `None` where its time was over.
fn collected(mut child: Child, patience: Duration) -> io::Result<Option<Out>> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let until = Instant::now() + patience;
    let (out, error, status) = thread::scope(|scope| {
        let out = scope.spawn(move || bounded(stdout, MAX_OUTPUT));
        let error = scope.spawn(move || bounded(stderr, MAX_ERROR));
        let status = wait(&mut child, until);
        if !matches!(status, Ok(Some(_))) {
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = child.wait();
        }
        (out.join(), error.join(), status)
    });
    let panicked = |_| io::Error::other("its output was not read");
    let (stdout, whole) = out.map_err(panicked)??;
    let (stderr, _) = error.map_err(panicked)??;
    let Some(status) = status? else {
        return Ok(None);
    };
    if !whole {
        return Err(io::Error::other(format!(
            "prints more than {} MiB",
            MAX_OUTPUT >> 20
        )));
    }
    Ok(Some(Out {
        code: status.code(),
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }))
}

fn wait(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    /// Most of what only looks is done by then.
    const SOON: Duration = Duration::from_millis(1);
    const LATER: Duration = Duration::from_millis(20);
    let mut pause = SOON;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LATER);
    }
}

/// At most so many bytes, and whether that was all; the rest is read and dropped, so that git does not wait.
fn bounded(from: Option<impl Read>, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let Some(mut from) = from else {
        return Ok((bytes, true));
    };
    from.by_ref().take(most).read_to_end(&mut bytes)?;
    let more = io::copy(&mut from, &mut io::sink())?;
    Ok((bytes, more == 0))
}
