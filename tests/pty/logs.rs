//! What the client writes down.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::{client, on_prompt, wait_ready};

// V1-MCP-04
#[test]
fn the_wire_log_has_every_line_of_both_directions_and_no_secret() {
    let setup = client(on_prompt(json!([
        {"raw": "no message at all\n"},
        {"text": "the key is hunter2hunter2, psst"},
    ])))
    .config("env = { MY_API_KEY = \"hunter2hunter2\" }\n");
    let wire = setup.path("wire.jsonl").display().to_string();
    let mut tui = setup.args(&["--wire", &wire]).start();
    wait_ready(&tui);
    tui.keys("tell me<enter>");
    tui.wait_for("psst");
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();

    let text = std::fs::read_to_string(&wire).expect("the log");
    assert!(!text.contains("hunter2"), "{text}");
    let mode = std::fs::metadata(&wire)
        .expect("the log")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let mut last = 0.0;
    for line in &lines {
        assert!(line["dir"] == "c2a" || line["dir"] == "a2c", "{line}");
        let time = line["t"].as_f64().expect("seconds");
        assert!(time >= last, "{line}");
        last = time;
        assert!(line["msg"].is_object() != line["raw"].is_string(), "{line}");
    }
    let sent: Vec<&Value> = lines
        .iter()
        .filter(|l| l["dir"] == "c2a")
        .map(|l| &l["msg"])
        .collect();
    assert_eq!(json!(sent), json!(tui.received()), "as the agent has it");
    assert!(lines.iter().any(|line| line["raw"] == "no message at all"));
}

#[test]
fn the_log_is_where_it_was_asked_for_and_for_the_person_alone() {
    let tui = client(json!([])).start();
    wait_ready(&tui);
    let log = tui.wait("the log", |tui| std::fs::metadata(tui.path("log")).ok());
    assert_eq!(log.permissions().mode() & 0o777, 0o600);
    tui.wait("its first line", |tui| {
        let text = std::fs::read_to_string(tui.path("log")).ok()?;
        text.contains("INFO").then_some(())
    });
}

#[test]
fn a_log_that_cannot_be_written_is_said_before_anything_starts() {
    let mut tui = client(json!([])).args(&["--wire", "/nowhere/wire"]).start();
    tui.wait_for("--wire /nowhere/wire: cannot be written");
    assert_eq!(tui.wait_exit().code(), Some(2));
    assert_eq!(tui.count("initialize"), 0);
}

#[test]
fn a_wire_log_that_cannot_be_written_any_more_is_said_in_the_transcript() {
    let setup = client(json!([])).args(&["--wire", "/dev/full"]);
    let mut tui = setup.start();
    wait_ready(&tui);
    let said = "the wire log /dev/full ends here";
    let screen = tui.wait_for(said);
    assert_eq!(screen.matches(said).count(), 1, "{screen}");
    tui.keys("<c-d>");
    tui.wait_exit();
}

#[test]
fn an_agent_that_is_started_again_goes_on_in_the_same_wire_log() {
    let setup = client(json!([]));
    let wire = setup.path("wire.jsonl").display().to_string();
    let mut tui = setup.args(&["--wire", &wire]).start();
    wait_ready(&tui);
    tui.keys("<f5>");
    tui.wait("a second start", |tui| {
        (tui.count("session/new") == 2).then_some(())
    });
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    let text = std::fs::read_to_string(&wire).expect("the log");
    assert_eq!(text.matches("\"initialize\"").count(), 2, "{text}");
}
