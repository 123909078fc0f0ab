//! What a session does: `state_update`, and the same within `subagent_update` (V2-STATE).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::read::{Items, Member, Misfit, Text, need, object, object_in, read_as, text};
use crate::{
    model::{
        Background, RpcError, SessionId, StateUpdate, StopReason, TerminalId, ToolCallId,
        WorkState, code,
    },
    rpc::decode_error,
    text::SafeText,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct State<'a> {
    #[serde(borrow)]
    state: Text<'a>,
    #[serde(borrow)]
    background: Member<'a>,
    #[serde(borrow)]
    stop_reason: Member<'a>,
    #[serde(borrow)]
    error: Member<'a>,
}

/// A snapshot, from the members of an object.
///
/// # Errors
/// It names no state.
pub fn state(update: &str) -> Result<StateUpdate, Misfit> {
    let snapshot: State<'_> = object(update).ok_or(Misfit)?;
    let state = match snapshot.state.as_str() {
        "running" => WorkState::Running,
        "requires_action" => WorkState::RequiresAction,
        "unknown" => WorkState::Unknown,
        "idle" => WorkState::Idle(
            text(snapshot.stop_reason).map(|reason| stop_reason(reason.as_str(), snapshot.error)),
        ),
        other => WorkState::Other(SafeText::line(other)),
    };
    Ok(StateUpdate {
        state,
        background: background(snapshot.background),
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

/// A list with an item that does not fit tells nothing: it would not be complete (V2-STATE-02).
fn background(member: Member<'_>) -> Option<Vec<Background>> {
    let Items(items) = read_as(member)?;
    items.into_iter().map(|raw| item(raw).ok()).collect()
}

fn item(raw: &RawValue) -> Result<Background, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Item<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        terminal_id: Member<'a>,
        #[serde(borrow)]
        tool_call_id: Member<'a>,
        #[serde(borrow)]
        session_id: Member<'a>,
    }
    let item: Item<'_> = object_in(Some(raw)).ok_or(Misfit)?;
    Ok(match item.kind.as_str() {
        "terminal" => Background::Terminal(TerminalId::new(need(item.terminal_id)?.as_str())),
        "tool_call" => Background::ToolCall(ToolCallId::new(need(item.tool_call_id)?.as_str())),
        "subagent" => Background::Subagent(SessionId::new(need(item.session_id)?.as_str())),
        other => Background::Other(SafeText::line(other)),
    })
}
