//! Dialogs that are a list narrowed by typing.
//!
//! [`ListDialog`] is all of them: its filter line, rows, selection, paging, frame and keys are here and
//! in [`FilterList`]. What one lists and what its own keys do is a [`Contents`]: a file here, with a
//! line in [`opened_by`] if an action opens it.

mod agents;
mod comments;
mod copy;
mod filter_list;
mod options;
mod palette;
mod past;
mod plan;
mod preview;
mod providers;
mod refused;
mod resend;
mod said;
mod scopes;
mod sessions;
mod themes;
mod worktree;

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    config::ThemeChoice,
    model::category,
    ui::{
        UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{
            Outcome, Overlay, OverlayContext, Room, Wish,
            panel::{Frame, Panel, to_rows},
        },
        pointer::Pointer,
        render::{Row, draw_rows, line::StyledLine, split_bottom},
        theme::ThemeId,
    },
};

use filter_list::{FilterList, ListRow, Listed};

pub use agents::AgentPicker;
pub use comments::CommentList;
pub use copy::{CopyPicker, ask_replace};
#[cfg(test)]
pub use options::Options;
pub use palette::palette;
pub use past::PastSessions;
pub use plan::PlanList;
pub use refused::Refused;
pub use resend::Resend;
pub use scopes::Scopes;
pub use themes::ThemeList;
pub use worktree::WorktreeEnds;

/// Rows of the list, its filter included, that nothing below it may take.
const LIST_AT_LEAST: u16 = 3;

/// Columns of a list from which its preview stands beside it, and the rows that it has there at least.
const BESIDE_WIDTH: usize = 104;
const BESIDE_ROWS: usize = 12;

/// Rows of a preview below its list, with a blank one above.
const BELOW_ROWS: usize = 5;

fn is_beside<C: Contents>(width: usize) -> bool {
    C::PREVIEWS && width >= BESIDE_WIDTH
}

/// The list that an action opens, and what is asked for with it; `None`: it opens none.
pub fn opened_by(action: Action, cx: &OverlayContext<'_>) -> Option<Outcome> {
    Some(match action {
        Action::ChooseAgent => agents::open(),
        Action::HandOver => agents::open_along(),
        Action::Mode => options::open_category(category::MODE, "modes", cx),
        Action::Model => options::open_category(category::MODEL, "models", cx),
        Action::Options => options::open(cx),
        Action::Providers => providers::open(cx),
        Action::Sessions => sessions::open(cx),
        Action::ThoughtLevel => {
            options::open_category(category::THOUGHT_LEVEL, "thought levels", cx)
        }
        _ => return None,
    })
}

fn open(contents: impl Contents + 'static) -> Outcome {
    Outcome::taken().with(Wish::Open(Box::new(ListDialog::new(contents))))
}

/// What a dialog lists, and what its keys do.
pub trait Contents {
    /// What a row stands for.
    type Id: Clone + PartialEq;

    /// What the rows are made from, besides theme and frame, which may change when the
    /// terminal answers or is resized: the rows are made again when it changes.
    type MadeFrom: PartialEq;

    /// Rows of the list at most, so that the conversation stays in sight.
    const MAX_ROWS: u16 = 18;

    /// `None`: there is nothing to make rows from; the present ones stay.
    fn made_from(&self, narrowed: bool, cx: &OverlayContext<'_>) -> Option<Self::MadeFrom>;

    fn rows(&self, made_from: &Self::MadeFrom, cx: &OverlayContext<'_>) -> Vec<ListRow<Self::Id>>;

    /// The row to select among new ones, else the first: by default the one that was selected.
    fn select(&self, rows: NewRows<'_, Self>, _cx: &OverlayContext<'_>) -> Option<Self::Id> {
        rows.selected
    }

    /// Handles a key of this list, given the selected row; `None` leaves it to [`FilterList`].
    fn key(
        &mut self,
        _key: Chord,
        _at: Option<&Self::Id>,
        _cx: &OverlayContext<'_>,
    ) -> Option<Outcome> {
        None
    }

    /// A theme to try out while its row is selected.
    fn preview(&self, _list: &FilterList<Self::Id>) -> Option<ThemeChoice> {
        None
    }

    /// What was typed has changed; what is to follow.
    fn typed(&mut self, _typed: &str, _cx: &OverlayContext<'_>) -> Option<UiCommand> {
        None
    }

    /// When it goes on with what it does in pieces.
    fn deadline(&self, _now: Instant) -> Option<Instant> {
        None
    }

    /// It shows something of the selected row: beside the list on wide screens, else below it.
    const PREVIEWS: bool = false;

    /// That, in so many cells and rows at most.
    fn preview_of(
        &self,
        _id: &Self::Id,
        _room: (usize, usize),
        _cx: &OverlayContext<'_>,
    ) -> Vec<Row> {
        Vec::new()
    }

    /// Enter on the row of `id`.
    fn choose(&mut self, id: Self::Id, cx: &OverlayContext<'_>) -> Outcome;

    /// The level of the list; on the way to another level the filter is cleared.
    fn depth(&self) -> usize {
        0
    }

    const TITLE: &'static str;

    /// The most needed first.
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "set"), (Action::Stop, "close")];

    /// Title, note and key hints, in that many cells.
    fn panel(&self, _list: &FilterList<Self::Id>, _width: u16, cx: &OverlayContext<'_>) -> Panel {
        Panel::opened(Self::TITLE, Self::HINTS, cx)
    }

    /// Rows that the dialog has room for below the list.
    fn room_below(&self, list: &FilterList<Self::Id>, width: usize) -> usize {
        list.description_rows(width)
    }

    /// What stands below the list: the same number of rows whatever is selected, so that the list
    /// does not move.
    fn below(
        &self,
        list: &FilterList<Self::Id>,
        width: usize,
        cx: &OverlayContext<'_>,
    ) -> Vec<Row> {
        let description = list.description_below(width);
        let mut rows = description.map_or_else(Vec::new, |description| {
            StyledLine::styled(description, cx.theme.dim).wrap(width)
        });
        rows.resize(list.description_rows(width), Row::default());
        rows
    }
}

/// Rows were made again.
pub struct NewRows<'a, C: Contents + ?Sized> {
    /// What those before were made from, if there were any.
    pub before: Option<&'a C::MadeFrom>,
    pub now: &'a C::MadeFrom,
    /// What was selected.
    pub selected: Option<C::Id>,
    /// The person has begun to choose.
    pub by_person: bool,
}

pub struct ListDialog<C: Contents> {
    contents: C,
    list: FilterList<C::Id>,
    made_from: Option<(C::MadeFrom, ThemeId, Frame)>,
    /// What was typed when that was last told.
    typed: String,
    by_person: bool,
}

impl<C: Contents> ListDialog<C> {
    pub fn new(contents: C) -> Self {
        Self {
            contents,
            list: FilterList::new(Vec::new()),
            made_from: None,
            typed: String::new(),
            by_person: false,
        }
    }

    fn fill(&mut self, cx: &OverlayContext<'_>) {
        let Some(made_from) = self.contents.made_from(self.list.is_narrowed(), cx) else {
            return;
        };
        let made_from = (made_from, cx.theme.id, cx.frame);
        if self.made_from.as_ref() == Some(&made_from) {
            return;
        }
        let selected = self.list.selected().cloned();
        self.list.set_rows(self.contents.rows(&made_from.0, cx));
        let rows = NewRows {
            before: self.made_from.as_ref().map(|(before, ..)| before),
            now: &made_from.0,
            selected,
            by_person: self.by_person,
        };
        if let Some(id) = self.contents.select(rows, cx) {
            self.list.select(&id);
        }
        self.made_from = Some(made_from);
    }

    /// Says what is to follow where what was typed has changed.
    fn follow_typed(&mut self, outcome: Outcome, cx: &OverlayContext<'_>) -> Outcome {
        if self.typed == self.list.typed() {
            return outcome;
        }
        self.typed = self.list.typed().to_owned();
        match self.contents.typed(&self.typed, cx) {
            Some(command) => outcome.command(command),
            None => outcome,
        }
    }

    /// Rows below the list, the same whatever is selected.
    fn rows_below(&self, width: usize, cx: &OverlayContext<'_>) -> usize {
        match C::PREVIEWS {
            false => self.contents.room_below(&self.list, width),
            true if is_beside::<C>(width) || cx.frame == Frame::Compact => 0,
            true => BELOW_ROWS,
        }
    }

    fn below(&self, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        if !C::PREVIEWS {
            return self.contents.below(&self.list, width, cx);
        }
        let room = (width, self.rows_below(width, cx));
        let mut rows = self.previewed_rows((room.0, room.1.saturating_sub(1)), cx);
        if room.1 > 0 {
            rows.insert(0, Row::default());
        }
        rows.resize(room.1, Row::default());
        rows
    }

    fn previewed_rows(&self, room: (usize, usize), cx: &OverlayContext<'_>) -> Vec<Row> {
        let selected = self.list.selected();
        selected.map_or_else(Vec::new, |id| self.contents.preview_of(id, room, cx))
    }

    /// Draws the preview into the right half, where there is one; returns what is left.
    fn draw_beside(&self, inner: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Rect {
        if !is_beside::<C>(inner.width.into()) {
            return inner;
        }
        let left = inner.width / 2;
        for y in inner.top()..inner.bottom() {
            let x = inner.x + left + 1;
            buf.set_string(x, y, cx.symbols.column, cx.theme.border);
        }
        let right = Rect {
            x: inner.x + left + 3,
            width: inner.width - left - 3,
            ..inner
        };
        let room = (usize::from(right.width), usize::from(right.height));
        draw_rows(&self.previewed_rows(room, cx), right, buf);
        Rect {
            width: left,
            ..inner
        }
    }

    fn press(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        if let Some(outcome) = self.contents.key(key, self.list.selected(), cx) {
            return outcome;
        }
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => Outcome::taken(),
            Listed::Chosen => match self.list.selected().cloned() {
                Some(id) => self.contents.choose(id, cx),
                None => Outcome::taken(),
            },
        }
    }
}

impl<C: Contents> Overlay for ListDialog<C> {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        let depth = self.contents.depth();
        let outcome = self.press(key, cx);
        if self.contents.depth() != depth {
            self.list.clear();
        }
        self.by_person |= outcome.taken;
        let outcome = self.follow_typed(outcome, cx);
        self.fill(cx);
        outcome
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
        let outcome = self.follow_typed(Outcome::taken(), cx);
        self.fill(cx);
        outcome
    }

    fn point(&mut self, pointer: Pointer, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        match pointer {
            Pointer::Wheel(rows) => self.list.turn(rows),
            Pointer::Press(at) => self.list.press(at),
            // As enter does.
            Pointer::Release(at) if self.list.release(at) => {
                return self.handle(Chord::from(KeyEvent::from(KeyCode::Enter)), cx);
            }
            Pointer::Release(_) => {}
        }
        self.by_person = true;
        self.fill(cx);
        Outcome::taken()
    }

    fn previewed(&self) -> Option<ThemeChoice> {
        self.contents.preview(&self.list)
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        self.contents.deadline(now)
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.fill(cx);
        let width = usize::from(cx.frame.inner_width(room.width));
        let list = self.list.rows().min(C::MAX_ROWS.into());
        let list = match is_beside::<C>(width) {
            true => list.max(BESIDE_ROWS),
            false => list,
        };
        let rows = list + self.rows_below(width, cx);
        cx.frame.around(rows).min(room.height)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let panel = self.contents.panel(&self.list, area.width, cx);
        let inner = panel.draw(area, buf, cx);
        let rows = match is_beside::<C>(inner.width.into()) {
            true => Vec::new(),
            false => self.below(inner.width.into(), cx),
        };
        let inner = self.draw_beside(inner, buf, cx);
        let list = match C::PREVIEWS {
            true => to_rows(self.list.rows()).min(C::MAX_ROWS),
            false => LIST_AT_LEAST,
        };
        let below = to_rows(rows.len()).min(inner.height.saturating_sub(list));
        let (list, below) = split_bottom(inner, below);
        draw_rows(&rows, below, buf);
        self.list.draw(list, buf, cx)
    }
}
