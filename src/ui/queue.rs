//! Queued prompts, as lines above the composer.

use crate::{
    session::Session,
    text::{SafeText, first_bytes},
    ui::{
        action::Action,
        keymap::Keymap,
        render::{
            RenderContext, Row,
            format::count,
            line::{StyledLine, push_hint, spread},
        },
    },
};

/// Prompts with a row of their own.
const SHOWN: usize = 3;

/// Cells of a prompt that can be of use in one row.
const LINE_BYTES: usize = 1_000;

/// One row for each of the first prompts, at most `max` with the row of those that have none, and how
/// many these are.
pub fn rows(
    session: &Session,
    keymap: &Keymap,
    max: usize,
    ctx: &RenderContext<'_>,
) -> (Vec<Row>, usize) {
    let theme = ctx.theme;
    let width = usize::from(ctx.width);
    let queued = session.queue.len();
    let shown = match max {
        0 => 0,
        _ if queued <= max.min(SHOWN) => queued,
        _ => (max - 1).min(SHOWN),
    };
    let mut rows = Vec::with_capacity(shown);
    for (n, prompt) in session.queue.iter().take(shown).enumerate() {
        let (word, style) = match session.queue_held {
            true => ("  held ", theme.warning),
            false => ("  queued ", theme.dim),
        };
        let text = prompt.shown_text();
        let text = SafeText::line(first_bytes(text.trim(), LINE_BYTES));
        let line = StyledLine::styled(word, style)
            .with(&(n + 1).to_string(), theme.accent)
            .with(": ", theme.dim)
            .with(&text, theme.text);
        let hint = match n {
            0 => hint(session, keymap, ctx),
            _ => StyledLine::new(),
        };
        let room = width.saturating_sub(1);
        rows.push(spread(&line, &hint, room, ctx.symbols.ellipsis));
    }
    (rows, queued - shown)
}

/// The count of prompts without a row, where no row above tells it.
pub fn more_row(more: usize, ctx: &RenderContext<'_>) -> Option<Row> {
    let text = format!("  +{} queued", count(more, "prompt"));
    let line = StyledLine::styled(&text, ctx.theme.dim);
    (more > 0).then(|| line.truncate(ctx.width.into(), ctx.symbols.ellipsis))
}

/// What keys do with the queue now, as far as the prompt keeps most of the row.
fn hint(session: &Session, keymap: &Keymap, ctx: &RenderContext<'_>) -> StyledLine {
    let theme = ctx.theme;
    let mut line = StyledLine::new();
    let mut push = |action, what: &str| {
        let key = keymap.hint(action);
        let mut more = line.clone();
        push_hint(&mut more, (&key, what), theme.dim, (theme, ctx.symbols));
        if !key.is_empty() && more.width() <= usize::from(ctx.width) / 2 {
            line = more;
        }
    };
    // With an open turn enter would have to stop it first.
    let by_enter = session.queue_held && session.turn.is_none();
    if by_enter {
        push(Action::Send, "sends");
    }
    push(Action::TakeBack, "edits");
    if !by_enter {
        push(Action::SendNow, "sends now");
    }
    line
}
