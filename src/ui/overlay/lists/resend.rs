//! Before an earlier prompt is sent again: whether files that turns have changed since are put back.

use crate::{
    model::Since,
    ui::{
        UiCommand,
        action::Action,
        overlay::{Outcome, OverlayContext},
        render::{Row, format::count, line::StyledLine},
    },
};

use super::{Contents, FilterList, ListDialog, ListRow};

/// Rows for the names of files.
const NAME_ROWS: usize = 4;

pub struct Resend(Since);

impl Resend {
    pub fn dialog(since: Since) -> ListDialog<Self> {
        ListDialog::new(Self(since))
    }
}

impl Contents for Resend {
    /// Whether files are put back.
    type Id = bool;
    type MadeFrom = ();

    const TITLE: &'static str = "Files changed since that prompt";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "send the prompt"), (Action::Stop, "back")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    /// Keeping them is the first: what is put back is never preselected.
    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<bool>> {
        let files = count(self.0.files, "file");
        let were = match self.0.files {
            1 => "it was",
            _ => "they were",
        };
        let row =
            |put_back, text: &str| ListRow::new(put_back, StyledLine::styled(text, cx.theme.text));
        vec![
            row(false, "Keep the files as they are"),
            row(true, &format!("Put back {files} as {were} then")),
        ]
    }

    fn choose(&mut self, put_back: bool, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().command(UiCommand::Resend { put_back })
    }

    fn room_below(&self, _list: &FilterList<bool>, width: usize) -> usize {
        self.names(width).min(NAME_ROWS)
    }

    fn below(&self, _list: &FilterList<bool>, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        let line = StyledLine::styled(&self.text(), cx.theme.dim);
        let mut rows = line.wrap(width);
        rows.truncate(NAME_ROWS);
        rows
    }
}

impl Resend {
    fn text(&self) -> String {
        let Since { files, names } = &self.0;
        let mut all: Vec<String> = names.iter().map(ToString::to_string).collect();
        match files.saturating_sub(names.len()) {
            0 => {}
            more => all.push(format!("{more} more")),
        }
        all.join(", ")
    }

    fn names(&self, width: usize) -> usize {
        crate::text::cell_width(&self.text()).div_ceil(width.max(1)) + 1
    }
}
