//! Whatever an agent sends: what is unknown is kept, what is known and malformed is an error, and
//! nothing does harm.

use proptest::prelude::*;

use super::*;

/// Names that the draft may yet give to something.
fn name() -> impl Strategy<Value = String> {
    "[_a-z][a-z_]{0,11}"
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every choice that an update makes by a name: where the name goes, in an update that is whole but
/// for it.
fn choices(name: &str) -> Vec<(&'static str, Value)> {
    let tool = |content: Value| {
        tagged(
            "tool_call_content_chunk",
            json!({"toolCallId": "c", "content": content}),
        )
    };
    let call = |member: &str| {
        let mut call = tagged("tool_call_update", json!({"toolCallId": "c"}));
        call[member] = name.into();
        call
    };
    let entry = |priority: &str, status: &str| {
        let entry = json!({"content": "x", "priority": priority, "status": status});
        tagged(
            "plan_update",
            json!({"plan": {"type": "items", "planId": "p", "entries": [entry]}}),
        )
    };
    let change = |operation: &str, file: &str| {
        tool(json!({"type": "diff", "changes": [
            {"operation": operation, "path": "/p", "oldPath": "/q", "fileType": file},
        ]}))
    };
    let state = |background: Value| {
        tagged(
            "state_update",
            json!({"state": "running", "background": background}),
        )
    };
    vec![
        (
            "block",
            tagged(
                "agent_message_chunk",
                json!({"messageId": "m", "content": {"type": name}}),
            ),
        ),
        ("tool content", tool(json!({"type": name}))),
        ("tool kind", call("kind")),
        ("tool status", call("status")),
        ("state", tagged("state_update", json!({"state": name}))),
        (
            "stop reason",
            tagged("state_update", json!({"state": "idle", "stopReason": name})),
        ),
        ("background", state(json!([{"type": name}]))),
        ("operation", change(name, "text")),
        ("file type", change("add", name)),
        (
            "patch format",
            tool(json!({
                "type": "diff", "changes": [{"operation": "add", "path": "/p"}],
                "patch": {"format": name, "text": "x"},
            })),
        ),
        (
            "plan",
            tagged(
                "plan_update",
                json!({"plan": {"type": name, "planId": "p"}}),
            ),
        ),
        ("priority", entry(name, "pending")),
        ("plan status", entry("high", name)),
        (
            "command",
            tagged(
                "available_commands_update",
                json!({"availableCommands": [
                    {"type": name, "name": "x", "description": "x"},
                ]}),
            ),
        ),
        (
            "option",
            tagged(
                "config_option_update",
                json!({"configOptions": [
                    {"type": name, "configId": "x", "name": "x"},
                ]}),
            ),
        ),
        (
            "severity",
            tagged("notice", json!({"severity": name, "title": "x"})),
        ),
        (
            "compaction status",
            tagged(
                "compaction_update",
                json!({"compactionId": "k", "status": name}),
            ),
        ),
        (
            "child's state",
            tagged(
                "subagent_update",
                json!({"sessionId": "c", "state": {"state": name}}),
            ),
        ),
    ]
}

/// Names that the draft has, of all choices together.
const KNOWN: [&str; 20] = [
    "text",
    "image",
    "audio",
    "resource_link",
    "resource",
    "content",
    "diff",
    "terminal",
    "session",
    "tool_call",
    "subagent",
    "move",
    "copy",
    "items",
    "markdown",
    "command",
    "select",
    "boolean",
    "git_patch",
    "idle",
];

proptest! {
    // V2-RPC-02
    #[test]
    fn a_name_that_is_not_known_is_another_choice(name in name()) {
        prop_assume!(!KNOWN.contains(&name.as_str()));
        for (what, update) in choices(&name) {
            let said = event(update);
            prop_assert!(!matches!(said, AgentEvent::Unknown { .. }), "{}: {:?}", what, said);
        }
        // A kind of update as well: kept, and said as what it is.
        let update = tagged(&name, json!({"x": 1}));
        let said = event(update);
        if let AgentEvent::Unknown { what, raw } = &said {
            if !is_malformed(&said) {
                prop_assert_eq!(what.as_str(), name.as_str());
            }
            prop_assert!(raw.0.contains("\"x\":1"));
        }
    }

    // V2-RPC-02: it is an error, not another choice.
    #[test]
    fn what_is_known_and_malformed_is_no_other_choice(junk in any_json()) {
        prop_assume!(!junk.is_string());
        let chunk = |content: Value| tagged("agent_message_chunk", json!({"messageId": "m", "content": content}));
        let tool = |content: Value| tagged("tool_call_content_chunk", json!({"toolCallId": "c", "content": content}));
        for update in [
            chunk(json!({"type": "text", "text": junk})),
            chunk(json!({"type": "image", "data": junk, "mimeType": "x"})),
            chunk(json!({"type": "resource_link", "uri": junk, "name": "x"})),
            tool(json!({"type": "terminal", "terminalId": junk})),
            tool(json!({"type": "session", "sessionId": junk})),
            tagged("agent_message", json!({"messageId": junk})),
            tagged("tool_call_update", json!({"toolCallId": junk})),
            tagged("terminal_update", json!({"terminalId": junk})),
            tagged("plan_update", json!({"plan": {"type": "markdown", "planId": "p", "content": junk}})),
            tagged("state_update", json!({"state": junk})),
            tagged("notice", json!({"severity": junk, "title": "x"})),
        ] {
            let said = event(update.clone());
            prop_assert!(is_malformed(&said), "{}: {:?}", update, said);
        }
    }

    // V2-RPC-03: each member is patched by itself, and what does not fit changes nothing.
    #[test]
    fn three_states_are_told_apart(title in any_json(), command in any_json()) {
        use crate::model::Patch;
        let update = json!({"toolCallId": "c", "title": title});
        let AgentEvent::ToolCall(call) = event(tagged("tool_call_update", update)) else {
            panic!("no call");
        };
        match &title {
            Value::Null => prop_assert_eq!(call.title, Patch::Clear),
            Value::String(text) => {
                prop_assert_eq!(call.title, Patch::Set(crate::text::SafeText::new(text)));
            }
            _ => prop_assert_eq!(call.title, Patch::Keep),
        }
        prop_assert_eq!(call.status, Patch::Keep);
        let update = json!({"terminalId": "t", "command": command});
        let AgentEvent::Terminal(terminal) = event(tagged("terminal_update", update)) else {
            panic!("no terminal");
        };
        match &command {
            Value::Null => prop_assert_eq!(terminal.command, Patch::Clear),
            Value::String(text) => prop_assert_eq!(terminal.command, Patch::Set(text.clone())),
            _ => prop_assert_eq!(terminal.command, Patch::Keep),
        }
        prop_assert_eq!(terminal.output, Patch::Keep);
    }

    #[test]
    fn nothing_does_harm(
        kind in prop_oneof![name(), prop::sample::select(vec![
            "agent_message", "agent_message_chunk", "state_update", "tool_call_update",
            "tool_call_content_chunk", "terminal_update", "terminal_output_chunk", "plan_update",
            "config_option_update", "subagent_update", "session_message", "usage_update",
        ]).prop_map(str::to_owned)],
        update in any_json(),
        method in prop_oneof![name(), prop::sample::select(vec![
            "session/request_permission", "elicitation/create", "fs/read_text_file",
        ]).prop_map(str::to_owned)],
    ) {
        let mut update = update;
        if let Value::Object(members) = &mut update {
            members.insert("sessionUpdate".to_owned(), kind.into());
        }
        let params = json!({"sessionId": "s", "update": update}).to_string();
        let mut out = Vec::new();
        decoder().notification("session/update", &params, &mut out);
        prop_assert_eq!(out.len(), 1);
        let _ = decoder().request(key(), &method, &params);
        for call in [
            CallTag::Initialize,
            CallTag::NewSession,
            CallTag::ListSessions { first: true },
            CallTag::Prompt { session: SessionId::new("s") },
        ] {
            let _ = decoder().result(&call, &update.to_string());
        }
    }

    #[test]
    fn any_patch_is_split_without_loss(patch in "(diff --git [a-z/ ]{0,9}\n|\\+\\+\\+ [a-z/]{0,6}\n|@@\n|[ +-].{0,5}\n){0,12}") {
        let content = json!({
            "type": "diff", "changes": [{"operation": "add", "path": "/a"}, {"operation": "delete", "path": "/b"}],
            "patch": {"format": "git_patch", "text": patch},
        });
        let chunk = json!({"toolCallId": "c", "content": content});
        let said = event(tagged("tool_call_content_chunk", chunk));
        prop_assert!(matches!(said, AgentEvent::ToolContent { .. }), "{:?}", said);
    }
}
