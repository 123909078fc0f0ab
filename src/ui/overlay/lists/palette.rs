//! Every action by name, the agent's modes, and what it has to turn on and off.

use crate::{
    model::OptionValue,
    session::{Event, Session},
    ui::{
        UiCommand,
        action::{ACTIONS, Action, Context},
        options::value_line,
        overlay::{Outcome, OverlayContext, Wish, panel::Panel},
        render::line::StyledLine,
    },
};

use super::{Contents, FilterList, ListRow};

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Action(Action),
    Set(String, OptionValue),
}

pub struct Palette;

impl Contents for Palette {
    type Id = Item;
    type MadeFrom = ();

    const MAX_ROWS: u16 = 16;
    const TITLE: &'static str = "Actions";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "run"), (Action::Stop, "close")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<Item>> {
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
                let hint = StyledLine::styled(&cx.keymap.hint(info.action), theme.key_hint);
                ListRow::new(Item::Action(info.action), label).with_note(hint)
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
                let now = if value == option.current() { "now" } else { "" };
                ListRow::new(Item::Set(option.id.clone(), value), label)
                    .with_note(StyledLine::styled(now, theme.success))
            })
        });
        let options = session.map(|session| session.config_options.as_slice());
        let flags = options.into_iter().flatten().filter_map(|option| {
            let OptionValue::Flag(flag) = option.current() else {
                return None;
            };
            let mut label = StyledLine::styled(&option.name, theme.text);
            label.push(if flag { ": turn off" } else { ": turn on" }, theme.dim);
            let note = StyledLine::styled(if flag { "on" } else { "off" }, theme.success);
            let item = Item::Set(option.id.clone(), OptionValue::Flag(!flag));
            Some(ListRow::new(item, label).with_note(note))
        });
        actions.chain(modes).chain(flags).collect()
    }

    fn choose(&mut self, item: Item, _cx: &OverlayContext<'_>) -> Outcome {
        let close = Outcome::close();
        match item {
            Item::Action(action) => close.with(Wish::Run(action)),
            Item::Set(option, value) => {
                close.command(UiCommand::Session(Event::SetOption { option, value }))
            }
        }
    }

    fn panel(&self, list: &FilterList<Item>, _width: u16, cx: &OverlayContext<'_>) -> Panel {
        Panel {
            note: StyledLine::styled(&list.len().to_string(), cx.theme.dim),
            ..Panel::opened(Self::TITLE, Self::HINTS, cx)
        }
    }
}

/// The palette itself is not offered, nor what the agent cannot do.
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
