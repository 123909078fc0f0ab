//! Decoding as a whole: recordings of real agents, agreement with the schema crate, odd messages.

use std::{collections::HashMap, fs, path::Path};

use agent_client_protocol_schema::v1 as schema;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::proto::{
    AuthMethodKind, ChunkRole, ConnectionId, ContentBlock, ExitStatus, HostRequest, Patch,
    PermissionKind, StopReason, TerminalMeta, ToolCallPatch, ToolContent, ToolKind, ToolStatus,
};

fn decoder() -> Decoder {
    Decoder::new(ClientCaps::default())
}

fn key() -> RequestKey {
    RequestKey {
        connection: ConnectionId(1),
        number: 1,
    }
}

fn updates(params: &Value) -> Vec<FromAgent> {
    let mut out = Vec::new();
    decoder().notification("session/update", &params.to_string(), &mut out);
    out
}

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
    }
}

fn request(method: &str, params: &Value) -> Result<HostRequest, RpcError> {
    let decoded = decoder().request(key(), method, &params.to_string())?;
    match decoded {
        FromAgent::Request { request, .. } => Ok(request),
        other => panic!("no request: {other:?}"),
    }
}

// ---- Recordings of real agents ----

/// Methods of agents' own that the recordings hold; they are answered -32601 or ignored.
const FOREIGN: [&str; 3] = [
    "craft/drainMidTurnQueue",
    "_auth/status_update",
    "$/cancel_request",
];

/// Decodes everything that the agent said in a wire log; what gets lost is a failure.
fn replay(log: &Path) {
    let text = fs::read_to_string(log).expect("a wire log");
    let mut calls = HashMap::new();
    let mut decoder = decoder();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).expect("JSON");
        let msg = &entry["msg"];
        let whole = format!("{}: {msg}", log.display());
        let params = msg["params"].to_string();
        match (entry["dir"].as_str(), msg["method"].as_str()) {
            (Some("c2a"), Some(method)) => {
                calls.insert(
                    msg["id"].to_string(),
                    (method.to_owned(), msg["params"].clone()),
                );
            }
            (Some("c2a"), None) => {}
            (_, Some(method)) if FOREIGN.contains(&method) => {}
            (_, Some(method)) if msg.get("id").is_some() => {
                let known = decoder.request(key(), method, &params);
                assert!(known.is_ok(), "{known:?}\n{whole}");
            }
            (_, Some("session/update")) => {
                let mut said = Vec::new();
                update::decode(&mut decoder, Pass::Strict, &params, &mut said)
                    .unwrap_or_else(|_| panic!("not strictly v1\n{whole}"));
                assert_keeps(&msg["params"]["update"], &said, &whole);
            }
            (_, Some(method)) => panic!("unknown method {method}\n{whole}"),
            (_, None) if msg.get("error").is_some() => {}
            (_, None) => {
                let (method, params) = &calls[&msg["id"].to_string()];
                let Some(tag) = tag(method, params) else {
                    continue;
                };
                let result = decoder.result(&tag, &msg["result"].to_string());
                assert!(
                    !matches!(result, CallResult::Failed(_)),
                    "{result:?}\n{whole}"
                );
            }
        }
    }
}

fn tag(method: &str, params: &Value) -> Option<CallTag> {
    let session = || SessionId::new(params["sessionId"].as_str().unwrap_or_default());
    Some(match method {
        "initialize" => CallTag::Initialize,
        "session/new" => CallTag::NewSession,
        "session/load" => CallTag::LoadSession { id: session() },
        "session/prompt" => CallTag::Prompt { session: session() },
        "session/set_mode" => CallTag::SetMode {
            session: session(),
            mode: crate::proto::ModeId::new("m"),
        },
        _ => return None,
    })
}

/// The main contents of an update are in what became of it.
fn assert_keeps(update: &Value, said: &[FromAgent], whole: &str) {
    let Some(FromAgent::Update { event, .. }) = said.last() else {
        panic!("lost\n{whole}");
    };
    let has = |member: &str| !update[member].is_null();
    let len = |member: &str| update[member].as_array().map(Vec::len);
    match event {
        AgentEvent::Chunk { content, .. } => {
            let ContentBlock::Text(text) = content else {
                panic!("no text\n{whole}");
            };
            assert_eq!(update["content"]["text"], text.as_str(), "{whole}");
        }
        AgentEvent::ToolCall(patch) => {
            assert_eq!(patch.title.is_some(), has("title"), "{whole}");
            assert_eq!(patch.status.is_some(), has("status"), "{whole}");
            assert_eq!(patch.kind.is_some(), has("kind"), "{whole}");
            assert_eq!(
                patch.content.as_ref().map(Vec::len),
                len("content"),
                "{whole}"
            );
            assert_eq!(
                patch.locations.as_ref().map(Vec::len),
                len("locations"),
                "{whole}"
            );
            assert_eq!(patch.raw_input.is_some(), has("rawInput"), "{whole}");
            assert_eq!(patch.raw_output.is_some(), has("rawOutput"), "{whole}");
            if let Some(command) = update["rawInput"]["command"].as_str() {
                assert_eq!(patch.command.as_deref(), Some(command), "{whole}");
            }
            let parts = update["_meta"].as_object().map_or(0, |meta| {
                meta.keys()
                    .filter(|key| key.starts_with("terminal_"))
                    .count()
            });
            assert_eq!(said.len(), parts + 1, "{whole}");
        }
        AgentEvent::Plan(entries) => assert_eq!(Some(entries.len()), len("entries")),
        AgentEvent::Commands(commands) => {
            assert_eq!(Some(commands.len()), len("availableCommands"));
        }
        AgentEvent::ConfigOptions(options) => {
            assert_eq!(Some(options.len()), len("configOptions"));
        }
        AgentEvent::Usage(_) | AgentEvent::SessionInfo(_) | AgentEvent::Mode(_) => {}
        AgentEvent::Terminal(_) | AgentEvent::Unknown { .. } => panic!("{event:?}\n{whole}"),
    }
}

fn replay_folder(folder: &Path) {
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder of wire logs") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ext| ext == "jsonl") {
            replay(&path);
            count += 1;
        }
    }
    assert!(count > 10, "only {count} wire logs in {}", folder.display());
}

#[test]
fn excerpts_of_real_agents_decode_without_loss() {
    replay_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire"));
}

/// The whole recordings, where `ACP_TUI_RECORDINGS` names a folder of them.
#[test]
fn recordings_of_real_agents_decode_without_loss() {
    match std::env::var_os("ACP_TUI_RECORDINGS") {
        Some(folder) => replay_folder(Path::new(&folder)),
        None => eprintln!("skipped: ACP_TUI_RECORDINGS names no folder of wire logs"),
    }
}

// ---- Agreement with the schema crate ----

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
        let AgentEvent::Chunk { role: ChunkRole::Agent, message, content } = event else {
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

// ---- Odd updates ----

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

// V1-RPC-23
#[test]
fn extra_members_are_ignored() {
    let decoded = event(
        json!({"sessionUpdate": "agent_message_chunk", "zzz": 1, "_meta": {"a": 1},
        "content": {"type": "text", "text": "x", "zzz": [], "annotations": {"zzz": 1}}}),
    );
    assert_eq!(decoded, text_chunk("x"));
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

// V1-CONT-02 … 05
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
    assert_eq!(patch.kind, Some(ToolKind::Other));
    assert_eq!(
        patch.status,
        Some(ToolStatus::Unknown(SafeText::new("paused\u{1b}")))
    );
    assert_eq!(patch.title, None);
    assert_eq!(patch.locations.expect("locations").len(), 1);
    let content = patch.content.expect("content");
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

// V1-TOOL-02
#[test]
fn absent_and_null_members_leave_a_tool_call_alone() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "content": null, "title": null,
    }));
    assert_eq!(
        patch,
        ToolCallPatch::new(crate::proto::ToolCallId::new("c"))
    );
}

// V1-TOOL-13
#[test]
fn raw_input_and_output_are_bounded() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t",
        "rawInput": {"command": "x".repeat(100_000)}, "rawOutput": "é".repeat(100_000),
    }));
    for raw in [patch.raw_input, patch.raw_output] {
        let raw = raw.expect("raw").0;
        assert!(raw.len() < RAW_LIMIT + 40 && raw.ends_with("bytes more)"));
    }
    // What a person approves is whole.
    assert_eq!(patch.command.map(|command| command.len()), Some(100_000));
}

#[test]
fn only_commands_are_taken_for_commands() {
    let patch = tool_call(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "kind": "edit",
        "rawInput": {"command": "str_replace", "path": "/a"},
    }));
    assert_eq!(patch.command, None);
}

#[test]
fn terminals_of_the_agent_come_before_the_call_that_shows_them() {
    let id = || crate::proto::TerminalId::new("t");
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
            AgentEvent::Terminal(TerminalMeta::Info {
                id: id(),
                cwd: Some("/p".to_owned())
            }),
            AgentEvent::Terminal(TerminalMeta::Output {
                id: id(),
                data: "a\u{1b}[m\n".to_owned(),
                replaces: false,
            }),
            AgentEvent::Terminal(TerminalMeta::Exit {
                id: id(),
                status: ExitStatus {
                    code: Some(0),
                    signal: None
                },
            }),
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
    assert_eq!(usage.cost, Some((3.0, SafeText::from("credits"))));
}

// ---- Requests ----

fn permission(options: Value) -> Result<HostRequest, RpcError> {
    request(
        "session/request_permission",
        &json!({"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": options}),
    )
}

// V1-PERM-05, C013
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
        json!([{"id": "a", "label": "Yes"}]),
        json!("yes"),
        json!(null),
    ] {
        let error = permission(options).expect_err("refused");
        assert_eq!(error.code, code::INVALID_PARAMS);
    }
}

// V1-RPC-11
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

// V1-RPC-09, V1-FS-01, V1-INIT-07
#[test]
fn what_was_not_offered_is_not_found() {
    let none = ClientCaps {
        read_text_file: false,
        write_text_file: false,
        terminal: false,
    };
    for method in [
        "fs/read_text_file",
        "fs/writeTextFile",
        "terminal/create",
        "elicitation/create",
        "craft/drainMidTurnQueue",
        "_x/ask",
        "session/update",
    ] {
        let error = Decoder::new(none)
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

// ---- Replies ----

fn initialized(result: Value) -> crate::proto::Initialized {
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
        assert_eq!(answer.caps, crate::proto::AgentCaps::default());
    }
    let none = decoder().result(&CallTag::Initialize, "{}");
    assert!(matches!(none, CallResult::Failed(error) if error.message.contains("protocolVersion")));
}

// V1-INIT-06, V1-INIT-20, V1-META-06
#[test]
fn capabilities_are_present_or_not() {
    let answer = initialized(json!({
        "protocolVersion": 1,
        "agentInfo": {"name": "a", "version": "1.2"},
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true},
            "sessionCapabilities": {"resume": {}, "close": null, "teleport": {}},
        },
    }));
    assert_eq!(answer.agent_name.as_deref(), Some("a"));
    assert_eq!(answer.agent_version.as_deref(), Some("1.2"));
    assert!(answer.caps.load_session && answer.caps.prompt.image && answer.caps.resume);
    assert!(!answer.caps.close && !answer.caps.list && !answer.caps.prompt.audio);
    let answer = initialized(json!({"protocolVersion": 1, "agentCapabilities": null}));
    assert!(!answer.caps.load_session);
}

// V1-AUTH-01, -02, -03, -06, -07, D-22
#[test]
fn auth_methods_are_told_apart_by_their_raw_type() {
    let answer = initialized(json!({"protocolVersion": 1, "authMethods": [
        {"id": "a", "name": "Plain"},
        {"id": "b", "name": "Terminal", "type": "terminal", "args": ["login"], "command": "rm"},
        {"id": "c", "name": "Vars", "type": "env_var", "vars": [{"name": "API_KEY"}, "OTHER"]},
        {"id": "d", "name": "Odd", "type": "quantum"},
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
                args: vec!["login".to_owned()]
            },
            AuthMethodKind::EnvVar {
                vars: vec!["API_KEY".into(), "OTHER".into()]
            },
            AuthMethodKind::Unsupported("quantum".into()),
        ]
    );
}

// V1-PROMPT-04, C005, D-17
#[test]
fn every_stop_reason_ends_the_turn() {
    let tag = CallTag::Prompt {
        session: SessionId::new("s"),
    };
    for (result, reason) in [
        (
            json!({"stopReason": "end_turn", "sessionId": "s"}),
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
        assert_eq!(decoded, CallResult::PromptDone(reason));
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
