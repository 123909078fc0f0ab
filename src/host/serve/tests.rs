mod roots;

use std::time::Duration;

use super::*;
use crate::model::{ConnectionId, Decision, TerminalRef};

struct Fixture {
    host: Host,
    /// Holds `ws`, the workspace, and `out`.
    dir: tempfile::TempDir,
    next: std::cell::Cell<u64>,
}

fn fixture_with(change: impl FnOnce(&mut HostConfig)) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    for name in ["ws", "ws-evil", "out/sub"] {
        std::fs::create_dir_all(dir.path().join(name)).unwrap();
    }
    let mut config = HostConfig {
        roots: Roots::new(&dir.path().join("ws"), &[]).unwrap(),
        outside: OutsideWorkspace::Ask,
        policy: Policy::Ask,
        rules: Vec::new(),
        ask_terminal: false,
        terminal: TerminalSettings {
            env: std::env::vars_os().collect(),
            scrub_env: false,
            raw_output: false,
        },
        caps: ClientCaps::default(),
    };
    change(&mut config);
    Fixture {
        host: Host::new(config, Arc::new(|_| {})),
        dir,
        next: std::cell::Cell::new(0),
    }
}

fn fixture() -> Fixture {
    fixture_with(|_| {})
}

fn session() -> SessionId {
    SessionId::new("s")
}

fn read(path: &str) -> HostRequest {
    HostRequest::ReadTextFile(FsRead {
        session: session(),
        path: path.to_owned(),
        line: None,
        limit: None,
    })
}

fn write(path: &str, content: &str) -> HostRequest {
    HostRequest::WriteTextFile(FsWrite {
        session: session(),
        path: path.to_owned(),
        content: content.to_owned(),
    })
}

fn create(command: &str) -> HostRequest {
    HostRequest::TerminalCreate(TerminalCreate {
        session: session(),
        command: command.to_owned(),
        args: Vec::new(),
        env: Vec::new(),
        cwd: None,
        output_byte_limit: None,
    })
}

impl Fixture {
    fn key(&self) -> RequestKey {
        self.next.set(self.next.get() + 1);
        RequestKey {
            connection: ConnectionId(1),
            number: self.next.get(),
        }
    }

    async fn serve(&self, request: HostRequest) -> ServeOutcome {
        self.host.serve(self.key(), request, Consent::None).await
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    async fn terminal(&self, command: &str) -> TerminalRef {
        match self.serve(create(command)).await {
            ServeOutcome::Reply(HostReply::TerminalCreated(terminal)) => TerminalRef {
                session: session(),
                terminal,
            },
            other => panic!("{other:?}"),
        }
    }
}

fn content(text: &str) -> ServeOutcome {
    ServeOutcome::Reply(HostReply::Content(text.to_owned()))
}

fn error_code(outcome: &ServeOutcome) -> i64 {
    match outcome {
        ServeOutcome::Reply(HostReply::Error(error))
        | ServeOutcome::Refused {
            reply: HostReply::Error(error),
            ..
        } => error.code,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn files_inside_are_served_without_a_question() {
    let host = fixture();
    let written = host.serve(write("a/b.txt", "x\r\n")).await;
    assert_eq!(written, ServeOutcome::Reply(HostReply::Done));
    assert_eq!(host.serve(read("a/b.txt")).await, content("x\r\n"));
}

fn look(path: &str, at: LookAt) -> HostRequest {
    HostRequest::Look(Look {
        session: session(),
        path: path.to_owned(),
        at,
    })
}

fn file(version: u64, content: &str) -> ServeOutcome {
    let content = content.to_owned();
    ServeOutcome::Reply(HostReply::Looked(Looked::File { version, content }))
}

// D-37, D-38, D-41
#[tokio::test]
async fn slices_have_the_version_of_their_file() {
    let host = fixture();
    host.serve(write("f", "a\nb\n")).await;
    let text = LookAt::Text {
        skip: 1,
        limit: None,
    };
    let bytes = LookAt::Bytes {
        skip: 0,
        limit: Some(1),
    };
    assert_eq!(host.serve(look("f", text)).await, file(0, "b\n"));
    assert_eq!(host.serve(look("f", bytes)).await, file(0, "YQ=="));
    host.serve(write("f", "a\nbb\n")).await;
    assert_eq!(host.serve(look("f", text)).await, file(1, "bb\n"));
    assert_eq!(
        error_code(&host.serve(look("no", text)).await),
        code::NOT_FOUND
    );
}

// D-37, D-39: a look outside is as good as reading there, and a question about it is none.
#[tokio::test]
async fn looks_stay_in_the_workspace() {
    let host = fixture();
    std::fs::write(host.path("out/secret"), "s").unwrap();
    let text = LookAt::Text {
        skip: 0,
        limit: None,
    };
    let outcome = host.serve(look("../out/secret", text)).await;
    assert!(matches!(
        outcome,
        ServeOutcome::OutsideRoots { write: false, .. }
    ));
    let stat = |exists, is_directory| {
        ServeOutcome::Reply(HostReply::Looked(Looked::Stat {
            exists,
            is_directory,
        }))
    };
    assert_eq!(
        host.serve(look("../out", LookAt::Stat)).await,
        stat(false, false)
    );
    assert_eq!(host.serve(look(".", LookAt::Stat)).await, stat(true, true));
    assert_eq!(
        host.serve(look("no", LookAt::Stat)).await,
        stat(false, false)
    );
    let off = fixture_with(|config| config.caps.read_text_file = false);
    assert_eq!(
        error_code(&off.serve(look(".", LookAt::Stat)).await),
        code::METHOD_NOT_FOUND
    );
}

// V1-FS-08
#[tokio::test]
async fn what_is_read_is_what_is_on_the_disk_by_then() {
    let host = fixture();
    host.serve(write("a.txt", "the agent's")).await;
    // As by an editor.
    std::fs::write(host.path("ws/a.txt"), "the person's").unwrap();
    assert_eq!(host.serve(read("a.txt")).await, content("the person's"));
}

// V1-FS-13
#[tokio::test]
async fn one_path_in_order_of_arrival_whoever_runs_first() {
    let host = fixture();
    let mut serving: Vec<_> = [write("f", "1"), read("f"), write("f", "2"), read("f")]
        .into_iter()
        .map(|request| host.host.serve(host.key(), request, Consent::None))
        .collect();
    // The last ones are polled first.
    serving.reverse();
    let mut outcomes = futures_util::future::join_all(serving).await;
    outcomes.reverse();
    assert_eq!(outcomes[1], content("1"));
    assert_eq!(outcomes[3], content("2"));
}

#[tokio::test]
async fn outside_asks_and_leaves_no_trace_before_the_answer() {
    let host = fixture();
    std::fs::write(host.path("out/secret"), "s").unwrap();
    std::os::unix::fs::symlink("../out/secret", host.path("ws/leak")).unwrap();
    for path in ["../out/secret", "leak"] {
        let outcome = host.serve(read(path)).await;
        let resolved = host.path("out/secret");
        assert_eq!(
            outcome,
            ServeOutcome::OutsideRoots {
                resolved,
                write: false,
                protected: None,
            }
        );
    }
    let resolved = host.path("ws-evil/new/o");
    let outcome = host.serve(write("../ws-evil/new/o", "x")).await;
    assert_eq!(
        outcome,
        ServeOutcome::OutsideRoots {
            resolved,
            write: true,
            protected: None,
        }
    );
    assert!(!host.path("ws-evil/new").exists());
}

#[tokio::test]
async fn consent_is_for_this_once_or_for_the_folder() {
    let host = fixture();
    for name in ["out/a", "out/sub/b"] {
        std::fs::write(host.path(name), "text").unwrap();
    }
    let asks = |outcome: ServeOutcome| matches!(outcome, ServeOutcome::OutsideRoots { .. });
    let key = host.key();
    assert!(asks(
        host.host.serve(key, read("../out/a"), Consent::None).await
    ));
    let outcome = host.host.serve(key, read("../out/a"), Consent::Once).await;
    assert_eq!(outcome, content("text"));

    let key = host.key();
    assert!(asks(
        host.host.serve(key, read("../out/a"), Consent::None).await
    ));
    let outcome = host
        .host
        .serve(key, read("../out/a"), Consent::Folder)
        .await;
    assert_eq!(outcome, content("text"));
    assert_eq!(host.serve(read("../out/sub/b")).await, content("text"));
    // Having let it read is not having let it write.
    assert!(asks(host.serve(write("../out/a", "x")).await));
}

// V1-FS-11
#[tokio::test]
async fn consent_is_for_the_place_that_was_shown() {
    let host = fixture();
    for name in ["out/harmless", "out/secret"] {
        std::fs::write(host.path(name), name).unwrap();
    }
    let link = host.path("ws/link");
    std::os::unix::fs::symlink(host.path("out/harmless"), &link).unwrap();
    let key = host.key();
    host.host.serve(key, read("link"), Consent::None).await;
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(host.path("out/secret"), &link).unwrap();
    let outcome = host.host.serve(key, read("link"), Consent::Once).await;
    let resolved = host.path("out/secret");
    assert_eq!(
        outcome,
        ServeOutcome::OutsideRoots {
            resolved,
            write: false,
            protected: None,
        }
    );
}

#[tokio::test]
async fn settings_refuse_without_asking() {
    let host = fixture_with(|config| {
        config.outside = OutsideWorkspace::Deny;
        config.rules = vec![Rule {
            kind: None,
            tool: None,
            path: Some("**/.env*".into()),
            command: None,
            decision: Decision::Deny,
            label: "deny \"**/.env*\"".into(),
        }];
    });
    let outcome = host.serve(read("../out/x")).await;
    assert!(
        matches!(outcome, ServeOutcome::Refused { .. }),
        "{outcome:?}"
    );
    let outcome = host.serve(write("sub/.env", "x")).await;
    assert_eq!(error_code(&outcome), code::INTERNAL);
    assert!(!host.path("ws/sub").exists());
    let read_only = fixture_with(|config| config.policy = Policy::ReadOnly);
    for request in [write("a", "x"), create("true")] {
        let outcome = read_only.serve(request).await;
        assert!(
            matches!(outcome, ServeOutcome::Refused { .. }),
            "{outcome:?}"
        );
    }
}

// V1-FS-01
#[tokio::test]
async fn what_was_not_offered_is_no_method() {
    let host = fixture_with(|config| {
        config.caps = ClientCaps {
            read_text_file: false,
            write_text_file: false,
            terminal: false,
            ..ClientCaps::default()
        };
    });
    for request in [read("a"), write("a", ""), create("true")] {
        let outcome = host.serve(request).await;
        assert_eq!(error_code(&outcome), code::METHOD_NOT_FOUND);
    }
}

// V1-CAN-07, V1-CAN-10
#[tokio::test]
async fn a_withdrawn_wait_is_answered_and_the_command_goes_on() {
    let host = fixture();
    let terminal = host.terminal("sleep 300").await;
    let key = host.key();
    let request = HostRequest::TerminalWaitForExit(terminal.clone());
    let waiting = tokio::spawn(host.host.serve(key, request, Consent::None));
    host.host.cancel(key);
    assert_eq!(error_code(&waiting.await.unwrap()), code::CANCELLED);
    assert_eq!(host.host.terminals.running(), [terminal.terminal]);
    // Finished and unknown ones are ignored.
    host.host.cancel(key);
    host.host.cancel(host.key());
    host.host.shutdown().await;
    assert!(host.host.terminals.running().is_empty());
}

// V1-CAN-10
#[tokio::test]
async fn a_withdrawn_request_in_line_is_answered() {
    let host = fixture();
    let first = host.host.serve(host.key(), write("f", "1"), Consent::None);
    let key = host.key();
    let second = host.host.serve(key, write("f", "2"), Consent::None);
    host.host.cancel(key);
    assert_eq!(error_code(&second.await), code::CANCELLED);
    assert_eq!(first.await, ServeOutcome::Reply(HostReply::Done));
    assert_eq!(host.serve(read("f")).await, content("1"));
}

#[tokio::test]
async fn requests_on_one_terminal_keep_their_order() {
    let host = fixture();
    let terminal = host.terminal("echo x").await;
    let wait = HostRequest::TerminalWaitForExit(terminal.clone());
    host.serve(wait.clone()).await;
    let wait = host.host.serve(host.key(), wait, Consent::None);
    let output = host.host.serve(
        host.key(),
        HostRequest::TerminalOutput(terminal.clone()),
        Consent::None,
    );
    let release = host.host.serve(
        host.key(),
        HostRequest::TerminalRelease(terminal.clone()),
        Consent::None,
    );
    assert_eq!(release.await, ServeOutcome::Reply(HostReply::Done));
    let ServeOutcome::Reply(HostReply::TerminalOutput(snapshot)) = output.await else {
        panic!("no output");
    };
    assert_eq!(snapshot.output, "x\n");
    let exit = tokio::time::timeout(Duration::from_secs(30), wait)
        .await
        .unwrap();
    assert!(
        matches!(exit, ServeOutcome::Reply(HostReply::TerminalExit(_))),
        "{exit:?}"
    );
    let gone = host.serve(HostRequest::TerminalKill(terminal)).await;
    assert_eq!(error_code(&gone), code::NOT_FOUND);
}

// V1-TERM-19
#[tokio::test]
async fn terminal_ask_asks() {
    let host = fixture_with(|config| config.ask_terminal = true);
    let key = host.key();
    let outcome = host.host.serve(key, create("true"), Consent::None).await;
    let ServeOutcome::AskTerminal { shell, outside, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert!(!shell && !outside);
    let outcome = host.host.serve(key, create("true"), Consent::Once).await;
    assert!(matches!(
        outcome,
        ServeOutcome::Reply(HostReply::TerminalCreated(_))
    ));
}

#[tokio::test]
async fn consent_is_for_what_was_shown() {
    let host = fixture_with(|config| config.ask_terminal = true);
    let key = host.key();
    let asks = |outcome: ServeOutcome| match outcome {
        ServeOutcome::AskTerminal { shell, .. } => shell,
        other => panic!("{other:?}"),
    };
    // A program by that name; then it is gone, and the same words are a line for a shell.
    let program = host.path("ws/touch PWNED");
    std::fs::write(&program, "").unwrap();
    let request = || create("touch PWNED");
    assert!(!asks(host.host.serve(key, request(), Consent::None).await));
    std::fs::remove_file(&program).unwrap();
    assert!(asks(host.host.serve(key, request(), Consent::Once).await));
    assert!(!host.path("ws/PWNED").exists());
    // And where nothing was asked, no consent counts.
    let other = host.key();
    assert!(asks(host.host.serve(other, request(), Consent::Once).await));
}

fn ask_rule(path: Option<&str>, command: Option<&str>) -> Rule {
    Rule {
        kind: None,
        tool: None,
        path: path.map(str::to_owned),
        command: command.map(str::to_owned),
        decision: Decision::Ask,
        label: "ask rule".into(),
    }
}

#[tokio::test]
async fn ask_rules_ask_about_files_and_commands() {
    let host = fixture_with(|config| {
        config.rules = vec![
            ask_rule(Some("locked/**"), None),
            ask_rule(None, Some("touch")),
        ];
    });
    std::fs::create_dir(host.path("ws/locked")).unwrap();
    let serve = async |key, request, consent| host.host.serve(key, request, consent).await;

    let key = host.key();
    let outcome = serve(key, write("locked/a", "x"), Consent::None).await;
    assert_eq!(
        outcome,
        ServeOutcome::AskFile {
            resolved: host.path("ws/locked/a"),
            write: true,
            reason: "ask rule".into(),
        }
    );
    assert!(!host.path("ws/locked/a").exists());
    let done = ServeOutcome::Reply(HostReply::Done);
    assert_eq!(
        serve(key, write("locked/a", "x"), Consent::Once).await,
        done
    );
    // Once is once; a folder is for the session.
    let key = host.key();
    let asks = |outcome: &ServeOutcome| matches!(outcome, ServeOutcome::AskFile { .. });
    assert!(asks(&serve(key, read("locked/a"), Consent::None).await));
    assert_eq!(
        serve(key, read("locked/a"), Consent::Folder).await,
        content("x")
    );
    assert_eq!(host.serve(read("locked/a")).await, content("x"));
    assert!(asks(&host.serve(write("locked/b", "")).await));
    assert_eq!(host.serve(write("a", "")).await, done);

    let outcome = host.serve(create("touch PWNED")).await;
    let ServeOutcome::AskTerminal { reason, .. } = &outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(reason.as_str(), "ask rule");
    assert!(!host.path("ws/PWNED").exists());
}

// What must be asked about is not told of by the side.
#[tokio::test]
async fn looks_say_nothing_of_what_a_rule_wants_asked_about() {
    let host = fixture_with(|config| config.rules = vec![ask_rule(Some("a"), None)]);
    std::fs::write(host.path("ws/a"), "").unwrap();
    let stat = |exists| {
        ServeOutcome::Reply(HostReply::Looked(Looked::Stat {
            exists,
            is_directory: false,
        }))
    };
    assert_eq!(host.serve(look("a", LookAt::Stat)).await, stat(false));
}

// V1-PERM-06
#[tokio::test]
async fn policy_is_asked_off_the_callers_thread() {
    let host = fixture();
    let verdict = host.host.decide(Subject::default(), Vec::new()).await;
    assert_eq!(verdict, Verdict::ask(None));
}

// D-40
#[tokio::test]
async fn a_search_names_nothing_that_must_not_be_read() {
    let f = fixture_with(|config| {
        config.rules = vec![Rule {
            kind: None,
            tool: None,
            path: Some("**/.env*".to_owned()),
            command: None,
            decision: Decision::Deny,
            label: "rule".into(),
        }];
    });
    for name in ["ws/a", "ws/.env", "out/b"] {
        std::fs::write(f.dir.path().join(name), "").unwrap();
    }
    std::os::unix::fs::symlink(f.dir.path().join("out/b"), f.dir.path().join("ws/b")).unwrap();
    let found = f.serve(look("**", LookAt::Glob)).await;
    let ServeOutcome::Reply(HostReply::Looked(Looked::Matches(found))) = found else {
        panic!("{found:?}");
    };
    let names: Vec<_> = found
        .iter()
        .filter_map(|path| path.rsplit('/').next())
        .collect();
    assert_eq!(names, ["a"]);
}
