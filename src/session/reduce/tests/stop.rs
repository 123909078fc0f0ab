use super::*;
use crate::model::{ExitStatus, FsRead, TerminalId, TerminalRef};
use crate::session::{CANCEL_PATIENCE, ToolState, TurnPhase};

// V1-CAN-01, V1-CAN-05, V1-PERM-02
#[test]
fn a_stop_cancels_once_and_then_answers_what_is_open() {
    let mut play = Play::running();
    play.update(tool("a", "run", ToolStatus::InProgress));
    play.update(tool("b", "done", ToolStatus::Completed));
    for tool in ["a", "x", "y"] {
        play.asks_about(tool);
    }
    let effects = play.event(Event::Stop);
    assert_eq!(
        wire(&effects),
        ["cancel", "1 Cancelled", "2 Cancelled", "3 Cancelled"]
    );
    assert_eq!(play.tool("a").state, ToolState::Cancelled);
    assert_eq!(play.tool("b").state, ToolState::Completed);
    // One that comes before the turn's end; and a second stop.
    assert_eq!(wire(&play.asks_about("z").1), ["4 Cancelled"]);
    assert!(play.event(Event::Stop).is_empty());
    // The turn is open until its answer; a later word about a tool wins (V1-CAN-02, V1-CAN-03,
    // V1-CAN-04, V1-TOOL-06).
    assert!(play.session.turn.is_some());
    play.update(tool_update("a", Some(ToolStatus::Completed)));
    play.ends(StopReason::Cancelled);
    assert_eq!(play.tool("a").state, ToolState::Completed);
    assert_eq!(play.said_last(), "i stopped");
}

#[test]
fn a_word_that_was_on_its_way_does_not_bring_a_cancelled_call_to_life() {
    use ToolStatus::{Completed, InProgress, Pending};
    let mut play = Play::running();
    for call in ["a", "b", "c"] {
        play.update(tool(call, "sleep", Pending));
    }
    play.event(Event::Stop);
    // Before the turn's end, after it, and in the next turn.
    play.update(tool_update("a", Some(InProgress)));
    assert_eq!(play.tool("a").state, ToolState::Cancelled);
    play.ends(StopReason::Cancelled);
    play.update(tool_update("b", Some(InProgress)));
    assert_eq!(play.tool("b").state, ToolState::Cancelled);
    play.event(Event::Submit(prompt("again")));
    play.update(tool_update("c", Some(Pending)));
    assert_eq!(play.tool("c").state, ToolState::Cancelled);
    // How it ended is the agent's to say.
    play.update(tool_update("a", Some(Completed)));
    assert_eq!(play.tool("a").state, ToolState::Completed);
    // In a turn that nobody stops the agent may begin again what it cancelled itself.
    play.update(tool("d", "sleep", ToolStatus::Cancelled));
    play.update(tool_update("d", Some(InProgress)));
    assert_eq!(play.tool("d").state, ToolState::InProgress);
}

#[test]
fn file_questions_are_answered_with_an_error_when_stopped() {
    let mut play = Play::running();
    let read = || {
        HostRequest::ReadTextFile(FsRead {
            session: id("s"),
            path: "/etc/x".to_owned(),
            line: None,
            limit: None,
        })
    };
    let outside = |key| Event::AskFile {
        key,
        request: read(),
        resolved: "/etc/x".into(),
        write: false,
        protected: None,
        reason: None,
    };
    let (key, effects) = play.request(read());
    assert_eq!(wire(&effects), ["serve 1 None"]);
    play.event(outside(key));
    assert_eq!(play.session.questions.len(), 1);
    assert_eq!(wire(&play.event(Event::Stop)), ["cancel", "1 error -32800"]);
    let (key, _) = play.request(read());
    assert_eq!(wire(&play.event(outside(key))), ["2 error -32800"]);
}

#[test]
fn with_no_turn_open_a_stop_sends_no_cancel() {
    let mut play = Play::open();
    assert!(play.event(Event::Stop).is_empty());
    let (_, _) = play.asks_about("t");
    assert_eq!(wire(&play.event(Event::Stop)), ["1 Cancelled"]);
    play.event(Event::Submit(prompt("go")));
    play.ends(StopReason::EndTurn);
    assert!(play.event(Event::Stop).is_empty());
}

// V1-PROMPT-06, V1-ERR-06
#[test]
fn an_error_after_a_stop_is_the_stop() {
    for error in [
        RpcError::new(-32800, "cancelled"),
        RpcError::new(-32603, "aborted"),
        RpcError::new(-32000, "Authentication required"),
    ] {
        let mut play = Play::running();
        play.event(Event::Submit(prompt("held")));
        play.event(Event::Stop);
        assert!(wire(&play.fails(error)).is_empty());
        assert_eq!(play.said()[1], "i stopped");
        assert_eq!(play.session.phase, Phase::Ready);
        assert!(play.session.queue_held);
    }
}

#[test]
fn a_turn_that_ended_well_after_a_stop_holds_the_queue() {
    let mut play = Play::running();
    play.event(Event::Submit(prompt("held")));
    play.event(Event::Stop);
    assert!(wire(&play.ends(StopReason::EndTurn)).is_empty());
    assert_eq!(play.queued(), ["held"]);
}

// V1-CAN-08
#[test]
fn an_agent_that_does_not_stop_can_be_abandoned() {
    let mut play = Play::open_with(reopening());
    play.event(Event::Submit(prompt("go")));
    play.update(tool("t", "run", ToolStatus::InProgress));
    play.event(Event::Stop);
    play.event(Event::SendNow(prompt("next")));
    play.wait(CANCEL_PATIENCE - Duration::from_millis(1));
    assert!(play.event(Event::Stop).is_empty() || play.session.queue_held);
    play.wait(Duration::from_millis(1));
    assert!(play.said_last().contains("has not stopped yet"));
    let slow = play.session.turn.as_ref().map(|turn| turn.phase);
    assert!(matches!(
        slow,
        Some(TurnPhase::Cancelling { slow: true, .. })
    ));

    assert_eq!(wire(&play.event(Event::Stop)), ["stop", "spawn"]);
    assert!(play.session.turn.is_none());
    assert_eq!(play.tool("t").state, ToolState::Cancelled);
    play.connect();
    assert_eq!(wire(&play.initialized(hello(reopening()))), ["resume s"]);
    let effects = play.reply(CallTag::ResumeSession { id: id("s") }, nothing_opened());
    assert!(wire(&effects).is_empty(), "what waits is held");
    assert_eq!(play.queued(), ["next"]);
    assert_eq!(wire(&play.event(Event::SendQueued)), ["prompt next"]);
}

#[test]
fn an_abandoned_turn_of_an_agent_that_cannot_reopen_is_a_new_session_and_said() {
    let mut play = Play::running();
    play.event(Event::Stop);
    play.wait(CANCEL_PATIENCE);
    play.event(Event::Stop);
    play.connect();
    assert_eq!(
        wire(&play.initialized(hello(AgentCaps::default()))),
        ["new"]
    );
    assert!(play.mentions("A new session is opened; it does not know the messages above"));
    assert!(play.mentions("user: go"));
}

#[test]
fn a_late_key_abandons_nothing_before_the_screen_has_said_so() {
    let mut play = Play::running();
    play.event(Event::Stop);
    // The tick is late.
    play.now += CANCEL_PATIENCE * 2;
    assert!(wire(&play.event(Event::Stop)).is_empty());
    assert_eq!(play.said_last(), "w the agent has not stopped yet");
    assert_eq!(wire(&play.event(Event::Stop)), ["stop", "spawn"]);
}

#[test]
fn an_agent_that_dies_while_it_is_stopped_leaves_calls_cancelled() {
    let mut play = Play::running();
    play.update(tool("t", "run", ToolStatus::InProgress));
    play.event(Event::Stop);
    play.update(tool_update("t", Some(ToolStatus::InProgress)));
    play.exits(AgentExit {
        status: Some(ExitStatus {
            code: None,
            signal: Some("SIGKILL".to_owned()),
        }),
        stderr: SafeText::default(),
        cause: None,
    });
    assert_eq!(play.tool("t").state, ToolState::Cancelled);
    assert!(play.said_last().contains("SIGKILL"));
}

// V1-CAN-07
#[test]
fn commands_that_outlive_their_turn_are_told_once() {
    let mut play = Play::running();
    let start = |play: &mut Play, name: &str, command: &str| {
        play.event(Event::TerminalStarted {
            session: None,
            id: TerminalId::new(name),
            command: SafeText::new(command),
            cwd: "/p".into(),
        });
    };
    let on = |name: &str| TerminalRef {
        session: id("s"),
        terminal: TerminalId::new(name),
    };
    for (name, command) in [
        ("server", "npm run dev"),
        ("ended", "ls"),
        ("killed", "sleep 1"),
        ("released", "sleep 2"),
    ] {
        start(&mut play, name, command);
    }
    play.event(Event::TerminalExited {
        id: TerminalId::new("ended"),
        status: ExitStatus::default(),
    });
    play.event(Event::ShellStarted {
        terminal: TerminalId::new("own"),
        line: "top".into(),
    });
    start(&mut play, "own", "top");
    // A stop is told to the agent, and to nobody else.
    assert_eq!(wire(&play.event(Event::Stop)), ["cancel"]);
    play.request(HostRequest::TerminalKill(on("killed")));
    play.request(HostRequest::TerminalRelease(on("released")));
    play.ends(StopReason::Cancelled);
    assert_eq!(
        play.said_last(),
        "i still running: npm run dev (tab selects a block, t attaches to its terminal, F9 there \
         ends it)"
    );
    play.event(Event::Submit(prompt("again")));
    play.update(says("done"));
    play.ends(StopReason::EndTurn);
    assert_eq!(play.said_last(), "agent: done");
}

// V1-PERM-02, V1-RPC-13
#[test]
fn leaving_cancels_the_turn_and_answers_its_questions() {
    let mut play = Play::open_with(AgentCaps {
        close: true,
        ..AgentCaps::default()
    });
    let farewell = |play: &Play| {
        let messages = play.session.farewell();
        wire(
            &messages
                .into_iter()
                .map(Effect::ToAgent)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(farewell(&play), ["close"]);
    play.event(Event::Submit(prompt("go")));
    play.asks_about("a");
    let request = HostRequest::ReadTextFile(FsRead {
        session: id("s"),
        path: "/etc/x".to_owned(),
        line: None,
        limit: None,
    });
    let (key, _) = play.request(request.clone());
    play.event(Event::AskFile {
        key,
        request,
        resolved: "/etc/x".into(),
        write: false,
        protected: None,
        reason: None,
    });
    assert_eq!(
        farewell(&play),
        ["cancel", "1 Cancelled", "2 error -32800", "close"]
    );
}

// D-42
#[test]
fn an_agent_of_threads_is_given_longer_and_then_its_process_can_be_ended() {
    let config = SessionConfig {
        protocol: Protocol::Threads,
        ..config()
    };
    let (mut play, _) = Play::opening(config, reopening());
    play.reply(CallTag::NewSession, session_named("s"));
    play.event(Event::Submit(prompt("go")));
    play.event(Event::Stop);
    play.wait(CANCEL_PATIENCE + Duration::from_secs(1));
    assert!(!play.mentions("cannot stop it"));
    play.wait(Duration::from_secs(1));
    // What goes on then names the key: see the row of what the agent is at.
    assert_eq!(
        play.said_last(),
        "w the agent is still working: its protocol cannot stop it"
    );
    assert_eq!(wire(&play.event(Event::Stop)), ["stop", "spawn Threads"]);
}
