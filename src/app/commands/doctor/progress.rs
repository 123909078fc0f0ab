//! Progress while an agent is waited for: a line that counts on a terminal, one at the start
//! elsewhere. On stderr, apart from the report.

use std::{
    io::{IsTerminal, Write},
    time::Duration,
};

use crate::cli;

pub struct Progress {
    /// A line can be written over.
    counts: bool,
}

impl Progress {
    pub fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Self {
            counts: std::io::stderr().is_terminal() && !dumb,
        }
    }

    /// The agent is started.
    pub fn start(&self, command: &str, patience: Duration) {
        if !self.counts {
            cli::complain(format_args!(
                "starting {command}; waiting up to {} s for each answer",
                patience.as_secs_f64()
            ));
        }
    }

    pub fn waiting(&self, what: &str, since: Duration) {
        if self.counts {
            let seconds = since.as_secs();
            self.write(&format!("\r\u{1b}[Kwaiting for {what} …, {seconds} s"));
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.counts {
            self.write("\r\u{1b}[K");
        }
    }

    fn write(&self, text: &str) {
        // Stderr may be closed.
        let mut out = std::io::stderr().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}
