//! Compactions: as the schema crate writes them, and odd ones.

use agent_client_protocol_schema::v1 as schema;
use serde_json::{Value, json};

use super::*;
use crate::model::{
    CompactionPatch, CompactionStatus, ContentBlock, ContentPatch, EntityId, EntityPatch,
    EntityUpdate, Meta, Patch,
};

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
        AgentEvent::Entity(Box::new(EntityUpdate {
            id: EntityId::new("c"),
            kind: EntityPatch::Compaction(CompactionPatch {
                status: Some(CompactionStatus::Failed),
                error: Patch::Set("too long".into()),
            }),
            content: ContentPatch::Whole(Patch::Set(vec![text("so far")])),
            meta: Meta::default(),
        }))
    );
    let chunk = schema::CompactionSummaryChunk::new("c", text_block("more"));
    assert_eq!(
        strictly(schema::SessionUpdate::CompactionSummaryChunk(chunk)),
        AgentEvent::Entity(Box::new(EntityUpdate {
            id: EntityId::new("c"),
            kind: EntityPatch::Compaction(CompactionPatch::default()),
            content: ContentPatch::Add(text("more")),
            meta: Meta::default(),
        }))
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
        let AgentEvent::Entity(update) = event(&update) else {
            panic!("no entity");
        };
        match (update.kind, update.content) {
            (EntityPatch::Compaction(patch), ContentPatch::Whole(summary)) => (patch, summary),
            other => panic!("{other:?}"),
        }
    };
    let (omitted, summary) = patch(json!({"status": "completed"}));
    assert_eq!((omitted.error, summary), (Patch::Keep, Patch::Keep));
    let cleared = json!({"status": "completed", "summary": null, "error": null});
    let (cleared, summary) = patch(cleared);
    assert_eq!((cleared.error, summary), (Patch::Clear, Patch::Clear));
    let (_, emptied) = patch(json!({"status": "completed", "summary": []}));
    assert_eq!(emptied, Patch::Set(Vec::new()));
    let (odd, summary) = patch(json!({"status": "paused", "summary": 5, "error": {}}));
    assert_eq!(odd.status, Some(CompactionStatus::Unknown("paused".into())));
    assert_eq!((odd.error, summary), (Patch::Keep, Patch::Keep));
    assert_eq!(patch(json!({"summary": null})).0.status, None);
}
