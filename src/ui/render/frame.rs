//! Boxes drawn as rows: a border with a title around rows that are already laid out.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    RenderContext, Row,
    line::{StyledLine, pad, prefixed, row_width},
};
use crate::ui::theme::Symbols;

/// Narrower than this a border costs more than it tells: the rows stand bare.
const MIN_WIDTH: u16 = 12;

/// Border characters.
struct Border {
    top_left: &'static str,
    top_right: &'static str,
    bottom_left: &'static str,
    bottom_right: &'static str,
    horizontal: &'static str,
    vertical: &'static str,
}

/// What a box is to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corners {
    Round,
    Square,
}

impl Border {
    fn new(corners: Corners, symbols: &Symbols) -> Self {
        let [top_left, top_right, bottom_left, bottom_right] = match corners {
            _ if symbols.ascii => ["+"; 4],
            Corners::Round => ["╭", "╮", "╰", "╯"],
            Corners::Square => ["┌", "┐", "└", "┘"],
        };
        let [horizontal, vertical] = if symbols.ascii {
            ["-", "|"]
        } else {
            ["─", "│"]
        };
        Self {
            top_left,
            top_right,
            bottom_left,
            bottom_right,
            horizontal,
            vertical,
        }
    }
}

/// Cells inside a box as wide as `ctx`.
pub fn inner_width(ctx: &RenderContext<'_>) -> usize {
    let width = usize::from(ctx.width);
    if ctx.width < MIN_WIDTH {
        width
    } else {
        width - 4
    }
}

/// Draws a box around `rows`, which must fit [`inner_width`]. `title` is cut where it is too long.
pub fn boxed(
    title: &StyledLine,
    rows: Vec<Row>,
    border: Style,
    corners: Corners,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    if ctx.width < MIN_WIDTH {
        return rows;
    }
    let width = usize::from(ctx.width);
    let chars = Border::new(corners, ctx.symbols);
    let mut top = StyledLine::styled(chars.top_left, border);
    if !title.is_empty() {
        top.push(" ", border);
        top.extend(title);
        top.push(" ", border);
    }
    let mut top = top.truncate(width - 1, ctx.symbols.ellipsis);
    let filled = row_width(&top);
    top.line.spans.push(Span::styled(
        chars.horizontal.repeat(width - 1 - filled),
        border,
    ));
    top.line.spans.push(Span::styled(chars.top_right, border));

    let mut left = StyledLine::styled(chars.vertical, border);
    left.push(" ", Style::new());
    let mut out = Vec::with_capacity(rows.len() + 2);
    out.push(top);
    for row in rows {
        let mut row = prefixed(&left, row, width);
        pad(&mut row, width - 1, Style::new());
        row.line.spans.push(Span::styled(chars.vertical, border));
        out.push(row);
    }
    let bottom = format!(
        "{}{}{}",
        chars.bottom_left,
        chars.horizontal.repeat(width - 2),
        chars.bottom_right
    );
    out.push(Row::from(Line::styled(bottom, border)));
    out
}
