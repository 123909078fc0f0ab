//! Odd surroundings: a directory that is gone, a stdout that is closed, files that cannot be had.

use std::{
    fs,
    io::Write,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::shell::{Ran, Shell};

fn talked() -> Shell {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [{"text": "an answer"}]}]));
    assert_eq!(shell.run(&["run", "go", "--wire", "wire"]).code, 0);
    shell
}

fn listed(shell: &Shell) -> Vec<Value> {
    serde_json::from_str(&shell.run(&["sessions", "--json"]).out).unwrap()
}

/// As a shell would start it: `cd` into what is gone, redirections.
fn by_shell(shell: &Shell, line: &str) -> Ran {
    let program = shell.command(&[]).get_program().to_owned();
    let mut command = Command::new("/bin/sh");
    let own = shell.command(&[]);
    command.env_clear();
    for (name, value) in own.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command
        .arg0("sh")
        .args(["-c", line])
        .env("ACP", program)
        .env("PATH", "/usr/bin:/bin")
        .current_dir(shell.path().join("project"))
        .stdin(Stdio::null());
    Ran::new(command.output().unwrap())
}

#[test]
fn in_a_directory_that_is_gone_what_needs_none_works() {
    let shell = talked();
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    let gone = |args: &str| {
        by_shell(
            &shell,
            &format!("mkdir gone && cd gone && rmdir ../gone && \"$ACP\" {args}"),
        )
    };
    for (args, told) in [
        ("sessions", id.as_str()),
        ("sessions --json", "an answer"),
        (&format!("sessions show {id}"), "an answer"),
        (&format!("sessions export {id} -o -"), "an answer"),
        (&format!("replay {id} --format text"), "an answer"),
        ("config", "theme"),
        ("agents", "fake"),
        ("completions bash", "acp-tui"),
        ("man", "acp-tui"),
    ] {
        let ran = gone(args);
        assert_eq!(ran.code, 0, "{args}: {}", ran.err);
        if !args.ends_with("--json") {
            assert!(ran.out.contains(told), "{args}: {}", ran.out);
        }
    }
    let ran = gone(&format!("sessions export {id} -o here.md"));
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("here.md"), "{}", ran.err);
    let ran = gone("run x");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("the current directory is gone") && ran.err.contains("-C"),
        "{}",
        ran.err
    );
    let project = shell.path().join("project");
    let ran = gone(&format!("-C {} run x", project.display()));
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "an answer\n"),
        "{}",
        ran.err
    );
}

#[test]
fn a_stdout_that_was_closed_from_the_start_is_no_success() {
    let shell = talked();
    let before = shell.methods().len();
    for args in [
        "run x",
        "run x --format json -q",
        "sessions",
        "agents",
        "config",
        "man",
        "completions bash",
        "replay wire --format text",
    ] {
        let ran = by_shell(&shell, &format!("\"$ACP\" {args} >&-"));
        assert_eq!(ran.code, 1, "{args}: {}", ran.err);
        assert!(ran.err.contains("stdout is closed"), "{args}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{args}: {}", ran.err);
    }
    assert_eq!(shell.methods().len(), before, "no agent was started");
    // A hook that wants the work alone says so.
    let ran = by_shell(&shell, "\"$ACP\" run x >/dev/null");
    assert_eq!(ran.code, 0, "{}", ran.err);
    // What prints nothing does not need it; and one that leads nowhere is the person's wish.
    let ran = by_shell(&shell, "\"$ACP\" sessions export sess-1 -o file.md >&-");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for nowhere in [">/dev/null", "1<>/dev/null"] {
        let ran = by_shell(&shell, &format!("\"$ACP\" sessions {nowhere}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

#[test]
fn a_pipe_among_our_own_files_is_not_waited_for() {
    let shell = talked();
    let state = "$HOME/.local/state/acp-tui";
    let run = "timeout 20 \"$ACP\" run x";
    for (line, told) in [
        (
            format!("mkfifo {state}/sessions/abcd1234.jsonl; \"$ACP\" sessions"),
            "~/project",
        ),
        // This agent cannot, and says so.
        (
            format!("{run} --continue || test $? = 1"),
            "cannot reopen sessions",
        ),
        (
            format!("rm {state}/log; mkfifo {state}/log; {run}"),
            "an answer",
        ),
    ] {
        let ran = by_shell(&shell, &format!("exec 2>&1; {line}"));
        assert_eq!(ran.code, 0, "{line}: {}", ran.out);
        assert!(ran.out.contains(told), "{line}: {}", ran.out);
    }
    let ran = by_shell(&shell, "timeout 20 \"$ACP\" run x --resume abcd1234");
    assert!(ran.code != 0 && ran.code != 124, "{}", ran.err);
}

/// `ulimit -f`: SIGXFSZ would end the client in the middle of a write.
#[test]
fn a_limit_on_the_size_of_files_is_like_a_full_disk() {
    let shell = Shell::new();
    let answer = format!("{}the end", "word ".repeat(4_000));
    shell.scripted(&json!([{"on": "session/prompt", "do": [{"text": answer}]}]));
    let ran = by_shell(&shell, "ulimit -f 8; \"$ACP\" run go");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("the end"), "{}", ran.out);
    assert!(ran.err.contains("is not stored"), "{}", ran.err);
}

#[test]
fn where_too_few_files_can_be_open_that_is_said() {
    let shell = talked();
    for limit in 6..=24 {
        let ran = by_shell(&shell, &format!("ulimit -n {limit}; exec \"$ACP\" run go"));
        assert_eq!(ran.code, 1, "{limit}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{limit}: {}", ran.err);
        assert!(ran.err.contains("open"), "{limit}: {}", ran.err);
    }
}

#[test]
fn logs_that_cannot_be_written_are_wrong_usage() {
    let shell = talked();
    let before = shell.methods().len();
    for flag in ["--wire", "--log"] {
        let ran = shell.run(&["run", "x", flag, "none/file"]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        for told in [
            flag,
            "none/file",
            "cannot be written",
            "make the folder",
            "or name another file",
        ] {
            assert!(ran.err.contains(told), "{told}: {}", ran.err);
        }
        let ran = shell.run(&["run", "x", flag, "."]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        // Nobody reads it: it would be waited for.
        let pipe = "[ -p pipe ] || mkfifo pipe; exec \"$ACP\" run x";
        let ran = by_shell(&shell, &format!("{pipe} {flag} pipe"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(
            ran.err.contains("pipe: cannot be written: is neither"),
            "{}",
            ran.err
        );
    }
    assert_eq!(shell.methods().len(), before);
}

#[test]
fn logs_that_cannot_be_written_any_more_are_said_once() {
    let shell = talked();
    for flag in ["--wire", "--log"] {
        let ran = shell.run(&["run", "x", flag, "/dev/full"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(
            ran.err.matches("cannot be written").count(),
            1,
            "{}",
            ran.err
        );
        assert!(ran.err.contains("log /dev/full"), "{}", ran.err);
        for devices in ["/dev/null", "/dev/stderr"] {
            let ran = shell.run(&["run", "x", flag, devices]);
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(!ran.err.contains("cannot be written"), "{}", ran.err);
        }
    }
}

#[test]
fn stored_sessions_that_cannot_be_read_are_named() {
    let shell = talked();
    let sessions = shell.path().join(".local/state/acp-tui/sessions");
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    let file = sessions.join(&id).with_extension("jsonl");
    fs::write(&file, [7; 4_000]).unwrap();
    fs::create_dir(sessions.join("folder00.jsonl")).unwrap();
    let ran = shell.run(&["sessions"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    for said in [
        format!("nothing in the stored session {id} can be read"),
        "the stored session folder00 cannot be read: is not a regular file".to_owned(),
    ] {
        assert_eq!(ran.err.matches(&said).count(), 1, "{}", ran.err);
    }
    assert!(!ran.err.contains("no session is stored"), "{}", ran.err);
    let ran = shell.run(&["sessions", "show", &id]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("nothing in the stored session"),
        "{}",
        ran.err
    );

    let state = shell.path().join(".local/state/acp-tui");
    fs::remove_dir_all(&state).unwrap();
    fs::write(&state, "in the way").unwrap();
    let ran = shell.run(&["sessions"]);
    assert!(ran.err.contains("the stored sessions in "), "{}", ran.err);
    assert!(!ran.err.contains("no session is stored"), "{}", ran.err);
}

/// The exit code is that of what was said, however long the agent takes to go.
#[test]
fn an_agent_that_closes_its_pipes_and_lives_on_ends_a_run_by_one_rule() {
    for closes in ["exec >&-", "exec >&- 2>&-", "exec >&- 2>&- <&-", "exec <&-"] {
        let shell = Shell::new();
        let agent = shell.path().join("agent.sh");
        let script = format!(
            r#"trap '' TERM
id() {{ read -r line; id=${{line#*\"id\":}}; id=${{id%%[,\}}]*}}; }}
id; echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"protocolVersion":1}}}}'
id; echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"sessionId":"s"}}}}'
id
{closes}
while :; do /bin/sleep 1; done
"#
        );
        fs::write(&agent, script).unwrap();
        let agent = agent.to_str().unwrap();
        let ran = shell.run(&["run", "go", "--timeout", "4", "--", "/bin/sh", agent]);
        let said = [
            ("went on running", 1),
            ("closed its input", 1),
            ("timed out", 5),
        ];
        let of_code = said.iter().filter(|(words, _)| ran.err.contains(words));
        let codes: Vec<i32> = of_code.map(|(_, code)| *code).collect();
        assert_eq!(codes, [ran.code], "{closes}: {}", ran.err);
        assert_eq!(ran.code == 5, closes == "exec <&-", "{closes}: {}", ran.err);
    }
}

#[test]
fn a_long_line_that_is_no_message_is_told_of() {
    let shell = Shell::new();
    let line = format!("{}\n", "\0".repeat(1 << 20));
    shell.scripted(&json!([{"on": "session/prompt",
        "do": [{"raw": "a line of a log\n"}, {"raw": line}, {"raw": line}, {"text": "an answer"}]}]));
    let ran = shell.run(&["run", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "an answer\n"));
    let said = "a line of 1048576 bytes that is not a message";
    assert_eq!(ran.err.matches(said).count(), 1, "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn what_has_no_end_is_not_played() {
    let shell = Shell::new();
    for line in [
        "\"$ACP\" replay /dev/zero --format text",
        "\"$ACP\" replay - --format text < /dev/urandom",
        "ln -s /dev/zero link; \"$ACP\" replay link --format json",
    ] {
        let ran = by_shell(&shell, line);
        assert_eq!(ran.code, 2, "{line}: {}", ran.err);
        assert!(
            ran.err.contains("not a file, a pipe or a terminal"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn what_comes_through_a_pipe_is_played() {
    let shell = talked();
    let stored = shell.path().join(".local/state/acp-tui/sessions");
    let stored = fs::read_dir(stored)
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let stored = stored.display();
    for line in [
        "\"$ACP\" replay - --format text < wire".to_owned(),
        "cat wire | \"$ACP\" replay - --format text".to_owned(),
        "cat wire | \"$ACP\" replay /dev/stdin --format text".to_owned(),
        "mkfifo pipe; cat wire > pipe & \"$ACP\" replay pipe --format text".to_owned(),
        format!("cat {stored} | \"$ACP\" replay - --format text"),
    ] {
        let ran = by_shell(&shell, &line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
        assert!(ran.out.contains("an answer"), "{line}: {}", ran.out);
    }
    let ran = by_shell(&shell, "echo nonsense | \"$ACP\" replay - --format text");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("-: is neither a wire log"), "{}", ran.err);
}

#[test]
fn a_session_of_another_agent_is_not_sent_to_this_one() {
    let shell = talked();
    shell.profile("[agents.other]\ncommand = \"/bin/false\"\n");
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    for named in ["sess-1", &id] {
        let ran = shell.run(&["run", "x", "--resume", named, "--agent", "other"]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        for told in ["fake", "other", &format!("--resume {id}"), "sessions show"] {
            assert!(ran.err.contains(told), "{told}: {}", ran.err);
        }
    }
    // Without an agent it is opened with its own.
    let ran = shell.run(&["run", "x", "--resume", &id]);
    assert!(
        ran.err.contains("Fake cannot reopen sessions"),
        "{}",
        ran.err
    );
}

#[test]
fn garbled_lines_within_a_stored_session_are_told_of() {
    let shell = talked();
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    let folder = shell.path().join(".local/state/acp-tui/sessions");
    let path = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let whole = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.insert(1, "{\"v\":1,\"bl\u{fffd}");
    lines.insert(2, "garbage");
    fs::File::create(&path)
        .unwrap()
        .write_all((lines.join("\n") + "\n").as_bytes())
        .unwrap();
    for args in [
        &["sessions", "show", &id][..],
        &["sessions", "export", &id],
        &["replay", &id, "--format", "text"],
    ] {
        let ran = shell.run(args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("an answer"), "{args:?}: {}", ran.out);
        let all = ran.out + &ran.err;
        assert!(
            all.contains("2 lines of the stored session cannot be read"),
            "{args:?}: {all}"
        );
    }
}

#[test]
fn a_project_file_that_is_broken_is_not_nothing_to_approve() {
    let shell = Shell::new();
    fs::write(shell.path().join("project/.acp-tui.toml"), "a = [\n").unwrap();
    let ran = shell.run(&["trust"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.err.contains(".acp-tui.toml:1") && ran.err.contains("unclosed array"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("fix it first"), "{}", ran.err);
    assert!(!ran.out.contains("nothing to approve"), "{}", ran.out);
}

#[test]
fn config_shows_nothing_that_it_has_called_wrong() {
    let shell = Shell::new();
    shell.config(
        "default_agent = \"nobody\"\n[keys]\nnonsense = [\"x\"]\nquit = [\"ctrl-q\"]\n\
         [agents.half]\nname = \"Half\"\n[mcp_servers.h]\nargs = [\"x\"]\n\
         [agents.mine]\ncommand = \"x\"\nmodes = [\"plan\"]\n",
    );
    let ran = shell.run(&["config"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for wrong in [
        "default_agent",
        "nonsense",
        "agents.half",
        "mcp_servers.h",
        "modes",
    ] {
        assert!(ran.err.contains(wrong), "{wrong}: {}", ran.err);
        let shown = ran.out.lines().any(|line| {
            let line = line.split("  # ").next().unwrap_or_default();
            line.starts_with(wrong) || line == format!("[{wrong}]")
        });
        assert!(!shown, "{wrong}: {}", ran.out);
    }
    assert!(ran.out.contains("quit = ["), "{}", ran.out);
    assert!(ran.out.contains("[agents.mine]"), "{}", ran.out);
}

#[test]
fn a_stored_session_tells_what_its_terminals_showed_and_which_files_changed() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "echo HELLO",
            "kind": "execute", "status": "in_progress",
            "content": [{"type": "terminal", "terminalId": "x"}],
            "_meta": {"terminal_info": {"terminal_id": "x"}}}},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c",
            "_meta": {"terminal_output": {"terminal_id": "x", "data": "from the\r\nterminal\r\n"}}}},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
            "_meta": {"terminal_exit": {"terminal_id": "x", "exit_code": 0}}}},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "e", "title": "edit", "kind": "edit",
            "status": "completed", "content": [{"type": "diff", "path": "/p/new.txt", "newText": "a\nb\n"}]}},
        {"text": "Done."},
    ]}]));
    assert_eq!(shell.run(&["run", "go"]).code, 0);
    let id = listed(&shell)[0]["id"].as_str().unwrap().to_owned();
    let told = shell.run(&["replay", &id, "--format", "text"]).out;
    for line in [
        "  from the",
        "  terminal",
        "[wrote] /p/new.txt (2 lines)",
        "Done.",
    ] {
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
    let told = shell.run(&["replay", &id, "--format", "jsonl"]).out;
    let told: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let output = told
        .iter()
        .find(|record| record["event"] == "terminal_output")
        .unwrap();
    assert_eq!(output["text"], "from the\nterminal");
    assert!(
        told.iter()
            .any(|record| record["event"] == "file_written" && record["lines"] == 2)
    );
    for record in &told {
        let t = record["t"].as_f64().unwrap();
        assert!((t * 1e3 - (t * 1e3).round()).abs() < 1e-6, "{t}");
    }
}

#[test]
fn a_policy_is_no_rule_in_an_export() {
    let shell = Shell::new();
    shell.scripted(&json!([{"on": "session/prompt", "do": [
        {"request": {"method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "t", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}},
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"},
                {"optionId": "n", "name": "No", "kind": "reject_once"}]}}},
        {"text": "ok"},
    ]}]));
    shell.run(&["run", "go", "--policy", "allow-all"]);
    let told = shell.run(&["sessions", "export", "sess-1"]).out;
    assert!(told.contains("(policy allow-all)"), "{told}");
}
