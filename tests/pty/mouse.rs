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
