//! The options of the agent: all of them in one list, and the values of one (V1-CFG-01 to
//! V1-CFG-05).
//!
//! Made anew whenever the session's options change: the agent may change them at any time, and what
//! it answers may be another list.

use crossterm::event::KeyCode;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::{ConfigOption, OptionValue, category},
    session::{Event, Session},
    text::SafeText,
    ui::{
        UiCommand,
        action::{Action, Context},
        keymap::Chord,
        options::{is_dangerous, named_line},
        overlay::{
            Frame, Outcome, Overlay, OverlayContext, Room,
            list::{Described, Entry, FilterList, Listed},
            panel::{Panel, draw_rows},
        },
        render::line::StyledLine,
    },
};

/// Rows at most, so that the conversation stays in sight.
const MAX_ROWS: u16 = 18;

/// Rows of the list, its filter included, that no description may take.
const LIST_AT_LEAST: u16 = 3;

/// Over what belongs to the model, below the models.
const OF_MODEL: &str = "With this model";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Option(String),
    Value(String, OptionValue),
}

/// What is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Level {
    All,
    /// The values of an option.
    Of(String),
}

pub struct OptionsDialog {
    /// The last is shown; esc goes back to the one before.
    levels: Vec<Level>,
    list: FilterList<Item>,
    /// What the list was made from: revision of the options, theme, frame, level.
    made_from: Option<(u64, u8, Frame, Level)>,
}

impl OptionsDialog {
    /// All options.
    pub fn all() -> Self {
        Self::at(Level::All)
    }

    /// The values of one.
    pub fn of(option: &str) -> Self {
        Self::at(Level::Of(option.to_owned()))
    }

    fn at(level: Level) -> Self {
        Self {
            levels: vec![level],
            list: FilterList::default(),
            made_from: None,
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

    fn fill(&mut self, cx: &OverlayContext<'_>) {
        let Some(session) = cx.session else { return };
        let level = self.level();
        let made_from = (session.options_rev, cx.theme.id, cx.frame, level.clone());
        if self.made_from.as_ref() == Some(&made_from) {
            return;
        }
        let before = self.made_from.replace(made_from);
        let selected = self.list.selected().cloned();
        let entries = match &level {
            Level::All => all_options(session, cx),
            Level::Of(id) => values_of(session, id, cx),
        };
        self.list.set_described(entries);
        match before.map(|(.., level)| level) {
            // The same list with news: the selection stays where it is.
            Some(same) if same == level => self.list.select(|item| Some(item) == selected.as_ref()),
            // Back from the values of an option.
            Some(Level::Of(id)) => {
                self.list
                    .select(|item| matches!(item, Item::Option(option) if *option == id));
            }
            _ => {
                let current = self.shown(cx).map(ConfigOption::current);
                self.list.select(
                    |item| matches!(item, Item::Value(_, value) if Some(value) == current.as_ref()),
                );
            }
        }
    }

    fn go_to(&mut self, level: Level) -> Outcome {
        self.levels.push(level);
        self.list.clear();
        Outcome::taken()
    }

    fn back(&mut self) -> Outcome {
        self.levels.pop();
        self.list.clear();
        if self.levels.is_empty() {
            Outcome::close()
        } else {
            Outcome::taken()
        }
    }

    fn choose(&mut self, cx: &OverlayContext<'_>) -> Outcome {
        let set = |option: &str, value: OptionValue| {
            UiCommand::Session(Event::SetOption {
                option: option.to_owned(),
                value,
            })
        };
        match self.list.selected().cloned() {
            Some(Item::Value(option, value)) => self.back().command(set(&option, value)),
            Some(Item::Option(id)) => {
                let Some(session) = cx.session else {
                    return Outcome::close();
                };
                match session.option(&id).map(|option| standing(session, option)) {
                    Some((OptionValue::Flag(flag), _)) => {
                        Outcome::taken().command(set(&id, OptionValue::Flag(!flag)))
                    }
                    Some(_) => self.go_to(Level::Of(id)),
                    None => Outcome::taken(),
                }
            }
            None => Outcome::taken(),
        }
    }

    /// The way to what is listed; in less than `room` cells only that itself.
    fn title(&self, room: usize, cx: &OverlayContext<'_>) -> StyledLine {
        let theme = cx.theme;
        let name = |level: &Level| match level {
            Level::All => SafeText::from("Options"),
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

    /// Rows for descriptions below a list of that many.
    fn below(&mut self, width: u16, height: u16) -> u16 {
        let rows = self.list.description_rows(width.into());
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        rows.min(height.saturating_sub(LIST_AT_LEAST))
    }
}

/// What an option is, or was asked to be last; and whether that is still to be answered.
fn standing(session: &Session, option: &ConfigOption) -> (OptionValue, bool) {
    match session.asked_of_option(&option.id) {
        Some(asked) => (asked.clone(), true),
        None => (option.current(), false),
    }
}

fn all_options(session: &Session, cx: &OverlayContext<'_>) -> Vec<Described<Item>> {
    let options = session.config_options.iter();
    options
        .map(|option| option_entry(session, option, None, cx))
        .collect()
}

fn option_entry(
    session: &Session,
    option: &ConfigOption,
    heading: Option<SafeText>,
    cx: &OverlayContext<'_>,
) -> Described<Item> {
    let theme = cx.theme;
    let (value, asked) = standing(session, option);
    let style = if asked { theme.dim } else { theme.accent };
    let dangerous = is_dangerous(option, &value);
    let mut note = named_line(&option.name_of(&value), dangerous, theme, style);
    if asked {
        note.push(&format!(" {}", cx.symbols.ellipsis), theme.dim);
    }
    Described {
        entry: Entry {
            label: name_and_id(&option.name, &option.id, false, cx),
            note,
            value: Item::Option(option.id.clone()),
        },
        description: option.description.clone(),
        heading,
    }
}

/// The values; with the model, what belongs to it (V1-CFG-05).
fn values_of(session: &Session, id: &str, cx: &OverlayContext<'_>) -> Vec<Described<Item>> {
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
        let mut label = StyledLine::styled(sign, theme.success);
        label.push(" ", theme.text);
        let dangerous = is_dangerous(option, &this);
        label.extend(&name_and_id(&value.name, &value.value, dangerous, cx));
        let waits = asked && this == standing;
        let note = if waits { cx.symbols.ellipsis } else { "" };
        Described {
            entry: Entry {
                label,
                note: StyledLine::styled(note, theme.dim),
                value: Item::Value(option.id.clone(), this),
            },
            description: value.description.clone(),
            heading: value.group.clone(),
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
        .chain(of_model.map(|other| option_entry(session, other, Some(OF_MODEL.into()), cx)))
        .collect()
}

/// The id is what `--set` and the profile take: there where there is room.
fn name_and_id(name: &SafeText, id: &str, dangerous: bool, cx: &OverlayContext<'_>) -> StyledLine {
    let theme = cx.theme;
    let mut line = named_line(name, dangerous, theme, theme.text);
    if cx.frame == Frame::Full && name.to_lowercase() != id.to_lowercase() {
        line.push(&format!("  {}", SafeText::line(id)), theme.dim);
    }
    line
}

impl Overlay for OptionsDialog {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        match self.list.handle(key) {
            Listed::Taken => return Outcome::taken(),
            Listed::Chosen => return self.choose(cx),
            Listed::Pass => {}
        }
        let nested = self.levels.len() > 1;
        match cx.keymap.action(key, &[Context::Anywhere]) {
            Some(Action::Stop) if nested => return self.back(),
            // What opened it.
            Some(Action::Options | Action::Model | Action::ThoughtLevel) => {
                return Outcome::close();
            }
            _ => {}
        }
        let plain = key.modifiers().is_empty();
        match (key.code(), self.list.selected()) {
            (KeyCode::Left, _) if plain && nested => self.back(),
            (KeyCode::Right, Some(Item::Option(_))) if plain => self.choose(cx),
            _ => Outcome::pass(),
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.fill(cx);
        let width = cx.frame.inner_width(room.width);
        let rows = u16::try_from(self.list.rows()).unwrap_or(u16::MAX);
        let rows = rows.min(MAX_ROWS);
        let below = self.below(width, u16::MAX);
        rows.saturating_add(below)
            .saturating_add(cx.frame.rows())
            .min(room.height)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let on_option = matches!(self.list.selected(), Some(Item::Option(_)));
        let hints = [
            (Action::Send, if on_option { "change" } else { "set" }),
            (
                Action::Stop,
                if self.levels.len() > 1 {
                    "back"
                } else {
                    "close"
                },
            ),
        ];
        let mut panel = Panel::opened("", &hints, cx);
        // Also where it is none of those listed (V1-CFG-01).
        panel.note = match self.shown(cx) {
            Some(option) => {
                let current = option.current();
                let mut note = StyledLine::styled("now ", cx.theme.dim);
                let dangerous = is_dangerous(option, &current);
                let name = option.name_of(&current);
                note.extend(&named_line(&name, dangerous, cx.theme, cx.theme.text));
                note
            }
            None => StyledLine::styled(&self.list.len().to_string(), cx.theme.dim),
        };
        // Blanks, corners and a bit of the rule.
        let room = usize::from(area.width).saturating_sub(panel.note.width() + 10);
        panel.title = self.title(room, cx);
        let inner = panel.draw(area, buffer, cx);
        let below = self.below(inner.width, inner.height);
        let list = Rect {
            height: inner.height - below,
            ..inner
        };
        let place = Rect {
            y: list.bottom(),
            height: below,
            ..inner
        };
        let description = self.list.description_below(inner.width.into());
        let rows = description.map(|description| {
            StyledLine::styled(description, cx.theme.dim).wrap(inner.width.into())
        });
        draw_rows(rows.iter().flatten(), place, buffer);
        self.list.draw(list, buffer, cx)
    }
}
