//! Version 2 of the protocol, with agents that speak it and with agents that do not.

use serde_json::{Value, json};

use crate::{
    GUARD, client,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

/// An agent of version 2 that plays the scenario.
fn drafted(scenario: Value) -> Setup {
    let mut all = vec![json!({"on": "wire", "version": 2})];
    all.extend(scenario.as_array().expect("a list").iter().cloned());
    client(Value::Array(all)).config("protocol = \"2\"\n")
}

fn ready(scenario: Value) -> Tui {
    let tui = drafted(scenario).start();
    wait_ready(&tui);
    tui
}

fn on_prompt(steps: Value) -> Value {
    json!([{"on": "session/prompt", "do": steps}])
}

fn update(kind: &str, mut update: Value) -> Value {
    update["sessionUpdate"] = kind.into();
    json!({"update": update})
}

fn state(name: &str) -> Value {
    update("state_update", json!({"state": name}))
}

fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn introduced(more: Value) -> Value {
    let mut reply = json!({
        "protocolVersion": 2, "info": {"name": "fake", "title": "Fake", "version": "1"},
        "capabilities": {"session": {}},
    });
    let members = reply.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!({"on": "initialize", "reply": reply})
}

// V2-INIT-01, V2-PROMPT-01, V2-STATE-01, V2-UPD-01, V2-UPD-02
#[test]
fn a_turn_goes_on_behind_the_answer_to_its_prompt() {
    let tui = ready(on_prompt(json!([
        {"thought": "line one\nline two"},
        {"wait_file": "go"},
        {"text": "The first half"},
        update("agent_message", json!({"messageId": "agent_message_chunk-1", "content": [block("The whole")]})),
        {"text": " of it."},
    ])));
    let initialize = tui.wait_method("initialize");
    assert_eq!(initialize["params"]["protocolVersion"], 2);
    assert_eq!(initialize["params"]["info"]["name"], "acp-tui");
    tui.keys("tell me<enter>");
    // The prompt is answered by now; the agent is not done.
    let screen = tui.wait_for("esc interrupts");
    assert_eq!(screen.matches("tell me").count(), 1, "{screen}");
    tui.allow("go");
    tui.wait_for("The whole of it.");
    wait_ready(&tui);
    let screen = tui.screen();
    assert!(!screen.contains("first half"), "{screen}");
    assert_eq!(screen.matches("tell me").count(), 1, "{screen}");
    // And once more: the state ends each turn.
    tui.keys("again<enter>");
    tui.wait_method("session/prompt");
    tui.wait("the second prompt", |tui| {
        (tui.count("session/prompt") == 2).then_some(())
    });
    wait_ready(&tui);
}

// V2-UPD-03, V2-UPD-04, V2-UPD-05, V2-UPD-06
#[test]
fn tools_terminals_and_diffs_are_shown() {
    let tui = ready(on_prompt(json!([
        update("tool_call_update", json!({
            "toolCallId": "run", "title": "Run the tests", "kind": "execute", "status": "in_progress",
            "rawInput": {"command": "make test"},
        })),
        update("terminal_update", json!({"terminalId": "term", "command": "make test"})),
        update("tool_call_update", json!({
            "toolCallId": "run", "content": [{"type": "terminal", "terminalId": "term"}],
        })),
        // An emoji in two halves.
        update("terminal_output_chunk", json!({"terminalId": "term", "data": "YWxsIGdyZWVuIPCf"})),
        update("terminal_output_chunk", json!({"terminalId": "term", "data": "mIAgZG9uZQ=="})),
        update("terminal_update", json!({"terminalId": "term", "exitStatus": {"exitCode": 0}})),
        update("tool_call_update", json!({"toolCallId": "run", "status": "completed"})),
        update("tool_call_update", json!({
            "toolCallId": "edit", "title": "Edit list.rs", "kind": "edit", "status": "completed",
        })),
        update("tool_call_content_chunk", json!({"toolCallId": "edit", "content": {
            "type": "diff", "changes": [{"operation": "modify", "path": "$cwd/src/list.rs"}],
            "patch": {"format": "git_patch", "text":
                "diff --git $cwd/src/list.rs $cwd/src/list.rs\n--- $cwd/src/list.rs\n+++ $cwd/src/list.rs\n\
                 @@ -1,2 +1,2 @@\n one\n-two\n+three\n"},
        }})),
        {"text": "Finished."},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("Finished.");
    let screen = tui.screen();
    assert!(screen.contains("😀 done"), "{screen}");
    assert!(
        screen.contains("+1") && screen.contains("three"),
        "{screen}"
    );
}

fn ask(id: &str) -> Value {
    json!({"request": {"id": id, "method": "session/request_permission", "params": {
        "title": "Empty the cache?", "description": "It will be slow at first.",
        "subject": {"type": "command", "command": "rm -r cache", "cwd": "$cwd"},
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    }}})
}

// V2-PERM-01
#[test]
fn a_question_has_a_title_of_its_own_and_a_subject() {
    let tui = ready(on_prompt(json!([
        state("requires_action"),
        ask("q"),
        state("running"),
        {"text": "emptied"},
    ])));
    tui.keys("clean up<enter>");
    let screen = tui.wait_for("Empty the cache?");
    assert!(screen.contains("rm -r cache"), "{screen}");
    assert!(screen.contains("slow at first"), "{screen}");
    std::thread::sleep(GUARD);
    tui.keys("y");
    let outcome = &tui.wait_answer("q")["result"]["outcome"];
    assert_eq!(*outcome, json!({"outcome": "selected", "optionId": "yes"}));
    tui.wait_for("emptied");
    wait_ready(&tui);
}

// V2-CAN-01
#[test]
fn a_turn_is_cancelled_once_the_agent_says_so() {
    let mut question = ask("q");
    question["async"] = json!(true);
    let tui = ready(json!([{"on": "session/prompt", "stop": "cancelled", "do": [
        {"text": "working"},
        question,
        {"wait_for": "session/cancel"},
        {"text": ", and a last word"},
    ]}]));
    tui.keys("go<enter>");
    tui.wait_for("Empty the cache?");
    std::thread::sleep(GUARD);
    tui.keys("<esc>");
    tui.wait_for("and a last word");
    wait_ready(&tui);
    assert_eq!(
        tui.wait_answer("q")["result"]["outcome"],
        json!({"outcome": "cancelled"})
    );
    assert_eq!(tui.count("session/cancel"), 1);
    let screen = tui.screen();
    assert!(screen.contains("not answered"), "{screen}");
}

// V2-CAN-01
#[test]
fn a_question_that_the_agent_takes_back_is_answered_so() {
    let mut question = ask("q");
    question["async"] = json!(true);
    let tui = ready(on_prompt(json!([
        question,
        {"wait_file": "go"},
        {"raw": "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"q\"}}\n"},
        {"text": "never mind"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("Empty the cache?");
    tui.allow("go");
    tui.wait_gone("Empty the cache?");
    tui.wait_answer("q");
    tui.wait_for("never mind");
}

fn said(kind: &str, id: &str, text: &str) -> Value {
    update(kind, json!({"messageId": id, "content": [block(text)]}))
}

// V2-SES-02, V2-SES-03, V2-SES-04
#[test]
fn a_session_is_opened_again_with_its_history() {
    let tui = drafted(json!([
        {"on": "session/resume", "do": [
            said("user_message", "u1", "what was asked"),
            said("agent_message", "a1", "what was answered"),
        ]},
        {"on": "session/prompt", "do": [{"text": "and now this"}]},
    ]))
    .args(&["--resume", "sess-1"])
    .start();
    let screen = tui.wait_for("what was answered");
    wait_ready(&tui);
    assert!(screen.contains("what was asked"), "{screen}");
    let resume = &tui.wait_method("session/resume")["params"];
    assert_eq!(resume["sessionId"], "sess-1");
    assert_eq!(resume["replayFrom"], json!({"type": "start"}));
    tui.keys("more<enter>");
    tui.wait_for("and now this");
    wait_ready(&tui);
    let screen = tui.screen();
    assert_eq!(screen.matches("what was answered").count(), 1, "{screen}");
    assert_eq!(tui.count("session/new"), 0);
}

// V2-INIT-01
#[test]
fn an_agent_of_version_1_is_started_again_and_spoken_to_in_that() {
    let tui = client(on_prompt(json!([{"text": "in the old way"}])))
        .config("protocol = \"2\"\n")
        .start();
    wait_ready(&tui);
    let screen = tui.screen();
    assert_eq!(
        screen.matches("speaks version 1 of the protocol").count(),
        1,
        "{screen}"
    );
    let versions: Vec<Value> = tui
        .received()
        .into_iter()
        .filter(|message| message["method"] == "initialize")
        .map(|message| message["params"]["protocolVersion"].clone())
        .collect();
    assert_eq!(versions, [2, 1]);
    tui.keys("hello<enter>");
    tui.wait_for("in the old way");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new"), 1);
}

// V2-INIT-02
#[test]
fn an_agent_that_refuses_the_version_says_what_it_speaks() {
    let tui = drafted(json!([{"on": "initialize", "error": {
        "code": -32022, "message": "Unsupported protocol version",
        "data": {"requested": 2, "supported": [3, 4]},
    }}]))
    .start();
    let screen = tui.wait_for("does not speak version 2");
    assert!(screen.contains("only 3, 4"), "{screen}");
    assert_eq!(tui.count("session/new"), 0);
}

// V2-INIT-04
#[test]
fn an_agent_without_sessions_is_asked_for_none() {
    let tui = drafted(json!([introduced(json!({"capabilities": {}}))])).start();
    tui.wait_for("it has no sessions");
    assert_eq!(tui.count("session/new"), 0);
}

// V2-AUTH-01, V2-SES-01
#[test]
fn a_sign_in_goes_by_its_own_method() {
    let tui = drafted(json!([
        introduced(json!({"authMethods": [
            {"type": "agent", "methodId": "web", "name": "In the browser"},
            {"type": "_device", "methodId": "code", "name": "By a code"},
        ]})),
        {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
        {"on": "session/new", "do": [state("idle")], "reply": {
            "sessionId": "sess-1",
            "availableCommands": [{"type": "command", "name": "review", "description": "Looks it over"}],
        }},
    ]))
    .start();
    tui.wait_for("In the browser");
    std::thread::sleep(GUARD);
    tui.keys("<enter>");
    let login = tui.wait_method("auth/login");
    assert_eq!(login["params"], json!({"methodId": "web"}));
    wait_ready(&tui);
    tui.keys("/");
    tui.wait_for("Looks it over");
}

// V2-UPD-09
#[test]
fn what_the_agent_offers_unasked_is_set_by_type() {
    let option = |value: &str| {
        json!([{
            "configId": "model", "name": "Model", "category": "model", "type": "select",
            "currentValue": value, "options": [
                {"value": "small", "name": "Small one"}, {"value": "large", "name": "Large one"}],
        }])
    };
    let tui = drafted(json!([
        {"on": "session/new", "reply": {"sessionId": "sess-1", "configOptions": option("small")}},
        {"on": "session/set_config_option", "reply": {"configOptions": option("large")}},
    ]))
    .args(&["--model", "large"])
    .start();
    wait_ready(&tui);
    let set = tui.wait_method("session/set_config_option");
    assert_eq!(
        set["params"],
        json!({"sessionId": "sess-1", "configId": "model", "type": "id", "value": "large"})
    );
    tui.wait_for("Large one");
}

// V2-RPC-01, V2-RPC-04
#[test]
fn an_id_of_null_and_a_batch_are_no_requests() {
    let tui = ready(on_prompt(json!([
        {"raw": "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"session/request_permission\",\"params\":{}}\n"},
        {"raw": "[{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"session/request_permission\",\"params\":{}}]\n"},
        {"text": "went on"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("went on");
    wait_ready(&tui);
    let refused = tui
        .received()
        .into_iter()
        .filter(|message| message.get("method").is_none() && message["id"].is_null());
    let codes: Vec<_> = refused
        .map(|message| message["error"]["code"].clone())
        .collect();
    assert_eq!(codes, [-32600]);
}

// V2-PROMPT-03
#[test]
fn nothing_is_no_prompt() {
    let tui = ready(on_prompt(json!([{"text": "here"}])));
    tui.keys("<enter>");
    tui.settle(std::time::Duration::from_millis(100));
    tui.keys("hello<enter>");
    tui.wait_for("here");
    wait_ready(&tui);
    assert_eq!(tui.count("session/prompt"), 1);
    let sent = &tui.wait_method("session/prompt")["params"]["prompt"];
    assert_eq!(*sent, json!([block("hello")]));
}
