//! Past sessions: which one to open again (`--resume`); what is typed is also looked for in their text.

use std::collections::BTreeSet;

use crate::{
    text::{SafeText, cell_width, truncate_with},
    ui::{
        FoundInText, PastSession, UiCommand,
        action::Action,
        overlay::{Outcome, OverlayContext, panel::Panel},
        render::{Row, line::StyledLine},
    },
};

use super::{Contents, FilterList, ListDialog, ListRow, preview};

pub struct PastSessions {
    all: Vec<PastSession>,
    /// As it was last told.
    typed: String,
}

impl PastSessions {
    pub fn dialog(past: Vec<PastSession>) -> ListDialog<Self> {
        ListDialog::new(Self {
            all: past,
            typed: String::new(),
        })
    }
}

impl PastSessions {
    /// What a search in the text has found of what is typed now.
    fn found<'a>(&self, typed: &str, cx: &OverlayContext<'a>) -> Option<&'a FoundInText> {
        let words = searched(typed);
        Some(cx.found).filter(|found| !words.is_empty() && found.words == words)
    }
}

/// Letters from which words are looked for in the text.
const MIN_LETTERS: usize = 2;

/// What is looked for in the text; nothing where too little was typed.
pub(super) fn searched(typed: &str) -> &str {
    let typed = typed.trim();
    match typed.chars().count() {
        0..MIN_LETTERS => "",
        _ => typed,
    }
}

impl Contents for PastSessions {
    type Id = String;
    /// What was found in the text: for what, and how much.
    type MadeFrom = (String, usize);

    const PREVIEWS: bool = true;

    const TITLE: &'static str = "Past sessions";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "reopen"), (Action::Stop, "close")];

    fn made_from(&self, _narrowed: bool, cx: &OverlayContext<'_>) -> Option<Self::MadeFrom> {
        let found = self.found(&self.typed, cx);
        Some(found.map_or_else(Default::default, |found| {
            (found.words.clone(), found.hits.len())
        }))
    }

    fn rows(&self, _: &Self::MadeFrom, cx: &OverlayContext<'_>) -> Vec<ListRow<String>> {
        let found = self.found(&self.typed, cx);
        let hits: BTreeSet<&str> = found
            .iter()
            .flat_map(|found| &found.hits)
            .map(|(id, _)| id.as_str())
            .collect();
        let row = |past: &PastSession| ListRow {
            in_text: hits.contains(past.id.as_str()),
            ..row(past, cx)
        };
        self.all.iter().map(row).collect()
    }

    fn typed(&mut self, typed: &str, _cx: &OverlayContext<'_>) -> Option<UiCommand> {
        let before = searched(&self.typed).to_owned();
        self.typed = typed.to_owned();
        let words = searched(typed);
        (words != before).then(|| UiCommand::SearchPast {
            words: words.to_owned(),
            ids: match words.is_empty() {
                true => Vec::new(),
                false => self.all.iter().map(|past| past.id.clone()).collect(),
            },
        })
    }

    fn preview_of(&self, id: &String, room: (usize, usize), cx: &OverlayContext<'_>) -> Vec<Row> {
        let Some(past) = self.all.iter().find(|past| past.id == *id) else {
            return Vec::new();
        };
        let hits = self.found(&self.typed, cx).map(|found| &found.hits);
        let hit = hits.and_then(|hits| hits.iter().find(|(of, _)| of == id));
        preview::rows(&past.last, hit.map(|(_, text)| text), room, cx)
    }

    fn panel(&self, list: &FilterList<String>, _width: u16, cx: &OverlayContext<'_>) -> Panel {
        let mut panel = Panel::opened(Self::TITLE, Self::HINTS, cx);
        if !searched(list.typed()).is_empty() {
            let done = self.found(list.typed(), cx).is_some_and(|found| found.done);
            let goes_on = if done { "" } else { ", searching" };
            let ellipsis = if done { "" } else { cx.symbols.ellipsis };
            let text = format!("{} found{goes_on}{ellipsis}", list.len());
            panel.note = StyledLine::styled(&text, cx.theme.dim);
        }
        panel
    }

    fn choose(&mut self, id: String, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().command(UiCommand::Reopen(id))
    }
}

/// The name comes first: what would cut it is left out.
fn row(past: &PastSession, cx: &OverlayContext<'_>) -> ListRow<String> {
    let theme = cx.theme;
    let mut label = StyledLine::new();
    match past.name.is_empty() {
        true => label.push("untitled", theme.dim),
        false => label.push(&past.name, theme.text),
    }
    let dim = |text: &str| StyledLine::styled(text, theme.dim);
    let cwd = past.elsewhere.as_ref();
    let cwd = cwd.map(|cwd| dim(&shortened(cwd, cx.symbols.ellipsis)));
    let branch = past.branch.as_ref().map(|branch| dim(branch));
    let worktree = past.worktree.as_ref().map(|worktree| dim(worktree));
    let more = match worktree {
        Some(_) => [branch, worktree, Some(dim(&past.agent)), cwd],
        None => [Some(dim(&past.agent)), branch, cwd, None],
    };
    ListRow::new(past.id.clone(), label)
        .with_note(dim(&past.when))
        .with_more(more.into_iter().flatten().collect())
}

/// A directory in few cells: its name matters more than where it is.
fn shortened(cwd: &SafeText, ellipsis: &str) -> String {
    const MAX_CELLS: usize = 24;
    if cell_width(cwd) <= MAX_CELLS {
        return cwd.to_string();
    }
    let name = cwd.rsplit('/').next().unwrap_or_default();
    let room = MAX_CELLS - 1 - cell_width(ellipsis);
    format!("{ellipsis}/{}", truncate_with(name, room, ellipsis))
}
