//! Whole messages, of the session and between sessions (V2-UPD-01, V1-SUB-05).

use super::{
    blocks, meta,
    view::{Misfit, Pass, members, need, object},
};
use crate::model::{
    AgentEvent, ChunkRole, ContentBlock, MessageId, Meta, Patch, SessionId, SessionMessagePatch,
};

members!(struct Message {
    message_id,
    content or null,
    sender_session_id or null,
    recipient_session_id or null,
    meta = "_meta" or null,
});

impl Message<'_> {
    fn id(&self) -> Result<MessageId, Misfit> {
        Ok(MessageId::new(need(self.message_id)?.as_str()))
    }

    fn content(&self, pass: Pass) -> Result<(Patch<Vec<ContentBlock>>, Meta), Misfit> {
        let mut of_blocks = Meta::default();
        let content = pass.patch(self.content, |list| {
            blocks::list(pass, list, &mut of_blocks)
        })?;
        Ok((content, meta::of_entity(pass, self.meta, of_blocks)))
    }
}

pub fn whole(pass: Pass, role: ChunkRole, update: &str) -> Result<AgentEvent, Misfit> {
    let message: Message<'_> = object(update).ok_or(Misfit)?;
    let (content, meta) = message.content(pass)?;
    Ok(AgentEvent::Message {
        role,
        id: message.id()?,
        content,
        meta,
    })
}

pub fn between_sessions(pass: Pass, update: &str) -> Result<AgentEvent, Misfit> {
    let message: Message<'_> = object(update).ok_or(Misfit)?;
    let session = |member| {
        pass.patch(member, |id| {
            Ok(pass.text(id)?.map(|id| SessionId::new(id.as_str())))
        })
    };
    let (content, meta) = message.content(pass)?;
    Ok(AgentEvent::SessionMessage(Box::new(SessionMessagePatch {
        id: message.id()?,
        sender: session(message.sender_session_id)?,
        recipient: session(message.recipient_session_id)?,
        content,
        meta,
    })))
}
