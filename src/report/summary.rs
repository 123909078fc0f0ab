//! The result of a run.

use serde::Serialize;

use super::{
    change::Change,
    event::{FileWritten, Permission, Refused, Subagent, Tokens, Tool, Usage, Worktree},
};

/// The version of the format of [`Record`](super::Record) and [`Summary`].
pub const VERSION: u32 = 1;

/// Entries that each list of the summary keeps.
const MAX_LISTED: usize = 10_000;

/// The object of `--format json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub version: u32,
    /// The agent's messages, a blank line apart.
    pub text: String,
    /// `text` is not all of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub text_truncated: bool,
    /// As the agent sent it; `None` if the turn did not end.
    pub stop_reason: Option<String>,
    pub exit_code: u8,
    pub error: Option<Problem>,
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    pub agent: Agent,
    pub usage: Option<Usage>,
    pub tokens: Option<Tokens>,
    pub tool_calls: Vec<Tool>,
    pub subagents: Vec<Subagent>,
    pub permissions: Vec<Permission>,
    pub refused: Vec<Refused>,
    pub files_written: Vec<FileWritten>,
    /// What changed on the disk meanwhile, whoever changed it; `None` where that was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
    pub seconds: f64,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            version: VERSION,
            text: String::new(),
            text_truncated: false,
            stop_reason: None,
            exit_code: 0,
            error: None,
            session_id: None,
            worktree: None,
            agent: Agent::default(),
            usage: None,
            tokens: None,
            tool_calls: Vec::new(),
            subagents: Vec::new(),
            permissions: Vec::new(),
            refused: Vec::new(),
            files_written: Vec::new(),
            changes: None,
            seconds: 0.0,
        }
    }
}

/// Why the run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// For programs: see `docs/run.md`.
    pub kind: &'static str,
    /// For people.
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// The profile.
    pub id: String,
    /// As it names itself.
    pub name: Option<String>,
    pub version: Option<String>,
}

/// Adds to a list of the summary, up to its bound.
pub(super) fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() < MAX_LISTED {
        list.push(item);
    }
}
