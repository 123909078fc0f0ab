//! The block that stands for a subagent, and how it stood.

use super::block::{Block, Kind, millis};
use crate::{
    proto::{IdleReason, RpcError, StopReason, SubagentState, code},
    session::Subagent,
    text::SafeText,
};

impl Block {
    /// `child` is the number of its conversation in the record.
    pub fn subagent(id: u64, subagent: &Subagent, child: u64) -> Self {
        let (status, detail) = match &subagent.state {
            Some(SubagentState::Running) => ("running".into(), None),
            Some(SubagentState::RequiresAction) => ("requires_action".into(), None),
            Some(SubagentState::Idle(None)) => ("idle".into(), None),
            Some(SubagentState::Idle(Some(IdleReason::Stopped(reason)))) => {
                ("idle".into(), Some(stop_name(reason)))
            }
            Some(SubagentState::Idle(Some(IdleReason::Failed(error)))) => {
                ("failed".into(), Some(error.message.clone()))
            }
            Some(SubagentState::Other(state)) => (state.clone(), None),
            Some(SubagentState::Unknown) | None => ("unknown".into(), None),
        };
        Self {
            id,
            kind: Kind::Subagent,
            source_id: Some(subagent.id.as_str().to_owned()),
            text: subagent.name(),
            status: Some(status),
            detail,
            took_ms: subagent.took.map(millis),
            child: Some(child),
            ..Self::default()
        }
    }

    /// How its work ended. One that worked when it was last heard of has no result.
    pub(super) fn subagent_state(&self) -> Option<SubagentState> {
        let reason = match self.status.as_deref()? {
            "idle" => self.detail.clone().map(stop_of).map(IdleReason::Stopped),
            "failed" => {
                let message = self.detail.as_deref().unwrap_or_default();
                Some(IdleReason::Failed(RpcError::new(code::INTERNAL, message)))
            }
            _ => return None,
        };
        Some(SubagentState::Idle(reason))
    }
}

/// As ACP writes it.
pub fn stop_name(reason: &StopReason) -> SafeText {
    match reason {
        StopReason::EndTurn => "end_turn".into(),
        StopReason::MaxTokens => "max_tokens".into(),
        StopReason::MaxTurnRequests => "max_turn_requests".into(),
        StopReason::Refusal => "refusal".into(),
        StopReason::Cancelled => "cancelled".into(),
        StopReason::Unknown(reason) => reason.clone(),
    }
}

fn stop_of(name: SafeText) -> StopReason {
    match &*name {
        "end_turn" => StopReason::EndTurn,
        "max_tokens" => StopReason::MaxTokens,
        "max_turn_requests" => StopReason::MaxTurnRequests,
        "refusal" => StopReason::Refusal,
        "cancelled" => StopReason::Cancelled,
        _ => StopReason::Unknown(name),
    }
}
