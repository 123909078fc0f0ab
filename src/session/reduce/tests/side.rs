//! Questions beside the conversation: asked in a fork, and nothing of them in the session.

use super::*;
use crate::{
    model::{FsRead, FsWrite, PermissionSubject, TerminalCreate},
    session::{
        SideQuestion, SideState,
        reduce::conversation::bounds::{MAX_SIDE_ANSWER, MAX_SIDE_FORKS},
    },
};

fn forking() -> AgentCaps {
    AgentCaps {
        fork: true,
        close: true,
        delete: true,
        ..AgentCaps::default()
    }
}

/// A turn is open in `s`, and something was said.
fn working() -> Play {
    let mut play = Play::open_with(forking());
    play.event(Event::Submit(prompt("go")));
    play.update(says("on it"));
    play
}

fn fork() -> CallTag {
    CallTag::ForkSession { id: id("s") }
}

/// The fork `f` has the question.
fn asked() -> Play {
    let mut play = working();
    assert_eq!(
        wire(&play.event(Event::AskAside(prompt("why?")))),
        ["fork s"]
    );
    assert_eq!(
        wire(&play.reply(fork(), session_named("f"))),
        ["prompt why?"]
    );
    play
}

fn side(play: &Play) -> &SideQuestion {
    play.session.side.as_ref().expect("a side question")
}

fn answered(play: &mut Play, reason: StopReason) -> Vec<Effect> {
    play.reply(
        CallTag::Prompt { session: id("f") },
        CallResult::PromptDone(reason, None),
    )
}

fn closed(of: &str) -> CallTag {
    CallTag::CloseSession { id: id(of) }
}

#[test]
fn it_is_answered_in_a_fork_while_the_turn_goes_on() {
    let mut play = asked();
    let (said, queued) = (play.said(), play.queued().len());
    assert_eq!(side(&play).state, SideState::Answering);
    play.update_of("f", chunk(ChunkRole::Thought, None, "hm"));
    play.update_of("f", tool("t1", "Read src/a.rs", ToolStatus::InProgress));
    assert_eq!(side(&play).doing.as_deref(), Some("Read src/a.rs"));
    play.update_of("f", tool_update("t1", Some(ToolStatus::Completed)));
    play.update_of("f", says("Because "));
    play.update_of("f", says("of this."));
    play.update_of("f", tool("t2", "Read src/b.rs", ToolStatus::Completed));
    play.update_of("f", says("And that."));
    play.wait(Duration::from_secs(3));
    let effects = answered(&mut play, StopReason::EndTurn);
    assert_eq!(effects, [], "no bell");
    assert_eq!(side(&play).answer.as_str(), "Because of this.\n\nAnd that.");
    let took = Duration::from_secs(3);
    assert_eq!(side(&play).state, SideState::Done { took });
    // The session knows nothing of it.
    assert_eq!((play.said(), play.queued().len()), (said, queued));
    assert!(play.session.turn.is_some() && play.session.questions.is_empty());
    assert_eq!(play.session.id, Some(id("s")));
    play.update(says(" still"));
    assert_eq!(play.said_last(), "agent: on it still");
    assert_eq!(wire(&play.event(Event::CloseSide)), ["close"]);
    assert_eq!(
        wire(&play.reply(closed("f"), CallResult::SessionClosed)),
        ["delete f"]
    );
    let deleted = CallTag::DeleteSession { id: id("f") };
    assert_eq!(
        play.reply(deleted, CallResult::SessionDeleted),
        [],
        "without a word"
    );
    assert!(play.session.side.is_none());
}

#[test]
fn its_words_are_no_sign_of_the_turns_life() {
    let mut play = asked();
    play.wait(Duration::from_secs(44));
    play.update_of("f", says("Because"));
    play.wait(Duration::from_secs(2));
    assert!(play.session.silent_for(play.now).is_some());
}

#[test]
fn closing_it_stops_it_and_what_it_still_says_is_for_no_one() {
    let mut play = asked();
    let said = play.said();
    assert_eq!(wire(&play.event(Event::CloseSide)), ["cancel", "close"]);
    play.update_of("f", says("late"));
    let (_, effects) = ask_permission(&mut play, "f");
    assert_eq!(wire(&effects), ["1 Cancelled"]);
    answered(&mut play, StopReason::Cancelled);
    assert_eq!(play.said(), said);
    assert!(play.event(Event::CloseSide).is_empty());
}

fn ask_permission(play: &mut Play, session: &str) -> (RequestKey, Vec<Effect>) {
    play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id(session),
        title: None,
        description: None,
        subject: PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(ToolCallId::new("t")))),
        options: vec![
            option("yes", PermissionKind::AllowOnce),
            option("never", PermissionKind::RejectAlways),
            option("no", PermissionKind::RejectOnce),
        ],
    })))
}

#[test]
fn it_may_read_and_everything_else_is_denied_unasked() {
    let mut play = asked();
    let said = play.said();
    let (_, effects) = ask_permission(&mut play, "f");
    assert_eq!(wire(&effects), [r#"1 Selected("no")"#]);
    let read = HostRequest::ReadTextFile(FsRead {
        session: id("f"),
        path: "/project/a".into(),
        line: None,
        limit: None,
    });
    let (key, effects) = play.request(read.clone());
    assert_eq!(wire(&effects), ["serve 2 None"]);
    // It turned out to lie outside, where the person would be asked.
    let effects = play.event(Event::AskFile {
        key,
        request: read,
        resolved: "/etc/passwd".into(),
        write: false,
        protected: None,
        reason: None,
    });
    assert_eq!(wire(&effects), ["2 error -32600"]);
    play.event(Event::Refused {
        of: Some(id("f")),
        what: "read .env".into(),
        rule: "deny".into(),
    });
    let (_, effects) = play.request(HostRequest::WriteTextFile(FsWrite {
        session: id("f"),
        path: "/project/a".into(),
        content: "x".into(),
    }));
    assert_eq!(wire(&effects), ["3 error -32600"]);
    let (_, effects) = play.request(HostRequest::TerminalCreate(TerminalCreate {
        session: id("f"),
        command: "ls".into(),
        args: Vec::new(),
        env: Vec::new(),
        cwd: None,
        output_byte_limit: None,
    }));
    assert_eq!(wire(&effects), ["4 error -32600"]);
    assert_eq!(side(&play).denied, 5);
    assert!(play.session.questions.is_empty());
    assert_eq!(play.said(), said);
}

#[test]
fn a_fork_that_comes_too_late_is_closed_at_once() {
    let mut play = working();
    play.event(Event::AskAside(prompt("why?")));
    let given_up = format!("give up {:?}", fork());
    assert_eq!(wire(&play.event(Event::CloseSide)), [given_up]);
    // Asked again before the first one has an answer: whichever comes first is asked.
    assert_eq!(
        wire(&play.event(Event::AskAside(prompt("and?")))),
        ["fork s"]
    );
    assert_eq!(play.reply(fork(), failed(-32800, "cancelled")), []);
    assert_eq!(side(&play).state, SideState::Forking);
    assert_eq!(
        wire(&play.reply(fork(), session_named("f"))),
        ["prompt and?"]
    );
    play.event(Event::CloseSide);
    play.event(Event::AskAside(prompt("late?")));
    play.event(Event::CloseSide);
    assert_eq!(wire(&play.reply(fork(), session_named("g"))), ["close"]);
}

#[test]
fn without_an_answer_to_forks_no_more_are_asked_for() {
    let mut play = working();
    for _ in 0..MAX_SIDE_FORKS {
        let effects = play.event(Event::AskAside(prompt("why?")));
        assert!(wire(&effects).contains(&"fork s".to_owned()));
        play.event(Event::CloseSide);
    }
    assert_eq!(play.event(Event::AskAside(prompt("why?"))), []);
    assert!(matches!(side(&play).state, SideState::Ended { .. }));
}

#[test]
fn what_goes_wrong_is_told_with_the_question() {
    let ends = |result: CallResult| {
        let mut play = working();
        play.event(Event::AskAside(prompt("why?")));
        play.reply(fork(), result);
        match &side(&play).state {
            SideState::Ended { why } => why.to_string(),
            state => format!("{state:?}"),
        }
    };
    assert_eq!(
        ends(failed(-32603, "no")),
        "the session could not be forked: no"
    );
    // What it says there would be the session's own words.
    assert_eq!(
        ends(session_named("s")),
        "the agent gave the fork no id of its own"
    );
    assert_eq!(
        ends(nothing_opened()),
        "the agent gave the fork no id of its own"
    );
    let mut play = Play::open();
    play.event(Event::AskAside(prompt("why?")));
    let why = SafeText::from("Demo cannot fork a session");
    assert_eq!(side(&play).state, SideState::Ended { why });
    for (reason, why) in [
        (StopReason::Refusal, "the agent refused"),
        (StopReason::MaxTokens, "the token limit was reached"),
        (StopReason::Cancelled, "cancelled by the agent"),
    ] {
        let mut play = asked();
        answered(&mut play, reason);
        let why = SafeText::from(why);
        assert_eq!(side(&play).state, SideState::Ended { why });
    }
}

#[test]
fn the_agents_end_ends_it_with_a_word() {
    let mut play = asked();
    play.update_of("f", says("Because"));
    play.exits(AgentExit {
        status: None,
        stderr: SafeText::default(),
        cause: None,
    });
    let why = SafeText::from("the agent's process ended");
    assert_eq!(side(&play).state, SideState::Ended { why });
    assert_eq!(side(&play).answer.as_str(), "Because");
    assert_eq!(
        play.event(Event::CloseSide),
        [],
        "no one is there to be told"
    );
    // One that was answered stays as it is.
    let mut play = asked();
    answered(&mut play, StopReason::EndTurn);
    play.event(Event::Restart);
    assert!(matches!(side(&play).state, SideState::Done { .. }));
}

#[test]
fn a_client_that_ends_leaves_no_fork_behind() {
    let play = asked();
    let farewell: Vec<Effect> = play
        .session
        .farewell()
        .into_iter()
        .map(Effect::ToAgent)
        .collect();
    assert_eq!(
        wire(&farewell),
        ["cancel", "cancel", "close", "delete f", "close"]
    );
}

#[test]
fn its_answer_has_a_bound() {
    for (len, cut) in [
        (MAX_SIDE_ANSWER - 1, false),
        (MAX_SIDE_ANSWER, false),
        (MAX_SIDE_ANSWER + 1, true),
    ] {
        let mut play = asked();
        play.update_of("f", says(&"x".repeat(len - 10)));
        play.update_of("f", says(&"y".repeat(10)));
        play.update_of("f", says(""));
        let side = side(&play);
        assert_eq!(
            (side.cut, side.answer.len()),
            (cut, len.min(MAX_SIDE_ANSWER))
        );
    }
}

#[test]
fn its_children_are_not_taken_for_strangers() {
    let mut play = asked();
    let said = play.said();
    play.update_of(
        "f",
        AgentEvent::Subagent(Box::new(crate::model::SubagentPatch::new(id("child")))),
    );
    play.update_of("child", says("from below"));
    let (_, effects) = ask_permission(&mut play, "child");
    assert_eq!(wire(&effects), ["1 Cancelled"]);
    assert_eq!(play.said(), said);
    // What comes before the fork has its name is not told either.
    play.event(Event::AskAside(prompt("again?")));
    play.update_of("g", says("early"));
    assert_eq!(play.said(), said);
}
