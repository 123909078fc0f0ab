//! What the agent asks of the client, and what it gets back.

use std::borrow::Cow;

use crate::{
    model::{
        Elicitation, ElicitationAnswer, ElicitationScope, OptionId, RawJson, RpcError, SessionId,
        SessionKey, TerminalId, ToolCallId, ToolCallPatch,
    },
    text::{SafeText, command_line},
};

#[derive(Clone, PartialEq, Debug)]
pub enum HostRequest {
    Permission(Box<PermissionRequest>),
    Elicitation(Box<Elicitation>),
    ReadTextFile(FsRead),
    WriteTextFile(FsWrite),
    TerminalCreate(TerminalCreate),
    TerminalOutput(TerminalRef),
    TerminalWaitForExit(TerminalRef),
    TerminalKill(TerminalRef),
    TerminalRelease(TerminalRef),
    /// Of the thread protocol (D-37 to D-40).
    Look(Look),
}

impl HostRequest {
    /// The request of ours that it belongs to, by its id as JSON text, and the place for whose that
    /// is (V1-ELI-02).
    pub fn scope_mut(&mut self) -> Option<(&str, &mut Option<SessionKey>)> {
        match self {
            Self::Elicitation(elicitation) => match &mut elicitation.scope {
                ElicitationScope::Request { id, caller } => Some((id, caller)),
                ElicitationScope::Session { .. } => None,
            },
            _ => None,
        }
    }

    /// Whose request of ours it belongs to.
    pub fn caller(&self) -> Option<SessionKey> {
        match self {
            Self::Elicitation(elicitation) => match &elicitation.scope {
                ElicitationScope::Request { caller, .. } => *caller,
                ElicitationScope::Session { .. } => None,
            },
            _ => None,
        }
    }

    /// `None`: it belongs to a request of ours (V1-ELI-02).
    pub fn session(&self) -> Option<&SessionId> {
        Some(match self {
            Self::Permission(request) => &request.session,
            Self::Elicitation(elicitation) => match &elicitation.scope {
                ElicitationScope::Session { session, .. } => session,
                ElicitationScope::Request { .. } => return None,
            },
            Self::ReadTextFile(read) => &read.session,
            Self::WriteTextFile(write) => &write.session,
            Self::TerminalCreate(create) => &create.session,
            Self::TerminalOutput(terminal)
            | Self::TerminalWaitForExit(terminal)
            | Self::TerminalKill(terminal)
            | Self::TerminalRelease(terminal) => &terminal.session,
            Self::Look(look) => &look.session,
        })
    }
}

/// `session/request_permission` (V1-PERM).
#[derive(Clone, PartialEq, Debug)]
pub struct PermissionRequest {
    pub session: SessionId,
    /// What is asked, and why: of the question, not of what it is about (V2-PERM-01).
    pub title: Option<SafeText>,
    pub description: Option<SafeText>,
    pub subject: PermissionSubject,
    /// In the agent's order; may be empty (then only cancel, V1-PERM-04).
    pub options: Vec<PermissionOption>,
}

/// What a permission is asked for.
#[derive(Clone, PartialEq, Debug)]
pub enum PermissionSubject {
    /// Applied to the call first, or creates it (V1-PERM-03).
    ToolCall(Box<ToolCallPatch>),
    Command(CommandSubject),
    /// Something that this client does not know: the title is all there is to judge it by.
    Other {
        kind: SafeText,
        raw: RawJson,
    },
    /// Nothing but the title.
    None,
}

/// A command to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandSubject {
    /// Raw text, as the directory.
    pub command: String,
    pub cwd: String,
    /// The call that runs it, where it is known.
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

/// `fs/read_text_file`. The path is as asked: possibly relative (D-12).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FsRead {
    pub session: SessionId,
    pub path: String,
    /// 1-based first line; 0 counts as 1 (V1-FS-02).
    pub line: Option<u32>,
    /// Number of lines; 0 is none (V1-FS-03).
    pub limit: Option<u32>,
}

/// `fs/write_text_file`: content is written byte for byte (V1-FS-10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FsWrite {
    pub session: SessionId,
    pub path: String,
    pub content: String,
}

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

/// A look at the workspace, which v1 has no method for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    pub session: SessionId,
    /// As asked: possibly relative. For [`LookAt::Glob`] the pattern.
    pub path: String,
    pub at: LookAt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookAt {
    /// The lines behind the first `skip`.
    Text {
        skip: u64,
        limit: Option<u64>,
    },
    /// The bytes behind the first `skip`, in base64.
    Bytes {
        skip: u64,
        limit: Option<u64>,
    },
    Stat,
    Glob,
}

/// What there was to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Looked {
    File { version: u64, content: String },
    Stat { exists: bool, is_directory: bool },
    Matches(Vec<String>),
}

/// The answer to a [`HostRequest`].
#[derive(Clone, PartialEq, Debug)]
pub enum HostReply {
    Permission(PermissionOutcome),
    Elicitation(ElicitationAnswer),
    Content(String),
    /// `{}` (V1-RPC-26).
    Done,
    TerminalCreated(TerminalId),
    TerminalOutput(TerminalSnapshot),
    TerminalExit(ExitStatus),
    Looked(Looked),
    Error(RpcError),
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
    /// `None` when a signal ended it.
    pub code: Option<i64>,
    /// `SIGKILL` form.
    pub signal: Option<String>,
}
