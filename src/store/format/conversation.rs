//! One conversation of a stored session: the session's own, or a subagent's.

use std::{collections::HashMap, time::Instant};

use super::{
    block::{Block, Kind},
    line::More,
    plan::Pinned,
};
use crate::{
    model::SessionId,
    session::{BlockKind, History, Notice, NoticeLevel, Past, PastSubagent},
    text::SafeTextBuf,
};

/// Shown after an answer that was cut off.
pub const CUT_OFF: &str = "cut off: acp-tui ended here";

/// How deep subagents of subagents go, as in a session (V1-SUB-06). In a damaged file conversations
/// may contain each other.
pub const MAX_DEPTH: usize = 16;

#[derive(Debug, Default)]
pub struct Conversation {
    /// In the order of their first lines.
    pub blocks: Vec<StoredBlock>,
    /// Unfinished plans.
    pub plans: Vec<Pinned>,
    by_id: HashMap<u64, usize>,
    /// Texts that grow, by block: joined with their blocks at the end, so that reading stays
    /// linear.
    growing: HashMap<u64, SafeTextBuf>,
}

/// The conversations of subagents, by their number.
pub type Children = std::collections::BTreeMap<u64, Conversation>;

#[derive(Debug, PartialEq)]
pub struct StoredBlock {
    /// When it first came, in milliseconds since 1970.
    pub at: u64,
    pub block: Block,
    /// The turn was cut off after this block.
    pub cut: bool,
}

impl Conversation {
    /// False for a block of a later version.
    pub(super) fn put(&mut self, at: u64, mut block: Block) -> bool {
        if block.kind == Kind::Later {
            return false;
        }
        self.growing.remove(&block.id);
        if block.kind == Kind::Gone {
            // Its place stays until all is read, so that the indexes of others hold.
            let place = self.by_id.get(&block.id);
            if let Some(stored) = place.and_then(|at| self.blocks.get_mut(*at)) {
                block.aside.lines += stored.block.aside.lines;
                stored.block = block;
            }
            return true;
        }
        match self.by_id.get(&block.id) {
            Some(place) => {
                if let Some(stored) = self.blocks.get_mut(*place) {
                    block.aside.lines += stored.block.aside.lines;
                    stored.block = block;
                }
            }
            None => {
                self.by_id.insert(block.id, self.blocks.len());
                let cut = false;
                self.blocks.push(StoredBlock { at, block, cut });
            }
        }
        true
    }

    pub(super) fn add(&mut self, more: More) {
        let place = self.by_id.get(&more.id);
        let Some(stored) = place.and_then(|at| self.blocks.get_mut(*at)) else {
            return;
        };
        let block = &mut stored.block;
        let text = self
            .growing
            .entry(more.id)
            .or_insert_with(|| SafeTextBuf::from(std::mem::take(&mut block.text)));
        text.push(&more.text);
        block.aside.add(more.aside);
        block.took_ms = more.took_ms.or(block.took_ms);
        if !more.meta.is_empty() {
            block.meta = more.meta;
        }
    }

    /// Called when all lines are read.
    pub(super) fn settle(&mut self) {
        let before = self.blocks.len();
        self.blocks.retain(|stored| stored.block.kind != Kind::Gone);
        if self.blocks.len() < before {
            let blocks = self.blocks.iter().enumerate();
            self.by_id = blocks.map(|(at, stored)| (stored.block.id, at)).collect();
        }
        for stored in &mut self.blocks {
            if let Some(text) = self.growing.remove(&stored.block.id) {
                stored.block.text = text.since(0);
            }
        }
    }

    /// The id of the next block.
    pub fn next_id(&self) -> u64 {
        let last = self.blocks.iter().map(|stored| stored.block.id).max();
        last.map_or(0, |id| id.saturating_add(1))
    }

    pub(super) fn mark_cut(&mut self) {
        if let Some(last) = self.blocks.last_mut() {
            last.cut = true;
        }
    }

    pub(super) fn weight(&self) -> usize {
        let blocks = self.blocks.iter();
        blocks.map(|stored| stored.block.weight()).sum()
    }

    /// Keeps the last blocks, about `bytes` of them by `weight`, and puts a notice before them.
    pub(super) fn keep_last(&mut self, bytes: usize, weight: impl Fn(&Block) -> usize) {
        let mut left = bytes;
        let kept = self.blocks.iter().rev().take_while(|stored| {
            let weight = weight(&stored.block);
            let fits = left >= weight;
            left = left.saturating_sub(weight);
            fits
        });
        let gone = self.blocks.len() - kept.count();
        let Some(last) = gone.checked_sub(1) else {
            return;
        };
        self.blocks.drain(..last);
        if let Some(first) = self.blocks.first_mut() {
            first.block = Block {
                id: first.block.id,
                kind: Kind::Notice,
                text: "earlier messages were dropped to limit the file's size".into(),
                ..Block::default()
            };
        }
        self.by_id.clear();
    }

    /// The conversation to show; takes those of its subagents out of `children`.
    pub(super) fn into_history(self, children: &mut Children, now: Instant) -> History {
        self.history_at(children, now, 0)
    }

    fn history_at(self, children: &mut Children, now: Instant, depth: usize) -> History {
        let mut blocks = Vec::new();
        let mut times = Vec::new();
        for StoredBlock { at, block, cut } in self.blocks {
            if block.kind == Kind::Subagent {
                let id = block.source_id.clone().unwrap_or_default();
                let said = block.child.and_then(|child| children.remove(&child));
                let said = said.filter(|_| depth < MAX_DEPTH).unwrap_or_default();
                let said = said.history_at(children, now, depth + 1);
                blocks.push(Past::Subagent(Box::new(PastSubagent {
                    id: SessionId::new(id),
                    state: block.subagent_state(),
                    took: block.took_ms.map(std::time::Duration::from_millis),
                    said: History {
                        title: Some(block.text),
                        ..said
                    },
                })));
            } else {
                blocks.extend(block.into_history(now).map(Past::Block));
            }
            if cut {
                blocks.push(Past::Block(BlockKind::Notice(Notice {
                    level: NoticeLevel::Warning,
                    text: CUT_OFF.into(),
                    detail: None,
                    last_words: false,
                })));
            }
            times.resize(blocks.len(), at);
        }
        let (plan, plans) = Pinned::restore(self.plans);
        History {
            title: None,
            own_title: false,
            blocks,
            at: times,
            plan,
            plans,
        }
    }
}
