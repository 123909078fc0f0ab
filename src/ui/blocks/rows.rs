//! Shared by the kinds of blocks: indents, folds, cuts, verbs.

use ratatui::style::Style;

use crate::{
    text::first_bytes,
    ui::render::{
        RenderContext, Rendered, Row,
        excerpt::{Excerpt, Keep},
        format::count,
        line::{StyledLine, Wrapping, prefixed},
        markdown,
    },
};

/// The indent of what the agent says.
pub const INDENT: usize = 2;

/// Rows of one unfolded piece; the viewer shows everything.
pub const FULL_ROWS: usize = 1_000;

/// Bytes of prose that are laid out; the viewer has no such bound.
const MAX_PROSE: usize = 64 << 10;

/// Cells of the column of verbs, with its gap.
const VERB_COLUMN: usize = 7;
/// On narrower screens a verb takes only its own width.
const VERB_COLUMN_FROM: u16 = 40;

/// A context that is `taken` cells narrower, for rows that [`indent`] moves right.
pub fn narrowed<'a>(taken: usize, ctx: &RenderContext<'a>) -> RenderContext<'a> {
    let taken = u16::try_from(taken).unwrap_or(u16::MAX);
    RenderContext {
        width: ctx.width.saturating_sub(taken).max(1),
        ..*ctx
    }
}

/// Moves rows right that were drawn with a [`narrowed`] context.
pub fn indent(rows: &mut [Row], by: usize, ctx: &RenderContext<'_>) {
    let blanks = StyledLine::blanks(by);
    for row in rows {
        *row = prefixed(&blanks, std::mem::take(row), ctx.width.into());
    }
}

pub fn fold_sign(unfolded: bool, ctx: &RenderContext<'_>) -> &'static str {
    match unfolded {
        true => ctx.symbols.unfolded,
        false => ctx.symbols.folded,
    }
}

/// One dim row, cut at the width.
pub fn dim(text: &str, ctx: &RenderContext<'_>) -> Row {
    StyledLine::styled(text, ctx.theme.dim).truncate(ctx.width.into(), ctx.symbols.ellipsis)
}

/// Prose as markdown, not cut to a number of rows.
pub fn prose(text: &str, ctx: &RenderContext<'_>) -> Rendered {
    markdown::render_whole(first_bytes(text.trim(), MAX_PROSE), ctx)
}

/// Keeps `max_rows` rows and a count of the others, unless only one is left.
pub fn cut(rows: &mut Vec<Row>, max_rows: usize, ctx: &RenderContext<'_>) {
    let cut = rows.len().saturating_sub(max_rows);
    if cut > 1 {
        rows.truncate(max_rows);
        rows.push(dim(&format!("+{}", count(cut, "row")), ctx));
    }
}

/// The last rows of a text, indented, without a count of the hidden ones.
pub fn last_rows(
    text: &str,
    max_rows: usize,
    by: usize,
    style: Style,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let excerpt = Excerpt {
        keep: Keep::Tail,
        max_rows,
        wrapping: Wrapping::Words,
        style,
    };
    let body = narrowed(by + 1, ctx);
    let mut rows = excerpt.rows(text, body.width.into(), ctx);
    rows.drain(..rows.len().saturating_sub(max_rows));
    indent(&mut rows, by, ctx);
    rows
}

/// A verb in its column; on narrow screens without the column.
pub fn push_verb(line: &mut StyledLine, verb: &str, ctx: &RenderContext<'_>) {
    let column = line.width() + VERB_COLUMN;
    line.push(verb, ctx.theme.strong);
    if ctx.width >= VERB_COLUMN_FROM {
        line.fill_to(column, Style::new());
    } else {
        line.push(" ", Style::new());
    }
}
