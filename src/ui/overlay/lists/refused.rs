//! What an undo did not put back; a file's both sides, or why, on the whole screen.

use crate::{
    text::SafeText,
    ui::{
        action::Action,
        overlay::{Outcome, OverlayContext, Wish},
        render::line::StyledLine,
    },
};

use super::{Contents, ListDialog, ListRow};

pub struct Refused {
    /// Names, and what there is to say of each.
    files: Vec<(SafeText, SafeText)>,
}

impl Refused {
    pub fn dialog(files: Vec<(SafeText, SafeText)>) -> ListDialog<Self> {
        ListDialog::new(Self { files })
    }
}

impl Contents for Refused {
    type Id = usize;
    type MadeFrom = ();

    const TITLE: &'static str = "Not put back; nothing was overwritten";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "show"), (Action::Stop, "back")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<usize>> {
        let row = |(at, (name, why)): (usize, &(SafeText, SafeText))| {
            let label = StyledLine::styled(&SafeText::line(name), cx.theme.text);
            // Of both sides between marks the first line says little: that it is in conflict, more.
            let note = match why.lines().nth(1) {
                Some(_) => "both sides".to_owned(),
                None => why.to_string(),
            };
            ListRow::new(at, label).with_note(StyledLine::styled(&note, cx.theme.warning))
        };
        self.files.iter().enumerate().map(row).collect()
    }

    fn choose(&mut self, at: usize, _cx: &OverlayContext<'_>) -> Outcome {
        match self.files.get(at) {
            Some((name, why)) => {
                Outcome::taken().with(Wish::ShowText(SafeText::line(name), why.clone()))
            }
            None => Outcome::close(),
        }
    }
}
