//! Plans: the one without an id, and those beside it.

use super::*;
use crate::model::{
    NamedPlan, PlanBody, PlanEntry, PlanId, PlanPriority, PlanStatus,
    PlanStatus::{Completed, InProgress, Pending},
    PlanText,
};

fn entries(statuses: &[PlanStatus]) -> Vec<PlanEntry> {
    let entry = |status: &PlanStatus| PlanEntry {
        content: "step".into(),
        priority: PlanPriority::Medium,
        status: *status,
    };
    statuses.iter().map(entry).collect()
}

fn plan(statuses: &[PlanStatus]) -> AgentEvent {
    AgentEvent::Plan(entries(statuses))
}

fn items(id: &str, statuses: &[PlanStatus]) -> AgentEvent {
    AgentEvent::NamedPlan(NamedPlan {
        id: PlanId::new(id),
        body: PlanBody::Items(entries(statuses)),
    })
}

fn markdown(id: &str, text: &str) -> AgentEvent {
    AgentEvent::NamedPlan(NamedPlan {
        id: PlanId::new(id),
        body: PlanBody::Text(PlanText {
            text: SafeText::new(text),
            path: None,
        }),
    })
}

/// The pinned plans with ids, in short.
fn pinned(play: &Play) -> Vec<String> {
    let line = |plan: &NamedPlan| match &plan.body {
        PlanBody::Items(entries) => format!("{} of {}", plan.id.as_str(), entries.len()),
        PlanBody::Text(text) => format!("{} {}", plan.id.as_str(), text.text),
        PlanBody::Unknown { kind, .. } => format!("{} of type {kind}", plan.id.as_str()),
    };
    play.session.conversation.plans.iter().map(line).collect()
}

// V1-PLAN-01
#[test]
fn plans_are_pinned_until_they_are_done() {
    let mut play = Play::running();
    play.update(plan(&[InProgress, Pending, Pending]));
    play.update(plan(&[Completed, Pending]));
    assert_eq!(play.session.conversation.plan.len(), 2);
    play.update(plan(&[]));
    assert!(play.session.conversation.plan.is_empty());
    play.update(plan(&[Completed, InProgress]));
    play.update(plan(&[Completed, Completed]));
    assert!(play.session.conversation.plan.is_empty());
    // Told again, also longer: it is still one.
    play.update(plan(&[Completed, Completed, Completed]));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.said(), ["user: go", "plan of 3"]);
    play.event(Event::Submit(prompt("more")));
    play.update(plan(&[Completed]));
    assert_eq!(play.said()[2..], ["user: more", "plan of 1"]);
}

#[test]
fn a_plan_does_not_outlive_the_turn_that_was_stopped() {
    let mut play = Play::running();
    play.update(plan(&[Completed, InProgress]));
    play.update(items("a", &[Pending]));
    play.event(Event::Stop);
    play.ends(StopReason::Cancelled);
    assert!(play.session.conversation.plan.is_empty() && pinned(&play).is_empty());
    let said = play.said();
    assert_eq!(
        said[..3],
        ["user: go", "plan of 2", "plan of 1"],
        "{said:?}"
    );
    // One that merely ended keeps what is left to do.
    play.event(Event::Submit(prompt("more")));
    play.update(plan(&[InProgress]));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.session.conversation.plan.len(), 1);
}

// V1-PLAN-03, V1-PLAN-06
#[test]
fn several_plans_stand_side_by_side_and_none_is_the_plan_without_an_id() {
    let mut play = Play::running();
    play.update(plan(&[InProgress, Pending]));
    play.update(items("a", &[InProgress]));
    play.update(items("b", &[Pending, Pending]));
    play.update(items("a", &[InProgress, Pending, Pending]));
    assert_eq!(pinned(&play), ["a of 3", "b of 2"]);
    // The type may change; the place stays.
    play.update(markdown("a", "first this"));
    assert_eq!(pinned(&play), ["a first this", "b of 2"]);
    assert_eq!(play.session.conversation.plan.len(), 2);
    // One that is done moves into the transcript, and only that one.
    play.update(items("b", &[Completed, Completed]));
    assert_eq!(pinned(&play), ["a first this"]);
    assert_eq!(play.said_last(), "plan of 2");
    play.update(plan(&[]));
    assert_eq!(pinned(&play), ["a first this"]);
}

// V1-PLAN-05
#[test]
fn a_plan_is_removed_by_its_id() {
    let mut play = Play::running();
    play.update(items("a", &[InProgress]));
    play.update(markdown("b", "text"));
    play.update(plan(&[Pending]));
    for id in ["nobody", "a", "a"] {
        play.update(AgentEvent::PlanRemoved(PlanId::new(id)));
    }
    assert_eq!(pinned(&play), ["b text"]);
    assert_eq!(play.session.conversation.plan.len(), 1);
    // As good as removed: nothing is left to do.
    play.update(items("b", &[]));
    assert!(pinned(&play).is_empty());
}

// V1-PLAN-04
#[test]
fn a_plan_in_markdown_is_replaced_whole_and_ends_with_its_turn() {
    let mut play = Play::running();
    play.update(markdown("a", "first"));
    play.update(markdown("a", "second"));
    assert_eq!(pinned(&play), ["a second"]);
    play.ends(StopReason::EndTurn);
    assert!(pinned(&play).is_empty());
    assert_eq!(play.said()[..2], ["user: go", "plan second"]);
    // A later word of the same plan changes it where it stands.
    play.update(markdown("a", "third"));
    assert_eq!(pinned(&play), ["a third"]);
    play.event(Event::Submit(prompt("more")));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.said().last().map(String::as_str), Some("plan third"));
}

#[test]
fn no_agent_pins_plans_without_end() {
    let mut play = Play::running();
    for n in 0..100 {
        play.update(items(&n.to_string(), &[InProgress]));
    }
    assert!(play.session.conversation.plans.len() <= 16);
    assert_eq!(pinned(&play).last().map(String::as_str), Some("99 of 1"));
    // Those that gave way are not lost.
    assert_eq!(play.said()[1], "plan of 1");
}

// V2-UPD-07
#[test]
fn a_plan_of_an_unknown_type_takes_the_place_of_what_was_there() {
    let mut play = Play::running();
    let named = |body| {
        AgentEvent::NamedPlan(NamedPlan {
            id: PlanId::new("p"),
            body,
        })
    };
    let entry = |status| PlanEntry {
        content: "x".into(),
        priority: PlanPriority::Medium,
        status,
    };
    play.update(named(PlanBody::Items(vec![entry(InProgress)])));
    play.update(named(PlanBody::Unknown {
        kind: "_graph".into(),
        raw: crate::model::RawJson("{}".into()),
    }));
    assert_eq!(pinned(&play), ["p of type _graph"]);
    play.update(named(PlanBody::Items(vec![
        entry(Completed),
        entry(PlanStatus::Cancelled),
    ])));
    assert!(
        pinned(&play).is_empty(),
        "what is done or cancelled is settled"
    );
    assert_eq!(play.said_last(), "plan of 2");
}

#[test]
fn a_call_that_lists_what_is_to_be_done_has_no_other_body() {
    use crate::model::{PlanEntry, PlanPriority, PlanStatus, RawJson, ToolContent};
    let mut play = Play::running();
    let entry = |content: &str| PlanEntry {
        content: SafeText::new(content),
        priority: PlanPriority::default(),
        status: PlanStatus::Pending,
    };
    let json = || vec![ToolContent::Block(text(r#"[{"content":"a"}]"#))];
    play.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
        announces: true,
        todos: Some(vec![entry("a"), entry("b")]),
        content: Patch::Set(json()),
        ..ToolCallPatch::new(ToolCallId::new("t"))
    })));
    assert_eq!(play.session.conversation.plan.len(), 2);
    assert_eq!(play.tool("t").todos.len(), 2);
    assert!(play.tool("t").content.is_empty());
    // Its end tells the list again, and nothing of what it was called with.
    play.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
        status: Patch::Set(ToolStatus::Completed),
        content: Patch::Set(json()),
        raw_output: Patch::Set(RawJson(r#"{"output":"[]"}"#.into())),
        ..ToolCallPatch::new(ToolCallId::new("t"))
    })));
    assert!(play.tool("t").content.is_empty());
    assert_eq!(play.tool("t").todos.len(), 2);
}
