//! What a profile offers an agent, and where the program looks for its own files.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::shell::{Ran, Shell};

// V1-INIT-08
#[test]
fn a_profile_without_terminals_offers_and_serves_none() {
    let create = json!({"request": {"id": "t", "method": "terminal/create",
        "params": {"command": "true"}}});
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [create]}]));
    for (line, offered) in [("", true), ("terminal = false\n", false)] {
        shell.profile(line);
        let ran = shell.run(&["run", "go"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let record = shell.record();
        let mut starts = record.iter().filter(|m| m["method"] == "initialize");
        let caps = &starts.next_back().unwrap()["params"]["clientCapabilities"];
        assert_eq!(caps["terminal"] == true, offered, "{caps}");
        assert_eq!(caps["fs"]["readTextFile"], true, "{caps}");
        let mut answers = record.iter().filter(|m| m["id"] == "t");
        let answer = answers.next_back().unwrap();
        let refused = answer["error"]["code"] == -32601;
        assert_ne!(refused, offered, "{answer}");
    }
    let ran = shell.run(&["doctor", "--agent", "fake"]);
    let said = "not offered to the agent: its profile has terminal = false";
    assert!(ran.out.contains(said), "{}", ran.out);
    // Nothing else is one.
    shell.scripted(&json!([]));
    shell.profile("terminal = \"no\"\n");
    let ran = shell.run(&["config", "check"]);
    assert!(ran.err.contains("agents.fake.terminal") || ran.out.contains("agents.fake.terminal"));
}

fn run_with(shell: &Shell, args: &[&str], folder: &str) -> Ran {
    let mut command = shell.command(args);
    for name in [
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
    ] {
        command.env(name, folder);
    }
    Ran::new(command.output().unwrap())
}

// The standard: "all paths must be absolute", and an empty one is as good as none.
#[cfg(target_os = "linux")]
#[test]
fn an_empty_or_relative_folder_of_the_desktop_counts_as_unset() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [{"text": "hello"}]}]));
    let zed = shell.path().join(".config/zed");
    fs::create_dir_all(&zed).unwrap();
    let settings = json!({"agent_servers": {"Mine": {"command": "mine"}}});
    fs::write(zed.join("settings.json"), settings.to_string()).unwrap();
    for folder in ["", "relative"] {
        let ran = run_with(&shell, &["config", "path"], folder);
        let own = shell.path().join(".config/acp-tui/config.toml");
        assert!(ran.out.contains(own.to_str().unwrap()), "{}", ran.out);
        let ran = run_with(&shell, &["run", "go"], folder);
        assert_eq!((ran.code, ran.out.as_str()), (0, "hello\n"), "{}", ran.err);
        let ran = run_with(&shell, &["agents", "import", "zed", "--dry-run"], folder);
        assert!(ran.out.contains("mine"), "{}{}", ran.out, ran.err);
        let ran = run_with(&shell, &["sessions", "--json"], folder);
        let stored: Value = serde_json::from_str(&ran.out).unwrap();
        assert!(!stored.as_array().unwrap().is_empty(), "{}", ran.out);
    }
    let state = shell.path().join(".local/state/acp-tui/sessions");
    assert!(state.is_dir(), "stored at home");
    let project = shell.path().join("project");
    for made in ["relative", "acp-tui", "sessions"] {
        assert!(!Path::new(&project).join(made).exists(), "{made}");
    }
}
