//! The answers below a view of the whole screen that the question has opened.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    widgets::{Clear, Widget},
};

use crate::ui::{
    action::{Action, Context},
    keymap::Chord,
    overlay::{Outcome, OverlayContext, panel::to_rows},
    render::{draw_rows, line::StyledLine},
};

use super::{QuestionDialog, choices::action_kind};

impl QuestionDialog {
    /// A key that answers from there; `None` leaves it to the view. Letters are no answers while
    /// there is a draft, as in the dialog.
    fn answer_key(&self, key: Chord, cx: &OverlayContext<'_>) -> Option<Answering> {
        let number = key.digit().and_then(|digit| self.choices.numbered(digit));
        if let Some(at) = number
            && (!cx.drafting || self.choices.rejects(at))
        {
            return Some(Answering::Choice(at));
        }
        if cx.drafting && key.is_text() {
            return None;
        }
        match cx.keymap.action(key, &[Context::Question])? {
            Action::Confirm => self.choices.selected().map(Answering::Choice),
            action if action_kind(action).is_some() => Some(Answering::Kind(action)),
            action @ Action::Feedback if self.subject.takes_reason() => {
                Some(Answering::Kind(action))
            }
            _ => None,
        }
    }

    /// Whether a key is one of an answer there.
    pub fn answers_by(&self, key: Chord, cx: &OverlayContext<'_>) -> bool {
        self.answer_key(key, cx).is_some()
    }

    pub fn answer_below(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Option<Outcome> {
        self.refresh(cx);
        let answering = self.answer_key(key, cx)?;
        if !self.guard.is_open(cx.now) {
            return Some(Outcome::taken());
        }
        match answering {
            Answering::Choice(at) => Some(self.pick(at, cx)),
            Answering::Kind(Action::Feedback) => Some(self.reject_with_reason()),
            Answering::Kind(action) => self.by_kind(action, cx),
        }
    }

    /// Rows for them of `room`, title included.
    pub fn answers_height(&mut self, width: u16, room: u16, cx: &OverlayContext<'_>) -> u16 {
        let below_title = usize::from(room.saturating_sub(1));
        let rows = self
            .choices
            .fit(answers_width(width), below_title, false, cx);
        to_rows(rows.max(1)).saturating_add(1).min(room)
    }

    /// `of_diff`: they stand below a diff.
    pub fn draw_answers(
        &mut self,
        area: Rect,
        of_diff: bool,
        buf: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) {
        self.choices.below_diff = of_diff;
        if area.is_empty() {
            return;
        }
        self.refresh(cx);
        self.guard.drawn(cx.now);
        Clear.render(area, buf);
        let rule = cx.symbols.rule;
        let mut line = StyledLine::styled(&format!("{rule}{rule} "), cx.theme.border_focus);
        line.push(&self.subject.title(cx), cx.theme.warning.bold());
        line.push(" ", cx.theme.border_focus);
        for (many, does) in self.comments_hint() {
            line.push(
                &format!("{} {many} {does} ", cx.symbols.separator),
                cx.theme.dim,
            );
        }
        let rest = usize::from(area.width).saturating_sub(line.width());
        line.push(&rule.repeat(rest), cx.theme.border_focus);
        let row = line.truncate(area.width.into(), cx.symbols.ellipsis);
        buf.set_line(area.x, area.y, &row.line, area.width);
        let below = Rect {
            x: area.x + 1,
            y: area.y + 1,
            width: answers_width(area.width).try_into().unwrap_or(area.width),
            height: area.height - 1,
        };
        let open = self.guard.is_open(cx.now);
        draw_rows(&self.no_answer(below.width.into(), cx), below, buf);
        self.choices.draw(below, buf, open, cx);
    }
}

/// What a key does below such a view.
enum Answering {
    Choice(usize),
    Kind(Action),
}

fn answers_width(width: u16) -> usize {
    usize::from(width.saturating_sub(2).max(1))
}
