//! An agent that says what it does: turns by its word (V2-STATE, V2-PROMPT, V2-CAN).

use super::*;
use crate::{
    model::{Background, StateUpdate, TerminalId, TerminalPatch, WorkState},
    session::{Attention, SILENCE, ToolState, TurnPhase},
};
use WorkState::{Idle, Other, RequiresAction, Running, Unknown};

fn state(state: WorkState) -> AgentEvent {
    AgentEvent::State(state.into())
}

fn idle(reason: StopReason) -> AgentEvent {
    state(Idle(Some(reason)))
}

fn beside(state: WorkState, background: &[&str]) -> AgentEvent {
    let calls = background.iter();
    let calls = calls.map(|id| Background::ToolCall(ToolCallId::new(id)));
    AgentEvent::State(StateUpdate {
        background: Some(calls.collect()),
        ..state.into()
    })
}

fn ends(effects: &[Effect]) -> usize {
    let done = |effect: &&Effect| **effect == Effect::Attention(Attention::TurnDone);
    effects.iter().filter(done).count()
}

impl Play {
    fn accepts(&mut self, message: &str) -> Vec<Effect> {
        self.reply(
            CallTag::Prompt { session: id("s") },
            CallResult::PromptAccepted {
                message: MessageId::new(message),
            },
        )
    }

    /// An agent that reports states, at work on a prompt.
    fn at_work() -> Self {
        let mut play = Self::open_with(stating());
        play.event(Event::Submit(prompt("go")));
        play.update(state(Running));
        play.accepts("m");
        play
    }
}

fn stating() -> AgentCaps {
    AgentCaps {
        states: true,
        ..reopening()
    }
}

// V2-PROMPT-01
#[test]
fn the_answer_to_a_prompt_is_not_the_end_of_its_turn() {
    let mut play = Play::open_with(stating());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Submit(prompt("then")));
    assert!(wire(&play.accepts("m")).is_empty());
    assert!(play.session.turn.is_some());
    play.update(state(Running));
    play.wait(Duration::from_secs(5));
    play.update(says("done"));
    assert_eq!(play.queued(), ["then"]);
    let effects = play.update(idle(StopReason::EndTurn));
    assert_eq!(wire(&effects), ["prompt then"]);
    assert_eq!(ends(&effects), 0, "it goes on by itself");
}

// V2-STATE-01
#[test]
fn a_snapshot_that_comes_again_is_no_second_end() {
    let mut play = Play::at_work();
    play.update(says("done"));
    assert_eq!(ends(&play.update(idle(StopReason::MaxTokens))), 1);
    let said = play.said().len();
    assert_eq!(play.session.last_stop, Some(StopReason::MaxTokens));
    for _ in 0..3 {
        assert_eq!(ends(&play.update(idle(StopReason::MaxTokens))), 0);
    }
    assert_eq!(play.said().len(), said);

    // Nor is one from before a prompt the end of that prompt.
    play.event(Event::Submit(prompt("more")));
    play.update(idle(StopReason::MaxTokens));
    assert!(play.session.turn.is_some());
    play.accepts("m2");
    play.update(idle(StopReason::MaxTokens));
    assert!(play.session.turn.is_some());
    play.update(state(Running));
    play.update(state(RequiresAction));
    play.update(state(Running));
    assert_eq!(ends(&play.update(idle(StopReason::EndTurn))), 1);
}

// V2-STATE-01
#[test]
fn each_way_to_stop_is_told() {
    let error = RpcError::new(-32000, "no quota");
    for (reason, told) in [
        (Some(StopReason::Refusal), "refused"),
        (Some(StopReason::MaxTurnRequests), "limit of requests"),
        (Some(StopReason::Error(error)), "no quota"),
        (
            Some(StopReason::Unknown("solar_flare".into())),
            "solar_flare",
        ),
        (Some(StopReason::Cancelled), "cancelled by the agent"),
        (None, "agent: word"),
    ] {
        let mut play = Play::at_work();
        play.event(Event::Submit(prompt("next")));
        play.update(says("word"));
        let well = reason.is_none();
        let effects = play.update(state(Idle(reason)));
        assert!(play.mentions(told), "{told}: {:?}", play.said());
        // The queue goes on by itself only after work that ended well.
        assert_eq!(wire(&effects).contains(&"prompt next".to_owned()), well);
        assert_eq!(play.session.turn.is_some(), well);
    }
}

// V2-STATE-01: a state that is not known here is busy with something.
#[test]
fn an_unknown_kind_of_work_is_work() {
    let mut play = Play::at_work();
    play.update(state(Other("_dreaming".into())));
    assert!(play.session.turn.is_some());
    play.event(Event::Submit(prompt("later")));
    assert_eq!(play.queued(), ["later"]);
    assert_eq!(
        wire(&play.update(idle(StopReason::EndTurn))),
        ["prompt later"]
    );
}

// V2-STATE-01
#[test]
fn work_that_the_agent_begins_is_a_turn_that_can_be_stopped() {
    let mut play = Play::open_with(stating());
    play.update(state(Running));
    assert!(play.session.turn.is_some());
    play.update(tool("t", "watch", ToolStatus::InProgress));
    // It says nothing for long: that is shown as in any turn.
    play.wait(SILENCE);
    assert!(play.session.silent_for(play.now).is_some());
    // A prompt waits for its end.
    assert!(wire(&play.event(Event::Submit(prompt("mine")))).is_empty());
    assert_eq!(wire(&play.event(Event::Stop)), ["cancel"]);
    assert_eq!(play.tool("t").state, ToolState::Cancelled);
    let effects = play.update(idle(StopReason::Cancelled));
    assert!(play.mentions("stopped"));
    assert_eq!(ends(&effects), 0);
    assert!(play.session.turn.is_none());
    assert_eq!(play.queued(), ["mine"]);
}

// V2-STATE-03
#[test]
fn what_the_agent_lost_sight_of_is_not_shown_as_going_on_and_not_as_ended() {
    let mut play = Play::at_work();
    play.update(tool("t", "build", ToolStatus::InProgress));
    let terminal = TerminalId::new("x");
    play.update(AgentEvent::Terminal(Box::new(TerminalPatch::new(
        terminal.clone(),
    ))));
    let (_, asked) = play.asks_about("u");
    play.event(Event::Submit(prompt("later")));
    play.update(state(Unknown));
    assert_eq!(play.tool("t").state, ToolState::InProgress);
    assert!(play.tool("t").doubted);
    assert!(play.session.terminals[&terminal].doubted);
    assert!(play.session.terminals[&terminal].exit.is_none());
    // Nothing is resolved or sent by it.
    assert_eq!(play.session.questions.len(), 1, "{asked:?}");
    assert_eq!(play.queued(), ["later"]);
    assert!(play.session.silent_for(play.now + SILENCE).is_none());

    play.update(state(Running));
    assert!(!play.tool("t").doubted);
    assert!(!play.session.terminals[&terminal].doubted);
    assert_eq!(
        wire(&play.update(idle(StopReason::EndTurn))),
        ["1 Cancelled", "prompt later"]
    );
}

// V2-STATE-03
#[test]
fn the_person_may_go_on_where_the_agent_cannot_tell() {
    let mut play = Play::at_work();
    play.update(tool("t", "build", ToolStatus::InProgress));
    play.update(state(Unknown));
    assert_eq!(
        wire(&play.event(Event::Submit(prompt("still there?")))),
        ["prompt still there?"]
    );
    assert_eq!(play.tool("t").state, ToolState::Ended);
    // The end of what was before is not the end of this.
    play.update(idle(StopReason::EndTurn));
    assert!(play.session.turn.is_some());
    play.accepts("m2");
    play.update(state(Running));
    play.update(idle(StopReason::EndTurn));
    assert!(play.session.turn.is_none());
}

// V2-STATE-02
#[test]
fn background_work_is_a_snapshot_and_outlives_the_turn() {
    let mut play = Play::at_work();
    assert_eq!(play.session.background, None, "not reported is not none");
    play.update(tool("watch", "watch", ToolStatus::InProgress));
    play.update(tool("run", "run", ToolStatus::InProgress));
    play.update(beside(Running, &["watch"]));
    play.update(beside(Idle(Some(StopReason::EndTurn)), &["watch", "_x"]));
    assert_eq!(play.session.background.as_ref().map(Vec::len), Some(2));
    assert_eq!(play.tool("watch").state, ToolState::InProgress);
    assert_eq!(play.tool("run").state, ToolState::Ended);
    // What goes on beside does not begin a turn.
    play.update(tool_update("watch", Some(ToolStatus::InProgress)));
    assert!(play.session.turn.is_none());
    play.update(beside(Idle(None), &[]));
    assert_eq!(play.session.background, Some(Vec::new()));
    assert_eq!(play.tool("watch").state, ToolState::Ended);
    play.update(state(Idle(None)));
    assert_eq!(play.session.background, None);
}

// V2-CAN-01
#[test]
fn a_cancel_is_confirmed_by_being_idle_and_leaves_the_background_alone() {
    let mut play = Play::at_work();
    play.update(tool("watch", "watch", ToolStatus::InProgress));
    play.update(tool("run", "run", ToolStatus::InProgress));
    play.update(beside(Running, &["watch"]));
    play.asks_about("watch");
    play.asks_about("run");
    assert_eq!(wire(&play.event(Event::Stop)), ["cancel", "2 Cancelled"]);
    assert_eq!(play.tool("watch").state, ToolState::InProgress);
    assert_eq!(play.tool("run").state, ToolState::Cancelled);
    assert!(play.session.turn.is_some());
    // Still at it: not over.
    play.update(beside(Running, &["watch"]));
    assert!(play.session.turn.is_some());
    play.update(beside(Idle(Some(StopReason::Cancelled)), &["watch"]));
    assert!(play.session.turn.is_none());
    assert!(play.mentions("stopped"));
    assert_eq!(play.session.questions.len(), 1);
    // The agent takes it back.
    let key = RequestKey {
        connection: play.connection,
        number: 1,
    };
    let effects = play.agent(FromAgent::CancelRequest { key });
    assert_eq!(wire(&effects), ["1 Cancelled"]);
    assert!(play.session.questions.is_empty());
}

// V2-CAN-01: the prompt may be cancelled before it was taken in.
#[test]
fn a_prompt_cancelled_before_it_is_taken_in_ends_with_its_answer() {
    let mut play = Play::open_with(stating());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Stop);
    play.fails(RpcError::new(-32800, "cancelled"));
    assert!(play.session.turn.is_none());
    assert!(play.mentions("stopped"));

    // Taken in and never begun.
    let mut play = Play::open_with(stating());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Stop);
    play.update(idle(StopReason::Cancelled));
    assert!(play.session.turn.is_some(), "its answer is owed");
    play.accepts("m");
    assert!(play.session.turn.is_none());
}

// V2-PROMPT-01: being at work may come before the prompt is taken in, and outlive its refusal.
#[test]
fn a_prompt_that_is_refused_does_not_end_what_the_agent_does() {
    let mut play = Play::open_with(stating());
    play.event(Event::Submit(prompt("go")));
    play.update(state(Running));
    play.fails(RpcError::new(-32603, "the hook said no"));
    assert!(play.session.turn.is_some());
    assert!(play.mentions("the hook said no"));
    let error = RpcError::new(-32603, "the hook said no");
    assert_eq!(ends(&play.update(idle(StopReason::Error(error)))), 1);
    let told = play.said();
    let told = told.iter().filter(|line| line.contains("hook")).count();
    assert_eq!(told, 1, "once");
}

// V2-PROMPT-01
#[test]
fn an_answer_that_comes_after_the_end_ends_its_own_turn() {
    let mut play = Play::open_with(stating());
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Submit(prompt("then")));
    play.update(state(Running));
    assert!(wire(&play.update(idle(StopReason::EndTurn))).is_empty());
    assert_eq!(wire(&play.accepts("m")), ["prompt then"]);
    assert!(play.session.turn.is_some());
}

// V2-SES-01
#[test]
fn a_state_from_before_the_answer_to_new_is_not_overwritten_by_it() {
    let (mut play, _) = Play::opening(config(), stating());
    play.update(state(Running));
    play.event(Event::Submit(prompt("mine")));
    let effects = play.reply(CallTag::NewSession, session_named("s"));
    assert!(wire(&effects).is_empty());
    assert!(play.session.turn.is_some());
    assert_eq!(play.session.work, Some(Running));
    assert_eq!(
        wire(&play.update(idle(StopReason::EndTurn))),
        ["prompt mine"]
    );
}

// V2-SES-01
#[test]
fn a_new_session_is_idle_and_knows_its_commands() {
    let (mut play, _) = Play::opening(config(), stating());
    let CallResult::SessionOpened(mut opened) = session_named("s") else {
        panic!("an answer");
    };
    opened.commands = vec![crate::model::SlashCommand {
        name: "review".into(),
        description: "Review it".into(),
        hint: None,
    }];
    play.reply(CallTag::NewSession, CallResult::SessionOpened(opened));
    assert_eq!(play.session.commands.len(), 1);
    assert_eq!(
        wire(&play.event(Event::Submit(prompt("go")))),
        ["prompt go"]
    );
}

fn reopened() -> (Play, CallTag) {
    let config = SessionConfig {
        start: Start::Reopen(id("s")),
        first_prompt: Some(prompt("mine")),
        ..config()
    };
    let (play, effects) = Play::opening(config, stating());
    assert_eq!(wire(&effects), ["load s"]);
    (play, CallTag::LoadSession { id: id("s") })
}

// V2-SES-04
#[test]
fn a_session_that_was_resumed_is_what_its_state_says() {
    let (mut play, load) = reopened();
    play.update(chunk(ChunkRole::User, Some("u"), "before"));
    play.update(AgentEvent::ReplayComplete);
    play.update(state(Running));
    assert!(wire(&play.reply(load, nothing_opened())).is_empty());
    assert!(play.session.turn.is_some());
    assert_eq!(
        wire(&play.update(idle(StopReason::EndTurn))),
        ["prompt mine"]
    );

    let (mut play, load) = reopened();
    play.update(AgentEvent::ReplayComplete);
    play.update(idle(StopReason::EndTurn));
    let effects = play.reply(load, nothing_opened());
    assert_eq!(wire(&effects), ["prompt mine"]);
    assert_eq!(ends(&effects), 0, "no new end");

    // The answer alone does not say that it is idle.
    let (mut play, load) = reopened();
    play.update(AgentEvent::ReplayComplete);
    assert!(wire(&play.reply(load, nothing_opened())).is_empty());
    assert_eq!(play.session.work, Some(Unknown));
    assert_eq!(wire(&play.event(Event::SendQueued)), ["prompt mine"]);
}

// V2-SES-03
#[test]
fn what_comes_behind_a_replay_is_no_history() {
    let (mut play, load) = reopened();
    play.update(chunk(ChunkRole::User, Some("u"), "before"));
    play.update(tool("t", "run", ToolStatus::InProgress));
    let (_, effects) = play.asks_about("t");
    assert_eq!(wire(&effects), ["1 Cancelled"], "history asks nothing");
    play.update(AgentEvent::ReplayComplete);
    assert_eq!(play.tool("t").state, ToolState::Ended);
    let (_, effects) = play.asks_about("live");
    assert!(wire(&effects).is_empty());
    assert_eq!(play.session.questions.len(), 1);
    play.update(state(RequiresAction));
    play.reply(load, nothing_opened());
    assert_eq!(play.session.questions.len(), 1);
    assert!(play.session.turn.is_some());
    // Once more it means nothing.
    play.update(AgentEvent::ReplayComplete);
    assert_eq!(play.said()[0], "user: before");
}

// V2-SES-03
#[test]
fn a_replay_that_breaks_off_is_said() {
    let (mut play, load) = reopened();
    play.update(chunk(ChunkRole::User, Some("u"), "before"));
    play.update(says("half"));
    play.reply(load, failed(-32603, "disk gone"));
    assert!(
        play.mentions("the part already loaded was dropped"),
        "{:?}",
        play.said()
    );
    assert!(!play.mentions("half"));
}

// V2-CAN-02
#[test]
fn one_call_is_cancelled_only_while_its_agent_allows_it() {
    let mut play = Play::at_work();
    let cancel = || Event::CancelToolCall {
        of: None,
        id: ToolCallId::new("t"),
    };
    let told = |cancel: Patch<bool>, status| {
        AgentEvent::ToolCall(Box::new(ToolCallPatch {
            cancel,
            status: Patch::Set(status),
            ..ToolCallPatch::new(ToolCallId::new("t"))
        }))
    };
    play.update(tool("t", "watch", ToolStatus::InProgress));
    assert!(wire(&play.event(cancel())).is_empty());
    play.update(told(Patch::Set(true), ToolStatus::InProgress));
    assert_eq!(wire(&play.event(cancel())), ["cancel call t"]);
    assert!(wire(&play.event(cancel())).is_empty(), "once");
    let tag = || CallTag::CancelToolCall {
        session: id("s"),
        id: ToolCallId::new("t"),
    };
    // Accepted is not stopped.
    play.reply(tag(), CallResult::CancelAccepted);
    assert_eq!(play.tool("t").state, ToolState::InProgress);
    assert!(play.tool("t").cancelling);
    assert!(play.session.turn.is_some());
    play.update(told(Patch::Keep, ToolStatus::Cancelled));
    assert_eq!(play.tool("t").state, ToolState::Cancelled);
    assert!(wire(&play.event(cancel())).is_empty());

    // A refusal can be tried again, until the agent takes the offer back.
    play.update(told(Patch::Keep, ToolStatus::Paused));
    assert_eq!(wire(&play.event(cancel())), ["cancel call t"]);
    let effects = play.reply(tag(), failed(-32602, "too late"));
    assert!(matches!(&effects[..], [Effect::Toast(text)] if text.contains("too late")));
    assert_eq!(wire(&play.event(cancel())), ["cancel call t"]);
    play.reply(tag(), failed(-32602, "too late"));
    play.update(told(Patch::Clear, ToolStatus::InProgress));
    assert!(wire(&play.event(cancel())).is_empty());
}

// V2-CAN-02
#[test]
fn one_terminal_is_cancelled_only_while_its_agent_allows_it() {
    let mut play = Play::at_work();
    let terminal = TerminalId::new("x");
    let cancel = || Event::CancelTerminal {
        of: None,
        id: TerminalId::new("x"),
    };
    play.update(AgentEvent::Terminal(Box::new(TerminalPatch {
        cancel: Patch::Set(true),
        ..TerminalPatch::new(terminal.clone())
    })));
    assert_eq!(wire(&play.event(cancel())), ["cancel terminal x"]);
    assert!(wire(&play.event(cancel())).is_empty(), "once");
    play.update(AgentEvent::Terminal(Box::new(TerminalPatch {
        exit: Patch::Set(crate::model::ExitStatus::default()),
        ..TerminalPatch::new(terminal.clone())
    })));
    assert!(!play.session.terminals[&terminal].cancelling);
    assert!(wire(&play.event(cancel())).is_empty());
    // One of ours is no business of the agent's.
    play.event(Event::TerminalStarted {
        session: None,
        id: TerminalId::new("ours"),
        command: "make".into(),
        cwd: "/project".into(),
    });
    assert!(
        wire(&play.event(Event::CancelTerminal {
            of: None,
            id: TerminalId::new("ours"),
        }))
        .is_empty()
    );
}

#[test]
fn nothing_of_a_state_outlives_its_process() {
    let mut play = Play::at_work();
    play.update(beside(Running, &["watch"]));
    play.exits(AgentExit::default());
    assert_eq!(play.session.work, None);
    assert_eq!(play.session.background, None);
    assert!(play.session.turn.is_none());
}

// V2-CAN-01: one that is slow is abandoned like any other.
#[test]
fn a_cancel_without_an_answer_can_be_abandoned() {
    let mut play = Play::at_work();
    play.event(Event::Stop);
    play.wait(crate::session::CANCEL_PATIENCE);
    let turn = play.session.turn.as_ref().map(|turn| turn.phase);
    assert!(matches!(
        turn,
        Some(TurnPhase::Cancelling { slow: true, .. })
    ));
    assert_eq!(wire(&play.event(Event::Stop)), ["stop", "spawn"]);
}
