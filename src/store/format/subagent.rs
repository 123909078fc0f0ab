//! The block of a subagent and the state that it was in.

use super::block::{Block, Kind, millis};
use crate::{
    model::{RpcError, StopReason, WorkState, code},
    session::Subagent,
    text::SafeText,
};

impl Block {
    /// `child` is the number of its conversation in the file.
    pub fn subagent(id: u64, subagent: &Subagent, child: u64) -> Self {
        let (status, detail) = match &subagent.state {
            Some(WorkState::Running) => ("running".into(), None),
            Some(WorkState::RequiresAction) => ("requires_action".into(), None),
            Some(WorkState::Idle(None)) => ("idle".into(), None),
            Some(WorkState::Idle(Some(StopReason::Error(error)))) => {
                ("failed".into(), Some(error.message.clone()))
            }
            Some(WorkState::Idle(Some(reason))) => {
                ("idle".into(), Some(SafeText::line(reason.as_str())))
            }
            Some(WorkState::Other(state)) => (state.clone(), None),
            Some(WorkState::Unknown) | None => ("unknown".into(), None),
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

    /// How its work ended; `None` if it was at work.
    pub(super) fn subagent_state(&self) -> Option<WorkState> {
        let reason = match self.status.as_deref()? {
            "idle" => self.detail.clone().map(|name| StopReason::of(&name)),
            "failed" => {
                let message = self.detail.as_deref().unwrap_or_default();
                let error = RpcError::new(code::INTERNAL, message);
                Some(StopReason::Error(error))
            }
            _ => return None,
        };
        Some(WorkState::Idle(reason))
    }
}
