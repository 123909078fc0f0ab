//! Things of a session in the words of [`Record`](super::Record).

use super::event::{Permission, Tool};
use crate::{
    model::{EnvEffect, SessionId, StopReason, ToolContent, ToolInput, WorkState, sorted_env},
    session::{Answered, By, ToolCall},
};

pub(super) fn state_name(state: Option<&WorkState>) -> String {
    match state {
        Some(WorkState::Running) => "running".to_owned(),
        Some(WorkState::RequiresAction) => "requires_action".to_owned(),
        Some(WorkState::Idle(None)) => "idle".to_owned(),
        Some(WorkState::Idle(Some(StopReason::Error(error)))) => {
            format!("failed: {}", error.message)
        }
        Some(WorkState::Idle(Some(reason))) => format!("idle: {}", reason.as_str()),
        Some(WorkState::Other(state)) => state.to_string(),
        Some(WorkState::Unknown) | None => "unknown".to_owned(),
    }
}

/// `number` is the call's; `subagent` is the one that makes it.
pub(super) fn tool(number: u64, subagent: Option<&SessionId>, call: &ToolCall) -> Tool {
    let diffs = call.content.iter().filter_map(|piece| match piece {
        ToolContent::Diff(diff) => Some(diff.paths()),
        _ => None,
    });
    let mut paths: Vec<String> = Vec::new();
    let located = call.locations.iter().map(|at| at.path.as_str());
    for path in located.chain(diffs.flatten()) {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    Tool {
        call: number,
        subagent: subagent.map(|id| id.as_str().to_owned()),
        id: call.id.as_str().to_owned(),
        title: call.title.to_string(),
        kind: call.kind.as_str(),
        status: call.state.as_str().to_owned(),
        command: call.command.clone(),
        env: call.input.as_deref().map(env_words).unwrap_or_default(),
        paths,
    }
}

fn env_words(input: &ToolInput) -> Vec<String> {
    let env = input.run.iter().flat_map(|run| sorted_env(&run.env));
    env.filter(|variable| variable.effect != EnvEffect::Harmless)
        .map(|variable| variable.assignment().to_string())
        .collect()
}

pub(super) fn permission(tool: &Tool, answered: &Answered) -> Permission {
    Permission {
        call: tool.call,
        subagent: tool.subagent.clone(),
        title: tool.title.clone(),
        kind: tool.kind,
        command: tool.command.clone(),
        env: tool.env.clone(),
        paths: tool.paths.clone(),
        decision: match (&answered.by, answered.allowed) {
            (By::Nobody, _) => "cancelled",
            (_, Some(true)) => "allowed",
            (_, Some(false)) => "denied",
            (_, None) => "answered",
        },
        answer: answered.answer.to_string(),
        by: match &answered.by {
            By::Person => "person".to_owned(),
            By::Rule(rule) => rule.to_string(),
            By::Nobody => "nobody".to_owned(),
        },
    }
}
