//! What becomes of a worktree, and that nothing is lost by it.

use super::*;

#[test]
fn merged_what_is_not_committed_is_committed_first() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    commit_in(&worktree, "second");
    write(&worktree.top, "new", "new\n");
    fs::remove_file(worktree.top.join("b")).unwrap();
    let said = carried(&worktree, WorktreeEnd::Merge).unwrap();
    assert_eq!(
        said,
        "merged acp/fix into main: 3 files, 2 files committed first"
    );
    assert_eq!(project.read("a"), "two\n");
    assert_eq!(project.read("new"), "new\n");
    assert!(!project.top.join("b").exists());
    let log = project.git(&["log", "--format=%s"]);
    assert_eq!(log, "Work of fix\nsecond\nfirst\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert!(!worktree.top.exists() && !project.has_branch("acp/fix"));
    assert!(!project.git(&["worktree", "list"]).contains("acp/fix"));
}

#[test]
fn a_project_that_went_on_is_merged_with_a_merge_commit_and_keeps_its_own_changes() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    project.write("c", "c\n");
    project.commit("meanwhile");
    // Elsewhere than what comes.
    project.write("b", "mine\n");
    project.write("own", "own\n");
    carried(&worktree, WorktreeEnd::Merge).unwrap();
    assert_eq!(project.read("a"), "two\n");
    assert_eq!(project.read("b"), "mine\n");
    assert_eq!(project.read("own"), "own\n");
    let log = project.git(&["log", "--format=%s", "-1"]);
    assert_eq!(log, "Merge branch 'acp/fix'\n");
    assert_eq!(project.git(&["status", "--porcelain"]), " M b\n?? own\n");
}

#[test]
fn what_conflicts_changes_nothing_and_keeps_the_worktree() {
    for how in [WorktreeEnd::Merge, WorktreeEnd::Apply] {
        let project = Project::new();
        let worktree = project.make("fix");
        write(&worktree.top, "a", "theirs\n");
        project.write("a", "ours\n");
        project.commit("meanwhile");
        let before = project.state();
        let why = carried(&worktree, how).unwrap_err();
        assert!(
            why.contains("acp/fix conflicts with main in a. Nothing was changed"),
            "{why}"
        );
        assert_eq!(project.state(), before);
        // Not committed either.
        assert_eq!(status(&worktree).unwrap().counts(), "1 file");
        assert_eq!(
            fs::read_to_string(worktree.top.join("a")).unwrap(),
            "theirs\n"
        );
    }
}

#[test]
fn the_persons_own_changes_are_never_overwritten() {
    for how in [WorktreeEnd::Merge, WorktreeEnd::Apply] {
        let project = Project::new();
        let worktree = project.make("fix");
        write(&worktree.top, "a", "theirs\n");
        write(&worktree.top, "new", "theirs\n");
        write(&worktree.top, "folder/x", "theirs\n");
        write(&worktree.top, "out.txt", "theirs\n");
        write(&worktree.top, "fine", "theirs\n");
        // Changed, untracked, a file where a folder is to be, ignored here only.
        project.write("a", "mine\n");
        project.write("new", "mine\n");
        project.write("folder", "mine\n");
        project.write("out.txt", "mine\n");
        project.write(".git/info/exclude", "out.txt\n");
        write(&worktree.top, "forced", "x\n");
        git(&worktree.top, &["add", "-f", "out.txt"]);
        let before = project.state();
        let why = carried(&worktree, how).unwrap_err();
        let names = "are in the way: a, folder/x, new, out.txt. Commit or stash them";
        assert!(why.contains(names), "{why}");
        assert_eq!(project.state(), before);
        assert_eq!(project.read("a"), "mine\n");
        assert_eq!(project.read("out.txt"), "mine\n");
        assert!(!project.top.join("fine").exists());
        assert!(worktree.top.exists());
    }
}

#[test]
fn applied_commits_and_files_are_uncommitted_changes_that_are_not_staged() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\r\nno end");
    commit_in(&worktree, "second");
    fs::remove_file(worktree.top.join("b")).unwrap();
    fs::write(worktree.top.join("bytes"), [0, 255, 10, 0]).unwrap();
    write(&worktree.top, "run", "#!/bin/sh\n");
    let run = worktree.top.join("run");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    symlink("nowhere", worktree.top.join("link")).unwrap();
    // The project goes on meanwhile, and has changes of its own.
    project.write("c", "c\n");
    project.commit("meanwhile");
    project.write("c", "mine\n");
    project.git(&["add", "c"]);
    let head = project.git(&["rev-parse", "HEAD"]);
    let said = carried(&worktree, WorktreeEnd::Apply).unwrap();
    assert!(
        said.starts_with("5 files of acp/fix are uncommitted changes of"),
        "{said}"
    );
    assert_eq!(project.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(project.read("a"), "two\r\nno end");
    assert_eq!(
        fs::read(project.top.join("bytes")).unwrap(),
        [0, 255, 10, 0]
    );
    let mode = fs::metadata(project.top.join("run")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o111, 0o111);
    assert_eq!(
        fs::read_link(project.top.join("link")).unwrap(),
        Path::new("nowhere")
    );
    let stands = project.git(&["status", "--porcelain"]);
    assert_eq!(stands, " M a\n D b\nM  c\n?? bytes\n?? link\n?? run\n");
    assert!(!worktree.top.exists() && !project.has_branch("acp/fix"));
}

#[test]
fn what_changes_after_it_was_counted_is_not_lost() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    let seen = status(&worktree).unwrap();
    write(&worktree.top, "later", "");
    let why = discard(&worktree, &seen).unwrap_err().to_string();
    assert!(why.contains("has changed since it was counted"), "{why}");
    assert!(carry(&worktree, WorktreeEnd::Merge, &seen).is_err());
    // After it went over, and before it is removed.
    for how in [WorktreeEnd::Apply, WorktreeEnd::Merge] {
        let seen = status(&worktree).unwrap();
        let carried = carry(&worktree, how, &seen).unwrap();
        write(&worktree.top, "later", &format!("{how:?}\n"));
        let why = remove(&worktree, &carried).unwrap_err().to_string();
        assert!(why.contains("meanwhile, so it is kept"), "{why}");
        project.git(&["checkout", "-q", "."]);
        project.git(&["clean", "-fdq"]);
    }
    assert!(worktree.top.join("later").exists() && project.has_branch("acp/fix"));
}

#[test]
fn discarded_folder_and_branch_are_gone_and_the_project_as_it_was() {
    let project = Project::new();
    let before = project.state();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    commit_in(&worktree, "second");
    write(&worktree.top, "new", "");
    discard(&worktree, &status(&worktree).unwrap()).unwrap();
    assert!(!worktree.top.exists() && !project.has_branch("acp/fix"));
    assert_eq!(project.state(), before);
    // The folder of the project's worktrees goes with the last.
    assert_eq!(fs::read_dir(&project.folder).unwrap().count(), 0);
}

#[test]
fn what_the_agent_checked_out_is_what_goes_over_and_other_branches_stay() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "left on the branch\n");
    commit_in(&worktree, "left");
    git(&worktree.top, &["checkout", "-q", "-b", "theirs", "main"]);
    write(&worktree.top, "new", "theirs\n");
    let seen = status(&worktree).unwrap();
    assert_eq!(seen.branch.as_deref(), Some("theirs"));
    let why = carried(&worktree, WorktreeEnd::Merge).unwrap_err();
    assert!(
        why.contains("its branch acp/fix has commits that were not"),
        "{why}"
    );
    assert_eq!(project.read("new"), "theirs\n");
    assert_eq!(project.read("a"), "one\n");
    assert!(project.has_branch("acp/fix") && project.has_branch("theirs"));
    assert!(!worktree.top.exists());
}

#[test]
fn what_is_going_on_is_finished_first() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "theirs\n");
    commit_in(&worktree, "theirs");
    project.write("a", "ours\n");
    project.commit("ours");
    let merged = Command::new("git")
        .current_dir(&worktree.top)
        .args(["merge", "-q", "main"])
        .output();
    assert!(!merged.unwrap().status.success());
    for how in [WorktreeEnd::Merge, WorktreeEnd::Apply] {
        let why = carried(&worktree, how).unwrap_err();
        assert!(why.contains("a merge is going on in"), "{why}");
    }
}

#[test]
fn a_repository_within_is_counted_and_does_not_go_over() {
    let project = Project::new();
    let worktree = project.make("fix");
    fs::create_dir(worktree.top.join("inner")).unwrap();
    git(&worktree.top.join("inner"), &["init", "-q"]);
    write(&worktree.top, "inner/x", "");
    let seen = status(&worktree).unwrap();
    assert_eq!(seen.counts(), "1 nested repository");
    assert!(!seen.is_clean());
    let why = carried(&worktree, WorktreeEnd::Merge).unwrap_err();
    assert!(
        why.contains("inner/ in the worktree is a repository of its own"),
        "{why}"
    );
    assert!(worktree.top.join("inner/x").exists());
}

#[test]
fn an_empty_one_merges_and_applies_to_nothing() {
    let project = Project::new();
    let before = project.state();
    for (how, says) in [
        (WorktreeEnd::Merge, "merged acp/fix into main: 0 files"),
        (WorktreeEnd::Apply, "acp/fix had no changes to apply"),
    ] {
        let worktree = project.make("fix");
        assert_eq!(carried(&worktree, how).unwrap(), says);
        assert_eq!(project.state(), before);
    }
}

/// git knows by the time of its index which stamps say nothing.
#[test]
fn what_changed_in_the_tick_in_which_the_index_was_written_goes_over() {
    let project = Project::new();
    let worktree = project.make("fix");
    let file = worktree.top.join("a");
    let index = project.top.join(".git/worktrees/fix/index");
    // A clock that stands still: nothing but the content differs from what the index has.
    let stamp = fs::metadata(&file).unwrap().modified().unwrap();
    git(&worktree.top, &["config", "core.trustctime", "false"]);
    write(&worktree.top, "a", "two\n");
    for path in [&file, &index] {
        let opened = fs::File::options().write(true).open(path).unwrap();
        opened.set_modified(stamp).unwrap();
    }
    // Most builds of git look at seconds.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    carried(&worktree, WorktreeEnd::Apply).unwrap();
    assert_eq!(project.read("a"), "two\n");
}

/// Somebody removes the branch, or the whole repository's knowledge of it, at any moment.
#[test]
fn a_branch_that_is_gone_is_told_and_nothing_is_lost() {
    let ends = [WorktreeEnd::Merge, WorktreeEnd::Apply];
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    commit_in(&worktree, "second");
    write(&worktree.top, "new", "new\n");
    let seen = status(&worktree).unwrap();
    let tip = git(&worktree.top, &["rev-parse", "HEAD"]);
    let before = project.state();
    let is_left = |project: &Project| {
        assert_eq!(project.read("a"), "one\n");
        assert_eq!(fs::read_to_string(worktree.top.join("a")).unwrap(), "two\n");
        assert_eq!(
            fs::read_to_string(worktree.top.join("new")).unwrap(),
            "new\n"
        );
    };
    // After it was counted and before it was.
    project.git(&["update-ref", "-d", "refs/heads/acp/fix"]);
    for end in ends {
        let why = carry(&worktree, end, &seen).unwrap_err().to_string();
        assert!(why.contains("is gone: git branch acp/fix"), "{why}");
        let why = carried(&worktree, end).unwrap_err();
        assert!(why.contains("is gone: git branch acp/fix"), "{why}");
        is_left(&project);
    }
    let why = discard(&worktree, &seen).unwrap_err().to_string();
    assert!(why.contains("git reflog shows commits"), "{why}");
    is_left(&project);
    // What it says brings it back, and all goes over.
    project.git(&["branch", "acp/fix", tip.trim()]);
    assert_eq!(project.state(), before);
    carried(&worktree, WorktreeEnd::Merge).unwrap();
    assert_eq!(
        (project.read("a"), project.read("new")),
        ("two\n".into(), "new\n".into())
    );
    assert!(!worktree.top.exists());
}

#[test]
fn a_folder_that_is_gone_is_told_and_its_branch_stays() {
    let project = Project::new();
    let worktree = project.make("fix");
    write(&worktree.top, "a", "two\n");
    commit_in(&worktree, "second");
    let seen = status(&worktree).unwrap();
    fs::remove_dir_all(&worktree.top).unwrap();
    for end in [WorktreeEnd::Merge, WorktreeEnd::Apply] {
        let why = carry(&worktree, end, &seen).unwrap_err().to_string();
        assert!(
            why.contains("is gone from /") && why.contains("git worktree add"),
            "{why}"
        );
    }
    let why = discard(&worktree, &seen).unwrap_err().to_string();
    assert!(why.contains("is gone from /"), "{why}");
    assert!(project.has_branch("acp/fix"));
    assert_eq!(project.read("a"), "one\n");
    // As it says.
    let top = worktree.top.to_str().unwrap();
    project.git(&["worktree", "add", "-q", "-f", top, "acp/fix"]);
    assert!(carried(&worktree, WorktreeEnd::Apply).is_ok());
    assert_eq!(project.read("a"), "two\n");
}
