//! Lends the terminal to other programs: editor, pager, the shell on ctrl-z.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::{
    app::{
        state::App,
        terminal::{Loan, Reason, tty},
    },
    cli::ExitCode,
    host::editor::{self, DraftFile},
    text::SafeText,
};

/// How long a signal may take from the terminal to the loop.
const ECHO: Duration = Duration::from_millis(250);

impl App {
    /// Opens the draft in the editor and takes back what was saved.
    pub(super) fn edit_draft(&mut self, draft: &str) -> anyhow::Result<()> {
        let edited = self.with_terminal(|loan| {
            let file = DraftFile::new(draft)?;
            let ended = loan.run(&editor::editor(file.path(), None));
            if loan.is_called_in() {
                // What was saved by then is newer than the draft.
                let saved = file.read().ok().filter(|saved| !saved.is_empty());
                return Ok(saved.unwrap_or_else(|| draft.to_owned()));
            }
            ended?;
            file.read()
        })?;
        match edited {
            Ok(text) => self.ui.composer().set_text(&text),
            Err(error) => self.complain("the editor", &error),
        }
        Ok(())
    }

    pub(super) fn open_editor(&mut self, path: &Path, line: Option<u32>) -> anyhow::Result<()> {
        let path = self.runtime.shown_cwd().join(path);
        if let Err(error) = self.with_terminal(|loan| loan.run(&editor::editor(&path, line)))? {
            self.complain("the editor", &error);
        }
        Ok(())
    }

    pub(super) fn page(&mut self, text: &str) -> anyhow::Result<()> {
        if let Err(error) = self.with_terminal(|loan| loan.page(text))? {
            self.complain("the pager", &error);
        }
        Ok(())
    }

    /// ctrl-z: the shell gets the terminal until it brings us back.
    pub(super) fn suspend(&mut self) -> anyhow::Result<()> {
        self.with_terminal(Loan::suspend)
    }

    /// Lends the terminal to `program`. The agent goes on meanwhile as far as its pipe lets it:
    /// what it sends waits.
    fn with_terminal<T>(&mut self, program: impl FnOnce(&Loan) -> T) -> anyhow::Result<T> {
        let loan = Loan::start().context("cannot listen to signals")?;
        self.reader.pause();
        self.screen.wait_written();
        tty::restore();
        let result = program(&loan);
        self.lent_until = Some(Instant::now());
        if loan.is_called_in() {
            self.exit = Some(ExitCode::Interrupted);
            // What was ended may have left any modes on: the usual way out puts them right. A terminal
            // that is gone, blocked or the shell's is left alone.
            if tty::is_foreground() && tty::takes_output(Duration::ZERO) {
                let _ = tty::take_back();
                let _ = self.screen.repaint();
            }
            return Ok(result);
        }
        tty::take_back().context("cannot take back the terminal")?;
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
