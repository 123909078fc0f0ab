//! Updates of the live session: each to its subject; what replaces a whole is done here.

use crate::{
    model::{AgentEvent, SessionInfoPatch, SlashCommand, Usage, UsageUpdate},
    session::NoticeLevel,
};

use super::{
    Step,
    bounds::{MAX_COMMANDS, MAX_COMMANDS_BYTES, keep_first},
};

impl Step<'_> {
    /// An update of the live session; also outside of a turn, which it does not open again
    /// (V1-PROMPT-07).
    pub(super) fn update(&mut self, event: AgentEvent) {
        if self.may_tell(&event) {
            self.take_in(event);
        }
    }

    /// Whether a word of the session or of a subagent is to be taken in: not where it stands on the
    /// screen already. Of history, the first makes way for it.
    pub(super) fn may_tell(&mut self, event: &AgentEvent) -> bool {
        if is_conversation(event) {
            if self.is_told_twice() {
                return false;
            }
            self.make_way_for_replay();
        }
        true
    }

    /// Into the conversation that is worked on.
    pub(super) fn take_in(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Chunk {
                role,
                message,
                content,
                meta,
            } => self.chunk(role, message, content, meta),
            AgentEvent::Message {
                role,
                id,
                content,
                meta,
            } => self.message(role, id, content, &meta),
            AgentEvent::ToolCall(patch) => self.tool_call(*patch),
            AgentEvent::ToolContent { id, content, meta } => self.tool_content(id, content, meta),
            AgentEvent::State(update) => self.state(update),
            AgentEvent::ReplayComplete => self.replay_complete(),
            AgentEvent::Plan(entries) => self.plan(entries),
            AgentEvent::NamedPlan(plan) => self.named_plan(plan),
            AgentEvent::PlanRemoved(id) => self.plan_removed(&id),
            AgentEvent::Compaction(patch) => self.compaction(*patch),
            AgentEvent::CompactionChunk { id, content, meta } => {
                self.compaction_chunk(id, content, meta);
            }
            AgentEvent::Notice(notice) => self.agent_notice(notice),
            AgentEvent::Subagent(patch) => self.subagent(*patch),
            AgentEvent::SessionMessage(patch) => self.session_message(*patch),
            AgentEvent::SessionMessageChunk { id, content, meta } => {
                self.session_message_chunk(&id, content, &meta);
            }
            AgentEvent::Terminal(patch) => self.agent_terminal(*patch),
            AgentEvent::TerminalOutput { id, data } => self.agent_terminal_output(id, data),
            AgentEvent::Commands(commands) => self.commands(commands),
            AgentEvent::Mode(mode) => self.mode_changed(&mode),
            AgentEvent::ConfigOptions(options) => self.config_options(options),
            AgentEvent::Usage(update) => self.usage(update),
            AgentEvent::SessionInfo(SessionInfoPatch { title, .. }) => self.title_told(title),
            AgentEvent::Error(text) => self.say(NoticeLevel::Error, text),
            AgentEvent::Unknown { what, raw } => self.unknown_update(&what, &raw),
        }
    }
}

impl Step<'_> {
    /// Replaces the whole list.
    pub(super) fn commands(&mut self, mut commands: Vec<SlashCommand>) {
        let mut room = MAX_COMMANDS_BYTES;
        keep_first(&mut commands, MAX_COMMANDS, &mut room, |command| {
            let hint = command.hint.as_ref().map_or(0, |hint| hint.len());
            command.name.len() + command.description.len() + hint
        });
        self.session.commands = commands;
    }

    fn usage(&mut self, update: UsageUpdate) {
        let UsageUpdate { used, size, cost } = update;
        let known = self.session.usage.take();
        let mut usage = Usage {
            used,
            size,
            cost: known.and_then(|known| known.cost),
        };
        cost.apply(&mut usage.cost);
        self.session.usage = Some(usage);
    }
}

/// Part of what was said and done, which a replay tells again.
fn is_conversation(event: &AgentEvent) -> bool {
    matches!(
        event,
        AgentEvent::Chunk { .. }
            | AgentEvent::Message { .. }
            | AgentEvent::ToolCall(_)
            | AgentEvent::ToolContent { .. }
            | AgentEvent::Plan(_)
            | AgentEvent::NamedPlan(_)
            | AgentEvent::Compaction(_)
            | AgentEvent::CompactionChunk { .. }
            | AgentEvent::Subagent(_)
            | AgentEvent::SessionMessage(_)
            | AgentEvent::SessionMessageChunk { .. }
    )
}
