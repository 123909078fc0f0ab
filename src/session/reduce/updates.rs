//! Updates of the live session: each to its subject; what replaces a whole is done here.

use crate::{
    proto::{AgentEvent, Patch, SessionInfoPatch},
    session::NoticeLevel,
};

use super::{Step, bounds::MAX_COMMANDS};

impl Step<'_> {
    /// An update of the live session; also outside of a turn, which it does not open again
    /// (V1-PROMPT-07).
    pub(super) fn update(&mut self, event: AgentEvent) {
        let is_conversation = matches!(
            event,
            AgentEvent::Chunk { .. }
                | AgentEvent::ToolCall(_)
                | AgentEvent::Plan(_)
                | AgentEvent::NamedPlan(_)
                | AgentEvent::Compaction(_)
                | AgentEvent::CompactionChunk { .. }
        );
        if is_conversation {
            if self.is_told_twice() {
                return;
            }
            self.make_way_for_replay();
        }
        match event {
            AgentEvent::Chunk {
                role,
                message,
                content,
                meta,
            } => self.chunk(role, message, content, meta),
            AgentEvent::ToolCall(patch) => self.tool_call(*patch),
            AgentEvent::Plan(entries) => self.plan(entries),
            AgentEvent::NamedPlan(plan) => self.named_plan(plan),
            AgentEvent::PlanRemoved(id) => self.plan_removed(&id),
            AgentEvent::Compaction(patch) => self.compaction(*patch),
            AgentEvent::CompactionChunk { id, content, meta } => {
                self.compaction_chunk(id, content, meta);
            }
            AgentEvent::Notice(notice) => self.agent_notice(notice),
            AgentEvent::Terminal(meta) => self.terminal_meta(meta),
            AgentEvent::Commands(mut commands) => {
                commands.truncate(MAX_COMMANDS);
                self.session.commands = commands;
            }
            AgentEvent::Mode(mode) => self.mode_changed(&mode),
            AgentEvent::ConfigOptions(options) => self.config_options(options),
            AgentEvent::Usage(usage) => self.session.usage = Some(usage),
            AgentEvent::SessionInfo(SessionInfoPatch { title, .. }) => match title {
                Patch::Keep => {}
                Patch::Clear => self.session.title = None,
                Patch::Set(title) => self.session.title = Some(title),
            },
            AgentEvent::Error(text) => self.say(NoticeLevel::Error, text),
            AgentEvent::Unknown { what, raw } => self.unknown_update(&what, &raw),
        }
    }
}
