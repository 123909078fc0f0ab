//! Forms and pages.

use serde_json::{Value, json};

use super::*;
use crate::model::{
    Bounds, Elicitation, ElicitationId, ElicitationMode, ElicitationScope, Field, FieldKind, Form,
    HostRequest, SessionId, TextField, TextFormat, ToolCallId,
};

fn asked_with(caps: ClientCaps, params: &Value) -> Result<Elicitation, RpcError> {
    let mut decoder = Decoder::new(caps, Dialects::new(crate::model::Dialect::default()));
    let request = decoder.request(key(), "elicitation/create", &params.to_string())?;
    match request {
        FromAgent::Request {
            request: HostRequest::Elicitation(elicitation),
            ..
        } => Ok(*elicitation),
        other => panic!("{other:?}"),
    }
}

fn asked(params: &Value) -> Result<Elicitation, RpcError> {
    asked_with(ClientCaps::default(), params)
}

/// JSON text, so that the order of members is the test's.
fn form_of(schema: &str) -> Form {
    let params =
        format!(r#"{{"sessionId":"s","mode":"form","message":"m","requestedSchema":{schema}}}"#);
    let request = decoder().request(key(), "elicitation/create", &params);
    let Ok(FromAgent::Request {
        request: HostRequest::Elicitation(elicitation),
        ..
    }) = request
    else {
        panic!("{request:?}");
    };
    match elicitation.mode {
        ElicitationMode::Form(form) => form,
        ElicitationMode::Url { .. } => panic!("no form"),
    }
}

fn field(property: Value) -> FieldKind {
    let schema = json!({"type": "object", "properties": {"f": property}});
    form_of(&schema.to_string()).fields.remove(0).kind
}

fn url(scope: Value) -> Value {
    let mut params =
        json!({"mode": "url", "message": "m", "elicitationId": "e", "url": "https://x"});
    params
        .as_object_mut()
        .expect("an object")
        .extend(scope.as_object().cloned().expect("an object"));
    params
}

#[test]
fn what_is_asked_is_bounded_at_its_edges() {
    use crate::acp::decode::elicitation::{MAX_MESSAGE, MAX_URL};

    for (length, taken) in [(MAX_URL - 1, true), (MAX_URL, true), (MAX_URL + 1, false)] {
        let mut params = url(json!({"sessionId": "s"}));
        params["url"] = json!(format!("https://{}", "x".repeat(length - 8)));
        assert_eq!(asked(&params).is_ok(), taken, "{length}");
    }
    for length in [MAX_MESSAGE - 1, MAX_MESSAGE, MAX_MESSAGE + 1] {
        let mut params = url(json!({"sessionId": "s"}));
        params["message"] = json!("x".repeat(length));
        let asked = asked(&params).expect("it can be asked");
        assert_eq!(asked.message.len(), length.min(MAX_MESSAGE));
    }
}

// V1-ELI-02
#[test]
fn an_elicitation_belongs_to_a_session_a_call_or_a_request() {
    let session = |call: Option<&str>| ElicitationScope::Session {
        session: SessionId::new("s"),
        tool_call: call.map(ToolCallId::new),
    };
    let request = |id: &str| ElicitationScope::Request {
        id: id.to_owned(),
        caller: None,
    };
    for (scope, meant) in [
        (json!({"sessionId": "s"}), session(None)),
        (
            json!({"sessionId": "s", "toolCallId": "c"}),
            session(Some("c")),
        ),
        (json!({"sessionId": "s", "toolCallId": 7}), session(None)),
        (json!({"requestId": 3}), request("3")),
        (json!({"requestId": "three"}), request("\"three\"")),
    ] {
        let asked = asked(&url(scope)).expect("asked");
        assert_eq!(asked.scope, meant);
    }
    let nobody = asked(&url(json!({}))).expect_err("nobody's");
    assert_eq!(nobody.code, code::INVALID_PARAMS);
}

// V1-ELI-03
#[test]
fn a_mode_that_was_not_offered_is_refused() {
    let form = json!({"sessionId": "s", "mode": "form", "message": "m", "requestedSchema": {}});
    let page = url(json!({"sessionId": "s"}));
    let offered = |form: bool, url: bool| ClientCaps {
        elicitation_form: form,
        elicitation_url: url,
        ..ClientCaps::default()
    };
    assert!(asked_with(offered(true, false), &form).is_ok());
    assert!(asked_with(offered(false, true), &page).is_ok());
    for (caps, params) in [(offered(false, true), &form), (offered(true, false), &page)] {
        let error = asked_with(caps, params).expect_err("refused");
        assert_eq!(error.code, code::INVALID_PARAMS);
    }
    let error = asked_with(offered(false, false), &form).expect_err("refused");
    assert_eq!(error.code, code::METHOD_NOT_FOUND);
    for mode in ["_x", "choose", ""] {
        let mut unknown = form.clone();
        unknown["mode"] = json!(mode);
        let error = asked(&unknown).expect_err("refused");
        assert_eq!(error.code, code::INVALID_PARAMS, "{mode}");
    }
}

// V1-ELI-12
#[test]
fn fields_keep_the_order_in_which_they_stand() {
    let form = form_of(
        r#"{"type":"object","title":" Deploy ","description":"Where to",
            "properties":{"zone":{"type":"string"},"app":{"type":"string","title":"App"},
                          "mid":{"type":"boolean"},"zone":{"type":"integer"}},
            "required":["app","nothing"]}"#,
    );
    assert_eq!(form.title.as_deref(), Some("Deploy"));
    assert_eq!(form.description.as_deref(), Some("Where to"));
    let said: Vec<_> = form
        .fields
        .iter()
        .map(|field| {
            (
                field.key.as_str(),
                field.label().to_string(),
                field.required,
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("zone", "zone".to_owned(), false),
            ("app", "App".to_owned(), true),
            ("mid", "mid".to_owned(), false),
        ]
    );
    assert_eq!(form.fields[0].kind, FieldKind::Integer(Bounds::default()));
}

// V1-ELI-06
#[test]
fn a_text_field_has_its_rules() {
    assert_eq!(
        field(json!({
            "type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "format": "date-time",
            "default": "a\nb",
        })),
        FieldKind::Text(TextField {
            min_length: Some(1),
            max_length: Some(9),
            pattern: Some("^a".to_owned()),
            format: Some(TextFormat::DateTime),
            default: Some("a\nb".to_owned()),
            secret: false,
        })
    );
    // A format that is not known is an annotation.
    let FieldKind::Text(odd) = field(json!({"type": "string", "format": "ipv4", "default": 3}))
    else {
        panic!("a text");
    };
    assert_eq!(odd, TextField::default());
}

// V1-ELI-07, V1-ELI-10
#[test]
fn choices_have_values_and_titles() {
    let options = |kind: FieldKind| match kind {
        FieldKind::Select { options, default } => {
            let options: Vec<_> = options
                .into_iter()
                .map(|option| (option.value, option.title.to_string()))
                .collect();
            (options, default.into_iter().collect::<Vec<_>>())
        }
        FieldKind::MultiSelect {
            options,
            default,
            min_items: Some(1),
            max_items: Some(2),
        } => {
            let options: Vec<_> = options
                .into_iter()
                .map(|option| (option.value, option.title.to_string()))
                .collect();
            (options, default)
        }
        other => panic!("{other:?}"),
    };
    let plain = vec![
        ("a".to_owned(), "a".to_owned()),
        ("b".to_owned(), "b".to_owned()),
    ];
    let titled = vec![
        ("a".to_owned(), "Ah".to_owned()),
        ("b".to_owned(), "b".to_owned()),
    ];
    let list = json!([{"const": "a", "title": "Ah", "description": "first"}, {"const": "b"}]);
    let single = |choices: Value, default: &str| {
        let mut property = json!({"type": "string", "default": default});
        property
            .as_object_mut()
            .expect("an object")
            .extend(choices.as_object().cloned().expect("an object"));
        options(field(property))
    };
    assert_eq!(
        single(json!({"enum": ["a", "b"]}), "b"),
        (plain.clone(), vec![1])
    );
    assert_eq!(
        single(json!({"oneOf": list}), "x"),
        (titled.clone(), vec![])
    );
    let several = |items: Value| {
        options(field(json!({
            "type": "array", "items": items, "minItems": 1, "maxItems": 2, "default": ["b", "a", "b", "x"],
        })))
    };
    let strings = json!({"type": "string", "enum": ["a", "b"]});
    assert_eq!(several(strings), (plain, vec![0, 1]));
    assert_eq!(several(json!({"anyOf": list})), (titled, vec![0, 1]));
}

// V1-ELI-08
#[test]
fn whole_numbers_are_read_exactly() {
    assert_eq!(
        field(json!({"type": "integer", "minimum": -5, "default": 9_007_199_254_740_993_i64})),
        FieldKind::Integer(Bounds {
            minimum: Some(-5),
            maximum: None,
            default: Some(9_007_199_254_740_993),
        })
    );
    assert_eq!(
        field(json!({"type": "integer", "minimum": 0.5, "maximum": 9.5})),
        FieldKind::Integer(Bounds {
            minimum: Some(1),
            maximum: Some(9),
            default: None,
        })
    );
    assert_eq!(
        field(json!({"type": "number", "minimum": 0, "maximum": 0.5, "default": 0.25})),
        FieldKind::Number(Bounds {
            minimum: Some(0.0),
            maximum: Some(0.5),
            default: Some(0.25),
        })
    );
}

// V1-ELI-09
#[test]
fn a_flag_may_have_a_default() {
    for default in [None, Some(true), Some(false)] {
        let property = json!({"type": "boolean", "default": default});
        assert_eq!(field(property), FieldKind::Boolean { default });
    }
}

// V1-ELI-11
#[test]
fn what_is_not_known_is_no_known_control_and_costs_only_itself() {
    for property in [
        json!({"type": "color"}),
        json!({"type": "object", "properties": {}}),
        json!({"type": ["string", "null"]}),
        json!({"title": "no type"}),
        json!("string"),
        json!({"type": "array"}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "array", "items": {"type": "color", "enum": ["a"]}}),
        json!({"type": "string", "enum": []}),
        json!({"type": "string", "enum": [1, 2]}),
    ] {
        let kind = field(property.clone());
        assert!(
            matches!(kind, FieldKind::Unknown(_)),
            "{property}: {kind:?}"
        );
    }
    let form = form_of(
        r#"{"properties":{"a":{"type":"color"},"b":{"type":"string","minLength":"3"},"c":7}}"#,
    );
    let fits = |field: &Field| field.kind == FieldKind::Text(TextField::default());
    let known: Vec<_> = form.fields.iter().map(fits).collect();
    assert_eq!(known, [false, true, false]);
}

#[test]
fn what_nobody_could_look_over_is_refused() {
    let properties: serde_json::Map<_, _> = (0..=100)
        .map(|n| (format!("f{n}"), json!({"type": "boolean"})))
        .collect();
    let many = json!({
        "sessionId": "s", "mode": "form", "message": "m",
        "requestedSchema": {"properties": properties},
    });
    let mut long = url(json!({"sessionId": "s"}));
    long["url"] = json!(format!("https://x/{}", "a".repeat(9_000)));
    for params in [many, long] {
        let error = asked(&params).expect_err("refused");
        assert_eq!(error.code, code::INVALID_PARAMS);
    }
}

// V1-ELI-18
#[test]
fn a_page_that_is_done_is_told_by_its_id() {
    let said = |params: &str| {
        let mut out = Vec::new();
        decoder().notification("elicitation/complete", params, &mut out);
        out
    };
    let id = ElicitationId("e".to_owned());
    assert_eq!(
        said(r#"{"elicitationId":"e"}"#),
        [FromAgent::ElicitationDone { id }]
    );
    assert_eq!(said("{}"), []);
    assert_eq!(said("[]"), []);
}
