//! Past sessions: which one to open again (`--resume`).

use crate::{
    text::{SafeText, cell_width, truncate_to_width},
    ui::{
        PastSession, UiCommand,
        action::Action,
        overlay::{Outcome, OverlayContext, panel::Panel},
        render::line::StyledLine,
    },
};

use super::{Contents, FilterList, ListDialog, ListRow};

pub struct PastSessions(Vec<PastSession>);

impl PastSessions {
    pub fn dialog(past: Vec<PastSession>) -> ListDialog<Self> {
        ListDialog::new(Self(past))
    }
}

impl Contents for PastSessions {
    type Id = String;
    type MadeFrom = ();

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<String>> {
        self.0.iter().map(|past| row(past, cx)).collect()
    }

    fn choose(&mut self, id: String, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().command(UiCommand::Reopen(id))
    }

    fn panel(&self, _list: &FilterList<String>, _width: u16, cx: &OverlayContext<'_>) -> Panel {
        let hints = [(Action::Send, "reopen"), (Action::Stop, "close")];
        Panel::opened("Past sessions", &hints, cx)
    }
}

/// What it is called stands first, and is cut last: the rest tells two of one name apart.
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

/// A directory in few cells: where it is matters less than what it is called.
fn shortened(cwd: &SafeText, ellipsis: &str) -> String {
    const MAX_CELLS: usize = 24;
    if cell_width(cwd) <= MAX_CELLS {
        return cwd.to_string();
    }
    let name = cwd.rsplit('/').next().unwrap_or_default();
    format!("{ellipsis}/{}", truncate_to_width(name, MAX_CELLS - 2))
}
