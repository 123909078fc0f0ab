//! Without the alternate screen: what is printed for good, and what is drawn below it.

use ratatui::layout::Size;

use super::*;

/// A UI, what it printed so far, and the live part.
struct Inline {
    screen: Screen,
    printed: Vec<String>,
    live: String,
}

impl Inline {
    fn new(bench: Bench) -> Self {
        let settings = UiSettings {
            inline: true,
            ..settings()
        };
        let mut screen = Screen::new(bench);
        screen.ui = Ui::new(settings, Offload::immediate());
        screen.ui.set_background(Background::Dark);
        Self {
            screen,
            printed: Vec::new(),
            live: String::new(),
        }
    }

    fn draw(&mut self) {
        let Screen { ui, bench, size } = &mut self.screen;
        let frame = ui.draw_inline(Size::new(size.0, size.1), &bench.context());
        let frame = frame.expect("no need for the whole screen");
        let rows = frame.printed.iter().map(|row| row.line.to_string());
        self.printed
            .extend(rows.map(|row| row.trim_end().to_owned()));
        self.live = text(&frame.live);
    }

    fn printed(&self) -> String {
        self.printed.join("\n")
    }
}

#[test]
fn a_prompt_is_printed_at_once_and_an_answer_when_it_is_finished() {
    let mut inline = Inline::new(Bench::ready());
    inline.draw();
    assert_eq!(inline.printed(), "");
    inline.screen.bench.prompt("list the files");
    inline
        .screen
        .bench
        .message("First a paragraph.\n\nThen a line,\nand an unfin");
    inline.draw();
    assert!(inline.printed().contains("list the files"));
    assert!(
        inline.printed().contains("First a paragraph."),
        "{}",
        inline.printed()
    );
    assert!(!inline.printed().contains("unfin"));
    assert!(inline.live.contains("and an unfin"), "{}", inline.live);
    inline.screen.bench.message("ished one.");
    inline.draw();
    inline.draw();
    assert!(inline.live.contains("and an unfinished one."));
    inline.screen.bench.event(Event::Note {
        level: crate::session::NoticeLevel::Info,
        text: "that is all".into(),
    });
    inline.draw();
    inline.draw();
    let printed = inline.printed();
    for said in [
        "list the files",
        "First a paragraph.",
        "and an unfinished one.",
    ] {
        assert_eq!(printed.matches(said).count(), 1, "{said}: {printed}");
        assert!(!inline.live.contains(said), "{}", inline.live);
    }
}

#[test]
fn a_call_is_live_until_it_is_done() {
    let mut inline = Inline::new(Bench::working());
    inline.screen.bench.asks_to_run("cargo test");
    inline.screen.bench.wait(1_000);
    inline.draw();
    assert!(
        !inline.printed().contains("cargo test"),
        "{}",
        inline.printed()
    );
    assert!(inline.live.contains("Allow once"), "{}", inline.live);
    let rows = inline.live.lines().count();
    assert!(rows < 24, "as many rows as the question needs: {rows}");
}

#[test]
fn scrolling_and_viewers_want_the_whole_screen() {
    let mut inline = Inline::new(Bench::working());
    inline.screen.bench.message(&"word\n\n".repeat(60));
    inline.draw();
    assert!(!inline.screen.ui.fills_screen());
    inline.screen.press("pageup");
    assert!(inline.screen.ui.fills_screen());
    inline.screen.draw();
    assert!(inline.screen.ui.fills_screen());
    assert!(
        inline.screen.draw().contains("word"),
        "what was printed is there too"
    );
    inline.screen.press("ctrl-end");
    inline.screen.draw();
    assert!(!inline.screen.ui.fills_screen());
    let before = inline.printed();
    inline.draw();
    assert_eq!(inline.printed(), before, "printed once");
}

#[test]
fn a_long_conversation_is_printed_over_several_frames() {
    let mut inline = Inline::new(Bench::ready());
    for at in 0..400 {
        inline.screen.bench.event(Event::Note {
            level: crate::session::NoticeLevel::Info,
            text: SafeText::line(&format!("note {at} of many. {}", "word ".repeat(40))),
        });
    }
    inline.draw();
    let first = inline.printed.len();
    assert!((500..700).contains(&first), "{first}");
    for _ in 0..8 {
        inline.draw();
    }
    let printed = inline.printed();
    for at in 0..400 {
        let note = format!("note {at} of many");
        assert_eq!(printed.matches(&note).count(), 1, "{note}");
    }
}

#[test]
fn the_rest_is_printed_at_the_end_however_unfinished() {
    let mut inline = Inline::new(Bench::working());
    inline.screen.bench.message("printed.\n\nnot prin\nted");
    inline.draw();
    let Screen { ui, bench, .. } = &mut inline.screen;
    let cx = bench.context();
    let session = cx.session.expect("a session");
    let rest = ui.rest(session, cx.screens, 80);
    let rest: Vec<String> = rest.iter().map(|row| row.line.to_string()).collect();
    let rest = rest.join("\n");
    assert!(
        rest.contains("not prin") && !rest.contains("printed."),
        "{rest}"
    );
}

fn spoken(bench: Bench) -> Inline {
    let settings = UiSettings {
        inline: true,
        spoken: true,
        ..settings()
    };
    let mut inline = Inline::new(bench);
    inline.screen.ui = Ui::new(settings, Offload::immediate());
    inline
}

#[test]
fn a_screen_reader_gets_each_line_once_and_a_plain_draft() {
    let mut inline = spoken(Bench::ready());
    inline.draw();
    inline.screen.bench.prompt("list the files");
    inline.draw();
    inline
        .screen
        .bench
        .message("First **a** paragraph.\n\nThen a line,\nand an unfin");
    inline.draw();
    assert!(!inline.printed().contains("unfin"), "{}", inline.printed());
    inline.screen.bench.message("ished one.");
    inline.screen.bench.asks_to_run("cargo test");
    inline.draw();
    inline.screen.bench.wait(1_000);
    inline.draw();
    inline.draw();
    let printed = inline.printed();
    let mut last = 0;
    for said in [
        "is ready.",
        "You: list the files",
        "Agent: First",
        "Then a line,",
        "and an unfinished one.",
        "Permission needed: ",
        "1 Allow once",
    ] {
        let found: Vec<usize> = printed.match_indices(said).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "{said}: {printed}");
        assert!(last < found[0] || last == 0, "{said}: {printed}");
        last = found[0];
    }
    let framed = |c: char| "│─╭╮╰╯▌❯".contains(c);
    assert!(!printed.contains(framed), "{printed}");
    assert_eq!(inline.live.trim(), ">");
}

#[test]
fn of_a_list_the_selected_row_is_said() {
    let mut inline = spoken(Bench::ready());
    inline.draw();
    inline.screen.press("ctrl-p");
    inline.draw();
    let before = inline.printed.len();
    assert!(inline.printed().contains("Actions"), "{}", inline.printed());
    inline.screen.press("down");
    inline.draw();
    let said = &inline.printed[before..];
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("Selected: "), "{said:?}");
}

#[test]
fn a_suggested_prompt_is_said_once_and_not_drawn() {
    let mut inline = spoken(Bench::ready());
    inline.draw();
    let text = Some("run\nthe tests".into());
    inline.screen.bench.update(AgentEvent::Suggestion(text));
    inline.draw();
    inline.screen.types("no");
    inline.screen.press("backspace backspace");
    inline.draw();
    let printed = inline.printed();
    let said = "Suggested prompt, tab takes it: run the tests";
    assert_eq!(printed.matches(said).count(), 1, "{printed}");
    assert_eq!(inline.live.trim(), ">");
    inline.screen.press("tab");
    assert_eq!(inline.screen.draft(), "run\nthe tests");
}

#[test]
fn a_screen_reader_hears_of_plan_queue_and_notices_in_order_and_once() {
    let entry = |content: &'static str, status| PlanEntry {
        content: content.into(),
        priority: PlanPriority::Medium,
        status,
    };
    let mut inline = spoken(Bench::working());
    inline.draw();
    let plan =
        |first, second| AgentEvent::Plan(vec![entry("read it", first), entry("change it", second)]);
    inline
        .screen
        .bench
        .update(plan(PlanStatus::InProgress, PlanStatus::Pending));
    inline.draw();
    inline.screen.bench.prompt("and then the docs");
    inline.draw();
    let notice = crate::model::AgentNotice {
        title: "The quota is low".into(),
        description: Some("10 % are left".into()),
        severity: crate::model::NoticeSeverity::Warning,
    };
    inline.screen.ui.notice(notice.clone());
    inline.screen.ui.notice(notice);
    inline.draw();
    inline
        .screen
        .bench
        .update(plan(PlanStatus::Completed, PlanStatus::InProgress));
    inline.draw();
    inline.draw();
    let printed = inline.printed();
    let mut last = 0;
    for said in [
        "Plan, 2 steps:",
        "1. read it, now",
        "2. change it",
        "Queued: and then the docs",
        "Notice: The quota is low. 10 % are left",
        "Plan, 1 of 2 done: read it",
        "Plan, now: change it",
    ] {
        let found: Vec<usize> = printed.match_indices(said).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "{said}: {printed}");
        assert!(last < found[0] || last == 0, "{said}: {printed}");
        last = found[0];
    }
}
