//! The agent wants a sign-in first.

use serde_json::{Value, json};

use crate::{GUARD, client, support::pty::Tui, wait_ready};

/// Waits until the ways to sign in are there and their guard is open.
fn wait_asked(tui: &Tui) -> String {
    wait_for(tui, "wants you to sign in")
}

fn wait_for(tui: &Tui, title: &str) -> String {
    let screen = tui.wait_for(title);
    std::thread::sleep(GUARD);
    screen
}

fn required() -> Value {
    json!({"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}})
}

fn methods(methods: Value) -> Value {
    json!({"on": "initialize", "reply": {"protocolVersion": 1, "authMethods": methods}})
}

// V1-AUTH-08
#[test]
fn the_way_that_is_picked_is_taken_and_the_session_opened() {
    let tui = client(json!([
        methods(json!([
            {"id": "key", "name": "With an API key"},
            {"id": "browser", "name": "In the browser", "description": "opens a page"},
        ])),
        required(),
        {"on": "session/new"},
    ]))
    .start();
    let screen = wait_asked(&tui);
    assert!(screen.contains("opens a page"), "{screen}");
    tui.keys("<down><enter>");
    let sent = tui.wait_method("authenticate");
    assert_eq!(sent["params"]["methodId"], "browser");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new"), 2);
}

#[test]
fn a_sign_in_that_fails_is_told_and_can_be_tried_again() {
    let tui = client(json!([
        methods(json!([{"id": "key", "name": "With an API key"}])),
        required(),
        {"on": "session/new"},
        {"on": "authenticate", "error": {"code": -32603, "message": "the key is wrong"}},
        {"on": "authenticate"},
    ]))
    .start();
    wait_asked(&tui);
    tui.keys("<enter>");
    tui.wait_for("the key is wrong");
    tui.keys("<enter>");
    wait_ready(&tui);
    assert_eq!(tui.count("authenticate"), 2);
}

// V1-AUTH-01
#[test]
fn a_list_of_methods_alone_forces_no_sign_in() {
    let tui = client(json!([methods(
        json!([{"id": "key", "name": "With an API key"}])
    )]))
    .start();
    wait_ready(&tui);
    assert_eq!(tui.count("authenticate"), 0);
}

// V1-AUTH-09, V1-CAN-09
#[test]
fn a_slow_authenticate_is_given_up_by_its_id_and_waited_for() {
    let tui = client(json!([
        methods(json!([{"id": "browser", "name": "In the browser"}])),
        required(),
        {"on": "session/new"},
        {"on": "authenticate", "do": [{"wait_file": "over"}],
            "error": {"code": -32800, "message": "cancelled"}},
        {"on": "authenticate"},
    ]))
    .start();
    wait_asked(&tui);
    tui.keys("<enter>");
    let call = tui.wait_method("authenticate");
    tui.wait_for("it may have opened a browser");
    tui.keys("<esc>");
    let cancel = tui.wait_method("$/cancel_request");
    assert_eq!(cancel["params"], json!({"requestId": call["id"]}));
    tui.wait_for("cancelling");
    tui.keys("<enter>");
    // Only once the key has been passed over: after the end it would try again.
    tui.settle(std::time::Duration::from_millis(300));
    tui.allow("over");
    tui.wait_for("sign-in cancelled");
    assert_eq!(tui.count("authenticate"), 1);
    assert_eq!(tui.count("$/cancel_request"), 1);
    tui.keys("<enter>");
    wait_ready(&tui);
}

// V1-AUTH-10, V1-AUTH-08
#[test]
fn signing_out_leads_to_a_sign_in_and_back_to_the_prompt() {
    let tui = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1,
            "agentCapabilities": {"auth": {"logout": {}}},
            "authMethods": [{"id": "key", "name": "With an API key"}],
        }},
        {"on": "session/prompt", "error": {"code": -32000, "message": "signed out"}},
        {"on": "session/prompt", "do": [{"text": "here I am"}]},
    ]))
    .start();
    wait_ready(&tui);
    tui.keys("<c-p>");
    tui.wait_for("Actions");
    tui.keys("sign-out");
    tui.wait_for("Sign out of the agent");
    tui.keys("<enter>");
    tui.wait_method("logout");
    tui.wait_for("signed out of");
    tui.wait_for("Sign in to");
    tui.keys("<esc>");
    wait_ready(&tui);
    tui.keys("go on<enter>");
    wait_for(&tui, "Sign in to");
    tui.keys("<enter>");
    tui.wait_for("here I am");
    assert_eq!(tui.count("authenticate"), 1);
    assert_eq!(tui.prompts(), ["go on", "go on"]);
}

// V1-AUTH-10
#[test]
fn no_sign_out_without_the_capability() {
    let tui = client(json!([])).start();
    wait_ready(&tui);
    tui.keys("<c-p>");
    tui.wait_for("Actions");
    tui.keys("sign-out");
    tui.wait_for("❯ sign-out");
    assert!(!tui.screen().contains("Sign out of the agent"));
}

// V1-AUTH-08
#[test]
fn a_second_refusal_of_a_prompt_ends_there() {
    let tui = client(json!([
        methods(json!([{"id": "key", "name": "With an API key"}])),
        {"on": "session/prompt", "error": {"code": -32000, "message": "log in first"}},
    ]))
    .start();
    wait_ready(&tui);
    tui.keys("go on<enter>");
    wait_for(&tui, "Sign in to");
    tui.keys("<enter>");
    tui.wait_for("signed in, but the agent still refuses");
    tui.wait_for("held 1: ");
    assert_eq!(tui.count("session/prompt"), 2);
    assert_eq!(tui.count("authenticate"), 1);
}
