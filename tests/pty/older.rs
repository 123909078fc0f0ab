//! A whole conversation with an agent that was written from one older description and knows nothing
//! else (`tests/agent/older`): from the start to the second prompt, by default settings where they do,
//! with its preset else. What it refused, and what it was answered in other words, it has taken down.

use serde_json::{Value, json};

use crate::{
    client,
    permission::wait_open,
    stored::{only_id, run},
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

fn older(name: &str, variant: &[&str], profile: &str) -> Setup {
    client(json!({"older": name, "variant": variant}))
        .in_dialect()
        .size(100, 60)
        .config(profile)
        .file("notes.txt", "the notes\n")
}

/// What was refused, or answered in words that the description does not have.
#[track_caller]
fn assert_no_faults(tui: &Tui) {
    let faults = std::fs::read_to_string(tui.path("faults")).unwrap_or_default();
    assert_eq!(faults, "");
}

fn is_command(name: &str) -> bool {
    name != "summary"
}

/// The first turn, with a yes and a no; the second prompt, with a file; the end. Then what is stored
/// of it.
fn conversation(name: &str, profile: &str, mention: &str) -> Tui {
    let setup = older(name, &[], profile);
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("go on<enter>");
    wait_open(&tui);
    let screen = tui.screen();
    assert!(screen.contains("npm install"), "{screen}");
    tui.keys("y");
    tui.wait_for("npm install was allowed");
    wait_open(&tui);
    tui.keys("n");
    tui.wait_for("npm publish was refused");
    tui.wait_for("all done");
    wait_ready(&tui);
    let screen = tui.screen();
    for said in ["let me see", "it reads: the notes", "denied by you"] {
        assert_eq!(screen.matches(said).count(), 1, "{said}: {screen}");
    }
    assert!(!screen.contains("allowed by you"), "{screen}");
    if is_command(name) {
        assert!(screen.contains("it printed: from-command"), "{screen}");
    }
    assert!(
        !screen.contains("session/update"),
        "not understood: {screen}"
    );
    let written = std::fs::read_to_string(tui.project().join("out.txt"));
    assert_eq!(written.expect("the agent's file"), "written\n");
    tui.keys("and @notes.txt <enter>");
    tui.wait_for(&format!("again: and {mention}"));
    wait_ready(&tui);
    assert_no_faults(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    tui.assert_restored();
    assert_stored(&setup);
    tui
}

/// The two decisions, as the store has them.
#[track_caller]
fn assert_stored(setup: &Setup) {
    let id = only_id(setup);
    let (out, err, _) = run(setup, &["sessions", "show", &id]);
    for said in [
        "npm install",
        "npm publish",
        "it reads: the notes",
        "again: and",
    ] {
        assert!(out.contains(said), "{said}: {out}{err}");
    }
    let args = ["sessions", "export", &id, "--format", "json", "-o", "-"];
    let (out, err, _) = run(setup, &args);
    let json: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let mut answers = Vec::new();
    find(&json, "allowed", &mut answers);
    assert_eq!(answers, [&json!(true), &json!(false)], "{out}");
}

/// All members of that name, in order.
fn find<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if key == name {
                    found.push(value);
                }
                find(value, name, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find(item, name, found)),
        _ => {}
    }
}

// D-01, D-07, D-09: by default settings, but for files that are mentioned.
#[test]
fn banjo_talks_by_default_and_with_its_preset() {
    let tui = conversation("banjo", "dialect = [\"auto\", \"path-text\"]\n", "");
    assert!(tui.wrote("an older dialect of ACP was detected"));
    let profile =
        "dialect = [\"auto\", \"banjo\"]\nmodes = [\"default\", \"acceptEdits\", \"plan\"]\n";
    conversation("banjo", profile, "<context>");
}

#[test]
fn banjo_takes_its_modes_and_opens_a_session_again() {
    let profile =
        "dialect = [\"auto\", \"banjo\"]\nmodes = [\"default\", \"plan\"]\nmode = \"plan\"\n";
    let tui = older("banjo", &[], profile).start();
    let sent = tui.wait_method("session/set_mode");
    assert_eq!(sent["params"]["mode"], "plan");
    wait_ready(&tui);
    tui.keys("<f5>");
    let sent = tui.wait_method("unstable_resumeSession");
    assert_eq!(sent["params"]["sessionId"], "session-uuid");
    wait_ready(&tui);
    assert_no_faults(&tui);
    // Without their names there is nothing to choose from, and that is said.
    let tui = older("banjo", &[], "dialect = [\"auto\", \"banjo\"]\n").start();
    wait_ready(&tui);
    tui.keys("<s-tab>");
    tui.wait_for("set modes = [");
}

// D-12, D-15, D-18, D-21, D-22
#[test]
fn opencode_of_2025_talks_by_default_and_with_its_preset() {
    for profile in ["", "dialect = \"opencode-2025\"\n"] {
        conversation("opencode", profile, "<resource>");
    }
}

#[test]
fn opencode_of_2025_takes_modes_and_models_and_loads_a_session() {
    let tui = older(
        "opencode",
        &[],
        "dialect = \"opencode-2025\"\nmode = \"architect\"\nconfig = { model = \"GPT-4\" }\n",
    )
    .start();
    let sent = tui.wait_method("session/set_model");
    assert_eq!(sent["params"]["modelId"], "openai/gpt-4");
    wait_ready(&tui);
    tui.wait_for("GPT-4");
    // `Architect` or `architect`; each is told when its own call was answered.
    tui.wait_for("rchitect");
    tui.keys("<f5>");
    tui.wait_method("session/load");
    tui.wait_for("what was said before");
    wait_ready(&tui);
    assert_no_faults(&tui);
}

// D-03, D-04, D-08, D-10, D-11, D-16, D-23
#[test]
fn the_early_claude_code_acp_talks_with_its_preset() {
    conversation("claude", "dialect = \"claude-code-acp-old\"\n", "");
}

// D-26, D-27, D-28
#[test]
fn the_early_summary_talks_by_default() {
    conversation("summary", "", "<resource>");
}

#[test]
fn unions_by_the_name_of_their_member_are_shown() {
    let tui = older("summary", &["keyed"], "").start();
    wait_ready(&tui);
    tui.keys("go on<enter>");
    wait_open(&tui);
    tui.keys("y");
    tui.wait_for("npm install was allowed");
    wait_open(&tui);
    tui.keys("n");
    let screen = tui.wait_for("all done");
    assert!(screen.contains("it reads: the notes"), "{screen}");
    let joined = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains("by the name of their kind"), "{screen}");
    assert!(!screen.contains("session/update"), "{screen}");
    assert_no_faults(&tui);
}

// D-30…D-42
#[test]
fn threads_talk_with_their_protocol() {
    for variant in [&[][..], &["at-once"]] {
        let setup = older("threads", variant, "protocol = \"threads\"\n");
        let mut tui = setup.start();
        wait_ready(&tui);
        tui.keys("go on<enter>");
        tui.wait_for("all done");
        wait_ready(&tui);
        let screen = tui.screen();
        for said in [
            "let me see",
            "it reads: the notes",
            "it is there: true",
            "found: 1",
        ] {
            assert!(screen.contains(said), "{said}: {screen}");
        }
        tui.keys("and @notes.txt <enter>");
        tui.wait_for("again: and");
        wait_ready(&tui);
        assert_no_faults(&tui);
        tui.keys("<c-d>");
        tui.wait_exit();
        let id = only_id(&setup);
        let (out, ..) = run(&setup, &["sessions", "show", &id]);
        assert!(
            out.contains("all done") && out.contains("again: and"),
            "{out}"
        );
    }
}

// D-43, D-03, D-04: what helps is on the screen, and nothing is waited for.
#[test]
fn an_agent_that_cannot_be_spoken_to_is_led_to_what_helps() {
    for (name, line) in [
        ("threads", "protocol = \"threads\""),
        ("claude", "\"claude-code-acp-old\""),
    ] {
        let tui = older(name, &[], "").start();
        tui.wait_for("refused to start");
        let screen = tui.wait_for("F5 restarts it");
        let joined: String = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(line), "{screen}");
    }
}
