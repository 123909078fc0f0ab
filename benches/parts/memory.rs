//! What a client holds: at its peak, and when it rests.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{client, cost, play, ready, status, wait_long};

/// A hundred edits with diffs of 4 MB a side: peak, and after 5 s of rest.
pub fn diffs() -> String {
    let tui = ready(play(json!([{"diffs": {"count": 100, "bytes": 4_000_000}}])));
    cost(&tui, "go", "DONE");
    tui.settle(Duration::from_secs(5));
    peak_and_rest(tui.pid())
}

/// One tool call with a raw input of 50 MiB: peak, and after 5 s of rest.
pub fn numbers() -> String {
    let tui = ready(play(json!([{"numbers": 50 << 20}])));
    cost(&tui, "go", "DONE");
    tui.settle(Duration::from_secs(5));
    peak_and_rest(tui.pid())
}

/// The same while every line is logged.
pub fn numbers_logged() -> String {
    let setup = client(play(json!([{"numbers": 50 << 20}])));
    let log = setup.path("wire.jsonl").display().to_string();
    let tui = setup.args(&["--wire", &log]).start();
    tui.wait_method("session/new");
    tui.settle(Duration::from_millis(300));
    cost(&tui, "go", "DONE");
    tui.settle(Duration::from_secs(5));
    peak_and_rest(tui.pid())
}

/// The largest window there is: after the first frames.
pub fn window() -> String {
    let tui = ready(json!([]));
    tui.resize_window_only(u16::MAX, u16::MAX);
    std::thread::sleep(Duration::from_secs(2));
    let huge = status(tui.pid(), "VmRSS");
    tui.resize_window_only(120, 40);
    tui.keys("still here");
    wait_long(&tui, "still here");
    format!("{huge:.0} MB")
}

fn peak_and_rest(pid: u32) -> String {
    let (peak, rest) = (status(pid, "VmHWM"), status(pid, "VmRSS"));
    format!("{peak:.0}, {rest:.0} MB")
}

/// Rounds of everything for so many minutes, `SOAK_MINUTES`; prints what is held after each hundred of
/// them, and gives growth per round over the last half.
pub fn soak() -> String {
    let minutes = std::env::var("SOAK_MINUTES").ok();
    let minutes: f64 = minutes.and_then(|text| text.parse().ok()).unwrap_or(25.0);
    let tui = client(json!([{"on": "session/prompt", "do": [{"round": true}]}]))
        .args(&["--policy", "allow-all"])
        .start();
    tui.wait_method("session/new");
    tui.settle(Duration::from_millis(300));
    let end = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let mut held: Vec<f64> = Vec::new();
    let mut rounds = 0_u32;
    while Instant::now() < end {
        rounds += 1;
        tui.keys("on<enter>");
        wait_long(&tui, &format!("ROUND-{rounds}-DONE"));
        if rounds.is_multiple_of(7) {
            let width = if rounds.is_multiple_of(2) { 120 } else { 97 };
            tui.resize(width, 40);
        }
        if rounds.is_multiple_of(11) {
            tui.keys("<pgup><pgup><c-end>");
        }
        held.push(status(tui.pid(), "VmRSS"));
        if rounds.is_multiple_of(100) {
            eprintln!("soak: {rounds} rounds, {:.1} MB", held[held.len() - 1]);
        }
    }
    let half = held.len() / 2;
    let grown = held.last().unwrap_or(&0.0) - held.get(half).unwrap_or(&0.0);
    let each = grown * 1024.0 / (held.len() - half).max(1) as f64;
    let most = held.iter().copied().fold(0.0, f64::max);
    format!("{rounds} rounds; {most:.0} MB; {each:.1} KB a round in the last half")
}
