//! The composer on the screen: prompt sign, wrapped draft, ghost hint, scrolling.

use std::{num::NonZeroU16, sync::Arc};

use ratatui::{
    buffer::{Buffer as Screen, CellDiffOption},
    layout::{Position, Rect},
    style::{Modifier, Style},
};

use super::{
    Composer, Sources,
    layout::{self, Row, UnitKind},
    popup::{Popup, command_hint},
};
use crate::{
    text::{SafeText, truncate_to_width},
    ui::{render::RenderContext, theme::Theme},
};

/// Cells before the text: the prompt sign and a blank.
const GUTTER: u16 = 2;

/// Cells behind it: for the caret behind a full row, and for the blank that ends it.
const CARET_COLUMN: u16 = 1;

impl Composer {
    /// Rows that the draft takes at `width`: at least 1, at most `max`.
    pub fn height(&mut self, width: u16, max: u16) -> u16 {
        self.room = room(width);
        let max = max.max(1);
        let mut rows = 0;
        for line in 0..self.buffer.lines().len() {
            rows += self.rows_of(line).len();
            if rows >= usize::from(max) {
                return max;
            }
        }
        u16::try_from(rows).unwrap_or(max)
    }

    /// Draws the draft into all of `area`, or `placeholder` if there is none, and notes where the
    /// cursor belongs.
    pub fn draw(
        &mut self,
        area: Rect,
        screen: &mut Screen,
        ctx: &RenderContext<'_>,
        sources: &Sources<'_>,
        placeholder: &str,
    ) {
        self.room = room(area.width);
        if area.is_empty() {
            self.cursor = None;
            return;
        }
        let seen = self.seen_rows(area.height.into());
        let first = seen.first().map_or((0, 0), |(line, row, _)| (*line, *row));
        self.draw_gutter(first, &seen, area, screen, ctx);
        for (y, (line, _, bytes)) in (area.y..).zip(&seen) {
            self.draw_row(*line, bytes.clone(), (area, y), screen, ctx.theme);
        }
        let cursor = self.cursor_in(area, &seen);
        if self.buffer.is_empty() {
            let text = SafeText::line(placeholder);
            draw_ghost(&text, cursor, area, screen, ctx);
        } else if let [line] = self.buffer.lines()
            && self.buffer.caret() == self.buffer.end()
            && let Some(hint) = command_hint(line, sources.commands)
        {
            draw_ghost(&SafeText::line(hint), cursor, area, screen, ctx);
        }
        self.cursor = Some(cursor);
    }

    /// Rows for the popup above the composer: 0 if there is none, at most `max`.
    pub fn popup_height(&mut self, max: u16) -> u16 {
        if let Some(Popup::Files(popup)) = &mut self.popup {
            popup.poll(&self.files, &self.offload);
        }
        self.popup
            .as_ref()
            .map_or(0, |popup| popup.height().min(max))
    }

    /// Draws the popup into all of `area`. After [`Composer::draw`]: the cursor may move here.
    pub fn draw_popup(&mut self, area: Rect, screen: &mut Screen, ctx: &RenderContext<'_>) {
        if area.is_empty() {
            return;
        }
        if let Some(popup) = &mut self.popup
            && let Some(caret) = popup.draw(area, screen, ctx)
        {
            self.cursor = Some(caret);
        }
    }

    pub(super) fn rows_of(&mut self, line: usize) -> Arc<[Row]> {
        let text = self.buffer.line(line);
        self.rows
            .rows((line, text), self.buffer.rev(), self.room, &self.chips)
    }

    /// The rows to draw: line, row of it, bytes. Scrolls as little as shows the caret, and leaves
    /// no room below unused.
    fn seen_rows(&mut self, height: usize) -> Vec<(usize, usize, Row)> {
        let caret = self.caret_row();
        let top = self.existing_row(self.top);
        let last_top = {
            let end = self.buffer.lines().len() - 1;
            let last = self.rows_of(end).len() - 1;
            self.rows_above((end, last), height - 1)
        };
        let lowest = self.rows_above(caret, height - 1);
        self.top = top.min(last_top).clamp(lowest, caret);
        let mut seen = Vec::with_capacity(height);
        let (mut line, mut skip) = self.top;
        while seen.len() < height && line < self.buffer.lines().len() {
            let rows = self.rows_of(line);
            let rest = rows.iter().cloned().enumerate().skip(skip);
            let room = height - seen.len();
            seen.extend(rest.take(room).map(|(row, bytes)| (line, row, bytes)));
            (line, skip) = (line + 1, 0);
        }
        seen
    }

    fn caret_row(&mut self) -> (usize, usize) {
        let caret = self.buffer.caret();
        let rows = self.rows_of(caret.line);
        let line = self.buffer.line(caret.line);
        let (row, _) = layout::locate(line, &rows, caret.byte, self.room, &self.chips);
        (caret.line, row)
    }

    /// `(line, row)` if the text still has it, else the row nearest to it.
    fn existing_row(&mut self, (line, row): (usize, usize)) -> (usize, usize) {
        let line = line.min(self.buffer.lines().len() - 1);
        (line, row.min(self.rows_of(line).len() - 1))
    }

    /// The row `count` rows above, or the first one.
    fn rows_above(&mut self, from: (usize, usize), count: usize) -> (usize, usize) {
        let (mut line, mut row) = from;
        let mut left = count;
        while left > row {
            if line == 0 {
                return (0, 0);
            }
            left -= row + 1;
            line -= 1;
            row = self.rows_of(line).len() - 1;
        }
        (line, row - left)
    }

    /// The prompt sign, or that there is more above and below.
    fn draw_gutter(
        &mut self,
        first: (usize, usize),
        seen: &[(usize, usize, Row)],
        area: Rect,
        screen: &mut Screen,
        ctx: &RenderContext<'_>,
    ) {
        let (sign, style) = if first == (0, 0) {
            (ctx.symbols.prompt, ctx.theme.accent)
        } else {
            (ctx.symbols.more_above, ctx.theme.dim)
        };
        screen.set_stringn(area.x, area.y, sign, area.width.into(), style);
        let Some((line, row, _)) = seen.last() else {
            return;
        };
        let more = line + 1 < self.buffer.lines().len() || row + 1 < self.rows_of(*line).len();
        if more && seen.len() > 1 {
            let y = area.bottom() - 1;
            screen.set_stringn(
                area.x,
                y,
                ctx.symbols.more,
                area.width.into(),
                ctx.theme.dim,
            );
        }
    }

    fn draw_row(
        &self,
        line: usize,
        bytes: Row,
        (area, y): (Rect, u16),
        screen: &mut Screen,
        theme: &Theme,
    ) {
        let mut column = 0;
        for unit in layout::units(self.buffer.line(line), bytes, self.room, &self.chips) {
            let x = cell(area, column);
            let left = area.right().saturating_sub(x);
            let style = style(unit.kind, theme);
            let width = unit.width(column, self.room);
            let cells = screen.set_stringn(x, y, &unit.shown, left.into(), style).0 - x;
            if usize::from(cells) > width
                && let Some(width) = u16::try_from(width).ok().and_then(NonZeroU16::new)
            {
                // A halfwidth sound mark: the screen counts it twice, the terminal does not.
                screen[(x, y)].set_diff_option(CellDiffOption::ForcedWidth(width));
            }
            column += width;
        }
    }

    fn cursor_in(&self, area: Rect, seen: &[(usize, usize, Row)]) -> Position {
        let caret = self.buffer.caret();
        let line = self.buffer.line(caret.line);
        let found = seen
            .iter()
            .rposition(|(at, _, bytes)| *at == caret.line && bytes.start <= caret.byte);
        let y = found.unwrap_or(0);
        let start = seen.get(y).map_or(0, |(_, _, bytes)| bytes.start);
        let before = start..caret.byte.max(start);
        let column = layout::units(line, before, self.room, &self.chips)
            .fold(0, |column, unit| column + unit.width(column, self.room));
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        let right = area.right() - 1;
        Position::new(cell(area, column).min(right), area.y.saturating_add(y))
    }
}

fn room(width: u16) -> usize {
    usize::from(width.saturating_sub(GUTTER + CARET_COLUMN).max(1))
}

/// The screen column of a text column.
fn cell(area: Rect, column: usize) -> u16 {
    let column = u16::try_from(column).unwrap_or(u16::MAX);
    area.x.saturating_add(GUTTER).saturating_add(column)
}

fn style(kind: UnitKind, theme: &Theme) -> Style {
    match kind {
        UnitKind::Text | UnitKind::Blank | UnitKind::Tab => theme.text,
        UnitKind::Paste => theme.accent.add_modifier(Modifier::ITALIC),
        UnitKind::Mention => theme.accent,
    }
}

/// Text that is not there, behind the caret; on that row alone.
fn draw_ghost(
    text: &SafeText,
    at: Position,
    area: Rect,
    screen: &mut Screen,
    ctx: &RenderContext<'_>,
) {
    let room = area.right().saturating_sub(at.x);
    let shown = truncate_to_width(text, room.into());
    screen.set_stringn(at.x, at.y, shown, room.into(), ctx.theme.dim);
}
