//! The worktrees of a project that were made here.

use std::path::{Path, PathBuf};

use super::{
    git::{Git, Problem},
    look::{status, top_of},
    make::folder_of,
};
use crate::model::{BRANCH_PREFIX, Worktree, WorktreeStatus};

pub struct Listed {
    pub worktree: Worktree,
    /// Or why it cannot be looked at.
    pub status: Result<WorktreeStatus, Problem>,
}

/// Those of the repository that `project` is in, below `folder`, in git's order.
///
/// # Errors
/// There is no repository, or git's.
pub fn list(project: &Path, folder: &Path) -> Result<Vec<Listed>, Problem> {
    let git = Git::at(&top_of(project)?);
    let out = git.look(&["worktree", "list", "--porcelain", "-z"])?;
    let folder = folder.join(folder_of(&git)?);
    let folder = folder.canonicalize().unwrap_or(folder);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let paths = text.split('\0');
    let paths = paths.filter_map(|line| line.strip_prefix("worktree "));
    let ours = paths
        .map(PathBuf::from)
        .filter(|path| path.parent() == Some(&folder));
    let listed = ours.map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let worktree = Worktree {
            branch: format!("{BRANCH_PREFIX}{name}"),
            cwd: path.clone(),
            top: path.clone(),
            project: project.to_owned(),
        };
        Listed {
            status: status(&worktree),
            worktree,
        }
    });
    Ok(listed.collect())
}
