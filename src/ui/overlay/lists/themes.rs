//! Themes. The one that is selected is shown at once; closed without a choice, the one before is back.

use crate::{
    config::{ThemeChoice, themes::Themes},
    text::SafeText,
    ui::{
        action::Action,
        overlay::{Outcome, OverlayContext, Wish},
        render::line::StyledLine,
        theme::Background,
    },
};

use super::{Contents, FilterList, ListDialog, ListRow, NewRows};

/// The terminal's palette, and what it means.
const OF_TERMINAL: [(&str, &str); 3] = [
    ("auto", "the terminal's colours, on its own background"),
    ("dark", "the terminal's colours, for a dark background"),
    ("light", "the terminal's colours, for a light background"),
];

pub struct ThemeList {
    themes: Themes,
    /// In force when the list was opened.
    now: ThemeChoice,
}

impl ThemeList {
    pub fn dialog(themes: Themes, now: ThemeChoice) -> ListDialog<Self> {
        ListDialog::new(Self { themes, now })
    }
}

impl Contents for ThemeList {
    type Id = ThemeChoice;
    type MadeFrom = ();

    const MAX_ROWS: u16 = 12;
    const TITLE: &'static str = "Theme";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "keep"), (Action::Stop, "back")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<ThemeChoice>> {
        let row = |word: &str, note: &str| {
            let choice = ThemeChoice::of(word);
            let mut end = StyledLine::styled(note, cx.theme.dim);
            if choice == self.now {
                end.push("  now", cx.theme.success);
            }
            let label = StyledLine::styled(&SafeText::line(word), cx.theme.text);
            ListRow::new(choice, label).with_note(end)
        };
        let own = OF_TERMINAL.map(|(word, meaning)| ListRow {
            description: Some(meaning.into()),
            ..row(word, "")
        });
        let named = self.themes.names().into_iter().filter_map(|name| {
            let colours = self.themes.get(&name)?;
            let kind = match Background::of(colours.background) {
                Background::Light => "light",
                _ => "dark",
            };
            Some(row(&name, kind))
        });
        own.into_iter().chain(named).collect()
    }

    fn select(&self, rows: NewRows<'_, Self>, _cx: &OverlayContext<'_>) -> Option<ThemeChoice> {
        match rows.before {
            Some(()) => rows.selected,
            None => Some(self.now.clone()),
        }
    }

    fn preview(&self, list: &FilterList<ThemeChoice>) -> Option<ThemeChoice> {
        list.selected().cloned()
    }

    fn choose(&mut self, choice: ThemeChoice, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().with(Wish::Theme(choice))
    }
}
