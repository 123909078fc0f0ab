//! Obligations that hold only if all layers work together, from the command line and the
//! configuration to the wire and back.

use serde_json::{Value, json};

use crate::{client, ready, wait_ready};

/// An answer to `initialize` with these capabilities.
fn can(capabilities: Value) -> Value {
    json!({"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentInfo": {"name": "fake", "version": "1"},
        "agentCapabilities": capabilities,
    }})
}

fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"request": {"id": id, "method": method, "params": params}})
}

/// As [`request`], not waiting for the answer.
fn ask(id: &str, method: &str, params: Value) -> Value {
    let mut step = request(id, method, params);
    step["async"] = true.into();
    step
}

/// Keeps the agent listening.
fn go_on() -> Value {
    json!({"wait_file": "never"})
}

fn permission(kind: &str, path: &str) -> Value {
    json!({
        "toolCall": {
            "toolCallId": path, "title": format!("{kind} {path}"), "kind": kind,
            "locations": [{"path": path}],
        },
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    })
}

fn methods(tui: &crate::Tui) -> Vec<String> {
    let received = tui.received();
    let methods = received.iter().filter_map(|m| m["method"].as_str());
    methods.map(str::to_owned).collect()
}

// V1-SES-06, V1-SES-07, V1-RPC-27
#[test]
fn roots_are_absolute_and_told_where_the_agent_takes_them() {
    for takes in [true, false] {
        let capabilities = if takes {
            json!({"sessionCapabilities": {"additionalDirectories": {}}})
        } else {
            json!({})
        };
        let write = json!({"path": "$cwd/../extra/new/f.txt", "content": "x"});
        let tui = client(json!([
            can(capabilities),
            {"on": "session/prompt", "do": [request("w", "fs/write_text_file", write)]},
        ]))
        .file("sub/a.txt", "")
        .file("extra/a.txt", "")
        .args(&["-C", "./sub", "--add-dir", "extra", "write it"])
        .start();
        let new = &tui.wait_method("session/new")["params"];
        let project = tui.project();
        assert_eq!(new["cwd"], project.join("sub").to_str().expect("a name"));
        let extra = project.join("extra");
        let told = takes.then(|| json!([extra.to_str()]));
        assert_eq!(new.get("additionalDirectories"), told.as_ref());
        // The person has named it: whether the agent was told or not, it is open to it.
        assert_eq!(tui.wait_answer("w")["result"], json!({}));
        assert!(extra.join("new/f.txt").is_file());
        if takes {
            wait_ready(&tui);
            assert!(!tui.screen().contains("directories"), "{}", tui.screen());
        } else {
            tui.wait_for("no additional directories");
        }
    }
}

// V1-SES-10
#[test]
fn the_profiles_system_prompt_goes_to_an_agent_that_takes_one() {
    for (capabilities, sent) in [
        (json!({"sessionCapabilities": {"systemPrompt": {}}}), true),
        (json!({}), false),
    ] {
        let tui = client(json!([can(capabilities)]))
            .config("system_prompt = \"Be brief.\"\n")
            .start();
        let new = &tui.wait_method("session/new")["params"];
        let content = json!([{"type": "text", "text": "Be brief."}]);
        let prompt = sent.then(|| json!({"mode": "append", "content": content}));
        assert_eq!(new.get("systemPrompt"), prompt.as_ref());
        wait_ready(&tui);
        let said = tui.screen().contains("takes no system prompt");
        assert_eq!(said, !sent, "{}", tui.screen());
    }
}

// V1-INIT-07, V1-FS-01, V1-ERR-03
#[test]
fn what_a_profile_does_not_offer_is_not_found() {
    let read = json!({"path": "$cwd/a.txt"});
    let write = json!({"path": "$cwd/b.txt", "content": "b"});
    let tui = client(json!([{"on": "session/prompt", "do": [
        request("r", "fs/read_text_file", read),
        request("w", "fs/write_text_file", write),
    ]}]))
    .config("fs = { read = false }\n")
    .file("a.txt", "a")
    .args(&["read and write"])
    .start();
    let offered = &tui.wait_method("initialize")["params"]["clientCapabilities"]["fs"];
    assert_eq!(
        offered,
        &json!({"readTextFile": false, "writeTextFile": true})
    );
    assert_eq!(tui.wait_answer("r")["error"]["code"], -32601);
    assert_eq!(tui.wait_answer("w")["result"], json!({}));
}

// V1-MODE-02
#[test]
fn the_mode_asked_for_is_set_before_the_first_prompt() {
    let modes = json!({"currentModeId": "ask", "availableModes": [
        {"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}, {"id": "code", "name": "Code"},
    ]});
    for (args, mode) in [
        (&["do it"][..], "plan"),
        (&["--mode", "code", "do it"], "code"),
    ] {
        let tui = client(json!([
            {"on": "session/new", "reply": {"sessionId": "sess-1", "modes": modes}},
        ]))
        .config("mode = \"plan\"\n")
        .args(args)
        .start();
        tui.wait_method("session/prompt");
        assert_eq!(
            methods(&tui),
            [
                "initialize",
                "session/new",
                "session/set_mode",
                "session/prompt"
            ]
        );
        let params = &tui.received()[2]["params"];
        assert_eq!(params, &json!({"sessionId": "sess-1", "modeId": mode}));
    }
}

// V1-SES-08, V1-SES-11, V1-INIT-17
#[test]
fn a_session_is_reopened_as_the_agent_can() {
    let history = json!([{"update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "long ago"},
    }}]);
    for (capabilities, method, shown) in [
        (json!({"loadSession": true}), "session/load", "long ago"),
        (
            json!({"sessionCapabilities": {"resume": {}}}),
            "session/resume",
            "F1 keys",
        ),
        (json!({}), "session/new", "cannot reopen sessions"),
    ] {
        let tui = client(json!([
            can(capabilities),
            {"on": "session/load", "do": history, "reply": null},
        ]))
        .args(&["--resume", "sess-1"])
        .start();
        wait_ready(&tui);
        assert_eq!(methods(&tui), ["initialize", method]);
        if method != "session/new" {
            assert_eq!(tui.received()[1]["params"]["sessionId"], "sess-1");
        }
        tui.wait_for(shown);
    }
}

// V1-RPC-13, V1-CAN-11, V1-PERM-02
#[test]
fn leaving_answers_all_that_is_open_once() {
    let tui = client(json!([
        can(json!({"sessionCapabilities": {"close": {}}})),
        {"on": "session/prompt", "do": [
            request("c", "terminal/create", json!({"command": "sleep", "args": ["300"]})),
            ask("w", "terminal/wait_for_exit", json!({"terminalId": "$terminal"})),
            ask("p1", "session/request_permission", permission("edit", "one")),
            ask("p2", "session/request_permission", permission("edit", "two")),
            ask("f", "fs/read_text_file", json!({"path": "/etc/hostname"})),
            {"touch": "asked"},
            go_on(),
        ]},
    ]))
    .args(&["ask a lot"])
    .start();
    tui.wait_for("3 questions wait");
    tui.keys("<c-d>");
    tui.wait_for("again");
    tui.keys("<c-d>");
    for (id, answer) in [
        ("p1", json!({"outcome": {"outcome": "cancelled"}})),
        ("p2", json!({"outcome": {"outcome": "cancelled"}})),
    ] {
        assert_eq!(tui.wait_answer(id)["result"], answer);
    }
    assert_eq!(tui.wait_answer("f")["error"]["code"], -32800);
    tui.wait_answer("w");
    tui.wait_method("session/close");
    tui.wait("the end of all processes", |tui| {
        tui.children().is_empty().then_some(())
    });
    let received = tui.received();
    let at = |fits: &dyn Fn(&Value) -> bool| {
        let hits: Vec<usize> = (0..received.len())
            .filter(|n| fits(&received[*n]))
            .collect();
        assert_eq!(hits.len(), 1, "{hits:?}");
        hits[0]
    };
    let cancelled = at(&|m| m["method"] == "session/cancel");
    for id in ["p1", "p2", "f", "w"] {
        let answered = at(&|m| m.get("method").is_none() && m["id"] == id);
        assert!(cancelled < answered, "{id} before the cancel");
    }
}

// V1-TERM-04, V1-TERM-17, V1-RPC-19
#[test]
fn commands_run_in_their_folder_and_end_with_the_agent() {
    let pwd = |id: &str, cwd: Value| {
        let mut params = json!({"command": "pwd"});
        if !cwd.is_null() {
            params["cwd"] = cwd;
        }
        json!([
            request(id, "terminal/create", params),
            request(
                "e",
                "terminal/wait_for_exit",
                json!({"terminalId": "$terminal"})
            ),
            request(
                &format!("{id} says"),
                "terminal/output",
                json!({"terminalId": "$terminal"})
            ),
        ])
    };
    let mut steps = Vec::new();
    for (id, cwd) in [
        ("own", Value::Null),
        ("absolute", "$cwd/sub".into()),
        ("relative", "sub".into()),
    ] {
        steps.extend(pwd(id, cwd).as_array().expect("steps").clone());
    }
    let missing = json!({"command": "pwd", "cwd": "$cwd/no/such"});
    steps.push(request("missing", "terminal/create", missing));
    let sleep = json!({"command": "sleep", "args": ["301"]});
    steps.push(request("sleep", "terminal/create", sleep));
    steps.extend([json!({"wait_file": "go"}), json!({"exit": 3})]);
    let tui = client(json!([{"on": "session/prompt", "do": steps}]))
        .file("sub/a.txt", "")
        .args(&["where are we"])
        .start();
    let project = tui.project();
    for (id, folder) in [
        ("own", project.clone()),
        ("absolute", project.join("sub")),
        ("relative", project.join("sub")),
    ] {
        let said = tui.wait_answer(format!("{id} says"));
        let said = said["result"]["output"].as_str().expect("output").trim();
        assert_eq!(said, folder.to_str().expect("a name"), "{id}");
    }
    let error = tui.wait_answer("missing")["error"].clone();
    assert!(
        error["message"].as_str().expect("text").contains("no/such"),
        "{error}"
    );
    tui.wait_answer("sleep");
    let sleeps = |tui: &crate::Tui| {
        let children = tui.children();
        children.iter().any(|(_, line)| line.contains("301"))
    };
    assert!(sleeps(&tui) || !cfg!(target_os = "linux"));
    tui.allow("go");
    tui.wait_for("exit code 3");
    tui.wait("the end of the command", |tui| (!sleeps(tui)).then_some(()));
}

// V1-PERM-06
#[test]
fn policies_answer_as_they_say() {
    for (policy, kind, path, answer) in [
        ("accept-edits", "edit", "$cwd/a.txt", Some("yes")),
        ("accept-edits", "execute", "$cwd/a.txt", None),
        ("accept-edits", "edit", "/etc/hostname", None),
        ("allow-all", "execute", "$cwd/a.txt", Some("yes")),
        ("allow-all", "edit", "/etc/hostname", None),
    ] {
        let mut asked = permission(kind, path);
        asked["toolCall"]["title"] = "something".into();
        let tui = client(json!([{"on": "session/prompt", "do": [
            ask("p", "session/request_permission", asked),
            go_on(),
        ]}]))
        .file("a.txt", "a")
        .args(&["--policy", policy, "do it"])
        .start();
        match answer {
            Some(option) => {
                let answer = &tui.wait_answer("p")["result"]["outcome"];
                assert_eq!(answer["optionId"], option, "{policy} {kind} {path}");
            }
            None => drop(tui.wait_for("1 question waits")),
        }
        tui.wait_for(policy);
    }
}

#[test]
fn what_no_agent_took_goes_back_to_the_draft_when_another_is_chosen() {
    let mut setup = client(json!([]));
    setup.agent = vec!["no-such-agent-program".into()];
    let tui = setup.start();
    tui.wait_for("not running");
    tui.keys("first words<enter>");
    tui.wait_for("message queued");
    tui.keys("half a th<f6>demo<enter>");
    wait_ready(&tui);
    let screen = tui.screen();
    assert!(screen.contains("❯ first words"), "{screen}");
    assert!(screen.contains("half a th"), "{screen}");
}

#[test]
fn a_shell_line_needs_no_agent() {
    let tui = ready(json!([{"on": "session/prompt", "do": [{"exit": 3}]}]));
    tui.keys("go away<enter>");
    tui.wait_for("exit code 3");
    tui.keys("!echo $((40 + 2)) is the answer<enter>");
    tui.wait_for("42 is the answer");
}

// V1-CAN-10
#[test]
fn a_wait_that_the_agent_withdraws_is_answered_and_its_terminal_lives_on() {
    let on = || json!({"terminalId": "$terminal"});
    let cancel =
        json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "w"}});
    let script = json!({"command": "sh", "args": ["-c", "echo alive; exec sleep 302"]});
    let tui = client(json!([{"on": "session/prompt", "do": [
        request("c", "terminal/create", script),
        ask("w", "terminal/wait_for_exit", on()),
        {"raw": format!("{cancel}\n")},
        {"wait_file": "go"},
        request("o", "terminal/output", on()),
        request("k", "terminal/kill", on()),
        request("e", "terminal/wait_for_exit", on()),
    ]}]))
    .args(&["run it"])
    .start();
    assert_eq!(tui.wait_answer("w")["error"]["code"], -32800);
    tui.allow("go");
    assert_eq!(tui.wait_answer("o")["result"].get("exitStatus"), None);
    let exit = tui.wait_answer("e")["result"].clone();
    assert_eq!(exit["signal"], "SIGTERM", "{exit}");
}

// V1-TOOL-10, V1-TERM-14
#[test]
fn the_last_output_stays_when_its_terminal_is_released() {
    let on = || json!({"terminalId": "$terminal"});
    let tui = client(json!([{"on": "session/prompt", "do": [
        request("c", "terminal/create", json!({"command": "echo", "args": ["the last words"]})),
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": "say it",
            "kind": "execute", "status": "in_progress",
            "content": [{"type": "terminal", "terminalId": "$terminal"}],
        }},
        request("e", "terminal/wait_for_exit", on()),
        request("r", "terminal/release", on()),
        request("o", "terminal/output", on()),
        {"update": {
            "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed",
        }},
        {"text": "done with it"},
    ]}]))
    .args(&["run it"])
    .start();
    tui.wait_for("done with it");
    assert_eq!(tui.wait_answer("r")["result"], json!({}));
    assert_eq!(tui.wait_answer("o")["error"]["code"], -32002);
    tui.wait_for("the last words");
}

// V1-TOOL-10
#[test]
fn a_terminal_of_the_agents_own_is_shown_though_never_announced() {
    let output = |data: &str| json!({"terminal_output": {"terminal_id": "own-1", "data": data}});
    let tui = client(json!([{"on": "session/prompt", "do": [
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": "make", "kind": "execute",
            "status": "in_progress", "content": [{"type": "terminal", "terminalId": "own-1"}],
            "_meta": output("compiling\r\n"),
        }},
        {"update": {
            "sessionUpdate": "tool_call_update", "toolCallId": "t", "_meta": output("linking\r\n"),
        }},
        {"text": "so far"},
    ]}]))
    .args(&["build it"])
    .start();
    tui.wait_for("so far");
    tui.wait_for("linking");
    assert!(tui.screen().contains("compiling"), "{}", tui.screen());
}
