//! Things of a session in the words of [`Record`].

use super::event::{Permission, PlanEntry, Record, Tool};
use crate::{
    model::{
        ContentBlock, EnvEffect, SessionId, StopReason, ToolContent, ToolInput, WorkState,
        sorted_env,
    },
    session::{Answered, BlockKind, By, ToolCall},
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

/// Blocks that are told once.
pub(super) fn once(kind: &BlockKind) -> Option<Record> {
    Some(match kind {
        BlockKind::User(message) => Record::User {
            text: message.text.to_string(),
        },
        BlockKind::Notice(notice) => Record::Notice {
            level: notice.level.as_str(),
            text: notice.text.to_string(),
            detail: notice.detail.as_ref().map(ToString::to_string),
        },
        BlockKind::Content(content) => self::content(content),
        // Told while they are current, or piece by piece.
        BlockKind::Plan(_)
        | BlockKind::PlanText(_)
        | BlockKind::Agent(_)
        | BlockKind::Thought(_)
        | BlockKind::Tool(_)
        | BlockKind::Compaction(_)
        | BlockKind::Subagent(_) => return None,
        // Between the agent and itself: what comes of it is told.
        BlockKind::SessionMessage(_) => return None,
    })
}

fn content(block: &ContentBlock) -> Record {
    let (kind, mime_type, uri, bytes) = match block {
        ContentBlock::Text(_) => ("text", None, None, None),
        ContentBlock::Image(media) => (
            "image",
            Some(media.mime_type.to_string()),
            media.uri.as_ref().map(ToString::to_string),
            media.size.map(|size| size as u64),
        ),
        ContentBlock::Audio(media) => (
            "audio",
            Some(media.mime_type.to_string()),
            media.uri.as_ref().map(ToString::to_string),
            media.size.map(|size| size as u64),
        ),
        ContentBlock::ResourceLink(link) => (
            "resource_link",
            link.mime_type.as_ref().map(ToString::to_string),
            Some(link.uri.clone()),
            link.size,
        ),
        ContentBlock::Resource(resource) => (
            "resource",
            resource.mime_type.as_ref().map(ToString::to_string),
            Some(resource.uri.clone()),
            Some(resource.size as u64),
        ),
        ContentBlock::ForAgent(inner) => return content(inner),
        ContentBlock::Unknown { .. } => ("unknown", None, None, None),
    };
    Record::Content {
        kind,
        mime_type,
        uri,
        bytes,
    }
}

/// `number` is the call's, `subagent` whose it is.
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

pub(super) fn plan(entries: &[crate::model::PlanEntry]) -> Vec<PlanEntry> {
    let entry = |entry: &crate::model::PlanEntry| PlanEntry {
        content: entry.content.to_string(),
        status: entry.status.as_str(),
        priority: entry.priority.as_str(),
    };
    entries.iter().map(entry).collect()
}
