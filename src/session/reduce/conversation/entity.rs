//! Entities: found by id and changed in place; the first update of an id fixes its place in the transcript
//! (V1-COMP, V1-SUB-05).

use std::collections::HashMap;

use crate::{
    model::{Entity, EntityId, EntityUpdate},
    session::{BlockId, BlockKind, Transcript},
};

use super::super::Step;
use super::bounds::{MAX_ERROR_TEXT, bounded};

#[derive(Debug, Default)]
pub struct Entities {
    /// By kind and id.
    blocks: HashMap<(&'static str, EntityId), BlockId>,
}

impl Entities {
    /// After old blocks were dropped.
    pub fn forget_gone(&mut self, transcript: &Transcript) {
        self.blocks
            .retain(|_, block| transcript.index_of(*block).is_some());
    }
}

impl Step<'_> {
    pub fn entity(&mut self, mut update: EntityUpdate) {
        update.bound_texts(|text| bounded(text, MAX_ERROR_TEXT));
        let block = self.entity_block(&update);
        self.edit_entity(block, |entity| entity.apply(update));
    }

    fn entity_block(&mut self, update: &EntityUpdate) -> BlockId {
        let key = (update.kind.name(), update.id.clone());
        let known = self.conversation().entities.blocks.get(&key).copied();
        if let Some(block) = known
            && self.conversation().has(block)
        {
            return block;
        }
        self.flush_history();
        let entity = Entity::new(update, self.now);
        let block = self.push(BlockKind::Entity(Box::new(entity)));
        self.conversation_mut().entities.blocks.insert(key, block);
        block
    }

    fn edit_entity(&mut self, block: BlockId, change: impl FnOnce(&mut Entity)) {
        let (now, replaying) = (self.now, self.is_replaying());
        self.conversation_mut().edit(block, |kind| {
            let BlockKind::Entity(entity) = kind else {
                return;
            };
            change(entity);
            if entity.kind.is_open() {
                entity.took = None;
            } else if entity.took.is_none() && !replaying {
                entity.took = Some(now.saturating_duration_since(entity.started));
            }
        });
    }

    /// The agent is gone: it will not say how they end.
    pub fn abandon_entities(&mut self) {
        let blocks = self.conversation().entities.blocks.values();
        for block in blocks.copied().collect::<Vec<_>>() {
            let kind = self.conversation().kind(block);
            if matches!(kind, Some(BlockKind::Entity(entity)) if entity.kind.is_open()) {
                self.edit_entity(block, |entity| entity.kind.abandon());
            }
        }
    }
}
