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
