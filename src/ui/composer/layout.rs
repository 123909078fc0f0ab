//! Soft wrapping for editing: where each unit of the draft and the caret stand, in cells.
//!
//! The widget's own wrapping counts characters one by one (a family emoji as six cells) and lays
//! out the whole text on every key; `text::wrap` drops the blanks at which it breaks, but a caret
//! can stand on them. So rows are made here, line by line, of units as they are drawn.

use std::{borrow::Cow, collections::HashMap, ops::Range, sync::Arc};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{chips::Chips, segment};
use crate::text::{SafeText, TAB_WIDTH, truncate_to_width};

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
    /// Space or tab: may hang over the edge by one cell, so that it never begins a row.
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
    segment::units(&line[row]).map(move |(at, unit)| {
        let bytes = from + at..from + at + unit.len();
        let chip = unit.chars().next().and_then(|c| chips.get(c));
        let (shown, kind) = match (unit, chip) {
            ("\t", _) => (Cow::Borrowed(""), UnitKind::Tab),
            (" " | "\u{3000}", _) => (Cow::Borrowed(unit), UnitKind::Blank),
            (_, Some(chip)) => {
                let kind = if chip.pasted().is_some() {
                    UnitKind::Paste
                } else {
                    UnitKind::Mention
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
    if unit
        .chars()
        .all(|c| c.width().is_some_and(|w| w > 0) && c != '\u{ad}')
    {
        Cow::Borrowed(unit)
    } else {
        Cow::Owned(SafeText::line(unit).as_str().to_owned())
    }
}

/// Wraps one logical line to rows of `room` cells. A blank may use one cell more, which the caller
/// keeps free for it and for the caret behind a full row.
pub fn wrap(line: &str, room: usize, chips: &Chips) -> Vec<Row> {
    let room = room.max(1);
    let mut rows = Vec::new();
    let (mut start, mut column) = (0, 0);
    // The last place at which this row can end well: byte and column.
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
