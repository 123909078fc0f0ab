//! `acp-tui changes` and `acp-tui undo`: what a session changed, and putting it back.

use std::{
    collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::Path, process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};

use crate::shell::Shell;

/// Begins once the first look at the project is over.
fn changing(steps: &[Value]) -> Shell {
    let shell = Shell::new();
    let mut all = vec![json!({"sleep": 500})];
    all.extend_from_slice(steps);
    all.push(json!({"text": "done"}));
    shell.scripted(&json!([{"on": "session/prompt", "do": all}]));
    fs::write(shell.path().join("project/a.txt"), "one\ntwo\nthree\n").unwrap();
    shell
}

fn write(name: &str, text: &str) -> Value {
    json!({"write": {"path": name, "text": text}})
}

fn id(shell: &Shell) -> String {
    let list = shell.run(&["sessions", "--json"]);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    list[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_an_agent_wrote_unasked_is_a_patch_and_is_put_back() {
    let shell = changing(&[
        write("a.txt", "one\nTWO\nthree\n"),
        write("new.txt", "new\n"),
    ]);
    let ran = shell.run(&["run", "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let patch = shell.run(&["changes"]);
    assert_eq!(patch.code, 0, "{}", patch.err);
    for line in ["--- a/a.txt", "+++ b/a.txt", "-two", "+TWO", "+new"] {
        assert!(
            patch.out.lines().any(|row| row == line),
            "{line}: {}",
            patch.out
        );
    }
    let stat = shell.run(&["changes", "--stat"]).out;
    assert_eq!(stat, "M a.txt  +1 -1\nA new.txt  +1 -0\n2 files, +2 -1\n");
    let json: Value =
        serde_json::from_str(&shell.run(&["changes", "--format", "json"]).out).unwrap();
    assert_eq!(json["files"][1]["kind"], "added", "{json}");
    let id = id(&shell);
    let dry = shell.run(&["undo", &id, "--dry-run"]);
    assert_eq!(dry.out, "put back a.txt\ndelete new.txt\n", "{}", dry.err);
    let never = shell.run(&["changes", &id, "--turn", "77"]);
    assert!(
        never
            .err
            .contains("there was no turn 77: the last that was followed is turn 1"),
        "{}",
        never.err
    );
    assert!(shell.path().join("project/new.txt").exists());
    // Without a terminal it does nothing unless it is told to.
    let unasked = shell.run(&["undo", &id]);
    assert_eq!(unasked.code, 2, "{}{}", unasked.out, unasked.err);
    assert!(unasked.err.contains("--yes"), "{}", unasked.err);
    let done = shell.run(&["undo", &id, "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.ends_with("put back 2 files\n"), "{}", done.out);
    let text = fs::read_to_string(shell.path().join("project/a.txt")).unwrap();
    assert_eq!(text, "one\ntwo\nthree\n");
    assert!(!shell.path().join("project/new.txt").exists());
}

#[test]
fn what_changed_since_is_merged_or_left_and_said() {
    let shell = changing(&[write("a.txt", "one\nTWO\nthree\n")]);
    shell.run(&["run", "go"]);
    let path = shell.path().join("project/a.txt");
    let id = id(&shell);
    fs::write(&path, "mine\nmine too\nthree\n").unwrap();
    let left = shell.run(&["undo", &id, "--turn", "1", "--yes"]);
    assert_eq!(left.code, 1, "{}", left.out);
    assert!(left.err.contains("a.txt changed since"), "{}", left.err);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "mine\nmine too\nthree\n"
    );
    fs::write(&path, "one\nTWO\nthree\nand mine\n").unwrap();
    let merged = shell.run(&["undo", &id, "--turn", "1", "--yes"]);
    assert_eq!(merged.code, 0, "{}{}", merged.out, merged.err);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "one\ntwo\nthree\nand mine\n");
}

#[test]
fn nothing_is_followed_where_that_is_not_wanted() {
    let shell = changing(&[write("a.txt", "other\n")]);
    shell.profile("\n[changes]\nfollow = false\n");
    assert_eq!(shell.run(&["run", "go"]).code, 0);
    let none = shell.run(&["changes"]);
    assert_eq!(none.code, 1, "{}", none.out);
    assert!(none.err.contains("none were followed"), "{}", none.err);
}

#[test]
fn what_the_person_changed_between_turns_stays_unless_it_is_named() {
    let shell = changing(&[write("a.txt", "one\nTWO\nthree\n")]);
    shell.run(&["run", "go"]);
    let own = shell.path().join("project/own.txt");
    fs::write(&own, "mine\n").unwrap();
    let id = id(&shell);
    let done = shell.run(&["undo", &id, "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(
        done.err.contains("own.txt changed outside of turns"),
        "{}",
        done.err
    );
    assert!(done.out.ends_with("put back 1 file\n"), "{}", done.out);
    assert_eq!(fs::read_to_string(&own).unwrap(), "mine\n");
    let named = shell.run(&["undo", &id, "--yes", "own.txt"]);
    assert_eq!(named.code, 0, "{}", named.err);
    assert!(!own.exists());
}

#[test]
fn a_run_tells_what_changed_on_the_disk() {
    let shell = changing(&[
        write("a.txt", "one\nTWO\nthree\n"),
        write("new.txt", "new\n"),
    ]);
    let ran = shell.run(&["run", "--format", "json", "go"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let changes = told["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 2, "{changes:?}");
    assert_eq!(changes[0]["kind"], "modified");
    assert!(
        changes[0]["path"]
            .as_str()
            .unwrap()
            .ends_with("project/a.txt")
    );
    assert_eq!(
        (&changes[0]["added"], &changes[0]["removed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(changes[1]["kind"], "added");
    shell.profile("\n[changes]\nfollow = false\n");
    let ran = shell.run(&["run", "--format", "json", "go"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(told["changes"], Value::Null);
}

/// Whatever is on the disk, and with which permissions.
fn files(project: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let entries = fs::read_dir(project).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let mode = entry.metadata().unwrap().permissions().mode();
            (name, (mode, fs::read(entry.path()).unwrap()))
        })
        .collect()
}

#[test]
fn a_killed_undo_leaves_each_file_whole_and_can_be_made_again() {
    const FILES: usize = 40;
    let text = |n: usize, word: &str| format!("{word} of file {n}\n").repeat(3_000);
    let mut steps: Vec<Value> = (0..FILES)
        .map(|n| write(&format!("f{n}.txt"), &text(n, "after")))
        .collect();
    steps.push(json!({"shell": "chmod 755 f1.txt && rm gone.txt && echo made > made.txt"}));
    let shell = changing(&steps);
    let project = shell.path().join("project");
    for n in 0..FILES {
        fs::write(project.join(format!("f{n}.txt")), text(n, "before")).unwrap();
    }
    fs::write(project.join("gone.txt"), "gone\n").unwrap();
    // The commands that the agent runs.
    let path = "/usr/local/bin:/usr/bin:/bin";
    let before = files(&project);
    let ran = shell.command(&["run", "go"]).env("PATH", path).output();
    let ran = ran.unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let after = files(&project);
    let id = id(&shell);
    for delay in [4, 8, 12, 16, 20, 25, 30, 40, 55, 75, 100, 140] {
        let mut undo = shell.command(&["undo", &id, "--yes"]);
        undo.stdout(Stdio::null()).stderr(Stdio::null());
        let mut undo = undo.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        undo.kill().unwrap();
        undo.wait().unwrap();
        for (name, now) in files(&project) {
            let whole = before.get(&name) == Some(&now) || after.get(&name) == Some(&now);
            // One that has a name for a moment before it takes its place is whole as well.
            let waits = before.values().any(|(_, bytes)| *bytes == now.1);
            assert!(
                whole || waits && name.starts_with('.'),
                "{name} after {delay} ms"
            );
        }
    }
    let done = shell.run(&["undo", &id, "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let mut now = files(&project);
    now.retain(|name, _| !name.starts_with('.'));
    assert_eq!(now, before);
}

#[test]
fn while_one_client_has_the_project_another_one_says_so_and_then_goes_on() {
    let shell = changing(&[write("a.txt", "one\nTWO\nthree\n")]);
    assert_eq!(shell.run(&["run", "go"]).code, 0);
    let id = id(&shell);
    let all = json!([{"on": "session/prompt", "do": [{"touch": "begun"}, {"hang": true}]}]);
    shell.scripted(&all);
    let mut first = shell.command(&["run", "go on"]);
    first.stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = first.spawn().unwrap();
    crate::run::wait_for(|| shell.path().join("begun").exists());
    // It can be printed meanwhile, and is not put back.
    let patch = shell.run(&["changes", &id]);
    assert!(patch.out.contains("+TWO"), "{}{}", patch.out, patch.err);
    let undo = shell.run(&["undo", &id, "--yes"]);
    assert_eq!(undo.code, 1, "{}{}", undo.out, undo.err);
    assert!(
        undo.err.contains("another acp-tui has this project open"),
        "{}",
        undo.err
    );
    let path = shell.path().join("project/a.txt");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\nTWO\nthree\n");
    first.kill().unwrap();
    first.wait().unwrap();
    let undo = shell.run(&["undo", &id, "--yes"]);
    assert_eq!(undo.code, 0, "{}{}", undo.out, undo.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
}
