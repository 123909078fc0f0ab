//! `/`: the agent's commands, at the start of the draft.

use std::cmp::Reverse;

use super::{
    super::fuzzy::Fuzzy,
    list::beginning,
    {Choice, Choices},
};
use crate::{model::SlashCommand, text::SafeText};

/// For what stands between the slash and the caret; `None` if that is no command any more.
pub fn commands_of(query: &str, commands: &[SlashCommand]) -> Option<Choices> {
    let choices = rank(query, commands);
    (!choices.is_empty()).then(|| Choices::new(choices, ""))
}

fn rank(query: &str, commands: &[SlashCommand]) -> Vec<Choice> {
    let mut fuzzy = Fuzzy::new(query);
    if query.is_empty() {
        let all = commands.iter();
        return all.map(|command| choice(command, &mut fuzzy)).collect();
    }
    let lower = query.to_lowercase();
    // After a blank an argument may have begun: only the beginning of a name that has blanks
    // itself ("memory show") is still a command.
    let prefix_only = query.contains(char::is_whitespace);
    let mut found: Vec<((bool, u16), &SlashCommand)> = commands
        .iter()
        .filter_map(|command| {
            let prefix = command.name.to_lowercase().starts_with(&lower);
            let score = fuzzy.score(&command.name)?;
            (prefix || !prefix_only).then_some(((prefix, score), command))
        })
        .collect();
    // Stable: among equals the agent's order.
    found.sort_by_key(|(rank, _)| Reverse(*rank));
    found
        .into_iter()
        .map(|(_, command)| choice(command, &mut fuzzy))
        .collect()
}

fn choice(command: &SlashCommand, fuzzy: &mut Fuzzy) -> Choice {
    let mut marks = fuzzy.marks(&command.name);
    for mark in &mut marks {
        *mark += 1;
    }
    let detail = match &command.hint {
        Some(hint) if !hint.is_empty() => {
            let (hint, description) = (beginning(hint), beginning(&command.description));
            SafeText::line(&format!("{description}  [{hint}]"))
        }
        _ => command.description.clone(),
    };
    Choice {
        label: SafeText::line(&format!("/{}", command.name)),
        marks,
        detail,
        value: command.name.as_str().to_owned(),
    }
}

/// The input hint of the command that `draft` consists of, shown as ghost text.
pub fn command_hint<'a>(draft: &str, commands: &'a [SlashCommand]) -> Option<&'a str> {
    let typed = draft.strip_prefix('/')?.strip_suffix(' ')?;
    let command = commands
        .iter()
        .find(|command| command.name.as_str() == typed)?;
    command.hint.as_deref().filter(|hint| !hint.is_empty())
}
