//! Lists above the composer: slash commands, file mentions, history search.
//!
//! A popup is given its list and knows the selection; the composer does the editing: when popups
//! open, what their keys do, and what goes into the draft.

mod commands;
mod files;
mod folder;
mod list;
mod search;

pub use commands::{command_hint, commands_of};
use commands::{is_own, takes};
pub use files::{FilePopup, Files};
pub use list::{Choice, Choices, MAX_ROWS};
pub use search::SearchPopup;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{
    Composer, PopupOutcome, Sources,
    buffer::{Caret, EditKind, is_placeholder},
    chips::Chip,
    fuzzy::Query,
};
use crate::ui::{keymap::text_of, render::RenderContext};

#[derive(Debug)]
pub enum Popup {
    Commands(Choices),
    Files(FilePopup),
    Search(SearchPopup),
}

impl Popup {
    pub fn choices(&mut self) -> &mut Choices {
        match self {
            Self::Commands(choices) => choices,
            Self::Files(popup) => &mut popup.choices,
            Self::Search(popup) => &mut popup.choices,
        }
    }

    /// Rows wanted: a title, the list, and a line to type in where it has one.
    pub fn height(&mut self) -> u16 {
        let query = u16::from(matches!(self, Self::Search(_)));
        1 + self.choices().rows() + query
    }

    /// Draws it; returns where the caret is if text is typed into it.
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        match self {
            Self::Commands(choices) => choices.draw("commands", area, buf, ctx),
            Self::Files(popup) => popup.choices.draw("files", area, buf, ctx),
            Self::Search(popup) => return popup.draw(area, buf, ctx),
        }
        None
    }
}

impl Composer {
    pub fn popup_is_open(&self) -> bool {
        self.popup.is_some()
    }

    /// Typed text is a search in the history.
    pub(in crate::ui::composer) fn is_searching(&self) -> bool {
        matches!(self.popup, Some(Popup::Search(_)))
    }

    /// Closes whatever popup is open.
    pub fn close_popup(&mut self) {
        if let Some(popup) = self.popup.take() {
            self.dismissed = match popup {
                Popup::Commands(_) => Some(self.buffer.start()),
                Popup::Files(popup) => Some(popup.start),
                Popup::Search(_) => self.dismissed,
            };
        }
    }

    /// Gives `key` to the open popup.
    pub fn popup_key(&mut self, key: KeyEvent, sources: &Sources<'_>) -> PopupOutcome {
        let Some(popup) = &mut self.popup else {
            return PopupOutcome::Ignored;
        };
        if key.kind == KeyEventKind::Release {
            return PopupOutcome::Ignored;
        }
        if let Popup::Files(popup) = popup {
            popup.poll(&self.files, &self.offload);
        }
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => self.close_popup(),
            (KeyCode::Up, KeyModifiers::NONE) => popup.choices().step(false),
            (KeyCode::Down, KeyModifiers::NONE) => popup.choices().step(true),
            (KeyCode::Char('p'), KeyModifiers::CONTROL) => popup.choices().step(false),
            (KeyCode::Char('n'), KeyModifiers::CONTROL) => popup.choices().step(true),
            (KeyCode::Enter | KeyCode::Tab, KeyModifiers::NONE) => {
                return self.accept(key.code == KeyCode::Enter, sources);
            }
            _ => return self.search_key(key),
        }
        PopupOutcome::Consumed
    }

    /// Keys of the history search, which has a query.
    fn search_key(&mut self, key: KeyEvent) -> PopupOutcome {
        let Some(Popup::Search(popup)) = &mut self.popup else {
            return PopupOutcome::Ignored;
        };
        let history = &self.history;
        if let Some(c) = text_of(&key) {
            popup.edit(|query| query.push(c.encode_utf8(&mut [0; 4])), history);
            return PopupOutcome::Consumed;
        }
        match (key.code, key.modifiers) {
            (KeyCode::Backspace, KeyModifiers::NONE) => popup.edit(Query::pop, history),
            (KeyCode::Char('h'), KeyModifiers::CONTROL) => popup.edit(Query::pop, history),
            (KeyCode::Char('u'), KeyModifiers::CONTROL) => popup.edit(Query::clear, history),
            (KeyCode::Char('w'), KeyModifiers::CONTROL) => popup.edit(Query::pop_word, history),
            (KeyCode::Char('r'), KeyModifiers::CONTROL) => popup.choices.step(true),
            (KeyCode::Char('s'), KeyModifiers::CONTROL) => popup.choices.step(false),
            (KeyCode::Char('c' | 'g'), KeyModifiers::CONTROL) => self.popup = None,
            _ => return PopupOutcome::Ignored,
        }
        PopupOutcome::Consumed
    }

    fn accept(&mut self, enter: bool, sources: &Sources<'_>) -> PopupOutcome {
        match self.popup.take() {
            Some(Popup::Commands(choices)) => {
                let name = choices.selected().map(|choice| choice.value.clone());
                name.map_or(PopupOutcome::Ignored, |name| {
                    self.complete_command(&name, enter, sources)
                })
            }
            Some(Popup::Files(mut popup)) => {
                let chosen = popup
                    .settled(&self.files)
                    .map(|choice| choice.value.clone());
                chosen.map_or(PopupOutcome::Ignored, |path| {
                    if !enter && leads_on(&path) && path != popup.query {
                        self.enter_folder(popup.start, &path, sources);
                    } else {
                        self.insert_mention(popup.start, path);
                    }
                    PopupOutcome::Consumed
                })
            }
            Some(Popup::Search(popup)) => {
                if let Some(choice) = popup.choices.selected() {
                    self.history.leave();
                    self.set_text(&choice.value);
                }
                PopupOutcome::Consumed
            }
            None => PopupOutcome::Ignored,
        }
    }

    /// Enter sends a command at once if it takes no input or is written out; else the name is
    /// completed and its input can be typed. Ours do without input.
    fn complete_command(&mut self, name: &str, enter: bool, sources: &Sources<'_>) -> PopupOutcome {
        let whole = format!("/{name}");
        let written = self.buffer.lines() == [whole.as_str()];
        let takes_input = !is_own(sources.own, name) && takes(name, sources).is_some();
        let start = self.buffer.start();
        let end = self.end_of_word();
        let send = enter && end == self.buffer.end() && (written || !takes_input);
        if !written {
            let blank = if send { "" } else { self.blank_before(end) };
            self.edit(start..end, &format!("{whole}{blank}"), EditKind::Other);
        }
        // Text after a completed name is its input, not the name's next word.
        self.dismissed = Some(start);
        if send {
            PopupOutcome::Submit
        } else {
            PopupOutcome::Consumed
        }
    }

    /// As a shell completes: the folder is written out, and its content is offered next.
    fn enter_folder(&mut self, start: Caret, path: &str, sources: &Sources<'_>) {
        let end = self.end_of_word().max(start);
        self.edit(start..end, &format!("@{path}"), EditKind::Other);
        self.follow_typing(sources);
    }

    fn insert_mention(&mut self, start: Caret, path: String) {
        let end = self.end_of_word().max(start);
        self.look_at_chip(&path);
        let chip = self.chip_for(Chip::mention(path));
        let blank = self.blank_before(end);
        self.edit(start..end, &format!("{chip}{blank}"), EditKind::Other);
        self.completed = (!blank.is_empty()).then(|| self.buffer.caret());
    }

    /// The end of the word at the caret.
    fn end_of_word(&self) -> Caret {
        let caret = self.buffer.caret();
        let rest = &self.buffer.line(caret.line)[caret.byte..];
        let word = rest.find(|c: char| c.is_whitespace() || is_placeholder(c));
        Caret {
            byte: caret.byte + word.unwrap_or(rest.len()),
            ..caret
        }
    }

    /// The blank to put before `place`, where there is none.
    pub(in crate::ui::composer) fn blank_before(&self, place: Caret) -> &'static str {
        let rest = &self.buffer.line(place.line)[place.byte..];
        if rest.starts_with(char::is_whitespace) {
            ""
        } else {
            " "
        }
    }

    /// The blank to put behind `place`, where a line does not begin there and none stands before it.
    pub(in crate::ui::composer) fn blank_behind(&self, place: Caret) -> &'static str {
        let before = &self.buffer.line(place.line)[..place.byte];
        let apart = before.is_empty() || before.ends_with(char::is_whitespace);
        if apart { "" } else { " " }
    }
}

/// Whether there may be more to choose inside it. A blank would end the completed word.
fn leads_on(path: &str) -> bool {
    path.ends_with('/') && !path.contains(char::is_whitespace)
}
