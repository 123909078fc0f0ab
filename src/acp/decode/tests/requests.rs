//! Requests of the agent.

use serde_json::{Value, json};

use super::*;
use crate::model::{Dialect, HostRequest, PermissionKind};

fn request(method: &str, params: &Value) -> Result<HostRequest, RpcError> {
    let decoded = decoder().request(key(), method, &params.to_string())?;
    match decoded {
        FromAgent::Request { request, .. } => Ok(request),
        other => panic!("no request: {other:?}"),
    }
}

fn permission(options: Value) -> Result<HostRequest, RpcError> {
    request(
        "session/request_permission",
        &json!({"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": options}),
    )
}

// V1-PERM-05
#[test]
fn an_option_of_unknown_kind_is_neutral() {
    let HostRequest::Permission(request) = permission(json!([
        {"optionId": "a", "name": "Twice", "kind": "allow_twice"},
        {"optionId": "b", "name": "No", "kind": "reject_once"},
    ]))
    .expect("a request") else {
        panic!("a permission request");
    };
    let kinds: Vec<_> = request.options.iter().map(|option| option.kind).collect();
    assert_eq!(kinds, [PermissionKind::Unknown, PermissionKind::RejectOnce]);
}

// V1-PERM-04; nothing that could approve is guessed.
#[test]
fn options_that_cannot_be_answered_are_refused() {
    assert!(permission(json!([])).is_ok());
    for options in [
        json!([{"id": 1, "label": "Yes"}]),
        json!([{"label": "Yes"}]),
        json!("yes"),
        json!(null),
    ] {
        let error = permission(options).expect_err("refused");
        assert_eq!(error.code, code::INVALID_PARAMS);
    }
}

// V1-RPC-11, V1-ERR-04
#[test]
fn bad_params_are_refused_without_quoting_them() {
    let error = request("fs/read_text_file", &json!({"sessionId": "s"})).expect_err("no path");
    assert_eq!(error.code, code::INVALID_PARAMS);
    assert_eq!(
        error.message.as_str(),
        "Invalid params for fs/read_text_file: missing field `path`"
    );
    let error = request(
        "fs/write_text_file",
        &json!({"sessionId": "s", "path": "/a", "content": {"secret": "hunter2"}}),
    )
    .expect_err("no text");
    assert!(!error.message.contains("hunter2") && error.data.is_none());
    let error = request("terminal/kill", &json!(["s", "t"])).expect_err("no object");
    assert_eq!(error.code, code::INVALID_PARAMS);
}

// V1-RPC-09, V1-ERR-03, V1-FS-01, V1-INIT-07
#[test]
fn what_was_not_offered_is_not_found() {
    let none = ClientCaps {
        read_text_file: false,
        write_text_file: false,
        terminal: false,
        elicitation_form: false,
        elicitation_url: false,
        login_terminal: false,
        suggestions: false,
        paid_suggestions: false,
    };
    for method in [
        "fs/read_text_file",
        "fs/writeTextFile",
        "terminal/create",
        "elicitation/create",
        "elicitation/complete",
        "craft/cancelPendingPrompt",
        "_x/ask",
        "_threads/look",
        "session/update",
    ] {
        let error = Decoder::new(none, Dialects::new(Dialect::default()))
            .request(key(), method, "{}")
            .expect_err("refused");
        assert_eq!(error.code, code::METHOD_NOT_FOUND, "{method}");
        assert!(error.message.contains(method));
    }
}

// D-01, D-14, D-19
#[test]
fn old_spellings_of_requests_are_read() {
    let HostRequest::ReadTextFile(read) = request(
        "fs/readTextFile",
        &json!({"sessionId": "s", "path": "a.txt", "line": null, "limit": null}),
    )
    .expect("a read") else {
        panic!("a read");
    };
    assert_eq!(
        (read.path.as_str(), read.line, read.limit),
        ("a.txt", None, None)
    );
    let HostRequest::TerminalCreate(create) = request(
        "terminal/create",
        &json!({"sessionId": "s", "command": "ls", "env": {"A": "1"}}),
    )
    .expect("a terminal") else {
        panic!("a terminal");
    };
    assert_eq!(create.env, [("A".to_owned(), "1".to_owned())]);
}

#[test]
fn files_and_commands_are_meant_to_the_letter_in_every_spelling() {
    let decoder = decoder();
    for method in [
        "fs/read_text_file",
        "fs/write_text_file",
        "fs/writeTextFile",
        "terminal/create",
    ] {
        assert!(decoder.is_literal(method), "{method}");
    }
    for method in ["session/update", "session/request_permission", "no/such"] {
        assert!(!decoder.is_literal(method), "{method}");
    }
    let none = ClientCaps {
        write_text_file: false,
        ..ClientCaps::default()
    };
    let decoder = Decoder::new(none, Dialects::new(Dialect::default()));
    assert!(!decoder.is_literal("fs/write_text_file"), "not offered");
}

#[test]
fn qwen_comes_for_what_is_queued() {
    let asks =
        |params: Value| decoder().request(key(), "craft/drainMidTurnQueue", &params.to_string());
    let said =
        asks(json!({"sessionId": "s", "promptId": "p", "todoStopGuardWatchQueuedPrompt": true}));
    let request = HostRequest::DrainQueue {
        session: SessionId::new("s"),
    };
    assert_eq!(
        said,
        Ok(FromAgent::Request {
            key: key(),
            request
        })
    );
    for odd in [json!({}), json!({"sessionId": 1}), json!([]), json!(null)] {
        let error = asks(odd).expect_err("no session");
        assert_eq!(error.code, code::INVALID_PARAMS);
    }
}
