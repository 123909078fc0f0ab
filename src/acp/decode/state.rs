//! What a session does: `state_update`, and the same within `subagent_update` (V1-SUB-04, V2-STATE).

use serde_json::value::RawValue;

use super::view::{Items, Member, Misfit, Pass, Text, members, need, object};
use crate::{
    model::{
        Background, RpcError, SessionId, StateUpdate, StopReason, TerminalId, ToolCallId,
        WorkState, code,
    },
    rpc::decode_error,
    text::SafeText,
};

members!(struct State {
    state: Text<'a>,
    background,
    stop_reason,
    error,
});

/// A snapshot, from the members of an object.
///
/// # Errors
/// It names no state.
pub fn state(pass: Pass, update: &str) -> Result<StateUpdate, Misfit> {
    let snapshot: State<'_> = object(update).ok_or(Misfit)?;
    let state = match snapshot.state.as_str() {
        "running" => WorkState::Running,
        "requires_action" => WorkState::RequiresAction,
        "unknown" => WorkState::Unknown,
        "idle" => {
            let reason = pass.text(snapshot.stop_reason)?;
            WorkState::Idle(reason.map(|reason| stop_reason(reason.as_str(), snapshot.error)))
        }
        other => WorkState::Other(SafeText::line(other)),
    };
    Ok(StateUpdate {
        state,
        // Version 1 has none.
        background: if pass.is_v2() {
            background(pass, snapshot.background)?
        } else {
            None
        },
        tokens: None,
    })
}

fn stop_reason(name: &str, error: Member<'_>) -> StopReason {
    if name != "error" {
        return StopReason::of(name);
    }
    StopReason::Error(match error {
        Some(error) => decode_error(error.get()),
        None => RpcError::new(code::INTERNAL, "the agent gave no reason"),
    })
}

/// A list with an item that does not fit is ignored: it would not be complete (V2-STATE-02).
fn background(pass: Pass, member: Member<'_>) -> Result<Option<Vec<Background>>, Misfit> {
    let listed = pass.read::<Items<'_>>(member)?;
    Ok(listed.and_then(|listed| listed.items.into_iter().map(|raw| item(raw).ok()).collect()))
}

fn item(raw: &RawValue) -> Result<Background, Misfit> {
    members!(struct Item {
        kind = "type": Text<'a>,
        terminal_id,
        tool_call_id,
        session_id,
    });
    let item: Item<'_> = object(raw.get()).ok_or(Misfit)?;
    Ok(match item.kind.as_str() {
        "terminal" => Background::Terminal(TerminalId::new(need(item.terminal_id)?.as_str())),
        "tool_call" => Background::ToolCall(ToolCallId::new(need(item.tool_call_id)?.as_str())),
        "subagent" => Background::Subagent(SessionId::new(need(item.session_id)?.as_str())),
        other => Background::Other(SafeText::line(other)),
    })
}
