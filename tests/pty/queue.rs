//! Messages written while the agent works.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::{client, ready, wait_ready};

// V1-PROMPT-02
#[test]
fn one_turn_at_a_time_and_the_queue_goes_on_by_itself() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [{"wait_file": "go"}, {"text": "answer"}]},
    ]));
    tui.keys("one<enter>");
    tui.wait_method("session/prompt");
    tui.keys("two<enter>");
    tui.wait_for("queued 1: two");
    tui.keys("three<enter>");
    tui.wait_for("three");
    assert_eq!(tui.prompts(), ["one"]);
    tui.allow("go");
    tui.wait("three prompts", |tui| {
        (tui.prompts().len() == 3).then_some(())
    });
    assert_eq!(tui.prompts(), ["one", "two", "three"]);
    wait_ready(&tui);
}

#[test]
fn up_takes_the_newest_back() {
    let tui = ready(json!([{"on": "session/prompt", "do": [{"wait_file": "go"}]}]));
    tui.keys("one<enter>");
    tui.wait_method("session/prompt");
    tui.keys("two<enter>");
    tui.wait_for("queued 1: two");
    tui.keys("<up>");
    tui.wait_for("❯ two");
    tui.wait_gone("queued");
    tui.keys(" and a half<enter>");
    tui.wait_for("queued 1: two and a half");
    tui.allow("go");
    tui.wait("two prompts", |tui| {
        (tui.prompts().len() == 2).then_some(())
    });
    assert_eq!(tui.prompts()[1], "two and a half");
}

#[test]
fn send_now_stops_the_turn_first() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [{"until_cancel": 30_000}], "reply": {"stopReason": "cancelled"}},
        {"on": "session/prompt", "do": [{"text": "here you are"}]},
    ]));
    tui.keys("slow<enter>");
    tui.wait_method("session/prompt");
    tui.keys("quick<a-x>");
    tui.wait_for("here you are");
    let methods: Vec<_> = tui
        .received()
        .iter()
        .filter_map(|m| m["method"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(
        methods[2..],
        ["session/prompt", "session/cancel", "session/prompt"]
    );
    assert_eq!(tui.prompts(), ["slow", "quick"]);
}

#[test]
fn after_an_error_the_queue_is_held_and_enter_sends_it() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [{"wait_file": "go"}], "error": {"code": -32603, "message": "broken"}},
        {"on": "session/prompt", "do": [{"text": "mended"}]},
    ]));
    tui.keys("one<enter>");
    tui.wait_method("session/prompt");
    tui.keys("two<enter>");
    tui.wait_for("queued 1: two");
    tui.allow("go");
    tui.wait_for("broken");
    tui.wait_for("held");
    assert_eq!(tui.prompts(), ["one"]);
    tui.keys("<enter>");
    tui.wait_for("mended");
    assert_eq!(tui.prompts(), ["one", "two"]);
}

#[test]
fn what_waited_is_in_the_draft_after_a_kill_and_what_was_sent_is_not() {
    let setup = client(json!([
        {"on": "session/prompt", "do": [{"wait_file": "go"}, {"text": "first answer"}]},
        {"on": "session/prompt", "do": [{"wait_file": "never"}]},
    ]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_method("session/prompt");
    tui.keys("two<enter>");
    tui.wait_for("queued 1: two");
    tui.keys("three<enter>");
    tui.wait_for("three");
    tui.keys("half a thought");
    tui.wait_for("half a thought");
    tui.allow("go");
    tui.wait("two prompts", |tui| {
        (tui.prompts().len() == 2).then_some(())
    });
    // As soon as a person can reach for something else.
    std::thread::sleep(Duration::from_millis(400));
    tui.signal(Signal::KILL);
    tui.wait_exit();
    // In its session, and held where it is seen until somebody sends or edits it.
    let setup = setup.args(&["--resume", "sess-1"]);
    let tui = setup.start();
    tui.wait_for("❯ half a thought");
    let screen = tui.wait_for("held 1: three");
    assert!(!screen.contains("held 2"), "{screen}");
    wait_ready(&tui);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(tui.prompts(), ["one", "two"], "nothing is sent by itself");
    tui.wait_for("held 1: three");
    tui.keys("<c-c><enter>");
    tui.wait("the third prompt", |tui| {
        (tui.prompts() == ["one", "two", "three"]).then_some(())
    });
}
