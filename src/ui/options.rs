//! How options of the agent and their values look.

use ratatui::style::Style;

use crate::{
    model::{ConfigOption, OptionValue},
    text::SafeText,
    ui::{render::line::StyledLine, theme::Theme},
};

/// A value by its name. Dangerous ones stand out, and not by colour alone (V1-MODE-04).
pub fn value_line(
    option: &ConfigOption,
    value: &OptionValue,
    theme: &Theme,
    style: Style,
) -> StyledLine {
    let dangerous = is_dangerous(option, value);
    named_line(&option.name_of(value), dangerous, theme, style)
}

/// The name of the model that is set: of one called "Default (recommended)" the model that its description
/// begins with, where it does.
pub fn model_name(option: &ConfigOption) -> SafeText {
    /// Words of a name; a description of more is a sentence.
    const WORDS: usize = 4;
    let current = option.current();
    let name = option.name_of(&current);
    let is_default = name
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case("default"));
    if !is_default {
        return name;
    }
    let value = option
        .values()
        .iter()
        .find(|value| OptionValue::Id(value.value.clone()) == current);
    let described = value.and_then(|value| value.description.as_ref());
    let real = described.map(|text| {
        let line = text.lines().next().unwrap_or_default();
        let end = [" · ", " - ", " – ", " — ", " (", ", ", ": ", ". "]
            .iter()
            .filter_map(|mark| line.find(mark))
            .min();
        line[..end.unwrap_or(line.len())]
            .trim()
            .trim_end_matches('.')
    });
    match real.filter(|real| !real.is_empty() && real.split_whitespace().count() <= WORDS) {
        Some(real) => SafeText::line(real),
        None => name,
    }
}

/// The name of a value, cut or whole.
pub fn named_line(name: &SafeText, dangerous: bool, theme: &Theme, style: Style) -> StyledLine {
    let style = if dangerous {
        theme.warning.bold()
    } else {
        style
    };
    let mut line = StyledLine::styled(name, style);
    if dangerous {
        line.push("!", style);
    }
    line
}

/// Whether the agent asks for nothing with it.
pub fn is_dangerous(option: &ConfigOption, value: &OptionValue) -> bool {
    match value {
        OptionValue::Id(id) => sounds_dangerous(id),
        OptionValue::Flag(flag) => *flag && sounds_dangerous(&option.id),
    }
}

fn sounds_dangerous(id: &str) -> bool {
    const DANGEROUS: [&str; 9] = [
        "bypasspermissions",
        "dangerouslyskippermissions",
        "yolo",
        "dontask",
        "autoapprove",
        "fullaccess",
        "fullauto",
        "agentfullaccess",
        "dangerfullaccess",
    ];
    let plain: String = id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    DANGEROUS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_model_is_told_by_the_name_that_its_description_begins_with() {
        let named = |name: &'static str, description: Option<&'static str>| {
            let value = crate::model::ConfigValue {
                value: "default".into(),
                name: name.into(),
                description: description.map(SafeText::from),
                group: None,
            };
            model_name(&ConfigOption {
                id: "model".into(),
                name: "Model".into(),
                description: None,
                category: None,
                kind: crate::model::ConfigKind::Select {
                    current: "default".into(),
                    values: vec![value],
                },
                set_by: crate::model::SetBy::Option,
            })
        };
        let default = "Default (recommended)";
        assert_eq!(named(default, Some("Opus")).as_str(), "Opus");
        let long = "Sonnet 4.5 · Best for everyday tasks";
        assert_eq!(named(default, Some(long)).as_str(), "Sonnet 4.5");
        let sentence = "Use the model that the account is set to";
        for tells_none in [None, Some(""), Some(sentence)] {
            assert_eq!(named(default, tells_none).as_str(), default);
        }
        assert_eq!(named("Haiku", Some("Opus")).as_str(), "Haiku");
        assert_eq!(named("Défaut", Some("Opus")).as_str(), "Défaut");
    }

    /// V1-MODE-04
    #[test]
    fn what_asks_for_nothing_is_known() {
        for id in [
            "bypassPermissions",
            "yolo",
            "dontAsk",
            "full-access",
            "auto-approve",
        ] {
            assert!(sounds_dangerous(id), "{id}");
        }
        for id in ["default", "plan", "acceptEdits", "ask"] {
            assert!(!sounds_dangerous(id), "{id}");
        }
    }
}
