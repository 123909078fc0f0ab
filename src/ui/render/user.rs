//! What the person said: in a box, as written.

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    content::render_content,
    excerpt::{Excerpt, Keep},
    frame::{Corners, boxed, inner_width},
    line::{StyledLine, Wrapping},
};
use crate::session::UserMessage;

/// Pictures and sounds with a row of their own.
const MAX_LISTED: usize = 20;

/// The message in its box; of a long one `max_rows` rows and the count of the rest.
pub fn render_user(message: &UserMessage, max_rows: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
    // At the width of what answers it.
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
