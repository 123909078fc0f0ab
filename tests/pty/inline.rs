//! Without the alternate screen: what is finished is in the terminal's own scrollback, once and in order.

use std::process::Command;

use serde_json::{Value, json};

use crate::{GUARD, client, on_prompt, support::pty::Tui, support::setup::Setup, wait_ready};

/// Paragraphs that are long enough to be found, and wider than a narrow terminal.
fn answer(count: usize) -> Value {
    let line =
        |at: usize| format!("line {at} of the answer goes on for more than forty columns.\n\n");
    json!([{"text": (1..=count).map(line).collect::<String>()}])
}

fn inline(scenario: Value) -> Setup {
    client(scenario).args(&["--inline"]).size(80, 20)
}

/// The turn is over, and all of it is drawn.
#[track_caller]
fn wait_answered(tui: &Tui) {
    tui.wait_for("line 12 of the answer");
    tui.wait_for("F1 keys");
    tui.wait("an end of output", |tui| tui.settled().then_some(()));
}

/// Each line of the answer is there once, in its order.
#[track_caller]
fn assert_once(all: &str, count: usize) {
    let mut last = None;
    for at in 1..=count {
        let line = format!("line {at} of the answer");
        let found: Vec<usize> = all.match_indices(&line).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "{line}:\n{all}");
        assert!(
            last < found.first().copied(),
            "{line} is out of order:\n{all}"
        );
        last = found.first().copied();
    }
}

#[test]
fn finished_blocks_scroll_into_the_terminals_own_scrollback() {
    let mut tui = inline(on_prompt(answer(12))).start();
    wait_ready(&tui);
    assert!(!tui.wrote("\x1b[?1049h"), "no alternate screen");
    tui.keys("the question<enter>");
    tui.wait_for("line 12 of the answer");
    wait_answered(&tui);
    tui.keys("another draft");
    tui.wait_for("another draft");
    let all = tui.all_rows();
    assert_once(&all, 12);
    assert_eq!(all.matches("the question").count(), 1, "{all}");
    assert_eq!(all.matches("F1 keys").count(), 1, "one status line: {all}");
    tui.keys("<c-u><c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
    let all = tui.all_rows();
    assert_once(&all, 12);
    assert!(!all.contains("F1 keys"), "the live part is gone: {all}");
}

#[test]
fn a_question_takes_room_below_and_gives_it_back() {
    let tui = inline(on_prompt(json!([
        {"text": "before"},
        {"request": {"id": "p", "method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "t", "title": "Run the tests", "kind": "execute",
                "rawInput": {"command": "cargo test"}},
            "options": [
                {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
                {"optionId": "no", "name": "Reject", "kind": "reject_once"},
            ],
        }}},
        {"text": "after"},
    ])))
    .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("Allow once");
    std::thread::sleep(GUARD);
    tui.keys("1");
    tui.wait_for("after");
    wait_ready(&tui);
    let all = tui.all_rows();
    assert!(!all.contains("Reject"), "{all}");
    assert_eq!(all.matches("cargo test").count(), 1, "{all}");
}

#[test]
fn a_viewer_has_the_alternate_screen_for_its_time() {
    let mut tui = inline(on_prompt(answer(12))).start();
    wait_ready(&tui);
    tui.keys("the question<enter>");
    wait_answered(&tui);
    tui.keys("<c-home>");
    tui.wait_for("line 1 of the answer");
    assert!(tui.wrote("\x1b[?1049h"));
    tui.keys("<c-end>");
    tui.wait_for("line 12 of the answer");
    tui.keys("a draft");
    tui.wait_for("a draft");
    assert_once(&tui.all_rows(), 12);
    tui.keys("<c-u><c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
    assert_once(&tui.all_rows(), 12);
}

#[test]
fn after_a_resize_nothing_is_doubled_or_lost() {
    // The emulator here cuts rows, as xterm does.
    let tui = inline(on_prompt(answer(12)))
        .env("XTERM_VERSION", "XTerm(390)")
        .start();
    wait_ready(&tui);
    tui.keys("the question<enter>");
    wait_answered(&tui);
    let sizes = [(50, 20), (100, 20), (100, 30), (60, 12), (80, 20)];
    for (n, (cols, rows)) in sizes.into_iter().enumerate() {
        tui.resize(cols, rows);
        tui.keys("x");
        // A frame of the width before must not be under way when the next comes.
        let draft = format!("❯ {}", "x".repeat(n + 1));
        tui.wait("the draft in that width", |tui| {
            let drawn = tui.screen().contains(&draft) && tui.cursor().2;
            (drawn && tui.settled()).then_some(())
        });
    }
    tui.wait_for("xxxxx");
    let all = tui.all_rows();
    assert_once(&all, 12);
    assert_eq!(all.matches("F1 keys").count(), 1, "one status line: {all}");
    assert_eq!(all.matches("xxxxx").count(), 1, "one draft: {all}");
}

/// A terminal that wraps what it shows again when its width changes; `None` where there is no tmux.
fn in_tmux(scenario: Value) -> Option<(Tui, impl Fn(&[&str]) -> String)> {
    Command::new("tmux").arg("-V").output().ok()?;
    let setup = inline(scenario).shell("exec tmux -f /dev/null -L inline new-session \"$@\"");
    let sockets = setup.path("sockets");
    std::fs::create_dir(&sockets).expect("a folder");
    let tui = setup
        .env("TMUX_TMPDIR", &sockets.display().to_string())
        .start();
    let tmux = move |args: &[&str]| {
        let output = Command::new("tmux")
            .env("TMUX_TMPDIR", &sockets)
            .args(["-L", "inline"])
            .args(args)
            .output();
        String::from_utf8_lossy(&output.expect("tmux runs").stdout).into_owned()
    };
    Some((tui, tmux))
}

#[test]
fn in_tmux_nothing_is_doubled_or_lost_by_resizing() {
    let Some((tui, tmux)) = in_tmux(on_prompt(answer(12))) else {
        return;
    };
    wait_ready(&tui);
    tui.keys("the question<enter>");
    wait_answered(&tui);
    for (at, (cols, rows)) in [(45, 20), (100, 20), (100, 30), (60, 14), (80, 20)]
        .into_iter()
        .enumerate()
    {
        tui.resize(cols, rows);
        tui.wait("tmux to have that width", |_| {
            let width = tmux(&["display-message", "-p", "#{pane_width}"]);
            (width.trim() == cols.to_string()).then_some(())
        });
        tui.keys("x");
        tui.wait_for(&format!("❯ {}", "x".repeat(at + 1)));
        wait_ready(&tui);
    }
    let all = tmux(&["capture-pane", "-p", "-J", "-S", "-"]);
    tmux(&["kill-server"]);
    assert_once(&all, 12);
    assert_eq!(all.matches("F1 keys").count(), 1, "one status line: {all}");
    assert_eq!(all.matches("❯ xxxxx").count(), 1, "one draft: {all}");
}

/// What a screen reader gets: all that was printed, without control sequences.
fn said(raw: &[u8]) -> String {
    let raw = String::from_utf8_lossy(raw);
    let mut text = String::new();
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => match chars.next() {
                Some('[') => {
                    let _ = chars.find(|c| ('\x40'..='\x7e').contains(c));
                }
                Some(']') => {
                    // Up to BEL or ST, whose backslash goes too.
                    let end = chars.find(|c| matches!(c, '\x07' | '\x1b'));
                    let _backslash = end.filter(|end| *end == '\x1b').and_then(|_| chars.next());
                }
                _ => {}
            },
            '\r' => {}
            c => text.push(c),
        }
    }
    text
}

#[test]
fn a_screen_reader_hears_each_line_once_and_in_order() {
    let mut tui = client(on_prompt(json!([
        {"text": "line 1 of the answer\n\nline 2 of the answer\n\nline 3 of the answer"},
        {"request": {"id": "p", "method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "t", "title": "Run the tests", "kind": "execute",
                "rawInput": {"command": "cargo test"}},
            "options": [
                {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
                {"optionId": "no", "name": "Reject", "kind": "reject_once"},
            ],
        }}},
        {"text": "line 4 of the answer"},
    ])))
    .config("[ui]\nscreen_reader = true\n")
    .start();
    tui.wait_for("is ready.");
    tui.keys("the question<enter>");
    tui.wait_for("2 Reject");
    std::thread::sleep(GUARD);
    tui.keys("1");
    tui.wait_for("line 4 of the answer");
    tui.wait("an end of output", |tui| tui.settled().then_some(()));
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
    let text = said(&tui.raw());
    assert_once(&text, 4);
    let mut last = 0;
    for line in [
        "is ready.",
        "You: the question",
        "line 3 of the answer",
        "Permission needed: ",
        "1 Allow once",
        "2 Reject",
        "line 4 of the answer",
    ] {
        let found: Vec<usize> = text.match_indices(line).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "{line}:\n{text}");
        assert!(last <= found[0], "{line} is out of order:\n{text}");
        last = found[0];
    }
    assert!(!text.contains(['│', '─', '╭', '▌']), "{text}");
}
