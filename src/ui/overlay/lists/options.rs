//! The options of the agent: all of them in one list, and the values of one (V1-CFG-01 to
//! V1-CFG-05).
//!
//! The rows are made again whenever the session's options change: the agent may change them at any
//! time, and its answer may be a different list.

use crossterm::event::KeyCode;

use crate::{
    model::{ConfigOption, LimitState, OptionValue, category},
    session::{Event, Limit, Session},
    text::SafeText,
    ui::{
        UiCommand,
        action::{Action, Context},
        keymap::Chord,
        options::{is_dangerous, named_line, value_line},
        overlay::{
            Outcome, OverlayContext, Wish, no_agent,
            panel::{Frame, Panel},
        },
        render::line::StyledLine,
    },
};

use super::{Contents, FilterList, ListRow, NewRows, open as open_list};

/// The heading over options of the model, below the models.
const OF_MODEL: &str = "With this model";

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Option(String),
    Value(String, OptionValue),
    /// Who is signed in.
    Account,
    /// A limit of that account.
    Limit,
}

/// What is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    All,
    /// The values of an option.
    Of(String),
}

pub struct Options {
    /// The last is shown; esc goes back to the one before.
    levels: Vec<Level>,
}

pub(super) fn open(cx: &OverlayContext<'_>) -> Outcome {
    match cx.session {
        None => no_agent(cx),
        Some(session)
            if session.config_options.is_empty()
                && session.agent.account.is_none()
                && session.limit.is_none() =>
        {
            Outcome::toast("the agent offers no options")
        }
        Some(_) => open_list(Options::at(Level::All)),
    }
}

/// The values of the first option of a category; a flag is turned over at once.
pub(super) fn open_category(category: &str, what: &str, cx: &OverlayContext<'_>) -> Outcome {
    let Some(session) = cx.session else {
        return no_agent(cx);
    };
    let Some(option) = session.option_of(category) else {
        return Outcome::toast(&format!("the agent offers no choice of {what}"));
    };
    let OptionValue::Flag(flag) = standing(session, option).0 else {
        return open_list(Options::at(Level::Of(option.id.clone())));
    };
    let value = OptionValue::Flag(!flag);
    let text = format!("{}: {}", option.name, option.name_of(&value));
    Outcome::toast(&text).command(set(option.id.clone(), value))
}

fn set(option: String, value: OptionValue) -> UiCommand {
    UiCommand::Session(Event::SetOption { option, value })
}

impl Options {
    #[cfg(test)]
    pub fn dialog(option: Option<&str>) -> super::ListDialog<Self> {
        let level = option.map_or(Level::All, |id| Level::Of(id.to_owned()));
        super::ListDialog::new(Self::at(level))
    }

    fn at(level: Level) -> Self {
        Self {
            levels: vec![level],
        }
    }

    fn level(&self) -> Level {
        self.levels.last().cloned().unwrap_or(Level::All)
    }

    /// The option whose values are listed.
    fn shown<'a>(&self, cx: &OverlayContext<'a>) -> Option<&'a ConfigOption> {
        match self.levels.last() {
            Some(Level::Of(id)) => cx.session?.option(id),
            _ => None,
        }
    }

    fn back(&mut self) -> Outcome {
        self.levels.pop();
        if self.levels.is_empty() {
            Outcome::close()
        } else {
            Outcome::taken()
        }
    }

    /// The way to what is listed; in less than `room` cells only that itself.
    fn title(&self, room: usize, cx: &OverlayContext<'_>) -> StyledLine {
        let theme = cx.theme;
        let name = |level: &Level| match level {
            Level::All => SafeText::from(Self::TITLE),
            Level::Of(id) => match cx.session.and_then(|session| session.option(id)) {
                Some(option) => option.name.clone(),
                None => SafeText::line(id),
            },
        };
        let mut way = StyledLine::new();
        for (n, level) in self.levels.iter().enumerate() {
            if n > 0 {
                way.push(&format!(" {} ", cx.symbols.folded), theme.dim);
            }
            way.push(&name(level), theme.strong);
        }
        match self.levels.last() {
            Some(last) if way.width() > room => StyledLine::styled(&name(last), theme.strong),
            _ => way,
        }
    }
}

impl Contents for Options {
    type Id = Item;
    /// The revision of the options, and which are listed.
    type MadeFrom = (u64, Level);

    const TITLE: &'static str = "Options";

    fn made_from(&self, _narrowed: bool, cx: &OverlayContext<'_>) -> Option<(u64, Level)> {
        Some((cx.session?.options_rev, self.level()))
    }

    fn rows(&self, (_, level): &(u64, Level), cx: &OverlayContext<'_>) -> Vec<ListRow<Item>> {
        match (cx.session, level) {
            (None, _) => Vec::new(),
            (Some(session), Level::All) => {
                let options = session.config_options.iter();
                options
                    .map(|option| option_row(session, option, None, cx))
                    .chain(account_row(session, cx))
                    .chain(limit_row(session, cx))
                    .collect()
            }
            (Some(session), Level::Of(id)) => values_of(session, id, cx),
        }
    }

    fn select(&self, rows: NewRows<'_, Self>, cx: &OverlayContext<'_>) -> Option<Item> {
        match rows.before.map(|(_, level)| level) {
            // The same list with news: the selection stays where it is.
            Some(same) if *same == rows.now.1 => rows.selected,
            // Back from the values of an option.
            Some(Level::Of(id)) => Some(Item::Option(id.clone())),
            _ => {
                let option = self.shown(cx)?;
                Some(Item::Value(option.id.clone(), option.current()))
            }
        }
    }

    fn depth(&self) -> usize {
        self.levels.len()
    }

    fn key(&mut self, key: Chord, at: Option<&Item>, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let nested = self.levels.len() > 1;
        match cx.keymap.action(key, &[Context::Anywhere]) {
            Some(Action::Stop) if nested => return Some(self.back()),
            // What opened it.
            Some(Action::Options | Action::Mode | Action::Model | Action::ThoughtLevel) => {
                return Some(Outcome::close());
            }
            _ => {}
        }
        let plain = key.modifiers().is_empty();
        match (key.code(), at) {
            (KeyCode::Left, _) if plain && nested => Some(self.back()),
            (KeyCode::Right, Some(item @ Item::Option(_))) if plain => {
                Some(self.choose(item.clone(), cx))
            }
            _ => None,
        }
    }

    fn choose(&mut self, item: Item, cx: &OverlayContext<'_>) -> Outcome {
        let id = match item {
            Item::Value(option, value) => return self.back().command(set(option, value)),
            Item::Option(id) => id,
            Item::Account => return sign_in(cx),
            Item::Limit => {
                let reached = cx.session.and_then(|session| session.limit.as_ref());
                return match reached.is_some_and(Limit::is_reached) {
                    true => Outcome::close().with(Wish::Run(Action::ContinueAfterLimit)),
                    false => Outcome::taken(),
                };
            }
        };
        let Some(session) = cx.session else {
            return Outcome::close();
        };
        match session.option(&id).map(|option| standing(session, option)) {
            Some((OptionValue::Flag(flag), _)) => {
                Outcome::taken().command(set(id, OptionValue::Flag(!flag)))
            }
            Some(_) => {
                self.levels.push(Level::Of(id));
                Outcome::taken()
            }
            None => Outcome::taken(),
        }
    }

    fn panel(&self, list: &FilterList<Item>, width: u16, cx: &OverlayContext<'_>) -> Panel {
        let nested = self.levels.len() > 1;
        let hints = [
            (
                Action::Send,
                match list.selected() {
                    Some(Item::Option(_)) => "change",
                    Some(Item::Account) => "sign in",
                    Some(Item::Limit) => "continue then",
                    _ => "set",
                },
            ),
            (Action::Stop, if nested { "back" } else { "close" }),
        ];
        let mut panel = Panel::opened("", &hints, cx);
        // Also where it is none of those listed (V1-CFG-01).
        panel.note = match self.shown(cx) {
            Some(option) => {
                let current = option.current();
                let mut note = StyledLine::styled("now ", cx.theme.dim);
                note.extend(&value_line(option, &current, cx.theme, cx.theme.text));
                note
            }
            None => StyledLine::styled(&list.len().to_string(), cx.theme.dim),
        };
        // Blanks, corners and a bit of the rule.
        let room = usize::from(width).saturating_sub(panel.note.width() + 10);
        panel.title = self.title(room, cx);
        panel
    }
}

/// The value of an option, or the one last requested; and whether the agent has yet to answer.
fn standing(session: &Session, option: &ConfigOption) -> (OptionValue, bool) {
    match session.asked_of_option(&option.id) {
        Some(asked) => (asked.clone(), true),
        None => (option.current(), false),
    }
}

fn option_row(
    session: &Session,
    option: &ConfigOption,
    heading: Option<SafeText>,
    cx: &OverlayContext<'_>,
) -> ListRow<Item> {
    let theme = cx.theme;
    let (value, asked) = standing(session, option);
    let style = if asked { theme.dim } else { theme.accent };
    let mut note = value_line(option, &value, theme, style);
    if asked {
        note.push(&format!(" {}", cx.symbols.ellipsis), theme.dim);
    }
    let label = name_and_id(&option.name, &option.id, false, cx);
    ListRow {
        note,
        description: option.description.clone(),
        heading,
        ..ListRow::new(Item::Option(option.id.clone()), label)
    }
}

/// Who is signed in, where the agent has told.
fn account_row(session: &Session, cx: &OverlayContext<'_>) -> Option<ListRow<Item>> {
    let account = session.agent.account.as_ref()?;
    let style = match account.none {
        true => cx.theme.warning,
        false => cx.theme.text,
    };
    let label = StyledLine::styled("Signed in", cx.theme.text);
    let note = StyledLine::styled(&account.line(), style);
    Some(ListRow {
        words: "account login plan subscription key",
        heading: Some("Account".into()),
        ..ListRow::new(Item::Account, label).with_note(note)
    })
}

fn limit_row(session: &Session, cx: &OverlayContext<'_>) -> Option<ListRow<Item>> {
    let limit = session.limit.as_ref()?;
    let style = match limit.told.state {
        LimitState::Fine => cx.theme.text,
        LimitState::Near | LimitState::Reached => cx.theme.warning,
    };
    let label = StyledLine::styled(&limit.words(), style);
    let note = StyledLine::styled(&limit.resets().unwrap_or_default(), cx.theme.dim);
    let heading = Some("Account".into());
    Some(ListRow {
        words: "rate usage quota",
        heading,
        ..ListRow::new(Item::Limit, label).with_note(note)
    })
}

fn sign_in(cx: &OverlayContext<'_>) -> Outcome {
    match cx.session.is_some_and(Session::can_sign_in) {
        true => Outcome::close().command(UiCommand::Session(Event::WantSignIn)),
        false => Outcome::toast("the agent offers no way to sign in"),
    }
}

/// The values; with the model, what belongs to it (V1-CFG-05).
fn values_of(session: &Session, id: &str, cx: &OverlayContext<'_>) -> Vec<ListRow<Item>> {
    let Some(option) = session.option(id) else {
        return Vec::new();
    };
    let theme = cx.theme;
    let (standing, asked) = standing(session, option);
    let current = option.current();
    let values = option.values().iter().map(|value| {
        let this = OptionValue::Id(value.value.clone());
        let sign = if this == current {
            cx.symbols.done
        } else {
            " "
        };
        let mut label = StyledLine::styled(sign, theme.success).with(" ", theme.text);
        let dangerous = is_dangerous(option, &this);
        label.extend(&name_and_id(&value.name, &value.value, dangerous, cx));
        let waits = asked && this == standing;
        let note = if waits { cx.symbols.ellipsis } else { "" };
        ListRow {
            note: StyledLine::styled(note, theme.dim),
            description: value.description.clone(),
            heading: value.group.clone(),
            ..ListRow::new(Item::Value(option.id.clone(), this), label)
        }
    });
    let is_model = session
        .option_of(category::MODEL)
        .is_some_and(|model| model.id == option.id);
    let of_model = session.config_options.iter().filter(|other| {
        let near = other.is_of(category::MODEL_CONFIG) || other.is_of(category::MODEL);
        is_model && near && other.id != option.id
    });
    values
        .chain(of_model.map(|other| option_row(session, other, Some(OF_MODEL.into()), cx)))
        .collect()
}

/// The id is what `--set` and the profile take; shown where there is room.
fn name_and_id(name: &SafeText, id: &str, dangerous: bool, cx: &OverlayContext<'_>) -> StyledLine {
    let theme = cx.theme;
    let mut line = named_line(name, dangerous, theme, theme.text);
    if cx.frame == Frame::Full && name.to_lowercase() != id.to_lowercase() {
        line.push(&format!("  {}", SafeText::line(id)), theme.dim);
    }
    line
}
