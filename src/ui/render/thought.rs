//! Thoughts: one line when they are over, the last rows while they come in.

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    excerpt::{Excerpt, Keep, line_count},
    format::{count, elapsed, elapsed_seconds},
    line::{StyledLine, Wrapping, prefixed},
};
use crate::{session::Thought, text::last_bytes};

/// Rows of a thought that are shown while it comes in.
const LIVE_ROWS: usize = 4;

/// Bytes from the end of a thought that are looked at for them.
const LIVE_BYTES: usize = 4 << 10;

/// `▸ thought · 14 lines · 3.2s`, or with the spinner while it comes in. `unfolded` says what is
/// drawn below.
pub fn render_thought_header(
    thought: &Thought,
    unfolded: bool,
    spinner: Option<&str>,
    ctx: &RenderContext<'_>,
) -> Row {
    let symbols = ctx.symbols;
    let style = ctx.theme.dim;
    let mut line = StyledLine::styled("  ", style);
    let open = thought.took.is_none();
    let sign = match spinner {
        Some(frame) if open => frame,
        _ if unfolded => symbols.unfolded,
        _ => symbols.folded,
    };
    line.push(sign, if open { ctx.theme.accent } else { style });
    let mut parts = vec![if open { "thinking" } else { "thought" }.to_owned()];
    match thought.took {
        Some(took) => {
            parts.push(count(line_count(thought.text.trim()), "line"));
            // Of a replayed one nobody knows.
            if took.as_millis() >= 100 {
                parts.push(elapsed(took));
            }
        }
        // Without motion nothing counts up.
        None if spinner.is_some() => {
            let so_far = ctx.now.saturating_duration_since(thought.started);
            if so_far.as_secs() > 0 {
                parts.push(elapsed_seconds(so_far));
            }
        }
        None => {}
    }
    line.push(" ", style);
    line.push(&parts.join(&format!(" {} ", symbols.separator)), style);
    line.truncate(usize::from(ctx.width), symbols.ellipsis)
}

/// The last rows of a thought that is coming in. The cost does not grow with the thought.
pub fn render_thought_tail(thought: &Thought, ctx: &RenderContext<'_>) -> Vec<Row> {
    let tail = last_bytes(thought.text.trim(), LIVE_BYTES);
    let excerpt = Excerpt {
        keep: Keep::Tail,
        max_rows: LIVE_ROWS,
        wrapping: Wrapping::Words,
        style: ctx.theme.thought,
    };
    let mut indent = StyledLine::new();
    indent.fill_to(4, Style::new());
    let room = usize::from(ctx.width).saturating_sub(5).max(1);
    let mut rows = excerpt.rows(tail, room, ctx);
    // What was said before is told by the header's growing time, not by a count that races.
    if rows.len() > LIVE_ROWS {
        rows.remove(0);
    }
    let width = usize::from(ctx.width);
    rows.into_iter()
        .map(|row| prefixed(&indent, row, width))
        .collect()
}
