//! Agreement with the schema crate, and no harm from anything else.

use agent_client_protocol_schema::v1 as schema;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::model::{
    ChunkRole, ContentBlock, ElicitationMode, FieldKind, HostRequest, Patch, ToolContent, ToolKind,
    ToolStatus,
};

proptest! {
    // What the crate writes is read strictly, and means the same.
    #[test]
    fn chunks_agree_with_the_schema(text in ".*", id in proptest::option::of("[a-z]{0,5}")) {
        let chunk = schema::ContentChunk::new(schema::ContentBlock::Text(
            schema::TextContent::new(text.clone()),
        ));
        let chunk = match &id {
            Some(id) => chunk.message_id(schema::MessageId::new(id.as_str())),
            None => chunk,
        };
        let event = strictly(schema::SessionUpdate::AgentMessageChunk(chunk));
        let AgentEvent::Chunk { role: ChunkRole::Agent, message, content, .. } = event else {
            panic!("{event:?}");
        };
        prop_assert_eq!(message.as_ref().map(|id| id.as_str()), id.as_deref());
        prop_assert_eq!(content, ContentBlock::Text(SafeText::new(&text)));
    }

    // V1-ELI-11, V1-ELI-12: whatever a form holds, each field is there once, in order.
    #[test]
    fn every_field_of_a_form_is_there(
        fields in prop::collection::vec(("[a-e]{1,2}", any_property()), 0..8),
        required in any_json(),
    ) {
        let members: Vec<String> = fields
            .iter()
            .map(|(key, property)| format!("{}:{property}", json!(key)))
            .collect();
        let params = format!(
            r#"{{"sessionId":"s","mode":"form","message":"m","requestedSchema":{{"properties":{{{}}},"required":{required}}}}}"#,
            members.join(",")
        );
        let request = decoder().request(key(), "elicitation/create", &params);
        let Ok(FromAgent::Request { request: HostRequest::Elicitation(asked), .. }) = request else {
            panic!("{request:?}");
        };
        let ElicitationMode::Form(form) = asked.mode else { panic!("no form") };
        let mut keys: Vec<&str> = Vec::new();
        for (key, _) in &fields {
            if !keys.contains(&key.as_str()) {
                keys.push(key);
            }
        }
        let read: Vec<&str> = form.fields.iter().map(|field| field.key.as_str()).collect();
        prop_assert_eq!(read, keys);
    }

    // A form that the crate writes is read strictly, and means the same.
    #[test]
    fn forms_agree_with_the_schema(
        min in proptest::option::of(any::<u32>()),
        least in proptest::option::of(any::<i64>()),
        title in proptest::option::of("[a-z]{1,9}"),
        options in prop::collection::vec("[a-z]{1,5}", 1..5),
    ) {
        let mut text = schema::StringPropertySchema::new();
        if let Some(min) = min {
            text = text.min_length(min);
        }
        let mut whole = schema::IntegerPropertySchema::new();
        if let Some(least) = least {
            whole = whole.minimum(least);
        }
        let mut form = schema::ElicitationSchema::new()
            .property("a", text, true)
            .property("b", whole, false)
            .property("c", schema::MultiSelectPropertySchema::new(options.clone()), false);
        if let Some(title) = &title {
            form = form.title(title.clone());
        }
        let request = schema::CreateElicitationRequest::new(
            schema::ElicitationFormMode::new(schema::ElicitationSessionScope::new("s"), form),
            "m",
        );
        let params = serde_json::to_string(&request).expect("JSON");
        let read = elicitation::decode(&mut decoder(), Pass::Strict, &params);
        let Ok(read) = read else { panic!("not plain v1: {params}") };
        let ElicitationMode::Form(form) = read.mode else { panic!("no form") };
        prop_assert_eq!(form.title.as_deref(), title.as_deref());
        let [a, b, c] = form.fields.as_slice() else { panic!("{form:?}") };
        prop_assert!(a.required && !b.required);
        let FieldKind::Text(text) = &a.kind else { panic!("{a:?}") };
        prop_assert_eq!(text.min_length, min.map(u64::from));
        let FieldKind::Integer(bounds) = &b.kind else { panic!("{b:?}") };
        prop_assert_eq!(bounds.minimum, least);
        let FieldKind::MultiSelect { options: read, .. } = &c.kind else { panic!("{c:?}") };
        let values: Vec<&String> = read.iter().map(|option| &option.value).collect();
        prop_assert_eq!(values, options.iter().collect::<Vec<_>>());
    }

    // Nothing an agent sends gets lost or does harm.
    #[test]
    fn every_update_says_something(update in any_json()) {
        let said = updates(&json!({"sessionId": "s", "update": update}));
        prop_assert!(!said.is_empty());
    }

    #[test]
    fn any_params_are_harmless(params in any_json()) {
        let text = params.to_string();
        let said = updates(&params);
        prop_assert!(!said.is_empty());
        for method in [
            "session/request_permission",
            "fs/write_text_file",
            "terminal/create",
            "elicitation/create",
        ] {
            let _ = decoder().request(key(), method, &text);
        }
        for call in [CallTag::Initialize, CallTag::NewSession] {
            let _ = decoder().result(&call, &text);
        }
    }
}

/// A property of a form, or nearly.
fn any_property() -> impl Strategy<Value = Value> {
    let kinds = ["string", "number", "integer", "boolean", "array", "color"];
    let members = [
        "title",
        "default",
        "minLength",
        "pattern",
        "format",
        "minimum",
        "enum",
        "oneOf",
        "items",
    ];
    let member = (prop::sample::select(members.to_vec()), any_json());
    (
        prop::sample::select(kinds.to_vec()),
        prop::collection::vec(member, 0..4),
    )
        .prop_map(|(kind, members)| {
            let mut property = json!({ "type": kind });
            for (name, value) in members {
                property[name] = value;
            }
            property
        })
}

/// JSON made of the words that matter here.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "plan",
            "text",
            "diff",
            "content",
            "terminal",
            "image",
            "usage_update",
            "x",
        ])
        .prop_map(Value::from),
    ];
    let members = prop::sample::select(vec![
        "sessionUpdate",
        "sessionId",
        "update",
        "content",
        "type",
        "text",
        "toolCallId",
        "title",
        "status",
        "rawInput",
        "entries",
        "data",
        "mimeType",
        "path",
        "newText",
        "_meta",
        "terminal_info",
        "terminal_id",
        "options",
        "optionId",
        "toolCall",
        "used",
        "size",
    ]);
    words.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((members.clone(), inner), 0..8).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

#[test]
fn tool_calls_agree_with_the_schema() {
    let call = schema::ToolCall::new("c", "Edit a.rs")
        .kind(schema::ToolKind::Edit)
        .status(schema::ToolCallStatus::InProgress)
        .content(vec![
            schema::ToolCallContent::Diff(
                schema::Diff::new("/p/a.rs", "new").old_text("old".to_owned()),
            ),
            schema::ToolCallContent::Terminal(schema::Terminal::new("t")),
        ])
        .locations(vec![schema::ToolCallLocation::new("/p/a.rs").line(3_u32)]);
    let AgentEvent::ToolCall(patch) = strictly(schema::SessionUpdate::ToolCall(call)) else {
        panic!("no tool call");
    };
    assert!(patch.announces);
    assert_eq!(patch.title.as_set().map(|it| &**it), Some("Edit a.rs"));
    assert_eq!(patch.kind, Patch::Set(ToolKind::Edit));
    assert_eq!(patch.status, Patch::Set(ToolStatus::InProgress));
    let content = patch.content.into_set().expect("content");
    let [ToolContent::Diff(diff), ToolContent::Terminal(terminal)] = content.as_slice() else {
        panic!("{content:?}");
    };
    let crate::model::DiffText::Sides { old, new } = &diff.text else {
        panic!("{diff:?}");
    };
    assert_eq!(
        (diff.path.as_str(), old.as_deref(), &**new),
        ("/p/a.rs", Some("old"), "new")
    );
    assert_eq!(terminal.as_str(), "t");
    assert_eq!(
        patch.locations.into_set().expect("locations")[0].line,
        Some(3)
    );
}
