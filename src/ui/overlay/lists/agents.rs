//! Which agent to talk to: what is configured or built in, found or not.

use crossterm::event::KeyCode;

use crate::{
    session::Session,
    text::SafeText,
    ui::{
        AgentChoice, AgentList, UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{Outcome, OverlayContext, panel::Panel},
        render::{Row, line::StyledLine},
    },
};

use super::{Contents, FilterList, ListDialog, ListRow, NewRows, open as open_list};

/// Rows for how to install the selected agent.
const HINT_ROWS: u16 = 2;

/// Agents that are not installed stand in the list as they are up to here; more are folded.
const FEW: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Agent(String),
    /// The others, which are not installed.
    Folded,
}

#[derive(Default)]
pub struct AgentPicker {
    /// The person has unfolded those that are not installed.
    unfolded: bool,
    /// The conversation that is shown goes along.
    along: bool,
}

pub(super) fn open() -> Outcome {
    open_list(AgentPicker::default()).command(UiCommand::FindAgents)
}

/// Of agents that the conversation is handed over to.
pub(super) fn open_along() -> Outcome {
    let picker = AgentPicker {
        along: true,
        ..AgentPicker::default()
    };
    open_list(picker).command(UiCommand::FindAgents)
}

fn has_conversation(cx: &OverlayContext<'_>) -> bool {
    cx.session.is_some_and(Session::has_conversation)
}

impl AgentPicker {
    pub fn dialog() -> ListDialog<Self> {
        ListDialog::new(Self::default())
    }
}

impl Contents for AgentPicker {
    type Id = Item;
    /// Where agents are may be known only after the picker is open; those that are not installed are
    /// folded, or not.
    type MadeFrom = (AgentList, bool);

    const MAX_ROWS: u16 = 18 - HINT_ROWS;
    const TITLE: &'static str = "Choose an agent";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "start"), (Action::Stop, "close")];

    fn made_from(&self, narrowed: bool, cx: &OverlayContext<'_>) -> Option<(AgentList, bool)> {
        Some((cx.agents.clone(), !self.unfolded && !narrowed))
    }

    /// First those whose command was found; the others are folded into one row.
    fn rows(
        &self,
        (agents, fold): &(AgentList, bool),
        cx: &OverlayContext<'_>,
    ) -> Vec<ListRow<Item>> {
        let (missing, found): (Vec<&AgentChoice>, Vec<&AgentChoice>) =
            agents.iter().partition(|agent| is_missing(agent));
        let found = found.into_iter().map(|agent| row(agent, cx));
        if *fold && missing.len() > FEW {
            return found.chain([folded_row(missing.len(), cx)]).collect();
        }
        let missing = missing.into_iter().map(|agent| row(agent, cx));
        found.chain(missing).collect()
    }

    /// The first one until the person has begun to choose; the first of those just unfolded.
    fn select(&self, rows: NewRows<'_, Self>, cx: &OverlayContext<'_>) -> Option<Item> {
        match rows.before {
            Some((_, folded)) if *folded != rows.now.1 => {
                let unfolded = cx.agents.iter().find(|agent| is_missing(agent));
                let unfolded = unfolded.filter(|_| *folded && self.unfolded);
                unfolded.map(|agent| Item::Agent(agent.id.clone()))
            }
            _ => rows.selected.filter(|_| rows.by_person),
        }
    }

    fn key(&mut self, key: Chord, at: Option<&Item>, cx: &OverlayContext<'_>) -> Option<Outcome> {
        if cx.keymap.chords(Action::ListAlong).contains(&key) && has_conversation(cx) {
            self.along = !self.along;
            return Some(Outcome::taken());
        }
        let unfolds = key.code() == KeyCode::Down && at == Some(&Item::Folded);
        self.unfolded |= unfolds;
        unfolds.then(Outcome::taken)
    }

    fn choose(&mut self, item: Item, cx: &OverlayContext<'_>) -> Outcome {
        match item {
            Item::Agent(id) => match agent(&id, cx).filter(|agent| is_missing(agent)) {
                Some(agent) => Outcome::toast(&format!(
                    "{} is not installed: how to install it is below the list",
                    agent.name
                )),
                None if self.along && has_conversation(cx) => {
                    Outcome::close().command(UiCommand::HandOver(id))
                }
                None => Outcome::close().command(UiCommand::ChooseAgent(id)),
            },
            Item::Folded => {
                self.unfolded = true;
                Outcome::taken()
            }
        }
    }

    fn panel(&self, _list: &FilterList<Item>, _width: u16, cx: &OverlayContext<'_>) -> Panel {
        if !has_conversation(cx) {
            return Panel::opened(Self::TITLE, Self::HINTS, cx);
        }
        let (title, along) = match self.along {
            true => ("Hand the conversation over to", "without it"),
            false => (Self::TITLE, "with this conversation"),
        };
        let hints = [
            (Action::Send, "start"),
            (Action::ListAlong, along),
            (Action::Stop, "close"),
        ];
        Panel::opened(title, &hints, cx)
    }

    fn room_below(&self, _list: &FilterList<Item>, _width: usize) -> usize {
        HINT_ROWS.into()
    }

    /// How to install the selected one, whole: it is there to be copied. Else who is signed in, where that is the
    /// agent of the session, and the MCP servers that it is given.
    fn below(&self, list: &FilterList<Item>, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        let selected = match list.selected() {
            Some(Item::Agent(id)) => agent(id, cx),
            _ => None,
        };
        let Some(agent) = selected else {
            return Vec::new();
        };
        if let Some(Err(hint)) = &agent.found {
            return StyledLine::styled(hint, cx.theme.warning).wrap(width);
        }
        let session = cx
            .session
            .filter(|session| session.config.agent == agent.name);
        let lines: Vec<StyledLine> = [signed_in(session, cx), servers(agent, session, cx)]
            .into_iter()
            .flatten()
            .collect();
        match lines.as_slice() {
            [line] => line.wrap(width),
            lines => {
                let cut = |line: &StyledLine| line.clone().truncate(width, cx.symbols.ellipsis);
                lines.iter().map(cut).collect()
            }
        }
    }
}

/// With the limit of the account, where the agent has told of one.
fn signed_in(session: Option<&Session>, cx: &OverlayContext<'_>) -> Option<StyledLine> {
    let separator = format!(" {} ", cx.symbols.separator);
    let limit = session?.limit.as_ref().map(|limit| {
        let parts = [Some(limit.words()), limit.resets()];
        let text = parts.into_iter().flatten().collect::<Vec<_>>();
        StyledLine::styled(&text.join(&separator), cx.theme.dim)
    });
    let account = account_line(session, cx);
    match (account, limit) {
        (Some(account), Some(limit)) => {
            let mut line = account.with(&separator, cx.theme.dim);
            line.extend(&limit);
            Some(line)
        }
        (account, limit) => account.or(limit),
    }
}

fn account_line(session: Option<&Session>, cx: &OverlayContext<'_>) -> Option<StyledLine> {
    let account = session?.agent.account.as_ref()?;
    let (text, style) = match account.none {
        true => (account.line(), cx.theme.warning),
        false => (
            SafeText::line(&format!("signed in: {}", account.line())),
            cx.theme.dim,
        ),
    };
    Some(StyledLine::styled(&text, style))
}

/// Those that the session was opened with, else those of the profile.
fn servers(
    agent: &AgentChoice,
    session: Option<&Session>,
    cx: &OverlayContext<'_>,
) -> Option<StyledLine> {
    let names: Vec<SafeText> = match session {
        Some(session) => {
            let servers = session.config.mcp_servers.iter();
            servers.map(|server| SafeText::line(&server.name)).collect()
        }
        None => agent.servers.clone(),
    };
    let names: Vec<&str> = names.iter().map(SafeText::as_str).collect();
    let text = format!("MCP servers: {}", names.join(", "));
    (!names.is_empty()).then(|| StyledLine::styled(&text, cx.theme.dim))
}

fn agent<'a>(id: &str, cx: &OverlayContext<'a>) -> Option<&'a AgentChoice> {
    cx.agents.iter().find(|agent| agent.id == id)
}

fn is_missing(agent: &AgentChoice) -> bool {
    matches!(agent.found, Some(Err(_)))
}

fn folded_row(count: usize, cx: &OverlayContext<'_>) -> ListRow<Item> {
    let verb = if count == 1 { "is" } else { "are" };
    let mut label = StyledLine::styled(cx.symbols.folded, cx.theme.dim);
    label.push(&format!(" {count} more {verb} not installed"), cx.theme.dim);
    let note = StyledLine::styled("type to search, or go down", cx.theme.dim);
    ListRow::new(Item::Folded, label).with_note(note)
}

fn row(agent: &AgentChoice, cx: &OverlayContext<'_>) -> ListRow<Item> {
    let theme = cx.theme;
    let (sign, sign_style, name_style) = match agent.found {
        Some(Ok(_)) => (cx.symbols.done, theme.success, theme.strong),
        Some(Err(_)) => (cx.symbols.failed, theme.dim, theme.text),
        None => (" ", theme.dim, theme.text),
    };
    let mut label = StyledLine::styled(sign, sign_style).with(" ", theme.text);
    label.push(&agent.name, name_style);
    if agent.name.as_str() != agent.id {
        label.push(&format!("  {}", SafeText::line(&agent.id)), theme.dim);
    }
    let note = match &agent.found {
        Some(Ok(path)) => StyledLine::styled(path, theme.dim),
        Some(Err(_)) => StyledLine::styled("not installed", theme.dim),
        None => StyledLine::styled(cx.symbols.ellipsis, theme.dim),
    };
    ListRow::new(Item::Agent(agent.id.clone()), label).with_note(note)
}
