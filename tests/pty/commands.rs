//! Own slash commands and the person's prompts, as they are felt.

use serde_json::json;

use crate::{client, on_prompt, ready, wait_ready};

#[test]
fn an_own_command_does_not_reach_the_agent_and_slash_slash_does() {
    let mut tui = ready(on_prompt(json!([{"text": "done"}])));
    tui.keys("/model<enter>");
    tui.wait_for("no choice of models");
    tui.keys("//clear<enter>");
    tui.wait_for("done");
    assert_eq!(tui.prompts(), ["/clear"]);
    wait_ready(&tui);
    tui.keys("/exit<enter>");
    assert!(tui.wait_exit().success());
    tui.assert_nothing_left();
}

#[test]
fn the_session_is_exported_and_nothing_is_overwritten() {
    let tui = ready(on_prompt(json!([{"text": "the answer"}])));
    tui.keys("what is it?<enter>");
    tui.wait_for("the answer");
    wait_ready(&tui);
    tui.keys("/export notes.md<enter>");
    tui.wait_for("written to");
    let notes = tui.project().join("notes.md");
    let text = std::fs::read_to_string(&notes).expect("the export");
    assert!(
        text.contains("what is it?") && text.contains("the answer"),
        "{text}"
    );
    tui.keys("/export notes.md<enter>");
    tui.wait_for("exists and stays as it is");
    tui.keys("/export notes.json<enter>");
    tui.wait_for("notes.json");
    let text = std::fs::read_to_string(tui.project().join("notes.json")).expect("the export");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(
        json["blocks"]
            .as_array()
            .is_some_and(|blocks| blocks.len() >= 2),
        "{text}"
    );
}

#[test]
fn prompts_of_ones_own_are_sent_and_a_projects_wait_for_approval() {
    let setup = client(on_prompt(json!([{"text": "done"}])))
        .file(".acp-tui/prompts/deploy.md", "Deploy it");
    // Next to the configuration in use.
    let own = setup.path("prompts");
    std::fs::create_dir_all(&own).expect("made");
    std::fs::write(own.join("review.md"), "Review $1 now").expect("written");
    let tui = setup.start();
    tui.wait_for("ignored until you approve it");
    tui.keys("/review it<enter>");
    tui.wait_for("Review it now");
    tui.wait_for("done");
    assert_eq!(tui.prompts(), ["Review it now"]);
}

#[test]
fn a_key_that_moved_says_so_once_for_all_clients() {
    let setup = client(json!([]));
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("<c-x>");
    tui.wait_for("ctrl-x moved to alt-x");
    tui.wait("the state", |tui| {
        let home = tui.path("home");
        let state = home.join(".local/state/acp-tui/told");
        std::fs::read_to_string(state).ok()
    });
    drop(tui);
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("<c-x>x");
    let screen = tui.wait_for("❯ x");
    assert!(!screen.contains("moved"), "{screen}");
}
