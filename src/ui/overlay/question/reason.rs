//! The line for a reason, inside the answer that it belongs to. Nothing is answered
//! until enter, which sends both; esc goes back to the question.

use crate::{
    model::PermissionKind,
    ui::{
        action::{Action, Context},
        keymap::Chord,
        line_input::LineInput,
        overlay::{Outcome, OverlayContext},
        render::{Row, line::StyledLine},
    },
};

use super::QuestionDialog;

#[derive(Debug)]
pub struct Reason {
    /// The choice that it belongs to.
    pub at: usize,
    line: LineInput,
    /// The question changed while this was written, and enter has not said so yet.
    outdated: bool,
}

impl Reason {
    fn new(at: usize) -> Self {
        Self {
            at,
            line: LineInput::default(),
            outdated: false,
        }
    }

    /// The question has changed since the line was opened.
    pub fn outdate(&mut self) {
        self.outdated = true;
    }

    /// Its row, and the column of the caret.
    pub fn row(&self, indent: usize, width: usize, cx: &OverlayContext<'_>) -> (Row, usize) {
        let mut line = StyledLine::blanks(indent).with("why: ", cx.theme.key_hint);
        let before = line.width();
        let room = width.saturating_sub(before);
        let (text, caret) = self.line.shown(room, cx.symbols.ellipsis);
        if text.is_empty() {
            let (enter, esc) = (
                cx.keymap.hint(Action::Confirm),
                cx.keymap.hint(Action::Stop),
            );
            line.push(&format!("{enter} answers, {esc} goes back"), cx.theme.dim);
        } else {
            line.push(&text, cx.theme.text);
        }
        let row = line.truncate(width, cx.symbols.ellipsis);
        (row, (before + caret).min(width.saturating_sub(1)))
    }
}

impl QuestionDialog {
    /// A reason is being written: keys are its text.
    pub fn is_writing(&self) -> bool {
        self.choices.reason.is_some()
    }

    /// What was written for an answer and not sent: a reason, comments.
    pub fn written(&self) -> Option<String> {
        let reason = self.choices.reason.as_ref();
        let reason = reason.map(|reason| reason.line.text());
        let reason = reason.filter(|text| !text.trim().is_empty());
        let all: Vec<String> = reason.into_iter().chain(self.said.told()).collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }

    pub(super) fn paste_reason(&mut self, text: &str) -> bool {
        let reason = self.choices.reason.as_mut();
        reason.map(|reason| reason.line.paste(text)).is_some()
    }

    /// Opens the line for a rejection.
    pub(super) fn reject_with_reason(&mut self) -> Outcome {
        let several = "there are several ways to reject: select one, then write why";
        let none = "the agent offers no way to reject once";
        match self.only_of_kind(PermissionKind::RejectOnce, Some(several), none) {
            Ok(at) => self.open_reason(at),
            Err(outcome) => outcome,
        }
    }

    /// Opens the line for the selected answer.
    pub(super) fn answer_with_reason(&mut self, cx: &OverlayContext<'_>) -> Outcome {
        if let Some(at) = self.choices.selected() {
            return self.open_reason(at);
        }
        let (up, down, tab) = (
            cx.keymap.hint(Action::QuestionUp),
            cx.keymap.hint(Action::QuestionDown),
            cx.keymap.hint(Action::Reason),
        );
        let text = format!("select an answer with {up} or {down}, then {tab} adds a reason");
        Outcome::toast(&text)
    }

    fn open_reason(&mut self, at: usize) -> Outcome {
        self.choices.select(at);
        self.choices.reason = Some(Reason::new(at));
        Outcome::taken()
    }

    /// Back to the question, unanswered.
    fn close_reason(&mut self) -> Outcome {
        self.choices.reason = None;
        self.choices.unselect();
        Outcome::taken()
    }

    /// Handles a key while the line is open; `None`: not a key of the line.
    pub(super) fn reason_key(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let reason = self.choices.reason.as_mut()?;
        let contexts = [Context::Question, Context::Anywhere];
        let action = cx.keymap.action(key, &contexts);
        // Keys that type are text here, whatever they mean without the line.
        let action = action.filter(|_| !key.is_text());
        match action {
            Some(Action::Stop | Action::Interrupt) => return Some(self.close_reason()),
            Some(Action::Confirm) => {}
            Some(Action::Details | Action::QuestionScrollUp | Action::QuestionScrollDown) => {
                return None;
            }
            _ if reason.line.handle(key) => return Some(Outcome::taken()),
            Some(action) if action.info().context == Context::Question => {
                return Some(Outcome::taken());
            }
            _ => return None,
        }
        if !self.guard.is_open(cx.now) {
            return Some(Outcome::taken());
        }
        if std::mem::take(&mut reason.outdated) {
            let enter = cx.keymap.hint(Action::Confirm);
            let text = format!("what is asked has changed: read it, then {enter} answers");
            return Some(Outcome::toast(&text));
        }
        let (at, text) = (reason.at, reason.line.text());
        let outcome = self.pick(at, cx);
        if !outcome.close {
            return Some(outcome);
        }
        self.choices.reason = None;
        let text = text.trim();
        Some(match text.is_empty() {
            true => outcome,
            false => outcome.with_reason(text),
        })
    }
}
