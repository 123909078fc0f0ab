//! Each kind of `session/update`.

use super::*;
use crate::model::{
    Background, ChunkRole, CompactionStatus, ConfigKind, ContentBlock, ContentPatch, EntityPatch,
    EntityUpdate, MessageId, NoticeSeverity, Patch, PlanBody, PlanStatus, SessionMessagePatch,
    StateUpdate, StopReason, TerminalId, WorkState, code,
};

// V2-UPD-01, V2-RPC-03
#[test]
fn a_message_is_replaced_kept_or_cleared() {
    let content = |mut update: Value| {
        update["messageId"] = "m".into();
        match event(tagged("agent_message", update)) {
            AgentEvent::Message {
                role: ChunkRole::Agent,
                id,
                content,
                ..
            } if id.as_str() == "m" => content,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(content(json!({})), Patch::Keep);
    assert_eq!(content(json!({"content": null})), Patch::Clear);
    assert_eq!(content(json!({"content": []})), Patch::Set(Vec::new()));
    let two = json!({"content": [block("a"), {"type": "text"}, block("b")]});
    assert_eq!(content(two), Patch::Set(vec![text("a"), text("b")]));
    for (kind, expected) in [
        ("user_message", ChunkRole::User),
        ("agent_thought", ChunkRole::Thought),
    ] {
        let said = event(tagged(kind, json!({"messageId": "m"})));
        assert!(
            matches!(&said, AgentEvent::Message { role, .. } if *role == expected),
            "{said:?}"
        );
    }
    assert!(is_malformed(&event(tagged("agent_message", json!({})))));
}

// V2-UPD-02
#[test]
fn a_chunk_names_its_message() {
    for (kind, expected) in [
        ("user_message_chunk", ChunkRole::User),
        ("agent_message_chunk", ChunkRole::Agent),
        ("agent_thought_chunk", ChunkRole::Thought),
    ] {
        for id in ["a", "b", "a"] {
            let said = json!({"messageId": id, "content": block("x")});
            let AgentEvent::Chunk {
                role,
                message,
                content,
                ..
            } = event(tagged(kind, said))
            else {
                panic!("{kind}");
            };
            assert_eq!((role, content), (expected, text("x")));
            assert_eq!(message, Some(MessageId::new(id)));
        }
        let without = tagged(kind, json!({"content": block("x")}));
        assert!(is_malformed(&event(without)));
    }
}

// V2-STATE-01
#[test]
fn a_state_is_a_whole_snapshot() {
    let state = |state: Value| match event(tagged("state_update", state)) {
        AgentEvent::State(StateUpdate { state, .. }) => state,
        other => panic!("{other:?}"),
    };
    let idle = |reason: Value| match state(json!({"state": "idle", "stopReason": reason})) {
        WorkState::Idle(reason) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(state(json!({"state": "running"})), WorkState::Running);
    assert_eq!(
        state(json!({"state": "requires_action"})),
        WorkState::RequiresAction
    );
    assert_eq!(
        state(json!({"state": "_paused"})),
        WorkState::Other("_paused".into())
    );
    assert_eq!(idle(Value::Null), None);
    assert_eq!(idle(json!(7)), None);
    for (reason, expected) in [
        ("end_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("max_turn_requests", StopReason::MaxTurnRequests),
        ("refusal", StopReason::Refusal),
        ("cancelled", StopReason::Cancelled),
        ("_tired", StopReason::Unknown("_tired".into())),
    ] {
        assert_eq!(idle(reason.into()), Some(expected));
    }
    let failed = json!({
        "state": "idle", "stopReason": "error",
        "error": {"code": -32000, "message": "sign in", "data": {"a": 1}},
    });
    let WorkState::Idle(Some(StopReason::Error(error))) = state(failed) else {
        panic!("no error");
    };
    assert_eq!((error.code, &*error.message), (-32000, "sign in"));
    let WorkState::Idle(Some(StopReason::Error(error))) =
        state(json!({"state": "idle", "stopReason": "error"}))
    else {
        panic!("no error");
    };
    assert_eq!(error.code, code::INTERNAL);
    assert!(is_malformed(&event(tagged("state_update", json!({})))));
    let number = tagged("state_update", json!({"state": 1}));
    assert!(is_malformed(&event(number)));
}

// V2-STATE-03
#[test]
fn an_unknown_state_is_one_of_its_own() {
    let said = event(tagged("state_update", json!({"state": "unknown"})));
    assert_eq!(said, AgentEvent::State(WorkState::Unknown.into()));
}

// V2-STATE-02
#[test]
fn background_work_is_told_whole_or_not_at_all() {
    let background = |list: Value| {
        let state = json!({"state": "idle", "background": list});
        match event(tagged("state_update", state)) {
            AgentEvent::State(StateUpdate { background, .. }) => background,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(background(Value::Null), None);
    assert_eq!(background(json!([])), Some(Vec::new()));
    let all = json!([
        {"type": "terminal", "terminalId": "t"},
        {"type": "tool_call", "toolCallId": "c"},
        {"type": "subagent", "sessionId": "child"},
        {"type": "_cron", "at": "noon"},
    ]);
    assert_eq!(
        background(all),
        Some(vec![
            Background::Terminal(TerminalId::new("t")),
            Background::ToolCall(crate::model::ToolCallId::new("c")),
            Background::Subagent(SessionId::new("child")),
            Background::Other("_cron".into()),
        ])
    );
    // One that is lost would make the rest look like all there is.
    assert_eq!(background(json!([{"type": "terminal"}])), None);
    assert_eq!(background(json!([{"type": "_cron"}, 7])), None);
}

// V2-UPD-07
#[test]
fn plans_have_ids_and_an_unknown_one_replaces() {
    let plan = |plan: Value| match event(tagged("plan_update", json!({"plan": plan}))) {
        AgentEvent::NamedPlan(plan) if plan.id.as_str() == "p" => plan.body,
        other => panic!("{other:?}"),
    };
    let entry = |status: &str| json!({"content": "do", "priority": "high", "status": status});
    let entries = json!([entry("cancelled"), {"content": "no status"}, entry("completed")]);
    let PlanBody::Items(items) = plan(json!({"type": "items", "planId": "p", "entries": entries}))
    else {
        panic!("no items");
    };
    let statuses: Vec<_> = items.iter().map(|entry| entry.status).collect();
    assert_eq!(statuses, [PlanStatus::Cancelled, PlanStatus::Completed]);
    let text = plan(json!({"type": "markdown", "planId": "p", "content": "# x", "path": "/p/x"}));
    assert!(matches!(text, PlanBody::Text(_)), "{text:?}");
    let other = plan(json!({"type": "_graph", "planId": "p", "nodes": []}));
    assert!(
        matches!(&other, PlanBody::Unknown { kind, .. } if &**kind == "_graph"),
        "{other:?}"
    );
    let removed = event(tagged("plan_removed", json!({"planId": "p"})));
    assert!(matches!(removed, AgentEvent::PlanRemoved(_)), "{removed:?}");
    // The plan without an id is gone.
    let old = event(tagged("plan", json!({"entries": []})));
    assert!(matches!(old, AgentEvent::Unknown { .. }), "{old:?}");
    let nameless = json!({"plan": {"type": "items", "entries": []}});
    assert!(is_malformed(&event(tagged("plan_update", nameless))));
}

// V2-UPD-08
#[test]
fn only_commands_are_slash_commands() {
    let list = json!({"availableCommands": [
        {"type": "command", "name": "review", "description": "Review", "input": {"type": "text", "hint": "what"}},
        {"type": "skill", "name": "pdf", "description": "Reads PDFs"},
        {"type": "command", "name": "plain", "description": "x", "input": {"type": "_form"}},
        {"type": "command", "description": "nameless"},
        {"name": "untyped", "description": "x"},
    ]});
    let AgentEvent::Commands(commands) = event(tagged("available_commands_update", list)) else {
        panic!("no commands");
    };
    let told: Vec<_> = commands
        .iter()
        .map(|command| (&*command.name, command.hint.as_deref()))
        .collect();
    assert_eq!(told, [("review", Some("what")), ("plain", None)]);
}

// V2-UPD-09
#[test]
fn options_are_told_by_their_types() {
    let value = |value: &str| json!({"value": value, "name": value.to_uppercase()});
    let list = json!({"configOptions": [
        {"configId": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "a",
         "options": [value("a"), value("b")]},
        {"configId": "effort", "name": "Effort", "type": "select", "currentValue": "x", "options": [
            {"groupId": "g", "name": "Slow", "options": [value("x"), {"name": "no value"}]},
            {"groupId": "h", "name": "Fast", "options": [value("y")]}]},
        {"configId": "models", "name": "Web", "type": "boolean", "currentValue": true},
        {"configId": "w", "name": "Weight", "type": "_number", "currentValue": 1},
        {"configId": "v", "name": "Broken", "type": "boolean", "currentValue": "yes"},
        {"id": "old", "name": "Old", "type": "boolean", "currentValue": true},
    ]});
    let AgentEvent::ConfigOptions(options) = event(tagged("config_option_update", list)) else {
        panic!("no options");
    };
    let ids: Vec<_> = options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(ids, ["model", "effort", "models"]);
    let groups: Vec<_> = options[1]
        .values()
        .iter()
        .map(|value| (value.value.as_str(), value.group.as_deref()))
        .collect();
    assert_eq!(groups, [("x", Some("Slow")), ("y", Some("Fast"))]);
    assert_eq!(options[2].kind, ConfigKind::Boolean { current: true });
    // There is one way to set them all.
    let set_by = options.iter().map(|option| option.set_by);
    assert!(
        set_by
            .into_iter()
            .all(|by| by == crate::model::SetBy::Option)
    );
    assert!(is_malformed(&event(tagged(
        "config_option_update",
        json!({})
    ))));
}

fn entity(event: AgentEvent) -> EntityUpdate {
    match event {
        AgentEvent::Entity(update) => *update,
        other => panic!("{other:?}"),
    }
}

// V2-UPD-10
#[test]
fn the_newer_updates_of_version_1_are_baseline_here() {
    let notice = json!({"severity": "error", "title": "Disk full", "description": "df"});
    let AgentEvent::Notice(notice) = event(tagged("notice", notice)) else {
        panic!("no notice");
    };
    assert_eq!(notice.severity, NoticeSeverity::Error);

    let compaction = |status: Value| {
        let update = json!({"compactionId": "k", "status": status, "summary": [block("x")]});
        match entity(event(tagged("compaction_update", update))).kind {
            EntityPatch::Compaction(compaction) => compaction.status,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        compaction(json!("completed")),
        Some(CompactionStatus::Completed)
    );
    // Reset to what it was at first.
    assert_eq!(compaction(Value::Null), Some(CompactionStatus::InProgress));
    let chunk = json!({"compactionId": "k", "content": block("y")});
    let chunk = event(tagged("compaction_summary_chunk", chunk));
    assert!(matches!(entity(chunk).content, ContentPatch::Add(_)));

    let child = json!({
        "sessionId": "child", "title": "Look", "description": null, "cwd": "/p/sub",
        "additionalDirectories": ["/q"], "capabilities": {"cancel": {}},
        "state": {"state": "running", "background": []},
    });
    let AgentEvent::Subagent(child) = event(tagged("subagent_update", child)) else {
        panic!("no subagent");
    };
    assert_eq!(child.title, Patch::Set("Look".into()));
    assert_eq!(child.description, Patch::Clear);
    assert_eq!(child.caps.as_set().map(|caps| caps.cancel), Some(true));
    let state = child.state.as_set().expect("a state");
    assert_eq!(state.state, WorkState::Running);
    assert_eq!(state.background, Some(Vec::new()));
    // What a child may touch is not guessed.
    for odd in [
        json!({"sessionId": "child", "cwd": "sub"}),
        json!({"sessionId": "child", "additionalDirectories": ["/q", 7]}),
        json!({"title": "nobody"}),
    ] {
        assert!(is_malformed(&event(tagged("subagent_update", odd))));
    }

    let message = json!({
        "messageId": "m", "senderSessionId": "s", "recipientSessionId": null, "content": [block("go")],
    });
    let patch = SessionMessagePatch {
        sender: Patch::Set(SessionId::new("s")),
        recipient: Patch::Clear,
    };
    let message = entity(event(tagged("session_message", message)));
    assert_eq!(message.kind, EntityPatch::SessionMessage(patch));
    let chunk = json!({"messageId": "m", "content": block("on")});
    let chunk = event(tagged("session_message_chunk", chunk));
    assert!(matches!(entity(chunk).content, ContentPatch::Add(_)));
}

// V2-UPD-11
#[test]
fn usage_and_titles_are_patched() {
    let usage = |update: Value| match event(tagged("usage_update", update)) {
        AgentEvent::Usage(usage) => usage,
        other => panic!("{other:?}"),
    };
    let cost = json!({"used": 1, "size": 2, "cost": {"amount": 0.5, "currency": "USD"}});
    assert_eq!(usage(cost).cost, Patch::Set((0.5, "USD".into())));
    assert_eq!(usage(json!({"used": 1, "size": 2})).cost, Patch::Keep);
    let none = json!({"used": 1, "size": 2, "cost": null});
    assert_eq!(usage(none).cost, Patch::Clear);
    assert!(is_malformed(&event(tagged(
        "usage_update",
        json!({"used": -1, "size": 2})
    ))));
    let AgentEvent::SessionInfo(info) =
        event(tagged("session_info_update", json!({"title": null})))
    else {
        panic!("no info");
    };
    assert_eq!((info.title, info.updated_at), (Patch::Clear, Patch::Keep));
}

// V2-SES-03
#[test]
fn the_end_of_a_replay_is_told() {
    let end = event(tagged("replay_complete", json!({})));
    assert_eq!(end, AgentEvent::ReplayComplete);
}

// V2-CONT-01
#[test]
fn icons_of_a_link_are_not_read() {
    let link = json!({
        "type": "resource_link", "uri": "https://e/x", "name": "x", "size": 3,
        "icons": [{"src": "http://user:password@elsewhere/icon.png"}],
    });
    let said = event(tagged(
        "agent_message_chunk",
        json!({"messageId": "m", "content": link}),
    ));
    let shown = format!("{said:?}");
    assert!(shown.contains("https://e/x"), "{shown}");
    assert!(!shown.contains("elsewhere"), "{shown}");
}

#[test]
fn blocks_of_every_type_are_told_apart() {
    let content = |content: Value| {
        let chunk = json!({"messageId": "m", "content": content});
        event(tagged("agent_message_chunk", chunk))
    };
    for known in [
        json!({"type": "image", "data": "aGk=", "mimeType": "image/png", "uri": "file:///x"}),
        json!({"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}),
        json!({"type": "resource", "resource": {"uri": "file:///x", "text": "x"}}),
        json!({"type": "resource", "resource": {"uri": "file:///x", "blob": "aGk="}}),
    ] {
        let AgentEvent::Chunk { content, .. } = content(known) else {
            panic!("no chunk");
        };
        assert!(
            !matches!(content, ContentBlock::Unknown { .. }),
            "{content:?}"
        );
    }
    for broken in [
        json!({"type": "text"}),
        json!({"type": "image", "data": "aGk="}),
        json!({"type": "resource_link", "uri": "x"}),
        json!({"type": "resource", "resource": {"uri": "file:///x"}}),
        json!("text"),
    ] {
        assert!(is_malformed(&content(broken)));
    }
}

// V2-RPC-03
#[test]
fn metadata_is_patched_by_its_keys() {
    let meta = |mut update: Value| {
        update["messageId"] = "m".into();
        match event(tagged("agent_message", update)) {
            AgentEvent::Message { meta, .. } => meta,
            other => panic!("{other:?}"),
        }
    };
    let all = |kept: &crate::model::Meta| -> Vec<String> {
        kept.objects().map(|value| value.0.to_string()).collect()
    };
    let mut kept = crate::model::Meta::default();
    kept.merge(&meta(json!({"_meta": {"a": {"x": 1}, "b": 2}})));
    kept.merge(&meta(json!({})));
    assert_eq!(all(&kept), [r#"{"a":{"x":1},"b":2}"#]);
    // Not merged into what is nested.
    kept.merge(&meta(json!({"_meta": {"a": {"y": 2}, "b": null}})));
    assert_eq!(all(&kept), [r#"{"a":{"y":2}}"#]);
    kept.merge(&meta(json!({"_meta": null})));
    assert_eq!(all(&kept), [""; 0]);
}

#[test]
fn what_names_no_session_or_kind_is_said_and_not_acted_on() {
    for params in [
        json!({"update": {"sessionUpdate": "replay_complete"}}),
        json!({"sessionId": 7, "update": {"sessionUpdate": "replay_complete"}}),
        json!({"sessionId": "s", "update": {}}),
        json!({"sessionId": "s", "update": {"sessionUpdate": 7}}),
        json!({"sessionId": "s"}),
        json!([]),
    ] {
        let mut out = Vec::new();
        decoder().notification("session/update", &params.to_string(), &mut out);
        let [FromAgent::Update { event, .. }] = &out[..] else {
            panic!("{out:?}");
        };
        assert!(is_malformed(event), "{event:?}");
    }
    let mut out = Vec::new();
    decoder().notification("_vendor/news", "{}", &mut out);
    assert!(out.is_empty());
}
