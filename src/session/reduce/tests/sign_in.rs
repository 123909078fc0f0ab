use super::*;
use crate::session::{Listing, SignInStep};

fn choosing(error: Option<&'static str>) -> Phase {
    Phase::SignIn {
        step: SignInStep::Choosing,
        error: error.map(Into::into),
    }
}

fn auth_required() -> CallResult {
    failed(-32000, "Authentication required")
}

fn with_methods() -> Initialized {
    Initialized {
        auth_methods: vec![
            sign_in_method("badge", AuthMethodKind::Agent),
            sign_in_method("by-hand", AuthMethodKind::Program(None)),
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

// V1-AUTH-08, V1-ERR-07
#[test]
fn a_refused_session_leads_through_sign_in_to_a_session() {
    let mut play = with_ways();
    assert!(wire(&play.reply(CallTag::NewSession, auth_required())).is_empty());
    assert_eq!(play.session.phase, choosing(None));
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
            step: SignInStep::Choosing,
            error: Some(error),
        } = &play.session.phase
        else {
            panic!("{:?}", play.session.phase)
        };
        assert!(error.contains("still refuses: Authentication required"));
    }
}

// V1-AUTH-02, V1-AUTH-03, V1-AUTH-06, V1-AUTH-07
#[test]
fn only_ways_meant_for_it_go_to_authenticate() {
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
                step: SignInStep::Choosing,
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
    assert_eq!(play.session.phase, choosing(Some("badge not known")));
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

// D-15
#[test]
fn a_server_error_of_the_same_code_is_just_an_error() {
    let mut play = Play::running();
    play.fails(RpcError::new(-32000, "Server error: out of disk"));
    assert_eq!(play.session.phase, Phase::Ready);
    assert!(play.said_last().contains("out of disk"));
}

/// With a session open, and ways to sign in.
fn ready(caps: AgentCaps) -> Play {
    let (mut play, _) = Play::start(config());
    play.connect();
    play.initialized(Initialized {
        caps,
        ..with_methods()
    });
    play.reply(CallTag::NewSession, session_named("s"));
    play
}

// V1-AUTH-08
#[test]
fn a_prompt_refused_again_after_a_sign_in_ends_there_and_is_kept() {
    let mut play = ready(AgentCaps::default());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Submit(prompt("later")));
    play.fails(RpcError::new(-32000, "please log in"));
    play.event(authenticate("badge"));
    assert_eq!(wire(&done(&mut play)), ["prompt go"]);
    let effects = play.fails(RpcError::new(-32000, "please log in"));
    assert!(wire(&effects).is_empty(), "no loop");
    assert_eq!(play.session.phase, Phase::Ready);
    assert!(play.mentions("signed in, but the agent still refuses"));
    assert_eq!(play.queued(), ["go", "later"]);
    assert!(play.session.queue_held);
    // The person's next try is a new one.
    play.event(Event::SendQueued);
    play.fails(RpcError::new(-32000, "please log in"));
    assert_eq!(play.session.phase, choosing(None));
}

// V1-AUTH-08
#[test]
fn a_mode_that_is_refused_is_set_after_a_sign_in() {
    let mut play = ready(AgentCaps::default());
    let mode = |name: &str| crate::model::SessionMode {
        id: crate::model::ModeId::new(name),
        name: SafeText::new(name),
        description: None,
    };
    play.event(Event::Restart);
    play.connect();
    play.initialized(with_methods());
    play.reply(
        CallTag::NewSession,
        CallResult::SessionOpened(Box::new(SessionOpened {
            id: Some(id("s")),
            modes: Some(crate::model::ModeState {
                current: crate::model::ModeId::new("ask"),
                available: vec![mode("ask"), mode("code")],
            }),
            config_options: Vec::new(),
            commands: Vec::new(),
        })),
    );
    assert_eq!(wire(&play.event(Event::CycleMode)), ["mode code"]);
    let tag = CallTag::SetMode {
        session: id("s"),
        mode: crate::model::ModeId::new("code"),
    };
    play.reply(tag, auth_required());
    assert_eq!(play.session.phase, choosing(None));
    play.event(authenticate("badge"));
    assert_eq!(wire(&done(&mut play)), ["mode code"]);
}

// V1-AUTH-09, V1-CAN-09
#[test]
fn a_slow_authenticate_is_given_up_once_and_waited_for() {
    let mut play = with_ways();
    play.reply(CallTag::NewSession, auth_required());
    play.event(authenticate("badge"));
    let tag = || CallTag::Authenticate {
        method: "badge".to_owned(),
    };
    assert_eq!(
        wire(&play.event(Event::Stop)),
        [format!("give up {:?}", tag())]
    );
    assert!(wire(&play.event(Event::Stop)).is_empty(), "once");
    assert!(
        wire(&play.event(authenticate("badge"))).is_empty(),
        "one at a time"
    );
    play.reply(tag(), failed(-32800, "cancelled"));
    assert_eq!(play.session.phase, choosing(Some("sign-in cancelled")));
    // Whoever was quicker than the cancel is signed in all the same.
    play.event(authenticate("badge"));
    play.event(Event::Stop);
    assert_eq!(wire(&play.reply(tag(), CallResult::Authenticated)), ["new"]);
}

#[test]
fn an_answer_that_comes_after_the_dialog_was_left_changes_nothing() {
    let mut play = ready(AgentCaps::default());
    play.event(Event::WantSignIn);
    play.event(authenticate("badge"));
    play.event(Event::Stop);
    play.event(Event::Stop);
    assert_eq!(play.session.phase, Phase::Ready);
    // Still open: another one has to wait.
    play.event(Event::WantSignIn);
    assert!(wire(&play.event(authenticate("badge"))).is_empty());
    play.event(Event::Stop);
    assert!(wire(&done(&mut play)).is_empty());
    assert_eq!(play.session.phase, Phase::Ready);
}

// V1-AUTH-10
#[test]
fn signing_out_needs_the_capability_and_offers_a_sign_in() {
    let mut play = ready(AgentCaps::default());
    assert!(wire(&play.event(Event::LogOut)).is_empty());
    let mut play = ready(AgentCaps {
        logout: true,
        ..AgentCaps::default()
    });
    assert_eq!(wire(&play.event(Event::LogOut)), ["logout"]);
    play.reply(CallTag::Logout, CallResult::LoggedOut);
    assert!(play.mentions("signed out of Demo"));
    assert_eq!(play.session.phase, choosing(None));
    // It can be left, and what comes then may be refused.
    play.event(Event::Submit(prompt("go")));
    let effects = play.event(Event::Stop);
    assert_eq!(wire(&effects), ["prompt go"]);
    play.fails(RpcError::new(-32000, "signed out"));
    assert_eq!(play.session.phase, choosing(None));
    play.event(authenticate("badge"));
    assert_eq!(wire(&done(&mut play)), ["prompt go"]);
}

#[test]
fn a_refused_sign_out_is_said() {
    let mut play = ready(AgentCaps {
        logout: true,
        ..AgentCaps::default()
    });
    play.event(Event::LogOut);
    play.reply(CallTag::Logout, failed(-32603, "keyring is locked"));
    assert!(play.mentions("keyring is locked"));
    assert_eq!(play.session.phase, Phase::Ready);
}

// V1-AUTH-08
#[test]
fn ways_that_only_the_error_names_are_offered_too() {
    let mut play = with_ways();
    let known = play.session.agent.auth_methods.clone();
    let mut again = sign_in_method("badge", AuthMethodKind::Program(None));
    again.name = "Another badge".into();
    let late = sign_in_method("late", AuthMethodKind::Agent);
    let error = RpcError {
        auth_methods: [again, late.clone()].into(),
        ..RpcError::new(-32000, "Authentication required")
    };
    play.reply(CallTag::NewSession, CallResult::Failed(error));
    let ways = &play.session.agent.auth_methods;
    assert_eq!(ways.len(), known.len() + 1);
    assert_eq!(ways[..known.len()], known);
    assert_eq!(ways.last(), Some(&late));
    assert_eq!(
        wire(&play.event(authenticate("late"))),
        ["authenticate late"]
    );
}

fn keeps_sessions() -> AgentCaps {
    AgentCaps {
        list: true,
        delete: true,
        set_title: true,
        ..AgentCaps::default()
    }
}

// V1-AUTH-08
#[test]
fn what_is_refused_beside_the_conversation_is_asked_once_more_after_a_sign_in() {
    let mut play = ready(keeps_sessions());
    play.event(Event::ListSessions);
    play.event(Event::DeleteSession(id("old")));
    let title = Event::SetTitle {
        of: None,
        title: "parser".to_owned(),
    };
    play.event(title);
    let list = CallTag::ListSessions { first: true };
    let delete = CallTag::DeleteSession { id: id("old") };
    let title = CallTag::SetTitle {
        session: id("s"),
        title: "parser".to_owned(),
    };
    for call in [list.clone(), delete, title] {
        assert!(wire(&play.reply(call, auth_required())).is_empty());
        assert_eq!(play.session.phase, choosing(None));
    }
    play.event(authenticate("badge"));
    let asked = ["list None", "delete old", "title s=parser"];
    assert_eq!(wire(&done(&mut play)), asked);
    // No loop: a second refusal is told.
    play.reply(list, auth_required());
    assert_eq!(play.session.phase, Phase::Ready);
    assert!(matches!(play.session.earlier.state, Listing::Failed(_)));
}

// V1-AUTH-08
#[test]
fn what_is_refused_beside_a_turn_leads_to_a_sign_in_when_that_is_over() {
    let mut play = ready(keeps_sessions());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::ListSessions);
    let list = CallTag::ListSessions { first: true };
    play.reply(list, auth_required());
    assert_eq!(play.session.phase, Phase::Ready);
    play.ends(StopReason::EndTurn);
    assert_eq!(play.session.phase, choosing(None));
    // Left: nothing is asked for behind another sign-in.
    play.event(Event::Stop);
    assert_eq!(play.session.phase, Phase::Ready);
    play.event(Event::WantSignIn);
    play.event(authenticate("badge"));
    assert!(wire(&done(&mut play)).is_empty());
}

#[test]
fn a_list_that_nobody_waits_for_leads_to_no_sign_in() {
    let mut play = ready(keeps_sessions());
    play.event(Event::ListSessions);
    play.event(Event::GiveUpListing);
    let list = CallTag::ListSessions { first: true };
    play.reply(list, auth_required());
    assert_eq!(play.session.phase, Phase::Ready);
}
