//! A git worktree that a session has to itself, as plain data.

use std::path::PathBuf;

/// What every branch of a worktree's own begins with.
pub const BRANCH_PREFIX: &str = "acp/";

/// Where a session works that has a worktree, and what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The worktree's folder.
    pub top: PathBuf,
    /// Where the session works: `top`, or the project's own place below it.
    pub cwd: PathBuf,
    /// The directory that the client works in.
    pub project: PathBuf,
    /// Made for it: `acp/NAME`.
    pub branch: String,
}

impl Worktree {
    pub fn name(&self) -> &str {
        let branch = self.branch.as_str();
        branch.strip_prefix(BRANCH_PREFIX).unwrap_or(branch)
    }
}

/// How a worktree stands.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WorktreeStatus {
    /// What is checked out there now; `None`: no branch.
    pub branch: Option<String>,
    /// What the project is on; `None`: no branch.
    pub target: Option<String>,
    /// Commits that the project's branch has not.
    pub commits: usize,
    /// Files with changes that are not committed.
    pub changed: usize,
    /// Files that git does not know yet.
    pub untracked: usize,
    /// Untracked folders that are repositories of their own.
    pub repositories: Vec<String>,
    /// Files that git ignores, and folders of them with a `/` at the end, the first of them.
    pub ignored: Vec<String>,
    /// How many there are.
    pub ignored_count: usize,
    /// What it was counted from: another one means that something has changed since.
    pub seen: u64,
}

impl WorktreeStatus {
    /// Files that are not committed.
    pub fn files(&self) -> usize {
        self.changed + self.untracked
    }

    /// There is nothing in it that the project has not.
    pub fn is_clean(&self) -> bool {
        self.commits == 0 && self.files() == 0 && self.repositories.is_empty()
    }

    /// Such as "3 files, 2 commits"; empty where there is nothing.
    pub fn counts(&self) -> String {
        let of = |count: usize, one: &str, several: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {several}")),
        };
        let repositories = self.repositories.len();
        let parts = [
            of(self.files(), "file", "files"),
            of(self.commits, "commit", "commits"),
            of(repositories, "nested repository", "nested repositories"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// What becomes of a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorktreeEnd {
    /// Its commits go into the branch that the project is on; what is not committed is committed first.
    Merge,
    /// All of its changes become uncommitted changes of the project.
    Apply,
    Keep,
    Discard,
}
