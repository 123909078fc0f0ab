//! `session/update` (V2-UPD).

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Decoder, lists, message,
    read::{
        Items, Member, Misfit, Text, is_marked, line, lines, need, need_as, object, object_in,
        patch, present,
    },
    state::state,
    terminal, tool,
};
use crate::{
    acp::decode::raw_json,
    model::{
        AgentEvent, AgentNotice, ChunkRole, FromAgent, NoticeSeverity, Patch, SessionId,
        SessionInfoPatch, SubagentCaps, SubagentPatch, UsageUpdate,
    },
    text::SafeText,
};

/// Appends what one update says. A kind that is not known, or one that is and is malformed, is said
/// as such; nothing of it is acted on (V2-RPC-02).
pub fn decode(decoder: &mut Decoder, params: &str, out: &mut Vec<FromAgent>) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        session_id: Text<'a>,
        #[serde(borrow)]
        update: &'a RawValue,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Kind<'a> {
        #[serde(borrow)]
        session_update: Text<'a>,
    }
    let unusable = |session, what: &str, raw: &str| FromAgent::Update {
        session,
        event: AgentEvent::Unknown {
            what: SafeText::line(what),
            raw: raw_json(raw),
        },
    };
    let Some(params) = object::<Params<'_>>(params) else {
        return out.push(unusable(None, "session/update (malformed)", params));
    };
    let session = Some(decoder.session(params.session_id.as_str()));
    let update = params.update.get();
    let Some(kind) = object::<Kind<'_>>(update) else {
        return out.push(unusable(session, "session/update (malformed)", update));
    };
    let kind = kind.session_update.as_str();
    out.push(match event(kind, update) {
        Ok(Some(event)) => FromAgent::Update { session, event },
        Ok(None) => unusable(session, kind, update),
        Err(Misfit) => unusable(session, &format!("{kind} (malformed)"), update),
    });
}

/// `None` for a kind that is not known.
fn event(kind: &str, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    Ok(Some(match kind {
        "user_message_chunk" => message::chunk(ChunkRole::User, update)?,
        "agent_message_chunk" => message::chunk(ChunkRole::Agent, update)?,
        "agent_thought_chunk" => message::chunk(ChunkRole::Thought, update)?,
        "user_message" => message::whole(ChunkRole::User, update)?,
        "agent_message" => message::whole(ChunkRole::Agent, update)?,
        "agent_thought" => message::whole(ChunkRole::Thought, update)?,
        "state_update" => AgentEvent::State(state(update)?),
        "replay_complete" => AgentEvent::ReplayComplete,
        "tool_call_update" => AgentEvent::ToolCall(Box::new(tool::update(update)?)),
        "tool_call_content_chunk" => tool::content_chunk(update)?,
        "terminal_update" => terminal::update(update)?,
        "terminal_output_chunk" => terminal::chunk(update)?,
        "plan_update" => lists::plan_update(update)?,
        "plan_removed" => lists::plan_removed(update)?,
        "available_commands_update" => AgentEvent::Commands(
            lists::commands(members(update)?.available_commands).ok_or(Misfit)?,
        ),
        "config_option_update" => AgentEvent::ConfigOptions(
            lists::config_options(members(update)?.config_options).ok_or(Misfit)?,
        ),
        "session_info_update" => {
            let update = members(update)?;
            AgentEvent::SessionInfo(SessionInfoPatch {
                title: patch(update.title, line),
                updated_at: patch(update.updated_at, line),
            })
        }
        "usage_update" => usage(update)?,
        "notice" => notice(update)?,
        "compaction_update" => message::compaction(update)?,
        "compaction_summary_chunk" => message::compaction_chunk(update)?,
        "subagent_update" => subagent(update)?,
        "session_message" => message::between_sessions(update)?,
        "session_message_chunk" => message::chunk_between_sessions(update)?,
        _ => return Ok(None),
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(borrow)]
    available_commands: Member<'a>,
    #[serde(borrow)]
    config_options: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    title: Member<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    updated_at: Member<'a>,
}

fn members(update: &str) -> Result<Members<'_>, Misfit> {
    object(update).ok_or(Misfit)
}

fn usage(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    struct Usage<'a> {
        #[serde(borrow)]
        used: Member<'a>,
        #[serde(borrow)]
        size: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        cost: Member<'a>,
    }
    #[derive(Deserialize)]
    struct Cost<'a> {
        amount: f64,
        #[serde(borrow)]
        currency: Text<'a>,
    }
    let usage: Usage<'_> = object(update).ok_or(Misfit)?;
    Ok(AgentEvent::Usage(UsageUpdate {
        used: need_as(usage.used)?,
        size: need_as(usage.size)?,
        cost: patch(usage.cost, |cost| {
            let cost: Cost<'_> = object_in(cost)?;
            Some((cost.amount, SafeText::line(cost.currency.as_str())))
        }),
    }))
}

fn notice(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    struct Notice<'a> {
        #[serde(borrow)]
        severity: Member<'a>,
        #[serde(borrow)]
        title: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
    }
    let notice: Notice<'_> = object(update).ok_or(Misfit)?;
    Ok(AgentEvent::Notice(AgentNotice {
        severity: NoticeSeverity::of(need(notice.severity)?.as_str()),
        title: SafeText::line(need(notice.title)?.as_str()),
        description: lines(notice.description),
    }))
}

fn subagent(update: &str) -> Result<AgentEvent, Misfit> {
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
    #[derive(Deserialize)]
    struct Capabilities<'a> {
        #[serde(borrow)]
        cancel: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let id = need(update.session_id)?;
    let capabilities = |member| {
        let capabilities: Capabilities<'_> = object_in(member)?;
        Some(SubagentCaps {
            cancel: is_marked(capabilities.cancel),
        })
    };
    Ok(AgentEvent::Subagent(Box::new(SubagentPatch {
        title: patch(update.title, line),
        description: patch(update.description, lines),
        caps: patch(update.capabilities, capabilities),
        state: patch(update.state, |member| state(member?.get()).ok()),
        cwd: needed(update.cwd, path)?,
        additional_directories: needed(update.additional_directories, |list| {
            let Items(list) = need_as(list)?;
            list.into_iter().map(|raw| path(Some(raw))).collect()
        })?,
        ..SubagentPatch::new(SessionId::new(id.as_str()))
    })))
}

/// A member with three states that has to fit: what a child may touch is not guessed.
fn needed<'a, T>(
    member: Member<'a>,
    read: impl FnOnce(Member<'a>) -> Result<T, Misfit>,
) -> Result<Patch<T>, Misfit> {
    match member {
        None => Ok(Patch::Keep),
        Some(raw) if raw.get() == "null" => Ok(Patch::Clear),
        some => read(some).map(Patch::Set),
    }
}

/// Absolute.
fn path(member: Member<'_>) -> Result<PathBuf, Misfit> {
    let path = PathBuf::from(need(member)?.into_string());
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(Misfit)
    }
}
