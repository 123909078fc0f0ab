//! The find bar: a row with the pattern, the count, and its keys.

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
};

use super::MAX_PATTERN;
use crate::{
    text::{cell_width, first_bytes},
    ui::{
        keymap::Chord,
        line_input::LineInput,
        render::{
            RenderContext, draw_rows,
            format::grouped,
            line::{StyledLine, spread},
        },
    },
};

/// What a key in the bar asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKey {
    /// The pattern, or how it is meant, is another one.
    Changed,
    Edited,
    /// Enter: to the match, and the keys go elsewhere.
    Accept,
    Next,
    Previous,
    Pager,
    Close,
    /// Not the bar's.
    Other,
}

/// How many matches there are, and which is the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// From 1; 0: none.
    pub at: usize,
    pub all: usize,
    /// There may be more.
    pub more: bool,
}

#[derive(Debug, Default)]
pub struct Bar {
    input: LineInput,
    is_regex: bool,
    focused: bool,
    /// It is a viewer's: no pager takes over what it shows.
    in_viewer: bool,
}

impl Bar {
    /// The bar of a viewer.
    pub fn in_viewer() -> Self {
        Self {
            in_viewer: true,
            ..Self::default()
        }
    }

    pub fn pattern(&self) -> String {
        self.input.text()
    }

    pub fn is_regex(&self) -> bool {
        self.is_regex
    }

    pub fn is_focused(&self) -> bool {
        self.focused
    }

    pub fn focus(&mut self, focused: bool) {
        self.focused = focused;
    }

    /// Takes a key while it has them.
    pub fn handle(&mut self, key: Chord) -> BarKey {
        let (code, modifiers) = (key.event().code, key.event().modifiers);
        let ctrl = modifiers == KeyModifiers::CONTROL;
        let alt = modifiers == KeyModifiers::ALT;
        match code {
            KeyCode::Esc => return BarKey::Close,
            KeyCode::Char('c' | 'g') if ctrl => return BarKey::Close,
            KeyCode::Enter if modifiers == KeyModifiers::SHIFT => return BarKey::Previous,
            KeyCode::Enter => return BarKey::Accept,
            KeyCode::Down => return BarKey::Next,
            KeyCode::Up => return BarKey::Previous,
            KeyCode::Char('n') if ctrl => return BarKey::Next,
            KeyCode::Char('p') if ctrl => return BarKey::Previous,
            KeyCode::Char('p') if alt && !self.in_viewer => return BarKey::Pager,
            KeyCode::Char('r') if alt => {
                self.is_regex = !self.is_regex;
                return BarKey::Changed;
            }
            _ => {}
        }
        let before = self.input.text();
        if !self.input.handle(key) {
            return BarKey::Other;
        }
        match self.bounded() == before {
            true => BarKey::Edited,
            false => BarKey::Changed,
        }
    }

    /// Line breaks become blanks.
    pub fn paste(&mut self, text: &str) {
        let line = first_bytes(text, MAX_PATTERN + 2).trim_end_matches(['\r', '\n']);
        self.input
            .paste(&line.replace("\r\n", " ").replace(['\r', '\n'], " "));
        self.bounded();
    }

    /// The pattern, cut at the bound.
    fn bounded(&mut self) -> String {
        let text = self.input.text();
        if text.len() <= MAX_PATTERN && !text.contains('\n') {
            return text;
        }
        let text = first_bytes(&text, MAX_PATTERN).replace('\n', " ");
        self.input = LineInput::new(&text);
        text
    }

    /// Draws the row; returns the caret's place while it has the keys.
    pub fn draw(
        &self,
        counted: Counted,
        error: Option<&str>,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let theme = ctx.theme;
        let width = usize::from(area.width);
        let name = if self.is_regex { "regex " } else { "find " };
        let mut left = StyledLine::styled(name, theme.accent.patch(theme.strong));
        let begin = left.width();
        let right = self.right(counted, error, width, ctx);
        let room = width.saturating_sub(begin + right.width() + 2).max(8);
        let (shown, caret) = self.input.shown(room, ctx.symbols.ellipsis);
        let style = if error.is_some() {
            theme.error
        } else {
            theme.text
        };
        left.push(&shown, style);
        let row = spread(&left, &right, width, ctx.symbols.ellipsis);
        draw_rows([&row], area, buf);
        let column = u16::try_from(begin + caret).unwrap_or(u16::MAX);
        let at = Position::new(area.x.saturating_add(column).min(area.right() - 1), area.y);
        self.focused.then_some(at)
    }

    /// The count, and as many hints as leave room for the pattern.
    fn right(
        &self,
        counted: Counted,
        error: Option<&str>,
        width: usize,
        ctx: &RenderContext<'_>,
    ) -> StyledLine {
        let theme = ctx.theme;
        let mut line = match (error, self.input.is_empty()) {
            (Some(error), _) => StyledLine::styled(error, theme.error),
            (None, true) => StyledLine::new(),
            (None, false) => StyledLine::styled(&told(counted), count_style(counted, ctx)),
        };
        let hints: &[(&str, &str)] = match self.focused {
            true if self.input.is_empty() && self.in_viewer => {
                &[("alt-r", "regex"), ("esc", "closes")]
            }
            true if self.input.is_empty() => {
                &[("alt-r", "regex"), ("alt-p", "pager"), ("esc", "closes")]
            }
            true => &[
                ("enter", "goes there"),
                ("alt-r", "regex"),
                ("esc", "closes"),
            ],
            false => &[("n/N", "next/previous"), ("esc", "closes")],
        };
        let pattern = cell_width(&self.input.text());
        for (key, what) in hints {
            let needs = cell_width(key) + cell_width(what) + 4;
            if 6 + pattern.max(8) + line.width() + needs + 2 > width {
                break;
            }
            if !line.is_empty() {
                line.push(&format!(" {} ", ctx.symbols.separator), theme.dim);
            }
            line.push(key, theme.key_hint);
            line.push(&format!(" {what}"), theme.dim);
        }
        line
    }
}

fn count_style(counted: Counted, ctx: &RenderContext<'_>) -> Style {
    match (counted.all, counted.more) {
        (0, false) => ctx.theme.warning,
        (0, true) => ctx.theme.dim,
        _ => ctx.theme.strong,
    }
}

/// `3 of 12`, with `+` while there may be more.
fn told(counted: Counted) -> String {
    let more = if counted.more { "+" } else { "" };
    match counted.all {
        0 if counted.more => "searching".into(),
        0 => "no match".into(),
        all => format!("{} of {}{more}", grouped(counted.at), grouped(all)),
    }
}
