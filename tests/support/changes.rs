//! Five files that a turn changes, each in another way, and taking that back in every way there is.

use std::{
    collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path, process::Command, thread,
    time::Duration,
};

use super::pty::Tui;

const F4: &str = "\x1bOS";

/// A choice takes no key before it has been on the screen this long.
const GUARD: Duration = Duration::from_millis(600);

/// Thirty lines; those of these numbers are changed.
pub fn lines(changed: &[usize]) -> String {
    let line = |n: usize| match changed.contains(&n) {
        true => format!("changed-{n}\n"),
        false => format!("row-{n}\n"),
    };
    (1..=30).map(line).collect()
}

/// Bytes and permissions of all files below a folder but git's own.
pub fn state(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() {
            if name != ".git" {
                let below = state(&path).into_iter();
                all.extend(below.map(|(below, state)| (format!("{name}/{below}"), state)));
            }
            continue;
        }
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        let bytes = fs::read(&path).expect("its bytes");
        all.insert(name.into_owned(), (mode, bytes));
    }
    all
}

pub fn git(project: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args)
        .current_dir(project)
        .output()
        .expect("git runs");
    assert!(out.status.success(), "git {args:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The files as they are before the turn.
pub fn prepare(folder: &Path) {
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).expect("a file is written");
    };
    write("edited.txt", &lines(&[]));
    write("gone.txt", "it was here\n");
    write("old.txt", &"a line of what moves\n".repeat(20));
    write("shell.sh", "#!/bin/sh\r\necho no end of line");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.join("shell.sh"), executable).expect("its mode");
}

pub fn commit(project: &Path) {
    git(project, &["init", "-q"]);
    git(project, &["add", "."]);
    git(project, &["commit", "-q", "-m", "all"]);
}

/// What the agent is told of it stands in the draft.
fn leave(tui: &Tui) {
    tui.keys("q");
    tui.wait_for("I reverted ");
    tui.keys("<c-c>");
    tui.wait_gone("I reverted ");
}

/// The turn is over: opens the review, which lists all five.
fn opens(tui: &Tui) {
    tui.wait_for("in 5 files");
    tui.keys(F4);
    let screen = tui.wait_for("hunk 1 of 2");
    let listed = [
        "M edited.txt",
        "D gone.txt",
        "A made.txt",
        "R new.txt",
        "M shell.sh",
        "- row-5",
        "+ changed-5",
    ];
    for row in listed {
        assert!(screen.contains(row), "{row}:\n{screen}");
    }
}

/// Hunk by hunk; a file that was renamed and nothing else has none.
pub fn puts_back_by_hunk(tui: &Tui, folder: &Path) {
    opens(tui);
    tui.keys("u");
    tui.wait_for("hunk 1 of 1");
    let edited = fs::read_to_string(folder.join("edited.txt"));
    assert_eq!(edited.ok(), Some(lines(&[27])), "the first hunk alone");
    tui.wait_for("- row-27");
    tui.keys("u");
    tui.wait_for("4 files ·");
    tui.wait_for("- it was here");
    tui.keys("u");
    tui.wait_for("3 files ·");
    tui.wait_for("+ made");
    tui.keys("u");
    tui.wait_for("2 files ·");
    tui.wait_for("renamed from");
    tui.keys("U");
    tui.wait_for("1 file ·");
    tui.wait_for("+ echo no end of linemore");
    tui.keys("u");
    tui.wait_for("No changes in this turn");
    leave(tui);
}

/// All of the turn, which is made again; then file by file.
pub fn puts_back_by_turn_and_by_file(
    tui: &Tui,
    folder: &Path,
    before: &BTreeMap<String, (u32, Vec<u8>)>,
) {
    opens(tui);
    tui.keys("<c-u>");
    tui.wait_for("Put back 5 files");
    thread::sleep(GUARD);
    tui.keys("<down>");
    tui.wait_for("❯ Put them back");
    thread::sleep(GUARD);
    tui.keys("<enter>");
    tui.wait_for("No changes in this turn");
    assert_eq!(state(folder), *before, "after the turn was put back");
    tui.keys("r");
    tui.wait_for("5 files ·");
    let edited = fs::read_to_string(folder.join("edited.txt"));
    assert_eq!(edited.ok(), Some(lines(&[5, 27])), "made again");
    tui.wait_for("hunk 1 of 2");
    for left in ["4 files ·", "3 files ·", "2 files ·", "1 file ·"] {
        tui.keys("U");
        tui.wait_for(left);
    }
    tui.keys("U");
    tui.wait_for("No changes in this turn");
    leave(tui);
}
