//! Tool calls and what they carry (V1-TOOL).

mod input;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    model::{
        Claims, ContentBlock, Diff, Meta, Patch, PlanEntry, RawJson, SessionId, TerminalId,
        ToolCallId,
    },
    text::SafeText,
};
pub use input::ToolInput;

/// `tool_call` and `tool_call_update`: present fields replace (V1-TOOL-01 to V1-TOOL-03), cleared
/// ones get their default (V2-UPD-03). An unknown id creates a call.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolCallPatch {
    pub id: ToolCallId,
    /// True for `tool_call`: in a new turn a finished call with the same id is then another call
    /// (the SDK's example agent reuses ids).
    pub announces: bool,
    pub title: Patch<SafeText>,
    /// Programmatic name, for rules; never shown as the title (V1-TOOL-07).
    pub name: Patch<String>,
    pub kind: Patch<ToolKind>,
    pub status: Patch<ToolStatus>,
    /// Replaces the whole list when present (V1-TOOL-02).
    pub content: Patch<Vec<ToolContent>>,
    pub locations: Patch<Vec<ToolLocation>>,
    pub raw_input: Patch<RawJson>,
    pub raw_output: Patch<RawJson>,
    /// The command line of an execute call, from its raw input: the permission dialog shows it
    /// whole and rules match it. Raw text.
    pub command: Patch<String>,
    /// Working directory of that command, where named. Raw text.
    pub command_cwd: Patch<String>,
    /// File changes claimed by the raw input: shown as diffs if the content has none.
    pub claims: Patch<Claims>,
    /// What the call would do by its raw input, whatever its kind.
    pub input: Patch<Arc<ToolInput>>,
    /// The agent's list of what is to be done, where the call writes one: a plan.
    pub todos: Option<Vec<PlanEntry>>,
    /// It can be cancelled separately (V2-CAN-02).
    pub cancel: Patch<bool>,
    /// Of the update and of its content (V1-META-01): merged into earlier ones.
    pub meta: Meta,
}

impl ToolCallPatch {
    pub fn new(id: ToolCallId) -> Self {
        Self {
            id,
            announces: false,
            title: Patch::Keep,
            name: Patch::Keep,
            kind: Patch::Keep,
            status: Patch::Keep,
            content: Patch::Keep,
            locations: Patch::Keep,
            raw_input: Patch::Keep,
            raw_output: Patch::Keep,
            command: Patch::Keep,
            command_cwd: Patch::Keep,
            claims: Patch::Keep,
            input: Patch::Keep,
            todos: None,
            cancel: Patch::Keep,
            meta: Meta::default(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Think,
    Fetch,
    SwitchMode,
    /// Also if it is missing or unknown (V1-TOOL-04).
    #[default]
    Other,
}

impl ToolKind {
    /// The kind by which a call is judged that claims one kind and does another.
    pub fn worse_of(self, other: Self) -> Self {
        let rank = |kind: Self| match kind {
            Self::Execute => 5,
            Self::Delete => 4,
            Self::Move => 3,
            Self::Edit => 2,
            // An unknown kind does not become a fetch, which a rule may allow.
            Self::Fetch | Self::SwitchMode | Self::Other => 1,
            Self::Read | Self::Search | Self::Think => 0,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ToolStatus {
    #[default]
    Pending,
    InProgress,
    /// Started, not running, and will not continue on its own.
    Paused,
    Completed,
    Failed,
    /// As reported by the agent.
    Cancelled,
    /// An unknown status, shown as it is (V1-TOOL-05): counts as in progress (V2-UPD-03).
    Unknown(SafeText),
}

#[derive(Clone, PartialEq, Debug)]
pub enum ToolContent {
    Block(ContentBlock),
    Diff(Arc<Diff>),
    Terminal(TerminalId),
    /// A link to a session, for display only (V1-TOOL-11).
    Session(SessionId),
    Unknown {
        kind: SafeText,
        raw: RawJson,
    },
}

impl ToolContent {
    pub fn diff(&self) -> Option<&Arc<Diff>> {
        match self {
            Self::Diff(diff) => Some(diff),
            _ => None,
        }
    }

    pub fn terminal(&self) -> Option<&TerminalId> {
        match self {
            Self::Terminal(id) => Some(id),
            _ => None,
        }
    }

    /// What a piece costs besides what it holds.
    const PIECE: usize = 64;

    /// Bytes that it holds.
    pub fn weight(&self) -> usize {
        Self::PIECE
            + match self {
                Self::Block(block) => block.weight(),
                Self::Diff(diff) => diff.weight() + diff.path.len(),
                Self::Terminal(id) => id.as_str().len(),
                Self::Session(id) => id.as_str().len(),
                Self::Unknown { raw, kind } => raw.0.len() + kind.len(),
            }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolLocation {
    pub path: String,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}
