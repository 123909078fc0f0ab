//! Plans, commands and config options: lists that replace what was there.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::read::{
    Items, Member, Misfit, Text, items, line, need, need_as, need_object, object, object_in,
    string, text,
};
use crate::{
    acp::decode::raw_json,
    model::{
        AgentEvent, ConfigKind, ConfigOption, ConfigValue, NamedPlan, PlanBody, PlanEntry, PlanId,
        PlanPriority, PlanStatus, PlanText, SetBy, SlashCommand,
    },
    text::SafeText,
};

/// Every plan has an id here (V2-UPD-07).
pub fn plan_update(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    struct Update<'a> {
        #[serde(borrow)]
        plan: &'a RawValue,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Plan<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
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
    let plan: Plan<'_> = object(update.plan.get()).ok_or(Misfit)?;
    let body = match plan.kind.as_str() {
        "items" => PlanBody::Items(items(plan.entries, plan_entry).ok_or(Misfit)?),
        "markdown" => PlanBody::Text(PlanText {
            text: SafeText::new(need(plan.content)?.as_str()),
            path: string(plan.path),
        }),
        other => PlanBody::Unknown {
            kind: SafeText::line(other),
            raw: raw_json(update.plan.get()),
        },
    };
    Ok(AgentEvent::NamedPlan(NamedPlan {
        id: PlanId::new(need(plan.plan_id)?.as_str()),
        body,
    }))
}

fn plan_entry(raw: &RawValue) -> Result<PlanEntry, Misfit> {
    #[derive(Deserialize)]
    struct Entry<'a> {
        #[serde(borrow)]
        content: Member<'a>,
        #[serde(borrow)]
        priority: Member<'a>,
        #[serde(borrow)]
        status: Member<'a>,
    }
    let entry: Entry<'_> = object(raw.get()).ok_or(Misfit)?;
    Ok(PlanEntry {
        content: SafeText::line(need(entry.content)?.as_str()),
        priority: PlanPriority::of(need(entry.priority)?.as_str()),
        status: PlanStatus::of(need(entry.status)?.as_str()),
    })
}

pub fn plan_removed(update: &str) -> Result<AgentEvent, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Update<'a> {
        #[serde(borrow)]
        plan_id: Member<'a>,
    }
    let update: Update<'_> = object(update).ok_or(Misfit)?;
    Ok(AgentEvent::PlanRemoved(PlanId::new(
        need(update.plan_id)?.as_str(),
    )))
}

/// Slash commands; what the agent offers of another type is none (V2-UPD-08).
pub fn commands(member: Member<'_>) -> Option<Vec<SlashCommand>> {
    Some(items(member, command)?.into_iter().flatten().collect())
}

fn command(raw: &RawValue) -> Result<Option<SlashCommand>, Misfit> {
    #[derive(Deserialize)]
    struct Command<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        #[serde(borrow)]
        input: Member<'a>,
    }
    #[derive(Deserialize)]
    struct Input<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        hint: Member<'a>,
    }
    let command: Command<'_> = object(raw.get()).ok_or(Misfit)?;
    if command.kind.as_str() != "command" {
        return Ok(None);
    }
    let input: Option<Input<'_>> = object_in(command.input);
    let input = input.filter(|input| input.kind.as_str() == "text");
    Ok(Some(SlashCommand {
        name: SafeText::line(need(command.name)?.as_str()),
        description: SafeText::line(need(command.description)?.as_str()),
        hint: input.and_then(|input| line(input.hint)),
    }))
}

/// Options of a type that is not known are left out (V2-UPD-09).
pub fn config_options(member: Member<'_>) -> Option<Vec<ConfigOption>> {
    Some(
        items(member, config_option)?
            .into_iter()
            .flatten()
            .collect(),
    )
}

fn config_option(raw: &RawValue) -> Result<Option<ConfigOption>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct View<'a> {
        #[serde(borrow, rename = "type")]
        kind: Text<'a>,
        #[serde(borrow)]
        config_id: Member<'a>,
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        #[serde(borrow)]
        category: Member<'a>,
        #[serde(borrow)]
        current_value: Member<'a>,
        #[serde(borrow)]
        options: Member<'a>,
    }
    let view: View<'_> = object(raw.get()).ok_or(Misfit)?;
    let kind = match view.kind.as_str() {
        "select" => ConfigKind::Select {
            current: need(view.current_value)?.into_string(),
            values: values(view.options)?,
        },
        "boolean" => ConfigKind::Boolean {
            current: need_as(view.current_value)?,
        },
        _ => return Ok(None),
    };
    Ok(Some(ConfigOption {
        id: need(view.config_id)?.into_string(),
        name: SafeText::line(need(view.name)?.as_str()),
        description: description(view.description),
        category: string(view.category),
        kind,
        set_by: SetBy::Option,
    }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    value: Member<'a>,
    #[serde(borrow)]
    name: Member<'a>,
    #[serde(borrow)]
    description: Member<'a>,
    /// Of a group, which its id tells.
    #[serde(borrow)]
    group_id: Member<'a>,
    #[serde(borrow)]
    options: Member<'a>,
}

/// Values, or groups of them, in the agent's order.
fn values(member: Member<'_>) -> Result<Vec<ConfigValue>, Misfit> {
    let Items(listed) = need_as(member)?;
    let mut values = Vec::with_capacity(listed.len());
    for raw in listed {
        let item: Item<'_> = need_object(Some(raw))?;
        if item.group_id.is_none() {
            values.push(value(&item, None)?);
            continue;
        }
        need(item.group_id)?;
        let heading = SafeText::line(need(item.name)?.as_str());
        let within = items(item.options, |raw| {
            value(&need_object(Some(raw))?, Some(&heading))
        });
        values.extend(within.unwrap_or_default());
    }
    Ok(values)
}

fn value(item: &Item<'_>, group: Option<&SafeText>) -> Result<ConfigValue, Misfit> {
    Ok(ConfigValue {
        value: need(item.value)?.into_string(),
        name: SafeText::line(need(item.name)?.as_str()),
        description: description(item.description),
        group: group.cloned(),
    })
}

/// One that says nothing is none.
fn description(member: Member<'_>) -> Option<SafeText> {
    text(member)
        .filter(|text| !text.as_str().trim().is_empty())
        .map(|text| SafeText::line(text.as_str()))
}
