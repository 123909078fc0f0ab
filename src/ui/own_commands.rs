//! The client's own slash commands: their names, what may follow them, and what of a draft is one.
//!
//! What a command does is in `ui::root`. The agent's commands are in the session: this only says which
//! names are ours, and that `//name` gives the agent its own.

use crate::ui::action::Action;

/// A row of [`OWN`].
#[derive(Clone, Copy, Debug)]
pub struct OwnCommand {
    pub name: &'static str,
    /// Other names that hands know.
    pub aliases: &'static [&'static str],
    /// What may be typed behind it; empty: nothing.
    pub hint: &'static str,
    pub doc: &'static str,
    pub does: Does,
}

/// What an own command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// The same as the action's key.
    Act(Action),
    Model,
    Mode,
    Agents,
    HandOver,
    Export,
    Btw,
    Worktree,
    Quit,
}

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    hint: &'static str,
    doc: &'static str,
    does: Does,
) -> OwnCommand {
    OwnCommand {
        name,
        aliases,
        hint,
        doc,
        does,
    }
}

/// In the order in which `/` lists them.
pub const OWN: &[OwnCommand] = &[
    row("model", &[], "[model]", "Choose the model", Does::Model),
    row("mode", &[], "[mode]", "Choose the mode", Does::Mode),
    row(
        "new",
        &[],
        "",
        "New session with this agent",
        Does::Act(Action::NewSession),
    ),
    row(
        "clear",
        &[],
        "",
        "Start over in a new session; this one stays",
        Does::Act(Action::NewSession),
    ),
    row(
        "worktree",
        &[],
        "[name]",
        "New session in a git worktree; in one: merge, apply, keep, discard",
        Does::Worktree,
    ),
    row(
        "resume",
        &["continue"],
        "",
        "Past sessions",
        Does::Act(Action::PastSessions),
    ),
    row(
        "sessions",
        &[],
        "",
        "All sessions, and which wait for you",
        Does::Act(Action::Sessions),
    ),
    row(
        "agents",
        &["agent"],
        "[agent]",
        "New session with another agent",
        Does::Agents,
    ),
    row(
        "handover",
        &[],
        "[agent]",
        "Hand the conversation over to another agent",
        Does::HandOver,
    ),
    row(
        "copy",
        &[],
        "",
        "Copy the last answer, or a part of it",
        Does::Act(Action::Copy),
    ),
    row(
        "find",
        &["search"],
        "",
        "Find in the transcript",
        Does::Act(Action::Find),
    ),
    row(
        "diff",
        &["undo"],
        "",
        "Review what changed on the disk, and undo it",
        Does::Act(Action::Review),
    ),
    row(
        "theme",
        &["themes"],
        "",
        "Choose a theme",
        Does::Act(Action::Theme),
    ),
    row(
        "mouse",
        &[],
        "",
        "Mouse on or off",
        Does::Act(Action::ToggleMouse),
    ),
    row(
        "export",
        &[],
        "[file.md or file.json]",
        "Write the session to a file",
        Does::Export,
    ),
    row(
        "btw",
        &[],
        "[question]",
        "Ask beside the conversation; nothing of it stays",
        Does::Btw,
    ),
    row(
        "help",
        &["keys"],
        "",
        "Show all keys",
        Does::Act(Action::Help),
    ),
    row("quit", &["exit"], "", "Quit", Does::Quit),
];

/// The own command of that name or alias.
pub fn own_command(name: &str) -> Option<&'static OwnCommand> {
    OWN.iter()
        .find(|own| own.name == name || own.aliases.contains(&name))
}

/// What a draft that begins with `/` is.
#[derive(Clone, Copy, Debug)]
pub enum Slash<'a> {
    /// A command of ours, and what stands behind its name.
    Own(&'static OwnCommand, &'a str),
    /// `//name`: the agent's own, whatever ours is called.
    Agents,
    /// The agent's business: it may know commands that it does not list.
    Other,
}

/// Reads a draft; `listed` says which names the agent lists. A command of ours stands on one line: what
/// has more is a prompt, but for a question, which may have more.
pub fn slash<'a>(draft: &'a str, listed: impl Fn(&str) -> bool) -> Slash<'a> {
    let Some(typed) = draft.strip_prefix('/') else {
        return Slash::Other;
    };
    let (agents, typed) = match typed.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, typed),
    };
    let (name, argument) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match own_command(name) {
        Some(_) if agents => Slash::Agents,
        // A comment of a program begins like this too.
        None if agents && listed(name) => Slash::Agents,
        Some(own) if !agents && (own.does == Does::Btw || !draft.trim_end().contains('\n')) => {
            Slash::Own(own, argument.trim())
        }
        _ => Slash::Other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_name_means_two_commands() {
        let mut names = HashSet::new();
        for own in OWN {
            for name in [own.name].iter().chain(own.aliases) {
                assert!(names.insert(*name), "{name} twice");
                assert!(name.chars().all(|c| c.is_ascii_lowercase()), "{name}");
            }
            assert!(!own.doc.ends_with('.'), "{}", own.name);
        }
    }

    fn read(draft: &str) -> String {
        match slash(draft, |name| name == "compact") {
            Slash::Own(own, argument) => format!("{} {argument}", own.name),
            Slash::Agents => "the agent's".into(),
            Slash::Other => "other".into(),
        }
    }

    #[test]
    fn a_draft_is_a_command_of_ours_by_its_first_word() {
        for (draft, is) in [
            ("/model", "model "),
            ("/model  sonnet 4 ", "model sonnet 4"),
            ("/exit", "quit "),
            ("/quit\n", "quit "),
            ("/models", "other"),
            ("/compact", "other"),
            ("//compact now", "the agent's"),
            ("//clear", "the agent's"),
            ("// clear", "other"),
            ("//TODO tidy up", "other"),
            ("/new\nand more", "other"),
            ("/btw why\nis that", "btw why\nis that"),
            (" /new", "other"),
            ("/", "other"),
            ("", "other"),
        ] {
            assert_eq!(read(draft), is, "{draft:?}");
        }
    }
}
