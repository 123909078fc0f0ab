//! Who is signed in.

use serde_json::{Value, json};

use super::*;
use crate::{acp::decode::account::MAX_TEXT, model::Account};

fn told(status: &Value) -> Option<Account> {
    let mut out = Vec::new();
    let params = json!({"authStatus": status}).to_string();
    decoder().notification("_auth/status_update", &params, &mut out);
    match out.pop() {
        Some(FromAgent::Account(account)) => Some(account),
        None => None,
        Some(other) => panic!("{other:?}"),
    }
}

fn line(status: &Value) -> String {
    told(status).expect("an account").line().to_string()
}

#[test]
fn claude_and_codex_tell_who_is_signed_in() {
    for (status, expected) in [
        (
            json!({"kind": "account", "label": "Claude Max", "account": {"plan": "max", "email": "me@e.org"}}),
            "Claude Max · me@e.org",
        ),
        (
            json!({"kind": "api_key", "label": "Anthropic API key", "detail": "ANTHROPIC_API_KEY"}),
            "Anthropic API key · ANTHROPIC_API_KEY",
        ),
        (
            json!({"kind": "gateway", "label": "Custom model gateway"}),
            "Custom model gateway",
        ),
        (
            json!({"kind": "none", "label": "Not logged in"}),
            "Not logged in",
        ),
        (
            json!({"kind": "api_key", "label": 3, "detail": [], "account": "x"}),
            "api key",
        ),
        (json!({"kind": "none"}), "not signed in"),
        (json!({"kind": "x", "label": "a\u{1b}[31m\nb"}), "a␛[31m b"),
    ] {
        assert_eq!(line(&status), expected);
    }
    assert!(told(&json!({"kind": "none"})).is_some_and(|account| account.none));
    for odd in [
        json!(null),
        json!({}),
        json!("none"),
        json!({"kind": 1}),
        json!([]),
    ] {
        assert_eq!(told(&odd), None);
    }
}

#[test]
fn its_texts_are_cut() {
    for bytes in [MAX_TEXT - 1, MAX_TEXT, MAX_TEXT + 1] {
        let long = "x".repeat(bytes);
        let account = told(&json!({"kind": "x", "label": long, "detail": long}));
        let account = account.expect("an account");
        assert_eq!(account.label.len(), bytes.min(MAX_TEXT));
        assert_eq!(
            account.detail.map_or(0, |text| text.len()),
            bytes.min(MAX_TEXT)
        );
    }
}
