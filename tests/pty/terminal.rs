//! Commands that the agent runs in terminals here, and the person at them.

use serde_json::{Value, json};

use crate::{on_prompt, ready, support::pty::Tui, wait_ready};

/// A turn with a command in a terminal, shown by a tool call, and what follows.
fn command(script: &str, rest: Value) -> Value {
    let mut steps = vec![
        json!({"request": {"id": "create", "method": "terminal/create", "params": {
            "command": "sh", "args": ["-c", script],
        }}}),
        json!({"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": "the script", "kind": "execute",
            "status": "in_progress", "content": [{"type": "terminal", "terminalId": "$terminal"}],
        }}),
    ];
    steps.extend(rest.as_array().expect("steps").iter().cloned());
    on_prompt(json!(steps))
}

fn wait_for_exit() -> Value {
    json!({"request": {"id": "exit", "method": "terminal/wait_for_exit", "params": {"terminalId": "$terminal"}}})
}

/// Selects the only block and attaches to its terminal.
fn attach(tui: &Tui) {
    tui.keys("<tab>");
    tui.keys("t");
    tui.wait_for("attached");
}

#[test]
fn its_output_is_live_and_its_end_is_told_v1_term() {
    let tui = ready(command(
        "echo first; while [ ! -e ../go ]; do sleep 0.05; done; printf '\\033[31msecond\\033[0m\\n'; exit 3",
        json!([
            wait_for_exit(),
            {"request": {"id": "output", "method": "terminal/output", "params": {"terminalId": "$terminal"}}},
            {"request": {"id": "release", "method": "terminal/release", "params": {"terminalId": "$terminal"}}},
            {"text": "it has ended"},
        ]),
    ));
    tui.keys("go<enter>");
    // The command's own text may stand there until its first output does.
    tui.wait("the first output alone", |tui| {
        let screen = tui.screen();
        (screen.contains("first") && !screen.contains("second")).then_some(())
    });
    tui.allow("go");
    tui.wait_for("it has ended");
    // The output stays after the release.
    let screen = tui.wait_for("second");
    assert!(screen.contains("exit 3"), "{screen}");
    assert_eq!(tui.wait_answer("exit")["result"]["exitCode"], 3);
    let output = &tui.wait_answer("output")["result"];
    assert_eq!(output["output"], "first\nsecond\n");
    assert_eq!(output["exitStatus"]["exitCode"], 3);
}

#[test]
fn a_command_that_asks_is_answered_by_attaching() {
    let tui = ready(command(
        "printf 'your name? '; read name; echo \"hello $name\"",
        json!([wait_for_exit(), {"text": "it has ended"}]),
    ));
    tui.keys("go<enter>");
    tui.wait_for("your name?");
    attach(&tui);
    tui.keys("Ada\r");
    tui.wait_for("hello Ada");
    tui.keys("<c-]>");
    tui.wait_for("it has ended");
    tui.wait_for("hello Ada");
    assert_eq!(tui.wait_answer("exit")["result"]["exitCode"], 0);
}

#[test]
fn ctrl_c_goes_to_the_attached_program_and_stops_no_turn() {
    let tui = ready(command(
        "trap 'echo got it; exit 7' INT; echo waiting; while :; do sleep 0.1; done",
        json!([wait_for_exit(), {"text": "it has ended"}]),
    ));
    tui.keys("go<enter>");
    tui.wait_for("waiting");
    attach(&tui);
    tui.keys("<c-c>");
    tui.wait_for("got it");
    assert_eq!(tui.wait_answer("exit")["result"]["exitCode"], 7);
    assert_eq!(tui.count("session/cancel"), 0);
}

#[test]
fn f9_ends_an_attached_command_with_all_that_it_started() {
    let tui = ready(command(
        "sleep 1000 & echo waiting; sleep 1001",
        json!([wait_for_exit(), {"text": "it has ended"}]),
    ));
    tui.keys("go<enter>");
    tui.wait_for("waiting");
    attach(&tui);
    tui.keys("<f9>");
    tui.wait_answer("exit");
    tui.wait("the end of the sleepers", |tui| {
        let left = tui.children();
        (!left.iter().any(|(_, line)| line.contains("sleep 100"))).then_some(())
    });
    tui.keys("<c-]>");
    tui.wait_for("it has ended");
    wait_ready(&tui);
}

#[test]
fn a_background_child_holds_up_nothing() {
    let tui = ready(command(
        "sleep 1000 & echo started",
        json!([wait_for_exit(), {"text": "went on"}]),
    ));
    tui.keys("go<enter>");
    tui.wait_for("went on");
    assert_eq!(tui.wait_answer("exit")["result"]["exitCode"], 0);
}

#[test]
fn a_terminal_that_the_agent_never_shows_can_be_seen_attached_to_and_ended() {
    let tui = ready(on_prompt(json!([
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": "execute", "kind": "execute",
            "status": "in_progress", "content": [],
        }},
        {"request": {"id": "create", "method": "terminal/create", "params": {
            "command": "sh", "args": ["-c", "echo serving; sleep 1002"],
        }}},
        {"text": "left it running"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("serving");
    tui.wait_for("still running");
    // The blocks below it are what was said.
    tui.keys("<tab>");
    tui.wait("the call to be selected", |tui| {
        tui.keys("kt");
        tui.settle(std::time::Duration::from_millis(50));
        tui.screen().contains("attached").then_some(())
    });
    tui.keys("<f9>");
    tui.wait("the end of the sleeper", |tui| {
        let left = tui.children();
        (!left.iter().any(|(_, line)| line.contains("sleep 1002"))).then_some(())
    });
}

#[test]
fn the_persons_own_command_goes_on_when_a_turn_ends() {
    let tui = ready(on_prompt(json!([{"text": "a short turn"}])));
    tui.keys("!echo begun; while [ ! -e ../go ]; do sleep 0.05; done; exit $((1+2))<enter>");
    tui.wait_for("begun");
    tui.keys("go<enter>");
    tui.wait_for("a short turn");
    wait_ready(&tui);
    assert!(!tui.screen().contains("no result"), "{}", tui.screen());
    tui.allow("go");
    tui.wait_for("exit 3");
}

#[test]
fn an_unknown_terminal_costs_only_itself() {
    let tui = ready(on_prompt(json!([
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": "lost it", "kind": "execute",
            "status": "completed", "content": [
                {"type": "terminal", "terminalId": "from-another-life"},
                {"type": "content", "content": {"type": "text", "text": "but this is here"}},
            ],
        }},
        {"request": {"id": "q", "method": "terminal/output", "params": {"terminalId": "from-another-life"}}},
        {"text": "went on"},
    ])));
    tui.keys("go<enter>");
    let screen = tui.wait_for("went on");
    assert!(screen.contains("but this is here"), "{screen}");
    assert!(tui.wait_answer("q")["error"].is_object());
}
