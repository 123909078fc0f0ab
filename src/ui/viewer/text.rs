//! A long text, whole: the output of a tool, raw JSON, what an agent's stderr said.

use std::ops::Range;

use crossterm::event::KeyEvent;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};

use super::{
    Entries, Finder, Motion, Outcome, Window, areas, closes, draw_hints, draw_title, motion,
    percent,
};
use crate::{
    text::{SafeText, first_bytes},
    ui::{
        find::Pattern,
        render::{
            RenderContext, Row,
            format::count,
            line::{StyledLine, Wrapping},
        },
    },
};

/// Bytes that are laid out as one entry: longer lines are several, so that a frame does not cost
/// more for them.
const MAX_ENTRY: usize = 4 << 10;

pub struct TextViewer {
    title: SafeText,
    text: SafeText,
    /// Lines, or parts of very long ones.
    entries: Vec<Range<usize>>,
    lines: usize,
    window: Window,
    pub(super) find: Finder,
}

impl TextViewer {
    pub fn new(title: SafeText, text: SafeText) -> Self {
        let mut entries = Vec::new();
        let mut at = 0;
        let mut lines = 0;
        for line in text.split_inclusive('\n') {
            lines += 1;
            let end = at + line.trim_end_matches('\n').len();
            let mut from = at;
            while end - from > MAX_ENTRY {
                let part = first_bytes(&text[from..end], MAX_ENTRY);
                // Between words, where there are any.
                let part = part.rfind(' ').map_or(part.len(), |blank| blank + 1);
                entries.push(from..from + part);
                from += part;
            }
            entries.push(from..end);
            at += line.len();
        }
        Self {
            title: SafeText::line(&title),
            text,
            entries,
            lines,
            window: Window::default(),
            find: Finder::default(),
        }
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Outcome {
        if closes(key) {
            return Outcome::Close;
        }
        if let Some(motion) = motion(key) {
            self.window.ask(motion);
        }
        Outcome::Stay
    }

    pub(super) fn move_by(&mut self, motion: Motion) {
        self.window.ask(motion);
    }

    pub(super) fn go_back(&mut self, place: (usize, usize)) {
        self.window.go_back(place);
    }

    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        Clear.render(area, buf);
        let (title, body, hints) = areas(area, &self.find);
        let entries = Laid {
            text: &self.text,
            entries: &self.entries,
            width: usize::from(area.width),
            ctx,
        };
        let window = &mut self.window;
        self.find.draw_window(window, &entries, body, buf, ctx);
        let lines = count(self.lines, "line");
        let name = StyledLine::styled(&self.title, ctx.theme.strong);
        draw_title(&name, &lines, title, buf, ctx);
        if self.find.is_open() {
            return self.find.draw_bar(hints, buf, ctx);
        }
        let keys = [
            ("j k", "scroll"),
            ("space b", "page"),
            ("g G", "ends"),
            ("/", "find"),
            ("q", "back"),
        ];
        let at = percent(&self.window, &entries);
        draw_hints(&keys, &at, hints, buf, ctx);
        None
    }
}

struct Laid<'a> {
    text: &'a str,
    entries: &'a [Range<usize>],
    width: usize,
    ctx: &'a RenderContext<'a>,
}

impl Entries for Laid<'_> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn rows(&self, at: usize) -> Vec<Row> {
        let bytes = self.entries.get(at).cloned().unwrap_or(0..0);
        let line = StyledLine::styled(&self.text[bytes], self.ctx.theme.text);
        line.wrap_as(Wrapping::Verbatim, self.width)
    }

    fn may_match(&self, at: usize, pattern: &Pattern) -> bool {
        let bytes = self.entries.get(at).cloned().unwrap_or(0..0);
        pattern.may_be_in(&self.text[bytes])
    }
}
