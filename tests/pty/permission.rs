//! The agent asks whether it may: every way to answer, and every way not to.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{GUARD, client, on_prompt, ready, support::pty::Tui, wait_ready};

/// A request for permission with the four usual options.
pub fn ask(id: &str, command: &str) -> Value {
    ask_with(
        id,
        command,
        json!([
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "ever", "name": "Yes, and always", "kind": "allow_always"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
            {"optionId": "never", "name": "No, and never", "kind": "reject_always"},
        ]),
    )
}

fn ask_with(id: &str, command: &str, options: Value) -> Value {
    json!({"request": {"id": id, "method": "session/request_permission", "params": {
        "toolCall": {
            "toolCallId": format!("tool-{id}"), "title": format!("Run `{command}`"), "kind": "execute",
            "rawInput": {"command": command},
        },
        "options": options,
    }}})
}

fn detached(mut step: Value) -> Value {
    step["async"] = json!(true);
    step
}

/// A turn that asks about `rm -r build`, with the dialog ready for an answer.
fn asked() -> Tui {
    let tui = ready(on_prompt(
        json!([ask("q", "rm -r build"), {"text": "went on"}]),
    ));
    tui.keys("clean up<enter>");
    wait_open(&tui);
    tui
}

/// Waits until a question is there and its guard is open.
#[track_caller]
pub fn wait_open(tui: &Tui) {
    tui.wait_for("wants to");
    std::thread::sleep(GUARD);
}

#[track_caller]
fn assert_chosen(tui: &Tui, id: &str, option: &str) {
    let outcome = &tui.wait_answer(id)["result"]["outcome"];
    assert_eq!(outcome["outcome"], "selected", "{outcome}");
    assert_eq!(outcome["optionId"], option);
}

#[track_caller]
fn assert_cancelled(tui: &Tui, id: &str) {
    assert_eq!(
        tui.wait_answer(id)["result"]["outcome"],
        json!({"outcome": "cancelled"})
    );
}

// V1-PERM-01
#[test]
fn each_key_gives_the_answer_it_names() {
    for (keys, option) in [
        ("1", "yes"),
        ("4", "never"),
        ("y", "yes"),
        ("a", "ever"),
        ("n", "no"),
        ("N", "never"),
        ("<down><enter>", "yes"),
        ("<down><down><enter>", "ever"),
        ("<up><enter>", "never"),
    ] {
        let tui = asked();
        tui.keys(keys);
        assert_chosen(&tui, "q", option);
        tui.wait_for("went on");
    }
}

#[test]
fn the_question_is_whole_and_the_transcript_keeps_the_answer() {
    let tui = asked();
    let screen = tui.screen();
    for part in ["rm -r build", "1 ", "Yes, and always", "No, and never"] {
        assert!(screen.contains(part), "{part} in\n{screen}");
    }
    tui.keys("y");
    tui.wait_for("went on");
    assert!(
        !tui.screen().contains("allowed by you"),
        "it goes on: that says it"
    );
    // All there is to know of it.
    tui.keys("<c-o>");
    tui.wait_for("allowed by you");
}

#[test]
fn enter_answers_nothing_that_was_not_selected() {
    let tui = asked();
    tui.keys("<enter>");
    std::thread::sleep(Duration::from_millis(100));
    assert!(tui.screen().contains("wants to"));
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    // The enter was a key like others: the guard begins again.
    std::thread::sleep(GUARD);
    tui.keys("n");
    assert_chosen(&tui, "q", "no");
}

// V1-PERM-11
#[test]
fn keys_in_flight_go_to_the_draft_and_answer_nothing() {
    let tui = ready(on_prompt(
        json!([{"wait_file": "go"}, ask("q", "rm -r build")]),
    ));
    tui.keys("clean up<enter>");
    tui.wait_method("session/prompt");
    tui.keys("yyyy");
    tui.allow("go");
    for _ in 0..40 {
        tui.keys("y");
        std::thread::sleep(Duration::from_millis(10));
    }
    tui.keys("1<enter>");
    tui.wait_for("wants to");
    tui.wait_for(&format!("❯ {}1", "y".repeat(44)));
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    assert_eq!(tui.prompts(), ["clean up"]);
    std::thread::sleep(GUARD);
    tui.keys("y");
    // A letter is the draft's also after the pause.
    tui.wait_for(&format!("❯ {}1y", "y".repeat(44)));
    std::thread::sleep(GUARD);
    tui.keys("<down><enter>");
    assert_chosen(&tui, "q", "yes");
    tui.wait_for(&format!("❯ {}1y", "y".repeat(44)));
}

#[test]
fn a_word_typed_after_a_pause_approves_nothing_while_there_is_a_draft() {
    let tui = ready(on_prompt(
        json!([{"wait_file": "go"}, ask("q", "rm -rf build")]),
    ));
    tui.keys("clean up<enter>");
    tui.wait_method("session/prompt");
    tui.keys("and can ");
    tui.wait_for("❯ and can");
    tui.allow("go");
    wait_open(&tui);
    tui.wait_for("typing goes to the draft");
    for (word, draft) in [("you ", "and can you"), ("2", "and can you 2")] {
        std::thread::sleep(GUARD);
        for letter in word.chars() {
            tui.keys(&letter.to_string());
            std::thread::sleep(Duration::from_millis(20));
        }
        tui.wait_for(&format!("❯ {draft}"));
    }
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    std::thread::sleep(GUARD);
    tui.keys("<down><enter>");
    assert_chosen(&tui, "q", "yes");
    tui.wait_for("❯ and can you 2");
}

#[test]
fn e_rejects_and_takes_the_reason() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [ask("q", "rm -r build"), {"until_cancel": 300}]},
        {"on": "session/prompt", "do": [{"text": "understood"}]},
    ]));
    tui.keys("clean up<enter>");
    wait_open(&tui);
    tui.keys("e");
    tui.wait_for("why: enter answers, esc goes back");
    tui.keys("never mind<esc>");
    tui.wait_gone("why:");
    tui.keys("e");
    tui.wait_for("why:");
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    tui.keys("keep the logs<enter>");
    assert_chosen(&tui, "q", "no");
    tui.wait_for("understood");
    assert_eq!(tui.prompts(), ["clean up", "keep the logs"]);
}

// V1-PERM-02, V1-CAN-05
#[test]
fn esc_stops_the_turn_cancel_first_then_the_answers() {
    let tui = ready(json!([{"on": "session/prompt", "do": [
        detached(ask("one", "make")), detached(ask("two", "make test")), detached(ask("three", "make install")),
        {"until_cancel": 30_000}, detached(ask("late", "make clean")), {"sleep": 200},
    ], "reply": {"stopReason": "cancelled"}}]));
    tui.keys("build<enter>");
    tui.wait_for("1 of 3");
    tui.keys("<esc>");
    for id in ["one", "two", "three", "late"] {
        assert_cancelled(&tui, id);
    }
    let received = tui.received();
    let cancel = received
        .iter()
        .position(|m| m["method"] == "session/cancel")
        .expect("a cancel");
    let first = received
        .iter()
        .position(|m| m["id"] == "one")
        .expect("an answer");
    assert!(cancel < first);
    assert_eq!(tui.count("session/cancel"), 1);
    wait_ready(&tui);
    tui.wait_gone("wants to");
}

// V1-PERM-08
#[test]
fn several_are_asked_one_after_the_other() {
    let tui = ready(on_prompt(json!([
        detached(ask("one", "make")), detached(ask("two", "make test")), {"wait_file": "go"},
    ])));
    tui.keys("build<enter>");
    tui.wait_for("1 of 2");
    std::thread::sleep(GUARD);
    tui.keys("y");
    assert_chosen(&tui, "one", "yes");
    tui.wait_gone("1 of 2");
    // The next one has a guard of its own: the same hand's second press is no answer.
    tui.keys("y");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(
        tui.received().iter().filter(|m| m["id"] == "two").count(),
        0
    );
    std::thread::sleep(GUARD);
    tui.keys("<backspace>");
    tui.wait_gone("❯ y");
    std::thread::sleep(GUARD);
    tui.keys("n");
    assert_chosen(&tui, "two", "no");
    tui.allow("go");
    wait_ready(&tui);
}

// V1-PERM-09, V1-CAN-10
#[test]
fn a_question_that_the_agent_withdraws_is_gone() {
    let tui = ready(on_prompt(json!([
        detached(ask("q", "rm -r build")), {"wait_file": "go"},
        {"raw": "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"q\"}}\n"},
        {"text": "never mind"},
    ])));
    tui.keys("clean up<enter>");
    tui.wait_for("wants to");
    tui.allow("go");
    tui.wait_for("never mind");
    tui.wait_gone("wants to");
    let answer = tui.wait_answer("q");
    assert!(
        answer["error"]["code"] == -32800 || answer["result"]["outcome"]["outcome"] == "cancelled",
        "{answer}"
    );
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 1);
}

// V1-PERM-04
#[test]
fn an_option_of_unknown_kind_is_offered_and_two_of_a_kind_are_selected_only() {
    let tui = ready(on_prompt(json!([ask_with(
        "q",
        "make",
        json!([
            {"optionId": "a", "name": "Allow in this folder", "kind": "allow_once"},
            {"optionId": "b", "name": "Allow everywhere", "kind": "allow_once"},
            {"optionId": "c", "name": "Let a friend decide", "kind": "delegate"},
        ])
    )])));
    tui.keys("go<enter>");
    wait_open(&tui);
    tui.keys("y");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    tui.keys("3");
    assert_chosen(&tui, "q", "c");
}

// V1-RPC-18
#[test]
fn other_requests_are_answered_while_a_question_is_open() {
    let setup = client(on_prompt(json!([
        detached(ask("q", "make")),
        {"request": {"id": "read", "method": "fs/read_text_file", "params": {"path": "$cwd/a.txt"}}},
        {"text": "read it"},
        {"wait_file": "go"},
    ])))
    .file("a.txt", "content");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("wants to");
    assert_eq!(tui.wait_answer("read")["result"]["content"], "content");
    tui.wait_for("read it");
    assert!(tui.screen().contains("wants to"));
}

#[test]
fn the_conversation_scrolls_under_an_open_question() {
    let lines: String = (0..60).map(|n| format!("line {n}\n\n")).collect();
    let tui = ready(on_prompt(json!([{"text": lines}, ask("q", "make")])));
    tui.keys("go<enter>");
    tui.wait_for("wants to");
    tui.wait_for("line 59");
    tui.keys("<c-home>");
    let screen = tui.wait_for("line 0");
    assert!(screen.contains("wants to"), "{screen}");
}

// V1-PERM-06
#[test]
fn a_rule_answers_by_itself_and_the_transcript_says_which() {
    let setup = client(on_prompt(json!([
        ask("build", "cargo test --all"),
        ask("danger", "rm -rf /"),
        {"text": "both decided"},
    ])))
    .size(100, 40)
    .config(
        "[permissions]\nrules = [\n{ command = \"cargo test\", decision = \"allow\" },\n\
         { command = \"rm\", decision = \"deny\" },\n]\n",
    );
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    let screen = tui.wait_for("both decided");
    assert_chosen(&tui, "build", "yes");
    assert_chosen(&tui, "danger", "no");
    assert!(screen.contains("denied by rule"), "{screen}");
    tui.keys("<c-o>");
    tui.wait_for("allowed by rule");
}

#[test]
fn read_only_rejects_what_changes_something() {
    let setup = client(on_prompt(json!([
        ask("run", "make"),
        {"request": {"id": "write", "method": "fs/write_text_file", "params": {
            "path": "$cwd/new.txt", "content": "x",
        }}},
        {"request": {"id": "command", "method": "terminal/create", "params": {"command": "touch", "args": ["made"]}}},
        {"text": "nothing done"},
    ])))
    .args(&["--policy", "read-only"]);
    let tui = setup.start();
    wait_ready(&tui);
    tui.wait_for("read-only");
    tui.keys("go<enter>");
    tui.wait_for("nothing done");
    assert_chosen(&tui, "run", "no");
    assert!(tui.wait_answer("write")["error"].is_object());
    assert!(tui.wait_answer("command")["error"].is_object());
    assert_eq!(
        std::fs::read_dir(tui.project()).expect("a folder").count(),
        0
    );
}

// V1-UPD-12
#[test]
fn control_characters_in_a_command_are_made_visible() {
    let tui = ready(on_prompt(json!([ask(
        "q",
        "echo safe \u{1b}[2K\u{202e}# rm -r build"
    )])));
    tui.keys("go<enter>");
    tui.wait_for("wants to");
    let screen = tui.wait_for("<U+202E>");
    assert!(screen.contains("rm -r build"), "{screen}");
    assert!(!tui.wrote("\u{1b}[2K"));
}

#[test]
fn a_long_command_is_never_cut_and_can_be_shown_whole() {
    let lines: Vec<String> = (0..40).map(|n| format!("echo step number {n}")).collect();
    let tui = ready(on_prompt(json!([ask("q", &lines.join("\n"))])));
    tui.keys("go<enter>");
    let screen = tui.wait_for("ctrl-o all");
    assert!(screen.contains("No, and never"), "options stay: {screen}");
    assert!(
        screen.contains(" lines"),
        "what is hidden is counted: {screen}"
    );
    tui.keys("<c-o>");
    tui.keys("<c-end>");
    tui.wait_for("step number 39");
    tui.wait_for("No, and never");
    tui.keys("<c-o>");
    tui.wait_for("ctrl-o all");
}

#[test]
fn d_shows_the_whole_diff_of_an_edit_and_esc_leads_back() {
    let new: String = (0..100).map(|n| format!("row {n}\n")).collect();
    let tui = ready(on_prompt(
        json!([{"request": {"id": "q", "method": "session/request_permission", "params": {
            "toolCall": {
                "toolCallId": "t", "title": "Edit rows.txt", "kind": "edit",
                "content": [{"type": "diff", "path": "$cwd/rows.txt", "oldText": null, "newText": new}],
            },
            "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}],
        }}}]),
    ));
    tui.keys("go<enter>");
    wait_open(&tui);
    tui.wait_for("+100");
    tui.keys("d");
    tui.wait_for("n p hunk");
    tui.keys("<esc>");
    tui.wait_for("d full diff");
    assert_eq!(tui.count("session/cancel"), 0);
    // Neither key was typing; and the answers stand below the diff as well.
    tui.settle(Duration::from_millis(500));
    tui.keys("d");
    let screen = tui.wait_for("n p hunk");
    assert!(
        screen.contains("row 3") && screen.contains("1 y"),
        "{screen}"
    );
    // The key that opened it might have been a word's first letter.
    tui.settle(Duration::from_millis(500));
    tui.keys("1");
    assert_chosen(&tui, "q", "yes");
    tui.wait_gone("n p hunk");
}

#[test]
fn accept_edits_allows_edits_inside_the_workspace_only() {
    let edit = |id: &str, path: &str| {
        json!({"request": {"id": id, "method": "session/request_permission", "params": {
            "toolCall": {
                "toolCallId": id, "title": format!("Edit {path}"), "kind": "edit",
                "locations": [{"path": path}],
                "content": [{"type": "diff", "path": path, "oldText": "a", "newText": "b"}],
            },
            "options": [
                {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"},
            ],
        }}})
    };
    let setup = client(on_prompt(json!([
        edit("inside", "$cwd/src/a.rs"),
        edit("outside", "/etc/hosts"),
    ])))
    .args(&["--policy", "accept-edits"]);
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    assert_chosen(&tui, "inside", "yes");
    let screen = tui.wait_for("outside the workspace");
    assert!(screen.contains("/etc/hosts"), "{screen}");
    assert_eq!(
        tui.received()
            .iter()
            .filter(|m| m["id"] == "outside")
            .count(),
        0
    );
}

#[test]
fn a_link_out_of_the_workspace_is_asked_about_with_where_it_leads() {
    let setup = client(on_prompt(json!([{"request": {
        "id": "q", "method": "session/request_permission", "params": {
            "toolCall": {
                "toolCallId": "q", "title": "Edit", "kind": "edit",
                "content": [{"type": "diff", "path": "$cwd/slink/s.txt", "oldText": "a", "newText": "b"}],
            },
            "options": [
                {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"},
            ],
        },
    }}])));
    let secret = setup.path("secret");
    std::fs::create_dir_all(&secret).expect("made");
    std::fs::write(secret.join("s.txt"), "a").expect("written");
    std::fs::create_dir_all(setup.path("project")).expect("made");
    std::os::unix::fs::symlink("../secret", setup.path("project/slink")).expect("linked");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    let screen = tui.wait_for("! slink/s.txt leads to");
    assert!(screen.contains("/secret/s.txt, which is"), "{screen}");
}
