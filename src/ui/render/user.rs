//! What the person said: in a box, as written.

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    excerpt::{Excerpt, Keep},
    frame::{Corners, boxed, inner_width},
    line::{StyledLine, Wrapping},
};
use crate::session::UserMessage;

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
    let rows = excerpt.rows(message.text.trim_end(), inner_width(ctx), ctx);
    let mut title = StyledLine::styled("you", ctx.theme.user.patch(ctx.theme.strong));
    if message.refused {
        title.push(" ", Style::new());
        title.push(ctx.symbols.separator, ctx.theme.dim);
        title.push(" refused", ctx.theme.error);
    }
    boxed(&title, rows, ctx.theme.user, Corners::Round, ctx)
}
