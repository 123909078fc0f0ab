//! git as a program that is asked: it only reads, and what the repository holds can make it neither run
//! something nor keep anybody waiting.
//!
//! A repository is whatever somebody has packed: a pipe in the place of a file that git opens would be
//! waited for without an end, and trees of trees have no number of files. So git answers in pieces, each
//! within some time, and its answer has a bound; else it is ended, and so it is when this process ends.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{ChildStdout, Command, ExitStatus, Stdio},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, Signal, kill_process_group},
};

use crate::{
    guard::{Leader, Ward},
    host::git,
};

/// How long it may be silent: it may be on a slow disk.
const PATIENCE: Duration = Duration::from_secs(10);
/// Its answer is read in pieces of this size.
const PIECE: usize = 64 << 10;

pub struct Git {
    top: PathBuf,
    patience: Duration,
}

impl Git {
    pub fn at(top: &Path) -> Self {
        Self {
            top: top.to_owned(),
            patience: PATIENCE,
        }
    }

    #[cfg(test)]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = git::program(&self.top);
        command
            .arg("--no-replace-objects")
            .args(words)
            .process_group(0);
        command
    }

    /// What git answers to these words, all of it.
    ///
    /// # Errors
    /// As [`Git::ask`]; it ended with an error.
    pub fn whole(&self, words: &[&str], most: u64) -> io::Result<Vec<u8>> {
        let read = |out: &mut dyn BufRead| {
            let mut answer = Vec::new();
            out.read_to_end(&mut answer)?;
            Ok(answer)
        };
        match self.run(words, &[], most, read)? {
            (answer, status) if status.success() => Ok(answer),
            (_, status) => Err(io::Error::other(format!("git ended with {status}"))),
        }
    }

    /// Runs git with these words; `asked` is written to it while `read` takes its answer, of which it
    /// gets `most` bytes. How git ends does not count.
    ///
    /// # Errors
    /// Those of `read`, and so that git is silent for too long or says too much; there is no git.
    pub fn ask<T>(
        &self,
        words: &[&str],
        asked: &[u8],
        most: u64,
        read: impl FnOnce(&mut dyn BufRead) -> io::Result<T>,
    ) -> io::Result<T> {
        Ok(self.run(words, asked, most, read)?.0)
    }

    fn run<T>(
        &self,
        words: &[&str],
        asked: &[u8],
        most: u64,
        read: impl FnOnce(&mut dyn BufRead) -> io::Result<T>,
    ) -> io::Result<(T, ExitStatus)> {
        let mut command = self.command(words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let group = Pid::from_raw(child.id().cast_signed());
        let _ward = group.map(|group| Ward::new(&Leader::of_group(group)));
        let answer = match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => std::thread::scope(|scope| {
                // It answers before it has all: who only writes would wait for ever.
                let mut stdin = stdin;
                scope.spawn(move || {
                    let _ = stdin.write_all(asked);
                });
                let answer = Answer {
                    stdout,
                    patience: self.patience,
                    left: most,
                    ended: false,
                };
                let mut answer = BufReader::with_capacity(PIECE, answer);
                let read = read(&mut answer);
                if !answer.get_ref().ended
                    && let Some(group) = group
                {
                    // It has not been waited for, so the number is still its own. Who writes to it is
                    // let go as well.
                    let _ = kill_process_group(group, Signal::KILL);
                }
                read
            }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        };
        let status = child.wait()?;
        Ok((answer?, status))
    }
}

/// What it says, as long as it goes on.
struct Answer {
    stdout: ChildStdout,
    patience: Duration,
    left: u64,
    ended: bool,
}

impl Read for Answer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let patience = Timespec::try_from(self.patience).ok();
        loop {
            let mut polled = [PollFd::new(&self.stdout, PollFlags::IN)];
            match poll(&mut polled, patience.as_ref()) {
                Ok(0) => {
                    let silent = format!("git said nothing for {:?}", self.patience);
                    return Err(io::Error::new(io::ErrorKind::TimedOut, silent));
                }
                Ok(_) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let count = self.stdout.read(buffer)?;
        self.ended = count == 0 && !buffer.is_empty();
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            io::Error::new(io::ErrorKind::FileTooLarge, "git has too much to say")
        })?;
        Ok(count)
    }
}
