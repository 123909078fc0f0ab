//! Lists above the composer: slash commands, file mentions, history search.
//!
//! A popup is given what it lists and knows what is chosen; the composer does the editing.

mod commands;
mod files;
mod folder;
mod list;
mod search;

pub use commands::{CommandPopup, command_hint};
pub use files::{FilePopup, Files};
pub use list::{Choice, Choices, MAX_ROWS};
pub use search::SearchPopup;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::ui::render::RenderContext;

#[derive(Debug)]
pub enum Popup {
    Commands(CommandPopup),
    Files(FilePopup),
    Search(SearchPopup),
}

impl Popup {
    pub fn choices(&self) -> &Choices {
        match self {
            Self::Commands(popup) => &popup.choices,
            Self::Files(popup) => &popup.choices,
            Self::Search(popup) => &popup.choices,
        }
    }

    pub fn choices_mut(&mut self) -> &mut Choices {
        match self {
            Self::Commands(popup) => &mut popup.choices,
            Self::Files(popup) => &mut popup.choices,
            Self::Search(popup) => &mut popup.choices,
        }
    }

    /// Rows wanted: a title, the list, and a line to type in where it has one.
    pub fn height(&self) -> u16 {
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
            Self::Commands(popup) => popup.choices.draw("commands", area, buf, ctx),
            Self::Files(popup) => popup.choices.draw("files", area, buf, ctx),
            Self::Search(popup) => return popup.draw(area, buf, ctx),
        }
        None
    }
}
