//! An earlier prompt sent again: from there where the agent can, else with what was said as context.

use std::fs;

use serde_json::{Value, json};

use crate::{client, support::pty::Tui, wait_ready};

fn says(message: &str, text: &str) -> Value {
    json!({"update": {"sessionUpdate": "agent_message_chunk", "messageId": message,
        "content": {"type": "text", "text": text}}})
}

fn in_the_other(text: &str) -> Value {
    let update = json!({"sessionUpdate": "agent_message_chunk", "messageId": "m3",
        "content": {"type": "text", "text": text}});
    let params = json!({"sessionId": "sess-2", "update": update});
    let line = json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
    json!({"raw": format!("{line}\n")})
}

fn write(name: &str, text: &str) -> Value {
    json!({"write": {"path": format!("$cwd/{name}"), "text": text}})
}

/// Two prompts, the second of which changes a file.
fn answered(name: &str) -> Tui {
    let setup = client(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1,
            "agentInfo": {"name": name, "version": "1"},
            "agentCapabilities": {"sessionCapabilities": {"fork": {}}}}},
        {"on": "session/new", "reply": {"sessionId": "sess-1"}},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
        {"on": "session/fork", "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "do": [{"sleep": 1200}, says("m1", "the first answer")]},
        {"on": "session/prompt", "do": [
            {"sleep": 1200}, write("a.txt", "theirs\n"), says("m2", "the second answer")]},
        {"on": "session/prompt", "do": [in_the_other("another answer")]},
    ]));
    let tui = setup.file("a.txt", "mine\n").start();
    wait_ready(&tui);
    tui.keys("the first prompt<enter>");
    tui.wait_for("the first answer");
    tui.wait_for("Worked for");
    tui.keys("the second prompt<enter>");
    tui.wait_for("the second answer");
    tui.wait_for("in 1 file");
    // The last prompt, with more behind it.
    tui.keys("<esc>");
    tui.wait_for("esc again");
    tui.keys("<esc>");
    tui.wait_for("editing an earlier prompt");
    tui.keys(", otherwise<enter>");
    tui.wait_for("Files changed since that prompt");
    tui
}

/// The last prompt's session and its texts.
fn last_prompt(tui: &Tui) -> (String, Vec<String>) {
    tui.wait("the third prompt", |tui| {
        (tui.count("session/prompt") == 3).then_some(())
    });
    let sent = tui.received();
    let last = sent.iter().rfind(|m| m["method"] == "session/prompt");
    let params = &last.expect("a prompt")["params"];
    let blocks = params["prompt"].as_array().expect("blocks");
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    let session = params["sessionId"].as_str().expect("a session");
    (session.to_owned(), texts.map(str::to_owned).collect())
}

// V1-SES-16
#[test]
fn an_agent_that_can_is_forked_before_the_prompt_and_files_are_put_back_on_request() {
    let tui = answered("@agentclientprotocol/claude-agent-acp");
    tui.settle(crate::GUARD);
    tui.keys("<down>");
    tui.settle(crate::GUARD);
    tui.keys("<enter>");
    let fork = tui.wait_method("session/fork");
    assert_eq!(
        fork["params"]["_meta"]["jetbrains"]["air"]["fork"]["messageId"],
        "m1"
    );
    let (session, texts) = last_prompt(&tui);
    assert_eq!(
        (session.as_str(), texts),
        ("sess-2", vec!["the second prompt, otherwise".to_owned()])
    );
    let screen = tui.wait_for("another answer");
    assert!(screen.contains("the first answer"), "{screen}");
    assert!(!screen.contains("the second answer"), "{screen}");
    let text = fs::read_to_string(tui.project().join("a.txt")).unwrap();
    assert_eq!(text, "mine\n");
}

#[test]
fn an_agent_that_cannot_gets_what_was_said_as_text_and_files_stay() {
    let tui = answered("some agent");
    tui.settle(crate::GUARD);
    tui.keys("<enter>");
    let (session, texts) = last_prompt(&tui);
    assert_eq!(session, "sess-2");
    let [context, prompt] = &texts[..] else {
        panic!("{texts:?}")
    };
    assert!(context.contains("the first prompt") && context.contains("the first answer"));
    assert!(!context.contains("second"), "{context}");
    assert_eq!(prompt, "the second prompt, otherwise");
    let screen = tui.wait_for("another answer");
    assert!(
        screen.contains("cannot fork at an earlier prompt"),
        "{screen}"
    );
    let text = fs::read_to_string(tui.project().join("a.txt")).unwrap();
    assert_eq!(text, "theirs\n");
}

#[test]
fn a_prompt_that_no_session_can_be_opened_for_stays_in_the_composer() {
    let mut steps = vec![json!({"on": "initialize", "reply": {"protocolVersion": 1}})];
    for n in 1..=32 {
        let id = format!("sess-{n}");
        steps.push(json!({"on": "session/new", "reply": {"sessionId": id}}));
    }
    steps.push(json!({"on": "session/prompt", "do": [says("m1", "the answer")]}));
    let tui = client(json!(steps)).start();
    wait_ready(&tui);
    tui.keys("the prompt<enter>");
    tui.wait_for("the answer");
    wait_ready(&tui);
    for n in 1..32 {
        tui.keys("<c-n>");
        tui.wait_for(&format!("+{n}"));
    }
    // Back in the first.
    tui.keys("<c-s>");
    tui.wait_for("type to filter");
    tui.keys("the prompt");
    tui.wait_for("❯ the prompt");
    tui.keys("<enter>");
    tui.wait_for("the answer");
    tui.keys("<esc>");
    tui.wait_for("esc again");
    tui.keys("<esc>");
    tui.wait_for("editing an earlier prompt");
    tui.keys(", otherwise<enter>");
    tui.wait_for("32 sessions are open: close one first (ctrl-s)");
    let screen = tui.screen();
    assert!(screen.contains("the prompt, otherwise"), "{screen}");
    assert!(screen.contains("editing an earlier prompt"), "{screen}");
    assert_eq!(tui.count("session/prompt"), 1);
}

#[test]
fn the_review_of_a_fork_has_what_the_conversation_before_it_changed() {
    let scenario = json!([
        {"on": "initialize", "reply": {"protocolVersion": 1,
            "agentCapabilities": {"sessionCapabilities": {"fork": {}}}}},
        {"on": "session/fork", "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "do": [
            {"sleep": 1200}, write("a.txt", "theirs\n"), says("m1", "the answer")]},
    ]);
    let tui = client(scenario).file("a.txt", "mine\n").start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("in 1 file");
    tui.keys("<c-p>fork-session");
    tui.wait_for("❯ Fork session");
    tui.keys("<enter>");
    tui.wait_method("session/fork");
    tui.wait_for("+1");
    wait_ready(&tui);
    tui.send(b"\x1bOS");
    tui.wait_for("this turn");
    tui.wait_for("a.txt");
    tui.wait_for("+ theirs");
}

#[test]
fn another_agent_is_told_the_files_that_were_found_changed_and_none_that_was_only_spoken_of() {
    let call = json!({"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit",
        "kind": "edit", "status": "failed", "locations": [{"path": "denied.txt"}]}});
    let scenario = json!([
        {"on": "initialize", "reply": {"protocolVersion": 1}},
        {"on": "session/prompt", "do": [
            {"sleep": 1200}, call, {"shell": "rm gone.txt; echo made > by-command.txt"},
            says("m1", "the answer")]},
    ]);
    let mut setup = client(scenario).size(110, 30).file("gone.txt", "mine\n");
    let agent = setup.agent[0].clone();
    let files = ["other.json", "other.jsonl"].map(|name| setup.path(name));
    fs::write(&files[0], "[]").unwrap();
    setup = setup.config(&format!(
        "[agents.other]\ncommand = {agent:?}\nargs = {files:?}\n"
    ));
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("in 2 files");
    tui.keys("/handover other<enter>");
    let screen = tui.wait_for("Files that were changed: @by-command.txt");
    assert!(
        screen.contains("Files that were deleted: gone.txt"),
        "{screen}"
    );
    assert!(!screen.contains("@denied.txt"), "{screen}");
}
