//! The program as a shell sees it: output, errors and exit codes of all that needs no terminal.

#[path = "../support/schema.rs"]
#[allow(dead_code, reason = "tests use a part each")]
mod schema;

mod agents;
mod changes;
mod docs;
mod doctor;
mod kept;
mod odd;
mod older;
mod profile;
mod replay;
mod run;
mod secrets;
mod shell;
mod worktree;

use std::{collections::BTreeSet, fs, process::Stdio};

use shell::Shell;

#[test]
fn without_a_terminal_it_says_so_and_writes_no_escape_code() {
    let ran = Shell::new().run(&["--agent", "demo"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("stdin is not a terminal"), "{}", ran.err);
    assert!(!(ran.out + &ran.err).contains('\u{1b}'));
}

#[test]
fn wrong_usage_exits_2_and_says_what_is_right() {
    let shell = Shell::new();
    for (args, expected) in [
        (&["agnets"][..], "did you mean `agents`?"),
        (&["replay", "x"], "stdin is not a terminal"),
        (&["--policy", "maybe"], "accept-edits"),
        (
            &["-C", "nowhere", "agents"],
            "--cwd nowhere: No such file or directory",
        ),
        (
            &["--mode", "plan", "agents"],
            "cannot be used with a command",
        ),
        (
            &["--config", "nope.toml", "agents"],
            "nope.toml: there is no such file",
        ),
        (&["doctor", "--all", "--", "x"], "cannot be used with"),
        (&["doctor", "--agent", "gemni"], "did you mean gemini?"),
    ] {
        let ran = shell.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
    }
}

#[test]
fn a_syntax_error_exits_2_with_the_place() {
    let shell = Shell::new();
    shell.config("a = [\n");
    let ran = shell.run(&["agents"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("config.toml:1:6: unclosed array"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains('^'), "{}", ran.err);
}

#[test]
fn a_broken_profile_that_was_asked_for_exits_2() {
    let shell = Shell::new();
    shell.config("[agents.bad]\ncommand = 5\n");
    let ran = shell.run(&["doctor", "--agent", "bad"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("config.toml:2: agents.bad.command"),
        "{}",
        ran.err
    );
}

#[test]
fn the_doctor_tells_what_an_agent_can_and_lacks() {
    let shell = Shell::new();
    shell.config("[agents.demo]\nfs = { read = false }\n");
    let ran = shell.run(&["doctor", "--agent", "demo"]);
    assert_eq!(ran.code, 0);
    let line = |what: &str| {
        let mut lines = ran.out.lines();
        let found = lines.find(|line| line.contains(what));
        let words = found.unwrap_or_else(|| panic!("no {what} in {}", ran.out));
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(line("command").ends_with("acp-tui demo-agent"));
    assert_eq!(line("session/resume"), "ok session/resume");
    assert!(line("images").starts_with("no images a prompt"));
    assert!(line("fs/read_text_file").ends_with("its profile has fs.read = false"));
    // The current one first, by ids that --mode takes.
    assert_eq!(line("modes"), "ok modes calm, swift");
    assert_eq!(
        line("model ="),
        "ok option model = script-long, script-short, telegram"
    );
    assert_eq!(line("plans ="), "ok option plans = true, false");
}

#[test]
fn config_prints_what_is_in_effect_and_whence() {
    let shell = Shell::new();
    shell.config(
        "[ui]\ntheme = \"light\"\nthme = 1\n[agents.pi]\n\
         env = { PI_KEY = \"hunter2\", PI_TOKEN = \"${T}\" }\n",
    );
    let file = shell.path().join(".config/acp-tui/config.toml");
    let file = file.display();
    let ran = shell.run(&["config"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.err,
        format!("acp-tui: {file}:3: ui.thme: unknown key; did you mean ui.theme?\n")
    );
    let shows = |key: &str, value: &str, source: &str| {
        assert!(
            ran.out.lines().any(|line| {
                line.split_once("  # ").is_some_and(|(entry, from)| {
                    entry.trim_end() == format!("{key} = {value}") && from == source
                })
            }),
            "{key} = {value} # {source} in\n{}",
            ran.out
        );
    };
    shows("theme", "\"light\"", &format!("{file}:2"));
    shows("motion", "true", "default");
    shows("command", "\"pi-acp\"", "built-in");
    shows("env.PI_KEY", "\"***\"", &format!("{file}:5"));
    shows("env.PI_TOKEN", "\"${T}\"", &format!("{file}:5"));
    assert!(ran.out.parse::<toml::Table>().is_ok(), "it is TOML");

    assert_eq!(shell.run(&["config", "check"]).code, 1);
    assert_eq!(shell.run(&["config", "path"]).out, format!("{file}\n"));
    let schema = shell.run(&["config", "schema"]).out;
    assert!(serde_json::from_str::<serde_json::Value>(&schema).is_ok());
}

#[test]
fn config_check_reports_all_that_is_wrong_by_file_and_line() {
    let shell = Shell::new();
    assert_eq!(shell.run(&["config", "check"]).out, "ok\n");
    let file = shell.path().join(".config/acp-tui/config.toml");
    shell.config(
        "[keys]\nsend = [\"ctrl-x\"]\nsend-now = [\"ctrl-x\"]\npalete = [\"f2\"]\nplan = [\"f99\"]\n\
         [agents.mine]\ncommand = \"${NOWHERE}/mine\"\nargs = [\"${HOME}\", \"${NOR_HERE}\"]\n\
         env = { KEY = \"${NO_KEY}\" }\n[ui]\nthme = \"dark\"\n",
    );
    let ran = shell.run(&["config", "check"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let problems: Vec<String> = ran
        .err
        .lines()
        .map(|line| line.replace(&format!("acp-tui: {}:", file.display()), ""))
        .collect();
    let starts = [
        "3: keys.send-now: `ctrl-x` is already the key of `send`",
        "4: keys.palete: unknown action `palete`: did you mean `palette`?",
        "5: keys.plan: ",
        "7: agents.mine.command: the variable NOWHERE is not set",
        "8: agents.mine.args: the variable NOR_HERE is not set",
        "9: agents.mine.env.KEY: the variable NO_KEY is not set",
        "11: ui.thme: unknown key",
    ];
    assert_eq!(problems.len(), starts.len(), "{problems:#?}");
    for (problem, start) in problems.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem} is not {start}");
    }
}

#[test]
fn a_project_is_trusted_by_a_yes_and_no_longer_than_it_stays_the_same() {
    let shell = Shell::new();
    let file = shell.path().join("project/.acp-tui.toml");
    assert!(shell.run(&["trust"]).out.starts_with("nothing to approve"));
    fs::write(&file, "default_agent = \"pi\" # \u{202e}\n").unwrap();
    let asked = shell.run(&["trust"]);
    assert_eq!(asked.code, 2);
    assert!(asked.err.contains("pass --yes"), "{}", asked.err);
    assert!(
        asked.out.contains("default_agent = \"pi\" # <U+202E>"),
        "{}",
        asked.out
    );

    assert_eq!(shell.run(&["trust", "--yes", "."]).code, 0);
    assert!(
        shell
            .run(&["config"])
            .out
            .contains("default_agent = \"pi\"")
    );
    assert!(shell.run(&["trust"]).out.ends_with("already approved\n"));
    assert!(shell.run(&["trust", "--revoke"]).out.ends_with("revoked\n"));
    let config = shell.run(&["config"]);
    assert!(!config.out.contains("default_agent"));
    assert!(
        config.err.contains("only its display keys apply"),
        "{}",
        config.err
    );
}

#[test]
fn a_closed_stdout_is_no_error() {
    let shell = Shell::new();
    let mut child = shell
        .command(&["config", "schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn completions_and_the_manual_page_are_the_same_each_time() {
    let shell = Shell::new();
    for args in [
        &["completions", "bash"][..],
        &["completions", "zsh"],
        &["completions", "fish"],
        &["man"],
    ] {
        let (one, two) = (shell.run(args), shell.run(args));
        assert_eq!(one.code, 0, "{args:?}");
        assert!(one.out.contains("doctor"), "{args:?}");
        assert_eq!(one.out, two.out);
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let shell = Shell::new();
    let page = shell.run(&["man", "sessions", "export"]);
    assert_eq!((page.code, page.err.as_str()), (0, ""));
    assert!(
        page.out.contains("acp\\-tui\\-sessions\\-export"),
        "{}",
        page.out
    );
    assert!(page.out.contains("\\-\\-force"), "{}", page.out);

    let wrong = shell.run(&["man", "sessions", "exprot"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("no command \"sessions exprot\""),
        "{}",
        wrong.err
    );

    let folder = shell.path().join("pages/man1");
    let all = shell.run(&["man", "--dir", folder.to_str().unwrap()]);
    assert_eq!((all.code, all.out.as_str(), all.err.as_str()), (0, "", ""));
    let pages: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for page in ["acp-tui.1", "acp-tui-run.1", "acp-tui-agents-import-zed.1"] {
        assert!(pages.contains(page), "{pages:?}");
    }
    assert!(
        !pages.iter().any(|page| page.contains("demo-agent")),
        "{pages:?}"
    );
}

/// What bash offers behind these words, the last of which is being typed.
fn offered_by_bash(script: &str, words: &[&str]) -> Option<Vec<String>> {
    let program = r#"
        source /dev/stdin
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _acp__tui "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut child = std::process::Command::new("bash")
        .args(["--norc", "-c", program, "bash"])
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    std::io::Write::write_all(child.stdin.as_mut()?, script.as_bytes()).ok()?;
    let out = child.wait_with_output().ok()?.stdout;
    let out = String::from_utf8_lossy(&out).into_owned();
    Some(out.lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_behind_a_command_and_offers_none_that_is_hidden() {
    let script = Shell::new().run(&["completions", "bash"]).out;
    assert!(!script.contains("demo-agent"));
    for (words, expected) in [
        (&["acp-tui", "ses"][..], "sessions"),
        (&["acp-tui", "run", "--time"], "--timeout"),
        (&["acp-tui", "sessions", "exp"], "export"),
        (&["acp-tui", "sessions", "export", "--form"], "--format"),
    ] {
        // Where there is no bash there is nothing to ask.
        let Some(offered) = offered_by_bash(&script, words) else {
            return;
        };
        assert_eq!(offered, [expected], "{words:?}");
    }
}

#[test]
fn a_projects_file_that_is_no_toml_is_a_warning_only() {
    let shell = Shell::new();
    fs::write(shell.path().join("project/.acp-tui.toml"), "a = [1\n").unwrap();
    for args in [
        &["agents"][..],
        &["sessions"],
        &["run", "--agent", "demo", "hello"],
    ] {
        let ran = shell.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        let expected = ".acp-tui.toml:1: the project's file is not used: ";
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
        assert_eq!(ran.err.matches(".acp-tui.toml").count(), 1, "{}", ran.err);
    }
}
