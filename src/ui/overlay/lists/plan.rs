//! The entries of the plan, to comment on.

use crate::{
    text::SafeText,
    ui::{
        action::Action,
        comments::{CommentWish, Wanted},
        keymap::Chord,
        overlay::{Outcome, OverlayContext, Wish, comment_box::CommentDialog},
        render::line::StyledLine,
    },
};

use super::{Contents, ListDialog, ListRow};

pub struct PlanList {
    entries: Vec<(SafeText, Wanted)>,
}

impl PlanList {
    /// What is planned, and the comment that each entry has or would have.
    pub fn dialog(entries: Vec<(SafeText, Wanted)>) -> ListDialog<Self> {
        ListDialog::new(Self { entries })
    }
}

impl Contents for PlanList {
    type Id = usize;
    type MadeFrom = ();

    const TITLE: &'static str = "Comment on the plan";
    const HINTS: &'static [(Action, &'static str)] = &[
        (Action::Send, "comment"),
        (Action::SendNow, "send all comments"),
        (Action::Stop, "back"),
    ];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<usize>> {
        let row = |(at, (entry, wanted)): (usize, &(SafeText, Wanted))| {
            let label = StyledLine::styled(entry, cx.theme.text);
            let said = wanted.known.as_ref().map(|(_, text)| {
                let first = text.lines().next().unwrap_or_default();
                format!("{} {first}", cx.symbols.comment)
            });
            let note = SafeText::line(&said.unwrap_or_default());
            ListRow::new(at, label).with_note(StyledLine::styled(&note, cx.theme.accent))
        };
        self.entries.iter().enumerate().map(row).collect()
    }

    /// Letters are what is filtered by.
    fn key(&mut self, key: Chord, _: Option<&usize>, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let sends = cx.keymap.chords(Action::SendNow).contains(&key);
        sends.then(|| Outcome::close().with(Wish::Comment(CommentWish::Send)))
    }

    fn choose(&mut self, at: usize, cx: &OverlayContext<'_>) -> Outcome {
        match self.entries.get(at) {
            Some((entry, wanted)) => {
                let dialog = CommentDialog::new(entry.clone(), wanted.clone(), cx);
                Outcome::close().with(Wish::Open(Box::new(dialog)))
            }
            None => Outcome::close(),
        }
    }
}
