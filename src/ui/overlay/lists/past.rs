//! Past sessions: which one to open again (`--resume`).

use crate::{
    text::{SafeText, cell_width, truncate_to_width},
    ui::{
        PastSession, UiCommand,
        action::Action,
        overlay::{Outcome, OverlayContext},
        render::line::StyledLine,
    },
};

use super::{Contents, ListDialog, ListRow};

pub struct PastSessions(Vec<PastSession>);

impl PastSessions {
    pub fn dialog(past: Vec<PastSession>) -> ListDialog<Self> {
        ListDialog::new(Self(past))
    }
}

impl Contents for PastSessions {
    type Id = String;
    type MadeFrom = ();

    const TITLE: &'static str = "Past sessions";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "reopen"), (Action::Stop, "close")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<String>> {
        self.0.iter().map(|past| row(past, cx)).collect()
    }

    fn choose(&mut self, id: String, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().command(UiCommand::Reopen(id))
    }
}

/// The name comes first, and is cut last: the rest tells two of one name apart.
fn row(past: &PastSession, cx: &OverlayContext<'_>) -> ListRow<String> {
    let theme = cx.theme;
    let mut label = StyledLine::new();
    match past.name.is_empty() {
        true => label.push("untitled", theme.dim),
        false => label.push(&past.name, theme.text),
    }
    let mut note = StyledLine::styled(&past.agent, theme.dim);
    let separator = format!(" {} ", cx.symbols.separator);
    if let Some(cwd) = &past.elsewhere {
        note.push(&separator, theme.dim);
        note.push(&shortened(cwd, cx.symbols.ellipsis), theme.dim);
    }
    note.push(&separator, theme.dim);
    note.push(&past.when, theme.dim);
    ListRow::new(past.id.clone(), label).with_note(note)
}

/// A directory in few cells: its name matters more than where it is.
fn shortened(cwd: &SafeText, ellipsis: &str) -> String {
    const MAX_CELLS: usize = 24;
    if cell_width(cwd) <= MAX_CELLS {
        return cwd.to_string();
    }
    let name = cwd.rsplit('/').next().unwrap_or_default();
    format!("{ellipsis}/{}", truncate_to_width(name, MAX_CELLS - 2))
}
