//! What a form looks like.

use std::ops::Range;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    style::Style,
};

use crate::{
    model::{Field, FieldKind},
    session::{Input, asks_for_secret},
    ui::{
        action::Action,
        overlay::{
            OverlayContext, asker,
            panel::{Frame, Panel, out_of_sight, push_details, waiting_note},
        },
        render::{
            Row, draw_rows,
            line::{StyledLine, Wrapping},
        },
    },
};

use super::{Answer, Asker, Focus, FormDialog, control::Control};

/// The content of a form, laid out whole.
#[derive(Default)]
pub(super) struct Picture {
    pub rows: Vec<Row>,
    /// Rows of the field that has the keys.
    pub focused: Option<Range<usize>>,
    /// Row and column of the caret.
    pub caret: Option<(usize, usize)>,
}

/// A field before it is drawn.
pub(super) struct Before<'a> {
    pub at: usize,
    pub field: &'a Field,
    pub input: &'a Input,
    pub control: &'a Control,
    pub focused: bool,
}

impl Picture {
    fn push(&mut self, line: &StyledLine, width: usize) {
        self.rows.extend(line.wrap(width));
    }

    pub(super) fn text(&mut self, text: &str, style: Style, indent: usize, width: usize) {
        let before = StyledLine::blanks(indent);
        for line in StyledLine::lines(text, style) {
            self.rows
                .extend(line.wrap_with(Wrapping::Words, width, &before, &before));
        }
    }

    fn blank(&mut self, cx: &OverlayContext<'_>) {
        if !self.rows.is_empty() && cx.frame == Frame::Full {
            self.rows.push(Row::default());
        }
    }
}

impl FormDialog {
    /// What enter does at last, in a word.
    fn send_word(&self) -> &'static str {
        match &self.asker {
            Asker::Own(form) => form.verb,
            _ => "send",
        }
    }

    pub(super) fn panel(&self, cx: &OverlayContext<'_>) -> Panel {
        let hint = |action| cx.keymap.hint(action);
        let mut hints = Vec::new();
        let confirm = match self.focus {
            Focus::Answer(Answer::Send) => self.send_word(),
            Focus::Field(_) if self.is_a_line() => self.send_word(),
            Focus::Answer(Answer::Decline) => "say no",
            Focus::Answer(Answer::Dismiss) => "dismiss",
            Focus::Field(_) => "next",
            Focus::Nothing => "",
        };
        if !confirm.is_empty() {
            hints.push((hint(Action::Confirm), confirm));
        }
        if let Focus::Field(at) = self.focus {
            match self.draft.fields().get(at).map(|field| &field.kind) {
                Some(FieldKind::Boolean { .. }) => hints.push(("space".into(), "yes or no")),
                Some(FieldKind::Select { .. } | FieldKind::MultiSelect { .. }) => {
                    hints.push(("space".into(), "choose"));
                }
                _ => {}
            }
        }
        if self.draft.fields().is_empty() {
            // Only answers: one of them may have to be selected first.
            let keys = cx.keymap.two(Action::QuestionUp, Action::QuestionDown);
            hints.push((keys, "select"));
        } else if !self.is_a_line() {
            let keys = cx.keymap.two(Action::FormNext, Action::FormPrevious);
            hints.push((keys, "fields"));
        }
        let stop = match &self.asker {
            Asker::Agent(_) => "dismiss",
            Asker::Own(_) => "cancel",
        };
        hints.push((hint(Action::Stop), stop));
        if self.expanded {
            hints.push((hint(Action::Details), "less"));
        }
        match &self.asker {
            Asker::Agent(question) => {
                let who = asker(cx.session, question.subagent.as_ref());
                Panel {
                    note: waiting_note(cx),
                    ..Panel::asked(&format!("{who} asks you"), hints, cx)
                }
            }
            Asker::Own(own) => Panel {
                title: StyledLine::styled(&own.title, cx.theme.strong),
                ..Panel::asked("", hints, cx)
            },
        }
    }

    /// Everything but the answers.
    pub(super) fn picture(&self, width: usize, cx: &OverlayContext<'_>) -> Picture {
        let mut picture = Picture::default();
        self.head(&mut picture, width, cx);
        let columns = self.columns(width);
        for (at, control) in self.controls.iter().enumerate() {
            if let Some((field, input)) = self.draft.field(at) {
                let start = picture.rows.len();
                let focused = self.focus == Focus::Field(at);
                let before = Before {
                    at,
                    field,
                    input,
                    control,
                    focused,
                };
                self.field(&before, columns, &mut picture, cx);
                if focused {
                    picture.focused = Some(start..picture.rows.len());
                }
            }
        }
        picture
    }

    fn head(&self, picture: &mut Picture, width: usize, cx: &OverlayContext<'_>) {
        let theme = cx.theme;
        let form = self.draft.form();
        // Ours says all in its title, its fields and what does not fit into a title.
        let Asker::Agent(question) = &self.asker else {
            if let Some(description) = &form.description {
                picture.text(description, theme.text, 0, width);
            }
            return;
        };
        if let Some(about) = &question.about {
            let text = format!("for {about}");
            picture.push(&StyledLine::styled(&text, theme.dim), width);
        }
        if let Some(title) = &form.title {
            picture.push(&StyledLine::styled(title, theme.strong), width);
        }
        let message = question.message.trim();
        if !message.is_empty() {
            picture.text(message, theme.text, 0, width);
        }
        if let Some(description) = &form.description {
            picture.text(description, theme.dim, 0, width);
        }
        let secrets: Vec<String> = form
            .fields
            .iter()
            .filter(|field| asks_for_secret(field))
            .map(|field| field.label().to_string())
            .collect();
        if !secrets.is_empty() {
            // V1-ELI-13
            let text = format!(
                "! {}: a form must not ask for a secret; the agent reads what you type here",
                secrets.join(", ")
            );
            picture.push(&StyledLine::styled(&text, theme.error.bold()), width);
        }
        if let Some(field) = self.draft.cannot_be_sent() {
            // V1-ELI-11
            let text = format!(
                "! {}: a required field of an unknown kind: the form can only be declined",
                field.label()
            );
            picture.push(&StyledLine::styled(&text, theme.warning.bold()), width);
        }
        picture.blank(cx);
    }

    /// Send, decline, dismiss: beside each other where there is room.
    pub(super) fn answer_rows(&self, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        let theme = cx.theme;
        let cells = self.answers().iter().map(|answer| {
            let focused = self.focus == Focus::Answer(*answer);
            let marker = if focused { cx.symbols.prompt } else { " " };
            let mut cell = StyledLine::styled(marker, theme.accent);
            let style = match (answer, focused) {
                (Answer::Send, _) => theme.success.bold(),
                (_, true) => theme.strong,
                (_, false) => theme.text,
            };
            cell.push(&format!(" {} ", answer.label(&self.asker)), style);
            if focused {
                cell.select(theme.selected);
            }
            cell
        });
        let cells: Vec<StyledLine> = cells.collect();
        let together: usize = cells.iter().map(|cell| cell.width() + 1).sum();
        if together > width + 1 {
            return cells.into_iter().map(StyledLine::into_row).collect();
        }
        let mut row = StyledLine::new();
        for cell in &cells {
            if !row.is_empty() {
                row.push(" ", theme.text);
            }
            row.extend(cell);
        }
        vec![row.into_row()]
    }

    pub(super) fn draw_fields(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let picture = self.picture(area.width.into(), cx);
        let len = picture.rows.len();
        let fits = len <= area.height.into();
        // What is out of sight is counted in the last row.
        let window = area.height.saturating_sub(u16::from(!fits));
        let top = match picture.focused.clone() {
            Some(focused) if !self.scrolled => self.scroll.fit_to_show(focused, len, window),
            _ => self.scroll.fit(len, window),
        };
        let shown = Rect {
            height: window,
            ..area
        };
        draw_rows(picture.rows.iter().skip(top), shown, buf);
        if !fits && area.height > 0 {
            let mut more = out_of_sight(self.scroll.below(), top, cx);
            push_details(&mut more, self.expanded, cx);
            let row = more.truncate(area.width.into(), cx.symbols.ellipsis);
            buf.set_line(area.x, area.y + window, &row.line, area.width);
        }
        let (row, column) = picture.caret?;
        let y = u16::try_from(row.checked_sub(top)?).ok()?;
        let x = u16::try_from(column).ok()?;
        (y < window && x < area.width).then(|| Position::new(area.x + x, area.y + y))
    }
}

/// The whole line with `style` laid over.
pub(super) fn restyled(line: &StyledLine, style: Style) -> StyledLine {
    let mut line = line.clone();
    line.patch(0..line.text().len(), style);
    line
}
