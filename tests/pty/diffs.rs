//! Changes of files are shown as they are towards the disk, before and after the answer.

use std::{process::Command, time::Duration};

use serde_json::{Value, json};

use crate::{on_prompt, permission::wait_open, support::setup::Setup, wait_ready};

fn client(scenario: Value) -> Setup {
    crate::client(scenario).size(100, 48)
}

fn counted(lines: usize) -> String {
    (1..=lines).map(|n| format!("line {n}\n")).collect()
}

/// A request about a call, with a yes and a no.
fn asks(call: Value) -> Value {
    let mut call = call;
    call["toolCallId"] = json!("t");
    call["kind"] = json!("edit");
    json!({"request": {"id": "q", "method": "session/request_permission", "params": {
        "toolCall": call,
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    }}})
}

fn updates(kind: &str, call: Value) -> Value {
    let mut call = call;
    call["toolCallId"] = json!("t");
    call["sessionUpdate"] = json!(kind);
    json!({"update": call})
}

fn written(text: &str) -> Value {
    json!({"write": {"path": "$cwd/notes.txt", "text": text}})
}

/// Rows of the screen that hold all of the words.
#[track_caller]
fn assert_row(screen: &str, words: &[&str]) {
    let holds = |row: &str| words.iter().all(|word| row.contains(word));
    assert!(screen.lines().any(holds), "{words:?} in:\n{screen}");
}

/// `sessions show` of the only session.
fn stored(setup: &Setup) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_acp-tui"))
        .args(["sessions", "show", "sess-1"])
        .env_clear()
        .env("HOME", setup.path("home"))
        .current_dir(setup.path("project"))
        .output()
        .expect("it runs");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn an_edit_that_only_its_raw_input_tells_is_approved_on_its_diff() {
    let diff = "Index: $cwd/notes.txt\n===\n--- $cwd/notes.txt\n+++ $cwd/notes.txt\n\
                @@ -41,1 +41,1 @@\n-line 41\n+forty-one\n";
    let file = counted(60);
    let new = file.replace("line 41\n", "forty-one\n");
    let raw =
        json!({"filePath": "$cwd/notes.txt", "oldString": "line 41", "newString": "forty-one"});
    let tui = client(on_prompt(json!([
        updates("tool_call", json!({"title": "edit", "kind": "edit", "status": "pending", "rawInput": {}})),
        updates("tool_call_update", json!({"status": "in_progress", "rawInput": raw})),
        asks(json!({
            "title": "$cwd/notes.txt", "locations": [{"path": "$cwd/notes.txt"}],
            "rawInput": {"filepath": "$cwd/notes.txt", "diff": diff},
        })),
        written(&new),
        updates("tool_call_update", json!({
            "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "Edit applied."}}],
        })),
        {"text": "all done"},
    ])))
    .file("notes.txt", &file)
    .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    wait_open(&tui);
    let screen = tui.wait_for("forty-one");
    assert_row(&screen, &["41", "-", "line 41"]);
    assert_row(&screen, &["41", "+", "forty-one"]);
    assert_row(&screen, &["38", "line 38"]);
    assert_row(&screen, &["44", "line 44"]);
    assert_row(&screen, &["notes.txt", "+1 −1"]);
    assert!(
        !screen.contains("line 37") && !screen.contains("line 45"),
        "{screen}"
    );
    tui.keys("y");
    let screen = tui.wait_for("all done");
    assert_row(&screen, &["Edit", "notes.txt", "+1 −1"]);
    assert_row(&screen, &["41", "+", "forty-one"]);
}

#[test]
fn an_overwritten_file_is_no_new_one_before_and_after_it_is_written() {
    let file = counted(326);
    let new = file.replace("line 300\n", "three hundred\nand one more\n");
    let raw = json!({"file_path": "$cwd/notes.txt", "content": new});
    let diff = json!([{
        "type": "diff", "path": "$cwd/notes.txt", "oldText": null, "newText": new,
    }]);
    let mut setup = client(on_prompt(json!([
        updates("tool_call", json!({"title": "Write", "kind": "edit", "status": "pending", "rawInput": {}})),
        updates("tool_call_update", json!({"rawInput": raw, "content": diff})),
        asks(json!({"title": "Write notes.txt", "status": "pending", "rawInput": raw, "content": diff})),
        written(&new),
        updates("tool_call_update", json!({"status": "completed", "content": diff})),
        {"text": "all done"},
    ])));
    setup = setup.file("notes.txt", &file);
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    wait_open(&tui);
    let screen = tui.wait_for("overwrites the file");
    assert_row(&screen, &["notes.txt", "+2 −1"]);
    assert_row(&screen, &["300", "-", "line 300"]);
    assert_row(&screen, &["301", "+", "and one more"]);
    tui.keys("d");
    let screen = tui.wait_for("n p hunk");
    assert_row(&screen, &["300", "-", "line 300"]);
    assert!(
        !screen.contains("+326") && !screen.contains("new +"),
        "{screen}"
    );
    tui.keys("<esc>");
    tui.wait_for("d full diff");
    // The key that opened the diff might have been a word's first letter.
    tui.settle(Duration::from_millis(500));
    tui.keys("y");
    let screen = tui.wait_for("all done");
    assert_row(&screen, &["notes.txt", "overwrite +2 −1"]);
    assert_row(&screen, &["300", "-", "line 300"]);
    // And for good: nobody looks at the disk for what is stored.
    tui.keys("<c-d>");
    tui.wait_exit();
    let shown = stored(&setup);
    assert!(shown.contains("@@ -297,7 +297,8 @@"), "{shown}");
    assert!(
        shown.contains("+and one more") && !shown.contains("line 200"),
        "{shown}"
    );
}

#[test]
fn a_fragment_stands_at_its_line_before_and_after_it_is_written() {
    let file = counted(400).replace("line 200\n", "    let x = old(200);\n");
    let new = file.replace("old(200)", "new(200)");
    let fragment = |old: &str, new: &str| json!([{"type": "diff", "path": "notes.txt", "oldText": old, "newText": new}]);
    let told = fragment("old(200)", "new(200)");
    let tui = client(on_prompt(json!([
        updates("tool_call", json!({"title": "Edit", "kind": "edit", "status": "pending", "content": told})),
        asks(json!({"title": "Edit notes.txt", "content": told})),
        written(&new),
        // Told in another way once it is done, as claude does.
        updates("tool_call_update", json!({"status": "completed", "content":
            fragment("line 199\n    let x = old(200);\n", "line 199\n    let x = new(200);\n")})),
        {"text": "all done"},
    ])))
    .file("notes.txt", &file)
    .start();
    let assert_shown = |screen: &str| {
        assert_row(screen, &["200", "-", "    let x = old(200);"]);
        assert_row(screen, &["200", "+", "    let x = new(200);"]);
        assert_row(screen, &["197", "line 197"]);
        assert_row(screen, &["203", "line 203"]);
        assert_row(screen, &["notes.txt", "+1 −1"]);
    };
    wait_ready(&tui);
    tui.keys("go<enter>");
    wait_open(&tui);
    assert_shown(&tui.wait_for("new(200)"));
    tui.keys("y");
    let screen = tui.wait_for("all done");
    tui.settle(std::time::Duration::from_millis(200));
    assert_shown(&tui.screen());
    drop(screen);
}

#[test]
fn a_fragment_that_the_file_does_not_hold_is_said_to_be_none_of_it() {
    let tui = client(on_prompt(json!([asks(json!({
        "title": "Edit notes.txt",
        "rawInput": {"file_path": "$cwd/notes.txt", "old_string": "no such line", "new_string": "x"},
    }))])))
    .file("notes.txt", counted(20))
    .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    wait_open(&tui);
    let screen = tui.wait_for("not found in the file");
    assert_row(&screen, &["-", "no such line"]);
}

#[test]
fn a_replayed_session_shows_what_the_agent_tells_and_not_the_disk_of_today() {
    let diff = json!([{
        "type": "diff", "path": "$cwd/notes.txt", "oldText": "line 9\n", "newText": "nine\n",
    }]);
    let tui = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1, "agentCapabilities": {"loadSession": true},
        }},
        {"on": "session/load", "do": [
            updates("tool_call", json!({
                "title": "Edit", "kind": "edit", "status": "completed", "content": diff,
            })),
            {"text": "from before"},
        ]},
    ]))
    .args(&["--resume", "sess-1"])
    .file("notes.txt", counted(20))
    .start();
    let screen = tui.wait_for("from before");
    assert_row(&screen, &["1", "-", "line 9"]);
    tui.settle(std::time::Duration::from_millis(300));
    assert_row(&tui.screen(), &["1", "+", "nine"]);
}

#[test]
fn a_write_outside_the_workspace_is_asked_about_with_its_diff() {
    let setup = client(json!([]));
    let outside = setup.path("outside.txt");
    std::fs::write(&outside, counted(100)).expect("a file");
    let new = counted(100).replace("line 50\n", "fifty\n");
    let tui = setup
        .scenario(on_prompt(json!([{"request": {
            "id": "w", "method": "fs/write_text_file",
            "params": {"path": outside, "content": new},
        }}])))
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("outside the workspace");
    let screen = tui.wait_for("overwrites the file");
    assert_row(&screen, &["overwrites the file", "+1 −1"]);
    assert_row(&screen, &["50", "-", "line 50"]);
    assert_row(&screen, &["50", "+", "fifty"]);
}
