//! Whatever happens to several sessions of an agent, in whatever order: none is forgotten, and no
//! process is started that nobody has.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::{
    model::{AuthMethod, AuthMethodKind, ExitStatus, RpcError, TerminalId},
    session::SignInStep,
};

#[derive(Clone, Debug)]
enum Act {
    Beside(usize),
    Close(usize),
    Show(usize),
    Prompt(usize),
    Stop(usize),
    Restart(usize),
    EndAgent(usize),
    SignIn(usize),
    LogIn(usize),
    LoginEnds(usize, bool),
    Asks(usize),
    /// A process that was asked for is there, or does not come.
    Comes(usize, bool),
    Exits(usize),
    Reply(usize, u8),
    Wait,
}

fn act() -> impl Strategy<Value = Act> {
    let n = 0..6usize;
    prop_oneof![
        2 => n.clone().prop_map(Act::Beside),
        1 => n.clone().prop_map(Act::Close),
        1 => n.clone().prop_map(Act::Show),
        4 => n.clone().prop_map(Act::Prompt),
        3 => n.clone().prop_map(Act::Stop),
        2 => n.clone().prop_map(Act::Restart),
        1 => n.clone().prop_map(Act::EndAgent),
        2 => n.clone().prop_map(Act::SignIn),
        2 => n.clone().prop_map(Act::LogIn),
        2 => (n.clone(), any::<bool>()).prop_map(|(n, well)| Act::LoginEnds(n, well)),
        1 => n.clone().prop_map(Act::Asks),
        5 => (n.clone(), prop::bool::weighted(0.9)).prop_map(|(n, well)| Act::Comes(n, well)),
        1 => n.clone().prop_map(Act::Exits),
        14 => (n, 0..8u8).prop_map(|(n, kind)| Act::Reply(n, kind)),
        1 => Just(Act::Wait),
    ]
}

struct World {
    bench: Bench,
    /// Who has which connection, as the machine's side knows it.
    on: BTreeMap<SessionKey, ConnectionId>,
    asked_for: BTreeSet<SessionKey>,
    calls: Vec<(ConnectionId, SessionKey, CallTag)>,
    connections: u32,
    named: u32,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            bench: Bench {
                sessions: Sessions::default(),
                now: Instant::now(),
                requests: 0,
            },
            on: BTreeMap::new(),
            asked_for: BTreeSet::new(),
            calls: Vec::new(),
            connections: 0,
            named: 0,
        };
        let (_, effects) = world
            .bench
            .sessions
            .open(config(), world.bench.now)
            .expect("room");
        world.carry_out(effects);
        world
    }

    fn key(&self, n: usize) -> Option<SessionKey> {
        let sessions = &self.bench.sessions;
        let count = sessions.len().max(1);
        sessions.iter().nth(n % count).map(|(key, _)| key)
    }

    fn carry_out(&mut self, effects: Vec<Routed>) {
        for Routed { by, effect } in effects {
            match effect {
                Effect::Spawn(_) => {
                    assert!(!self.on.contains_key(&by), "{by:?} has one");
                    self.asked_for.insert(by);
                }
                Effect::StopAgent(_) => self.leave(by),
                Effect::Join(connection) => {
                    assert!(!self.on.contains_key(&by), "{by:?} has one");
                    let live = self.on.values().any(|other| *other == connection);
                    assert!(live, "nobody has {connection:?}");
                    self.on.insert(by, connection);
                }
                Effect::ToAgent(ToAgent::Call(call)) => {
                    let connection = self.on.get(&by).copied();
                    let connection = connection.unwrap_or_else(|| panic!("{call:?} to nobody"));
                    self.calls.push((connection, by, call.tag()));
                }
                _ => {}
            }
        }
        self.look();
    }

    fn leave(&mut self, key: SessionKey) {
        if let Some(connection) = self.on.remove(&key)
            && !self.on.values().any(|other| *other == connection)
        {
            self.calls.retain(|(on, _, _)| *on != connection);
        }
    }

    fn look(&self) {
        let mut starters = BTreeMap::new();
        let sessions = &self.bench.sessions;
        let agent_of = |key| sessions.entry(key).expect("a session").agent;
        for (key, session) in sessions.iter() {
            assert_eq!(session.connection, self.on.get(&key).copied(), "{key:?}");
            let waits = session.awaits_agent();
            if matches!(session.phase, Phase::Starting { .. }) {
                let starts = self.asked_for.contains(&key) || self.on.contains_key(&key);
                assert!(waits || starts, "{key:?} waits for nothing");
                if !waits {
                    let other = starters.insert(agent_of(key), key);
                    assert_eq!(other, None, "two processes for one agent");
                    assert_eq!(sessions.starter(agent_of(key)), Some(key));
                }
            }
            if waits {
                let agent = agent_of(key);
                let served = sessions.starter(agent).is_some() || sessions.newest(agent).is_some();
                assert!(served, "{key:?} waits for nobody");
            }
        }
    }

    fn event(&mut self, key: SessionKey, event: Event) {
        let effects = self.bench.apply(key, event);
        self.carry_out(effects);
    }

    fn comes(&mut self, key: SessionKey, well: bool) {
        if !self.asked_for.remove(&key) || self.bench.sessions.get(key).is_none() {
            return;
        }
        if self.on.contains_key(&key) {
            // Started for nothing: ended unseen.
            return;
        }
        if well {
            self.connections += 1;
            let connection = ConnectionId(self.connections);
            self.on.insert(key, connection);
            self.event(key, Event::Connected(connection));
        } else {
            self.event(key, Event::SpawnFailed { error: "no".into() });
        }
    }

    fn reply(&mut self, n: usize, kind: u8) {
        if self.calls.is_empty() {
            return;
        }
        let (connection, caller, call) = self.calls.remove(n % self.calls.len());
        self.named += 1;
        let result = match (kind, &call) {
            (0, CallTag::Initialize | CallTag::NewSession | CallTag::Prompt { .. }) => {
                CallResult::Failed(RpcError::new(code::INTERNAL, "broken"))
            }
            (1, _) => CallResult::Failed(RpcError::new(code::AUTH_REQUIRED, "log in")),
            (_, CallTag::Initialize) => CallResult::Initialized(Box::new(Initialized {
                protocol_version: 1,
                odd_version: None,
                agent_name: None,
                agent_version: None,
                caps: AgentCaps {
                    resume: kind > 3,
                    close: kind > 5,
                    ..AgentCaps::default()
                },
                auth_methods: [
                    ("key", AuthMethodKind::Agent),
                    (
                        "tty",
                        AuthMethodKind::Terminal {
                            args: Vec::new(),
                            env: Vec::new(),
                        },
                    ),
                ]
                .map(|(id, kind)| AuthMethod {
                    id: id.to_owned(),
                    name: id.into(),
                    description: None,
                    kind,
                })
                .into(),
            })),
            (_, CallTag::NewSession) => opened(&format!("s{}", self.named)),
            (_, CallTag::ResumeSession { id }) => opened(id.as_str()),
            (_, CallTag::Prompt { .. }) => CallResult::PromptDone(StopReason::EndTurn, None),
            (_, CallTag::Authenticate { .. }) => CallResult::Authenticated,
            (_, CallTag::CloseSession { .. }) => CallResult::SessionClosed,
            _ => CallResult::Failed(RpcError::new(code::METHOD_NOT_FOUND, "no")),
        };
        let word = FromAgent::Reply {
            caller,
            call,
            result,
        };
        let effects = self
            .bench
            .sessions
            .from_agent(connection, word, self.bench.now);
        self.carry_out(effects);
    }

    fn act(&mut self, act: Act) {
        let n = match act {
            Act::Beside(n)
            | Act::Close(n)
            | Act::Show(n)
            | Act::Prompt(n)
            | Act::Stop(n)
            | Act::Restart(n)
            | Act::EndAgent(n)
            | Act::SignIn(n)
            | Act::LogIn(n)
            | Act::LoginEnds(n, _)
            | Act::Asks(n)
            | Act::Comes(n, _)
            | Act::Exits(n)
            | Act::Reply(n, _) => n,
            Act::Wait => 0,
        };
        let Some(key) = self.key(n) else { return };
        match act {
            Act::Beside(_) => {
                let opened = self
                    .bench
                    .sessions
                    .open_beside(key, config(), self.bench.now);
                if let Some((_, effects)) = opened {
                    self.carry_out(effects);
                }
            }
            Act::Close(_) => {
                if self.bench.sessions.len() < 2 {
                    return;
                }
                self.bench.sessions.remove(key);
                self.asked_for.remove(&key);
                self.leave(key);
                let effects = self.bench.sessions.settle(self.bench.now);
                self.carry_out(effects);
            }
            Act::Show(_) => {
                self.bench.sessions.show(key);
                let effects = self.bench.sessions.settle(self.bench.now);
                self.carry_out(effects);
            }
            Act::Prompt(_) => {
                let text = "go".to_owned();
                let blocks = vec![PromptBlock::Text(text.clone())];
                self.event(key, Event::Submit(Prompt { text, blocks }));
            }
            Act::Stop(_) => self.event(key, Event::Stop),
            Act::Restart(_) => self.event(key, Event::Restart),
            Act::EndAgent(_) => self.event(key, Event::EndAgent),
            Act::SignIn(_) => {
                let method = "key".to_owned();
                self.event(key, Event::Authenticate { method });
            }
            Act::LogIn(_) => {
                let method = "tty".to_owned();
                self.event(key, Event::Authenticate { method });
                let terminal = TerminalId::new(format!("login-{}", key.0));
                self.event(
                    key,
                    Event::LoginStarted {
                        terminal,
                        command: "login".into(),
                        cwd: "/".into(),
                    },
                );
            }
            Act::LoginEnds(_, well) => {
                let terminal = TerminalId::new(format!("login-{}", key.0));
                let status = ExitStatus {
                    code: Some(i64::from(!well)),
                    signal: None,
                };
                self.event(key, Event::LoginEnded { terminal, status });
            }
            Act::Asks(_) => {
                let session = self.bench.sessions.get(key);
                let Some((id, connection)) =
                    session.and_then(|s| Some((s.id.clone()?, s.connection?)))
                else {
                    return;
                };
                self.bench.requests += 1;
                let word = FromAgent::Request {
                    key: RequestKey {
                        connection,
                        number: self.bench.requests,
                    },
                    request: HostRequest::Permission(Box::new(PermissionRequest {
                        session: id,
                        title: None,
                        description: None,
                        subject: crate::model::PermissionSubject::ToolCall(Box::new(
                            ToolCallPatch::new(ToolCallId::new("call")),
                        )),
                        options: Vec::new(),
                    })),
                };
                let effects = self
                    .bench
                    .sessions
                    .from_agent(connection, word, self.bench.now);
                self.carry_out(effects);
            }
            Act::Comes(_, well) => self.comes(key, well),
            Act::Exits(_) => {
                if let Some(connection) = self.on.get(&key).copied() {
                    self.on.retain(|_, on| *on != connection);
                    self.calls.retain(|(on, _, _)| *on != connection);
                    let exit = AgentExit::default();
                    let effects = self
                        .bench
                        .sessions
                        .exited(connection, &exit, self.bench.now);
                    self.carry_out(effects);
                }
            }
            Act::Reply(n, kind) => self.reply(n, kind),
            Act::Wait => {
                self.bench.now += std::time::Duration::from_secs(5);
                let effects = self.bench.sessions.tick(self.bench.now);
                self.carry_out(effects);
            }
        }
    }

    /// All that was asked for comes, and is answered well: nobody waits for ever, and who has moved
    /// shares one process.
    fn end(mut self) {
        for _ in 0..400 {
            if let Some(key) = self.asked_for.first().copied() {
                self.comes(key, true);
            } else if !self.calls.is_empty() {
                self.reply(0, 6);
            } else {
                break;
            }
        }
        let mut connections = BTreeSet::new();
        for (key, session) in self.bench.sessions.iter() {
            match &session.phase {
                Phase::Ready | Phase::Failed { .. } => {}
                Phase::SignIn { step, .. } => {
                    assert!(!matches!(step, SignInStep::Asking | SignInStep::Cancelling));
                }
                phase => panic!("{key:?} waits for ever: {phase:?}"),
            }
            if session.is_at_rest() {
                connections.extend(session.connection);
            }
        }
        assert!(connections.len() <= 1, "{connections:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// V1-SES-02, V1-RPC-19
    #[test]
    fn whatever_happens_no_session_is_left_behind(acts in prop::collection::vec(act(), 0..120)) {
        let mut world = World::new();
        for act in acts {
            world.act(act);
        }
        world.end();
    }
}
