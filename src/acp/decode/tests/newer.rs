//! Plans with ids, notices, compactions: as the schema crate writes them, and odd ones.

use agent_client_protocol_schema::v1 as schema;
use serde_json::{Value, json};

use super::*;
use crate::model::{
    AgentNotice, CompactionId, CompactionPatch, CompactionStatus, ContentBlock, Meta, NamedPlan,
    NoticeSeverity, Patch, PlanBody, PlanId, PlanStatus, PlanText,
};

fn event(update: &Value) -> AgentEvent {
    let said = updates(&json!({"sessionId": "s", "update": update}));
    match said.as_slice() {
        [FromAgent::Update { event, .. }] => event.clone(),
        other => panic!("{other:?}"),
    }
}

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

fn text(text: &str) -> ContentBlock {
    ContentBlock::Text(SafeText::new(text))
}

fn text_block(text: &str) -> schema::ContentBlock {
    schema::ContentBlock::Text(schema::TextContent::new(text))
}

// V1-PLAN-03, V1-PLAN-04, V1-PLAN-05
#[test]
fn plans_with_ids_agree_with_the_schema() {
    let entry = schema::PlanEntry::new(
        "test it",
        schema::PlanEntryPriority::High,
        schema::PlanEntryStatus::InProgress,
    );
    let plan = schema::PlanUpdate::new(schema::PlanUpdateContent::Items(schema::PlanItems::new(
        "p",
        vec![entry],
    )));
    let AgentEvent::NamedPlan(NamedPlan { id, body }) =
        strictly(schema::SessionUpdate::PlanUpdate(plan))
    else {
        panic!("a plan");
    };
    assert_eq!(id, PlanId::new("p"));
    let PlanBody::Items(entries) = body else {
        panic!("items");
    };
    assert_eq!(entries[0].status, PlanStatus::InProgress);

    let plan = schema::PlanMarkdown::new("q", "# Plan").path("/p/PLAN.md");
    let plan = schema::PlanUpdate::new(schema::PlanUpdateContent::Markdown(plan));
    assert_eq!(
        strictly(schema::SessionUpdate::PlanUpdate(plan)),
        AgentEvent::NamedPlan(NamedPlan {
            id: PlanId::new("q"),
            body: PlanBody::Text(PlanText {
                text: "# Plan".into(),
                path: Some("/p/PLAN.md".into()),
            }),
        })
    );
    let removed = schema::PlanRemoved::new("q");
    assert_eq!(
        strictly(schema::SessionUpdate::PlanRemoved(removed)),
        AgentEvent::PlanRemoved(PlanId::new("q"))
    );
}

// V1-PLAN-03: a bad entry costs itself; a type that nobody knows is shown as it is.
#[test]
fn odd_plans_cost_only_what_is_odd() {
    let plan = json!({"type": "items", "planId": "p", "entries": [{"content": "a"}, 5, {}]});
    let AgentEvent::NamedPlan(NamedPlan {
        body: PlanBody::Items(entries),
        ..
    }) = event(&json!({"sessionUpdate": "plan_update", "plan": plan}))
    else {
        panic!("a plan");
    };
    assert_eq!(entries.len(), 1);
    for plan in [
        json!({"type": "mindmap", "planId": "p"}),
        json!({"type": "items", "entries": []}),
        json!({"type": "markdown", "planId": "p"}),
        json!([]),
    ] {
        let event = event(&json!({"sessionUpdate": "plan_update", "plan": plan}));
        assert!(matches!(event, AgentEvent::Unknown { .. }), "{event:?}");
    }
}

// V1-NOTE-01
#[test]
fn a_notice_of_an_unknown_severity_is_information() {
    let notice = schema::Notice::new(schema::NoticeSeverity::Warning, "Nearly full")
        .description("90% of the window".to_owned());
    assert_eq!(
        strictly(schema::SessionUpdate::Notice(notice)),
        AgentEvent::Notice(AgentNotice {
            severity: NoticeSeverity::Warning,
            title: "Nearly full".into(),
            description: Some("90% of the window".into()),
        })
    );
    for severity in [json!("error"), json!("_loud"), json!(null), json!(3)] {
        let AgentEvent::Notice(notice) = event(&json!({
            "sessionUpdate": "notice", "severity": severity, "title": "t\u{1b}", "description": null,
        })) else {
            panic!("a notice");
        };
        let expected = match severity.as_str() {
            Some("error") => NoticeSeverity::Error,
            _ => NoticeSeverity::Info,
        };
        assert_eq!(notice.severity, expected);
        assert_eq!(notice.title.as_str(), "t␛");
        assert_eq!(notice.description, None);
    }
    let untitled = event(&json!({"sessionUpdate": "notice", "severity": "info"}));
    assert!(matches!(untitled, AgentEvent::Unknown { .. }));
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
