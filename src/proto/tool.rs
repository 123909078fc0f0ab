//! Tool calls and what they carry (V1-TOOL).

use std::sync::Arc;

use crate::{
    proto::{ContentBlock, Meta, RawJson, SessionId, TerminalId, ToolCallId},
    text::SafeText,
};

/// A field of a patch that can be left alone, cleared or set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

/// `tool_call` and `tool_call_update` alike: present fields replace (V1-TOOL-01…03). A first sight
/// of the id creates the call with defaults.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolCallPatch {
    pub id: ToolCallId,
    /// True for `tool_call`: in a new turn a finished call with the same id is then another call
    /// (the SDK's example agent reuses ids).
    pub announces: bool,
    pub title: Option<SafeText>,
    /// Programmatic name, for rules; never shown as the title (V1-TOOL-07).
    pub name: Option<String>,
    pub kind: Option<ToolKind>,
    pub status: Option<ToolStatus>,
    /// Replaces the whole list when present (V1-TOOL-02).
    pub content: Option<Vec<ToolContent>>,
    pub locations: Option<Vec<ToolLocation>>,
    pub raw_input: Option<RawJson>,
    pub raw_output: Option<RawJson>,
    /// The command line of an execute call, where the agent's raw input names one: what the
    /// permission dialog shows whole and rules match on. Raw text.
    pub command: Option<String>,
    /// Working directory of that command, where named. Raw text.
    pub command_cwd: Option<String>,
    /// Of the update and of its content (V1-META-01): added to what came before.
    pub meta: Meta,
}

impl ToolCallPatch {
    pub fn new(id: ToolCallId) -> Self {
        Self {
            id,
            announces: false,
            title: None,
            name: None,
            kind: None,
            status: None,
            content: None,
            locations: None,
            raw_input: None,
            raw_output: None,
            command: None,
            command_cwd: None,
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

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ToolStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Failed,
    /// A status that this client does not know, shown as it is (V1-TOOL-05).
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

/// A change of one file, for display only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diff {
    /// As the agent named it; relative paths count from the session's cwd (D-12).
    pub path: String,
    /// `None`: a new file (V1-TOOL-09).
    pub old: Option<SafeText>,
    pub new: SafeText,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolLocation {
    pub path: String,
    /// 1-based.
    pub line: Option<u32>,
}
