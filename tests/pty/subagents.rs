//! Subagents: child sessions, drawn and served under their parent.

use serde_json::{Value, json};

use crate::{permission::wait_open, ready, support::pty::Tui};

fn child(members: Value) -> Value {
    let mut update = json!({"sessionUpdate": "subagent_update", "sessionId": "child-1"});
    for (name, value) in members.as_object().expect("members") {
        update[name] = value.clone();
    }
    json!({ "update": update })
}

fn said(text: &str) -> Value {
    let message = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
        "sessionId": "child-1",
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
    }});
    json!({"raw": format!("{message}\n")})
}

fn ask(params: &Value) -> Value {
    let mut params = params.clone();
    params["sessionId"] = json!("child-1");
    params["options"] = json!([
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]);
    json!({"request": {"id": "q", "method": "session/request_permission", "params": params}})
}

/// A turn whose subagent asks, then runs a command and rests.
fn played(after: &[Value]) -> Tui {
    let mut steps = vec![
        child(json!({
            "title": "Find the tests", "cwd": "$cwd", "state": {"state": "running"},
            "capabilities": {"cancel": {}},
        })),
        said("I look for the tests."),
        ask(&json!({"toolCall": {
            "toolCallId": "t", "title": "Run `ls`", "kind": "execute",
            "rawInput": {"command": "ls -la tests"},
        }})),
    ];
    steps.extend(after.iter().cloned());
    ready(json!([
        {"on": "initialize", "do": [], "reply": {"protocolVersion": 1}},
        {"on": "session/prompt", "do": steps},
    ]))
}

// V1-SUB-02, V1-TERM-04: asked, answered and run for the child, without load or resume.
#[test]
fn a_subagents_permission_is_asked_in_its_name_and_its_command_runs() {
    let tui = played(&[
        json!({"request": {"id": "run", "method": "terminal/create", "params": {
            "sessionId": "child-1", "command": "pwd",
        }}}),
        json!({"request": {"id": "wait", "method": "terminal/wait_for_exit", "params": {
            "sessionId": "child-1", "terminalId": "$terminal",
        }}}),
        child(json!({"state": {"state": "idle", "stopReason": "end_turn"}})),
        json!({"text": "It is done."}),
    ]);
    tui.keys("go<enter>");
    wait_open(&tui);
    let screen = tui.screen();
    assert!(screen.contains("\"Find the tests\" of"), "{screen}");
    assert!(screen.contains("ls -la tests"), "{screen}");
    tui.keys("y");
    assert_eq!(tui.wait_answer("q")["result"]["outcome"]["optionId"], "yes");
    assert!(tui.wait_answer("wait")["result"]["exitCode"] == 0);
    tui.wait_for("It is done.");
    tui.wait_for("Find the tests · 1 tool");
    assert_eq!(tui.count("session/load"), 0);
    assert_eq!(tui.count("session/resume"), 0);
}

// V1-SUB-03
#[test]
fn a_subagent_is_stopped_alone_and_only_where_that_is_offered() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [
            child(json!({
                "title": "Find the tests", "state": {"state": "running"},
                "capabilities": {"cancel": {}},
            })),
            json!({"wait_for": "session/cancel"}),
            child(json!({"state": {"state": "idle", "stopReason": "cancelled"}})),
            child(json!({"state": {"state": "running"}, "capabilities": null})),
            json!({"text": "The rest goes on."}),
            json!({"sleep": 20_000}),
        ]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("Find the tests");
    tui.keys("<tab>");
    tui.wait_for("x stops it");
    tui.keys("x");
    tui.wait_for("The rest goes on.");
    assert_eq!(tui.count("session/cancel"), 1);
    let cancel = tui.wait_method("session/cancel");
    assert_eq!(cancel["params"]["sessionId"], "child-1");
    // The parent's turn goes on, and nothing is offered that is not allowed.
    assert!(tui.screen().contains("esc interrupts") || tui.screen().contains("goes back"));
    tui.wait_gone("x stops it");
    tui.keys("x");
    tui.wait_for("cannot be stopped separately");
    assert_eq!(tui.count("session/cancel"), 1);
}

// V1-SUB-02, V1-ELI-01
#[test]
fn a_form_of_a_subagent_is_asked_in_its_name() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [
            child(json!({"title": "Find the tests", "state": {"state": "running"}})),
            {"request": {"id": "q", "method": "elicitation/create", "params": {
                "sessionId": "child-1", "mode": "form", "message": "Which suite?",
                "requestedSchema": {"type": "object", "properties": {
                    "suite": {"type": "string", "title": "Suite"}}},
            }}},
            {"request": {"id": "p", "method": "elicitation/create", "params": {
                "sessionId": "child-1", "mode": "url", "message": "Look there.",
                "elicitationId": "page-1", "url": "https://example.com/",
            }}},
            {"text": "It is done."},
        ]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("\"Find the tests\" of Fake asks you");
    std::thread::sleep(crate::GUARD);
    tui.keys("unit<enter>");
    tui.wait_for("❯ Send");
    tui.keys("<enter>");
    let answer = tui.wait_answer("q")["result"].clone();
    assert_eq!(
        answer,
        json!({"action": "accept", "content": {"suite": "unit"}})
    );
    tui.wait_for("\"Find the tests\" of Fake wants you to open a page");
    tui.keys("<esc>");
    assert_eq!(tui.wait_answer("p")["result"], json!({"action": "cancel"}));
    tui.wait_for("It is done.");
}
