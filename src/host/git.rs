//! The branch that is checked out, for the status line: read from git's files, without git; and how git
//! itself is run.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{files, text::SafeText};

/// `HEAD` and `.git` files are one line.
const MAX_FILE_BYTES: u64 = 4 << 10;

/// Characters of a commit where no branch is checked out.
const SHORT_HASH: usize = 7;

/// What a repository, or the environment that we were started in, could have git run or look at.
const UNSET: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
];

/// No hook, no monitor and no signing program of a repository runs because of us; nothing is fetched; what git
/// does by the way (clean up, remember conflicts, descend into submodules) it leaves.
const QUIET: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "merge.verifySignatures=false",
    "rerere.enabled=false",
    "submodule.recurse=false",
    // A filter of the person's, such as git-lfs, may want to fetch: by what it would ask for passwords and
    // connect with.
    "core.sshCommand=false",
    "core.askPass=false",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// The `git` program in a folder: no shell, no question, no lock that could be done without.
pub(super) fn program(dir: &Path) -> Command {
    let mut command = Command::new("git");
    for name in UNSET {
        command.env_remove(name);
    }
    command.arg("--no-pager");
    for setting in QUIET {
        command.args(["-c", setting]);
    }
    command
        .arg("-C")
        .arg(dir)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // What is missing is not fetched by older ones either: a fetch runs what the repository names.
        .env("GIT_ALLOW_PROTOCOL", "")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env("GIT_MERGE_AUTOEDIT", "no")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The branch, or the short commit where there is none. `None` outside a repository.
pub fn branch(dir: &Path) -> Option<SafeText> {
    let git_dir = dir.ancestors().find_map(git_dir)?;
    let head = read_line(&git_dir.join("HEAD"))?;
    match head.strip_prefix("ref:") {
        Some(reference) => {
            let reference = reference.trim();
            let name = reference.strip_prefix("refs/heads/").unwrap_or(reference);
            // What repositories with another kind of store put here for old readers.
            (name != ".invalid").then(|| SafeText::line(name))
        }
        None if head.len() >= SHORT_HASH && head.bytes().all(|b| b.is_ascii_hexdigit()) => {
            head.get(..SHORT_HASH).map(SafeText::line)
        }
        None => None,
    }
}

/// The git directory that belongs to a work tree with its top at `top`.
pub(super) fn git_dir(top: &Path) -> Option<PathBuf> {
    let entry = top.join(".git");
    let meta = fs::metadata(&entry).ok()?;
    if meta.is_dir() {
        return Some(entry);
    }
    // A linked work tree or submodule: a file that names the directory.
    let line = read_line(&entry)?;
    Some(top.join(line.strip_prefix("gitdir:")?.trim()))
}

/// Where what all work trees of a repository share is, for one with its top at `top`.
pub(super) fn common_dir(top: &Path) -> Option<PathBuf> {
    let dir = git_dir(top)?;
    match read_line(&dir.join("commondir")) {
        Some(common) => Some(dir.join(common)),
        None => Some(dir),
    }
}

fn read_line(path: &Path) -> Option<String> {
    let mut text = String::new();
    files::regular(path)
        .ok()?
        .take(MAX_FILE_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    Some(text.lines().next()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(head: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::write(dir.path().join(".git/HEAD"), head).unwrap();
        dir
    }

    fn name(dir: &Path) -> Option<String> {
        branch(dir).map(|name| name.to_string())
    }

    #[test]
    fn the_branch_from_anywhere_inside() {
        let dir = repository("ref: refs/heads/feature/x\n");
        assert_eq!(
            name(&dir.path().join("src/deep")).as_deref(),
            Some("feature/x")
        );
    }

    #[test]
    fn a_detached_head_is_a_short_commit() {
        let dir = repository("0123456789abcdef0123456789abcdef01234567\n");
        assert_eq!(name(dir.path()).as_deref(), Some("0123456"));
    }

    #[test]
    fn a_linked_work_tree_has_a_branch_of_its_own() {
        let dir = repository("ref: refs/heads/main\n");
        let tree = tempfile::tempdir().unwrap();
        let git = dir.path().join(".git/worktrees/w");
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/other\n").unwrap();
        fs::write(
            tree.path().join(".git"),
            format!("gitdir: {}\n", git.display()),
        )
        .unwrap();
        assert_eq!(name(tree.path()).as_deref(), Some("other"));
    }

    #[test]
    fn what_is_no_head_is_no_branch() {
        for head in ["", "nonsense", "ref: refs/heads/.invalid\n"] {
            assert_eq!(name(repository(head).path()), None, "{head:?}");
        }
    }
}
