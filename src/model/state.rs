//! What an agent says of a session's work (V2-STATE).

use crate::{
    model::{RpcError, SessionId, TerminalId, ToolCallId, TurnTokens},
    text::SafeText,
};

/// A snapshot of all work in a session; it replaces the one before (V2-STATE-01).
#[derive(Clone, PartialEq, Debug)]
pub struct StateUpdate {
    pub state: WorkState,
    /// Everything that runs beside; `None`: not reported, which is not nothing (V2-STATE-02).
    pub background: Option<Vec<Background>>,
    /// What the work that is over took.
    pub tokens: Option<TurnTokens>,
}

impl From<WorkState> for StateUpdate {
    fn from(state: WorkState) -> Self {
        Self {
            state,
            background: None,
            tokens: None,
        }
    }
}

/// The work in the foreground of a session or of a child of it (V1-SUB-04).
#[derive(Clone, PartialEq, Debug)]
pub enum WorkState {
    Running,
    /// Nothing is worked on; why the work before ended, where that is said. Of a child it is not the
    /// end: its parent may give it more to do.
    Idle(Option<StopReason>),
    /// It waits for the person.
    RequiresAction,
    /// The agent cannot tell; what it said before no longer holds (V2-STATE-03).
    Unknown,
    /// A state that this client does not know, shown as it is: busy with something.
    Other(SafeText),
}

/// A piece of work beside the foreground's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Background {
    Terminal(TerminalId),
    ToolCall(ToolCallId),
    Subagent(SessionId),
    /// One that this client does not know counts all the same (V2-STATE-02).
    Other(SafeText),
}

/// Why an agent stopped working.
#[derive(Clone, PartialEq, Debug)]
pub enum StopReason {
    EndTurn,
    MaxTokens,
    MaxTurnRequests,
    Refusal,
    Cancelled,
    /// Something failed (V2-STATE-01).
    Error(RpcError),
    /// Ends the turn all the same (V1-PROMPT-04).
    Unknown(SafeText),
}
