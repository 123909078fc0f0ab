//! What becomes of a session's worktree. Where something is lost by it, that is counted and asked again.

use crate::{
    model::{Form, SessionKey, Worktree, WorktreeEnd, WorktreeStatus},
    text::SafeText,
    ui::{
        UiCommand,
        action::Action,
        overlay::{FormDialog, Outcome, OverlayContext, OwnForm, Wish, panel::Panel},
        render::line::StyledLine,
    },
};

use super::{Contents, FilterList, ListDialog, ListRow, NewRows};

/// Names of ignored files that a question tells.
const MAX_NAMED: usize = 6;

pub struct WorktreeEnds {
    session: SessionKey,
    worktree: Worktree,
    status: WorktreeStatus,
}

impl WorktreeEnds {
    pub fn dialog(
        session: SessionKey,
        worktree: Worktree,
        status: WorktreeStatus,
    ) -> ListDialog<Self> {
        ListDialog::new(Self {
            session,
            worktree,
            status,
        })
    }

    fn row(&self, end: WorktreeEnd, cx: &OverlayContext<'_>) -> ListRow<WorktreeEnd> {
        let status = &self.status;
        let target = status.target.as_deref();
        let into = target.unwrap_or("the project");
        let (label, description) = match end {
            WorktreeEnd::Keep => (
                "Keep the worktree, close the session".to_owned(),
                "It comes back with the session; nothing is changed".to_owned(),
            ),
            WorktreeEnd::Merge => (
                format!("Merge into {into}"),
                match (target, status.files()) {
                    (None, _) => "Not possible: the project is on no branch".to_owned(),
                    (_, 0) => "Then worktree and branch are removed".to_owned(),
                    (_, files) => format!(
                        "{} committed first; then worktree and branch are removed",
                        are(files, "file")
                    ),
                },
            ),
            WorktreeEnd::Apply => (
                format!("Apply to {into} as uncommitted changes"),
                match status.commits {
                    0 => "Then worktree and branch are removed".to_owned(),
                    commits => format!(
                        "{} taken apart; then worktree and branch are removed",
                        are(commits, "commit")
                    ),
                },
            ),
            WorktreeEnd::Discard => (
                "Discard".to_owned(),
                match status.counts() {
                    counts if counts.is_empty() => "There is nothing in it".to_owned(),
                    counts => format!("{counts} would be lost; asks first"),
                },
            ),
        };
        let style = match end {
            WorktreeEnd::Discard => cx.theme.error,
            _ => cx.theme.text,
        };
        ListRow {
            description: Some(SafeText::line(&description)),
            careful: end == WorktreeEnd::Discard,
            ..ListRow::new(end, StyledLine::styled(&SafeText::line(&label), style))
        }
    }

    /// What is lost by it that the person has to agree to; `None`: nothing.
    fn loses(&self, end: WorktreeEnd) -> Option<String> {
        let (status, branch) = (&self.status, &self.worktree.branch);
        let ignored = (status.ignored_count > 0).then(|| {
            let mut names: Vec<&str> = status.ignored.iter().map(String::as_str).collect();
            names.truncate(MAX_NAMED);
            let named = names.join(", ");
            match status.ignored_count - names.len() {
                0 => named,
                more => format!("{named} and {more} more"),
            }
        });
        match end {
            WorktreeEnd::Keep => None,
            WorktreeEnd::Discard => {
                let counts = Some(status.counts()).filter(|counts| !counts.is_empty());
                let ignored = ignored.map(|named| format!("what git ignores ({named})"));
                let lost: Vec<String> = counts.into_iter().chain(ignored).collect();
                (!lost.is_empty()).then(|| {
                    let lost = lost.join(", ");
                    format!("{lost} of {branch} will be gone for good.")
                })
            }
            WorktreeEnd::Merge | WorktreeEnd::Apply => ignored.map(|named| {
                format!(
                    "What git ignores does not go over and is deleted with the worktree: {named}."
                )
            }),
        }
    }
}

impl Contents for WorktreeEnds {
    type Id = WorktreeEnd;
    type MadeFrom = ();

    const TITLE: &'static str = "Worktree";
    const HINTS: &'static [(Action, &'static str)] =
        &[(Action::Send, "do it"), (Action::Stop, "go on working")];

    fn made_from(&self, _narrowed: bool, _cx: &OverlayContext<'_>) -> Option<()> {
        Some(())
    }

    fn rows(&self, (): &(), cx: &OverlayContext<'_>) -> Vec<ListRow<WorktreeEnd>> {
        let ends = [
            WorktreeEnd::Keep,
            WorktreeEnd::Merge,
            WorktreeEnd::Apply,
            WorktreeEnd::Discard,
        ];
        ends.map(|end| self.row(end, cx)).into()
    }

    /// What changes nothing.
    fn select(&self, rows: NewRows<'_, Self>, _cx: &OverlayContext<'_>) -> Option<WorktreeEnd> {
        match rows.before {
            Some(()) => rows.selected,
            None => Some(WorktreeEnd::Keep),
        }
    }

    fn panel(
        &self,
        _list: &FilterList<WorktreeEnd>,
        _width: u16,
        cx: &OverlayContext<'_>,
    ) -> Panel {
        let mut panel = Panel::opened(Self::TITLE, Self::HINTS, cx);
        let on = self.status.branch.as_ref().unwrap_or(&self.worktree.branch);
        let note = match self.status.counts() {
            counts if counts.is_empty() => format!("{on}: no changes"),
            counts => format!("{on}: {counts}"),
        };
        panel.note = StyledLine::styled(&SafeText::line(&note), cx.theme.dim);
        panel
    }

    fn choose(&mut self, end: WorktreeEnd, _cx: &OverlayContext<'_>) -> Outcome {
        let command = UiCommand::EndWorktree {
            session: self.session,
            end,
            seen: Box::new(self.status.clone()),
        };
        let Some(question) = self.loses(end) else {
            return Outcome::close().command(command);
        };
        let (title, send, verb) = match end {
            WorktreeEnd::Discard => ("Discard the worktree?", "Discard it", "discard"),
            WorktreeEnd::Merge => ("Merge and delete the rest?", "Merge", "merge"),
            _ => ("Apply and delete the rest?", "Apply", "apply"),
        };
        let (session, seen) = (self.session, self.status.clone());
        let done = move |_| {
            Ok(UiCommand::EndWorktree {
                session,
                end,
                seen: Box::new(seen.clone()),
            })
        };
        // Nothing is selected in it at first: enter alone does nothing.
        let ask = FormDialog::own(
            Form {
                description: Some(SafeText::line(&question)),
                ..Form::default()
            },
            OwnForm {
                title: title.into(),
                send,
                verb,
                done: Box::new(done),
            },
        );
        Outcome::close().with(Wish::Open(Box::new(ask)))
    }
}

fn are(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what} is"),
        number => format!("{number} {what}s are"),
    }
}
