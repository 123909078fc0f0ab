//! Calls of the client to the agent, and their results.

use std::path::PathBuf;

use crate::{
    model::{
        Account, AgentCaps, AgentEvent, AuthMethod, ClientCaps, ConfigOption, DialectHint,
        ElicitationId, HostReply, HostRequest, McpServer, MessageId, ModeId, OptionValue,
        PromptBlock, Provider, ProviderSetting, RequestKey, RpcError, SessionId, SessionKey,
        SessionMode, SessionPage, SlashCommand, StopReason, TerminalId, ToolCallId, TurnTokens,
    },
    text::SafeText,
};

/// One message to the agent, in wire order.
#[derive(Clone, PartialEq, Debug)]
pub enum ToAgent {
    Call(Call),
    Notify(Notification),
    Reply { key: RequestKey, reply: HostReply },
}

/// One message from the agent, in wire order: replies share the queue with updates, so that "the
/// turn is over" cannot overtake the last chunk (V1-RPC-17).
#[derive(Clone, PartialEq, Debug)]
pub enum FromAgent {
    Update {
        session: Option<SessionId>,
        event: AgentEvent,
    },
    Request {
        key: RequestKey,
        request: HostRequest,
    },
    Reply {
        /// The session that made the call: sessions share a connection, and not every call names
        /// one.
        caller: SessionKey,
        call: CallTag,
        result: CallResult,
    },
    /// Comes before the reply to a request of ours during which the agent asked the person
    /// something. `request` is its id, as in the question's scope (V1-ELI-02).
    CallOver { caller: SessionKey, request: String },
    /// Who is signed in, for all sessions of the connection.
    Account(Account),
    /// `elicitation/complete`: the page is no longer needed (V1-ELI-18).
    ElicitationDone { id: ElicitationId },
    /// `$/cancel_request` for a request that it made (V1-CAN-10). Finished ones are filtered out.
    CancelRequest { key: RequestKey },
    /// It asked for a form or page although none is offered without a person. The request got an
    /// error (V1-ELI-03) and is reported.
    Unasked { message: SafeText },
    /// A departure from v1. Comes before the first message that shows it.
    Dialect(DialectHint),
    /// A line that is not JSON-RPC, or an unreadable message: reported and otherwise ignored
    /// (V1-RPC-14). `what` is its beginning, `bytes` its length, `count` the number of them on this
    /// connection.
    Noise {
        what: SafeText,
        bytes: usize,
        count: u64,
    },
    /// A message of more than `limit` bytes, which was dropped (V1-RPC-21).
    Oversized { limit: usize },
}

/// A request of ours. Its reply comes back as [`CallResult`] of the same kind, together with the
/// call, in wire order with everything else (V1-RPC-17).
#[derive(Clone, PartialEq, Debug)]
pub enum Call {
    Initialize {
        caps: ClientCaps,
    },
    Authenticate {
        method: String,
    },
    /// Only with `auth.logout` (V1-AUTH-10).
    Logout,
    /// Only with `providers`, as the two below (V1-AUTH-12).
    ListProviders,
    /// Replaces all settings of the provider.
    SetProvider(ProviderSetting),
    /// Only a provider that is not required.
    DisableProvider {
        id: String,
    },
    NewSession(SessionSetup),
    /// Replays the conversation as updates before its answer (V1-SES-08); in v2 a resume that asks
    /// for it (V2-SES-02).
    LoadSession {
        id: SessionId,
        setup: SessionSetup,
    },
    /// Replays nothing (V1-SES-11, V2-SES-02).
    ResumeSession {
        id: SessionId,
        setup: SessionSetup,
    },
    /// A new session with the history of another one; replays nothing (V1-SES-16).
    ForkSession {
        id: SessionId,
        /// The message of the agent that is the last of that history; only with
        /// [`AgentCaps::fork_at`](super::AgentCaps::fork_at).
        at: Option<MessageId>,
        setup: SessionSetup,
    },
    CloseSession {
        id: SessionId,
    },
    /// One page of the agent's sessions of a directory (V1-SES-12).
    ListSessions {
        cwd: PathBuf,
        cursor: Option<String>,
    },
    DeleteSession {
        id: SessionId,
    },
    /// Only with `sessionCapabilities.title`; the session need not be open (V1-SES-20).
    SetTitle {
        session: SessionId,
        title: String,
    },
    Prompt {
        session: SessionId,
        blocks: Vec<PromptBlock>,
    },
    /// Words for the turn that is open; only with [`AgentCaps::steering`].
    Steer {
        session: SessionId,
        /// Which of several this is.
        number: u64,
        blocks: Vec<PromptBlock>,
    },
    /// Only while the call advertises it (V2-CAN-02).
    CancelToolCall {
        session: SessionId,
        id: ToolCallId,
    },
    /// Likewise.
    CancelTerminal {
        session: SessionId,
        id: TerminalId,
    },
    SetMode {
        session: SessionId,
        mode: ModeId,
    },
    SetConfigOption {
        session: SessionId,
        option: String,
        value: OptionValue,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notification {
    /// `session/cancel` (V1-CAN-01).
    Cancel { session: SessionId },
    /// `$/cancel_request` for an open call of ours, which stays open until its answer (V1-CAN-09).
    CancelCall(CallTag),
}

/// The parameters of `session/new`, `load` and `resume`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionSetup {
    /// Absolute (V1-SES-01).
    pub cwd: PathBuf,
    /// Absolute; sent only where the agent has the capability (V1-SES-06).
    pub additional_directories: Vec<PathBuf>,
    /// Only those that the agent can connect to (V1-INIT-19).
    pub mcp_servers: Vec<McpServer>,
    /// Likewise (V1-SES-10).
    pub system_prompt: Option<SystemPrompt>,
    /// To be told to an agent that would make them unasked ([`AgentCaps::claude_options`]): each costs a
    /// call of its model.
    pub no_suggestions: bool,
}

/// Instructions of the person's own for a whole session (V1-SES-10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemPrompt {
    /// Not empty.
    pub text: String,
    /// Replaces the agent's own instructions instead of following them, if the agent supports that.
    pub replaces: bool,
}

/// The part of a [`Call`] that is kept until its reply and comes back with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallTag {
    Initialize,
    Authenticate {
        method: String,
    },
    Logout,
    ListProviders,
    SetProvider {
        id: String,
    },
    DisableProvider {
        id: String,
    },
    NewSession,
    LoadSession {
        id: SessionId,
    },
    ResumeSession {
        id: SessionId,
    },
    ForkSession {
        id: SessionId,
    },
    CloseSession {
        id: SessionId,
    },
    /// `first`: replaces the earlier list.
    ListSessions {
        first: bool,
    },
    DeleteSession {
        id: SessionId,
    },
    SetTitle {
        session: SessionId,
        title: String,
    },
    Prompt {
        session: SessionId,
    },
    Steer {
        session: SessionId,
        number: u64,
    },
    CancelToolCall {
        session: SessionId,
        id: ToolCallId,
    },
    CancelTerminal {
        session: SessionId,
        id: TerminalId,
    },
    SetMode {
        session: SessionId,
        mode: ModeId,
    },
    SetConfigOption {
        session: SessionId,
        option: String,
        value: OptionValue,
    },
}

impl Call {
    pub fn tag(&self) -> CallTag {
        match self {
            Self::Initialize { .. } => CallTag::Initialize,
            Self::Authenticate { method } => CallTag::Authenticate {
                method: method.clone(),
            },
            Self::Logout => CallTag::Logout,
            Self::ListProviders => CallTag::ListProviders,
            Self::SetProvider(setting) => CallTag::SetProvider {
                id: setting.id.clone(),
            },
            Self::DisableProvider { id } => CallTag::DisableProvider { id: id.clone() },
            Self::NewSession(_) => CallTag::NewSession,
            Self::LoadSession { id, .. } => CallTag::LoadSession { id: id.clone() },
            Self::ResumeSession { id, .. } => CallTag::ResumeSession { id: id.clone() },
            Self::ForkSession { id, .. } => CallTag::ForkSession { id: id.clone() },
            Self::ListSessions { cursor, .. } => CallTag::ListSessions {
                first: cursor.is_none(),
            },
            Self::DeleteSession { id } => CallTag::DeleteSession { id: id.clone() },
            Self::SetTitle { session, title } => CallTag::SetTitle {
                session: session.clone(),
                title: title.clone(),
            },
            Self::CloseSession { id } => CallTag::CloseSession { id: id.clone() },
            Self::Prompt { session, .. } => CallTag::Prompt {
                session: session.clone(),
            },
            Self::Steer {
                session, number, ..
            } => CallTag::Steer {
                session: session.clone(),
                number: *number,
            },
            Self::CancelToolCall { session, id } => CallTag::CancelToolCall {
                session: session.clone(),
                id: id.clone(),
            },
            Self::CancelTerminal { session, id } => CallTag::CancelTerminal {
                session: session.clone(),
                id: id.clone(),
            },
            Self::SetMode { session, mode } => CallTag::SetMode {
                session: session.clone(),
                mode: mode.clone(),
            },
            Self::SetConfigOption {
                session,
                option,
                value,
            } => CallTag::SetConfigOption {
                session: session.clone(),
                option: option.clone(),
                value: value.clone(),
            },
        }
    }
}

/// The answer to a [`Call`].
#[derive(Clone, PartialEq, Debug)]
pub enum CallResult {
    Initialized(Box<Initialized>),
    Authenticated,
    LoggedOut,
    ProvidersListed(Vec<Provider>),
    ProviderSet,
    ProviderDisabled,
    SessionOpened(Box<SessionOpened>),
    SessionClosed,
    SessionsListed(SessionPage),
    SessionDeleted,
    /// The title that the agent kept, which may differ from the one sent (V1-SES-20).
    TitleSet(SafeText),
    /// The turn is over (v1), with the tokens that it used.
    PromptDone(StopReason, Option<TurnTokens>),
    /// The prompt is now the message with that id; the session's state reports the turn's end
    /// (V2-PROMPT-01).
    PromptAccepted {
        message: MessageId,
    },
    /// What became of words for the open turn.
    Steered(SteerOutcome),
    /// Accepted, not stopped (V2-CAN-02).
    CancelAccepted,
    ModeSet,
    /// The full list replaces ours (V1-CFG-08).
    ConfigSet(Vec<ConfigOption>),
    Failed(RpcError),
}

/// What an agent did with words that were to go into its open turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SteerOutcome {
    /// They are part of the turn.
    Injected,
    /// It has begun a turn of its own with them.
    StartedNewTurn,
    /// No turn was open, and it has taken nothing: they go as a prompt.
    PromptRequired,
    Unknown(SafeText),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Initialized {
    /// As answered; other than 1 ends the connection (V1-INIT-03).
    pub protocol_version: i64,
    /// The version as sent, if it was malformed and taken for 1 (V1-INIT-04).
    pub odd_version: Option<SafeText>,
    /// `title`, else `name`.
    pub agent_name: Option<SafeText>,
    pub agent_version: Option<SafeText>,
    pub caps: AgentCaps,
    pub auth_methods: Vec<AuthMethod>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SessionOpened {
    /// Missing in the answers to load and resume.
    pub id: Option<SessionId>,
    pub modes: Option<ModeState>,
    /// Empty if the agent has none.
    pub config_options: Vec<ConfigOption>,
    /// Likewise; v1 tells them in an update only (V2-SES-01).
    pub commands: Vec<SlashCommand>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModeState {
    pub current: ModeId,
    pub available: Vec<SessionMode>,
}
