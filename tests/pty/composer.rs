//! Writing a prompt.

use serde_json::json;

use crate::{client, on_prompt, ready, wait_ready};

const COMMANDS: &str = r#"[{"update": {"sessionUpdate": "available_commands_update", "availableCommands": [
    {"name": "review", "description": "Looks at the changes", "input": {"hint": "what to look at"}},
    {"name": "test", "description": "Runs the tests"}
]}}]"#;

fn with_commands() -> serde_json::Value {
    let steps: serde_json::Value = serde_json::from_str(COMMANDS).expect("steps");
    json!([{"on": "session/new", "do": steps}])
}

// V1-UPD-06
#[test]
fn a_command_is_completed_and_sent_as_text() {
    let tui = ready(with_commands());
    tui.keys("/rev");
    tui.wait_for("Looks at the changes");
    tui.keys("<tab>");
    tui.wait_for("/review");
    tui.keys("the diff<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["/review the diff"]);
}

#[test]
fn esc_closes_the_popup_and_keeps_the_text() {
    let tui = ready(with_commands());
    tui.keys("/te");
    tui.wait_for("Runs the tests");
    tui.keys("<esc>");
    tui.wait_gone("Runs the tests");
    tui.wait_for("❯ /te");
}

// V1-PROMPT-03
#[test]
fn a_mention_becomes_a_link() {
    let setup = client(json!([])).file("src/has space#.rs", "fn x() {}");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("explain @has");
    tui.wait_for("src/has space#.rs");
    tui.keys("<tab>");
    tui.keys("please<enter>");
    let prompt = tui.wait_method("session/prompt");
    let blocks = prompt["params"]["prompt"].as_array().expect("blocks");
    let link = blocks
        .iter()
        .find(|block| block["type"] == "resource_link")
        .expect("a link");
    let uri = link["uri"].as_str().expect("an address");
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/src/has%20space%23.rs"),
        "{uri}"
    );
    assert_eq!(blocks[0]["text"], "explain ");
}

// V1-INIT-18
#[test]
fn a_mention_is_embedded_where_the_agent_takes_that() {
    let setup = client(json!([{"on": "initialize", "reply": {
        "protocolVersion": 1, "agentCapabilities": {"promptCapabilities": {"embeddedContext": true}},
    }}]))
    .file("notes.md", "# Notes\n");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("@notes");
    tui.wait_for("notes.md");
    tui.keys("<tab><enter>");
    let prompt = tui.wait_method("session/prompt");
    let blocks = prompt["params"]["prompt"].as_array().expect("blocks");
    let resource = blocks.iter().find(|block| block["type"] == "resource");
    assert_eq!(
        resource.expect("a resource")["resource"]["text"],
        "# Notes\n"
    );
}

#[test]
fn enter_on_a_newline_key_makes_lines() {
    let tui = ready(json!([]));
    tui.keys("one<a-enter>two<c-j>three");
    tui.wait_for("three");
    // Right behind lines that came at once it would be one of them.
    tui.settle(std::time::Duration::from_millis(100));
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["one\ntwo\nthree"]);
}

#[test]
fn earlier_prompts_come_back_by_up_and_by_search() {
    let tui = ready(json!([]));
    for prompt in ["first thing", "second thing"] {
        tui.keys(&format!("{prompt}<enter>"));
        tui.wait_received(prompt, |m| m["params"]["prompt"][0]["text"] == prompt);
        wait_ready(&tui);
    }
    tui.keys("<up>");
    tui.wait_for("❯ second thing");
    tui.keys("<up>");
    tui.wait_for("❯ first thing");
    tui.keys("<down><down>");
    tui.wait_gone("❯ first thing");
    tui.keys("<c-r>sec");
    tui.wait_for("second thing");
    tui.keys("<enter>");
    tui.wait_for("❯ second thing");
}

#[test]
fn the_history_is_there_in_the_next_run() {
    let setup = client(json!([]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("remember this<enter>");
    tui.wait_method("session/prompt");
    wait_ready(&tui);
    // However soon it ends, what was sent is kept.
    tui.keys("<c-d>");
    tui.wait_exit();
    let history = setup.path("home/.local/state/acp-tui/history");
    let files = std::fs::read_dir(history).expect("a folder").flatten();
    let texts: Vec<String> = files
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect();
    assert!(texts.concat().contains("remember this"), "{texts:?}");
    let tui = setup.start();
    wait_ready(&tui);
    // It is read meanwhile.
    tui.wait("the prompt", |tui| {
        tui.keys("<up>");
        tui.screen().contains("❯ remember this").then_some(())
    });
}

#[test]
fn a_shell_line_is_run_here_and_not_sent() {
    let tui = ready(json!([]));
    tui.keys("!echo he<backspace>ello from $((40+2))<enter>");
    let screen = tui.wait_for("hello from 42");
    assert!(screen.contains("not sent to the agent"), "{screen}");
    assert_eq!(tui.count("session/prompt"), 0);
}

#[test]
fn a_long_paste_is_one_chip_and_is_sent_whole() {
    let tui = ready(json!([]));
    let text: String = (0..7_000)
        .map(|n| format!("pasted line number {n} of many\n"))
        .collect();
    assert!(text.len() > 200_000);
    tui.paste(&text);
    tui.wait_for("lines");
    tui.keys(" end<enter>");
    tui.wait_method("session/prompt");
    let prompt = &tui.prompts()[0];
    assert!(
        prompt.starts_with(text.trim_end()),
        "{} bytes",
        prompt.len()
    );
    assert!(prompt.ends_with(" end"));
}

#[test]
fn lines_pasted_without_brackets_do_not_send_themselves() {
    let tui = ready(json!([]));
    tui.send(b"fn main() {\r    let x = 1;\r}\r");
    tui.wait_for("let x = 1;");
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(tui.count("session/prompt"), 0);
    tui.keys("<enter>");
    tui.wait_method("session/prompt");
    assert!(tui.prompts()[0].starts_with("fn main() {\n    let x = 1;\n}"));
}

#[test]
fn typing_in_a_flood_loses_nothing() {
    let tui = ready(on_prompt(json!([
        {"flood": {"kind": "markdown", "chunks": 20_000}}, {"text": "\n\nTHE END"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("esc interrupts");
    let text = "the quick brown fox jumps over the lazy dog";
    for letter in text.chars() {
        tui.send(letter.to_string().as_bytes());
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
    tui.wait_for(&format!("❯ {text}"));
    tui.wait_for("THE END");
    tui.wait_for(&format!("❯ {text}"));
}

#[test]
fn an_answer_of_the_terminal_is_no_typing() {
    let tui = ready(json!([]));
    tui.send(b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\");
    tui.send(b"\x1b[?62;22c");
    tui.keys("clean");
    tui.wait_for("❯ clean");
}

#[test]
fn the_cursor_stands_at_the_caret() {
    let tui = ready(json!([]));
    tui.keys("日本");
    let screen = tui.wait_for("日本");
    let row = screen
        .lines()
        .position(|line| line.contains("日本"))
        .expect("its row");
    tui.wait("the cursor behind two wide characters", |tui| {
        (tui.cursor() == (row as u16, 6, true)).then_some(())
    });
}
