//! The last exchange of the session that is selected in a list.

use crate::{
    session::{BlockKind, Session},
    text::{SafeText, first_bytes},
    ui::{
        Exchange,
        overlay::OverlayContext,
        render::{
            Row,
            line::{StyledLine, Wrapping},
        },
    },
};

/// Bytes of each text that are laid out: more than the room ever holds.
pub const MAX_TEXT: usize = 2 << 10;

/// Blocks that are looked at, from the last one back.
const MAX_BLOCKS: usize = 200;

/// The last of a session that is open.
pub fn last_exchange(session: &Session) -> Exchange {
    let mut exchange = Exchange::default();
    for block in session
        .conversation
        .transcript
        .blocks()
        .iter()
        .rev()
        .take(MAX_BLOCKS)
    {
        match &block.kind {
            BlockKind::Agent(said) if exchange.answered.is_none() => {
                exchange.answered = Some(bounded(said.text.as_str()));
            }
            BlockKind::User(said) => {
                exchange.asked = Some(bounded(&said.text));
                break;
            }
            _ => {}
        }
    }
    exchange
}

fn bounded(text: &str) -> SafeText {
    SafeText::new(first_bytes(text, MAX_TEXT))
}

/// Rows of it, `height` at most; before them where what was typed stands in the text.
pub fn rows(
    exchange: &Exchange,
    found: Option<&SafeText>,
    (width, height): (usize, usize),
    cx: &OverlayContext<'_>,
) -> Vec<Row> {
    let theme = cx.theme;
    let mut rows = Vec::new();
    if let Some(found) = found {
        let mut line = StyledLine::styled("found: ", theme.dim);
        line.push(found, theme.text);
        rows.extend(line.wrap(width).into_iter().take(height.div_ceil(3)));
    }
    if let Some(asked) = &exchange.asked {
        let bar = StyledLine::styled(cx.symbols.bar, theme.user).with(" ", theme.text);
        let asked = lines(asked).flat_map(|line| {
            StyledLine::styled(line, theme.text).wrap_behind(&bar, Wrapping::Words, width)
        });
        rows.extend(asked.take(height.div_ceil(3)));
    }
    if let Some(answered) = &exchange.answered {
        let room = height.saturating_sub(rows.len());
        let answered =
            lines(answered).flat_map(|line| StyledLine::styled(line, theme.dim).wrap(width));
        rows.extend(answered.take(room));
    }
    rows.truncate(height);
    rows
}

fn lines(text: &SafeText) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}
