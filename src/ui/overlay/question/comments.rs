//! Comments on the changes that are asked about: with a rejection they go to the agent as its reason.

use crossterm::event::KeyEvent;

use super::QuestionDialog;
use crate::ui::{
    comments::{Comments, Wanted, Writing, Wrote},
    overlay::{Outcome, OverlayContext, Wish},
    render::format::count,
};

/// What the person has said of the lines.
#[derive(Default)]
pub struct Said {
    pub comments: Comments,
    /// The comment that is written.
    pub writing: Option<Writing>,
    /// One was begun: what was typed since may have been for it.
    pub begun: bool,
}

impl Said {
    /// A key for the comment that is written; an error: why it is not kept.
    pub fn key(&mut self, key: KeyEvent) -> Result<(), &'static str> {
        let Some(writing) = &mut self.writing else {
            return Ok(());
        };
        match writing.key(key) {
            Wrote::Stays => return Ok(()),
            Wrote::Left => {}
            Wrote::Kept(text) => self.comments.keep(writing.wanted.clone(), &text)?,
        }
        self.writing = None;
        Ok(())
    }

    pub fn wanted(&self) -> Option<&Wanted> {
        self.writing.as_ref().map(|writing| &writing.wanted)
    }

    /// All of it as a text.
    pub fn told(&self) -> Option<String> {
        let writing = self.writing.as_ref().map(Writing::text);
        let writing = writing.filter(|text| !text.trim().is_empty());
        let all: Vec<String> = self.comments.prompt().into_iter().chain(writing).collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }
}

impl QuestionDialog {
    pub fn said(&mut self) -> &mut Said {
        &mut self.said
    }

    pub fn is_commenting(&self) -> bool {
        self.said.writing.is_some()
    }

    /// Whether there are changes to comment on.
    pub fn takes_comments(&self, cx: &OverlayContext<'_>) -> bool {
        self.subject.takes_reason() && !self.subject.diffs(cx).is_empty()
    }

    /// What goes with an answer: as its reason with a no, else it comes to the draft.
    pub(super) fn with_comments(&mut self, at: usize, outcome: Outcome) -> Outcome {
        let said = std::mem::take(&mut self.said);
        match said.told() {
            None => outcome,
            Some(told) if self.choices.rejects(at) => outcome.with_reason(&told),
            Some(told) => outcome.with(Wish::Quote(told)),
        }
    }

    /// How many there are, and what they are for.
    pub(super) fn comments_hint(&self) -> Vec<(String, &'static str)> {
        let many = self.said.comments.len();
        let hint = (many > 0).then(|| (count(many, "comment"), "goes with a rejection"));
        let hint = hint.map(|(many, does)| match self.said.comments.len() {
            1 => (many, does),
            _ => (many, "go with a rejection"),
        });
        hint.into_iter().collect()
    }
}
