//! Messages between sessions.

use ratatui::style::Style;

use super::EntityView;
use crate::{
    model::{Entity, SessionId, SessionMessage},
    ui::{
        blocks::{Frame, Source, rows::fold_sign, subagent::session_name},
        render::{Row, line::StyledLine},
    },
};

/// Rows of each piece of a folded message.
const SHORT_ROWS: usize = 6;

impl EntityView for SessionMessage {
    fn name(&self) -> &'static str {
        "a message between sessions"
    }

    fn header(&self, _: &Entity, unfolded: bool, frame: &Frame<'_>) -> Vec<Row> {
        vec![header(self, unfolded, frame)]
    }

    fn header_text(&self, source: &Source<'_>) -> String {
        let name = |id: &Option<SessionId>| match id {
            Some(id) => session_name(id, source).to_string(),
            None => "?".to_owned(),
        };
        let (from, to) = (name(&self.sender), name(&self.recipient));
        format!("[message from {from} to {to}]")
    }

    fn short_rows(&self) -> usize {
        SHORT_ROWS
    }
}

/// `• message to Explore the tests`.
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
