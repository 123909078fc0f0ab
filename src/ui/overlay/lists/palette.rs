//! Every action by name, the agent's modes, and what it has to turn on and off.

use crate::{
    model::OptionValue,
    session::{Event, Limit, Session},
    text::SafeText,
    ui::{
        UiCommand,
        action::{ACTIONS, Action, ActionInfo, Context},
        action_words::{is_careful, words},
        options::value_line,
        overlay::{Outcome, OverlayContext, Wish},
        render::line::StyledLine,
    },
};

use super::{Contents, ListDialog, ListRow, NewRows};

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Action(Action),
    Set(String, OptionValue),
}

pub struct Palette {
    /// What was run last, the newest first.
    recent: Vec<Action>,
}

/// The palette; `recent`: what was run last, the newest first.
pub fn palette(recent: &[Action]) -> ListDialog<Palette> {
    let recent = recent.to_vec();
    ListDialog::new(Palette { recent })
}

impl Contents for Palette {
    type Id = Item;
    /// Whether something is typed: only then the recent ones stand in their groups.
    type MadeFrom = bool;

    const MAX_ROWS: u16 = 16;
    const TITLE: &'static str = "Actions";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "run"), (Action::Stop, "close")];

    fn made_from(&self, narrowed: bool, _cx: &OverlayContext<'_>) -> Option<bool> {
        Some(narrowed)
    }

    /// Nothing is typed any more: the list begins anew.
    fn select(&self, rows: NewRows<'_, Self>, _cx: &OverlayContext<'_>) -> Option<Item> {
        let same = rows.before.is_none_or(|before| before == rows.now);
        rows.selected.filter(|_| same)
    }

    fn rows(&self, narrowed: &bool, cx: &OverlayContext<'_>) -> Vec<ListRow<Item>> {
        let theme = cx.theme;
        let recent: &[Action] = if *narrowed { &[] } else { &self.recent };
        let recently = recent.iter().filter(|action| is_offered(action.info(), cx));
        let recently = recently.map(|action| ListRow {
            heading: Some("Recent".into()),
            ..action_row(action.info(), cx)
        });
        let actions = ACTIONS
            .iter()
            .filter(|info| is_offered(info, cx) && !recent.contains(&info.action))
            .map(|info| action_row(info, cx));
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
                let row = ListRow::new(Item::Set(option.id.clone(), value), label)
                    .with_note(StyledLine::styled(now, theme.success));
                ListRow {
                    heading: Some("Modes".into()),
                    ..row
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
            let note = StyledLine::styled(if flag { "on" } else { "off" }, theme.success);
            let item = Item::Set(option.id.clone(), OptionValue::Flag(!flag));
            Some(ListRow {
                heading: Some("Options".into()),
                ..ListRow::new(item, label).with_note(note)
            })
        });
        recently.chain(actions).chain(modes).chain(flags).collect()
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
}

fn action_row(info: &ActionInfo, cx: &OverlayContext<'_>) -> ListRow<Item> {
    let doc = match (&cx.project.read_only, info.action.reading_doc()) {
        (Some(_), Some(doc)) => doc,
        _ => info.doc,
    };
    let hint = StyledLine::styled(&cx.keymap.hint(info.action), cx.theme.key_hint);
    let label = StyledLine::styled(doc, cx.theme.text);
    ListRow {
        words: words(info.action),
        careful: is_careful(info.action),
        heading: Some(SafeText::from(info.group.title())),
        ..ListRow::new(Item::Action(info.action), label).with_note(hint)
    }
}

/// Keys of a selected block, of a list and of a question mean nothing away from it, and what only a key
/// can mean is no action to choose.
fn is_offered(info: &ActionInfo, cx: &OverlayContext<'_>) -> bool {
    let elsewhere = matches!(
        info.context,
        Context::Browse | Context::Question | Context::Form | Context::List
    );
    let only_a_key = matches!(
        info.action,
        Action::Send
            | Action::Newline
            | Action::TakeBack
            | Action::TakeSuggestion
            | Action::Queue
            | Action::SendNow
            | Action::Interrupt
    );
    !elsewhere && !only_a_key && is_possible(info.action, cx)
}

/// The palette itself is not offered, nor what the agent cannot do.
fn is_possible(action: Action, cx: &OverlayContext<'_>) -> bool {
    match action {
        Action::Palette => false,
        _ if cx.project.read_only.is_some() => action.reading_doc().is_some(),
        Action::SignIn => cx.session.is_some_and(Session::can_sign_in),
        Action::ContinueAfterLimit => {
            let limit = cx.session.and_then(|session| session.limit.as_ref());
            limit.is_some_and(Limit::is_reached)
        }
        Action::EndWorktree => cx
            .session
            .is_some_and(|session| session.config.worktree.is_some()),
        // V1-AUTH-10
        Action::SignOut => cx.session.is_some_and(|session| session.agent.caps.logout),
        // V1-AUTH-12
        Action::Providers => cx.session.is_some_and(|s| s.agent.caps.providers),
        _ => true,
    }
}
