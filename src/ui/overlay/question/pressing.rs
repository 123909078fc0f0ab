//! Answers by the mouse: what was pressed and released on one answer is what enter is on it.

use ratatui::layout::Position;

use super::QuestionDialog;
use crate::ui::overlay::{Outcome, OverlayContext};

impl QuestionDialog {
    /// The button goes down: an answer that the person has had before them, for as long as an answer must
    /// have been, is selected. Before the guard opens it was meant for what stood there before.
    pub(super) fn press(&mut self, at: Position, cx: &OverlayContext<'_>) -> Outcome {
        self.pressed = None;
        if self.guard.is_open(cx.now) && !self.is_writing() {
            self.pressed = self.choices.at(at).filter(|at| self.choices.is_seen(*at));
            if let Some(at) = self.pressed {
                self.choices.select(at);
            }
        }
        Outcome::taken()
    }

    /// It goes up: on the same answer, that is given. Elsewhere the person has thought better of it.
    pub(super) fn release(&mut self, at: Position, cx: &OverlayContext<'_>) -> Outcome {
        let Some(pressed) = self.pressed.take() else {
            return Outcome::taken();
        };
        if self.guard.is_open(cx.now) && self.choices.at(at) == Some(pressed) {
            return self.pick(pressed, cx);
        }
        self.choices.unselect();
        Outcome::taken()
    }
}
