//! Updates, odd ones above all.

use serde_json::{Value, json};

use super::*;
use crate::model::{
    ChunkRole, ContentBlock, ExitStatus, Meta, Patch, PlanPriority, PlanStatus, TerminalId,
    TerminalPatch, ToolCallId, ToolCallPatch, ToolContent, ToolKind, ToolStatus,
};

fn events(update: &Value) -> Vec<AgentEvent> {
    updates(&json!({"sessionId": "s", "update": update}))
        .into_iter()
        .map(|said| match said {
            FromAgent::Update { session, event } => {
                assert_eq!(session, Some(SessionId::new("s")));
                event
            }
            other => panic!("no update: {other:?}"),
        })
        .collect()
}

fn event(update: Value) -> AgentEvent {
    let mut events = events(&update);
    assert_eq!(events.len(), 1, "{events:?}");
    events.remove(0)
}

fn tool_call(update: Value) -> ToolCallPatch {
    match event(update) {
        AgentEvent::ToolCall(patch) => *patch,
        other => panic!("no tool call: {other:?}"),
    }
}

fn text_chunk(text: &str) -> AgentEvent {
    AgentEvent::Chunk {
        role: ChunkRole::Agent,
        message: None,
        content: ContentBlock::Text(SafeText::new(text)),
        meta: Meta::default(),
    }
}

// V1-RPC-25, V1-UPD-10
#[test]
fn an_unknown_update_is_kept_raw() {
    let AgentEvent::Unknown { what, raw } = event(json!({"sessionUpdate": "hologram", "depth": 3}))
    else {
        panic!("it is unknown");
    };
    assert_eq!(what.as_str(), "hologram");
    assert_eq!(raw.0.as_ref(), r#"{"sessionUpdate":"hologram","depth":3}"#);
}

#[test]
fn an_update_that_is_none_is_kept_raw() {
    for params in [
        json!({"sessionId": "s"}),
        json!(null),
        json!([1]),
        json!({"update": 5}),
    ] {
        let said = updates(&params);
        assert!(
            matches!(
                said.as_slice(),
                [FromAgent::Update {
                    event: AgentEvent::Unknown { .. },
                    ..
                }]
            ),
            "{said:?}"
        );
    }
    // With a member twice, as a tree that is none of v1 or not: it is still shown.
    let mut out = Vec::new();
    decoder().notification(
        "session/update",
        r#"{"sessionId":"s","sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}"#,
        &mut out,
    );
    assert_eq!(out.len(), 1);
}

#[test]
fn an_update_without_a_session_has_none() {
    let said = updates(&json!({"update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}
    }}));
    assert_eq!(
        said,
        [FromAgent::Update {
            session: None,
            event: text_chunk("x")
        }]
    );
}

// V1-RPC-15: a derived type takes a list for an object.
#[test]
fn lists_are_not_taken_for_objects() {
    let AgentEvent::Chunk { content, .. } = event(json!({
        "sessionUpdate": "agent_message_chunk", "content": ["text", "x"]
    })) else {
        panic!("a chunk");
    };
    assert!(
        matches!(content, ContentBlock::Unknown { .. }),
        "{content:?}"
    );
}

// V1-RPC-23, V1-CONT-06
#[test]
fn extra_members_are_ignored() {
    let decoded = event(
        json!({"sessionUpdate": "agent_message_chunk", "zzz": 1, "_meta": {},
        "content": {"type": "text", "text": "x", "zzz": [], "annotations": {"zzz": 1}}}),
    );
    assert_eq!(decoded, text_chunk("x"));
}

// V1-CONT-06
#[test]
fn what_is_for_the_assistant_alone_is_told_apart() {
    let heard = |audience: serde_json::Value| {
        let block = json!({"type": "text", "text": "x", "annotations": {"audience": audience}});
        match event(json!({"sessionUpdate": "agent_message_chunk", "content": block})) {
            AgentEvent::Chunk { content, .. } => content,
            other => panic!("{other:?}"),
        }
    };
    let text = || ContentBlock::Text(SafeText::new("x"));
    let aside = ContentBlock::ForAgent(std::sync::Arc::new(text()));
    assert_eq!(heard(json!(["assistant"])), aside);
    for audience in [
        json!(["user"]),
        json!(["user", "assistant"]),
        json!([]),
        json!(null),
        json!("assistant"),
        json!([1]),
    ] {
        assert_eq!(heard(audience.clone()), text(), "{audience}");
    }
}

fn values(meta: &Meta) -> Vec<String> {
    meta.objects().map(|raw| raw.0.to_string()).collect()
}

// V1-META-01
#[test]
fn meta_of_a_chunk_and_of_its_content_is_kept_as_it_is() {
    let AgentEvent::Chunk { meta, .. } = event(
        json!({"sessionUpdate": "agent_message_chunk", "_meta": {"a": [1, {"b": null}]},
        "content": {"type": "text", "text": "x", "_meta": {"c": "d"}}}),
    ) else {
        panic!("a chunk");
    };
    assert_eq!(values(&meta), [r#"{"a":[1,{"b":null}]}"#, r#"{"c":"d"}"#]);
}

// V1-META-01
#[test]
fn meta_of_a_tool_call_is_kept_without_what_goes_to_a_terminal() {
    let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t",
        "_meta": {"claudeCode": {"toolName": "Bash"},
            "terminal_output": {"terminal_id": "x", "data": "much"}},
        "content": [{"type": "diff", "path": "/a", "newText": "b", "_meta": {"kind": "add"}}]});
    let events = events(&update);
    let Some(AgentEvent::ToolCall(patch)) = events.last() else {
        panic!("a call");
    };
    let expected = [r#"{"claudeCode":{"toolName":"Bash"}}"#, r#"{"kind":"add"}"#];
    assert_eq!(values(&patch.meta), expected);
    for odd in [json!("text"), json!(["a"]), json!(null)] {
        let call = tool_call(
            json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "x",
            "_meta": odd}),
        );
        assert_eq!(call.meta, Meta::default());
    }
}

// D-09
#[test]
fn string_content_is_text() {
    assert_eq!(
        event(json!({"sessionUpdate": "agent_message_chunk", "content": "x"})),
        text_chunk("x")
    );
}

// V1-CONT-07
#[test]
fn an_unknown_block_is_a_placeholder() {
    let AgentEvent::Chunk {
        content: ContentBlock::Unknown { kind, .. },
        ..
    } = event(json!({
        "sessionUpdate": "agent_message_chunk", "content": {"type": "video", "data": "…"}
    }))
    else {
        panic!("it is unknown");
    };
    assert_eq!(kind.as_str(), "video");
}

// V1-CONT-02, V1-CONT-03, V1-CONT-04, V1-CONT-05
#[test]
fn blocks_of_all_kinds_are_read() {
    let block = |content: Value| match event(
        json!({"sessionUpdate": "agent_message_chunk", "content": content}),
    ) {
        AgentEvent::Chunk { content, .. } => content,
        other => panic!("{other:?}"),
    };
    let ContentBlock::Image(image) =
        block(json!({"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}))
    else {
        panic!("an image");
    };
    assert_eq!(
        (image.mime_type.as_str(), image.size),
        ("image/png", Some(5))
    );
    let ContentBlock::Audio(audio) =
        block(json!({"type": "audio", "data": "!", "mimeType": "audio/wav"}))
    else {
        panic!("audio");
    };
    assert_eq!(audio.size, None);
    let ContentBlock::ResourceLink(link) =
        block(json!({"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3}))
    else {
        panic!("a link");
    };
    assert_eq!((link.uri.as_str(), link.size), ("file:///a", Some(3)));
    for (contents, text) in [
        (json!({"uri": "u", "text": "hello"}), Some("hello")),
        (json!({"uri": "u", "blob": "aGVsbG8="}), None),
    ] {
        let ContentBlock::Resource(resource) =
            block(json!({"type": "resource", "resource": contents}))
        else {
            panic!("a resource");
        };
        assert_eq!((resource.text.as_deref(), resource.size), (text, 5));
    }
}

// V1-TOOL-04, V1-TOOL-05, V1-RPC-24
#[test]
fn unknown_values_cost_only_themselves() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "kind": "teleport",
        "status": "paused\u{1b}", "title": 5, "locations": [{"path": "/a"}, {"line": 1}, 7],
        "content": [
            {"type": "content", "content": {"type": "text", "text": "fine"}},
            {"type": "hologram", "depth": 3},
            {"type": "diff", "path": "/a"},
            {"type": "terminal", "terminalId": "nobody-knows"},
        ],
    }));
    assert_eq!(patch.kind, Patch::Set(ToolKind::Other));
    assert_eq!(
        patch.status,
        Patch::Set(ToolStatus::Unknown(SafeText::new("paused\u{1b}")))
    );
    assert_eq!(patch.title, Patch::Keep);
    assert_eq!(patch.locations.into_set().expect("locations").len(), 1);
    let content = patch.content.into_set().expect("content");
    assert!(
        matches!(
            content.as_slice(),
            [
                ToolContent::Block(ContentBlock::Text(_)),
                ToolContent::Unknown { .. },
                ToolContent::Unknown { .. },
                ToolContent::Terminal(_),
            ]
        ),
        "{content:?}"
    );
}

// V1-TOOL-02, V1-TOOL-07
#[test]
fn absent_and_null_members_leave_a_tool_call_alone() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "content": null, "title": null,
        "name": null,
    }));
    assert_eq!(patch, ToolCallPatch::new(ToolCallId::new("c")));
}

// V1-TOOL-13
#[test]
fn raw_input_and_output_are_bounded() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t",
        "rawInput": {"command": "x".repeat(100_000)}, "rawOutput": "é".repeat(100_000),
    }));
    for raw in [patch.raw_input, patch.raw_output] {
        let raw = raw.into_set().expect("raw").0;
        assert!(raw.len() < RAW_LIMIT + 40 && raw.ends_with("bytes more)"));
    }
    // What a person approves is whole.
    assert_eq!(
        patch.command.map(|command| command.len()),
        Patch::Set(100_000)
    );
}

#[test]
fn only_commands_are_taken_for_commands() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "kind": "edit",
        "rawInput": {"command": "str_replace", "path": "/a"},
    }));
    assert_eq!(patch.command, Patch::Keep);
}

#[test]
fn terminals_of_the_agent_come_before_the_call_that_shows_them() {
    let id = || TerminalId::new("t");
    let said = events(&json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "ls",
        "content": [{"type": "terminal", "terminalId": "t"}],
        "_meta": {
            "terminal_exit": {"terminal_id": "t", "exit_code": 0, "signal": null},
            "terminal_output_delta": {"terminal_id": "t", "data": "a\u{1b}[m\n"},
            "terminal_info": {"terminal_id": "t", "cwd": "/p"},
            "other": {},
        },
    }));
    assert_eq!(
        said[..3],
        [
            AgentEvent::Terminal(Box::new(TerminalPatch {
                cwd: Patch::Set("/p".to_owned()),
                output: Patch::Clear,
                ..TerminalPatch::new(id())
            })),
            AgentEvent::TerminalOutput {
                id: id(),
                data: b"a\x1b[m\n".to_vec(),
            },
            AgentEvent::Terminal(Box::new(TerminalPatch {
                exit: Patch::Set(ExitStatus {
                    code: Some(0),
                    signal: None
                }),
                ..TerminalPatch::new(id())
            })),
        ]
    );
    assert!(matches!(said[3], AgentEvent::ToolCall(_)));
    assert_eq!(said.len(), 4);
}

// V1-SES-21
#[test]
fn session_info_is_a_patch() {
    let AgentEvent::SessionInfo(info) =
        event(json!({"sessionUpdate": "session_info_update", "title": null}))
    else {
        panic!("info");
    };
    assert_eq!((info.title, info.updated_at), (Patch::Clear, Patch::Keep));
}

// V1-UPD-09
#[test]
fn usage_may_be_odd() {
    let AgentEvent::Usage(usage) = event(json!({
        "sessionUpdate": "usage_update", "used": 12.0, "size": 0,
        "cost": {"amount": 3, "currency": "credits"},
    })) else {
        panic!("usage");
    };
    assert_eq!((usage.used, usage.size), (12, 0));
    assert_eq!(usage.cost, Patch::Set((3.0, SafeText::from("credits"))));
}

// Some send the one item alone; it is shown as what it is.
#[test]
fn content_that_is_no_list_is_its_one_item() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c",
        "content": {"type": "content", "content": "x"},
    }));
    assert!(
        matches!(
            patch.content.as_set().map(|it| &**it),
            Some([ToolContent::Block(ContentBlock::Unknown { .. })])
        ),
        "{patch:?}"
    );
}

// V1-UPD-11: what needs a capability of ours is handled, offered or not: the decoder does not ask.
#[test]
fn updates_that_were_not_asked_for_are_handled() {
    for (tag, members) in [
        (
            "plan_update",
            json!({"plan": {"type": "items", "planId": "p", "entries": []}}),
        ),
        ("plan_removed", json!({"planId": "p"})),
        ("notice", json!({"severity": "info", "title": "t"})),
        (
            "compaction_update",
            json!({"compactionId": "c", "status": "completed"}),
        ),
        ("subagent_update", json!({"sessionId": "child"})),
    ] {
        let mut update = members;
        update["sessionUpdate"] = tag.into();
        let event = event(update);
        assert!(!matches!(event, AgentEvent::Unknown { .. }), "{tag}");
    }
}

// V1-PLAN-02
#[test]
fn a_bad_entry_of_a_plan_costs_only_itself() {
    let AgentEvent::Plan(entries) = event(json!({"sessionUpdate": "plan", "entries": [
        {"content": "one", "priority": "high", "status": "in_progress"},
        {"content": "two", "priority": "whenever", "status": "dreamt"},
        {"priority": "low", "status": "pending"},
        "three",
        {"content": "four", "priority": "low", "status": "completed"},
    ]})) else {
        panic!("a plan");
    };
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| (entry.content.as_str(), entry.priority, entry.status))
        .collect();
    assert_eq!(
        entries,
        [
            ("one", PlanPriority::High, PlanStatus::InProgress),
            ("two", PlanPriority::Medium, PlanStatus::Pending),
            ("four", PlanPriority::Low, PlanStatus::Completed),
        ]
    );
}

// V1-TOOL-07, V1-TOOL-08, V1-TOOL-11, V1-TOOL-12
#[test]
fn a_tool_call_has_a_name_places_and_any_content() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read", "name": "read_file",
        "locations": [{"path": "/a", "line": 12}, {"path": "/b"}],
        "content": [
            {"type": "content", "content": {"type": "image", "data": "", "mimeType": "image/png"}},
            {"type": "content", "content": {"type": "resource_link", "uri": "u", "name": "n"}},
            {"type": "session", "sessionId": "child"},
        ],
    }));
    assert_eq!(patch.name.as_set().map(|it| &**it), Some("read_file"));
    let locations = patch.locations.into_set().expect("locations");
    let locations: Vec<_> = locations
        .iter()
        .map(|at| (at.path.as_str(), at.line))
        .collect();
    assert_eq!(locations, [("/a", Some(12)), ("/b", None)]);
    let content = patch.content.into_set().expect("content");
    let [
        ToolContent::Block(ContentBlock::Image(_)),
        ToolContent::Block(ContentBlock::ResourceLink(_)),
        ToolContent::Session(session),
    ] = content.as_slice()
    else {
        panic!("{content:?}");
    };
    assert_eq!(session.as_str(), "child");
}

#[test]
fn a_list_of_what_is_to_be_done_in_a_raw_input_is_a_plan() {
    use crate::{acp::decode::plan::todos, model::PlanStatus};

    let list = r#"{"todos": [
        {"id": "1", "content": "Look around", "status": "completed", "priority": "high"},
        {"content": "Change it", "status": "in_progress", "activeForm": "Changing it"}
    ]}"#;
    let entries = todos(list).expect("a list");
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.content.as_str(), entry.status))
        .collect();
    assert_eq!(
        told,
        [
            ("Look around", PlanStatus::Completed),
            ("Change it", PlanStatus::InProgress)
        ]
    );
    for none in [
        "{}",
        r#"{"todos": "status"}"#,
        r#"{"todos": [], "status": 1}"#,
        r#"{"command": "grep todos"}"#,
        r#"["todos", "status"]"#,
    ] {
        assert_eq!(todos(none), None, "{none}");
    }
}
