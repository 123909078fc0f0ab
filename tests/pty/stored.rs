//! What was said is stored, and a session is opened again from it.

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};

use crate::{
    client, on_prompt,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

fn capable(capabilities: Value, others: Value) -> Value {
    let initialize = json!({"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentInfo": {"name": "fake", "title": "Fake", "version": "1"},
        "agentCapabilities": capabilities,
    }});
    let mut all = vec![initialize];
    all.extend(others.as_array().expect("a list").iter().cloned());
    Value::Array(all)
}

fn folder(setup: &Setup) -> PathBuf {
    setup.path("home/.local/state/acp-tui/sessions")
}

/// The stored sessions' files, one after the other.
fn stored(setup: &Setup) -> String {
    let files = std::fs::read_dir(folder(setup)).into_iter().flatten();
    let texts = files.map(|file| std::fs::read_to_string(file.expect("a file").path()));
    texts.map(Result::unwrap_or_default).collect()
}

/// Says something, waits until the turn's end is on the disk, and kills the client.
fn talk_and_die(setup: &Setup, prompt: &str, answer: &str) {
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys(&format!("{prompt}<enter>"));
    tui.wait_for(answer);
    wait_stored(&tui, setup, "end_turn");
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
}

#[track_caller]
fn wait_stored(tui: &Tui, setup: &Setup, text: &str) {
    tui.wait(&format!("{text:?} in the store"), |_| {
        stored(setup).contains(text).then_some(())
    });
}

/// The program beside a terminal, with the same home.
pub fn run(setup: &Setup, args: &[&str]) -> (String, String, i32) {
    let output = Command::new(&setup.client)
        .args(args)
        .current_dir(setup.path("project"))
        .env_clear()
        .env("HOME", setup.path("home"))
        .output()
        .expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    (text(&output.stdout), text(&output.stderr), code)
}

pub fn only_id(setup: &Setup) -> String {
    let (out, err, _) = run(setup, &["sessions", "--json"]);
    let list: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{out}");
    list[0]["id"].as_str().expect("an id").to_owned()
}

// V1-SES-11
#[test]
fn after_a_kill_continue_shows_what_was_said_once_and_the_agent_resumes() {
    let scenario = capable(
        json!({"loadSession": true, "sessionCapabilities": {"resume": {}}}),
        on_prompt(json!([{"text": "the only answer"}])),
    );
    let mut setup = client(scenario);
    talk_and_die(&setup, "the only question", "the only answer");
    setup.args.push("--continue".into());
    let tui = setup.start();
    let resume = tui.wait_method("session/resume");
    assert_eq!(resume["params"]["sessionId"], "sess-1");
    wait_ready(&tui);
    let screen = tui.wait_for("the only answer");
    assert_eq!(screen.matches("the only answer").count(), 1, "{screen}");
    assert_eq!(screen.matches("the only question").count(), 1, "{screen}");
    assert_eq!(tui.count("session/load"), 0);
    assert_eq!(tui.count("session/new"), 1, "that of the first run");
    // It goes on in the same file.
    tui.keys("and on<enter>");
    tui.wait_for("and on");
    wait_stored(&tui, &setup, "and on");
    only_id(&setup);
}

// V1-SES-09
#[test]
fn a_replay_takes_the_place_of_what_was_stored() {
    let history = json!([
        {"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "the only question"}}},
        {"text": "the only answer, as it is told again"},
    ]);
    let scenario = capable(
        json!({"loadSession": true}),
        json!([
            {"on": "session/load", "do": history, "reply": null},
            {"on": "session/prompt", "do": [{"text": "the only answer"}]},
        ]),
    );
    let mut setup = client(scenario);
    talk_and_die(&setup, "the only question", "the only answer");
    setup.args.push("--continue".into());
    let tui = setup.start();
    tui.wait_method("session/load");
    let screen = tui.wait_for("as it is told again");
    wait_ready(&tui);
    assert_eq!(screen.matches("the only answer").count(), 1, "{screen}");
    assert_eq!(screen.matches("the only question").count(), 1, "{screen}");
    wait_stored(&tui, &setup, "as it is told again");
    let (shown, ..) = run(&setup, &["sessions", "show", &only_id(&setup)]);
    assert_eq!(shown.matches("the only answer").count(), 1, "{shown}");
}

#[test]
fn an_agent_that_cannot_reopen_gets_a_new_session_below_what_was_said() {
    let mut setup = client(on_prompt(json!([{"text": "an answer"}])));
    talk_and_die(&setup, "a question", "an answer");
    setup.args.push("--continue".into());
    let tui = setup.start();
    let screen = tui.wait_for("does not know the");
    assert!(screen.contains("a question"), "{screen}");
    assert!(screen.contains("an answer"), "{screen}");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new"), 2);
    tui.keys("again<enter>");
    tui.wait("the second prompt", |tui| {
        (tui.prompts().len() == 2).then_some(())
    });
    assert_eq!(tui.prompts(), ["a question", "again"]);
}

#[test]
fn a_turn_that_was_killed_is_kept_as_far_as_it_came_and_marked() {
    let mut setup = client(on_prompt(json!([
        {"text": "half an answ"},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "some work", "status": "in_progress"}},
        {"hang": true},
    ])));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("some work");
    wait_stored(&tui, &setup, "some work");
    tui.signal(rustix::process::Signal::KILL);
    tui.wait_exit();
    let (shown, ..) = run(&setup, &["sessions", "show", &only_id(&setup)]);
    for text in [
        "> go",
        "half an answ",
        "[no result] some work",
        "cut off: acp-tui ended here",
    ] {
        assert!(shown.contains(text), "{shown}");
    }
    // Opened again, it says so as well.
    setup.args.push("--continue".into());
    let tui = setup.start();
    let screen = tui.wait_for("cut off: acp-tui ended here");
    assert!(screen.contains("half an answ"), "{screen}");
}

#[test]
fn without_a_value_resume_offers_what_is_stored() {
    let mut setup = client(on_prompt(json!([{"text": "an answer"}])));
    for prompt in ["about apples", "about pears"] {
        let mut tui = setup.start();
        wait_ready(&tui);
        tui.keys(&format!("{prompt}<enter>"));
        tui.wait_for("an answer");
        tui.keys("<c-d>");
        tui.wait_exit();
    }
    setup.args.push("--resume".into());
    let tui = setup.start();
    let screen = tui.wait_for("Past sessions");
    let place = |text| screen.find(text).unwrap_or_else(|| panic!("{screen}"));
    assert!(place("about pears") < place("about apples"), "{screen}");
    tui.keys("apples");
    tui.wait_gone("about pears");
    tui.keys("<enter>");
    tui.wait_gone("Past sessions");
    tui.wait_for("does not know the");
    let screen = tui.screen();
    assert!(screen.contains("about apples"), "{screen}");
    assert!(!screen.contains("about pears"), "{screen}");
}

#[test]
fn a_session_of_another_directory_is_opened_in_its_own() {
    let mut setup = client(on_prompt(json!([{"text": "an answer"}])));
    let other = setup.path("other");
    std::fs::create_dir(&other).expect("a folder");
    let args = ["-C".to_owned(), other.display().to_string()];
    setup.args.extend(args);
    talk_and_die(&setup, "over there", "an answer");
    setup.args.clear();
    let id = only_id(&setup);
    setup
        .args
        .extend(["--resume".to_owned(), id[..5].to_owned()]);
    let tui = setup.start();
    tui.wait_for("over there");
    wait_ready(&tui);
    let opened = tui.received();
    let opened = opened.iter().rfind(|m| m["method"] == "session/new");
    let cwd = opened.map(|message| message["params"]["cwd"].clone());
    assert_eq!(cwd, Some(json!(other)));
    // In the picker, too.
    setup.args = vec!["--resume".into()];
    drop(tui);
    let tui = setup.start();
    tui.wait_for("other ");
    std::thread::sleep(crate::GUARD);
    tui.keys("<enter>");
    tui.wait_for("over there");
    wait_ready(&tui);
    let opened = tui.received();
    let opened = opened.iter().rfind(|m| m["method"] == "session/new");
    let cwd = opened.map(|message| message["params"]["cwd"].clone());
    assert_eq!(cwd, Some(json!(other)));
}

#[test]
fn what_was_said_is_listed_searched_shown_and_exported() {
    let edit = json!({"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "edit a.txt",
        "kind": "edit", "status": "completed", "_meta": {"vendor": {"x": 1}},
        "content": [{"type": "diff", "path": "/p/a.txt", "oldText": "old\n", "newText": "new\n"}]}});
    let title =
        json!({"update": {"sessionUpdate": "session_info_update", "title": "A fine title"}});
    let setup = client(on_prompt(json!([{"text": "an **answer**"}, edit, title])));
    let (out, err, code) = run(&setup, &["sessions"]);
    assert_eq!((out.as_str(), code), ("", 0));
    assert!(err.contains("no stored sessions yet"), "{err}");
    talk_and_die(&setup, "a question", "an answer");

    let id = only_id(&setup);
    let (out, ..) = run(&setup, &["sessions"]);
    for text in [id.as_str(), "just now", "fake", "A fine title"] {
        assert!(out.contains(text), "{out}");
    }
    for (words, found) in [
        (&["QUESTION", "answer"][..], true),
        (&["a.txt"], true),
        (&["question", "unicorn"], false),
    ] {
        let args: Vec<&str> = ["sessions", "search"]
            .iter()
            .chain(words)
            .copied()
            .collect();
        assert_eq!(run(&setup, &args).0.contains(&id), found, "{words:?}");
    }
    let (out, ..) = run(&setup, &["sessions", "show", &id[..4]]);
    for text in ["> a question", "an **answer**", "[done] edit a.txt", "+new"] {
        assert!(out.contains(text), "{out}");
    }
    assert!(!out.contains('\u{1b}'), "no colours into a pipe");
    let (out, ..) = run(&setup, &["sessions", "export", &id]);
    for text in [
        "# A fine title",
        "## You",
        "an **answer**",
        "```diff",
        "+new",
    ] {
        assert!(out.contains(text), "{out}");
    }

    let file = setup.path("out.json");
    let path = file.to_str().expect("a name");
    run(
        &setup,
        &[
            "sessions", "export", "sess-1", "--format", "json", "-o", path,
        ],
    );
    let json: Value =
        serde_json::from_slice(&std::fs::read(&file).expect("written")).expect("JSON");
    assert_eq!(json["title"], "A fine title");
    assert_eq!(json["sessionId"], "sess-1");
    assert_eq!(json["cwd"], json!(setup.path("project")));
    assert_eq!(json["blocks"][0]["text"], "a question");
    // V1-META-01
    assert_eq!(json["blocks"][2]["_meta"], json!([{"vendor": {"x": 1}}]));
    assert_eq!(json["blocks"][2]["content"][0]["newText"], "new\n");

    let (_, err, code) = run(&setup, &["sessions", "show", "nosuch"]);
    assert_eq!(code, 2);
    assert!(err.contains("no stored session \"nosuch\""), "{err}");
    let (_, err, _) = run(&setup, &["sessions", "show", "sess-2"]);
    assert!(err.contains("did you mean sess-1?"), "{err}");
    let (out, ..) = run(&setup, &["sessions", "delete", &id]);
    assert!(out.contains("removed"), "{out}");
    assert_eq!(run(&setup, &["sessions"]).0, "");
}

// V1-MCP-04
#[test]
fn what_the_agent_was_started_with_is_not_stored() {
    let mut setup = client(on_prompt(json!([{"text": "an answer"}])));
    setup
        .config
        .push_str("env = { API_KEY = \"hunter2hunter2\" }\n");
    talk_and_die(&setup, "a question", "an answer");
    let stored = stored(&setup);
    assert!(stored.contains("a question"));
    assert!(!stored.contains("hunter2"), "{stored}");
    assert!(!stored.contains("scenario.json"), "no arguments either");
}

#[test]
fn a_flood_of_chunks_is_few_lines_and_all_of_it_is_there() {
    let setup = client(on_prompt(json!([
        {"flood": {"kind": "text", "chunks": 20_000}}, {"text": "the end of it"},
    ])));
    talk_and_die(&setup, "go", "the end of it");
    let stored = stored(&setup);
    assert!(stored.lines().count() < 200, "{}", stored.lines().count());
    let (shown, ..) = run(&setup, &["sessions", "show", &only_id(&setup)]);
    assert!(shown.len() > 20_000 * 34, "{}", shown.len());
}

#[test]
fn what_a_command_printed_outlives_its_terminal() {
    let run_it = json!({"request": {"method": "terminal/create",
        "params": {"sessionId": "$session", "command": "echo", "args": ["printed by it"]}}});
    let tell = json!({"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "echo",
        "kind": "execute", "status": "in_progress",
        "content": [{"type": "terminal", "terminalId": "$terminal"}]}});
    let wait = json!({"request": {"method": "terminal/wait_for_exit",
        "params": {"sessionId": "$session", "terminalId": "$terminal"}}});
    let done = json!({"update": {"sessionUpdate": "tool_call_update", "toolCallId": "t",
        "status": "completed"}});
    let setup = client(on_prompt(
        json!([run_it, tell, wait, done, {"text": "all done"}]),
    ));
    talk_and_die(&setup, "go", "all done");
    let (shown, ..) = run(&setup, &["sessions", "show", &only_id(&setup)]);
    assert!(shown.contains("printed by it"), "{shown}");
}

#[test]
fn a_session_that_is_open_here_is_shown_and_not_opened_twice() {
    let setup = client(on_prompt(json!([{"text": "an answer"}])));
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("about apples<enter>");
    tui.wait_for("an answer");
    wait_ready(&tui);
    wait_stored(&tui, &setup, "end_turn");
    tui.keys("<c-p>");
    tui.wait_for("Actions");
    tui.keys("past-sessions<enter>");
    tui.wait_for("Past sessions");
    tui.keys("<enter>");
    tui.wait_gone("Past sessions");
    wait_ready(&tui);
    assert_eq!(tui.count("session/new") + tui.count("session/load"), 1);
    tui.keys("<c-s>");
    let screen = tui.wait_for("type to filter");
    let list = screen.split("type to filter").nth(1).unwrap_or_default();
    assert_eq!(list.matches("✓ about apples").count(), 1, "{screen}");
    only_id(&setup);
}

#[test]
fn what_waits_for_an_answer_when_it_ends_is_said_not_to_be_answered() {
    let ask = json!({"request": {"id": "q", "method": "session/request_permission", "params": {
        "toolCall": {"toolCallId": "t", "title": "Write notes.txt", "kind": "edit"},
        "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}],
    }}});
    for signal in [false, true] {
        let mut setup = client(on_prompt(json!([ask])));
        let mut tui = setup.start();
        wait_ready(&tui);
        tui.keys("go<enter>");
        tui.wait_for("waiting for your answer");
        match signal {
            true => tui.signal(rustix::process::Signal::TERM),
            false => tui.keys("<c-d><c-d>"),
        }
        tui.wait_exit();
        let screen = tui.screen();
        assert!(!screen.contains("waiting for your answer"), "{screen}");
        assert!(screen.contains("not answered"), "{screen}");
        setup.args.push("--continue".into());
        let tui = setup.start();
        let screen = tui.wait_for("not answered");
        assert!(!screen.contains("no result"), "{screen}");
    }
}

#[test]
fn nothing_is_stored_where_that_is_not_wanted() {
    let setup = client(on_prompt(json!([{"text": "an answer"}]))).config("[sessions]\nkeep = 0\n");
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("a question<enter>");
    tui.wait_for("an answer");
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    assert!(!folder(&setup).exists());
}

#[test]
fn a_session_in_which_nothing_was_said_leaves_no_file() {
    let setup = client(json!([]));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("<c-d>");
    tui.wait_exit();
    assert!(!folder(&setup).exists());
}

#[test]
fn continue_without_anything_stored_says_so_on_the_normal_screen() {
    let mut tui = client(json!([])).args(&["--continue"]).start();
    assert_eq!(tui.wait_exit().code(), Some(2));
    assert!(
        tui.screen().contains("no session is stored of"),
        "{}",
        tui.screen()
    );
    assert!(!tui.wrote("\x1b[?1049h"));
}

#[test]
fn a_session_that_is_opened_again_is_not_deleted_under_its_client() {
    let mut setup = client(capable(
        json!({"sessionCapabilities": {"resume": {}}}),
        on_prompt(json!([{"text": "an answer"}])),
    ));
    talk_and_die(&setup, "a question", "an answer");
    let id = only_id(&setup);
    setup.args.push("--continue".into());
    let tui = setup.start();
    tui.wait_for("an answer");
    wait_ready(&tui);
    // Nothing was said in it since.
    let (_, err, code) = run(&setup, &["sessions", "delete", &id]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("open in another acp-tui"), "{err}");
    assert_eq!(only_id(&setup), id);
}

#[test]
fn a_title_of_the_persons_is_kept_here_where_the_agent_keeps_none() {
    let title = json!({"update": {"sessionUpdate": "session_info_update", "title": "Greeting"}});
    let others = json!([{"on": "session/prompt", "do": [{"text": "hello"}, title]}]);
    let resume = json!({"sessionCapabilities": {"resume": {}}});
    let setup = client(capable(resume, others));
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.keys("<f2>");
    tui.wait_for("Rename the session");
    tui.keys("The parser<enter>");
    tui.wait_for("renamed here only");
    tui.keys("one<enter>");
    tui.wait_for("hello");
    wait_ready(&tui);
    tui.keys("<c-s>");
    tui.wait_for("▸✓ The parser");
    tui.keys("<esc>");
    tui.wait_gone("╭ Sessions");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    let (stored, ..) = run(&setup, &["sessions"]);
    assert!(stored.contains("The parser"), "{stored}");
    let again = setup.args(&["--continue"]).start();
    wait_ready(&again);
    again.keys("two<enter>");
    wait_ready(&again);
    again.keys("<c-s>");
    again.wait_for("▸✓ The parser");
    assert!(!again.screen().contains("Greeting"));
}

// V1-SES-14
#[test]
fn a_session_that_another_client_has_open_is_told_of_and_not_deleted() {
    let caps = json!({"loadSession": true, "sessionCapabilities": {"list": {}, "delete": {}, "resume": {}}});
    let kept = json!({"sessions": [{"sessionId": "sess-1", "cwd": "/p", "title": "the kept one"}]});
    let setup = client(capable(
        caps.clone(),
        json!([{"on": "session/prompt", "do": [{"text": "the only answer"}]}]),
    ));
    let first = setup.start();
    wait_ready(&first);
    first.keys("the only question<enter>");
    first.wait_for("the only answer");
    wait_stored(&first, &setup, "end_turn");
    let mut setup = setup.scenario(capable(
        caps,
        json!([
            {"on": "session/new", "reply": {"sessionId": "sess-2"}},
            {"on": "session/list", "reply": kept},
        ]),
    ));
    let other = setup.start();
    wait_ready(&other);
    other.keys("<c-s>");
    other.wait_for("the kept one");
    other.keys("kept<c-x>");
    other.wait_for("deletes that session for good");
    other.keys("<c-x>");
    other.wait_for("open in another acp-tui");
    assert_eq!(other.count("session/delete"), 0);
    setup.args.push("--continue".into());
    let third = setup.start();
    third.wait_for("open in another acp-tui");
}

#[test]
fn a_state_directory_that_is_removed_comes_back_with_all_that_was_said() {
    let setup = client(on_prompt(json!([{"text": "an answer"}])));
    let mut tui = setup.start();
    wait_ready(&tui);
    let state = setup.path("home/.local/state/acp-tui");
    for prompt in ["the first", "the second"] {
        tui.keys(&format!("{prompt}<enter>"));
        wait_stored(&tui, &setup, prompt);
        tui.wait("the end of the turn in the store", |_| {
            let stored = stored(&setup);
            let turns = stored.matches("end_turn").count();
            let wanted = if stored.contains("the second") { 2 } else { 1 };
            (turns >= wanted).then_some(())
        });
        wait_ready(&tui);
        std::fs::remove_dir_all(&state).expect("removed");
    }
    tui.keys("half a thought");
    tui.wait_for("❯ half a thought");
    tui.keys("<c-c>");
    tui.keys("<c-d>");
    tui.wait_exit();
    let stored = stored(&setup);
    for said in ["the first", "the second", "an answer"] {
        assert!(stored.contains(said), "{said}: {stored}");
    }
}

#[test]
fn what_cannot_be_stored_any_more_is_said_once() {
    let setup = client(on_prompt(json!([{"text": "an answer"}])));
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("the first<enter>");
    wait_stored(&tui, &setup, "end_turn");
    wait_ready(&tui);
    let state = setup.path("home/.local/state/acp-tui");
    // What is looked at after the turn may be written just then.
    tui.wait("nothing there", |_| std::fs::remove_dir_all(&state).ok());
    std::fs::write(&state, "in the way").expect("written");
    tui.keys("the second<enter>");
    tui.wait_for("this conversation is not stored");
    wait_ready(&tui);
    std::fs::remove_file(&state).expect("removed");
    tui.keys("the third<enter>");
    wait_stored(&tui, &setup, "the third");
    for said in ["the first", "the second"] {
        assert!(stored(&setup).contains(said), "{said}");
    }
    let screen = tui.screen();
    let times = screen.matches("this conversation is not stored").count();
    assert_eq!(times, 1, "{screen}");
}

/// Puts lines that are none into the middle of the only stored session.
fn garble(setup: &Setup, lines: usize) {
    let file = std::fs::read_dir(folder(setup)).expect("a folder").next();
    let path = file.expect("a session").expect("a file").path();
    let text = std::fs::read_to_string(&path).expect("readable");
    let (first, rest) = text.split_once('\n').expect("lines");
    let garbled = "{\"block\": no json\n".repeat(lines);
    std::fs::write(&path, format!("{first}\n{garbled}{rest}")).expect("written");
}

#[test]
fn lines_of_a_stored_session_that_cannot_be_read_are_told_of_wherever_it_is_opened() {
    let scenario = capable(
        json!({"sessionCapabilities": {"resume": {}}}),
        on_prompt(json!([{"text": "the only answer"}])),
    );
    let mut setup = client(scenario);
    talk_and_die(&setup, "the only question", "the only answer");
    garble(&setup, 2);
    let said = "2 lines of the stored session cannot be read";
    let id = only_id(&setup);
    let (_, err, _) = run(&setup, &["sessions", "show", &id]);
    assert!(err.contains(said), "{err}");
    let config = setup.path("config.toml").display().to_string();
    let args = ["run", "--config", &config, "--resume", &id, "and on"];
    let (_, err, code) = run(&setup, &args);
    assert!(code == 0 && err.contains(said), "{err}");
    setup.args.push("--continue".into());
    let tui = setup.start();
    let screen = tui.wait_for(said);
    assert!(screen.contains("the only question"), "{screen}");
    wait_ready(&tui);
}

/// A line of 16,381 bytes behind three backticks once ended the program, at each opening.
#[test]
fn a_stored_line_at_the_bound_of_a_fence_is_opened_again() {
    let long = format!("```{}END\nlet x = 1;\n```\nafter it\n", "x".repeat(16_381));
    let scenario = capable(
        json!({"sessionCapabilities": {"resume": {}}}),
        on_prompt(json!([{"text": long}])),
    );
    let mut setup = client(scenario);
    talk_and_die(&setup, "the only question", "after it");
    let id = only_id(&setup);
    let (shown, err, code) = run(&setup, &["sessions", "show", &id]);
    assert!(code == 0 && shown.contains("after it"), "{err}");
    setup.args.push("--continue".into());
    let mut tui = setup.start();
    wait_ready(&tui);
    tui.wait_for("after it");
    // Every row of it is drawn.
    tui.keys("<c-home>");
    tui.wait_for("the only question");
    for _ in 0..12 {
        tui.keys("<pgdn>");
    }
    let screen = tui.wait_for("after it");
    assert!(!screen.contains("could not be drawn"), "{screen}");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    tui.assert_restored();
}
