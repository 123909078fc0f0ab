use super::*;
use crate::{
    model::{
        Elicitation, ElicitationAnswer, ElicitationId, ElicitationMode, ElicitationScope, Field,
        FieldKind, Form, FormValue, TextField,
    },
    session::{Attention, PageAnswer, Question, QuestionId},
};

fn of_session() -> ElicitationScope {
    ElicitationScope::Session {
        session: id("s"),
        tool_call: None,
    }
}

fn of_request() -> ElicitationScope {
    ElicitationScope::Request {
        id: "2".to_owned(),
        caller: None,
    }
}

fn field(key: &str) -> Field {
    Field {
        key: key.to_owned(),
        title: None,
        description: None,
        required: false,
        kind: FieldKind::Text(TextField::default()),
    }
}

fn form(scope: ElicitationScope) -> HostRequest {
    HostRequest::Elicitation(Box::new(Elicitation {
        scope,
        message: "Where to?\nTell me.".into(),
        mode: ElicitationMode::Form(Form {
            fields: vec![field("region"), field("api_key")],
            ..Form::default()
        }),
    }))
}

fn page(scope: ElicitationScope, url: &str) -> HostRequest {
    HostRequest::Elicitation(Box::new(Elicitation {
        scope,
        message: "Sign in there.".into(),
        mode: ElicitationMode::Url {
            id: ElicitationId("page-1".to_owned()),
            url: url.to_owned(),
        },
    }))
}

fn shown(play: &Play) -> QuestionId {
    play.session.shown_question().expect("a dialog").id()
}

fn accept(values: &[(&str, &str)]) -> ElicitationAnswer {
    let value =
        |(key, text): &(&str, &str)| ((*key).to_owned(), FormValue::Text((*text).to_owned()));
    ElicitationAnswer::Accept(Some(values.iter().map(value).collect()))
}

fn answer_form(play: &mut Play, answer: ElicitationAnswer) -> Vec<Effect> {
    let question = shown(play);
    play.event(Event::AnswerForm { question, answer })
}

fn answer_page(play: &mut Play, answer: PageAnswer) -> Vec<Effect> {
    let question = shown(play);
    play.event(Event::AnswerPage { question, answer })
}

fn opened(play: &mut Play, question: QuestionId, result: Result<(), SafeText>) -> Vec<Effect> {
    play.event(Event::PageOpened { question, result })
}

fn done(play: &mut Play, page: &str) -> Vec<Effect> {
    play.agent(FromAgent::ElicitationDone {
        id: ElicitationId(page.to_owned()),
    })
}

// V1-ELI-01, V1-ELI-04
#[test]
fn a_form_waits_for_the_person_and_is_answered_once() {
    for (answer, wired, told) in [
        (
            accept(&[("region", "eu")]),
            r#"1 Elicitation(Accept(Some([("region", Text("eu"))])))"#,
            "i answered: Where to?",
        ),
        (
            ElicitationAnswer::Decline,
            "1 Elicitation(Decline)",
            "i declined: Where to?",
        ),
        (
            ElicitationAnswer::Cancel,
            "1 Elicitation(Cancel)",
            "i dismissed: Where to?",
        ),
    ] {
        let mut play = Play::running();
        let (_, effects) = play.request(form(of_session()));
        assert_eq!(effects, [Effect::Attention(Attention::PermissionWaiting)]);
        let question = shown(&play);
        assert_eq!(wire(&answer_form(&mut play, answer.clone())), [wired]);
        assert_eq!(play.said_last(), told);
        let again = play.event(Event::AnswerForm { question, answer });
        assert!(again.is_empty());
        assert!(play.session.turn.is_some(), "the turn goes on");
    }
}

// V1-ELI-13
#[test]
fn what_looks_like_a_secret_is_not_kept_in_the_transcript() {
    let mut play = Play::running();
    play.request(form(of_session()));
    answer_form(
        &mut play,
        accept(&[("region", "eu"), ("api_key", "hunter2")]),
    );
    let blocks = play.session.conversation.transcript.blocks();
    let Some(BlockKind::Notice(notice)) = blocks.last().map(|block| &block.kind) else {
        panic!("no notice");
    };
    let detail = notice.detail.as_deref();
    assert_eq!(detail, Some("region: eu\napi_key: ***"));
}

// V1-ELI-02
#[test]
fn a_request_may_ask_before_there_is_any_session() {
    let (mut play, _) = Play::start(config());
    play.connect();
    play.initialized(hello(AgentCaps::default()));
    play.reply(CallTag::NewSession, failed(-32000, "log in"));
    play.request(form(of_request()));
    assert_eq!(
        wire(&answer_form(&mut play, ElicitationAnswer::Decline)),
        ["1 Elicitation(Decline)"]
    );
    // A session that is not there asks nothing (V1-SES-04).
    let (_, effects) = play.request(form(of_session()));
    assert_eq!(wire(&effects), ["2 error -32002"]);
    // On quit what is open is answered as well.
    play.request(form(of_request()));
    let farewell = play.session.farewell();
    assert!(matches!(
        farewell.as_slice(),
        [ToAgent::Reply {
            reply: HostReply::Elicitation(ElicitationAnswer::Cancel),
            ..
        }]
    ));
}

// V1-ELI-02
#[test]
fn a_question_for_a_tool_call_says_for_which() {
    let mut play = Play::running();
    play.update(tool("t", "Deploy the app", ToolStatus::Pending));
    let scope = |call: &str| ElicitationScope::Session {
        session: id("s"),
        tool_call: Some(ToolCallId::new(call)),
    };
    for (call, title) in [("t", Some("Deploy the app")), ("unknown", None)] {
        play.request(form(scope(call)));
        let Some(Question::Form(question)) = play.session.shown_question() else {
            panic!("no form");
        };
        assert_eq!(question.about.as_deref(), title);
        answer_form(&mut play, ElicitationAnswer::Cancel);
    }
}

// V1-CAN-06
#[test]
fn a_stopped_turn_takes_its_questions_along_and_no_others() {
    let mut play = Play::running();
    play.request(form(of_session()));
    play.request(page(of_session(), "https://example.com"));
    play.request(form(of_request()));
    assert_eq!(
        wire(&play.event(Event::Stop)),
        ["cancel", "1 Elicitation(Cancel)", "2 Elicitation(Cancel)"]
    );
    assert!(play.mentions("· not answered: Where to?"));
    // While it is being stopped nothing more is asked for it.
    let (_, effects) = play.request(form(of_session()));
    assert_eq!(wire(&effects), ["4 Elicitation(Cancel)"]);
    play.ends(StopReason::Cancelled);
    assert_eq!(play.session.questions.len(), 1);
    assert_eq!(
        wire(&answer_form(&mut play, ElicitationAnswer::Decline)),
        ["3 Elicitation(Decline)"]
    );
}

// V1-CAN-10, V1-RPC-19
#[test]
fn a_question_withdrawn_or_left_behind_is_answered() {
    let mut play = Play::running();
    let (key, _) = play.request(form(of_session()));
    let effects = play.agent(FromAgent::CancelRequest { key });
    assert_eq!(wire(&effects), ["1 Elicitation(Cancel)"]);
    play.request(form(of_request()));
    play.exits(AgentExit {
        status: None,
        stderr: SafeText::default(),
        cause: None,
    });
    assert!(play.session.questions.is_empty());
}

// V1-ELI-14, V1-ELI-17
#[test]
fn a_page_is_opened_on_consent_and_only_then_accepted() {
    let mut play = Play::running();
    let (_, effects) = play.request(page(of_session(), "https://example.com/a"));
    assert_eq!(effects, [Effect::Attention(Attention::PermissionWaiting)]);
    let question = shown(&play);
    // Nothing is opened that nobody has agreed to.
    assert!(opened(&mut play, question, Ok(())).is_empty());
    assert_eq!(
        answer_page(&mut play, PageAnswer::Open),
        [Effect::OpenPage {
            question,
            url: "https://example.com/a".to_owned()
        }]
    );
    assert!(play.session.shown_question().is_none());
    let twice = play.event(Event::AnswerPage {
        question,
        answer: PageAnswer::Open,
    });
    assert!(twice.is_empty());
    let effects = opened(&mut play, question, Ok(()));
    assert_eq!(wire(&effects), ["1 Elicitation(Accept(None))"]);
    assert_eq!(
        play.said_last(),
        "i page at example.com: opened, Demo is waiting for it"
    );
}

// V1-ELI-18
#[test]
fn the_waiting_notice_closes_when_the_page_is_done() {
    let mut play = Play::running();
    play.request(page(of_session(), "https://example.com/a"));
    let question = shown(&play);
    answer_page(&mut play, PageAnswer::Open);
    opened(&mut play, question, Ok(()));
    let said = play.said();
    done(&mut play, "another");
    assert_eq!(play.said(), said);
    done(&mut play, "page-1");
    assert_eq!(play.said_last(), "i page at example.com: done");
    let said = play.said();
    done(&mut play, "page-1");
    assert_eq!(play.said(), said);
}

// V1-ELI-18
#[test]
fn a_page_done_before_the_person_answered_waits_for_nothing() {
    let mut play = Play::running();
    play.request(page(of_session(), "https://example.com/a"));
    done(&mut play, "page-1");
    answer_page(&mut play, PageAnswer::OpenedElsewhere);
    assert_eq!(play.said_last(), "i page at example.com: done");
}

#[test]
fn a_page_is_waited_for_no_longer_than_the_agent_lives() {
    let mut play = Play::running();
    play.request(page(of_session(), "https://example.com/a"));
    answer_page(&mut play, PageAnswer::OpenedElsewhere);
    assert!(play.mentions("is waiting for it"));
    play.exits(AgentExit {
        status: None,
        stderr: SafeText::default(),
        cause: None,
    });
    assert!(play.mentions("i page at example.com: opened"));
    assert!(!play.mentions("is waiting for it"));
}

// V1-ELI-19
#[test]
fn where_no_browser_starts_the_person_opens_the_page_and_says_so() {
    let mut play = Play::running();
    play.request(page(of_session(), "https://example.com/a"));
    let question = shown(&play);
    answer_page(&mut play, PageAnswer::Open);
    let effects = opened(&mut play, question, Err("xdg-open was not found".into()));
    assert!(wire(&effects).is_empty(), "nothing is accepted");
    let Some(Question::Page(page)) = play.session.shown_question() else {
        panic!("no page");
    };
    assert_ne!(page.id, question, "another dialog, with a guard of its own");
    assert_eq!(page.failed.as_deref(), Some("xdg-open was not found"));
    assert_eq!(
        wire(&answer_page(&mut play, PageAnswer::OpenedElsewhere)),
        ["1 Elicitation(Accept(None))"]
    );
}

// V1-ELI-04
#[test]
fn a_page_is_declined_or_dismissed() {
    for (answer, wired) in [
        (PageAnswer::Decline, "1 Elicitation(Decline)"),
        (PageAnswer::Dismiss, "1 Elicitation(Cancel)"),
    ] {
        let mut play = Play::running();
        play.request(page(of_session(), "https://example.com/a"));
        assert_eq!(wire(&answer_page(&mut play, answer)), [wired]);
    }
}

// V1-ELI-14
#[test]
fn what_is_no_web_address_is_refused_and_said() {
    let mut play = Play::running();
    for url in ["file:///etc/passwd", "javascript:alert(1)", "https://a\\@b"] {
        let (key, effects) = play.request(page(of_session(), url));
        assert_eq!(wire(&effects), [format!("{} error -32602", key.number)]);
        assert!(play.said_last().contains(url), "{}", play.said_last());
    }
    assert!(play.session.questions.is_empty());
}

// V1-ELI-02, V1-ELI-04: nobody waits for it any more.
#[test]
fn what_was_asked_for_a_request_is_dismissed_when_that_is_answered() {
    let mut play = Play::running();
    let (first, _) = play.request(form(of_request()));
    play.request(page(of_request(), "https://example.com/"));
    play.request(form(of_session()));
    let over = |request: &str| FromAgent::CallOver {
        caller: crate::model::SessionKey::default(),
        request: request.to_owned(),
    };
    assert!(wire(&play.agent(over("7"))).is_empty(), "another request");
    assert_eq!(play.session.questions.len(), 3);
    let effects = play.agent(over("2"));
    assert_eq!(
        wire(&effects),
        ["1 Elicitation(Cancel)", "2 Elicitation(Cancel)"]
    );
    assert_eq!(first.number, 1);
    assert!(play.mentions("not answered: Where to?"));
    // The one of the session stays, and comes up.
    assert_eq!(play.session.waiting_questions().count(), 1);
    assert!(
        play.session
            .shown_question()
            .is_some_and(Question::is_of_turn)
    );
}
