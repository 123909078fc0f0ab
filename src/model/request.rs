//! Requests of the agent to the client, and their answers.

use crate::model::{
    Elicitation, ElicitationAnswer, ElicitationScope, ExitStatus, PermissionOutcome,
    PermissionRequest, RpcError, SessionId, SessionKey, TerminalCreate, TerminalId, TerminalRef,
    TerminalSnapshot,
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
    /// What is queued behind the open turn, to go into it: qwen's, no part of the protocol.
    DrainQueue {
        session: SessionId,
    },
}

impl HostRequest {
    /// The request of ours that it belongs to, by its id as JSON text, and the place for the
    /// session that made it (V1-ELI-02).
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
            Self::DrainQueue { session } => session,
        })
    }
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

/// A read of the workspace that v1 has no method for.
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

/// The result of a look.
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
    /// Texts that have left the queue; `waits`: another prompt follows when the turn is over.
    QueueDrained {
        messages: Vec<String>,
        waits: bool,
    },
    Error(RpcError),
}
