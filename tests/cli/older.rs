//! Agents that were written from one older description each and know nothing else
//! (`tests/agent/older`), through `run` and `doctor`: a whole turn where they can be understood, and
//! the line for their profile where they cannot.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::shell::{Ran, Shell};

/// An agent of that description, its profile with these lines, and a project for it.
fn older(name: &str, variant: &[&str], profile: &str) -> Shell {
    let shell = Shell::new();
    shell.scripted(&json!({"older": name, "variant": variant}));
    shell.profile(profile);
    let project = shell.path().join("project");
    fs::write(project.join("notes.txt"), "the notes\n").unwrap();
    fs::write(project.join("a.png"), b"\x89PNG\r\n\x1a\nand so on").unwrap();
    fs::write(project.join("a.bin"), b"\0\xff\0\xff").unwrap();
    shell
}

const CLAUDE: &str = "dialect = \"claude-code-acp-old\"\n";
const BANJO: &str =
    "dialect = [\"auto\", \"banjo\"]\nmodes = [\"default\", \"acceptEdits\", \"plan\"]\n";
const OPENCODE: &str = "dialect = \"opencode-2025\"\n";
const MCP: &str = "mcp_servers = [\"own\"]\n[mcp_servers.own]\ncommand = \"/bin/sh\"\n";
const THREADS: &str = "protocol = \"threads\"\n";

/// What was refused, or answered in words that the description does not have.
fn faults(shell: &Shell) -> String {
    fs::read_to_string(shell.path().join("faults")).unwrap_or_default()
}

fn turn(shell: &Shell, args: &[&str]) -> (Ran, Value) {
    let ran = shell.run(&[&["run", "--format", "json", "go on"], args].concat());
    let said = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    (ran, said)
}

fn decisions(said: &Value) -> Vec<&str> {
    let permissions = said["permissions"].as_array().into_iter().flatten();
    permissions
        .filter_map(|permission| permission["decision"].as_str())
        .collect()
}

#[test]
fn a_turn_is_told_right_in_every_older_dialect() {
    // By default, and with the preset that is for it.
    for (name, profile) in [
        ("banjo", ""),
        ("banjo", BANJO),
        ("opencode", ""),
        ("opencode", OPENCODE),
        ("claude", CLAUDE),
        ("summary", ""),
    ] {
        for (policy, came, decision) in [
            ("ask", "refused", "denied"),
            ("allow-all", "allowed", "allowed"),
        ] {
            let shell = older(name, &[], profile);
            let (ran, said) = turn(&shell, &["--policy", policy]);
            let whole = format!("{name} {profile:?} {policy}: {}{}", ran.out, ran.err);
            assert_eq!(faults(&shell), "", "{whole}");
            assert_eq!(ran.code, 0, "{whole}");
            let text = said["text"].as_str().unwrap();
            let command = if name == "summary" {
                ""
            } else {
                "it printed: from-command\n\n"
            };
            let expected = format!(
                "let me see\n\nit reads: the notes\n\n{command}npm install was {came}\n\n\
                 npm publish was {came}\n\nall done"
            );
            assert_eq!(text.trim(), expected, "{whole}");
            assert_eq!(decisions(&said), [decision, decision], "{whole}");
            let written = fs::read_to_string(shell.path().join("project/out.txt")).unwrap();
            assert_eq!(written, "written\n");
        }
    }
}

#[test]
fn a_turn_in_threads_is_told_whole_also_where_it_is_answered_at_once() {
    for variant in [&[][..], &["at-once"]] {
        let shell = older("threads", variant, THREADS);
        let (ran, said) = turn(&shell, &[]);
        assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
        assert_eq!(
            said["text"].as_str().unwrap().trim(),
            "let me see\n\nit reads: the notes\n\nit is there: true\n\nfound: 1\n\nall done",
            "{variant:?}"
        );
    }
}

#[test]
fn updates_and_blocks_by_the_name_of_their_member_are_told() {
    let shell = older("summary", &["keyed"], "");
    let (ran, said) = turn(&shell, &[]);
    assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
    let text = said["text"].as_str().unwrap();
    assert!(
        text.contains("let me see") && text.contains("all done"),
        "{text}"
    );
    assert!(
        ran.err.contains("\"keyed-updates\""),
        "what was heard is said: {}",
        ran.err
    );
}

// Neither a kind that is known nor one that says what it is.
#[test]
fn an_update_that_cannot_be_read_is_no_secret() {
    let update = json!({"jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": "sess-1", "update": {"mystery": {"words": "lost"}}}});
    let shell = Shell::new();
    let line = json!({"raw": format!("{update}\n{update}\n")});
    shell.scripted(&json!([{"on": "session/prompt", "do": [line]}]));
    let ran = shell.run(&["run", "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.err.matches("cannot be read").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("lost"), "{}", ran.err);
}

// What a file becomes: an image, a context, a resource, a link or its path.
#[test]
fn files_go_along_as_each_dialect_takes_them() {
    for (name, profile, blocks) in [
        ("banjo", BANJO, &["text", "image", "context", "text"][..]),
        ("opencode", OPENCODE, &["text", "image", "resource", "text"]),
        ("claude", CLAUDE, &["text"]),
        (
            "summary",
            "",
            &["text", "resource_link", "resource", "resource_link"],
        ),
    ] {
        let shell = older(name, &[], profile);
        let args = ["--image", "a.png", "--file", "notes.txt", "--file", "a.bin"];
        let (ran, _) = turn(&shell, &args);
        assert_eq!(faults(&shell), "", "{name}: {}", ran.err);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        let record = shell.record();
        let prompt = record
            .iter()
            .find(|m| m["method"] == "session/prompt")
            .unwrap();
        let sent = prompt["params"]["prompt"].as_array().unwrap();
        let kinds: Vec<&str> = sent.iter().filter_map(|b| b["type"].as_str()).collect();
        assert_eq!(kinds, blocks, "{name}");
        let whole = prompt.to_string();
        assert!(whole.contains("a.bin"), "{name}: {whole}");
    }
    let shell = older("threads", &[], THREADS);
    let args = ["--image", "a.png", "--file", "notes.txt"];
    let (ran, _) = turn(&shell, &args);
    assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
    let record = shell.record();
    let sent = record
        .iter()
        .find(|m| m["method"] == "sendMessage")
        .unwrap();
    let sent = sent["params"]["message"]["chunks"].to_string();
    assert!(
        sent.contains("/a.png") && sent.contains("the notes"),
        "{sent}"
    );
}

/// The line that a profile lacks, from `run` and from the doctor.
#[track_caller]
fn assert_advised(name: &str, variant: &[&str], profile: &str, line: &str) {
    let shell = older(name, variant, &profile.replace("MCP\n", MCP));
    let begun = Instant::now();
    let ran = shell.run(&["run", "go on", "--timeout", "20"]);
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains(line),
        "run, {name} {variant:?}: {}",
        ran.err
    );
    assert!(!ran.err.contains("F5"), "{}", ran.err);
    assert!(begun.elapsed() < Duration::from_secs(15), "{}", ran.err);
    let ran = shell.run(&["doctor", "--agent", "fake", "--timeout", "5"]);
    // It knows more by then, which stands in the same line.
    let words = line.trim_start_matches("dialect = [\"auto\", ");
    for word in words.trim_end_matches(']').split(", ") {
        assert!(
            ran.out.contains(word),
            "doctor, {name} {variant:?}: {}",
            ran.out
        );
    }
    // And what it says helps.
    let shell = older(
        name,
        variant,
        &format!("{line}\n{}", profile.replace("MCP\n", MCP)),
    );
    let ran = shell.run(&["run", "go on"]);
    assert_eq!(ran.code, 0, "{name} {variant:?}, {line}: {}", ran.err);
}

#[test]
fn what_an_agent_does_not_take_is_told_with_the_line_that_helps() {
    assert_advised("threads", &[], "", "protocol = \"threads\"");
    assert_advised(
        "opencode",
        &[],
        "MCP\n",
        "dialect = [\"auto\", \"local-mcp\"]",
    );
    assert_advised(
        "banjo",
        &[],
        "MCP\n",
        "dialect = [\"auto\", \"object-env\", \"union-mcp\"]",
    );
    assert_advised(
        "banjo",
        &["plain-mcp"],
        "MCP\n",
        "dialect = [\"auto\", \"object-env\"]",
    );
    assert_advised(
        "summary",
        &["bare"],
        "",
        "dialect = [\"auto\", \"bare-responses\"]",
    );
}

#[test]
fn an_agent_that_wants_its_version_as_text_is_led_to_its_preset() {
    let shell = older("claude", &[], "");
    let ran = shell.run(&["run", "go on", "--timeout", "20"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("\"claude-code-acp-old\""), "{}", ran.err);
    let ran = shell.run(&["doctor", "--agent", "fake", "--timeout", "5"]);
    assert!(ran.out.contains("\"claude-code-acp-old\""), "{}", ran.out);
    let shell = older("claude", &[], CLAUDE);
    let ran = shell.run(&["doctor", "--agent", "fake"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn a_session_of_banjo_is_opened_again_by_its_row_and_without_it_that_is_named() {
    let shell = older("banjo", &[], "");
    let ran = shell.run(&["run", "go", "--resume", "session-uuid"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("\"unstable-resume\""), "{}", ran.err);
    // It does not say so: doctor names the row where the agent shows the rest of its dialect, and for
    // no other one that cannot resume.
    let doctor = |words, settings| {
        let shell = older(words, &[], settings);
        shell.run(&["doctor", "--agent", "fake"]).out
    };
    let told = doctor("banjo", MCP);
    assert!(told.contains("\"unstable-resume\""), "{told}");
    for (words, settings) in [("banjo", ""), ("claude", CLAUDE)] {
        let told = doctor(words, settings);
        assert!(!told.contains("unstable-resume"), "{words}: {told}");
    }
    let shell = older("banjo", &[], BANJO);
    let ran = shell.run(&["run", "go", "--resume", "session-uuid"]);
    assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
}

// D-15: nothing to sign in with, and no word of it.
#[test]
fn a_server_error_is_an_error_as_it_came() {
    for name in ["summary", "opencode"] {
        let shell = older(name, &["server-error"], "");
        let ran = shell.run(&["run", "go"]);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("Server error"), "{}", ran.err);
        assert!(!ran.err.contains("sign"), "{}", ran.err);
        let ran = shell.run(&["doctor", "--agent", "fake"]);
        assert!(
            ran.out.contains("Server error (error -32000)"),
            "{}",
            ran.out
        );
    }
}

#[test]
fn error_codes_are_told_as_they_came() {
    let shell = older("opencode", &["lost-session"], "");
    let ran = shell.run(&["run", "go"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("Session not found"), "{}", ran.err);
    let id = &shell.run(&["sessions", "--json"]).out;
    let id: Value = serde_json::from_str(id).unwrap();
    let shown = shell.run(&[
        "sessions",
        "export",
        id[0]["id"].as_str().unwrap(),
        "--format",
        "json",
        "-o",
        "-",
    ]);
    assert!(shown.out.contains("error -32600"), "{}", shown.out);
    assert!(!shown.out.contains("-32002"), "{}", shown.out);
}

#[test]
fn modes_are_set_in_each_dialect_that_has_them_and_the_key_for_them_is_named() {
    let shell = older("opencode", &[], OPENCODE);
    let (ran, _) = turn(&shell, &["--mode", "architect", "--model", "GPT-4"]);
    assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
    let methods = shell.methods();
    for method in ["session/set_mode", "session/set_model"] {
        assert!(methods.iter().any(|m| m == method), "{methods:?}");
    }
    let shell = older("banjo", &[], BANJO);
    let (ran, _) = turn(&shell, &["--mode", "plan"]);
    assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
    let shell = older("banjo", &[], "dialect = [\"auto\", \"banjo\"]\n");
    let ran = shell.run(&["run", "go", "--mode", "plan"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("modes = ["), "{}", ran.err);
    let ran = shell.run(&["doctor", "--agent", "fake"]);
    assert!(ran.out.contains("set modes = ["), "{}", ran.out);
}

#[test]
fn servers_for_mcp_reach_each_dialect_by_its_preset() {
    let mcp = "mcp_servers = [\"own\"]\n[mcp_servers.own]\ncommand = \"/bin/sh\"\nargs = [\"-c\"]\nenv = { A = \"1\" }\n";
    for (name, variant, profile) in [
        ("banjo", &[][..], BANJO),
        (
            "banjo",
            &["plain-mcp"],
            "dialect = [\"auto\", \"object-env\"]\n",
        ),
        ("opencode", &[], OPENCODE),
        ("summary", &[], ""),
    ] {
        let shell = older(name, variant, &format!("{profile}{mcp}"));
        let (ran, _) = turn(&shell, &[]);
        assert_eq!((faults(&shell).as_str(), ran.code), ("", 0), "{}", ran.err);
    }
}

// What agents of today are not told of is said once of an older one.
#[test]
fn a_dialect_that_is_heard_is_announced_once() {
    for (name, rows) in [
        ("banjo", &["camel-methods", "kind-updates"][..]),
        ("opencode", &["relative-paths", "models"]),
    ] {
        let shell = older(name, &[], "");
        let ran = shell.run(&["run", "go"]);
        for row in rows {
            assert_eq!(
                ran.err.matches(&format!("\"{row}\"")).count(),
                1,
                "{}",
                ran.err
            );
        }
        let told = ran.err.matches("understood").count();
        assert_eq!(told, rows.len(), "{}", ran.err);
    }
    let shell = older(
        "claude",
        &[],
        "dialect = [\"auto\", \"string-version\", \"bare-responses\"]\n",
    );
    let ran = shell.run(&["run", "go"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.err.matches("\"bare-requests\"").count(),
        1,
        "{}",
        ran.err
    );
}
