//! The lists of sessions: those that are open, and those of the past.

use super::*;
use crate::{
    model::{
        AgentCaps, ConnectionId, FromAgent, Initialized, Patch, RpcError, SessionInfo,
        SessionInfoPatch, SessionKey, SessionOpened, SessionPage,
    },
    session::{Sessions, Start},
    ui::{Exchange, FoundInText, PastSession},
};

fn past(name: &str, agent: &'static str, when: &'static str) -> PastSession {
    PastSession {
        id: name.to_owned(),
        name: SafeText::line(name),
        agent: agent.into(),
        when: when.into(),
        branch: None,
        worktree: None,
        elsewhere: None,
        last: Exchange::default(),
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
        elsewhere.branch = Some("mend/parser".into());
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

fn shows(commands: &[UiCommand]) -> Vec<SessionKey> {
    let shown = commands.iter().filter_map(|command| match command {
        UiCommand::ShowSession(key) => Some(*key),
        _ => None,
    });
    shown.collect()
}

#[test]
fn pictures_of_the_tabs() {
    let mut several = Several::new(Ok(SessionPage::default()));
    pictures("tabs", &[(40, 16), (60, 15), (120, 20)], |size| {
        several.buffer(size)
    });
}

#[test]
fn tabs_are_there_where_several_are_open_and_there_is_room() {
    let mut several = Several::new(Ok(SessionPage::default()));
    let mut first = |size| {
        let buffer = several.buffer(size);
        text(&buffer).lines().next().unwrap_or_default().to_owned()
    };
    assert!(first((80, 24)).contains("▸4"), "{}", first((80, 24)));
    assert!(first((80, 14)).contains("▸4"));
    assert!(!first((80, 13)).contains("▸4"));
    let mut alone = Screen::new(Bench::ready());
    assert!(!alone.draw().contains("▸1"));
    several.screen.ui.look.settings.tabs = crate::config::Tabs::Off;
    assert!(!text(&several.buffer((80, 24))).contains("▸4"));
}

#[test]
fn the_nth_key_of_tabs_goes_to_the_nth_session() {
    let mut several = Several::new(Ok(SessionPage::default()));
    let keys: Vec<SessionKey> = several.sessions.iter().map(|(key, _)| key).collect();
    assert_eq!(shows(&several.press("alt-1")), [keys[0]]);
    assert_eq!(shows(&several.press("alt-3")), [keys[2]]);
    assert_eq!(shows(&several.press("alt-7")), []);
    assert!(text(&several.buffer((80, 24))).contains("there is no session 7"));
}

#[test]
fn a_click_on_a_tab_goes_there() {
    use crossterm::event::{MouseButton, MouseEventKind};
    let mut several = Several::new(Ok(SessionPage::default()));
    let keys: Vec<SessionKey> = several.sessions.iter().map(|(key, _)| key).collect();
    let buffer = text(&several.buffer((120, 24)));
    let row = buffer.lines().next().unwrap_or_default();
    let column = row.find("2   ").expect("the second tab");
    let column = crate::text::cell_width(&row[..column]) as u16;
    let mut click = |kind| {
        let event = super::mouse::mouse(kind, (column + 3, 0));
        let commands = several.with(|ui, context| ui.handle(&[event], context));
        several.buffer((120, 24));
        commands
    };
    click(MouseEventKind::Down(MouseButton::Left));
    let commands = click(MouseEventKind::Up(MouseButton::Left));
    assert_eq!(shows(&commands), [keys[1]]);
}

#[test]
fn one_key_goes_to_the_next_session_that_waits_and_says_so_where_none_does() {
    let mut several = Several::new(Ok(SessionPage::default()));
    let waits = several
        .sessions
        .next_waiting()
        .expect("the one that asks for a sign-in");
    assert_eq!(shows(&several.press("alt-w")), [waits]);
    several.sessions.show(waits);
    several.shown = waits;
    several.press("esc");
    assert_eq!(shows(&several.press("alt-w")), []);
    let picture = text(&several.buffer((80, 24)));
    assert!(
        picture.contains("no other session waits for you"),
        "{picture}"
    );
    let mut none = Screen::new(Bench::ready());
    none.press("alt-w");
    assert!(none.status().contains("no session waits for you"));
}

#[test]
fn what_is_no_session_is_neither_renamed_nor_ended_and_that_is_said() {
    for (key, said) in [("f2", "renamed"), ("ctrl-x", "ended")] {
        let mut several = Several::new(Ok(SessionPage::default()));
        several.press("ctrl-s end");
        let commands = several.press(key);
        assert_eq!(commands.len(), 0, "{commands:?}");
        let picture = text(&several.buffer((80, 24)));
        let wanted = format!("only a session can be {said}");
        assert!(picture.contains(&wanted), "{picture}");
    }
}

fn searching() -> Screen {
    let mut screen = Screen::new(Bench::ready()).sized(120, 30);
    let mut second = past("second session", "Demo", "1 h ago");
    second.last = Exchange {
        asked: Some("why is it slow?".into()),
        answered: Some("The parser reads each line twice.".into()),
    };
    let list = vec![past("a slow parser", "Demo", "5 min ago"), second];
    screen.ui.show_past_sessions(list);
    screen.settle();
    screen
}

#[test]
fn what_is_typed_is_looked_for_in_the_text_of_past_sessions_and_titles_come_first() {
    let mut screen = searching();
    assert!(screen.press("s").is_empty(), "one letter is too little");
    let commands = screen.press("l o w");
    let Some(UiCommand::SearchPast { words, ids }) = commands.last() else {
        panic!("{commands:?}");
    };
    assert_eq!(words, "slow");
    assert_eq!(ids[..], ["a slow parser", "second session"]);
    let picture = screen.draw();
    assert!(picture.contains("1 found, searching"), "{picture}");
    assert!(!picture.contains("second session"));
    let mut found = FoundInText {
        words: "slow".into(),
        hits: vec![("second session".into(), "why is it slow?".into())],
        done: false,
    };
    screen.ui.found_in_text(found.clone());
    let picture = screen.draw();
    assert!(picture.contains("2 found, searching"), "{picture}");
    let at = |text: &str| picture.find(text).expect("a row");
    assert!(at("a slow parser") < at("second session"));
    (found.hits, found.done) = (Vec::new(), true);
    screen.ui.found_in_text(found);
    let picture = screen.draw();
    assert!(
        picture.contains("2 found") && !picture.contains("searching"),
        "{picture}"
    );
    // What was found for other words counts no more.
    let commands = screen.press("x");
    assert!(matches!(&commands[..], [UiCommand::SearchPast { words, .. }] if words == "slowx"));
    assert!(!screen.draw().contains("second session"));
    let commands = screen.press("ctrl-u");
    assert!(matches!(&commands[..], [UiCommand::SearchPast { words, .. }] if words.is_empty()));
}

#[test]
fn the_last_exchange_of_the_selected_session_stands_beside_or_below_the_list() {
    let mut screen = searching();
    screen.press("down");
    let picture = screen.draw();
    let row = picture
        .lines()
        .find(|line| line.contains("why is it slow?"));
    assert!(row.is_some_and(|row| row.contains('│')), "{picture}");
    screen.size = (80, 24);
    let picture = screen.draw();
    assert!(
        picture.contains("The parser reads each line twice."),
        "{picture}"
    );
    screen.size = (60, 15);
    let picture = screen.draw();
    assert!(!picture.contains("The parser reads"), "{picture}");
    assert!(picture.contains("a slow parser"));
}

#[test]
fn what_is_typed_is_looked_for_in_the_text_of_open_sessions_and_their_age_and_branch_stand_there() {
    let mut several = Several::new(Ok(SessionPage::default()));
    let shown = several.shown;
    let now = several.screen.bench.context().now;
    let branch = Some("mend/parser".into());
    several.sessions.apply(shown, Event::OnBranch(branch), now);
    let prompt = crate::session::Prompt::of_text("Why is the Quux slow?".into());
    several.sessions.apply(shown, Event::Submit(prompt), now);
    let word = FromAgent::Reply {
        caller: shown,
        call: CallTag::Prompt {
            session: crate::model::SessionId::new("s"),
        },
        result: CallResult::PromptDone(StopReason::EndTurn, None),
    };
    several.sessions.from_agent(AGENT, word, now);
    several.screen.bench.wait(5 * 60_000);
    several.press("ctrl-s");
    let picture = text(&several.buffer((100, 30)));
    assert!(picture.contains("mend/parser"), "{picture}");
    assert!(picture.contains("5 min ago"), "{picture}");
    several.press("q u u");
    let picture = text(&several.buffer((100, 30)));
    assert!(
        picture.contains("found: Why is the Quux slow?"),
        "{picture}"
    );
    assert!(!picture.contains("sign-in needed"), "{picture}");
    several.press("u");
    assert!(!text(&several.buffer((100, 30))).contains("found:"));
}
