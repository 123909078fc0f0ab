//! Child sessions, and messages between sessions (V1-SUB).

use std::path::PathBuf;

use serde::Deserialize;

use super::{
    blocks,
    newer::{kept_with, replaced_with},
    raw_json,
    view::{Member, Misfit, Pass, object, present},
};
use crate::{
    model::{
        AgentEvent, MessageId, Meta, RpcError, SessionId, SessionMessagePatch, StopReason,
        SubagentCaps, SubagentPatch, WorkState, code,
    },
    text::SafeText,
};

pub fn update(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
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
    let Some(id) = pass.text(update.session_id)? else {
        return Ok(None);
    };
    Ok(Some(AgentEvent::Subagent(Box::new(SubagentPatch {
        id: SessionId::new(id.as_str()),
        title: pass.patch(update.title, |title| pass.safe_line(title))?,
        description: pass.patch(update.description, |text| pass.safe_text(text))?,
        caps: pass.patch(update.capabilities, |caps| capabilities(pass, caps))?,
        state: pass
            .patch(update.state, |state| self::state(pass, state))?
            .map(Into::into),
        cwd: pass.patch(update.cwd, |cwd| path(pass, cwd))?,
        additional_directories: pass.patch(update.additional_directories, |list| {
            pass.list(list, |raw| path(pass, Some(raw)))
        })?,
    }))))
}

/// An object is yes, absent and null are no (V1-META-06).
fn capabilities(pass: Pass, member: Member<'_>) -> Result<Option<SubagentCaps>, Misfit> {
    #[derive(Deserialize)]
    struct Caps<'a> {
        #[serde(borrow)]
        cancel: Member<'a>,
    }
    let caps = pass.object::<Caps<'_>>(member)?;
    Ok(caps.map(|caps| SubagentCaps {
        cancel: caps.cancel.is_some_and(|raw| raw.get().starts_with('{')),
    }))
}

/// A relative path is none: what a child may touch is not guessed.
fn path(pass: Pass, member: Member<'_>) -> Result<Option<PathBuf>, Misfit> {
    let path = pass.text(member)?.map(|path| PathBuf::from(path.as_str()));
    match path {
        Some(path) if !path.is_absolute() => pass.allow(None),
        path => Ok(path),
    }
}

fn state(pass: Pass, member: Member<'_>) -> Result<Option<WorkState>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct State<'a> {
        #[serde(borrow)]
        state: Member<'a>,
        #[serde(borrow)]
        stop_reason: Member<'a>,
        #[serde(borrow)]
        error: Member<'a>,
    }
    let Some(snapshot) = pass.object::<State<'_>>(member)? else {
        return Ok(None);
    };
    let Some(name) = pass.allow(pass.text(snapshot.state)?)? else {
        return Ok(None);
    };
    Ok(Some(match name.as_str() {
        "running" => WorkState::Running,
        "requires_action" => WorkState::RequiresAction,
        "unknown" => WorkState::Unknown,
        "idle" => {
            let reason = pass.text(snapshot.stop_reason)?;
            WorkState::Idle(match reason.as_ref().map(|reason| reason.as_str()) {
                None => None,
                Some("error") => Some(StopReason::Error(error(pass, snapshot.error)?)),
                Some(reason) => Some(StopReason::of(reason)),
            })
        }
        other => WorkState::Other(SafeText::line(other)),
    }))
}

fn error(pass: Pass, member: Member<'_>) -> Result<RpcError, Misfit> {
    #[derive(Deserialize)]
    struct Error<'a> {
        #[serde(borrow)]
        code: Member<'a>,
        #[serde(borrow)]
        message: Member<'a>,
        #[serde(borrow)]
        data: Member<'a>,
    }
    let Some(error) = pass.object::<Error<'_>>(member)? else {
        return Ok(RpcError::new(code::INTERNAL, "no reason given"));
    };
    Ok(RpcError {
        code: pass.read(error.code)?.unwrap_or(code::INTERNAL),
        said: None,
        message: pass.safe_text(error.message)?.unwrap_or_default(),
        data: error.data.map(|data| raw_json(data.get())),
        auth_methods: Box::default(),
        supported_versions: Box::default(),
    })
}

pub fn message(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        message_id: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        sender_session_id: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        recipient_session_id: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        content: Member<'a>,
        #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
        meta: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let Some(id) = pass.text(update.message_id)? else {
        return Ok(None);
    };
    let session = |member| {
        pass.patch(member, |id| {
            Ok(pass.text(id)?.map(|id| SessionId::new(id.as_str())))
        })
    };
    let mut of_blocks = Meta::default();
    let content = pass.patch(update.content, |content| {
        pass.list(content, |block| {
            blocks::decode(pass, block, &mut of_blocks).map(Some)
        })
    })?;
    Ok(Some(AgentEvent::SessionMessage(Box::new(
        SessionMessagePatch {
            id: MessageId::new(id.as_str()),
            sender: session(update.sender_session_id)?,
            recipient: session(update.recipient_session_id)?,
            content,
            meta: replaced_with(update.meta, of_blocks),
        },
    ))))
}

pub fn message_chunk(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        message_id: Member<'a>,
        #[serde(borrow)]
        content: Member<'a>,
        #[serde(borrow, rename = "_meta")]
        meta: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let (Some(id), Some(content)) = (pass.text(update.message_id)?, update.content) else {
        return Ok(None);
    };
    let mut meta = kept_with(update.meta, Meta::default());
    Ok(Some(AgentEvent::SessionMessageChunk {
        id: MessageId::new(id.as_str()),
        content: blocks::decode(pass, content, &mut meta)?,
        meta,
    }))
}
