//! What a form looks like.

use std::ops::Range;

use ratatui::style::Style;

use crate::{
    proto::{Field, FieldKind, FieldOption},
    session::{Input, asks_for_secret, rules},
    text::{SafeText, cell_width},
    ui::{
        action::Action,
        overlay::{
            OverlayContext, agent_name,
            panel::{Frame, Panel},
        },
        render::{
            Row,
            format::count,
            line::{StyledLine, Wrapping, pad, prefixed, room_beside},
        },
    },
};

use super::{Answer, Focus, FormDialog, control::Control};

/// Narrower than this a value stands below its label.
const BESIDE: usize = 46;

/// Cells of the label column at most, as a part of the width.
const LABEL_PART: usize = 3;

/// Options of a list that show at once.
const OPTIONS: usize = 8;

/// The content of a form, laid out whole.
#[derive(Default)]
pub(super) struct Picture {
    pub rows: Vec<Row>,
    /// Rows of the field that has the keys.
    pub focused: Option<Range<usize>>,
    /// Row and column of the caret.
    pub caret: Option<(usize, usize)>,
}

impl Picture {
    fn push(&mut self, line: &StyledLine, width: usize) {
        self.rows.extend(line.wrap(width));
    }

    fn text(&mut self, text: &str, style: Style, indent: usize, width: usize) {
        let mut before = StyledLine::new();
        before.fill_to(indent, style);
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

/// Where labels and values of a form stand.
#[derive(Clone, Copy)]
struct Columns {
    width: usize,
    /// Where values begin.
    value: usize,
    beside: bool,
}

/// The selection sign and a blank.
const MARGIN: usize = 2;

impl FormDialog {
    pub(super) fn panel(&self, cx: &OverlayContext<'_>) -> Panel {
        let hint = |action| cx.keymap.hint(action);
        let mut hints = Vec::new();
        let confirm = match self.focus {
            Focus::Answer(Answer::Send) => "send",
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
        let (back, next) = (hint(Action::FormPrevious), hint(Action::FormNext));
        hints.push((format!("{next}/{back}"), "fields"));
        hints.push((hint(Action::Stop), "dismiss"));
        if self.expanded {
            hints.push((hint(Action::Details), "less"));
        }
        let waiting = cx
            .session
            .map_or(0, |session| session.waiting_questions().count());
        let note = match (waiting, cx.frame) {
            (0 | 1, _) => StyledLine::new(),
            (n, Frame::Full) => StyledLine::styled(&format!("1 of {n}"), cx.theme.warning),
            (n, Frame::Compact) => StyledLine::styled(&format!("1/{n}"), cx.theme.warning),
        };
        let title = format!("{} asks you", agent_name(cx.session));
        Panel {
            title: StyledLine::styled(&title, cx.theme.warning.bold()),
            note,
            hints,
            border: cx.theme.border_focus,
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
        if let Some(about) = &self.question.about {
            let text = format!("for {about}");
            picture.push(&StyledLine::styled(&text, theme.dim), width);
        }
        if let Some(title) = &form.title {
            picture.push(&StyledLine::styled(title, theme.strong), width);
        }
        let message = self.question.message.trim();
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
                "! {}: no form may ask for a secret; the agent reads what you write here",
                secrets.join(", ")
            );
            picture.push(&StyledLine::styled(&text, theme.error.bold()), width);
        }
        if let Some(field) = self.draft.cannot_be_sent() {
            // V1-ELI-11
            let text = format!(
                "! {}: a field that this client does not know, and it is needed: the form can \
                 only be declined",
                field.label()
            );
            picture.push(&StyledLine::styled(&text, theme.warning.bold()), width);
        }
        picture.blank(cx);
    }

    fn columns(&self, width: usize) -> Columns {
        let labels = self.draft.fields().iter().map(label_width);
        let widest = labels.max().unwrap_or(0).min(width / LABEL_PART);
        let beside = width >= BESIDE;
        Columns {
            width,
            value: if beside {
                MARGIN + widest + 2
            } else {
                MARGIN + 2
            },
            beside,
        }
    }

    fn field(
        &self,
        before: &Before<'_>,
        columns: Columns,
        picture: &mut Picture,
        cx: &OverlayContext<'_>,
    ) {
        let theme = cx.theme;
        let (field, width) = (before.field, columns.width);
        let marker = if before.focused {
            cx.symbols.prompt
        } else {
            " "
        };
        let mut label = StyledLine::styled(marker, theme.accent);
        label.push(" ", theme.text);
        let style = if before.focused {
            theme.strong
        } else {
            theme.text
        };
        label.push(&field.label(), style);
        if field.required {
            label.push(" *", theme.warning);
        }
        let beside = columns.beside && label.width() + 1 < columns.value;
        let mut indent = StyledLine::new();
        indent.fill_to(columns.value, theme.text);
        if beside {
            label.fill_to(columns.value, theme.text);
        } else {
            let mut hanging = StyledLine::new();
            hanging.fill_to(MARGIN, theme.text);
            picture.rows.extend(label.wrap_with(
                Wrapping::Words,
                width,
                &StyledLine::new(),
                &hanging,
            ));
            label = indent.clone();
        }
        if let (Control::Text(line), true) = (before.control, before.focused) {
            let room = width.saturating_sub(columns.value).max(2);
            let (shown, caret) = line.shown(room, cx.symbols.ellipsis);
            let mut text = StyledLine::styled(&shown, theme.text);
            text.fill_to(room, theme.text);
            // A line to write on; a background would hide the caret where it is only reversed.
            label.extend(&restyled(&text, Style::new().underlined()));
            picture.caret = Some((picture.rows.len(), columns.value + caret));
            picture.rows.push(label.into_row());
        } else {
            let value = value_line(field, before.input, cx);
            picture
                .rows
                .extend(value.wrap_with(Wrapping::Verbatim, width, &label, &indent));
        }
        let problem = self.draft.value(before.at).err();
        let told = problem.filter(|_| self.left.get(before.at) == Some(&true));
        if before.focused {
            unfolded(before, columns, picture, cx);
            if let Some(rules) = rules(field).filter(|_| told.is_none()) {
                picture.text(&rules, theme.dim, columns.value, width);
            }
        }
        if let Some(problem) = told {
            let text = format!("{} {problem}", cx.symbols.failed);
            picture.text(&text, theme.error, columns.value, width);
        }
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
            cell.push(&format!(" {} ", answer.label()), style);
            if focused {
                restyled(&cell, theme.selected)
            } else {
                cell
            }
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

    /// What stands below fields that are more than their room.
    pub(super) fn more_row(&self, top: usize, width: usize, cx: &OverlayContext<'_>) -> Row {
        let theme = cx.theme;
        let below = self.scroll.below();
        let mut line = StyledLine::new();
        if below > 0 {
            line.push(&format!("+{}", count(below, "line")), theme.warning);
        }
        if top > 0 {
            let separator = if below > 0 {
                format!(" {} ", cx.symbols.separator)
            } else {
                String::new()
            };
            line.push(
                &format!("{separator}{} above", count(top, "line")),
                theme.dim,
            );
        }
        line.push(&format!(" {} ", cx.symbols.separator), theme.dim);
        line.push(&cx.keymap.hint(Action::Details), theme.key_hint);
        line.push(if self.expanded { " less" } else { " all" }, theme.dim);
        line.truncate(width, cx.symbols.ellipsis)
    }
}

/// A field before it is drawn.
struct Before<'a> {
    at: usize,
    field: &'a Field,
    input: &'a Input,
    control: &'a Control,
    focused: bool,
}

/// What the field that has the keys shows besides its value.
fn unfolded(before: &Before<'_>, columns: Columns, picture: &mut Picture, cx: &OverlayContext<'_>) {
    if let Some(description) = &before.field.description {
        picture.text(description, cx.theme.dim, columns.value, columns.width);
    }
    let (
        FieldKind::Select { options, .. } | FieldKind::MultiSelect { options, .. },
        Control::Options { cursor, .. },
    ) = (&before.field.kind, before.control)
    else {
        return;
    };
    let start = cursor.saturating_sub(OPTIONS / 2);
    let start = start.min(options.len().saturating_sub(OPTIONS));
    let end = (start + OPTIONS).min(options.len());
    let note = |count: usize, sign: &str| format!("{sign} {count} more");
    if start > 0 {
        let text = note(start, cx.symbols.more_above);
        picture.text(&text, cx.theme.dim, columns.value, columns.width);
    }
    for (at, option) in options.iter().enumerate().take(end).skip(start) {
        let chosen = match before.input {
            Input::Choice(choice) => *choice == Some(at),
            Input::Choices(chosen) => chosen.get(at) == Some(&true),
            _ => false,
        };
        let several = matches!(before.input, Input::Choices(_));
        let under = at == *cursor;
        picture
            .rows
            .extend(option_rows(option, (chosen, several, under), columns, cx));
    }
    if end < options.len() {
        let text = note(options.len() - end, cx.symbols.more);
        picture.text(&text, cx.theme.dim, columns.value, columns.width);
    }
}

/// `(•) title  description`; the one under the cursor set off.
fn option_rows(
    option: &FieldOption,
    (chosen, several, under): (bool, bool, bool),
    columns: Columns,
    cx: &OverlayContext<'_>,
) -> Vec<Row> {
    let theme = cx.theme;
    let marker = if under { cx.symbols.prompt } else { " " };
    let mut head = StyledLine::styled(marker, theme.accent);
    head.push(" ", theme.text);
    let sign = match (several, chosen) {
        (true, true) => cx.symbols.checked.to_owned(),
        (true, false) => cx.symbols.unchecked.to_owned(),
        (false, true) => format!("({})", cx.symbols.bullet),
        (false, false) => "( )".to_owned(),
    };
    head.push(&sign, if chosen { theme.accent } else { theme.dim });
    head.push(" ", theme.text);
    let mut text = StyledLine::styled(&option.title, theme.text);
    if let Some(description) = &option.description {
        text.push(&format!("  {}", SafeText::line(description)), theme.dim);
    }
    let mut indent = StyledLine::new();
    indent.fill_to(head.width(), theme.text);
    let mut before = StyledLine::new();
    before.fill_to(columns.value.saturating_sub(MARGIN), theme.text);
    let room = room_beside(before.width(), columns.width);
    let mut rows = text.wrap_with(Wrapping::Words, room, &head, &indent);
    if under {
        for row in &mut rows {
            pad(row, room, theme.selected);
            row.line = std::mem::take(&mut row.line).patch_style(theme.selected);
        }
    }
    let placed = rows.into_iter();
    placed
        .map(|row| prefixed(&before, row, columns.width))
        .collect()
}

/// A field's value in one line.
fn value_line(field: &Field, input: &Input, cx: &OverlayContext<'_>) -> StyledLine {
    let theme = cx.theme;
    let nothing = || {
        if field.required {
            StyledLine::styled("needed", theme.warning)
        } else {
            StyledLine::styled("left out", theme.dim)
        }
    };
    let titles = |options: &[FieldOption], chosen: &dyn Fn(usize) -> bool| {
        let chosen = options.iter().enumerate().filter(|(at, _)| chosen(*at));
        let titles: Vec<&str> = chosen.map(|(_, option)| option.title.as_str()).collect();
        titles.join(", ")
    };
    let text = match (&field.kind, input) {
        (FieldKind::Unknown(kind), _) => {
            let text = if kind.is_empty() {
                "of an unknown kind: left out".to_owned()
            } else {
                format!("of an unknown kind ({kind}): left out")
            };
            return StyledLine::styled(&text, theme.dim);
        }
        (_, Input::Text(text)) => SafeText::line(&text.replace('\n', "\u{2424}")).to_string(),
        (_, Input::Flag(Some(true))) => "yes".to_owned(),
        (_, Input::Flag(Some(false))) => "no".to_owned(),
        (FieldKind::Select { options, .. }, Input::Choice(choice)) => {
            titles(options, &|at| *choice == Some(at))
        }
        (FieldKind::MultiSelect { options, .. }, Input::Choices(chosen)) => {
            let text = titles(options, &|at| chosen.get(at) == Some(&true));
            if text.is_empty() && field.required {
                "none".to_owned()
            } else {
                text
            }
        }
        _ => String::new(),
    };
    if text.is_empty() {
        nothing()
    } else {
        StyledLine::styled(&text, theme.text)
    }
}

fn label_width(field: &Field) -> usize {
    cell_width(&field.label()) + if field.required { 2 } else { 0 }
}

/// The whole line with `style` laid over.
fn restyled(line: &StyledLine, style: Style) -> StyledLine {
    let mut line = line.clone();
    line.patch(0..line.text().len(), style);
    line
}
