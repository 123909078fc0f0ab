//! Updates that came to v1 later: plans with ids, notices, compactions (V1-PLAN-03, V1-NOTE,
//! V1-COMP), and those of [`subagent`]. Rare, so each is read by a view of its own; handled whether we asked for them or not
//! (V1-UPD-11).

use serde::Deserialize;

use super::{
    blocks, options, subagent,
    terminal_meta::kept,
    view::{Member, Misfit, Pass, object, present},
};
use crate::model::{
    AgentEvent, AgentNotice, CompactionId, CompactionPatch, CompactionStatus, Meta, NamedPlan,
    NoticeSeverity, PlanBody, PlanId, PlanText,
};

/// `None` for a kind that is none of these, or one without what it must have.
pub fn event(pass: Pass, tag: &str, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    match tag {
        "plan_update" => named_plan(pass, update),
        "plan_removed" => plan_removed(pass, update),
        "notice" => notice(pass, update),
        "compaction_update" => compaction(pass, update),
        "compaction_summary_chunk" => compaction_chunk(pass, update),
        "subagent_update" => subagent::update(pass, update),
        "session_message" => subagent::message(pass, update),
        "session_message_chunk" => subagent::message_chunk(pass, update),
        _ => Ok(None),
    }
}

fn named_plan(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    struct Update<'a> {
        #[serde(borrow)]
        plan: Member<'a>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Plan<'a> {
        #[serde(borrow, rename = "type")]
        kind: Member<'a>,
        #[serde(borrow)]
        plan_id: Member<'a>,
        #[serde(borrow)]
        entries: Member<'a>,
        #[serde(borrow)]
        content: Member<'a>,
        #[serde(borrow)]
        path: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let Some(plan) = pass.object::<Plan<'_>>(update.plan)? else {
        return Ok(None);
    };
    let Some(id) = pass.text(plan.plan_id)? else {
        return Ok(None);
    };
    let kind = pass.text(plan.kind)?;
    let body = match kind.as_ref().map(|kind| kind.as_str()) {
        Some("items") => options::plan(pass, plan.entries)?.map(PlanBody::Items),
        Some("markdown") => match pass.safe_text(plan.content)? {
            Some(text) => Some(PlanBody::Text(PlanText {
                text,
                path: pass.text(plan.path)?.map(|path| path.into_string()),
            })),
            None => None,
        },
        _ => None,
    };
    Ok(body.map(|body| {
        AgentEvent::NamedPlan(NamedPlan {
            id: PlanId::new(id.as_str()),
            body,
        })
    }))
}

fn plan_removed(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        plan_id: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let id = pass.text(update.plan_id)?;
    Ok(id.map(|id| AgentEvent::PlanRemoved(PlanId::new(id.as_str()))))
}

fn notice(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    struct Update<'a> {
        #[serde(borrow)]
        severity: Member<'a>,
        #[serde(borrow)]
        title: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let Some(title) = pass.safe_line(update.title)? else {
        return Ok(None);
    };
    let severity = pass.text(update.severity)?;
    Ok(Some(AgentEvent::Notice(AgentNotice {
        severity: severity.map_or_else(NoticeSeverity::default, |severity| {
            NoticeSeverity::of(severity.as_str())
        }),
        title,
        description: pass.safe_text(update.description)?,
    })))
}

fn compaction(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        compaction_id: Member<'a>,
        #[serde(borrow)]
        status: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        summary: Member<'a>,
        #[serde(borrow, default, deserialize_with = "present")]
        error: Member<'a>,
        #[serde(borrow, default, rename = "_meta", deserialize_with = "present")]
        meta: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let Some(id) = pass.text(update.compaction_id)? else {
        return Ok(None);
    };
    let status = pass.allow(pass.text(update.status)?)?;
    let mut of_blocks = Meta::default();
    Ok(Some(AgentEvent::Compaction(Box::new(CompactionPatch {
        id: CompactionId::new(id.as_str()),
        status: status.map(|status| CompactionStatus::of(status.as_str())),
        summary: pass.patch(update.summary, |summary| {
            pass.list(summary, |block| {
                blocks::decode(pass, block, &mut of_blocks).map(Some)
            })
        })?,
        error: pass.patch(update.error, |error| pass.safe_text(error))?,
        meta: replaced_with(update.meta, of_blocks),
    }))))
}

/// `_meta` in place of all that there was before, where it is there or null.
pub fn replaced_with(meta: Member<'_>, others: Meta) -> Meta {
    let mut all = Meta::default();
    if meta.is_some() {
        all.clear();
    }
    all.merge(&kept_with(meta, others));
    all
}

/// Every `_meta` of a message together.
pub fn kept_with(meta: Member<'_>, mut others: Meta) -> Meta {
    others.extend(kept(meta));
    others
}

fn compaction_chunk(pass: Pass, update: &str) -> Result<Option<AgentEvent>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        compaction_id: Member<'a>,
        #[serde(borrow)]
        content: Member<'a>,
        #[serde(borrow, rename = "_meta")]
        meta: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    let (Some(id), Some(content)) = (pass.text(update.compaction_id)?, update.content) else {
        return Ok(None);
    };
    let mut meta = kept_with(update.meta, Meta::default());
    Ok(Some(AgentEvent::CompactionChunk {
        id: CompactionId::new(id.as_str()),
        content: blocks::decode(pass, content, &mut meta)?,
        meta,
    }))
}
