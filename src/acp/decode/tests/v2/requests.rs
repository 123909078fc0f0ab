//! Requests of the agent.

use super::*;
use crate::model::{
    ElicitationMode, ElicitationScope, FieldKind, PermissionKind, PermissionRequest,
    PermissionSubject, RpcError,
};

fn request(method: &str, params: Value) -> Result<HostRequest, RpcError> {
    match decoder().request(key(), method, &params.to_string()) {
        Ok(FromAgent::Request { request, .. }) => Ok(request),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error),
    }
}

fn asks(subject: Value) -> Result<PermissionRequest, i64> {
    let params = json!({
        "sessionId": "s", "title": "May I?", "description": "It is late.", "subject": subject,
        "options": [
            {"optionId": "y", "name": "Yes", "kind": "allow_once"},
            {"optionId": "m", "name": "Maybe", "kind": "_defer"},
        ],
    });
    match request("session/request_permission", params) {
        Ok(HostRequest::Permission(asked)) => Ok(*asked),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.code),
    }
}

// V2-PERM-01
#[test]
fn a_permission_is_asked_for_a_subject() {
    let none = asks(Value::Null).expect("a request");
    assert_eq!(none.title.as_deref(), Some("May I?"));
    assert_eq!(none.description.as_deref(), Some("It is late."));
    assert_eq!(none.subject, PermissionSubject::None);
    let call = asks(json!({"type": "tool_call", "toolCall": {"toolCallId": "c", "title": "Run"}}));
    let PermissionSubject::ToolCall(call) = call.expect("a request").subject else {
        panic!("no call");
    };
    assert_eq!(call.id.as_str(), "c");
    let command = json!({"type": "command", "command": "rm -r x", "cwd": "/p", "toolCallId": "c"});
    let PermissionSubject::Command(command) = asks(command).expect("a request").subject else {
        panic!("no command");
    };
    assert_eq!((&*command.command, &*command.cwd), ("rm -r x", "/p"));
    assert!(command.tool_call.is_some() && command.terminal.is_none());
    let other = asks(json!({"type": "_purchase", "price": 3})).expect("a request");
    assert!(
        matches!(&other.subject, PermissionSubject::Other { kind, .. } if &**kind == "_purchase"),
        "{other:?}"
    );
    // Nothing that could approve something is guessed.
    for broken in [
        json!({"type": "tool_call"}),
        json!({"type": "command", "command": "rm"}),
        json!({}),
        json!(7),
    ] {
        assert_eq!(asks(broken), Err(-32602));
    }
    let option = json!({"optionId": "y", "name": "Yes", "kind": "allow_once"});
    for params in [
        json!({"sessionId": "s", "options": [option]}),
        json!({"sessionId": "s", "title": "x", "options": []}),
        json!({"sessionId": "s", "title": "x", "options": [option, {"optionId": "n"}]}),
        json!({"title": "x", "options": [option]}),
    ] {
        let error = request("session/request_permission", params).expect_err("refused");
        assert_eq!(error.code, -32602);
    }
}

// V2-PERM-02
#[test]
fn an_option_of_an_unknown_kind_is_neutral() {
    let asked = asks(Value::Null).expect("a request");
    let kinds: Vec<_> = asked.options.iter().map(|option| option.kind).collect();
    assert_eq!(kinds, [PermissionKind::AllowOnce, PermissionKind::Unknown]);
}

fn form(schema: Value) -> Result<HostRequest, RpcError> {
    request(
        "elicitation/create",
        json!({"sessionId": "s", "mode": "form", "message": "Who?", "requestedSchema": schema}),
    )
}

// V2-ELI-01
#[test]
fn a_form_says_that_it_is_an_object() {
    let asked = form(json!({
        "type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "format": "_phone", "pattern": "^x$", "minLength": 1},
            "size": {"type": "integer", "minimum": 1},
            "odd": {"type": "_map"},
        },
    }));
    let Ok(HostRequest::Elicitation(asked)) = asked else {
        panic!("{asked:?}");
    };
    assert!(matches!(asked.scope, ElicitationScope::Session { .. }));
    let ElicitationMode::Form(form_asked) = &asked.mode else {
        panic!("no form");
    };
    let [name, size, odd] = &form_asked.fields[..] else {
        panic!("{form_asked:?}");
    };
    let FieldKind::Text(text) = &name.kind else {
        panic!("{name:?}");
    };
    assert!(name.required);
    // A format that is not known binds nothing, and there are no patterns.
    assert_eq!((text.format, &text.pattern), (None, &None));
    assert_eq!(text.min_length, Some(1));
    assert!(matches!(size.kind, FieldKind::Integer(_)));
    assert!(matches!(odd.kind, FieldKind::Unknown(_)));
    for broken in [
        json!({"properties": {}}),
        json!({"type": "object"}),
        json!({"type": "array", "properties": {}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": "x"}}}),
        Value::Null,
    ] {
        assert_eq!(form(broken).expect_err("refused").code, -32602);
    }
}

// V2-ELI-01
#[test]
fn a_page_and_its_end_are_read_as_in_version_1() {
    let page = json!({
        "requestId": 4, "mode": "url", "message": "Sign in", "elicitationId": "e", "url": "https://e/x",
    });
    let Ok(HostRequest::Elicitation(asked)) = request("elicitation/create", page) else {
        panic!("no page");
    };
    assert!(matches!(&asked.scope, ElicitationScope::Request { id, .. } if id == "4"));
    let mut out = Vec::new();
    decoder().notification("elicitation/complete", r#"{"elicitationId":"e"}"#, &mut out);
    assert!(matches!(&out[..], [FromAgent::ElicitationDone { .. }]));
    let other = json!({"sessionId": "s", "mode": "_voice", "message": "Say"});
    let error = request("elicitation/create", other).expect_err("refused");
    assert_eq!(error.code, -32602);
    let mut nobody = offering(ClientCaps {
        elicitation_form: false,
        elicitation_url: false,
        ..ClientCaps::default()
    });
    let refused = nobody.request(key(), "elicitation/create", "{}");
    assert_eq!(refused.expect_err("not offered").code, -32601);
    assert!(matches!(
        &nobody.aside().said[..],
        [FromAgent::Unasked { .. }]
    ));
}

#[test]
fn files_and_terminals_are_not_ours_in_version_2() {
    for method in [
        "fs/read_text_file",
        "terminal/create",
        "session/update",
        "x",
    ] {
        let error = request(method, json!({})).expect_err("no such method");
        assert_eq!(error.code, -32601, "{method}");
    }
}
