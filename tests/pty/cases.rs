//! Kinds of fault that other clients were reported for: the terminal afterwards, foreign text.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{client, on_prompt, permission::wait_open, ready, support::pty::Tui};

#[test]
fn a_closed_terminal_is_no_crash() {
    let mut tui = ready(on_prompt(
        json!([{"text": "working"}, {"until_cancel": 30_000}]),
    ));
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.hang_up();
    assert_eq!(tui.wait_exit().code(), Some(130));
    tui.assert_nothing_left();
}

#[test]
fn continued_more_than_once_it_still_restores_the_terminal() {
    let mut tui = ready(json!([]));
    for _ in 0..3 {
        let before = tui.raw_len();
        tui.signal(Signal::CONT);
        tui.wait("a whole frame", |tui| {
            let since = String::from_utf8_lossy(&tui.raw_since(before)).into_owned();
            since.contains("F1 keys").then_some(())
        });
    }
    tui.keys("still here");
    tui.wait_for("❯ still here");
    tui.keys("<c-c><c-c><c-c>");
    tui.wait_exit();
    tui.assert_restored();
}

/// Clipboard, title, clearing, moving, modes, DCS, C1, reset, bell, bidi, invisible.
const EVIL: &str = "\x1b]52;c;UFdORUQ=\x07\x1b]0;PWNED\x07\x1b[2J\x1b[13;37H\x1b[?1337h\x1bP+q544e\
                    \x1b\\\u{9d}52;c;UFdO\u{9c}\u{9b}31m\x1bc\x07\x08\x7f\u{202e}evil\u{2066}\u{200b}";

fn evil(text: &str) -> String {
    format!("{text}{EVIL}")
}

fn update(update: Value) -> Value {
    json!({"update": update})
}

fn message(text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    update(json!({"sessionUpdate": "agent_message_chunk", "content": content}))
}

/// Asserts that none of [`EVIL`] has reached the terminal as a control.
#[track_caller]
fn assert_tame(tui: &Tui) {
    let raw = String::from_utf8_lossy(&tui.raw()).into_owned();
    for control in [
        "\x1b]52",
        "\x1b[13;37H\x1b",
        "\x1b[?1337h",
        "\x1bP",
        "\x1bc",
        "\x08",
        "\x7f",
    ] {
        assert!(!raw.contains(control), "{control:?} in {raw:?}");
    }
    // A title is the client's: it names the session in harmless text, and never stands alone.
    for title in raw.split("\x1b]0;").skip(1) {
        let text = title.split("\x1b\\").next().unwrap_or_default();
        let ours = !text.starts_with("PWNED") && !text.starts_with('x');
        assert!(ours && !text.contains(char::is_control), "{text:?}");
    }
    let hidden = |c| {
        matches!(
            c,
            '\u{80}'..='\u{9f}' | '\u{202e}' | '\u{2066}' | '\u{200b}'
        )
    };
    assert!(!raw.contains(hidden), "{raw:?}");
}

/// An agent all of whose words are [`EVIL`].
fn evil_agent(on_prompt: Value) -> Value {
    let mode = |id: &str| json!({"id": evil(id), "name": evil(id), "description": evil("mode")});
    let commands = json!([
        {"name": evil("do"), "description": evil("does"), "input": {"hint": evil("hint")}},
    ]);
    json!([
        {"on": "initialize", "reply": {
            "protocolVersion": 1,
            "agentCapabilities": {"loadSession": true},
            "agentInfo": {"name": evil("n"), "title": evil("Evil"), "version": evil("1")},
        }},
        {"on": "session/new", "reply": {
            "sessionId": "sess-1",
            "modes": {"currentModeId": evil("m1"), "availableModes": [mode("m1"), mode("m2")]},
        }, "after": [
            {"stderr": evil("a word to nobody")},
            {"raw": format!("{}\n", evil("no message"))},
            update(json!({"sessionUpdate": "session_info_update", "title": evil("Session")})),
            update(json!({
                "sessionUpdate": "available_commands_update", "availableCommands": commands,
            })),
        ]},
        {"on": "session/prompt", "do": on_prompt, "reply": {"stopReason": evil("odd")}},
        {"on": "session/prompt", "error": {
            "code": -32603, "message": evil("bad"), "data": {"details": evil("why")},
        }},
        {"on": "session/prompt", "do": [{"stderr": evil("last words")}, {"exit": 3}]},
    ])
}

// V1-UPD-12
#[test]
fn no_foreign_text_controls_the_terminal() {
    let entities = "&#27;]0;x&#7; &#155;31m &#x202e;";
    let link = format!(
        "[{}](http://x/{EVIL}) <http://y/{EVIL}> [z](http://z/%1b]0;x%07)",
        evil("l")
    );
    let markdown = format!(
        "# {0}\n\n{0} `{0}` {link} {entities}\n\n```{0}\n{0}\n```\n\n| {0} | b |\n|---|---|\n| {0} \
         | c |\n\n- [ ] {0}\n\n<b>{0}</b>\n\n[^1]: {0}\n",
        evil("x").replace('\n', " ")
    );
    let block = |content: Value| {
        update(json!({"sessionUpdate": "agent_message_chunk", "content": content}))
    };
    let diff = json!({
        "type": "diff", "path": format!("/x/{}", evil("p")),
        "oldText": evil("a"), "newText": evil("b"),
    });
    let scenario = evil_agent(json!([
        message(&markdown),
        update(json!({
            "sessionUpdate": "agent_thought_chunk",
            "content": {"type": "text", "text": evil("hm")},
        })),
        block(json!({
            "type": "resource_link", "uri": evil("file:///x"), "name": evil("r"), "title": evil("t"),
        })),
        block(json!({"type": "image", "data": "aGk=", "mimeType": evil("image/png")})),
        block(json!({"type": evil("strange")})),
        update(json!({"sessionUpdate": evil("strange")})),
        update(json!({"sessionUpdate": "current_mode_update", "currentModeId": evil("m2")})),
        update(json!({"sessionUpdate": "plan", "entries": [
            {"content": evil("plan"), "priority": "high", "status": "in_progress"},
        ]})),
        update(json!({
            "sessionUpdate": "tool_call", "toolCallId": evil("t1"), "title": evil("Tool"),
            "kind": evil("odd"), "status": evil("odd"), "rawInput": {evil("k"): evil("v")},
            "locations": [{"path": format!("/x/{}", evil("l"))}],
            "content": [diff, {"type": evil("odd")}, {"type": "terminal", "terminalId": evil("t")}],
        })),
        {"request": {"method": "terminal/create", "params": {
            "command": "printf",
            "args": ["\\033]52;c;UFdO\\007\\033]0;x\\007\\033[?1337h\\033Pq\\033\\\\\\342\\200\\256done\\n"],
        }}},
        update(json!({
            "sessionUpdate": "tool_call", "toolCallId": "t2", "title": "show", "kind": "execute",
            "status": "in_progress", "content": [{"type": "terminal", "terminalId": "$terminal"}],
        })),
        {"request": {"method": evil("no/such"), "params": {}}},
        {"request": {"method": "session/request_permission", "params": {
            "toolCall": {
                "toolCallId": evil("p1"), "title": evil("Ask"), "kind": "execute",
                "status": "pending", "content": [diff],
                "rawInput": {"command": evil("rm"), "cwd": format!("/x/{}", evil("cwd"))},
            },
            "options": [
                {"optionId": evil("y"), "name": evil("Yes"), "kind": "allow_once"},
                {"optionId": evil("n"), "name": evil("No"), "kind": "reject_once"},
                {"optionId": evil("o"), "name": evil("Odd"), "kind": evil("odd")},
            ],
        }}},
        {"request": {"method": "fs/read_text_file", "params": {
            "path": format!("/nowhere/{}", evil("f")),
        }}},
    ]));
    let tui = client(scenario).size(120, 40).start();
    tui.wait_for("tell Evil");
    tui.keys("/do");
    tui.wait_for("/do␛");
    tui.keys("<esc><c-u>first<enter>");
    tui.wait_for("wants to run a command");
    tui.keys("<c-o>");
    tui.wait_for("ctrl-o less");
    tui.keys("<c-o>");
    wait_open(&tui);
    tui.keys("n");
    tui.wait_for("wants to read");
    wait_open(&tui);
    tui.keys("n");
    tui.wait_for("the turn ended");
    tui.keys("second<enter>");
    tui.wait_for("the turn failed");
    tui.keys("third<enter>");
    tui.wait_for("not running");
    tui.keys("<c-home>");
    tui.wait_for("Evil");
    assert_tame(&tui);
}

#[test]
fn names_of_files_and_folders_control_nothing_either() {
    let name = |text: &str| evil(text).replace('/', "_");
    let setup = client(json!([]))
        .size(200, 40)
        .file(&name("a-file"), "")
        .file(".git/HEAD", format!("ref: refs/heads/{}\n", name("branch")))
        .config(&format!(
            "[keys]\n{0} = [{0}]\n[ui]\n{0} = 1\ntheme = {0}\n",
            json!(evil("key")).to_string().replace('\x7f', "\\u007f")
        ));
    let mut tui = setup.start();
    tui.wait_for("unknown key");
    tui.keys("@");
    tui.wait_for("a-file");
    tui.keys("<c-c><c-c><c-c>");
    tui.wait_exit();
    assert_tame(&tui);
}
