//! Compactions of the context: one row that says how it stands; the summary on demand.

use ratatui::style::Style;

use super::{
    BlockView, Detail, Frame, Part, Source,
    content::{PIECE_INDENT, piece_lines, pieces_text, render_piece},
    rows::{FULL_ROWS, fold_sign},
};
use crate::{
    config::Thoughts,
    model::CompactionStatus,
    session::Compaction,
    text::SafeText,
    ui::render::{
        RenderContext, Rendered, Row,
        format::{count, elapsed},
        line::{StyledLine, Wrapping, spread},
    },
};

impl BlockView for Compaction {
    fn name(&self) -> &'static str {
        "a compaction"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let full = part.detail == Detail::Full;
        match part.segment.checked_sub(1) {
            None => render_header(self, full, frame.spinner(), &frame.ctx).into(),
            Some(piece) => render_piece(&self.summary, piece, FULL_ROWS, &frame.ctx),
        }
    }

    fn text(&self, _: &Source<'_>) -> String {
        let status = match &self.status {
            CompactionStatus::InProgress => "in progress",
            CompactionStatus::Completed => "done",
            CompactionStatus::Failed => "failed",
            CompactionStatus::Cancelled => "cancelled",
            CompactionStatus::Unknown(status) => status,
        };
        let mut out = format!("[context compaction: {status}]");
        if let Some(error) = &self.error {
            out.push_str(&format!("\n{error}"));
        }
        if !self.summary.is_empty() {
            out.push_str(&format!("\n{}", pieces_text(&self.summary)));
        }
        out
    }

    fn usual_detail(&self, _: Thoughts, _: &Source<'_>) -> Detail {
        Detail::Header
    }

    fn segments(&self, detail: Detail, _: &Source<'_>) -> usize {
        match detail {
            Detail::Full => 1 + self.summary.len(),
            _ => 1,
        }
    }

    fn moves(&self, segment: usize, _: &Source<'_>) -> bool {
        segment == 0 && self.is_open()
    }
}

/// `✓ context compacted · 14 lines ▸`, or with the spinner while it is done; what went wrong
/// stands whole below.
fn render_header(
    compaction: &Compaction,
    unfolded: bool,
    spinner: Option<&str>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let still = symbols.spinner.first().copied().unwrap_or(symbols.pending);
    let (sign, sign_style, text) = match &compaction.status {
        CompactionStatus::InProgress if compaction.abandoned => {
            (symbols.ended, theme.dim, "compaction ended".into())
        }
        CompactionStatus::InProgress => (
            spinner.unwrap_or(still),
            theme.accent,
            "compacting the context".into(),
        ),
        CompactionStatus::Completed => (symbols.done, theme.success, "context compacted".into()),
        CompactionStatus::Failed => (symbols.failed, theme.error, "compaction failed".into()),
        CompactionStatus::Cancelled => (
            symbols.cancelled,
            theme.warning,
            "compaction cancelled".into(),
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
        let lines = count(piece_lines(&compaction.summary).max(1), "line");
        let text = format!(" {} summary of {lines}", symbols.separator);
        left.push(&text, theme.dim);
        left.push(&format!(" {}", fold_sign(unfolded, ctx)), theme.dim);
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
        let indent = StyledLine::blanks(PIECE_INDENT);
        for line in StyledLine::lines(error.trim(), theme.error) {
            rows.extend(line.wrap_with(Wrapping::Words, width, &indent, &indent));
        }
    }
    rows
}
