//! What the agent reports without waiting for an answer (`session/update`).

use crate::{
    model::{
        AgentNotice, ConfigOption, ContentBlock, EntityUpdate, MessageId, Meta, ModeId, NamedPlan,
        Patch, PlanEntry, PlanId, RateLimit, RawJson, SlashCommand, StateUpdate, SubagentPatch,
        TerminalId, TerminalPatch, ToolCallId, ToolCallPatch, ToolContent, UsageUpdate,
    },
    text::SafeText,
};

#[derive(Clone, PartialEq, Debug)]
pub enum AgentEvent {
    /// A piece of a message or thought (V1-UPD-01 to V1-UPD-04).
    Chunk {
        role: ChunkRole,
        message: Option<MessageId>,
        content: ContentBlock,
        /// Of the update and of its content (V1-META-01).
        meta: Meta,
    },
    /// A whole message or thought, or one to be: creates or changes the one with that id
    /// (V2-UPD-01).
    Message {
        role: ChunkRole,
        id: MessageId,
        /// Replaces all of it, what came in chunks included; later chunks add to it.
        content: Patch<Vec<ContentBlock>>,
        /// Of the message, which is patched by key, and of its content (V2-RPC-03).
        meta: Meta,
    },
    ToolCall(Box<ToolCallPatch>),
    /// One more piece of a call's content; an unknown id begins one (V2-UPD-04). More than one
    /// where the piece is a change of several files.
    ToolContent {
        id: ToolCallId,
        content: Vec<ToolContent>,
        meta: Meta,
    },
    /// Of a terminal that the agent runs itself.
    Terminal(Box<TerminalPatch>),
    /// Bytes as such a terminal prints them (escape sequences and all, a character's bytes possibly
    /// apart), to be added to what was printed before: goes through vt100 only.
    TerminalOutput {
        id: TerminalId,
        data: Vec<u8>,
    },
    /// What the session does (V2-STATE-01).
    State(StateUpdate),
    /// The history asked for is told: what comes now happens now (V2-SES-03).
    ReplayComplete,
    /// Replaces the whole plan; empty clears it (V1-PLAN-01).
    Plan(Vec<PlanEntry>),
    /// Replaces the plan with that id, whatever it was (V1-PLAN-03).
    NamedPlan(NamedPlan),
    /// An id that is not known is nothing (V1-PLAN-05).
    PlanRemoved(PlanId),
    /// For a moment on the screen, never in the transcript (V1-NOTE-01).
    Notice(AgentNotice),
    /// A block that is created and changed by id (V1-COMP, V1-SUB-05).
    Entity(Box<EntityUpdate>),
    /// A child session of the one that it is for.
    Subagent(Box<SubagentPatch>),
    /// Replaces the whole list (V1-UPD-05).
    Commands(Vec<SlashCommand>),
    Mode(ModeId),
    /// Replaces the whole list (V1-UPD-08).
    ConfigOptions(Vec<ConfigOption>),
    Usage(UsageUpdate),
    /// Of the person's account.
    Limit(RateLimit),
    SessionInfo(SessionInfoPatch),
    /// The prompt that the agent expects next (V1-SUG-01); `None` withdraws it.
    Suggestion(Option<SafeText>),
    /// Something went wrong, and the turn goes on (D-07).
    Error(SafeText),
    /// What the types do not know: a dim line, the raw text on demand (V1-UPD-10, V1-RPC-25).
    Unknown {
        what: SafeText,
        raw: RawJson,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChunkRole {
    User,
    Agent,
    Thought,
}

/// `session_info_update`: each field is left, cleared or set (V1-SES-21).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SessionInfoPatch {
    pub title: Patch<SafeText>,
    pub updated_at: Patch<SafeText>,
}
