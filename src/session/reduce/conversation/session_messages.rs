//! Messages between sessions, found by id and patched in place (V1-SUB-05).

use std::collections::HashMap;

use crate::{
    model::{ContentBlock, MessageId, Meta, SessionMessagePatch},
    session::{BlockId, BlockKind, Pieces, SessionMessage, Transcript},
};

use super::super::Step;

#[derive(Debug, Default)]
pub struct SessionMessages {
    by_id: HashMap<MessageId, BlockId>,
}

impl SessionMessages {
    /// After old blocks were dropped.
    pub fn forget_gone(&mut self, transcript: &Transcript) {
        self.by_id
            .retain(|_, block| transcript.index_of(*block).is_some());
    }
}

impl Step<'_> {
    /// Omitted fields stay, null clears; content replaces all of it.
    pub fn session_message(&mut self, patch: SessionMessagePatch) {
        let block = self.session_message_block(&patch.id);
        self.edit_session_message(block, |message| {
            patch.sender.apply(&mut message.sender);
            patch.recipient.apply(&mut message.recipient);
            let content = patch.content.map(Pieces::from_iter);
            content.apply_to(&mut message.content);
            message.meta.merge(&patch.meta);
        });
    }

    /// May come before the update that names sender and recipient.
    pub fn session_message_chunk(&mut self, id: &MessageId, content: ContentBlock, meta: &Meta) {
        let block = self.session_message_block(id);
        self.edit_session_message(block, |message| {
            message.content.push(content);
            message.meta.merge(meta);
        });
    }

    fn session_message_block(&mut self, id: &MessageId) -> BlockId {
        let known = self.conversation().session_messages.by_id.get(id).copied();
        if let Some(block) = known
            && self.conversation().has(block)
        {
            return block;
        }
        self.flush_history();
        let block = self.push(BlockKind::SessionMessage(Box::new(SessionMessage {
            sender: None,
            recipient: None,
            content: Pieces::default(),
            meta: Meta::default(),
        })));
        self.conversation_mut()
            .session_messages
            .by_id
            .insert(id.clone(), block);
        block
    }

    fn edit_session_message(&mut self, block: BlockId, change: impl FnOnce(&mut SessionMessage)) {
        self.conversation_mut().edit(block, |kind| {
            if let BlockKind::SessionMessage(message) = kind {
                change(message);
            }
        });
    }
}
