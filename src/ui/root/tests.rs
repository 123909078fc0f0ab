use std::time::Duration;

use crossterm::event::Event as Input;
use ratatui::{buffer::Buffer, layout::Position, layout::Rect};

use super::*;
use crate::{
    proto::{
        AgentEvent, AuthMethod, AuthMethodKind, CallResult, CallTag, ModeId, PermissionKind,
        PlanEntry, PlanPriority, PlanStatus, StopReason, Usage,
    },
    session::{Event, Session},
    ui::{
        Draft, DraftPart,
        keymap::Chord,
        testing::{Bench, keep, option, text},
    },
};

/// A UI in front of a played agent.
struct Screen {
    ui: Ui,
    bench: Bench,
    size: (u16, u16),
}

fn settings() -> UiSettings {
    UiSettings {
        ui: UiConfig::default(),
        keys: BTreeMap::new(),
        agents: agents(),
        colour: true,
    }
}

fn agents() -> Vec<AgentChoice> {
    let agent =
        |id: &str, name: &'static str, found: Result<&'static str, &'static str>| AgentChoice {
            id: id.into(),
            name: name.into(),
            found: found.map(Into::into).map_err(Into::into),
            command: SafeText::line(id),
            login: None,
        };
    vec![
        agent(
            "claude-code-acp",
            "Claude Code",
            Err("npm install -g @agentclientprotocol/claude-agent-acp"),
        ),
        agent("opencode", "OpenCode", Ok("/usr/bin/opencode")),
        agent("demo", "Demo", Ok("built in")),
    ]
}

impl Screen {
    fn new(bench: Bench) -> Self {
        let mut ui = Ui::new(settings(), Offload::immediate());
        ui.set_background(Background::Dark);
        Self {
            ui,
            bench,
            size: (80, 24),
        }
    }

    fn sized(mut self, width: u16, height: u16) -> Self {
        self.size = (width, height);
        self
    }

    fn buffer(&mut self) -> (Buffer, Option<Position>) {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let cursor = self.ui.draw_on(area, &mut buffer, &self.bench.context());
        (buffer, cursor)
    }

    fn draw(&mut self) -> String {
        text(&self.buffer().0)
    }

    fn status(&mut self) -> String {
        self.draw().lines().last().unwrap_or_default().to_owned()
    }

    fn cursor(&mut self) -> Option<Position> {
        self.buffer().1
    }

    /// One key after the other, each read by itself and drawn; what came of them.
    fn press(&mut self, names: &str) -> Vec<UiCommand> {
        let mut commands = Vec::new();
        for name in names.split_whitespace() {
            let chord = Chord::parse(name).unwrap_or_else(|error| panic!("{error}"));
            let event = Input::Key(chord.event());
            commands.extend(self.ui.handle(&[event], &self.bench.context()));
            self.buffer();
        }
        commands
    }

    /// Types text key by key, a while apart.
    fn types(&mut self, text: &str) -> Vec<UiCommand> {
        let mut commands = Vec::new();
        for c in text.chars() {
            self.bench.wait(50);
            let name = match c {
                ' ' => "space".to_owned(),
                c => c.to_string(),
            };
            commands.extend(self.press(&name));
        }
        commands
    }

    /// Keys read in one go.
    fn press_together(&mut self, names: &str) -> Vec<UiCommand> {
        let events: Vec<Input> = names
            .split_whitespace()
            .map(|name| Chord::parse(name).unwrap_or_else(|error| panic!("{error}")))
            .map(|chord| Input::Key(chord.event()))
            .collect();
        self.ui.handle(&events, &self.bench.context())
    }

    /// Draws, and lets guards and messages go by.
    fn settle(&mut self) {
        self.draw();
        self.bench.wait(400);
    }

    /// Lets the reducer have what came of a key.
    fn apply(&mut self, commands: Vec<UiCommand>) {
        for command in commands {
            if let UiCommand::Session(event) = command {
                self.bench.event(event);
            }
        }
    }

    fn draft(&self) -> String {
        self.ui.draft_text()
    }
}

fn kinds(commands: &[UiCommand]) -> Vec<String> {
    commands
        .iter()
        .map(|command| {
            let text = format!("{command:?}");
            let end = text.find([' ', '{']).unwrap_or(text.len());
            text[..end].to_owned()
        })
        .collect()
}

fn stops(commands: &[UiCommand]) -> bool {
    matches!(commands, [UiCommand::Session(Event::Stop)])
}

fn quits(commands: &[UiCommand]) -> bool {
    matches!(commands, [UiCommand::Quit])
}

fn turn_ends(bench: &mut Bench, reason: StopReason) {
    bench.says(crate::proto::FromAgent::Reply {
        call: CallTag::Prompt {
            session: Bench::session_id(),
        },
        result: CallResult::PromptDone(reason),
    });
}

// Stopping and quitting.

#[test]
fn esc_stops_an_open_turn_and_nothing_else() {
    assert!(stops(&Screen::new(Bench::working()).press("esc")));
    assert!(Screen::new(Bench::ready()).press("esc").is_empty());
}

#[test]
fn esc_closes_what_is_open_before_it_stops() {
    let mut screen = Screen::new(Bench::working());
    screen.press("ctrl-p");
    assert!(screen.press("esc").is_empty());
    screen.press("f1");
    assert!(screen.press("esc").is_empty());
    screen.types("@");
    assert!(screen.press("esc backspace").is_empty());
    assert!(stops(&screen.press("esc")));
}

#[test]
fn ctrl_c_clears_then_stops_and_never_leaves_an_open_turn_c097() {
    let mut screen = Screen::new(Bench::working());
    screen.types("half a thought");
    assert!(screen.press("ctrl-c").is_empty());
    assert_eq!(screen.draft(), "");
    let stop = screen.press("ctrl-c");
    assert!(stops(&stop));
    screen.apply(stop);
    assert!(screen.status().contains("cancelling"));
}

#[test]
fn ctrl_c_twice_quits_with_no_turn_open() {
    let mut screen = Screen::new(Bench::ready());
    assert!(screen.press("ctrl-c").is_empty());
    assert!(screen.status().contains("ctrl-c again to quit"));
    screen.bench.wait(1_900);
    assert!(quits(&screen.press("ctrl-c")));
}

#[test]
fn ctrl_c_twice_must_be_within_two_seconds_and_without_another_key() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-c");
    screen.bench.wait(2_100);
    assert!(screen.press("ctrl-c").is_empty());
    screen.press("x backspace");
    assert!(screen.press("ctrl-c").is_empty());
    assert!(quits(&screen.press("ctrl-c")));
}

#[test]
fn a_turn_that_will_not_stop_can_be_left() {
    let mut screen = Screen::new(Bench::working());
    let stop = screen.press("ctrl-c");
    screen.apply(stop);
    assert!(screen.press("ctrl-c").is_empty());
    assert!(quits(&screen.press("ctrl-c")));
}

#[test]
fn a_slow_cancel_is_said_and_esc_abandons_v1_can_08() {
    let mut screen = Screen::new(Bench::working());
    let stop = screen.press("esc");
    screen.apply(stop);
    screen.bench.wait(3_100);
    screen.bench.event(Event::Tick);
    assert!(
        screen.status().contains("not stopping: esc abandons"),
        "{}",
        screen.status()
    );
    assert!(stops(&screen.press("esc")));
}

#[test]
fn ctrl_d_quits_on_an_empty_composer() {
    assert!(quits(&Screen::new(Bench::ready()).press("ctrl-d")));
    let mut screen = Screen::new(Bench::ready());
    screen.types("ab");
    assert!(screen.press("ctrl-a ctrl-d").is_empty());
    assert_eq!(screen.draft(), "b");
}

#[test]
fn ctrl_d_with_a_turn_open_needs_a_second() {
    let mut screen = Screen::new(Bench::working());
    assert!(screen.press("ctrl-d").is_empty());
    assert!(
        screen
            .status()
            .contains("ctrl-d again stops the turn and quits")
    );
    assert!(quits(&screen.press("ctrl-d")));
}

// Sending.

#[test]
fn enter_sends_what_is_written() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("hello you");
    let commands = screen.press("enter");
    assert!(
        matches!(&commands[..], [
            UiCommand::SaveHistory(saved),
            UiCommand::Submit { draft, now: false },
        ] if saved == "hello you" && *draft == Draft { parts: vec![DraftPart::Text("hello you".into())] }),
        "{commands:?}"
    );
    assert_eq!(screen.draft(), "");
}

#[test]
fn enter_on_nothing_sends_nothing() {
    assert!(Screen::new(Bench::ready()).press("enter").is_empty());
    assert!(Screen::new(Bench::working()).press("enter").is_empty());
}

#[test]
fn a_shell_line_is_run_not_sent() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("! git status");
    let commands = screen.press("enter");
    assert!(
        matches!(&commands[..], [UiCommand::SaveHistory(_), UiCommand::Shell(line)] if line == "git status")
    );
}

#[test]
fn a_held_queue_is_sent_by_enter_on_an_empty_composer() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.prompt("and mention it in the README");
    assert!(screen.draw().contains("queued 1: and mention it"));
    assert!(screen.press("enter").is_empty(), "it goes on by itself");
    screen.bench.event(Event::Stop);
    turn_ends(&mut screen.bench, StopReason::Cancelled);
    let picture = screen.draw();
    assert!(
        picture.contains("held") && picture.contains("enter sends"),
        "{picture}"
    );
    assert!(matches!(
        screen.press("enter")[..],
        [UiCommand::Session(Event::SendQueued)]
    ));
}

#[test]
fn ctrl_x_sends_the_draft_or_the_queue_at_once() {
    let mut screen = Screen::new(Bench::working());
    screen.types("stop that");
    assert!(matches!(
        screen.press("ctrl-x")[..],
        [
            UiCommand::SaveHistory(_),
            UiCommand::Submit { now: true, .. }
        ]
    ));
    assert!(screen.press("ctrl-x").is_empty());
    screen.bench.prompt("next");
    assert!(matches!(
        screen.press("ctrl-x")[..],
        [UiCommand::Session(Event::SendQueued)]
    ));
}

#[test]
fn up_on_an_empty_composer_takes_the_newest_queued_prompt_back() {
    let mut screen = Screen::new(Bench::working());
    screen.ui.set_history(vec!["earlier".into()]);
    screen.bench.prompt("queued");
    assert!(matches!(
        screen.press("up")[..],
        [UiCommand::Session(Event::UnqueueLast)]
    ));
    let mut screen = Screen::new(Bench::working());
    screen.ui.set_history(vec!["earlier".into()]);
    assert!(screen.press("up").is_empty());
    assert_eq!(screen.draft(), "earlier");
}

#[test]
fn a_prompt_that_came_back_stands_before_the_draft() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("more");
    screen.ui.restore_draft(&Prompt {
        text: "first".into(),
        blocks: Vec::new(),
    });
    assert_eq!(screen.draft(), "first\nmore");
}

#[test]
fn without_an_agent_the_draft_stays() {
    let mut screen = Screen::new(Bench::ready());
    let screens = crate::vt::Screens::default();
    let cx = UiContext {
        session: None,
        screens: &screens,
        project: &screen.bench.project,
        now: screen.bench.now,
    };
    screen.ui.set_draft("hello");
    let enter = Input::Key(Chord::parse("enter").expect("a key").event());
    assert!(screen.ui.handle(&[enter], &cx).is_empty());
    assert_eq!(screen.ui.draft_text(), "hello");
    assert!(
        screen
            .ui
            .moment
            .text()
            .is_some_and(|text| text.contains("F6"))
    );
}

// Actions.

#[test]
fn keys_do_what_the_table_says() {
    for (key, expected) in [
        ("shift-tab", "Session(CycleMode)"),
        ("f5", "Session(Restart)"),
        ("ctrl-z", "Suspend"),
        ("ctrl-l", "Redraw"),
        ("ctrl-g", "EditDraft(\"\")"),
    ] {
        let commands = Screen::new(Bench::ready()).press(key);
        assert_eq!(kinds(&commands), [expected], "{key}");
    }
    let paged = Screen::new(Bench::working()).press("f3");
    assert!(matches!(&paged[..], [UiCommand::Page(text)] if text.contains("--json")));
}

#[test]
fn help_opens_by_question_mark_on_an_empty_composer_only() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("?");
    assert!(screen.draw().contains("Browsing blocks") || screen.draw().contains("Prompt"));
    screen.press("?");
    screen.types("why?");
    assert_eq!(screen.draft(), "why?");
}

#[test]
fn the_palette_runs_what_is_found() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("ctrl-p");
    screen.types("restart");
    assert!(matches!(
        screen.press("enter")[..],
        [UiCommand::Session(Event::Restart)]
    ));
    assert_eq!(screen.draft(), "", "typed into the palette");
    screen.press("ctrl-p");
    screen.types("yolo");
    assert!(matches!(
        &screen.press("enter")[..],
        [UiCommand::Session(Event::SetMode(mode))] if *mode == ModeId::new("yolo")
    ));
}

#[test]
fn a_rebound_key_replaces_the_default() {
    let mut screen = Screen::new(Bench::ready());
    let mut settings = settings();
    settings.keys = BTreeMap::from([("redraw".to_owned(), vec!["f2".to_owned()])]);
    screen.ui = Ui::new(settings, Offload::immediate());
    assert_eq!(kinds(&screen.press("f2")), ["Redraw"]);
    assert!(screen.press("ctrl-l").is_empty());
}

#[test]
fn blocks_are_browsed_from_an_empty_composer() {
    let mut bench = Bench::working();
    bench.message("I'll start with how `list` prints today.");
    turn_ends(&mut bench, StopReason::EndTurn);
    let mut screen = Screen::new(bench);
    screen.draw();
    screen.press("tab");
    assert!(matches!(&screen.press("y")[..], [UiCommand::Copy(text)] if text.contains("list")));
    screen.press("k");
    assert!(matches!(&screen.press("y")[..], [UiCommand::Copy(text)] if text.contains("--json")));
    screen.press("esc");
    assert!(screen.types("y").is_empty());
    assert_eq!(screen.draft(), "y");
}

#[test]
fn focus_is_noticed() {
    let mut screen = Screen::new(Bench::ready());
    assert!(screen.ui.is_focused());
    screen
        .ui
        .handle(&[Input::FocusLost], &screen.bench.context());
    assert!(!screen.ui.is_focused());
}

// Questions.

#[test]
fn letters_typed_when_a_question_appears_go_to_the_draft_c099() {
    let mut screen = Screen::new(Bench::working());
    screen.types("well, ");
    screen.bench.asks_to_run("npm run build");
    assert!(screen.types("yes").is_empty());
    assert!(
        screen.press("enter").is_empty(),
        "no answer, and no prompt sent"
    );
    assert_eq!(screen.draft(), "well, yes");
    screen.settle();
    let commands = screen.press("y");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    assert_eq!(screen.draft(), "well, yes");
}

#[test]
fn each_question_has_its_own_guard() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    assert!(screen.draw().contains("1 of 2"));
    // Read together: the second question has not even been seen.
    let commands = screen.press_together("1");
    screen.apply(commands);
    assert!(screen.press("1").is_empty());
    assert_eq!(screen.draft(), "1");
    screen.settle();
    assert_eq!(kinds(&screen.press("1")), ["Session(Answer"]);
}

#[test]
fn one_answer_is_one_answer_v1_perm_10() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.settle();
    // The session has not heard of it when the second press comes.
    assert_eq!(screen.press("y").len(), 1);
    assert!(screen.press("y").is_empty());
}

#[test]
fn an_enter_right_behind_an_answer_sends_no_draft() {
    let mut screen = Screen::new(Bench::working());
    screen.types("half a thought");
    screen.bench.asks_to_run("one");
    screen.settle();
    let answer = screen.press("y");
    screen.apply(answer);
    screen.bench.wait(100);
    assert!(screen.press("enter").is_empty());
    assert_eq!(screen.draft(), "half a thought");
    assert_eq!(screen.press("enter").len(), 2, "the next one is meant");
}

#[test]
fn a_question_leaves_the_screen_when_the_session_drops_it() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.settle();
    screen.bench.event(Event::Stop);
    assert!(!screen.draw().contains("wants to run"));
    screen.types("y");
    assert_eq!(screen.draft(), "y");
}

#[test]
fn feedback_holds_further_questions_until_it_is_sent() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    let commands = screen.press("e");
    assert_eq!(kinds(&commands), ["Session(Answer"]);
    screen.apply(commands);
    screen.settle();
    let picture = screen.draw();
    assert!(!picture.contains("wants to run"), "{picture}");
    screen.bench.wait(1_000);
    screen.types("use yarn");
    assert_eq!(screen.draft(), "use yarn");
    screen.bench.wait(5_000);
    assert!(
        screen.status().contains("1 question waits"),
        "{}",
        screen.status()
    );
    assert_eq!(screen.press("enter").len(), 2);
    assert!(screen.draw().contains("wants to run"));
}

#[test]
fn held_questions_come_back_by_esc() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("one");
    screen.bench.asks_to_run("two");
    screen.settle();
    let commands = screen.press("e");
    screen.apply(commands);
    assert!(screen.press("esc").is_empty(), "not the turn's end");
    assert!(screen.draw().contains("wants to run"));
}

#[test]
fn the_conversation_scrolls_above_a_question() {
    let mut bench = Bench::working();
    for n in 0..60 {
        bench.message(&format!("line {n}\n\n"));
    }
    bench.asks_to_run("ls");
    let mut screen = Screen::new(bench);
    screen.settle();
    assert!(screen.draw().contains("line 59"));
    screen.press("pgup");
    let picture = screen.draw();
    assert!(!picture.contains("line 59"), "{picture}");
    assert!(picture.contains("wants to run"), "{picture}");
    assert_eq!(
        kinds(&screen.press("y")),
        ["Session(Answer"],
        "scrolling is not typing"
    );
}

#[test]
fn the_cursor_stays_in_the_composer_while_a_question_is_open_c081() {
    let mut screen = Screen::new(Bench::working());
    screen.types("ab");
    screen.bench.asks_to_run("ls");
    assert_eq!(screen.cursor(), Some(Position::new(4, 22)));
}

#[test]
fn what_the_person_opened_stays_above_a_question() {
    let mut screen = Screen::new(Bench::working());
    screen.press("ctrl-p");
    screen.bench.asks_to_run("ls");
    screen.types("y");
    assert_eq!(screen.draft(), "");
    assert!(screen.draw().contains("Actions"));
    assert!(screen.status().contains("1 question waits"));
    screen.press("esc");
    assert!(screen.draw().contains("wants to run"));
    assert!(screen.press("y").is_empty(), "only now it can be read");
}

#[test]
fn a_prompt_held_back_by_nothing_goes_when_the_dialog_is_answered_by_a_paste() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("ls");
    screen.settle();
    let paste = Input::Paste("1\n".into());
    assert!(
        screen
            .ui
            .handle(&[paste], &screen.bench.context())
            .is_empty()
    );
    assert_eq!(screen.draft(), "1\n");
}

// Signing in.

fn method(id: &str, name: &'static str, kind: AuthMethodKind) -> AuthMethod {
    AuthMethod {
        id: id.into(),
        name: name.into(),
        description: Some("a way in".into()),
        kind,
    }
}

fn sign_in() -> Screen {
    let mut bench = Bench::starting();
    bench.handshake(vec![
        method(
            "term",
            "Log in by hand",
            AuthMethodKind::Terminal {
                args: vec!["auth".into(), "log in".into()],
            },
        ),
        method("oauth", "Log in with a browser", AuthMethodKind::Agent),
        method(
            "key",
            "API key",
            AuthMethodKind::EnvVar {
                vars: vec!["OPENAI_API_KEY".into()],
            },
        ),
        method(
            "q",
            "Quantum",
            AuthMethodKind::Unsupported("quantum".into()),
        ),
    ]);
    bench.wants_sign_in();
    Screen::new(bench)
}

#[test]
fn enter_signs_in_by_the_first_supported_method_c029() {
    let mut screen = sign_in();
    let picture = screen.draw();
    for text in [
        "wants you to sign in",
        "opencode auth 'log in'",
        "OPENAI_API_KEY",
        "not supported",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    let commands = screen.press("enter");
    assert!(matches!(
        &commands[..],
        [UiCommand::Session(Event::Authenticate { method })] if method == "oauth"
    ));
    screen.apply(commands);
    assert!(screen.draw().contains("signing in"));
}

#[test]
fn only_agent_methods_are_passed_to_authenticate_v1_auth_03() {
    for key in ["up enter", "down enter", "down down enter"] {
        let commands = sign_in().press(key);
        assert!(commands.is_empty(), "{key}: {commands:?}");
    }
}

#[test]
fn a_failed_sign_in_says_why() {
    let mut screen = sign_in();
    let commands = screen.press("enter");
    screen.apply(commands);
    screen.bench.says(crate::proto::FromAgent::Reply {
        call: CallTag::Authenticate {
            method: "oauth".into(),
        },
        result: CallResult::Failed(crate::proto::RpcError::new(-32603, "no browser found")),
    });
    assert!(screen.draw().contains("no browser found"));
}

// The status line.

#[test]
fn the_status_line_is_one_row_of_what_is_known() {
    let mut screen = Screen::new(Bench::working()).sized(120, 24);
    screen.bench.update(AgentEvent::Usage(Usage {
        used: 34,
        size: 100,
        cost: Some((0.12, "USD".into())),
    }));
    screen.bench.wait(12_000);
    assert_eq!(
        screen.status(),
        " OpenCode · build · ~/src/tool (main) · ctx 34% · $0.12 · ⠋ 12s esc stops"
    );
    screen.size.0 = 60;
    assert_eq!(
        screen.status(),
        " OpenCode · build · ~/src/tool · ctx 34% · ⠋ 12s esc stops"
    );
    screen.size.0 = 40;
    assert_eq!(screen.status(), " OpenCode · build · ⠋ 12s esc stops");
}

#[test]
fn silence_is_told() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.wait(44_000);
    assert!(!screen.status().contains("no word"));
    screen.bench.wait(1_000);
    assert!(
        screen.status().contains("no word from the agent for 45s"),
        "{}",
        screen.status()
    );
}

#[test]
fn a_message_stands_for_a_moment() {
    let mut screen = Screen::new(Bench::ready());
    screen.ui.toast("copied".into());
    assert!(screen.status().starts_with(" copied"));
    let until = screen
        .ui
        .deadline(&screen.bench.context())
        .expect("it goes");
    assert_eq!(until, screen.bench.now + Duration::from_secs(4));
    screen.bench.wait(4_000);
    assert!(screen.status().starts_with(" OpenCode"));
    assert_eq!(screen.ui.deadline(&screen.bench.context()), None);
}

#[test]
fn idle_and_waiting_ask_for_no_frame_c089() {
    let mut screen = Screen::new(Bench::ready());
    screen.draw();
    assert_eq!(screen.ui.deadline(&screen.bench.context()), None);
    let rev = screen.ui.rev();
    screen.draw();
    assert_eq!(screen.ui.rev(), rev, "drawing changes nothing");
    let mut screen = Screen::new(Bench::working());
    screen.draw();
    assert!(
        screen.ui.deadline(&screen.bench.context()).is_some(),
        "a spinner"
    );
}

#[test]
fn a_policy_that_allows_everything_is_always_seen() {
    let mut screen = Screen::new(Bench::working()).sized(40, 10);
    screen.bench.project.policy = Some(("allow-all".into(), true));
    assert!(screen.status().contains("allow-all"), "{}", screen.status());
}

#[test]
fn a_small_window_says_so_and_survives() {
    for (width, height) in [(0, 0), (1, 1), (39, 10), (40, 9), (200, 1)] {
        let mut screen = Screen::new(Bench::working()).sized(width, height);
        screen.bench.asks_to_run("ls");
        screen.draw();
        screen.press("ctrl-p f1 y enter esc");
    }
    let picture = Screen::new(Bench::ready()).sized(39, 10).draw();
    assert!(picture.contains("too small: 39x10, needs 40x10"));
}

// Pictures.

fn plan(bench: &mut Bench) {
    let entry = |content: &'static str, status| PlanEntry {
        content: content.into(),
        priority: PlanPriority::Medium,
        status,
    };
    bench.update(AgentEvent::Plan(vec![
        entry("read the command", PlanStatus::Completed),
        entry("add the flag", PlanStatus::Completed),
        entry("test it", PlanStatus::InProgress),
        entry("document it", PlanStatus::Pending),
    ]));
}

fn at_work() -> Bench {
    let mut bench = Bench::working();
    bench.message(
        "I'll start with how `list` prints today. Then the flag, then tests.\n\n- one\n- two\n",
    );
    plan(&mut bench);
    bench.update(AgentEvent::Usage(Usage {
        used: 34,
        size: 100,
        cost: Some((0.12, "USD".into())),
    }));
    bench.wait(12_000);
    bench
}

fn pictures(name: &str, screen: &mut Screen) {
    for (width, height) in [(40, 10), (80, 24), (120, 40), (200, 50)] {
        screen.size = (width, height);
        let name = format!("{name}_{width}x{height}");
        let buffer = screen.buffer().0;
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
}

#[test]
fn pictures_of_the_start() {
    let mut screen = Screen::new(Bench::starting());
    pictures("starting", &mut screen);
    pictures("welcome", &mut Screen::new(Bench::ready()));
}

#[test]
fn pictures_of_work() {
    let mut screen = Screen::new(at_work());
    screen.types("and mention it in the README");
    screen.bench.prompt("then bump the version");
    pictures("work", &mut screen);
}

#[test]
fn pictures_of_a_question_over_work() {
    let mut bench = at_work();
    bench.asks_to_run("cargo test --workspace -- list::json_round_trip");
    bench.asks_to_run("ls");
    let mut screen = Screen::new(bench);
    screen.settle();
    pictures("question", &mut screen);
}

#[test]
fn pictures_of_a_held_queue() {
    let mut bench = at_work();
    for n in 1..6 {
        bench.prompt(&format!("queued prompt number {n}"));
    }
    bench.event(Event::Stop);
    turn_ends(&mut bench, StopReason::Cancelled);
    pictures("held", &mut Screen::new(bench));
}

#[test]
fn pictures_of_help() {
    let mut screen = Screen::new(at_work());
    screen.press("f1");
    pictures("help", &mut screen);
}

#[test]
fn pictures_of_the_palette() {
    let mut screen = Screen::new(at_work());
    screen.press("ctrl-p");
    pictures("palette", &mut screen);
}

#[test]
fn pictures_of_the_agent_picker() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("f6 end");
    pictures("agents", &mut screen);
}

#[test]
fn pictures_of_signing_in() {
    pictures("sign_in", &mut sign_in());
}

#[test]
fn pictures_of_a_failure() {
    let mut bench = Bench::starting();
    bench.event(Event::SpawnFailed {
        error: "opencode: command not found. Install it: npm install -g opencode-ai".into(),
    });
    pictures("failed", &mut Screen::new(bench));
}
