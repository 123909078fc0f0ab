//! Child sessions (V1-SUB, V2-UPD-10).

use std::path::PathBuf;

use serde::Deserialize;

use super::{
    state::state,
    view::{Member, Misfit, Pass, cancels, need, object, present},
};
use crate::model::{AgentEvent, SessionId, SubagentCaps, SubagentPatch};

pub fn update(pass: Pass, update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        session_id: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        title: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        description: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        capabilities: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        state: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        cwd: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        additional_directories: Member<'a>,
    }
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

/// A relative path is none.
fn path(member: Member<'_>) -> Result<PathBuf, Misfit> {
    let path = PathBuf::from(need(member)?.into_string());
    path.is_absolute().then_some(path).ok_or(Misfit)
}
