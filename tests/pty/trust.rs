//! A project's own settings count only after a yes for exactly these.

use std::{thread::sleep, time::Duration};

use crate::{
    GUARD, client,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

use serde_json::json;

/// A project whose file denies `make`, with an agent that asks to run it.
fn project() -> Setup {
    let ask = super::permission::ask("q", "make");
    client(json!([{"on": "session/prompt", "do": [ask, {"text": "went on"}]}]))
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(
            ".acp-tui.toml",
            "[permissions]\nrules = [{ command = \"make\", decision = \"deny\" }]\n",
        )
}

/// Waits until the question is there and its guard is open.
fn wait_asked(tui: &Tui) -> String {
    let screen = tui.wait_for("brings its own settings");
    sleep(GUARD);
    screen
}

#[test]
fn a_yes_applies_the_file_and_is_kept_for_this_content() {
    let setup = project();
    let mut tui = setup.start();
    let screen = wait_asked(&tui);
    assert!(screen.contains("decision = \"deny\""), "{screen}");
    assert_eq!(tui.count("initialize"), 0, "nothing runs before the word");
    tui.keys("y");
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("went on");
    tui.wait_for("denied by rule");
    tui.keys("<c-d>");
    tui.wait_exit();

    // The same content is not asked about again.
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();

    // Another one is.
    let setup = setup.file(".acp-tui.toml", "default_agent = \"demo\"\n");
    let tui = setup.start();
    tui.wait_for("brings its own settings");
}

#[test]
fn without_a_yes_it_does_not_count() {
    for keys in ["n", "<esc>"] {
        let tui = project().start();
        wait_asked(&tui);
        tui.keys(keys);
        wait_ready(&tui);
        tui.keys("go<enter>");
        tui.wait_for("wants to");
    }
}

#[test]
fn a_prompt_typed_ahead_is_no_yes() {
    let tui = project().start();
    tui.keys("yes please\r");
    tui.wait_for("brings its own settings");
    tui.wait_for("❯ yes please");
    assert_eq!(tui.count("initialize"), 0);
}

#[test]
fn display_keys_apply_unasked() {
    let tui = client(json!([]))
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".acp-tui.toml", "[ui]\nsymbols = \"ascii\"\n")
        .start();
    wait_ready(&tui);
    assert!(tui.screen().contains("> "), "{}", tui.screen());
    assert!(!tui.screen().contains('❯'));
}

/// A folder of a stranger's: its file names a program that leaves a mark, and has it started.
fn trap() -> Setup {
    let setup = client(json!([])).script("evil", "#!/bin/sh\ntouch \"$(dirname \"$0\")/PWNED\"\n");
    let file = format!(
        "default_agent = \"evil\"\n[agents.evil]\ncommand = {:?}\n",
        setup.path("evil")
    );
    setup
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".acp-tui.toml", file)
}

#[test]
fn a_sentence_typed_at_any_pace_trusts_nothing_and_is_kept() {
    const SENTENCE: &str = "you should fix";
    for (round, gap) in [5, 20, 40, 80].into_iter().enumerate() {
        for before_the_first_frame in [true, false] {
            let setup = trap();
            let mut tui = setup.start();
            if !before_the_first_frame {
                tui.wait_for("brings its own settings");
            }
            for letter in SENTENCE.chars() {
                tui.keys(&letter.to_string());
                sleep(Duration::from_millis(gap));
            }
            if round % 2 == 1 {
                tui.keys("<enter>");
            }
            tui.wait_for("brings its own settings");
            tui.wait_for(&format!("❯ {SENTENCE}"));
            sleep(GUARD);
            tui.keys("y<enter>");
            tui.wait_for(&format!("❯ {SENTENCE}y"));
            assert!(!tui.path("PWNED").exists(), "{gap} ms");
            assert!(tui.screen().contains("brings its own settings"));
            // What was typed outlives the question.
            tui.keys("<esc>");
            tui.wait_gone("brings its own settings");
            tui.wait_for(&format!("❯ {SENTENCE}y"));
            tui.keys("<c-c><c-d>");
            tui.wait_exit();
            assert!(!setup.path("PWNED").exists(), "{gap} ms");
        }
    }
}

#[test]
fn a_yes_that_is_meant_starts_what_the_file_names() {
    let tui = trap().start();
    wait_asked(&tui);
    tui.keys("1");
    tui.wait("the program to run", |tui| {
        tui.path("PWNED").exists().then_some(())
    });
}

#[test]
fn a_file_of_300_lines_is_trusted_at_its_end_and_not_before() {
    let lines: String = (1..=300).map(|n| format!("# line {n} of it\n")).collect();
    let setup = client(json!([]))
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(
            ".acp-tui.toml",
            format!("{lines}default_agent = \"fake\"\n"),
        );
    let tui = setup.start();
    let screen = wait_asked(&tui);
    assert!(screen.contains("pgdn to the end before a yes"), "{screen}");
    tui.keys("y");
    tui.wait_for("read it first");
    tui.resize(80, 400);
    tui.resize(80, 24);
    tui.keys("<c-end>");
    sleep(GUARD);
    tui.keys("1");
    sleep(Duration::from_millis(100));
    assert_eq!(tui.count("initialize"), 0);
    tui.wait("the end", |tui| {
        tui.keys("<pgdn>");
        sleep(Duration::from_millis(30));
        tui.screen().contains("line 300 of it").then_some(())
    });
    tui.keys("<pgdn>");
    sleep(Duration::from_millis(100));
    tui.keys("y");
    wait_ready(&tui);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_asked_about_again() {
    let setup = trap();
    let tui = setup.start();
    let screen = wait_asked(&tui);
    assert!(screen.contains("agents.evil"), "{screen}");
    let mut other = std::fs::read_to_string(setup.path("project/.acp-tui.toml")).expect("the file");
    other.push_str("# and more\n");
    std::fs::write(setup.path("project/.acp-tui.toml"), other).expect("another one");
    tui.keys("y");
    tui.wait_for("changed since it was shown");
    tui.wait_for("# and more");
    assert!(!tui.path("PWNED").exists());
    sleep(GUARD);
    tui.keys("y");
    tui.wait("the program to run", |tui| {
        tui.path("PWNED").exists().then_some(())
    });
}

/// On the command line as well: typed before it could be read, it is no answer.
#[test]
fn an_answer_typed_ahead_approves_nothing_on_the_command_line() {
    let setup = trap().file(
        ".acp-tui.toml",
        "default_agent = \"evil\" # \u{202e}x\u{200b}\n",
    );
    let setup = setup.shell("sleep 1; cd \"$PWD\"; \"$1\" trust; echo done");
    let tui = setup.start();
    tui.keys("y<enter>");
    let screen = tui.wait_for("Approve it? [y/N]");
    assert!(screen.contains("<U+202E>x<U+200B>"), "{screen}");
    sleep(Duration::from_millis(300));
    assert!(!tui.screen().contains("done"), "it waits");
    tui.keys("n<enter>");
    tui.wait_for("not approved");
    tui.wait_for("done");
}
