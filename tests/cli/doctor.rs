//! What the doctor finds, and what it says is to be done about it. Agents here are shell scripts that
//! answer by heart: ids count from 1 (V1-RPC-07).

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::Value;

use crate::shell::{Ran, Shell};

/// Puts a program on PATH.
fn program(shell: &Shell, name: &str, text: &str) {
    let program = shell.path().join("bin").join(name);
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
}

/// An agent that gives these answers, one after the other, and then waits.
fn agent(shell: &Shell, name: &str, answers: &[&str]) {
    let mut script = String::from("#!/bin/sh\n");
    for (at, answer) in answers.iter().enumerate() {
        script.push_str("read line\n");
        let id = at + 1;
        script.push_str(&format!(
            "echo '{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}'\n"
        ));
    }
    script.push_str("while read line; do :; done\n");
    program(shell, name, &script);
}

const HELLO: &str = r#""result":{"protocolVersion":1}"#;
const OPENED: &str = r#""result":{"sessionId":"s"}"#;

/// The words of the line with that name, and those of the lines that belong to it.
fn told(ran: &Ran, what: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = ran.out.lines();
    let first = lines.find(|line| {
        let mut words = line.split("  ").filter(|word| !word.trim().is_empty());
        words.nth(1).map(str::trim) == Some(what)
    });
    let first = first.unwrap_or_else(|| panic!("no {what} in\n{}", ran.out));
    let rest = lines.take_while(|line| line.starts_with(' '));
    std::iter::once(first).chain(rest).map(words).collect()
}

#[test]
fn without_an_agent_all_are_listed_with_how_to_get_them() {
    let shell = Shell::new();
    program(&shell, "goose", "#!/bin/sh\nexit 1\n");
    shell.config("default_agent = \"goose\"\n[agents.own]\ncommand = \"own-agent\"\nx = 1\n");
    let ran = shell.run(&["doctor"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("agents.own.x: unknown key"), "{}", ran.err);
    assert!(told(&ran, "goose*")[0].ends_with("/bin/goose acp"));
    let codex = told(&ran, "codex");
    assert!(codex[0].starts_with("no codex Codex codex-acp was not found on PATH; install: npm"));
    assert_eq!(
        told(&ran, "own")[0],
        "no own own own-agent was not found on PATH"
    );
    // Nothing was started.
    let at = |what: &str| ran.out.find(what).unwrap();
    assert!(at("goose*") < at("codex "), "{}", ran.out);
    assert!(
        ran.out.ends_with("--all: each that was found\n"),
        "{}",
        ran.out
    );

    let ran = shell.run(&["doctor", "--format", "json"]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let agents = json["agents"].as_array().unwrap();
    let goose = &agents
        .iter()
        .find(|agent| agent["agent"] == "goose")
        .unwrap();
    assert_eq!(
        (&goose["found"], &goose["default"]),
        (&true.into(), &true.into())
    );
}

#[test]
fn a_missing_program_comes_with_how_to_get_it() {
    let shell = Shell::new();
    let ran = shell.run(&["doctor", "--agent", "codex"]);
    assert_eq!((ran.code, ran.err.as_str()), (3, ""));
    assert_eq!(
        told(&ran, "command"),
        [
            "FAILED command codex-acp was not found on PATH",
            "try npm install -g @agentclientprotocol/codex-acp",
            "try npm is missing: it comes with Node.js, https://nodejs.org",
        ]
    );
    let named = shell.run(&["doctor", "--", "codex-acp"]);
    assert_eq!(told(&named, "command"), told(&ran, "command"));
    // It is there, but the shell was never told.
    program(&shell, "../.local/bin/codex-acp", "#!/bin/sh\n");
    let ran = shell.run(&["doctor", "--agent", "codex"]);
    let said = &told(&ran, "command")[1];
    assert!(
        said.contains(".local/bin: put that folder on PATH, or set command ="),
        "{said}"
    );
    assert!(said.ends_with("in [agents.codex]"), "{said}");
    shell.config("[agents.x]\ncommand = \"${NO_SUCH}/x\"\n");
    let ran = shell.run(&["doctor", "--agent", "x"]);
    assert_eq!(ran.code, 3);
    assert!(
        told(&ran, "command")[0].contains("the variable NO_SUCH is not set; set it"),
        "{}",
        ran.out
    );
}

#[test]
fn what_is_to_run_a_script_is_looked_for_and_its_version_judged() {
    let shell = Shell::new();
    program(&shell, "x-acp", "#!/usr/bin/env node\n");
    fs::write(
        shell.path().join("bin/package.json"),
        r#"{"engines": {"node": ">=22"}}"#,
    )
    .unwrap();
    let ran = shell.run(&["doctor", "--", "x-acp"]);
    assert_eq!(ran.code, 3);
    assert_eq!(
        told(&ran, "runtime"),
        [
            "FAILED runtime node, the interpreter in its first line, was not found",
            "try install Node.js, https://nodejs.org",
        ]
    );
    program(&shell, "node", "#!/bin/sh\necho v18.19.0\n");
    let ran = shell.run(&["doctor", "--", "x-acp"]);
    assert_eq!(
        told(&ran, "runtime")[0],
        "warn runtime node v18.19.0 is too old: it needs >=22"
    );
    assert!(
        told(&ran, "initialize")[0].contains("the agent ended"),
        "{}",
        ran.out
    );
    program(&shell, "node", "#!/bin/sh\necho v22.1.0\n");
    let ran = shell.run(&["doctor", "--", "x-acp"]);
    assert_eq!(told(&ran, "runtime")[0], "ok runtime node v22.1.0");
}

#[test]
fn an_agent_that_is_silent_is_not_waited_for_longer_than_asked() {
    let shell = Shell::new();
    let silent =
        "#!/bin/sh\necho Welcome\necho loading the model >&2\nwhile read line; do :; done\n";
    program(&shell, "goose", silent);
    let ran = shell.run(&["doctor", "--timeout", "0.5", "--", "goose"]);
    assert_eq!(ran.code, 3);
    // On a pipe, one line says what goes on.
    assert_eq!(
        ran.err,
        "acp-tui: starting goose; waiting up to 0.5 s for each answer\n"
    );
    assert_eq!(
        told(&ran, "initialize"),
        [
            "FAILED initialize no answer within 0.5 s; it wrote something that is not a protocol message: \
             Welcome",
            "stderr loading the model",
            "try this program speaks ACP when it is started as `goose acp`: acp-tui --agent goose",
            "try run it in a shell to see what it waits for: goose",
        ]
    );
}

#[test]
fn an_agent_that_ends_is_told_with_its_last_words() {
    let shell = Shell::new();
    program(&shell, "mine", "#!/bin/sh\necho no licence >&2\nexit 7\n");
    let ran = shell.run(&["doctor", "--", "mine"]);
    assert_eq!(ran.code, 3);
    let said = told(&ran, "initialize");
    assert_eq!(
        said[0],
        "FAILED initialize the agent ended with exit code 7"
    );
    assert_eq!(said[1], "stderr no licence");
    assert!(
        said[2].starts_with("try is this the program's own UI?"),
        "{said:?}"
    );
}

// V1-AUTH-08
#[test]
fn a_wanted_sign_in_is_told_with_the_ways_to_it() {
    let shell = Shell::new();
    let hello = r#""result":{"protocolVersion":1,"authMethods":[
        {"id":"a","name":"Account","description":"by browser"},
        {"id":"k","name":"Key","type":"env_var","vars":[{"name":"MINE_KEY"}]}]}"#;
    let hello = hello.replace(['\n'], "");
    let refused = r#""error":{"code":-32000,"message":"Authentication required"}"#;
    agent(&shell, "mine", &[&hello, refused]);
    shell.config("[agents.mine]\ncommand = \"mine\"\nlogin_command = \"mine login\"\n");
    let ran = shell.run(&["doctor", "--agent", "mine"]);
    assert_eq!(ran.code, 4);
    assert_eq!(
        told(&ran, "sign-in")[0],
        "ok sign-in Account: by browser (the agent signs in itself, from acp-tui's dialog)"
    );
    assert_eq!(
        told(&ran, "session/new"),
        [
            "FAILED session/new sign-in required: Authentication required",
            "try acp-tui --agent mine: its dialog guides you through the sign-in",
            "try or sign in at a shell: mine login",
            "try Key: set env = { MINE_KEY = … } in [agents.mine]",
        ]
    );
}

// V1-INIT-03
#[test]
fn another_version_of_the_protocol_is_told_from_another_protocol() {
    let shell = Shell::new();
    for (version, said, advice) in [
        (
            "0",
            "version 0 of the protocol, not 1",
            "newer release of the agent",
        ),
        ("2", "version 2 of the protocol, not 1", "protocol = \"2\""),
        (
            "7",
            "version 7 of the protocol, not 1",
            "older release of the agent",
        ),
        (
            "\"2025-06-18\"",
            "version 2025 of the",
            "this looks like an MCP server",
        ),
    ] {
        let hello = format!("\"result\":{{\"protocolVersion\":{version}}}");
        agent(&shell, "mine", &[&hello]);
        let ran = shell.run(&["doctor", "--", "mine"]);
        assert_eq!(ran.code, 3, "{version}");
        let told = told(&ran, "initialize");
        assert!(told[0].contains(said), "{told:?}");
        assert!(told[1].contains(advice), "{told:?}");
    }
}

// D-21, D-43
#[test]
fn a_dialect_is_told_as_the_line_that_its_profile_lacks() {
    let shell = Shell::new();
    let opened = r#""result":{"sessionId":"s","models":{"currentModelId":"m",
        "availableModels":[{"modelId":"m","name":"M"}]}}"#;
    agent(&shell, "mine", &[HELLO, &opened.replace('\n', "")]);
    shell.config("[agents.mine]\ncommand = \"mine\"\n");
    let ran = shell.run(&["doctor", "--agent", "mine"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let said = told(&ran, "dialect");
    assert!(
        said[0].starts_with("ok dialect understood: models apart"),
        "{said:?}"
    );
    assert_eq!(
        said[1],
        "try set dialect = [\"auto\", \"models\"] in [agents.mine]"
    );

    program(
        &shell,
        "mine",
        "#!/bin/sh\nread line\n\
        echo '{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"initialize\"}}'\n\
        while read line; do :; done\n",
    );
    let ran = shell.run(&["doctor", "--timeout", "1", "--agent", "mine"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    let said = told(&ran, "dialect");
    assert_eq!(said[1], "try set protocol = \"threads\" in [agents.mine]");
}

#[test]
fn what_the_profile_says_is_held_against_the_agent() {
    let shell = Shell::new();
    program(&shell, "here", "#!/bin/sh\n");
    let opened = r#""result":{"sessionId":"s","modes":{"currentModeId":"ask",
        "availableModes":[{"id":"ask","name":"Ask"}]}}"#;
    agent(&shell, "mine", &[HELLO, &opened.replace('\n', "")]);
    shell.config(
        "[agents.mine]\ncommand = \"mine\"\nmode = \"plan\"\nmood = 1\nown_process = true\n\
         mcp_servers = [\"gone\", \"web\", \"ok\"]\n\
         [mcp_servers.gone]\ncommand = \"uvx\"\n[mcp_servers.web]\nurl = \"https://x\"\n\
         [mcp_servers.ok]\ncommand = \"here\"\n",
    );
    let ran = shell.run(&["doctor", "--agent", "mine"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(
        told(&ran, "config")[0].contains("agents.mine.mood: unknown key"),
        "{}",
        ran.out
    );
    assert!(!ran.err.contains("mood"), "told once: {}", ran.err);
    assert!(told(&ran, "profile")[0].contains("own_process"));
    assert!(told(&ran, "mode")[0].ends_with("Mode cannot be \"plan\": there is ask"));
    assert_eq!(
        told(&ran, "mcp server"),
        [
            "warn mcp server mcp_servers.gone.command: uvx was not found: skipped",
            "try uvx is missing: it comes with uv, https://docs.astral.sh/uv",
        ]
    );
    let web = "web: skipped, the agent does not connect over http";
    assert!(ran.out.contains(web), "{}", ran.out);
    let ok = ran.out.lines().find(|line| line.contains("ok: /")).unwrap();
    assert!(ok.starts_with("ok ") && ok.ends_with("/bin/here"), "{ok}");
}

#[test]
fn the_session_that_was_opened_to_look_at_it_is_deleted_again() {
    let shell = Shell::new();
    let hello = r#""result":{"protocolVersion":1,
        "agentCapabilities":{"sessionCapabilities":{"delete":{},"close":{}}}}"#;
    agent(&shell, "mine", &[&hello.replace('\n', ""), OPENED]);
    let script = fs::read_to_string(shell.path().join("bin/mine")).unwrap();
    let script = script.replace(
        "while read line; do :; done",
        "while read line; do echo \"$line\" >> ../asked; echo '{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}'; done",
    );
    program(&shell, "mine", &script);
    assert_eq!(shell.run(&["doctor", "--", "mine"]).code, 0);
    let asked = fs::read_to_string(shell.path().join("asked")).unwrap();
    assert!(asked.contains("\"session/delete\""), "{asked}");
}

#[test]
fn all_agents_that_are_found_are_looked_at_one_after_the_other() {
    let shell = Shell::new();
    agent(&shell, "codex-acp", &[HELLO, OPENED]);
    program(&shell, "vibe-acp", "#!/bin/sh\nexit 1\n");
    let ran = shell.run(&["doctor", "--all", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let agents = json["agents"].as_array().unwrap();
    let codes: Vec<(&str, u64)> = agents
        .iter()
        .map(|a| {
            (
                a["agent"].as_str().unwrap(),
                a["exit_code"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(codes, [("codex", 0), ("demo", 0), ("vibe", 3)]);
    let failed = agents[2]["findings"].as_array().unwrap().last().unwrap();
    assert_eq!(failed["verdict"], "failed");
    assert!(
        failed["advice"][0]
            .as_str()
            .unwrap()
            .starts_with("run it in a shell"),
        "{failed}"
    );
    let ran = shell.run(&["doctor", "--all"]);
    assert!(ran.out.starts_with("codex\nok "), "{}", ran.out);
}
