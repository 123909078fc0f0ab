//! `compaction_update` (V1-COMP, V2-UPD-10).

use super::{
    blocks, meta,
    view::{Misfit, Pass, members, need, object},
};
use crate::model::{AgentEvent, CompactionId, CompactionPatch, CompactionStatus, Meta, Patch};

pub fn update(pass: Pass, update: &str) -> Result<AgentEvent, Misfit> {
    members!(struct Update {
        compaction_id,
        status or null,
        summary or null,
        error or null,
        meta = "_meta" or null,
    });
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let status = if pass.is_v2() {
        pass.patch(update.status, |status| pass.text(status))?
    } else {
        pass.want(update.status)?.into()
    };
    let mut of_blocks = Meta::default();
    Ok(AgentEvent::Compaction(Box::new(CompactionPatch {
        id: CompactionId::new(need(update.compaction_id)?.as_str()),
        status: match status {
            Patch::Keep => None,
            // As it was at first.
            Patch::Clear => Some(CompactionStatus::default()),
            Patch::Set(status) => Some(CompactionStatus::of(status.as_str())),
        },
        summary: pass.patch(update.summary, |list| {
            blocks::list(pass, list, &mut of_blocks)
        })?,
        error: pass.patch(update.error, |error| pass.lines(error))?,
        meta: meta::of_entity(pass, update.meta, of_blocks),
    })))
}
