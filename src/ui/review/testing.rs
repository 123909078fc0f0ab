//! Changes as the app would list them.

use std::path::PathBuf;

use crate::{
    model::{ChangeKind, CheckpointId, Review, ReviewFile, ReviewScope, ReviewTexts, ScopeChoice},
    text::{SafeText, exact_line},
};

/// A changed file of the project in `/p`.
pub fn file(name: &str) -> ReviewFile {
    ReviewFile {
        path: PathBuf::from("/p").join(name.trim_start_matches('/')),
        name: exact_line(name),
        renamed_from: None,
        kind: ChangeKind::Modified,
        binary: false,
        lines: Some((1, 1)),
        content: 1,
        until: None,
        by: vec!["Edit".into()],
        by_unknown: false,
        by_a_turn: true,
        is_elsewhere: false,
    }
}

/// A file with its texts.
#[derive(Clone)]
pub struct Changed {
    pub file: ReviewFile,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Changed {
    pub fn new(name: &str, before: Option<&str>, after: Option<&str>) -> Self {
        let kind = match (before, after) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        };
        let lines = |text: Option<&str>| text.unwrap_or_default().lines().count();
        let lines = match kind {
            ChangeKind::Modified => (2, 2),
            _ => (lines(after), lines(before)),
        };
        Self {
            file: ReviewFile {
                kind,
                lines: Some(lines),
                ..file(name)
            },
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        }
    }

    pub fn with(mut self, change: impl FnOnce(&mut ReviewFile)) -> Self {
        change(&mut self.file);
        self
    }

    pub fn texts(&self, scope: ReviewScope) -> ReviewTexts {
        let text = |text: &Option<String>| text.as_deref().map(SafeText::with_line_ends);
        ReviewTexts {
            scope,
            path: self.file.path.clone(),
            content: self.file.content,
            texts: Ok((text(&self.before), text(&self.after))),
        }
    }
}

pub fn review(scope: ReviewScope, files: Vec<ReviewFile>) -> Review {
    let choice = |scope, name| ScopeChoice { scope, name };
    let undoes = scope != ReviewScope::Commit;
    Review {
        scope,
        scopes: vec![
            choice(ReviewScope::Turn(2), "this turn".into()),
            choice(ReviewScope::Turn(1), "turn 1: add a flag".into()),
            choice(ReviewScope::Session, "the session".into()),
            choice(ReviewScope::Commit, "since the last commit".into()),
        ],
        files,
        uncovered: Vec::new(),
        span: undoes.then_some((CheckpointId(3), CheckpointId(7))),
        read_only: None,
        can_redo: false,
    }
}
