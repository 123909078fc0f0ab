//! `/`: commands at the start of the draft: the client's own, the person's prompts, the agent's. What the agent
//! calls as one of those is called is listed as `//name`, and so is everything of its behind `//`.

use std::cmp::Reverse;

use super::{
    super::{Sources, fuzzy::Fuzzy},
    list::beginning,
    {Choice, Choices},
};
use crate::{
    config::PromptFile,
    model::SlashCommand,
    text::SafeText,
    ui::own_commands::{OwnCommand, own_command},
};

const OWN: &str = "acp-tui";
const PROMPTS: &str = "your prompts";
const AGENTS: &str = "the agent's";

/// For what stands between the slash and the caret; `None` if that is no command any more.
pub fn commands_of(query: &str, sources: &Sources<'_>) -> Option<Choices> {
    let (query, agents_only) = match query.strip_prefix('/') {
        Some(query) => (query, true),
        None => (query, false),
    };
    let own = sources
        .own
        .iter()
        .filter(|_| !agents_only)
        .map(Command::Own);
    let prompts = sources.prompts.iter().filter(|_| !agents_only);
    let prompts = prompts.filter(|prompt| !is_own(sources.own, &prompt.name));
    let agents = sources.commands.iter().map(|command| {
        let doubled = agents_only || is_ours(&command.name, sources);
        Command::Agents { command, doubled }
    });
    let groups = [
        rank(query, own),
        rank(query, prompts.map(Command::Prompt)),
        rank(query, agents),
    ];
    // The groups stand in their order; what fits best is selected.
    let (mut selected, mut before, mut best) = (0, 0, None);
    for group in &groups {
        let rank = group.first().map(|(rank, _)| *rank);
        if rank > best {
            (selected, best) = (before, rank);
        }
        before += group.len();
    }
    let choices: Vec<Choice> = groups
        .into_iter()
        .flatten()
        .map(|(_, choice)| choice)
        .collect();
    (!choices.is_empty()).then(|| Choices::new(choices, "").with_selected(selected))
}

/// Whether a name is that of a command of ours.
pub fn is_own(own: &[OwnCommand], name: &str) -> bool {
    !own.is_empty() && own_command(name).is_some()
}

/// Whether a name is that of a command of ours or of a prompt of the person's.
fn is_ours(name: &str, sources: &Sources<'_>) -> bool {
    is_own(sources.own, name) || sources.prompts.iter().any(|prompt| prompt.name == name)
}

/// Whether the whole name was typed, or its beginning; how well it matches.
type Rank = (bool, bool, u16);

enum Command<'a> {
    Own(&'a OwnCommand),
    Prompt(&'a PromptFile),
    Agents {
        command: &'a SlashCommand,
        /// Its name stands behind two slashes.
        doubled: bool,
    },
}

impl Command<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        let (name, aliases): (&str, &[&str]) = match self {
            Self::Own(own) => (own.name, own.aliases),
            Self::Prompt(prompt) => (&prompt.name, &[]),
            Self::Agents { command, .. } => (&command.name, &[]),
        };
        std::iter::once(name).chain(aliases.iter().copied())
    }

    fn choice(&self, fuzzy: &mut Fuzzy) -> Choice {
        let (slashes, name, hint, doc, group) = match self {
            Self::Own(own) => ("/", own.name, own.hint, own.doc, OWN),
            Self::Prompt(prompt) => {
                let (hint, doc) = (prompt.hint.as_str(), prompt.description.as_str());
                ("/", prompt.name.as_str(), hint, doc, PROMPTS)
            }
            Self::Agents { command, doubled } => (
                if *doubled { "//" } else { "/" },
                command.name.as_str(),
                command.hint.as_deref().map_or("", |hint| hint),
                command.description.as_str(),
                AGENTS,
            ),
        };
        let mut marks = fuzzy.marks(name);
        for mark in &mut marks {
            *mark += slashes.len();
        }
        let (doc, hint) = (beginning(doc), beginning(hint));
        Choice {
            group,
            label: SafeText::line(&format!("{slashes}{name}")),
            marks,
            detail: match hint {
                "" => SafeText::line(doc),
                hint if hint.starts_with('[') => SafeText::line(&format!("{doc}  {hint}")),
                hint => SafeText::line(&format!("{doc}  [{hint}]")),
            },
            value: format!("{}{name}", &slashes[1..]),
        }
    }
}

/// The best first, among equals in their order.
fn rank<'a>(query: &str, commands: impl Iterator<Item = Command<'a>>) -> Vec<(Rank, Choice)> {
    let mut fuzzy = Fuzzy::new(query);
    let lower = query.to_lowercase();
    // After a blank an argument may have begun: only the beginning of a name that has blanks
    // itself ("memory show") is still a command.
    let prefix_only = query.contains(char::is_whitespace);
    let mut found: Vec<(Rank, Command<'_>)> = commands
        .filter_map(|command| {
            let ranks = command.names().filter_map(|name| {
                let prefix = name.to_lowercase().starts_with(&lower);
                let whole = prefix && name.len() == query.len();
                let score = fuzzy.score(name)?;
                (prefix || !prefix_only).then_some((whole, prefix, score))
            });
            let best = ranks.max()?;
            Some((best, command))
        })
        .collect();
    if !query.is_empty() {
        found.sort_by_key(|(rank, _)| Reverse(*rank));
    }
    found
        .into_iter()
        .map(|(rank, command)| (rank, command.choice(&mut fuzzy)))
        .collect()
}

/// What may be typed behind the command that `draft` consists of, shown as ghost text.
pub fn command_hint<'a>(draft: &str, sources: &Sources<'a>) -> Option<&'a str> {
    let typed = draft.strip_prefix('/')?.strip_suffix(' ')?;
    takes(typed, sources)
}

/// What the command takes whose name, or `/name` for the agent's own, was chosen; `None`: nothing.
pub fn takes<'a>(chosen: &str, sources: &Sources<'a>) -> Option<&'a str> {
    let hint = match chosen.strip_prefix('/') {
        None if is_own(sources.own, chosen) => own_command(chosen)?.hint,
        None if is_ours(chosen, sources) => {
            let mut prompts = sources.prompts.iter();
            prompts.find(|prompt| prompt.name == chosen)?.hint.as_str()
        }
        name => {
            let name = name.unwrap_or(chosen);
            let mut commands = sources.commands.iter();
            let command = commands.find(|command| command.name.as_str() == name)?;
            command.hint.as_deref()?
        }
    };
    (!hint.is_empty()).then_some(hint)
}
