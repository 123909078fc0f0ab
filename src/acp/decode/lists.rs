//! Commands, modes and config options: lists that replace what was there. An item that cannot be understood is
//! skipped (V1-RPC-24).

use serde_json::value::RawValue;

use super::view::{
    Member, Misfit, Pass, Text, members, need, need_as, need_line, need_object, object,
};
use crate::{
    model::{
        ConfigKind, ConfigOption, ConfigValue, ModeId, ModeState, SessionMode, SetBy, SlashCommand,
    },
    text::SafeText,
};

/// Slash commands; in version 2 commands of another type are skipped (V2-UPD-08).
pub fn commands(pass: Pass, member: Member<'_>) -> Result<Option<Vec<SlashCommand>>, Misfit> {
    pass.list(member, |raw| command(pass, raw))
}

fn command(pass: Pass, raw: &RawValue) -> Result<Option<SlashCommand>, Misfit> {
    members!(struct Command {
        kind = "type",
        name,
        description,
        input,
    });
    members!(struct Input {
        kind = "type",
        hint,
    });
    let is = |kind: Member<'_>, wanted: &str| -> Result<bool, Misfit> {
        Ok(!pass.is_v2() || need(kind)?.as_str() == wanted)
    };
    let command: Command<'_> = object(raw.get()).ok_or(Misfit)?;
    if !is(command.kind, "command")? {
        return Ok(None);
    }
    let hint = match pass.object::<Input<'_>>(command.input)? {
        Some(input) if is(input.kind, "text").unwrap_or(false) => pass.line(input.hint)?,
        _ => None,
    };
    let description = pass.want_in_v2(command.description)?;
    Ok(Some(SlashCommand {
        name: need_line(command.name)?,
        description: description
            .map_or_else(SafeText::default, |text| SafeText::line(text.as_str())),
        hint,
    }))
}

/// Of version 1.
pub fn modes(pass: Pass, member: Member<'_>) -> Result<Option<ModeState>, Misfit> {
    members!(
        struct Modes {
            current_mode_id: Text<'a>,
            available_modes: &'a RawValue,
        }
    );
    members!(struct Mode {
        id: Text<'a>,
        name,
        description,
    });
    let Some(modes) = pass.object::<Modes<'_>>(member)? else {
        return Ok(None);
    };
    let available = pass.list(Some(modes.available_modes), |raw| {
        let mode: Mode<'_> = need_object(Some(raw))?;
        Ok(Some(SessionMode {
            id: ModeId::new(mode.id.as_str()),
            name: need_line(mode.name)?,
            description: pass.line(mode.description)?,
        }))
    })?;
    Ok(Some(ModeState {
        current: ModeId::new(modes.current_mode_id.as_str()),
        available: available.unwrap_or_default(),
    }))
}

/// Skips an option of an unknown type (V1-CFG-04, V2-UPD-09), and one without an id or a current value.
pub fn config_options(pass: Pass, member: Member<'_>) -> Result<Option<Vec<ConfigOption>>, Misfit> {
    pass.list(member, |raw| config_option(pass, raw))
}

fn config_option(pass: Pass, raw: &RawValue) -> Result<Option<ConfigOption>, Misfit> {
    members!(struct View {
        kind = "type": Text<'a>,
        /// In version 1.
        id,
        /// In version 2.
        config_id,
        name,
        description,
        category,
        current_value,
        options,
    });
    let view: View<'_> = need_object(Some(raw))?;
    let kind = match view.kind.as_str() {
        "select" => ConfigKind::Select {
            current: need(view.current_value)?.into_string(),
            values: select_values(pass, view.options)?,
        },
        "boolean" => ConfigKind::Boolean {
            current: need_as(view.current_value)?,
        },
        _ => return Ok(None),
    };
    let id = need(if pass.is_v2() {
        view.config_id
    } else {
        view.id
    })?;
    let name = pass.want(view.name)?;
    let is_models = !pass.is_v2() && id.as_str() == ConfigOption::MODELS;
    Ok(Some(ConfigOption {
        name: SafeText::line(name.as_ref().unwrap_or(&id).as_str()),
        description: description(pass, view.description)?,
        category: pass.string(view.category)?,
        kind,
        set_by: if is_models {
            SetBy::Model
        } else {
            SetBy::Option
        },
        id: id.into_string(),
    }))
}

members!(struct Item {
    value,
    name,
    description,
    /// Of a group; in version 2 its id marks one.
    group_id,
    options,
});

/// Values and groups of values, in the agent's order (V1-CFG-01, V1-CFG-02, V1-CFG-07). Without a list there is
/// loosely none of them.
fn select_values(pass: Pass, member: Member<'_>) -> Result<Vec<ConfigValue>, Misfit> {
    let values = pass.exactly().list(member, |raw| {
        let item: Item<'_> = need_object(Some(raw))?;
        let is_group = match pass.is_v2() {
            true => item.group_id.is_some(),
            false => item.options.is_some(),
        };
        if !is_group {
            return Ok(vec![value(pass, &item, None)?]);
        }
        if pass.is_v2() {
            need(item.group_id)?;
        }
        let heading = pass.want_in_v2(item.name)?;
        let heading = heading.map(|name| SafeText::line(name.as_str()));
        let within = pass.list(item.options, |raw| {
            value(pass, &need_object(Some(raw))?, heading.as_ref()).map(Some)
        })?;
        Ok(within.unwrap_or_default())
    })?;
    match (values, pass) {
        (Some(values), _) => Ok(values),
        (None, Pass::Loose) => Ok(Vec::new()),
        (None, Pass::Strict | Pass::V2) => Err(Misfit),
    }
}

fn value(pass: Pass, item: &Item<'_>, group: Option<&SafeText>) -> Result<ConfigValue, Misfit> {
    let id = need(item.value)?;
    let name = pass.want(item.name)?;
    Ok(ConfigValue {
        name: SafeText::line(name.as_ref().unwrap_or(&id).as_str()),
        description: description(pass, item.description)?,
        group: group.cloned(),
        value: id.into_string(),
    })
}

/// `None` if it is blank.
fn description(pass: Pass, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
    let line = pass.line(member)?;
    Ok(line.filter(|line| !line.trim().is_empty()))
}
