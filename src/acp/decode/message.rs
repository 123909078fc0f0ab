//! Whole messages (V2-UPD-01).

use super::{
    blocks, meta,
    view::{Misfit, Pass, members, need, object},
};
use crate::model::{AgentEvent, ChunkRole, MessageId, Meta};

members!(struct Message {
    message_id,
    content or null,
    meta = "_meta" or null,
});

pub fn whole(pass: Pass, role: ChunkRole, update: &str) -> Result<AgentEvent, Misfit> {
    let message: Message<'_> = object(update).ok_or(Misfit)?;
    let mut of_blocks = Meta::default();
    let content = pass.patch(message.content, |list| {
        blocks::list(pass, list, &mut of_blocks)
    })?;
    Ok(AgentEvent::Message {
        role,
        id: MessageId::new(need(message.message_id)?.as_str()),
        content,
        meta: meta::of_entity(pass, message.meta, of_blocks),
    })
}
