use super::*;
use crate::model::SlashCommand;
use crate::model::SystemPrompt;
use crate::model::{McpCaps, McpServer, McpTransport, SecretPairs};
use crate::session::{Attention, ToolState};

fn commands(name: &str) -> AgentEvent {
    AgentEvent::Commands(vec![SlashCommand {
        name: SafeText::new(name),
        description: SafeText::default(),
        hint: None,
    }])
}

fn reopen() -> SessionConfig {
    SessionConfig {
        start: Start::Reopen(id("old")),
        ..config()
    }
}

fn load_tag() -> CallTag {
    CallTag::LoadSession { id: id("old") }
}

// V1-SES-03
#[test]
fn updates_before_the_answer_are_kept_for_their_session() {
    let (mut play, _) = Play::opening(config(), AgentCaps::default());
    play.update_of("s", commands("zebra"));
    play.update_of("other", commands("yak"));
    assert!(play.session.commands.is_empty());
    play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(&*play.session.commands[0].name, "zebra");
}

// V1-SES-02
#[test]
fn updates_of_other_sessions_are_left_out_and_said_once() {
    let mut play = Play::open();
    for _ in 0..3 {
        play.update_of("other", says("psst"));
    }
    assert_eq!(play.said(), ["· updates for another session were skipped"]);
}

#[test]
fn early_updates_are_bounded() {
    let (mut play, _) = Play::opening(config(), AgentCaps::default());
    for n in 0..10_000 {
        play.update_of("s", chunk(ChunkRole::Agent, Some(&n.to_string()), "x"));
    }
    play.reply(CallTag::NewSession, session_named("s"));
    assert!(play.said().len() <= 300);
}

// V1-SES-08, V1-SES-11, V1-INIT-17, V1-INIT-20
#[test]
fn the_way_to_reopen_is_what_the_agent_can() {
    let can = |load_session, resume| AgentCaps {
        load_session,
        resume,
        ..AgentCaps::default()
    };
    // A replay fills the empty screen.
    let cases = [
        (can(true, false), "load old"),
        (can(true, true), "load old"),
        (can(false, true), "resume old"),
        (can(false, false), "new"),
    ];
    for (caps, call) in cases {
        let (play, effects) = Play::opening(reopen(), caps);
        assert_eq!(wire(&effects), [call]);
        assert_eq!(play.mentions("cannot reopen sessions"), call == "new");
        // D-02: the row that may help stands behind it.
        let blocks = play.session.conversation.transcript.blocks().iter();
        let mut details = blocks.filter_map(|block| match &block.kind {
            BlockKind::Notice(notice) => notice.detail.as_deref(),
            _ => None,
        });
        let helps = details.any(|detail| detail.contains(r#"["auto", "unstable-resume"]"#));
        assert_eq!(helps, call == "new");
    }
}

// V1-SES-08, V1-SES-09, V1-UPD-03
#[test]
fn a_replay_is_history() {
    let (mut play, _) = Play::opening(reopen(), reopening());
    let mut effects = Vec::new();
    for event in [
        chunk(ChunkRole::User, Some("1"), "say "),
        chunk(ChunkRole::User, Some("1"), "hello"),
        chunk(ChunkRole::Agent, Some("2"), "hello"),
        chunk(ChunkRole::User, Some("3"), "run it"),
        tool("call_1", "run", ToolStatus::Pending),
        chunk(ChunkRole::User, Some("4"), "again"),
        tool("call_1", "rerun", ToolStatus::Pending),
    ] {
        effects.extend(play.update_of("old", event));
    }
    assert_eq!(
        play.session.phase,
        Phase::Opening {
            since: play.now,
            replaying: true
        }
    );
    // A null result: the load is over with it, not before.
    effects.extend(play.reply(load_tag(), nothing_opened()));
    assert_eq!(play.session.phase, Phase::Ready);
    assert_eq!(play.session.id, Some(id("old")));
    assert!(effects.is_empty(), "{effects:?}");
    assert_eq!(
        play.said(),
        [
            "user: say hello",
            "agent: hello",
            "user: run it",
            // vibe's calls get no update; and ids come again in each turn.
            "call_1 run Pending",
            "user: again",
            "call_1 rerun Ended",
        ]
        .map(|line| line.replace("Pending", "Ended"))
    );
}

// V1-SES-09
#[test]
fn a_question_in_a_replay_is_answered_without_a_dialog() {
    let (mut play, _) = Play::opening(reopen(), reopening());
    let (_, effects) = play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id("old"),
        title: None,
        description: None,
        subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
            ToolCallId::new("t"),
        ))),
        options: Vec::new(),
    })));
    assert_eq!(wire(&effects), ["1 Cancelled"]);
    assert!(play.session.questions.is_empty());
}

#[test]
fn a_session_that_is_gone_is_said_to_be_and_a_new_one_opened() {
    let (mut play, _) = Play::opening(reopen(), reopening());
    play.update_of("old", says("half a session"));
    let effects = play.reply(load_tag(), failed(-32002, "Resource not found"));
    assert_eq!(wire(&effects), ["new"]);
    assert!(play.mentions("session old could not be loaded: Resource not found"));
    assert!(!play.mentions("half a session"), "V1-SES-09");
    play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(play.session.phase, Phase::Ready);
    assert_eq!(play.session.id, Some(id("s")));
}

// V1-SES-11
#[test]
fn a_restart_resumes_and_keeps_what_is_on_the_screen() {
    let mut play = Play::open_with(reopening());
    play.event(Event::Submit(prompt("go")));
    play.ends(StopReason::EndTurn);
    assert_eq!(wire(&play.event(Event::Restart)), ["stop", "spawn"]);
    play.connect();
    assert_eq!(wire(&play.initialized(hello(reopening()))), ["resume s"]);
    play.reply(CallTag::ResumeSession { id: id("s") }, nothing_opened());
    assert!(play.mentions("user: go"));
    assert_eq!(
        wire(&play.event(Event::Submit(prompt("on")))),
        ["prompt on"]
    );
}

// V1-SES-11.
/// No replay is to come, and fast-agent sends one.
#[test]
fn a_replay_of_a_resumed_session_that_is_shown_is_left_out() {
    let mut play = Play::open_with(reopening());
    play.event(Event::Submit(prompt("go")));
    play.update(says("gone"));
    play.ends(StopReason::EndTurn);
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(reopening()));
    for event in [
        chunk(ChunkRole::User, None, "go"),
        says("gone"),
        tool("t", "run", ToolStatus::Completed),
        commands("new"),
    ] {
        play.update(event);
    }
    play.reply(CallTag::ResumeSession { id: id("s") }, nothing_opened());
    let said = play.said();
    assert_eq!(said.iter().filter(|line| line.contains("go")).count(), 2);
    let told = said.iter().filter(|line| line.contains("were skipped"));
    assert_eq!(told.count(), 1, "{said:?}");
    assert_eq!(play.session.commands.len(), 1, "what is no history counts");
    play.event(Event::Submit(prompt("on")));
    play.update(says("still there"));
    assert_eq!(play.said_last(), "agent: still there");
}

#[test]
fn a_resume_that_fails_becomes_a_load_and_then_a_new_session() {
    let mut play = Play::open_with(reopening());
    play.event(Event::Submit(prompt("go")));
    play.ends(StopReason::EndTurn);
    play.event(Event::Restart);
    play.connect();
    play.initialized(hello(reopening()));
    let resume = CallTag::ResumeSession { id: id("s") };
    assert_eq!(wire(&play.reply(resume, failed(-32603, "no"))), ["load s"]);
    let load = CallTag::LoadSession { id: id("s") };
    assert_eq!(wire(&play.reply(load, failed(-32603, "no."))), ["new"]);
    assert!(
        play.mentions("loaded: no. A new session is opened; it does not know the messages above")
    );
}

// V1-RPC-13
#[test]
fn a_question_of_a_session_that_is_not_to_be_is_answered() {
    let can_resume = AgentCaps {
        resume: true,
        ..AgentCaps::default()
    };
    let (mut play, _) = Play::opening(reopen(), can_resume);
    play.request(HostRequest::Permission(Box::new(PermissionRequest {
        session: id("old"),
        title: None,
        description: None,
        subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
            ToolCallId::new("t"),
        ))),
        options: Vec::new(),
    })));
    let resume = CallTag::ResumeSession { id: id("old") };
    let effects = play.reply(resume, failed(-32603, "no"));
    assert_eq!(wire(&effects), ["1 Cancelled", "new"]);
}

// V1-SES-09.
/// A loaded session comes once: what was on the screen makes way when the replay comes, and comes
/// back if the load fails.
#[test]
fn a_load_doubles_nothing_and_loses_nothing() {
    let caps = AgentCaps {
        load_session: true,
        ..AgentCaps::default()
    };
    for good in [true, false] {
        let mut play = Play::open_with(caps);
        play.event(Event::Submit(prompt("go")));
        play.update(says("gone"));
        play.ends(StopReason::EndTurn);
        play.event(Event::Restart);
        play.connect();
        play.initialized(hello(caps));
        assert!(
            play.mentions("agent: gone"),
            "nothing goes before something comes"
        );
        play.update(chunk(ChunkRole::User, None, "go"));
        play.update(says("gone"));
        let load = CallTag::LoadSession { id: id("s") };
        let result = if good {
            nothing_opened()
        } else {
            failed(-32603, "disk full")
        };
        play.reply(load, result);
        let told = play
            .said()
            .iter()
            .filter(|line| *line == "agent: gone")
            .count();
        assert_eq!(told, 1, "{:?}", play.said());
        assert_eq!(play.mentions("reloaded from the agent"), good);
        assert_eq!(play.mentions("could not be loaded"), !good);
    }
}

// V1-SES-09
#[test]
fn an_agent_that_ends_while_it_loads_costs_nothing() {
    let mut play = Play::open_with(reopening());
    play.event(Event::Restart);
    play.connect();
    // Nothing was said yet: the session is loaded.
    assert_eq!(wire(&play.initialized(hello(reopening()))), ["load s"]);
    play.update(says("half"));
    let exit = AgentExit {
        status: None,
        stderr: SafeText::default(),
        cause: Some("stdout closed".into()),
    };
    play.exits(exit);
    assert!(!play.mentions("half"));
    play.event(Event::Restart);
    play.connect();
    assert_eq!(wire(&play.initialized(hello(reopening()))), ["load s"]);
}

// V1-SES-06
#[test]
fn directories_go_only_to_an_agent_that_takes_them() {
    for takes in [true, false] {
        let config = SessionConfig {
            additional_directories: vec!["/more".into()],
            ..config()
        };
        let caps = AgentCaps {
            additional_directories: takes,
            ..AgentCaps::default()
        };
        let (play, effects) = Play::opening(config, caps);
        let [Effect::ToAgent(ToAgent::Call(Call::NewSession(setup)))] = effects.as_slice() else {
            panic!("{effects:?}")
        };
        assert_eq!(setup.additional_directories.len(), usize::from(takes));
        assert_eq!(play.said().is_empty(), takes);
    }
}

// V1-SES-10, V1-INIT-21
#[test]
fn a_system_prompt_goes_only_to_an_agent_that_takes_it_so() {
    for (replaces, takes, overrides, goes) in [
        (false, false, false, false),
        (false, true, false, true),
        (false, true, true, true),
        (true, false, false, false),
        (true, true, false, false),
        (true, true, true, true),
    ] {
        let prompt = SystemPrompt {
            text: "Be brief.".to_owned(),
            replaces,
        };
        let config = SessionConfig {
            system_prompt: Some(prompt.clone()),
            ..config()
        };
        let caps = AgentCaps {
            resume: true,
            system_prompt: takes,
            system_prompt_override: overrides,
            ..AgentCaps::default()
        };
        let (mut play, effects) = Play::opening(config, caps);
        let [Effect::ToAgent(ToAgent::Call(Call::NewSession(setup)))] = effects.as_slice() else {
            panic!("{effects:?}")
        };
        let expected = goes.then_some(prompt);
        assert_eq!(setup.system_prompt, expected);
        assert_eq!(play.said().is_empty(), goes, "{:?}", play.said());
        // What it was told once it is told at each opening.
        play.reply(CallTag::NewSession, session_named("s"));
        play.event(Event::Restart);
        play.connect();
        let effects = play.initialized(hello(caps));
        let [Effect::ToAgent(ToAgent::Call(Call::ResumeSession { setup, .. }))] =
            effects.as_slice()
        else {
            panic!("{effects:?}")
        };
        assert_eq!(setup.system_prompt, expected);
    }
}

#[test]
fn an_agent_that_opens_no_session_is_stopped_and_says_why() {
    let (mut play, _) = Play::opening(config(), AgentCaps::default());
    let effects = play.reply(CallTag::NewSession, failed(-32603, "no disk"));
    assert_eq!(wire(&effects), ["stop"]);
    assert!(effects.contains(&Effect::Attention(Attention::AgentFailed)));
    assert!(play.said_last().contains("no disk"));
}

// V1-RPC-16
#[test]
fn an_answer_that_was_not_waited_for_does_nothing() {
    let mut play = Play::open();
    let before = play.said().len();
    for call in [CallTag::NewSession, load_tag()] {
        assert!(play.reply(call, session_named("x")).is_empty());
    }
    assert!(play.ends(StopReason::MaxTokens).is_empty());
    assert_eq!(play.session.id, Some(id("s")));
    assert_eq!(play.said().len(), before);
}

#[test]
fn a_finished_call_of_history_has_no_duration() {
    let (mut play, _) = Play::opening(reopen(), reopening());
    play.update_of("old", tool("t", "run", ToolStatus::Completed));
    play.reply(load_tag(), nothing_opened());
    assert_eq!(play.tool("t").took, None);
    assert_eq!(play.tool("t").state, ToolState::Completed);
}

fn server(name: &str, transport: McpTransport) -> McpServer {
    McpServer {
        name: name.to_owned(),
        transport,
    }
}

// V1-INIT-19, V1-MCP-02
#[test]
fn mcp_servers_are_handed_on_by_the_agents_capabilities_and_left_out_ones_said_once() {
    let headers = SecretPairs::default;
    let servers = || {
        vec![
            server(
                "own",
                McpTransport::Stdio {
                    command: "/bin/own".into(),
                    args: Vec::new(),
                    env: SecretPairs::default(),
                },
            ),
            server(
                "web",
                McpTransport::Http {
                    url: "https://web".to_owned(),
                    headers: headers(),
                },
            ),
            server(
                "old",
                McpTransport::Sse {
                    url: "https://old".to_owned(),
                    headers: headers(),
                },
            ),
        ]
    };
    // V2-SES-06: there each way is one that an agent may not have.
    for (stdio, http, sse, handed) in [
        (true, false, false, vec!["own"]),
        (true, true, false, vec!["own", "web"]),
        (true, false, true, vec!["own", "old"]),
        (true, true, true, vec!["own", "web", "old"]),
        (false, true, false, vec!["web"]),
    ] {
        let caps = AgentCaps {
            mcp: McpCaps { stdio, http, sse },
            ..reopening()
        };
        let config = SessionConfig {
            mcp_servers: servers(),
            mcp_problems: vec!["no such program".into()],
            ..config()
        };
        let (mut play, effects) = Play::opening(config, caps);
        let named = |effects: &[Effect]| -> Vec<String> {
            let setup = effects.iter().find_map(|effect| match effect {
                Effect::ToAgent(ToAgent::Call(
                    Call::NewSession(setup)
                    | Call::LoadSession { setup, .. }
                    | Call::ResumeSession { setup, .. },
                )) => Some(setup),
                _ => None,
            });
            let servers = &setup.expect("a set-up call").mcp_servers;
            servers.iter().map(|server| server.name.clone()).collect()
        };
        assert_eq!(named(&effects), handed);
        assert!(play.mentions("no such program"));
        assert_eq!(play.mentions("MCP server web skipped"), !http);
        assert_eq!(play.mentions("MCP server old skipped"), !sse);
        play.reply(CallTag::NewSession, session_named("s"));
        let said = play.said().len();
        play.event(Event::Restart);
        play.connect();
        let effects = play.initialized(hello(caps));
        assert_eq!(named(&effects), handed, "once more");
        assert_eq!(play.said().len(), said + 1, "only the restart is said");
    }
}

// V1-CAN-09
#[test]
fn a_session_that_is_long_in_opening_can_be_given_up() {
    let reopen = SessionConfig {
        start: Start::Reopen(id("old")),
        ..config()
    };
    let (mut play, effects) = Play::opening(reopen, reopening());
    assert_eq!(wire(&effects), ["load old"]);
    let load = CallTag::LoadSession { id: id("old") };
    assert_eq!(
        wire(&play.event(Event::Stop)),
        [format!("give up {load:?}")]
    );
    assert!(wire(&play.event(Event::Stop)).is_empty(), "once");
    // It stays open until its answer; a new session comes in place of it, and that is said.
    let effects = play.reply(load.clone(), failed(-32800, "Request cancelled"));
    assert_eq!(wire(&effects), ["new"]);
    assert!(play.mentions("could not be loaded: cancelled. A new session is opened"));
    assert!(!play.mentions("Request cancelled"));
    let effects = play.event(Event::Stop);
    assert_eq!(
        wire(&effects),
        [format!("give up {:?}", CallTag::NewSession)]
    );
    // An agent that was about to answer anyway.
    play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(play.session.phase, Phase::Ready);
    assert!(wire(&play.event(Event::Stop)).is_empty());
}
