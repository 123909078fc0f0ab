//! Compactions of the context: one row with the state; the summary is folded.

use ratatui::style::Style;

use super::EntityView;
use crate::{
    model::{Compaction, CompactionStatus, Entity},
    text::SafeText,
    ui::{
        blocks::{
            Frame, Source,
            content::{PIECE_INDENT, piece_lines},
            rows::fold_sign,
        },
        render::{
            RenderContext, Row,
            format::{count, elapsed, elapsed_seconds},
            line::{StyledLine, Wrapping, spread},
        },
    },
};

impl EntityView for Compaction {
    fn name(&self) -> &'static str {
        "a compaction"
    }

    fn header(&self, entity: &Entity, unfolded: bool, frame: &Frame<'_>) -> Vec<Row> {
        render_header(self, entity, unfolded, frame.spinner(), &frame.ctx)
    }

    fn header_text(&self, _: &Source<'_>) -> String {
        let status = match &self.status {
            CompactionStatus::InProgress => "in progress",
            CompactionStatus::Completed => "done",
            CompactionStatus::Failed => "failed",
            CompactionStatus::Cancelled => "cancelled",
            CompactionStatus::Unknown(status) => status,
        };
        let header = format!("[context compaction: {status}]");
        match &self.error {
            Some(error) => format!("{header}\n{error}"),
            None => header,
        }
    }
}

/// `✓ context compacted · 14 lines ▸`, or with the spinner while it is done; what went wrong
/// stands whole below.
fn render_header(
    compaction: &Compaction,
    entity: &Entity,
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
    if !entity.content.is_empty() {
        let lines = count(piece_lines(&entity.content).max(1), "line");
        let text = format!(" {} summary of {lines}", symbols.separator);
        left.push(&text, theme.dim);
        left.push(&format!(" {}", fold_sign(unfolded, ctx)), theme.dim);
    }
    let so_far = ctx.now.saturating_duration_since(entity.started);
    let time = match entity.took {
        Some(took) if took.as_millis() >= 100 => elapsed(took),
        // Without motion no time counts up.
        None if entity.kind.is_open() && spinner.is_some() => elapsed_seconds(so_far),
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
