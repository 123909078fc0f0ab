//! Notices of this client.

use std::borrow::Cow;

use ratatui::style::Style;

use super::{
    BlockView, Detail, Frame, Part, Source,
    rows::{FULL_ROWS, fold_sign, indent},
};
use crate::{
    config::Thoughts,
    session::{Notice, NoticeLevel},
    text::SafeText,
    ui::render::{
        RenderContext, Rendered, Row,
        excerpt::{Excerpt, Keep},
        line::{StyledLine, Wrapping},
    },
};

/// Rows of what an agent said when it failed: on a screen of 12 rows they must leave room for the error.
/// The rest is unfolded by a key.
const SHORT_ROWS: usize = 4;

impl BlockView for Notice {
    fn name(&self) -> &'static str {
        "a notice"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let room = match part.detail {
            Detail::Full => FULL_ROWS,
            _ => SHORT_ROWS,
        };
        let detail = part.detail != Detail::Header;
        render_notice(self, detail, room, &frame.ctx).into()
    }

    fn text(&self, _: &Source<'_>) -> String {
        match &self.detail {
            Some(detail) => format!("{}\n{detail}", self.text),
            None => self.text.to_string(),
        }
    }

    fn usual_detail(&self, _: Thoughts, _: &Source<'_>) -> Detail {
        match self.level {
            // A failed agent's output is needed at once; of an error's data, the text tells what matters.
            NoticeLevel::Error if !self.is_data() => Detail::Short,
            _ => Detail::Header,
        }
    }

    fn has_body(&self, detail: Detail, _: &Source<'_>) -> bool {
        detail != Detail::Header && self.detail.is_some()
    }
}

impl Notice {
    /// Its detail is JSON.
    fn is_data(&self) -> bool {
        let detail = self.detail.as_ref().filter(|_| !self.last_words);
        detail.is_some_and(|detail| detail.trim_start().starts_with(['{', '[']))
    }
}

/// Its text; signs in a row of our own as the others on the screen.
fn in_symbols<'n>(notice: &'n Notice, ctx: &RenderContext<'_>) -> Cow<'n, SafeText> {
    if notice.level != NoticeLevel::Quiet || !ctx.symbols.ascii {
        return Cow::Borrowed(&notice.text);
    }
    let text = notice.text.replace(" · ", " | ").replace(" −", " -");
    Cow::Owned(SafeText::new(&text))
}

/// The notice with a sign for its level; `detail`: and at most `max_rows` rows of its detail.
pub(super) fn render_notice(
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
    let rest = StyledLine::blanks(first.width());

    let mut rows = Vec::new();
    let text = in_symbols(notice, ctx);
    for (n, mut line) in StyledLine::lines(text.trim_end(), style).enumerate() {
        let prefix = if n == 0 { &first } else { &rest };
        if n == 0 && notice.detail.is_some() {
            line.push(" ", style);
            line.push(fold_sign(detail, ctx), theme.dim);
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
        let mut below = excerpt.rows(text, room, ctx);
        indent(&mut below, rest.width(), ctx);
        rows.extend(below);
    }
    rows
}
