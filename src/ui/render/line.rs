//! Styled text before it becomes rows: one logical line with styles and links over its bytes, and how
//! it is wrapped, cut, padded and prefixed.
//!
//! Owns the one way from text to [`Row`]s that all renderers share, so that widths, tabs, grapheme
//! clusters and link columns are right once. Must not know what the text means.

use std::{iter, ops::Range, sync::Arc};

use ratatui::{
    style::{Modifier, Style},
    text::{Line, Span},
};

use super::{
    Link, Row,
    written::{Join, Written},
};
use crate::{
    picture::Strip,
    text::{
        cell_width, expand_tabs, grapheme_width, is_grapheme_boundary, prefix_of_width, wrap,
        wrap_hard, wrap_verbatim,
    },
    ui::theme::{Symbols, Theme},
};

/// Cells that prefixes (indents, quote bars) leave for the text, if the row is that wide.
const MIN_ROOM: usize = 4;

/// How a line that is too long for a row goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// Between words; blanks at the break are dropped. For prose.
    Words,
    /// Wherever the row is full; nothing is dropped. For code, where blanks are content.
    Hard,
    /// Behind a blank near the end of the row, else where it is full; nothing is dropped. For
    /// commands and what they say.
    Verbatim,
}

/// One logical line: text without newlines and tabs, and what each part of it looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StyledLine {
    text: String,
    runs: Vec<Run>,
    /// Cells of `text`, kept so that tab stops cost nothing.
    width: usize,
    /// Cells at the beginning that only frame what follows (bars, line numbers).
    gutter: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Run {
    /// Where in the text it ends; it begins where the one before ends.
    end: usize,
    style: Style,
    link: Option<Arc<str>>,
}

impl StyledLine {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn styled(text: &str, style: Style) -> Self {
        let mut line = Self::new();
        line.push(text, style);
        line
    }

    /// As what stands before text and is none of it: it is not copied.
    pub fn as_gutter(mut self) -> Self {
        self.gutter = self.width;
        self
    }

    pub fn blanks(cells: usize) -> Self {
        Self::styled(&" ".repeat(cells), Style::new())
    }

    /// One line per line of `text`, all in one style; at least one.
    pub fn lines(text: &str, style: Style) -> impl Iterator<Item = Self> + '_ {
        text.split('\n').map(move |line| Self::styled(line, style))
    }

    /// Appends text. Tabs go to the next stop of this line; a newline becomes a space.
    pub fn push(&mut self, text: &str, style: Style) {
        self.append(text, style, None);
    }

    /// The same, returning the line.
    pub fn with(mut self, text: &str, style: Style) -> Self {
        self.push(text, style);
        self
    }

    /// Appends text that is a hyperlink to `uri`, which must be fit for [`Link::uri`].
    pub fn push_link(&mut self, text: &str, style: Style, uri: Arc<str>) {
        self.append(text, style, Some(uri));
    }

    /// Appends blanks up to `column`; nothing where the line is that long already.
    pub fn fill_to(&mut self, column: usize, style: Style) {
        if let Some(missing) = column.checked_sub(self.width).filter(|n| *n > 0) {
            self.append(&" ".repeat(missing), style, None);
        }
    }

    /// Appends another line with its styles and links.
    pub fn extend(&mut self, other: &Self) {
        if self.gutter == self.width {
            self.gutter += other.gutter;
        }
        let mut start = 0;
        for run in &other.runs {
            self.append(&other.text[start..run.end], run.style, run.link.clone());
            start = run.end;
        }
    }

    /// As what is selected: see [`selected_style`].
    pub fn select(&mut self, selected: Style) {
        for run in &mut self.runs {
            run.style = selected_style(run.style, selected);
        }
    }

    /// Lays `style` over the bytes in `range` of [`StyledLine::text`] (word-level marks in diffs).
    /// A range that cuts through a grapheme cluster styles none of it.
    pub fn patch(&mut self, range: Range<usize>, style: Style) {
        let mut runs = Vec::with_capacity(self.runs.len() + 2);
        let mut start = 0;
        for run in std::mem::take(&mut self.runs) {
            let inner = range.start.clamp(start, run.end)..range.end.clamp(start, run.end);
            for (end, patched) in [(inner.start, false), (inner.end, true), (run.end, false)] {
                if end > start && is_grapheme_boundary(&self.text, end) {
                    let style = if patched {
                        run.style.patch(style)
                    } else {
                        run.style
                    };
                    runs.push(Run {
                        end,
                        style,
                        link: run.link.clone(),
                    });
                    start = end;
                }
            }
        }
        self.runs = runs;
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Cells.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of at most `width` cells, broken between words.
    pub fn wrap(&self, width: usize) -> Vec<Row> {
        self.wrap_as(Wrapping::Words, width)
    }

    /// Rows of at most `width` cells.
    pub fn wrap_as(&self, wrapping: Wrapping, width: usize) -> Vec<Row> {
        let none = Self::new();
        self.wrap_with(wrapping, width, &none, &none)
    }

    /// As [`StyledLine::wrap_with`]; the other rows are set in by the width of `first`.
    pub fn wrap_behind(&self, first: &Self, wrapping: Wrapping, width: usize) -> Vec<Row> {
        self.wrap_with(wrapping, width, first, &Self::blanks(first.width))
    }

    /// Rows of at most `width` cells; the first begins with `first` and the others with `rest`
    /// (bullets, quote bars, gutters). Prefixes are cut where they would leave no room. A grapheme
    /// that is wider than a whole row becomes `?`.
    pub fn wrap_with(
        &self,
        wrapping: Wrapping,
        width: usize,
        first: &Self,
        rest: &Self,
    ) -> Vec<Row> {
        let width = width.max(1);
        let (room_first, room_rest) = (
            room_beside(first.width, width),
            room_beside(rest.width, width),
        );
        let pieces = match wrapping {
            Wrapping::Words => wrap(&self.text, room_first, room_rest),
            Wrapping::Hard => wrap_hard(&self.text, room_first, room_rest),
            Wrapping::Verbatim => wrap_verbatim(&self.text, room_first, room_rest),
        };
        let mut runs = RunCursor::new(self);
        let mut before = 0;
        pieces
            .into_iter()
            .enumerate()
            .map(|(n, piece)| {
                let (prefix, room) = match n {
                    0 => (first, room_first),
                    _ => (rest, room_rest),
                };
                let mut row = RowBuilder::default();
                if !prefix.is_empty() {
                    let shown = prefix_of_width(&prefix.text, width - room).len();
                    RunCursor::new(prefix).emit(0..shown, &mut row);
                }
                let margin = match n {
                    0 => first.gutter.min(row.width),
                    _ => row.width,
                };
                let join = match n {
                    0 => Join::Begins,
                    _ if piece.bytes.start > before => Join::Blank,
                    _ => Join::Tight,
                };
                before = piece.bytes.end;
                if piece.width > room {
                    row.push("?", runs.style_at(piece.bytes.start), None);
                } else {
                    runs.emit(piece.bytes, &mut row);
                }
                let mut row = row.finish();
                row.written.from = to_column(margin);
                row.written.join = join;
                row
            })
            .collect()
    }

    /// One row of at most `width` cells, ending in `ellipsis` where something was cut.
    pub fn truncate(&self, width: usize, ellipsis: &str) -> Row {
        let mut row = RowBuilder::default();
        let mut runs = RunCursor::new(self);
        if self.width <= width {
            runs.emit(0..self.text.len(), &mut row);
            return row.finish();
        }
        let ellipsis = prefix_of_width(ellipsis, width);
        let kept = prefix_of_width(&self.text, width - cell_width(ellipsis)).len();
        runs.emit(0..kept, &mut row);
        row.push(ellipsis, runs.style_at(kept), None);
        row.finish()
    }

    /// The whole line as a row, however wide.
    pub fn into_row(self) -> Row {
        self.truncate(self.width, "")
    }

    fn append(&mut self, text: &str, style: Style, link: Option<Arc<str>>) {
        if text.is_empty() {
            return;
        }
        let expanded = expand_tabs(text, self.width);
        let start = self.text.len();
        if expanded.contains('\n') {
            self.text.push_str(&expanded.replace('\n', " "));
        } else {
            self.text.push_str(&expanded);
        }
        if let Some(last) = self.runs.last_mut() {
            if last.style == style && last.link == link {
                last.end = self.text.len();
                self.width = self.measure(start);
                return;
            }
            // A cluster across the border of two runs keeps the first style.
            while last.end < self.text.len() && !is_grapheme_boundary(&self.text, last.end) {
                let next = self.text[last.end..]
                    .chars()
                    .next()
                    .map_or(1, char::len_utf8);
                last.end += next;
            }
            if last.end == self.text.len() {
                self.width = self.measure(start);
                return;
            }
        }
        self.runs.push(Run {
            end: self.text.len(),
            style,
            link,
        });
        self.width = self.measure(start);
    }

    /// The whole width, after text was appended at `start`: what was there may have been joined.
    fn measure(&self, start: usize) -> usize {
        let mut joined = start;
        while !is_grapheme_boundary(&self.text, joined) {
            joined -= 1;
        }
        self.width - cell_width(&self.text[joined..start]) + cell_width(&self.text[joined..])
    }
}

/// `left` and, flush with the right edge, `right`: a header with its figures. `left` is cut first.
pub fn spread(left: &StyledLine, right: &StyledLine, width: usize, ellipsis: &str) -> Row {
    if right.is_empty() || right.width + 2 > width {
        return left.truncate(width, ellipsis);
    }
    let mut row = left.truncate(width - right.width - 1, ellipsis);
    let gap = width - right.width - row_width(&row);
    row.line.spans.push(Span::raw(" ".repeat(gap)));
    joined(row, right.clone().into_row())
}

/// Appends a key and what it does, set apart from what stands before.
pub fn push_hint(
    line: &mut StyledLine,
    (key, what): (&str, &str),
    dim: Style,
    (theme, symbols): (&Theme, &Symbols),
) {
    if !line.is_empty() {
        line.push(&format!(" {} ", symbols.separator), dim);
    }
    line.push(key, theme.key_hint);
    line.push(&format!(" {what}"), dim);
}

/// Cells that a row takes.
pub fn row_width(row: &Row) -> usize {
    row.line
        .spans
        .iter()
        .map(|span| cell_width(&span.content))
        .sum()
}

/// Fills a row with blanks up to `width` cells (backgrounds, boxes).
pub fn pad(row: &mut Row, width: usize, style: Style) {
    let missing = width.saturating_sub(row_width(row));
    if missing > 0 {
        row.line
            .spans
            .push(Span::styled(" ".repeat(missing), style));
    }
}

/// The row as the selected one of a list `width` cells wide.
pub fn select(row: &mut Row, width: usize, selected: Style) {
    pad(row, width, selected);
    for span in &mut row.line.spans {
        span.style = selected_style(span.style, selected);
    }
}

/// The style of selected text. Reversed colours are hard to tell from each other, and
/// dim ones unreadable: where selection is by reversing, a row has one colour.
pub fn selected_style(own: Style, selected: Style) -> Style {
    if !selected.add_modifier.contains(Modifier::REVERSED) {
        return own.patch(selected);
    }
    let kept = own.add_modifier - Modifier::DIM;
    Style::new().add_modifier(kept).patch(selected)
}

/// Cells that are left for text beside a prefix on rows of `width` cells: at least [`MIN_ROOM`],
/// or all there are.
pub fn room_beside(prefix: usize, width: usize) -> usize {
    width.saturating_sub(prefix).max(MIN_ROOM.min(width)).max(1)
}

/// Puts `prefix` before a finished row that takes no more than [`room_beside`] leaves; its links
/// move along.
pub fn prefixed(prefix: &StyledLine, row: Row, width: usize) -> Row {
    let room = room_beside(prefix.width, width);
    let written = row.written;
    let prefix = prefix.truncate(width.saturating_sub(room), "");
    let shift = to_column(row_width(&prefix));
    let mut row = joined(prefix, row);
    row.written = Written {
        from: written.from.saturating_add(shift),
        ..row.written
    };
    (row.written.join, row.written.found) = (written.join, written.found);
    row
}

/// `tail` right behind `row`; its links move along.
pub fn joined(mut row: Row, tail: Row) -> Row {
    let shift = to_column(row_width(&row));
    row.written.to = shift.saturating_add(tail.written.to);
    row.line.spans.extend(tail.line.spans);
    row.picture = row.picture.or(tail.picture.map(|strip| Strip {
        column: strip.column.saturating_add(shift),
        ..strip
    }));
    row.links.extend(tail.links.into_iter().map(|link| Link {
        columns: link.columns.start.saturating_add(shift)..link.columns.end.saturating_add(shift),
        uri: link.uri,
    }));
    row
}

/// Screens are at most `u16` wide; wider rows cannot be seen.
fn to_column(cells: usize) -> u16 {
    u16::try_from(cells).unwrap_or(u16::MAX)
}

/// Walks the runs of a line along with its rows, so that wrapping stays linear.
struct RunCursor<'a> {
    line: &'a StyledLine,
    run: usize,
}

impl<'a> RunCursor<'a> {
    fn new(line: &'a StyledLine) -> Self {
        Self { line, run: 0 }
    }

    /// Appends the text in `bytes`; calls must come in order.
    fn emit(&mut self, bytes: Range<usize>, row: &mut RowBuilder) {
        let mut at = bytes.start;
        while at < bytes.end {
            let Some(run) = self.seek(at) else { return };
            let end = run.end.min(bytes.end);
            row.push(&self.line.text[at..end], run.style, run.link.as_ref());
            at = end;
        }
    }

    fn style_at(&mut self, at: usize) -> Style {
        self.seek(at).map_or_else(Style::new, |run| run.style)
    }

    fn seek(&mut self, at: usize) -> Option<&'a Run> {
        while self.line.runs.get(self.run)?.end <= at {
            self.run += 1;
        }
        self.line.runs.get(self.run)
    }
}

#[derive(Default)]
struct RowBuilder {
    row: Row,
    width: usize,
}

impl RowBuilder {
    fn push(&mut self, text: &str, style: Style, link: Option<&Arc<str>>) {
        let start = to_column(self.width);
        self.width += cell_width(text);
        let end = to_column(self.width);
        self.row
            .line
            .spans
            .push(Span::styled(text.to_owned(), style));
        let Some(uri) = link else { return };
        match self.row.links.last_mut() {
            Some(last) if last.columns.end == start && last.uri == *uri => last.columns.end = end,
            _ => self.row.links.push(Link {
                columns: start..end,
                uri: uri.clone(),
            }),
        }
    }

    fn finish(mut self) -> Row {
        self.row.written.to = to_column(self.width);
        self.row
    }
}

/// A row of `symbol` repeated to `width` cells; nothing where the symbol takes no cell.
pub fn rule(symbol: &str, width: usize, style: Style) -> Row {
    let cells = grapheme_width(symbol).max(1);
    let text: String = iter::repeat_n(symbol, width / cells).collect();
    Row::from(Line::from(Span::styled(text, style)))
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::CellWidth;

    use super::*;

    fn texts(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| row.line.to_string()).collect()
    }

    fn bold() -> Style {
        Style::new().bold()
    }

    #[test]
    fn widths_are_those_that_ratatui_draws() {
        for grapheme in ["ｶﾞ", "ᄀᄀᄀ", "❤️", "☎", "🇩🇪", "नि", "é", "…", "─", "👩‍👩‍👧"]
        {
            assert_eq!(grapheme_width(grapheme), usize::from(grapheme.cell_width()));
        }
    }

    #[test]
    fn styles_and_links_follow_the_words_to_their_rows() {
        let mut line = StyledLine::styled("see ", Style::new());
        line.push_link("the long page", bold(), Arc::from("https://x.test/"));
        line.push(" now", Style::new());
        let rows = line.wrap(8);
        assert_eq!(texts(&rows), ["see the", "long", "page now"]);
        let columns: Vec<_> = rows
            .iter()
            .map(|row| row.links[0].columns.clone())
            .collect();
        assert_eq!(columns, [4..7, 0..4, 0..4]);
        assert_eq!(rows[2].line.spans[0].style, bold());
        assert_eq!(rows[2].line.spans[1].style, Style::new());
    }

    #[test]
    fn tabs_stop_by_column_over_styles() {
        let line = StyledLine::styled("a", bold()).with("\tb\t", Style::new());
        assert_eq!(line.text(), "a   b   ");
        assert_eq!(line.width(), 8);
    }

    #[test]
    fn a_cluster_is_never_split_between_spans() {
        let line = StyledLine::styled("👩", bold()).with("\u{200d}👧x", Style::new());
        let row = line.into_row();
        assert_eq!(row.line.spans[0].content, "👩\u{200d}👧");
        assert_eq!(row_width(&row), 3);
    }

    #[test]
    fn prefixes_hang_and_never_take_all_the_room() {
        let line = StyledLine::styled("one two three", Style::new());
        let (first, rest) = (
            StyledLine::styled("• ", bold()),
            StyledLine::styled("  ", Style::new()),
        );
        let rows = line.wrap_with(Wrapping::Words, 9, &first, &rest);
        assert_eq!(texts(&rows), ["• one two", "  three"]);
        let deep = StyledLine::styled("            ", Style::new());
        for width in 1..9 {
            for row in line.wrap_with(Wrapping::Words, width, &deep, &deep) {
                assert!(row_width(&row) <= width);
            }
        }
    }

    #[test]
    fn a_grapheme_wider_than_the_row_is_replaced() {
        let line = StyledLine::styled("日本", Style::new());
        assert_eq!(texts(&line.wrap(1)), ["?", "?"]);
    }

    #[test]
    fn marks_are_laid_over_a_range() {
        let mut line = StyledLine::styled("let x", Style::new());
        line.push(" = 1", Style::new().italic());
        line.patch(4..7, bold());
        let row = line.into_row();
        let spans: Vec<_> = row.line.spans.iter().map(|s| s.content.as_ref()).collect();
        assert_eq!(spans, ["let ", "x", " =", " 1"]);
        assert_eq!(row.line.spans[2].style, Style::new().italic().bold());
    }

    #[test]
    fn headers_put_their_figures_to_the_right() {
        let left = StyledLine::styled("edit src/cli/list.rs", Style::new());
        let right = StyledLine::styled("0.1s", Style::new());
        assert_eq!(
            spread(&left, &right, 30, "…").line.to_string(),
            "edit src/cli/list.rs      0.1s"
        );
        assert_eq!(
            spread(&left, &right, 14, "...").line.to_string(),
            "edit s... 0.1s"
        );
        assert_eq!(spread(&left, &right, 5, "…").line.to_string(), "edit…");
    }

    #[test]
    fn a_prefix_moves_links_along() {
        let mut line = StyledLine::new();
        line.push_link("page", Style::new(), Arc::from("https://x.test/"));
        let row = prefixed(&StyledLine::styled("▎ ", Style::new()), line.into_row(), 80);
        assert_eq!(row.links[0].columns, 2..6);
        let mut row = row;
        pad(&mut row, 10, Style::new());
        assert_eq!(row_width(&row), 10);
    }
}
