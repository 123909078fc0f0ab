//! Terminals: what is known of them.

use std::collections::{BTreeSet, HashMap};

use crate::{
    model::{ExitStatus, Patch, TerminalId, TerminalPatch, TerminalSize},
    session::{BlockId, Effect, NoticeLevel, ScreenChange, TerminalInfo, Transcript},
    text::{SafeText, truncate_to_width},
};

use super::super::{Conversation, Step};
use super::bounds::{MAX_TERMINALS, MAX_TITLE, bounded};

/// Cells of each command in the line about those that still run.
const COMMAND_WIDTH: usize = 60;

#[derive(Debug, Default)]
pub struct TerminalIndex {
    /// The latest block that shows each terminal.
    pub shown: HashMap<TerminalId, BlockId>,
    /// Terminals that a block shows though the agent has not named them in it, by block.
    pub adopted: HashMap<BlockId, TerminalId>,
}

/// Commands that need no notice about still running: the agent is ending them, they are the person's
/// own, or the notice was given. Of the session and its subagents, as the terminals are.
#[derive(Debug, Default)]
pub struct SettledTerminals(BTreeSet<TerminalId>);

impl TerminalIndex {
    /// After old blocks were dropped.
    pub fn forget_gone(&mut self, transcript: &Transcript) {
        self.shown
            .retain(|_, block| transcript.index_of(*block).is_some());
        self.adopted
            .retain(|block, _| transcript.index_of(*block).is_some());
    }
}

impl Step<'_> {
    pub fn terminal_started(&mut self, id: TerminalId, command: SafeText, cwd: SafeText) {
        let info = TerminalInfo {
            command: command.clone(),
            cwd,
            ..TerminalInfo::new(self.now)
        };
        self.add_terminal(id.clone(), info);
        self.show_terminal(&id, &command);
    }

    pub fn terminal_exited(&mut self, id: TerminalId, status: ExitStatus) {
        self.end_own_call(&id, &status);
        self.session.acts += 1;
        if let Some(info) = self.session.terminals.get_mut(&id) {
            info.exit = Some(status);
            self.session.inner.settled_terminals.0.remove(&id);
            self.conversation_mut().touch_terminal(&id);
        }
    }

    /// The agent kills or releases it, or it needs no watching for another reason.
    pub fn settle_terminal(&mut self, id: &TerminalId) {
        let running = self.session.terminals.get(id);
        if running.is_none_or(|info| info.exit.is_none()) {
            let settled = &mut self.session.inner.settled_terminals.0;
            settled.insert(id.clone());
            if settled.len() > MAX_TERMINALS {
                settled.pop_first();
            }
        }
    }

    /// Commands that outlive their turn, each told of once (V1-CAN-07).
    pub fn tell_running_terminals(&mut self) {
        let settled = &self.session.inner.settled_terminals.0;
        let running: Vec<(TerminalId, String)> = self
            .session
            .terminals
            .iter()
            .filter(|(id, info)| !info.foreign && info.exit.is_none() && !settled.contains(id))
            // Those of a subagent end with its own work.
            .filter(|(id, _)| self.subagent_showing(id).is_none())
            .map(|(id, info)| {
                let command = truncate_to_width(&info.command, COMMAND_WIDTH);
                (id.clone(), command.into_owned())
            })
            .collect();
        if running.is_empty() {
            return;
        }
        let (ids, commands): (Vec<_>, Vec<_>) = running.into_iter().unzip();
        let text = format!(
            "still running: {} (tab selects a block, t attaches to its terminal, F9 there ends it)",
            commands.join(", ")
        );
        self.say(NoticeLevel::Info, SafeText::line(&text));
        for id in ids {
            self.settle_terminal(&id);
        }
    }

    /// A terminal that the agent runs itself (V2-UPD-05; codex, pi, claude). One of ours is none of
    /// its business.
    pub fn agent_terminal(&mut self, patch: TerminalPatch) {
        let id = patch.id;
        if !self.knows_agent_terminal(&id) {
            return;
        }
        let first_size = patch.size.as_set().copied();
        let resized = first_size.filter(|_| patch.output == Patch::Keep);
        match patch.output {
            Patch::Keep => {}
            Patch::Clear => {
                self.change_screen(&id, ScreenChange::Begin(self.size_of(&id, first_size)))
            }
            Patch::Set(output) => {
                self.change_screen(&id, ScreenChange::Begin(self.size_of(&id, first_size)));
                self.change_screen(&id, ScreenChange::Print(output));
            }
        }
        if let Some(size) = resized {
            self.change_screen(&id, ScreenChange::Resize(size));
        }
        let Some(info) = self.session.terminals.get_mut(&id) else {
            return;
        };
        let line = |text: String| SafeText::line(&text);
        patch.command.map(line).apply_to(&mut info.command);
        patch.cwd.map(line).apply_to(&mut info.cwd);
        patch.cancel.apply_to(&mut info.cancel);
        patch.size.apply(&mut info.size);
        info.meta.merge(&patch.meta);
        bound(info);
        let ended = info.exit.is_some();
        patch.exit.apply(&mut info.exit);
        let ends = !ended && info.exit.is_some();
        if info.exit.is_some() {
            info.cancelling = false;
        }
        if ends {
            self.session.acts += 1;
            self.change_screen(&id, ScreenChange::End);
        }
        self.conversation_mut().touch_terminal(&id);
    }

    pub fn agent_terminal_output(&mut self, id: TerminalId, data: Vec<u8>) {
        if self.knows_agent_terminal(&id) {
            self.change_screen(&id, ScreenChange::Print(data));
            self.conversation_mut().touch_terminal(&id);
        }
    }

    /// Whether the agent runs that terminal itself. An unknown one is added as such.
    fn knows_agent_terminal(&mut self, id: &TerminalId) -> bool {
        if let Some(info) = self.session.terminals.get(id) {
            return info.foreign;
        }
        let info = TerminalInfo {
            command: self.command_shown_with(id),
            foreign: true,
            ..TerminalInfo::new(self.now)
        };
        self.add_terminal(id.clone(), info);
        true
    }

    fn size_of(&self, id: &TerminalId, told: Option<TerminalSize>) -> Option<TerminalSize> {
        let known = self.session.terminals.get(id);
        told.or_else(|| known.and_then(|info| info.size))
    }

    fn change_screen(&mut self, id: &TerminalId, change: ScreenChange) {
        self.effects.push(Effect::AgentScreen {
            id: id.clone(),
            change,
        });
    }

    fn command_shown_with(&self, id: &TerminalId) -> SafeText {
        let block = self.conversation().terminals.shown.get(id);
        match block.and_then(|block| self.conversation().tool(*block)) {
            Some(call) => match &call.command {
                Some(command) => SafeText::line(command),
                None => call.title.clone(),
            },
            None => SafeText::default(),
        }
    }

    pub fn add_terminal(&mut self, id: TerminalId, mut info: TerminalInfo) {
        bound(&mut info);
        self.session.terminals.insert(id.clone(), info);
        if self.session.terminals.len() > MAX_TERMINALS {
            let ended = |info: &TerminalInfo| info.exit.is_some();
            let terminals = &self.session.terminals;
            let oldest = terminals
                .iter()
                .filter(|(other, _)| **other != id)
                .min_by_key(|(_, info)| (!ended(info), info.started))
                .map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                self.session.terminals.remove(&oldest);
            }
        }
        self.conversation_mut().touch_terminal(&id);
    }

    /// The agent is gone: how its own terminals ended stays unknown.
    pub fn close_foreign_terminals(&mut self) {
        let mut closed = Vec::new();
        for (id, info) in &mut self.session.terminals {
            if info.foreign && info.exit.is_none() {
                info.exit = Some(ExitStatus::default());
                closed.push(id.clone());
            }
        }
        for id in closed {
            self.conversation_mut().touch_terminal(&id);
        }
    }

    /// Those of the agent that run may have ended, or are known to run again (V2-STATE-03).
    pub fn doubt_open_terminals(&mut self, doubt: bool) {
        let mut changed = Vec::new();
        for (id, info) in &mut self.session.terminals {
            if info.foreign && info.exit.is_none() && info.doubted != doubt {
                info.doubted = doubt;
                changed.push(id.clone());
            }
        }
        for id in changed {
            self.conversation_mut().touch_terminal(&id);
        }
    }
}

impl Conversation {
    /// A block that shows a terminal has changed with it.
    pub(in crate::session) fn touch_terminal(&mut self, id: &TerminalId) {
        if let Some(block) = self.terminals.shown.get(id) {
            self.transcript.edit(*block);
        }
    }
}

/// As many are kept as there are terminals.
fn bound(info: &mut TerminalInfo) {
    for line in [&mut info.command, &mut info.cwd] {
        if line.len() > MAX_TITLE {
            *line = SafeText::line(&bounded(line, MAX_TITLE));
        }
    }
}
