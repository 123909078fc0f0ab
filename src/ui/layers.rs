//! The stack of overlays, and which of them has the keys.
//!
//! On top what the person opened, below it what the session asks. A change of the stack that a key
//! wants takes place after the overlay has returned.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    config::ThemeChoice,
    session::{Phase, Question, QuestionId, Session},
    text::SafeText,
    ui::{
        keymap::Chord,
        overlay::{
            FormDialog, Guard, Outcome, Overlay, OverlayContext, QuestionDialog, Room, SideDialog,
            SignIn,
        },
        pointer::Pointer,
    },
};

#[derive(Default)]
pub struct Layers {
    /// Opened by the person or the program; the last has the keys.
    opened: Vec<Box<dyn Overlay>>,
    /// The open question: of the session, or before there is one.
    asked: Option<Asked>,
    /// Answered, while the session does not know of it yet.
    answered: Option<QuestionId>,
    /// The side question whose dialog was opened, by when it was asked.
    side: Option<Instant>,
    /// A reason that was being written when its question went away.
    unsaid: Option<String>,
    /// The last frame could not draw what has the keys: no one can know what an answer would mean.
    undrawn: bool,
}

enum Asked {
    Question(Box<QuestionDialog>),
    Form(Box<FormDialog>),
    SignIn(SignIn),
}

impl Asked {
    fn overlay(&mut self) -> &mut dyn Overlay {
        match self {
            Self::Question(dialog) => dialog.as_mut(),
            Self::Form(dialog) => dialog.as_mut(),
            Self::SignIn(dialog) => dialog,
        }
    }

    /// The question of the session that it is.
    fn id(&self) -> Option<QuestionId> {
        match self {
            Self::Question(dialog) => dialog.id(),
            Self::Form(dialog) => dialog.id(),
            Self::SignIn(_) => None,
        }
    }
}

impl Layers {
    pub fn open(&mut self, overlay: Box<dyn Overlay>) {
        self.opened.push(overlay);
    }

    /// Closes what the person opened last; `false` if there is nothing.
    pub fn close_top(&mut self) -> bool {
        self.opened.pop().is_some()
    }

    /// Something that the person opened has the keys.
    pub fn is_opened(&self) -> bool {
        !self.opened.is_empty()
    }

    /// Asks a question before there is a session.
    pub fn ask(&mut self, dialog: QuestionDialog) {
        self.asked = Some(Asked::Question(Box::new(dialog)));
    }

    /// A question has the keys.
    pub fn is_asking(&self) -> bool {
        self.opened.is_empty() && matches!(self.asked, Some(Asked::Question(_) | Asked::Form(_)))
    }

    /// Typed text is filled into a form, or is the reason for an answer.
    pub fn takes_text(&self, now: Instant) -> bool {
        match &self.asked {
            Some(Asked::Form(dialog)) => self.opened.is_empty() && dialog.takes_text(now),
            Some(Asked::Question(dialog)) => self.opened.is_empty() && dialog.is_writing(),
            _ => false,
        }
    }

    /// A comment on what is asked about is being written, over its diff.
    pub fn is_commenting(&self) -> bool {
        match &self.asked {
            Some(Asked::Question(dialog)) => self.opened.is_empty() && dialog.is_commenting(),
            _ => false,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.opened.is_empty() && self.asked.is_none()
    }

    /// A key went elsewhere: the question below must not take the next one for an answer.
    pub fn typed_elsewhere(&mut self, now: Instant) {
        match &mut self.asked {
            Some(Asked::Question(dialog)) => dialog.typed_elsewhere(now),
            Some(Asked::Form(dialog)) => dialog.typed_elsewhere(now),
            Some(Asked::SignIn(dialog)) => dialog.typed_elsewhere(now),
            None => {}
        }
    }

    /// The person has just answered a question of the session.
    pub fn was_answered(&self) -> bool {
        self.answered.is_some()
    }

    /// A reason that is being written.
    pub fn written(&self) -> Option<String> {
        match &self.asked {
            Some(Asked::Question(dialog)) => dialog.written(),
            _ => None,
        }
    }

    /// The reason that was being written when its question went: nothing that was typed is lost.
    pub fn take_unsaid(&mut self) -> Option<String> {
        self.unsaid.take()
    }

    /// Whether up and down belong to the draft where it has rows for them.
    pub fn leaves_arrows(&self) -> bool {
        match &self.asked {
            Some(Asked::Question(dialog)) => self.opened.is_empty() && dialog.leaves_arrows(),
            _ => false,
        }
    }

    fn replace(&mut self, asked: Option<Asked>) {
        self.unsaid = self.written().or(self.unsaid.take());
        self.asked = asked;
    }

    /// Shows what was asked beside the conversation, once.
    fn sync_side(&mut self, session: Option<&Session>) {
        let asked = session.and_then(|session| session.side.as_ref());
        let since = asked.map(|side| side.since);
        if since.is_some() && since != self.side {
            self.opened.push(Box::new(SideDialog::default()));
        }
        self.side = since;
    }

    /// Shows the question that the session asks now.
    pub fn sync(
        &mut self,
        session: Option<&Session>,
        no_browser: Option<&SafeText>,
        last_typed: Option<Instant>,
    ) {
        self.sync_side(session);
        let question = session.and_then(|session| {
            let mut waiting = session.waiting_questions();
            waiting.find(|question| Some(question.id()) != self.answered)
        });
        if session.is_none_or(|session| {
            !session
                .questions
                .iter()
                .any(|question| Some(question.id()) == self.answered)
        }) {
            self.answered = None;
        }
        let signing_in = session.is_some_and(|s| matches!(s.phase, Phase::SignIn { .. }));
        match (question, &self.asked) {
            // It does not belong to a session: it stays until it is answered.
            (_, Some(Asked::Question(dialog))) if dialog.id().is_none() => {}
            (Some(question), Some(asked)) if asked.id() == Some(question.id()) => {}
            (Some(question), _) => {
                let guard = Guard::new(last_typed);
                let dialog = match question {
                    Question::Permission(question) => QuestionDialog::permission(question, guard),
                    Question::File(question) => QuestionDialog::file(question, guard),
                    Question::Command(question) => QuestionDialog::command(question, guard),
                    Question::Page(question) => QuestionDialog::page(question, no_browser, guard),
                    Question::Form(question) => {
                        let dialog = FormDialog::new(question, guard);
                        return self.replace(Some(Asked::Form(Box::new(dialog))));
                    }
                };
                self.replace(Some(Asked::Question(Box::new(dialog))));
            }
            (None, Some(Asked::SignIn(_))) if signing_in => {}
            (None, _) if signing_in => {
                self.replace(Some(Asked::SignIn(SignIn::new(Guard::new(last_typed)))));
            }
            (None, _) => self.replace(None),
        }
    }

    /// Whether the last frame failed to draw what has the keys.
    pub fn set_undrawn(&mut self, undrawn: bool) {
        self.undrawn = undrawn;
    }

    /// Gives a key to the overlay that has the keys; `None` without one.
    pub fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let esc = Chord::from(KeyEvent::from(KeyCode::Esc));
        if self.undrawn && !self.is_empty() && key != esc {
            return Some(Outcome::default());
        }
        let outcome = self.top()?.handle(key, cx);
        self.settle(&outcome);
        Some(outcome)
    }

    /// The question, if nothing is open above it.
    pub fn question(&self) -> Option<QuestionId> {
        match &self.asked {
            Some(Asked::Question(dialog)) if self.opened.is_empty() => dialog.id(),
            _ => None,
        }
    }

    /// Gives a key to the question whose content fills the screen; `None` where it
    /// is no answer.
    pub fn answer_below(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let outcome = self.answers_below()?.answer_below(key, cx)?;
        self.settle(&outcome);
        Some(outcome)
    }

    /// The question is not where it was, see [`QuestionDialog::moved`].
    pub fn question_moved(&mut self) {
        if let Some(Asked::Question(dialog)) = &mut self.asked {
            dialog.moved();
        }
    }

    /// The dialog whose answers stand below such a view.
    pub fn answers_below(&mut self) -> Option<&mut QuestionDialog> {
        match &mut self.asked {
            Some(Asked::Question(dialog)) if self.opened.is_empty() => Some(dialog),
            _ => None,
        }
    }

    /// The pointer does something over the overlay on top; `None` without one.
    pub fn point(&mut self, pointer: Pointer, cx: &OverlayContext<'_>) -> Option<Outcome> {
        if self.undrawn {
            return None;
        }
        let outcome = self.top()?.point(pointer, cx);
        self.settle(&outcome);
        Some(outcome)
    }

    pub fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let outcome = self.top()?.paste(text, cx);
        self.settle(&outcome);
        Some(outcome)
    }

    /// As [`Overlay::take_burst`], by a dialog that the person opened.
    pub fn take_burst(&mut self, keys: &[KeyEvent], now: Instant) -> usize {
        let top = self.opened.last_mut();
        top.map_or(0, |top| top.take_burst(keys, now))
    }

    /// The theme that what is open tries out.
    pub fn previewed(&self) -> Option<ThemeChoice> {
        self.opened.last().and_then(|top| top.previewed())
    }

    pub fn takes_whole_width(&mut self, columns: u16, cx: &OverlayContext<'_>) -> bool {
        let top = self.top();
        top.is_some_and(|top| top.takes_whole_width(columns, cx))
    }

    pub fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.top().map_or(0, |top| top.height(room, cx))
    }

    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        self.top()?.draw(area, buf, cx)
    }

    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        match (self.opened.last(), &self.asked) {
            (Some(top), _) => top.deadline(now),
            (None, Some(Asked::Question(dialog))) => dialog.deadline(now),
            (None, Some(Asked::Form(dialog))) => dialog.deadline(now),
            (None, Some(Asked::SignIn(dialog))) => dialog.deadline(now),
            (None, None) => None,
        }
    }

    fn top(&mut self) -> Option<&mut dyn Overlay> {
        match self.opened.last_mut() {
            Some(top) => Some(top.as_mut()),
            None => self.asked.as_mut().map(Asked::overlay),
        }
    }

    fn settle(&mut self, outcome: &Outcome) {
        if !outcome.close {
            return;
        }
        if self.opened.pop().is_some() {
            return;
        }
        self.answered = self.asked.take().and_then(|asked| asked.id());
    }
}
