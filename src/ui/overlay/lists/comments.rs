//! All comments of a review: where they stand, what they quote and say.

use crossterm::event::KeyCode;

use crate::{
    text::SafeText,
    ui::{
        action::Action,
        comments::{CommentRow, CommentWish},
        keymap::Chord,
        overlay::{Outcome, OverlayContext, Wish, panel::Panel},
        render::{Row, line::StyledLine},
    },
};

use super::{Contents, FilterList, ListDialog, ListRow};

pub struct CommentList {
    comments: Vec<CommentRow>,
    /// Something was typed to filter by: letters are text of it.
    narrowed: bool,
}

impl CommentList {
    pub fn dialog(comments: Vec<CommentRow>) -> ListDialog<Self> {
        ListDialog::new(Self {
            comments,
            narrowed: false,
        })
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
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "go there"), (Action::Stop, "back")];
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

    fn panel(&self, list: &FilterList<u64>, _: u16, cx: &OverlayContext<'_>) -> Panel {
        let mut panel = Panel::opened(Self::TITLE, Self::HINTS, cx);
        let remove = if list.is_narrowed() { "delete" } else { "d" };
        panel.hints.insert(1, (remove.into(), "remove"));
        if !list.is_narrowed() {
            panel.hints.insert(2, ("S".into(), "send all"));
        }
        panel
    }

    fn typed(&mut self, typed: &str, _cx: &OverlayContext<'_>) -> Option<crate::ui::UiCommand> {
        self.narrowed = !typed.is_empty();
        None
    }

    fn key(&mut self, key: Chord, at: Option<&u64>, _: &OverlayContext<'_>) -> Option<Outcome> {
        let letter = |c| key.is_text() && key.code() == KeyCode::Char(c) && !self.narrowed;
        if letter('S') {
            return Some(Outcome::close().with(Wish::Comment(CommentWish::Send)));
        }
        if !letter('d') && key.code() != KeyCode::Delete {
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
