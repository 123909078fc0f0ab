//! Enter, alt-x and the queue.

use super::*;
use crate::ui::SendTo;

#[test]
fn enter_sends_what_is_written() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("hello you");
    let commands = screen.press("enter");
    assert!(
        matches!(&commands[..], [
            UiCommand::SaveHistory(saved),
            UiCommand::Submit { draft, to: SendTo::Turn },
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
    // With a turn open it would have to stop that first.
    screen.bench.prompt("something else");
    let picture = screen.draw();
    assert!(
        picture.contains("held 1: and mention it") && picture.contains("alt-x sends now"),
        "{picture}"
    );
    assert!(screen.press("enter").is_empty());
    assert!(screen.status().contains("alt-x stops it and sends"));
}

#[test]
fn ctrl_x_sends_the_draft_or_the_queue_at_once() {
    let mut screen = Screen::new(Bench::working());
    screen.types("stop that");
    assert!(matches!(
        screen.press("alt-x")[..],
        [
            UiCommand::SaveHistory(_),
            UiCommand::Submit {
                to: SendTo::Now,
                ..
            }
        ]
    ));
    assert!(screen.press("alt-x").is_empty());
    screen.bench.prompt("next");
    assert!(matches!(
        screen.press("alt-x")[..],
        [UiCommand::Session(Event::SendQueued)]
    ));
}

#[test]
fn up_on_an_empty_composer_takes_the_newest_queued_prompt_back() {
    let mut screen = Screen::new(Bench::working());
    screen
        .ui
        .composer()
        .set_history(History::of(vec!["earlier".into()]));
    screen.bench.prompt("queued");
    assert!(matches!(
        screen.press("up")[..],
        [UiCommand::Session(Event::UnqueueLast)]
    ));
    let mut screen = Screen::new(Bench::working());
    screen
        .ui
        .composer()
        .set_history(History::of(vec!["earlier".into()]));
    assert!(screen.press("up").is_empty());
    assert_eq!(screen.draft(), "earlier");
}

#[test]
fn up_from_the_top_of_a_draft_takes_back_what_is_queued_before_it_goes_to_the_past() {
    let mut screen = Screen::new(Bench::working());
    screen
        .ui
        .composer()
        .set_history(History::of(vec!["queued".into()]));
    screen.bench.prompt("queued");
    screen.types("typed");
    assert!(matches!(
        screen.press("up")[..],
        [UiCommand::Session(Event::UnqueueLast)]
    ));
    assert_eq!(screen.draft(), "typed");
    // Not from the draft's second row.
    screen.press("ctrl-j");
    assert!(screen.press("up").is_empty());
    assert_eq!(screen.draft(), "typed\n");
    // With nothing queued it is the past, and further up more of it.
    let mut screen = Screen::new(Bench::working());
    screen
        .ui
        .composer()
        .set_history(History::of(vec!["older".into(), "earlier".into()]));
    screen.types("typed");
    assert!(screen.press("up").is_empty());
    assert_eq!(screen.draft(), "earlier");
    screen.bench.prompt("queued");
    assert!(screen.press("up").is_empty());
    assert_eq!(screen.draft(), "older");
}

#[test]
fn a_prompt_that_came_back_stands_before_the_draft() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("more");
    screen.ui.composer().prepend("first");
    assert_eq!(screen.draft(), "first\nmore");
}

#[test]
fn without_an_agent_the_draft_stays() {
    let mut screen = Screen::new(Bench::ready());
    let screens = crate::vt::Screens::default();
    let cx = UiContext {
        session: None,
        sessions: None,
        screens: &screens,
        project: &screen.bench.project,
        now: screen.bench.now,
    };
    screen.ui.composer().set_text("hello");
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
    let area = Rect::new(0, 0, 80, 24);
    let mut buffer = Buffer::empty(area);
    screen.ui.draw_on(area, &mut buffer, &cx);
    let picture = text(&buffer);
    assert_eq!(
        picture.matches("press F6 to choose one").count(),
        1,
        "{picture}"
    );
}

#[test]
fn a_draft_that_was_cleared_comes_back_by_up() {
    for working in [false, true] {
        let bench = if working {
            Bench::working()
        } else {
            Bench::ready()
        };
        let mut screen = Screen::new(bench);
        screen.types("write the docs");
        screen.ui.toast("too long to open here".into());
        assert!(screen.status().contains("too long"));
        assert!(screen.press("ctrl-c").is_empty());
        assert_eq!(screen.draft(), "");
        assert!(!screen.status().contains("too long"), "it is gone with it");
        screen.press("up");
        assert_eq!(screen.draft(), "write the docs");
        // What is cleared again is there once.
        screen.press("ctrl-c up");
        assert_eq!(screen.draft(), "write the docs");
        screen.press("up");
        assert_eq!(screen.draft(), "write the docs");
    }
}

#[test]
fn tab_with_a_draft_queues_it_behind_the_turn() {
    let mut screen = Screen::new(Bench::working());
    screen.types("and test it");
    let commands = screen.press("tab");
    assert_eq!(kinds(&commands), ["SaveHistory(\"and", "Submit"]);
    // Without a turn there is nothing to wait behind.
    let mut screen = Screen::new(Bench::ready());
    screen.types("and test it");
    assert!(screen.press("tab").is_empty());
    assert_eq!(screen.draft(), "and test it");
}

#[test]
fn a_draft_that_was_put_aside_comes_back_after_the_next_prompt() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("a long thought");
    screen.press("ctrl-s");
    assert!(screen.ui.composer().is_empty());
    assert!(screen.status().contains("put aside"), "{}", screen.status());
    // It is kept as the draft is.
    assert_eq!(screen.draft(), "a long thought");
    screen.types("first this");
    let commands = screen.press("enter");
    assert!(
        matches!(commands.last(), Some(UiCommand::Submit { draft, .. })
        if draft.written() == "first this")
    );
    assert!(screen.draw().contains("a long thought"));
    assert!(screen.status().contains("is back"), "{}", screen.status());
    screen.press("ctrl-s up");
    assert!(!screen.ui.composer().is_empty());
    assert_eq!(screen.draft(), "a long thought");
}

#[test]
fn ctrl_s_and_left_show_the_sessions_from_an_empty_composer() {
    for key in ["ctrl-s", "left"] {
        let mut screen = Screen::new(Bench::ready());
        screen.press(key);
        assert!(
            screen.ui.layers.is_opened() || !screen.status().is_empty(),
            "{key}"
        );
        let mut screen = Screen::new(Bench::ready());
        screen.types("ab");
        screen.press("left");
        assert!(!screen.ui.layers.is_opened());
        screen.types("x");
        assert_eq!(screen.draft(), "axb");
    }
}

#[test]
fn esc_twice_clears_a_draft_and_up_brings_it_back() {
    let mut screen = Screen::new(Bench::ready());
    screen.types("not this");
    screen.press("esc");
    assert_eq!(screen.draft(), "not this");
    assert!(
        screen.status().contains("esc again clears the draft"),
        "{}",
        screen.status()
    );
    screen.press("esc");
    assert_eq!(screen.draft(), "");
    screen.press("up");
    assert_eq!(screen.draft(), "not this");
    // Another key between them: the first press is a first one again.
    screen.press("esc x esc");
    assert_eq!(screen.draft(), "not thisx");
}

#[test]
fn a_shell_line_looks_like_one_and_its_output_can_go_with_the_next_prompt() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("alt-a");
    assert!(
        screen.status().contains("no ! command was run yet"),
        "{}",
        screen.status()
    );
    let mut screen = Screen::new(Bench::ready());
    screen.types("!ls");
    let picture = screen.draw();
    assert!(picture.contains("$ !ls"), "{picture}");
    assert!(
        screen.status().contains("shell command"),
        "{}",
        screen.status()
    );
    screen.press("enter");
    assert!(!screen.status().contains("shell command"));
    screen.bench.event(Event::ShellStarted {
        terminal: TerminalId::new("t1"),
        line: "ls".into(),
    });
    screen.types("why ");
    screen.press("alt-a");
    let draft = screen.draft();
    assert!(draft.starts_with("why ```\n$ ls\n"), "{draft}");
}
