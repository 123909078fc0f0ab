//! Working in a subagent's conversation by the rules of the session's.

use std::{
    mem,
    path::{Path, PathBuf},
};

use crate::{
    model::{SessionId, TerminalId},
    session::Subagent,
};

use super::{
    Step, compaction::Compactions, messages::Speech, plan::PlanRules,
    session_messages::SessionMessages, terminals::TerminalIndex, tools::ToolIndex, writes::Writes,
};

/// What the rules remember of one conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    speech: Speech,
    tools: ToolIndex,
    terminals: TerminalIndex,
    plan: PlanRules,
    compactions: Compactions,
    messages: SessionMessages,
    writes: Writes,
    weight: usize,
}

impl Conversation {
    /// Bytes of its transcript.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    pub(super) fn shows(&self, terminal: &TerminalId) -> bool {
        self.terminals.shown.contains_key(terminal)
    }
}

/// The subagent that is being worked on.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    id: SessionId,
    depth: usize,
    cwd: PathBuf,
}

impl Step<'_> {
    /// Works in the conversation of a subagent; `None` if there is no such one.
    pub(super) fn inside<R>(
        &mut self,
        id: &SessionId,
        rules: impl FnOnce(&mut Self) -> R,
    ) -> Option<R> {
        let root = &self.session.config.cwd;
        let cwd = self.session.subagents.cwd_of(id, root).to_owned();
        let mut subagent = self.session.subagents.take(id)?;
        self.exchange(&mut subagent);
        let here = Inside {
            id: id.clone(),
            depth: subagent.depth,
            cwd,
        };
        let outer = self.session.inner.inside.replace(here);
        let result = rules(self);
        self.tell_writes_unless_calls_are_open();
        self.session.inner.inside = outer;
        self.exchange(&mut subagent);
        self.session.subagents.insert(subagent);
        self.touch_subagent(id);
        Some(result)
    }

    /// Works in that session of the agent: a subagent, or the session itself.
    pub(super) fn at(&mut self, session: Option<&SessionId>, rules: impl FnOnce(&mut Self)) {
        match session {
            Some(id) if self.session.has_subagent(id) => {
                self.inside(id, rules);
            }
            _ => rules(self),
        }
    }

    fn exchange(&mut self, subagent: &mut Subagent) {
        let session = &mut *self.session;
        let (inner, rules) = (&mut session.inner, &mut subagent.rules);
        mem::swap(&mut session.transcript, &mut subagent.transcript);
        mem::swap(&mut session.plan, &mut subagent.plan);
        mem::swap(&mut session.plans, &mut subagent.plans);
        mem::swap(&mut inner.speech, &mut rules.speech);
        mem::swap(&mut inner.tools, &mut rules.tools);
        mem::swap(&mut inner.terminals, &mut rules.terminals);
        mem::swap(&mut inner.plan, &mut rules.plan);
        mem::swap(&mut inner.compactions, &mut rules.compactions);
        mem::swap(&mut inner.messages, &mut rules.messages);
        mem::swap(&mut inner.writes, &mut rules.writes);
        mem::swap(&mut inner.weight, &mut rules.weight);
    }

    /// Its row changes with it, and so do the rows of those that it belongs to.
    pub(super) fn touch_subagent(&mut self, id: &SessionId) {
        let inside = self.inside_id().cloned();
        let mut next = Some(id.clone());
        while let Some(subagent) = next.and_then(|id| self.session.subagents.get(&id)) {
            let (parent, block) = (subagent.parent.clone(), subagent.block);
            if parent == inside {
                // Where that is a subagent, leaving it touches those above.
                self.session.transcript.edit(block);
                return;
            }
            if let Some(parent) = &parent
                && let Some(parent) = self.session.subagents.get_mut(parent)
            {
                parent.transcript.edit(block);
            }
            next = parent;
        }
    }

    /// The subagent that is worked on; `None`: the session itself.
    pub(super) fn inside_id(&self) -> Option<&SessionId> {
        self.session.inner.inside.as_ref().map(|inside| &inside.id)
    }

    /// The directory of the subagent that is worked on.
    pub(super) fn inside_cwd(&self) -> Option<&Path> {
        let inside = self.session.inner.inside.as_ref();
        inside.map(|inside| inside.cwd.as_path())
    }

    /// How many it is below the session itself.
    pub(super) fn depth(&self) -> usize {
        let inside = self.session.inner.inside.as_ref();
        inside.map_or(0, |inside| inside.depth)
    }
}
