//! Updates of every kind.

use super::*;

/// Kinds of updates; of an agent that reports no states only the first.
pub(super) const UPDATES: u8 = 34;
pub(super) const STATELESS: u8 = 27;

pub(super) fn update(kind: u8, n: &str, states: bool) -> AgentEvent {
    use crate::model::{Background, StateUpdate, WorkState};
    let message = |role, content| AgentEvent::Message {
        role,
        id: MessageId::new(n),
        content,
        meta: crate::model::Meta::default(),
    };
    let odd = || ContentBlock::Unknown {
        kind: "odd".into(),
        raw: crate::model::RawJson("{}".into()),
    };
    let state = |state: WorkState| {
        AgentEvent::State(StateUpdate {
            background: (n != "0").then(|| vec![Background::ToolCall(ToolCallId::new(n))]),
            ..state.into()
        })
    };
    let kind = if states || kind < STATELESS {
        kind
    } else {
        kind - STATELESS
    };
    let terminal = || TerminalId::new(n);
    match kind {
        0 | 1 => chunk(ChunkRole::Agent, (kind == 1).then_some(n), "word "),
        2 => chunk(ChunkRole::Thought, None, "hm"),
        3 => chunk(ChunkRole::User, Some(n), "p1"),
        4 => tool(n, "tool", ToolStatus::Pending),
        5 => tool_update(n, Some(ToolStatus::Completed)),
        6 => AgentEvent::ToolCall(Box::new(ToolCallPatch {
            content: Patch::Set(vec![ToolContent::Terminal(terminal())]),
            ..ToolCallPatch::new(ToolCallId::new(n))
        })),
        7 => AgentEvent::Terminal(Box::new(crate::model::TerminalPatch::new(terminal()))),
        8 => AgentEvent::Mode(ModeId::new(n)),
        9 => AgentEvent::Plan(Vec::new()),
        10 => AgentEvent::Commands(Vec::new()),
        11 => AgentEvent::Entity(Box::new(crate::model::EntityUpdate {
            id: crate::model::EntityId::new(n),
            kind: crate::model::EntityPatch::Compaction(crate::model::CompactionPatch::default()),
            content: crate::model::ContentPatch::Add(text(n)),
            meta: crate::model::Meta::default(),
        })),
        12 => AgentEvent::NamedPlan(crate::model::NamedPlan {
            id: crate::model::PlanId::new(n),
            body: crate::model::PlanBody::Text(crate::model::PlanText {
                text: SafeText::new(n),
                path: None,
            }),
        }),
        14 => AgentEvent::Subagent(Box::new(crate::model::SubagentPatch {
            state: crate::model::Patch::Set(crate::model::WorkState::Running.into()),
            caps: crate::model::Patch::Set(crate::model::SubagentCaps { cancel: true }),
            ..crate::model::SubagentPatch::new(id(&format!("child-{n}")))
        })),
        15 => AgentEvent::Subagent(Box::new(crate::model::SubagentPatch {
            state: crate::model::Patch::Set(crate::model::WorkState::Idle(None).into()),
            ..crate::model::SubagentPatch::new(id(&format!("child-{n}")))
        })),
        16 => AgentEvent::ConfigOptions(vec![flag("fast", n == "1")]),
        17 => AgentEvent::ConfigOptions(Vec::new()),
        18 => message(ChunkRole::Agent, Patch::Set(vec![text(n)])),
        19 => message(
            ChunkRole::Agent,
            Patch::Set(vec![text(n), odd(), text("x")]),
        ),
        20 => message(ChunkRole::User, Patch::Set(vec![text("p1"), odd()])),
        21 => message(ChunkRole::Thought, Patch::Clear),
        22 => AgentEvent::ToolContent {
            id: ToolCallId::new(n),
            content: vec![ToolContent::Terminal(terminal())],
            meta: crate::model::Meta::default(),
        },
        23 => AgentEvent::TerminalOutput {
            id: terminal(),
            data: n.into(),
        },
        24 => AgentEvent::NamedPlan(crate::model::NamedPlan {
            id: crate::model::PlanId::new(n),
            body: crate::model::PlanBody::Unknown {
                kind: "odd".into(),
                raw: crate::model::RawJson("{}".into()),
            },
        }),
        25 => AgentEvent::ReplayComplete,
        26 => message(ChunkRole::User, Patch::Keep),
        27 | 28 => state(WorkState::Running),
        29 => state(WorkState::Idle(None)),
        30 => state(WorkState::Idle(Some(StopReason::EndTurn))),
        31 => state(WorkState::Idle(Some(StopReason::Cancelled))),
        32 => state(WorkState::Unknown),
        33 => state(WorkState::RequiresAction),
        13 => AgentEvent::PlanRemoved(crate::model::PlanId::new(n)),
        _ => AgentEvent::Unknown {
            what: SafeText::new(n),
            raw: crate::model::RawJson("{}".into()),
        },
    }
}
