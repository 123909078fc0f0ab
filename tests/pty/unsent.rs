//! What was not sent when the client was killed: drafts and queued messages come back.

use serde_json::json;

use crate::{client, wait_ready};

#[test]
fn a_crash_loses_the_draft_of_no_session() {
    let setup = client(json!([
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
    ]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    wait_ready(&tui);
    tui.keys("draft of the first<c-n>");
    tui.wait_for("+1");
    tui.keys("draft of the second");
    let drafts = tui.path("home").join(".local/state/acp-tui/drafts");
    tui.wait("both drafts on disk", |_| {
        let kept = std::fs::read_dir(&drafts).ok()?.flatten().next()?;
        let text = std::fs::read_to_string(kept.path()).ok()?;
        (text.contains("draft of the first") && text.contains("draft of the second")).then_some(())
    });
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    let again = setup.start();
    // Each by itself.
    again.wait_for("❯ draft of the second");
    assert!(!again.screen().contains("draft of the first"));
    again.keys("<up>");
    again.wait_for("draft of the first");
}

#[test]
fn the_first_frame_shows_branch_and_draft_and_the_first_key_finds_the_history() {
    let setup = client(json!([])).file(".git/HEAD", "ref: refs/heads/topic\n");
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("remembered<enter>");
    tui.wait_method("session/prompt");
    wait_ready(&tui);
    tui.keys("unsent");
    wait_on_disk(&tui, &["unsent"]);
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    let again = setup.start();
    // Before there is anything to be seen.
    again.keys("<up>");
    let frame = again.wait("the first frame", |tui| {
        let raw = String::from_utf8_lossy(&tui.raw()).into_owned();
        let end = raw.find("\x1b[?2026l")?;
        Some(raw.get(..end)?.to_owned())
    });
    for shown in ["unsent", "topic", "restored"] {
        assert!(frame.contains(shown), "{shown}: {frame:?}");
    }
    again.wait_for("❯ remembered");
}

/// Two sessions at work, each with a queued message and a draft, and the client is killed.
fn killed_with_two_sessions() -> crate::support::setup::Setup {
    let setup = client(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
            "sessionCapabilities": {"resume": {}, "list": {}}}}},
        {"on": "session/list", "reply": {"sessions": [
            {"sessionId": "sess-2", "cwd": "/p", "title": "write the docs"}]}},
        {"on": "session/new"},
        {"on": "session/new", "reply": {"sessionId": "sess-2"}},
        {"on": "session/prompt", "no_reply": true},
        {"on": "session/prompt", "no_reply": true},
    ]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_method("session/prompt");
    tui.keys("queued in the first<enter>");
    tui.wait_for("queued 1");
    tui.keys("draft of the first<c-n>");
    tui.wait_for("+1, 1 working");
    tui.keys("two<enter>");
    tui.wait("the second prompt", |tui| {
        (tui.prompts().len() == 2).then_some(())
    });
    tui.keys("queued in the second<enter>");
    tui.wait_for("queued 1");
    tui.keys("draft of the second");
    wait_on_disk(&tui, &["draft of the first", "draft of the second"]);
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    setup
}

fn wait_on_disk(tui: &crate::support::pty::Tui, texts: &[&str]) {
    let drafts = tui.path("home").join(".local/state/acp-tui/drafts");
    tui.wait("what is not sent on disk", |_| {
        let files = std::fs::read_dir(&drafts).ok()?.flatten();
        let kept = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        let kept: String = kept.collect();
        texts.iter().all(|text| kept.contains(text)).then_some(())
    });
}

#[test]
fn after_a_crash_each_session_that_is_resumed_gets_its_own_text_back() {
    let mut setup = killed_with_two_sessions();
    for (id, own, other) in [("sess-1", "first", "second"), ("sess-2", "second", "first")] {
        setup.args.splice(.., ["--resume".into(), id.into()]);
        let mut tui = setup.start();
        let screen = tui.wait_for(&format!("❯ draft of the {own}"));
        assert!(!screen.contains(&format!("the {other}")), "{screen}");
        let screen = tui.wait_for(&format!("held 1: queued in the {own}"));
        assert!(!screen.contains(&format!("the {other}")), "{screen}");
        tui.keys(" looked at");
        wait_on_disk(&tui, &["looked at"]);
        tui.signal(rustix::process::Signal::KILL);
        tui.wait_exit();
    }
}

#[test]
fn a_session_opened_from_the_list_gets_the_text_back_that_waited_for_it() {
    let mut setup = killed_with_two_sessions();
    setup.args.splice(.., ["--resume".into(), "sess-1".into()]);
    let tui = setup.start();
    tui.wait_for("❯ draft of the first");
    wait_ready(&tui);
    // The first puts the draft aside.
    tui.keys("<c-s><c-s>");
    tui.wait_for("write the docs");
    tui.keys("docs<enter>");
    let screen = tui.wait_for("❯ draft of the second");
    assert!(!screen.contains("draft of the first"), "{screen}");
    tui.wait_for("held 1: queued in the second");
}

/// A new session does not take what is meant for one that can go on: it says which one has it.
#[test]
fn a_fresh_start_leaves_a_draft_to_its_session_and_says_which_one_that_is() {
    let mut setup = client(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {
            "sessionCapabilities": {"resume": {}}}}},
        {"on": "session/prompt", "do": [{"text": "an answer"}]},
    ]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("one<enter>");
    tui.wait_for("an answer");
    wait_ready(&tui);
    tui.keys("and then");
    wait_on_disk(&tui, &["and then"]);
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    let mut tui = setup.start();
    let screen = tui.wait_for("a draft waits in its session: --resume sess-1");
    assert!(!screen.contains("and then"), "{screen}");
    wait_ready(&tui);
    tui.keys("something new");
    wait_on_disk(&tui, &["something new", "and then"]);
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    setup.args.splice(.., ["--resume".into(), "sess-1".into()]);
    setup.start().wait_for("❯ and then");
}

/// Two clients of one project are killed at once: one start brings back what both had.
#[test]
fn what_two_killed_clients_had_comes_back_at_one_start() {
    // Each with an agent that writes nothing down.
    let setup = client(json!([])).args(&["--agent", "demo"]);
    let (mut first, mut second) = (setup.start(), setup.start());
    for (tui, text) in [(&first, "of the first"), (&second, "of the second")] {
        tui.wait_for("F1 keys");
        tui.keys(text);
        tui.wait_for(&format!("❯ {text}"));
    }
    // As soon as a person can reach for something else.
    std::thread::sleep(std::time::Duration::from_millis(400));
    for tui in [&mut first, &mut second] {
        tui.signal(rustix::process::Signal::KILL);
        tui.wait_exit();
    }
    let tui = setup.start();
    let screen = tui.wait_for("draft restored; up brings back 1 more");
    let [shown, other] = match screen.contains("❯ of the first") {
        true => ["of the first", "of the second"],
        false => ["of the second", "of the first"],
    };
    assert!(screen.contains(&format!("❯ {shown}")), "{screen}");
    tui.keys("<up>");
    tui.wait_for(&format!("❯ {other}"));
}
