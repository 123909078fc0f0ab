//! Plans with ids: as the schema crate writes them, and odd ones.

use agent_client_protocol_schema::v1 as schema;
use serde_json::json;

use super::*;
use crate::model::{NamedPlan, PlanBody, PlanId, PlanStatus, PlanText};

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
