//! `session/update` (V1-UPD).

use serde::Deserialize;

use super::{
    Decoder, blocks, newer, options, raw_json, terminal_meta,
    tool::ToolCall,
    view::{Member, Misfit, Pass, Text, object, present},
};
use crate::{
    model::{
        AgentEvent, ChunkRole, FromAgent, MessageId, Meta, ModeId, Patch, SessionInfoPatch,
        UsageUpdate,
    },
    text::SafeText,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    session_id: Member<'a>,
    #[serde(borrow)]
    update: &'a serde_json::value::RawValue,
}

/// The members of all kinds but tool calls.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    #[serde(borrow)]
    session_update: Text<'a>,
    #[serde(borrow)]
    content: Member<'a>,
    #[serde(borrow)]
    message_id: Member<'a>,
    #[serde(borrow)]
    entries: Member<'a>,
    #[serde(borrow)]
    available_commands: Member<'a>,
    #[serde(borrow)]
    current_mode_id: Member<'a>,
    #[serde(borrow)]
    config_options: Member<'a>,
    #[serde(borrow)]
    used: Member<'a>,
    #[serde(borrow)]
    size: Member<'a>,
    #[serde(borrow)]
    cost: Member<'a>,
    #[serde(borrow)]
    message: Member<'a>,
    #[serde(borrow, rename = "_meta")]
    meta: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    title: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    updated_at: Member<'a>,
}

/// Appends the events of one update, in the order in which they hold.
///
/// # Errors
/// When it does not fit this pass; events may have been appended.
pub fn decode(
    decoder: &mut Decoder,
    pass: Pass,
    params: &str,
    out: &mut Vec<FromAgent>,
) -> Result<(), Misfit> {
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let update: Update<'_> = object(params.update.get()).ok_or(Misfit)?;
    let session = pass.allow(pass.text(params.session_id)?)?;
    let session = session.map(|id| decoder.session(id.as_str()));
    let mut push = |event| {
        out.push(FromAgent::Update {
            session: session.clone(),
            event,
        });
    };
    let tag = update.session_update.as_str();
    if let "tool_call" | "tool_call_update" = tag {
        let call: ToolCall<'_> = object(params.update.get()).ok_or(Misfit)?;
        terminal_meta::events(call.meta)
            .into_iter()
            .for_each(&mut push);
        let patch = call.patch(pass, tag == "tool_call")?;
        push(AgentEvent::ToolCall(Box::new(patch)));
        return Ok(());
    }
    let event = match event(pass, tag, &update)? {
        None => newer::event(pass, tag, params.update.get())?,
        known => known,
    };
    match (event, pass) {
        (Some(event), _) => push(event),
        (None, Pass::Strict) => return Err(Misfit),
        (None, Pass::Loose) => push(AgentEvent::Unknown {
            what: SafeText::line(tag),
            raw: raw_json(params.update.get()),
        }),
    }
    Ok(())
}

/// `None` for an unknown kind, or one without what it must have.
fn event(pass: Pass, tag: &str, update: &Update<'_>) -> Result<Option<AgentEvent>, Misfit> {
    Ok(match tag {
        "agent_message_chunk" => chunk(pass, ChunkRole::Agent, update)?,
        "agent_thought_chunk" => chunk(pass, ChunkRole::Thought, update)?,
        "user_message_chunk" => chunk(pass, ChunkRole::User, update)?,
        "plan" => options::plan(pass, update.entries)?.map(AgentEvent::Plan),
        "available_commands_update" => {
            options::commands(pass, update.available_commands)?.map(AgentEvent::Commands)
        }
        "current_mode_update" => pass
            .text(update.current_mode_id)?
            .map(|id| AgentEvent::Mode(ModeId::new(id.as_str()))),
        "config_option_update" => {
            options::config_options(pass, update.config_options)?.map(AgentEvent::ConfigOptions)
        }
        "usage_update" => usage(pass, update)?.map(AgentEvent::Usage),
        // V1-SES-21: omitted is unchanged, null is cleared.
        "session_info_update" => Some(AgentEvent::SessionInfo(SessionInfoPatch {
            title: pass.patch(update.title, |title| pass.safe_line(title))?,
            updated_at: pass.patch(update.updated_at, |at| pass.safe_line(at))?,
        })),
        // Made of an error's update by the dialects (D-07).
        "_error" => pass.safe_text(update.message)?.map(AgentEvent::Error),
        _ => None,
    })
}

fn chunk(pass: Pass, role: ChunkRole, update: &Update<'_>) -> Result<Option<AgentEvent>, Misfit> {
    let Some(content) = update.content else {
        return Ok(None);
    };
    let mut meta = Meta::default();
    meta.extend(terminal_meta::kept(update.meta));
    Ok(Some(AgentEvent::Chunk {
        role,
        message: pass
            .text(update.message_id)?
            .map(|id| MessageId::new(id.as_str())),
        content: blocks::decode(pass, content, &mut meta)?,
        meta,
    }))
}

fn usage(pass: Pass, update: &Update<'_>) -> Result<Option<UsageUpdate>, Misfit> {
    #[derive(Deserialize)]
    struct Cost<'a> {
        amount: f64,
        #[serde(borrow)]
        currency: Text<'a>,
    }
    let (Some(used), Some(size)) = (pass.count(update.used)?, pass.count(update.size)?) else {
        return Ok(None);
    };
    let cost = pass.object::<Cost<'_>>(update.cost)?;
    Ok(Some(UsageUpdate {
        used,
        size,
        cost: match cost {
            Some(cost) => Patch::Set((cost.amount, SafeText::line(cost.currency.as_str()))),
            None => Patch::Clear,
        },
    }))
}
