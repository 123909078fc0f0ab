//! Answers to our calls.

use serde_json::{Value, json};

use super::*;
use crate::model::{
    AgentCaps, AuthMethodKind, ConfigOption, Initialized, LoginProgram, OptionValue, StopReason,
};

fn initialized(result: Value) -> Initialized {
    match decoder().result(&CallTag::Initialize, &result.to_string()) {
        CallResult::Initialized(initialized) => *initialized,
        other => panic!("{other:?}"),
    }
}

// V1-INIT-03, V1-INIT-04, V1-INIT-25, D-03
#[test]
fn versions_are_read() {
    for (version, number, odd) in [
        (json!(1), 1, None),
        (json!(3), 3, None),
        (json!(65535), 65535, None),
        (json!("1"), 1, Some("1")),
        (json!("0.12.0"), 1, Some("0.12.0")),
        (json!("2.0"), 2, None),
        (json!(1.0), 1, None),
        (json!(true), 0, None),
    ] {
        let answer = initialized(json!({"protocolVersion": version}));
        assert_eq!(answer.protocol_version, number, "{version}");
        assert_eq!(answer.odd_version.as_deref(), odd, "{version}");
        assert_eq!(answer.caps, AgentCaps::default());
    }
    let none = decoder().result(&CallTag::Initialize, "{}");
    assert!(matches!(none, CallResult::Failed(error) if error.message.contains("protocolVersion")));
}

// V1-INIT-06, V1-INIT-20, V1-INIT-23, V1-AUTH-10, V1-META-06
#[test]
fn capabilities_are_present_or_not() {
    let answer = initialized(json!({
        "protocolVersion": 1,
        "agentInfo": {"name": "a", "version": "1.2"},
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true},
            "auth": {"logout": {}},
            "mcpCapabilities": {"http": true, "sse": null},
            "sessionCapabilities": {"resume": {}, "close": null, "teleport": {}},
        },
    }));
    assert_eq!(answer.agent_name.as_deref(), Some("a"));
    assert_eq!(answer.agent_version.as_deref(), Some("1.2"));
    assert!(answer.caps.load_session && answer.caps.prompt.image && answer.caps.resume);
    assert!(answer.caps.logout);
    // V1-INIT-19
    assert!(answer.caps.mcp.http && !answer.caps.mcp.sse);
    assert!(!answer.caps.close && !answer.caps.list && !answer.caps.prompt.audio);
    let answer = initialized(json!({"protocolVersion": 1, "agentCapabilities": null}));
    assert!(!answer.caps.load_session);
    // V1-INIT-21
    for (marker, takes, overrides) in [
        (json!(null), false, false),
        (json!({}), true, false),
        (json!({"mode": null}), true, false),
        (json!({"mode": {"override": {}}}), true, true),
    ] {
        let caps = json!({"sessionCapabilities": {"systemPrompt": marker}});
        let answer = initialized(json!({"protocolVersion": 1, "agentCapabilities": caps}));
        let caps = answer.caps;
        let decoded = (caps.system_prompt, caps.system_prompt_override);
        assert_eq!(decoded, (takes, overrides), "{marker}");
    }
    let no_logout = json!({"auth": {"logout": null}});
    let answer = initialized(json!({"protocolVersion": 1, "agentCapabilities": no_logout}));
    assert!(!answer.caps.logout);
}

// V1-META-05
#[test]
fn an_agent_that_can_be_steered_says_so_beside_its_capabilities() {
    for (meta, can) in [
        (json!({"steering": {"supported": true}}), true),
        (json!({"steering": {"supported": "true"}}), false),
        (json!({"steering": {"supported": false}}), false),
        (json!({"steering": true}), false),
        (json!({"steering": null}), false),
        (json!([]), false),
        (json!(null), false),
    ] {
        let answer = initialized(json!({"protocolVersion": 1, "_meta": meta}));
        assert_eq!(answer.caps.steering, can, "{meta}");
    }
    // Not among them.
    let caps = json!({"_meta": {"steering": {"supported": true}}});
    let answer = initialized(json!({"protocolVersion": 1, "agentCapabilities": caps}));
    assert!(!answer.caps.steering);
}

#[test]
fn what_became_of_words_for_the_open_turn() {
    use crate::model::SteerOutcome;
    let tag = CallTag::Steer {
        session: SessionId::new("s"),
        number: 1,
    };
    let read = |answer: &str| decoder().result(&tag, answer);
    for (name, outcome) in [
        ("injected", SteerOutcome::Injected),
        ("startedNewTurn", SteerOutcome::StartedNewTurn),
        ("promptRequired", SteerOutcome::PromptRequired),
        ("later", SteerOutcome::Unknown("later".into())),
    ] {
        let answer = json!({"outcome": name, "reason": "noRunningTurn"}).to_string();
        assert_eq!(read(&answer), CallResult::Steered(outcome));
    }
    for answer in ["{}", "null", "[]", "7", r#"{"outcome": null}"#] {
        assert!(matches!(read(answer), CallResult::Failed(_)), "{answer}");
    }
}

// V1-AUTH-01, V1-AUTH-02, V1-AUTH-03, V1-AUTH-05, V1-AUTH-06, V1-AUTH-07, D-22
#[test]
fn auth_methods_are_told_apart_by_their_raw_type() {
    let answer = initialized(json!({"protocolVersion": 1, "authMethods": [
        {"id": "a", "name": "Plain"},
        {"id": "b", "name": "Terminal", "type": "terminal", "args": ["login"], "command": "rm",
            "env": {"A": "1", "B": 2, "": "x", "C=": "x"},
            "_meta": {"terminal-auth": {"command": "rm", "args": []}}},
        {"id": "c", "name": "Vars", "type": "env_var", "vars": [{"name": "API_KEY"}, "OTHER"]},
        {"id": "d", "name": "Odd", "type": "quantum"},
        {"id": "e", "name": "Older", "_meta": {"terminal-auth": {
            "command": "/bin/kimi", "args": ["login"], "env": {"A": "1"}, "label": "Login",
        }}},
        {"id": "f", "name": "No command", "_meta": {"terminal-auth": true}},
        {"id": "g", "name": "Nobody reads it", "_meta": {"terminal-auth": {"command": "x".repeat(5_000)}}},
        {"name": "no id"},
        7,
    ]}));
    let kinds: Vec<_> = answer
        .auth_methods
        .into_iter()
        .map(|method| method.kind)
        .collect();
    assert_eq!(
        kinds,
        [
            AuthMethodKind::Agent,
            AuthMethodKind::Terminal {
                args: vec!["login".to_owned()],
                env: vec![("A".to_owned(), "1".to_owned())],
            },
            AuthMethodKind::EnvVar {
                vars: vec!["API_KEY".into(), "OTHER".into()]
            },
            AuthMethodKind::Unsupported("quantum".into()),
            AuthMethodKind::Program(Some(LoginProgram {
                command: "/bin/kimi".to_owned(),
                args: vec!["login".to_owned()],
                env: vec![("A".to_owned(), "1".to_owned())],
            })),
            AuthMethodKind::Program(None),
            AuthMethodKind::Program(None),
        ]
    );
}

// V1-PROMPT-04, V1-PROMPT-08, V1-PROMPT-09, D-17
#[test]
fn every_stop_reason_ends_the_turn() {
    let tag = CallTag::Prompt {
        session: SessionId::new("s"),
    };
    for (result, reason) in [
        (
            json!({"stopReason": "end_turn", "sessionId": "s", "usage": {"totalTokens": 3}}),
            StopReason::EndTurn,
        ),
        (
            json!({"stopReason": "overheated"}),
            StopReason::Unknown("overheated".into()),
        ),
        (json!({"stopReason": 3}), StopReason::Unknown("3".into())),
        (json!(null), StopReason::Unknown("no reason given".into())),
    ] {
        let decoded = decoder().result(&tag, &result.to_string());
        let CallResult::PromptDone(decoded, _) = decoded else {
            panic!("no end: {decoded:?}");
        };
        assert_eq!(decoded, reason);
    }
}

// V1-RPC-26, D-26
#[test]
fn null_results_are_as_good_as_empty_ones() {
    let id = SessionId::new("s");
    for tag in [
        CallTag::Authenticate {
            method: "m".to_owned(),
        },
        CallTag::LoadSession { id: id.clone() },
        CallTag::ResumeSession { id: id.clone() },
        CallTag::CloseSession { id },
    ] {
        let [null, empty] = ["null", "{}"].map(|result| decoder().result(&tag, result));
        assert!(!matches!(null, CallResult::Failed(_)), "{null:?}");
        assert_eq!(null, empty);
    }
    let new = decoder().result(&CallTag::NewSession, "{}");
    assert!(matches!(new, CallResult::Failed(error) if error.message.contains("sessionId")));
}

// V1-SES-05, V1-CFG-04
#[test]
fn a_bad_mode_or_option_costs_only_itself() {
    let result = json!({
        "sessionId": "s",
        "modes": {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": 1}]},
        "configOptions": [
            {"id": "m", "name": "Model", "category": "thinking", "type": "select",
             "currentValue": "x", "options": [{"group": "g", "name": "G",
                "options": [{"value": "x", "name": "X"}]}]},
            {"id": "v", "name": "Volume", "type": "slider"},
        ],
    });
    let CallResult::SessionOpened(opened) =
        decoder().result(&CallTag::NewSession, &result.to_string())
    else {
        panic!("a session");
    };
    assert_eq!(opened.modes.expect("modes").available.len(), 1);
    let [option] = opened.config_options.as_slice() else {
        panic!("one option");
    };
    assert_eq!(option.category.as_deref(), Some("thinking"));
}

fn options(list: &serde_json::Value) -> Vec<ConfigOption> {
    let result = json!({"configOptions": list}).to_string();
    let tag = CallTag::SetConfigOption {
        session: SessionId::new("s"),
        option: "o".to_owned(),
        value: OptionValue::Flag(true),
    };
    match decoder().result(&tag, &result) {
        CallResult::ConfigSet(options) => options,
        other => panic!("{other:?}"),
    }
}

/// `id@group name`, of each value.
fn values(option: &ConfigOption) -> Vec<String> {
    let values = option.values().iter();
    values
        .map(|value| {
            let group = value.group.as_deref().unwrap_or_default();
            format!("{}@{group} {}", value.value, value.name)
        })
        .collect()
}

// V1-CFG-01, V1-CFG-02, V1-CFG-03, V1-CFG-07
#[test]
fn options_keep_the_agents_order_and_groups() {
    let options = options(&json!([
        {"id": "z", "name": "Z", "type": "boolean", "currentValue": true, "description": "why"},
        {"id": "a", "name": "A", "type": "select", "currentValue": "gone", "category": "model",
         "options": [
            {"group": "g2", "name": "Second", "options": [
                {"value": "y", "name": "Y", "description": "of why"}, {"value": "x", "name": "X"},
            ]},
            {"group": "g1", "name": "First", "options": [{"value": "w", "name": "W"}]},
         ]},
        {"id": "f", "name": "F", "type": "select", "currentValue": "1", "category": 5,
         "description": " ", "options": [{"value": "2", "name": "b"}, {"value": "1", "name": "a"}]},
    ]));
    let ids: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(ids, ["z", "a", "f"]);
    assert_eq!(options[0].current(), OptionValue::Flag(true));
    assert_eq!(options[0].description.as_deref(), Some("why"));
    assert_eq!(
        values(&options[1]),
        ["y@Second Y", "x@Second X", "w@First W"]
    );
    // Not in the list: shown raw.
    let current = options[1].current();
    assert_eq!(options[1].name_of(&current).as_str(), "gone");
    assert!(!options[1].takes(&current));
    assert_eq!(values(&options[2]), ["2@ b", "1@ a"]);
    assert_eq!(
        (&options[2].category, &options[2].description),
        (&None, &None)
    );
}

// V1-CFG-04, V1-CFG-06, V1-RPC-24
#[test]
fn what_is_odd_in_options_costs_only_itself() {
    let options = options(&json!([
        {"id": "s", "name": "Slider", "type": "slider", "currentValue": 5, "min": 0},
        {"id": "t", "name": "No type", "currentValue": "x", "options": []},
        {"name": "No id", "type": "boolean", "currentValue": true},
        {"id": "n", "name": "No value", "type": "boolean", "currentValue": "yes"},
        "text",
        {"id": "m", "type": "select", "currentValue": "x", "category": "speed", "options": [
            {"value": "x"}, {"name": "no value"}, 5,
            {"group": "g", "name": "G", "options": [{"value": 1, "name": "one"}, {"value": "y", "name": "Y"}]},
            {"group": "h", "name": "H", "options": "none"},
        ]},
    ]));
    let [option] = options.as_slice() else {
        panic!("{options:?}");
    };
    assert_eq!((option.id.as_str(), option.name.as_str()), ("m", "m"));
    assert_eq!(values(option), ["x@ x", "y@G Y"]);
    assert_eq!(option.category.as_deref(), Some("speed"), "as any other");
}

// V1-INIT-19, V1-INIT-22, V1-INIT-23, V1-META-06: what is not built is not looked at, in
// whatever shape it comes.
#[test]
fn capabilities_that_nobody_uses_do_no_harm() {
    for marker in [
        json!({}),
        json!(null),
        json!(true),
        json!("yes"),
        json!([1]),
    ] {
        let answer = initialized(json!({
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": true,
                "mcpCapabilities": {"acp": marker},
                "auth": {"status": marker},
                "sessionCapabilities": {
                    "resume": {}, "archive": marker, "status": marker,
                    "options": marker,
                },
                "_meta": {"vendor": marker},
            },
        }));
        let expected = AgentCaps {
            load_session: true,
            resume: true,
            ..AgentCaps::default()
        };
        assert_eq!(answer.caps, expected, "{marker}");
    }
}

// V1-SES-16
#[test]
fn who_forks_at_a_message_is_known_by_name() {
    let caps = json!({"sessionCapabilities": {"fork": {}}});
    for (name, caps, can) in [
        ("@agentclientprotocol/claude-agent-acp", &caps, true),
        ("@agentclientprotocol/codex-acp", &caps, true),
        ("@agentclientprotocol/codex-acp", &json!({}), false),
        ("other", &caps, false),
    ] {
        let answer = initialized(json!({"protocolVersion": 1, "agentCapabilities": caps,
            "agentInfo": {"name": name, "version": "1"}}));
        assert_eq!(answer.caps.fork_at, can, "{name}");
    }
}
