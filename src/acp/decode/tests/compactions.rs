//! Compactions: as the schema crate writes them, and odd ones.

use agent_client_protocol_schema::v1 as schema;
use serde_json::{Value, json};

use super::*;
use crate::model::{CompactionId, CompactionPatch, CompactionStatus, ContentBlock, Meta, Patch};

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(SafeText::new(text))
}

fn text_block(text: &str) -> schema::ContentBlock {
    schema::ContentBlock::Text(schema::TextContent::new(text))
}

// V1-COMP-01, V1-COMP-02
#[test]
fn compactions_agree_with_the_schema() {
    let update = schema::CompactionUpdate::new("c", schema::CompactionStatus::Failed)
        .summary(vec![text_block("so far")])
        .error("too long".to_owned());
    assert_eq!(
        strictly(schema::SessionUpdate::CompactionUpdate(update)),
        AgentEvent::Compaction(Box::new(CompactionPatch {
            id: CompactionId::new("c"),
            status: Some(CompactionStatus::Failed),
            summary: Patch::Set(vec![text("so far")]),
            error: Patch::Set("too long".into()),
            meta: Meta::default(),
        }))
    );
    let chunk = schema::CompactionSummaryChunk::new("c", text_block("more"));
    assert_eq!(
        strictly(schema::SessionUpdate::CompactionSummaryChunk(chunk)),
        AgentEvent::CompactionChunk {
            id: CompactionId::new("c"),
            content: text("more"),
            meta: Meta::default(),
        }
    );
}

// V1-COMP-01, V1-COMP-03
#[test]
fn a_compaction_is_a_patch() {
    let patch = |members: Value| {
        let mut update = json!({"sessionUpdate": "compaction_update", "compactionId": "c"});
        for (name, value) in members.as_object().expect("members") {
            update[name] = value.clone();
        }
        match event(&update) {
            AgentEvent::Compaction(patch) => *patch,
            other => panic!("{other:?}"),
        }
    };
    let omitted = patch(json!({"status": "completed"}));
    assert_eq!(omitted.summary, Patch::Keep);
    assert_eq!(omitted.error, Patch::Keep);
    let cleared = patch(json!({"status": "completed", "summary": null, "error": null}));
    assert_eq!(cleared.summary, Patch::Clear);
    assert_eq!(cleared.error, Patch::Clear);
    let emptied = patch(json!({"status": "completed", "summary": []}));
    assert_eq!(emptied.summary, Patch::Set(Vec::new()));
    let odd = patch(json!({"status": "paused", "summary": 5, "error": {}}));
    assert_eq!(odd.status, Some(CompactionStatus::Unknown("paused".into())));
    assert_eq!((odd.summary, odd.error), (Patch::Keep, Patch::Keep));
    assert_eq!(patch(json!({"summary": null})).status, None);
}
