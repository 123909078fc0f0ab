//! A session that is opened again shows what was stored of it.

use crate::{
    session::{BlockKind, Session},
    text::SafeText,
};

use super::Step;

impl Session {
    /// Shows what was said and done before, as far as it was stored. For a session that has just
    /// been made: what comes afterwards stands behind it (V1-SES-11), and a replay takes its place
    /// (V1-SES-09). With the title stands whether the person gave it.
    pub fn show_stored(
        &mut self,
        (title, own_title): (Option<SafeText>, bool),
        blocks: impl IntoIterator<Item = BlockKind>,
    ) {
        self.title = title;
        self.own_title = own_title;
        for block in blocks {
            self.transcript.push(block);
        }
        self.inner.opening.shows_stored();
        let now = self.last_word;
        let mut step = Step {
            session: self,
            now,
            effects: Vec::new(),
        };
        step.weigh();
        // Room is made where it takes too much.
        step.grow(0);
        self.rev += 1;
    }
}
