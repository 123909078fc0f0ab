//! The fields of a form: label, value, and what the one that has the keys shows besides.

use ratatui::style::Style;

use crate::{
    model::{Field, FieldKind, FieldOption},
    session::{Input, rules},
    text::{SafeText, cell_width},
    ui::{
        line_input::masked,
        overlay::{OverlayContext, panel::marked},
        render::{
            Row,
            line::{StyledLine, Wrapping, prefixed, room_beside, select},
        },
    },
};

use super::{
    FormDialog,
    control::Control,
    picture::{Before, Picture, restyled},
};

/// Narrower than this a value stands below its label.
const BESIDE: usize = 46;

/// Cells of the label column at most, as a part of the width.
const LABEL_PART: usize = 3;

/// Options of a list that show at once.
const OPTIONS: usize = 8;

/// Where labels and values of a form stand.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    width: usize,
    /// Where values begin.
    value: usize,
    beside: bool,
}

/// The selection sign and a blank.
const MARGIN: usize = 2;

impl FormDialog {
    pub(super) fn columns(&self, width: usize) -> Columns {
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

    pub(super) fn field(
        &self,
        before: &Before<'_>,
        columns: Columns,
        picture: &mut Picture,
        cx: &OverlayContext<'_>,
    ) {
        let theme = cx.theme;
        let (field, width) = (before.field, columns.width);
        let style = match before.focused {
            true => theme.strong,
            false => theme.text,
        };
        let mut label = marked(before.focused, cx).with(&field.label(), style);
        if field.required {
            label.push(" *", theme.warning);
        }
        let beside = columns.beside && label.width() + 1 < columns.value;
        let indent = StyledLine::blanks(columns.value);
        if beside {
            label.fill_to(columns.value, theme.text);
        } else {
            let (none, hanging) = (StyledLine::new(), StyledLine::blanks(MARGIN));
            let rows = label.wrap_with(Wrapping::Words, width, &none, &hanging);
            picture.rows.extend(rows);
            label = indent.clone();
        }
        if let (Control::Text(line), true) = (before.control, before.focused) {
            let room = width.saturating_sub(columns.value).max(2);
            let (shown, caret) = match is_secret(field) {
                true => line.shown_masked(room, cx.symbols.ellipsis),
                false => line.shown(room, cx.symbols.ellipsis),
            };
            let mut text = StyledLine::styled(&shown, theme.text);
            text.fill_to(room, theme.text);
            // A line to write on; a background would hide the caret where it is only reversed.
            label.extend(&restyled(&text, Style::new().underlined()));
            picture.caret = Some((picture.rows.len(), columns.value + caret));
            picture.rows.push(label.into_row());
        } else {
            let value = value_line(field, before.input, cx);
            let rows = value.wrap_with(Wrapping::Verbatim, width, &label, &indent);
            picture.rows.extend(rows);
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
    let mut head = marked(under, cx);
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
    let before = StyledLine::blanks(columns.value.saturating_sub(MARGIN));
    let room = room_beside(before.width(), columns.width);
    let mut rows = text.wrap_behind(&head, Wrapping::Words, room);
    if under {
        for row in &mut rows {
            select(row, room, theme.selected);
        }
    }
    let rows = rows.into_iter();
    rows.map(|row| prefixed(&before, row, columns.width))
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
            let text = match kind.is_empty() {
                true => "of an unknown kind: left out".to_owned(),
                false => format!("of an unknown kind ({kind}): left out"),
            };
            return StyledLine::styled(&text, theme.dim);
        }
        (_, Input::Text(text)) => {
            let text = text.replace('\n', "\u{2424}");
            let text = if is_secret(field) {
                masked(&text)
            } else {
                text
            };
            SafeText::line(&text).to_string()
        }
        (_, Input::Flag(Some(true))) => "yes".to_owned(),
        (_, Input::Flag(Some(false))) => "no".to_owned(),
        (FieldKind::Select { options, .. }, Input::Choice(choice)) => {
            titles(options, &|at| *choice == Some(at))
        }
        (FieldKind::MultiSelect { options, .. }, Input::Choices(chosen)) => {
            match titles(options, &|at| chosen.get(at) == Some(&true)) {
                text if text.is_empty() && field.required => "none".to_owned(),
                text => text,
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

fn is_secret(field: &Field) -> bool {
    matches!(&field.kind, FieldKind::Text(text) if text.secret)
}

fn label_width(field: &Field) -> usize {
    cell_width(&field.label()) + if field.required { 2 } else { 0 }
}
