//! A project's own settings count only after a yes for exactly these.

use serde_json::json;

use crate::{client, support::setup::Setup, wait_ready};

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

#[test]
fn a_yes_applies_the_file_and_is_kept_for_this_content() {
    let setup = project();
    let mut tui = setup.start();
    let screen = tui.wait_for("brings its own settings");
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
        tui.wait_for("brings its own settings");
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
