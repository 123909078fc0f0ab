//! Prompts that agents expect next.

use serde_json::{Value, json};

use super::*;

/// What an update of the session's info suggests: what replaces it, if anything does.
fn in_meta(meta: &Value) -> Option<Option<String>> {
    let said = updates(&json!({"sessionId": "s", "update": {
        "sessionUpdate": "session_info_update", "title": "T", "_meta": meta,
    }}));
    let events: Vec<AgentEvent> = said
        .into_iter()
        .map(|said| match said {
            FromAgent::Update { event, .. } => event,
            other => panic!("{other:?}"),
        })
        .collect();
    match events.as_slice() {
        [AgentEvent::SessionInfo(_)] => None,
        [AgentEvent::Suggestion(text), AgentEvent::SessionInfo(_)] => {
            Some(text.as_ref().map(ToString::to_string))
        }
        other => panic!("{other:?}"),
    }
}

fn update(suggestions: &Value) -> AgentEvent {
    event(&json!({"sessionUpdate": "prompt_suggestions_update", "suggestions": suggestions}))
}

#[test]
fn claude_suggests_in_the_meta_of_the_sessions_info() {
    let suggests = |list: Value| in_meta(&json!({"promptSuggestions": {"suggestions": list}}));
    assert_eq!(
        suggests(json!([{"text": " run it\n"}])),
        Some(Some("run it".into()))
    );
    assert_eq!(suggests(json!([])), Some(None), "withdrawn");
    // What does not fit costs itself; the title is taken all the same.
    assert_eq!(
        suggests(
            json!([1, {"text": 2}, {}, {"text": " "}, {"text": "b\u{1b}", "more": 1}, {"text": "c"}])
        ),
        Some(Some("b␛".into()))
    );
    for odd in [json!(null), json!("x"), json!({"text": "x"}), json!(3)] {
        assert_eq!(suggests(odd), None);
    }
    for odd in [
        json!(null),
        json!([]),
        json!({"promptSuggestions": [1]}),
        json!({"x": {}}),
    ] {
        assert_eq!(in_meta(&odd), None);
    }
}

// V1-SUG-01
#[test]
fn the_proposed_update_has_prompts_of_which_the_first_of_text_is_taken() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let link = |uri: &str| json!({"type": "resource_link", "uri": uri, "name": "n"});
    let taken = update(&json!([
        {"prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]},
        {"prompt": "no list"},
        {"prompt": [text(" ")]},
        {"prompt": [text("look at"), link("file:///p/a%20b"), link("https://e/"), text("now")]},
        {"prompt": [text("later")]},
    ]));
    let expected = "look at @file:///p/a%20b  https://e/ now";
    assert_eq!(taken, AgentEvent::Suggestion(Some(expected.into())));
    assert_eq!(update(&json!([])), AgentEvent::Suggestion(None));
    assert!(matches!(update(&json!(null)), AgentEvent::Unknown { .. }));
}

#[test]
fn an_agent_of_claude_code_is_known_by_its_capabilities() {
    let takes = |caps: Value| {
        let answer = json!({"protocolVersion": 1, "agentCapabilities": caps}).to_string();
        match decoder().result(&CallTag::Initialize, &answer) {
            CallResult::Initialized(answer) => answer.caps.claude_options,
            other => panic!("{other:?}"),
        }
    };
    assert!(takes(
        json!({"_meta": {"claudeCode": {"promptQueueing": true}}})
    ));
    for other in [
        json!({}),
        json!({"_meta": {"claudeCode": true}}),
        json!({"_meta": 1}),
    ] {
        assert!(!takes(other));
    }
}
