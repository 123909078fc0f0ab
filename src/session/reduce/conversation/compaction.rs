//! Compactions of the context: the first update fixes the place in the transcript, later ones change
//! it there (V1-COMP).

use std::collections::HashMap;

use crate::{
    model::{CompactionId, CompactionPatch, CompactionStatus, ContentBlock, Meta},
    session::{BlockId, BlockKind, Compaction, Pieces, Transcript},
};

use super::super::Step;
use super::bounds::{MAX_ERROR_TEXT, bounded};

#[derive(Debug, Default)]
pub struct Compactions {
    by_id: HashMap<CompactionId, BlockId>,
}

impl Compactions {
    /// After old blocks were dropped.
    pub fn forget_gone(&mut self, transcript: &Transcript) {
        self.by_id
            .retain(|_, block| transcript.index_of(*block).is_some());
    }
}

impl Step<'_> {
    /// Omitted fields stay, null and an empty summary clear (V1-COMP-01).
    pub fn compaction(&mut self, patch: CompactionPatch) {
        let block = self.compaction_block(&patch.id);
        self.edit_compaction(block, |compaction| {
            if let Some(status) = patch.status {
                compaction.status = status;
                compaction.abandoned = false;
            }
            let summary = patch.summary.map(Pieces::from_iter);
            summary.apply_to(&mut compaction.summary);
            let error = patch.error.map(|error| bounded(&error, MAX_ERROR_TEXT));
            error.apply(&mut compaction.error);
            compaction.meta.merge(&patch.meta);
        });
    }

    /// Appended in the order in which they come; an unknown id begins a compaction (V1-COMP-02).
    pub fn compaction_chunk(&mut self, id: CompactionId, content: ContentBlock, meta: Meta) {
        let block = self.compaction_block(&id);
        self.edit_compaction(block, |compaction| {
            compaction.summary.push(content);
            compaction.meta.merge(&meta);
        });
    }

    fn compaction_block(&mut self, id: &CompactionId) -> BlockId {
        let known = self.conversation().compactions.by_id.get(id).copied();
        if let Some(block) = known
            && self.conversation().has(block)
        {
            return block;
        }
        self.flush_history();
        let block = self.push(BlockKind::Compaction(Box::new(Compaction {
            id: id.clone(),
            status: CompactionStatus::InProgress,
            summary: Pieces::default(),
            error: None,
            started: self.now,
            took: None,
            meta: Meta::default(),
            abandoned: false,
        })));
        let by_id = &mut self.conversation_mut().compactions.by_id;
        by_id.insert(id.clone(), block);
        block
    }

    fn edit_compaction(&mut self, block: BlockId, change: impl FnOnce(&mut Compaction)) {
        let (now, replaying) = (self.now, self.is_replaying());
        self.conversation_mut().edit(block, |kind| {
            let BlockKind::Compaction(compaction) = kind else {
                return;
            };
            change(compaction);
            if compaction.is_open() {
                compaction.took = None;
            } else if compaction.took.is_none() && !replaying {
                compaction.took = Some(now.saturating_duration_since(compaction.started));
            }
        });
    }

    /// The agent is gone: how they end stays unknown.
    pub fn abandon_compactions(&mut self) {
        let blocks: Vec<BlockId> = self
            .conversation()
            .compactions
            .by_id
            .values()
            .copied()
            .collect();
        for block in blocks {
            let kind = self.conversation().kind(block);
            if matches!(kind, Some(BlockKind::Compaction(compaction)) if compaction.is_open()) {
                self.edit_compaction(block, |compaction| compaction.abandoned = true);
            }
        }
    }
}
