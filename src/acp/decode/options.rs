//! Modes, config options, commands and plan entries: lists that replace what was there. An item
//! that cannot be understood is left out (V1-RPC-24).

use agent_client_protocol_schema::v1 as schema;
use serde::Deserialize;

use super::view::{Member, Misfit, Pass};
use crate::{
    model::{
        ConfigKind, ConfigOption, ConfigValue, ModeId, ModeState, PlanEntry, PlanPriority,
        PlanStatus, SessionMode, SetBy, SlashCommand,
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
        let priority = pass.text(entry.priority)?;
        let status = pass.text(entry.status)?;
        Ok(Some(PlanEntry {
            content,
            priority: priority.map_or_else(PlanPriority::default, |p| PlanPriority::of(p.as_str())),
            status: status.map_or_else(PlanStatus::default, |s| PlanStatus::of(s.as_str())),
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

/// An option of an unknown type is left out (V1-CFG-04), as is one without an id or a current value.
pub fn config_options(pass: Pass, member: Member<'_>) -> Result<Option<Vec<ConfigOption>>, Misfit> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct View<'a> {
        #[serde(borrow)]
        id: Member<'a>,
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        #[serde(borrow)]
        category: Member<'a>,
        #[serde(borrow)]
        r#type: Member<'a>,
        #[serde(borrow)]
        current_value: Member<'a>,
        #[serde(borrow)]
        options: Member<'a>,
    }
    pass.list(member, |raw| {
        let Some(view) = pass.object::<View<'_>>(Some(raw))? else {
            return Ok(None);
        };
        let kind = match pass.allow(pass.text(view.r#type)?)? {
            Some(kind) if kind.as_str() == "select" => {
                let current = pass.allow(pass.text(view.current_value)?)?;
                let values = pass.allow(select_values(pass, view.options)?)?;
                current.map(|current| ConfigKind::Select {
                    current: current.as_str().to_owned(),
                    values: values.unwrap_or_default(),
                })
            }
            Some(kind) if kind.as_str() == "boolean" => pass
                .allow(pass.read(view.current_value)?)?
                .map(|current| ConfigKind::Boolean { current }),
            _ => None,
        };
        let (Some(kind), Some(id)) = (kind, pass.text(view.id)?) else {
            return Ok(None);
        };
        let name = pass.allow(pass.safe_line(view.name)?)?;
        Ok(Some(ConfigOption {
            name: name.unwrap_or_else(|| SafeText::line(id.as_str())),
            id: id.as_str().to_owned(),
            description: description(pass, view.description)?,
            category: pass.text(view.category)?.map(|c| c.as_str().to_owned()),
            kind,
            set_by: if id.as_str() == ConfigOption::MODELS {
                SetBy::Model
            } else {
                SetBy::Option
            },
        }))
    })
}

/// Values and groups of values, in the agent's order (V1-CFG-01, V1-CFG-02, V1-CFG-07).
fn select_values(pass: Pass, member: Member<'_>) -> Result<Option<Vec<ConfigValue>>, Misfit> {
    #[derive(Deserialize)]
    struct Item<'a> {
        #[serde(borrow)]
        value: Member<'a>,
        #[serde(borrow)]
        name: Member<'a>,
        #[serde(borrow)]
        description: Member<'a>,
        /// Of a group.
        #[serde(borrow)]
        options: Member<'a>,
    }
    fn value(
        pass: Pass,
        item: &Item<'_>,
        group: Option<&SafeText>,
    ) -> Result<Option<ConfigValue>, Misfit> {
        let Some(id) = pass.allow(pass.text(item.value)?)? else {
            return Ok(None);
        };
        let name = pass.allow(pass.safe_line(item.name)?)?;
        Ok(Some(ConfigValue {
            name: name.unwrap_or_else(|| SafeText::line(id.as_str())),
            value: id.as_str().to_owned(),
            description: description(pass, item.description)?,
            group: group.cloned(),
        }))
    }
    let lists = pass.list(member, |raw| {
        let Some(item) = pass.object::<Item<'_>>(Some(raw))? else {
            return Ok(None);
        };
        if item.options.is_none() {
            return Ok(value(pass, &item, None)?.map(|value| vec![value]));
        }
        let heading = pass.safe_line(item.name)?;
        pass.list(item.options, |raw| {
            match pass.object::<Item<'_>>(Some(raw))? {
                Some(item) => value(pass, &item, heading.as_ref()),
                None => Ok(None),
            }
        })
    })?;
    Ok(lists.map(|lists| lists.into_iter().flatten().collect()))
}

/// One that says nothing is none.
fn description(pass: Pass, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
    let line = pass.safe_line(member)?;
    Ok(line.filter(|line| !line.trim().is_empty()))
}
