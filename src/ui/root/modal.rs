//! vim's modes, as far as they are the whole screen's: they come before popup and keymap, and the
//! terminal's cursor tells them.

use crossterm::event::KeyEvent;

use crate::ui::{CaretShape, Ui, UiContext, action::Action, composer::ModalKey};

impl Ui {
    /// The key to go on with; `None`: it was taken.
    pub(super) fn modal_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> Option<KeyEvent> {
        if cx.project.read_only.is_some() {
            return Some(key);
        }
        match self.composer.modal_key(key) {
            ModalKey::Pass(key) => return Some(key),
            ModalKey::Taken => self.moment.disarm(),
            ModalKey::Palette => {
                self.act(Action::Palette, cx);
            }
        }
        None
    }

    /// The mode, where keys go to the draft.
    pub(super) fn mode_told(&self, cx: &UiContext<'_>) -> Option<(&'static str, String)> {
        let elsewhere = self.is_covered() || cx.project.read_only.is_some();
        self.composer.mode_told().filter(|_| !elsewhere)
    }

    /// How the cursor is to look: that of the draft tells the mode, where nothing lies over it.
    pub fn caret_shape(&self) -> CaretShape {
        let covered = self.is_covered() || self.layers.is_opened() || self.transcript.is_browsing();
        match covered {
            true => CaretShape::Default,
            false => self.composer.caret_shape(),
        }
    }
}
