//! Sessions of one agent go to its next process together.

use super::*;
use crate::{
    model::{AuthMethod, AuthMethodKind, ExitStatus, RpcError, TerminalId},
    session::NoticeLevel,
};

const NEXT: ConnectionId = ConnectionId(2);

fn resuming() -> AgentCaps {
    AgentCaps {
        resume: true,
        ..AgentCaps::default()
    }
}

fn hello(methods: bool) -> CallResult {
    let method = AuthMethod {
        id: "key".to_owned(),
        name: "Key".into(),
        description: None,
        kind: AuthMethodKind::Agent,
    };
    let terminal = AuthMethod {
        id: "tty".to_owned(),
        name: "Terminal".into(),
        description: None,
        kind: AuthMethodKind::Terminal {
            args: Vec::new(),
            env: Vec::new(),
        },
    };
    CallResult::Initialized(Box::new(Initialized {
        protocol_version: 1,
        odd_version: None,
        agent_name: Some("Demo".into()),
        agent_version: None,
        caps: resuming(),
        auth_methods: if methods {
            vec![method, terminal]
        } else {
            Vec::new()
        },
    }))
}

/// What was wanted of whom, in short.
fn wanted(effects: &[Routed]) -> Vec<String> {
    let word = |effect: &Effect| match effect {
        Effect::Spawn(_) => Some("spawn".to_owned()),
        Effect::StopAgent(connection) => Some(format!("leave {}", connection.0)),
        Effect::Join(connection) => Some(format!("join {}", connection.0)),
        Effect::ToAgent(ToAgent::Call(call)) => Some(match call {
            Call::Initialize { .. } => "initialize".to_owned(),
            Call::NewSession(_) => "new".to_owned(),
            Call::ResumeSession { id, .. } => format!("resume {}", id.as_str()),
            Call::LoadSession { id, .. } => format!("load {}", id.as_str()),
            Call::Prompt { session, .. } => format!("prompt {}", session.as_str()),
            Call::SetMode { mode, .. } => format!("mode {}", mode.as_str()),
            Call::Authenticate { .. } => "authenticate".to_owned(),
            Call::CloseSession { .. } => "close".to_owned(),
            other => format!("{other:?}"),
        }),
        _ => None,
    };
    let line = |routed: &Routed| Some(format!("{}: {}", routed.by.0, word(&routed.effect)?));
    effects.iter().filter_map(line).collect()
}

impl Bench {
    fn exits(&mut self, connection: ConnectionId) -> Vec<Routed> {
        self.sessions
            .exited(connection, &AgentExit::default(), self.now)
    }

    fn says_on(&mut self, connection: ConnectionId, word: FromAgent) -> Vec<Routed> {
        self.sessions.from_agent(connection, word, self.now)
    }

    fn answers(
        &mut self,
        connection: ConnectionId,
        caller: SessionKey,
        call: CallTag,
        result: CallResult,
    ) -> Vec<Routed> {
        let word = FromAgent::Reply {
            caller,
            call,
            result,
        };
        self.says_on(connection, word)
    }

    fn session(&self, key: SessionKey) -> &Session {
        self.sessions.get(key).expect("a session")
    }

    fn resumed(&mut self, key: SessionKey, id: &str) -> Vec<Routed> {
        let call = CallTag::ResumeSession {
            id: SessionId::new(id),
        };
        self.answers(NEXT, key, call, opened(id))
    }

    fn ends_turn(&mut self, key: SessionKey, id: &str) -> Vec<Routed> {
        let call = CallTag::Prompt {
            session: SessionId::new(id),
        };
        let done = CallResult::PromptDone(StopReason::EndTurn, None);
        self.answers(AGENT, key, call, done)
    }

    fn notices(&self, key: SessionKey) -> Vec<String> {
        let blocks = self.session(key).conversation.transcript.blocks().iter();
        let texts = blocks.filter_map(|block| match &block.kind {
            BlockKind::Notice(notice) if notice.level != NoticeLevel::Quiet => {
                Some(notice.text.to_string())
            }
            _ => None,
        });
        texts.collect()
    }
}

fn refused() -> CallResult {
    CallResult::Failed(RpcError::new(code::AUTH_REQUIRED, "log in first"))
}

// V1-RPC-19
#[test]
fn one_key_brings_back_all_sessions_of_an_agent_that_ended() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.prompt(first);
    bench.prompt(second);
    bench.exits(AGENT);
    let text = "typed meanwhile".to_owned();
    let blocks = vec![PromptBlock::Text(text.clone())];
    bench.apply(first, Event::Submit(Prompt { text, blocks }));
    assert_eq!(wanted(&bench.apply(second, Event::Restart)), ["2: spawn"]);
    // Asked for twice, it is started once.
    assert!(wanted(&bench.apply(first, Event::Restart)).is_empty());
    assert_eq!(
        wanted(&bench.apply(second, Event::Connected(NEXT))),
        ["2: initialize"]
    );
    let effects = bench.answers(NEXT, second, CallTag::Initialize, hello(false));
    assert_eq!(
        wanted(&effects),
        ["2: resume s2", "1: join 2", "1: resume s1"]
    );
    bench.resumed(first, "s1");
    bench.resumed(second, "s2");
    for key in [first, second] {
        assert_eq!(bench.session(key).phase, Phase::Ready);
        assert_eq!(bench.session(key).connection, Some(NEXT));
    }
    let queue = &bench.session(first).queue;
    assert_eq!(queue.len(), 1, "what was typed waits still");
}

// V1-SES-02, V1-SES-15
#[test]
fn who_is_at_work_comes_along_when_its_turn_is_over() {
    let (mut bench, first, second) = Bench::two();
    bench.prompt(second);
    let effects = wanted(&bench.apply(first, Event::Restart));
    assert_eq!(effects, ["1: close", "1: leave 1", "1: spawn"]);
    bench.chunk(Some("s2"), "still here");
    assert_eq!(bench.said(second), "still here");
    bench.apply(first, Event::Connected(NEXT));
    bench.answers(NEXT, first, CallTag::Initialize, hello(false));
    assert!(bench.session(second).turn.is_some());
    let effects = wanted(&bench.ends_turn(second, "s2"));
    assert_eq!(effects, ["2: leave 1", "2: join 2", "2: resume s2"]);
}

#[test]
fn all_leave_the_old_process_before_the_new_one_starts() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.beside(second);
    let effects = wanted(&bench.apply(first, Event::Restart));
    assert_eq!(
        effects,
        ["1: leave 1", "2: leave 1", "3: leave 1", "1: spawn"]
    );
}

// V1-CAN-08
#[test]
fn an_abandoned_turn_takes_along_who_is_at_rest() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.prompt(first);
    bench.apply(first, Event::Stop);
    bench.now += std::time::Duration::from_secs(10);
    bench.sessions.tick(bench.now);
    let effects = wanted(&bench.apply(first, Event::Stop));
    assert_eq!(effects, ["1: leave 1", "2: leave 1", "1: spawn"]);
    // Two that hang, one after the other, end up with one process all the same.
    bench.apply(first, Event::Connected(NEXT));
    bench.answers(NEXT, first, CallTag::Initialize, hello(false));
    assert_eq!(bench.session(second).connection, Some(NEXT));
}

#[test]
fn a_process_that_does_not_come_is_said_in_all_that_wait_for_it() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.exits(AGENT);
    bench.apply(second, Event::Restart);
    let error = SafeText::from("no such program");
    bench.apply(second, Event::SpawnFailed { error });
    for key in [first, second] {
        assert!(matches!(bench.session(key).phase, Phase::Failed { .. }));
        let last = bench.notices(key).pop().unwrap_or_default();
        assert!(last.contains("no such program"), "{last}");
    }
    // The next try is one for all of them again.
    assert_eq!(wanted(&bench.apply(first, Event::Restart)), ["1: spawn"]);
    assert!(matches!(
        bench.session(second).phase,
        Phase::Starting { .. }
    ));
}

/// One that left a process for another does not come back to it because that other one failed: the
/// person wanted to be rid of it.
#[test]
fn a_start_that_failed_is_tried_again_though_the_old_process_runs() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.prompt(first);
    let effects = wanted(&bench.apply(second, Event::Restart));
    assert!(effects.contains(&"2: spawn".to_owned()), "{effects:?}");
    bench.apply(second, Event::Connected(NEXT));
    bench.exits(NEXT);
    assert!(matches!(bench.session(second).phase, Phase::Failed { .. }));
    assert_eq!(bench.session(first).connection, Some(AGENT));
    assert_eq!(wanted(&bench.apply(second, Event::Restart)), ["2: spawn"]);
}

#[test]
fn who_starts_it_may_go_and_another_one_does() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.exits(AGENT);
    bench.apply(second, Event::Restart);
    bench.sessions.remove(second);
    assert_eq!(wanted(&bench.sessions.settle(bench.now)), ["1: spawn"]);
    bench.apply(first, Event::Connected(NEXT));
    let effects = bench.answers(NEXT, first, CallTag::Initialize, hello(false));
    assert_eq!(wanted(&effects), ["1: resume s1"]);
}

#[test]
fn ending_the_agent_while_it_starts_ends_it_for_all() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    bench.exits(AGENT);
    bench.apply(second, Event::Restart);
    bench.apply(first, Event::EndAgent);
    for key in [first, second] {
        assert!(matches!(bench.session(key).phase, Phase::Failed { .. }));
    }
    // It came all the same: nobody wants it.
    let effects = wanted(&bench.apply(second, Event::Connected(NEXT)));
    assert_eq!(effects, ["2: leave 2"]);
}

#[test]
fn a_session_that_failed_alone_joins_the_process_that_runs() {
    let (mut bench, first, second) = Bench::two_with(resuming());
    let (third, _) = bench.beside(second);
    let broken = CallResult::Failed(RpcError::new(code::INTERNAL, "no room"));
    bench.reply(third, CallTag::NewSession, broken);
    assert!(matches!(bench.session(third).phase, Phase::Failed { .. }));
    let effects = wanted(&bench.apply(third, Event::Restart));
    assert_eq!(effects, ["3: join 1", "3: new"]);
    assert_eq!(bench.session(first).connection, Some(AGENT));
}

#[test]
fn many_sessions_are_opened_a_few_at_a_time_and_the_one_shown_at_once() {
    let (mut bench, first, _) = Bench::two_with(resuming());
    let mut keys: Vec<SessionKey> = Vec::new();
    while bench.sessions.len() < MAX_SESSIONS {
        let (key, _) = bench.beside(first);
        bench.reply(key, CallTag::NewSession, opened(&format!("s{}", key.0)));
        keys.push(key);
    }
    bench.exits(AGENT);
    bench.apply(first, Event::Restart);
    bench.apply(first, Event::Connected(NEXT));
    bench.answers(NEXT, first, CallTag::Initialize, hello(false));
    let opening = |bench: &Bench| {
        let phases = bench.sessions.iter().map(|(_, session)| &session.phase);
        phases
            .filter(|p| matches!(p, Phase::Opening { .. }))
            .count()
    };
    // The one shown is the last: it did not wait.
    assert_eq!(opening(&bench), 5);
    let next = keys[keys.len() - 2];
    bench.sessions.show(next);
    let effects = wanted(&bench.sessions.settle(bench.now));
    assert_eq!(effects.len(), 2, "{effects:?}");
    let mut ready = 0;
    while opening(&bench) > 0 {
        let opening = bench.sessions.iter().find_map(|(key, session)| {
            matches!(session.phase, Phase::Opening { .. }).then_some(key)
        });
        let key = opening.expect("one is opened");
        bench.resumed(key, &format!("s{}", key.0));
        ready += 1;
        assert!(opening_at_most(&bench, 6));
    }
    assert_eq!(ready, MAX_SESSIONS);
}

fn opening_at_most(bench: &Bench, most: usize) -> bool {
    let phases = bench.sessions.iter().map(|(_, session)| &session.phase);
    phases
        .filter(|p| matches!(p, Phase::Opening { .. }))
        .count()
        <= most
}

/// Two sessions whose agent has ways to sign in; the second is shown.
fn two_with_methods() -> (Bench, SessionKey, SessionKey) {
    let mut bench = Bench {
        sessions: Sessions::default(),
        now: Instant::now(),
        requests: 0,
    };
    let (first, _) = bench.sessions.open(config(), bench.now).expect("room");
    bench.apply(first, Event::Connected(AGENT));
    bench.reply(first, CallTag::Initialize, hello(true));
    bench.reply(first, CallTag::NewSession, opened("s1"));
    let (second, _) = bench.beside(first);
    bench.reply(second, CallTag::NewSession, opened("s2"));
    (bench, first, second)
}

fn prompt_of(id: &str) -> CallTag {
    CallTag::Prompt {
        session: SessionId::new(id),
    }
}

// V1-AUTH-08
#[test]
fn a_sign_in_frees_the_other_sessions_that_wait_for_one() {
    let (mut bench, first, second) = two_with_methods();
    bench.prompt(first);
    bench.reply(first, prompt_of("s1"), refused());
    // One that is opened meanwhile wants it as well.
    let (third, _) = bench.beside(second);
    bench.reply(third, CallTag::NewSession, refused());
    bench.prompt(second);
    bench.reply(second, prompt_of("s2"), refused());
    let method = "key".to_owned();
    bench.apply(second, Event::Authenticate { method });
    let method = "key".to_owned();
    let effects = bench.reply(
        second,
        CallTag::Authenticate { method },
        CallResult::Authenticated,
    );
    assert_eq!(wanted(&effects), ["2: prompt s2", "1: prompt s1", "3: new"]);
    // Refused again, it is not asked for again and again.
    bench.reply(first, prompt_of("s1"), refused());
    assert_eq!(bench.session(first).phase, Phase::Ready);
    assert!(bench.session(first).queue_held);
}

// V1-AUTH-04, V1-AUTH-08
#[test]
fn a_sign_in_at_a_terminal_takes_the_other_sessions_along() {
    let (mut bench, first, second) = two_with_methods();
    bench.prompt(first);
    bench.reply(first, prompt_of("s1"), refused());
    bench.apply(second, Event::WantSignIn);
    let method = "tty".to_owned();
    bench.apply(second, Event::Authenticate { method });
    let terminal = TerminalId::new("login");
    bench.apply(
        second,
        Event::LoginStarted {
            terminal: terminal.clone(),
            command: "agent login".into(),
            cwd: "/project".into(),
        },
    );
    let status = ExitStatus {
        code: Some(0),
        signal: None,
    };
    let effects = bench.apply(second, Event::LoginEnded { terminal, status });
    assert_eq!(wanted(&effects), ["2: leave 1", "1: leave 1", "2: spawn"]);
    bench.apply(second, Event::Connected(NEXT));
    bench.answers(NEXT, second, CallTag::Initialize, hello(true));
    let effects = bench.resumed(first, "s1");
    assert_eq!(wanted(&effects), ["1: prompt s1"], "what was wanted");
}

// V1-AUTH-04
#[test]
fn a_sign_in_at_a_terminal_is_one_for_the_agents_other_processes() {
    let (mut bench, first, second) = two_with_methods();
    let (alone, _) = bench.sessions.open(config(), bench.now).expect("room");
    let own = ConnectionId(7);
    bench.apply(alone, Event::Connected(own));
    bench.answers(own, alone, CallTag::Initialize, hello(true));
    bench.answers(own, alone, CallTag::NewSession, refused());
    bench.apply(first, Event::WantSignIn);
    let method = "tty".to_owned();
    bench.apply(first, Event::Authenticate { method });
    let terminal = TerminalId::new("login");
    bench.apply(
        first,
        Event::LoginStarted {
            terminal: terminal.clone(),
            command: "agent login".into(),
            cwd: "/project".into(),
        },
    );
    let status = ExitStatus {
        code: Some(0),
        signal: None,
    };
    let effects = wanted(&bench.apply(first, Event::LoginEnded { terminal, status }));
    assert_eq!(
        effects,
        [
            "1: leave 1",
            "3: leave 7",
            "2: leave 1",
            "1: spawn",
            "3: spawn"
        ]
    );
    let _ = second;
}
