//! Signing in.

use super::*;

fn method(id: &str, name: &'static str, kind: AuthMethodKind) -> AuthMethod {
    AuthMethod {
        id: id.into(),
        name: name.into(),
        description: Some("a way in".into()),
        kind,
    }
}

pub(super) fn sign_in() -> Screen {
    let mut bench = Bench::starting();
    bench.handshake(vec![
        method(
            "term",
            "Log in by hand",
            AuthMethodKind::Terminal {
                args: vec!["auth".into(), "log in".into()],
                env: vec![("A".into(), "1".into())],
            },
        ),
        method(
            "own",
            "Log in with its own program",
            AuthMethodKind::Program(None),
        ),
        method("oauth", "Log in with a browser", AuthMethodKind::Agent),
        method(
            "key",
            "API key",
            AuthMethodKind::EnvVar {
                vars: vec!["OPENAI_API_KEY".into()],
            },
        ),
        method(
            "q",
            "Quantum",
            AuthMethodKind::Unsupported("quantum".into()),
        ),
    ]);
    bench.wants_sign_in();
    Screen::new(bench)
}

/// Its one way is what the agent does by itself.
fn asks_alone() -> Screen {
    let mut bench = Bench::starting();
    bench.handshake(vec![method("badge", "Badge scan", AuthMethodKind::Agent)]);
    bench.wants_sign_in();
    Screen::new(bench)
}

fn authenticates(commands: &[UiCommand], by: &str) -> bool {
    matches!(
        commands,
        [UiCommand::Session(Event::Authenticate { method })] if method == by
    )
}

/// V1-AUTH-01
#[test]
fn each_way_says_what_it_does() {
    let mut screen = sign_in();
    screen.settle();
    let picture = screen.draw();
    for text in [
        "wants you to sign in",
        "A=1 opencode auth 'log in'",
        "OPENAI_API_KEY",
        "not supported",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    let commands = screen.press("down down enter");
    assert!(authenticates(&commands, "oauth"));
    screen.apply(commands);
    assert!(screen.draw().contains("signing in"));
}

// V1-AUTH-06, V1-AUTH-07
#[test]
fn what_cannot_be_done_from_here_is_not_tried() {
    for key in [
        "down enter",
        "down down down enter",
        "down down down down enter",
    ] {
        let mut screen = sign_in();
        screen.settle();
        let commands = screen.press(key);
        assert!(commands.is_empty(), "{key}: {commands:?}");
    }
}

#[test]
fn what_the_agent_does_by_itself_waits_for_typing_alone() {
    let mut screen = asks_alone();
    screen.draw();
    assert!(authenticates(&screen.press("enter"), "badge"));
    let mut screen = asks_alone();
    screen.types("hello");
    screen.draw();
    assert!(screen.press("enter").is_empty());
}

#[test]
fn an_enter_meant_for_the_draft_starts_no_program() {
    let mut screen = sign_in();
    screen.draw();
    assert!(screen.press("enter").is_empty());
    screen.settle();
    screen.types("hello");
    assert!(screen.press("enter").is_empty());
    assert_eq!(screen.draft(), "hello");
    screen.settle();
    assert!(
        screen.press("enter").is_empty(),
        "the draft's, however late"
    );
    assert!(screen.status().contains("the draft waits"));
    assert!(authenticates(&screen.press("down up enter"), "term"));
}

pub(super) fn named_by_the_agent(command: &str) -> Screen {
    let mut bench = Bench::starting();
    let program = crate::model::LoginProgram {
        command: command.into(),
        args: vec!["login".into()],
        env: vec![("A".into(), "b c".into())],
    };
    bench.handshake(vec![method(
        "own",
        "Log in",
        AuthMethodKind::Program(Some(program)),
    )]);
    bench.wants_sign_in();
    Screen::new(bench)
}

/// V1-AUTH-05
#[test]
fn a_program_that_the_agent_names_is_shown_whole_and_runs_after_a_second_yes() {
    let mut screen = named_by_the_agent("/bin/theirs");
    screen.settle();
    assert!(screen.press("enter").is_empty());
    let picture = screen.draw();
    for text in [
        "Run this program to sign in?",
        "not from your configuration",
        "A='b c' /bin/theirs login",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    assert!(screen.press("enter").is_empty(), "an enter too many");
    screen.bench.wait(400);
    assert!(authenticates(&screen.press("enter"), "own"));

    let mut screen = named_by_the_agent("/bin/theirs");
    screen.settle();
    screen.press("enter");
    screen.bench.wait(400);
    assert!(screen.press("esc").is_empty(), "back to the ways");
    assert!(screen.draw().contains("wants you to sign in"));
}

/// V1-AUTH-05
#[test]
fn a_long_program_is_read_to_its_end_before_it_runs() {
    let long = format!("/bin/{}", "x".repeat(900));
    let mut screen = named_by_the_agent(&long).sized(60, 14);
    screen.settle();
    screen.press("enter");
    screen.bench.wait(400);
    assert!(screen.press("enter").is_empty(), "scrolls");
    screen.draw();
    for _ in 0..10 {
        screen.press("ctrl-down");
    }
    assert!(screen.draw().contains("login"));
    for _ in 0..20 {
        screen.press("ctrl-down");
    }
    assert!(authenticates(&screen.press("enter"), "own"));
}

#[test]
fn the_profiles_own_command_is_a_way_too_d_22() {
    let mut bench = Bench::starting();
    bench.session.config.login = Some("opencode auth login".into());
    bench.handshake(vec![method(
        "oauth",
        "In the browser",
        AuthMethodKind::Agent,
    )]);
    bench.wants_sign_in();
    let mut screen = Screen::new(bench);
    screen.settle();
    assert!(screen.draw().contains("opencode auth login"));
    let commands = screen.press("down enter");
    assert!(matches!(
        &commands[..],
        [UiCommand::Session(Event::LogInByProfile)]
    ));
}

/// V1-AUTH-03
#[test]
fn the_programs_screen_comes_up_and_goes_by_itself() {
    let mut screen = sign_in();
    screen.settle();
    let commands = screen.press("enter");
    screen.apply(commands);
    let id = crate::model::TerminalId::new("login-1");
    screen.bench.event(Event::LoginStarted {
        terminal: id.clone(),
        command: "opencode auth 'log in'".into(),
        cwd: "/".into(),
    });
    assert!(screen.draw().contains("attached"));
    let commands = screen.press("x");
    assert!(commands.iter().any(|command| matches!(
        command,
        UiCommand::TerminalInput { bytes, .. } if bytes == b"x"
    )));
    // Back to the dialog, and there again.
    screen.press("ctrl-]");
    assert!(screen.draw().contains("the sign-in program is running"));
    screen.press("enter");
    assert!(screen.draw().contains("attached"));
    screen.bench.event(Event::LoginEnded {
        terminal: id,
        status: crate::model::ExitStatus {
            code: Some(0),
            signal: None,
        },
    });
    let picture = screen.draw();
    assert!(!picture.contains("attached"), "{picture}");
    assert!(picture.contains("signed in"), "{picture}");
}

/// V1-AUTH-04
#[test]
fn what_a_failed_program_said_stays_to_be_read() {
    let mut screen = sign_in();
    screen.settle();
    let commands = screen.press("enter");
    screen.apply(commands);
    let id = crate::model::TerminalId::new("login-1");
    screen.bench.event(Event::LoginStarted {
        terminal: id.clone(),
        command: "opencode auth 'log in'".into(),
        cwd: "/".into(),
    });
    screen.draw();
    screen.bench.event(Event::LoginEnded {
        terminal: id,
        status: crate::model::ExitStatus {
            code: Some(1),
            signal: None,
        },
    });
    assert!(screen.draw().contains("exit 1"));
    screen.press("q");
    let picture = screen.draw();
    assert!(picture.contains("ended with exit code 1"), "{picture}");
    assert!(picture.contains("wants you to sign in"), "{picture}");
}

/// V1-AUTH-10
#[test]
fn signing_out_is_offered_only_where_the_agent_can() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-p");
    screen.types("sign-out");
    assert!(!screen.draw().contains("Sign out of the agent"));
    screen.press("esc");
    std::sync::Arc::make_mut(&mut screen.bench.session.agent)
        .caps
        .logout = true;
    screen.press("ctrl-p");
    screen.types("sign-out");
    assert!(screen.draw().contains("Sign out of the agent"));
    let commands = screen.press("enter");
    assert!(matches!(&commands[..], [UiCommand::Session(Event::LogOut)]));
}

#[test]
fn a_failed_sign_in_says_why() {
    let mut screen = sign_in();
    screen.settle();
    let commands = screen.press("down down enter");
    screen.apply(commands);
    screen.bench.says(crate::model::FromAgent::Reply {
        caller: crate::model::SessionKey::default(),
        call: CallTag::Authenticate {
            method: "oauth".into(),
        },
        result: CallResult::Failed(crate::model::RpcError::new(-32603, "no browser found")),
    });
    assert!(screen.draw().contains("no browser found"));
}
