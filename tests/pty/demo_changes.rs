//! What the demo changes, in every way there is, is listed and taken back by hunk, file and turn.

use serde_json::json;

use crate::{
    client,
    support::{
        changes::{commit, git, lines, puts_back_by_hunk, puts_back_by_turn_and_by_file, state},
        pty::Tui,
    },
    wait_ready,
};

/// Answers what the demo asks for.
fn asks(tui: &Tui, word: &str, answers: usize) {
    tui.paste(word);
    tui.settle(crate::GUARD);
    tui.keys("<enter>");
    for _ in 0..answers {
        tui.wait_for(" wants to ");
        tui.settle(crate::GUARD);
        tui.keys("1");
        tui.wait_gone(" wants to ");
    }
    wait_ready(tui);
}

fn takes_back(in_git: bool) {
    let tui = client(json!([]))
        .args(&["--agent", "demo"])
        .size(120, 40)
        .start();
    wait_ready(&tui);
    tui.keys("<s-tab>");
    tui.wait_for("Swift");
    asks(&tui, "changes", 1);
    let (project, folder) = (tui.project(), tui.project().join("acp-tui-demo"));
    let (before, of_folder) = (state(&project), state(&folder));
    assert_eq!(of_folder["edited.txt"].1, lines(&[]).into_bytes());
    let status = || git(&project, &["status", "--porcelain"]);
    if in_git {
        commit(&project);
        assert_eq!(status(), "");
    }
    asks(&tui, "changes", 5);
    puts_back_by_hunk(&tui, &folder);
    assert_eq!(state(&project), before, "bytes and modes are as before");
    asks(&tui, "changes", 5);
    puts_back_by_turn_and_by_file(&tui, &folder, &of_folder);
    assert_eq!(state(&project), before, "bytes and modes are as before");
    if in_git {
        assert_eq!(status(), "");
    }
}

#[test]
fn five_changes_of_the_demo_are_taken_back_in_a_git_repository() {
    takes_back(true);
}

#[test]
fn five_changes_of_the_demo_are_taken_back_in_a_folder_without_git() {
    takes_back(false);
}
