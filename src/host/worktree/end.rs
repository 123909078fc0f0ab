//! The end of a worktree: what it holds goes into the project, or nowhere.

use std::{fs, io, path::Path};

use super::{
    git::{Git, Problem, problem},
    look::{Files, Looked, commit, look, refuse_programs},
};
use crate::{
    host::git::git_dir,
    model::{Worktree, WorktreeEnd, WorktreeStatus},
};

/// Names that a refusal tells.
const MAX_NAMED: usize = 8;

/// What went over, by which it is known whether that is all.
#[derive(Clone, Debug)]
pub struct Carried {
    /// For the person.
    pub said: String,
    head: String,
    /// Of all files, those that are not committed included.
    tree: String,
}

/// Puts what is in the worktree into the project; the worktree stays, for [`remove`] once no one works in it.
///
/// Merged, what is not committed is committed in the worktree first. Applied, commits and files become
/// uncommitted changes of the project, which are not staged.
///
/// # Errors
/// It cannot be, and the project is as it was: it stands differently than `seen`, it conflicts, or the
/// person's own changes are in the way.
pub fn carry(
    worktree: &Worktree,
    how: WorktreeEnd,
    seen: &WorktreeStatus,
) -> Result<Carried, Problem> {
    let looked = counted(worktree, seen)?;
    refuse_programs(&looked.project)?;
    nothing_is_going_on(&looked.git.dir)?;
    nothing_is_going_on(&looked.project.dir)?;
    if let Some(nested) = looked.files.repositories.first() {
        return problem(format!(
            "{nested} in the worktree is a repository of its own, which cannot go over: move it away, or \
             remove its .git, then try again"
        ));
    }
    let tree = snapshot(&looked.git)?;
    let committed = looked.git.line(&["rev-parse", "HEAD^{tree}"])?;
    if looked.status.files() > 0 && tree == committed {
        return problem(format!(
            "git lists {} in {} as changed, and would keep nothing of it (line ends, perhaps): look at git \
             status there",
            count(looked.status.files()),
            worktree.top.display()
        ));
    }
    let prepared = Prepared::of(&looked, &tree, &worktree.branch)?;
    match how {
        WorktreeEnd::Merge => merge(worktree, &looked, &prepared, tree),
        _ => apply(worktree, &looked, &prepared, tree),
    }
}

/// Removes a worktree whose content has gone over, and its branch.
///
/// # Errors
/// There is more in it by now: it stays.
pub fn remove(worktree: &Worktree, carried: &Carried) -> Result<(), Problem> {
    let looked = look(worktree)?;
    if looked.head != carried.head || snapshot(&looked.git)? != carried.tree {
        return problem(format!(
            "something changed in the worktree {} meanwhile, so it is kept",
            worktree.top.display()
        ));
    }
    take_away(worktree, &looked.project, &[&carried.head])
}

/// Throws a worktree away, with its branch.
///
/// # Errors
/// It stands differently than `seen`; nothing was removed then.
pub fn discard(worktree: &Worktree, seen: &WorktreeStatus) -> Result<(), Problem> {
    let looked = counted(worktree, seen)?;
    take_away(worktree, &looked.project, &[&looked.head])
}

/// As it was told to the person.
fn counted(worktree: &Worktree, seen: &WorktreeStatus) -> Result<Looked, Problem> {
    let looked = look(worktree)?;
    if looked.status != *seen {
        return problem("the worktree or its project has changed since it was counted: look again");
    }
    Ok(looked)
}

/// A merge, rebase or the like that is not finished would be mixed up with ours.
fn nothing_is_going_on(top: &Path) -> Result<(), Problem> {
    let dir = git_dir(top).unwrap_or_default();
    for (file, what) in [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
    ] {
        if dir.join(file).exists() {
            return problem(format!(
                "a {what} is going on in {}: finish or abort it first",
                top.display()
            ));
        }
    }
    Ok(())
}

/// All files of a work tree as a tree, without its index being touched.
fn snapshot(git: &Git) -> Result<String, Problem> {
    let failed = |error: io::Error| Problem(format!("no temporary file: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let index = folder.path().join("index");
    if let Some(own) = git_dir(&git.dir).map(|dir| dir.join("index"))
        && own.exists()
    {
        // With its stamps, so that nothing is read that did not change; and with its time: git reads what
        // was touched when the index was written or later, as the stamps do not tell of that.
        fs::copy(&own, &index).map_err(failed)?;
        let written = own.metadata().and_then(|meta| meta.modified());
        let copy = fs::File::options().write(true).open(&index);
        let kept = written.and_then(|written| copy?.set_modified(written));
        kept.map_err(failed)?;
    }
    let git = git.with_index(&index);
    git.work(&["add", "--all"])?;
    git.line(&["write-tree"])
}

/// What would come of it.
struct Prepared {
    /// The project's files, merged with the worktree's.
    tree: String,
    /// The project's branch only moves forward.
    forward: bool,
    /// Files that become different in the project.
    names: Vec<String>,
}

impl Prepared {
    fn of(looked: &Looked, tree: &str, branch: &str) -> Result<Self, Problem> {
        let (git, base) = (&looked.git, &looked.project_head);
        let words = ["merge-base", "--is-ancestor", base.as_str(), &looked.head];
        let forward = git.ask(&words)?.ok();
        let tree = match forward {
            true => tree.to_owned(),
            false => merged(looked, tree, branch)?,
        };
        let raw = git.look(&[
            "diff-tree",
            "-r",
            "-z",
            "--no-renames",
            "--raw",
            base,
            &tree,
        ])?;
        let mut names = Vec::new();
        let text = String::from_utf8_lossy(&raw.stdout);
        let mut parts = text.split('\0');
        while let (Some(head), Some(name)) = (parts.next(), parts.next()) {
            if head.contains("160000") {
                return problem(format!(
                    "the submodule {name} is at another commit in the worktree: merge {branch} at a shell"
                ));
            }
            names.push(name.to_owned());
        }
        let prepared = Self {
            tree,
            forward,
            names,
        };
        prepared.leaves_own_alone(looked)?;
        Ok(prepared)
    }

    /// The person's own changes in the project are neither overwritten nor mixed in.
    fn leaves_own_alone(&self, looked: &Looked) -> Result<(), Problem> {
        let own = Files::of(&looked.project)?;
        let met = own.in_the_way(&self.names);
        if met.is_empty() {
            return Ok(());
        }
        problem(format!(
            "your own changes in {} are in the way: {}. Commit or stash them, then try again",
            looked.project.dir.display(),
            listed(&met)
        ))
    }
}

/// The tree of both, where they do not contradict each other.
fn merged(looked: &Looked, tree: &str, branch: &str) -> Result<String, Problem> {
    let git = looked.git.passing();
    // It is only merged in memory, and git forgets it.
    let words = ["commit-tree", tree, "-p", &looked.head, "-m", "passing"];
    let theirs = git.line(&words)?;
    let out = git.try_to(&[
        "merge-tree",
        "--write-tree",
        "-z",
        "--name-only",
        "--no-messages",
        &looked.project_head,
        &theirs,
    ])?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut parts = text.split('\0').filter(|part| !part.trim().is_empty());
    let tree = parts.next().unwrap_or_default().trim().to_owned();
    match out.code {
        Some(0) if !tree.is_empty() => Ok(tree),
        Some(1) => {
            let names: Vec<String> = parts.map(str::to_owned).collect();
            let onto = looked.status.target.as_deref().unwrap_or("the project");
            problem(format!(
                "{branch} conflicts with {onto} in {}. Nothing was changed, and the worktree is kept: merge \
                 {onto} into it there (or ask the agent to), then try again",
                listed(&names)
            ))
        }
        _ => problem(format!(
            "the project has moved on, and merging needs git 2.38 or newer: merge {branch} at a shell ({})",
            out.why()
        )),
    }
}

fn merge(
    worktree: &Worktree,
    looked: &Looked,
    prepared: &Prepared,
    tree: String,
) -> Result<Carried, Problem> {
    let (git, project) = (&looked.git, &looked.project);
    let Some(target) = &looked.status.target else {
        return problem(format!(
            "{} is on no branch to merge into: git switch BRANCH there, or apply the changes instead",
            project.dir.display()
        ));
    };
    if !prepared.forward && Files::of(project)?.staged > 0 {
        return problem(format!(
            "there are staged changes in {}: commit or unstage them, then try again",
            project.dir.display()
        ));
    }
    let files = looked.status.files();
    if files > 0 {
        git.work(&["add", "--all"])?;
        let message = format!("Work of {}", worktree.name());
        git.work(&["commit", "--quiet", "--no-verify", "-m", &message])?;
    }
    let head = git.line(&["rev-parse", "HEAD"])?;
    let named = looked.status.branch.as_deref().unwrap_or(&head);
    let message = format!("Merge branch '{named}'");
    let words = ["merge", "--quiet", "--ff", "--no-verify", "--no-stat"];
    let words = [&words[..], &["--no-autostash", "-m", &message, &head]].concat();
    let out = project.try_to(&words)?;
    if !out.ok() {
        let why = out.why();
        if git_dir(&project.dir).is_some_and(|dir| dir.join("MERGE_HEAD").exists()) {
            project.work(&["merge", "--abort"])?;
        }
        return problem(format!(
            "{named} was not merged into {target}, and the worktree is kept: {why}"
        ));
    }
    let committed = match files {
        0 => String::new(),
        1 => ", 1 file committed first".to_owned(),
        files => format!(", {files} files committed first"),
    };
    Ok(Carried {
        said: format!(
            "merged {named} into {target}: {}{committed}",
            count(prepared.names.len())
        ),
        head,
        tree,
    })
}

fn apply(
    worktree: &Worktree,
    looked: &Looked,
    prepared: &Prepared,
    tree: String,
) -> Result<Carried, Problem> {
    let project = &looked.project;
    let into = project.dir.display();
    let carried = Carried {
        said: format!(
            "{} of {} are uncommitted changes of {into} now",
            count(prepared.names.len()),
            worktree.branch
        ),
        head: looked.head.clone(),
        tree,
    };
    if prepared.names.is_empty() {
        let said = format!("{} had no changes to apply", worktree.branch);
        return Ok(Carried { said, ..carried });
    }
    let failed = |error: io::Error| Problem(format!("no temporary file: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let patch = folder.path().join("patch");
    let output = format!("--output={}", patch.display());
    let diff = [
        "diff",
        "--binary",
        "--full-index",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-color",
        "--no-indent-heuristic",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        &output,
        &looked.project_head,
        &prepared.tree,
    ];
    project.work(&diff)?;
    let patch = patch.to_string_lossy();
    let apply = ["apply", "--whitespace=nowarn", "--no-ignore-whitespace"];
    // All of it or nothing: what does not fit is found before anything is written.
    let check = project.try_to(&[&apply[..], &["--check", &patch]].concat())?;
    if !check.ok() {
        return problem(format!(
            "the changes do not fit the files in {into}, nothing was changed: {}",
            check.why()
        ));
    }
    project.work(&[&apply[..], &[&patch]].concat())?;
    Ok(carried)
}

/// Removes the folder, and the branch where one of these commits has all of it.
fn take_away(worktree: &Worktree, project: &Git, kept: &[&str]) -> Result<(), Problem> {
    refuse_programs(project)?;
    let top = worktree.top.to_string_lossy();
    project.work(&["worktree", "remove", "--force", &top])?;
    if let Some(parent) = worktree.top.parent() {
        // It stays where others are in it.
        let _ = fs::remove_dir(parent);
    }
    let branch = &worktree.branch;
    let Some(tip) = commit(project, &format!("refs/heads/{branch}"))? else {
        return Ok(());
    };
    for commit in kept {
        if project
            .ask(&["merge-base", "--is-ancestor", &tip, commit])?
            .ok()
        {
            project.work(&["branch", "--quiet", "-D", branch])?;
            return Ok(());
        }
    }
    problem(format!(
        "the worktree is removed; its branch {branch} has commits that were not on what was checked out, and is \
         kept: git branch -D {branch} deletes it"
    ))
}

fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>();
    if let Some(more) = names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        text.push(format!("{more} more"));
    }
    text.join(", ")
}

fn count(files: usize) -> String {
    match files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    }
}
