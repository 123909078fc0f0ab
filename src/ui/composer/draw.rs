//! The composer on the screen: prompt sign, wrapped draft, ghost hint, scrolling.
//!
//! The text widget's own wrapping counts characters one by one (a family emoji as six cells) and lays
//! out the whole text on every key; `text::wrap` drops the blanks at which it breaks, but a caret
//! can stand on them. So rows are made here, line by line, of units as they are drawn.

use std::{borrow::Cow, collections::HashMap, num::NonZeroU16, ops::Range, sync::Arc};

use ratatui::{
    buffer::{Buffer as Screen, CellDiffOption},
    layout::{Position, Rect},
    style::{Modifier, Style},
};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{
    Composer, Sources,
    buffer::{self, Caret},
    chips::Chips,
    popup::{Popup, command_hint},
};
use crate::{
    text::{SafeText, TAB_WIDTH, truncate_to_width, truncate_with},
    ui::{render::RenderContext, theme::Theme},
};

/// Cells before the text: the prompt sign and a blank.
pub(in crate::ui) const GUTTER: u16 = 2;

/// Cells after the text: for the caret after a full row, and for the blank that ends it.
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
            && let Some(hint) = command_hint(line, sources)
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
        let popup = self.popup.as_mut();
        popup.map_or(0, |popup| popup.height().min(max))
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
    pub(super) fn seen_rows(&mut self, height: usize) -> Vec<(usize, usize, Row)> {
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
        (caret.line, self.place(caret).0)
    }

    /// Row (index) and column of the line that the caret is in.
    pub(super) fn place(&mut self, caret: Caret) -> (usize, usize) {
        let rows = self.rows_of(caret.line);
        let line = self.buffer.line(caret.line);
        locate(line, &rows, caret.byte, self.room, &self.chips)
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
        let (sign, style) = match first {
            (0, 0) if self.is_shell() => (SHELL_SIGN, ctx.theme.shell),
            (0, 0) => (ctx.symbols.prompt, ctx.theme.accent),
            _ => (ctx.symbols.more_above, ctx.theme.dim),
        };
        screen.set_stringn(area.x, area.y, sign, area.width.into(), style);
        let Some((line, row, _)) = seen.last() else {
            return;
        };
        let more = line + 1 < self.buffer.lines().len() || row + 1 < self.rows_of(*line).len();
        if more && seen.len() > 1 {
            let y = area.bottom() - 1;
            let (sign, width) = (ctx.symbols.more, area.width.into());
            screen.set_stringn(area.x, y, sign, width, ctx.theme.dim);
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
        let text = self.buffer.line(line);
        let ends = bytes.end == text.len();
        let selected = self.selected();
        let is_selected = |byte| {
            let at = Caret { line, byte };
            selected.as_ref().is_some_and(|range| range.contains(&at))
        };
        for unit in units(text, bytes, self.room, &self.chips) {
            let x = cell(area, column);
            let left = area.right().saturating_sub(x);
            let style = match unit.kind {
                UnitKind::Text if self.is_shell() => theme.shell,
                kind => style(kind, theme),
            };
            let style = match is_selected(unit.bytes.start) {
                true => style.patch(theme.selection),
                false => style,
            };
            let width = unit.width(column, self.room);
            let cells = screen.set_stringn(x, y, &unit.shown, left.into(), style).0 - x;
            if usize::from(cells) > width
                && let Some(width) = u16::try_from(width).ok().and_then(NonZeroU16::new)
            {
                // A halfwidth sound mark: the screen counts it twice, the terminal does not.
                screen[(x, y)].set_diff_option(CellDiffOption::ForcedWidth(width));
            }
            if unit.kind == UnitKind::Tab && is_selected(unit.bytes.start) {
                let width = u16::try_from(width).unwrap_or(left).min(left);
                screen.set_style(Rect::new(x, y, width, 1), style);
            }
            column += width;
        }
        if ends && is_selected(text.len()) {
            let end = Rect::new(cell(area, column), y, 1, 1).intersection(area);
            screen.set_style(end, theme.selection);
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
        let column = units(line, before, self.room, &self.chips)
            .fold(0, |column, unit| column + unit.width(column, self.room));
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        let right = area.right() - 1;
        Position::new(cell(area, column).min(right), area.y.saturating_add(y))
    }
}

/// Before a command for the shell.
const SHELL_SIGN: &str = "$";

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

/// Ghost text behind the caret, on that row only.
fn draw_ghost(
    text: &SafeText,
    at: Position,
    area: Rect,
    screen: &mut Screen,
    ctx: &RenderContext<'_>,
) {
    let room = area.right().saturating_sub(at.x);
    let shown = truncate_with(text, room.into(), ctx.symbols.ellipsis);
    screen.set_stringn(at.x, at.y, shown, room.into(), ctx.theme.dim);
}

/// One screen row of a logical line: a range of its bytes. The rows of a line cover all of it.
pub type Row = Range<usize>;

/// What the caret moves over, as it is drawn.
#[derive(Debug)]
pub struct Unit<'a> {
    /// Bytes in the logical line.
    pub bytes: Range<usize>,
    pub shown: Cow<'a, str>,
    pub kind: UnitKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    Text,
    /// Space or tab: may exceed the row by one cell, so that it never begins a row.
    Blank,
    Tab,
    Paste,
    Mention,
}

impl Unit<'_> {
    /// Cells at `column` of a row of `room` cells.
    pub fn width(&self, column: usize, room: usize) -> usize {
        match self.kind {
            UnitKind::Tab => {
                let to_stop = TAB_WIDTH - column % TAB_WIDTH;
                to_stop.min((room + 1).saturating_sub(column)).max(1)
            }
            // Not `CellWidth`, which counts halfwidth sound marks (ｶﾞ) twice.
            _ => self.shown.width(),
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self.kind, UnitKind::Blank | UnitKind::Tab)
    }

    /// A row may end before and after it, with no blank there.
    fn stands_alone(&self) -> bool {
        matches!(self.kind, UnitKind::Paste | UnitKind::Mention)
            || (self.kind == UnitKind::Text && self.shown.width() > 1)
    }
}

/// The units of `line[row]`.
pub fn units<'a>(
    line: &'a str,
    row: Row,
    room: usize,
    chips: &'a Chips,
) -> impl Iterator<Item = Unit<'a>> {
    let from = row.start;
    buffer::units(&line[row]).map(move |(at, unit)| {
        let bytes = from + at..from + at + unit.len();
        let chip = unit.chars().next().and_then(|c| chips.get(c));
        let (shown, kind) = match (unit, chip) {
            ("\t", _) => (Cow::Borrowed(""), UnitKind::Tab),
            (" " | "\u{3000}", _) => (Cow::Borrowed(unit), UnitKind::Blank),
            (_, Some(chip)) => {
                let kind = match chip.pasted() {
                    Some(_) => UnitKind::Paste,
                    None => UnitKind::Mention,
                };
                (truncate_to_width(chip.label(), room), kind)
            }
            _ => (visible(unit), UnitKind::Text),
        };
        Unit { bytes, shown, kind }
    })
}

/// Controls and invisible characters as something that can be seen: the terminal would swallow
/// them, and the caret with them.
fn visible(unit: &str) -> Cow<'_, str> {
    let is_seen = |c: char| c.width().is_some_and(|w| w > 0) && c != '\u{ad}';
    match unit.chars().all(is_seen) {
        true => Cow::Borrowed(unit),
        false => Cow::Owned(SafeText::line(unit).as_str().to_owned()),
    }
}

/// Wraps one logical line to rows of `room` cells. A blank may use one cell more, which the caller
/// keeps free for it and for the caret behind a full row.
pub fn wrap(line: &str, room: usize, chips: &Chips) -> Vec<Row> {
    let room = room.max(1);
    let mut rows = Vec::new();
    let (mut start, mut column) = (0, 0);
    // The last good place to break this row: byte and column.
    let mut opening: Option<(usize, usize)> = None;
    let mut after_opener = false;
    for unit in units(line, 0..line.len(), room, chips) {
        if after_opener || unit.stands_alone() {
            opening = Some((unit.bytes.start, column));
        }
        let limit = room + usize::from(unit.is_blank());
        if column > 0 && column + unit.width(column, room) > limit {
            let (at, cut) = opening
                .filter(|(at, _)| *at > start && !unit.is_blank())
                .unwrap_or((unit.bytes.start, column));
            rows.push(start..at);
            (start, column, opening) = (at, column - cut, None);
        }
        column += unit.width(column, room);
        after_opener = unit.is_blank() || unit.stands_alone();
    }
    rows.push(start..line.len());
    if column > room {
        // The caret has no cell left behind the last blank.
        rows.push(line.len()..line.len());
    }
    rows
}

/// Row (index) and column of byte `at`.
pub fn locate(line: &str, rows: &[Row], at: usize, room: usize, chips: &Chips) -> (usize, usize) {
    let row = rows.iter().rposition(|row| row.start <= at).unwrap_or(0);
    let Some(bytes) = rows.get(row) else {
        return (0, 0);
    };
    let before = bytes.start..at.clamp(bytes.start, bytes.end);
    let column =
        units(line, before, room, chips).fold(0, |column, unit| column + unit.width(column, room));
    (row, column)
}

/// The byte nearest to `column` on row `row`.
pub fn byte_at(
    line: &str,
    rows: &[Row],
    row: usize,
    column: usize,
    room: usize,
    chips: &Chips,
) -> usize {
    let Some(bytes) = rows.get(row) else {
        return line.len();
    };
    let mut x = 0;
    let mut last = bytes.start;
    for unit in units(line, bytes.clone(), room, chips) {
        let width = unit.width(x, room);
        if x + width > column {
            return unit.bytes.start;
        }
        x += width;
        last = unit.bytes.start;
    }
    // The end of a wrapped row is the start of the next one; stay on this.
    if row + 1 < rows.len() {
        last
    } else {
        bytes.end
    }
}

/// Rows of the lines looked at since the last edit.
#[derive(Debug, Default)]
pub struct RowCache {
    rev: u64,
    room: usize,
    lines: HashMap<usize, Arc<[Row]>>,
}

impl RowCache {
    pub fn rows(
        &mut self,
        (index, line): (usize, &str),
        rev: u64,
        room: usize,
        chips: &Chips,
    ) -> Arc<[Row]> {
        if (self.rev, self.room) != (rev, room) {
            self.lines.clear();
            (self.rev, self.room) = (rev, room);
        }
        let rows = self.lines.entry(index);
        rows.or_insert_with(|| wrap(line, room, chips).into())
            .clone()
    }

    /// Lines laid out since the last edit.
    #[cfg(test)]
    pub fn known(&self) -> usize {
        self.lines.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::composer::chips::Chip;

    fn rows(line: &str, room: usize) -> Vec<&str> {
        wrap(line, room, &Chips::default())
            .into_iter()
            .map(|row| &line[row])
            .collect()
    }

    #[test]
    fn rows_break_behind_blanks_and_lose_none() {
        assert_eq!(rows("the quick brown", 9), ["the quick ", "brown"]);
        assert_eq!(rows("the quick  brown", 9), ["the quick ", " brown"]);
        assert_eq!(rows("", 9), [""]);
        assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(rows("go abcdefgh", 5), ["go ", "abcde", "fgh"]);
    }

    #[test]
    fn a_blank_behind_a_full_row_gives_the_caret_a_row() {
        assert_eq!(rows("abc", 3), ["abc"]);
        assert_eq!(rows("abc ", 3), ["abc ", ""]);
    }

    #[test]
    fn wide_text_breaks_anywhere() {
        assert_eq!(rows("日本語テスト", 5), ["日本", "語テ", "スト"]);
        assert_eq!(rows("日本", 1), ["日", "本", ""]);
        assert_eq!(rows("a👩‍👩‍👧b", 3), ["a👩‍👩‍👧", "b"]);
    }

    #[test]
    fn columns_are_those_of_the_drawn_cells() {
        let chips = Chips::default();
        let at = |line: &str, byte| locate(line, &wrap(line, 20, &chips), byte, 20, &chips);
        assert_eq!(at("日本x", 6), (0, 4));
        assert_eq!(at("e\u{301}x", 3), (0, 1));
        assert_eq!(at("👩‍👩‍👧x", "👩‍👩‍👧".len()), (0, 2));
        assert_eq!(at("a\tb", 2), (0, 4));
        assert_eq!(at("ｶﾞx", "ｶﾞ".len()), (0, 2));
        assert_eq!(at("\x1bx", 1), (0, 1));
    }

    #[test]
    fn a_chip_is_one_unit_and_never_wider_than_the_row() {
        let mut chips = Chips::default();
        let chip = chips
            .add(Chip::mention("src/a_long_name.rs".into()))
            .expect("room");
        let line = format!("ab {chip} c");
        let rows = wrap(&line, 10, &chips);
        assert_eq!(rows.len(), 3);
        assert_eq!(locate(&line, &rows, 3 + chip.len_utf8(), 10, &chips).1, 10);
    }
}
