//! `acp-tui worktrees`: the worktrees of sessions in a project.

use std::path::Path;

use serde::Serialize;

use crate::{
    app::{setup::with_tilde, worktrees::folder},
    cli::{self, CliError},
    config::Config,
    host::worktree::{self, Listed, Problem},
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
    if json {
        let facts: Vec<Facts<'_>> = listed.iter().map(facts).collect();
        return cli::print(&json::pretty(&facts));
    }
    if listed.is_empty() {
        cli::complain("no session has a worktree here: acp-tui --worktree makes one");
        return Ok(());
    }
    let head = ["BRANCH", "CHANGES", "DIRECTORY"]
        .map(str::to_owned)
        .to_vec();
    let rows = listed.iter().map(|one| {
        let changes = match &one.status {
            Ok(status) if status.is_clean() => "none".to_owned(),
            Ok(status) => status.counts(),
            Err(why) => SafeText::line(&why.to_string()).to_string(),
        };
        let line = |text: &str| SafeText::line(text).to_string();
        vec![
            line(&one.worktree.branch),
            changes,
            line(&with_tilde(&one.worktree.top)),
        ]
    });
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    cli::print(&cli::columns(&rows))
}

fn facts(one: &Listed) -> Facts<'_> {
    let status = one.status.as_ref();
    Facts {
        path: one.worktree.top.to_string_lossy().into_owned(),
        branch: &one.worktree.branch,
        commits: status.ok().map(|status| status.commits),
        files: status.ok().map(|status| status.files()),
        error: status.err().map(ToString::to_string),
    }
}
