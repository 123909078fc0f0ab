//! Updates: whether one is for the live session, a subagent or a session that is not known yet, and
//! which subject it is of. Small ones are applied here.

use crate::{
    model::{
        AgentEvent, ContentBlock, SessionId, SessionInfoPatch, SlashCommand, ToolContent, Usage,
        UsageUpdate,
    },
    session::NoticeLevel,
    text::SafeText,
};

use super::{
    Step,
    conversation::bounds::{
        MAX_COMMANDS, MAX_COMMANDS_BYTES, MAX_EARLY, MAX_EARLY_WEIGHT, MAX_SUGGESTION, keep_first,
        named_plan_weight,
    },
};

/// Updates for a session that no reply has named yet (V1-SES-03). Bounded: see [`MAX_EARLY`].
#[derive(Debug, Default)]
pub(super) struct Early {
    events: Vec<(Option<SessionId>, AgentEvent)>,
    weight: usize,
    left_out: usize,
}

impl Step<'_> {
    /// An update: for a subagent, the live session, or one that has no name yet (V1-SES-03).
    pub(super) fn update(&mut self, session: Option<SessionId>, event: AgentEvent) {
        if let Some(id) = &session
            && self.session.has_subagent(id)
            && !self.session.is(id)
        {
            self.subagent_says(id, event);
            return;
        }
        if let Some(id) = &session
            && self.session.has_side(id)
        {
            self.side_says(id, event);
            return;
        }
        let opening = &self.session.inner.opening;
        match (opening.live(), &session) {
            // Without an id it is meant for the only session there is (D-11).
            (Some(_), None) => self.live_update(event),
            (Some(live), Some(id)) if live == id => self.live_update(event),
            // A fork may speak before the answer that names it; nothing of the answer is in that.
            (Some(_), Some(_)) if self.session.is_forking_aside() => {}
            (Some(_), Some(_)) if !opening.is_under_way() => self.foreign_update(),
            _ => self.session.inner.early.push(session, event),
        }
    }

    /// In the order in which they came: a subagent is made known before it says anything.
    pub(super) fn apply_early(&mut self, early: Early) {
        for (session, event) in early.events {
            self.update(session, event);
        }
        if early.left_out > 0 {
            self.foreign_update();
        }
    }

    /// An update of the live session; also outside of a turn, which it does not open again
    /// (V1-PROMPT-07).
    fn live_update(&mut self, event: AgentEvent) {
        if self.may_tell(&event) {
            self.take_in(event);
        }
    }

    /// Whether an update of the session or of a subagent is applied: not if it tells again what stands on
    /// the screen. The first one of a replay makes way for it.
    pub(super) fn may_tell(&mut self, event: &AgentEvent) -> bool {
        if is_conversation(event) {
            if self.is_told_twice() {
                return false;
            }
            self.make_way_for_replay();
        }
        true
    }

    /// Applies an update to the conversation that is worked on.
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
            AgentEvent::Entity(update) => self.entity(*update),
            AgentEvent::Notice(notice) => self.agent_notice(notice),
            AgentEvent::Subagent(patch) => self.subagent(*patch),
            AgentEvent::Terminal(patch) => self.agent_terminal(*patch),
            AgentEvent::TerminalOutput { id, data } => self.agent_terminal_output(id, data),
            AgentEvent::Commands(commands) => self.commands(commands),
            AgentEvent::Mode(mode) => self.mode_changed(&mode),
            AgentEvent::ConfigOptions(options) => self.config_options(options),
            AgentEvent::Usage(update) => self.usage(update),
            AgentEvent::SessionInfo(SessionInfoPatch { title, .. }) => self.title_told(title),
            AgentEvent::Limit(limit) => self.limit_told(limit),
            AgentEvent::Suggestion(text) => self.suggested(text),
            AgentEvent::Error(text) => self.say(NoticeLevel::Error, text),
            AgentEvent::Unknown { what, raw } => self.unknown_update(&what, &raw),
        }
    }

    /// Replaces the whole list.
    pub(super) fn commands(&mut self, mut commands: Vec<SlashCommand>) {
        let mut room = MAX_COMMANDS_BYTES;
        keep_first(&mut commands, MAX_COMMANDS, &mut room, |command| {
            let hint = command.hint.as_ref().map_or(0, |hint| hint.len());
            command.name.len() + command.description.len() + hint
        });
        self.session.commands = commands;
    }

    /// One that is too long is left out: half a prompt is none.
    fn suggested(&mut self, text: Option<SafeText>) {
        let wanted = self.session.config.caps.suggestions && !self.is_replaying();
        let fits = |text: &SafeText| wanted && text.len() <= MAX_SUGGESTION;
        self.session.suggestion = text.filter(fits);
    }

    pub(super) fn want_suggestions(&mut self, wanted: bool) {
        self.session.config.caps.suggestions = wanted;
        self.session.config.caps.paid_suggestions = wanted;
        if !wanted {
            self.session.suggestion = None;
        }
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
            | AgentEvent::Entity(_)
            | AgentEvent::Subagent(_)
    )
}

impl Early {
    fn push(&mut self, session: Option<SessionId>, event: AgentEvent) {
        let weight = event_weight(&event);
        if self.events.len() >= MAX_EARLY || self.weight + weight > MAX_EARLY_WEIGHT {
            self.left_out += 1;
            return;
        }
        self.weight += weight;
        self.events.push((session, event));
    }
}

fn event_weight(event: &AgentEvent) -> usize {
    match event {
        AgentEvent::Chunk { content, .. } => content.weight(),
        AgentEvent::Message { content, .. } => {
            let blocks = content.as_set().into_iter().flatten();
            blocks.map(ContentBlock::weight).sum()
        }
        AgentEvent::ToolCall(patch) => {
            let pieces = patch.content.as_set().into_iter().flatten();
            pieces.map(ToolContent::weight).sum()
        }
        AgentEvent::ToolContent { content, .. } => content.iter().map(ToolContent::weight).sum(),
        AgentEvent::Terminal(patch) => patch.output.as_set().map_or(0, Vec::len),
        AgentEvent::TerminalOutput { data, .. } => data.len(),
        AgentEvent::Commands(commands) => commands
            .iter()
            .map(|command| command.name.len() + command.description.len())
            .sum(),
        AgentEvent::Unknown { raw, .. } => raw.0.len(),
        AgentEvent::Suggestion(text) => text.as_ref().map_or(0, |text| text.len()),
        AgentEvent::NamedPlan(plan) => named_plan_weight(plan),
        AgentEvent::Entity(update) => update.weight(),
        _ => std::mem::size_of::<ContentBlock>(),
    }
}
