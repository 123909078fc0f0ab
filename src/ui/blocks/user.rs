//! The person's messages: in a box, as written.

use ratatui::style::Style;

use super::{
    BlockView, CutText, Detail, Frame, Part, Source, content::render_content, quoted,
    rows::FULL_ROWS,
};
use crate::{
    session::UserMessage,
    text::SafeText,
    ui::render::{
        RenderContext, Rendered, Row,
        excerpt::{Excerpt, Keep},
        frame::{Corners, boxed, inner_width},
        line::{StyledLine, Wrapping},
    },
};

/// Rows of a folded message.
const SHORT_ROWS: usize = 12;

/// Pictures and sounds that have a row each.
const MAX_LISTED: usize = 20;

impl BlockView for UserMessage {
    fn name(&self) -> &'static str {
        "a message of yours"
    }

    fn title(&self, _: &Source<'_>) -> SafeText {
        "you".into()
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let room = match part.detail {
            Detail::Full => FULL_ROWS,
            _ => SHORT_ROWS,
        };
        render_user(self, room, &frame.ctx).into()
    }

    fn text(&self, _: &Source<'_>) -> String {
        self.text.to_string()
    }

    fn paged_text(&self, _: &Source<'_>) -> Option<String> {
        Some(quoted(&self.text, "> "))
    }

    fn next_detail(&self, now: Detail) -> Detail {
        now.short_or_full()
    }

    fn estimate(&self, _: usize, _: &CutText, width: usize) -> usize {
        2 + (self.text.len() / width + 1).min(SHORT_ROWS)
    }

    fn stands_apart(&self) -> bool {
        true
    }
}

/// The message in its box: at most `max_rows` rows and a count of the rest.
pub(super) fn render_user(
    message: &UserMessage,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    // As wide as the answer.
    let ctx = &RenderContext {
        width: ctx.prose_width(),
        ..*ctx
    };
    let style = if message.refused {
        ctx.theme.dim
    } else {
        Style::new()
    };
    let excerpt = Excerpt {
        keep: Keep::Head,
        max_rows,
        wrapping: Wrapping::Words,
        style,
    };
    let mut rows = excerpt.rows(message.text.trim_end(), inner_width(ctx), ctx);
    let within = RenderContext {
        width: u16::try_from(inner_width(ctx)).unwrap_or(ctx.width),
        ..*ctx
    };
    for attached in message.attached.iter().take(MAX_LISTED) {
        rows.extend(render_content(attached, 1, &within).rows);
    }
    if message.attached.len() > MAX_LISTED {
        let text = format!("+{} more", message.attached.len() - MAX_LISTED);
        let line = StyledLine::styled(&text, ctx.theme.dim);
        rows.push(line.truncate(inner_width(ctx), ctx.symbols.ellipsis));
    }
    let mut title = StyledLine::styled("you", ctx.theme.user.patch(ctx.theme.strong));
    if message.refused {
        title.push(" ", Style::new());
        title.push(ctx.symbols.separator, ctx.theme.dim);
        title.push(" refused", ctx.theme.error);
    }
    boxed(&title, rows, ctx.theme.user, Corners::Round, ctx)
}
