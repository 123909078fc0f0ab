//! Keys that wait for the next one: a sequence of `[keys]` was begun. A box tells what may follow; a key
//! that leads nowhere, or esc, leaves.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Clear, Widget},
};

use crate::{
    text::{SafeText, cell_width},
    ui::{
        Ui, UiContext,
        action::Context,
        keymap::{Chord, Follows},
        render::{Row, draw_rows, line::StyledLine, split_bottom},
    },
};

/// Rows of the box, its title included.
const MAX_ROWS: u16 = 12;

/// What was pressed so far, and where that counts.
#[derive(Default)]
pub(super) struct Pending {
    keys: Vec<Chord>,
    contexts: &'static [Context],
}

impl Pending {
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.keys.iter().map(ToString::to_string).collect();
        names.join(" ")
    }
}

impl Ui {
    /// Takes a key that goes on with a sequence, or begins one that counts in `contexts`.
    pub(super) fn sequence_key(
        &mut self,
        chord: Chord,
        contexts: &'static [Context],
        cx: &UiContext<'_>,
    ) -> bool {
        let begun = !self.pending.is_empty();
        let esc = Chord::from(KeyEvent::from(KeyCode::Esc));
        if begun && chord == esc {
            self.pending = Pending::default();
            return true;
        }
        let mut pending = std::mem::take(&mut self.pending);
        if !begun {
            pending.contexts = contexts;
        }
        pending.keys.push(chord);
        let following = self.look.keymap.following(&pending.keys, pending.contexts);
        let complete = following.iter().find(|follows| follows.rest.is_empty());
        if let Some(action) = complete.map(|follows| follows.action) {
            self.act(action, cx);
        } else if !following.is_empty() {
            self.pending = pending;
        } else if begun {
            let text = format!("{} is no key", pending.names());
            self.moment.say(SafeText::line(&text));
        } else {
            return false;
        }
        true
    }

    /// Something else has the keys: what was begun is forgotten.
    pub(super) fn forget_sequence(&mut self) {
        self.pending = Pending::default();
    }

    /// What may follow, at the bottom of `above`.
    pub(super) fn draw_pending(&self, above: Rect, buf: &mut Buffer, cx: &UiContext<'_>) {
        if self.pending.is_empty() || above.is_empty() {
            return;
        }
        let pending = &self.pending;
        let follows = self.look.keymap.following(&pending.keys, pending.contexts);
        let ctx = self.look.render(above.width, cx.now);
        let (theme, rule) = (ctx.theme, ctx.symbols.rule);
        let width = usize::from(above.width);
        let mut title = StyledLine::styled(&format!("{rule}{rule} "), theme.border);
        title.push(&pending.names(), theme.key_hint);
        title.push(&format!(" {} ", ctx.symbols.ellipsis), theme.border);
        title.push(
            &rule.repeat(width.saturating_sub(title.width())),
            theme.border,
        );
        let names: Vec<(String, &Follows<'_>)> = follows
            .iter()
            .map(|one| {
                let names: Vec<String> = one.rest.iter().map(ToString::to_string).collect();
                (names.join(" "), one)
            })
            .collect();
        let column = names
            .iter()
            .map(|(name, _)| cell_width(name))
            .max()
            .unwrap_or(0);
        let mut rows: Vec<Row> = vec![title.truncate(width, ctx.symbols.ellipsis)];
        rows.extend(names.iter().map(|(name, one)| {
            let mut line = StyledLine::styled("  ", theme.text);
            line.push(name, theme.key_hint);
            line.fill_to(2 + column + 2, theme.text);
            line.push(one.action.info().doc, theme.text);
            line.truncate(width, ctx.symbols.ellipsis)
        }));
        let height = u16::try_from(rows.len()).unwrap_or(MAX_ROWS).min(MAX_ROWS);
        let (_, area) = split_bottom(above, height.min(above.height));
        Clear.render(area, buf);
        draw_rows(&rows, area, buf);
    }
}
