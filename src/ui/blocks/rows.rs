//! What the kinds of blocks have in common: indents, folds, cuts, verbs.

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

/// Blanks left of what the agent says.
pub const INDENT: usize = 2;

/// Rows that unfolding in place shows of one piece; the viewer shows everything.
pub const FULL_ROWS: usize = 1_000;

/// Bytes of prose that are laid out; the viewer shows everything.
const MAX_PROSE: usize = 64 << 10;

/// Cells of the column of verbs, its gap included.
const VERB_COLUMN: usize = 7;
/// Below this the verb takes the room it needs.
const VERB_COLUMN_FROM: u16 = 40;

/// For rows that [`indent`] puts blanks before: `taken` cells less.
pub fn narrowed<'a>(taken: usize, ctx: &RenderContext<'a>) -> RenderContext<'a> {
    let taken = u16::try_from(taken).unwrap_or(u16::MAX);
    RenderContext {
        width: ctx.width.saturating_sub(taken).max(1),
        ..*ctx
    }
}

/// Puts blanks before rows that were drawn for the width beside them.
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

/// One row, cut at the width.
pub fn dim(text: &str, ctx: &RenderContext<'_>) -> Row {
    StyledLine::styled(text, ctx.theme.dim).truncate(ctx.width.into(), ctx.symbols.ellipsis)
}

/// Text that is written for people, not cut to rows yet.
pub fn prose(text: &str, ctx: &RenderContext<'_>) -> Rendered {
    markdown::render_whole(first_bytes(text.trim(), MAX_PROSE), ctx)
}

/// The first `max_rows` rows, and a row that counts the others: not for a single one.
pub fn cut(rows: &mut Vec<Row>, max_rows: usize, ctx: &RenderContext<'_>) {
    let cut = rows.len().saturating_sub(max_rows);
    if cut > 1 {
        rows.truncate(max_rows);
        rows.push(dim(&format!("+{}", count(cut, "row")), ctx));
    }
}

/// The last rows of a text, indented, with no count of what is above them.
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

/// A verb in its column; where there is little room, in the room it needs.
pub fn push_verb(line: &mut StyledLine, verb: &str, ctx: &RenderContext<'_>) {
    let column = line.width() + VERB_COLUMN;
    line.push(verb, ctx.theme.strong);
    if ctx.width >= VERB_COLUMN_FROM {
        line.fill_to(column, Style::new());
    } else {
        line.push(" ", Style::new());
    }
}
