//! A comment on what is no line of a diff: an entry of the plan.

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    text::SafeText,
    ui::{
        comments::{CommentWish, Wanted, Writing, Wrote},
        composer::Composer,
        keymap::Chord,
        overlay::{Outcome, Overlay, OverlayContext, Room, Wish, panel::Panel},
        render::{draw_rows, line::StyledLine, split_top},
    },
};

pub struct CommentDialog {
    /// What it is about.
    about: SafeText,
    writing: Writing,
}

impl CommentDialog {
    pub fn new(about: SafeText, wanted: Wanted, cx: &OverlayContext<'_>) -> Self {
        let composer = Composer::new(cx.offload.clone()).with_editing(cx.editing);
        Self {
            about,
            writing: Writing::new(wanted, composer, cx.now),
        }
    }
}

impl Overlay for CommentDialog {
    fn handle(&mut self, key: Chord, _cx: &OverlayContext<'_>) -> Outcome {
        match self.writing.key(key.event()) {
            Wrote::Stays => Outcome::taken(),
            Wrote::Left => Outcome::close(),
            Wrote::Kept(text) => {
                let wanted = Box::new(self.writing.wanted.clone());
                Outcome::close().with(Wish::Comment(CommentWish::Keep(wanted, text)))
            }
        }
    }

    fn take_burst(&mut self, keys: &[KeyEvent], now: Instant) -> usize {
        self.writing.take_burst(keys, now)
    }

    fn paste(&mut self, text: &str, _cx: &OverlayContext<'_>) -> Outcome {
        self.writing.paste(text);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let width = cx.frame.inner_width(room.width);
        let rows = 1 + self.writing.height(width, (room.height / 2).max(1));
        cx.frame.around(rows.into()).min(room.height)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let hints = self.writing.hints().into_iter();
        let panel = Panel {
            title: StyledLine::styled("Comment on the plan", cx.theme.strong),
            note: StyledLine::new(),
            hints: hints.map(|(key, does)| (key.to_owned(), does)).collect(),
            border: cx.theme.accent,
        };
        let inner = panel.draw(area, buf, cx);
        let (about, below) = split_top(inner, 1);
        let line = StyledLine::styled(&self.about, cx.theme.dim);
        let row = line.truncate(inner.width.into(), cx.symbols.ellipsis);
        draw_rows([&row], about, buf);
        self.writing.draw(below, buf, &cx.render(inner.width))
    }
}
