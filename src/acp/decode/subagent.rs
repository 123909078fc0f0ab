//! Child sessions (V1-SUB, V2-UPD-10).

use std::path::PathBuf;

use super::{
    state::state,
    view::{Member, Misfit, Pass, cancels, members, need, object},
};
use crate::model::{AgentEvent, SessionId, SubagentCaps, SubagentPatch};

pub fn update(pass: Pass, update: &str) -> Result<AgentEvent, Misfit> {
    members!(struct Update {
        session_id,
        title or null,
        description or null,
        capabilities or null,
        state or null,
        cwd or null,
        additional_directories or null,
    });
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let id = need(update.session_id)?;
    // What a child may touch is not guessed.
    let exactly = pass.exactly();
    Ok(AgentEvent::Subagent(Box::new(SubagentPatch {
        id: SessionId::new(id.as_str()),
        title: pass.patch(update.title, |title| pass.line(title))?,
        description: pass.patch(update.description, |text| pass.lines(text))?,
        caps: pass.patch(update.capabilities, |caps| {
            let cancel = cancels(pass, caps)?;
            Ok(cancel.map(|cancel| SubagentCaps { cancel }))
        })?,
        state: pass.patch(update.state, |member| {
            member.map(|raw| state(pass, raw.get())).transpose()
        })?,
        cwd: exactly.patch(update.cwd, |cwd| path(cwd).map(Some))?,
        additional_directories: exactly.patch(update.additional_directories, |list| {
            exactly.list(list, |raw| path(Some(raw)).map(Some))
        })?,
    })))
}

/// Rejects a relative path.
fn path(member: Member<'_>) -> Result<PathBuf, Misfit> {
    let path = PathBuf::from(need(member)?.into_string());
    path.is_absolute().then_some(path).ok_or(Misfit)
}
