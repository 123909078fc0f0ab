//! Limits of the person's account.

use serde_json::{Value, json};

use super::*;
use crate::{
    acp::decode::limit::MAX_NAME,
    model::{LimitState, RateLimit},
};

/// The limit, and whether the usage is told all the same.
fn told(limit: &Value) -> Option<RateLimit> {
    let said = updates(&json!({"sessionId": "s", "update": {
        "sessionUpdate": "usage_update", "used": 1, "size": 2, "_meta": {"_claude/rateLimit": limit},
    }}));
    let events: Vec<AgentEvent> = said
        .into_iter()
        .map(|said| match said {
            FromAgent::Update { event, .. } => event,
            other => panic!("{other:?}"),
        })
        .collect();
    match events.as_slice() {
        [AgentEvent::Usage(_)] => None,
        [AgentEvent::Limit(limit), AgentEvent::Usage(_)] => Some(limit.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn claude_tells_how_near_a_limit_is() {
    let limit = told(&json!({
        "status": "allowed_warning", "rateLimitType": "five_hour", "utilization": 0.879, "resetsAt": 1_796_029_260,
    }));
    let expected = RateLimit {
        state: LimitState::Near,
        name: "5-hour limit".into(),
        used: Some(87),
        resets: Some(1_796_029_260),
    };
    assert_eq!(limit, Some(expected));
    let state = |limit: Value| told(&limit).map(|limit| limit.state);
    assert_eq!(state(json!({"status": "allowed"})), Some(LimitState::Fine));
    assert_eq!(
        state(json!({"status": "rejected"})),
        Some(LimitState::Reached)
    );
    assert_eq!(
        state(json!({"status": "rejected", "isUsingOverage": true})),
        Some(LimitState::Near)
    );
    for odd in [
        json!({"status": "odd"}),
        json!({"status": 1}),
        json!({}),
        json!(null),
        json!([1]),
    ] {
        assert_eq!(told(&odd), None);
    }
}

#[test]
fn a_member_that_does_not_fit_costs_itself() {
    let limit = told(&json!({
        "status": "rejected", "rateLimitType": 3, "utilization": "x", "resetsAt": "soon", "isUsingOverage": 1,
    }));
    let expected = RateLimit {
        state: LimitState::Reached,
        name: "limit".into(),
        used: None,
        resets: None,
    };
    assert_eq!(limit, Some(expected));
    for (utilization, used) in [(1e300, 999), (-3.0, 0), (1.2, 120)] {
        let limit = told(&json!({"status": "allowed", "utilization": utilization}));
        assert_eq!(limit.and_then(|limit| limit.used), Some(used));
    }
    for bytes in [MAX_NAME - 1, MAX_NAME, MAX_NAME + 1] {
        let limit = told(&json!({"status": "allowed", "rateLimitType": "x".repeat(bytes)}));
        let name = limit.expect("a limit").name;
        assert_eq!(name.len(), bytes.min(MAX_NAME) + " limit".len());
    }
}
