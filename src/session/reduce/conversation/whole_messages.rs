//! Messages by their ids: which blocks hold one, so that a whole one can take its place
//! (V2-UPD-01), and which of the user's is our own prompt.

use std::collections::HashMap;

use crate::{
    model::{ChunkRole, ContentBlock, MessageId, Meta, Patch},
    session::{BlockId, BlockKind, MAX_ATTACHED, Message, Thought, Transcript, UserMessage},
    text::{SafeText, SafeTextBuf},
};

use super::super::{Conversation, Step};
use super::{
    bounds::{MAX_MESSAGE, MAX_TOOL_ITEMS, block_weight, bounded},
    messages::{History, media_mark},
};

/// The blocks of each message, in order; a message without one is not known.
#[derive(Debug, Default)]
pub struct MessageBlocks(HashMap<(u8, MessageId), Vec<BlockId>>);

impl MessageBlocks {
    /// After old blocks were dropped.
    pub fn forget_gone(&mut self, transcript: &Transcript) {
        self.0.retain(|_, blocks| {
            blocks.retain(|block| transcript.index_of(*block).is_some());
            !blocks.is_empty()
        });
    }
}

/// The same id of another role is another message.
fn key(role: ChunkRole, id: &MessageId) -> (u8, MessageId) {
    (role as u8, id.clone())
}

/// A run of text, with the person's pictures and sounds in it, or another kind of content.
enum Part {
    Text(SafeText, Vec<ContentBlock>),
    Content(ContentBlock),
}

impl Step<'_> {
    /// `user_message`, `agent_message`, `agent_thought`: what it says of the content replaces all of
    /// it, what came in chunks included.
    pub fn message(
        &mut self,
        role: ChunkRole,
        id: MessageId,
        content: Patch<Vec<ContentBlock>>,
        meta: &Meta,
    ) {
        if role == ChunkRole::User {
            if self.is_echo(&id, &content) {
                return;
            }
        } else {
            self.spoke();
        }
        self.flush_history();
        let blocks = self.conversation().blocks_told(role, &id);
        match content {
            Patch::Keep => {}
            Patch::Clear => self.tell_anew(role, id, blocks.clone(), Vec::new(), meta),
            Patch::Set(content) => self.tell_anew(role, id, blocks.clone(), content, meta),
        }
        if let Some(first) = blocks.first() {
            self.conversation_mut().merge_meta(*first, meta);
        }
    }

    /// In the blocks that it has, as far as they go; further ones at the end.
    fn tell_anew(
        &mut self,
        role: ChunkRole,
        id: MessageId,
        mut blocks: Vec<BlockId>,
        content: Vec<ContentBlock>,
        meta: &Meta,
    ) {
        let parts = parts(role, content);
        if blocks.is_empty() && role == ChunkRole::User && !parts.is_empty() {
            self.history_goes_on();
        }
        // Chunks go on adding to an open message that is replaced.
        let said = self.conversation().is_said_in(&blocks);
        self.conversation_mut().is_not_said(&blocks);
        let surplus = blocks.split_off(blocks.len().min(parts.len()));
        self.conversation_mut().withdraw(&surplus);
        let mut places = blocks.into_iter();
        let mut held = Vec::new();
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.into_iter().enumerate() {
            let place = places.next();
            let goes_on = said && at == last;
            let kind = self.said_whole(role, &id, (place, goes_on), part, meta);
            let is_text = !matches!(kind, BlockKind::Content(_));
            let block = match place {
                Some(block) => {
                    self.conversation_mut().replace(block, kind);
                    if is_text && goes_on {
                        self.conversation_mut().is_said(block);
                    }
                    block
                }
                None => {
                    let block = self.push(kind);
                    if is_text && role != ChunkRole::User {
                        // Chunks may add to it.
                        self.conversation_mut().is_said(block);
                    }
                    block
                }
            };
            held.push(block);
        }
        let told = &mut self.conversation_mut().message_blocks.0;
        if held.is_empty() {
            told.remove(&key(role, &id));
        } else {
            told.insert(key(role, &id), held);
        }
    }

    fn said_whole(
        &self,
        role: ChunkRole,
        id: &MessageId,
        (place, goes_on): (Option<BlockId>, bool),
        part: Part,
        meta: &Meta,
    ) -> BlockKind {
        let (text, attached) = match part {
            Part::Content(content) => return BlockKind::Content(content),
            Part::Text(text, attached) => (bounded(&text, MAX_MESSAGE), attached),
        };
        let before = place.and_then(|block| self.conversation().kind(block));
        match role {
            ChunkRole::User => BlockKind::User(UserMessage {
                text,
                attached,
                refused: matches!(before, Some(BlockKind::User(said)) if said.refused),
                steered: match before {
                    Some(BlockKind::User(said)) => said.steered,
                    _ => None,
                },
                meta: match before {
                    Some(BlockKind::User(said)) => said.meta.clone(),
                    _ => meta.clone(),
                },
            }),
            ChunkRole::Agent => BlockKind::Agent(Message {
                id: Some(id.clone()),
                text: match before {
                    Some(BlockKind::Agent(said)) => said.text.replaced_by(&text),
                    _ => text.into(),
                },
                done: place.is_some() && !goes_on,
                meta: match before {
                    Some(BlockKind::Agent(said)) => said.meta.clone(),
                    _ => meta.clone(),
                },
            }),
            ChunkRole::Thought => {
                let (started, took, meta) = match before {
                    Some(BlockKind::Thought(said)) => (said.started, said.took, said.meta.clone()),
                    _ => (self.now, None, meta.clone()),
                };
                BlockKind::Thought(Thought {
                    id: Some(id.clone()),
                    text: match before {
                        Some(BlockKind::Thought(said)) => said.text.replaced_by(&text),
                        _ => text.into(),
                    },
                    started,
                    // What is replaced is not being thought.
                    took: took.or_else(|| {
                        let over = place.is_some() && !goes_on;
                        over.then(|| self.now.saturating_duration_since(started))
                    }),
                    meta,
                })
            }
        }
    }

    /// Whether a message of the user is the prompt that stands on the screen as it was typed. An
    /// answer of the agent's that would tell may yet come: till then it is held back, as what comes
    /// in chunks is.
    fn is_echo(&mut self, id: &MessageId, content: &Patch<Vec<ContentBlock>>) -> bool {
        if self.is_replaying() {
            return false;
        }
        let unanswered = self.session.inner.turn.unanswered;
        let speech = &mut self.conversation_mut().speech;
        let texts: Vec<&SafeText> = match content {
            Patch::Set(content) => content.iter().filter_map(as_text).collect(),
            // Taken back is only what the agent said; what the person typed stays.
            Patch::Keep | Patch::Clear => return speech.echo.own.as_ref() == Some(id),
        };
        if speech.is_steered(&texts) {
            return true;
        }
        let same = speech.echo.is(&texts);
        if speech.echo.own.as_ref() == Some(id) {
            return same || !std::mem::replace(&mut speech.echo.told, true);
        }
        if !unanswered || speech.echo.own.is_some() {
            return false;
        }
        if same {
            speech.echo.told = true;
            self.conversation_mut().own_message(id.clone());
            return true;
        }
        let only_text = matches!(content, Patch::Set(content) if content.len() == texts.len());
        if only_text
            && self
                .conversation()
                .blocks_told(ChunkRole::User, id)
                .is_empty()
        {
            let text = joined(texts.into_iter().cloned());
            self.end_message();
            self.conversation_mut().speech.history = Some(History {
                id: Some(id.clone()),
                text: SafeTextBuf::from(text),
                attached: Vec::new(),
                meta: Meta::default(),
            });
            return true;
        }
        false
    }
}

impl Conversation {
    fn merge_meta(&mut self, block: BlockId, meta: &Meta) {
        if *meta == Meta::default() {
            return;
        }
        match self.transcript.edit(block) {
            Some(BlockKind::User(said)) => said.meta.merge(meta),
            Some(BlockKind::Agent(said)) => said.meta.merge(meta),
            Some(BlockKind::Thought(said)) => said.meta.merge(meta),
            _ => {}
        }
    }

    /// Removes blocks that are no longer part of the conversation.
    pub(in crate::session) fn withdraw(&mut self, blocks: &[BlockId]) {
        if blocks.is_empty() {
            return;
        }
        let transcript = &self.transcript;
        let held = blocks.iter().filter_map(|id| transcript.get(*id));
        let weight = held.map(|block| block_weight(&block.kind)).sum();
        self.transcript.remove(blocks);
        self.shrink(weight);
    }

    /// The blocks of a message that are there.
    fn blocks_told(&self, role: ChunkRole, id: &MessageId) -> Vec<BlockId> {
        let told = self.message_blocks.0.get(&key(role, id));
        let there = |block: &&BlockId| self.has(**block);
        told.into_iter().flatten().filter(there).copied().collect()
    }

    /// That block is one of the message's.
    pub(in crate::session) fn note_told(
        &mut self,
        role: ChunkRole,
        id: Option<MessageId>,
        block: BlockId,
    ) {
        if let Some(id) = id {
            let blocks = self.message_blocks.0.entry(key(role, &id));
            let blocks = blocks.or_default();
            if blocks.len() < MAX_TOOL_ITEMS {
                blocks.push(block);
            }
        }
    }

    /// A piece of a message of the user that is none of our prompt's; put into its block where the
    /// message stands there already.
    pub(in crate::session) fn not_told_before(
        &mut self,
        message: Option<&MessageId>,
        content: ContentBlock,
        meta: &Meta,
    ) -> Option<ContentBlock> {
        let Some(id) = message else {
            return Some(content);
        };
        if self.speech.echo.own.as_ref() == Some(id) {
            return None;
        }
        let ContentBlock::Text(text) = &content else {
            return Some(content);
        };
        let last = self.blocks_told(ChunkRole::User, id).last().copied();
        let Some(BlockKind::User(said)) = last.and_then(|block| self.transcript.edit(block)) else {
            return Some(content);
        };
        let before = said.text.len() + said.meta.weight();
        said.text = bounded(&SafeText::new(&format!("{}{text}", said.text)), MAX_MESSAGE);
        said.meta.merge(meta);
        let after = said.text.len() + said.meta.weight();
        self.shrink(before);
        self.grow(after);
        None
    }

    /// The agent has named the message that our prompt is for it (V2-PROMPT-01). What it told of it
    /// before and was not known for that is no other message.
    pub(in crate::session) fn claim_message(&mut self, id: MessageId) {
        let speech = &mut self.speech;
        let told = speech.history.as_ref();
        if told.is_some_and(|told| told.id.as_ref() == Some(&id)) {
            speech.history = None;
            speech.echo.told = true;
        }
        if speech.echo.own.is_none() {
            self.own_message(id);
        }
    }

    fn own_message(&mut self, id: MessageId) {
        let Some(user) = self.speech.echo.user else {
            return;
        };
        let key = key(ChunkRole::User, &id);
        self.message_blocks.0.insert(key, vec![user]);
        self.speech.echo.own = Some(id);
    }
}

fn as_text(content: &ContentBlock) -> Option<&SafeText> {
    match content {
        ContentBlock::Text(text) => Some(text),
        _ => None,
    }
}

/// A message is the sum of its pieces, however many there are.
fn joined(texts: impl Iterator<Item = SafeText>) -> SafeText {
    let texts: Vec<String> = texts.map(|text| text.to_string()).collect();
    SafeText::new(&texts.concat())
}

fn parts(role: ChunkRole, content: Vec<ContentBlock>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    let mut attached = Vec::new();
    let flush =
        |texts: &mut Vec<SafeText>, attached: &mut Vec<ContentBlock>, parts: &mut Vec<Part>| {
            let text = joined(texts.drain(..));
            if !text.trim().is_empty() {
                parts.push(Part::Text(text, std::mem::take(attached)));
            }
        };
    for block in content.into_iter().take(MAX_TOOL_ITEMS) {
        match block {
            ContentBlock::Text(text) => texts.push(text),
            // As in chunks: in the middle of what the person said.
            ContentBlock::Image(_) | ContentBlock::Audio(_) if role == ChunkRole::User => {
                texts.push(media_mark(&block));
                if attached.len() < MAX_ATTACHED {
                    attached.push(block);
                }
            }
            other => {
                flush(&mut texts, &mut attached, &mut parts);
                parts.push(Part::Content(other));
            }
        }
    }
    flush(&mut texts, &mut attached, &mut parts);
    parts
}
