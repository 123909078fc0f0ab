//! Compactions of the context: one row that says how it stands; the summary on demand.

use ratatui::style::Style;

use super::{
    RenderContext, Rendered, Row,
    content::render_content,
    excerpt::line_count,
    format::{count, elapsed},
    line::{StyledLine, Wrapping, prefixed, spread},
    markdown,
};
use crate::{
    model::CompactionStatus,
    session::{Compaction, Piece, Pieces},
    text::{SafeText, first_bytes},
};

/// Cells before the text behind the sign.
const INDENT: usize = 4;
/// Bytes of one piece that are laid out; the viewer shows everything.
const MAX_PROSE: usize = 64 << 10;

/// `✓ the context was compacted · 14 lines ▸`, or with the spinner while it is done; what went wrong
/// stands whole below.
pub fn render_compaction_header(
    compaction: &Compaction,
    unfolded: bool,
    spinner: Option<&str>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let still = symbols.spinner.first().copied().unwrap_or(symbols.pending);
    let (sign, sign_style, text) = match &compaction.status {
        CompactionStatus::InProgress if compaction.abandoned => (
            symbols.ended,
            theme.dim,
            "compacting the context ended".into(),
        ),
        CompactionStatus::InProgress => (
            spinner.unwrap_or(still),
            theme.accent,
            "compacting the context".into(),
        ),
        CompactionStatus::Completed => (
            symbols.done,
            theme.success,
            "the context was compacted".into(),
        ),
        CompactionStatus::Failed => (
            symbols.failed,
            theme.error,
            "compacting the context failed".into(),
        ),
        CompactionStatus::Cancelled => (
            symbols.cancelled,
            theme.warning,
            "compacting the context was cancelled".into(),
        ),
        // V1-COMP-03
        CompactionStatus::Unknown(status) => (
            symbols.pending,
            theme.dim,
            SafeText::line(&format!("compacting the context: {status}")),
        ),
    };
    let mut left = StyledLine::styled("  ", Style::new());
    left.push(sign, sign_style);
    left.push(" ", Style::new());
    left.push(&text, theme.text);
    if !compaction.summary.is_empty() {
        let lines = count(lines(&compaction.summary).max(1), "line");
        let text = format!(" {} summary of {lines}", symbols.separator);
        left.push(&text, theme.dim);
        let fold = match unfolded {
            true => symbols.unfolded,
            false => symbols.folded,
        };
        left.push(&format!(" {fold}"), theme.dim);
    }
    let so_far = ctx.now.saturating_duration_since(compaction.started);
    let time = match compaction.took {
        Some(took) if took.as_millis() >= 100 => elapsed(took),
        // Without motion nothing counts up.
        None if compaction.is_open() && spinner.is_some() => elapsed(so_far),
        _ => String::new(),
    };
    let time = StyledLine::styled(&time, theme.dim);
    let width = usize::from(ctx.prose_width());
    let mut rows = vec![spread(&left, &time, width, symbols.ellipsis)];
    if let Some(error) = &compaction.error {
        let mut indent = StyledLine::new();
        indent.fill_to(INDENT, Style::new());
        for line in StyledLine::lines(error.trim(), theme.error) {
            rows.extend(line.wrap_with(Wrapping::Words, width, &indent, &indent));
        }
    }
    rows
}

fn lines(pieces: &Pieces) -> usize {
    let lines = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => line_count(text.trim()),
        Piece::Content(_) => 1,
    });
    lines.sum()
}

/// One piece of content that is written for people, indented below its header.
pub fn render_piece(
    pieces: &Pieces,
    at: usize,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let width = usize::from(ctx.width);
    let body = RenderContext {
        width: ctx.width.saturating_sub(INDENT as u16 + 1).max(1),
        ..*ctx
    };
    let mut rendered = match pieces.iter().nth(at) {
        Some(Piece::Text(text)) => {
            markdown::render_whole(first_bytes(text.trim(), MAX_PROSE), &body)
        }
        Some(Piece::Content(content)) => render_content(content, max_rows, &body),
        None => Rendered::default(),
    };
    let cut = rendered.rows.len().saturating_sub(max_rows);
    if cut > 1 {
        rendered.rows.truncate(max_rows);
        let more = format!("+{}", count(cut, "row"));
        let more = StyledLine::styled(&more, ctx.theme.dim);
        rendered
            .rows
            .push(more.truncate(usize::from(body.width), ctx.symbols.ellipsis));
    }
    let mut indent = StyledLine::new();
    indent.fill_to(INDENT, Style::new());
    for row in &mut rendered.rows {
        *row = prefixed(&indent, std::mem::take(row), width);
    }
    rendered
}
