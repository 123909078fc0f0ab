//! Lines of the client's own.

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    excerpt::{Excerpt, Keep},
    line::{StyledLine, Wrapping, prefixed},
};
use crate::session::{Notice, NoticeLevel};

/// The notice, marked by its level; with its detail (up to `max_rows` rows) where that is unfolded.
pub fn render_notice(
    notice: &Notice,
    detail: bool,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let theme = ctx.theme;
    let (sign, sign_style, style) = match notice.level {
        NoticeLevel::Quiet => (ctx.symbols.separator, theme.dim, theme.dim),
        NoticeLevel::Info => (ctx.symbols.bullet, theme.accent, theme.text),
        NoticeLevel::Warning => ("!", theme.warning.patch(theme.strong), theme.warning),
        NoticeLevel::Error => (
            ctx.symbols.failed,
            theme.error.patch(theme.strong),
            theme.error,
        ),
    };
    let width = usize::from(ctx.width);
    let mut first = StyledLine::styled("  ", Style::new());
    first.push(sign, sign_style);
    first.push(" ", Style::new());
    let mut rest = StyledLine::new();
    rest.fill_to(first.width(), Style::new());

    let mut rows = Vec::new();
    for (n, mut line) in StyledLine::lines(notice.text.trim_end(), style).enumerate() {
        let prefix = if n == 0 { &first } else { &rest };
        if n == 0 && notice.detail.is_some() {
            let fold = if detail {
                ctx.symbols.unfolded
            } else {
                ctx.symbols.folded
            };
            line.push(" ", style);
            line.push(fold, theme.dim);
        }
        rows.extend(line.wrap_with(Wrapping::Words, width, prefix, &rest));
    }
    if let Some(text) = notice.detail.as_ref().filter(|_| detail) {
        let excerpt = Excerpt {
            keep: if notice.last_words {
                Keep::Tail
            } else {
                Keep::Head
            },
            max_rows,
            wrapping: Wrapping::Verbatim,
            style: theme.dim,
        };
        let room = width.saturating_sub(rest.width()).max(1);
        rows.extend(
            excerpt
                .rows(text, room, ctx)
                .into_iter()
                .map(|row| prefixed(&rest, row, width)),
        );
    }
    rows
}
