//! The state of a session's work (V2-STATE).

use crate::{
    model::{RpcError, SessionId, TerminalId, ToolCallId, TurnTokens},
    text::SafeText,
};

/// All work in a session; it replaces the update before (V2-STATE-01).
#[derive(Clone, PartialEq, Debug)]
pub struct StateUpdate {
    pub state: WorkState,
    /// Background work; `None`: not reported, which does not mean none (V2-STATE-02).
    pub background: Option<Vec<Background>>,
    /// The tokens of the work that ended.
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

/// The foreground work of a session or subagent (V1-SUB-04).
#[derive(Clone, PartialEq, Debug)]
pub enum WorkState {
    Running,
    /// No work; with the reason why the last work ended, if reported. A subagent may get more work
    /// from its parent.
    Idle(Option<StopReason>),
    /// It waits for the person.
    RequiresAction,
    /// The agent does not know; its last report no longer holds (V2-STATE-03).
    Unknown,
    /// An unknown state, shown as it is: counts as busy.
    Other(SafeText),
}

/// A piece of background work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Background {
    Terminal(TerminalId),
    ToolCall(ToolCallId),
    Subagent(SessionId),
    /// An unknown one counts too (V2-STATE-02).
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
    /// An unknown reason ends the turn too (V1-PROMPT-04).
    Unknown(SafeText),
}
