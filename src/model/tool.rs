//! Tool calls and what they carry (V1-TOOL).

mod input;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    model::{Claims, ContentBlock, Diff, Meta, Patch, RawJson, SessionId, TerminalId, ToolCallId},
    text::SafeText,
};
pub use input::ToolInput;

/// `tool_call` and `tool_call_update` alike: present fields replace (V1-TOOL-01 to V1-TOOL-03),
/// cleared ones are as they were at first (V2-UPD-03). A first sight of the id creates the call with
/// defaults.
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
    /// The command line of an execute call, where the agent's raw input names one: what the
    /// permission dialog shows whole and rules match on. Raw text.
    pub command: Patch<String>,
    /// Working directory of that command, where named. Raw text.
    pub command_cwd: Patch<String>,
    /// Changes of files that the agent's raw input tells: what stands for a diff where its content
    /// has none.
    pub claims: Patch<Claims>,
    /// What the raw input tells of what the call would do, whatever its kind.
    pub input: Patch<Arc<ToolInput>>,
    /// It can be cancelled by itself (V2-CAN-02).
    pub cancel: Patch<bool>,
    /// Of the update and of its content (V1-META-01): merged into what came before.
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
    /// Also what is missing or unknown (V1-TOOL-04).
    #[default]
    Other,
}

impl ToolKind {
    /// What is judged of a call that says one thing and does another.
    pub fn worse_of(self, other: Self) -> Self {
        let rank = |kind: Self| match kind {
            Self::Execute => 5,
            Self::Delete => 4,
            Self::Move => 3,
            Self::Edit => 2,
            // What is none of the usual kinds does not become a fetch, which a rule may allow.
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
    /// Begun, not running, and not going on by itself.
    Paused,
    Completed,
    Failed,
    /// By the agent's word.
    Cancelled,
    /// A status that this client does not know, shown as it is (V1-TOOL-05): still in progress
    /// (V2-UPD-03).
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
