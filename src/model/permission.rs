//! What an agent asks permission for, and the answer (V1-PERM).

use crate::{
    model::{OptionId, RawJson, SessionId, TerminalId, ToolCallId, ToolCallPatch},
    text::SafeText,
};

/// `session/request_permission` (V1-PERM).
#[derive(Clone, PartialEq, Debug)]
pub struct PermissionRequest {
    pub session: SessionId,
    /// Title of the question, not of its subject (V2-PERM-01).
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    pub subject: PermissionSubject,
    /// In the agent's order; may be empty (then only cancel, V1-PERM-04).
    pub options: Vec<PermissionOption>,
}

/// The subject of a permission request.
#[derive(Clone, PartialEq, Debug)]
pub enum PermissionSubject {
    /// Applied to the call first, or creates it (V1-PERM-03).
    ToolCall(Box<ToolCallPatch>),
    Command(CommandSubject),
    /// An unknown subject: only the title says what it is.
    Other {
        kind: SafeText,
        raw: RawJson,
    },
    /// Only the title.
    None,
}

/// A command to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandSubject {
    /// Raw text, as the directory.
    pub command: String,
    pub cwd: String,
    /// The call that runs it, if known.
    pub tool_call: Option<ToolCallId>,
    pub terminal: Option<TerminalId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PermissionOption {
    pub id: OptionId,
    pub name: SafeText,
    pub kind: PermissionKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum PermissionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
    /// Unknown to this client: neutral, never chosen automatically (V1-PERM-05).
    #[default]
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PermissionOutcome {
    Selected(OptionId),
    Cancelled,
}
