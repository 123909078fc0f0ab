//! What turns have changed since an earlier prompt, and putting that back before the prompt is sent again.

use std::{io, path::PathBuf};

use super::{
    project::Project,
    review::{answer, list},
};
use crate::{
    model::{
        CauseKind, ChangeKind, Review, ReviewFile, ReviewScope, ReviewTold, ReviewWish, SessionId,
        Since, UndoPart,
    },
    text::SafeText,
};

/// Names of changed files that are told.
const MOST_NAMED: usize = 40;

/// The files that turns have changed since the last so many prompts of the session; nothing where that is not
/// known, or where this client cannot put them back.
pub fn changed(project: &mut Project, of: &SessionId, prompts: usize) -> Option<Since> {
    let scope = scope_since(project, of, prompts)?;
    let review = list(project, Some(of), scope).ok()?;
    if review.read_only.is_some() {
        return None;
    }
    let made = review
        .files
        .iter()
        .filter(|file| file.by_a_turn && !file.is_elsewhere);
    let made: Vec<&ReviewFile> = made.collect();
    let names = made.iter().take(MOST_NAMED).map(|file| file.name.clone());
    Some(Since {
        files: made.len(),
        names: names.collect(),
    })
}

/// Puts them back.
pub fn put_back(project: &mut Project, of: &SessionId, prompts: usize) -> ReviewTold {
    let Some(scope) = scope_since(project, of, prompts) else {
        return ReviewTold::Failed("what was there before is not kept any more".into());
    };
    let listed = list(project, Some(of), scope);
    match listed.map(|review| (review.span, review.files)) {
        Ok((Some(span), files)) => {
            let made = files
                .iter()
                .filter(|file| file.by_a_turn && !file.is_elsewhere);
            let parts = made.map(|file| UndoPart::File(file.path.clone()));
            let wish = ReviewWish::Undo {
                scope,
                span,
                parts: Some(parts.collect()),
            };
            answer(project, Some(of), wish)
        }
        Ok((None, _)) => ReviewTold::Failed("nothing of this can be put back".into()),
        Err(error) => ReviewTold::Failed(SafeText::line(&error.to_string())),
    }
}

/// The files that turns of the session have changed, below the project, and whether they are gone; `None` where that
/// is not known.
pub fn changed_files(project: &mut Project, of: &SessionId) -> Option<Vec<(PathBuf, bool)>> {
    let review = list(project, Some(of), ReviewScope::Session).ok()?;
    let root = project.place.roots.dirs().first()?;
    let made = review.files.iter().filter(|file| file.by_a_turn);
    let below = made.filter_map(|file| {
        let below = file.path.strip_prefix(root).ok()?;
        Some((below.to_owned(), file.kind == ChangeKind::Deleted))
    });
    Some(below.collect())
}

/// What the session's last turn has changed; `None` where it has had none.
///
/// # Errors
/// Nothing can be kept of the project, or the store cannot be read.
pub fn last_turn(project: &mut Project, of: &SessionId) -> io::Result<Option<Review>> {
    // Another acp-tui that has it follows its own sessions only.
    if project.changes()?.is_read_only() {
        return Ok(None);
    }
    let Some(ReviewScope::Since(turn)) = scope_since(project, of, 1) else {
        return Ok(None);
    };
    list(project, Some(of), ReviewScope::Turn(turn)).map(Some)
}

fn scope_since(project: &Project, of: &SessionId, prompts: usize) -> Option<ReviewScope> {
    let points = project.checkpoints_of(Some(of));
    let starts = points.iter().rev().filter(|point| {
        point.cause.kind == CauseKind::TurnStart && point.cause.session.as_ref() == Some(of)
    });
    let mut turns = starts.filter_map(|point| point.cause.turn);
    turns.nth(prompts.checked_sub(1)?).map(ReviewScope::Since)
}
