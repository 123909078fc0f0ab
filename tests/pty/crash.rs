//! The agent ends when it should not.

use serde_json::json;

use crate::{ready, wait_ready};

// V1-RPC-19
#[test]
fn a_crash_in_mid_turn_is_a_notice_with_stderr_and_keeps_everything() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [
            {"text": "half an answ"},
            {"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "some work", "status": "in_progress"}},
            {"raw": "{\"jsonrpc\":\"2.0\",\"meth"},
            {"stderr": "out of memory, sorry"},
            {"wait_file": "go"},
            {"exit": 3},
        ]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("half an answ");
    tui.keys("my next thought");
    tui.wait_for("❯ my next thought");
    tui.allow("go");
    let screen = tui.wait_for("exit code 3");
    assert!(screen.contains("out of memory, sorry"), "{screen}");
    assert!(screen.contains("half an answ"), "{screen}");
    assert!(screen.contains("F5"), "{screen}");
    tui.wait_for("❯ my next thought");
}

// V1-SES-11
#[test]
fn f5_resumes_the_session_and_shows_the_history_once() {
    let tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
            "loadSession": true, "sessionCapabilities": {"resume": {}},
        }}},
        {"on": "session/prompt", "do": [{"text": "the only answer"}], "after": [{"exit": 1}]},
    ]));
    tui.keys("the only question<enter>");
    tui.wait_for("exit code 1");
    tui.keys("<f5>");
    let resume = tui.wait_method("session/resume");
    assert_eq!(resume["params"]["sessionId"], "sess-1");
    wait_ready(&tui);
    let screen = tui.screen();
    assert_eq!(screen.matches("the only answer").count(), 1, "{screen}");
    assert_eq!(tui.count("session/load"), 0);
}

// V1-SES-08
#[test]
fn f5_loads_it_where_the_agent_cannot_resume_and_shows_the_history_once() {
    let history = json!([
        {"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "the only question"}}},
        {"text": "the only answer"},
    ]);
    let tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
        {"on": "session/load", "do": history, "reply": null},
        {"on": "session/prompt", "do": [{"text": "the only answer"}], "after": [{"exit": 1}]},
    ]));
    tui.keys("the only question<enter>");
    tui.wait_for("exit code 1");
    tui.keys("<f5>");
    tui.wait_method("session/load");
    wait_ready(&tui);
    let screen = tui.screen();
    assert_eq!(screen.matches("the only answer").count(), 1, "{screen}");
    assert_eq!(screen.matches("the only question").count(), 1, "{screen}");
}

#[test]
fn a_session_that_cannot_be_loaded_is_said_to_be_gone() {
    let tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
        {"on": "session/load", "error": {"code": -32002, "message": "no such session"}},
        {"on": "session/prompt", "do": [{"text": "an answer"}], "after": [{"exit": 1}]},
    ]));
    tui.keys("question<enter>");
    tui.wait_for("exit code 1");
    tui.keys("<f5>");
    tui.wait_for("could not be loaded");
    wait_ready(&tui);
    tui.wait_for("opened; it does not know the messages above");
    tui.wait_for("an answer");
}

#[test]
fn an_open_question_goes_with_the_agent() {
    let mut ask = super::permission::ask("q", "make");
    ask["async"] = json!(true);
    let tui = ready(json!([
        {"on": "session/prompt", "do": [ask, {"wait_file": "go"}, {"exit": 1}]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("wants to");
    tui.allow("go");
    tui.wait_for("exit code 1");
    tui.wait_gone("wants to");
    tui.keys("typing works");
    tui.wait_for("❯ typing works");
}

#[test]
fn f5_again_and_again_leaves_one_agent() {
    let tui = ready(json!([]));
    for _ in 0..5 {
        tui.keys("<f5>");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    wait_ready(&tui);
    tui.keys("still there?<enter>");
    tui.wait_method("session/prompt");
    wait_ready(&tui);
    tui.wait("one agent", |tui| (tui.children().len() <= 1).then_some(()));
}

#[test]
fn a_prompt_sent_without_an_agent_waits_for_one() {
    let setup = crate::client(json!([{"on": "start", "do": [{"exit": 1}]}]));
    let tui = setup.start();
    tui.wait_for("not running");
    tui.keys("keep this<enter>");
    tui.wait_for("keep this");
    std::fs::write(setup.path("scenario.json"), "[]").expect("scenario");
    tui.keys("<f5>");
    wait_ready(&tui);
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["keep this"]);
}
