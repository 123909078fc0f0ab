//! What a run leaves in the store.

use std::fs;

use serde_json::json;

use super::*;

#[test]
fn what_a_run_said_is_stored_as_with_a_screen_and_gone_on_with() {
    let shell = scripted(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
            "sessionCapabilities": {"resume": {}}}}},
        {"on": "session/prompt", "do": [{"text": "an answer"}]},
    ]));
    let ran = shell.run(&["run", "a question"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = shell.run(&["run", "--continue", "--format", "jsonl", "and on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = lines(&ran.out);
    let texts = told.iter().filter(|record| record["event"] == "text");
    assert_eq!(texts.count(), 1, "{}", ran.out);
    let list = listed(&shell);
    assert_eq!(list.len(), 1, "{list:?}");
    let shown = shell
        .run(&["sessions", "show", list[0]["id"].as_str().unwrap()])
        .out;
    assert_eq!(shown.matches("an answer").count(), 2, "{shown}");
    for text in ["> a question", "> and on"] {
        assert_eq!(shown.matches(text).count(), 1, "{shown}");
    }
}

#[test]
fn sessions_that_look_alike_are_told_apart() {
    let shell = scripted(prompt(json!([{"text": "an answer"}])));
    for prompt in ["the same", "the same", "another"] {
        assert_eq!(shell.run(&["run", prompt]).code, 0);
    }
    let list = shell.run(&["sessions"]).out;
    assert_eq!(list.matches("the same (started 20").count(), 2, "{list}");
    assert!(list.contains("another\n"), "{list}");
}

#[test]
fn a_run_stores_nothing_where_that_is_not_wanted_and_says_where_it_cannot() {
    let shell = scripted(prompt(json!([{"text": "an answer"}])));
    let state = shell.path().join(".local/state");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("acp-tui"), "no folder").unwrap();
    let ran = shell.run(&["run", "go"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "an answer\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("this conversation is not stored"),
        "{}",
        ran.err
    );
    fs::remove_file(state.join("acp-tui")).unwrap();
    let config = fs::read_to_string(shell.path().join(".config/acp-tui/config.toml")).unwrap();
    shell.config(&format!("{config}\n[sessions]\nkeep = 0\n"));
    assert_eq!(shell.run(&["run", "go"]).code, 0);
    assert!(listed(&shell).is_empty());
}

#[test]
fn a_run_that_was_killed_leaves_what_was_said_and_a_mark() {
    let shell = scripted(prompt(json!([{"text": "half an answer"}, {"hang": true}])));
    let child = start(&shell, &["run", "go"]);
    let stored = || {
        let folder = shell.path().join(".local/state/acp-tui/sessions");
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        files
            .map(|file| fs::read_to_string(file.path()).unwrap_or_default())
            .collect::<String>()
    };
    wait_for(|| stored().contains("half an answer"));
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    let shown = shell.run(&["sessions", "show", &id]).out;
    assert!(!shown.contains("cut off"), "it goes on: {shown}");
    signal(&child, rustix::process::Signal::KILL);
    let mut child = child;
    child.wait().unwrap();
    for args in [["sessions", "show", &id], ["sessions", "export", &id]] {
        let shown = shell.run(&args).out;
        assert!(shown.contains("cut off: acp-tui ended here"), "{shown}");
    }
}

#[test]
fn a_run_whose_session_cannot_be_stored_says_so_once() {
    let shell = scripted(prompt(json!([{"text": "an answer"}])));
    let state = shell.path().join(".local/state");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("acp-tui"), "in the way").unwrap();
    let log = shell.path().join("log").display().to_string();
    let ran = shell.run(&["run", "--log", &log, "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "an answer\n"));
    assert_eq!(ran.err.matches("is not stored").count(), 1, "{}", ran.err);
}
