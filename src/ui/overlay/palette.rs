//! Every action by name, the agent's modes, and what it has to turn on and off.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::OptionValue,
    session::{Event, Session},
    ui::{
        UiCommand,
        action::{ACTIONS, Action, Context},
        keymap::Chord,
        options::value_line,
        overlay::{
            Outcome, Overlay, OverlayContext, Room, Wish,
            list::{Entry, FilterList, Listed},
            panel::Panel,
        },
        render::line::StyledLine,
    },
};

/// Rows at most, so that the conversation stays in sight.
const MAX_ROWS: u16 = 16;

#[derive(Clone, Debug)]
enum Item {
    Action(Action),
    Set(String, OptionValue),
}

pub struct Palette {
    list: FilterList<Item>,
}

impl Palette {
    pub fn new(cx: &OverlayContext<'_>) -> Self {
        let theme = cx.theme;
        // Keys of a selected block and of a question mean nothing away from it.
        let actions = ACTIONS
            .iter()
            .filter(|info| {
                !matches!(
                    info.context,
                    Context::Browse | Context::Question | Context::Form
                )
            })
            .filter(|info| is_possible(info.action, cx))
            .map(|info| {
                let reading = info.action.reading_doc();
                let doc = match (&cx.project.read_only, reading) {
                    (Some(_), Some(doc)) => doc,
                    _ => info.doc,
                };
                let mut label = StyledLine::styled(doc, theme.text);
                label.push(&format!("  {}", info.name), theme.dim);
                Entry {
                    label,
                    note: StyledLine::styled(&cx.keymap.hint(info.action), theme.key_hint),
                    value: Item::Action(info.action),
                }
            });
        let session = cx.session.filter(|_| cx.project.read_only.is_none());
        let option = session.and_then(Session::mode_option);
        let modes = option.into_iter().flat_map(|option| {
            option.values().iter().map(|mode| {
                let value = OptionValue::Id(mode.value.clone());
                let mut label = StyledLine::styled("Mode: ", theme.dim);
                label.extend(&value_line(option, &value, theme, theme.text));
                if let Some(description) = &mode.description {
                    label.push(&format!("  {description}"), theme.dim);
                }
                let current = value == option.current();
                Entry {
                    label,
                    note: StyledLine::styled(if current { "now" } else { "" }, theme.success),
                    value: Item::Set(option.id.clone(), value),
                }
            })
        });
        let options = session.map(|session| session.config_options.as_slice());
        let flags = options.into_iter().flatten().filter_map(|option| {
            let OptionValue::Flag(flag) = option.current() else {
                return None;
            };
            let mut label = StyledLine::styled(&option.name, theme.text);
            label.push(if flag { ": turn off" } else { ": turn on" }, theme.dim);
            Some(Entry {
                label,
                note: StyledLine::styled(if flag { "on" } else { "off" }, theme.success),
                value: Item::Set(option.id.clone(), OptionValue::Flag(!flag)),
            })
        });
        Self {
            list: FilterList::new(actions.chain(modes).chain(flags).collect()),
        }
    }
}

/// Not itself; and what the agent cannot do is not offered.
fn is_possible(action: Action, cx: &OverlayContext<'_>) -> bool {
    match action {
        Action::Palette => false,
        _ if cx.project.read_only.is_some() => action.reading_doc().is_some(),
        Action::SignIn => cx.session.is_some_and(Session::can_sign_in),
        // V1-AUTH-10
        Action::SignOut => cx.session.is_some_and(|session| session.agent.caps.logout),
        // V1-AUTH-12
        Action::Providers => cx.session.is_some_and(|s| s.agent.caps.providers),
        _ => true,
    }
}

impl Overlay for Palette {
    fn handle(&mut self, key: Chord, _cx: &OverlayContext<'_>) -> Outcome {
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => Outcome::taken(),
            Listed::Chosen => match self.list.selected() {
                Some(Item::Action(action)) => Outcome::close().with(Wish::Run(*action)),
                Some(Item::Set(option, value)) => {
                    Outcome::close().command(UiCommand::Session(Event::SetOption {
                        option: option.clone(),
                        value: value.clone(),
                    }))
                }
                None => Outcome::taken(),
            },
        }
    }

    fn paste(&mut self, text: &str, _cx: &OverlayContext<'_>) -> Outcome {
        self.list.paste(text);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let rows = u16::try_from(self.list.rows()).unwrap_or(u16::MAX);
        let frame = cx.frame.rows();
        rows.min(MAX_ROWS).saturating_add(frame).min(room.height)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let hints = [(Action::Send, "run"), (Action::Stop, "close")];
        let panel = Panel {
            note: StyledLine::styled(&self.list.len().to_string(), cx.theme.dim),
            ..Panel::opened("Actions", &hints, cx)
        };
        let inner = panel.draw(area, buffer, cx);
        self.list.draw(inner, buffer, cx)
    }
}
