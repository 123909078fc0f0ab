//! The agent wants a sign-in first.

use serde_json::{Value, json};

use crate::{client, wait_ready};

fn required() -> Value {
    json!({"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}})
}

fn methods(methods: Value) -> Value {
    json!({"on": "initialize", "reply": {"protocolVersion": 1, "authMethods": methods}})
}

#[test]
fn the_way_that_is_picked_is_taken_and_the_session_opened_c029_v1_auth_08() {
    let tui = client(json!([
        methods(json!([
            {"id": "key", "name": "With an API key"},
            {"id": "browser", "name": "In the browser", "description": "opens a page"},
        ])),
        required(),
        {"on": "session/new"},
    ]))
    .start();
    let screen = tui.wait_for("wants you to sign in");
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
    tui.wait_for("wants you to sign in");
    tui.keys("<enter>");
    tui.wait_for("the key is wrong");
    tui.keys("<enter>");
    wait_ready(&tui);
    assert_eq!(tui.count("authenticate"), 2);
}

#[test]
fn a_list_of_methods_alone_forces_no_sign_in_v1_auth_01() {
    let tui = client(json!([methods(
        json!([{"id": "key", "name": "With an API key"}])
    )]))
    .start();
    wait_ready(&tui);
    assert_eq!(tui.count("authenticate"), 0);
}

#[test]
fn a_sign_in_at_a_terminal_names_our_own_command_v1_auth_03_v1_auth_05() {
    let tui = client(json!([
        methods(json!([{
            "id": "tty", "name": "In a terminal", "type": "terminal", "args": ["login", "--now"],
            "command": "rm",
        }])),
        required(),
        {"on": "session/new"},
    ]))
    .size(200, 24)
    .start();
    let screen = tui.wait_for("login --now");
    assert!(screen.contains("fake-agent"), "{screen}");
    assert!(!screen.contains("rm "), "{screen}");
    tui.keys("<enter>");
    tui.wait_for("do that outside");
    assert_eq!(tui.count("authenticate"), 0);
    // Done outside, it is started again.
    tui.keys("<f5>");
    tui.wait("a second process", |tui| {
        (tui.count("initialize") == 2).then_some(())
    });
}
