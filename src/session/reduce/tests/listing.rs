use super::*;
use crate::{
    model::{SessionInfo, SessionPage},
    session::Listing,
};

fn info(id: &str, updated: Option<i64>) -> SessionInfo {
    SessionInfo {
        id: SessionId::new(id),
        title: None,
        cwd: None,
        updated,
        additional_directories: Vec::new(),
    }
}

fn page(sessions: Vec<SessionInfo>, next: Option<&str>) -> CallResult {
    CallResult::SessionsListed(SessionPage {
        sessions,
        next: next.map(str::to_owned),
    })
}

fn capable() -> Play {
    Play::open_with(AgentCaps {
        list: true,
        delete: true,
        ..AgentCaps::default()
    })
}

fn listed(play: &Play) -> Vec<&str> {
    let earlier = play.session.earlier.sessions.iter();
    earlier.map(|info| info.id.as_str()).collect()
}

// V1-SES-12, V1-SES-13
#[test]
fn pages_are_followed_until_there_is_no_cursor() {
    let mut play = capable();
    let first = CallTag::ListSessions { first: true };
    let next = CallTag::ListSessions { first: false };
    assert_eq!(wire(&play.event(Event::ListSessions)), ["list None"]);
    // Not twice at once.
    assert!(play.event(Event::ListSessions).is_empty());
    let effects = play.reply(
        first,
        page(vec![info("old", Some(1)), info("?", None)], Some("")),
    );
    assert_eq!(wire(&effects), ["list Some(\"\")"]);
    let effects = play.reply(next.clone(), page(vec![info("new", Some(3))], Some("c")));
    assert_eq!(wire(&effects), ["list Some(\"c\")"]);
    let effects = play.reply(
        next,
        page(vec![info("old", Some(1)), info("mid", Some(2))], None),
    );
    assert!(effects.is_empty());
    // The latest first, what tells no time last, nothing twice.
    assert_eq!(listed(&play), ["new", "mid", "old", "?"]);
    assert_eq!(play.session.earlier.state, Listing::Done { cut: false });
}

#[test]
fn an_agent_that_never_ends_its_list_is_not_asked_for_ever() {
    let mut play = capable();
    let mut effects = play.event(Event::ListSessions);
    let mut asked = 0;
    while !effects.is_empty() {
        asked += 1;
        let call = CallTag::ListSessions { first: asked == 1 };
        effects = play.reply(call, page(vec![info("same", None)], Some("again")));
    }
    assert!(asked <= 200, "{asked}");
    assert_eq!(play.session.earlier.state, Listing::Done { cut: true });
}

// V1-SES-12, V1-SES-14, V1-INIT-20
#[test]
fn without_the_capability_nothing_is_listed_or_deleted() {
    let mut play = Play::open();
    assert!(play.event(Event::ListSessions).is_empty());
    assert!(play.event(Event::DeleteSession(id("old"))).is_empty());
}

// V1-ERR-03
#[test]
fn a_method_that_is_not_there_is_not_asked_for_again() {
    let mut play = capable();
    play.event(Event::ListSessions);
    let call = CallTag::ListSessions { first: true };
    play.reply(call, failed(-32601, "no such method"));
    assert!(matches!(play.session.earlier.state, Listing::Failed(_)));
    assert!(play.event(Event::ListSessions).is_empty());
}

// V1-SES-14
#[test]
fn a_deleted_session_goes_when_the_agent_has_deleted_it() {
    let mut play = capable();
    play.event(Event::ListSessions);
    let call = CallTag::ListSessions { first: true };
    play.reply(call, page(vec![info("a", None), info("b", None)], None));
    let delete = |id: &str| CallTag::DeleteSession {
        id: SessionId::new(id),
    };
    assert_eq!(
        wire(&play.event(Event::DeleteSession(id("a")))),
        ["delete a"]
    );
    let effects = play.reply(delete("a"), failed(-32603, "busy"));
    let dropped = |effects: &[Effect]| effects.contains(&Effect::SessionDeleted(id("a")));
    assert!(!dropped(&effects), "what is stored goes only on success");
    assert_eq!(listed(&play), ["a", "b"]);
    play.event(Event::DeleteSession(id("a")));
    let effects = play.reply(delete("a"), CallResult::SessionDeleted);
    assert!(dropped(&effects));
    assert_eq!(listed(&play), ["b"]);
    // The one that is open is closed first.
    assert!(play.event(Event::DeleteSession(id("s"))).is_empty());
}

fn fork() -> SessionConfig {
    SessionConfig {
        start: Start::Fork(id("old").into()),
        ..config()
    }
}

// V1-SES-16
#[test]
fn a_fork_is_a_session_of_its_own() {
    let caps = AgentCaps {
        fork: true,
        ..AgentCaps::default()
    };
    let (mut play, effects) = Play::opening(fork(), caps);
    assert_eq!(wire(&effects), ["fork old"]);
    play.reply(CallTag::ForkSession { id: id("old") }, session_named("new"));
    assert_eq!(play.session.id, Some(id("new")));
    assert_eq!(play.session.phase, Phase::Ready);
}

#[test]
fn where_nothing_can_be_forked_a_new_session_is_opened_and_that_is_said() {
    let (play, effects) = Play::opening(fork(), AgentCaps::default());
    assert_eq!(wire(&effects), ["new"]);
    assert!(play.mentions("cannot fork a session"));
    let caps = AgentCaps {
        fork: true,
        ..AgentCaps::default()
    };
    let (mut play, _) = Play::opening(fork(), caps);
    let effects = play.reply(CallTag::ForkSession { id: id("old") }, failed(-32603, "no"));
    assert_eq!(wire(&effects), ["new"]);
    assert!(play.mentions("could not be forked"));
}

fn given_up(first: bool) -> String {
    format!("give up {:?}", CallTag::ListSessions { first })
}

// V1-CAN-09, V1-ERR-06
#[test]
fn a_list_that_nobody_waits_for_is_given_up_and_can_be_asked_for_anew() {
    let mut play = capable();
    let call = || CallTag::ListSessions { first: true };
    assert!(play.event(Event::GiveUpListing).is_empty(), "none is open");
    play.event(Event::ListSessions);
    assert_eq!(wire(&play.event(Event::GiveUpListing)), [given_up(true)]);
    assert_eq!(play.session.earlier.state, Listing::NotAsked);
    assert!(play.event(Event::GiveUpListing).is_empty(), "once");
    assert_eq!(wire(&play.event(Event::ListSessions)), ["list None"]);
    // The answer to the first one is none to the second.
    play.reply(call(), failed(-32800, "cancelled"));
    assert_eq!(play.session.earlier.state, Listing::Asking);
    play.reply(call(), page(vec![info("a", None)], Some("c")));
    assert_eq!(wire(&play.event(Event::GiveUpListing)), [given_up(false)]);
    // What came before it stays; what comes late does not matter.
    play.reply(
        CallTag::ListSessions { first: false },
        page(vec![info("late", None)], None),
    );
    assert_eq!(listed(&play), ["a"]);
    assert_eq!(play.session.earlier.state, Listing::NotAsked);
}

// V1-CAN-09
#[test]
fn an_agent_that_never_answers_keeps_no_list_waiting() {
    let mut play = capable();
    play.event(Event::ListSessions);
    play.wait(Duration::from_secs(19));
    assert_eq!(play.session.earlier.state, Listing::Asking);
    let effects = play.wait(Duration::from_secs(1));
    assert_eq!(wire(&effects), [given_up(true)]);
    let failed = Listing::Failed("no answer within 20 s".into());
    assert_eq!(play.session.earlier.state, failed);
    assert_eq!(play.session.deadline(), None, "an idle session has none");
    assert_eq!(wire(&play.event(Event::ListSessions)), ["list None"]);
}

#[test]
fn an_agent_that_dies_keeps_no_list_waiting() {
    let mut play = capable();
    play.event(Event::ListSessions);
    play.event(Event::Exited(play.connection, AgentExit::default()));
    assert_eq!(play.session.earlier.state, Listing::NotAsked);
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(AgentCaps {
        list: true,
        ..AgentCaps::default()
    }));
    play.reply(CallTag::NewSession, session_named("t"));
    assert_eq!(wire(&play.event(Event::ListSessions)), ["list None"]);
}
