//! Messages: whole ones and chunks of them (V2-UPD-01, V2-UPD-02), also between sessions, and
//! compactions with their summaries.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    blocks::{block, blocks},
    read::{Member, Misfit, lines, need, note, object, patch, patched, present, text},
};
use crate::model::{
    AgentEvent, ChunkRole, CompactionId, CompactionPatch, CompactionStatus, ContentBlock,
    MessageId, Meta, Patch, SessionId, SessionMessagePatch,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    message_id: Member<'a>,
    #[serde(borrow)]
    compaction_id: Member<'a>,
    #[serde(borrow)]
    content: &'a RawValue,
    #[serde(borrow, rename = "_meta")]
    meta: Member<'a>,
}

impl Chunk<'_> {
    fn content(&self) -> Result<(ContentBlock, Meta), Misfit> {
        let mut meta = Meta::default();
        note(self.meta, &mut meta);
        Ok((block(self.content, &mut meta)?, meta))
    }
}

pub fn chunk(role: ChunkRole, update: &str) -> Result<AgentEvent, Misfit> {
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.message_id)?;
    let (content, meta) = chunk.content()?;
    Ok(AgentEvent::Chunk {
        role,
        message: Some(MessageId::new(id.as_str())),
        content,
        meta,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(borrow)]
    message_id: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    content: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    sender_session_id: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    recipient_session_id: Member<'a>,
    #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
    meta: Member<'a>,
}

impl Message<'_> {
    fn content(&self) -> (Patch<Vec<ContentBlock>>, Meta) {
        let mut of_blocks = Meta::default();
        let content = patch(self.content, |list| blocks(list, &mut of_blocks));
        (content, patched(self.meta, &of_blocks))
    }
}

pub fn whole(role: ChunkRole, update: &str) -> Result<AgentEvent, Misfit> {
    let message: Message<'_> = object(update).ok_or(Misfit)?;
    let id = need(message.message_id)?;
    let (content, meta) = message.content();
    Ok(AgentEvent::Message {
        role,
        id: MessageId::new(id.as_str()),
        content,
        meta,
    })
}

pub fn between_sessions(update: &str) -> Result<AgentEvent, Misfit> {
    let message: Message<'_> = object(update).ok_or(Misfit)?;
    let id = need(message.message_id)?;
    let session = |member| patch(member, |id| text(id).map(|id| SessionId::new(id.as_str())));
    let (content, meta) = message.content();
    Ok(AgentEvent::SessionMessage(Box::new(SessionMessagePatch {
        id: MessageId::new(id.as_str()),
        sender: session(message.sender_session_id),
        recipient: session(message.recipient_session_id),
        content,
        meta,
    })))
}

pub fn chunk_between_sessions(update: &str) -> Result<AgentEvent, Misfit> {
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.message_id)?;
    let (content, meta) = chunk.content()?;
    Ok(AgentEvent::SessionMessageChunk {
        id: MessageId::new(id.as_str()),
        content,
        meta,
    })
}

pub fn compaction(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        compaction_id: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        status: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        summary: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        error: Member<'a>,
        #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
        meta: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let id = need(update.compaction_id)?;
    let mut of_blocks = Meta::default();
    let status = patch(update.status, |status| {
        text(status).map(|status| CompactionStatus::of(status.as_str()))
    });
    Ok(AgentEvent::Compaction(Box::new(CompactionPatch {
        id: CompactionId::new(id.as_str()),
        status: match status {
            Patch::Keep => None,
            // As it was at first.
            Patch::Clear => Some(CompactionStatus::default()),
            Patch::Set(status) => Some(status),
        },
        summary: patch(update.summary, |list| blocks(list, &mut of_blocks)),
        error: patch(update.error, lines),
        meta: patched(update.meta, &of_blocks),
    })))
}

pub fn compaction_chunk(update: &str) -> Result<AgentEvent, Misfit> {
    let chunk: Chunk<'_> = object(update).ok_or(Misfit)?;
    let id = need(chunk.compaction_id)?;
    let (content, meta) = chunk.content()?;
    Ok(AgentEvent::CompactionChunk {
        id: CompactionId::new(id.as_str()),
        content,
        meta,
    })
}
