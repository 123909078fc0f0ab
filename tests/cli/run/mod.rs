//! `acp-tui run`: one prompt turn in a pipe, in CI, in a hook.

mod ending;
mod stored;

use std::{
    fs,
    io::Write,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::shell::{Ran, Shell};

/// With the scripted agent.
fn scripted(scenario: Value) -> Shell {
    let shell = Shell::new();
    shell.scripted(&scenario);
    shell
}

fn prompt(steps: Value) -> Value {
    json!([{"on": "session/prompt", "do": steps}])
}

fn ask(title: &str, options: Value) -> Value {
    json!({"request": {"method": "session/request_permission", "params": {
        "toolCall": {"toolCallId": "t", "title": title, "kind": "execute",
            "rawInput": {"command": title}},
        "options": options}}})
}

fn yes_and_no() -> Value {
    json!([{"optionId": "y", "name": "Yes", "kind": "allow_once"},
        {"optionId": "n", "name": "No", "kind": "reject_once"}])
}

fn start(shell: &Shell, args: &[&str]) -> Child {
    shell
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub fn wait_for(mut fits: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !fits() {
        assert!(Instant::now() < deadline, "it did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Ends within the time, whatever is the matter.
fn ends(mut child: Child, time: Duration) -> Ran {
    let deadline = Instant::now() + time;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it hangs");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ran::new(child.wait_with_output().unwrap())
}

/// The same where nobody reads what it says.
fn ends_unread(mut child: Child, time: Duration) -> i32 {
    let deadline = Instant::now() + time;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap();
        }
        assert!(Instant::now() < deadline, "it hangs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn lines(out: &str) -> Vec<Value> {
    let lines = out.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn listed(shell: &Shell) -> Vec<Value> {
    let out = shell.run(&["sessions", "--json"]).out;
    let list: Value = serde_json::from_str(&out).unwrap();
    list.as_array().unwrap().clone()
}

#[test]
fn the_answer_is_all_that_stands_on_stdout() {
    let shell = scripted(prompt(json!([
        {"thought": "hm"},
        {"text": "Looking.\n"},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read a.rs",
            "kind": "read", "status": "completed"}},
        {"text": "It is fine.\u{1b}[31m"},
    ])));
    let ran = shell.run(&["run", "is it?"]);
    assert_eq!(ran.out, "Looking.\n\nIt is fine.␛[31m\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, "[read] Read a.rs\n"));
    let quiet = shell.run(&["run", "-q", "is it?"]);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

// V1-INIT-18, V1-CONT-02, V1-CONT-03, V1-CONT-05
#[test]
fn files_go_along_with_the_prompt_as_the_agent_takes_them() {
    let png = b"\x89PNG\r\n\x1a\nand so on";
    for (takes, kinds) in [
        (true, ["text", "image", "resource", "audio"]),
        (
            false,
            ["text", "resource_link", "resource_link", "resource_link"],
        ),
    ] {
        let capabilities = json!({"image": takes, "audio": takes, "embeddedContext": takes});
        let shell = scripted(json!([{"on": "initialize", "reply": {
            "protocolVersion": 1,
            "agentCapabilities": {"promptCapabilities": capabilities},
        }}]));
        let project = shell.path().join("project");
        fs::write(project.join("a b.png"), png).unwrap();
        fs::write(project.join("notes.md"), "hello").unwrap();
        fs::write(project.join("word.wav"), b"RIFF\0\0\0\0WAVEfmt ").unwrap();
        let args = ["run", "look", "--file", "notes.md", "--image", "a b.png"];
        let ran = shell.run(&[&args[..], &["--file", "word.wav"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let told = ran
            .err
            .contains("cannot take a b.png, word.wav: a link goes instead");
        assert_eq!(told, !takes, "{}", ran.err);
        let record = shell.record();
        let prompt = record
            .iter()
            .find(|m| m["method"] == "session/prompt")
            .unwrap();
        let blocks = prompt["params"]["prompt"].as_array().unwrap();
        let found: Vec<&str> = blocks.iter().filter_map(|b| b["type"].as_str()).collect();
        assert_eq!(found, kinds);
        assert!(blocks[0]["text"].as_str().unwrap().starts_with("look"));
    }
}

#[test]
fn a_file_that_is_not_what_it_should_be_is_wrong_usage_and_starts_nothing() {
    let shell = scripted(json!([]));
    let project = shell.path().join("project");
    fs::write(project.join("notes.png"), "no picture").unwrap();
    fs::write(project.join("scan.png"), b"II*\0").unwrap();
    let mut large = b"\x89PNG\r\n\x1a\n".to_vec();
    large.resize(4 << 20, 0);
    fs::write(project.join("large.png"), large).unwrap();
    for (args, why) in [
        (["--image", "gone.png"], "gone.png"),
        (["--file", "gone.txt"], "gone.txt"),
        (["--file", "."], "not a regular file"),
        (["--image", "notes.png"], "is not an image"),
        (["--image", "scan.png"], "TIFF cannot be sent as an image"),
        (["--image", "large.png"], "larger than 3.75 MiB"),
    ] {
        let ran = shell.run(&[&["run", "look"][..], &args].concat());
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    }
    assert!(shell.record().is_empty());
}

#[test]
fn the_prompt_comes_from_a_pipe_a_file_or_the_command_line() {
    let shell = scripted(json!([]));
    fs::write(shell.path().join("project/task.md"), "from a file\n\n").unwrap();
    let piped = |args: &[&str]| {
        let mut child = shell.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"from a pipe\n").unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
    };
    piped(&["run"]);
    piped(&["run", "-"]);
    piped(&["run", "typed", "-"]);
    assert_eq!(shell.run(&["run", "--prompt-file", "task.md"]).code, 0);
    // A stdin that nobody was asked to read is left alone: a hook's may never end.
    let mut child = shell.command(&["run", "word"]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    let open = child.stdin.take();
    assert!(child.wait().unwrap().success());
    drop(open);
    let texts: Vec<String> = shell
        .record()
        .iter()
        .filter(|message| message["method"] == "session/prompt")
        .map(|message| {
            message["params"]["prompt"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        texts,
        [
            "from a pipe",
            "from a pipe",
            "typed\n\nfrom a pipe",
            "from a file",
            "word"
        ]
    );
    let empty = shell.run(&["run"]);
    assert_eq!(empty.code, 2);
    assert!(empty.err.contains("the prompt is empty"), "{}", empty.err);
}

// V1-PERM-05, V1-PERM-06
#[test]
fn rules_decide_and_what_would_be_asked_is_refused_and_said() {
    let shell = scripted(prompt(json!([
        ask("cargo test", yes_and_no()),
        ask("rm -rf x", yes_and_no()),
        ask("make", json!([{"optionId": "a", "name": "Never", "kind": "reject_always"}])),
        {"request": {"method": "fs/read_text_file", "params": {"path": "/etc/hostname"}}},
        {"text": "done"},
    ])));
    let config = shell.path().join(".config/acp-tui/config.toml");
    let rules = "[permissions]\nrules = [{ command = \"cargo test\", decision = \"allow\" }]\n";
    let text = fs::read_to_string(&config).unwrap() + rules;
    fs::write(&config, text).unwrap();

    let ran = shell.run(&["run", "do it", "--format", "jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let events = lines(&ran.out);
    let decided: Vec<String> = events
        .iter()
        .filter(|event| event["event"] == "permission")
        .map(|event| {
            format!(
                "{} {} {}",
                event["title"], event["decision"], event["answer"]
            )
        })
        .collect();
    assert_eq!(
        decided,
        [
            r#""cargo test" "allowed" "Yes""#,
            r#""rm -rf x" "denied" "No""#,
            r#""make" "denied" "cancelled""#,
        ]
    );
    let by = |n: usize| {
        let mut all = events.iter().filter(|event| event["event"] == "permission");
        all.nth(n).unwrap()["by"].as_str().unwrap().to_owned()
    };
    assert!(by(0).starts_with("allow `cargo test`"), "{}", by(0));
    assert_eq!(by(1), "nobody to ask");
    let refused = events
        .iter()
        .find(|event| event["event"] == "refused")
        .unwrap();
    assert_eq!(refused["what"], "read /etc/hostname");

    let answers: Vec<Value> = shell
        .record()
        .into_iter()
        .filter(|message| message.get("method").is_none())
        .collect();
    let outcome = |n: usize| answers[n]["result"]["outcome"].clone();
    assert_eq!(outcome(0), json!({"outcome": "selected", "optionId": "y"}));
    assert_eq!(outcome(1), json!({"outcome": "selected", "optionId": "n"}));
    assert_eq!(outcome(2), json!({"outcome": "cancelled"}));
    assert!(answers[3]["error"].is_object(), "{}", answers[3]);
}

#[test]
fn one_object_tells_how_it_went() {
    let shell = scripted(prompt(json!([
        {"request": {"method": "fs/write_text_file",
            "params": {"path": "$cwd/a.txt", "content": "one\ntwo\n"}}},
        {"update": {"sessionUpdate": "usage_update", "used": 5, "size": 10}},
        {"text": "written"},
    ])));
    let ran = shell.run(&["run", "go", "--format", "json"]);
    assert_eq!(ran.code, 0);
    let said: Value = serde_json::from_str(&ran.out).unwrap();
    let written = shell.path().canonicalize().unwrap().join("project/a.txt");
    assert_eq!(fs::read_to_string(&written).unwrap(), "one\ntwo\n");
    assert_eq!(said["text"], "written");
    assert_eq!(said["version"], 1);
    assert_eq!(said["stop_reason"], "end_turn");
    assert_eq!(said["exit_code"], 0);
    assert_eq!(said["error"], Value::Null);
    assert_eq!(said["session_id"], "sess-1");
    assert_eq!(
        said["agent"],
        json!({"id": "fake", "name": "Fake", "version": "1"})
    );
    assert_eq!(said["usage"]["used"], 5);
    assert_eq!(
        said["files_written"],
        json!([{"path": written.to_str().unwrap(), "by": "acp-tui"}])
    );
    assert!(ran.err.contains("[wrote] "), "{}", ran.err);
}

#[test]
fn events_are_as_they_are_documented() {
    let shell = scripted(prompt(json!([
        {"thought": "hm"},
        ask("make", yes_and_no()),
        {"request": {"method": "terminal/create", "params": {"command": "/bin/true", "args": []}}},
        {"request": {"method": "terminal/wait_for_exit", "params": {"terminalId": "$terminal"}}},
        {"request": {"method": "fs/read_text_file", "params": {"path": "/x"}}},
        {"request": {"method": "fs/write_text_file", "params": {"path": "$cwd/a", "content": ""}}},
        {"update": {"sessionUpdate": "plan", "entries": [
            {"content": "one", "priority": "high", "status": "pending"}]}},
        {"update": {"sessionUpdate": "usage_update", "used": 5, "size": 10,
            "cost": {"amount": 0.5, "currency": "USD"}}},
        {"update": {"sessionUpdate": "agent_message_chunk", "content":
            {"type": "image", "mimeType": "image/png", "data": "AAAA"}}},
        {"update": {"sessionUpdate": "notice"}},
        {"text": "done"},
    ])));
    let ran = shell.run(&["run", "go", "--format", "jsonl"]);
    let events = lines(&ran.out);
    let documented = include_str!("../../../docs/run.md");
    let (_, table) = documented.split_once("## `--format jsonl`").unwrap();
    let row = |name: &str| {
        let start = format!("| `{name}` |");
        table.lines().find(|line| line.starts_with(&start))
    };
    let mut seen = std::collections::BTreeSet::new();
    for event in &events {
        let name = event["event"].as_str().unwrap();
        let row = row(name).unwrap_or_else(|| panic!("{name} is not documented"));
        assert!(event["t"].is_number());
        if name != "end" {
            for member in event.as_object().unwrap().keys() {
                let known = ["event", "t"].contains(&member.as_str())
                    || row.contains(&format!("`{member}`"));
                assert!(known, "{name}.{member} is not documented");
            }
        }
        seen.insert(name);
    }
    for name in [
        "start",
        "agent",
        "session",
        "user",
        "thought",
        "tool_call",
        "permission",
        "refused",
        "file_written",
        "terminal_started",
        "terminal_exited",
        "plan",
        "usage",
        "content",
        "notice",
        "text",
        "end",
    ] {
        assert!(seen.contains(name), "{name} did not come:\n{}", ran.out);
    }
    assert_eq!(events[0]["event"], "start");
    let (_, object) = documented.split_once("## `--format json`").unwrap();
    let end = events.last().unwrap();
    for member in end.as_object().unwrap().keys() {
        let known =
            ["event", "t"].contains(&member.as_str()) || object.contains(&format!("\"{member}\":"));
        assert!(known, "{member} of the summary is not documented");
    }
}

#[test]
fn the_exit_code_tells_the_stop_reason() {
    for (reply, code, said) in [
        (json!({"stopReason": "end_turn"}), 0, ""),
        (json!({"stopReason": "refusal"}), 5, "the agent refused"),
        (json!({"stopReason": "max_tokens"}), 5, "token limit"),
        (
            json!({"stopReason": "max_turn_requests"}),
            5,
            "limit of requests",
        ),
        (json!({"stopReason": "cancelled"}), 1, "cancelled the turn"),
        (json!({"stopReason": "tired"}), 1, "tired"),
    ] {
        let shell = scripted(json!([{"on": "session/prompt", "reply": reply}]));
        let ran = shell.run(&["run", "-q", "go"]);
        assert_eq!(ran.code, code, "{reply}: {}", ran.err);
        assert!(ran.err.contains(said), "{reply}: {}", ran.err);
    }
    // codex ends the turn after each no.
    let shell = scripted(
        json!([{"on": "session/prompt", "do": [ask("make", yes_and_no())],
        "reply": {"stopReason": "cancelled"}}]),
    );
    let ran = shell.run(&["run", "-q", "go"]);
    assert_eq!(ran.code, 5);
    assert!(ran.err.contains("its request was denied"), "{}", ran.err);
}

#[test]
fn an_agent_that_fails_is_a_failure_that_is_said() {
    for (scenario, code, said) in [
        (
            json!([{"on": "session/prompt", "error": {"code": -32603, "message": "no credit"}}]),
            1,
            "the turn failed: no credit",
        ),
        (
            prompt(json!([{"text": "half"}, {"stderr": "fatal: out of cheese"}, {"exit": 3}])),
            1,
            "Fake ended with exit code 3: fatal: out of cheese",
        ),
        (
            json!([{"on": "start", "do": [{"exit": 7}]}]),
            3,
            "exit code 7",
        ),
        (
            json!([{"on": "session/new", "error": {"code": -32603, "message": "no disk"}}]),
            3,
            "no disk",
        ),
        (
            json!([{"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}}]),
            4,
            "requires a sign-in: sign in with the agent's own program",
        ),
        (
            json!([{"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {},
                "authMethods": [{"id": "k", "name": "API key", "type": "env_var",
                    "vars": [{"name": "MY_KEY"}]}]}},
                {"on": "session/prompt", "error": {"code": -32000, "message": "Authentication required"}}]),
            4,
            "set MY_KEY",
        ),
    ] {
        let shell = scripted(scenario);
        let ran = shell.run(&["run", "-q", "go"]);
        assert_eq!(ran.code, code, "{}", ran.err);
        assert!(ran.err.contains(said), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(!ran.err.contains("F5"), "{}", ran.err);
    }
    let none = Shell::new().run(&["run", "go"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("no agent: name one"), "{}", none.err);
    let missing = Shell::new().run(&["run", "go", "--agent", "codex"]);
    assert_eq!(missing.code, 3);
    assert!(missing.err.contains("npm install"), "{}", missing.err);
}

#[test]
fn nothing_is_sent_to_another_session_or_in_another_mode_than_was_wanted() {
    let shell = scripted(json!([]));
    for (args, said) in [
        (&["--resume", "old"][..], "cannot reopen sessions"),
        (&["--mode", "plan"], "--mode plan: the agent has no modes"),
        (&["--set", "a=b"], "the agent has no option \"a\""),
    ] {
        let args = [&["run", "-q", "--format", "json", "go"], args].concat();
        let ran = shell.run(&args);
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.err.contains(said), "{}", ran.err);
        let said: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(said["error"]["kind"], "setup_failed");
    }
    assert!(!shell.methods().contains(&"session/prompt".to_owned()));
}

#[test]
fn what_was_said_in_a_session_before_is_not_said_again() {
    let shell = scripted(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1,
            "agentCapabilities": {"loadSession": true}}},
        {"on": "session/load", "do": [{"text": "of yesterday"}]},
        {"on": "session/prompt", "do": [{"text": "of today"}]},
    ]));
    let ran = shell.run(&["run", "go", "--resume", "sess-1"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "of today\n"));
}

#[test]
fn a_projects_file_counts_once_it_is_approved() {
    let shell = scripted(prompt(json!([ask("make", yes_and_no())])));
    let file = shell.path().join("project/.acp-tui.toml");
    fs::write(&file, "[permissions]\npolicy = \"read-only\"\n").unwrap();
    let ran = shell.run(&["run", "go"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains("not approved, so it is ignored"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("denied (nobody to ask)"), "{}", ran.err);
    assert_eq!(shell.run(&["trust", "--yes"]).code, 0);
    let ran = shell.run(&["run", "go"]);
    assert!(ran.err.contains("denied (policy read-only)"), "{}", ran.err);
}

// V2-PROMPT-01, V2-STATE-01
#[test]
fn a_turn_in_version_2_of_the_protocol_ends_with_its_state() {
    let shell = scripted(json!([
        {"on": "wire", "version": 2},
        {"on": "session/prompt", "do": [
            {"thought": "hm"},
            {"text": "Looking"},
            {"sleep": 200},
            {"text": " again."},
        ]},
    ]));
    shell.profile("protocol = \"2\"\n");
    let ran = shell.run(&["run", "is it?"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "Looking again.\n"),
        "{}",
        ran.err
    );
    let methods = shell.methods();
    assert_eq!(
        methods,
        [
            "initialize",
            "session/new",
            "session/prompt",
            "session/close"
        ]
    );
}

// V2-INIT-01
#[test]
fn a_turn_with_an_agent_of_before_is_made_in_version_1() {
    let shell = scripted(prompt(json!([{"text": "as ever"}])));
    shell.profile("protocol = \"2\"\n");
    let ran = shell.run(&["run", "is it?"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "as ever\n"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("speaks version 1"), "{}", ran.err);
    let methods = shell.methods();
    assert_eq!(
        methods,
        ["initialize", "initialize", "session/new", "session/prompt"]
    );
}

// V1-ELI-03
#[test]
fn a_form_that_nobody_can_fill_in_is_refused_and_said() {
    let shell = scripted(prompt(json!([
        {"request": {"method": "elicitation/create", "params": {"sessionId": "$session",
            "mode": "form", "message": "Which colour?",
            "requestedSchema": {"type": "object", "properties": {"c": {"type": "string"}}}}}},
        {"text": "done"},
    ])));
    let ran = shell.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "done\n"), "{}", ran.err);
    assert!(
        ran.err
            .contains("[warning] refused, no one is there to answer: Which colour?"),
        "{}",
        ran.err
    );
    let ran = shell.run(&["run", "--format", "jsonl", "go"]);
    let refused = lines(&ran.out);
    let refused = refused.iter().find(|record| record["event"] == "refused");
    assert_eq!(refused.unwrap()["by"], "nobody to ask", "{}", ran.out);
}

// V1-SUB-02
#[test]
fn what_is_refused_to_a_subagent_counts() {
    let of_child = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
        "sessionId": "child-1",
        "update": {"sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "I would rather not ask."}}}});
    let shell = scripted(json!([{"on": "session/prompt", "do": [
        {"update": {"sessionUpdate": "subagent_update", "sessionId": "child-1",
            "title": "Clean up", "state": {"state": "running"}}},
        {"raw": format!("{of_child}\n")},
        {"request": {"id": "q", "method": "session/request_permission", "params": {
            "sessionId": "child-1", "toolCall": {"toolCallId": "t", "title": "rm -r x"},
            "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}]}}},
        {"text": "I gave up."},
    ], "reply": {"stopReason": "cancelled"}}]));
    let ran = shell.run(&["run", "go", "--format", "json"]);
    assert_eq!(ran.code, 5, "{}{}", ran.out, ran.err);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary["error"]["kind"], "denied");
    assert_eq!(summary["permissions"][0]["subagent"], "child-1");
    assert_eq!(summary["text"], "I gave up.");
    assert!(
        ran.err.contains("[Clean up] I would rather not ask."),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("[Clean up: permission] rm -r x: denied"),
        "{}",
        ran.err
    );
    let ran = shell.run(&["run", "go", "--format", "jsonl"]);
    assert!(
        lines(&ran.out)
            .iter()
            .any(|record| record["event"] == "within"
                && record["what"]["text"] == "I would rather not ask."),
        "{}",
        ran.out
    );
    // It is in the store, and told from there.
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    let shown = shell.run(&["sessions", "export", &id]).out;
    assert!(shown.contains("> I would rather not ask."), "{shown}");
    let json = shell
        .run(&["sessions", "export", &id, "--format", "json"])
        .out;
    assert!(json.contains("I would rather not ask."), "{json}");
    let found = shell.run(&["sessions", "search", "rather", "--json"]).out;
    assert!(found.contains(&id), "{found}");
    let told = shell.run(&["replay", &id, "--format", "text"]).out;
    for line in ["> go", "[Clean up] I would rather not ask.", "I gave up."] {
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
}

#[cfg(target_os = "linux")]
/// An agent whose options have an id and a label, and no kind.
fn labelled(options: Value) -> Value {
    prompt(json!([
        {"request": {"method": "session/request_permission", "as_is": true, "params": {
            "title": "Execute bash", "description": "Run: npm test", "options": options}}},
        {"text": "went on"},
    ]))
}

// D-23
#[test]
fn options_without_a_kind_are_known_by_their_words() {
    let plain = json!([{"id": "allow", "label": "Allow"}, {"id": "deny", "label": "Deny"}]);
    let odd = json!([{"id": "do", "label": "Do it"}, {"id": "leave", "label": "Leave it be"}]);
    for (options, policy, chosen, decision) in [
        (&plain, "allow-all", "allow", "allowed"),
        (&plain, "ask", "deny", "denied"),
        (&odd, "allow-all", "", "denied"),
    ] {
        let shell = scripted(labelled(options.clone()));
        fs::write(shell.path().join("dialect"), "").unwrap();
        let args = ["run", "--policy", policy, "--format", "jsonl", "go"];
        let ran = shell.run(&args);
        let events = lines(&ran.out);
        let told: Vec<&Value> = events
            .iter()
            .filter(|event| event["event"] == "permission")
            .collect();
        assert_eq!(told.len(), 1, "{}", ran.out);
        assert_eq!(told[0]["decision"], decision, "{}", ran.out);
        let record = shell.record();
        let outcome = record
            .iter()
            .find_map(|message| message["result"].get("outcome"))
            .expect("an answer");
        match chosen {
            "" => assert_eq!(outcome["outcome"], "cancelled"),
            id => assert_eq!(outcome["optionId"], id),
        }
    }
}
