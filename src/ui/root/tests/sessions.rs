//! The lists of sessions: those that are open, and those of the past.

use super::*;
use crate::{
    model::{
        AgentCaps, ConnectionId, FromAgent, Initialized, Patch, RpcError, SessionInfo,
        SessionInfoPatch, SessionKey, SessionOpened, SessionPage,
    },
    session::{Sessions, Start},
    ui::PastSession,
};

fn past(name: &str, agent: &'static str, when: &'static str) -> PastSession {
    PastSession {
        id: name.to_owned(),
        name: SafeText::line(name),
        agent: agent.into(),
        when: when.into(),
        elsewhere: None,
    }
}

fn pictures(name: &str, sizes: &[(u16, u16)], mut draw: impl FnMut((u16, u16)) -> Buffer) {
    for (width, height) in sizes {
        let name = format!("{name}_{width}x{height}");
        let buffer = draw((*width, *height));
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
}

const SIZES: [(u16, u16); 3] = [(40, 16), (80, 20), (200, 24)];

#[test]
fn pictures_of_the_sessions_of_the_past() {
    let some = || {
        let mut elsewhere = past("fix the flaky test of the parser", "OpenCode", "2 h ago");
        elsewhere.elsewhere = Some("~/src/a-rather-long-name-of-a-directory".into());
        vec![
            past(
                "修复列表命令在终端宽度变化时的显示错误并补充测试",
                "Claude Code",
                "5 min ago",
            ),
            past("ターミナルの幅を測る", "Gemini CLI", "1 h ago"),
            past("", "Demo", "1 h ago"),
            elsewhere,
        ]
    };
    let many = || {
        let one = |n: u32| past(&format!("session number {n}"), "Demo", "3 days ago");
        (1..=60).map(one).collect::<Vec<_>>()
    };
    let all: [(&str, Vec<PastSession>, &str); 4] = [
        ("past_some", some(), ""),
        ("past_none", Vec::new(), ""),
        ("past_many", many(), "end"),
        ("past_narrowed", many(), "n u m b e r space 4"),
    ];
    for (name, list, keys) in all {
        pictures(name, &SIZES, |size| {
            let mut screen = Screen::new(Bench::ready());
            screen.size = size;
            screen.ui.show_past_sessions(list.clone());
            screen.settle();
            screen.press(keys);
            screen.buffer().0
        });
    }
}

/// Four sessions: one ended, one starts, one asks for a sign-in, one is shown.
struct Several {
    screen: Screen,
    sessions: Sessions,
    shown: SessionKey,
}

const AGENT: ConnectionId = ConnectionId(3);

impl Several {
    fn new(list: Result<SessionPage, &str>) -> Self {
        let screen = Screen::new(Bench::ready());
        let mut sessions = Sessions::default();
        let now = screen.bench.context().now;
        let config = crate::session::SessionConfig {
            start: Start::New,
            ..screen.bench.session.config.clone()
        };
        let mut open = || sessions.open(config.clone(), now).expect("room").0;
        let (ended, _starts, asks, shown) = (open(), open(), open(), open());
        let error = SafeText::from("opencode is not installed");
        sessions.apply(ended, Event::SpawnFailed { error }, now);
        let mut connection = AGENT;
        for key in [shown, asks] {
            sessions.apply(key, Event::Connected(connection), now);
            let hello = CallResult::Initialized(Box::new(Initialized {
                protocol_version: 1,
                odd_version: None,
                agent_name: Some("OpenCode".into()),
                agent_version: None,
                caps: AgentCaps {
                    list: true,
                    ..AgentCaps::default()
                },
                auth_methods: Vec::new(),
            }));
            let opened = CallResult::SessionOpened(Box::new(SessionOpened {
                id: Some(crate::model::SessionId::new("s")),
                modes: None,
                config_options: Vec::new(),
                commands: Vec::new(),
            }));
            let opened = match key == shown {
                true => opened,
                false => CallResult::Failed(RpcError::new(-32000, "log in first")),
            };
            for (call, result) in [(CallTag::Initialize, hello), (CallTag::NewSession, opened)] {
                let word = FromAgent::Reply {
                    caller: key,
                    call,
                    result,
                };
                sessions.from_agent(connection, word, now);
            }
            connection = ConnectionId(connection.0 + 1);
        }
        let title = "修复列表命令在终端宽度变化时的显示错误".into();
        let word = FromAgent::Update {
            session: Some(crate::model::SessionId::new("s")),
            event: AgentEvent::SessionInfo(SessionInfoPatch {
                title: Patch::Set(title),
                updated_at: Patch::Keep,
            }),
        };
        sessions.from_agent(AGENT, word, now);
        sessions.apply(shown, Event::ListSessions, now);
        let result = match list {
            Ok(page) => CallResult::SessionsListed(page),
            Err(error) => CallResult::Failed(RpcError::new(-32603, error)),
        };
        let word = FromAgent::Reply {
            caller: shown,
            call: CallTag::ListSessions { first: true },
            result,
        };
        sessions.from_agent(AGENT, word, now);
        Self {
            screen,
            sessions,
            shown,
        }
    }

    fn with<R>(&mut self, go: impl FnOnce(&mut Ui, &UiContext<'_>) -> R) -> R {
        let context = UiContext {
            session: self.sessions.get(self.shown),
            sessions: Some(&self.sessions),
            ..self.screen.bench.context()
        };
        go(&mut self.screen.ui, &context)
    }

    fn press(&mut self, names: &str) -> Vec<UiCommand> {
        let mut commands = Vec::new();
        for name in names.split_whitespace() {
            let chord = Chord::parse(name).unwrap_or_else(|error| panic!("{error}"));
            let event = Input::Key(chord.event());
            commands.extend(self.with(|ui, context| ui.handle(&[event], context)));
            self.buffer((80, 24));
        }
        commands
    }

    fn buffer(&mut self, size: (u16, u16)) -> Buffer {
        let area = Rect::new(0, 0, size.0, size.1);
        let mut buffer = Buffer::empty(area);
        self.with(|ui, context| ui.draw_on(area, &mut buffer, context));
        buffer
    }
}

fn kept(titles: &[&str]) -> SessionPage {
    let info = |title: &&str| SessionInfo {
        id: crate::model::SessionId::new(format!("id-of-{title}")),
        title: Some(SafeText::line(title)),
        cwd: None,
        updated: None,
        additional_directories: Vec::new(),
    };
    SessionPage {
        sessions: titles.iter().map(info).collect(),
        next: None,
    }
}

#[test]
fn pictures_of_the_open_sessions() {
    let mut several = Several::new(Ok(kept(&["mend the parser", "終端の色を直す"])));
    several.press("ctrl-s");
    pictures("sessions", &SIZES, |size| several.buffer(size));
    let mut failed = Several::new(Err("the database of sessions is locked by another process"));
    failed.press("ctrl-s");
    pictures("sessions_untold", &SIZES, |size| failed.buffer(size));
}

#[test]
fn what_heads_the_kept_sessions_is_passed_over() {
    let mut several = Several::new(Ok(kept(&["mend the parser"])));
    several.press("ctrl-s");
    // The last of the actions, then what the agent has kept.
    several.press("end up");
    let commands = several.press("down enter");
    let opens = |command: &UiCommand| matches!(command, UiCommand::OpenSession(_));
    assert!(commands.iter().any(opens), "{commands:?}");
    let mut failed = Several::new(Err("locked"));
    failed.press("ctrl-s end");
    let commands = failed.press("enter");
    let picks = |command: &UiCommand| matches!(command, UiCommand::PickPastSession);
    assert!(commands.iter().any(picks), "{commands:?}");
}
