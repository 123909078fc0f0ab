//! Tables fitted to the width: columns shrink by content and cells wrap; where that would leave
//! columns too narrow to read, each row becomes a record of `name value` lines. No cell is lost.

use pulldown_cmark::Alignment;
use ratatui::{style::Style, text::Line};

use super::split::TABLE_ROWS;
use crate::{
    text::cell_width,
    ui::{
        render::{
            RenderContext, Row,
            line::{StyledLine, Wrapping, joined, pad, row_width, rule},
        },
        theme::{Symbols, Theme},
    },
};

/// A column is not made narrower than its longest word of at most this many cells.
const MAX_WORD: usize = 14;
/// Cells between columns: a blank, the bar, a blank.
const SEPARATOR: usize = 3;

/// A cell's lines; an inner break is a `<br>`.
pub type Cell = Vec<StyledLine>;

#[derive(Default)]
pub struct Table {
    pub alignments: Vec<Alignment>,
    pub head: Vec<Cell>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Rows of at most `width` cells. `skip` omits the head and that many first rows, which
    /// then only tell how wide the columns are.
    pub fn render(&self, skip: Option<usize>, width: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
        let columns = self.head.len();
        if columns == 0 {
            return Vec::new();
        }
        let rows = self.rows.get(skip.unwrap_or(0)..).unwrap_or_default();
        let Some(widths) = self.widths(width) else {
            return self.records(rows, skip.is_some(), width, ctx);
        };
        let grid = Grid {
            widths: &widths,
            alignments: &self.alignments,
            theme: ctx.theme,
            symbols: ctx.symbols,
        };
        let mut out = Vec::new();
        if skip.is_none() {
            out.extend(grid.row(&self.head));
            out.push(grid.rule());
        }
        let mut last_height = 0;
        for row in rows {
            let drawn = grid.row(row);
            // Rows of several lines need a line between them to be told apart.
            if last_height > 1 || (last_height == 1 && drawn.len() > 1) {
                out.push(grid.rule());
            }
            last_height = drawn.len();
            out.extend(drawn);
        }
        out
    }

    /// Column widths, or `None` where the columns would be too narrow. By the first rows only, so
    /// that a long table does not move while it grows.
    fn widths(&self, width: usize) -> Option<Vec<usize>> {
        let columns = self.head.len();
        let room = width.checked_sub(SEPARATOR * (columns - 1))?;
        let measured: Vec<(usize, usize)> = (0..columns)
            .map(|column| {
                let cells = self
                    .rows
                    .iter()
                    .take(TABLE_ROWS)
                    .chain([&self.head])
                    .filter_map(|row| row.get(column));
                cells.flatten().fold((1, 1), |(word, natural), line| {
                    let longest = line.text().split(' ').map(cell_width).max().unwrap_or(0);
                    (word.max(longest.min(MAX_WORD)), natural.max(line.width()))
                })
            })
            .collect();
        let least: usize = measured.iter().map(|(word, _)| word).sum();
        if least > room {
            return None;
        }
        Some(share(&measured, room))
    }

    /// Each row as a record: its cells as lines below each other.
    fn records(
        &self,
        rows: &[Vec<Cell>],
        continued: bool,
        width: usize,
        ctx: &RenderContext<'_>,
    ) -> Vec<Row> {
        let theme = ctx.theme;
        if rows.is_empty() && !continued {
            // Only the names so far.
            return self
                .head
                .iter()
                .flatten()
                .flat_map(|name| name.wrap(width))
                .collect();
        }
        let hang = StyledLine::styled("  ", Style::new());
        let mut out = Vec::new();
        for (n, row) in rows.iter().enumerate() {
            if n > 0 || continued {
                out.push(rule(
                    ctx.symbols.rule,
                    width.min(8),
                    theme.markdown.table_border,
                ));
            }
            for (column, cell) in row.iter().enumerate() {
                let mut lines = cell.iter();
                let mut first = self
                    .head
                    .get(column)
                    .and_then(|name| name.first())
                    .cloned()
                    .unwrap_or_default();
                if !first.is_empty() {
                    first.push(": ", theme.markdown.table_border);
                }
                if let Some(value) = lines.next() {
                    first.extend(value);
                }
                if first.is_empty() {
                    continue;
                }
                let none = StyledLine::new();
                out.extend(first.wrap_with(Wrapping::Words, width, &none, &hang));
                for line in lines {
                    out.extend(line.wrap_with(Wrapping::Words, width, &hang, &hang));
                }
            }
        }
        out
    }
}

/// Shares `room` among columns given as (least, natural) widths: what needs little gets it, the
/// others have equal parts of the rest.
fn share(columns: &[(usize, usize)], room: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|(least, _)| *least).collect();
    let mut left = room - widths.iter().sum::<usize>();
    loop {
        // Raise the narrowest columns that still want more, one level at a time.
        let wanting = |widths: &[usize]| -> Vec<usize> {
            (0..columns.len())
                .filter(|&n| widths[n] < columns[n].1)
                .collect()
        };
        let open = wanting(&widths);
        let Some(lowest) = open.iter().map(|&n| widths[n]).min() else {
            return widths;
        };
        let level: Vec<usize> = open.into_iter().filter(|&n| widths[n] == lowest).collect();
        let next = level
            .iter()
            .map(|&n| columns[n].1)
            .chain(
                wanting(&widths)
                    .into_iter()
                    .map(|n| widths[n])
                    .filter(|w| *w > lowest),
            )
            .min()
            .unwrap_or(lowest + 1);
        let step = (next - lowest).min(left / level.len());
        if step == 0 {
            for n in level.into_iter().take(left) {
                widths[n] += 1;
            }
            return widths;
        }
        left -= step * level.len();
        for n in level {
            widths[n] += step;
        }
    }
}

struct Grid<'a> {
    widths: &'a [usize],
    alignments: &'a [Alignment],
    theme: &'a Theme,
    symbols: &'a Symbols,
}

impl Grid<'_> {
    fn row(&self, cells: &[Cell]) -> Vec<Row> {
        let wrapped: Vec<Vec<Row>> = self
            .widths
            .iter()
            .enumerate()
            .map(|(column, width)| {
                let lines = cells.get(column).map_or(&[][..], Vec::as_slice);
                lines.iter().flat_map(|line| line.wrap(*width)).collect()
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let mut columns: Vec<_> = wrapped.into_iter().map(Vec::into_iter).collect();
        let bar = format!(" {} ", self.symbols.column);
        let bar = StyledLine::styled(&bar, self.theme.markdown.table_border).into_row();
        (0..height)
            .map(|_| {
                let mut row = Row::default();
                let mut end = 0;
                for (column, rows) in columns.iter_mut().enumerate() {
                    if column > 0 {
                        // The last column has no blanks behind it.
                        pad(&mut row, end, Style::new());
                        row = joined(row, bar.clone());
                        end += SEPARATOR;
                    }
                    row = joined(row, self.aligned(rows.next().unwrap_or_default(), column));
                    end += self.widths[column];
                }
                row
            })
            .collect()
    }

    fn aligned(&self, cell: Row, column: usize) -> Row {
        let free = self.widths[column].saturating_sub(row_width(&cell));
        let before = match self.alignments.get(column) {
            Some(Alignment::Right) => free,
            Some(Alignment::Center) => free / 2,
            _ => 0,
        };
        joined(Row::from(Line::from(" ".repeat(before))), cell)
    }

    fn rule(&self) -> Row {
        let style = self.theme.markdown.table_border;
        let mut text = String::new();
        for (column, width) in self.widths.iter().enumerate() {
            if column > 0 {
                text.push_str(self.symbols.rule);
                text.push_str(self.symbols.crossing);
                text.push_str(self.symbols.rule);
            }
            text.push_str(&self.symbols.rule.repeat(*width));
        }
        StyledLine::styled(&text, style).into_row()
    }
}
