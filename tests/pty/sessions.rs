//! Several sessions at once.

use serde_json::{Value, json};

use crate::{GUARD, client, ready, wait_ready};

fn line(message: &Value) -> Value {
    json!({"raw": format!("{message}\n")})
}

fn said(session: &str, text: &str) -> Value {
    line(
        &json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": session,
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}},
        }}),
    )
}

fn ask(session: &str) -> Value {
    line(
        &json!({"jsonrpc": "2.0", "id": 70, "method": "session/request_permission", "params": {
            "sessionId": session,
            "toolCall": {"toolCallId": "t", "title": "touch it", "kind": "execute"},
            "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}],
        }}),
    )
}

// V1-SES-02, V1-PERM-08
#[test]
fn a_second_session_on_the_same_agent_and_the_first_one_asks() {
    let tui = ready(json!([
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "do": [{"text": "the first works"}], "no_reply": true},
        {"on": "session/prompt", "do": [
            said("sess-1", " and goes on"),
            ask("sess-1"),
            said("sess-2", "the second is done"),
        ]},
    ]));
    tui.keys("one<enter>");
    tui.wait_for("the first works");
    tui.keys("draft of the first<c-n>");
    tui.wait_for("+1, 1 working");
    assert!(!tui.screen().contains("the first works"));
    assert!(!tui.screen().contains("draft of the first"));
    assert_eq!(tui.count("initialize"), 1);
    assert_eq!(tui.count("session/new"), 2);
    tui.keys("two<enter>");
    tui.wait_for("the second is done");
    tui.wait_for("1 session waits");
    assert!(!tui.screen().contains("touch it"));
    tui.keys("<c-s>");
    tui.wait_for("1 question waits");
    tui.keys("<enter>");
    tui.wait_for("and goes on");
    tui.wait_for("touch it");
    assert!(tui.screen().contains("draft of the first"));
    tui.keys("<c-u>");
    std::thread::sleep(GUARD);
    tui.keys("y");
    tui.wait("the answer", |tui| {
        let received = tui.received();
        let answer = received.iter().find(|m| m["id"] == 70)?;
        (answer["result"]["outcome"]["optionId"] == "yes").then_some(())
    });
}

#[test]
fn a_session_is_ended_from_the_list_and_its_draft_comes_back() {
    let tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
            "sessionCapabilities": {"close": {}}}}},
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
    ]));
    tui.keys("one<enter>");
    wait_ready(&tui);
    tui.keys("<c-n>");
    tui.wait_for("+1");
    tui.keys("not sent yet<c-s><c-s>");
    tui.wait_for("nothing said yet");
    tui.keys("<c-x>");
    tui.wait_method("session/close");
    tui.keys("<esc>");
    tui.wait_gone("+1");
    tui.wait_for("not sent yet");
    tui.wait_for("one");
}

// V1-TERM-17
#[test]
fn every_session_ends_with_the_client() {
    let mut tui = client(json!([{"on": "session/prompt", "no_reply": true}])).start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_method("session/prompt");
    tui.keys("<c-n>");
    tui.wait_for("+1, 1 working");
    tui.keys("<c-d><c-d>");
    let status = tui.wait_exit();
    assert!(status.success(), "{status:?}");
    tui.assert_nothing_left();
}

#[test]
fn another_agent_comes_beside_a_session_in_which_something_was_said() {
    let tui = ready(json!([]));
    tui.keys("one<enter>");
    wait_ready(&tui);
    tui.keys("<f6>demo<enter>");
    tui.wait_for("+1");
    tui.keys("<c-s>");
    tui.wait_for("Sessions");
    tui.keys("one<enter>");
    tui.wait_for("▌ one");
}

fn keeper(caps: Value) -> Value {
    json!({"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
        "loadSession": true, "sessionCapabilities": caps}}})
}

// V1-SES-12, V1-SES-08, V1-SES-14
#[test]
fn sessions_that_the_agent_has_kept_are_opened_and_deleted_from_the_list() {
    let page = |ids: &[(&str, &str)], next: Value| {
        let sessions: Vec<Value> = ids
            .iter()
            .map(|(id, title)| json!({"sessionId": id, "cwd": "/p", "title": title}))
            .collect();
        json!({"on": "session/list", "reply": {"sessions": sessions, "nextCursor": next}})
    };
    let tui = ready(json!([
        keeper(json!({"list": {}, "delete": {}, "close": {}})),
        page(&[("old-1", "mend the parser")], json!("")),
        page(&[("old-2", "write the docs")], Value::Null),
        {"on": "session/load", "do": [said("old-2", "what was said then")], "reply": null},
    ]));
    tui.keys("<c-s>");
    tui.wait_for("write the docs");
    tui.wait_for("mend the parser");
    let cursors: Vec<Value> = tui
        .received()
        .iter()
        .filter(|m| m["method"] == "session/list")
        .map(|m| m["params"]["cursor"].clone())
        .collect();
    assert_eq!(cursors, [Value::Null, json!("")]);
    tui.keys("parser<c-x>");
    tui.wait_for("deletes that session for good");
    assert_eq!(tui.count("session/delete"), 0);
    tui.keys("<c-x>");
    tui.wait_method("session/delete");
    tui.wait_gone("mend the parser");
    tui.keys("<c-u>docs<enter>");
    tui.wait_for("what was said then");
    assert_eq!(tui.count("initialize"), 1);
    let load = tui.wait_method("session/load");
    assert_eq!(load["params"]["sessionId"], "old-2");
}

// V1-SES-16
#[test]
fn a_session_is_forked_where_the_agent_can() {
    let tui = ready(json!([
        keeper(json!({"fork": {}})),
        {"on": "session/fork", "reply": {"sessionId": "sess-2"}},
    ]));
    tui.keys("one<enter>");
    wait_ready(&tui);
    tui.keys("<c-p>fork-session<enter>");
    let fork = tui.wait_method("session/fork");
    assert_eq!(fork["params"]["sessionId"], "sess-1");
    // What was said before the fork stands above it.
    let screen = tui.wait_for("forked: this session continues");
    assert!(screen.contains("▌ one"), "{screen}");
    tui.keys("two<enter>");
    tui.wait("the second prompt", |tui| {
        (tui.count("session/prompt") == 2).then_some(())
    });
    let prompts = tui.received();
    let last = prompts.iter().rfind(|m| m["method"] == "session/prompt");
    assert_eq!(last.expect("a prompt")["params"]["sessionId"], "sess-2");
}

// V1-SES-15, V1-PERM-02
#[test]
fn ending_a_session_at_work_answers_what_is_open_and_closes_it() {
    let tui = ready(json!([
        keeper(json!({"close": {}})),
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "do": [{"text": "works"}, ask("sess-1")], "no_reply": true},
    ]));
    tui.keys("one<enter>");
    tui.wait_for("touch it");
    tui.keys("<c-n>");
    tui.wait_for("1 session waits");
    tui.keys("<c-s>");
    tui.wait_for("1 question waits");
    tui.keys("<c-x>");
    tui.wait_for("ctrl-x again stops what is running");
    assert_eq!(tui.count("session/close"), 0);
    tui.keys("<c-x>");
    tui.wait_method("session/close");
    let received = tui.received();
    let at = |fits: &dyn Fn(&Value) -> bool| received.iter().position(fits).expect("received");
    let cancel = at(&|m| m["method"] == "session/cancel");
    let answer = at(&|m| m["id"] == 70 && m["result"]["outcome"]["outcome"] == "cancelled");
    let close = at(&|m| m["method"] == "session/close");
    assert!(cancel < answer && answer < close, "{received:?}");
    assert_eq!(received[close]["params"]["sessionId"], "sess-1");
}

#[test]
fn quitting_while_another_session_works_takes_two_presses() {
    let mut tui = ready(json!([
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "do": [{"text": "works"}], "no_reply": true},
    ]));
    tui.keys("one<enter>");
    tui.wait_for("works");
    tui.keys("<c-n>");
    tui.wait_for("+1, 1 working");
    tui.keys("<c-d>");
    tui.wait_for("ctrl-d again stops every session and quits");
    assert!(tui.is_running());
    tui.keys("<c-d>");
    assert!(tui.wait_exit().success());
    tui.assert_nothing_left();
}

#[test]
fn no_second_process_is_started_beside_one_that_still_starts() {
    let tui = client(json!([
        {"on": "initialize", "do": [{"wait_file": "go"}]},
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
    ]))
    .start();
    tui.wait_method("initialize");
    // Something typed is something said: the session is not replaced.
    tui.keys("one<enter>");
    tui.wait_for("queued");
    tui.keys("<c-n>");
    tui.wait_for("+1");
    tui.allow("go");
    wait_ready(&tui);
    tui.wait("both sessions", |tui| {
        (tui.count("session/new") == 2).then_some(())
    });
    assert_eq!(tui.count("initialize"), 1);
}

#[test]
fn on_leaving_each_session_in_which_something_was_said_is_named() {
    let mut tui = ready(json!([
        keeper(json!({})),
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
        {"on": "session/new", "reply": {"sessionId": "sess-3"}},
    ]));
    tui.keys("one<enter>");
    wait_ready(&tui);
    tui.keys("<c-n>");
    tui.wait_for("+1");
    tui.keys("two<enter>");
    tui.wait_for("▌ two");
    wait_ready(&tui);
    tui.keys("<c-n>");
    tui.wait_for("+2");
    tui.keys("<c-d>");
    assert!(tui.wait_exit().success());
    let screen = tui.screen();
    for (id, named) in [("sess-1", true), ("sess-2", true), ("sess-3", false)] {
        let line = format!("--resume {id} ");
        assert_eq!(screen.contains(&line), named, "{id}: {screen}");
    }
}

#[test]
fn a_session_that_nobody_can_know_is_no_reason_to_open_another() {
    let mut setup = client(json!([]));
    setup.args.splice(.., ["--resume".into(), "zzz".into()]);
    setup.config_file = Some("[ui]\nmotion = false\n".into());
    let mut tui = setup.start();
    assert_eq!(tui.wait_exit().code(), Some(2));
    let screen = tui.screen();
    assert!(screen.contains("no stored sessions yet"), "{screen}");
}

/// An agent that resumes and cannot load: nothing is replayed.
fn resumer() -> Value {
    json!({"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
        "sessionCapabilities": {"resume": {}}}}})
}

/// The scenario of the next process, which is there once the file that a step writes is.
fn next_process(setup: &crate::support::setup::Setup, scenario: &Value) -> Value {
    let text = scenario.to_string();
    json!({"spawn": {"argv": ["sh", "-c", format!("printf '%s' \"$1\" > '{}'", setup.path("scenario.json").display()), "sh", text]}})
}

// V1-RPC-19, V1-SES-11
#[test]
fn after_the_agents_end_one_key_opens_all_its_sessions_again() {
    let setup = client(json!([]));
    let next = json!([
        resumer(),
        {"on": "session/prompt", "do": [said("sess-2", "again at work")]},
    ]);
    let next = next_process(&setup, &next);
    let tui = setup
        .scenario(json!([
            resumer(),
            {"on": "session/new"},
            {"on": "session/new", "reply": {"sessionId": "sess-2"}},
            {"on": "session/new", "reply": {"sessionId": "sess-3"}},
            {"on": "session/prompt", "do": [ask("sess-1")], "no_reply": true},
            {"on": "session/prompt", "do": [said("sess-2", "the second works")], "no_reply": true},
            {"on": "session/prompt", "do": [next, {"sleep": 300}, {"exit": 3}]},
        ]))
        .start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_for("touch it");
    tui.keys("<c-n>");
    tui.wait_for("1 session waits");
    tui.keys("two<enter>");
    tui.wait_for("the second works");
    tui.keys("waits its turn<enter>");
    tui.wait_for("queued 1");
    tui.keys("draft of the second<c-n>");
    tui.wait("the third", |tui| {
        (tui.count("session/new") == 3).then_some(())
    });
    tui.wait_gone("the second works");
    tui.keys("three<enter>");
    tui.wait_for("F5 restarts it");
    tui.keys("<f5>");
    tui.wait("all three resumed", |tui| {
        (tui.count("session/resume") == 3).then_some(())
    });
    assert_eq!(tui.count("initialize"), 2);
    assert_eq!(tui.count("session/new"), 3);
    wait_ready(&tui);
    let screen = tui.screen();
    assert!(!screen.contains("no agent runs"), "{screen}");
    tui.keys("<c-s>");
    tui.wait_for("Sessions");
    tui.keys("two<enter>");
    let screen = tui.wait_for("the second works");
    assert!(screen.contains("draft of the second"), "{screen}");
    assert_eq!(screen.matches("the second works").count(), 1, "{screen}");
    assert!(screen.contains("waits its turn"), "{screen}");
    tui.keys("<c-u><enter>");
    tui.wait_for("again at work");
}

// V1-SES-02
#[test]
fn starting_the_agent_again_leaves_a_turn_of_another_session_alone_until_its_end() {
    let setup = client(json!([]));
    let next = json!([resumer()]);
    let next = next_process(&setup, &next);
    let tui = setup
        .scenario(json!([
            resumer(),
            {"on": "session/new", "do": [next]},
            {"on": "session/new", "reply": {"sessionId": "sess-2"}},
            {"on": "session/prompt", "do": [
                said("sess-1", "begun"), {"wait_file": "go"}, said("sess-1", " and done"),
            ]},
        ]))
        .start();
    wait_ready(&tui);
    tui.keys("<c-n>");
    tui.wait("both", |tui| (tui.count("session/new") == 2).then_some(()));
    tui.keys("<c-s>");
    tui.wait_for("Sessions");
    tui.keys("<up><enter>");
    tui.wait_gone("Sessions");
    tui.keys("one<enter>");
    tui.wait_for("begun");
    tui.keys("<c-s>");
    tui.wait_for("working");
    tui.keys("<down><enter>");
    tui.wait_for("1 working");
    tui.keys("<f5>");
    tui.wait("the second process", |tui| {
        (tui.count("session/resume") == 1).then_some(())
    });
    tui.wait_for("1 working");
    tui.allow("go");
    tui.wait("the first came along", |tui| {
        (tui.count("session/resume") == 2).then_some(())
    });
    assert_eq!(tui.count("initialize"), 2);
    tui.keys("<c-s>");
    tui.wait_for("Sessions");
    tui.keys("one<enter>");
    tui.wait_for("begun and done");
    tui.wait_for("restarting the agent");
}

// V1-CAN-09
#[test]
fn a_load_that_takes_long_is_given_up_by_two_presses_of_esc() {
    let tui = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1, "agentCapabilities": {"loadSession": true},
        }},
        {"on": "session/load", "do": [{"wait_file": "go"}],
         "error": {"code": -32800, "message": "Request cancelled"}},
    ]))
    .args(&["--resume", "old"])
    .start();
    let load = tui.wait_method("session/load");
    tui.keys("<esc>");
    tui.wait_for("again cancels opening the session");
    assert_eq!(tui.count("$/cancel_request"), 0);
    tui.keys("<esc>");
    let cancel = tui.wait_method("$/cancel_request");
    assert_eq!(cancel["params"]["requestId"], load["id"]);
    tui.allow("go");
    tui.wait_for("A new session is opened");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new"), 1);
}

// V1-CAN-09
#[test]
fn closing_the_list_gives_up_what_it_waits_for() {
    let tui = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1,
            "agentCapabilities": {"sessionCapabilities": {"list": {}}},
        }},
        {"on": "session/list", "no_reply": true},
    ]))
    .start();
    wait_ready(&tui);
    tui.keys("<c-s>");
    tui.wait_for("for earlier sessions");
    let list = tui.wait_method("session/list");
    tui.keys("<esc>");
    let cancel = tui.wait_method("$/cancel_request");
    assert_eq!(cancel["params"]["requestId"], list["id"]);
    // Asked for anew, it is no longer waited for than it takes.
    tui.keys("<c-s>");
    tui.wait_for("for earlier sessions");
    tui.wait_for("did not list its sessions: no answer within 20 s");
}

#[test]
fn an_agent_that_dies_keeps_no_list_waiting() {
    let tui = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1,
            "agentCapabilities": {"sessionCapabilities": {"list": {}}},
        }},
        {"on": "session/list", "do": [{"wait_file": "die"}, {"exit": 3}]},
    ]))
    .start();
    wait_ready(&tui);
    tui.keys("<c-s>");
    tui.wait_for("for earlier sessions");
    tui.allow("die");
    tui.wait_gone("for earlier sessions");
    tui.wait_for("ended with exit code 3");
}

// V1-SES-20
#[test]
fn sessions_are_renamed_from_their_list() {
    let tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
            "sessionCapabilities": {"list": {}, "title": {}}}}},
        {"on": "session/list", "reply": {"sessions": [
            {"sessionId": "old-1", "cwd": "/p", "title": "long ago"}]}},
        {"on": "session/set_title", "reply": {"title": "The Parser"}},
        {"on": "session/set_title", "reply": {"title": "Older"}},
    ]));
    tui.keys("one<enter>");
    wait_ready(&tui);
    tui.keys("<c-s>");
    tui.wait_for("long ago");
    tui.keys("<f2>");
    tui.wait_for("Rename the session");
    tui.keys("<c-u>the parser<enter>");
    let sent = tui.wait_method("session/set_title");
    assert_eq!(
        sent["params"],
        json!({"sessionId": "sess-1", "title": "the parser"})
    );
    // What the agent keeps.
    tui.wait_for("The Parser");
    tui.keys("long ago");
    tui.wait_gone("The Parser");
    tui.keys("<f2>");
    tui.wait_for("Rename the session");
    tui.keys("<c-u>older<enter>");
    tui.wait("the second call", |tui| {
        (tui.count("session/set_title") == 2).then_some(())
    });
    let received = tui.received();
    let last = received
        .iter()
        .rfind(|m| m["method"] == "session/set_title");
    let params = &last.expect("it was called")["params"];
    assert_eq!(*params, json!({"sessionId": "old-1", "title": "older"}));
    tui.keys("<c-u>");
    tui.wait_gone("long ago");
    tui.wait_for("Older");
}

#[test]
fn behind_the_last_session_the_agents_are_offered_and_no_list_stands_in_their_way() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [{"text": "works"}], "no_reply": true},
    ]));
    tui.keys("one<enter>");
    tui.wait_for("works");
    tui.keys("<c-s>");
    tui.wait_for("working");
    tui.keys("<c-x>");
    tui.wait_for("ctrl-x again stops what is running");
    tui.keys("<c-x>");
    let screen = tui.wait_gone("ctrl-x again stops what is running");
    assert!(!screen.contains("Sessions"), "{screen}");
    // What is typed as the agents come up is the draft's.
    std::thread::sleep(GUARD);
    tui.keys("demo<enter>");
    tui.wait_for("tell Demo what to do");
    tui.keys("typed");
    tui.wait_for("❯ typed");
    assert!(!tui.screen().contains("Sessions"), "{}", tui.screen());
}

fn asks_in_the_fork(id: u64, method: &str, params: &Value) -> Value {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

#[test]
fn a_side_question_is_answered_while_the_turn_goes_on_and_leaves_nothing() {
    let tui = ready(json!([
        keeper(json!({"fork": {}, "close": {}, "delete": {}, "list": {}})),
        {"on": "session/list", "reply": {"sessions": [
            {"sessionId": "sess-2", "cwd": "$cwd", "title": "the fork"},
            {"sessionId": "old-1", "cwd": "$cwd", "title": "an old one"},
        ]}},
        {"on": "session/fork", "do": [said("sess-2", "before its name")], "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "do": [{"text": "the turn works"}], "no_reply": true},
        {"on": "session/prompt", "do": [
            asks_in_the_fork(71, "session/request_permission", &json!({
                "sessionId": "sess-2",
                "toolCall": {"toolCallId": "t", "title": "touch it", "kind": "execute"},
                "options": [
                    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"},
                ],
            })),
            asks_in_the_fork(72, "fs/write_text_file", &json!({
                "sessionId": "sess-2", "path": "written.txt", "content": "x",
            })),
            asks_in_the_fork(73, "terminal/create", &json!({
                "sessionId": "sess-2", "command": "touch", "args": ["ran"],
            })),
            asks_in_the_fork(74, "fs/read_text_file", &json!({
                "sessionId": "sess-2", "path": "notes.txt",
            })),
            asks_in_the_fork(75, "fs/read_text_file", &json!({
                "sessionId": "sess-2", "path": "/etc/hostname",
            })),
            said("sess-2", "Because of **this**."),
            said("sess-1", " and goes on"),
        ]},
    ]));
    std::fs::write(tui.project().join("notes.txt"), "noted").expect("it is written");
    tui.keys("one<enter>");
    tui.wait_for("the turn works");
    tui.keys("/btw why is that so?<enter>");
    tui.wait_for("Answered in");
    let screen = tui.wait_for("4 requests denied: side question");
    assert!(screen.contains("Because of this."), "{screen}");
    assert!(!screen.contains("touch it"), "{screen}");
    let answer = |id: u64| {
        tui.wait("an answer", |tui| {
            let received = tui.received();
            received
                .into_iter()
                .find(|m| m["id"] == id && m["method"].is_null())
        })
    };
    assert_eq!(answer(71)["result"]["outcome"]["optionId"], "no");
    assert_eq!(answer(74)["result"]["content"], "noted");
    for denied in [72, 73, 75] {
        assert!(answer(denied)["error"].is_object(), "{denied}");
    }
    tui.keys("<esc>");
    let close = tui.wait_method("session/close");
    assert_eq!(close["params"]["sessionId"], "sess-2");
    let delete = tui.wait_method("session/delete");
    assert_eq!(delete["params"]["sessionId"], "sess-2");
    let screen = tui.wait_gone("Side question");
    assert!(screen.contains("the turn works and goes on"), "{screen}");
    for gone in ["Because", "before its name", "skipped", "btw", "deleted"] {
        assert!(!screen.contains(gone), "{gone}: {screen}");
    }
    assert_eq!(tui.count("session/cancel"), 0);
    assert_eq!(tui.count("session/new"), 1);
    assert!(!tui.project().join("written.txt").exists());
    // Nor is it among the sessions.
    tui.keys("<c-s>");
    let screen = tui.wait_for("an old one");
    assert!(!screen.contains("the fork"), "{screen}");
}
