//! What a client holds when much is said, and what it draws on a window without bounds. The numbers
//! here are for a debug build on a busy machine, far below what the faults took: figures are for the
//! benchmarks.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::pty::Tui;

/// A value of /proc/PID/status in MB; `None` where there is none.
fn status(tui: &Tui, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", tui.pid())).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

fn told(steps: Value) -> Tui {
    let mut steps = steps.as_array().cloned().unwrap_or_default();
    steps.push(json!({"text": "\n\nALL-SAID\n"}));
    let tui = crate::client(json!([{"on": "session/prompt", "do": steps}]))
        .size(100, 30)
        .patience(Duration::from_secs(90))
        .start();
    tui.wait_method("session/new");
    tui.keys("go<enter>");
    tui.wait_for("ALL-SAID");
    tui
}

#[test]
fn a_raw_input_of_numbers_is_no_tree() {
    let tui = told(json!([{"numbers": 20 << 20}]));
    tui.wait_for("NUMBERS");
    // As a tree it took over 700 MB.
    assert!(status(&tui, "VmHWM").is_none_or(|peak| peak < 200));
}

#[test]
fn diffs_of_megabytes_are_not_all_held() {
    let tui = told(json!([{"diffs": {"count": 40, "bytes": 2_000_000}}]));
    std::thread::sleep(Duration::from_secs(4));
    // All of them with their lines take over 600 MB.
    assert!(status(&tui, "VmRSS").is_none_or(|held| held < 250));
}

#[test]
fn a_window_without_bounds_is_drawn_in_part_and_that_is_said() {
    let tui = crate::client(json!([])).size(100, 30).start();
    tui.wait_method("session/new");
    tui.resize_window_only(u16::MAX, u16::MAX);
    tui.wait("word of it", |tui| tui.wrote("65535x65535").then_some(()));
    assert!(status(&tui, "VmRSS").is_none_or(|held| held < 250));
    tui.resize(100, 30);
    tui.keys("still here");
    tui.wait_for("still here");
}
