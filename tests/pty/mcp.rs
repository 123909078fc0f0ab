//! MCP servers from the configuration to the agent.

use serde_json::json;

use crate::{client, wait_ready};

// V1-MCP-01, V1-MCP-02, V1-MCP-04
#[test]
fn servers_of_the_profile_are_handed_on_and_their_secrets_kept() {
    let setup = client(json!([{"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentCapabilities": {"mcpCapabilities": {"http": true}},
    }}]));
    let wire = setup.path("wire.jsonl");
    let tui = setup
        .args(&["--wire", &wire.display().to_string()])
        .env("KEY", "top-secret")
        .size(160, 24)
        .config(
            r#"mcp_servers = ["own", "web", "old", "gone"]
[mcp_servers.own]
command = "sh"
env = { A = "${KEY}" }
[mcp_servers.web]
url = "https://web.test"
headers = { B = "x1" }
[mcp_servers.old]
url = "https://old.test"
type = "sse"
[mcp_servers.gone]
command = "no-such-server"
"#,
        )
        .start();
    wait_ready(&tui);
    let screen = tui.wait_for("MCP server old skipped");
    assert!(
        screen.contains("mcp_servers.gone.command: no-such-server was not found"),
        "{screen}"
    );
    assert!(!screen.contains("top-secret"), "{screen}");
    let sent = tui.wait_method("session/new");
    let servers = sent["params"]["mcpServers"].as_array().expect("a list");
    let [own, web] = servers.as_slice() else {
        panic!("{servers:?}")
    };
    assert!(own.get("type").is_none(), "{own}");
    let command = own["command"].as_str().expect("a path");
    assert!(
        command.starts_with('/') && command.ends_with("/sh"),
        "{own}"
    );
    assert_eq!(own["args"], json!([]));
    assert_eq!(own["env"], json!([{"name": "A", "value": "top-secret"}]));
    assert_eq!(
        *web,
        json!({
            "type": "http", "name": "web", "url": "https://web.test",
            "headers": [{"name": "B", "value": "x1"}],
        })
    );
    let log = tui.wait("the call in the wire log", |_| {
        let log = std::fs::read_to_string(&wire).ok()?;
        log.contains("session/new").then_some(log)
    });
    assert!(
        !log.contains("top-secret") && !log.contains("\"x1\""),
        "{log}"
    );
}
