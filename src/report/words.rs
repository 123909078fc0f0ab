//! Things of a session in the words of [`Record`].

use super::record::{Permission, PlanEntry, Record, Tool};
use crate::{
    proto::{
        CompactionStatus, ContentBlock, EnvEffect, PlanPriority, PlanStatus, SessionId, StopReason,
        ToolContent, ToolInput, ToolKind, WorkState, sorted_env,
    },
    session::{Answered, BlockKind, By, NoticeLevel, ToolCall, ToolState},
};

pub(super) fn compaction_name(status: &CompactionStatus) -> String {
    match status {
        CompactionStatus::InProgress => "in_progress".to_owned(),
        CompactionStatus::Completed => "completed".to_owned(),
        CompactionStatus::Failed => "failed".to_owned(),
        CompactionStatus::Cancelled => "cancelled".to_owned(),
        CompactionStatus::Unknown(status) => status.to_string(),
    }
}

pub(super) fn state_name(state: Option<&WorkState>) -> String {
    match state {
        Some(WorkState::Running) => "running".to_owned(),
        Some(WorkState::RequiresAction) => "requires_action".to_owned(),
        Some(WorkState::Idle(None)) => "idle".to_owned(),
        Some(WorkState::Idle(Some(StopReason::Error(error)))) => {
            format!("failed: {}", error.message)
        }
        Some(WorkState::Idle(Some(reason))) => format!("idle: {}", reason_name(reason)),
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
            level: match notice.level {
                NoticeLevel::Quiet => "quiet",
                NoticeLevel::Info => "info",
                NoticeLevel::Warning => "warning",
                NoticeLevel::Error => "error",
            },
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
        kind: kind_name(call.kind),
        status: match &call.state {
            ToolState::Pending => "pending".to_owned(),
            ToolState::InProgress => "in_progress".to_owned(),
            ToolState::Paused => "paused".to_owned(),
            ToolState::Completed => "completed".to_owned(),
            ToolState::Failed => "failed".to_owned(),
            ToolState::Cancelled => "cancelled".to_owned(),
            ToolState::Ended => "ended".to_owned(),
            ToolState::Unknown(status) => status.to_string(),
        },
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

pub(super) fn plan(entries: &[crate::proto::PlanEntry]) -> Vec<PlanEntry> {
    let entry = |entry: &crate::proto::PlanEntry| PlanEntry {
        content: entry.content.to_string(),
        status: match entry.status {
            PlanStatus::Pending => "pending",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Completed => "completed",
            PlanStatus::Cancelled => "cancelled",
        },
        priority: match entry.priority {
            PlanPriority::High => "high",
            PlanPriority::Medium => "medium",
            PlanPriority::Low => "low",
        },
    };
    entries.iter().map(entry).collect()
}

fn kind_name(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch_mode",
        ToolKind::Other => "other",
    }
}

pub(super) fn reason_name(reason: &StopReason) -> String {
    match reason {
        StopReason::EndTurn => "end_turn".to_owned(),
        StopReason::MaxTokens => "max_tokens".to_owned(),
        StopReason::MaxTurnRequests => "max_turn_requests".to_owned(),
        StopReason::Refusal => "refusal".to_owned(),
        StopReason::Cancelled => "cancelled".to_owned(),
        StopReason::Error(_) => "error".to_owned(),
        StopReason::Unknown(reason) => reason.to_string(),
    }
}
