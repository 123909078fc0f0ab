//! What takes the whole screen: a diff, an attached terminal.

use crate::{
    session::Session,
    ui::{Ui, UiContext},
};

impl Ui {
    pub(super) fn show_asked_diff(&mut self, _cx: &UiContext<'_>) {}
    pub(super) fn show_block_diff(&mut self, _session: &Session) {}
    pub(super) fn attach(&mut self, _session: &Session, _cx: &UiContext<'_>) {}
}
