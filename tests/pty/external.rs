//! Other programs on our terminal, and the overlays that the person opens.

use rustix::process::Signal;
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
    tui.keys("<f3><f3>");
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
        tui.keys("<f3><f3>");
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

/// Leaves modes on, as one that crashes does, and hears nothing.
const STUBBORN: &str = "#!/bin/sh\ntrap '' HUP TERM\ncat > /dev/null &\n\
     printf '\\033[?1049h\\033[?1003h\\033[?1006h\\033[>1u'\nstty raw -echo\n\
     echo IT SPEAKS\nwhile :; do sleep 1000; done\n";

#[test]
fn told_to_end_while_the_editor_is_open_it_ends_both_and_keeps_the_draft() {
    for (signal, script) in [
        (Signal::TERM, STUBBORN),
        (
            Signal::HUP,
            "#!/bin/sh\nstty raw -echo\necho IT SPEAKS\nsleep 1000; sleep 1001\n",
        ),
        (Signal::USR1, STUBBORN),
    ] {
        let mut setup = client(json!([])).script("editor", script);
        let editor = setup.path("editor").display().to_string();
        setup = setup.env("EDITOR", &editor);
        let mut tui = setup.start();
        wait_ready(&tui);
        tui.keys("half a thought");
        tui.wait_for("❯ half a thought");
        tui.keys("<c-g>");
        tui.wait_for("IT SPEAKS");
        tui.signal(signal);
        assert_eq!(tui.wait_exit().code(), Some(130));
        tui.assert_restored();
        tui.assert_nothing_left();
        drop(tui);
        let tui = setup.start();
        tui.wait_for("❯ half a thought");
    }
}

#[test]
fn what_the_editor_had_saved_is_the_draft_when_both_are_ended() {
    let mut setup = client(json!([])).script(
        "editor",
        "#!/bin/sh\necho saved by then > \"$1\"\necho IT SPEAKS\nexec sleep 1000\n",
    );
    let editor = setup.path("editor").display().to_string();
    setup = setup.env("EDITOR", &editor);
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("half a thought<c-g>");
    tui.wait_for("IT SPEAKS");
    tui.signal(Signal::TERM);
    tui.wait_exit();
    drop(tui);
    setup.start().wait_for("❯ saved by then");
}

#[test]
fn a_terminal_that_is_closed_ends_the_editor_and_the_pager_too() {
    for (variable, key) in [("EDITOR", "<c-g>"), ("PAGER", "<f3><f3>")] {
        let setup = client(json!([])).script("program", STUBBORN);
        let program = setup.path("program").display().to_string();
        let mut tui = setup.env(variable, &program).start();
        wait_ready(&tui);
        tui.keys(key);
        tui.wait_for("IT SPEAKS");
        tui.hang_up();
        tui.wait_exit();
        tui.assert_nothing_left();
    }
}

#[test]
fn what_an_editor_leaves_on_is_turned_off_before_our_own_modes() {
    let setup = client(json!([])).script(
        "editor",
        "#!/bin/sh\nprintf '\\033[?1049h\\033[?1003h\\033[?1006h\\033[>1u'\nstty raw -echo\n",
    );
    let editor = setup.path("editor").display().to_string();
    let mut tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    tui.keys("my draft<c-g>");
    let raw = tui.wait("the way back", |tui| {
        let raw = String::from_utf8_lossy(&tui.raw()).into_owned();
        let (_, after) = raw.split_once("\x1b[>1u")?;
        after.contains("\x1b[>5u").then(|| after.to_owned())
    });
    let (clean_up, _) = raw.split_once("\x1b[>5u").expect("ours");
    for off in [
        "\x1b[?1000l",
        "\x1b[?1002l",
        "\x1b[?1003l",
        "\x1b[?1006l",
        "\x1b[?1004l",
        "\x1b[?1047l",
        "\x1b[=0u",
        "\x1b[<16u",
    ] {
        assert!(clean_up.contains(off), "{off:?} in {clean_up:?}");
    }
    assert!(clean_up.rfind("\x1b[?1049h") > clean_up.rfind("\x1b[?1047l"));
    tui.wait_for("❯ my draft");
    tui.keys("<c-c><c-d>");
    tui.wait_exit();
    tui.assert_restored();
}
