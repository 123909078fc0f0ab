//! Tool calls, found by id and patched in place (V1-TOOL).

use std::collections::{BTreeSet, HashMap};

use crate::{
    model::{Meta, Patch, ToolCallId, ToolCallPatch, ToolContent, ToolStatus},
    session::{BlockId, BlockKind, ToolCall, ToolState, Transcript, Turn, TurnPhase},
};

use super::super::Step;
use super::bounds::{
    MAX_TITLE, MAX_TOOL_ITEMS, MAX_TOOL_TEXT, block_weight, bound_entries, bounded,
    bounded_content, bounded_content_within,
};

#[derive(Debug, Default)]
pub struct ToolIndex {
    by_id: HashMap<ToolCallId, Known>,
    /// Calls of the agent that have not finished.
    open: BTreeSet<BlockId>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    block: BlockId,
    /// The turn that it was announced in.
    turn: u64,
}

/// Where a patch comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchSource {
    /// `tool_call`
    Announced,
    /// `tool_call_update`
    Updated,
    /// `session/request_permission`
    Asked,
    /// By this client, of a command that is its own: that ends with its process and not with a turn.
    Ours,
}

impl PatchSource {
    /// Whether it is about another call than the one of an earlier turn that had its id.
    fn means_another(self, state: &ToolState) -> bool {
        match self {
            // One that still runs, in the background, can be asked about.
            Self::Announced | Self::Asked => !state.is_open(),
            Self::Updated | Self::Ours => false,
        }
    }
}

impl ToolIndex {
    /// After old blocks were dropped.
    pub fn forget_gone(&mut self, transcript: &Transcript) {
        self.by_id
            .retain(|_, known| transcript.index_of(known.block).is_some());
        self.open
            .retain(|block| transcript.index_of(*block).is_some());
    }

    pub fn knows(&self, id: &ToolCallId) -> bool {
        self.by_id.contains_key(id)
    }

    /// The call that has this id now.
    pub fn find(&self, id: &ToolCallId) -> Option<BlockId> {
        self.by_id.get(id).map(|known| known.block)
    }

    pub fn forget(&mut self, id: &ToolCallId) {
        self.by_id.remove(id);
    }

    /// The calls that were announced in a turn.
    pub fn of_turn(&self, turn: u64) -> impl Iterator<Item = BlockId> {
        let calls = self.by_id.values().filter(move |known| known.turn == turn);
        calls.map(|known| known.block)
    }

    /// The agent's calls that have not finished.
    pub fn open(&self) -> impl Iterator<Item = BlockId> {
        self.open.iter().copied()
    }
}

impl Step<'_> {
    pub fn tool_call(&mut self, patch: ToolCallPatch) {
        let by = if patch.announces {
            PatchSource::Announced
        } else {
            PatchSource::Updated
        };
        self.patch_tool(patch, by);
    }

    /// Applies a patch to its call; a first sight creates it (V1-TOOL-03). An id that a call of an
    /// earlier turn had may be another call's now: some agents count from one in each turn. Within
    /// a turn an id stays one row.
    pub fn patch_tool(&mut self, mut patch: ToolCallPatch, by: PatchSource) -> BlockId {
        self.flush_history();
        let turn = self.session.inner.turn.number;
        let known = self.conversation().tools.by_id.get(&patch.id).copied();
        let same = known.filter(|known| match self.conversation().tool(known.block) {
            Some(call) => known.turn == turn || !by.means_another(&call.state),
            None => false,
        });
        let block = match same {
            Some(known) => known.block,
            None => {
                let call = ToolCall::new(patch.id.clone(), self.now);
                let call = BlockKind::Tool(Box::new(call));
                let block = match self.conversation_mut().own_block_for(&patch) {
                    Some(block) => {
                        self.conversation_mut().replace(block, call);
                        block
                    }
                    None => self.push(call),
                };
                let known = Known { block, turn };
                let tools = &mut self.conversation_mut().tools;
                tools.by_id.insert(patch.id.clone(), known);
                block
            }
        };
        if let Some(todos) = &mut patch.todos {
            bound_entries(todos);
            self.plan(todos.clone());
        }
        self.apply_patch(block, patch, by);
        block
    }

    /// Present fields replace, whole lists included (V1-TOOL-02). A status of the agent replaces our
    /// "cancelled" (V1-TOOL-06).
    fn apply_patch(&mut self, block: BlockId, patch: ToolCallPatch, by: PatchSource) {
        let content = match patch.content {
            Patch::Keep => None,
            Patch::Clear => Some(Vec::new()),
            Patch::Set(content) => Some(bounded_content(content)),
        };
        let content = content.map(|content| self.conversation().with_adopted(block, content));
        if let Some(content) = &content {
            self.conversation_mut().index_terminals(block, content);
        }
        let asked = self.asked_of(block).filter(|_| by != PatchSource::Ours);
        let replaying = self.is_replaying();
        let now = self.now;
        let goes_on = by == PatchSource::Ours || self.is_under_way(&patch.id);
        let Some(place) = self.conversation_mut().transcript.edit(block) else {
            return;
        };
        let old = block_weight(place);
        let BlockKind::Tool(call) = place else {
            return;
        };
        let before = call.state.is_open();
        let title = patch.title.map(|title| bounded(&title, MAX_TITLE));
        title.apply_to(&mut call.title);
        patch.kind.apply_to(&mut call.kind);
        patch.locations.apply_to(&mut call.locations);
        call.locations.truncate(MAX_TOOL_ITEMS);
        patch.name.apply(&mut call.name);
        patch.raw_input.apply(&mut call.raw_input);
        patch.raw_output.apply(&mut call.raw_output);
        patch.command.apply(&mut call.command);
        patch.command_cwd.apply(&mut call.command_cwd);
        if let Some(todos) = patch.todos {
            call.todos = todos;
        }
        // What it says of them is the same list once more.
        let content = match call.todos.is_empty() {
            true => content,
            false => content.map(|_| Vec::new()),
        };
        call.settle(content, patch.claims);
        call.content.truncate(MAX_TOOL_ITEMS);
        patch.input.apply(&mut call.input);
        patch.cancel.apply_to(&mut call.cancel);
        call.meta.merge(&patch.meta);
        match patch.status {
            Patch::Keep => {}
            // It was on its way when the call was cancelled: nothing would ever end it again.
            Patch::Clear | Patch::Set(ToolStatus::Pending | ToolStatus::InProgress)
                if call.state == ToolState::Cancelled && !goes_on => {}
            Patch::Clear => call.state = ToolState::Pending,
            Patch::Set(status) => {
                call.state = match status {
                    ToolStatus::Pending => ToolState::Pending,
                    ToolStatus::InProgress => ToolState::InProgress,
                    ToolStatus::Paused => ToolState::Paused,
                    ToolStatus::Completed => ToolState::Completed,
                    ToolStatus::Failed => ToolState::Failed,
                    ToolStatus::Cancelled => ToolState::Cancelled,
                    ToolStatus::Unknown(status) => ToolState::Unknown(status),
                };
                call.cancelling = false;
                call.doubted = false;
            }
        }
        let open = call.state.is_open();
        if open {
            call.took = None;
        } else if call.took.is_none() && !replaying {
            call.took = Some(now.saturating_duration_since(call.started));
        }
        let new = block_weight(place);
        if before && !open {
            self.session.acts += 1;
        }
        if open && by != PatchSource::Ours {
            self.conversation_mut().tools.open.insert(block);
        } else {
            self.conversation_mut().tools.open.remove(&block);
        }
        self.conversation_mut().shrink(old);
        self.conversation_mut().grow(new);
        self.change_asked(block, asked);
        self.compare(block, by);
    }

    /// Whether the turn that a call was announced in is still running, and not being cancelled.
    fn is_under_way(&self, id: &ToolCallId) -> bool {
        let known = self.conversation().tools.by_id.get(id);
        let running = |turn: &Turn| turn.phase == TurnPhase::Running;
        known.is_some_and(|known| known.turn == self.session.inner.turn.number)
            && self.session.turn.as_ref().is_some_and(running)
    }

    /// More of a call's content (V2-UPD-04).
    pub fn tool_content(&mut self, id: ToolCallId, mut content: Vec<ToolContent>, meta: Meta) {
        let block = self.patch_tool(
            ToolCallPatch {
                meta,
                ..ToolCallPatch::new(id)
            },
            PatchSource::Updated,
        );
        let Some(call) = self.conversation().tool(block) else {
            return;
        };
        let room = MAX_TOOL_TEXT.saturating_sub(call.content.iter().map(ToolContent::weight).sum());
        if call.content.len() >= MAX_TOOL_ITEMS || room == 0 {
            return;
        }
        content = bounded_content_within(content, room);
        self.conversation_mut().index_terminals(block, &content);
        let added = content.iter().map(ToolContent::weight).sum();
        let asked = self.asked_of(block);
        if let Some(call) = self.conversation_mut().edit_tool(block) {
            let mut all = std::mem::take(&mut call.content);
            call.diffs.append(&mut all, content, &call.locations);
            all.truncate(MAX_TOOL_ITEMS);
            call.content = all;
            self.conversation_mut().grow(added);
        }
        self.change_asked(block, asked);
        self.compare(block, PatchSource::Updated);
    }

    /// What is unfinished becomes `state`: the turn, its cancel or the agent ended it.
    pub fn end_open_tools(&mut self, state: ToolState) {
        let (now, replaying) = (self.now, self.is_replaying());
        let mut freed = 0;
        for block in std::mem::take(&mut self.conversation_mut().tools.open) {
            if self.is_in_background(block) {
                self.conversation_mut().tools.open.insert(block);
                continue;
            }
            if let Some(call) = self.conversation_mut().edit_tool(block) {
                call.state = state.clone();
                call.doubted = false;
                freed += call.diffs.rest();
                if !replaying {
                    call.took = Some(now.saturating_duration_since(call.started));
                }
            }
        }
        self.conversation_mut().shrink(freed);
    }
}

/// Terminals that a call's content shows.
pub fn shown_terminals(content: &[ToolContent]) -> impl Iterator<Item = &crate::model::TerminalId> {
    content.iter().filter_map(|piece| match piece {
        ToolContent::Terminal(id) => Some(id),
        _ => None,
    })
}
