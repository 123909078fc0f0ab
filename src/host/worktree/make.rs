//! Making a worktree: on a new branch, from the commit that the project is at.

use std::{
    fmt::Write,
    fs::DirBuilder,
    os::unix::{ffi::OsStrExt, fs::DirBuilderExt},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    git::{Git, Problem, problem},
    look::{Files, branch, commit, refuse_programs, top_of},
};
use crate::model::{BRANCH_PREFIX, Worktree};

/// Bytes of a name: it is a file's name, and stands in the status line.
const MAX_NAME: usize = 60;
/// Made-up names that are tried.
const MAX_TRIED: usize = 1_000;
/// What names begin with that are made up.
const MADE_UP: &str = "work";

/// What is to be made, once it is known that it can be.
#[derive(Clone, Debug)]
pub struct Plan {
    worktree: Worktree,
    /// Of the project's own work tree.
    top: PathBuf,
    /// The project's place below it.
    prefix: PathBuf,
    head: String,
    /// What the project is on.
    from: Option<String>,
}

/// A new worktree, and what the person should know of it.
#[derive(Clone, Debug)]
pub struct Made {
    pub worktree: Worktree,
    pub told: String,
}

/// Looks whether a worktree can be made for `project`, below `folder`. Without a name one is made up.
///
/// # Errors
/// Why not.
pub fn plan(project: &Path, name: Option<&str>, folder: &Path) -> Result<Plan, Problem> {
    if let Some(name) = name {
        check_name(name)?;
    }
    let top = top_of(project)?;
    let git = Git::at(&top);
    refuse_programs(&git)?;
    let Some(head) = commit(&git, "HEAD")? else {
        return problem(format!(
            "{} has no commit yet, and a worktree begins with one: git commit first, or go on without a worktree",
            top.display()
        ));
    };
    let folder = folder.join(folder_of(&git)?);
    let (name, path) = match name {
        Some(name) => {
            let path = folder.join(name);
            is_free(&git, name, &path)?;
            (name.to_owned(), path)
        }
        None => made_up(&git, &folder)?,
    };
    if path.to_str().is_none() {
        return problem(format!(
            "{} is not UTF-8, and the protocol sends paths as text: set worktree.dir to another folder",
            path.display()
        ));
    }
    let project = project
        .canonicalize()
        .unwrap_or_else(|_| project.to_owned());
    let prefix = project.strip_prefix(&top).unwrap_or(Path::new(""));
    Ok(Plan {
        prefix: prefix.to_owned(),
        from: branch(&git)?,
        worktree: Worktree {
            cwd: below(&path, prefix),
            top: path,
            project,
            branch: format!("{BRANCH_PREFIX}{name}"),
        },
        top,
        head,
    })
}

impl Plan {
    /// Makes it.
    ///
    /// # Errors
    /// What git says; nothing of it stays.
    pub fn make(self) -> Result<Made, Problem> {
        let Self {
            mut worktree,
            top,
            prefix,
            head,
            from,
        } = self;
        let git = Git::at(&top);
        let path = worktree.top.clone();
        let parent = path.parent().unwrap_or(&path);
        let mut private = DirBuilder::new();
        let made = private.recursive(true).mode(0o700).create(parent);
        made.map_err(|error| Problem(format!("cannot make {}: {error}", parent.display())))?;
        let text = path.to_string_lossy();
        let words = [
            "worktree",
            "add",
            "--quiet",
            // A folder that was deleted by hand may still be registered.
            "--force",
            "--no-track",
            "-b",
            &worktree.branch,
            &text,
            &head,
        ];
        if let Err(why) = git.work(&words) {
            if commit(&git, &format!("refs/heads/{}", worktree.branch))?.as_ref() == Some(&head) {
                // It had no time to get anything.
                let _ = git.try_to(&["branch", "--quiet", "-D", &worktree.branch]);
            }
            return Err(why);
        }
        // As the agent will see it resolved.
        worktree.top = path.canonicalize().unwrap_or(path);
        worktree.cwd = below(&worktree.top, &prefix);
        let mut told = format!("works on the new branch {}", worktree.branch);
        match from {
            Some(from) => told.push_str(&format!(", made from {from}")),
            None => told.push_str(&format!(", made from {}", head.get(..7).unwrap_or(&head))),
        }
        let _ = write!(told, ", in {}", worktree.top.display());
        if !worktree.cwd.is_dir() {
            told.push_str(&format!(
                "; {} is not committed, so it works at the top",
                prefix.display()
            ));
            worktree.cwd.clone_from(&worktree.top);
        }
        told.push_str(&left_behind(&git));
        Ok(Made { worktree, told })
    }
}

/// Without a slash at the end where it is the top itself: agents tell directories by their text.
fn below(top: &Path, prefix: &Path) -> PathBuf {
    match prefix.as_os_str().is_empty() {
        true => top.to_owned(),
        false => top.join(prefix),
    }
}

/// What of the project is not in a new worktree.
fn left_behind(git: &Git) -> String {
    let mut told = String::new();
    let files = Files::of(git).unwrap_or_default();
    let own = files.changed.len() + files.untracked.len();
    match own {
        0 => {}
        1 => told.push_str("; 1 file of the project is not committed, and is not there as it is"),
        own => {
            let _ = write!(
                told,
                "; {own} files of the project are not committed, and are not there as they are"
            );
        }
    }
    let has = git.ask(&["cat-file", "-e", "HEAD:.gitmodules"]);
    if has.is_ok_and(|out| out.ok()) {
        told.push_str("; submodules are empty there until git submodule update --init");
    }
    told
}

/// By git's rules for branches, and without a way out of the folder.
fn check_name(name: &str) -> Result<(), Problem> {
    let shown = name.escape_debug();
    let bad = |why: &str| {
        problem(format!(
            "\"{shown}\" cannot be the name of a worktree: {why}; letters, digits, - and _ always do"
        ))
    };
    if name.is_empty() {
        return bad("it is empty");
    }
    if name.len() > MAX_NAME {
        return bad(&format!("it is longer than {MAX_NAME} bytes"));
    }
    if name.contains(['/', '\\']) {
        return bad("it holds a slash");
    }
    if name.starts_with(['-', '.']) {
        return bad("it begins with - or .");
    }
    if let Some(wrong) = name.chars().find(|c| c.is_whitespace() || c.is_control()) {
        return bad(match wrong {
            ' ' => "it holds a blank (a prompt goes before --worktree, or behind --prompt)",
            _ => "it holds what cannot be seen",
        });
    }
    // What check-ref-format says of `acp/NAME`.
    let wrong = name.contains(['~', '^', ':', '?', '*', '[', '\u{7f}'])
        || ["..", "@{"].iter().any(|part| name.contains(part))
        || name.ends_with('.')
        || name.ends_with(".lock");
    if wrong {
        return bad("git takes no such name for a branch");
    }
    Ok(())
}

fn is_free(git: &Git, name: &str, path: &Path) -> Result<(), Problem> {
    let branch = format!("{BRANCH_PREFIX}{name}");
    if path.symlink_metadata().is_ok() {
        return problem(format!(
            "there is a worktree \"{name}\" already: acp-tui -C {} opens a session in it, acp-tui --resume its \
             own again; or take another name",
            path.display()
        ));
    }
    if commit(git, &format!("refs/heads/{branch}"))?.is_some() {
        return problem(format!(
            "the branch {branch} exists already: git branch -d {branch} deletes it if it is merged, or take \
             another name"
        ));
    }
    let prefix = BRANCH_PREFIX.trim_end_matches('/');
    if commit(git, &format!("refs/heads/{prefix}"))?.is_some() {
        return problem(format!(
            "the branch {prefix} is in the way of {branch}: git branch -m {prefix} NAME renames it"
        ));
    }
    Ok(())
}

fn made_up(git: &Git, folder: &Path) -> Result<(String, PathBuf), Problem> {
    let mut last = None;
    for number in 1..=MAX_TRIED {
        let name = format!("{MADE_UP}-{number}");
        let path = folder.join(&name);
        match is_free(git, &name, &path) {
            Ok(()) => return Ok((name, path)),
            // With that branch none is free.
            Err(why) if why.0.contains("in the way") => return Err(why),
            Err(why) => last = Some(why),
        }
    }
    Err(last.unwrap_or_else(|| Problem("no name is free: give one".to_owned())))
}

/// Of all worktrees of a repository: its name for people, and what tells it from others of that name. The same
/// in each of its checkouts.
pub fn folder_of(git: &Git) -> Result<String, Problem> {
    let out = git.look(&["worktree", "list", "--porcelain", "-z"])?;
    let text = String::from_utf8_lossy(&out.stdout);
    // The first is the repository's own.
    let first = text
        .split('\0')
        .find_map(|line| line.strip_prefix("worktree "));
    let top = first.map_or(git.dir.as_path(), Path::new);
    let mut hash = String::new();
    for byte in Sha256::digest(top.as_os_str().as_bytes()).iter().take(4) {
        let _ = write!(hash, "{byte:02x}");
    }
    let name = top.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name}-{hash}"))
}
