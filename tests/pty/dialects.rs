//! A whole conversation in each dialect: start, session, a prompt with a tool call and a permission,
//! cancel, the session opened again, quit.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    client,
    permission::wait_open,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

/// An agent with words of its own.
struct Agent {
    /// As the profile has it, in TOML.
    dialect: &'static str,
    initialize: Value,
    new: Value,
    /// Entries besides.
    rest: Value,
    /// Says "let me see", announces a call "Read notes.txt", asks with an option "Do it", ends the
    /// call.
    turn: Value,
    stop: &'static str,
    /// The method by which the session is opened again.
    reopens: &'static str,
}

fn line(message: &Value) -> Value {
    json!({"raw": format!("{message}\n")})
}

fn told(update: Value) -> Value {
    line(&json!({"method": "session/update", "params": {"sessionId": "sess-1", "update": update}}))
}

fn v1_permission() -> Value {
    json!({"request": {"id": "q", "method": "session/request_permission", "params": {
        "toolCall": {"toolCallId": "c1"},
        "options": [
            {"optionId": "do", "name": "Do it", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    }}})
}

fn v1_turn() -> Value {
    json!([
        {"text": "let me see"},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Read notes.txt",
            "kind": "execute", "status": "pending"}},
        v1_permission(),
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}},
    ])
}

fn v1(dialect: &'static str) -> Agent {
    Agent {
        dialect,
        initialize: json!({"protocolVersion": 1, "agentCapabilities": {
            "loadSession": true, "sessionCapabilities": {"resume": {}},
        }}),
        new: json!({"sessionId": "sess-1"}),
        rest: json!([]),
        turn: v1_turn(),
        stop: "end_turn",
        reopens: "session/resume",
    }
}

/// Plays it, and hands over the client that has been left.
fn conversation(agent: Agent) -> Tui {
    let mut scenario = vec![
        json!({"on": "initialize", "reply": agent.initialize}),
        json!({"on": "session/new", "reply": agent.new}),
        json!({"on": "session/prompt", "do": agent.turn, "reply": {"stopReason": agent.stop}}),
        json!({"on": "session/prompt", "do": [{"text": "working"}, {"until_cancel": 30_000}],
            "reply": {"stopReason": "cancelled"}}),
    ];
    scenario.extend(agent.rest.as_array().cloned().unwrap_or_default());
    let speaks_v1 = matches!(agent.dialect, "\"v1\"" | "\"auto\"");
    let setup = client(scenario.into());
    let setup = if speaks_v1 { setup } else { setup.in_dialect() };
    let mut tui = setup
        .config(&format!("dialect = {}\n", agent.dialect))
        .args(&["--wire", "wire.jsonl"])
        .start();
    wait_ready(&tui);
    tui.keys("go on<enter>");
    wait_open(&tui);
    let screen = tui.screen();
    assert!(screen.contains("Do it"), "{screen}");
    tui.keys("1");
    let outcome = &tui.wait_answer("q")["result"]["outcome"];
    assert_eq!(outcome, &json!({"outcome": "selected", "optionId": "do"}));
    wait_ready(&tui);
    let screen = tui.screen();
    for said in ["let me see", "notes.txt"] {
        assert!(screen.contains(said), "{screen}");
    }
    assert!(
        !screen.contains("session/update"),
        "not understood: {screen}"
    );
    tui.keys("more<enter>");
    tui.wait_for("working");
    tui.keys("<esc>");
    tui.wait_method("session/cancel");
    tui.wait_for("stopped");
    wait_ready(&tui);
    tui.keys("<f5>");
    let reopened = tui.wait_method(agent.reopens);
    assert_eq!(reopened["params"]["sessionId"], "sess-1");
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    tui.assert_restored();
    tui
}

fn log(tui: &Tui) -> String {
    std::fs::read_to_string(tui.project().join("wire.jsonl")).expect("the wire log")
}

#[test]
fn an_agent_of_today_speaks_under_v1_and_auto() {
    for dialect in ["\"v1\"", "\"auto\""] {
        let tui = conversation(v1(dialect));
        assert!(!log(&tui).contains("\"v1\":"));
    }
}

// What a profile adds to our words does an agent that speaks v1 no harm.
#[test]
fn an_agent_of_today_speaks_under_every_older_preset() {
    conversation(v1("[\"banjo\", \"auto\"]"));
    conversation(v1("\"opencode-2025\""));
    conversation(Agent {
        // It would refuse a version as text (D-03).
        initialize: json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}),
        reopens: "session/load",
        ..v1("\"claude-code-acp-old\"")
    });
}

// D-01, D-02, D-06, D-07, D-09, D-20
#[test]
fn a_conversation_in_the_words_of_banjo() {
    let tui = conversation(Agent {
        dialect: "\"banjo\"",
        initialize: json!({"protocolVersion": 1, "agentCapabilities": {}}),
        turn: json!([
            told(json!({"kind": "text", "content": "let me see"})),
            told(json!({"kind": "tool_use", "title": "Read notes.txt", "id": "c1"})),
            v1_permission(),
            told(json!({"kind": "tool_result", "content": "12 lines"})),
        ]),
        reopens: "unstable_resumeSession",
        ..v1("")
    });
    let log = log(&tui);
    assert!(
        log.contains("\"v1\":{\"jsonrpc\":\"2.0\",\"method\":\"session/update\""),
        "{log}"
    );
    assert!(
        log.contains("\"kind\":\"tool_use\""),
        "the raw form is there too: {log}"
    );
    assert_eq!(tui.count("session/resume"), 0);
}

// D-12, D-15, D-21, D-22
#[test]
fn a_conversation_in_the_words_of_opencode_2025() {
    conversation(Agent {
        dialect: "\"opencode-2025\"",
        initialize: json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true},
            "authMethods": [{"id": "login", "name": "Login", "description": "Run `opencode auth login`"}]}),
        new: json!({"sessionId": "sess-1", "models": {"currentModelId": "big", "availableModels": [
            {"modelId": "big", "name": "Big Pickle"}, {"modelId": "small", "name": "Small"},
        ]}}),
        turn: json!([
            {"text": "let me see"},
            {"update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Read notes.txt",
                "kind": "read", "status": "pending", "locations": [{"path": "notes.txt"}]}},
            v1_permission(),
            {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}},
        ]),
        reopens: "session/load",
        ..v1("")
    });
}

// D-03, D-04, D-08, D-10, D-11, D-23
#[test]
fn a_conversation_in_the_words_of_the_old_claude_code_acp() {
    let tui = conversation(Agent {
        dialect: "\"claude-code-acp-old\"",
        initialize: json!({"protocolVersion": "0.12.0", "agentCapabilities": {"loadSession": true}}),
        rest: json!([{"on": "wire", "bare": true}]),
        turn: json!([
            line(&json!({"method": "session/update", "params": {"update": {"type": "text", "text": "let me "}}})),
            line(&json!({"method": "session/update", "params": {"update": {"content": {"type": "text", "text": "see"}}}})),
            {"request": {"id": "q", "as_is": true, "method": "session/request_permission", "params": {
                "title": "Read notes.txt", "description": "all of it",
                "options": [{"id": "do", "label": "Do it"}, {"id": "no", "label": "No"}],
            }}},
        ]),
        reopens: "session/load",
        ..v1("")
    });
    let initialize = tui.wait_method("initialize");
    assert_eq!(initialize["params"]["protocolVersion"], "0.12.0");
}

// D-07, D-08, D-10, D-11, D-23: and all of it without a word in the profile.
#[test]
fn what_can_be_detected_is_understood_and_told_once() {
    let tui = conversation(Agent {
        dialect: "\"auto\"",
        turn: json!([
            told(json!({"kind": "text", "content": "let me see"})),
            told(json!({"kind": "tool_use", "title": "Read notes.txt"})),
            {"request": {"id": "q", "as_is": true, "method": "session/request_permission", "params": {
                "title": "Write it", "options": [{"id": "do", "label": "Do it"}, {"id": "no", "label": "No"}],
            }}},
            told(json!({"kind": "tool_result", "content": "12 lines"})),
            told(json!({"kind": "error", "content": "the disk is nearly full"})),
        ]),
        stop: "endTurn",
        ..v1("")
    });
    assert!(tui.wrote("the disk is nearly full"));
    assert!(tui.wrote("an older dialect of ACP was detected"));
}

fn chunk(id: u64, text: &str) -> Value {
    json!({"request": {"id": id, "as_is": true, "method": "streamMessageChunk", "params": {
        "threadId": "t-1", "chunk": {"type": "text", "chunk": text},
    }}})
}

fn thread(id: u64, method: &str, mut params: Value) -> Value {
    params["threadId"] = json!("t-1");
    json!({"request": {"id": id, "as_is": true, "method": method, "params": params}})
}

fn threads(scenario: Value) -> Setup {
    client(scenario)
        .in_dialect()
        .config("protocol = \"threads\"\n")
        .file("notes.txt", "one\ntwo\nthree\n")
        .file("src/a.rs", "")
}

// D-30, D-32, D-33, D-35, D-36, D-37, D-38, D-39, D-40, D-41, D-42
#[test]
fn a_conversation_in_threads() {
    let mut tui = threads(json!([
        {"on": "wire", "bare": true},
        {"on": "createThread", "reply": {"threadId": "t-1"}},
        {"on": "openThread", "reply": null},
        {"on": "sendMessage", "do": [
            chunk(100, "let me see"),
            thread(101, "readTextFile", json!({"path": "notes.txt", "lineOffset": 1, "lineLimit": 1})),
            thread(102, "readBinaryFile", json!({"path": "notes.txt", "byteLimit": 3})),
            thread(103, "stat", json!({"path": "src"})),
            thread(104, "stat", json!({"path": "/etc/passwd"})),
            thread(105, "globSearch", json!({"pattern": "**/*.rs"})),
        ], "reply": null},
        {"on": "sendMessage", "do": [
            chunk(200, "working"), {"wait_file": "go"}, chunk(201, "not to be seen"),
        ], "reply": null},
    ]))
    .start();
    wait_ready(&tui);
    tui.keys("look around<enter>");
    tui.wait_for("let me see");
    let looked = |id: u64| tui.wait_answer(id)["result"].clone();
    assert_eq!(looked(101), json!({"version": 0, "content": "two\n"}));
    assert_eq!(looked(102), json!({"version": 0, "content": "b25l"}));
    assert_eq!(looked(103), json!({"exists": true, "isDirectory": true}));
    assert_eq!(looked(104), json!({"exists": false, "isDirectory": false}));
    let matches = looked(105)["matches"].clone();
    assert!(
        matches[0]
            .as_str()
            .is_some_and(|path| path.ends_with("/project/src/a.rs")),
        "{matches}"
    );
    wait_ready(&tui);
    tui.keys("more<enter>");
    tui.wait_for("working");
    tui.keys("<esc>");
    tui.wait_for("Stopping");
    tui.allow("go");
    tui.wait_for("stopped");
    assert_eq!(tui.wait_answer(201)["error"]["code"], -32800);
    wait_ready(&tui);
    assert!(!tui.screen().contains("not to be seen"));
    tui.keys("<f5>");
    assert_eq!(
        tui.wait_method("openThread")["params"],
        json!({"threadId": "t-1"})
    );
    wait_ready(&tui);
    let received = tui.received();
    assert!(
        received
            .iter()
            .all(|message| message.get("jsonrpc").is_none())
    );
    assert_eq!(
        received[0],
        json!({"id": 0, "method": "createThread", "params": null})
    );
    tui.keys("<c-d>");
    tui.wait_exit();
    tui.assert_restored();
}

// D-33, D-34
#[test]
fn a_thread_is_opened_again_with_its_history() {
    let tui = threads(json!([
        {"on": "wire", "bare": true},
        {"on": "openThread", "reply": null},
        {"on": "getThreadEntries", "reply": {"entries": [
            {"type": "message", "role": "user", "chunks": [{"type": "text", "chunk": "the question"}]},
            {"type": "message", "role": "assistant", "chunks": [{"type": "text", "chunk": "the answer"}]},
            {"type": "readFile", "path": "notes.txt", "content": "one"},
        ]}},
    ]))
    .args(&["--resume", "t-1"])
    .start();
    let screen = tui.wait_for("the answer");
    assert!(
        screen.contains("the question") && screen.contains("notes.txt"),
        "{screen}"
    );
}

// D-43
#[test]
fn an_agent_of_threads_without_a_profile_is_told_about() {
    let tui = client(json!([
        {"on": "wire", "bare": true},
        {"on": "initialize", "error": {"code": -32601, "message": "Method not found: initialize"}},
    ]))
    .start();
    tui.wait_for("protocol = \"threads\"");
}

// D-24, D-06
#[test]
fn modes_that_only_the_profile_names_are_set_in_the_agents_words() {
    let tui = client(json!([]))
        .in_dialect()
        .config("dialect = [\"auto\", \"mode-param\"]\nmodes = [\"default\", \"plan\"]\nmode = \"plan\"\n")
        .start();
    let sent = tui.wait_method("session/set_mode");
    assert_eq!(
        (&sent["params"]["mode"], &sent["params"]["modeId"]),
        (&json!("plan"), &json!("plan"))
    );
    wait_ready(&tui);
    tui.wait_for("plan");
    tui.keys("<s-tab>");
    tui.wait("the other mode", |tui| {
        (tui.count("session/set_mode") == 2).then_some(())
    });
}

/// Asks with options that have an id and a label, and no kind.
fn asks_by_label(allow: Value) -> Tui {
    let ask = json!({"request": {"id": "q", "as_is": true, "method": "session/request_permission",
        "params": {"title": "Execute bash", "description": "Run: npm test",
            "options": [allow, {"id": "deny", "label": "Deny"}]}}});
    let setup = client(json!([{"on": "session/prompt", "do": [ask, {"text": "went on"}]}]));
    let tui = setup.in_dialect().start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    wait_open(&tui);
    tui
}

// D-23
#[test]
fn an_approval_without_a_kind_is_told_as_one_everywhere() {
    let mut tui = asks_by_label(json!({"id": "allow", "label": "Allow"}));
    tui.keys("y");
    assert_eq!(
        tui.wait_answer("q")["result"]["outcome"]["optionId"],
        "allow"
    );
    tui.keys("<c-o>");
    let screen = tui.wait_for("allowed by you");
    assert!(!screen.contains("denied"), "{screen}");
    leave(&mut tui);
    assert!(stored(&tui).contains(r#""allowed":true"#));
}

#[test]
fn an_answer_of_which_nobody_says_what_it_means_is_told_as_it_was_given() {
    let mut tui = asks_by_label(json!({"id": "do", "label": "Go about it"}));
    tui.keys("1");
    assert_eq!(tui.wait_answer("q")["result"]["outcome"]["optionId"], "do");
    let screen = tui.wait_for("answered: Go about it");
    assert!(!screen.contains("denied"), "{screen}");
    leave(&mut tui);
    let stored = stored(&tui);
    assert!(
        stored.contains("Go about it") && !stored.contains(r#""allowed""#),
        "{stored}"
    );
}

/// Quits once the turn is over: before, the key only asks.
fn leave(tui: &mut Tui) {
    tui.wait_for("went on");
    tui.settle(Duration::from_millis(200));
    tui.keys("<c-d>");
    tui.wait_exit();
}

/// All that is stored of the sessions.
fn stored(tui: &Tui) -> String {
    let folder = tui.path("home").join(".local/state/acp-tui/sessions");
    let files = std::fs::read_dir(&folder).expect("sessions are stored");
    files
        .flatten()
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect()
}
