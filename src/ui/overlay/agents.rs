//! Which agent to talk to: what is configured or built in, found or not.

use std::sync::Arc;

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

#[derive(Default)]
pub struct AgentPicker {
    list: FilterList<AgentChoice>,
    /// What the entries were made from: where agents are, and the theme, may be known only after
    /// the picker is open.
    made_from: Option<(AgentList, u8)>,
    /// The person has begun to choose: then the selection stays on what it is on.
    moved: bool,
}

impl AgentPicker {
    /// Those whose command was found first.
    fn fill(&mut self, cx: &OverlayContext<'_>) {
        if let Some((agents, theme)) = &self.made_from
            && Arc::ptr_eq(agents, cx.agents)
            && *theme == cx.theme.id
        {
            return;
        }
        self.made_from = Some((cx.agents.clone(), cx.theme.id));
        let selected = self.list.selected().map(|agent| agent.id.clone());
        let mut agents: Vec<&AgentChoice> = cx.agents.iter().collect();
        agents.sort_by_key(|agent| matches!(agent.found, Some(Err(_))));
        self.list
            .set_entries(agents.into_iter().map(|agent| entry(agent, cx)).collect());
        if self.moved {
            self.list
                .select(|agent| Some(&agent.id) == selected.as_ref());
        }
    }

    fn install_hint(&self) -> Option<SafeText> {
        self.list.selected()?.found.clone()?.err()
    }
}

fn entry(agent: &AgentChoice, cx: &OverlayContext<'_>) -> Entry<AgentChoice> {
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
        value: agent.clone(),
    }
}

impl Overlay for AgentPicker {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => {
                self.moved = true;
                Outcome::taken()
            }
            Listed::Chosen => match self.list.selected() {
                Some(agent) if !matches!(agent.found, Some(Err(_))) => {
                    Outcome::close().command(UiCommand::ChooseAgent(agent.id.clone()))
                }
                Some(agent) => Outcome::taken().with(Wish::Toast(SafeText::line(&format!(
                    "{} is not installed: see below the list how to",
                    agent.name
                )))),
                None => Outcome::taken(),
            },
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
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
        let panel = Panel {
            title: StyledLine::styled("Choose an agent", cx.theme.strong),
            note: StyledLine::new(),
            hints: vec![
                (cx.keymap.hint(Action::Send), "start"),
                (cx.keymap.hint(Action::Stop), "close"),
            ],
            border: cx.theme.accent,
        };
        let inner = panel.draw(area, buffer, cx);
        // How to install the selected one, whole: it is there to be copied.
        let hint = self.install_hint().map_or_else(Vec::new, |hint| {
            let mut line = StyledLine::styled("install: ", cx.theme.dim);
            line.push(&SafeText::line(&hint), cx.theme.warning);
            line.wrap(inner.width.into())
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
