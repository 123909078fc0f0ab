//! Past sessions: which one to open again (`--resume`).

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    text::{SafeText, cell_width, truncate_to_width},
    ui::{
        PastSession, UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{
            Outcome, Overlay, OverlayContext, Room,
            list::{Entry, FilterList, Listed},
            panel::Panel,
        },
        render::line::StyledLine,
    },
};

/// Rows at most, so that what is behind stays in sight.
const MAX_ROWS: u16 = 18;

pub struct PastSessions {
    past: Vec<PastSession>,
    list: FilterList<String>,
    /// The theme that the entries were made with; it may be known only once the list is open.
    made_with: Option<u8>,
}

impl PastSessions {
    pub fn new(past: Vec<PastSession>) -> Self {
        Self {
            past,
            list: FilterList::default(),
            made_with: None,
        }
    }

    fn fill(&mut self, cx: &OverlayContext<'_>) {
        if self.made_with.replace(cx.theme.id) == Some(cx.theme.id) {
            return;
        }
        let selected = self.list.selected().cloned();
        let entries = self.past.iter().map(|past| entry(past, cx));
        self.list.set_entries(entries.collect());
        self.list.select(|id| Some(id) == selected.as_ref());
    }
}

/// What it is called stands first, and is cut last: the rest tells two of one name apart.
fn entry(past: &PastSession, cx: &OverlayContext<'_>) -> Entry<String> {
    let theme = cx.theme;
    let mut label = StyledLine::new();
    match past.name.is_empty() {
        true => label.push("without a name", theme.dim),
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
    Entry {
        label,
        note,
        value: past.id.clone(),
    }
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

impl Overlay for PastSessions {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => Outcome::taken(),
            Listed::Chosen => match self.list.selected() {
                Some(id) => Outcome::close().command(UiCommand::Reopen(id.clone())),
                None => Outcome::taken(),
            },
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.fill(cx);
        let rows = u16::try_from(self.list.rows()).unwrap_or(u16::MAX);
        let frame = cx.frame.rows();
        rows.min(MAX_ROWS).saturating_add(frame).min(room.height)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let hints = [(Action::Send, "open again"), (Action::Stop, "close")];
        let inner = Panel::opened("Past sessions", &hints, cx).draw(area, buffer, cx);
        self.list.draw(inner, buffer, cx)
    }
}
