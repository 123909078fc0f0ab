//! What an agent may ask of our patience and our memory, and what the person can do about it.

use serde_json::json;

use crate::{client, on_prompt, wait_ready};

// V1-INIT-24
#[test]
fn an_agent_that_does_not_answer_is_told_about_and_can_be_ended() {
    let tui = client(json!([
        {"on": "start", "do": [{"stderr": "waiting for the licence server"}]},
        {"on": "initialize", "do": [{"wait_file": "go"}]},
    ]))
    .config("[connection]\nstart_timeout = 1\n")
    .size(100, 24)
    .start();
    tui.wait_for("has not answered for 1 s");
    tui.wait_for("waiting for the licence server");
    tui.keys("<s-f5>");
    tui.wait_for("was ended");
    tui.assert_nothing_left();
    tui.allow("go");
    tui.keys("<f5>");
    wait_ready(&tui);
}

// V1-RPC-14
#[test]
fn an_agent_that_only_talks_nonsense_can_be_ended() {
    let line = "INFO starting\n";
    let tui = client(json!([{"on": "start", "do": [
        {"raw": line.repeat(100)},
        {"touch": "hundred"},
        {"wait_file": "go"},
        {"raw": line},
        {"hang": true},
    ]}]))
    .size(100, 24)
    .start();
    tui.wait_for("100 lines that are not messages");
    assert!(!tui.screen().contains("F5 ends it"), "{}", tui.screen());
    tui.allow("go");
    tui.wait_for("shift-F5 ends it");
    tui.keys("<s-f5>");
    tui.wait_for("was ended");
    tui.assert_nothing_left();
}

// V1-RPC-21
#[test]
fn a_message_that_is_too_long_is_left_out_and_the_session_goes_on() {
    let tui = client(on_prompt(json!([
        {"big": 900_000},
        {"big": 3_000_000},
        {"text": "\n\nand on it goes"},
    ])))
    .config("[connection]\nmax_message = 1\n")
    .args(&["say a lot"])
    .start();
    tui.wait_for("more than 1 MiB");
    tui.wait_for("and on it goes");
    wait_ready(&tui);
}
