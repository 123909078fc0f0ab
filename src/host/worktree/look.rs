//! How a worktree and its project stand.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::git::{Git, Problem, problem};
use crate::{
    host::git::{common_dir, git_dir},
    model::{Worktree, WorktreeStatus},
};

/// Names of ignored files that are told.
const MAX_NAMED: usize = 20;

/// What `git status` tells of a work tree.
#[derive(Default)]
pub struct Files {
    /// With changes that are not committed, by their names from the top on.
    pub changed: Vec<String>,
    /// Of those, what is staged.
    pub staged: usize,
    pub untracked: Vec<String>,
    /// Untracked folders that are repositories of their own.
    pub repositories: Vec<String>,
    /// Folders of them have a `/` at the end.
    pub ignored: Vec<String>,
    raw: Vec<u8>,
}

impl Files {
    /// `git`: at the top.
    ///
    /// # Errors
    /// As git's.
    pub fn of(git: &Git) -> Result<Self, Problem> {
        let out = git.look(&[
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignored=matching",
            "--ignore-submodules=dirty",
        ])?;
        let mut files = Self::default();
        for record in out.stdout.split(|byte| *byte == 0) {
            let record = String::from_utf8_lossy(record);
            let Some((kind, rest)) = record.split_once(' ') else {
                continue;
            };
            // The path is behind so many words.
            let path = |words: usize| rest.splitn(words + 1, ' ').nth(words).map(str::to_owned);
            match kind {
                "1" => {
                    files.staged += usize::from(!rest.starts_with('.'));
                    files.changed.extend(path(7));
                }
                "u" => files.changed.extend(path(9)),
                "?" if rest.ends_with('/') => files.repositories.push(rest.to_owned()),
                "?" => files.untracked.push(rest.to_owned()),
                "!" => files.ignored.push(rest.to_owned()),
                _ => {}
            }
        }
        files.raw = out.stdout;
        Ok(files)
    }

    /// Those of `names` that the person has changed, has not told git of, or that stand in the way of them.
    pub fn in_the_way(&self, names: &[String]) -> Vec<String> {
        let own: BTreeSet<&str> = [
            &self.changed,
            &self.untracked,
            &self.repositories,
            &self.ignored,
        ]
        .into_iter()
        .flatten()
        .map(|name| name.trim_end_matches('/'))
        .collect();
        // What is ignored or untracked as a whole folder is everything in it.
        let meets = |name: &str| {
            let up = Path::new(name).ancestors();
            let mut up = up.filter_map(Path::to_str).filter(|up| !up.is_empty());
            let below = format!("{name}/");
            up.any(|up| own.contains(up))
                || own
                    .range(below.as_str()..)
                    .next()
                    .is_some_and(|own| own.starts_with(&below))
        };
        names.iter().filter(|name| meets(name)).cloned().collect()
    }
}

/// Whether it is where it was; cheap, and without git.
///
/// # Errors
/// It is gone, and what can be done.
pub fn is_there(worktree: &Worktree) -> Result<(), Problem> {
    let (top, branch) = (worktree.top.display(), &worktree.branch);
    if !worktree.top.is_dir() {
        return problem(format!(
            "the worktree of {branch} is gone from {top}. If its branch is still there, git worktree add -f \
             {top} {branch} makes it again"
        ));
    }
    match git_dir(&worktree.top) {
        Some(dir) if dir.is_dir() && worktree.cwd.is_dir() => Ok(()),
        Some(dir) if dir.is_dir() => problem(format!(
            "the session's folder {} is gone from its worktree on {branch}",
            worktree.cwd.display()
        )),
        _ => problem(format!(
            "{top} is no worktree of a repository any more: git worktree repair {top}, in the repository, \
             may mend it"
        )),
    }
}

/// What of a worktree the project has not; all of it at once.
///
/// # Errors
/// It is gone, or git's.
pub fn status(worktree: &Worktree) -> Result<WorktreeStatus, Problem> {
    look(worktree).map(|looked| looked.status)
}

/// A worktree, its project, and what was told of them.
pub struct Looked {
    /// At the worktree's top.
    pub git: Git,
    /// At the top of the project's own work tree.
    pub project: Git,
    /// Commits.
    pub head: String,
    pub project_head: String,
    pub files: Files,
    pub status: WorktreeStatus,
}

pub fn look(worktree: &Worktree) -> Result<Looked, Problem> {
    is_there(worktree)?;
    let git = Git::at(&worktree.top);
    let project = Git::at(&top_of(&worktree.project)?);
    // Its `.git` is a file that can be written: by now it may lead anywhere.
    let shared = |git: &Git| common_dir(&git.dir).and_then(|dir| dir.canonicalize().ok());
    if shared(&git).is_none_or(|dir| shared(&project) != Some(dir)) {
        return problem(format!(
            "{} is no worktree of {} any more: git worktree repair {0}, there, may mend it",
            git.dir.display(),
            project.dir.display()
        ));
    }
    refuse_programs(&git)?;
    let Some(head) = commit(&git, "HEAD")? else {
        let (branch, top) = (&worktree.branch, worktree.top.display());
        return problem(format!(
            "the branch that {top} is on has no commit, or is gone: git branch {branch} COMMIT brings {branch} \
             back, git reflog shows commits"
        ));
    };
    let Some(project_head) = commit(&project, "HEAD")? else {
        return problem(format!("{} has no commit yet", project.dir.display()));
    };
    let range = format!("{project_head}..{head}");
    let commits = git.line(&["rev-list", "--count", &range])?;
    let files = Files::of(&git)?;
    let mut hash = DefaultHasher::new();
    (&head, &files.raw).hash(&mut hash);
    let status = WorktreeStatus {
        branch: branch(&git)?,
        target: branch(&project)?,
        commits: commits.parse().unwrap_or(0),
        changed: files.changed.len(),
        untracked: files.untracked.len(),
        repositories: files.repositories.clone(),
        ignored: files.ignored.iter().take(MAX_NAMED).cloned().collect(),
        ignored_count: files.ignored.len(),
        seen: hash.finish(),
    };
    Ok(Looked {
        git,
        project,
        head,
        project_head,
        files,
        status,
    })
}

/// The top of the work tree that a directory is in.
pub fn top_of(dir: &Path) -> Result<PathBuf, Problem> {
    let git = Git::at(dir);
    let shown = dir.display();
    let bare = git.ask(&["rev-parse", "--is-bare-repository"])?;
    if !bare.ok() {
        let why = bare.why();
        return match why.contains("not a git repository") {
            true => problem(format!(
                "{shown} is in no git repository: git init makes one, or go on without a worktree"
            )),
            false => problem(format!(
                "the git repository of {shown} cannot be used: {why}"
            )),
        };
    }
    if bare.line() == "true" {
        return problem(format!(
            "{shown} is a bare repository, without files of its own: start in a checkout of it"
        ));
    }
    let top = git.ask(&["rev-parse", "--show-toplevel"])?;
    if !top.ok() || top.line().is_empty() {
        return problem(format!(
            "{shown} is no checkout ({}): start in the project's own folder",
            top.why()
        ));
    }
    Ok(PathBuf::from(top.line()))
}

/// The commit that a name stands for, if there is one.
pub fn commit(git: &Git, name: &str) -> Result<Option<String>, Problem> {
    let name = format!("{name}^{{commit}}");
    let out = git.ask(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &name,
    ])?;
    Ok(out.ok().then(|| out.line()))
}

/// The branch that is checked out.
pub fn branch(git: &Git) -> Result<Option<String>, Problem> {
    let out = git.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    Ok(out.ok().then(|| out.line()))
}

/// What the repository's own configuration would have git run when files are checked out, compared or merged:
/// it may have been written by a stranger, or by the agent. The same in the person's own is theirs.
pub fn refuse_programs(git: &Git) -> Result<(), Problem> {
    let out = git.look(&["config", "--list", "--show-scope", "--includes", "-z"])?;
    let text = String::from_utf8_lossy(&out.stdout);
    let mut parts = text.split('\0');
    let mut theirs = BTreeSet::new();
    let mut own = Vec::new();
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
        if value.is_empty() || !runs(key) {
            continue;
        }
        match scope {
            "local" | "worktree" => own.push((key.to_owned(), value.to_owned())),
            _ => drop(theirs.insert((key.to_owned(), value.to_owned()))),
        }
    }
    match own.into_iter().find(|entry| !theirs.contains(entry)) {
        None => Ok(()),
        Some((key, _)) if is_conditional(&key) => problem(format!(
            "the repository's own git configuration takes in more for some branches or folders ({key}), which \
             could run programs in a worktree: include it for all, or use git worktree at a shell"
        )),
        Some((key, _)) => problem(format!(
            "the repository's own git configuration would run a program ({key}) on its files: set the same in \
             yours (git config --global {key} …) if you trust it, or use git worktree at a shell"
        )),
    }
}

/// What is listed for one branch or folder is not what counts in another, such as a worktree.
fn is_conditional(key: &str) -> bool {
    key.to_ascii_lowercase().starts_with("includeif.")
}

fn runs(key: &str) -> bool {
    /// Where their names begin and end. Filters of the person's may be git-lfs, which runs what
    /// `lfs.` names.
    const PROGRAMS: &[(&str, &[&str])] = &[
        ("filter.", &[".clean", ".smudge", ".process"]),
        ("merge.", &[".driver"]),
        ("hook.", &[".command"]),
        ("lfs.customtransfer.", &[".path"]),
        ("lfs.extension.", &[".clean", ".smudge"]),
    ];
    let lower = key.to_ascii_lowercase();
    let named = |(begin, ends): &(&str, &[&str])| {
        lower.starts_with(begin) && ends.iter().any(|end| lower.ends_with(end))
    };
    is_conditional(key) || PROGRAMS.iter().any(named)
}
