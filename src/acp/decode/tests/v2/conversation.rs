//! A whole conversation in version 2, as a wire log: everything in it is known.

use std::collections::HashMap;

use super::*;
use crate::acp::encode::tests::schema_of_the_protocol::check_wire;

const LOG: &str = include_str!("../../../../../tests/fixtures/v2/turn.jsonl");

fn tag(method: &str) -> CallTag {
    let session = SessionId::new("sess-2");
    match method {
        "initialize" => CallTag::Initialize,
        "session/new" => CallTag::NewSession,
        "session/prompt" => CallTag::Prompt { session },
        "session/set_config_option" => CallTag::SetConfigOption {
            session,
            option: "model".to_owned(),
            value: crate::model::OptionValue::Id("large".to_owned()),
        },
        other => panic!("{other}"),
    }
}

// V2-RPC-02: nothing that the draft names is taken for something else.
#[test]
fn all_of_a_conversation_is_read() {
    let mut decoder = decoder();
    let mut calls: HashMap<String, String> = HashMap::new();
    let (mut events, mut requests, mut results) = (0, 0, 0);
    for line in LOG.lines() {
        let entry: Value = serde_json::from_str(line).expect("JSON");
        let message = &entry["msg"];
        let id = message["id"].to_string();
        let params = message["params"].to_string();
        match (entry["dir"].as_str(), message["method"].as_str()) {
            (Some("c2a"), Some(method)) => {
                calls.insert(id, method.to_owned());
            }
            (Some("c2a"), None) => {}
            (_, Some(method)) if message.get("id").is_some() => {
                decoder.request(key(), method, &params).expect(line);
                requests += 1;
            }
            (_, Some(method)) => {
                let mut out = Vec::new();
                decoder.notification(method, &params, &mut out);
                let [FromAgent::Update { event, .. }] = &out[..] else {
                    panic!("{out:?}\n{line}");
                };
                assert!(!matches!(event, AgentEvent::Unknown { .. }), "{line}");
                events += 1;
            }
            (_, None) => {
                let result = decoder.result(&tag(&calls[&id]), &message["result"].to_string());
                assert!(
                    !matches!(result, CallResult::Failed(_)),
                    "{result:?}\n{line}"
                );
                results += 1;
            }
        }
    }
    assert_eq!((events, requests, results), (40, 1, 5));
    check_wire(LOG);
}
