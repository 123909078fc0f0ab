use super::*;

fn auth_required() -> CallResult {
    failed(-32000, "Authentication required")
}

fn with_methods() -> Initialized {
    Initialized {
        auth_methods: vec![
            sign_in_method("badge", AuthMethodKind::Agent),
            sign_in_method("by-hand", AuthMethodKind::Terminal { args: Vec::new() }),
            sign_in_method("env", AuthMethodKind::EnvVar { vars: Vec::new() }),
            sign_in_method("odd", AuthMethodKind::Unsupported("quantum".into())),
        ],
        ..hello(AgentCaps::default())
    }
}

fn authenticate(method: &str) -> Event {
    Event::Authenticate {
        method: method.to_owned(),
    }
}

fn done(play: &mut Play) -> Vec<Effect> {
    play.reply(
        CallTag::Authenticate {
            method: "badge".to_owned(),
        },
        CallResult::Authenticated,
    )
}

/// Initialized by an agent with ways to sign in.
fn with_ways() -> Play {
    let (mut play, _) = Play::start(config());
    play.connect();
    assert_eq!(
        wire(&play.initialized(with_methods())),
        ["new"],
        "V1-AUTH-01: a list alone is no reason to sign in"
    );
    play
}

#[test]
fn a_refused_session_leads_through_sign_in_to_a_session_v1_auth_08_v1_err_07_c029() {
    let mut play = with_ways();
    assert!(wire(&play.reply(CallTag::NewSession, auth_required())).is_empty());
    assert_eq!(
        play.session.phase,
        Phase::SignIn {
            running: false,
            error: None
        }
    );
    play.event(Event::Submit(prompt("waits")));
    assert_eq!(
        wire(&play.event(authenticate("badge"))),
        ["authenticate badge"]
    );
    assert!(wire(&play.event(authenticate("badge"))).is_empty(), "once");
    assert_eq!(wire(&done(&mut play)), ["new"]);
    let effects = play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(wire(&effects), ["prompt waits"]);
}

#[test]
fn a_second_refusal_asks_the_person_and_not_the_agent_again() {
    let mut play = with_ways();
    play.reply(CallTag::NewSession, auth_required());
    for _ in 0..3 {
        play.event(authenticate("badge"));
        assert_eq!(wire(&done(&mut play)), ["new"]);
        assert!(wire(&play.reply(CallTag::NewSession, auth_required())).is_empty());
        let Phase::SignIn {
            running: false,
            error: Some(error),
        } = &play.session.phase
        else {
            panic!("{:?}", play.session.phase)
        };
        assert!(error.contains("Authentication required"));
    }
}

#[test]
fn only_ways_meant_for_it_go_to_authenticate_v1_auth_02_v1_auth_03_v1_auth_06_v1_auth_07() {
    let mut play = with_ways();
    play.reply(CallTag::NewSession, auth_required());
    for method in ["by-hand", "env", "odd", "made-up"] {
        assert!(
            wire(&play.event(authenticate(method))).is_empty(),
            "{method}"
        );
        assert!(matches!(
            play.session.phase,
            Phase::SignIn {
                running: false,
                error: Some(_)
            }
        ));
    }
}

#[test]
fn a_sign_in_that_fails_says_why_and_can_be_tried_again() {
    let mut play = with_ways();
    play.reply(CallTag::NewSession, auth_required());
    play.event(authenticate("badge"));
    let tag = CallTag::Authenticate {
        method: "badge".to_owned(),
    };
    play.reply(tag, failed(-32603, "badge not known"));
    let Phase::SignIn { running, error } = &play.session.phase else {
        panic!()
    };
    assert!(!running);
    assert_eq!(error.as_deref(), Some("badge not known"));
    assert_eq!(
        wire(&play.event(authenticate("badge"))),
        ["authenticate badge"]
    );
}

#[test]
fn a_refused_prompt_is_sent_once_more_after_a_sign_in() {
    let mut play = with_ways();
    play.reply(CallTag::NewSession, session_named("s"));
    play.event(Event::Submit(prompt("go")));
    play.fails(RpcError::new(-32000, "please log in"));
    assert!(play.session.turn.is_none());
    play.event(authenticate("badge"));
    assert_eq!(wire(&done(&mut play)), ["prompt go"]);
    assert!(play.session.turn.is_some());
    let shown = play
        .said()
        .iter()
        .filter(|line| *line == "user: go")
        .count();
    assert_eq!(shown, 1);
}

#[test]
fn leaving_the_sign_in_of_a_prompt_keeps_the_prompt() {
    let mut play = with_ways();
    play.reply(CallTag::NewSession, session_named("s"));
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Submit(prompt("later")));
    play.fails(RpcError::new(-32000, "please log in"));
    let unsent = play.session.unsent().map(|prompt| prompt.text.as_str());
    assert_eq!(unsent.collect::<Vec<_>>(), ["go", "later"]);
    play.event(Event::Stop);
    assert_eq!(play.session.phase, Phase::Ready);
    assert_eq!(play.queued(), ["go", "later"]);
    assert!(play.session.queue_held);
    assert_eq!(wire(&play.event(Event::SendQueued)), ["prompt go"]);
}

#[test]
fn a_server_error_of_the_same_code_is_just_an_error_d_15() {
    let mut play = Play::running();
    play.fails(RpcError::new(-32000, "Server error: out of disk"));
    assert_eq!(play.session.phase, Phase::Ready);
    assert!(play.said_last().contains("out of disk"));
}
