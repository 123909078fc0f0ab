//! What of a block to copy, or to write to a file.

use std::{cell::Cell, path::PathBuf};

use crossterm::event::KeyCode;

use crate::{
    model::{Field, FieldKind, Form, FormValue, TextField},
    text::SafeText,
    ui::{
        UiCommand,
        action::Action,
        blocks::Copyable,
        keymap::Chord,
        overlay::{FormDialog, Outcome, OverlayContext, OwnForm, Wish, panel::Panel},
        render::{format::count, line::StyledLine},
    },
};

use super::{Contents, FilterList, ListDialog, ListRow};

pub struct CopyPicker {
    offered: Vec<Copyable>,
    /// Something was typed to filter by: `w` is a letter of it.
    narrowed: Cell<bool>,
}

impl CopyPicker {
    pub fn dialog(offered: Vec<Copyable>) -> ListDialog<Self> {
        ListDialog::new(Self {
            offered,
            narrowed: Cell::new(false),
        })
    }
}

impl Contents for CopyPicker {
    type Id = usize;
    type MadeFrom = ();

    const TITLE: &'static str = "Copy";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "copy"), (Action::Stop, "close")];

    fn made_from(&self, narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        self.narrowed.set(narrowed);
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<usize>> {
        let rows = self.offered.iter().enumerate();
        rows.map(|(at, one)| row(at, one, cx)).collect()
    }

    fn panel(&self, _: &FilterList<usize>, _: u16, cx: &OverlayContext<'_>) -> Panel {
        let mut panel = Panel::opened(Self::TITLE, Self::HINTS, cx);
        panel.hints.insert(1, ("w".into(), "write to a file"));
        panel
    }

    fn key(&mut self, key: Chord, at: Option<&usize>, _: &OverlayContext<'_>) -> Option<Outcome> {
        let writes = key.is_text() && key.code() == KeyCode::Char('w') && !self.narrowed.get();
        let one = self.offered.get(*at?).filter(|_| writes)?;
        let dialog = ask_path(one.clone());
        Some(Outcome::close().with(Wish::Open(Box::new(dialog))))
    }

    fn choose(&mut self, at: usize, _cx: &OverlayContext<'_>) -> Outcome {
        match self.offered.get(at) {
            Some(one) => Outcome::close().command(UiCommand::CopyOf {
                what: one.what,
                text: one.text.clone(),
            }),
            None => Outcome::close(),
        }
    }
}

fn row(at: usize, one: &Copyable, cx: &OverlayContext<'_>) -> ListRow<usize> {
    let theme = cx.theme;
    let mut label = StyledLine::styled(one.what, theme.text);
    if !one.language.is_empty() {
        label.push(" ", theme.text);
        label.push(&SafeText::line(&one.language), theme.accent);
    }
    let mut lines = one.text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    label.push("  ", theme.text);
    label.push(&SafeText::line(first.trim()), theme.dim);
    let lines = count(one.text.trim_end().lines().count(), "line");
    ListRow::new(at, label).with_note(StyledLine::styled(&lines, theme.dim))
}

/// Asks where to.
fn ask_path(one: Copyable) -> FormDialog {
    let name = match one.what {
        "code" => "code",
        "the command" => "command",
        "the output" => "output",
        "the change as a patch" => "change",
        _ => "answer",
    };
    let form = Form {
        fields: vec![Field {
            key: "path".to_owned(),
            title: Some("File".into()),
            description: None,
            required: true,
            kind: FieldKind::Text(TextField {
                default: Some(format!("{name}.{}", one.extension)),
                ..TextField::default()
            }),
        }],
        ..Form::default()
    };
    let done = move |values: Vec<(String, FormValue)>| match values.into_iter().next() {
        Some((_, FormValue::Text(path))) if !path.trim().is_empty() => Ok(UiCommand::WriteCopy {
            path: PathBuf::from(path.trim()),
            text: one.text.clone(),
            replaces: false,
        }),
        _ => Err("a path is needed".into()),
    };
    FormDialog::own(
        form,
        OwnForm {
            title: SafeText::from("Write to a file"),
            send: "Write",
            verb: "write",
            done: Box::new(done),
        },
    )
}

/// Asks whether the file that is there may be replaced.
pub fn ask_replace(path: PathBuf, text: String) -> FormDialog {
    let title = SafeText::line(&format!("{} exists", path.display()));
    let done = move |_: Vec<(String, FormValue)>| {
        Ok(UiCommand::WriteCopy {
            path: path.clone(),
            text: text.clone(),
            replaces: true,
        })
    };
    FormDialog::own(
        Form::default(),
        OwnForm {
            title,
            send: "Replace it",
            verb: "replace",
            done: Box::new(done),
        },
    )
}
