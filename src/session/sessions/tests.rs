//! Several sessions, one agent or more.

use crate::{
    model::{
        AgentCaps, AgentEvent, Call, CallResult, CallTag, ChunkRole, ClientCaps, ContentBlock,
        Elicitation, ElicitationMode, ElicitationScope, Form, HostReply, HostRequest, Initialized,
        PermissionKind, PermissionOption, PermissionRequest, PromptBlock, Protocol, RequestKey,
        SessionOpened, StopReason, ToAgent, ToolCallId, ToolCallPatch, code,
    },
    session::{BlockKind, Prompt, Start, Verdict},
    text::SafeText,
};

use super::*;

mod random;
mod shared_agent;

const AGENT: ConnectionId = ConnectionId(1);

struct Bench {
    sessions: Sessions,
    now: Instant,
    requests: u64,
}

fn config() -> SessionConfig {
    SessionConfig {
        agent: "demo".into(),
        command: "demo".into(),
        login: None,
        cwd: "/project".into(),
        worktree: None,
        additional_directories: Vec::new(),
        mcp_servers: Vec::new(),
        mcp_problems: Vec::new(),
        modes: None,
        system_prompt: None,
        caps: ClientCaps::default(),
        protocol: Protocol::V1,
        dialect: crate::model::Dialect::default(),
        start_timeout: std::time::Duration::from_secs(60),
        start: Start::New,
        settings: Vec::new(),
        first_prompt: None,
        unattended: false,
    }
}

impl Bench {
    /// Two sessions, `s1` and `s2`, with the same agent; the second is shown.
    fn two() -> (Self, SessionKey, SessionKey) {
        Self::two_with(AgentCaps {
            close: true,
            ..AgentCaps::default()
        })
    }

    fn two_with(caps: AgentCaps) -> (Self, SessionKey, SessionKey) {
        let mut bench = Self {
            sessions: Sessions::default(),
            now: Instant::now(),
            requests: 0,
        };
        let (first, _) = bench.sessions.open(config(), bench.now).expect("room");
        bench.apply(first, Event::Connected(AGENT));
        bench.reply(
            first,
            CallTag::Initialize,
            CallResult::Initialized(Box::new(Initialized {
                protocol_version: 1,
                odd_version: None,
                agent_name: Some("Demo".into()),
                agent_version: None,
                caps,
                auth_methods: Vec::new(),
            })),
        );
        bench.reply(first, CallTag::NewSession, opened("s1"));
        let (second, effects) = bench.beside(first);
        assert!(
            matches!(
                &effects[..],
                [
                    Routed { effect: Effect::Join(AGENT), .. },
                    Routed { by, effect: Effect::ToAgent(ToAgent::Call(Call::NewSession(_))) },
                ] if *by == second
            ),
            "no process of its own, no second handshake: {effects:?}"
        );
        bench.reply(second, CallTag::NewSession, opened("s2"));
        (bench, first, second)
    }

    fn beside(&mut self, key: SessionKey) -> (SessionKey, Vec<Routed>) {
        let opened = self.sessions.open_beside(key, config(), self.now);
        opened.expect("room")
    }

    fn apply(&mut self, key: SessionKey, event: Event) -> Vec<Routed> {
        self.sessions.apply(key, event, self.now)
    }

    fn says(&mut self, word: FromAgent) -> Vec<Routed> {
        self.sessions.from_agent(AGENT, word, self.now)
    }

    fn reply(&mut self, caller: SessionKey, call: CallTag, result: CallResult) -> Vec<Routed> {
        self.says(FromAgent::Reply {
            caller,
            call,
            result,
        })
    }

    fn chunk(&mut self, session: Option<&str>, text: &str) {
        self.says(FromAgent::Update {
            session: session.map(SessionId::new),
            event: AgentEvent::Chunk {
                role: ChunkRole::Agent,
                message: None,
                meta: Default::default(),
                content: ContentBlock::Text(SafeText::new(text)),
            },
        });
    }

    fn asks(&mut self, session: &str) -> Vec<Routed> {
        self.requests += 1;
        self.says(FromAgent::Request {
            key: RequestKey {
                connection: AGENT,
                number: self.requests,
            },
            request: HostRequest::Permission(Box::new(PermissionRequest {
                session: SessionId::new(session),
                title: None,
                description: None,
                subject: crate::model::PermissionSubject::ToolCall(Box::new(ToolCallPatch::new(
                    ToolCallId::new("call"),
                ))),
                options: vec![PermissionOption {
                    id: crate::model::OptionId::new("yes"),
                    name: "Yes".into(),
                    kind: PermissionKind::AllowOnce,
                }],
            })),
        })
    }

    fn prompt(&mut self, key: SessionKey) {
        let text = "go".to_owned();
        let blocks = vec![PromptBlock::Text(text.clone())];
        self.apply(key, Event::Submit(Prompt { text, blocks }));
    }

    /// What the agent has said in it.
    fn said(&self, key: SessionKey) -> String {
        let session = self.sessions.get(key).expect("a session");
        let blocks = session.conversation.transcript.blocks().iter();
        let said = blocks.filter_map(|block| match &block.kind {
            BlockKind::Agent(message) => Some(message.text.as_str()),
            _ => None,
        });
        said.collect()
    }
}

fn opened(id: &str) -> CallResult {
    CallResult::SessionOpened(Box::new(SessionOpened {
        id: Some(SessionId::new(id)),
        modes: None,
        config_options: Vec::new(),
        commands: Vec::new(),
    }))
}

// V1-SES-02
#[test]
fn turns_of_two_sessions_run_side_by_side() {
    let (mut bench, first, second) = Bench::two();
    bench.prompt(first);
    bench.prompt(second);
    bench.chunk(Some("s1"), "one ");
    bench.chunk(Some("s2"), "two");
    bench.chunk(Some("s1"), "goes on");
    let done = |id: &str| CallTag::Prompt {
        session: SessionId::new(id),
    };
    bench.reply(
        second,
        done("s2"),
        CallResult::PromptDone(StopReason::EndTurn, None),
    );
    assert_eq!(bench.said(first), "one goes on");
    assert_eq!(bench.said(second), "two");
    let turn = |key| {
        bench
            .sessions
            .get(key)
            .map(|session| session.turn.is_some())
    };
    assert_eq!((turn(first), turn(second)), (Some(true), Some(false)));
    assert_eq!(
        bench.sessions.elsewhere(),
        Elsewhere {
            open: 1,
            working: 1,
            ..Elsewhere::default()
        }
    );
}

// V1-PERM-08
#[test]
fn questions_stay_with_the_session_that_asks() {
    let (mut bench, first, second) = Bench::two();
    for (key, id) in [(first, "s1"), (second, "s2"), (first, "s1"), (second, "s2")] {
        if bench.sessions.get(key).is_some_and(|s| s.turn.is_none()) {
            bench.prompt(key);
        }
        let effects = bench.asks(id);
        for Routed { by, effect } in effects {
            assert_eq!(by, key);
            if let Effect::Decide { question, .. } = effect {
                let verdict = Verdict::ask(None);
                bench.apply(
                    by,
                    Event::Decided {
                        question,
                        revision: None,
                        verdict,
                    },
                );
            }
        }
    }
    let waiting = |bench: &Bench, key| {
        let session = bench.sessions.get(key).expect("a session");
        session.waiting_questions().count()
    };
    assert_eq!((waiting(&bench, first), waiting(&bench, second)), (2, 2));
    let question = bench.sessions.get(first).and_then(Session::shown_question);
    let question = question.expect("a question").id();
    let effects = bench.apply(
        first,
        Event::Answer {
            question,
            option: crate::model::OptionId::new("yes"),
        },
    );
    assert!(
        matches!(
            &effects[..],
            [Routed { effect: Effect::ToAgent(ToAgent::Reply { key, .. }), .. }] if key.number == 1
        ),
        "{effects:?}"
    );
    assert_eq!((waiting(&bench, first), waiting(&bench, second)), (1, 2));
}

// V1-SES-04
#[test]
fn a_request_of_no_known_session_is_refused() {
    let (mut bench, _, _) = Bench::two();
    let effects = bench.asks("s3");
    let [
        Routed {
            effect:
                Effect::ToAgent(ToAgent::Reply {
                    reply: HostReply::Error(error),
                    ..
                }),
            ..
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!(error.code, code::NOT_FOUND);
}

// D-11
#[test]
fn an_update_without_a_session_is_for_the_only_one_that_works() {
    let (mut bench, first, second) = Bench::two();
    bench.chunk(None, "whose?");
    bench.prompt(first);
    bench.chunk(None, "the first's");
    assert_eq!(bench.said(first), "the first's");
    bench.prompt(second);
    bench.chunk(None, "whose?");
    assert_eq!(
        (&*bench.said(first), &*bench.said(second)),
        ("the first's", "")
    );
}

// V1-SES-03
#[test]
fn what_comes_before_a_session_is_named_waits_for_its_name() {
    let (mut bench, first, _) = Bench::two();
    let (third, _) = bench.beside(first);
    bench.chunk(Some("s3"), "early");
    bench.chunk(Some("s1"), "first");
    assert_eq!(bench.said(first), "first");
    bench.reply(third, CallTag::NewSession, opened("s3"));
    assert_eq!(bench.said(third), "early");
}

// V1-SES-02
#[test]
fn a_session_that_gets_the_id_of_another_one_is_refused() {
    let (mut bench, first, _) = Bench::two();
    let (third, _) = bench.beside(first);
    bench.reply(third, CallTag::NewSession, opened("s1"));
    let session = bench.sessions.get(third).expect("it is there");
    assert_eq!(session.id, None);
    let said = format!("{:?}", session.phase);
    assert!(said.contains("the id of another session"), "{said}");
    bench.chunk(Some("s1"), "the first's");
    assert_eq!(bench.said(first), "the first's");
    assert_eq!(bench.said(third), "");
}

#[test]
fn the_next_that_waits_is_found_behind_the_one_that_is_shown_and_then_from_the_start() {
    let (mut bench, first, second) = Bench::two();
    assert_eq!(bench.sessions.next_waiting(), None);
    for (key, id) in [(first, "s1"), (second, "s2")] {
        bench.prompt(key);
        for Routed { by, effect } in bench.asks(id) {
            if let Effect::Decide { question, .. } = effect {
                let verdict = Verdict::ask(None);
                let event = Event::Decided {
                    question,
                    revision: None,
                    verdict,
                };
                bench.apply(by, event);
            }
        }
    }
    assert_eq!(bench.sessions.next_waiting(), Some(first));
    bench.sessions.show(first);
    assert_eq!(bench.sessions.next_waiting(), Some(second));
    bench.sessions.remove(second);
    assert_eq!(
        bench.sessions.next_waiting(),
        None,
        "only the one that is shown"
    );
}

// V1-RPC-19
#[test]
fn an_agent_that_ends_ends_all_its_sessions() {
    let (mut bench, first, second) = Bench::two();
    bench
        .sessions
        .exited(AGENT, &AgentExit::default(), bench.now);
    for key in [first, second] {
        let phase = bench.sessions.get(key).map(|session| &session.phase);
        assert!(matches!(phase, Some(Phase::Failed { .. })), "{phase:?}");
    }
}

#[test]
fn the_session_before_is_shown_when_one_goes() {
    let (mut bench, first, second) = Bench::two();
    assert_eq!(bench.sessions.shown_key(), Some(second));
    assert!(bench.sessions.remove(second).is_some());
    assert_eq!(bench.sessions.shown_key(), Some(first));
    assert!(bench.sessions.remove(first).is_some());
    assert!(bench.sessions.shown().is_none());
    assert!(bench.apply(first, Event::Tick).is_empty());
}

#[test]
fn the_number_of_sessions_is_bounded() {
    let (mut bench, _, _) = Bench::two();
    while bench.sessions.open(config(), bench.now).is_some() {}
    assert_eq!(bench.sessions.len(), MAX_SESSIONS);
}

// V1-ELI-02
#[test]
fn a_question_for_a_request_goes_to_whose_request_it_is() {
    let (mut bench, first, second) = Bench::two();
    let mut asks = |caller: Option<SessionKey>| {
        bench.requests += 1;
        let key = RequestKey {
            connection: AGENT,
            number: bench.requests,
        };
        let request = HostRequest::Elicitation(Box::new(Elicitation {
            scope: ElicitationScope::Request {
                id: "7".to_owned(),
                caller,
            },
            message: "Which tenant?".into(),
            mode: ElicitationMode::Form(Form::default()),
        }));
        bench.says(FromAgent::Request { key, request });
        let asked = |key: SessionKey| {
            let session = bench.sessions.get(key).expect("a session");
            session.questions.len()
        };
        (asked(first), asked(second))
    };
    assert_eq!(asks(Some(second)), (0, 1));
    assert_eq!(asks(Some(first)), (1, 1));
    // The request is answered already, or was never one of ours.
    assert_eq!(asks(None), (2, 1));
}

#[test]
fn ending_an_agent_ends_it_for_all_that_it_serves() {
    let (mut bench, first, second) = Bench::two();
    let effects = bench.apply(first, Event::EndAgent);
    for key in [first, second] {
        let session = bench.sessions.get(key).expect("it is kept");
        assert_eq!(session.connection, None);
        assert!(matches!(session.phase, Phase::Failed { .. }));
        let stop = Routed {
            by: key,
            effect: Effect::StopAgent(AGENT),
        };
        assert!(effects.contains(&stop), "{effects:?}");
    }
}

// V1-RPC-21
#[test]
fn a_message_that_was_too_long_is_said_in_every_session_of_the_agent() {
    let (mut bench, first, second) = Bench::two();
    bench.says(FromAgent::Oversized { limit: 1 << 20 });
    for key in [first, second] {
        let session = bench.sessions.get(key).expect("it is kept");
        let last = session
            .conversation
            .transcript
            .blocks()
            .last()
            .expect("a block");
        let BlockKind::Notice(notice) = &last.kind else {
            panic!("no notice");
        };
        assert!(notice.text.contains("more than 1 MiB"), "{}", notice.text);
    }
}

// V1-SUB-02, V1-SES-02: with several sessions on a connection.
#[test]
fn a_childs_words_and_requests_go_to_its_parent() {
    let (mut bench, first, second) = Bench::two();
    let child = crate::model::SubagentPatch::new(SessionId::new("c"));
    bench.says(FromAgent::Update {
        session: Some(SessionId::new("s2")),
        event: AgentEvent::Subagent(Box::new(child)),
    });
    bench.chunk(Some("c"), "found it");
    let effects = bench.asks("c");
    assert!(
        effects.iter().all(|routed| routed.by == second),
        "{effects:?}"
    );
    let parent = bench.sessions.get(second).expect("a session");
    let known = parent.subagents.get(&SessionId::new("c")).expect("known");
    assert_eq!(known.conversation.transcript.blocks().len(), 2);
    assert_eq!(parent.questions.len(), 1);
    assert!(
        bench
            .sessions
            .get(first)
            .expect("a session")
            .questions
            .is_empty()
    );
    assert_eq!(
        (bench.said(first), bench.said(second)),
        (String::new(), String::new())
    );
}

#[test]
fn who_is_signed_in_is_told_to_all_sessions_of_the_agent_and_said_in_none() {
    let account = |label: &'static str| crate::model::Account {
        none: false,
        label: label.into(),
        detail: None,
    };
    let (mut bench, _, _) = Bench::two();
    for n in 0..1_000 {
        let label = if n % 2 == 0 { "API key" } else { "Claude Max" };
        bench.says(FromAgent::Account(account(label)));
    }
    for (_, session) in bench.sessions.iter() {
        assert_eq!(session.agent.account, Some(account("Claude Max")));
        assert!(session.conversation.transcript.blocks().is_empty());
    }
}
