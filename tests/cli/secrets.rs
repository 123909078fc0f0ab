//! What must not be seen: secrets in what is written down, and what acts on a terminal in what is printed.

use std::fs;

use serde_json::{Value, json};

use crate::shell::{Ran, Shell};

/// Control characters of the second kind and a mark of direction, as an agent might send them.
const HOSTILE: &str = "a\u{9b}31mb\u{202e}c";

fn is_harmless(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}')
}

fn hostile() -> Shell {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": HOSTILE,
            "kind": "other", "status": "completed", "rawInput": {HOSTILE: HOSTILE},
            "content": [{"type": "content", "content": {"type": "text", "text": HOSTILE}}]}},
        {"update": {"sessionUpdate": "session_info_update", "title": HOSTILE}},
        {"raw": format!("no message: {HOSTILE}\n")},
        {"text": HOSTILE},
    ]}]));
    shell
}

// V1-UPD-12
#[test]
fn nothing_that_is_printed_acts_on_a_terminal() {
    let shell = hostile();
    for format in ["text", "json", "jsonl"] {
        let ran = shell.run(&["run", HOSTILE, "--wire", "wire", "--format", format]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(is_harmless(&ran.out), "{format}: {:?}", ran.out);
        assert!(is_harmless(&ran.err), "{format}: {:?}", ran.err);
    }
    let wire = fs::read_to_string(shell.path().join("project/wire")).unwrap();
    assert!(is_harmless(&wire), "{wire:?}");
    for line in wire.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    let list = shell.run(&["sessions", "--json"]).out;
    let list: Value = serde_json::from_str(&list).unwrap();
    let id = list[0]["id"].as_str().unwrap();
    for args in [
        &["sessions"][..],
        &["sessions", "--json"],
        &["sessions", "search", "31mb"],
        &["sessions", "show", id],
        &["sessions", "export", id],
        &["sessions", "export", id, "-o", "-"],
        &["sessions", "export", id, "--format", "json"],
        &["sessions", "export", id, "--format", "json", "-o", "-"],
        &["replay", id, "--format", "text"],
        &["replay", id, "--format", "json"],
        &["replay", id, "--format", "jsonl"],
        &["replay", "wire", "--format", "text"],
        &["replay", "wire", "--format", "json"],
        &["replay", "wire", "--format", "jsonl"],
    ] {
        let ran = shell.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        assert!(!ran.out.is_empty(), "{args:?}");
        assert!(is_harmless(&ran.out), "{args:?}: {:?}", ran.out);
        assert!(is_harmless(&ran.err), "{args:?}: {:?}", ran.err);
    }
    // What is read back from JSON is what was said.
    let told = shell
        .run(&["sessions", "export", id, "--format", "json"])
        .out;
    assert!(told.contains("\\u009b"), "{told}");
}

#[test]
fn nothing_in_settings_acts_on_a_terminal() {
    let shell = Shell::new();
    let name = "\\u009b31m\\u202e";
    shell.config(&format!(
        "default_agent = \"{name}\"\n\"{name}\" = 1\n\
         [agents.\"{name}\"]\nname = \"{name}\"\ncommand = \"{name}\"\nargs = [\"{name}\"]\n"
    ));
    for args in [
        &["config"][..],
        &["config", "check"],
        &["agents"],
        &["doctor"],
        &["doctor", "--format", "json"],
        &["run", "--agent", "\u{9b}31m", "x"],
        &["sessions", "show", "\u{9b}31m"],
    ] {
        let ran = shell.run(args);
        assert!(is_harmless(&ran.out), "{args:?}: {:?}", ran.out);
        assert!(is_harmless(&ran.err), "{args:?}: {:?}", ran.err);
    }
}

// V1-MCP-04
#[test]
fn no_secret_is_in_the_wire_log() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"request": {"id": "t", "method": "terminal/create", "params": {"sessionId": "$session",
            "command": "true", "args": ["--token", "hunter2"],
            "env": [{"name": "PLAIN", "value": "hunter2"}]}}},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "status": "completed", "title": "curl https://me:hunter2@h/?sig=hunter2",
            "rawInput": {"apiKey": "hunter2", "deep": [{"session_token": "hunter2"}],
                "cmd": "X_TOKEN=hunter2 curl 'https://h/p?access_token=hunter2&a=1'",
                "json": "{\"client-secret\": \"hunter2\"}"}}},
        {"raw": "trying https://me:hunter2@h/ with Authorization: Bearer hunter2\n"},
        {"text": "ok"},
    ]}]));
    let ran = shell.run(&["run", "go", "--wire", "wire"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wire = fs::read_to_string(shell.path().join("project/wire")).unwrap();
    assert!(!wire.contains("hunter2"), "{wire}");
    let messages: Vec<Value> = wire
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let create = messages
        .iter()
        .find(|l| l["msg"]["method"] == "terminal/create");
    let params = &create.unwrap()["msg"]["params"];
    assert_eq!(params["env"], json!([{"name": "PLAIN", "value": "***"}]));
    assert_eq!(params["args"], json!(["--token", "***"]));
    // It is played all the same.
    let told = shell.run(&["replay", "wire", "--format", "text"]);
    assert!(
        told.out.contains("curl 'https://h/p?access_token=***&a=1'"),
        "{}",
        told.out
    );
}

#[test]
fn what_an_agent_says_of_its_environment_is_masked_in_the_log_as_in_the_wire_log() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"stderr": "started with swordfish-and-more"},
        {"text": "I know swordfish-and-more"},
    ]}]));
    let args = ["run", "go", "--wire", "wire", "--log", "log"];
    let ran = Ran::new(
        shell
            .command(&args)
            .env("SERVICE_API_KEY", "swordfish-and-more")
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    for name in ["log", "wire"] {
        let text = fs::read_to_string(shell.path().join("project").join(name)).unwrap();
        assert!(!text.contains("swordfish"), "{name}: {text}");
        assert!(text.contains("***"), "{name}: {text}");
    }
}

#[test]
fn no_secret_is_in_printed_settings() {
    let shell = Shell::new();
    shell.config(
        r#"
[agents.x]
command = "sh"
args = ["--api-key", "hunter2", "--url=https://me:hunter2@h/?token=hunter2", "--token=${TOKEN}", "-v"]
env = { MY_TOKEN = "hunter2", PLAIN = "seen", FROM = "${TOKEN}" }
[mcp_servers.s]
command = "s"
args = ["--password=hunter2"]
env = { PLAIN = "hunter2" }
[mcp_servers.h]
type = "http"
url = "https://me:hunter2@h/mcp?api_key=hunter2&a=1"
headers = { Authorization = "Bearer hunter2", X = "Bearer ${TOKEN}" }
"#,
    );
    for args in [
        &["config"][..],
        &["agents"],
        &["doctor"],
        &["doctor", "--format", "json"],
    ] {
        let ran = shell.run(args);
        assert!(!(ran.out + &ran.err).contains("hunter2"), "{args:?}");
    }
    let config = shell.run(&["config"]).out;
    for seen in [
        "\"--api-key\", \"***\", \"--url=https://me:***@h/?token=***\", \"--token=${TOKEN}\", \"-v\"",
        "env.PLAIN = \"seen\"",
        "env.FROM = \"${TOKEN}\"",
        "https://me:***@h/mcp?api_key=***&a=1",
        "headers.X = \"Bearer ${TOKEN}\"",
    ] {
        assert!(config.contains(seen), "{seen}: {config}");
    }
}
