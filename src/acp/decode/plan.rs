//! Plans: the one of version 1 that has no id, and those that have one (V1-PLAN, V2-UPD-07).

use super::{
    raw_json,
    view::{Member, Misfit, Pass, Text, members, need, need_line, need_lines, need_object, object},
};
use crate::{
    model::{NamedPlan, PlanBody, PlanEntry, PlanId, PlanPriority, PlanStatus, PlanText},
    text::SafeText,
};

/// Bytes of a raw input in which a list of what is to be done is looked for.
const MAX_TODOS: usize = 1 << 20;

/// What a tool of the agent's writes down as to be done (`todowrite`, `TodoWrite`), from its raw input;
/// `None` if it is no such list.
pub fn todos(raw_input: &str) -> Option<Vec<PlanEntry>> {
    let looks_so = raw_input.len() <= MAX_TODOS
        && raw_input.contains("\"todos\"")
        && raw_input.contains("\"status\"");
    if !looks_so {
        return None;
    }
    members!(struct Input {
        todos,
    });
    let input: Input<'_> = object(raw_input)?;
    let entries = entries(Pass::Loose, input.todos).ok()??;
    (!entries.is_empty()).then_some(entries)
}

pub fn entries(pass: Pass, member: Member<'_>) -> Result<Option<Vec<PlanEntry>>, Misfit> {
    members!(struct Entry {
        content,
        priority,
        status,
    });
    pass.list(member, |raw| {
        let entry: Entry<'_> = object(raw.get()).ok_or(Misfit)?;
        let priority = pass.want_in_v2(entry.priority)?;
        let status = pass.want_in_v2(entry.status)?;
        Ok(Some(PlanEntry {
            content: need_line(entry.content)?,
            priority: priority.map_or_else(PlanPriority::default, |p| PlanPriority::of(p.as_str())),
            status: status.map_or_else(PlanStatus::default, |s| PlanStatus::of(s.as_str())),
        }))
    })
}

/// `None` in version 1 for a plan of a type that is not known: in version 2 it replaces the one before.
pub fn named(pass: Pass, member: Member<'_>) -> Result<Option<NamedPlan>, Misfit> {
    members!(struct Plan {
        kind = "type": Text<'a>,
        plan_id,
        entries,
        content,
        path,
    });
    let plan: Plan<'_> = need_object(member)?;
    let body = match plan.kind.as_str() {
        "items" => PlanBody::Items(entries(pass, plan.entries)?.ok_or(Misfit)?),
        "markdown" => PlanBody::Text(PlanText {
            text: need_lines(plan.content)?,
            path: pass.string(plan.path)?,
        }),
        _ if !pass.is_v2() => return Ok(None),
        other => PlanBody::Unknown {
            kind: SafeText::line(other),
            raw: raw_json(member.map_or("", |raw| raw.get())),
        },
    };
    Ok(Some(NamedPlan {
        id: PlanId::new(need(plan.plan_id)?.as_str()),
        body,
    }))
}
