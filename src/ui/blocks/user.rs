//! The person's messages: as written, on a band with a bar.

use ratatui::style::Style;

use super::{
    BlockView, CutText, Detail, Frame, Part, Source,
    content::{named_image, render_content},
    quoted,
    rows::{FULL_ROWS, dim, narrowed},
};
use crate::{
    model::ImageData,
    session::{Steered, UserMessage},
    text::SafeText,
    ui::render::{
        RenderContext, Rendered, Row,
        excerpt::{Excerpt, Keep},
        line::{StyledLine, Wrapping, pad, prefixed},
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
        let found = frame.found.filter(|_| part.detail == Detail::Full);
        render_user(self, room, found, &frame.ctx)
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
        (self.text.len() / width + 1).min(SHORT_ROWS)
    }

    fn images(&self) -> Vec<(SafeText, ImageData)> {
        self.attached.iter().filter_map(named_image).collect()
    }

    fn stands_apart(&self) -> bool {
        true
    }
}

/// The message on its band: at most `max_rows` rows and a count of the rest. `found`: the line that find
/// is at.
pub(super) fn render_user(
    message: &UserMessage,
    max_rows: usize,
    found: Option<usize>,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let theme = ctx.theme;
    // As wide as the answer.
    let width = usize::from(ctx.prose_width());
    let bar = StyledLine::styled(ctx.symbols.bar, theme.user).with(" ", Style::new());
    let measure = RenderContext {
        width: ctx.prose_width(),
        ..*ctx
    };
    let within = narrowed(bar.width(), &measure);
    let room = usize::from(within.width);
    let excerpt = Excerpt {
        keep: Keep::Head,
        max_rows,
        wrapping: Wrapping::Words,
        style: if message.refused {
            theme.dim
        } else {
            theme.text
        },
    };
    let mut rows = excerpt.rows_with(found, message.text.trim_end(), room, &within);
    let mut provisional = false;
    for attached in message.attached.iter().take(MAX_LISTED) {
        let rendered = render_content(attached, 1, &within);
        provisional |= rendered.provisional;
        rows.extend(rendered.rows);
    }
    if message.attached.len() > MAX_LISTED {
        let more = message.attached.len() - MAX_LISTED;
        rows.push(dim(&format!("+{more} more"), &within));
    }
    if message.refused {
        let mut said = StyledLine::styled(ctx.symbols.failed, theme.error);
        said.push(" refused", theme.error);
        rows.push(said.truncate(room, ctx.symbols.ellipsis));
    }
    if let Some(how) = message.steered {
        rows.push(steered_row(how, ctx).truncate(room, ctx.symbols.ellipsis));
    }
    for row in &mut rows {
        *row = prefixed(&bar, std::mem::take(row), width);
        lay_band(row, width, theme.band);
    }
    Rendered { rows, provisional }
}

/// Told from a prompt: the turn went on with it.
fn steered_row(how: Steered, ctx: &RenderContext<'_>) -> StyledLine {
    let (word, behind) = match how {
        Steered::Given => ("steering", ""),
        Steered::Waiting => ("steered", " · read after your answer"),
        Steered::Taken => ("steered", ""),
    };
    let behind = behind.replace('·', ctx.symbols.separator);
    StyledLine::styled(&format!("{} {word}", ctx.symbols.steered), ctx.theme.accent)
        .with(&behind, ctx.theme.dim)
}

/// The band behind a row. Without one nothing is filled up: blanks would be copied.
fn lay_band(row: &mut Row, width: usize, band: Style) {
    if band.bg.is_none() {
        return;
    }
    for span in &mut row.line.spans {
        span.style = band.patch(span.style);
    }
    pad(row, width, band);
}
