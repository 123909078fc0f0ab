//! Words for the turn that is open.

use serde_json::{Value, json};

use crate::{ready, support::pty::Tui, wait_ready};

/// An agent that says it can be steered; its first prompt takes as long as the file `go` is not there.
fn steerable(mut more: Vec<Value>) -> Tui {
    let mut scenario = vec![
        json!({"on": "initialize", "reply": {
            "protocolVersion": 1, "agentCapabilities": {},
            "_meta": {"steering": {"supported": true}},
        }}),
        json!({"on": "session/prompt", "do": [
            {"text": "working on it"}, {"wait_file": "go"}, {"text": "done with it"}]}),
    ];
    scenario.append(&mut more);
    let tui = ready(Value::Array(scenario));
    tui.keys("one<enter>");
    tui.wait_for("working on it");
    tui
}

/// The texts of the steering requests.
fn steered(tui: &Tui) -> Vec<String> {
    let received = tui.received();
    let steers = received
        .iter()
        .filter(|message| message["method"] == "_session/steering");
    steers
        .map(|message| {
            message["params"]["prompt"][0]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

// The agent of these tests answers one call after the other: it takes the words behind the turn's open call.
#[test]
fn enter_gives_the_open_turn_the_words_and_tab_queues() {
    let tui = steerable(vec![
        json!({"on": "_session/steering", "reply": {"outcome": "injected"}}),
    ]);
    tui.wait_for("steers");
    tui.keys("use tabs<enter>");
    tui.wait_for("steering");
    tui.keys("and then this<tab>");
    tui.wait_for("queued 1: and then this");
    assert_eq!(steered(&tui), ["use tabs"]);
    tui.allow("go");
    tui.wait_for("steered");
    tui.wait("the queued prompt", |tui| {
        (tui.prompts() == ["one", "and then this"]).then_some(())
    });
    wait_ready(&tui);
}

#[test]
fn qwen_comes_for_what_is_queued_and_has_it_in_the_open_turn() {
    let drain =
        |params: Value| json!({"request": {"method": "craft/drainMidTurnQueue", "params": params}});
    let tui = ready(json!([{"on": "session/prompt", "do": [
        {"text": "working on it"}, {"wait_file": "go"}, drain(json!({"promptId": "p"})), {"text": "done with it"}]}]));
    tui.keys("one<enter>");
    tui.wait_for("working on it");
    tui.keys("use tabs<enter>");
    tui.wait_for("queued 1: use tabs");
    tui.allow("go");
    tui.wait_for("done with it");
    let screen = tui.wait_for("steered");
    assert!(!screen.contains("queued"), "{screen}");
    wait_ready(&tui);
    assert_eq!(tui.prompts(), ["one"]);
    let received = tui.received();
    let answer = received
        .iter()
        .find(|message| message["result"].get("messages").is_some());
    let answer = &answer.expect("an answer")["result"];
    assert_eq!(
        *answer,
        json!({"messages": ["use tabs"], "hasQueuedPrompt": false})
    );
}

#[test]
fn an_agent_that_advertises_steering_and_refuses_gets_it_after_the_turn() {
    let refusal = json!({"code": -32600, "message": "steering is switched off here"});
    let tui = steerable(vec![
        json!({"on": "_session/steering", "error": refusal}),
        json!({"on": "session/prompt", "do": [{"text": "second answer"}]}),
    ]);
    tui.keys("use tabs<enter>");
    tui.wait_for("steering");
    tui.allow("go");
    tui.wait_for("second answer");
    let screen = tui.wait_for("steering is switched off here");
    assert_eq!(screen.matches("switched off").count(), 1, "{screen}");
    assert_eq!(tui.prompts(), ["one", "use tabs"]);
    wait_ready(&tui);
}
