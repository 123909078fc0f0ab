//! Signing in at a terminal: with the agent's own program, the profile's, or one that the agent names.

use std::thread;

use serde_json::{Value, json};

use crate::{
    GUARD, client,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

fn methods(methods: Value) -> Value {
    json!({"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentCapabilities": {"sessionCapabilities": {"resume": {}}},
        "authMethods": methods,
    }})
}

fn terminal() -> Value {
    json!([{
        "id": "tty", "name": "In a terminal", "type": "terminal",
        "args": ["login", "--now"], "env": {"FROM_METHOD": "2", "OVER": "method"},
        "command": "rm",
    }])
}

/// The agent, which runs `script` when its arguments end in `login --now`. What it is started
/// with is in the project then. Signed in, it leaves the file `signed-in`, and opens sessions.
fn agent(methods_offered: Value, script: &str) -> Setup {
    agent_in(client(json!([])), methods_offered, script)
}

fn agent_in(setup: Setup, methods_offered: Value, script: &str) -> Setup {
    // In a file of its own: the dialog shows the command, which must not hold the words to wait for.
    let program = setup.path("login");
    let launcher = format!(
        "case \"$*\" in *'login --now') exec '{}' \"$@\";; esac; exec \"$@\"",
        program.display()
    );
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > argv; env > environ\n{script}\n");
    setup
        .scenario(json!([
            methods(methods_offered),
            {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
        ]))
        .script("login", &script)
        .launcher(&launcher)
        .config("env = { FROM_PROFILE = \"1\", OVER = \"profile\" }\n")
}

/// A password, and a scenario for the next process in which all is well.
fn ask_and_succeed(folder: &Setup) -> String {
    let scenario = folder.path("scenario.json");
    let next = json!([
        {"on": "session/prompt", "do": [{"text": "at your service"}]},
    ]);
    format!(
        "printf 'password: '; read -r word; echo \"$word\" > typed; echo '{next}' > '{}'; exit 0",
        scenario.display()
    )
}

fn wait_dialog(tui: &Tui) {
    tui.wait_for("wants you to sign in");
    thread::sleep(GUARD);
}

fn in_project(tui: &Tui, name: &str) -> String {
    std::fs::read_to_string(tui.project().join(name)).expect("the program has written it")
}

// V1-AUTH-03, V1-AUTH-04, V1-INIT-14
#[test]
fn the_agents_own_command_runs_and_a_new_process_goes_on() {
    let setup = client(json!([]));
    let script = ask_and_succeed(&setup);
    let mut tui = agent_in(setup, terminal(), &script).size(120, 24).start();
    let hello = tui.wait_method("initialize");
    assert_eq!(
        hello["params"]["clientCapabilities"]["auth"],
        json!({"terminal": true})
    );
    let screen = tui.wait_for("wants you to sign in");
    assert!(screen.contains("login --now"), "{screen}");
    assert!(!screen.contains("rm "), "V1-AUTH-05: {screen}");
    tui.keys("hello");
    tui.wait_for("❯ hello");
    thread::sleep(GUARD);
    // With a draft, an enter alone is the draft's.
    tui.keys("<enter>");
    tui.wait_for("the draft waits");
    tui.keys("<down><up><enter>");
    let screen = tui.wait_for("password:");
    assert!(screen.contains("attached"), "{screen}");
    assert!(screen.contains("/bin/sh -c"), "{screen}");
    tui.keys("sesame<enter>");
    // The draft is kept.
    let screen = tui.wait_for("❯ hello");
    tui.wait_for("F1 keys");
    assert!(!screen.contains("sesame"), "{screen}");
    assert_eq!(in_project(&tui, "typed"), "sesame\n");
    assert_eq!(tui.count("authenticate"), 0);
    assert_eq!(tui.count("initialize"), 2);
    assert_eq!(tui.count("session/new"), 2);
    // The base arguments first.
    let argv = in_project(&tui, "argv");
    let args: Vec<&str> = argv.lines().collect();
    assert!(args[0].ends_with("fake-agent"), "{argv}");
    assert_eq!(&args[args.len() - 2..], ["login", "--now"], "{argv}");
    assert_eq!(args.len(), 5, "{argv}");
    let environ = in_project(&tui, "environ");
    for line in [
        "FROM_PROFILE=1",
        "FROM_METHOD=2",
        "OVER=method",
        "TERM=xterm-256color",
    ] {
        assert!(
            environ.lines().any(|known| known == line),
            "{line}: {environ}"
        );
    }
    tui.keys("<enter>");
    tui.wait_for("at your service");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(0));
    let screen = tui.screen();
    assert!(!screen.contains("password"), "{screen}");
    tui.assert_restored();
    tui.assert_nothing_left();
}

/// The program ends so: what it said can be read, the dialog says how it ended, and the agent still
/// runs.
fn ends_badly(script: &str, ended: &str, said: &str) {
    let mut tui = agent(terminal(), script).start();
    wait_dialog(&tui);
    tui.keys("<enter>");
    tui.wait_for(ended);
    tui.wait_for("no luck");
    tui.keys("q");
    tui.wait_for(said);
    tui.wait_for("wants you to sign in");
    assert_eq!(tui.count("initialize"), 1);
    assert_eq!(tui.count("authenticate"), 0);
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(4));
    tui.assert_restored();
    tui.assert_nothing_left();
}

// V1-AUTH-04
#[test]
fn a_login_that_exits_with_1_is_a_failure() {
    ends_badly("echo no luck; exit 1", "exit 1", "with exit code 1");
}

// V1-AUTH-04
#[test]
fn a_login_that_is_killed_is_a_failure() {
    ends_badly(
        "echo no luck; kill -9 $$",
        "ended by SIGKILL",
        "ended by SIGKILL",
    );
}

const WAITS: &str = "echo no luck; while :; do sleep 1; done";

// V1-AUTH-04
#[test]
fn the_person_can_end_a_login_by_a_key_of_the_view() {
    let tui = agent(terminal(), WAITS).start();
    wait_dialog(&tui);
    tui.keys("<enter>");
    tui.wait_for("no luck");
    tui.keys("<f9>");
    tui.wait_for("ended by SIGTERM");
    tui.keys("q");
    tui.wait_for("the sign-in program ended by SIGTERM");
    assert_eq!(tui.count("initialize"), 1);
}

// V1-AUTH-04
#[test]
fn the_person_can_end_a_login_by_ctrl_c() {
    let tui = agent(terminal(), WAITS).start();
    wait_dialog(&tui);
    tui.keys("<enter>");
    tui.wait_for("no luck");
    tui.keys("<c-c>");
    tui.wait_for("ended by SIGINT");
    tui.keys("q");
    tui.wait_for("the sign-in program ended by SIGINT");
}

#[test]
fn the_person_can_leave_the_view_and_end_the_login_from_the_dialog() {
    let mut tui = agent(terminal(), WAITS).start();
    wait_dialog(&tui);
    tui.keys("<enter>");
    tui.wait_for("no luck");
    tui.send(b"\x1d");
    tui.wait_for("the sign-in program is running");
    tui.keys("<enter>");
    tui.wait_for("no luck");
    tui.send(b"\x1d");
    tui.wait_for("the sign-in program is running");
    tui.keys("<esc>");
    tui.wait_for("sign-in cancelled");
    thread::sleep(GUARD);
    // Again, and away while it runs.
    tui.keys("<enter>");
    tui.wait_for("no luck");
    tui.send(b"\x1d");
    tui.wait_for("the sign-in program is running");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(4));
    tui.assert_restored();
    tui.assert_nothing_left();
}

// V1-AUTH-08
#[test]
fn a_refused_prompt_is_sent_once_more_by_the_new_process() {
    let setup = client(json!([]));
    let next = json!([
        methods(terminal()),
        {"on": "session/prompt", "do": [{"text": "at your service"}]},
    ]);
    let launcher = format!(
        "case \"$*\" in *'login --now') echo '{next}' > '{}'; exit 0;; esac
         exec \"$@\"",
        setup.path("scenario.json").display()
    );
    let tui = setup
        .scenario(json!([
            methods(terminal()),
            {"on": "session/prompt", "error": {"code": -32000, "message": "the token has expired"}},
        ]))
        .launcher(&launcher)
        .start();
    wait_ready(&tui);
    tui.keys("go on<enter>");
    tui.wait_for("Sign in to");
    thread::sleep(GUARD);
    tui.keys("<enter>");
    tui.wait_for("at your service");
    assert_eq!(tui.count("session/resume"), 1);
    assert_eq!(tui.prompts(), ["go on", "go on"]);
    assert_eq!(tui.screen().matches("go on").count(), 1);
}

// V1-AUTH-05
#[test]
fn a_program_that_the_agent_names_runs_after_a_second_yes() {
    let setup = client(json!([]));
    let program = setup.path("their-login");
    let offered = json!([{
        "id": "login", "name": "Log in", "_meta": {"terminal-auth": {
            "command": program, "args": ["now"], "label": "Login",
        }},
    }]);
    let scenario = setup.path("scenario.json");
    let tui = setup
        .scenario(json!([
            methods(offered),
            {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
        ]))
        .script(
            "their-login",
            &format!(
                "#!/bin/sh\necho \"this is $1\"; read -r word; echo '[]' > '{}'\n",
                scenario.display()
            ),
        )
        .start();
    wait_dialog(&tui);
    tui.keys("<enter>");
    let screen = tui.wait_for("Run this program to sign in?");
    assert!(screen.contains("their-login"), "{screen}");
    tui.keys("<enter>");
    thread::sleep(GUARD);
    assert!(
        tui.screen().contains("Run this program"),
        "an enter too many"
    );
    tui.keys("<enter>");
    tui.wait_for("this is now");
    tui.keys("<enter>");
    wait_ready(&tui);
    assert_eq!(tui.count("initialize"), 2);
    assert_eq!(tui.count("authenticate"), 0);
}

#[test]
fn the_profiles_login_command_runs_when_the_agents_way_fails_d_22() {
    let setup = client(json!([]));
    let scenario = setup.path("scenario.json");
    let tui = setup
        .scenario(json!([
            methods(json!([{
                "id": "login", "name": "Login", "description": "Run `fake login` in the terminal",
            }])),
            {"on": "session/new", "error": {"code": -32000, "message": "Authentication required"}},
            {"on": "authenticate", "error": {"code": -32603, "message": "do it by hand"}},
        ]))
        .config(&format!(
            "login_command = \"read -r word; echo '[]' > '{}'\"\n",
            scenario.display()
        ))
        .size(160, 24)
        .start();
    let screen = tui.wait_for("wants you to sign in");
    assert!(
        screen.contains("Run `fake login` in the terminal"),
        "{screen}"
    );
    thread::sleep(GUARD);
    tui.keys("<enter>");
    tui.wait_for("do it by hand");
    tui.keys("<down><enter>");
    tui.wait_for("attached");
    tui.keys("<enter>");
    wait_ready(&tui);
    assert_eq!(tui.count("authenticate"), 1);
    assert_eq!(tui.count("initialize"), 2);
}
