//! A form of the agent: its fields below each other, then send, decline, dismiss (V1-ELI-04,
//! V1-ELI-05); and forms of our own, which are filled in likewise.
//!
//! The field that has the keys is unfolded, the others are a line each: so the form is its own
//! review, with all values in sight and each a key away before anything is sent. Owns: what has the
//! keys, and the keys. The values and their rules are [`FormDraft`]'s, pictures those of [`picture`].

mod control;
mod fields;
mod picture;

#[cfg(test)]
mod tests;

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::{ElicitationAnswer, FieldKind, Form, FormValue},
    session::{Event, FormDraft, FormQuestion, QuestionId},
    text::SafeText,
    ui::{
        UiCommand,
        action::{Action, Context},
        keymap::Chord,
        overlay::{
            Guard, Outcome, Overlay, OverlayContext, Room, Wish, is_for_screen,
            panel::{Frame, Scroll, split_answers},
        },
        pointer::Pointer,
        render::draw_rows,
    },
};

use control::{Control, Used};

/// What has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    /// In a form without fields: nothing is selected at first.
    Nothing,
    Field(usize),
    Answer(Answer),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Send,
    Decline,
    Dismiss,
}

impl Answer {
    fn label(self, of: &Asker) -> &'static str {
        match (self, of) {
            (Self::Send, Asker::Own(form)) => form.send,
            (Self::Send, Asker::Agent(_)) => "Send",
            (Self::Decline, _) => "Decline",
            (Self::Dismiss, Asker::Own(_)) => "Cancel",
            (Self::Dismiss, Asker::Agent(_)) => "Dismiss",
        }
    }
}

/// What becomes of a form of our own, or what is wrong with what was filled in.
type Done = Box<dyn Fn(Vec<(String, FormValue)>) -> Result<UiCommand, SafeText>>;

/// A form that the person opened.
pub struct OwnForm {
    pub title: SafeText,
    /// What sends it.
    pub send: &'static str,
    /// The same behind its key.
    pub verb: &'static str,
    pub done: Done,
}

/// Whose form it is.
enum Asker {
    Agent(Box<FormQuestion>),
    Own(OwnForm),
}

pub struct FormDialog {
    asker: Asker,
    draft: FormDraft,
    /// One for each field.
    controls: Vec<Control>,
    /// Fields that the person has left or tried to send: what is wrong with them is told.
    left: Vec<bool>,
    focus: Focus,
    /// What had the keys in the last picture: an answer counts only if it was seen selected.
    drawn: Option<Focus>,
    guard: Guard,
    scroll: Scroll,
    /// The person scrolls: the field with the keys may be out of sight.
    scrolled: bool,
    expanded: bool,
}

impl FormDialog {
    pub fn new(question: &FormQuestion, guard: Guard) -> Self {
        let asker = Asker::Agent(Box::new(question.clone()));
        Self::with(asker, question.form.clone(), guard)
    }

    /// One of our own, which takes keys at once.
    pub fn own(form: Form, own: OwnForm) -> Self {
        Self::with(Asker::Own(own), form, Guard::of_wanted())
    }

    fn with(asker: Asker, form: Form, guard: Guard) -> Self {
        let draft = FormDraft::new(form);
        let controls: Vec<Control> = (0..draft.fields().len())
            .filter_map(|at| draft.field(at))
            .map(|(field, input)| Control::new(field, input))
            .collect();
        let mut dialog = Self {
            left: vec![false; controls.len()],
            asker,
            controls,
            draft,
            focus: Focus::Nothing,
            drawn: None,
            guard,
            scroll: Scroll::default(),
            scrolled: false,
            expanded: false,
        };
        if let Some(first) = dialog.order().first()
            && matches!(first, Focus::Field(_))
        {
            dialog.focus = *first;
        }
        dialog
    }

    /// The question of the agent that it is.
    pub fn id(&self) -> Option<QuestionId> {
        match &self.asker {
            Asker::Agent(question) => Some(question.id),
            Asker::Own(_) => None,
        }
    }

    /// A key was meant for something above this dialog.
    pub fn typed_elsewhere(&mut self, now: Instant) {
        self.guard.typed(now);
    }

    /// Typed text belongs here and not to the draft.
    pub fn takes_text(&self, now: Instant) -> bool {
        matches!(self.focus, Focus::Field(_)) && self.guard.is_open(now)
    }

    fn answers(&self) -> &'static [Answer] {
        if matches!(self.asker, Asker::Own(_)) {
            &[Answer::Send, Answer::Dismiss]
        } else if self.draft.cannot_be_sent().is_some() {
            // V1-ELI-11
            &[Answer::Decline, Answer::Dismiss]
        } else {
            &[Answer::Send, Answer::Decline, Answer::Dismiss]
        }
    }

    /// What can have the keys, from top to bottom.
    fn order(&self) -> Vec<Focus> {
        let known = |at: &usize| !matches!(self.draft.fields()[*at].kind, FieldKind::Unknown(_));
        let fields = (0..self.draft.fields().len()).filter(known);
        let answers = self.answers().iter();
        fields
            .map(Focus::Field)
            .chain(answers.map(|answer| Focus::Answer(*answer)))
            .collect()
    }

    fn focus(&mut self, to: Focus) {
        if let Focus::Field(at) = self.focus
            && to != self.focus
            && let Some(left) = self.left.get_mut(at)
        {
            *left = true;
        }
        self.focus = to;
        self.scrolled = false;
    }

    fn step(&mut self, down: bool) {
        let order = self.order();
        let at = order.iter().position(|focus| *focus == self.focus);
        let last = order.len().saturating_sub(1);
        let to = match (at, down) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => (at + 1).min(last),
            (Some(at), false) => at.saturating_sub(1),
        };
        if let Some(to) = order.get(to) {
            self.focus(*to);
        }
    }

    /// Gives a key to the field that has the keys.
    fn use_control(&mut self, key: Chord) -> Used {
        let Focus::Field(at) = self.focus else {
            return Used::Not;
        };
        let (Some(control), Some((field, input))) =
            (self.controls.get_mut(at), self.draft.field(at))
        else {
            return Used::Not;
        };
        let (used, changed) = control.handle(key, field, input);
        if let Some(input) = changed {
            self.draft.set(at, input);
        }
        self.scrolled &= used == Used::Not;
        used
    }

    fn confirm(&mut self) -> Outcome {
        match self.focus {
            Focus::Nothing => Outcome::taken(),
            Focus::Field(at) => {
                if let (Some(control), Some((field, input))) =
                    (self.controls.get_mut(at), self.draft.field(at))
                    && let Some(input) = control.confirm(field, input)
                {
                    self.draft.set(at, input);
                }
                if self.is_a_line() {
                    return self.send();
                }
                self.step(true);
                Outcome::taken()
            }
            // Keys that were read together with the one that led here, as of a paste, answer
            // nothing: the person has not seen what they would send.
            Focus::Answer(_) if self.drawn != Some(self.focus) => Outcome::taken(),
            Focus::Answer(Answer::Send) => self.send(),
            Focus::Answer(Answer::Decline) => self.answer(ElicitationAnswer::Decline),
            Focus::Answer(Answer::Dismiss) => self.answer(ElicitationAnswer::Cancel),
        }
    }

    /// V1-ELI-12: nothing that breaks a rule is sent; the first field that does gets the keys.
    fn send(&mut self) -> Outcome {
        match self.draft.values() {
            Ok(values) => self.answer(ElicitationAnswer::Accept(Some(values))),
            Err(at) => {
                self.left.fill(true);
                self.focus(Focus::Field(at));
                Outcome::taken()
            }
        }
    }

    fn answer(&self, answer: ElicitationAnswer) -> Outcome {
        let own = match &self.asker {
            Asker::Agent(question) => {
                return Outcome::close().command(UiCommand::Session(Event::AnswerForm {
                    question: question.id,
                    answer,
                }));
            }
            Asker::Own(own) => own,
        };
        let ElicitationAnswer::Accept(values) = answer else {
            return Outcome::close();
        };
        match (own.done)(values.unwrap_or_default()) {
            Ok(command) => Outcome::close().command(command),
            Err(wrong) => Outcome::taken().with(Wish::Toast(wrong)),
        }
    }

    /// Nothing but a line of text of ours: enter sends it, esc forgets it.
    fn is_a_line(&self) -> bool {
        matches!(self.asker, Asker::Own(_)) && self.controls.len() == 1
    }

    /// Esc: what was filled in does not go by one key.
    fn dismiss(&mut self, cx: &OverlayContext<'_>) -> Outcome {
        let dismiss = Focus::Answer(Answer::Dismiss);
        if self.draft.is_touched() && self.focus != dismiss && !self.is_a_line() {
            self.focus(dismiss);
            let key = cx.keymap.hint(Action::Stop);
            let text = format!("{key} again dismisses the form with what is in it");
            return Outcome::toast(&text);
        }
        self.answer(ElicitationAnswer::Cancel)
    }

    /// Keys that are no answer and work before the guard opens.
    fn always(&mut self, action: Action, cx: &OverlayContext<'_>) -> Option<Outcome> {
        match action {
            Action::Stop => Some(self.dismiss(cx)),
            Action::Interrupt if self.is_of_turn() => {
                Some(Outcome::taken().command(UiCommand::Session(Event::Stop)))
            }
            Action::Details => {
                self.expanded = !self.expanded;
                Some(Outcome::taken())
            }
            Action::QuestionScrollUp => Some(self.scrolled(|scroll| scroll.by(-1))),
            Action::QuestionScrollDown => Some(self.scrolled(|scroll| scroll.by(1))),
            Action::ScrollUp if self.expanded => Some(self.scrolled(|scroll| scroll.page(-1))),
            Action::ScrollDown if self.expanded => Some(self.scrolled(|scroll| scroll.page(1))),
            Action::Interrupt | Action::Quit => Some(Outcome::pass()),
            action => is_for_screen(action).then(Outcome::pass),
        }
    }

    fn is_of_turn(&self) -> bool {
        matches!(&self.asker, Asker::Agent(question) if question.request.is_none())
    }

    fn scrolled(&mut self, scroll: impl FnOnce(&mut Scroll)) -> Outcome {
        self.scrolled = true;
        scroll(&mut self.scroll);
        Outcome::taken()
    }
}

impl Overlay for FormDialog {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        let contexts = [Context::Form, Context::Question, Context::Anywhere];
        // Letters of other questions' answers are text here.
        let action = cx.keymap.action(key, &contexts).filter(|_| !key.is_text());
        let moves = matches!(
            action,
            Some(
                Action::Confirm
                    | Action::QuestionUp
                    | Action::QuestionDown
                    | Action::FormNext
                    | Action::FormPrevious
            )
        );
        if !self.guard.is_open(cx.now) {
            // It belongs to what is being written in the composer.
            if let Some(outcome) = action.and_then(|action| self.always(action, cx)) {
                return outcome;
            }
            self.guard.pressed(key, cx.now);
            return if moves {
                Outcome::taken()
            } else {
                Outcome::pass()
            };
        }
        let own = matches!(
            action,
            Some(
                Action::Stop
                    | Action::Interrupt
                    | Action::FormNext
                    | Action::FormPrevious
                    | Action::Confirm
            )
        );
        if !own && self.use_control(key) == Used::Taken {
            return Outcome::taken();
        }
        let outcome = action.and_then(|action| match action {
            Action::Confirm => Some(self.confirm()),
            Action::QuestionUp | Action::FormPrevious => {
                self.step(false);
                Some(Outcome::taken())
            }
            Action::QuestionDown | Action::FormNext => {
                self.step(true);
                Some(Outcome::taken())
            }
            action => self.always(action, cx),
        });
        if outcome.is_none()
            && let Focus::Answer(_) = self.focus
        {
            use crossterm::event::KeyCode::{Left, Right};
            match key.code() {
                Left => self.step(false),
                Right => self.step(true),
                _ => {
                    self.guard.pressed(key, cx.now);
                    if key.is_text() {
                        // What is typed goes to the composer: an enter behind it means that.
                        self.focus = Focus::Nothing;
                    }
                    return Outcome::pass();
                }
            }
            return Outcome::taken();
        }
        outcome.unwrap_or_else(|| {
            if !matches!(self.focus, Focus::Field(_)) {
                self.guard.pressed(key, cx.now);
            }
            Outcome::pass()
        })
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        if let Focus::Field(at) = self.focus
            && self.guard.is_open(cx.now)
            && let Some(control) = self.controls.get_mut(at)
            && let Some(input) = control.paste(text)
        {
            self.draft.set(at, input);
            return Outcome::taken();
        }
        self.guard.typed(cx.now);
        Outcome::pass()
    }

    fn point(&mut self, pointer: Pointer, _: &OverlayContext<'_>) -> Outcome {
        match pointer {
            Pointer::Wheel(rows) => self.scrolled(|scroll| scroll.by(rows)),
            _ => Outcome::pass(),
        }
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        if self.expanded {
            return room.whole;
        }
        let width = usize::from(cx.frame.inner_width(room.width));
        let rows = self.picture(width, cx).rows.len() + self.answer_rows(width, cx).len();
        let gap = usize::from(cx.frame == Frame::Full);
        cx.frame.around(rows + gap).min(room.height)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        self.guard.drawn(cx.now);
        self.drawn = Some(self.focus);
        let inner = self.panel(cx).draw(area, buf, cx);
        let width = usize::from(inner.width);
        let answers = self.answer_rows(width, cx);
        let (fields, answers_area) = split_answers(inner, answers.len(), cx.frame);
        draw_rows(&answers, answers_area, buf);
        self.draw_fields(fields, buf, cx)
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        self.guard.opens_at().filter(|at| *at > now)
    }
}
