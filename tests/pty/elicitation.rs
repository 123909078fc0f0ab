//! Forms and pages of the agent, in a real terminal with real keys.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{GUARD, client, on_prompt, ready, support::pty::Tui, wait_ready};

/// A request with id `q`.
fn elicit(params: Value) -> Value {
    json!({"request": {"id": "q", "method": "elicitation/create", "params": params}})
}

fn form(properties: Value, required: Value) -> Value {
    elicit(json!({
        "mode": "form", "message": "What shall it be?",
        "requestedSchema": {"type": "object", "properties": properties, "required": required},
    }))
}

fn page(url: &str) -> Value {
    elicit(json!({
        "mode": "url", "message": "Sign in there.", "elicitationId": "page-1", "url": url,
    }))
}

/// A turn that asks; the question is on the screen.
fn asked(steps: Value) -> Tui {
    let tui = ready(on_prompt(steps));
    tui.keys("go<enter>");
    tui.wait_for("asks you");
    // The enter that sent the prompt was a key as well.
    std::thread::sleep(GUARD);
    tui
}

/// Answers with what was selected, once that is seen: an answer counts only then.
#[track_caller]
fn confirm(tui: &Tui, answer: &str) {
    tui.wait_for(&format!("❯ {answer}"));
    tui.keys("<enter>");
}

fn answer(tui: &Tui) -> Value {
    tui.wait_answer("q")["result"].clone()
}

/// Every kind of field. Keys are in the order in which `json!` writes them.
fn all_fields() -> Value {
    form(
        json!({
            "a": {"type": "string", "title": "Name", "minLength": 3, "pattern": "^[a-z]+$"},
            "b": {"type": "string", "title": "Mail", "format": "email"},
            "c": {"type": "string", "title": "Region", "oneOf": [
                {"const": "eu-1", "title": "Europe"}, {"const": "us-1", "title": "America"}]},
            "d": {"type": "integer", "title": "Copies", "minimum": 1, "default": 9_007_199_254_740_993_i64},
            "e": {"type": "number", "title": "Share", "maximum": 1},
            "f": {"type": "boolean", "title": "Public"},
            "g": {"type": "array", "title": "Checks", "maxItems": 2,
                "items": {"type": "string", "enum": ["lint", "test", "load"]}, "default": ["load"]},
            "h": {"type": "color", "title": "Tint"},
        }),
        json!(["a", "c", "f"]),
    )
}

// V1-ELI-01, V1-ELI-05, V1-ELI-06, V1-ELI-07, V1-ELI-08, V1-ELI-09, V1-ELI-10, V1-ELI-11,
// V1-ELI-12
#[test]
fn a_form_with_every_kind_of_field_is_filled_in_and_sent() {
    let tui = client(on_prompt(json!([all_fields(), {"text": "went on"}])))
        .size(100, 40)
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    let screen = tui.wait_for("asks you");
    for part in [
        "What shall it be?",
        "Name *",
        "Tint",
        "Send",
        "Decline",
        "Dismiss",
    ] {
        assert!(screen.contains(part), "{part} in\n{screen}");
    }
    std::thread::sleep(GUARD);
    tui.keys("x<enter>");
    tui.wait_for("at least 3 characters, not 1");
    tui.keys("<s-tab>yz<enter>me@example.com<enter>");
    tui.keys("<down><enter><tab>0.5<tab>y<tab> <tab>");
    let screen = tui.wait_for("❯ Send");
    for value in [
        "xyz",
        "me@example.com",
        "America",
        "9007199254740993",
        "0.5",
        "yes",
        "lint, load",
    ] {
        assert!(screen.contains(value), "{value} in\n{screen}");
    }
    confirm(&tui, "Send");
    assert_eq!(
        answer(&tui),
        json!({"action": "accept", "content": {
            "a": "xyz", "b": "me@example.com", "c": "us-1", "d": 9_007_199_254_740_993_i64, "e": 0.5,
            "f": true, "g": ["lint", "load"],
        }})
    );
    let screen = tui.wait_for("went on");
    assert!(screen.contains("answered: What shall it be?"), "{screen}");
}

// V1-ELI-04
#[test]
fn a_form_is_declined_or_dismissed_and_the_turn_goes_on() {
    let fields = json!({"a": {"type": "string", "title": "Name"}});
    for (keys, seen, last, action) in [
        ("<tab><tab>", "❯ Decline", "<enter>", "decline"),
        ("", "asks you", "<esc>", "cancel"),
        // What was filled in goes by two.
        ("x<esc>", "❯ Dismiss", "<esc>", "cancel"),
    ] {
        let tui = asked(json!([
            form(fields.clone(), json!([])),
            {"text": "went on"},
        ]));
        tui.keys(keys);
        tui.wait_for(seen);
        tui.keys(last);
        assert_eq!(answer(&tui), json!({"action": action}));
        tui.wait_for("went on");
        assert_eq!(tui.count("session/cancel"), 0);
    }
}

// V1-ELI-05: what is being typed fills in nothing, and the draft is kept.
#[test]
fn what_is_being_typed_goes_to_the_draft_and_answers_nothing() {
    let fields = json!({"a": {"type": "string", "title": "Name", "default": "old"}});
    let tui = ready(on_prompt(
        json!([{"wait_file": "go"}, form(fields, json!([]))]),
    ));
    tui.keys("go<enter>");
    tui.wait_method("session/prompt");
    tui.keys("and then");
    tui.wait_for("❯ and then");
    tui.allow("go");
    for _ in 0..40 {
        tui.keys("x");
        std::thread::sleep(Duration::from_millis(10));
    }
    tui.keys("<enter><enter>");
    let screen = tui.wait_for("asks you");
    assert!(screen.contains("old"), "{screen}");
    let draft = format!("and then{}", "x".repeat(40));
    tui.wait_for(&draft);
    assert_eq!(tui.prompts(), ["go"]);
    std::thread::sleep(GUARD);
    tui.keys("er<enter>");
    confirm(&tui, "Send");
    assert_eq!(answer(&tui)["content"]["a"], "older");
    tui.wait_for(&draft);
}

#[test]
fn a_whole_paste_sends_nothing_by_itself() {
    let fields = json!({"a": {"type": "string", "title": "Name"}});
    let tui = asked(json!([form(fields, json!([]))]));
    // Not bracketed: enters and all.
    tui.keys("one<enter><enter><enter>");
    tui.wait_for("❯ Send");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    tui.keys("<enter>");
    assert_eq!(answer(&tui)["content"]["a"], "one");
}

// V1-CAN-06, V1-CAN-10
#[test]
fn stopping_quitting_and_withdrawing_answer_the_form() {
    let fields = json!({"a": {"type": "string", "title": "Name"}});
    let mut step = form(fields, json!([]));
    step["async"] = json!(true);
    let tui = asked(json!([step, {"until_cancel": 30_000}]));
    tui.keys("<c-c>");
    tui.wait_method("session/cancel");
    assert_eq!(answer(&tui), json!({"action": "cancel"}));

    let mut tui = asked(json!([step, {"until_cancel": 30_000}]));
    tui.keys("<c-d><c-d>");
    assert_eq!(answer(&tui), json!({"action": "cancel"}));
    tui.wait_exit();

    let withdraw =
        json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "q"}});
    let tui = asked(json!([
        step, {"wait_file": "go"}, {"raw": format!("{withdraw}\n")}, {"text": "never mind"},
    ]));
    tui.allow("go");
    tui.wait_for("never mind");
    assert_eq!(answer(&tui), json!({"action": "cancel"}));
    tui.wait_gone("asks you");
}

// V1-ELI-02
#[test]
fn a_form_may_come_while_signing_in_before_any_session() {
    let tenant = elicit(json!({
        "requestId": 3, "mode": "form", "message": "Which tenant?",
        "requestedSchema": {"properties": {"tenant": {"type": "string"}}},
    }));
    let tui = client(json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1, "authMethods": [{"id": "sso", "name": "Single sign-on"}],
        }},
        {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
        {"on": "session/new"},
        {"on": "authenticate", "do": [tenant]},
    ]))
    .start();
    tui.wait_for("wants you to sign in");
    std::thread::sleep(GUARD);
    tui.keys("<enter>");
    tui.wait_for("Which tenant?");
    std::thread::sleep(GUARD);
    tui.keys("acme<enter>");
    confirm(&tui, "Send");
    assert_eq!(answer(&tui)["content"]["tenant"], "acme");
    wait_ready(&tui);
}

// V1-ELI-13
#[test]
fn a_secret_is_warned_about_and_kept_out_of_log_and_transcript() {
    let fields = json!({"a": {"type": "string", "title": "API token"}});
    let wire = tempfile::tempdir().expect("a folder");
    let path = wire.path().join("wire.jsonl");
    let tui = client(on_prompt(
        json!([form(fields, json!([])), {"text": "went on"}]),
    ))
    .args(&["--wire", &path.to_string_lossy()])
    .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("a form must not ask for a secret");
    std::thread::sleep(GUARD);
    tui.keys("hunter2<enter>");
    confirm(&tui, "Send");
    assert_eq!(answer(&tui)["content"]["a"], "hunter2");
    tui.wait_for("went on");
    tui.keys("<c-o>");
    let screen = tui.wait_for("API token: ***");
    assert!(!screen.contains("hunter2"), "{screen}");
    let log = tui.wait("the answer in the wire log", |_| {
        let log = std::fs::read_to_string(&path).ok()?;
        log.contains(r#""action":"accept""#).then_some(log)
    });
    assert!(!log.contains("hunter2"));
}

/// A client whose browser writes down what it was started with.
fn with_browser(script: &str, steps: Value) -> Tui {
    let setup = client(on_prompt(steps)).script("browser", &format!("#!/bin/sh\n{script}\n"));
    let browser = setup.path("browser").display().to_string();
    let visited = setup.path("visited").display().to_string();
    let tui = setup
        .env("BROWSER", &browser)
        .env("VISITED", &visited)
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("wants you to open a page");
    std::thread::sleep(GUARD);
    tui
}

fn visited(tui: &Tui) -> Option<String> {
    std::fs::read_to_string(tui.path("visited")).ok()
}

const URL: &str = "https://login.example.com/a?b=1&c='$(touch%20x)'";

// V1-ELI-14, V1-ELI-16, V1-ELI-17, V1-ELI-18
#[test]
fn a_page_is_opened_in_the_persons_browser_after_consent_only() {
    let done = json!({
        "jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "page-1"},
    });
    let done = json!({"raw": format!("{done}\n{done}\n")});
    let tui = with_browser(
        "echo \"$@\" > \"$VISITED\"",
        json!([page(URL), {"text": "went on"}, {"wait_file": "go"}, done]),
    );
    let screen = tui.screen();
    assert!(screen.contains(URL), "{screen}");
    assert!(screen.contains("it leads to login.example.com"), "{screen}");
    assert_eq!(visited(&tui), None, "nothing is fetched ahead");
    tui.keys("y");
    assert_eq!(answer(&tui), json!({"action": "accept"}));
    let line = tui.wait("a visit", |tui| {
        visited(tui).filter(|text| text.ends_with('\n'))
    });
    assert_eq!(line.trim_end(), URL);
    tui.wait_for("went on");
    tui.wait_for("page at login.example.com: opened, Fake is waiting for it");
    tui.allow("go");
    tui.wait_for("page at login.example.com: done");
    assert!(
        !tui.wrote("\x1b]8;;https://login"),
        "no link leads there unasked"
    );
}

// V1-ELI-04, V1-ELI-14
#[test]
fn a_page_that_is_declined_is_not_opened() {
    for (key, action) in [("n", "decline"), ("<esc>", "cancel")] {
        let tui = with_browser("echo \"$@\" > \"$VISITED\"", json!([page(URL)]));
        tui.keys(key);
        assert_eq!(answer(&tui), json!({"action": action}));
        assert_eq!(visited(&tui), None);
    }
}

// V1-ELI-14
#[test]
fn nothing_but_web_addresses_is_ever_asked_about() {
    let tui = ready(on_prompt(
        json!([page("file:///etc/passwd"), {"text": "went on"}]),
    ));
    tui.keys("go<enter>");
    let screen = tui.wait_for("went on");
    assert_eq!(tui.wait_answer("q")["error"]["code"], -32602);
    assert!(screen.contains("refused to open"), "{screen}");
}

// V1-ELI-19
#[test]
fn without_a_browser_the_page_is_accepted_once_the_person_says_so() {
    let tui = ready(on_prompt(json!([page(URL), {"text": "went on"}])));
    tui.keys("go<enter>");
    let screen = tui.wait_for("wants you to open a page");
    assert!(screen.contains("no desktop here"), "{screen}");
    std::thread::sleep(GUARD);
    tui.keys("1");
    tui.wait_for("(OSC 52)");
    assert_eq!(tui.received().iter().filter(|m| m["id"] == "q").count(), 0);
    tui.keys("2");
    assert_eq!(answer(&tui), json!({"action": "accept"}));
    tui.wait_for("went on");
}

// V1-ELI-19
#[test]
fn a_browser_that_fails_leaves_the_page_to_the_person() {
    let tui = with_browser("exit 3", json!([page(URL)]));
    tui.keys("y");
    let screen = tui.wait_for("it could not be opened");
    assert!(screen.contains("exit status: 3"), "{screen}");
    std::thread::sleep(GUARD);
    tui.keys("y");
    assert_eq!(answer(&tui), json!({"action": "accept"}));
}

// V1-ELI-02, V1-ELI-04
#[test]
fn what_is_asked_for_a_request_of_ours_goes_with_its_answer() {
    let tui = client(json!([
        {"on": "session/new", "do": [
            {"request": {"id": "q", "as_is": true, "method": "elicitation/create", "params": {
                "requestId": 2, "mode": "form", "message": "Which tenant?",
                "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
            }}, "async": true},
            {"wait_file": "go"},
        ]},
    ]))
    .start();
    tui.wait_for("Which tenant?");
    tui.allow("go");
    assert_eq!(answer(&tui), json!({"action": "cancel"}));
    tui.wait_gone("asks you");
    tui.wait_for("not answered: Which tenant?");
    wait_ready(&tui);
}
