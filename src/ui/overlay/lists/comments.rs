//! All comments of a review: where they stand, what they quote and say.

use crossterm::event::KeyCode;

use crate::{
    text::SafeText,
    ui::{
        action::Action,
        comments::{CommentRow, CommentWish},
        keymap::Chord,
        overlay::{Outcome, OverlayContext, Wish},
        render::{Row, line::StyledLine},
    },
};

use super::{Contents, ListDialog, ListRow};

pub struct CommentList {
    comments: Vec<CommentRow>,
}

impl CommentList {
    pub fn dialog(comments: Vec<CommentRow>) -> ListDialog<Self> {
        ListDialog::new(Self { comments })
    }

    fn get(&self, id: u64) -> Option<&CommentRow> {
        self.comments.iter().find(|comment| comment.id == id)
    }
}

impl Contents for CommentList {
    type Id = u64;
    /// How many there are.
    type MadeFrom = usize;

    const TITLE: &'static str = "Comments";
    const HINTS: &'static [(Action, &'static str)] = &[
        (Action::Send, "go there"),
        (Action::ListRemove, "remove"),
        (Action::SendNow, "send all"),
        (Action::Stop, "back"),
    ];
    const PREVIEWS: bool = true;

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<usize> {
        Some(self.comments.len())
    }

    fn rows(&self, _: &usize, cx: &OverlayContext<'_>) -> Vec<ListRow<u64>> {
        let row = |comment: &CommentRow| {
            let mut label = StyledLine::styled(&comment.place, cx.theme.text);
            label.push("  ", cx.theme.text);
            let first = comment.text.lines().next().unwrap_or_default();
            label.push(&SafeText::line(first), cx.theme.dim);
            let note = match comment.stale {
                true => StyledLine::styled("stale", cx.theme.warning),
                false => StyledLine::new(),
            };
            ListRow::new(comment.id, label).with_note(note)
        };
        self.comments.iter().map(row).collect()
    }

    /// Letters are what is filtered by.
    fn key(&mut self, key: Chord, at: Option<&u64>, cx: &OverlayContext<'_>) -> Option<Outcome> {
        if cx.keymap.chords(Action::SendNow).contains(&key) {
            return Some(Outcome::close().with(Wish::Comment(CommentWish::Send)));
        }
        let removes = cx.keymap.chords(Action::ListRemove).contains(&key);
        if !removes && key.code() != KeyCode::Delete {
            return None;
        }
        let id = *at?;
        self.comments.retain(|comment| comment.id != id);
        let outcome = match self.comments.is_empty() {
            true => Outcome::close(),
            false => Outcome::taken(),
        };
        Some(outcome.with(Wish::Comment(CommentWish::Remove(id))))
    }

    fn choose(&mut self, id: u64, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().with(Wish::Comment(CommentWish::GoTo(id)))
    }

    fn preview_of(
        &self,
        id: &u64,
        (width, height): (usize, usize),
        cx: &OverlayContext<'_>,
    ) -> Vec<Row> {
        let Some(comment) = self.get(*id) else {
            return Vec::new();
        };
        let theme = cx.theme;
        let mut bar = StyledLine::styled(cx.symbols.quote, theme.border);
        bar.push(" ", theme.text);
        let text: Vec<Row> = StyledLine::lines(&comment.text, theme.text)
            .flat_map(|line| line.wrap(width))
            .collect();
        // The text is what it is about; the quote has what is left of the room, a row at least.
        let quoted = height.saturating_sub(text.len()).max(1);
        let quote = comment.quote.iter().take(quoted).map(|line| {
            let mut row = bar.clone();
            row.push(line, theme.dim);
            row.truncate(width, cx.symbols.ellipsis)
        });
        let mut rows: Vec<Row> = quote.chain(text).collect();
        rows.truncate(height);
        rows
    }
}
