//! Who gets what the mouse does: what is under the pointer.
//!
//! Owns where the last frame drew what, and which of it the wheel turns. Nothing here is typing: the
//! guard of a question does not mind it, and what a press answers goes through the dialog as a key does.

use crossterm::event::{Event, KeyCode, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use crate::ui::{Ui, UiCommand, UiContext, pointer::Pointer, transcript::Scroll};

/// Where the last frame drew what; what it did not draw is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    pub tabs: Rect,
    pub transcript: Rect,
    pub queue: Rect,
    pub composer: Rect,
    pub status: Rect,
    /// Of the composer: files, commands, history.
    pub popup: Rect,
    /// Of the layer on top: a dialog or a question.
    pub overlay: Rect,
    pub viewer: Rect,
}

/// Whether a report is of a move and the next one of a further move: only the last of them counts.
pub fn is_overtaken(mouse: MouseEvent, rest: &[Event]) -> bool {
    let MouseEventKind::Drag(button) = mouse.kind else {
        return matches!(mouse.kind, MouseEventKind::Moved);
    };
    matches!(rest.first(), Some(Event::Mouse(next)) if next.kind == MouseEventKind::Drag(button))
}

impl Ui {
    /// One report. One of a place that is not on the screen is of another one.
    pub(super) fn mouse(&mut self, mouse: MouseEvent, cx: &UiContext<'_>) {
        let at = Position::new(mouse.column, mouse.row);
        if !self.look.settings.mouse || !self.places.screen().contains(at) {
            return;
        }
        self.sync(cx);
        let rows = match mouse.kind {
            MouseEventKind::ScrollUp => Some(self.wheel.turn(false, cx.now)),
            MouseEventKind::ScrollDown => Some(self.wheel.turn(true, cx.now)),
            _ => None,
        };
        if self.viewer.is_some() {
            self.viewer_mouse(mouse, rows, cx);
        } else if self.has_review_keys() {
            self.review.on_mouse(mouse, rows);
        } else if self.review.is_open() && !self.places.overlay.contains(at) {
            // Below a dialog of the review nothing is pressed.
        } else if let Some(rows) = rows {
            self.turn_wheel(rows, at, cx);
        } else {
            self.button(mouse.kind, at, cx);
        }
    }

    /// The wheel scrolls what is under the pointer, and the conversation where that does not scroll.
    fn turn_wheel(&mut self, rows: isize, at: Position, cx: &UiContext<'_>) {
        if self.places.overlay.contains(at) {
            let overlay = self.look.overlay(&self.composer, cx);
            let outcome = self.layers.point(Pointer::Wheel(rows), &overlay);
            if self.follow(outcome, cx) {
                return;
            }
        } else if self.places.popup.contains(at) {
            return self.turn_popup(rows, cx);
        } else if self.places.composer.contains(at) && self.turn_draft(rows, cx) {
            return;
        }
        let rows = i32::try_from(rows).unwrap_or(i32::MAX);
        self.transcript.scroll(Scroll::Lines(rows));
    }

    fn viewer_mouse(&mut self, mouse: MouseEvent, rows: Option<isize>, cx: &UiContext<'_>) {
        let at = Position::new(mouse.column, mouse.row);
        if !self.places.viewer.contains(at) {
            return;
        }
        if let Some(viewer) = &mut self.viewer {
            let outcome = viewer.on_mouse(mouse, rows, cx.screens);
            self.after_viewer(outcome);
        }
    }

    /// A notch goes to the next entry.
    fn turn_popup(&mut self, rows: isize, cx: &UiContext<'_>) {
        let code = if rows < 0 { KeyCode::Up } else { KeyCode::Down };
        self.composer
            .popup_key(code.into(), &super::sources::sources(cx));
    }

    /// A draft that is longer than its room scrolls, with the caret; false where all of it shows.
    fn turn_draft(&mut self, rows: isize, cx: &UiContext<'_>) -> bool {
        let place = self.places.composer;
        let more = place.height.saturating_add(1);
        if self.composer.height(place.width, more) <= place.height {
            return false;
        }
        let down = rows > 0;
        let code = if down { KeyCode::Down } else { KeyCode::Up };
        for _ in 0..rows.unsigned_abs() {
            if self.composer.has_row(down) {
                self.composer
                    .edit_key(code.into(), &super::sources::sources(cx));
            }
        }
        true
    }

    pub(super) fn toggle_mouse(&mut self) {
        let on = !self.look.settings.mouse;
        self.look.settings.mouse = on;
        self.press = None;
        self.commands.push(UiCommand::Mouse(on));
        self.moment.say(match on {
            true => "mouse on: it scrolls and clicks here".into(),
            false => "mouse off: it is the terminal's".into(),
        });
    }
}

impl Places {
    /// All that was drawn on.
    fn screen(&self) -> Rect {
        let places = [
            self.tabs,
            self.transcript,
            self.viewer,
            self.composer,
            self.status,
        ];
        places
            .into_iter()
            .filter(|place| !place.is_empty())
            .fold(Rect::default(), |all, place| {
                if all.is_empty() {
                    place
                } else {
                    all.union(place)
                }
            })
    }
}
