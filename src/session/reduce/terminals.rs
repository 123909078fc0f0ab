//! Terminals: what is known of them, and which blocks show them.

use std::collections::HashMap;

use crate::{
    proto::{ExitStatus, TerminalId, TerminalMeta, ToolContent},
    session::{BlockId, Effect, TerminalInfo},
    text::SafeText,
};

use super::{
    Step,
    bounds::{MAX_SHOWN_TERMINALS, MAX_TERMINALS},
    tools::shown_terminals,
};

/// The latest block that shows each terminal.
#[derive(Debug, Default)]
pub(super) struct TerminalIndex(HashMap<TerminalId, BlockId>);

impl Step<'_> {
    pub(super) fn terminal_started(&mut self, id: TerminalId, command: SafeText, cwd: SafeText) {
        let info = TerminalInfo {
            command,
            cwd,
            started: self.now,
            exit: None,
            foreign: false,
        };
        self.add_terminal(id, info);
    }

    pub(super) fn terminal_exited(&mut self, id: TerminalId, status: ExitStatus) {
        if let Some(info) = self.session.terminals.get_mut(&id) {
            info.exit = Some(status);
            self.touch_terminal(&id);
        }
    }

    /// A terminal that the agent runs itself (codex, pi, claude). One of ours is none of its
    /// business.
    pub(super) fn terminal_meta(&mut self, meta: TerminalMeta) {
        let id = match &meta {
            TerminalMeta::Info { id, .. }
            | TerminalMeta::Output { id, .. }
            | TerminalMeta::Exit { id, .. } => id.clone(),
        };
        match self.session.terminals.get_mut(&id) {
            Some(info) if !info.foreign => return,
            Some(info) => match &meta {
                TerminalMeta::Info { cwd: Some(cwd), .. } => info.cwd = SafeText::line(cwd),
                TerminalMeta::Exit { status, .. } => info.exit = Some(status.clone()),
                _ => {}
            },
            None => {
                let cwd = match &meta {
                    TerminalMeta::Info { cwd: Some(cwd), .. } => SafeText::line(cwd),
                    _ => SafeText::default(),
                };
                let exit = match &meta {
                    TerminalMeta::Exit { status, .. } => Some(status.clone()),
                    _ => None,
                };
                let info = TerminalInfo {
                    command: self.command_shown_with(&id),
                    cwd,
                    started: self.now,
                    exit,
                    foreign: true,
                };
                self.add_terminal(id.clone(), info);
            }
        }
        self.touch_terminal(&id);
        self.effects.push(Effect::TerminalMeta(meta));
    }

    fn command_shown_with(&self, id: &TerminalId) -> SafeText {
        let block = self.session.inner.terminals.0.get(id);
        match block.and_then(|block| self.tool(*block)) {
            Some(call) => match &call.command {
                Some(command) => SafeText::line(command),
                None => call.title.clone(),
            },
            None => SafeText::default(),
        }
    }

    fn add_terminal(&mut self, id: TerminalId, info: TerminalInfo) {
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
        self.touch_terminal(&id);
    }

    /// The agent is gone: nobody will tell how its own terminals ended.
    pub(super) fn close_foreign_terminals(&mut self) {
        let mut closed = Vec::new();
        for (id, info) in &mut self.session.terminals {
            if info.foreign && info.exit.is_none() {
                info.exit = Some(ExitStatus::default());
                closed.push(id.clone());
            }
        }
        for id in closed {
            self.touch_terminal(&id);
        }
    }

    /// A block that shows a terminal has changed with it.
    fn touch_terminal(&mut self, id: &TerminalId) {
        if let Some(block) = self.session.inner.terminals.0.get(id) {
            self.session.transcript.edit(*block);
        }
    }

    pub(super) fn index_terminals(&mut self, block: BlockId, content: &[ToolContent]) {
        let shown = &mut self.session.inner.terminals.0;
        for id in shown_terminals(content) {
            if shown.len() < MAX_SHOWN_TERMINALS || shown.contains_key(id) {
                shown.insert(id.clone(), block);
            }
        }
    }

    /// After old blocks were dropped.
    pub(super) fn forget_gone_terminals(&mut self) {
        let transcript = &self.session.transcript;
        let shown = &mut self.session.inner.terminals.0;
        shown.retain(|_, block| transcript.index_of(*block).is_some());
    }
}
