//! Compactions of the context: the first word of one fixes its place in the timeline, later ones
//! change it there (V1-COMP).

use std::collections::HashMap;

use crate::{
    model::{CompactionId, CompactionPatch, CompactionStatus, ContentBlock, Meta, Patch},
    session::{BlockId, BlockKind, Compaction, Pieces},
};

use super::{
    Step,
    bounds::{MAX_ERROR_TEXT, block_weight, bounded},
};

#[derive(Debug, Default)]
pub(super) struct Compactions {
    by_id: HashMap<CompactionId, BlockId>,
}

impl Step<'_> {
    /// Omitted fields stay, null and an empty summary clear (V1-COMP-01).
    pub(super) fn compaction(&mut self, patch: CompactionPatch) {
        let block = self.compaction_block(&patch.id);
        self.edit_compaction(block, |compaction| {
            if let Some(status) = patch.status {
                compaction.status = status;
                compaction.abandoned = false;
            }
            match patch.summary {
                Patch::Keep => {}
                Patch::Clear => compaction.summary = Pieces::default(),
                Patch::Set(summary) => compaction.summary = summary.into_iter().collect(),
            }
            match patch.error {
                Patch::Keep => {}
                Patch::Clear => compaction.error = None,
                Patch::Set(error) => compaction.error = Some(bounded(&error, MAX_ERROR_TEXT)),
            }
            compaction.meta.merge(&patch.meta);
        });
    }

    /// Appended in the order in which they come; an unknown id begins a compaction (V1-COMP-02).
    pub(super) fn compaction_chunk(&mut self, id: CompactionId, content: ContentBlock, meta: Meta) {
        let block = self.compaction_block(&id);
        self.edit_compaction(block, |compaction| {
            compaction.summary.push(content);
            compaction.meta.merge(&meta);
        });
    }

    fn compaction_block(&mut self, id: &CompactionId) -> BlockId {
        let known = self.session.inner.compactions.by_id.get(id).copied();
        if let Some(block) = known
            && self.session.transcript.index_of(block).is_some()
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
        let by_id = &mut self.session.inner.compactions.by_id;
        by_id.insert(id.clone(), block);
        block
    }

    fn edit_compaction(&mut self, block: BlockId, change: impl FnOnce(&mut Compaction)) {
        let (now, replaying) = (self.now, self.is_replaying());
        let Some(place) = self.session.transcript.edit(block) else {
            return;
        };
        let old = block_weight(place);
        if let BlockKind::Compaction(compaction) = place {
            change(compaction);
            if compaction.is_open() {
                compaction.took = None;
            } else if compaction.took.is_none() && !replaying {
                compaction.took = Some(now.saturating_duration_since(compaction.started));
            }
        }
        let new = block_weight(place);
        self.shrink(old);
        self.grow(new);
    }

    /// The agent is gone: nobody will tell how they end.
    pub(super) fn abandon_compactions(&mut self) {
        let blocks: Vec<BlockId> = self
            .session
            .inner
            .compactions
            .by_id
            .values()
            .copied()
            .collect();
        for block in blocks {
            let open = self.session.transcript.get(block).is_some_and(
                |block| matches!(&block.kind, BlockKind::Compaction(c) if c.is_open()),
            );
            if open {
                self.edit_compaction(block, |compaction| compaction.abandoned = true);
            }
        }
    }

    /// After old blocks were dropped.
    pub(super) fn forget_gone_compactions(&mut self) {
        let transcript = &self.session.transcript;
        let compactions = &mut self.session.inner.compactions;
        compactions
            .by_id
            .retain(|_, block| transcript.index_of(*block).is_some());
    }
}
