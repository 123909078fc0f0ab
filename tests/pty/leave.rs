//! Every way out: the terminal as it was, nothing left running, the draft kept.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{client, on_prompt, ready, wait_ready};

/// An agent in a turn, with a terminal that has a child in a session of its own.
fn busy() -> Value {
    on_prompt(json!([
        {"request": {"id": "sleeper", "method": "terminal/create", "params": {
            "command": "sh", "args": ["-c", "setsid sleep 1000 & nohup sleep 1001 & echo it runs; sleep 1002"],
        }}},
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": "sleeping", "kind": "execute",
            "status": "in_progress", "content": [{"type": "terminal", "terminalId": "$terminal"}],
        }},
        {"until_cancel": 60_000},
    ]))
}

#[track_caller]
fn wait_busy(tui: &crate::Tui) {
    tui.keys("go<enter>");
    tui.wait_for("it runs");
    if cfg!(target_os = "linux") {
        tui.wait("three sleepers", |tui| {
            let sleepers = tui.children();
            let count = sleepers
                .iter()
                .filter(|(_, line)| line.contains("sleep 100"))
                .count();
            (count >= 3).then_some(())
        });
    }
}

// V1-RPC-20
#[test]
fn quitting_in_mid_turn_ends_all_that_was_started() {
    let mut tui = ready(busy());
    wait_busy(&tui);
    tui.keys("<c-d>");
    tui.wait_for("again");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
    tui.assert_nothing_left();
    assert_eq!(tui.count("session/cancel"), 1);
}

#[test]
fn signals_end_it_as_quitting_does() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut tui = ready(busy());
        wait_busy(&tui);
        tui.keys("half a thought");
        tui.wait_for("❯ half a thought");
        tui.signal(signal);
        assert_eq!(tui.wait_exit().code(), Some(130));
        tui.assert_restored();
        tui.assert_nothing_left();
    }
}

#[test]
fn a_terminal_that_is_gone_ends_it_too() {
    let mut tui = ready(busy());
    wait_busy(&tui);
    tui.hang_up();
    tui.wait_exit();
    tui.assert_nothing_left();
}

#[test]
fn a_panic_gives_the_terminal_back_and_leaves_no_agent() {
    let mut tui = client(json!([])).env("ACP_TUI_TEST_PANIC", "1").start();
    let status = tui.wait_exit();
    assert!(!status.success());
    tui.assert_restored();
    tui.assert_nothing_left();
    assert!(tui.screen().contains("panicked"), "{}", tui.screen());
}

// V1-RPC-20
#[test]
fn an_agent_behind_a_launcher_that_hears_nothing_is_ended() {
    let setup = client(json!([
        {"on": "start", "do": [{"ignore": "eof"}, {"spawn": {"argv": ["sleep", "1000"]}}]},
    ]))
    .launcher("trap '' TERM HUP; \"$@\"; sleep 1000");
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
    tui.assert_nothing_left();
}

#[test]
fn the_last_exchange_stays_on_the_normal_screen_with_the_way_back() {
    let mut tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
        {"on": "session/prompt", "do": [{"text": "the **answer**"}]},
    ]));
    tui.keys("the question<enter>");
    tui.wait_for("the answer");
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    let screen = tui.screen();
    assert!(screen.contains("the question"), "{screen}");
    assert!(screen.contains("the answer"), "{screen}");
    assert!(screen.contains("acp-tui --resume sess-1"), "{screen}");
}

#[test]
fn the_way_back_has_the_short_id_and_the_configuration_that_was_named() {
    let long = "86ca6177-95b9-4300-943b-d5973d25642d";
    let update = json!({"sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "the answer"}});
    let params = json!({"sessionId": long, "update": update});
    let line = json!({"jsonrpc": "2.0", "method": "session/update", "params": params});
    let mut tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
        {"on": "session/new", "reply": {"sessionId": long}},
        {"on": "session/prompt", "do": [{"raw": format!("{line}\n")}]},
    ]));
    tui.keys("the question<enter>");
    tui.wait_for("the answer");
    tui.keys("<c-d>");
    tui.wait_exit();
    let screen = tui.screen();
    assert!(!screen.contains(long), "{screen}");
    let stored = std::fs::read_dir(tui.path("home/.local/state/acp-tui/sessions"));
    let stored = stored.expect("sessions are stored").flatten();
    let mut names = stored.map(|file| file.file_name().into_string().expect("text"));
    let id = names.find_map(|name| Some(name.strip_suffix(".jsonl")?.to_owned()));
    let id = id.expect("a stored session");
    assert!(screen.contains(&format!("--resume {id} ")), "{screen}");
    let config = tui.path("config.toml").display().to_string();
    let joined = screen.replace(" \\\n   ", "");
    assert!(joined.contains(&format!("--config {config}")), "{joined}");
}

#[test]
fn a_session_in_which_nothing_was_said_needs_no_way_back() {
    let mut tui = ready(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
    ]));
    tui.keys("<c-d>");
    tui.wait_exit();
    let screen = tui.screen();
    assert!(!screen.contains("To resume"), "{screen}");
}

#[test]
fn the_draft_is_there_again_after_a_quit() {
    let setup = client(json!([]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("half a thought");
    tui.wait_for("half a thought");
    tui.signal(Signal::TERM);
    tui.wait_exit();
    let tui = setup.start();
    tui.wait_for("❯ half a thought");
}

#[test]
fn the_draft_is_there_again_after_a_crash() {
    let setup = client(json!([]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("half a thought");
    tui.wait_for("half a thought");
    // As soon as a person can reach for something else.
    std::thread::sleep(Duration::from_millis(400));
    tui.signal(Signal::KILL);
    tui.wait_exit();
    let tui = setup.start();
    let screen = tui.wait_for("❯ half a thought");
    assert!(screen.contains("draft restored"), "{screen}");
}

#[test]
fn without_ever_a_session_the_exit_code_says_so() {
    let mut setup = client(json!([]));
    setup.agent = vec!["no-such-agent-program".into()];
    let mut tui = setup.start();
    tui.wait_for("not running");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(3));
    assert!(tui.screen().contains("no-such-agent-program"));
}

#[test]
fn without_a_sign_in_the_exit_code_says_so() {
    let mut tui = client(json!([
        {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
    ]))
    .start();
    tui.wait_for("sign in");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(4));
}

#[test]
fn ctrl_z_gives_the_shell_its_terminal_and_fg_brings_everything_back() {
    let setup = client(on_prompt(json!([{"text": "an answer"}, {"wait_file": "go"}, {"text": " goes on"}])))
        .shell("\"$@\"; echo THE SHELL; stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo; read line; fg; echo ENDED $?");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("hello<enter>");
    tui.wait_for("an answer");
    tui.keys("a draft");
    tui.wait_for("❯ a draft");
    tui.keys("<c-z>");
    let screen = tui.wait_for("THE SHELL");
    assert!(!screen.contains("an answer"), "the normal screen: {screen}");
    tui.wait_for("icanon");
    tui.wait_for("echo");
    tui.allow("go");
    tui.keys("\r");
    let screen = tui.wait_for("an answer goes on");
    assert!(screen.contains("❯ a draft"), "{screen}");
    wait_ready(&tui);
    tui.keys("<c-c><c-d>");
    tui.wait_for("ENDED 0");
    tui.assert_restored();
}

#[test]
fn stopped_from_outside_it_comes_back_as_well() {
    let setup =
        client(json!([])).shell("\"$@\"; stty sane; echo THE SHELL; read line; fg; echo ENDED $?");
    let tui = setup.start();
    wait_ready(&tui);
    let Some(client) = client_below(&tui) else {
        return;
    };
    rustix::process::kill_process(client, Signal::STOP).expect("stopped");
    tui.wait("the shell", |tui| tui.wrote("THE SHELL").then_some(()));
    tui.keys("\r");
    wait_ready(&tui);
    tui.keys("still here");
    tui.wait_for("❯ still here");
    tui.keys("<c-c><c-d>");
    tui.wait_for("ENDED 0");
    tui.assert_restored();
}

#[test]
fn a_stop_by_kill_gives_the_shell_its_terminal_like_ctrl_z() {
    let setup = client(on_prompt(json!([{"text": "an answer"}])))
        .shell("\"$@\"; echo THE SHELL; stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo; read line; fg; echo ENDED $?");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("hello<enter>");
    tui.wait_for("an answer");
    let Some(client) = client_below(&tui) else {
        return;
    };
    rustix::process::kill_process(client, Signal::TSTP).expect("stopped");
    let screen = tui.wait_for("THE SHELL");
    assert!(!screen.contains("an answer"), "the normal screen: {screen}");
    tui.wait_for("icanon");
    tui.assert_restored();
    tui.keys("\r");
    wait_ready(&tui);
    tui.keys("still here");
    tui.wait_for("❯ still here");
    tui.keys("<c-c><c-d>");
    tui.wait_for("ENDED 0");
    tui.assert_restored();
}

#[test]
fn a_storm_of_sizes_leaves_one_copy_of_everything() {
    let tui = ready(on_prompt(
        json!([{"text": "A long answer that has to wrap on a narrow screen, and then the end."}]),
    ));
    tui.keys("hello there<enter>");
    tui.wait_for("the end.");
    for n in 0..40_u16 {
        tui.resize(40 + n * 7 % 80, 10 + n * 5 % 40);
        std::thread::sleep(Duration::from_millis(3));
    }
    tui.resize(100, 30);
    let screen = tui.wait("one wide line", |tui| {
        let screen = tui.screen();
        let whole = "A long answer that has to wrap on a narrow screen, and then the end.";
        (screen.contains(whole) && screen.contains("F1 keys")).then_some(screen)
    });
    assert_eq!(screen.matches("hello there").count(), 1, "{screen}");
    assert_eq!(screen.matches("the end.").count(), 1, "{screen}");
}

/// The client's own process, where a shell has started it.
fn client_below(tui: &crate::Tui) -> Option<rustix::process::Pid> {
    let children = tui.children();
    let client = children.iter().find(|(_, line)| line.contains("--config"));
    client.and_then(|(pid, _)| rustix::process::Pid::from_raw(*pid as i32))
}

// By a shell, as for a person: at the end of the first process of a terminal the system throws away
// what it has not taken.
#[test]
fn a_terminal_that_takes_nothing_keeps_nothing_alive() {
    let flood = on_prompt(json!([{"flood": {"kind": "text", "chunks": 1_000_000, "rate": 5_000}}]));
    let tui = client(flood)
        .shell("\"$@\"; code=$?; echo; echo ENDED $code")
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("parser");
    let Some(client) = client_below(&tui) else {
        return;
    };
    let frozen = tui.freeze();
    std::thread::sleep(Duration::from_millis(500));
    let told = Instant::now();
    rustix::process::kill_process(client, Signal::TERM).expect("told");
    while client_below(&tui).is_some() {
        assert!(
            told.elapsed() < Duration::from_secs(5),
            "2 s where the machine has nothing else to do"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let children = tui.children();
    assert!(
        children.iter().all(|(_, line)| line.contains("ENDED")),
        "only the shell is left: {children:?}"
    );
    drop(frozen);
    tui.wait_for("ENDED 130");
    tui.assert_restored();
    // What was said last is there as well.
    assert!(tui.screen().contains("parser"), "{}", tui.screen());
}

/// What is printed at the end is more than such a terminal takes, though it has taken all frames.
#[test]
fn a_last_answer_that_a_terminal_does_not_take_keeps_nothing_alive() {
    let answer = "a row of the last answer\n\n".repeat(20_000);
    let tui = client(on_prompt(json!([{"text": answer}, {"text": "the end"}])))
        .shell("\"$@\"; code=$?; echo; echo ENDED $code")
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("the end");
    tui.settle(Duration::from_millis(300));
    let Some(client) = client_below(&tui) else {
        return;
    };
    let frozen = tui.freeze();
    rustix::process::kill_process(client, Signal::TERM).expect("told");
    let told = Instant::now();
    while client_below(&tui).is_some() {
        assert!(told.elapsed() < Duration::from_secs(10), "it waits");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(frozen);
    tui.wait_for("ENDED 130");
    tui.assert_restored();
}

#[test]
fn it_can_be_left_while_the_agent_starts_or_is_silent() {
    for scenario in [
        json!([{"on": "start", "do": [{"hang": true}]}]),
        json!([{"on": "initialize", "no_reply": true}]),
        json!([{"on": "session/new", "no_reply": true}]),
    ] {
        let mut tui = client(scenario).start();
        tui.wait_for("acp-tui");
        tui.keys("<c-d>");
        assert_eq!(tui.wait_exit().code(), Some(0), "nothing has failed");
        tui.assert_restored();
        tui.assert_nothing_left();
    }
}

#[test]
fn a_client_that_is_killed_takes_its_agent_along() {
    let mut tui = ready(json!([{"on": "start", "do": [{"ignore": "eof"}]}]));
    tui.signal(Signal::KILL);
    tui.wait_exit();
    tui.assert_nothing_left();
}

/// SIGKILL leaves no time to give the terminal back: without the guard each move of the mouse would type
/// into the shell from then on.
#[test]
fn a_client_that_is_killed_leaves_the_shell_a_terminal_it_can_use() {
    let mut tui = client(json!([]))
        .shell("\"$@\"; code=$?; stty sane; echo ENDED $code; read line; exit 0")
        .start();
    wait_ready(&tui);
    let client = client_below(&tui).expect("the client");
    rustix::process::kill_process(client, Signal::KILL).expect("it runs");
    tui.wait("a terminal that was given back", |tui| {
        let raw = String::from_utf8_lossy(&tui.raw()).into_owned();
        let off = |on: &str, off: &str| raw.rfind(on) < raw.rfind(off);
        (off("[?1049h", "[?1049l") && raw.contains("ENDED 137")).then_some(())
    });
    tui.assert_restored();
    tui.keys("<enter>");
    tui.wait_exit();
    tui.assert_nothing_left();
}

/// Children of a terminal's shell of every kind that wants to stay.
fn stubborn() -> Value {
    let line = "setsid sleep 1000 & nohup sleep 1001 & sleep 1002 & disown 2>/dev/null; \
                (setsid sh -c 'sleep 1003 & exec sleep 1004' &); (trap '' TERM HUP; sleep 1005) & \
                setsid -f sleep 1006; env -i sleep 1007 & echo it runs; sleep 1008";
    on_prompt(json!([
        {"request": {"method": "terminal/create", "params": {"command": "bash", "args": ["-c", line]}}},
        {"request": {"method": "terminal/create", "params": {"command": "sleep 1009 & echo ended"}}},
        {"request": {"method": "terminal/wait_for_exit", "params": {"terminalId": "$terminal"}}},
        {"spawn": {"argv": ["sh", "-c", "trap '' TERM HUP; sleep 1010 & sleep 1011"]}},
        {"text": "they all run"},
        {"until_cancel": 60_000},
    ]))
}

fn sleepers(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let read = |name| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let in_folder = std::fs::read_link(entry.path().join("cwd"));
        if command.contains("sleep 10") && in_folder.is_ok_and(|cwd| cwd.starts_with(folder)) {
            found.push(command);
        }
    }
    found
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_is_killed_leaves_nothing_of_its_terminals_nor_of_its_agent() {
    let mut tui = ready(stubborn());
    tui.keys("go<enter>");
    tui.wait_for("they all run");
    let project = tui.project();
    tui.wait("all sleepers", |_| {
        let count = (1000..=1011)
            .filter(|n| {
                let name = format!("sleep {n}");
                sleepers(&project)
                    .iter()
                    .any(|line| line.starts_with(&name))
            })
            .count();
        (count == 12).then_some(())
    });
    let killed = Instant::now();
    tui.signal(Signal::KILL);
    tui.wait_exit();
    while !sleepers(&project).is_empty() {
        assert!(
            killed.elapsed() < Duration::from_secs(6),
            "3 s where the machine has nothing else to do: {:?}",
            sleepers(&project)
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    tui.assert_nothing_left();
    // And the guard is gone with them.
    let guard = format!("__guard {} ", tui.pid());
    tui.wait("end of the guard", |_| {
        let lines = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let mut lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        let is_it = |line: Vec<u8>| {
            String::from_utf8_lossy(&line)
                .replace('\0', " ")
                .contains(&guard)
        };
        (!lines.any(is_it)).then_some(())
    });
}

#[test]
fn pressing_ctrl_c_too_often_leaves_nothing_behind() {
    let setup = client(json!([{"on": "start", "do": [{"ignore": "eof"}]}]))
        .launcher("trap '' TERM INT; \"$@\"");
    let mut tui = setup.start();
    wait_ready(&tui);
    for _ in 0..12 {
        tui.keys("<c-c>");
        std::thread::sleep(Duration::from_millis(50));
        if !tui.is_running() {
            break;
        }
    }
    tui.wait_exit();
    tui.assert_restored();
    tui.assert_nothing_left();
}

#[test]
fn ctrl_c_while_it_leaves_changes_neither_the_exit_code_nor_the_way_out() {
    for gap in [3, 20, 40, 60] {
        let mut tui = ready(json!([]));
        for _ in 0..12 {
            tui.keys("<c-c>");
            std::thread::sleep(Duration::from_millis(gap));
            if !tui.is_running() {
                break;
            }
        }
        assert_eq!(tui.wait_exit().code(), Some(0), "{gap} ms apart");
        tui.assert_restored();
        tui.assert_nothing_left();
    }
}

#[test]
fn every_signal_that_ends_it_gives_the_terminal_back() {
    use rustix::process::Signal;
    for (signal, code) in [
        (Signal::USR1, Some(130)),
        (Signal::USR2, Some(130)),
        (Signal::ALARM, Some(130)),
        (Signal::QUIT, Some(130)),
        (Signal::XCPU, Some(130)),
        // As it would have ended without a terminal.
        (Signal::ABORT, None),
        (Signal::SEGV, None),
    ] {
        let mut tui = ready(json!([]));
        tui.keys("half a thought");
        tui.wait_for("❯ half a thought");
        tui.signal(signal);
        let status = tui.wait_exit();
        assert_eq!(status.code(), code, "{signal:?}: {status:?}");
        tui.assert_restored();
        tui.assert_nothing_left();
    }
}

#[test]
fn a_signal_that_comes_while_it_is_suspended_ends_it_and_leaves_the_shell_its_terminal() {
    for name in ["TERM", "USR1", "ALRM"] {
        // The shell has it go on for the first by itself.
        let setup = client(json!([])).shell(&format!(
            "\"$@\"; kill -{name} %1; fg; echo ENDED $?; stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo"
        ));
        let tui = setup.start();
        wait_ready(&tui);
        tui.keys("<c-z>");
        tui.wait_for("ENDED 130");
        tui.wait_for("icanon");
        tui.assert_restored();
    }
}
