//! The real binary in a real terminal, against a scripted agent: what the person sees, what the
//! agent is sent, what is left behind.
//!
//! Nothing here depends on how fast the machine is: tests wait for what they want to see. A plain
//! `cargo test` builds the agent as well; before this target alone, `cargo build --example fake-agent`.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "tests and benchmarks use a part each")]
mod support;

mod approvals;
mod attached;
mod blocks;
mod cases;
mod commands;
mod composer;
mod conformance;
mod crash;
mod demo_changes;
mod dialects;
mod diffs;
mod elicitation;
mod external;
mod files;
mod images;
mod inline;
mod keys;
mod leave;
mod limit;
mod limits;
mod login;
mod logs;
mod mcp;
mod memory;
mod mouse;
mod older;
mod options;
mod permission;
mod providers;
mod queue;
mod replay;
mod resend;
mod review;
mod sessions;
mod sign_in;
mod start;
mod steer;
mod stop;
mod stored;
mod subagents;
mod suggestions;
mod terminal;
mod trust;
mod turn;
mod unsent;
mod version2;
mod worktree;

use std::time::Duration;

use serde_json::{Value, json};
use support::{pty::Tui, setup::Setup};

/// This long after a question has appeared and after the last key, its guard is open.
const GUARD: Duration = Duration::from_millis(450);

/// A client with the scripted agent that plays `scenario`.
fn client(scenario: Value) -> Setup {
    Setup::new(env!("CARGO_BIN_EXE_acp-tui"), scenario)
}

/// A client with an open session.
fn ready(scenario: Value) -> Tui {
    let tui = client(scenario).start();
    wait_ready(&tui);
    tui
}

/// Waits for an open session in which nothing goes on.
#[track_caller]
fn wait_ready(tui: &Tui) {
    tui.wait_for("F1 keys");
}

/// A scenario in which each prompt takes its steps.
fn on_prompt(steps: Value) -> Value {
    json!([{"on": "session/prompt", "do": steps}])
}
