//! Other programs on our terminal: editor, pager, the shell behind ctrl-z.

use std::time::Instant;

use anyhow::Context;

use crate::{
    app::{frame::Reason, run::App, tty},
    host::{editor, pager},
    text::SafeText,
};

impl App {
    /// Opens the draft in `$EDITOR` and takes back what was saved.
    pub(super) fn edit_draft(&mut self, draft: &str) -> anyhow::Result<()> {
        let edited = self.with_terminal(|| editor::edit_text(draft))?;
        match edited {
            Ok(text) => self.ui.set_draft(&text),
            Err(error) => self.complain(&error.to_string()),
        }
        Ok(())
    }

    pub(super) fn open_editor(
        &mut self,
        path: &std::path::Path,
        line: Option<u32>,
    ) -> anyhow::Result<()> {
        let path = self.launch.cwd.join(path);
        if let Err(error) = self.with_terminal(|| editor::open(&path, line))? {
            self.complain(&error.to_string());
        }
        Ok(())
    }

    pub(super) fn page(&mut self, text: &str) -> anyhow::Result<()> {
        if let Err(error) = self.with_terminal(|| pager::page(text))? {
            self.complain(&error.to_string());
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
        let result = tokio::task::block_in_place(program);
        tty::enter().context("cannot take the terminal over again")?;
        self.reader.resume();
        self.screen.repaint()?;
        self.frames.reset();
        self.frames.request(Instant::now(), Reason::Now);
        Ok(result)
    }

    fn complain(&mut self, error: &str) {
        self.ui.toast(SafeText::line(error), Instant::now());
    }
}
