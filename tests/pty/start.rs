//! From the command line to the first prompt, and what can go wrong on the way.

use serde_json::json;

use crate::{GUARD, client, on_prompt, ready, wait_ready};

#[test]
fn the_screen_is_there_and_takes_text_before_the_agent_answers() {
    let tui = client(json!([{"on": "initialize", "no_reply": true}])).start();
    tui.wait_for("Starting");
    tui.keys("typed ahead");
    tui.wait_for("❯ typed ahead");
    assert_eq!(tui.count("session/new"), 0);
}

// V1-INIT-01
#[test]
fn what_is_sent_ahead_goes_out_once_the_session_is_open() {
    let tui = client(json!([
        {"on": "initialize", "do": [{"wait_file": "go"}]},
    ]))
    .start();
    tui.wait_method("initialize");
    tui.keys("hello<enter>");
    tui.wait_for("hello");
    assert_eq!(tui.received().len(), 1, "nothing before the answer");
    tui.allow("go");
    tui.wait_method("session/prompt");
    assert_eq!(tui.prompts(), ["hello"]);
}

#[test]
fn a_prompt_on_the_command_line_is_sent_at_once() {
    let tui = client(on_prompt(json!([{"text": "well met"}])))
        .args(&["say hello"])
        .start();
    tui.wait_for("well met");
    assert_eq!(tui.prompts(), ["say hello"]);
    assert!(tui.screen().contains("say hello"));
}

// V1-INIT-02
#[test]
fn the_first_messages_are_as_the_protocol_wants_them() {
    let tui = ready(json!([]));
    let initialize = &tui.received()[0];
    assert_eq!(initialize["method"], "initialize");
    assert_eq!(initialize["params"]["protocolVersion"], 1);
    assert_eq!(initialize["params"]["clientInfo"]["name"], "acp-tui");
    let new = &tui.received()[1];
    assert_eq!(new["method"], "session/new");
    assert_eq!(
        new["params"]["cwd"],
        tui.project().to_str().expect("a name")
    );
    assert_eq!(new["params"]["mcpServers"], json!([]));
}

#[test]
fn an_agent_that_is_missing_is_a_notice_and_no_exit() {
    let mut setup = client(json!([]));
    setup.agent = vec!["no-such-agent-program".into()];
    let tui = setup.start();
    tui.wait_for("not running");
    let screen = tui.screen();
    assert!(screen.contains("no-such-agent-program"), "{screen}");
    assert!(screen.contains("F5"), "{screen}");
}

#[test]
fn an_agent_that_cannot_be_executed_is_named() {
    let mut setup = client(json!([])).file("agent.txt", "no program");
    let agent = setup.path("project/agent.txt").display().to_string();
    setup.agent = vec![agent];
    let tui = setup.start();
    tui.wait_for("not running");
    assert!(tui.screen().contains("agent.txt"), "{}", tui.screen());
}

#[test]
fn an_agent_that_ends_at_the_start_is_shown_with_its_last_words() {
    let tui = client(json!([
        {"on": "start", "do": [{"stderr": "cannot find the API key"}, {"exit": 3}]},
    ]))
    .start();
    tui.wait_for("exit code 3");
    let screen = tui.wait_for("cannot find the API key");
    assert!(screen.contains("F5"), "{screen}");
    // It is not started again unasked.
    assert!(tui.children().is_empty());
}

#[test]
fn f5_starts_it_again_and_what_was_typed_is_kept() {
    let setup = client(json!([{"on": "start", "do": [{"exit": 1}]}]));
    let tui = setup.start();
    tui.wait_for("not running");
    tui.keys("a long thought");
    tui.wait_for("a long thought");
    std::fs::write(setup.path("scenario.json"), "[]").expect("scenario");
    tui.keys("<f5>");
    wait_ready(&tui);
    assert!(tui.screen().contains("❯ a long thought"));
}

// V1-RPC-14
#[test]
fn lines_that_are_no_messages_do_no_harm() {
    let tui = client(json!([
        {"on": "start", "do": [
            {"raw": "INFO starting…\n\n[1, 2]\n{\"level\": \"info\", \"id\": 1}\n\u{feff}\r\n"},
            {"raw": "\u{1b}[31mcolours\u{1b}[0m\n"},
        ]},
        {"on": "session/prompt", "do": [{"text": "still here"}]},
    ]))
    .start();
    wait_ready(&tui);
    tui.wait_for("that are not messages");
    tui.keys("are you there?<enter>");
    tui.wait_for("still here");
}

// V1-INIT-03
#[test]
fn a_version_that_is_not_ours_ends_the_connection() {
    let tui = client(json!([{"on": "initialize", "reply": {"protocolVersion": 7}}])).start();
    let screen = tui.wait_for("speaks version 7");
    assert!(screen.contains("this client version 1"), "{screen}");
    tui.assert_nothing_left();
    assert_eq!(tui.received().len(), 1);
}

#[test]
fn a_flood_before_initialize_is_answered_is_survived() {
    let tui = client(json!([
        {"on": "start", "do": [{"flood": {"kind": "text", "chunks": 20_000}}]},
    ]))
    .start();
    wait_ready(&tui);
}

// V1-SES-03
#[test]
fn commands_announced_before_the_session_has_a_name_are_kept() {
    let tui = ready(json!([{"on": "session/new", "do": [
        {"update": {"sessionUpdate": "available_commands_update", "availableCommands": [
            {"name": "review", "description": "Looks at the changes"},
        ]}},
    ]}]));
    tui.keys("/rev");
    tui.wait_for("Looks at the changes");
}

#[test]
fn a_command_behind_two_dashes_is_the_agent() {
    let mut setup = client(json!([])).config_file("");
    let agent = setup.agent[0].clone();
    let scenario = setup.path("scenario.json").display().to_string();
    let record = setup.path("record.jsonl").display().to_string();
    setup = setup.args(&["--", &agent, &scenario, &record]);
    let tui = setup.start();
    wait_ready(&tui);
    tui.wait_for("Fake");
}

#[test]
fn without_a_choice_there_is_a_picker_and_it_starts_what_is_picked() {
    let mut setup = client(json!([]));
    let agent = setup.agent[0].clone();
    let args = ["scenario.json", "record.jsonl"].map(|name| setup.path(name).display().to_string());
    setup = setup.config_file(&format!(
        "[agents.mine]\nname = \"My own agent\"\ncommand = {agent:?}\nargs = {args:?}\n"
    ));
    let tui = setup.start();
    tui.wait_for("Choose an agent");
    std::thread::sleep(crate::GUARD);
    tui.keys("my own");
    tui.wait("the picker to hold one agent", |tui| {
        (!tui.screen().contains("Demo")).then_some(())
    });
    tui.keys("<enter>");
    tui.wait_gone("Choose an agent");
    wait_ready(&tui);
}

#[test]
fn what_is_wrong_with_the_settings_is_said_before_an_agent_is_chosen() {
    let tui = client(json!([]))
        .config_file("[ui]\nthme = \"dark\"\n[keys]\nsend = [\"f2\"]\nplan = [\"f99\"]\n")
        .start();
    tui.wait_for("Choose an agent");
    tui.wait_for("2 problems in the settings: run `acp-tui config check`");
}

#[test]
fn the_demo_agent_needs_nothing() {
    let tui = client(json!([])).args(&["--agent", "demo"]).start();
    wait_ready(&tui);
    tui.keys("hello<enter>");
    tui.wait_for("esc interrupts");
}

#[test]
fn a_bad_value_costs_itself_and_is_named_with_key_and_line() {
    let tui = client(json!([]))
        .config("[ui]\nthme = \"dark\"\n[keys]\npalete = [\"f2\"]\n")
        .start();
    wait_ready(&tui);
    let screen = tui.wait_for("ui.thme");
    assert!(screen.contains("config.toml:6"), "{screen}");
    assert!(screen.contains("palette"), "{screen}");
}

#[test]
fn a_syntax_error_is_told_on_the_normal_screen_with_its_place() {
    let mut tui = client(json!([])).config_file("a = [\n").start();
    let status = tui.wait_exit();
    assert_eq!(status.code(), Some(2));
    assert!(tui.screen().contains("config.toml:1:6"), "{}", tui.screen());
    assert!(!tui.wrote("\x1b[?1049h"));
}

#[test]
fn a_terminal_that_cannot_draw_is_refused() {
    let mut tui = client(json!([])).env("TERM", "dumb").start();
    assert_eq!(tui.wait_exit().code(), Some(2));
    assert!(tui.screen().contains("TERM"), "{}", tui.screen());
    assert!(!tui.wrote("\x1b"));
}

#[test]
fn a_window_that_is_too_small_says_so_and_comes_back() {
    let tui = client(on_prompt(json!([{"text": "an answer"}])))
        .size(30, 8)
        .start();
    tui.wait_for("too small: 30x8");
    tui.keys("typed blind<enter>");
    tui.wait_method("session/prompt");
    tui.resize(80, 24);
    let screen = tui.wait_for("an answer");
    assert!(screen.contains("typed blind"), "{screen}");
}

// V1-SES-08
#[test]
fn a_session_is_opened_again_by_its_id_with_its_history() {
    let setup = client(json!([
        {"on": "initialize", "reply": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}},
        {"on": "session/load", "do": [
            {"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "the old question"}}},
            {"text": "the old answer"},
        ], "reply": null},
    ]));
    let tui = setup.args(&["--resume", "sess-1"]).start();
    let screen = tui.wait_for("the old answer");
    assert!(screen.contains("the old question"), "{screen}");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new"), 0);
}

#[test]
fn another_agent_can_be_chosen_and_the_first_one_ends() {
    let tui = ready(json!([]));
    tui.keys("a draft");
    tui.wait_for("❯ a draft");
    tui.keys("<f6>");
    tui.wait_for("Choose an agent");
    tui.keys("demo");
    tui.wait("the demo alone", |tui| {
        (!tui.screen().contains("fake")).then_some(())
    });
    tui.keys("<enter>");
    tui.wait_gone("Choose an agent");
    wait_ready(&tui);
    tui.wait_for("❯ a draft");
    tui.wait("the end of the first", |tui| {
        let left = tui.children();
        (!left.iter().any(|(_, line)| line.contains("fake-agent"))).then_some(())
    });
}

/// As the README lists them.
#[test]
fn the_demo_lists_what_it_shows() {
    let readme = include_str!("../../README.md");
    let (_, listed) = readme
        .split_once("Each feature has its own command:")
        .expect("it lists them");
    let listed = listed.split("\n\n").next().unwrap_or_default();
    let named: Vec<&str> = listed
        .split('`')
        .filter(|word| word.starts_with('/'))
        .collect();
    assert!(named.len() > 10, "{named:?}");
    let tui = client(json!([]))
        .args(&["--agent", "demo"])
        .size(100, 40)
        .start();
    wait_ready(&tui);
    tui.keys("<s-tab>");
    tui.wait_for("Swift");
    tui.keys("hello<enter>");
    let screen = tui.wait_for("F1 lists the keys");
    for command in &named {
        assert!(screen.contains(command), "{command}: {screen}");
    }
}

// V1-SUB-02, V1-PLAN-06, V1-NOTE-01, V1-COMP-01: the demo shows what came later, too.
#[test]
fn the_demo_shows_what_came_to_the_protocol_later() {
    let tui = client(json!([]))
        .args(&["--agent", "demo"])
        .size(100, 40)
        .start();
    wait_ready(&tui);
    tui.keys("<s-tab>");
    tui.wait_for("Swift");
    tui.keys("/subagents<enter>");
    tui.wait_for("\"Check the style\" of Demo wants to run a command");
    std::thread::sleep(GUARD);
    tui.keys("y");
    tui.wait_for("Both are back");
    let screen = tui.screen();
    assert!(screen.contains("Look for tests"), "{screen}");
    wait_ready(&tui);
    tui.keys("/compact<enter>");
    tui.wait_for("There is room again");
    wait_ready(&tui);
    tui.keys("/plans<enter>");
    tui.wait_for("was taken back");
    wait_ready(&tui);
    tui.keys("/notice<enter>");
    tui.wait_for("A pretended server is gone");
}

// V1-SES-02, V1-SES-16
#[test]
fn sessions_of_the_demo_work_side_by_side() {
    let tui = client(json!([])).args(&["--agent", "demo"]).start();
    wait_ready(&tui);
    tui.keys("/edit<enter>");
    tui.wait_for("wants to change files");
    tui.keys("<c-n>");
    tui.wait_for("1 session waits");
    tui.keys("/think<enter>");
    tui.wait_for("thought");
    tui.wait_for("1 session waits");
    tui.keys("<c-s>");
    tui.wait_for("1 question waits");
    tui.keys("<enter>");
    tui.wait_for("wants to change files");
    std::thread::sleep(GUARD);
    tui.keys("y");
    tui.wait_for("Written.");
    tui.wait_for("tell Demo what to do");
    tui.keys("<c-p>fork-session<enter>");
    tui.wait_for("forked: this session continues");
}

#[test]
fn the_doctor_shows_that_it_waits_and_when_interrupted_leaves_nothing_behind() {
    let tui = client(json!([]))
        .shell(r#""$1" doctor -- sleep 99; echo "ended $?""#)
        .start();
    tui.wait_for("waiting for initialize …, 1 s");
    tui.keys("<c-c>");
    let screen = tui.wait_for("ended 130");
    assert!(screen.contains("interrupted"), "{screen}");
    assert!(!screen.contains("waiting for"), "{screen}");
    tui.assert_nothing_left();
}

#[test]
fn what_another_program_left_on_the_alternate_screen_is_gone_with_the_first_frame() {
    let tui = client(json!([]))
        .shell(r#"printf '\033[?1049h\033[5;1HLEFT BEHIND'; "$@""#)
        .start();
    tui.wait_for("tell Fake what to do");
    assert!(!tui.screen().contains("LEFT BEHIND"), "{}", tui.screen());
    // The test's own terminal clears it by itself; tmux and others do not.
    assert!(tui.wrote("\x1b[?1049h\x1b[1;1H\x1b[J"));
}
