//! The mouse, by the reports that a terminal sends.

use std::time::Duration;

use crate::{client, on_prompt, support::pty::Tui, wait_ready};
use serde_json::json;

const UP: &[u8] = b"\x1b[<64;10;5M";
const DOWN: &[u8] = b"\x1b[<65;10;5M";

fn long_answer() -> Tui {
    let lines: Vec<String> = (1..=80).map(|n| format!("line {n}")).collect();
    let script = on_prompt(json!([{"text": lines.join("\n\n")}]));
    let tui = client(script).start();
    wait_ready(&tui);
    tui.keys("tell me<enter>");
    tui.wait_for("line 80");
    wait_ready(&tui);
    tui
}

#[test]
fn the_wheel_scrolls_and_f9_gives_the_mouse_back() {
    let mut tui = long_answer();
    assert!(tui.wrote("\x1b[?1002h") && tui.wrote("\x1b[?1006h"));
    assert!(!tui.wrote("\x1b[?1003h"), "moves alone are not asked for");
    tui.send(&UP.repeat(4));
    tui.wait_gone("line 80");
    tui.send(&DOWN.repeat(8));
    tui.wait_for("line 80");
    let before = tui.raw_len();
    tui.keys("<f9>");
    tui.wait_for("mouse off");
    let since = tui.raw_since(before);
    assert!(String::from_utf8_lossy(&since).contains("\x1b[?1000l"));
    tui.keys("<f9>");
    tui.wait_for("mouse on");
    // A flood, and half a report at its end, type nothing.
    tui.send(&UP.repeat(3_000));
    tui.send(b"\x1b[<64;1");
    tui.wait_for("line 1\n");
    tui.settle(Duration::from_millis(700));
    tui.keys("a draft");
    tui.wait_for("❯ a draft");
    tui.keys("<c-c><c-d>");
    tui.wait_exit();
    tui.assert_restored();
}

/// The screen's row, from 1, that holds a text, and the column where that begins.
fn place(tui: &Tui, text: &str) -> (usize, usize) {
    let screen = tui.screen();
    let found = screen.lines().enumerate().find_map(|(row, line)| {
        let column = line.find(text)?;
        Some((row + 1, line[..column].chars().count() + 1))
    });
    found.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"))
}

fn report(tui: &Tui, code: u32, (row, column): (usize, usize), end: char) {
    tui.send(format!("\x1b[<{code};{column};{row}{end}").as_bytes());
}

fn osc52(text: &str) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text))
}

#[test]
fn a_drag_copies_by_the_terminal_and_says_how_much() {
    let tui = long_answer();
    let (start, end) = (place(&tui, "line 75"), place(&tui, "line 77"));
    report(&tui, 0, start, 'M');
    report(&tui, 32, (end.0, end.1 + 3), 'M');
    report(&tui, 32, (end.0, end.1 + 6), 'M');
    report(&tui, 0, (end.0, end.1 + 6), 'm');
    tui.wait_for("Copied 5 lines (OSC 52)");
    assert!(tui.wrote(&osc52("line 75\n\nline 76\n\nline 77")));
}
