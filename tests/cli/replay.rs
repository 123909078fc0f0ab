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
    assert!(after.ends_with("Done.\n[note] end of the log\n"), "{after}");
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
fn what_is_neither_a_wire_log_nor_a_stored_session_is_said() {
    let shell = Shell::new();
    fs::write(shell.path().join("project/x"), "hello\n").unwrap();
    let ran = shell.run(&["replay", "x", "--format", "text"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("x: is neither a wire log (--wire writes one) nor a stored session"),
        "{}",
        ran.err
    );
    let ran = shell.run(&["replay", "nope", "--format", "text"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("nope: there is no such file, and no stored sessions yet"),
        "{}",
        ran.err
    );
    let ran = shell.run(&["replay", "no/pe", "--format", "text"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("no/pe: there is no such file"),
        "{}",
        ran.err
    );
    let file = fixture("opencode.jsonl");
    let ran = shell.run(&["replay", &file, "--format", "text", "--session", "x"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("no session \"x\" in it; it has "),
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
    assert!(text.ends_with("[warning] sign-in required\n"), "{text}");
}

#[test]
fn a_stored_session_is_told_as_it_was_by_its_id_or_its_file() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"text": "Looking.\n"},
        {"request": {"method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "t", "title": "make it", "kind": "execute"},
            "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}]}}},
        {"update": {"sessionUpdate": "plan", "entries": [
            {"content": "do it", "priority": "high", "status": "pending"}]}},
        {"text": "Done."},
    ]}]));
    let ran = shell.run(&["run", "please\ndo it", "--format", "json"]);
    let ran: Value = serde_json::from_str(&ran.out).unwrap();
    let list = shell.run(&["sessions", "--json"]).out;
    let list: Value = serde_json::from_str(&list).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    let file = shell
        .path()
        .join(format!(".local/state/acp-tui/sessions/{id}.jsonl"));
    let file = file.to_str().unwrap();

    let text = shell.run(&["replay", id, "--format", "text"]);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let (before, after) = text.out.split_once("Done.").unwrap();
    assert!(
        before.starts_with("> please\n> do it\nLooking.\n"),
        "{before}"
    );
    assert!(
        before.contains("[permission] make it: denied (nobody to ask)"),
        "{before}"
    );
    assert_eq!(after, "\n[note] end of the stored session\n");
    assert_eq!(
        shell.run(&["replay", file, "--format", "text"]).out,
        text.out
    );

    let told = shell.run(&["replay", file, "--format", "json"]).out;
    let told: Value = serde_json::from_str(&told).unwrap();
    for member in [
        "text",
        "stop_reason",
        "session_id",
        "tool_calls",
        "permissions",
    ] {
        assert_eq!(told[member], ran[member], "{member}");
    }
    let events = shell.run(&["replay", id, "--format", "jsonl"]).out;
    let events: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(events.iter().all(|event| event["t"].is_number()));
    assert!(events.iter().any(|event| event["event"] == "plan"));

    // Of a file that was cut off, all that is whole.
    let bytes = fs::read(file).unwrap();
    let cut = shell.path().join("project/cut");
    for end in (0..bytes.len()).step_by(97) {
        fs::write(&cut, &bytes[..end]).unwrap();
        let ran = shell.run(&["replay", "cut", "--format", "text"]);
        assert!(matches!(ran.code, 0 | 2), "{}", ran.err);
        let said = if ran.code == 0 { &ran.out } else { &ran.err };
        let known = [
            "in the middle of a line",
            "cut off",
            "end of the stored session",
            "neither a wire log",
        ];
        assert!(
            known.iter().any(|known| said.contains(known)),
            "{end}: {said}"
        );
    }
    let ran = shell.run(&["replay", id, "--format", "text", "--session", "x"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("--session is for wire logs"),
        "{}",
        ran.err
    );
}

#[test]
fn what_a_terminal_of_the_agents_own_showed_is_stored_with_a_run() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "echo HELLO",
            "kind": "execute", "status": "in_progress",
            "content": [{"type": "terminal", "terminalId": "x"}],
            "_meta": {"terminal_info": {"terminal_id": "x"}}}},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c",
            "_meta": {"terminal_output": {"terminal_id": "x", "data": "from the agent\r\n"}}}},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
            "_meta": {"terminal_exit": {"terminal_id": "x", "exit_code": 0}}}},
        {"text": "Done."},
    ]}]));
    assert_eq!(shell.run(&["run", "go"]).code, 0);
    let list = shell.run(&["sessions", "--json"]).out;
    let list: Value = serde_json::from_str(&list).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    for args in [
        &["sessions", "show", id][..],
        &["sessions", "export", id],
        &["sessions", "export", id, "--format", "json"],
    ] {
        let told = shell.run(args);
        assert!(
            told.out.contains("from the agent"),
            "{args:?}: {}{}",
            told.out,
            told.err
        );
    }
}

#[test]
fn an_export_replaces_no_file_unasked() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [{"text": "an answer"}]}]));
    shell.run(&["run", "go"]);
    fs::write(shell.path().join("project/mine"), "mine").unwrap();
    let export = ["sessions", "export", "sess-1", "-o", "mine"];
    let ran = shell.run(&export);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("mine already exists; --force replaces it"),
        "{}",
        ran.err
    );
    let mine = || fs::read_to_string(shell.path().join("project/mine")).unwrap();
    assert_eq!(mine(), "mine");
    assert_eq!(shell.run(&[&export[..], &["--force"]].concat()).code, 0);
    assert!(mine().contains("an answer"));
    assert_eq!(
        shell
            .run(&["sessions", "export", "sess-1", "-o", "new"])
            .code,
        0
    );
}
