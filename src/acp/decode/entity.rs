//! Updates of entities, of each kind (V1-COMP, V1-SUB-05, V2-UPD-10).

use super::{
    blocks, meta,
    view::{Member, Misfit, Pass, members, need, object},
};
use crate::model::{
    AgentEvent, CompactionPatch, CompactionStatus, ContentPatch, EntityId, EntityPatch,
    EntityUpdate, Meta, Patch, SessionId, SessionMessagePatch,
};

// The members of all kinds.
members!(struct Update {
    compaction_id,
    message_id,
    status or null,
    summary or null,
    error or null,
    content or null,
    sender_session_id or null,
    recipient_session_id or null,
    meta = "_meta" or null,
});

/// `None` for an update of no entity.
pub fn decode(pass: Pass, kind: &str, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    let said = || object::<Update<'_>>(update).ok_or(Misfit);
    let update = match kind {
        "compaction_update" => compaction(pass, &said()?)?,
        "compaction_summary_chunk" => {
            let (said, patch) = (said()?, CompactionPatch::default());
            said.chunk(pass, said.compaction_id, EntityPatch::Compaction(patch))?
        }
        "session_message" => session_message(pass, &said()?)?,
        "session_message_chunk" => {
            let (said, patch) = (said()?, SessionMessagePatch::default());
            said.chunk(pass, said.message_id, EntityPatch::SessionMessage(patch))?
        }
        _ => return Ok(None),
    };
    Ok(Some(AgentEvent::Entity(Box::new(update))))
}

fn compaction(pass: Pass, said: &Update<'_>) -> Result<EntityUpdate, Misfit> {
    let status = if pass.is_v2() {
        pass.patch(said.status, |status| pass.text(status))?
    } else {
        pass.want(said.status)?.into()
    };
    let patch = CompactionPatch {
        status: match status {
            Patch::Keep => None,
            // As it was at first.
            Patch::Clear => Some(CompactionStatus::default()),
            Patch::Set(status) => Some(CompactionStatus::of(status.as_str())),
        },
        error: pass.patch(said.error, |error| pass.lines(error))?,
    };
    let patch = EntityPatch::Compaction(patch);
    said.whole(pass, said.compaction_id, said.summary, patch)
}

fn session_message(pass: Pass, said: &Update<'_>) -> Result<EntityUpdate, Misfit> {
    let session = |member| {
        pass.patch(member, |id| {
            Ok(pass.text(id)?.map(|id| SessionId::new(id.as_str())))
        })
    };
    let patch = EntityPatch::SessionMessage(SessionMessagePatch {
        sender: session(said.sender_session_id)?,
        recipient: session(said.recipient_session_id)?,
    });
    said.whole(pass, said.message_id, said.content, patch)
}

impl Update<'_> {
    fn whole(
        &self,
        pass: Pass,
        id: Member<'_>,
        content: Member<'_>,
        kind: EntityPatch,
    ) -> Result<EntityUpdate, Misfit> {
        let mut of_blocks = Meta::default();
        let content = pass.patch(content, |list| blocks::list(pass, list, &mut of_blocks))?;
        Ok(EntityUpdate {
            id: EntityId::new(need(id)?.as_str()),
            kind,
            content: ContentPatch::Whole(content),
            meta: meta::of_entity(pass, self.meta, of_blocks),
        })
    }

    fn chunk(&self, pass: Pass, id: Member<'_>, kind: EntityPatch) -> Result<EntityUpdate, Misfit> {
        let content = self.content.filter(|content| content.get() != "null");
        let (content, meta) = blocks::of_chunk(pass, content, self.meta)?;
        Ok(EntityUpdate {
            id: EntityId::new(need(id)?.as_str()),
            kind,
            content: ContentPatch::Add(content),
            meta,
        })
    }
}
