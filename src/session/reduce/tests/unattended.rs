use super::*;
use crate::model::{FsWrite, OptionId, PermissionOutcome, Verdict};
use crate::session::{By, CommandQuestion, QuestionId};

fn alone() -> SessionConfig {
    SessionConfig {
        unattended: true,
        first_prompt: Some(prompt("go")),
        ..config()
    }
}

/// A turn is open and nobody is there.
fn running() -> Play {
    let (mut play, _) = Play::start(alone());
    play.connect();
    play.initialized(hello(AgentCaps::default()));
    play.reply(CallTag::NewSession, session_named("s"));
    assert!(play.session.turn.is_some());
    play
}

fn asked(play: &mut Play, options: Vec<PermissionOption>, reason: Option<SafeText>) -> Vec<Effect> {
    let request = HostRequest::Permission(Box::new(PermissionRequest {
        session: id("s"),
        title: None,
        description: None,
        subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
            ToolCallId::new("t"),
        ))),
        options,
    }));
    let (_, effects) = play.request(request);
    let [Effect::Decide { question, .. }] = effects.as_slice() else {
        panic!("not decided: {effects:?}");
    };
    play.event(Event::Decided {
        revision: None,
        question: *question,
        verdict: Verdict::ask(reason),
    })
}

fn answers(effects: &[Effect]) -> Vec<&HostReply> {
    let answers = effects.iter().filter_map(|effect| match effect {
        Effect::ToAgent(ToAgent::Reply { reply, .. }) => Some(reply),
        _ => None,
    });
    answers.collect()
}

// V1-PERM-05, V1-PERM-06
#[test]
fn what_would_be_asked_is_rejected_once_where_that_can_be_said() {
    let mut play = running();
    let options = vec![
        option("always", PermissionKind::RejectAlways),
        option("yes", PermissionKind::AllowOnce),
        option("no", PermissionKind::RejectOnce),
    ];
    let effects = asked(&mut play, options, Some("it is outside".into()));
    let rejected = HostReply::Permission(PermissionOutcome::Selected(OptionId::new("no")));
    assert_eq!(answers(&effects), [&rejected]);
    let answered = &play.tool("t").answers[0];
    assert_eq!(answered.allowed, Some(false));
    assert_eq!(answered.by, By::Rule("nobody to ask: it is outside".into()));
    assert!(play.session.questions.is_empty());
}

// V1-PERM-04
#[test]
fn nothing_that_would_be_remembered_is_chosen_for_the_person() {
    let mut play = running();
    for options in [
        vec![
            option("always", PermissionKind::RejectAlways),
            option("yes", PermissionKind::AllowOnce),
        ],
        Vec::new(),
    ] {
        let effects = asked(&mut play, options, None);
        let cancelled = HostReply::Permission(PermissionOutcome::Cancelled);
        assert_eq!(answers(&effects), [&cancelled]);
    }
    assert!(play.session.turn.is_some(), "the turn goes on");
}

#[test]
fn files_outside_and_commands_are_refused_and_said() {
    let mut play = running();
    let write = HostRequest::WriteTextFile(FsWrite {
        session: id("s"),
        path: "/x".into(),
        content: String::new(),
    });
    let (key, _) = play.request(write.clone());
    let effects = play.event(Event::AskFile {
        key,
        request: write.clone(),
        resolved: "/x".into(),
        write: true,
        protected: None,
        reason: None,
    });
    assert!(matches!(answers(&effects)[..], [HostReply::Error(_)]));
    assert_eq!(
        play.said_last(),
        "i write outside the workspace not allowed: /x"
    );
    let (again, _) = play.request(write.clone());
    let effects = play.event(Event::AskFile {
        key: again,
        request: write.clone(),
        resolved: "/project/a\nb".into(),
        write: true,
        protected: None,
        reason: Some("ask rule".into()),
    });
    assert!(matches!(answers(&effects)[..], [HostReply::Error(_)]));
    assert_eq!(play.said_last(), "i write not allowed: /project/a⏎b");
    let question = CommandQuestion {
        id: QuestionId(0),
        key,
        request: write.clone(),
        command: "make".into(),
        shell: false,
        cwd: "/project".into(),
        outside: false,
        reason: "terminal.ask is set".into(),
        since: play.now,
    };
    let effects = play.event(Event::AskTerminal {
        key: question.key,
        request: question.request,
        command: question.command,
        shell: question.shell,
        cwd: question.cwd,
        outside: question.outside,
        reason: question.reason,
    });
    assert!(matches!(answers(&effects)[..], [HostReply::Error(_)]));
    assert!(!effects.iter().any(|e| matches!(e, Effect::Attention(_))));
}

#[test]
fn no_new_session_comes_in_place_of_one_that_cannot_be_opened_again() {
    for caps in [
        AgentCaps::default(),
        AgentCaps {
            load_session: true,
            ..AgentCaps::default()
        },
    ] {
        let (mut play, _) = Play::start(SessionConfig {
            start: Start::Reopen(id("old")),
            ..alone()
        });
        play.connect();
        let mut effects = play.initialized(hello(caps));
        if caps.load_session {
            effects = play.reply(
                CallTag::LoadSession { id: id("old") },
                failed(-32002, "no such session"),
            );
        }
        assert!(matches!(play.session.phase, Phase::Failed { .. }));
        let calls = |effect: &Effect| matches!(effect, Effect::ToAgent(ToAgent::Call(_)));
        assert!(!effects.iter().any(calls), "{effects:?}");
        assert!(!play.said_last().contains("F5"), "{}", play.said_last());
    }
}

// V1-ELI-04: nobody says anything.
#[test]
fn a_form_is_dismissed_at_once() {
    use crate::model::{Elicitation, ElicitationAnswer, ElicitationMode, ElicitationScope, Form};
    let mut play = running();
    let (_, effects) = play.request(HostRequest::Elicitation(Box::new(Elicitation {
        scope: ElicitationScope::Session {
            session: id("s"),
            tool_call: None,
        },
        message: "Where to?".into(),
        mode: ElicitationMode::Form(Form::default()),
    })));
    let dismissed = HostReply::Elicitation(ElicitationAnswer::Cancel);
    assert_eq!(answers(&effects), [&dismissed]);
    assert!(play.session.questions.is_empty());
}
