//! A link that was clicked: where it leads, before it is opened.

use std::{sync::Arc, time::Instant};

use crossterm::event::KeyCode;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::{Outcome, Overlay, OverlayContext, PAUSE, Room, panel::Panel};
use crate::{
    text::exact,
    ui::{
        UiCommand,
        action::Action,
        keymap::Chord,
        pointer::Pointer,
        render::{
            Row, draw_rows,
            line::{StyledLine, Wrapping},
        },
    },
};

/// See the module.
pub struct LinkDialog {
    uri: Arc<str>,
    /// Since when it can be read.
    shown: Option<Instant>,
    /// The button went down here.
    pressed: bool,
}

impl LinkDialog {
    /// `uri` is one of a [`Link`](crate::ui::render::Link).
    pub fn new(uri: Arc<str>) -> Self {
        Self {
            uri,
            shown: None,
            pressed: false,
        }
    }

    /// All of it, with what cannot be seen made visible.
    fn rows(&self, width: u16, cx: &OverlayContext<'_>) -> Vec<Row> {
        let line = StyledLine::styled(&exact(&self.uri), cx.theme.text);
        line.wrap_as(Wrapping::Hard, width.into())
    }

    fn open(&self) -> Outcome {
        Outcome::close().command(UiCommand::OpenLink(self.uri.to_string()))
    }
}

impl Overlay for LinkDialog {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        match key.code() {
            KeyCode::Enter => self.open(),
            KeyCode::Char('y') if key.is_text() => {
                Outcome::close().command(UiCommand::Copy(self.uri.to_string()))
            }
            _ if key.is_text() => Outcome::taken(),
            _ => {
                let action = cx
                    .keymap
                    .action(key, &[crate::ui::action::Context::Anywhere]);
                match action {
                    Some(Action::Stop) => Outcome::close(),
                    _ => Outcome::pass(),
                }
            }
        }
    }

    /// A second click opens it; one that was meant as a double click on the link does not.
    fn point(&mut self, pointer: Pointer, cx: &OverlayContext<'_>) -> Outcome {
        match pointer {
            Pointer::Press(_) => {
                let read = |shown: Instant| shown + PAUSE <= cx.now;
                self.pressed = self.shown.is_some_and(read);
                Outcome::taken()
            }
            Pointer::Release(_) if self.pressed => self.open(),
            Pointer::Release(_) => Outcome::taken(),
            Pointer::Wheel(_) => Outcome::pass(),
        }
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let rows = self.rows(cx.frame.inner_width(room.width), cx).len();
        cx.frame.around(rows).min(room.whole)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        self.shown.get_or_insert(cx.now);
        let hints = [(Action::Send, "open it"), (Action::Stop, "close")];
        let mut panel = Panel::opened("Open this link?", &hints, cx);
        panel.hints.insert(1, ("y".into(), "copy"));
        let inner = panel.draw(area, buf, cx);
        draw_rows(&self.rows(inner.width, cx), inner, buf);
        None
    }
}
