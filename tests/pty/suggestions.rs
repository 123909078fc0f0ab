//! Prompts that the agent suggests (V1-SUG-01).

use serde_json::{Value, json};

use crate::{client, wait_ready};

/// An agent that takes Claude Code's options and suggests a prompt behind its first turn.
fn scenario() -> Value {
    let suggestion = json!({
        "sessionUpdate": "session_info_update",
        "_meta": {"promptSuggestions": {"suggestions": [{"text": "run the tests"}]}},
    });
    json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1, "agentCapabilities": {"_meta": {"claudeCode": {"promptQueueing": true}}},
        }},
        {"on": "session/prompt", "do": [{"text": "first answer"}], "after": [{"update": suggestion}]},
        {"on": "session/prompt", "do": [{"text": "second answer"}]},
    ])
}

#[test]
fn a_suggested_prompt_is_taken_by_tab_and_sent_by_enter_alone() {
    let tui = client(scenario()).start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_for("first answer");
    tui.wait_for("run the tests   tab takes it");
    tui.keys("<tab>");
    tui.wait("the draft", |tui| {
        let screen = tui.screen();
        (screen.contains("run the tests") && !screen.contains("takes it")).then_some(())
    });
    assert_eq!(tui.prompts(), ["one"]);
    tui.keys(" twice<enter>");
    tui.wait_for("second answer");
    assert_eq!(tui.prompts(), ["one", "run the tests twice"]);
    wait_ready(&tui);
}

#[test]
fn without_suggestions_the_agent_is_told_and_none_is_shown() {
    let tui = client(scenario())
        .config("[ui]\nsuggestions = false\n")
        .start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_for("first answer");
    wait_ready(&tui);
    let received = tui.received();
    let of = |method: &str| {
        let found = received.iter().find(|message| message["method"] == method);
        found.unwrap_or_else(|| panic!("no {method}"))["params"].clone()
    };
    let told = json!({"claudeCode": {"options": {"promptSuggestions": false}}});
    assert_eq!(of("session/new")["_meta"], told);
    let session = &of("initialize")["clientCapabilities"]["session"];
    assert_eq!(session.get("promptSuggestions"), None);
    tui.keys("two<enter>");
    let screen = tui.wait_for("second answer");
    assert!(!screen.contains("run the tests"), "{screen}");
}
