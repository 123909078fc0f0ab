//! A wire log in the UI.

use serde_json::{Value, json};

use crate::{client, on_prompt, wait_ready};

#[test]
fn a_log_is_shown_as_it_was_and_nothing_can_be_said_or_done() {
    let log = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/wire/claude.jsonl"
    );
    let setup = client(json!([]));
    let mut tui = setup.shell(&format!("\"$1\" replay '{log}'")).start();
    tui.wait_for("end of the log");
    tui.wait_for("read-only: a replay of claude.jsonl");
    tui.keys("xyzzy<enter>");
    tui.wait_for("  read-only");
    assert!(!tui.screen().contains("xyzzy"));
    // The agent is not started again either.
    tui.keys("<f5>");
    tui.wait_for("this is a replay");
    assert_eq!(tui.count("initialize"), 0);
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    assert!(!tui.path("home/.local/state/acp-tui/drafts").exists());
}

fn call(id: u64, method: &str, params: &Value) -> String {
    json!({"dir": "c2a", "t": 0, "msg": {"jsonrpc": "2.0", "id": id, "method": method,
        "params": params}})
    .to_string()
}

fn answer(id: u64, result: &Value) -> String {
    json!({"dir": "a2c", "t": 0, "msg": {"jsonrpc": "2.0", "id": id, "result": result}}).to_string()
}

fn said(session: &str, text: &str) -> String {
    json!({"dir": "a2c", "t": 0, "msg": {"jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": session, "update": {"sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": text}}}}})
    .to_string()
}

fn opened(id: u64, session: &str) -> [String; 2] {
    let params = json!({"cwd": "/p", "mcpServers": []});
    [
        call(id, "session/new", &params),
        answer(id, &json!({"sessionId": session})),
    ]
}

fn asked(id: u64, session: &str, text: &str) -> String {
    let prompt = json!([{"type": "text", "text": text}]);
    let params = json!({"sessionId": session, "prompt": prompt});
    call(id, "session/prompt", &params)
}

#[test]
fn each_session_of_a_log_can_be_seen_and_no_key_is_offered_that_does_nothing() {
    let ask = json!({"dir": "a2c", "t": 0, "msg": {"jsonrpc": "2.0", "id": 7,
        "method": "session/request_permission", "params": {"sessionId": "two",
            "toolCall": {"toolCallId": "t", "title": "make it", "kind": "execute"},
            "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}]}}});
    let mut log = vec![
        call(1, "initialize", &json!({"protocolVersion": 1})),
        answer(1, &json!({"protocolVersion": 1})),
    ];
    log.extend(opened(2, "one"));
    log.extend(opened(3, "two"));
    log.extend([
        asked(4, "one", "the first question"),
        said("one", "the first answer"),
        answer(4, &json!({"stopReason": "end_turn"})),
        asked(5, "one", "another question"),
        answer(5, &json!({"stopReason": "end_turn"})),
        asked(6, "two", "the second question"),
        said("two", "the second answer"),
        ask.to_string(),
    ]);
    let setup = client(json!([]));
    std::fs::write(setup.path("project/log"), log.join("\n")).expect("written");
    let mut tui = setup.shell("\"$1\" replay log").start();
    tui.wait_for("end of the log");
    let screen = tui.wait_for("ctrl-s 1 more session");
    assert!(screen.contains("the first answer"), "{screen}");
    assert!(!screen.contains("the second answer"), "{screen}");
    tui.keys("<c-s>");
    let screen = tui.wait_for("╭ Sessions");
    for useless in ["ctrl-x", "New session with"] {
        assert!(!screen.contains(useless), "{useless}: {screen}");
    }
    tui.keys("<down><enter>");
    let screen = tui.wait_for("the second answer");
    assert!(!screen.contains("the first answer"), "{screen}");
    // Nobody is asked what was asked then.
    assert!(screen.contains("make it"), "{screen}");
    assert!(!screen.contains("1 No"), "{screen}");
    for useless in ["esc interrupts", "waiting", "F5"] {
        assert!(!screen.contains(useless), "{useless}: {screen}");
    }
    tui.keys("<f1>");
    let help = tui.wait_for("Close what is open");
    for useless in [
        "Send the prompt",
        "Restart the agent",
        "readline",
        "Allow this once",
    ] {
        assert!(!help.contains(useless), "{useless}: {help}");
    }
    tui.keys("<esc>");
    tui.wait_gone("Close what is open");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
}

#[test]
fn a_stored_session_is_shown_with_its_subagents_and_idles() {
    let update = |session: &str, update: Value| {
        let message = json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": session, "update": update}});
        json!({"raw": format!("{message}\n")})
    };
    let text = json!({"sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "found by the child"}});
    let mut setup = client(on_prompt(json!([
        {"update": {"sessionUpdate": "subagent_update", "sessionId": "child-1",
            "title": "Find the tests", "state": {"state": "running"}}},
        update("child-1", text),
        {"update": {"sessionUpdate": "subagent_update", "sessionId": "child-1",
            "state": {"state": "idle", "stopReason": "end_turn"}}},
        {"text": "the only answer"},
    ])));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("the only question<enter>");
    tui.wait_for("the only answer");
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    setup = setup.shell("\"$1\" replay sess-1");
    let mut tui = setup.start();
    let screen = tui.wait_for("end of the stored session");
    for shown in [
        "the only question",
        "the only answer",
        "Find the tests",
        "read-only",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert!(!screen.contains("Starting"), "{screen}");
    tui.keys("<c-o>");
    tui.wait_for("found by the child");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    assert_eq!(tui.count("initialize"), 1, "that of the first run");
}
