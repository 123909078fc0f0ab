use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use super::*;
use crate::model::{Worktree, WorktreeEnd, WorktreeStatus};

mod ends;

/// A repository with a commit on `main`, and a folder for worktrees.
pub(super) struct Project {
    _dir: tempfile::TempDir,
    pub top: PathBuf,
    pub folder: PathBuf,
}

impl Project {
    pub fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (top, folder) = (base.join("tool"), base.join("state/worktrees"));
        fs::create_dir(&top).unwrap();
        Self {
            _dir: dir,
            top,
            folder,
        }
    }

    pub fn new() -> Self {
        let project = Self::empty();
        project.git(&["init", "-q", "-b", "main"]);
        project.git(&["config", "user.name", "n"]);
        project.git(&["config", "user.email", "e@e"]);
        project.write("a", "one\n");
        project.write("b", "b\n");
        project.write(".gitignore", "*.log\ntarget/\n");
        project.commit("first");
        project
    }

    pub fn git(&self, words: &[&str]) -> String {
        git(&self.top, words)
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", message]);
    }

    pub fn write(&self, name: &str, text: &str) {
        write(&self.top, name, text);
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.top.join(name)).unwrap()
    }

    pub fn make(&self, name: &str) -> Worktree {
        let plan = plan(&self.top, Some(name), &self.folder).unwrap();
        plan.make().unwrap().worktree
    }

    /// Why there is no worktree for it.
    pub fn refused(&self, name: Option<&str>) -> String {
        let plan = plan(&self.top, name, &self.folder);
        plan.and_then(Plan::make).unwrap_err().to_string()
    }

    /// The state of the person's own checkout: branch, commit, what is not committed.
    pub fn state(&self) -> String {
        let head = self.git(&["rev-parse", "--symbolic-full-name", "HEAD", "HEAD^{}"]);
        head + &self.git(&["status", "--porcelain", "--untracked-files=all"])
    }

    pub fn has_branch(&self, branch: &str) -> bool {
        !self.git(&["branch", "--list", branch]).is_empty()
    }
}

pub(super) fn git(dir: &Path, words: &[&str]) -> String {
    let out = Command::new("git").current_dir(dir).args(words).output();
    let out = out.unwrap();
    assert!(out.status.success(), "{words:?}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

pub(super) fn write(top: &Path, name: &str, text: &str) {
    let path = top.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(super) fn commit_in(worktree: &Worktree, message: &str) {
    git(&worktree.top, &["add", "-A"]);
    git(&worktree.top, &["commit", "-qm", message]);
}

pub(super) fn carried(worktree: &Worktree, how: WorktreeEnd) -> Result<String, String> {
    let seen = status(worktree).map_err(|why| why.to_string())?;
    let carried = carry(worktree, how, &seen).map_err(|why| why.to_string())?;
    remove(worktree, &carried).map_err(|why| why.to_string())?;
    Ok(carried.said)
}

#[test]
fn a_worktree_is_made_from_what_is_committed_on_a_branch_of_its_own() {
    let project = Project::new();
    project.write("a", "not committed\n");
    let made = plan(&project.top, Some("fix"), &project.folder).unwrap();
    let made = made.make().unwrap();
    let worktree = &made.worktree;
    assert_eq!(worktree.branch, "acp/fix");
    assert_eq!(worktree.name(), "fix");
    // As text: a path with a slash at the end is equal.
    assert_eq!(worktree.cwd.as_os_str(), worktree.top.as_os_str());
    assert!(worktree.top.starts_with(&project.folder));
    assert_eq!(fs::read_to_string(worktree.top.join("a")).unwrap(), "one\n");
    let told = format!(
        "works on the new branch acp/fix, made from main, in {}; 1 file of the project is not committed, and \
         is not there as it is",
        worktree.top.display()
    );
    assert_eq!(made.told, told);
    // The project is as it was.
    assert_eq!(project.read("a"), "not committed\n");
    let seen = status(worktree).unwrap();
    assert!(seen.is_clean() && seen.counts().is_empty());
    assert_eq!(seen.branch.as_deref(), Some("acp/fix"));
    assert_eq!(seen.target.as_deref(), Some("main"));
}

#[test]
fn names_are_made_up_where_none_is_given() {
    let project = Project::new();
    let made = |project: &Project| {
        let plan = plan(&project.top, None, &project.folder).unwrap();
        plan.make().unwrap().worktree.branch
    };
    assert_eq!(made(&project), "acp/work-1");
    project.git(&["branch", "acp/work-2"]);
    assert_eq!(made(&project), "acp/work-3");
}

#[test]
fn a_project_below_the_top_of_its_repository_has_its_place_in_the_worktree() {
    let project = Project::new();
    project.write("deep/er/c", "c\n");
    project.commit("deep");
    let inside = project.top.join("deep/er");
    let made = plan(&inside, Some("fix"), &project.folder).unwrap();
    let worktree = made.make().unwrap().worktree;
    assert_eq!(worktree.cwd, worktree.top.join("deep/er"));
    assert_eq!(worktree.project, inside);
    // What is changed anywhere in the repository counts and goes over.
    write(&worktree.top, "a", "two\n");
    write(&worktree.top, "deep/er/new", "new\n");
    assert_eq!(status(&worktree).unwrap().counts(), "2 files");
    carried(&worktree, WorktreeEnd::Apply).unwrap();
    assert_eq!(project.read("a"), "two\n");
    assert_eq!(project.read("deep/er/new"), "new\n");
}

#[test]
fn what_is_no_name_is_refused() {
    let project = Project::new();
    for (name, why) in [
        ("", "it is empty"),
        ("a/b", "it holds a slash"),
        ("../x", "it holds a slash"),
        ("..", "it begins with - or ."),
        ("-f", "it begins with - or ."),
        (".git", "it begins with - or ."),
        ("fix the bug", "it holds a blank"),
        ("a\u{1b}[m", "it holds what cannot be seen"),
        ("a..b", "git takes no such name"),
        ("a.lock", "git takes no such name"),
        ("a~1", "git takes no such name"),
        ("a@{1}", "git takes no such name"),
        (&"x".repeat(61), "it is longer than 60 bytes"),
    ] {
        let refused = project.refused(Some(name));
        assert!(refused.contains(why), "{name:?}: {refused}");
        assert!(!refused.contains('\u{1b}'));
    }
    assert!(!project.folder.exists());
}

#[test]
fn what_keeps_a_worktree_from_being_made_is_told_with_what_to_do() {
    let project = Project::empty();
    assert!(
        project
            .refused(Some("x"))
            .contains("is in no git repository: git init makes one")
    );
    project.git(&["init", "-q", "-b", "main"]);
    assert!(project.refused(Some("x")).contains("has no commit yet"));
    let bare = Project::empty();
    bare.git(&["init", "-q", "--bare"]);
    assert!(bare.refused(Some("x")).contains("is a bare repository"));

    let project = Project::new();
    project.git(&["branch", "acp/there"]);
    assert!(
        project
            .refused(Some("there"))
            .contains("the branch acp/there exists already")
    );
    project.make("taken");
    let refused = project.refused(Some("taken"));
    assert!(
        refused.contains("there is a worktree \"taken\" already"),
        "{refused}"
    );
    let project = Project::new();
    project.git(&["branch", "acp"]);
    assert!(
        project
            .refused(Some("x"))
            .contains("the branch acp is in the way of acp/x")
    );
    assert!(
        project
            .refused(None)
            .contains("the branch acp is in the way")
    );
}

#[test]
fn a_project_on_no_branch_can_have_one() {
    let project = Project::new();
    project.git(&["checkout", "-q", "--detach"]);
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    assert_eq!(status(&worktree).unwrap().target, None);
    let why = carried(&worktree, WorktreeEnd::Merge).unwrap_err();
    assert!(why.contains("is on no branch to merge into"), "{why}");
    carried(&worktree, WorktreeEnd::Apply).unwrap();
    assert_eq!(project.read("a"), "two\n");
}

#[test]
fn submodules_are_told_of() {
    let (project, other) = (Project::new(), Project::new());
    let url = other.top.to_string_lossy().into_owned();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    project.git(&[&add[..], &[&url, "sub"]].concat());
    project.commit("with a submodule");
    let made = plan(&project.top, Some("fix"), &project.folder).unwrap();
    let made = made.make().unwrap();
    assert!(
        made.told.contains("submodules are empty there"),
        "{}",
        made.told
    );
    let top = &made.worktree.top;
    assert!(status(&made.worktree).unwrap().is_clean());
    write(top, "a", "two\n");
    carried(&made.worktree, WorktreeEnd::Merge).unwrap();
    assert_eq!(project.read("a"), "two\n");
    assert_eq!(project.read("sub/a"), "one\n");
}

/// Whatever a repository brings along: nothing of it runs by making, counting and ending a worktree.
#[test]
fn nothing_of_the_repository_runs() {
    let project = Project::new();
    let ran = project.folder.parent().unwrap().join("ran");
    let script = format!("#!/bin/sh\necho \"$0\" >> {}\n", ran.display());
    let hooks = project.top.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-checkout",
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "pre-merge-commit",
        "post-merge",
        "post-index-change",
        "reference-transaction",
    ] {
        fs::write(hooks.join(hook), &script).unwrap();
        fs::set_permissions(hooks.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::create_dir_all(ran.parent().unwrap()).unwrap();
    let program = hooks.join("post-merge").to_string_lossy().into_owned();
    for key in [
        "core.fsmonitor",
        "gpg.program",
        "core.editor",
        "core.pager",
        "diff.external",
    ] {
        project.git(&["config", key, &program]);
    }
    project.git(&["config", "commit.gpgSign", "true"]);
    project.git(&["config", "merge.verifySignatures", "true"]);
    for how in [WorktreeEnd::Merge, WorktreeEnd::Apply] {
        let worktree = project.make("fix");
        write(&worktree.top, "a", &format!("{how:?}\n"));
        carried(&worktree, how).unwrap();
        // So that the second one merges as well.
        project.git(&[
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "checkout",
            "-q",
            ".",
        ]);
    }
    let told = fs::read_to_string(&ran).unwrap_or_default();
    assert_eq!(told, "", "ran");
    // Filters and drivers have to run, or nothing is as it should be: they are refused.
    for key in [
        "filter.x.smudge",
        "filter.x.process",
        "merge.x.driver",
        "hook.x.command",
        "lfs.customtransfer.x.path",
    ] {
        project.git(&["config", key, &program]);
        let why = project.refused(Some("other"));
        assert!(
            why.contains(&format!("would run a program ({key})")),
            "{why}"
        );
        project.git(&["config", "--unset", key]);
    }
}

/// What counts only on the worktree's branch or in its folder is not listed where it is asked for before.
#[test]
fn what_a_repository_takes_in_for_worktrees_alone_does_not_run() {
    for condition in ["onbranch:acp/**", "gitdir:**/worktrees/**"] {
        let project = Project::new();
        let ran = project.folder.parent().unwrap().join("ran");
        fs::create_dir_all(ran.parent().unwrap()).unwrap();
        project.write(".gitattributes", "* filter=x\n");
        project.commit("attributes");
        let filter = format!("[filter \"x\"]\n\tsmudge = touch {}; cat\n", ran.display());
        project.write(".git/more", &filter);
        let key = format!("includeIf.{condition}.path");
        let made = project.make("before");
        project.git(&["config", &key, "more"]);
        let why = project.refused(Some("fix"));
        assert!(why.contains("for some branches or folders"), "{why}");
        for end in [WorktreeEnd::Merge, WorktreeEnd::Apply] {
            assert!(carried(&made, end).is_err(), "{condition}");
        }
        assert!(!ran.exists(), "{condition}");
    }
}

#[test]
fn the_worktrees_of_a_project_are_listed_with_what_is_in_them() {
    let project = Project::new();
    let listed = || list(&project.top, &project.folder).unwrap();
    assert!(listed().is_empty());
    let (one, two) = (project.make("one"), project.make("two"));
    write(&one.top, "new", "");
    fs::remove_dir_all(&two.top).unwrap();
    // Not ours.
    let own = project.folder.join("own").to_string_lossy().into_owned();
    project.git(&["worktree", "add", "-q", &own]);
    let told: Vec<(String, String)> = listed()
        .into_iter()
        .map(|listed| {
            let stands = match &listed.status {
                Ok(status) => status.counts(),
                Err(why) => why.to_string(),
            };
            (listed.worktree.branch, stands)
        })
        .collect();
    assert_eq!(told[0], ("acp/one".to_owned(), "1 file".to_owned()));
    assert_eq!(told[1].0, "acp/two");
    assert!(
        told[1].1.contains("the worktree of acp/two is gone"),
        "{told:?}"
    );
    assert_eq!(told.len(), 2);
    // The same from another checkout, and what is made there stands with them.
    let from = |top: &Path| list(top, &project.folder).unwrap().len();
    assert_eq!((from(&one.top), from(Path::new(&own))), (2, 2));
    let made = plan(&one.top, Some("three"), &project.folder).unwrap();
    let made = made.make().unwrap().worktree;
    assert_eq!(made.top.parent(), one.top.parent());
}

#[test]
fn what_is_gone_is_told_with_what_brings_it_back() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    commit_in(&worktree, "second");
    // The branch, by hand.
    project.git(&["update-ref", "-d", "refs/heads/acp/fix"]);
    let why = status(&worktree).unwrap_err().to_string();
    assert!(
        why.contains("has no commit, or is gone: git branch acp/fix"),
        "{why}"
    );
    project.git(&["branch", "acp/fix", "main"]);
    assert!(status(&worktree).is_ok());
    // Its place in the repository.
    let admin = project.top.join(".git/worktrees/fix");
    let away = project.top.join(".git/away");
    fs::rename(&admin, &away).unwrap();
    let why = status(&worktree).unwrap_err().to_string();
    assert!(
        why.contains("no worktree of a repository any more"),
        "{why}"
    );
    fs::rename(&away, &admin).unwrap();
    // What leads there may be made to lead anywhere.
    let other = Project::new();
    let link = fs::read_to_string(worktree.top.join(".git")).unwrap();
    let elsewhere = format!("gitdir: {}/.git\n", other.top.display());
    fs::write(worktree.top.join(".git"), elsewhere).unwrap();
    let why = status(&worktree).unwrap_err().to_string();
    assert!(why.contains("is no worktree of"), "{why}");
    fs::write(worktree.top.join(".git"), link).unwrap();
    assert!(status(&worktree).is_ok());
    // The folder.
    fs::remove_dir_all(&worktree.top).unwrap();
    let why = status(&worktree).unwrap_err().to_string();
    assert!(why.contains("is gone from /"), "{why}");
    assert_eq!(is_there(&worktree).unwrap_err().to_string(), why);
    // It can be made anew by the same name once its branch is gone.
    project.git(&["update-ref", "-d", "refs/heads/acp/fix"]);
    project.make("fix");
}

#[test]
fn the_counts_tell_commits_files_and_what_is_ignored() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    commit_in(&worktree, "second");
    fs::remove_file(worktree.top.join("b")).unwrap();
    write(&worktree.top, "new ü file", "");
    write(&worktree.top, "x.log", "");
    write(&worktree.top, "target/deep/x", "");
    symlink("a", worktree.top.join("link")).unwrap();
    let seen = status(&worktree).unwrap();
    assert_eq!((seen.commits, seen.changed, seen.untracked), (1, 1, 2));
    assert_eq!(seen.counts(), "3 files, 1 commit");
    assert_eq!(seen.ignored, ["target/", "x.log"]);
    assert_eq!(seen.ignored_count, 2);
    assert_eq!(
        WorktreeStatus {
            ignored: Vec::new(),
            ..WorktreeStatus::default()
        }
        .counts(),
        ""
    );
}
