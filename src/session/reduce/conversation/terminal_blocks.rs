//! Which block shows a terminal of ours: one always does, so that each can be looked at, attached to
//! and ended, also where the agent never names it in a tool call (fast-agent).

use crate::{
    model::{
        ExitStatus, Patch, TerminalId, ToolCallId, ToolCallPatch, ToolContent, ToolKind, ToolStatus,
    },
    session::{BlockId, ToolCall},
    text::SafeText,
};

use super::super::{Conversation, Step};
use super::{
    bounds::{MAX_SHOWN_TERMINALS, MAX_TOOL_ITEMS},
    tools::{PatchSource, shown_terminals},
};

/// Id of our own call that shows a terminal; none that an agent would use.
fn own_call(terminal: &TerminalId) -> ToolCallId {
    ToolCallId::new(format!("acp-tui/terminal/{}", terminal.as_str()))
}

impl Step<'_> {
    /// The person's own command is shown like one of the agent's.
    pub fn shell_started(&mut self, terminal: TerminalId, line: SafeText) {
        self.settle_terminal(&terminal);
        let title = SafeText::line(&format!("! {line}"));
        let block = self.show_by_itself(terminal, title, &line);
        if let Some(call) = self.conversation_mut().edit_tool(block) {
            call.by_person = true;
        }
    }

    /// Finds a place for a terminal that started: in a call that shows it already, else in the open
    /// call that it was most likely started for, else in a new block.
    pub fn show_terminal(&mut self, id: &TerminalId, command: &SafeText) {
        if self.conversation().terminals.shown.contains_key(id) {
            return;
        }
        if let Some(block) = self.conversation().call_for(command) {
            self.conversation_mut().adopt(block, id);
        } else {
            let block = self.show_by_itself(id.clone(), SafeText::line(command), command);
            let adopted = &mut self.conversation_mut().terminals.adopted;
            adopted.insert(block, id.clone());
        }
    }

    fn show_by_itself(&mut self, id: TerminalId, title: SafeText, command: &SafeText) -> BlockId {
        let mut patch = ToolCallPatch::new(own_call(&id));
        patch.title = Patch::Set(title);
        patch.kind = Patch::Set(ToolKind::Execute);
        patch.status = Patch::Set(ToolStatus::InProgress);
        patch.command = Patch::Set(command.to_string());
        patch.content = Patch::Set(vec![ToolContent::Terminal(id)]);
        self.patch_tool(patch, PatchSource::Ours)
    }

    /// Ends our own block for a terminal, if there is one.
    pub fn end_own_call(&mut self, id: &TerminalId, status: &ExitStatus) {
        let call = own_call(id);
        if self.conversation().tools.knows(&call) {
            let ended = if status.code == Some(0) {
                ToolStatus::Completed
            } else {
                ToolStatus::Failed
            };
            let patch = ToolCallPatch {
                status: Patch::Set(ended),
                ..ToolCallPatch::new(call)
            };
            self.patch_tool(patch, PatchSource::Ours);
        }
    }

    /// Own calls whose end came while a replay stood in their place.
    pub fn end_own_calls_that_ended(&mut self) {
        let terminals = self.session.terminals.iter();
        let ended: Vec<(TerminalId, ExitStatus)> = terminals
            .filter_map(|(id, info)| Some((id.clone(), info.exit.clone()?)))
            .collect();
        for (id, status) in ended {
            self.end_own_call(&id, &status);
        }
    }
}

impl Conversation {
    /// The block of a terminal's own that a new call takes over, since it names the terminal: many
    /// agents create the terminal first and then tell of the call.
    pub(in crate::session) fn own_block_for(&mut self, call: &ToolCallPatch) -> Option<BlockId> {
        let mut named = shown_terminals(call.content.as_set()?);
        let (id, block) = named.find_map(|id| {
            let block = *self.terminals.shown.get(id)?;
            let adopted = self.terminals.adopted.get(&block) == Some(id);
            (adopted && self.tools.knows(&own_call(id))).then_some((id, block))
        })?;
        self.terminals.adopted.remove(&block);
        self.tools.forget(&own_call(id));
        Some(block)
    }

    /// The one open command without a terminal; of several, one that names this command.
    fn call_for(&self, command: &str) -> Option<BlockId> {
        let open = self.tools.open();
        let candidates: Vec<(BlockId, &ToolCall)> = open
            .filter_map(|block| Some((block, self.tool(block)?)))
            .filter(|(_, call)| {
                call.kind == ToolKind::Execute
                    && !call.asking
                    && !call.is_denied()
                    && shown_terminals(&call.content).next().is_none()
            })
            .collect();
        let run = bare(command);
        let fits = |call: &ToolCall| {
            let named = bare(call.command.as_deref().unwrap_or(&call.title));
            !named.is_empty() && run.contains(&named)
        };
        let fitting = candidates.iter().find(|(_, call)| fits(call));
        let chosen = fitting.or(match candidates.as_slice() {
            [only] => Some(only),
            _ => None,
        });
        chosen.map(|(block, _)| *block)
    }

    fn adopt(&mut self, block: BlockId, id: &TerminalId) {
        let piece = ToolContent::Terminal(id.clone());
        let weight = piece.weight();
        if let Some(call) = self.edit_tool(block) {
            call.content.insert(0, piece);
            call.content.truncate(MAX_TOOL_ITEMS);
            let terminals = &mut self.terminals;
            terminals.adopted.insert(block, id.clone());
            terminals.shown.insert(id.clone(), block);
            self.grow(weight);
        }
    }

    /// Notes what a call's new content shows. A terminal that another block had only adopted is
    /// that block's no longer: it is not shown twice.
    pub(in crate::session) fn index_terminals(&mut self, block: BlockId, content: &[ToolContent]) {
        for id in shown_terminals(content) {
            let terminals = &mut self.terminals;
            let before = terminals.shown.get(id).copied();
            if terminals.shown.len() < MAX_SHOWN_TERMINALS || before.is_some() {
                terminals.shown.insert(id.clone(), block);
            }
            if let Some(before) = before.filter(|before| *before != block)
                && terminals.adopted.get(&before) == Some(id)
            {
                terminals.adopted.remove(&before);
                self.give_up(before, id);
            }
        }
    }

    fn give_up(&mut self, block: BlockId, id: &TerminalId) {
        let piece = ToolContent::Terminal(id.clone());
        if let Some(call) = self.edit_tool(block) {
            let before = call.content.len();
            call.content.retain(|other| *other != piece);
            let gone = before - call.content.len();
            self.shrink(gone * piece.weight());
        }
    }

    /// A call's new content with the terminal that the call has adopted, whether the agent names it
    /// or not.
    pub(in crate::session) fn with_adopted(
        &self,
        block: BlockId,
        mut content: Vec<ToolContent>,
    ) -> Vec<ToolContent> {
        if let Some(id) = self.terminals.adopted.get(&block)
            && !shown_terminals(&content).any(|shown| shown == id)
        {
            content.insert(0, ToolContent::Terminal(id.clone()));
            content.truncate(MAX_TOOL_ITEMS);
        }
        content
    }
}

/// A command without quotes and blanks: agents wrap it in a shell's words.
fn bare(command: &str) -> String {
    command.chars().filter(|c| c.is_alphanumeric()).collect()
}
