//! `run --worktree` and `acp-tui worktrees`.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::shell::{Ran, Shell};

fn git(dir: &Path, words: &[&str]) -> String {
    let out = Command::new("git").current_dir(dir).args(words).output();
    let out = out.unwrap();
    assert!(out.status.success(), "{words:?}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

/// With the programs of this machine: `git` is one.
fn run(shell: &Shell, args: &[&str]) -> Ran {
    let mut command = shell.command(args);
    command.env("PATH", std::env::var_os("PATH").unwrap());
    Ran::new(command.output().unwrap())
}

fn shell() -> Shell {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        // Begins once the first look at the worktree is over.
        {"sleep": 500},
        {"write": {"path": "$cwd/new.txt", "text": "new\n"}},
        {"text": "done"},
    ]}]));
    shell
}

fn in_repository() -> Shell {
    let shell = shell();
    let project = shell.path().join("project");
    fs::remove_dir(project.join(".git")).unwrap();
    fs::write(project.join("a.txt"), "one\n").unwrap();
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-A"]);
    let who = ["-c", "user.name=n", "-c", "user.email=e@e"];
    git(&project, &[&who[..], &["commit", "-qm", "first"]].concat());
    shell
}

#[test]
fn a_run_in_a_worktree_leaves_it_and_says_where_it_is() {
    let shell = in_repository();
    let ran = run(
        &shell,
        &["run", "--worktree", "fix", "--format", "json", "go"],
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err
            .contains("works on the new branch acp/fix, made from main, in /"),
        "{}",
        ran.err
    );
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["worktree"]["branch"], "acp/fix");
    let path = Path::new(told["worktree"]["path"].as_str().unwrap());
    assert_eq!(fs::read_to_string(path.join("new.txt")).unwrap(), "new\n");
    assert!(!shell.path().join("project/new.txt").exists());

    let listed = run(&shell, &["worktrees"]).out;
    assert!(listed.contains("acp/fix  1 file"), "{listed}");
    let listed = run(&shell, &["worktrees", "--json"]).out;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed[0]["path"], told["worktree"]["path"]);
    assert_eq!(
        (&listed[0]["files"], &listed[0]["commits"]),
        (&json!(1), &json!(0))
    );

    // It is a session of the project, and what it changed is told from where it works.
    let sessions = run(&shell, &["sessions"]).out;
    assert!(sessions.contains("~/project (acp/fix)"), "{sessions}");
    let sessions: Value = serde_json::from_str(&run(&shell, &["sessions", "--json"]).out).unwrap();
    assert_eq!(sessions[0]["worktree"]["path"], told["worktree"]["path"]);
    let id = sessions[0]["id"].as_str().unwrap();
    let stat = run(&shell, &["changes", id, "--stat"]);
    assert_eq!(
        stat.out, "A new.txt  +1 -0\n1 file, +1 -0\n",
        "{}",
        stat.err
    );

    // Once it is gone the session cannot go on there, and says so.
    fs::remove_dir_all(path).unwrap();
    let ran = run(&shell, &["run", "--resume", id, "more"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    for part in [
        "the worktree of acp/fix is gone",
        "sessions show",
        "-C DIR --resume",
    ] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let newest = run(&shell, &["run", "--continue", "more"]);
    assert_eq!(newest.code, 2, "{}", newest.out);
    assert!(newest.err.contains("is gone from"), "{}", newest.err);
    let listed = run(&shell, &["worktrees"]).out;
    assert!(listed.contains("is gone"), "{listed}");
}

#[test]
fn the_folder_of_worktrees_is_configured() {
    let shell = in_repository();
    let trees = shell.path().canonicalize().unwrap().join("trees");
    shell.profile(&format!("\n[worktree]\ndir = {trees:?}\n"));
    // What is no name is told before anything is made.
    let ran = run(&shell, &["run", "--worktree", "fix the bug", "go"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("it holds a blank"), "{}", ran.err);
    assert!(!trees.exists());
    let ran = run(&shell, &["run", "go", "--worktree", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["worktree"]["branch"], "acp/work-1");
    assert!(Path::new(told["worktree"]["path"].as_str().unwrap()).starts_with(&trees));
}

#[test]
fn what_keeps_a_worktree_from_being_made_is_told_and_nothing_starts() {
    let shell = shell();
    fs::remove_dir(shell.path().join("project/.git")).unwrap();
    let ran = run(&shell, &["run", "--worktree", "fix", "go"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("--worktree: "), "{}", ran.err);
    assert!(
        ran.err
            .contains("is in no git repository: git init makes one"),
        "{}",
        ran.err
    );
    // Without git on PATH.
    let ran = shell.run(&["run", "--worktree", "fix", "go"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("git is not on PATH"), "{}", ran.err);
    assert!(shell.record().is_empty());
    // Not with a session that has its place already.
    let ran = run(&shell, &["run", "--worktree", "fix", "--continue", "go"]);
    assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
}
