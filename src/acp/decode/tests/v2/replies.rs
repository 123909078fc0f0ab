//! Answers to our calls.

use super::*;
use crate::model::{AuthMethodKind, Initialized, MessageId, SessionOpened};

fn initialized(answer: Value) -> Initialized {
    match decoder().result(&CallTag::Initialize, &answer.to_string()) {
        CallResult::Initialized(initialized) => *initialized,
        other => panic!("{other:?}"),
    }
}

fn with(capabilities: Value) -> Initialized {
    initialized(json!({
        "protocolVersion": 2, "info": {"name": "agent", "version": "1.2"}, "capabilities": capabilities,
    }))
}

fn fails(call: CallTag, answer: Value) -> bool {
    let result = decoder().result(&call, &answer.to_string());
    matches!(&result, CallResult::Failed(error) if error.message.contains("malformed"))
}

// V2-INIT-01
#[test]
fn an_answer_in_another_version_is_known_by_it() {
    let older = initialized(json!({
        "protocolVersion": 1, "agentInfo": {"name": "a", "title": "Agent", "version": "1"},
        "agentCapabilities": {"loadSession": true}, "authMethods": [{"id": "x", "name": "X"}],
    }));
    assert_eq!(older.protocol_version, 1);
    assert_eq!(older.agent_name.as_deref(), Some("Agent"));
    assert!(older.auth_methods.is_empty(), "it is asked again");
    assert_eq!(
        initialized(json!({"protocolVersion": 3})).protocol_version,
        3
    );
    assert_eq!(
        initialized(json!({"protocolVersion": "0.1"})).protocol_version,
        0
    );
    // In version 2 it has to say who it is.
    assert!(fails(CallTag::Initialize, json!({"protocolVersion": 2})));
    assert!(fails(CallTag::Initialize, json!([])));
}

// V2-INIT-03
#[test]
fn a_capability_is_an_object() {
    let caps = |session: Value| with(json!({"session": session})).caps;
    let none = caps(json!({}));
    assert!(!none.delete && !none.additional_directories && !none.system_prompt);
    assert!(!none.mcp.stdio && !none.mcp.http && !none.mcp.sse);
    assert!(!none.prompt.image && !none.prompt.audio && !none.prompt.embedded_context);
    let all = caps(json!({
        "prompt": {"image": {}, "audio": {}, "embeddedContext": {"_meta": {}}},
        "mcp": {"stdio": {}, "http": {}}, "delete": {}, "additionalDirectories": {},
        "systemPrompt": {"mode": {"override": {}}},
    }));
    assert!(all.delete && all.additional_directories);
    assert!(all.system_prompt && all.system_prompt_override);
    assert!(all.mcp.stdio && all.mcp.http && !all.mcp.sse);
    assert!(all.prompt.image && all.prompt.audio && all.prompt.embedded_context);
    // No booleans, no null.
    let odd = caps(json!({
        "prompt": {"image": true, "audio": null}, "mcp": {"stdio": true}, "delete": true,
        "systemPrompt": {"mode": true},
    }));
    assert!(!odd.delete && !odd.mcp.stdio && !odd.prompt.image && !odd.prompt.audio);
    assert!(odd.system_prompt && !odd.system_prompt_override);
}

// V2-INIT-04
#[test]
fn an_agent_with_sessions_has_all_their_methods() {
    let caps = with(json!({"session": {}})).caps;
    assert!(!caps.sessionless && caps.states);
    assert!(caps.list && caps.resume && caps.load_session && caps.close);
    assert!(!caps.fork);
    for none in [
        json!({}),
        json!({"session": null}),
        json!({"session": true}),
    ] {
        let caps = with(none).caps;
        assert!(caps.sessionless);
        assert!(!caps.list && !caps.resume && !caps.load_session && !caps.close);
    }
}

// V2-AUTH-01, V2-AUTH-02, V2-AUTH-03
#[test]
fn ways_to_sign_in_name_their_type() {
    let answer = initialized(json!({
        "protocolVersion": 2, "info": {"name": "a", "version": "1"},
        "authMethods": [
            {"type": "agent", "methodId": "web", "name": "Web", "description": "in the browser"},
            {"type": "terminal", "methodId": "tty", "name": "Terminal", "args": ["login"], "env": [
                {"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "A", "value": "3"}]},
            {"type": "_device", "methodId": "code", "name": "Code"},
            {"methodId": "untyped", "name": "Untyped"},
            {"type": "agent", "id": "old", "name": "Old"},
            {"type": "terminal", "methodId": "odd", "name": "Odd", "env": {"A": "1"}},
            {"type": "terminal", "methodId": "odd", "name": "Odd", "env": [{"name": "A=B", "value": "1"}]},
        ],
    }));
    let told: Vec<_> = answer
        .auth_methods
        .iter()
        .map(|method| (method.id.as_str(), &method.kind))
        .collect();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        told,
        [
            ("web", &AuthMethodKind::Agent),
            (
                "tty",
                &AuthMethodKind::Terminal {
                    args: vec!["login".to_owned()],
                    // The last one of a name holds.
                    env: vec![pair("B", "2"), pair("A", "3")],
                }
            ),
            ("code", &AuthMethodKind::Unsupported("_device".into())),
        ]
    );
    // Where there are ways in, there is one out.
    assert!(answer.caps.logout);
    assert!(!with(json!({"session": {}, "auth": {}})).caps.logout);
}

// V2-SES-01
#[test]
fn a_new_session_tells_its_options_and_commands() {
    let answer = json!({
        "sessionId": "s",
        "configOptions": [{"configId": "x", "name": "X", "type": "boolean", "currentValue": false}],
        "availableCommands": [{"type": "command", "name": "c", "description": "d"}],
    });
    let opened = |call: &CallTag, answer: &Value| -> SessionOpened {
        match decoder().result(call, &answer.to_string()) {
            CallResult::SessionOpened(opened) => *opened,
            other => panic!("{other:?}"),
        }
    };
    let new = opened(&CallTag::NewSession, &answer);
    assert_eq!(new.id, Some(SessionId::new("s")));
    assert_eq!((new.config_options.len(), new.commands.len()), (1, 1));
    assert_eq!(new.modes, None);
    let tag = CallTag::ResumeSession {
        id: SessionId::new("s"),
    };
    let again = opened(&tag, &json!({}));
    assert_eq!(again.id, None);
    assert!(again.config_options.is_empty() && again.commands.is_empty());
    assert!(fails(CallTag::NewSession, json!({})));
}

// V2-SES-05
#[test]
fn an_empty_cursor_is_one() {
    let tag = CallTag::ListSessions { first: true };
    let page = json!({
        "sessions": [{"sessionId": "a", "cwd": "/p", "title": "A"}, {"cwd": "/p"}], "nextCursor": "",
    });
    let CallResult::SessionsListed(page) = decoder().result(&tag, &page.to_string()) else {
        panic!("no page");
    };
    assert_eq!(page.sessions.len(), 1);
    assert_eq!(page.next.as_deref(), Some(""));
}

// V2-PROMPT-01
#[test]
fn a_prompt_that_was_taken_is_not_done() {
    let tag = || CallTag::Prompt {
        session: SessionId::new("s"),
    };
    assert_eq!(
        decoder().result(&tag(), r#"{"messageId":"m"}"#),
        CallResult::PromptAccepted {
            message: MessageId::new("m")
        }
    );
    assert!(fails(tag(), json!({"stopReason": "end_turn"})));
}

// V2-CAN-02
#[test]
fn a_cancel_that_was_taken_is_no_end() {
    let session = SessionId::new("s");
    let tag = CallTag::CancelTerminal {
        session,
        id: crate::model::TerminalId::new("t"),
    };
    assert_eq!(decoder().result(&tag, "{}"), CallResult::CancelAccepted);
}

// V2-UPD-09
#[test]
fn the_answer_to_an_option_is_the_whole_list() {
    let tag = || CallTag::SetConfigOption {
        session: SessionId::new("s"),
        option: "x".to_owned(),
        value: crate::model::OptionValue::Flag(true),
    };
    let answer = json!({"configOptions": [
        {"configId": "x", "name": "X", "type": "boolean", "currentValue": true},
        {"configId": "y", "name": "Y", "type": "_slider"},
    ]});
    let CallResult::ConfigSet(options) = decoder().result(&tag(), &answer.to_string()) else {
        panic!("not set");
    };
    assert_eq!(options.len(), 1);
    assert!(fails(tag(), json!({})));
}
