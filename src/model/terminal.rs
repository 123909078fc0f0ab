//! Terminals: those that the client runs for an agent, and those that an agent runs itself.

use std::borrow::Cow;

use crate::{
    model::{Meta, Patch, SessionId, TerminalId},
    text::command_line,
};

/// `terminal/create` (V1-TERM-01 to V1-TERM-04).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalCreate {
    pub session: SessionId,
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
    /// Bytes kept for `terminal/output`; 0 keeps nothing, `None` our own cap (V1-TERM-06).
    pub output_byte_limit: Option<u64>,
}

impl TerminalCreate {
    /// The whole command, as a shell would read it.
    pub fn line(&self) -> Cow<'_, str> {
        if self.args.is_empty() {
            return self.command.as_str().into();
        }
        let words = std::iter::once(&self.command).chain(&self.args);
        command_line(words.map(String::as_str)).into()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalRef {
    pub session: SessionId,
    pub terminal: TerminalId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalSnapshot {
    pub output: String,
    pub truncated: bool,
    /// Only once the command has exited (V1-TERM-08).
    pub exit: Option<ExitStatus>,
}

/// How a command ended (V1-TERM-09).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExitStatus {
    /// `None` if a signal ended it.
    pub code: Option<i64>,
    /// `SIGKILL` form.
    pub signal: Option<String>,
}

/// `terminal_update` (V2-UPD-05), of a terminal that the agent runs itself: display only, no input.
/// v1 has no such update; some agents send the same in `_meta`. An unknown id creates a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminalPatch {
    pub id: TerminalId,
    /// Raw text, as the directory.
    pub command: Patch<String>,
    pub cwd: Patch<String>,
    /// Replaces all output; cleared, the screen is empty.
    pub output: Patch<Vec<u8>>,
    /// Set: it has ended, even if its exit status is unknown.
    pub exit: Patch<ExitStatus>,
    pub size: Patch<TerminalSize>,
    /// It can be cancelled separately (V2-CAN-02).
    pub cancel: Patch<bool>,
    pub meta: Meta,
}

impl TerminalPatch {
    pub fn new(id: TerminalId) -> Self {
        Self {
            id,
            command: Patch::Keep,
            cwd: Patch::Keep,
            output: Patch::Keep,
            exit: Patch::Keep,
            size: Patch::Keep,
            cancel: Patch::Keep,
            meta: Meta::default(),
        }
    }
}

/// In cells; neither is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}
