//! Sessions in git worktrees: made, worked in, merged, applied, kept, thrown away, come back to.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{
    GUARD, client,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

fn git(dir: &Path, words: &[&str]) -> String {
    let out = Command::new("git").current_dir(dir).args(words).output();
    let out = out.expect("git");
    assert!(out.status.success(), "{words:?}: {out:?}");
    String::from_utf8(out.stdout).expect("text")
}

/// Each prompt writes two files in the session's folder.
fn scenario() -> Value {
    json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
        {"on": "session/prompt", "do": [
            // Long enough for a row at its end.
            {"sleep": 1200},
            {"write": {"path": "$cwd/a.txt", "text": "two\n"}},
            {"write": {"path": "$cwd/new.txt", "text": "new\n"}},
            {"text": "written"},
        ]},
    ])
}

/// A repository with a commit on `main`.
fn in_repository(scenario: Value) -> Setup {
    let setup = client(scenario)
        .size(110, 30)
        .file("a.txt", "one\n")
        .file(".gitignore", "*.log\n");
    let project = setup.path("project");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["config", "user.name", "n"]);
    git(&project, &["config", "user.email", "e@e"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "first"]);
    setup
}

/// Where the agent's sessions were opened, in order.
fn folders(tui: &Tui) -> Vec<PathBuf> {
    let opens = tui.received().into_iter();
    let opens = opens.filter(|message| message["method"] == "session/new");
    opens
        .filter_map(|message| Some(message["params"]["cwd"].as_str()?.into()))
        .collect()
}

fn has_branch(tui: &Tui, branch: &str) -> bool {
    !git(&tui.project(), &["branch", "--list", branch]).is_empty()
}

/// The client with a session in the worktree `fix`, whose agent has written two files.
fn worked() -> (Tui, PathBuf) {
    let tui = in_repository(scenario())
        .args(&["--worktree", "fix"])
        .start();
    tui.wait_for("works on the new branch acp/fix, made from main");
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("written");
    tui.wait_for("in 2 files");
    let folder = folders(&tui).remove(0);
    (tui, folder)
}

/// Opens the dialog and chooses the row that begins so.
fn choose(tui: &Tui, row: &str) {
    tui.keys("/worktree<enter>");
    tui.wait_for("Keep the worktree, close the session");
    tui.settle(GUARD);
    // It has been open long enough for what is typed next to be meant for it.
    tui.keys(row);
    tui.wait(row, |tui| {
        let screen = tui.screen();
        let gone = row == "Keep" || !screen.contains("Keep the worktree");
        gone.then_some(())
    });
    tui.keys("<enter>");
}

#[test]
fn a_session_in_a_worktree_works_there_and_is_merged() {
    let (tui, folder) = worked();
    assert!(folder.starts_with(tui.path("home")), "{folder:?}");
    assert_eq!(fs::read_to_string(folder.join("a.txt")).unwrap(), "two\n");
    assert_eq!(
        fs::read_to_string(tui.project().join("a.txt")).unwrap(),
        "one\n"
    );
    // The status line has its branch, the list what is in it.
    tui.wait_for("(acp/fix)");
    tui.keys("<c-s>");
    tui.wait_for("2 files · acp/fix");
    tui.keys("<esc>");
    tui.wait_gone("type to filter");
    // What changed there is followed there.
    tui.send(b"\x1bOS");
    tui.wait_for("2 files");
    tui.wait_for("new.txt");
    tui.keys("q");
    choose(&tui, "Merge");
    tui.wait_for("merged acp/fix into main: 2 files, 2 files committed first");
    tui.wait("the folder to go", |_| (!folder.exists()).then_some(()));
    assert_eq!(
        fs::read_to_string(tui.project().join("new.txt")).unwrap(),
        "new\n"
    );
    assert_eq!(
        git(&tui.project(), &["log", "--format=%s"]),
        "Work of fix\nfirst\n"
    );
    assert_eq!(git(&tui.project(), &["status", "--porcelain"]), "");
    assert!(!has_branch(&tui, "acp/fix"));
}

#[test]
fn discarding_asks_and_counts_and_a_no_keeps_everything() {
    let (tui, folder) = worked();
    fs::write(folder.join("x.log"), "").unwrap();
    choose(&tui, "Discard");
    tui.wait_for("2 files, what git ignores (x.log) of acp/fix will be gone for good.");
    // Nothing is selected: enter does nothing.
    tui.settle(GUARD);
    tui.keys("<enter>");
    tui.settle(GUARD);
    tui.wait_for("gone for good");
    tui.keys("<esc>");
    tui.wait_gone("gone for good");
    assert!(folder.join("new.txt").exists() && has_branch(&tui, "acp/fix"));
    choose(&tui, "Discard");
    tui.wait_for("gone for good");
    tui.settle(GUARD);
    tui.keys("<down>");
    tui.wait_for("❯ Discard it");
    tui.settle(GUARD);
    tui.keys("<enter>");
    tui.wait_for("discarded the worktree of acp/fix");
    tui.wait("the folder to go", |_| (!folder.exists()).then_some(()));
    assert!(!has_branch(&tui, "acp/fix"));
    assert_eq!(git(&tui.project(), &["status", "--porcelain"]), "");
}

#[test]
fn applying_leaves_the_persons_own_changes_alone_and_works_once_they_are_gone() {
    let (tui, folder) = worked();
    fs::write(tui.project().join("a.txt"), "mine\n").unwrap();
    choose(&tui, "Apply");
    tui.wait_for("are in the way: a.txt. Commit or stash them, then try again");
    assert_eq!(
        fs::read_to_string(tui.project().join("a.txt")).unwrap(),
        "mine\n"
    );
    assert!(!tui.project().join("new.txt").exists() && folder.exists());
    git(&tui.project(), &["checkout", "-q", "."]);
    choose(&tui, "Apply");
    tui.wait_for("2 files of acp/fix are uncommitted changes");
    tui.wait("the folder to go", |_| (!folder.exists()).then_some(()));
    let stands = git(&tui.project(), &["status", "--porcelain"]);
    assert_eq!(stands, " M a.txt\n?? new.txt\n");
}

#[test]
fn a_worktree_is_made_beside_a_session_with_a_process_of_its_own_and_asked_about_when_closed() {
    let tui = in_repository(scenario()).start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("in 2 files");
    tui.keys("/worktree side<enter>");
    tui.wait_for("works on the new branch acp/side");
    tui.wait_for("2 files of the project are not committed");
    wait_ready(&tui);
    tui.wait("two processes", |tui| {
        (tui.count("initialize") == 2).then_some(())
    });
    let folders = folders(&tui);
    assert_eq!(folders[0], tui.project());
    assert!(folders[1].ends_with("side"));
    // Untouched, it goes without a question.
    tui.keys("<c-s>");
    tui.wait_for("acp/side");
    tui.keys("<c-x>");
    tui.wait("the folder to go", |_| (!folders[1].exists()).then_some(()));
    tui.wait_gone("acp/side");
    tui.wait_gone("type to filter");
    // A name that is taken is told.
    git(&tui.project(), &["branch", "acp/taken"]);
    tui.keys("/worktree taken<enter>");
    tui.wait_for("the branch acp/taken exists already");
}

#[test]
fn left_it_is_kept_and_comes_back_in_its_place_or_is_said_to_be_gone() {
    let mut setup = in_repository(scenario()).args(&["--worktree", "fix"]);
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("in 2 files");
    let folder = folders(&tui).remove(0);
    tui.keys("<c-d>");
    tui.wait_exit();
    let screen = tui.screen().replace('\n', "");
    assert!(
        screen.contains("The worktree of acp/fix is kept in ~/"),
        "{screen}"
    );
    assert!(folder.join("new.txt").exists());

    setup.args = vec!["--continue".to_owned()];
    let mut again = setup.start();
    again.wait_for("(acp/fix)");
    wait_ready(&again);
    again.wait("the load", |tui| {
        let received = tui.received();
        let load = received.iter().rfind(|m| m["method"] == "session/load")?;
        (load["params"]["cwd"] == folder.to_str()?).then_some(())
    });
    again.keys("<c-d>");
    again.wait_exit();

    fs::remove_dir_all(&folder).unwrap();
    setup.args = vec!["--resume".to_owned(), "sess-1".to_owned()];
    let mut gone = setup.start();
    gone.wait_exit();
    let screen = gone.screen().replace('\n', "");
    assert!(
        screen.contains("the worktree of acp/fix is gone"),
        "{screen}"
    );
}

#[test]
fn left_unused_it_is_removed_and_kept_with_anything_in_it() {
    let setup = in_repository(scenario()).args(&["--worktree", "fix"]);
    let mut tui = setup.start();
    wait_ready(&tui);
    let folder = folders(&tui).remove(0);
    tui.keys("<c-d>");
    tui.wait_exit();
    let screen = tui.screen().replace('\n', "");
    let said = "The worktree of acp/fix was not used and is removed";
    assert!(screen.contains(said), "{screen}");
    assert!(!folder.exists() && !has_branch(&tui, "acp/fix"));

    // The person's own file, even one that git ignores.
    let mut tui = setup.start();
    wait_ready(&tui);
    fs::write(folder.join("x.log"), "").unwrap();
    tui.keys("<c-d>");
    tui.wait_exit();
    let screen = tui.screen().replace('\n', "");
    assert!(
        screen.contains("The worktree of acp/fix is kept in"),
        "{screen}"
    );
    assert!(folder.join("x.log").exists() && has_branch(&tui, "acp/fix"));
}

#[test]
fn what_became_of_a_worktree_stays_in_the_conversation_that_is_shown() {
    let tui = in_repository(scenario()).start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("in 2 files");
    git(&tui.project(), &["checkout", "-q", "."]);
    git(&tui.project(), &["clean", "-fdq"]);
    for (row, ends) in [
        ("Merge", "merged acp/side into main"),
        ("Keep", "acp/side is kept"),
    ] {
        tui.keys("/worktree side<enter>");
        tui.wait_for("works on the new branch acp/side");
        wait_ready(&tui);
        tui.keys("more<enter>");
        tui.wait_for("written");
        wait_ready(&tui);
        choose(&tui, row);
        // The row of the notice, not only the line that comes and goes.
        tui.wait("both", |tui| {
            (tui.screen().matches(ends).count() == 2).then_some(())
        });
        tui.wait("the row", |tui| {
            (tui.screen().matches(ends).count() == 1).then_some(())
        });
        tui.wait_for("go");
    }
}

#[test]
fn lists_name_the_session_of_a_worktree_and_say_where_that_is_gone() {
    let (mut tui, folder) = worked();
    tui.keys("<c-d>");
    tui.wait_exit();
    let ask = |words: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_acp-tui"))
            .args(words)
            .current_dir(tui.project())
            .env("HOME", tui.path("home"))
            .env_remove("XDG_STATE_HOME")
            .output()
            .expect("it runs");
        String::from_utf8(out.stdout).expect("text")
    };
    let listed = ask(&["sessions"]);
    assert!(listed.contains("(acp/fix)"), "{listed}");
    let id = listed
        .lines()
        .nth(1)
        .and_then(|line| line.split(' ').next());
    let id = id.expect("a session");
    let worktrees = ask(&["worktrees"]);
    assert!(worktrees.contains(&format!(" {id} ")), "{worktrees}");
    let json: Value = serde_json::from_str(&ask(&["worktrees", "--json"])).expect("JSON");
    assert_eq!(json[0]["sessions"], json!([id]));
    fs::remove_dir_all(folder).unwrap();
    let listed = ask(&["sessions"]);
    assert!(listed.contains("(acp/fix, worktree gone)"), "{listed}");
}
