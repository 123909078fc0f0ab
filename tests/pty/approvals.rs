//! What runs is what was shown, and what rules say holds for every way in.

use serde_json::{Value, json};

use crate::{GUARD, client, on_prompt, support::pty::Tui, wait_ready};

fn create(id: &str, params: Value) -> Value {
    json!({"request": {"id": id, "method": "terminal/create", "params": params}})
}

/// A client with this config, and a turn of these steps.
fn asked(config: &str, steps: &[Value]) -> Tui {
    let mut steps = steps.to_vec();
    steps.push(json!({"text": "went on"}));
    let tui = client(on_prompt(json!(steps))).config(config).start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("wants to");
    std::thread::sleep(GUARD);
    tui
}

/// What stands behind the frame of a dialog's row.
fn rows(screen: &str) -> Vec<String> {
    let bare = |row: &str| row.trim_matches(|c: char| c == '│' || c == ' ').to_owned();
    screen.lines().map(bare).collect()
}

#[test]
fn a_command_behind_a_comment_is_seen_and_can_be_rejected() {
    let steps = [create(
        "q",
        json!({"command": "# run the tests\ntouch PWNED"}),
    )];
    let tui = asked("[terminal]\nask = true\n", &steps);
    let screen = tui.screen();
    let rows = rows(&screen);
    let at = rows.iter().position(|row| row == "$ # run the tests");
    let at = at.unwrap_or_else(|| panic!("{screen}"));
    assert_eq!(rows[at + 1], "touch PWNED", "{screen}");
    tui.keys("n");
    assert!(tui.wait_answer("q")["error"].is_object());
    let screen = tui.wait_for("went on");
    assert!(
        screen.contains("command not allowed: # run the tests⏎touch PWNED"),
        "{screen}"
    );
    assert!(!tui.project().join("PWNED").exists());
}

#[test]
fn a_path_of_the_projects_own_makes_no_allowed_command() {
    let config = r#"
[terminal]
ask = true
[permissions]
rules = [{ kind = "execute", command = "cargo test", decision = "allow" }]
"#;
    let steps = [create(
        "q",
        json!({"command": "cargo", "args": ["test"], "env": [{"name": "PATH", "value": "."}]}),
    )];
    let tui = asked(config, &steps);
    let screen = tui.screen();
    assert!(screen.contains("! env PATH=."), "{screen}");
    assert!(screen.contains("$ cargo test"), "{screen}");
    assert!(screen.contains("PATH is set for it"), "{screen}");
    tui.keys("n");
    assert!(tui.wait_answer("q")["error"].is_object());
    let screen = tui.wait_for("went on");
    assert!(
        screen.contains("command not allowed: PATH=. cargo test"),
        "{screen}"
    );
}

#[test]
fn ask_rules_ask_about_files_and_commands() {
    let config = r#"
[permissions]
rules = [
  { path = "locked/**", decision = "ask" },
  { command = "touch", decision = "ask" },
]
"#;
    let write = |id: &str, path: &str| {
        json!({"request": {"id": id, "method": "fs/write_text_file", "params": {
            "path": path, "content": "x",
        }}})
    };
    let steps = [
        write("first", "locked/a"),
        write("second", "locked/b"),
        write("free", "c"),
        create("run", json!({"command": "touch", "args": ["PWNED"]})),
    ];
    let tui = asked(config, &steps);
    let screen = tui.screen();
    assert!(screen.contains("wants to write a file"), "{screen}");
    assert!(screen.contains("asked because: ask"), "{screen}");
    assert!(!tui.project().join("locked/a").exists());
    tui.keys("y");
    assert!(tui.wait_answer("first")["error"].is_null());
    tui.wait_for("locked/b");
    tui.wait_for("wants to write a file");
    std::thread::sleep(GUARD);
    tui.keys("n");
    assert!(tui.wait_answer("second")["error"].is_object());
    assert!(tui.wait_answer("free")["error"].is_null());
    tui.wait_for("wants to run a command");
    std::thread::sleep(GUARD);
    tui.keys("n");
    assert!(tui.wait_answer("run")["error"].is_object());
    tui.wait_for("went on");
    let there = |name: &str| tui.project().join(name).exists();
    assert!(there("locked/a") && !there("locked/b") && there("c") && !there("PWNED"));
}

#[test]
fn what_a_read_would_run_is_asked_about_as_a_command() {
    let config = "[permissions]\nrules = [{ kind = \"read\", decision = \"allow\" }]\n";
    let steps = [
        json!({"request": {"id": "q", "method": "session/request_permission", "params": {
            "toolCall": {
                "toolCallId": "t", "title": "Read a file", "kind": "read",
                "rawInput": {"command": "cargo test", "args": "; rm -rf ~", "env": {"LD_PRELOAD": "x"}},
            },
            "options": [
                {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"},
            ],
        }}}),
    ];
    let tui = asked(config, &steps);
    let screen = tui.screen();
    assert!(screen.contains("wants to run a command"), "{screen}");
    assert!(screen.contains("! env LD_PRELOAD=x"), "{screen}");
    assert!(screen.contains("$ cargo test ; rm -rf ~"), "{screen}");
    tui.keys("n");
    assert_eq!(tui.wait_answer("q")["result"]["outcome"]["optionId"], "no");
}
