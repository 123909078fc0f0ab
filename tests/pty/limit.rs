//! A limit of the person's account, and the one prompt behind it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::{client, support::pty::Tui};

/// Its limit is reached with the first prompt, for some seconds.
fn limited() -> Tui {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock");
    let limit = json!({
        "sessionUpdate": "usage_update", "used": 1, "size": 100,
        "_meta": {"_claude/rateLimit": {
            "status": "rejected", "rateLimitType": "five_hour", "resetsAt": now.as_secs() + 9,
        }},
    });
    let tui = client(json!([
        {"on": "session/prompt", "do": [{"update": limit}, {"text": "no more"}]},
        {"on": "session/prompt", "do": [{"text": "going on"}]},
    ]))
    .size(120, 30)
    .start();
    tui.wait_for("F1 keys");
    tui.keys("one<enter>");
    tui.wait_for("5-hour limit reached · resets");
    tui
}

#[test]
fn it_goes_on_by_itself_when_the_person_has_asked_for_it() {
    let tui = limited();
    tui.keys("<a-c>");
    tui.wait_for("is sent then");
    tui.wait_for("going on");
    tui.wait_for("as you asked");
    assert_eq!(tui.prompts(), ["one", "continue"]);
}

#[test]
fn what_was_written_meanwhile_keeps_it_from_being_sent() {
    let tui = limited();
    tui.keys("<a-c>");
    tui.wait_for("is sent then");
    tui.keys("my own");
    let screen = tui.wait_for("nothing was sent");
    assert!(screen.contains("my own"), "{screen}");
    assert_eq!(tui.prompts(), ["one"]);
}
