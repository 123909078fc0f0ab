//! Side questions: asked behind `/btw`, answered over the conversation, gone when they are closed.

use super::*;
use crate::{
    model::{ChunkRole, ContentBlock, FromAgent, Meta, SessionId, SessionOpened, ToolStatus},
    session::{Prompt, SideState},
    ui::SendTo,
};

/// A turn is open, and the agent can fork.
fn working() -> Screen {
    let mut bench = Bench::working();
    bench.message("I'll start with how `list` prints today.");
    std::sync::Arc::make_mut(&mut bench.session.agent).caps.fork = true;
    Screen::new(bench)
}

fn replies(screen: &mut Screen, call: CallTag, result: CallResult) {
    screen.bench.says(FromAgent::Reply {
        caller: crate::model::SessionKey::default(),
        call,
        result,
    });
}

fn says(screen: &mut Screen, event: AgentEvent) {
    screen.bench.says(FromAgent::Update {
        session: Some(SessionId::new("fork")),
        event,
    });
}

fn chunk(text: &str) -> AgentEvent {
    AgentEvent::Chunk {
        role: ChunkRole::Agent,
        message: None,
        content: ContentBlock::Text(SafeText::new(text)),
        meta: Meta::default(),
    }
}

/// Types the question, and has the agent fork.
fn ask(screen: &mut Screen, question: &str) {
    screen.types(&format!("/btw {question}"));
    let commands = screen.press("enter");
    let asked = commands.iter().find_map(|command| match command {
        UiCommand::Submit {
            draft,
            to: SendTo::Aside,
        } => Some(draft.written()),
        _ => None,
    });
    assert_eq!(asked.as_deref(), Some(question), "{commands:?}");
    assert_eq!(kinds(&commands), ["Submit"], "nothing of it is kept");
    screen
        .bench
        .event(Event::AskAside(Prompt::of_text(question.to_owned())));
    let fork = CallTag::ForkSession {
        id: Bench::session_id(),
    };
    let opened = SessionOpened {
        id: Some(SessionId::new("fork")),
        modes: None,
        config_options: Vec::new(),
        commands: Vec::new(),
    };
    replies(screen, fork, CallResult::SessionOpened(Box::new(opened)));
    screen.draw();
}

fn ends(screen: &mut Screen) {
    let call = CallTag::Prompt {
        session: SessionId::new("fork"),
    };
    replies(
        screen,
        call,
        CallResult::PromptDone(StopReason::EndTurn, None),
    );
}

const ANSWER: &str = "It is `serde_json`:\n\n- it is **in the tree** already\n- it keeps the order of keys\n\n```rust\nserde_json::to_string(&rows)?\n```\n";

fn shows(screen: &mut Screen, name: &str) {
    let (width, height) = screen.size;
    let name = format!("{name}_{width}x{height}");
    let buffer = screen.buffer().0;
    keep(&name, &buffer);
    insta::assert_snapshot!(name, text(&buffer));
}

#[test]
fn pictures() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        let mut screen = working().sized(width, height);
        ask(
            &mut screen,
            "which crate writes the JSON, and why that one?",
        );
        screen.bench.wait(4_200);
        let mut call = screen.bench.call(crate::model::ToolKind::Read);
        call.title = Patch::Set("Read Cargo.toml".into());
        call.status = Patch::Set(ToolStatus::InProgress);
        says(&mut screen, AgentEvent::ToolCall(Box::new(call)));
        shows(&mut screen, "side_reading");
        says(&mut screen, chunk(ANSWER));
        ends(&mut screen);
        shows(&mut screen, "side");
    }
}

#[test]
fn it_is_copied_quoted_and_closed() {
    let mut screen = working();
    ask(&mut screen, "why?");
    // Letters are no text there.
    assert!(screen.types("xyz").is_empty());
    assert!(screen.draw().contains("no answer yet"));
    says(&mut screen, chunk("Because.\n\nOf that.\n"));
    ends(&mut screen);
    let commands = screen.press("y");
    assert!(
        matches!(&commands[..], [UiCommand::Copy(text)] if text == "Because.\n\nOf that."),
        "{commands:?}"
    );
    assert!(screen.draw().contains("Side question"));
    let commands = screen.press("i");
    assert!(
        matches!(&commands[..], [UiCommand::Session(Event::CloseSide)]),
        "{commands:?}"
    );
    assert_eq!(screen.draft(), "> Because.\n>\n> Of that.\n");
    screen.apply(commands);
    assert!(!screen.draw().contains("Side question"));
    screen.press("ctrl-c");
    ask(&mut screen, "and?");
    for key in ["esc", "ctrl-c"] {
        let commands = screen.press(key);
        assert!(
            matches!(&commands[..], [UiCommand::Session(Event::CloseSide)]),
            "{key}: {commands:?}"
        );
        screen.apply(commands);
        assert!(screen.bench.session.turn.is_some(), "the turn goes on");
        ask(&mut screen, "again?");
    }
    // What was asked so is not among the prompts.
    let commands = screen.press("esc");
    screen.apply(commands);
    screen.press("up");
    assert!(!screen.draft().contains("btw"), "{}", screen.draft());
}

#[test]
fn a_long_answer_is_read_from_its_beginning() {
    let mut screen = working();
    ask(&mut screen, "all of them?");
    let lines: Vec<String> = (1..=60).map(|n| format!("- number {n}")).collect();
    says(&mut screen, chunk(&lines.join("\n")));
    ends(&mut screen);
    let picture = screen.draw();
    assert!(
        picture.contains("number 1\n") || picture.contains("number 1 "),
        "{picture}"
    );
    assert!(picture.contains("lines"), "{picture}");
    screen.press("end");
    let picture = screen.draw();
    assert!(
        picture.contains("number 60") && picture.contains("end"),
        "{picture}"
    );
}

#[test]
fn where_the_agent_cannot_fork_it_says_what_else_there_is() {
    let mut bench = Bench::working();
    bench.message("on it");
    let mut screen = Screen::new(bench).sized(120, 24);
    screen.types("/btw why?");
    assert!(screen.press("enter").is_empty());
    assert_eq!(screen.draft(), "/btw why?", "what was typed stays");
    let said = "OpenCode cannot fork a session: send it as a prompt, or in a new session (ctrl-n)";
    assert!(screen.status().contains(said), "{}", screen.status());
    let mut screen = Screen::new(Bench::ready());
    std::sync::Arc::make_mut(&mut screen.bench.session.agent)
        .caps
        .fork = true;
    screen.types("/btw why?");
    screen.press("enter");
    assert!(screen.status().contains("nothing was said yet"));
}

#[test]
fn without_a_question_one_is_asked_for() {
    for by in ["command", "palette"] {
        let mut screen = working();
        match by {
            "command" => drop((screen.types("/btw"), screen.press("enter"))),
            _ => drop((
                screen.press("ctrl-p"),
                screen.types("btw"),
                screen.press("enter"),
            )),
        }
        assert!(
            screen.draw().contains("Question"),
            "{by}: {}",
            screen.draw()
        );
        screen.types("why?");
        let commands = screen.press("enter enter");
        assert!(
            matches!(&commands[..], [UiCommand::Submit { draft, to: SendTo::Aside }] if draft.written() == "why?"),
            "{by}: {commands:?}"
        );
    }
}

#[test]
fn a_question_of_the_turn_waits_below_it_and_that_is_told() {
    let mut screen = working().sized(100, 24);
    ask(&mut screen, "why?");
    screen.bench.asks_to_run("cargo test");
    let picture = screen.draw();
    assert!(
        picture.contains("OpenCode asks: close this to answer"),
        "{picture}"
    );
    let commands = screen.press("esc");
    screen.apply(commands);
    assert!(screen.draw().contains("cargo test"));
}

#[test]
fn the_agents_end_is_told_in_it() {
    let mut screen = working();
    ask(&mut screen, "why?");
    screen.bench.event(Event::Exited(
        crate::model::ConnectionId(1),
        crate::model::AgentExit {
            status: None,
            stderr: SafeText::default(),
            cause: None,
        },
    ));
    let side = screen.bench.session.side.as_ref().expect("it stays");
    assert!(matches!(side.state, SideState::Ended { .. }));
    let picture = screen.draw();
    assert!(picture.contains("the agent's process ended"), "{picture}");
}
