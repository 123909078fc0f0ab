//! Browsing the transcript block by block.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{client, on_prompt, ready, wait_ready};

fn edit_and_text() -> Value {
    on_prompt(json!([
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Edit list.rs", "kind": "edit",
            "status": "completed", "locations": [{"path": "$cwd/list.rs", "line": 7}],
            "content": [{
                "type": "diff", "path": "$cwd/list.rs", "oldText": "old line\n", "newText": "new line\n",
            }],
        }},
        {"text": "Text with `code` in it."},
    ]))
}

#[test]
fn y_copies_what_was_written_through_the_terminal_over_ssh() {
    let tui = client(edit_and_text()).env("SSH_TTY", "/dev/pts/9").start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("Text with code in it.");
    wait_ready(&tui);
    tui.keys("<tab>");
    tui.keys("y");
    tui.wait_for("(OSC 52)");
    let copied = STANDARD.encode("Text with `code` in it.");
    assert!(tui.wrote(&format!("\u{1b}]52;c;{copied}")));
}

#[test]
fn enter_folds_and_unfolds_and_keys_go_back_to_the_composer() {
    let tui = ready(edit_and_text());
    tui.keys("go<enter>");
    tui.wait_for("new line");
    wait_ready(&tui);
    tui.keys("<tab>");
    // All there is of it shows already: the next step is the header alone.
    tui.keys("k<enter><enter>");
    tui.wait_gone("new line");
    tui.keys("<enter>");
    tui.wait_for("new line");
    tui.keys("<esc>");
    tui.settle(std::time::Duration::from_millis(100));
    tui.keys("typing again");
    tui.wait_for("❯ typing again");
}

#[test]
fn d_shows_the_whole_diff_and_esc_closes_it() {
    let tui = ready(edit_and_text());
    tui.keys("go<enter>");
    tui.wait_for("Text with code in it.");
    wait_ready(&tui);
    tui.keys("<tab>");
    tui.keys("kd");
    let screen = tui.wait_gone("Text with code in it.");
    assert!(screen.contains("new line"), "{screen}");
    tui.keys("<esc>");
    tui.wait_for("Text with code in it.");
}

#[test]
fn o_opens_the_file_at_its_line_in_the_editor() {
    let setup = client(edit_and_text())
        .file("list.rs", "new line\n")
        .script("vi", "#!/bin/sh\necho \"$@\" > \"$HOME/opened\"\n");
    let editor = setup.path("vi").display().to_string();
    let tui = setup.env("EDITOR", &editor).start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("Text with code in it.");
    wait_ready(&tui);
    tui.keys("<tab>");
    tui.keys("ko");
    let opened = tui.wait("the editor", |tui| {
        std::fs::read_to_string(tui.path("home/opened"))
            .ok()
            .filter(|text| !text.is_empty())
    });
    let file = tui.project().join("list.rs");
    assert_eq!(opened.trim_end(), format!("+7 {}", file.display()));
    tui.wait_for("Text with code in it.");
}
