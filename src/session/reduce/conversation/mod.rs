//! A conversation: what is said and done in a session, or in one of its subagents. Both follow the
//! same rules; a [`Step`] works in one of them.

pub mod bounds;
mod diffs;
mod entity;
mod messages;
mod notices;
mod plan;
mod terminal_blocks;
pub mod terminals;
pub mod tools;
mod whole_messages;
mod writes;

use std::{mem, path::Path};

use crate::{
    model::{NamedPlan, PlanEntry, SessionId, TerminalId},
    session::{BlockId, BlockKind, ToolCall, Transcript},
    text::SafeText,
};

use self::{
    bounds::{MAX_SUBAGENT, MAX_TRANSCRIPT, block_weight},
    entity::Entities,
    messages::Speech,
    plan::PlanRules,
    terminals::TerminalIndex,
    tools::ToolIndex,
    whole_messages::MessageBlocks,
    writes::Writes,
};
use super::Step;

#[derive(Debug)]
pub struct Conversation {
    pub transcript: Transcript,
    /// The current plan, pinned while unfinished.
    pub plan: Vec<PlanEntry>,
    /// Further plans, which have ids; pinned as well (V1-PLAN-06). In the order in which they came.
    pub plans: Vec<NamedPlan>,
    pub(in crate::session) speech: Speech,
    pub(in crate::session) message_blocks: MessageBlocks,
    pub(in crate::session) tools: ToolIndex,
    pub(in crate::session) terminals: TerminalIndex,
    pub(in crate::session) plan_rules: PlanRules,
    pub(in crate::session) entities: Entities,
    pub(in crate::session) writes: Writes,
    /// Bytes of the transcript; see [`bounds`].
    pub(in crate::session) weight: usize,
    /// The most that they may be.
    pub(in crate::session) bound: usize,
}

impl Conversation {
    pub(in crate::session) fn of_session() -> Self {
        Self::within(MAX_TRANSCRIPT)
    }

    pub(in crate::session) fn of_subagent() -> Self {
        Self::within(MAX_SUBAGENT)
    }

    fn within(bound: usize) -> Self {
        Self {
            transcript: Transcript::default(),
            plan: Vec::new(),
            plans: Vec::new(),
            speech: Speech::default(),
            message_blocks: MessageBlocks::default(),
            tools: ToolIndex::default(),
            terminals: TerminalIndex::default(),
            plan_rules: PlanRules::default(),
            entities: Entities::default(),
            writes: Writes::default(),
            weight: 0,
            bound,
        }
    }

    /// Adds a block at the end, even while a message is open.
    pub(in crate::session) fn push_only(&mut self, kind: BlockKind) -> BlockId {
        let weight = block_weight(&kind);
        let id = self.transcript.push(kind);
        self.grow(weight);
        id
    }

    /// Changes a block, and accounts for what it weighs then.
    pub(in crate::session) fn edit<R>(
        &mut self,
        block: BlockId,
        change: impl FnOnce(&mut BlockKind) -> R,
    ) -> Option<R> {
        let place = self.transcript.edit(block)?;
        let old = block_weight(place);
        let result = change(place);
        let new = block_weight(place);
        self.shrink(old);
        self.grow(new);
        Some(result)
    }

    /// Another kind in a block's place.
    pub(in crate::session) fn replace(&mut self, block: BlockId, kind: BlockKind) {
        self.edit(block, |place| *place = kind);
    }

    /// Another text for a notice that is still there.
    pub(in crate::session) fn set_notice_text(&mut self, block: BlockId, text: SafeText) {
        if matches!(self.kind(block), Some(BlockKind::Notice(_))) {
            self.edit(block, |kind| {
                if let BlockKind::Notice(notice) = kind {
                    notice.text = text;
                    notice.last_words = false;
                }
            });
        }
    }

    pub(in crate::session) fn kind(&self, block: BlockId) -> Option<&BlockKind> {
        self.transcript.get(block).map(|block| &block.kind)
    }

    /// Whether it has not been dropped since.
    pub(in crate::session) fn has(&self, block: BlockId) -> bool {
        self.transcript.index_of(block).is_some()
    }

    pub(in crate::session) fn tool(&self, block: BlockId) -> Option<&ToolCall> {
        match self.kind(block)? {
            BlockKind::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub(in crate::session) fn edit_tool(&mut self, block: BlockId) -> Option<&mut ToolCall> {
        match self.transcript.edit(block)? {
            BlockKind::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub(in crate::session) fn shows(&self, terminal: &TerminalId) -> bool {
        self.terminals.shown.contains_key(terminal)
    }

    /// After old blocks were dropped.
    pub(in crate::session) fn forget_gone(&mut self) {
        self.tools.forget_gone(&self.transcript);
        self.entities.forget_gone(&self.transcript);
        self.message_blocks.forget_gone(&self.transcript);
        self.terminals.forget_gone(&self.transcript);
    }

    /// Takes out what a replay tells again.
    pub(in crate::session) fn make_way(&mut self) -> Self {
        let mut kept = Self::within(self.bound);
        kept.transcript = self.transcript.take();
        self.exchange_told(&mut kept);
        self.weigh();
        kept
    }

    /// The replay came to nothing: what it made way for comes back.
    pub(in crate::session) fn put_back(&mut self, mut kept: Self) {
        self.transcript.put_back(mem::take(&mut kept.transcript));
        self.exchange_told(&mut kept);
        self.weigh();
    }

    fn exchange_told(&mut self, other: &mut Self) {
        mem::swap(&mut self.plan, &mut other.plan);
        mem::swap(&mut self.plans, &mut other.plans);
        mem::swap(&mut self.tools, &mut other.tools);
        mem::swap(&mut self.entities, &mut other.entities);
        mem::swap(&mut self.message_blocks, &mut other.message_blocks);
    }
}

impl Step<'_> {
    /// The conversation that is worked on.
    pub fn conversation(&self) -> &Conversation {
        match &self.subagent {
            Some(subagent) => &subagent.conversation,
            None => &self.session.conversation,
        }
    }

    pub fn conversation_mut(&mut self) -> &mut Conversation {
        match &mut self.subagent {
            Some(subagent) => &mut subagent.conversation,
            None => &mut self.session.conversation,
        }
    }

    /// Works in the conversation of a subagent; `None` if there is no such one.
    pub fn in_subagent<R>(
        &mut self,
        id: &SessionId,
        rules: impl FnOnce(&mut Self) -> R,
    ) -> Option<R> {
        let subagent = self.session.subagents.take(id)?;
        let outer = self.subagent.replace(subagent);
        self.outer.extend(outer.map(|outer| *outer));
        let result = rules(self);
        self.tell_writes_unless_calls_are_open();
        let outer = self.outer.pop().map(Box::new);
        if let Some(subagent) = mem::replace(&mut self.subagent, outer) {
            self.session.subagents.insert(subagent);
        }
        self.touch_subagent(id);
        Some(result)
    }

    /// Works in the conversation of that session of the agent: a subagent, or the session itself.
    pub fn in_conversation_of(
        &mut self,
        session: Option<&SessionId>,
        rules: impl FnOnce(&mut Self),
    ) {
        match session {
            Some(id) if self.session.has_subagent(id) => {
                self.in_subagent(id, rules);
            }
            _ => rules(self),
        }
    }

    /// The row of a subagent changes with it, and so do the rows of those that it belongs to.
    pub fn touch_subagent(&mut self, id: &SessionId) {
        let mut next = self.session.subagents.get(id);
        while let Some(subagent) = next {
            let (parent, block) = (subagent.parent.clone(), subagent.block);
            if parent.as_ref() == self.subagent_id() {
                // Where that is a subagent, leaving it touches those above.
                self.conversation_mut().transcript.edit(block);
                return;
            }
            let Some(parent) = parent else {
                return;
            };
            if let Some(parent) = self.session.subagents.get_mut(&parent) {
                parent.conversation.transcript.edit(block);
            }
            next = self.session.subagents.get(&parent);
        }
    }

    /// The subagent that is worked on; `None`: the session itself.
    pub fn subagent_id(&self) -> Option<&SessionId> {
        self.subagent.as_ref().map(|subagent| &subagent.id)
    }

    /// The directory of the session or subagent that is worked on: its own, else that of the next one
    /// above it that has one.
    pub fn cwd(&self) -> &Path {
        let mut at = self.subagent.as_deref();
        while let Some(subagent) = at {
            if let Some(cwd) = &subagent.cwd {
                return cwd;
            }
            at = subagent.parent.as_ref().and_then(|parent| {
                let outer = self.outer.iter().find(|outer| outer.id == *parent);
                outer.or_else(|| self.session.subagents.get(parent))
            });
        }
        &self.session.config.cwd
    }

    /// How many it is below the session itself.
    pub fn depth(&self) -> usize {
        self.subagent.as_ref().map_or(0, |subagent| subagent.depth)
    }
}
