//! The frame around an overlay: a box with title, note and key hints, or a single rule if there
//! is little room; and the part of long content that shows.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Style},
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::ui::{
    action::Action,
    overlay::OverlayContext,
    render::{
        format::count,
        frame::{Corners, border_set},
        line::{StyledLine, push_hint},
        split_bottom,
    },
};

/// On screens of fewer columns or rows a box would take more than it gives.
const FULL_WIDTH: u16 = 48;
const FULL_HEIGHT: u16 = 16;

/// How much frame there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A box.
    Full,
    /// A rule with the title above the content.
    Compact,
}

impl Frame {
    /// What a screen of this size has room for.
    pub fn for_screen(width: u16, height: u16) -> Self {
        if width < FULL_WIDTH || height < FULL_HEIGHT {
            Self::Compact
        } else {
            Self::Full
        }
    }

    /// Rows that are not content.
    pub fn rows(self) -> u16 {
        match self {
            Self::Full => 2,
            Self::Compact => 1,
        }
    }

    /// Rows of a dialog with that many rows of content.
    pub fn around(self, content: usize) -> u16 {
        to_rows(content).saturating_add(self.rows())
    }

    /// Columns for content.
    pub fn inner_width(self, width: u16) -> u16 {
        match self {
            Self::Full => width.saturating_sub(4).max(1),
            Self::Compact => width.saturating_sub(2).max(1),
        }
    }
}

/// Title and hints of an overlay.
pub struct Panel {
    pub title: StyledLine,
    /// At the right end of the title: a count.
    pub note: StyledLine,
    /// `(key, what it does)`, the most needed first; those that do not fit are left out.
    pub hints: Vec<(String, &'static str)>,
    pub border: Style,
}

impl Panel {
    /// Of what the person opened, by the actions that matter in it.
    pub fn opened(title: &str, hints: &[(Action, &'static str)], cx: &OverlayContext<'_>) -> Self {
        let hints = hints
            .iter()
            .map(|(key, what)| (cx.keymap.hint(*key), *what));
        Self {
            title: StyledLine::styled(title, cx.theme.strong),
            note: StyledLine::new(),
            hints: hints.collect(),
            border: cx.theme.accent,
        }
    }

    /// Of what waits for the person's answer.
    pub fn asked(title: &str, hints: Vec<(String, &'static str)>, cx: &OverlayContext<'_>) -> Self {
        Self {
            title: StyledLine::styled(title, cx.theme.warning.bold()),
            note: StyledLine::new(),
            hints,
            border: cx.theme.border_focus,
        }
    }

    /// Draws the frame and returns where the content goes.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Rect {
        Clear.render(area, buf);
        let room = usize::from(area.width).saturating_sub(4);
        let note = spaced(&self.note, room, self.border, cx).right_aligned();
        let title_room = room.saturating_sub(note.width());
        let title = spaced(&self.title, title_room, self.border, cx);
        match cx.frame {
            Frame::Full => {
                Block::bordered()
                    .border_set(border_set(Corners::Round, cx.symbols))
                    .border_style(self.border)
                    .title_top(title)
                    .title_top(note)
                    .title_bottom(self.hint_line(room, cx))
                    .render(area, buf);
                inset(area, 2, 1, 1)
            }
            Frame::Compact => {
                let rule = cx.symbols.rule.repeat(usize::from(area.width));
                buf.set_stringn(area.x, area.y, rule, area.width.into(), self.border);
                buf.set_line(area.x + 1, area.y, &title, area.width.saturating_sub(2));
                let leaving = self.leaving(cx);
                let leaving = spaced(&leaving, room, self.border, cx);
                let note = match title.width() + leaving.width() <= title_room {
                    true => Line::from([leaving.spans, note.spans].concat()),
                    false => note,
                };
                let note_width = u16::try_from(note.width()).unwrap_or(u16::MAX);
                if let Some(left) = area.width.checked_sub(note_width + 1) {
                    buf.set_line(area.x + left, area.y, &note, note_width);
                }
                inset(area, 1, 1, 0)
            }
        }
    }

    /// The key that closes it, for where there is no bottom border.
    fn leaving(&self, cx: &OverlayContext<'_>) -> StyledLine {
        let stop = cx.keymap.hint(Action::Stop);
        let mut hints = self.hints.iter().filter(|(key, _)| !key.is_empty());
        let mut line = StyledLine::new();
        if let Some((key, what)) = hints.find(|(key, _)| *key == stop) {
            push_hint(&mut line, (key, what), cx.theme.dim, (cx.theme, cx.symbols));
        }
        line
    }

    fn hint_line(&self, room: usize, cx: &OverlayContext<'_>) -> Line<'static> {
        // Hints would inherit the border's style: bold under NO_COLOR, and its colour where dim has
        // none, which cannot be read on white.
        let colour = cx.theme.dim.fg.unwrap_or(Color::Reset);
        let dim = cx.theme.dim.fg(colour).not_bold();
        let mut line = StyledLine::new();
        for (key, what) in self.hints.iter().filter(|(key, _)| !key.is_empty()) {
            let mut next = line.clone();
            push_hint(&mut next, (key, what), dim, (cx.theme, cx.symbols));
            if next.width() + 2 > room {
                break;
            }
            line = next;
        }
        spaced(&line, room, self.border, cx)
    }
}

/// A line with a blank on both sides, as it stands in a border; nothing for an empty one.
fn spaced(line: &StyledLine, room: usize, border: Style, cx: &OverlayContext<'_>) -> Line<'static> {
    if line.is_empty() || room < 3 {
        return Line::default();
    }
    let mut row = line.truncate(room - 2, cx.symbols.ellipsis).line;
    row.spans.insert(0, Span::styled(" ", border));
    row.spans.push(Span::styled(" ", border));
    row
}

fn inset(area: Rect, sides: u16, top: u16, bottom: u16) -> Rect {
    Rect {
        x: area.x + sides.min(area.width),
        y: area.y + top.min(area.height),
        width: area.width.saturating_sub(2 * sides),
        height: area.height.saturating_sub(top + bottom),
    }
}

/// The beginning of a row that can be selected: the sign where it is, and a blank.
pub fn marked(selected: bool, cx: &OverlayContext<'_>) -> StyledLine {
    let sign = if selected { cx.symbols.prompt } else { " " };
    StyledLine::styled(sign, cx.theme.accent).with(" ", cx.theme.text)
}

/// As many rows as a screen could have.
pub fn to_rows(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// What is asked above its answers, with a blank row between where there is room for one.
pub fn split_answers(area: Rect, answers: usize, frame: Frame) -> (Rect, Rect) {
    let answers = to_rows(answers).min(area.height);
    let gap = u16::from(frame == Frame::Full && answers + 3 <= area.height);
    let (above, answers) = split_bottom(area, answers);
    (split_bottom(above, gap).0, answers)
}

/// How much of long content is out of sight, below and above.
pub fn out_of_sight(below: usize, above: usize, cx: &OverlayContext<'_>) -> StyledLine {
    let mut line = match below {
        0 => StyledLine::styled("end", cx.theme.dim),
        _ => StyledLine::styled(&format!("+{}", count(below, "line")), cx.theme.warning),
    };
    if above > 0 {
        let text = format!(" {} {} above", cx.symbols.separator, count(above, "line"));
        line.push(&text, cx.theme.dim);
    }
    line
}

/// The key that shows all of it, or less.
pub fn push_details(line: &mut StyledLine, expanded: bool, cx: &OverlayContext<'_>) {
    let key = cx.keymap.hint(Action::Details);
    let what = if expanded { "less" } else { "all" };
    push_hint(line, (&key, what), cx.theme.dim, (cx.theme, cx.symbols));
}

/// "1 of 3" while more questions wait.
pub fn waiting_note(cx: &OverlayContext<'_>) -> StyledLine {
    let waiting = cx
        .session
        .map_or(0, |session| session.waiting_questions().count());
    let text = match (waiting, cx.frame) {
        (0 | 1, _) => return StyledLine::new(),
        (n, Frame::Full) => format!("1 of {n}"),
        (n, Frame::Compact) => format!("1/{n}"),
    };
    StyledLine::styled(&text, cx.theme.warning)
}

/// Where a window over long content stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    top: usize,
    /// Rows of content and of the window, as last drawn.
    len: usize,
    height: usize,
}

impl Scroll {
    /// Fits the window to the content; returns the first row that shows.
    pub fn fit(&mut self, len: usize, height: u16) -> usize {
        self.len = len;
        self.height = height.into();
        self.top = self.top.min(len.saturating_sub(self.height));
        self.top
    }

    pub fn by(&mut self, rows: isize) {
        let last = self.len.saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(rows).min(last);
    }

    pub fn page(&mut self, direction: isize) {
        // In few rows, the one that stays to read on from would be half of what is turned.
        let page = match self.height {
            0 => 1,
            few @ 1..4 => few,
            rows => rows - 1,
        };
        self.by(direction.saturating_mul(page.cast_signed()));
    }

    pub fn home(&mut self) {
        self.top = 0;
    }

    pub fn to(&mut self, row: usize) {
        self.top = row.min(self.len.saturating_sub(self.height));
    }

    pub fn end(&mut self) {
        self.top = self.len.saturating_sub(self.height);
    }

    /// As [`Scroll::fit`], and moved as little as needed to show `rows`; where they are more than
    /// fit, the first of them.
    pub fn fit_to_show(&mut self, rows: Range<usize>, len: usize, height: u16) -> usize {
        let lowest = rows.end.saturating_sub(usize::from(height).max(1));
        self.top = self.fit(len, height).max(lowest).min(rows.start);
        self.fit(len, height)
    }

    /// There is more than the window shows.
    pub fn is_needed(&self) -> bool {
        self.len > self.height
    }

    /// Rows below the window.
    pub fn below(&self) -> usize {
        self.len.saturating_sub(self.top + self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_stays_on_its_content() {
        let mut scroll = Scroll::default();
        assert_eq!(scroll.fit(10, 4), 0);
        scroll.by(-1);
        assert_eq!(scroll.fit(10, 4), 0);
        scroll.page(1);
        assert_eq!((scroll.fit(10, 4), scroll.below()), (3, 3));
        for (height, top) in [(0, 1), (1, 1), (2, 2), (3, 3), (4, 3), (5, 4)] {
            let mut scroll = Scroll::default();
            scroll.fit(10, height);
            scroll.page(1);
            assert_eq!(scroll.fit(10, height), top, "a page of {height}");
        }
        scroll.end();
        assert_eq!((scroll.fit(10, 4), scroll.below()), (6, 0));
        assert_eq!(scroll.fit(5, 4), 1, "the content shrank");
        assert_eq!(scroll.fit(2, 4), 0);
        assert_eq!(scroll.fit_to_show(8..9, 10, 4), 5);
        assert_eq!(scroll.fit_to_show(5..9, 10, 4), 5, "they show already");
        assert_eq!(scroll.fit_to_show(2..9, 10, 4), 2, "more than fit");
        assert_eq!(scroll.fit_to_show(1..2, 10, 0), 1);
    }
}
