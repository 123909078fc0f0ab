use super::*;
use crate::model::{Patch, SessionInfo, SessionInfoPatch, SessionPage};

fn set(of: Option<&str>, title: &str) -> Event {
    Event::SetTitle {
        of: of.map(id),
        title: title.to_owned(),
    }
}

fn told(title: &str) -> AgentEvent {
    AgentEvent::SessionInfo(SessionInfoPatch {
        title: Patch::Set(SafeText::line(title)),
        ..SessionInfoPatch::default()
    })
}

fn keeps_titles() -> Play {
    Play::open_with(AgentCaps {
        set_title: true,
        list: true,
        ..AgentCaps::default()
    })
}

fn title(play: &Play) -> Option<&str> {
    play.session.title.as_deref()
}

// V1-SES-20
#[test]
fn the_title_that_the_agent_answers_is_shown_and_not_the_one_it_was_sent() {
    let mut play = keeps_titles();
    let session = play.session.id.clone().expect("an id");
    let effects = play.event(set(None, "  The parser\n"));
    assert_eq!(
        wire(&effects),
        [format!("title {}=The parser", session.as_str())]
    );
    assert_eq!(title(&play), None);
    play.reply(
        CallTag::SetTitle {
            session,
            title: "parser".to_owned(),
        },
        CallResult::TitleSet("parser".into()),
    );
    assert_eq!(title(&play), Some("parser"));
    // It is the agent's now, who may hear another one elsewhere.
    play.update(told("lexer"));
    assert_eq!(title(&play), Some("lexer"));
}

// V1-SES-20
#[test]
fn a_kept_session_is_renamed_where_the_agent_can() {
    let mut play = keeps_titles();
    play.event(Event::ListSessions);
    let info = SessionInfo {
        id: id("old"),
        title: None,
        cwd: None,
        updated: None,
        additional_directories: Vec::new(),
    };
    let page = SessionPage {
        sessions: vec![info],
        next: None,
    };
    play.reply(
        CallTag::ListSessions { first: true },
        CallResult::SessionsListed(page),
    );
    assert_eq!(wire(&play.event(set(Some("old"), "x"))), ["title old=x"]);
    let old = CallTag::SetTitle {
        session: id("old"),
        title: "x".to_owned(),
    };
    play.reply(old, CallResult::TitleSet("x".into()));
    let renamed = &play.session.earlier.sessions[0];
    assert_eq!(renamed.title.as_deref(), Some("x"));
    assert_eq!(title(&play), None);

    let mut play = Play::open();
    assert!(wire(&play.event(set(Some("old"), "x"))).is_empty());
}

#[test]
fn where_the_agent_keeps_no_titles_the_persons_stands_before_the_agents() {
    let mut play = Play::open();
    play.update(told("New session"));
    assert!(wire(&play.event(set(None, "The parser"))).is_empty());
    play.update(told("Greeting"));
    assert_eq!(title(&play), Some("The parser"));
    assert!(play.session.own_title);
    assert!(wire(&play.event(set(None, "  "))).is_empty());
    assert_eq!(title(&play), Some("The parser"));
}

// V1-SES-20
#[test]
fn a_title_that_the_agent_refuses_changes_nothing() {
    let mut play = keeps_titles();
    let session = play.session.id.clone().expect("an id");
    play.event(set(None, "x"));
    let effects = play.reply(
        CallTag::SetTitle {
            session,
            title: "x".to_owned(),
        },
        failed(-32602, "too short"),
    );
    let toast = Effect::Toast("not renamed: too short".into());
    assert!(effects.contains(&toast), "{effects:?}");
    assert_eq!(title(&play), None);
}
