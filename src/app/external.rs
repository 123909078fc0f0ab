//! Other programs on our terminal: editor, pager, the shell behind ctrl-z.

use std::{
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::{
    app::{frame::Reason, state::App, tty},
    host::editor::{self, CommandLine, DraftFile},
    text::SafeText,
};

/// How long a signal may take from the terminal to the loop.
const ECHO: Duration = Duration::from_millis(250);

impl App {
    /// Opens the draft in the editor and takes back what was saved.
    pub(super) fn edit_draft(&mut self, draft: &str) -> anyhow::Result<()> {
        let edited = self.with_terminal(|| {
            let file = DraftFile::new(draft)?;
            run(&editor::editor(file.path(), None))?;
            file.read()
        })?;
        match edited {
            Ok(text) => self.ui.set_draft(&text),
            Err(error) => self.complain("the editor", &error),
        }
        Ok(())
    }

    pub(super) fn open_editor(&mut self, path: &Path, line: Option<u32>) -> anyhow::Result<()> {
        let path = self.launch.cwd.join(path);
        if let Err(error) = self.with_terminal(|| run(&editor::editor(&path, line)))? {
            self.complain("the editor", &error);
        }
        Ok(())
    }

    pub(super) fn page(&mut self, text: &str) -> anyhow::Result<()> {
        if let Err(error) = self.with_terminal(|| page(text))? {
            self.complain("the pager", &error);
        }
        Ok(())
    }

    /// ctrl-z: the shell gets the terminal until it brings us back.
    pub(super) fn suspend(&mut self) -> anyhow::Result<()> {
        self.with_terminal(|| {
            let group = rustix::process::getpgrp();
            // The whole foreground group, as the terminal's own ctrl-z would; the agent and its
            // commands have groups of their own and go on.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TSTP);
        })
    }

    /// Lends the terminal to `program`. The agent goes on meanwhile as far as its pipe lets it:
    /// what it sends waits.
    fn with_terminal<T>(&mut self, program: impl FnOnce() -> T) -> anyhow::Result<T> {
        self.reader.pause();
        self.screen.wait_written();
        tty::restore();
        let result = program();
        self.lent_until = Some(Instant::now());
        tty::enter().context("cannot take the terminal over again")?;
        self.reader.resume();
        self.screen.repaint()?;
        self.frames.reset();
        self.frames.request(Instant::now(), Reason::Now);
        Ok(result)
    }

    /// A signal of the keyboard that comes now was sent while another program had the terminal.
    pub(super) fn was_lent_just_now(&self) -> bool {
        self.lent_until.is_some_and(|at| at.elapsed() < ECHO)
    }

    fn complain(&mut self, what: &str, error: &io::Error) {
        self.ui.toast(SafeText::line(&format!("{what}: {error}")));
    }
}

/// Runs a program on the terminal until it ends.
fn run(line: &CommandLine) -> io::Result<()> {
    let status = Command::new(&line.program)
        .args(&line.args)
        .status()
        .map_err(|e| name(line, &e))?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!(
            "{} ended with {status}",
            line.program.display()
        )))
    }
}

fn page(text: &str) -> io::Result<()> {
    let line = editor::pager();
    let mut pager = Command::new(&line.program)
        .args(&line.args)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| name(&line, &error))?;
    if let Some(mut stdin) = pager.stdin.take() {
        // Who quits the pager early closes the pipe.
        let _ = stdin.write_all(text.as_bytes());
    }
    pager.wait().map(drop)
}

/// An error that names the program.
fn name(line: &CommandLine, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{} cannot be run: {error}", line.program.display()),
    )
}
