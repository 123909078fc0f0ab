use std::sync::Arc;

use super::*;
use crate::model::{
    CommandSubject, Diff, FsRead, OptionId, Patch, PermissionSubject, TerminalId, TerminalRef,
    ToolContent, ToolKind,
};
use crate::session::{Attention, By, FileAnswer, Question, QuestionId, ToolState, Verdict};

fn shown(play: &Play) -> QuestionId {
    play.session.shown_question().expect("a dialog").id()
}

fn newest(play: &Play) -> QuestionId {
    let ids = play.session.questions.iter().map(Question::id);
    ids.max().expect("a question")
}

fn ask(play: &mut Play, question: QuestionId) -> Vec<Effect> {
    play.event(Event::Decided {
        revision: None,
        question,
        verdict: Verdict::ask(None),
    })
}

fn answer(play: &mut Play, question: QuestionId, option: &str) -> Vec<Effect> {
    play.event(Event::Answer {
        question,
        option: OptionId::new(option),
    })
}

fn read() -> HostRequest {
    HostRequest::ReadTextFile(FsRead {
        session: id("s"),
        path: "../secret".to_owned(),
        line: None,
        limit: None,
    })
}

fn outside(key: RequestKey) -> Event {
    Event::AskFile {
        key,
        request: read(),
        resolved: "/secret".into(),
        write: false,
        protected: None,
        reason: None,
    }
}

// V1-PERM-01
#[test]
fn a_question_goes_to_policy_then_to_the_person() {
    let mut play = Play::running();
    let (_, effects) = play.asks_about("t");
    assert!(matches!(effects.as_slice(), [Effect::Decide { .. }]));
    assert!(play.session.shown_question().is_none());
    let question = newest(&play);
    assert!(
        answer(&mut play, question, "yes").is_empty(),
        "not visible yet"
    );
    let effects = ask(&mut play, question);
    assert_eq!(effects, [Effect::Attention(Attention::PermissionWaiting)]);
    assert!(play.tool("t").asking);
    // V1-PERM-10, and options that were not offered.
    assert!(answer(&mut play, question, "made-up").is_empty());
    assert_eq!(
        wire(&answer(&mut play, question, "no")),
        [r#"1 Selected("no")"#]
    );
    assert!(answer(&mut play, question, "yes").is_empty());
    let tool = play.tool("t");
    assert!(!tool.asking);
    assert_eq!(tool.answers[0].by, By::Person);
    assert_eq!(tool.answers[0].allowed, Some(false));
}

#[test]
fn what_was_agreed_to_stays_known_when_the_agent_says_something_else() {
    let raw = |text: &str| crate::model::RawJson(text.into());
    let mut play = Play::running();
    let with = |input: Patch<crate::model::RawJson>| {
        AgentEvent::ToolCall(Box::new(ToolCallPatch {
            raw_input: input,
            ..ToolCallPatch::new(ToolCallId::new("t"))
        }))
    };
    play.update(with(Patch::Set(raw(r#"{"script":"rm -rf ~"}"#))));
    play.asks_about("t");
    assert_eq!(play.tool("t").other_input_asked(), None);
    play.update(with(Patch::Set(raw("{}"))));
    let asked = play.tool("t").other_input_asked().cloned();
    assert_eq!(asked, Some(raw(r#"{"script":"rm -rf ~"}"#)));
    play.update(with(Patch::Clear));
    assert!(play.tool("t").other_input_asked().is_some());
    // Asked about anew, it is what that says.
    play.update(with(Patch::Set(raw("[1]"))));
    play.asks_about("t");
    assert_eq!(play.tool("t").other_input_asked(), None);
    let held = play.session.conversation.transcript.blocks().iter();
    let held: usize = held
        .map(|block| crate::session::reduce::conversation::bounds::block_weight(&block.kind))
        .sum();
    assert_eq!(
        play.session.conversation.weight, held,
        "the account is right"
    );
}

// V1-PERM-05
#[test]
fn an_answer_of_unknown_kind_is_neither_a_yes_nor_a_no() {
    let mut play = Play::running();
    play.update(tool("t", "run", ToolStatus::Pending));
    play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id("s"),
        title: None,
        description: None,
        subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
            ToolCallId::new("t"),
        ))),
        options: vec![option("do", PermissionKind::Unknown)],
    })));
    let question = newest(&play);
    ask(&mut play, question);
    assert_eq!(
        wire(&answer(&mut play, question, "do")),
        [r#"1 Selected("do")"#]
    );
    let call = play.tool("t");
    assert_eq!(
        (call.answers[0].allowed, &call.answers[0].by),
        (None, &By::Person)
    );
    assert!(!call.is_denied());
    assert_eq!(call.state, ToolState::Pending);
    play.ends(StopReason::Cancelled);
    assert!(!play.mentions("denied"), "{:?}", play.said());
}

// V1-PERM-06
#[test]
fn a_rule_answers_and_is_named() {
    let mut play = Play::running();
    for (verdict, reply) in [
        (
            Verdict::Allow {
                option: OptionId::new("yes"),
                rule: "allow read".into(),
            },
            r#"1 Selected("yes")"#,
        ),
        (
            Verdict::Deny {
                option: OptionId::new("no"),
                rule: "deny .env".into(),
            },
            r#"2 Selected("no")"#,
        ),
    ] {
        play.asks_about("t");
        let question = newest(&play);
        let effects = play.event(Event::Decided {
            question,
            revision: None,
            verdict,
        });
        assert_eq!(wire(&effects), [reply]);
        assert_eq!(effects.len(), 1, "nobody is called");
    }
    let by: Vec<_> = play
        .tool("t")
        .answers
        .iter()
        .map(|a| (a.allowed, a.by.clone()))
        .collect();
    assert_eq!(
        by,
        [
            (Some(true), By::Rule("allow read".into())),
            (Some(false), By::Rule("deny .env".into()))
        ]
    );
}

#[test]
fn policy_that_picks_what_was_not_offered_asks() {
    let mut play = Play::running();
    play.asks_about("t");
    let question = newest(&play);
    let effects = play.event(Event::Decided {
        revision: None,
        question,
        verdict: Verdict::Allow {
            option: OptionId::new("made-up"),
            rule: "r".into(),
        },
    });
    assert!(wire(&effects).is_empty());
    assert_eq!(shown(&play), question);
}

// V1-PERM-08
#[test]
fn questions_come_up_in_the_order_in_which_they_were_asked() {
    let mut play = Play::running();
    play.asks_about("a");
    let first = newest(&play);
    play.asks_about("b");
    let second = newest(&play);
    assert!(ask(&mut play, second).is_empty(), "the first has its turn");
    assert!(play.session.shown_question().is_none());
    assert_eq!(
        ask(&mut play, first),
        [Effect::Attention(Attention::PermissionWaiting)]
    );
    assert_eq!(shown(&play), first);
    assert_eq!(play.session.waiting_questions().count(), 2);
    assert_eq!(
        wire(&answer(&mut play, first, "yes")),
        [r#"1 Selected("yes")"#]
    );
    assert_eq!(shown(&play), second);
}

#[test]
fn a_question_held_back_comes_up_once_policy_has_answered_the_one_before() {
    let mut play = Play::running();
    play.asks_about("a");
    let first = newest(&play);
    play.asks_about("b");
    let second = newest(&play);
    ask(&mut play, second);
    let verdict = Verdict::Allow {
        option: OptionId::new("yes"),
        rule: "r".into(),
    };
    let effects = play.event(Event::Decided {
        revision: None,
        question: first,
        verdict,
    });
    assert!(effects.contains(&Effect::Attention(Attention::PermissionWaiting)));
    assert_eq!(shown(&play), second);
}

// V1-PERM-03
#[test]
fn a_question_about_a_call_never_announced_makes_the_call() {
    let mut play = Play::running();
    let (_, effects) = play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id("s"),
        title: None,
        description: None,
        subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch {
            command: Patch::Set("make sandwich".to_owned()),
            ..ToolCallPatch::new(ToolCallId::new("never"))
        })),
        options: Vec::new(),
    })));
    let [Effect::Decide { subject, .. }] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(subject.command.as_deref(), Some("make sandwich"));
    // V1-PERM-04: without options there is only the cancel.
    let question = newest(&play);
    ask(&mut play, question);
    assert!(answer(&mut play, question, "yes").is_empty());
    assert_eq!(wire(&play.event(Event::Stop)), ["cancel", "1 Cancelled"]);
}

#[test]
fn a_question_knows_what_was_told_of_its_call_before() {
    let mut play = Play::running();
    play.update(tool("t", "Repaint the shed", ToolStatus::Pending));
    // vibe: only the id.
    let (_, effects) = play.asks_about("t");
    let [Effect::Decide { subject, .. }] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(&*subject.title, "Repaint the shed");
}

/// opencode replaces the change that it asked about by "Wrote file successfully.".
#[test]
fn the_change_that_was_asked_about_stays_whatever_the_answer() {
    let diff = |new: &'static str| {
        ToolContent::Diff(Arc::new(Diff::of_texts(
            "a.txt".to_owned(),
            None,
            new.into(),
        )))
    };
    let wrote = ToolContent::Block(text("Wrote file successfully."));
    let with = |content: &[ToolContent]| {
        AgentEvent::ToolCall(Box::new(ToolCallPatch {
            content: Patch::Set(content.to_vec()),
            ..ToolCallPatch::new(ToolCallId::new("t"))
        }))
    };
    for option in ["yes", "no"] {
        let mut play = Play::running();
        play.update(with(&[diff("asked")]));
        play.asks_about("t");
        let question = newest(&play);
        ask(&mut play, question);
        answer(&mut play, question, option);
        play.update(with(std::slice::from_ref(&wrote)));
        assert_eq!(play.tool("t").content, [diff("asked"), wrote.clone()]);
        // V1-TOOL-02: a change of the agent's own replaces it.
        play.update(with(&[diff("done")]));
        assert_eq!(play.tool("t").content, [diff("done")]);
    }
    let mut play = Play::running();
    play.update(with(&[diff("not asked")]));
    play.update(with(std::slice::from_ref(&wrote)));
    assert_eq!(play.tool("t").content, [wrote]);
}

/// Some agents leave a call "pending" until it has run.
#[test]
fn a_call_that_was_allowed_runs_from_then_on() {
    for (option, state) in [("yes", ToolState::InProgress), ("no", ToolState::Pending)] {
        let mut play = Play::running();
        play.update(tool("t", "run", ToolStatus::Pending));
        play.asks_about("t");
        let question = newest(&play);
        ask(&mut play, question);
        play.wait(Duration::from_secs(30));
        answer(&mut play, question, option);
        assert_eq!(play.tool("t").state, state);
        assert_eq!(play.tool("t").is_denied(), option == "no");
        play.wait(Duration::from_secs(2));
        play.update(tool_update("t", Some(ToolStatus::Completed)));
        assert_eq!(play.tool("t").took, Some(Duration::from_secs(2)));
    }
}

// V1-PERM-09, V1-CAN-10
#[test]
fn a_withdrawn_question_closes_and_is_answered() {
    let mut play = Play::running();
    let (key, _) = play.asks_about("t");
    let question = newest(&play);
    ask(&mut play, question);
    assert_eq!(
        wire(&play.agent(FromAgent::CancelRequest { key })),
        ["1 Cancelled"]
    );
    assert!(answer(&mut play, question, "yes").is_empty());
    assert!(ask(&mut play, question).is_empty());
}

// V1-CAN-10
#[test]
fn a_withdrawn_request_that_is_served_is_the_hosts() {
    let mut play = Play::running();
    let (key, _) = play.request(read());
    let effects = play.agent(FromAgent::CancelRequest { key });
    assert_eq!(effects, [Effect::CancelServe(key)]);
    // It was on its way back as a question.
    assert_eq!(wire(&play.event(outside(key))), ["1 error -32800"]);
}

#[test]
fn what_is_protected_is_never_allowed_by_its_folder() {
    let mut play = Play::running();
    let (key, _) = play.request(read());
    let Event::AskFile {
        key,
        request,
        resolved,
        write,
        ..
    } = outside(key)
    else {
        unreachable!()
    };
    play.event(Event::AskFile {
        key,
        request,
        resolved,
        write,
        protected: Some("may hold SSH keys".into()),
        reason: None,
    });
    let question = shown(&play);
    let effects = play.event(Event::AnswerFile {
        question,
        answer: FileAnswer::Folder,
    });
    assert_eq!(wire(&effects), ["serve 1 Once"]);
    assert!(play.said_last().contains("it may hold SSH keys"));
}

// V1-SES-07
#[test]
fn a_file_outside_asks_and_the_answer_serves_or_refuses() {
    let cases = [
        (FileAnswer::Once, "serve 1 Once"),
        (FileAnswer::Folder, "serve 1 Folder"),
        (FileAnswer::No, "1 error -32603"),
    ];
    for (choice, done) in cases {
        let mut play = Play::running();
        let (key, _) = play.request(read());
        let effects = play.event(outside(key));
        assert_eq!(effects, [Effect::Attention(Attention::PermissionWaiting)]);
        let question = shown(&play);
        let event = || Event::AnswerFile {
            question,
            answer: choice,
        };
        assert_eq!(wire(&play.event(event())), [done]);
        assert!(play.event(event()).is_empty(), "once");
        assert!(play.mentions("read outside the workspace"));
        assert!(play.session.turn.is_some(), "the turn goes on");
    }
}

// V1-SES-04
#[test]
fn a_request_for_another_session_is_refused_and_not_acted_on() {
    let mut play = Play::running();
    let (_, effects) = play.request(HostRequest::TerminalKill(TerminalRef {
        session: id("not \"ours\""),
        terminal: TerminalId::new("t"),
    }));
    let [
        Effect::ToAgent(ToAgent::Reply {
            reply: HostReply::Error(error),
            ..
        }),
    ] = effects.as_slice()
    else {
        panic!("{effects:?}")
    };
    assert_eq!(error.code, -32002);
    let data = error.data.as_ref().map(|data| &*data.0);
    assert_eq!(data, Some(r#"{"sessionId":"not \"ours\""}"#));
}

#[test]
fn other_requests_are_served_beside_an_open_question() {
    let mut play = Play::running();
    play.asks_about("t");
    let question = newest(&play);
    ask(&mut play, question);
    assert_eq!(wire(&play.request(read()).1), ["serve 2 None"]);
    play.update(says("meanwhile"));
    assert_eq!(shown(&play), question);
}

// V1-RPC-13
#[test]
fn the_end_of_a_turn_leaves_no_question_open() {
    let mut play = Play::running();
    play.asks_about("t");
    assert_eq!(wire(&play.ends(StopReason::EndTurn)), ["1 Cancelled"]);
    assert!(play.session.questions.is_empty());
}

#[test]
fn a_flood_of_questions_is_refused_with_errors() {
    let mut play = Play::running();
    for _ in 0..100 {
        play.asks_about("t");
    }
    assert_eq!(play.session.questions.len(), 64);
    assert!(wire(&play.asks_about("t").1)[0].contains("error"));
}

#[test]
fn while_the_person_is_asked_the_agent_is_not_silent() {
    let mut play = Play::running();
    play.asks_about("t");
    let question = newest(&play);
    ask(&mut play, question);
    play.wait(Duration::from_secs(600));
    assert_eq!(play.session.silent_for(play.now), None);
    answer(&mut play, question, "yes");
    assert_eq!(play.session.silent_for(play.now), None);
    assert!(play.session.deadline().is_some());
}

fn asks(play: &mut Play, subject: PermissionSubject) -> Vec<Effect> {
    let (_, effects) = play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id("s"),
        title: Some("May I?".into()),
        description: Some("It is needed".into()),
        subject,
        options: vec![
            option("yes", PermissionKind::AllowOnce),
            option("no", PermissionKind::RejectOnce),
        ],
    })));
    effects
}

fn decided_about(effects: &[Effect]) -> &crate::session::Subject {
    let [Effect::Decide { subject, .. }] = effects else {
        panic!("{effects:?}")
    };
    subject
}

// V2-PERM-01
#[test]
fn a_command_is_judged_as_a_call_that_runs_it() {
    let command = |tool_call: Option<&str>| {
        PermissionSubject::Command(CommandSubject {
            command: "make x".into(),
            cwd: "/w".into(),
            tool_call: tool_call.map(ToolCallId::new),
            terminal: None,
        })
    };
    // By itself, or for a call that is not known.
    for call in [None, Some("nobody")] {
        let mut play = Play::running();
        let effects = asks(&mut play, command(call));
        let subject = decided_about(&effects);
        assert_eq!(subject.kind, ToolKind::Execute);
        assert_eq!(subject.command.as_deref(), Some("make x"));
        assert_eq!(subject.command_cwd.as_deref(), Some("/w"));
        assert!(!subject.opaque);
        let question = newest(&play);
        ask(&mut play, question);
        assert_eq!(
            wire(&answer(&mut play, question, "yes")),
            [r#"1 Selected("yes")"#]
        );
        // What was asked and answered stays, and is nothing that goes on.
        let last = play.session.conversation.transcript.blocks().last();
        let Some(BlockKind::Tool(call)) = last.map(|block| &block.kind) else {
            panic!("a row")
        };
        assert_eq!((&*call.title, call.answers.len()), ("May I?", 1));
        assert_eq!(call.state, ToolState::Ended);
    }
    // For a call that is known: that one, whose own words stay.
    let mut play = Play::running();
    play.update(tool("t", "Build it", ToolStatus::Pending));
    let effects = asks(&mut play, command(Some("t")));
    assert_eq!(decided_about(&effects).command.as_deref(), Some("make x"));
    assert_eq!(decided_about(&effects).tool_call.as_str(), "t");
    assert_eq!(&*play.tool("t").title, "Build it");
    assert!(play.tool("t").asking);
    let question = play.session.questions.back();
    let Some(crate::session::Question::Permission(question)) = question else {
        panic!("a question")
    };
    assert_eq!(question.title.as_deref(), Some("May I?"));
    assert_eq!(question.description.as_deref(), Some("It is needed"));
}

// V2-PERM-01
#[test]
fn what_is_not_known_here_is_asked_about_in_the_agents_words() {
    for subject in [
        PermissionSubject::None,
        PermissionSubject::Other {
            kind: "_network".into(),
            raw: crate::model::RawJson("{\"host\":\"x\"}".into()),
        },
    ] {
        let mut play = Play::running();
        let effects = asks(&mut play, subject);
        assert!(decided_about(&effects).opaque);
        assert_eq!(&*decided_about(&effects).title, "May I?");
        let question = newest(&play);
        ask(&mut play, question);
        assert_eq!(
            wire(&answer(&mut play, question, "no")),
            [r#"1 Selected("no")"#]
        );
    }
}

#[test]
fn what_policy_found_of_the_paths_stands_with_the_question() {
    let mut play = Play::running();
    play.asks_about("t");
    let stray = crate::session::Stray {
        asked: "slink/s.txt".into(),
        leads: Some("/secret/s.txt".into()),
        why: "is outside the workspace".into(),
    };
    let question = newest(&play);
    let verdict = Verdict::Ask {
        reason: None,
        strays: vec![stray.clone()],
    };
    play.event(Event::Decided {
        question,
        revision: None,
        verdict,
    });
    let Some(Question::Permission(asked)) = play.session.shown_question() else {
        panic!("no question");
    };
    assert_eq!(asked.strays, [stray]);
}
