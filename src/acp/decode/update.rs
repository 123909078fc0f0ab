//! `session/update` (V1-UPD, V2-UPD).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Decoder, blocks, entity, limit, lists, message, meta, plan, raw_json, state, subagent,
    suggestion, terminal, tool,
    view::{Misfit, Pass, Text, members, need, need_line, object},
};
use crate::{
    model::{
        AgentEvent, AgentNotice, ChunkRole, FromAgent, MessageId, ModeId, NoticeSeverity, Patch,
        PlanId, SessionInfoPatch, UsageUpdate,
    },
    text::SafeText,
};

members!(struct Params {
    session_id,
    update: &'a RawValue,
});

// The members of all kinds that are not an entity with many members.
members!(struct Update {
    session_update: Text<'a>,
    content,
    message_id,
    plan,
    plan_id,
    entries,
    available_commands,
    current_mode_id,
    config_options,
    used,
    size,
    cost or null,
    message,
    severity,
    title or null,
    description,
    updated_at or null,
    meta = "_meta",
});

/// Appends the events of one update, in their order. An unknown kind, or a malformed update of a known one, becomes an
/// event that says so and has no other effect (V2-RPC-02).
///
/// # Errors
/// It does not fit this pass; events may have been appended.
pub fn decode(
    decoder: &mut Decoder,
    pass: Pass,
    params: &str,
    out: &mut Vec<FromAgent>,
) -> Result<(), Misfit> {
    let params: Params<'_> = object(params).ok_or(Misfit)?;
    let raw = params.update.get();
    let update: Update<'_> = object(raw).ok_or(Misfit)?;
    let session = pass.want(params.session_id)?;
    let session = session.map(|id| decoder.session(id.as_str()));
    let mut push = |event| {
        out.push(FromAgent::Update {
            session: session.clone(),
            event,
        });
    };
    let kind = update.session_update.as_str();
    let event = match kind {
        "tool_call" | "tool_call_update" if !pass.is_v2() => {
            meta::events(update.meta).into_iter().for_each(&mut push);
            tool::decode(pass, raw, kind == "tool_call").map(Some)
        }
        "usage_update" => {
            limit::of_meta(update.meta).into_iter().for_each(&mut push);
            event(pass, kind, raw, &update)
        }
        "session_info_update" => {
            suggestion::of_meta(update.meta)
                .into_iter()
                .for_each(&mut push);
            event(pass, kind, raw, &update)
        }
        _ => event(pass, kind, raw, &update),
    };
    let unknown = |what| AgentEvent::Unknown {
        what: SafeText::line(what),
        raw: raw_json(raw),
    };
    push(match (event, pass) {
        (Err(Misfit), Pass::V2) => unknown(&format!("{kind} (malformed)")),
        (event, pass) => pass.or_unknown(event, || unknown(kind))?,
    });
    Ok(())
}

/// `None` for a kind that is not known.
fn event(
    pass: Pass,
    kind: &str,
    raw: &str,
    update: &Update<'_>,
) -> Result<Option<AgentEvent>, Misfit> {
    if let Some(event) = entity::decode(pass, kind, raw)? {
        return Ok(Some(event));
    }
    Ok(Some(match kind {
        "agent_message_chunk" => chunk(pass, ChunkRole::Agent, update)?,
        "agent_thought_chunk" => chunk(pass, ChunkRole::Thought, update)?,
        "user_message_chunk" => chunk(pass, ChunkRole::User, update)?,
        "plan_update" => match plan::named(pass, update.plan)? {
            Some(plan) => AgentEvent::NamedPlan(plan),
            None => return Ok(None),
        },
        "plan_removed" => AgentEvent::PlanRemoved(PlanId::new(need(update.plan_id)?.as_str())),
        "available_commands_update" => {
            AgentEvent::Commands(lists::commands(pass, update.available_commands)?.ok_or(Misfit)?)
        }
        "config_option_update" => AgentEvent::ConfigOptions(
            lists::config_options(pass, update.config_options)?.ok_or(Misfit)?,
        ),
        // V1-SES-21, V2-UPD-11: omitted is unchanged, null is cleared.
        "session_info_update" => AgentEvent::SessionInfo(SessionInfoPatch {
            title: pass.patch(update.title, |title| pass.line(title))?,
            updated_at: pass.patch(update.updated_at, |at| pass.line(at))?,
        }),
        "usage_update" => AgentEvent::Usage(usage(pass, update)?),
        "notice" => AgentEvent::Notice(AgentNotice {
            severity: pass
                .want_in_v2(update.severity)?
                .map_or_else(NoticeSeverity::default, |name| {
                    NoticeSeverity::of(name.as_str())
                }),
            title: need_line(update.title)?,
            description: pass.lines(update.description)?,
        }),
        "subagent_update" => subagent::update(pass, raw)?,
        "prompt_suggestions_update" => suggestion::update(pass, raw)?,
        _ if pass.is_v2() => return event_of_v2(pass, kind, raw),
        "plan" => AgentEvent::Plan(plan::entries(pass, update.entries)?.ok_or(Misfit)?),
        "current_mode_update" => {
            AgentEvent::Mode(ModeId::new(need(update.current_mode_id)?.as_str()))
        }
        // Made of an error's update by the dialects (D-07).
        "_error" => AgentEvent::Error(SafeText::new(need(update.message)?.as_str())),
        _ => return Ok(None),
    }))
}

/// Kinds of version 2 alone.
fn event_of_v2(pass: Pass, kind: &str, raw: &str) -> Result<Option<AgentEvent>, Misfit> {
    Ok(Some(match kind {
        "user_message" => message::whole(pass, ChunkRole::User, raw)?,
        "agent_message" => message::whole(pass, ChunkRole::Agent, raw)?,
        "agent_thought" => message::whole(pass, ChunkRole::Thought, raw)?,
        "state_update" => AgentEvent::State(state::state(pass, raw)?),
        "replay_complete" => AgentEvent::ReplayComplete,
        "tool_call_update" => tool::decode(pass, raw, false)?,
        "tool_call_content_chunk" => tool::content_chunk(pass, raw)?,
        "terminal_update" => terminal::update(pass, raw)?,
        "terminal_output_chunk" => terminal::chunk(raw)?,
        _ => return Ok(None),
    }))
}

fn chunk(pass: Pass, role: ChunkRole, update: &Update<'_>) -> Result<AgentEvent, Misfit> {
    let message = pass.want_in_v2(update.message_id)?;
    let (content, meta) = blocks::of_chunk(pass, update.content, update.meta)?;
    Ok(AgentEvent::Chunk {
        role,
        message: message.map(|id| MessageId::new(id.as_str())),
        content,
        meta,
    })
}

fn usage(pass: Pass, update: &Update<'_>) -> Result<UsageUpdate, Misfit> {
    #[derive(Deserialize)]
    struct Cost<'a> {
        amount: f64,
        #[serde(borrow)]
        currency: Text<'a>,
    }
    let cost = pass.patch(update.cost, |cost| {
        let cost = pass.object::<Cost<'_>>(cost)?;
        Ok(cost.map(|cost| (cost.amount, SafeText::line(cost.currency.as_str()))))
    })?;
    Ok(UsageUpdate {
        used: pass.count(update.used)?.ok_or(Misfit)?,
        size: pass.count(update.size)?.ok_or(Misfit)?,
        cost: match cost {
            // Version 1 sends all of it each time.
            Patch::Keep if !pass.is_v2() => Patch::Clear,
            cost => cost,
        },
    })
}
