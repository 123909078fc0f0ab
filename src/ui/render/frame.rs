//! Boxes drawn as rows: a border with a title around rows that are already laid out.

use ratatui::{
    style::Style,
    symbols::border::{self, Set},
    text::{Line, Span},
};

use super::{
    RenderContext, Row,
    line::{StyledLine, pad, prefixed, row_width},
};
use crate::ui::theme::Symbols;

/// Narrower than this a border costs more than it tells: the rows stand bare.
const MIN_WIDTH: u16 = 12;

/// What a box is to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corners {
    Round,
    Square,
}

const ASCII: Set<'static> = Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The characters of a border.
pub fn border_set(corners: Corners, symbols: &Symbols) -> Set<'static> {
    match corners {
        _ if symbols.ascii => ASCII,
        Corners::Round => border::ROUNDED,
        Corners::Square => border::PLAIN,
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
    let set = border_set(corners, ctx.symbols);
    let mut top = StyledLine::styled(set.top_left, border);
    if !title.is_empty() {
        top.push(" ", border);
        top.extend(title);
        top.push(" ", border);
    }
    let mut top = top.truncate(width - 1, ctx.symbols.ellipsis);
    let filled = row_width(&top);
    top.line.spans.push(Span::styled(
        set.horizontal_top.repeat(width - 1 - filled),
        border,
    ));
    top.line.spans.push(Span::styled(set.top_right, border));

    let left = StyledLine::styled(set.vertical_left, border).with(" ", Style::new());
    let mut out = Vec::with_capacity(rows.len() + 2);
    out.push(top);
    for row in rows {
        let mut row = prefixed(&left, row, width);
        pad(&mut row, width - 1, Style::new());
        row.line.spans.push(Span::styled(set.vertical_left, border));
        out.push(row);
    }
    let bottom = format!(
        "{}{}{}",
        set.bottom_left,
        set.horizontal_top.repeat(width - 2),
        set.bottom_right
    );
    out.push(Row::from(Line::styled(bottom, border)));
    out
}
