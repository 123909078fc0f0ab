use super::super::connection::LONG_NOISE;
use super::*;
use crate::model::{DialectHint, DialectRow, ExitStatus, Protocol, code};
use crate::session::{AgentInfo, Attention, ToolState};

fn exit(code: i64, stderr: &str) -> AgentExit {
    AgentExit {
        status: Some(ExitStatus {
            code: Some(code),
            signal: None,
        }),
        stderr: SafeText::new(stderr),
        cause: None,
    }
}

// V1-INIT-01
#[test]
fn nothing_is_sent_before_initialize_is_answered() {
    let (mut play, effects) = Play::start(SessionConfig {
        first_prompt: Some(prompt("first")),
        ..config()
    });
    assert_eq!(wire(&effects), ["spawn"]);
    assert!(play.event(Event::Submit(prompt("second"))).is_empty());
    assert_eq!(wire(&play.connect()), ["initialize"]);
    assert!(wire(&play.event(Event::SendNow(prompt("third")))).is_empty());
    assert!(wire(&play.event(Event::CycleMode)).is_empty());
    assert!(wire(&play.event(Event::Stop)).is_empty());
    assert_eq!(
        wire(&play.initialized(hello(AgentCaps::default()))),
        ["new"]
    );
    let effects = play.reply(CallTag::NewSession, session_named("s"));
    assert_eq!(wire(&effects), ["prompt third"]);
    assert_eq!(play.queued(), ["first", "second"]);
}

// V1-INIT-03
#[test]
fn another_version_ends_the_connection_and_both_are_named() {
    for version in [0, 2, 65_535] {
        let (mut play, _) = Play::start(config());
        play.connect();
        let effects = play.initialized(Initialized {
            protocol_version: version,
            ..hello(AgentCaps::default())
        });
        assert_eq!(wire(&effects), ["stop"]);
        let Phase::Failed { error } = &play.session.phase else {
            panic!("{:?}", play.session.phase)
        };
        assert!(error.contains(&format!("version {version} ")), "{error}");
        assert!(error.contains("version 1:"), "{error}");
        assert_eq!(error.contains("protocol = \"2\""), version == 2, "{error}");
        let last = play.said_last();
        assert!(last.contains("this client version 1"), "{last}");
        // Nothing more goes out, whatever comes.
        assert!(wire(&play.event(Event::Submit(prompt("hello?")))).is_empty());
        assert!(play.exits(exit(0, "")).is_empty());
    }
}

fn in_version_2() -> SessionConfig {
    SessionConfig {
        protocol: Protocol::V2,
        ..config()
    }
}

// V2-INIT-01
#[test]
fn an_agent_of_version_1_is_started_again_in_that() {
    let (mut play, effects) = Play::start(in_version_2());
    assert_eq!(wire(&effects), ["spawn V2"]);
    play.connect();
    let effects = play.initialized(hello(AgentCaps::default()));
    assert_eq!(wire(&effects), ["stop", "spawn"]);
    assert_eq!(
        play.said(),
        ["i Demo speaks version 1 of the protocol, not 2: restarting with version 1"]
    );
    play.connect();
    assert_eq!(
        wire(&play.initialized(hello(AgentCaps::default()))),
        ["new"]
    );
    assert_eq!(play.session.agent.protocol, Protocol::V1);
    // It is known now: no process for nothing.
    assert_eq!(wire(&play.event(Event::Restart)), ["stop", "spawn"]);
    assert_eq!(play.said().len(), 2, "said once: {:?}", play.said());
}

// V2-INIT-01
#[test]
fn an_agent_of_version_2_is_spoken_to_in_that() {
    let version_2 = |version| Initialized {
        protocol_version: version,
        ..hello(AgentCaps::default())
    };
    let (mut play, _) = Play::start(in_version_2());
    play.connect();
    assert_eq!(wire(&play.initialized(version_2(2))), ["new"]);
    assert_eq!(play.session.agent.protocol, Protocol::V2);
    let (mut play, _) = Play::start(in_version_2());
    play.connect();
    // Higher than what was asked for.
    assert_eq!(wire(&play.initialized(version_2(3))), ["stop"]);
    let said = play.said_last();
    assert!(
        said.contains("version 3 ") && said.contains("version 2:"),
        "{said}"
    );
}

// V2-INIT-02
#[test]
fn an_agent_that_refuses_the_version_is_told_with_what_it_speaks() {
    let refused = |supported: &[i64]| {
        CallResult::Failed(RpcError {
            supported_versions: supported.into(),
            ..RpcError::new(code::UNSUPPORTED_VERSION, "Unsupported protocol version")
        })
    };
    let refuse = |supported: &[i64]| {
        let (mut play, _) = Play::start(in_version_2());
        play.connect();
        let effects = play.reply(CallTag::Initialize, refused(supported));
        (wire(&effects), play.said_last())
    };
    let (effects, said) = refuse(&[3, 4]);
    assert_eq!(effects, ["stop"]);
    assert!(
        said.contains("does not speak version 2 of the protocol, only 3, 4:"),
        "{said}"
    );
    let (effects, said) = refuse(&[1, 3]);
    assert_eq!(effects, ["stop", "spawn"]);
    assert!(said.contains("restarting with version 1"), "{said}");
    assert_eq!(refuse(&[]).0, ["stop"]);
}

// V2-INIT-01
#[test]
fn a_session_beside_one_that_fell_back_does_as_it_did() {
    let agent = AgentInfo {
        protocol: Protocol::V1,
        ..AgentInfo::default()
    };
    let (mut session, _) = Session::start(in_version_2(), Instant::now());
    session.wait_for_agent();
    let (connection, agent) = (ConnectionId(3), agent.into());
    let joined = Event::Joined { connection, agent };
    let effects = reduce(&mut session, joined, Instant::now());
    assert_eq!(wire(&effects), ["new"]);
    let effects = reduce(&mut session, Event::Restart, Instant::now());
    assert_eq!(wire(&effects), ["stop", "spawn"]);
}

// V1-INIT-04
#[test]
fn an_odd_version_is_said_and_taken_for_one() {
    let (mut play, _) = Play::start(config());
    play.connect();
    let effects = play.initialized(Initialized {
        odd_version: Some("0.12.0".into()),
        ..hello(AgentCaps::default())
    });
    assert_eq!(wire(&effects), ["new"]);
    assert!(play.mentions("0.12.0"));
}

// V1-INIT-24
#[test]
fn a_slow_start_is_said_once_and_waited_for() {
    let (mut play, _) = Play::start(config());
    play.connect();
    play.wait(Duration::from_secs(59));
    assert!(play.said().is_empty());
    let effects = play.wait(Duration::from_secs(600));
    assert_eq!(play.said().len(), 1, "{:?}", play.said());
    assert!(play.said_last().contains("60 s"));
    // What it waits for may stand on its stderr; the notice takes it in.
    assert!(effects.contains(&Effect::TellStderr(play.connection)));
    play.event(Event::Stderr("npm warn\nneeds a licence\n\n".into()));
    assert_eq!(play.said().len(), 1, "{:?}", play.said());
    let said = play.said_last();
    assert!(said.ends_with("Its last output: needs a licence"), "{said}");
    assert!(said.contains("shift-F5 ends it"), "{said}");
    assert_eq!(
        wire(&play.initialized(hello(AgentCaps::default()))),
        ["new"]
    );
}

#[test]
fn an_idle_session_asks_for_no_tick() {
    assert_eq!(Play::open().session.deadline(), None);
}

#[test]
fn an_agent_that_ends_at_the_start_is_reported_with_its_stderr() {
    let (mut play, _) = Play::start(config());
    play.connect();
    let effects = play.exits(exit(7, "missing licence file\n\n"));
    assert!(wire(&effects).is_empty(), "no restart by itself");
    assert!(effects.contains(&Effect::Attention(Attention::AgentFailed)));
    assert_eq!(
        play.said_last(),
        "! demo ended with exit code 7: missing licence file"
    );
    assert_eq!(wire(&play.event(Event::Restart)), ["spawn"]);
}

#[test]
fn of_its_stderr_the_line_that_tells_why_is_shown() {
    for (stderr, shown) in [
        ("loading\nready\n", "ready"),
        (
            &format!("error: survived\n{}quota used up\n", "working\n".repeat(99)),
            "quota used up",
        ),
        (
            "thread 'main' panicked at src/main.rs:2:5:\nno config\nnote: run with \
             `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
            "thread 'main' panicked at src/main.rs:2:5: no config",
        ),
        (
            "Error: Cannot find module 'x'\n    at throwError (loader:1)\n\nNode.js v22.1.0\n",
            "Error: Cannot find module 'x'",
        ),
        (
            "Traceback (most recent call last):\n  File \"a.py\"\nValueError: bad port\nbye\n",
            "ValueError: bad port",
        ),
        (
            "sh: agent: Permission denied\n[idle-compaction] skip\n",
            "sh: agent: Permission denied",
        ),
    ] {
        let (mut play, _) = Play::start(config());
        play.connect();
        play.exits(exit(1, stderr));
        let said = format!("! demo ended with exit code 1: {shown}");
        assert_eq!(play.said_last(), said);
    }
}

#[test]
fn an_agent_that_somebody_ended_has_no_other_cause() {
    let by = |signal: &str| {
        let mut play = Play::open();
        play.exits(AgentExit {
            status: Some(crate::model::ExitStatus {
                code: None,
                signal: Some(signal.to_owned()),
            }),
            stderr: "error: an old one".into(),
            cause: None,
        });
        let blocks = play.session.conversation.transcript.blocks();
        let Some(BlockKind::Notice(notice)) = blocks.last().map(|block| &block.kind) else {
            panic!("no notice");
        };
        assert_eq!(notice.detail.as_deref(), Some("error: an old one"));
        play.said_last()
    };
    assert_eq!(by("SIGKILL"), "! Demo ended by SIGKILL");
    assert!(by("SIGABRT").contains("SIGABRT: error: an old one"));
}

#[test]
fn an_agent_that_cannot_be_started_is_named_and_f5_tries_again() {
    let (mut play, _) = Play::start(config());
    let error = SafeText::new("no such command: demo");
    play.event(Event::SpawnFailed {
        error: error.clone(),
    });
    assert_eq!(play.session.phase, Phase::Failed { error });
    play.event(Event::Submit(prompt("kept")));
    assert_eq!(wire(&play.event(Event::Restart)), ["spawn"]);
    assert_eq!(play.queued(), ["kept"]);
}

// V1-RPC-19
#[test]
fn the_end_of_the_agent_ends_all_that_was_open() {
    let mut play = Play::running();
    play.update(tool("t", "build", ToolStatus::InProgress));
    play.update(says("half a sen"));
    let (key, _) = play.asks_about("t");
    play.event(Event::Submit(prompt("later")));
    let effects = play.exits(exit(3, "boom"));
    assert_eq!(wire(&effects), [format!("{} Cancelled", key.number)]);
    assert!(play.session.turn.is_none());
    assert_eq!(play.tool("t").state, ToolState::Failed);
    assert!(!play.tool("t").asking);
    assert!(play.mentions("exit code 3"));
    assert!(matches!(play.session.phase, Phase::Failed { .. }));
    assert_eq!(play.queued(), ["later"]);
    assert!(play.session.queue_held);
    assert!(play.mentions("agent: half a sen"), "the transcript stays");
}

#[test]
fn what_an_old_process_still_says_is_nobodys() {
    let mut play = Play::open();
    let old = play.connection;
    play.event(Event::Restart);
    let rev = play.session.rev;
    let late = FromAgent::Update {
        session: Some(id("s")),
        event: says("ghost"),
    };
    assert!(play.event(Event::Agent(old, late)).is_empty());
    assert!(play.event(Event::Exited(old, exit(0, ""))).is_empty());
    assert_eq!(play.session.rev, rev);
    assert!(!play.mentions("ghost"));
}

#[test]
fn a_process_that_nobody_waits_for_is_stopped() {
    let mut play = Play::open();
    let effects = play.event(Event::Connected(ConnectionId(99)));
    assert_eq!(effects, [Effect::StopAgent(ConnectionId(99))]);
}

#[test]
fn a_detected_dialect_is_one_line_with_what_to_set() {
    let mut play = Play::open();
    for row in [DialectRow::KindUpdates, DialectRow::NoSessionId] {
        play.agent(FromAgent::Dialect(DialectHint::Detected(row)));
    }
    let said = play.said();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("`kind`") && said[0].contains("name no session"),
        "{said:?}"
    );
    let detail = play
        .session
        .conversation
        .transcript
        .blocks()
        .iter()
        .rev()
        .find_map(|block| match &block.kind {
            BlockKind::Notice(notice) => notice.detail.clone(),
            _ => None,
        });
    let detail = detail.expect("what to set");
    assert!(
        detail.ends_with(r#"dialect = ["auto", "kind-updates", "no-session-id"]"#),
        "{detail}"
    );
    play.agent(FromAgent::Dialect(DialectHint::Wanted(
        DialectRow::ModeParam,
    )));
    let said = play.said();
    assert!(
        said[1].contains(r#"dialect = ["auto", "mode-param", "kind-updates", "no-session-id"]"#),
        "{said:?}"
    );
}

// D-25
#[test]
fn an_error_for_the_version_names_ours() {
    let (mut play, _) = Play::start(config());
    play.connect();
    let refused = failed(code::UNSUPPORTED_VERSION, "only 3");
    play.reply(CallTag::Initialize, refused);
    assert!(play.mentions("does not speak version 1 of the protocol: only 3"));
}

// V1-RPC-14
#[test]
fn noise_is_one_line_that_counts() {
    let mut play = Play::open();
    for count in 1..=150 {
        play.agent(FromAgent::Noise {
            what: "INFO starting".into(),
            bytes: LONG_NOISE,
            count,
        });
    }
    let said = play.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("150 lines"));
    assert!(said[1].contains("shift-F5 ends it"), "{said:?}");
}

#[test]
fn a_long_line_that_is_no_message_is_said_once() {
    for (bytes, said) in [(LONG_NOISE - 1, 1), (LONG_NOISE, 1), (LONG_NOISE + 1, 2)] {
        let mut play = Play::open();
        for count in 1..=3 {
            let what = "\0\0".into();
            play.agent(FromAgent::Noise { what, bytes, count });
        }
        assert_eq!(play.said().len(), said, "{bytes}: {:?}", play.said());
        let warned = play.mentions(&format!("a line of {bytes} bytes that is not a message"));
        assert_eq!(warned, said == 2);
    }
}

// V1-RPC-21
#[test]
fn a_message_that_was_too_long_is_said_once() {
    let mut play = Play::running();
    for _ in 0..3 {
        play.agent(FromAgent::Oversized { limit: 64 << 20 });
    }
    let said = play.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].contains("more than 64 MiB"), "{said:?}");
    assert!(said[1].contains("connection.max_message"), "{said:?}");
    assert!(play.session.turn.is_some(), "the connection goes on");
}

// V1-INIT-24, V1-RPC-14
#[test]
fn an_agent_can_be_ended_for_good() {
    for starting in [true, false] {
        let mut play = if starting {
            let (mut play, _) = Play::start(config());
            play.connect();
            play
        } else {
            Play::running()
        };
        let effects = play.event(Event::EndAgent);
        assert!(effects.contains(&Effect::StopAgent(play.connection)));
        assert!(play.said_last().contains("was ended"));
        assert!(matches!(play.session.phase, Phase::Failed { .. }));
        assert!(play.session.turn.is_none() && play.session.deadline().is_none());
        // Nothing starts by itself, and nothing ends twice.
        play.event(Event::Submit(prompt("still there?")));
        let effects = play.event(Event::EndAgent);
        assert!(matches!(&effects[..], [Effect::Toast(_)]), "{effects:?}");
        assert!(
            play.event(Event::Restart)
                .contains(&Effect::Spawn(Protocol::V1))
        );
    }
    // One that is not there yet ends as soon as it is, unless it is wanted again by then.
    for wanted in [false, true] {
        let (mut play, _) = Play::start(config());
        play.event(Event::EndAgent);
        if wanted {
            assert_eq!(play.event(Event::Restart), []);
        }
        let effects = play.connect();
        let stopped = effects.contains(&Effect::StopAgent(play.connection));
        assert_eq!(stopped, !wanted, "{effects:?}");
        assert_eq!(play.session.connection.is_some(), wanted);
    }
}

// V1-UPD-10
#[test]
fn an_update_without_meaning_is_one_dim_line() {
    let mut play = Play::running();
    play.update(says("one "));
    for _ in 0..3 {
        play.update(AgentEvent::Unknown {
            what: "hologram".into(),
            raw: crate::model::RawJson("{}".into()),
        });
    }
    play.update(says("sentence"));
    assert_eq!(
        play.said(),
        ["user: go", "agent: one sentence", "· hologram (×3)"]
    );
}

#[test]
fn an_answer_to_initialize_that_is_an_error_is_said() {
    let (mut play, _) = Play::start(config());
    play.connect();
    let effects = play.reply(CallTag::Initialize, failed(-32603, "no node"));
    assert_eq!(wire(&effects), ["stop"]);
    assert!(play.said_last().contains("no node"));
}
