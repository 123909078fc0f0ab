use super::*;
use crate::{
    model::{ExitStatus, LoginProgram, TerminalId},
    session::SignInStep,
};

fn methods() -> Vec<AuthMethod> {
    let terminal = AuthMethodKind::Terminal {
        args: vec!["login".to_owned()],
        env: Vec::new(),
    };
    let program = LoginProgram {
        command: "/bin/theirs".to_owned(),
        args: vec!["login".to_owned()],
        env: vec![("A".to_owned(), "b c".to_owned())],
    };
    vec![
        sign_in_method("tty", terminal),
        sign_in_method("older", AuthMethodKind::Program(Some(program))),
    ]
}

fn wants_sign_in(login: Option<&'static str>) -> Play {
    let (mut play, _) = Play::start(SessionConfig {
        login: login.map(Into::into),
        ..config()
    });
    play.connect();
    initialize(&mut play);
    play.reply(
        CallTag::NewSession,
        failed(-32000, "Authentication required"),
    );
    play
}

fn initialize(play: &mut Play) -> Vec<Effect> {
    play.initialized(Initialized {
        auth_methods: methods(),
        ..hello(reopening())
    })
}

fn choose(play: &mut Play, method: &str) -> Vec<String> {
    wire(&play.event(Event::Authenticate {
        method: method.to_owned(),
    }))
}

fn terminal() -> TerminalId {
    TerminalId::new("login-1")
}

fn starts(play: &mut Play) {
    play.event(Event::LoginStarted {
        terminal: terminal(),
        command: "demo login".into(),
        cwd: "/project".into(),
    });
    assert_eq!(play.session.login_terminal(), Some(&terminal()));
}

fn ends(play: &mut Play, code: Option<i64>, signal: Option<&str>) -> Vec<String> {
    wire(&play.event(Event::LoginEnded {
        terminal: terminal(),
        status: ExitStatus {
            code,
            signal: signal.map(str::to_owned),
        },
    }))
}

fn error(play: &Play) -> &str {
    match &play.session.phase {
        Phase::SignIn {
            step: SignInStep::Choosing,
            error: Some(error),
        } => error,
        phase => panic!("{phase:?}"),
    }
}

// V1-AUTH-03, V1-AUTH-04
#[test]
fn after_exit_0_a_new_process_opens_the_session() {
    let mut play = wants_sign_in(None);
    assert_eq!(choose(&mut play, "tty"), ["run agent login"]);
    assert!(choose(&mut play, "tty").is_empty(), "once");
    starts(&mut play);
    play.event(Event::Submit(prompt("waits")));
    assert_eq!(ends(&mut play, Some(0), None), ["stop", "spawn"]);
    assert!(
        play.session.terminals.is_empty(),
        "its screen may hold secrets"
    );
    assert_eq!(wire(&play.connect()), ["initialize"]);
    assert_eq!(wire(&initialize(&mut play)), ["new"]);
    let effects = play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(wire(&effects), ["prompt waits"]);
}

// V1-AUTH-04
#[test]
fn all_other_ends_are_failures_that_leave_the_connection() {
    for (code, signal, said) in [
        (Some(1), None, "the sign-in program ended with exit code 1"),
        (
            None,
            Some("SIGKILL"),
            "the sign-in program ended by SIGKILL",
        ),
        (
            None,
            None,
            "the sign-in program ended for an unknown reason",
        ),
    ] {
        let mut play = wants_sign_in(None);
        choose(&mut play, "tty");
        starts(&mut play);
        assert!(ends(&mut play, code, signal).is_empty());
        assert_eq!(error(&play), said);
        let info = &play.session.terminals[&terminal()];
        assert!(info.exit.is_some(), "what it said can be read");
        assert_eq!(choose(&mut play, "tty"), ["run agent login"], "again");
    }
}

#[test]
fn esc_ends_the_program() {
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    assert_eq!(wire(&play.event(Event::Stop)), ["end program"]);
    assert_eq!(error(&play), "sign-in cancelled");
    choose(&mut play, "tty");
    starts(&mut play);
    assert_eq!(wire(&play.event(Event::Stop)), ["end program"]);
    assert!(ends(&mut play, Some(0), None).is_empty(), "too late");
    assert_eq!(error(&play), "sign-in cancelled");
}

#[test]
fn a_program_that_cannot_be_started_is_said() {
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    play.event(Event::LoginFailed {
        error: "no such program".into(),
    });
    assert_eq!(error(&play), "no such program");
}

// V1-AUTH-05
#[test]
fn the_agents_program_runs_only_where_the_profile_has_none() {
    let mut play = wants_sign_in(None);
    assert_eq!(
        choose(&mut play, "older"),
        ["run A='b c' /bin/theirs login"]
    );
    let mut play = wants_sign_in(Some("mine login"));
    assert_eq!(choose(&mut play, "older"), ["run profile"]);
}

// D-22
#[test]
fn the_profiles_command_can_be_run_beside_what_the_agent_offers() {
    let mut play = wants_sign_in(Some("mine login"));
    assert_eq!(wire(&play.event(Event::LogInByProfile)), ["run profile"]);
    let mut play = wants_sign_in(None);
    assert!(wire(&play.event(Event::LogInByProfile)).is_empty());
}

// V1-AUTH-08
#[test]
fn a_refused_prompt_is_sent_in_the_session_of_the_new_process() {
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    starts(&mut play);
    ends(&mut play, Some(0), None);
    play.connect();
    initialize(&mut play);
    play.reply(CallTag::NewSession, session_named("s"));
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Submit(prompt("later")));
    play.fails(RpcError::new(-32000, "the token has expired"));
    choose(&mut play, "tty");
    starts(&mut play);
    assert_eq!(ends(&mut play, Some(0), None), ["stop", "spawn"]);
    let unsent = play.session.unsent().map(|prompt| prompt.text.as_str());
    assert_eq!(unsent.collect::<Vec<_>>(), ["go", "later"]);
    play.connect();
    assert_eq!(wire(&initialize(&mut play)), ["resume s"]);
    let tag = CallTag::ResumeSession { id: id("s") };
    assert_eq!(wire(&play.reply(tag, nothing_opened())), ["prompt go"]);
    let shown = play.said();
    let shown = shown.iter().filter(|line| *line == "user: go");
    assert_eq!(shown.count(), 1);
    // A second refusal ends there.
    play.fails(RpcError::new(-32000, "the token has expired"));
    assert_eq!(play.session.phase, Phase::Ready);
    assert_eq!(play.queued(), ["go", "later"]);
}

#[test]
fn an_agent_that_still_refuses_after_the_program_is_not_signed_in_to_again_by_itself() {
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    starts(&mut play);
    ends(&mut play, Some(0), None);
    play.connect();
    initialize(&mut play);
    let effects = play.reply(
        CallTag::NewSession,
        failed(-32000, "Authentication required"),
    );
    assert!(wire(&effects).is_empty());
    assert!(error(&play).starts_with("signed in, but the agent still refuses"));
}

#[test]
fn the_program_goes_on_when_the_agent_ends() {
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    starts(&mut play);
    play.exits(AgentExit::default());
    assert_eq!(play.session.login_terminal(), Some(&terminal()));
    assert_eq!(ends(&mut play, Some(0), None), ["spawn"]);
    // Without success there is no agent to go back to.
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    starts(&mut play);
    play.exits(AgentExit::default());
    ends(&mut play, Some(1), None);
    assert!(matches!(play.session.phase, Phase::Failed { .. }));
}

#[test]
fn starting_the_agent_again_ends_the_program() {
    let mut play = wants_sign_in(None);
    choose(&mut play, "tty");
    starts(&mut play);
    assert_eq!(
        wire(&play.event(Event::Restart)),
        ["stop", "end program", "spawn"]
    );
}

// V1-AUTH-08.
/// The person signs in before the agent has said to a change of the mode that it wants that.
#[test]
fn a_refusal_while_the_program_runs_waits_for_its_end() {
    let (mut play, _) = Play::start(config());
    play.connect();
    initialize(&mut play);
    let modes = options::modes("ask", &["ask", "plan"]);
    play.reply(
        CallTag::NewSession,
        options::opened(Some(modes), Vec::new()),
    );
    play.event(Event::CycleMode);
    play.event(Event::WantSignIn);
    choose(&mut play, "tty");
    let refused = failed(-32000, "Authentication required");
    play.reply(options::set_mode("plan"), refused);
    let program = |play: &Play| {
        matches!(
            &play.session.phase,
            Phase::SignIn {
                step: SignInStep::Program(_),
                ..
            }
        )
    };
    assert!(program(&play), "{:?}", play.session.phase);
    // The agent's end is not the program's either, and no prompt is lost to it.
    play.exits(AgentExit::default());
    assert!(program(&play));
    play.event(Event::Stop);
    play.event(Event::Submit(prompt("go")));
    assert_eq!(play.queued(), ["go"]);
}
