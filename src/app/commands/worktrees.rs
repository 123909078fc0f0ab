//! `acp-tui worktrees`: the worktrees of sessions in a project.

use std::path::Path;

use serde::Serialize;

use crate::{
    app::{setup::with_tilde, worktrees::folder},
    cli::{self, CliError},
    config::Config,
    host::worktree::{self, Listed, Problem},
    store::files::{SessionFolder, Summary},
    text::{SafeText, json},
};

/// One, for programs.
#[derive(Serialize)]
struct Facts<'a> {
    path: String,
    branch: &'a str,
    commits: Option<usize>,
    files: Option<usize>,
    error: Option<String>,
    /// Stored sessions that work there, the newest first, as `acp-tui sessions` shows them.
    sessions: &'a [String],
}

/// Prints them with what is in them that the project has not.
///
/// # Errors
/// The project is in no repository, or stdout cannot be written.
pub fn worktrees(
    json: bool,
    project: &Path,
    config: &Config,
    state: &Path,
) -> Result<(), CliError> {
    let failed = |why: Problem| CliError::Usage(SafeText::line(&why.to_string()).to_string());
    let folder = folder(config, state).map_err(failed)?;
    let listed = worktree::list(project, &folder).map_err(failed)?;
    let stored = SessionFolder::new(state).list();
    let sessions: Vec<Vec<String>> = listed.iter().map(|one| sessions_in(one, &stored)).collect();
    if json {
        let facts = listed.iter().zip(&sessions);
        let facts: Vec<Facts<'_>> = facts
            .map(|(one, sessions)| facts_of(one, sessions))
            .collect();
        return cli::print(&json::pretty(&facts));
    }
    if listed.is_empty() {
        cli::complain("no session has a worktree here: acp-tui --worktree makes one");
        return Ok(());
    }
    let head = ["BRANCH", "CHANGES", "SESSION", "DIRECTORY"]
        .map(str::to_owned)
        .to_vec();
    let rows = listed.iter().zip(&sessions).map(|(one, sessions)| {
        let changes = match &one.status {
            Ok(status) if status.is_clean() => "none".to_owned(),
            Ok(status) => status.counts(),
            Err(why) => SafeText::line(&why.to_string()).to_string(),
        };
        let line = |text: &str| SafeText::line(text).to_string();
        vec![
            line(&one.worktree.branch),
            changes,
            // What goes on there is the newest.
            line(sessions.first().map_or("-", String::as_str)),
            line(&with_tilde(&one.worktree.top)),
        ]
    });
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    cli::print(&cli::columns(&rows))
}

fn sessions_in(one: &Listed, stored: &[Summary]) -> Vec<String> {
    let there = stored.iter().filter(|summary| {
        let worktree = summary.about.worktree.as_ref();
        worktree.is_some_and(|kept| Path::new(&kept.top) == one.worktree.top)
    });
    there.map(|summary| summary.id.clone()).collect()
}

fn facts_of<'a>(one: &'a Listed, sessions: &'a [String]) -> Facts<'a> {
    let status = one.status.as_ref();
    Facts {
        path: one.worktree.top.to_string_lossy().into_owned(),
        branch: &one.worktree.branch,
        commits: status.ok().map(|status| status.commits),
        files: status.ok().map(|status| status.files()),
        error: status.err().map(ToString::to_string),
        sessions,
    }
}
