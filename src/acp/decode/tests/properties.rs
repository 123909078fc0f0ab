//! Agreement with the schema crate, and no harm from anything else.

use agent_client_protocol_schema::v1 as schema;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::proto::{ChunkRole, ContentBlock, ToolContent, ToolKind, ToolStatus};

fn strictly(update: schema::SessionUpdate) -> AgentEvent {
    let params = schema::SessionNotification::new("s", update);
    let params = serde_json::to_string(&params).expect("JSON");
    let mut out = Vec::new();
    update::decode(&mut decoder(), Pass::Strict, &params, &mut out).expect("plain v1");
    match out.pop() {
        Some(FromAgent::Update { event, .. }) => event,
        other => panic!("{other:?}"),
    }
}

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
        for method in ["session/request_permission", "fs/write_text_file", "terminal/create"] {
            let _ = decoder().request(key(), method, &text);
        }
        for call in [CallTag::Initialize, CallTag::NewSession] {
            let _ = decoder().result(&call, &text);
        }
    }
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
    assert_eq!(patch.title.as_deref(), Some("Edit a.rs"));
    assert_eq!(patch.kind, Some(ToolKind::Edit));
    assert_eq!(patch.status, Some(ToolStatus::InProgress));
    let content = patch.content.expect("content");
    let [ToolContent::Diff(diff), ToolContent::Terminal(terminal)] = content.as_slice() else {
        panic!("{content:?}");
    };
    assert_eq!(
        (diff.path.as_str(), diff.old.as_deref(), &*diff.new),
        ("/p/a.rs", Some("old"), "new")
    );
    assert_eq!(terminal.as_str(), "t");
    assert_eq!(patch.locations.expect("locations")[0].line, Some(3));
}
