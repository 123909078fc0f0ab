//! Keys and answers as terminals send them, and how they are asked to.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{client, on_prompt, ready, wait_ready};

/// An agent in a turn that only a cancel ends.
fn busy() -> Value {
    on_prompt(json!([{"text": "working"}, {"until_cancel": 30_000}]))
}

#[test]
fn modified_enter_is_told_from_enter_in_both_forms() {
    for shift_enter in ["\x1b[13;2u", "\x1b[27;2;13~"] {
        let tui = ready(json!([]));
        tui.keys("one");
        tui.send(shift_enter.as_bytes());
        tui.keys("two");
        tui.wait_for("two");
        tui.settle(Duration::from_millis(50));
        tui.send(b"\x1b[13u");
        tui.wait_method("session/prompt");
        assert_eq!(tui.prompts(), ["one\ntwo"], "{shift_enter:?}");
    }
}

#[test]
fn both_keyboard_protocols_are_asked_for_and_given_back_around_an_editor() {
    let setup =
        client(json!([])).script("editor", "#!/bin/sh\necho THE EDITOR SPEAKS\nread line\n");
    let editor = setup.path("editor").display().to_string();
    let mut tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    assert!(tui.wrote("\x1b[>5u") && tui.wrote("\x1b[>4;1m"));
    assert!(!tui.wrote("\x1b[<1u") && !tui.wrote("\x1b[>4m"));
    let before = tui.raw_len();
    tui.keys("<c-g>");
    tui.wait_for("THE EDITOR SPEAKS");
    tui.assert_keyboard_given_back();
    tui.keys("\r");
    wait_ready(&tui);
    let since = String::from_utf8_lossy(&tui.raw_since(before)).into_owned();
    assert!(since.contains("\x1b[>5u") && since.contains("\x1b[>4;1m"));
    tui.keys("<c-d>");
    tui.wait_exit();
    tui.assert_restored();
}

#[test]
fn reports_that_nobody_waits_for_swallow_no_key() {
    let tui = ready(busy());
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("he");
    tui.send(b"\x1b[?2026;2$y");
    tui.keys("llo");
    tui.wait_for("❯ hello");
    tui.send(b"\x1b[?997;1n\x1b]11;rgb:3030/3434/4646\x07\x1bP>|case-term 1\x1b\\\x1b[>1;10;0c");
    tui.keys(" there");
    tui.wait_for("❯ hello there");
    tui.keys("<esc>");
    tui.wait_method("session/cancel");
}

#[test]
fn a_key_whose_bytes_come_apart_over_ssh_is_that_key() {
    let tui = client(busy())
        .env("SSH_CONNECTION", "10.0.0.2 50000 10.0.0.1 22")
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("half a draft");
    tui.wait_for("❯ half a draft");
    for keys in ["\x1b\r", "\x1b[D", "\x1b\x1b[A"] {
        for byte in keys.as_bytes() {
            tui.send(&[*byte]);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    tui.keys("!");
    tui.wait_for("!");
    assert_eq!(tui.count("session/cancel"), 0);
    assert_eq!(tui.prompts(), ["go"]);
    tui.keys("<esc>");
    tui.wait_method("session/cancel");
}

#[test]
fn the_wait_for_what_follows_an_escape_is_a_setting() {
    let tui = client(busy()).config("[ui]\nescape_delay = 1000\n").start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("one");
    tui.wait_for("❯ one");
    tui.keys("<esc>");
    std::thread::sleep(Duration::from_millis(300));
    tui.keys("<enter>two");
    let screen = tui.wait_for("two");
    assert!(screen.contains("❯ one\n"), "{screen}");
    assert_eq!(tui.count("session/cancel"), 0);
}

#[test]
fn answers_to_an_editor_are_no_text_and_no_keys() {
    let setup =
        client(json!([])).script("editor", "#!/bin/sh\necho THE EDITOR SPEAKS\nread line\n");
    let editor = setup.path("editor").display().to_string();
    let tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    tui.keys("hello");
    tui.wait_for("❯ hello");
    tui.keys("<c-g>");
    tui.wait_for("THE EDITOR SPEAKS");
    // The editor ends, and what it asked is answered.
    tui.keys("\r");
    for answer in [
        "\x1b[>1;10;0c",
        "\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
        "\x1b]11;rgb:0000/0000/0000\x07",
        "\x1bP>|case-term 1\x1b\\",
    ] {
        tui.send(answer.as_bytes());
        std::thread::sleep(Duration::from_millis(30));
    }
    tui.wait_for("❯ hello");
    tui.keys(" there");
    tui.wait_for("❯ hello there");
    tui.settle(Duration::from_millis(50));
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["hello there"]);
}

#[test]
fn what_an_editor_left_of_an_answer_is_thrown_away_and_typed_text_is_not() {
    let script = "#!/bin/sh\nold=$(stty -g)\nstty raw -echo\necho THE EDITOR SPEAKS\n\
                  dd bs=1 count=8 of=/dev/null 2>/dev/null\nsleep 0.3\nstty \"$old\"\n";
    let setup = client(json!([])).script("editor", script);
    let editor = setup.path("editor").display().to_string();
    let tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    tui.keys("hello");
    tui.wait_for("❯ hello");
    tui.keys("<c-g>");
    tui.wait_for("THE EDITOR SPEAKS");
    tui.send(b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\ typed");
    tui.wait_for("❯ hello typed");
}

#[test]
fn a_paste_without_its_end_is_delivered_and_keys_count_again() {
    let tui = ready(json!([]));
    tui.send(b"\x1b[200~one\rtwo");
    tui.wait_for("two");
    tui.send(b"\x1b[201~");
    tui.keys("!");
    tui.wait_for("two!");
    tui.settle(Duration::from_millis(50));
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["one\ntwo!"]);
}

#[test]
fn a_paste_of_a_megabyte_is_one_paste() {
    let tui = ready(json!([]));
    let text = "a line of the file that is pasted\n".repeat(30_000);
    tui.paste(&text);
    tui.wait_for("[pasted 30000 lines]");
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert!(tui.prompts() == [text]);
}

#[test]
fn a_paste_that_is_cut_is_told_and_what_comes_late_of_it_sends_nothing() {
    let tui = ready(json!([]));
    let line = "a line of a file that is far too long\n";
    let most = 16 << 20;
    tui.send(b"\x1b[200~");
    tui.send(line.repeat(most / line.len() + 1).as_bytes());
    tui.wait_for("the paste was cut at 16 MiB");
    // The end mark is late: the paste counts as over, and the rest as its own.
    std::thread::sleep(Duration::from_millis(1_200));
    tui.send(b"rest\rand more\r\x1b[201~");
    tui.keys(" typed");
    tui.wait_for("] typed");
    tui.settle(Duration::from_millis(50));
    assert_eq!(tui.count("session/prompt"), 0);
    let screen = tui.wait_for("[pasted");
    assert!(!screen.contains("and more"), "{screen}");
}

#[test]
fn a_key_that_is_no_utf8_is_told_and_the_next_one_counts() {
    let tui = ready(json!([]));
    tui.keys("caf");
    tui.wait_for("❯ caf");
    std::thread::sleep(Duration::from_millis(100));
    tui.send(b"\xe9");
    std::thread::sleep(Duration::from_millis(100));
    tui.keys("<enter>");
    tui.wait_for("set your terminal and LANG to UTF-8");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["caf"]);
}

#[test]
fn escape_and_control_keys_work_in_their_long_form() {
    let mut tui = ready(
        json!([{"on": "session/prompt", "do": [{"text": "working"}, {"until_cancel": 30_000}]}]),
    );
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.send(b"\x1b[27u");
    tui.wait_method("session/cancel");
    crate::wait_ready(&tui);
    // ctrl-d
    tui.send(b"\x1b[100;5u");
    assert_eq!(tui.wait_exit().code(), Some(0));
}

#[test]
fn a_release_is_no_second_press() {
    let tui = ready(json!([]));
    tui.send(b"\x1b[97;1:1u\x1b[97;1:3u\x1b[98;1:1u\x1b[98;1:3u");
    tui.wait_for("❯ ab");
}
