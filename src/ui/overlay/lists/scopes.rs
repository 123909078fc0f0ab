//! Which changes a review is of.

use crate::{
    model::{ReviewScope, ReviewWish, ScopeChoice},
    ui::{
        UiCommand,
        action::Action,
        overlay::{Outcome, OverlayContext},
        render::line::StyledLine,
    },
};

use super::{Contents, ListDialog, ListRow, NewRows};

pub struct Scopes {
    choices: Vec<ScopeChoice>,
    now: ReviewScope,
}

impl Scopes {
    pub fn dialog(choices: Vec<ScopeChoice>, now: ReviewScope) -> ListDialog<Self> {
        ListDialog::new(Self { choices, now })
    }
}

impl Contents for Scopes {
    type Id = ReviewScope;
    type MadeFrom = ();

    const TITLE: &'static str = "Changes of";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "show"), (Action::Stop, "back")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<ReviewScope>> {
        let row = |choice: &ScopeChoice| {
            let note = match choice.scope == self.now {
                true => StyledLine::styled("now", cx.theme.success),
                false => StyledLine::new(),
            };
            let label = StyledLine::styled(&choice.name, cx.theme.text);
            ListRow::new(choice.scope, label).with_note(note)
        };
        self.choices.iter().map(row).collect()
    }

    fn select(&self, rows: NewRows<'_, Self>, _cx: &OverlayContext<'_>) -> Option<ReviewScope> {
        match rows.before {
            Some(()) => rows.selected,
            None => Some(self.now),
        }
    }

    fn choose(&mut self, scope: ReviewScope, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::close().command(UiCommand::Review(ReviewWish::List(Some(scope))))
    }
}
