//! A wire log in the UI.

use serde_json::json;

use crate::client;

#[test]
fn a_log_is_shown_as_it_was_and_nothing_can_be_said_or_done() {
    let log = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/wire/claude.jsonl"
    );
    let setup = client(json!([]));
    let mut tui = setup.shell(&format!("\"$1\" replay '{log}'")).start();
    tui.wait_for("the log ends here");
    tui.wait_for("read-only: a replay of claude.jsonl");
    tui.keys("xyzzy<enter>");
    tui.wait_for("  read-only");
    assert!(!tui.screen().contains("xyzzy"));
    // The agent is not started again either.
    tui.keys("<f5>");
    tui.wait_for("this is a replay");
    assert_eq!(tui.count("initialize"), 0);
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    assert!(!tui.path("home/.local/state/acp-tui/drafts").exists());
}
