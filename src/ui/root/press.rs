//! The left button: what goes down where, what a drag selects, what a release does.

use std::{sync::Arc, time::Instant};

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::{
    model::{SessionKey, category},
    session::Event as SessionEvent,
    text::cell_width,
    ui::{
        Ui, UiCommand, UiContext,
        action::{Action, Context},
        blocks::Source,
        keymap::Chord,
        overlay::LinkDialog,
        pointer::{Edge, EdgeScroll, Pointer},
        transcript::{Scroll, Taken, TranscriptView},
    },
};

/// The button is down.
#[derive(Debug)]
pub struct Press {
    on: On,
    began: Position,
    /// Where the pointer is now.
    at: Position,
    /// It was elsewhere since it went down.
    dragged: bool,
    count: u8,
    /// Moves the conversation on, where the pointer is held at its edge.
    scrolls: EdgeScroll,
}

/// What it went down on.
#[derive(Debug)]
enum On {
    Conversation,
    Overlay,
    /// The prompt at that place.
    Queue(usize),
    Status,
    Tab(SessionKey),
    Nothing,
}

impl Press {
    pub fn deadline(&self) -> Option<Instant> {
        self.scrolls.deadline()
    }

    fn selects(&self) -> bool {
        matches!(self.on, On::Conversation) && self.dragged
    }

    /// Moves the conversation on under a pointer that is held at its edge.
    pub fn scroll_at_edge(&mut self, area: Rect, transcript: &mut TranscriptView, now: Instant) {
        let rows = self.scrolls.rows(self.edge(area, transcript), now);
        if rows != 0 {
            transcript.scroll(Scroll::Lines(i32::try_from(rows).unwrap_or(0)));
        }
    }

    fn edge(&self, area: Rect, transcript: &TranscriptView) -> Option<Edge> {
        let rows = u16::try_from(transcript.rows_that_show()).unwrap_or(u16::MAX);
        let end = area
            .y
            .saturating_add(transcript.sticky_rows())
            .saturating_add(rows);
        if !self.selects() {
            None
        } else if self.at.y <= area.y && !transcript.is_at_top() {
            Some(Edge::Upper)
        } else if self.at.y + 1 >= end && !transcript.is_following() {
            Some(Edge::Lower)
        } else {
            None
        }
    }

    /// The selection goes to where the pointer is, also when the conversation has moved under it.
    pub fn follow(&mut self, area: Rect, transcript: &mut TranscriptView, now: Instant) {
        if !self.selects() {
            return;
        }
        if let Some(spot) = transcript.spot(area, self.at) {
            transcript.drag_to(spot);
        }
        self.scrolls.hold(self.edge(area, transcript), now);
    }
}

impl Ui {
    /// Something happens to a button; only the left one means something here.
    pub(super) fn button(&mut self, kind: MouseEventKind, at: Position, cx: &UiContext<'_>) {
        match kind {
            MouseEventKind::Down(MouseButton::Left) => self.press(at, cx),
            MouseEventKind::Drag(MouseButton::Left) => self.drag(at),
            MouseEventKind::Up(MouseButton::Left) => self.release(at, cx),
            _ => {}
        }
    }

    fn press(&mut self, at: Position, cx: &UiContext<'_>) {
        self.transcript.clear_selection();
        let count = self.clicks.press(at, cx.now);
        let places = self.places;
        let on = if places.overlay.contains(at) {
            let overlay = self.look.overlay(&self.composer, cx);
            let outcome = self.layers.point(Pointer::Press(at), &overlay);
            self.follow(outcome, cx);
            On::Overlay
        } else if places.popup.contains(at) {
            On::Nothing
        } else if places.queue.contains(at) {
            On::Queue(usize::from(at.y - places.queue.y))
        } else if places.status.contains(at) {
            On::Status
        } else if let Some(key) = self.tab_at(at) {
            On::Tab(key)
        } else if places.composer.contains(at) {
            if cx.project.read_only.is_none() && !self.layers.is_opened() {
                self.transcript.browse_exit();
                self.composer.click(places.composer, at);
            }
            On::Nothing
        } else if places.transcript.contains(at) && self.transcript_shown {
            if let Some(spot) = self.transcript.spot(places.transcript, at) {
                let taken = match count {
                    2 => Taken::Word,
                    3 => Taken::Line,
                    _ => Taken::Cell,
                };
                self.transcript.press(spot, taken);
            }
            On::Conversation
        } else {
            On::Nothing
        };
        self.press = Some(Press {
            on,
            began: at,
            at,
            dragged: false,
            count,
            scrolls: EdgeScroll::default(),
        });
    }

    fn drag(&mut self, at: Position) {
        let Some(press) = &mut self.press else {
            return;
        };
        press.at = at;
        press.dragged |= at != press.began;
        if press.selects()
            && let Some(spot) = self.transcript.spot(self.places.transcript, at)
        {
            self.transcript.drag_to(spot);
        }
    }

    fn release(&mut self, at: Position, cx: &UiContext<'_>) {
        self.drag(at);
        let Some(press) = self.press.take() else {
            return;
        };
        match press.on {
            On::Overlay => {
                let overlay = self.look.overlay(&self.composer, cx);
                let outcome = self.layers.point(Pointer::Release(at), &overlay);
                self.follow(outcome, cx);
            }
            On::Queue(row) if self.places.queue.contains(at) && at.y == press.began.y => {
                self.take_back_row(row, cx);
            }
            On::Tab(key) if self.tab_at(at) == Some(key) => {
                self.commands.push(UiCommand::ShowSession(key));
            }
            On::Status if !press.dragged => self.click_status(at, cx),
            On::Conversation if self.transcript.has_selection() => self.selected(cx),
            On::Conversation if press.count == 1 && !press.dragged => {
                self.click_conversation(at, cx);
            }
            _ => {}
        }
    }

    /// A selection has ended.
    fn selected(&mut self, cx: &UiContext<'_>) {
        if self.look.settings.copy_on_select {
            self.copy_selection(cx);
        }
    }

    /// A link says where it leads; the first row of a block folds it.
    fn click_conversation(&mut self, at: Position, cx: &UiContext<'_>) {
        let link = self.links.iter().find(|link| link.area.contains(at));
        if let Some(uri) = link.map(|link| Arc::clone(&link.uri)) {
            return self.layers.open(Box::new(LinkDialog::new(uri)));
        }
        if let Some(session) = cx.session
            && let Some(spot) = self.transcript.spot(self.places.transcript, at)
        {
            let source = Source::new(session, cx.screens);
            self.transcript.fold_at(spot, &source);
        }
    }

    /// The model and the mode open what chooses another one.
    fn click_status(&mut self, at: Position, cx: &UiContext<'_>) {
        let (Some(session), None) = (cx.session, &cx.project.read_only) else {
            return;
        };
        let mode = session.mode_option();
        let model = session.option_of(category::MODEL);
        let places = [(model, Action::Model), (mode, Action::Mode)];
        let hit = places.into_iter().find(|(option, _)| {
            let name = option.map(|option| option.name_of(&option.current()));
            name.is_some_and(|name| self.status_shows(&name, at))
        });
        if let Some((_, action)) = hit {
            self.act(action, cx);
        }
    }

    /// Whether that text of the status line is at a place.
    fn status_shows(&self, text: &str, at: Position) -> bool {
        let columns = self.status_row.match_indices(text).map(|(from, text)| {
            let from = cell_width(&self.status_row[..from]);
            from..from + cell_width(text)
        });
        let column = usize::from(at.x.saturating_sub(self.places.status.x));
        !text.is_empty() && columns.into_iter().any(|columns| columns.contains(&column))
    }

    /// A queued prompt comes back for editing. The last row may only count those that have none.
    fn take_back_row(&mut self, row: usize, cx: &UiContext<'_>) {
        let Some(session) = cx.session else { return };
        let rows = usize::from(self.places.queue.height);
        let counted = session.queue.len() > rows && row + 1 == rows;
        if cx.project.read_only.is_none() && row < session.queue.len() && !counted {
            self.session_event(SessionEvent::Unqueue(row), cx);
        }
    }

    /// Copies what is selected.
    fn copy_selection(&mut self, cx: &UiContext<'_>) {
        let Some(session) = cx.session else { return };
        let ctx = self.look.render(self.places.transcript.width, cx.now);
        let source = Source::new(session, cx.screens);
        let settings = self.look.transcript();
        if let Some(text) = self.transcript.selected_text(source, &settings, &ctx) {
            self.commands.push(UiCommand::Copy(text));
        }
    }

    /// Keys while something is selected: where releasing did not copy it, ctrl-c and `y` do. Any other
    /// key means what it always does, and what is selected is not any more.
    pub(super) fn selection_key(&mut self, chord: Chord, cx: &UiContext<'_>) -> bool {
        if !self.transcript.has_selection() {
            return false;
        }
        let action = self
            .look
            .keymap
            .action(chord, &[Context::Browse, Context::Anywhere]);
        let free = !self.layers.is_asking() && !self.layers.is_opened();
        let copies = match action {
            Some(Action::Interrupt) => true,
            Some(Action::BlockCopy) => free && self.composer.is_empty(),
            _ => false,
        };
        let copies = copies && !self.look.settings.copy_on_select;
        if copies {
            self.copy_selection(cx);
        }
        self.transcript.clear_selection();
        copies
    }
}
