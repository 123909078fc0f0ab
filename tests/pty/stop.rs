//! Stopping a turn.

use serde_json::{Value, json};

use crate::{ready, wait_ready};

fn until_cancel() -> Value {
    json!([{"on": "session/prompt", "do": [
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "long work", "status": "in_progress"}},
        {"text": "working"},
        {"until_cancel": 30_000},
        {"text": ", and a last word"},
    ], "reply": {"stopReason": "cancelled"}}])
}

// V1-CAN-01, V1-CAN-03, V1-TOOL-06
#[test]
fn esc_cancels_once_and_what_comes_late_is_shown() {
    let tui = ready(until_cancel());
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("<esc>");
    tui.wait_for("and a last word");
    wait_ready(&tui);
    let screen = tui.screen();
    assert!(screen.contains("cancelled"), "{screen}");
    let cancel = tui.wait_method("session/cancel");
    assert!(cancel.get("id").is_none());
    assert_eq!(tui.count("session/cancel"), 1);
}

#[test]
fn without_a_turn_esc_sends_nothing() {
    let tui = ready(json!([]));
    tui.keys("<esc>");
    tui.settle(std::time::Duration::from_millis(100));
    tui.keys("hi<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.count("session/cancel"), 0);
}

#[test]
fn a_stop_gets_through_a_flood() {
    let tui = ready(json!([{"on": "session/prompt", "do": [
        {"flood": {"kind": "text", "chunks": 100_000, "rate": 3_000}},
    ], "reply": {"stopReason": "cancelled"}}]));
    tui.keys("go<enter>");
    tui.wait_for("parser");
    tui.keys("<esc>");
    wait_ready(&tui);
    assert_eq!(tui.count("session/cancel"), 1);
}

// V1-CAN-08
#[test]
fn an_agent_that_does_not_stop_is_abandoned_and_the_session_resumed() {
    let tui = ready(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}},
        }},
        {"on": "session/prompt", "do": [{"text": "never ends"}, {"hang": true}]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("never ends");
    tui.keys("<esc>");
    // A second one right away abandons nothing.
    tui.wait_for("Stopping");
    tui.keys("<esc>");
    tui.wait_for("has not stopped yet");
    assert_eq!(tui.count("initialize"), 1);
    tui.keys("<esc>");
    let resume = tui.wait_method("session/resume");
    assert_eq!(resume["params"]["sessionId"], "sess-1");
    wait_ready(&tui);
    let screen = tui.screen();
    assert!(screen.contains("abandoned"), "{screen}");
    assert!(screen.contains("never ends"), "{screen}");
    tui.wait("the end of the first process", |tui| {
        (tui.children().len() <= 1).then_some(())
    });
}

#[test]
fn where_the_agent_cannot_resume_a_new_session_is_opened_and_said() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [{"text": "never ends"}, {"hang": true}]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("never ends");
    tui.keys("<esc>");
    tui.wait_for("has not stopped yet");
    tui.keys("<esc>");
    tui.wait_for("A new session is opened");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new"), 2);
}

#[test]
fn ctrl_c_clears_the_draft_then_stops_then_quits() {
    let mut tui = ready(until_cancel());
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("a draft");
    tui.wait_for("❯ a draft");
    tui.keys("<c-c>");
    tui.wait_gone("a draft");
    assert_eq!(tui.count("session/cancel"), 0);
    tui.keys("<c-c>");
    tui.wait_method("session/cancel");
    wait_ready(&tui);
    tui.keys("<c-c>");
    tui.wait_for("again to quit");
    assert!(tui.is_running());
    tui.keys("<c-c>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
}

#[test]
fn ctrl_d_quits_on_an_empty_composer_and_deletes_in_a_draft() {
    let mut tui = ready(json!([]));
    tui.keys("ab<home><c-d>");
    tui.wait_for("❯ b");
    tui.keys("<backspace><c-d>");
    tui.wait_gone("❯ b");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
}

#[test]
fn ctrl_d_asks_twice_while_a_turn_is_open() {
    let mut tui = ready(until_cancel());
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("<c-d>");
    tui.wait_for("again stops the turn and quits");
    assert!(tui.is_running());
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    assert_eq!(tui.count("session/cancel"), 1);
    tui.assert_nothing_left();
}
