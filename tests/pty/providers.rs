//! Where the agent's models are (V1-AUTH-12).

use serde_json::json;

use crate::{client, wait_ready};

// V1-AUTH-12
#[test]
fn a_provider_is_set_and_its_headers_stand_in_no_log() {
    let provider = |url: &str| {
        json!({"providers": [
            {"providerId": "main", "supported": ["anthropic", "openai"], "required": true,
             "current": {"apiType": "anthropic", "baseUrl": url}},
        ]})
    };
    let setup = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1, "agentCapabilities": {"providers": {}}}},
        {"on": "providers/list", "reply": provider("https://before.example")},
        {"on": "providers/list", "reply": provider("https://after.example")},
        {"on": "providers/set"},
    ]));
    let wire = setup.path("wire.jsonl");
    let tui = setup
        .args(&["--wire", &wire.display().to_string()])
        .size(120, 24)
        .start();
    wait_ready(&tui);
    tui.keys("<c-p>providers");
    tui.wait_for("❯ Show and set the agent");
    tui.keys("<enter>");
    tui.wait_for("https://before.example");
    tui.keys("<enter>");
    tui.wait_for("Provider main of");
    tui.keys("<enter><c-u>https://after.example<enter>");
    tui.wait_for("`Name: value`");
    tui.keys("Authorization: s1");
    tui.wait_for("Authorization: **");
    tui.keys("<enter>");
    tui.settle(std::time::Duration::from_millis(200));
    tui.keys("<enter>");
    let sent = tui.wait_method("providers/set");
    assert_eq!(
        sent["params"],
        json!({"providerId": "main", "apiType": "anthropic", "baseUrl": "https://after.example",
            "headers": {"Authorization": "s1"}})
    );
    tui.wait_for("provider main: set");
    tui.wait("what the agent made of it", |tui| {
        (tui.count("providers/list") == 2).then_some(())
    });
    let log = tui.wait("the call in the wire log", |_| {
        let log = std::fs::read_to_string(&wire).ok()?;
        log.contains("providers/set").then_some(log)
    });
    assert!(!log.contains("\"s1\""), "{log}");
    let screen = String::from_utf8_lossy(&tui.raw()).into_owned();
    assert!(!screen.contains("s1\u{1b}"), "never shown");
}
