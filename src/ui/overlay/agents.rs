//! Which agent to talk to: what is configured or built in, found or not.

use std::sync::Arc;

use crossterm::event::KeyCode;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    text::SafeText,
    ui::{
        AgentChoice, AgentList, UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{
            Outcome, Overlay, OverlayContext, Room, Wish,
            list::{Entry, FilterList, Listed},
            panel::{Panel, draw_rows},
        },
        render::line::StyledLine,
    },
};

/// Rows at most, so that the conversation stays in sight.
const MAX_ROWS: u16 = 18;

/// Rows of the list, its filter included, that nothing else may take.
const LIST_AT_LEAST: u16 = 3;

/// Rows for how to install the selected agent.
const HINT_ROWS: usize = 2;

/// Agents that are not installed stand in the list as they are up to here; more are folded.
const FEW: usize = 3;

#[derive(Clone)]
enum Item {
    Agent(Box<AgentChoice>),
    /// The others, which are not installed.
    Folded,
}

#[derive(Default)]
pub struct AgentPicker {
    list: FilterList<Item>,
    /// What the entries were made from: where agents are, and the theme, may be known only after
    /// the picker is open.
    made_from: Option<(AgentList, u8, bool)>,
    /// The person has begun to choose: then the selection stays on what it is on.
    moved: bool,
    /// The person wants to see those that are not installed, too.
    unfolded: bool,
}

impl AgentPicker {
    /// Those whose command was found first; the others behind one row, until they are asked for.
    fn fill(&mut self, cx: &OverlayContext<'_>) {
        let fold = !self.unfolded && !self.list.is_narrowed();
        if let Some((agents, theme, folded)) = &self.made_from
            && Arc::ptr_eq(agents, cx.agents)
            && (*theme, *folded) == (cx.theme.id, fold)
        {
            return;
        }
        let same_fold = self.made_from.as_ref().is_none_or(|made| made.2 == fold);
        self.made_from = Some((cx.agents.clone(), cx.theme.id, fold));
        let selected = self.agent().map(|agent| agent.id.clone());
        let (missing, mut shown): (Vec<&AgentChoice>, Vec<&AgentChoice>) =
            cx.agents.iter().partition(|agent| is_missing(agent));
        let folded = if fold && missing.len() > FEW {
            Some(missing.len())
        } else {
            shown.extend(missing);
            None
        };
        let entries = shown.into_iter().map(|agent| entry(agent, cx));
        let folded = folded.map(|count| folded_entry(count, cx));
        self.list.set_entries(entries.chain(folded).collect());
        if self.moved && same_fold {
            self.list.select(
                |item| matches!(item, Item::Agent(agent) if Some(&agent.id) == selected.as_ref()),
            );
        }
    }

    fn agent(&self) -> Option<&AgentChoice> {
        match self.list.selected()? {
            Item::Agent(agent) => Some(agent),
            Item::Folded => None,
        }
    }

    /// Shows what was folded, the first of it selected.
    fn unfold(&mut self, cx: &OverlayContext<'_>) -> Outcome {
        self.unfolded = true;
        self.fill(cx);
        self.list
            .select(|item| matches!(item, Item::Agent(agent) if is_missing(agent)));
        Outcome::taken()
    }

    /// What the selected one lacks.
    fn install_hint(&self) -> Option<SafeText> {
        self.agent()?.found.clone()?.err()
    }
}

fn is_missing(agent: &AgentChoice) -> bool {
    matches!(agent.found, Some(Err(_)))
}

fn folded_entry(count: usize, cx: &OverlayContext<'_>) -> Entry<Item> {
    let verb = if count == 1 { "is" } else { "are" };
    let mut label = StyledLine::styled(cx.symbols.folded, cx.theme.dim);
    label.push(&format!(" {count} more {verb} not installed"), cx.theme.dim);
    Entry {
        label,
        note: StyledLine::styled("type to search, or go down", cx.theme.dim),
        value: Item::Folded,
    }
}

fn entry(agent: &AgentChoice, cx: &OverlayContext<'_>) -> Entry<Item> {
    let theme = cx.theme;
    let (sign, sign_style, name_style) = match agent.found {
        Some(Ok(_)) => (cx.symbols.done, theme.success, theme.strong),
        Some(Err(_)) => (cx.symbols.failed, theme.dim, theme.text),
        None => (" ", theme.dim, theme.text),
    };
    let mut label = StyledLine::styled(sign, sign_style);
    label.push(" ", theme.text);
    label.push(&agent.name, name_style);
    if agent.name.as_str() != agent.id {
        label.push(&format!("  {}", SafeText::line(&agent.id)), theme.dim);
    }
    let note = match &agent.found {
        Some(Ok(path)) => StyledLine::styled(path, theme.dim),
        Some(Err(_)) => StyledLine::styled("not installed", theme.dim),
        None => StyledLine::styled(cx.symbols.ellipsis, theme.dim),
    };
    Entry {
        label,
        note,
        value: Item::Agent(Box::new(agent.clone())),
    }
}

impl Overlay for AgentPicker {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        let folded = matches!(self.list.selected(), Some(Item::Folded));
        if folded && key.code() == KeyCode::Down {
            self.moved = true;
            return self.unfold(cx);
        }
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => {
                self.moved = true;
                self.fill(cx);
                Outcome::taken()
            }
            Listed::Chosen => match self.list.selected() {
                Some(Item::Agent(agent)) if !is_missing(agent) => {
                    Outcome::close().command(UiCommand::ChooseAgent(agent.id.clone()))
                }
                Some(Item::Agent(agent)) => Outcome::taken().with(Wish::Toast(SafeText::line(
                    &format!("{} is not installed: see below the list how to", agent.name),
                ))),
                Some(Item::Folded) => self.unfold(cx),
                None => Outcome::taken(),
            },
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
        self.fill(cx);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.fill(cx);
        let rows = u16::try_from(self.list.rows() + HINT_ROWS).unwrap_or(u16::MAX);
        let frame = cx.frame.rows();
        rows.min(MAX_ROWS).saturating_add(frame).min(room.height)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let hints = [(Action::Send, "start"), (Action::Stop, "close")];
        let inner = Panel::opened("Choose an agent", &hints, cx).draw(area, buffer, cx);
        // How to install the selected one, whole: it is there to be copied.
        let hint = self.install_hint().map_or_else(Vec::new, |hint| {
            StyledLine::styled(&hint, cx.theme.warning).wrap(inner.width.into())
        });
        let rows = u16::try_from(hint.len()).unwrap_or(u16::MAX);
        let rows = rows.min(inner.height.saturating_sub(LIST_AT_LEAST));
        let list = Rect {
            height: inner.height - rows,
            ..inner
        };
        let below = Rect {
            y: list.bottom(),
            height: rows,
            ..inner
        };
        draw_rows(&hint, below, buffer);
        self.list.draw(list, buffer, cx)
    }
}
