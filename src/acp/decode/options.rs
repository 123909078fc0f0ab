//! Modes, config options, commands and plan entries: lists that replace what was there. An item
//! that cannot be understood is left out (V1-RPC-24).

use agent_client_protocol_schema::v1 as schema;
use serde::Deserialize;

use super::view::{Member, Misfit, Pass};
use crate::{
    proto::{
        ConfigKind, ConfigOption, ConfigValue, ModeId, ModeState, PlanEntry, PlanPriority,
        PlanStatus, SessionMode, SlashCommand,
    },
    text::SafeText,
};

pub fn commands(pass: Pass, member: Member<'_>) -> Result<Option<Vec<SlashCommand>>, Misfit> {
    #[derive(Deserialize)]
    struct Command<'a> {
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        #[serde(borrow)]
        input: Member<'a>,
    }
    #[derive(Deserialize)]
    struct Input<'a> {
        #[serde(borrow)]
        hint: Member<'a>,
    }
    pass.list(member, |raw| {
        let Some(command) = pass.object::<Command<'_>>(Some(raw))? else {
            return Ok(None);
        };
        let Some(name) = pass.allow(pass.safe_line(command.name)?)? else {
            return Ok(None);
        };
        let hint = match pass.object::<Input<'_>>(command.input)? {
            Some(input) => pass.safe_line(input.hint)?,
            None => None,
        };
        Ok(Some(SlashCommand {
            name,
            description: pass.safe_line(command.description)?.unwrap_or_default(),
            hint,
        }))
    })
}

pub fn plan(pass: Pass, member: Member<'_>) -> Result<Option<Vec<PlanEntry>>, Misfit> {
    #[derive(Deserialize)]
    struct Entry<'a> {
        #[serde(borrow)]
        content: Member<'a>,
        #[serde(borrow)]
        priority: Member<'a>,
        #[serde(borrow)]
        status: Member<'a>,
    }
    pass.list(member, |raw| {
        let Some(entry) = pass.object::<Entry<'_>>(Some(raw))? else {
            return Ok(None);
        };
        let Some(content) = pass.allow(pass.safe_line(entry.content)?)? else {
            return Ok(None);
        };
        let priority = match pass.text(entry.priority)?.as_ref().map(|p| p.as_str()) {
            Some("high") => PlanPriority::High,
            Some("low") => PlanPriority::Low,
            _ => PlanPriority::default(),
        };
        let status = match pass.text(entry.status)?.as_ref().map(|s| s.as_str()) {
            Some("in_progress") => PlanStatus::InProgress,
            Some("completed") => PlanStatus::Completed,
            _ => PlanStatus::default(),
        };
        Ok(Some(PlanEntry {
            content,
            priority,
            status,
        }))
    })
}

pub fn modes(pass: Pass, member: Member<'_>) -> Result<Option<ModeState>, Misfit> {
    let modes = pass.object::<schema::SessionModeState>(member)?;
    Ok(modes.map(|modes| ModeState {
        current: ModeId(modes.current_mode_id.0),
        available: modes.available_modes.into_iter().map(mode).collect(),
    }))
}

fn mode(mode: schema::SessionMode) -> SessionMode {
    SessionMode {
        id: ModeId(mode.id.0),
        name: SafeText::line(&mode.name),
        description: mode.description.as_deref().map(SafeText::line),
    }
}

/// An option of an unknown type is left out (V1-CFG-04).
pub fn config_options(pass: Pass, member: Member<'_>) -> Result<Option<Vec<ConfigOption>>, Misfit> {
    pass.list(member, |raw| {
        let option = pass.object::<schema::SessionConfigOption>(Some(raw))?;
        Ok(option.and_then(config_option))
    })
}

fn config_option(option: schema::SessionConfigOption) -> Option<ConfigOption> {
    let kind = match option.kind {
        schema::SessionConfigKind::Select(select) => ConfigKind::Select {
            current: select.current_value.0.as_ref().to_owned(),
            values: select_values(select.options),
        },
        schema::SessionConfigKind::Boolean(boolean) => ConfigKind::Boolean {
            current: boolean.current_value,
        },
        _ => return None,
    };
    Some(ConfigOption {
        id: option.id.0.as_ref().to_owned(),
        name: SafeText::line(&option.name),
        category: option.category.and_then(category),
        kind,
    })
}

/// Groups are dissolved, the order stays (V1-CFG-07).
fn select_values(options: schema::SessionConfigSelectOptions) -> Vec<ConfigValue> {
    let flat = match options {
        schema::SessionConfigSelectOptions::Ungrouped(flat) => flat,
        schema::SessionConfigSelectOptions::Grouped(groups) => {
            groups.into_iter().flat_map(|group| group.options).collect()
        }
        _ => Vec::new(),
    };
    flat.into_iter()
        .map(|option| ConfigValue {
            value: option.value.0.as_ref().to_owned(),
            name: SafeText::line(&option.name),
            description: option.description.as_deref().map(SafeText::line),
        })
        .collect()
}

/// As on the wire: the crate's names for the known ones are of no use here.
fn category(category: schema::SessionConfigOptionCategory) -> Option<String> {
    match serde_json::to_value(category) {
        Ok(serde_json::Value::String(category)) => Some(category),
        _ => None,
    }
}
