//! Keys as terminals with the kitty keyboard protocol send them.

use serde_json::json;

use crate::ready;

#[test]
fn modified_enter_is_told_from_enter() {
    let tui = ready(json!([]));
    tui.keys("one");
    tui.send(b"\x1b[13;2u");
    tui.keys("two");
    tui.wait_for("two");
    tui.settle(std::time::Duration::from_millis(50));
    tui.send(b"\x1b[13u");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["one\ntwo"]);
}

#[test]
fn escape_and_control_keys_work_in_their_long_form() {
    let mut tui = ready(
        json!([{"on": "session/prompt", "do": [{"text": "working"}, {"until_cancel": 30_000}]}]),
    );
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.send(b"\x1b[27u");
    tui.wait_method("session/cancel");
    crate::wait_ready(&tui);
    // ctrl-d
    tui.send(b"\x1b[100;5u");
    assert_eq!(tui.wait_exit().code(), Some(0));
}

#[test]
fn a_release_is_no_second_press() {
    let tui = ready(json!([]));
    tui.send(b"\x1b[97;1:1u\x1b[97;1:3u\x1b[98;1:1u\x1b[98;1:3u");
    tui.wait_for("❯ ab");
}
