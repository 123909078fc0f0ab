//! Child sessions and messages between sessions: as the schema crate writes them, and odd ones.

use agent_client_protocol_schema::v1 as schema;
use serde_json::{Value, json};

use super::*;
use crate::model::{
    ContentBlock, ContentPatch, EntityId, EntityPatch, EntityUpdate, Meta, Patch,
    SessionMessagePatch, StopReason, SubagentCaps, SubagentPatch, ToolContent, WorkState,
};

fn child(members: Value) -> SubagentPatch {
    let mut update = json!({"sessionUpdate": "subagent_update", "sessionId": "c"});
    for (name, value) in members.as_object().expect("members") {
        update[name] = value.clone();
    }
    match event(&update) {
        AgentEvent::Subagent(patch) => *patch,
        other => panic!("{other:?}"),
    }
}

// V1-SUB-01
#[test]
fn subagents_agree_with_the_schema() {
    let caps =
        schema::SubagentSessionCapabilities::new().cancel(schema::SessionCancelCapabilities::new());
    let update = schema::SubagentUpdate::new("c")
        .title("Explore".to_owned())
        .description("looks around".to_owned())
        .capabilities(caps)
        .state(schema::StateUpdate::Running(
            schema::RunningStateUpdate::new(),
        ))
        .cwd(std::path::PathBuf::from("/tree"))
        .additional_directories(vec![std::path::PathBuf::from("/more")]);
    let expected = SubagentPatch {
        title: Patch::Set("Explore".into()),
        description: Patch::Set("looks around".into()),
        caps: Patch::Set(SubagentCaps { cancel: true }),
        state: Patch::Set(WorkState::Running.into()),
        cwd: Patch::Set("/tree".into()),
        additional_directories: Patch::Set(vec!["/more".into()]),
        ..SubagentPatch::new(SessionId::new("c"))
    };
    assert_eq!(
        strictly(schema::SessionUpdate::SubagentUpdate(update)),
        AgentEvent::Subagent(Box::new(expected))
    );
}

// V1-SUB-01, V1-SUB-03
#[test]
fn a_subagent_is_a_patch() {
    assert_eq!(child(json!({})), SubagentPatch::new(SessionId::new("c")));
    let cleared = child(json!({
        "title": null, "description": null, "capabilities": null, "state": null, "cwd": null,
        "additionalDirectories": null,
    }));
    assert_eq!(cleared.title, Patch::Clear);
    assert_eq!(cleared.description, Patch::Clear);
    assert_eq!(cleared.caps, Patch::Clear);
    assert_eq!(cleared.state, Patch::Clear);
    assert_eq!(cleared.cwd, Patch::Clear);
    assert_eq!(cleared.additional_directories, Patch::Clear);
    // What does not fit is left as it was; a relative path is none.
    let odd = child(json!({
        "title": 5, "capabilities": [], "state": "running", "cwd": "sub",
        "additionalDirectories": ["sub", "/tree", 7],
    }));
    assert_eq!(odd.title, Patch::Keep);
    assert_eq!(odd.caps, Patch::Keep);
    assert_eq!(odd.state, Patch::Keep);
    assert_eq!(odd.cwd, Patch::Keep);
    assert_eq!(odd.additional_directories, Patch::Set(vec!["/tree".into()]));
    for (cancel, allowed) in [
        (json!({}), true),
        (json!(null), false),
        (json!(true), false),
    ] {
        let patch = child(json!({"capabilities": {"cancel": cancel}}));
        assert_eq!(patch.caps, Patch::Set(SubagentCaps { cancel: allowed }));
    }
}

// V1-SUB-04
#[test]
fn every_state_has_its_own_word() {
    for (state, expected) in [
        (json!({"state": "running"}), WorkState::Running),
        (
            json!({"state": "requires_action"}),
            WorkState::RequiresAction,
        ),
        (json!({"state": "unknown"}), WorkState::Unknown),
        (
            json!({"state": "_asleep"}),
            WorkState::Other("_asleep".into()),
        ),
        (json!({"state": "idle"}), WorkState::Idle(None)),
        (
            json!({"state": "idle", "stopReason": null}),
            WorkState::Idle(None),
        ),
        (
            json!({"state": "idle", "stopReason": "max_tokens"}),
            WorkState::Idle(Some(StopReason::MaxTokens)),
        ),
        (
            json!({"state": "idle", "stopReason": "_bored"}),
            WorkState::Idle(Some(StopReason::Unknown("_bored".into()))),
        ),
        (
            json!({"state": "idle", "stopReason": "error",
                "error": {"code": -32000, "message": "no quota"}}),
            WorkState::Idle(Some(StopReason::Error(RpcError::new(-32000, "no quota")))),
        ),
    ] {
        assert_eq!(
            child(json!({"state": state})).state,
            Patch::Set(expected.into())
        );
    }
}

// V1-SUB-05
#[test]
fn messages_between_sessions_agree_with_the_schema() {
    let block = || schema::ContentBlock::Text(schema::TextContent::new("look"));
    let message = schema::SessionMessage::new("m")
        .sender_session_id(schema::SessionId::new("s"))
        .content(vec![block()]);
    assert_eq!(
        strictly(schema::SessionUpdate::SessionMessage(message)),
        AgentEvent::Entity(Box::new(EntityUpdate {
            id: EntityId::new("m"),
            kind: EntityPatch::SessionMessage(SessionMessagePatch {
                sender: Patch::Set(SessionId::new("s")),
                recipient: Patch::Keep,
            }),
            content: ContentPatch::Whole(Patch::Set(vec![ContentBlock::Text("look".into())])),
            meta: Meta::default(),
        }))
    );
    let chunk = schema::SessionMessageChunk::new("m", block());
    assert_eq!(
        strictly(schema::SessionUpdate::SessionMessageChunk(chunk)),
        AgentEvent::Entity(Box::new(EntityUpdate {
            id: EntityId::new("m"),
            kind: EntityPatch::SessionMessage(SessionMessagePatch::default()),
            content: ContentPatch::Add(ContentBlock::Text("look".into())),
            meta: Meta::default(),
        }))
    );
    let AgentEvent::Entity(cleared) = event(&json!({
        "sessionUpdate": "session_message", "messageId": "m", "senderSessionId": null,
        "recipientSessionId": 3, "content": null, "_meta": null,
    })) else {
        panic!("a message");
    };
    let patch = SessionMessagePatch {
        sender: Patch::Clear,
        recipient: Patch::Keep,
    };
    assert_eq!(cleared.kind, EntityPatch::SessionMessage(patch));
    assert_eq!(cleared.content, ContentPatch::Whole(Patch::Clear));
    let mut meta = Meta::default();
    meta.add(RawJson("{}".into()));
    meta.merge(&cleared.meta);
    assert_eq!(meta, Meta::default());
}

// V1-TOOL-11
#[test]
fn a_call_links_to_a_session() {
    let AgentEvent::ToolCall(patch) = event(&json!({
        "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Task",
        "content": [{"type": "session", "sessionId": "c"}, {"type": "session"}],
    })) else {
        panic!("a call");
    };
    let content = patch.content.into_set().expect("content");
    assert_eq!(content[0], ToolContent::Session(SessionId::new("c")));
    assert!(matches!(content[1], ToolContent::Unknown { .. }));
}
