//! Other programs on our terminal, and the overlays that the person opens.

use serde_json::json;

use crate::{client, on_prompt, ready, wait_ready};

#[test]
fn the_draft_goes_to_the_editor_and_comes_back() {
    let setup = client(json!([])).script(
        "editor",
        "#!/bin/sh\necho THE EDITOR SPEAKS\ncat \"$1\" > \"$HOME/seen\"\nprintf 'line one\\nline two\\n' > \"$1\"\nread line\n",
    );
    let editor = setup.path("editor").display().to_string();
    let tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    tui.keys("my draft");
    tui.wait_for("❯ my draft");
    tui.keys("<c-g>");
    let screen = tui.wait_for("THE EDITOR SPEAKS");
    assert!(!screen.contains("my draft"), "the normal screen: {screen}");
    tui.keys("\r");
    let screen = tui.wait_for("line two");
    assert!(screen.contains("❯ line one"), "{screen}");
    let seen = std::fs::read_to_string(tui.path("home/seen")).expect("what the editor saw");
    assert_eq!(seen, "my draft");
    tui.settle(std::time::Duration::from_millis(50));
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["line one\nline two"]);
}

#[test]
fn an_editor_that_fails_costs_nothing() {
    let tui = client(json!([])).env("EDITOR", "no-such-editor").start();
    wait_ready(&tui);
    tui.keys("my draft<c-g>");
    tui.wait_for("no-such-editor");
    tui.wait_for("❯ my draft");
}

#[test]
fn the_agent_goes_on_while_the_editor_has_the_terminal() {
    let setup = client(on_prompt(json!([
        {"text": "before"}, {"wait_file": "go"}, {"flood": {"kind": "text", "chunks": 5_000}}, {"text": "\n\nafter"},
    ])))
    .script("editor", "#!/bin/sh\necho THE EDITOR SPEAKS\nread line\n");
    let editor = setup.path("editor").display().to_string();
    let tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("before");
    tui.keys("<c-g>");
    tui.wait_for("THE EDITOR SPEAKS");
    tui.allow("go");
    tui.keys("\r");
    tui.wait_for("after");
    wait_ready(&tui);
}

#[test]
fn f3_shows_the_transcript_in_the_pager() {
    let setup = client(on_prompt(json!([{"text": "an **answer**"}])))
        .script("pager", "#!/bin/sh\ncat > \"$HOME/paged\"\necho PAGED\n");
    let pager = setup.path("pager").display().to_string();
    let tui = setup.env("PAGER", &pager).start();
    wait_ready(&tui);
    tui.keys("a question<enter>");
    tui.wait_for("an answer");
    wait_ready(&tui);
    tui.keys("<f3>");
    let paged = tui.wait("the pager", |tui| {
        std::fs::read_to_string(tui.path("home/paged"))
            .ok()
            .filter(|text| text.contains("answer"))
    });
    assert!(paged.contains("a question"), "{paged}");
    assert!(!paged.contains('\u{1b}'), "{paged}");
    wait_ready(&tui);
}

#[test]
fn ctrl_c_in_the_pager_is_the_pagers() {
    let setup = client(json!([])).script(
        "pager",
        "#!/bin/sh\ntrap 'caught=yes' INT QUIT\ncat > /dev/null\necho PAGED\n\
         while [ -z \"$caught\" ]; do sleep 0.05; done\n",
    );
    let pager = setup.path("pager").display().to_string();
    let tui = setup.env("PAGER", &pager).start();
    wait_ready(&tui);
    for key in ["<c-c>", "\u{1c}"] {
        tui.keys("<f3>");
        tui.wait_for("PAGED");
        tui.keys(key);
        wait_ready(&tui);
    }
    tui.keys("still here");
    tui.wait_for("❯ still here");
}

#[test]
fn the_palette_finds_an_action_by_name_and_runs_it() {
    let tui = ready(json!([]));
    tui.keys("<c-p>");
    tui.wait_for("Actions");
    tui.keys("all keys");
    tui.wait_for("Show all keys");
    tui.keys("<enter>");
    tui.wait_for("Start a new line");
    tui.keys("<esc>");
    wait_ready(&tui);
}

#[test]
fn f1_and_a_question_mark_show_the_keys() {
    let tui = ready(json!([]));
    for key in ["<f1>", "?"] {
        tui.keys(key);
        tui.wait_for("Send the prompt");
        tui.keys("<esc>");
        tui.wait_gone("Send the prompt");
    }
    // In a draft it is typed.
    tui.keys("why?");
    tui.wait_for("❯ why?");
}

#[test]
fn a_key_can_be_bound_anew() {
    let tui = client(json!([]))
        .config("[keys]\nhelp = [\"ctrl-k\"]\n")
        .start();
    wait_session(&tui);
    tui.keys("<c-k>");
    tui.wait_for("Send the prompt");
}

/// The usual hint names another key here.
fn wait_session(tui: &crate::Tui) {
    tui.wait_for("ctrl-k keys");
}
