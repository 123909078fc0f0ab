//! What sessions write to each other.

use ratatui::style::Style;

use super::{
    BlockView, Detail, Frame, Part, Source,
    content::{pieces_text, render_piece},
    rows::{FULL_ROWS, fold_sign},
    subagent::session_name,
};
use crate::{
    model::SessionId,
    session::SessionMessage,
    ui::render::{Rendered, Row, line::StyledLine},
};

/// Rows of each piece that are shown unless it is unfolded.
const SHORT_ROWS: usize = 6;

impl BlockView for SessionMessage {
    fn name(&self) -> &'static str {
        "a message between sessions"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let room = match part.detail {
            Detail::Full => FULL_ROWS,
            _ => SHORT_ROWS,
        };
        match part.segment.checked_sub(1) {
            None => vec![header(self, part.detail != Detail::Header, frame)].into(),
            Some(piece) => render_piece(&self.content, piece, room, &frame.ctx),
        }
    }

    fn text(&self, source: &Source<'_>) -> String {
        let name = |id: &Option<SessionId>| match id {
            Some(id) => session_name(id, source).to_string(),
            None => "?".to_owned(),
        };
        let (from, to) = (name(&self.sender), name(&self.recipient));
        let text = pieces_text(&self.content);
        format!("[message from {from} to {to}]\n{text}")
    }

    fn segments(&self, detail: Detail, _: &Source<'_>) -> usize {
        match detail {
            Detail::Header => 1,
            _ => 1 + self.content.len(),
        }
    }
}

/// `• to Explore the tests`, above what was written.
fn header(message: &SessionMessage, unfolded: bool, frame: &Frame<'_>) -> Row {
    let (ctx, here) = (&frame.ctx, frame.source.here);
    let theme = ctx.theme;
    let name = |id: &SessionId| session_name(id, &frame.source);
    let from = message.sender.as_ref().filter(|id| Some(*id) != here);
    let to = message.recipient.as_ref().filter(|id| Some(*id) != here);
    let mut line = StyledLine::styled("  ", Style::new());
    line.push(ctx.symbols.bullet, theme.accent);
    line.push(" ", Style::new());
    line.push("message", theme.strong);
    for (word, id) in [(" from ", from), (" to ", to)] {
        if let Some(id) = id {
            line.push(word, theme.strong);
            line.push(&name(id), theme.text);
        }
    }
    line.push(&format!(" {}", fold_sign(unfolded, ctx)), theme.dim);
    line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis)
}
