//! `acp-tui replay FILE --format …`.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::shell::Shell;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire");
    path.join(name).to_str().unwrap().to_owned()
}

#[test]
fn what_a_run_wrote_to_the_wire_is_told_again_as_it_was() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"text": "Looking.\n"},
        {"request": {"method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "t", "title": "make it", "kind": "execute"},
            "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}]}}},
        {"request": {"method": "fs/write_text_file", "params": {"path": "$cwd/a", "content": "x\n"}}},
        {"text": "Done."},
    ]}]));
    let ran = shell.run(&["run", "please\ndo it", "--wire", "wire", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    fs::remove_file(shell.path().join("project/a")).unwrap();

    let text = shell.run(&["replay", "wire", "--format", "text"]);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let (before, after) = text.out.split_once("[wrote] ").unwrap();
    assert_eq!(
        before,
        "> please\n> do it\nLooking.\n[permission] make it: denied (person)\n"
    );
    assert!(
        after.ends_with("Done.\n[note] the log ends here\n"),
        "{after}"
    );
    assert!(!shell.path().join("project/a").exists(), "nothing is done");

    let told: Value =
        serde_json::from_str(&shell.run(&["replay", "wire", "--format", "json"]).out).unwrap();
    let ran: Value = serde_json::from_str(&ran.out).unwrap();
    for member in ["text", "stop_reason", "session_id", "files_written"] {
        assert_eq!(told[member], ran[member], "{member}");
    }
    let events = shell.run(&["replay", "wire", "--format", "jsonl"]).out;
    let first: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["event"], &first["version"]),
        (&json!("start"), &json!(1))
    );
    assert!(
        events
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
}

#[test]
fn what_is_no_wire_log_is_said() {
    let shell = Shell::new();
    fs::write(shell.path().join("project/x"), "hello\n").unwrap();
    let ran = shell.run(&["replay", "x", "--format", "text"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("x: is no wire log"), "{}", ran.err);
    let ran = shell.run(&["replay", "nope", "--format", "text"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("nope: No such file"), "{}", ran.err);
    let file = fixture("opencode.jsonl");
    let ran = shell.run(&["replay", &file, "--format", "text", "--session", "x"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("there is no session \"x\" in it; there are "),
        "{}",
        ran.err
    );
}

#[test]
fn what_went_wrong_is_told_with_the_conversation() {
    let shell = Shell::new();
    shell.scripted(&json!([
        {"on": "session/prompt", "error": {"code": -32603, "message": "no more credit"}},
    ]));
    shell.run(&["run", "hello", "--wire", "wire"]);
    let text = shell.run(&["replay", "wire", "--format", "text"]).out;
    assert!(
        text.starts_with("> hello\n[error] the turn failed: no more credit\n"),
        "{text}"
    );

    shell.scripted(&json!([
        {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
    ]));
    shell.run(&["run", "hello", "--wire", "wire"]);
    let text = shell.run(&["replay", "wire", "--format", "text"]).out;
    assert!(text.ends_with("[warning] a sign-in is wanted\n"), "{text}");
}
