use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect};

use super::{samples::*, *};
use crate::{
    model::{TerminalId, ToolContent, ToolKind},
    session::{BlockKind, NoticeLevel, ToolState},
    ui::{
        blocks::whole_text,
        render::testing::{self, Stage, picture, screen},
        theme::Background,
    },
};

pub(super) fn drawn(world: &World, view: &mut TranscriptView, width: u16, height: u16) -> Buffer {
    world.sync(view, width, height);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    view.draw(buf.area, &mut buf, &world.stage.ctx(width));
    buf
}

#[test]
fn a_conversation_looks_like_this() {
    for (name, stage, width, height) in [
        ("80", Stage::dark(), 80, 90),
        ("20", Stage::dark(), 20, 160),
        ("200", Stage::dark(), 200, 80),
        ("80_ascii", Stage::ascii(), 80, 90),
        ("80_light", Stage::new(Background::Light), 80, 90),
        ("80_unknown", Stage::new(Background::Unknown), 80, 90),
    ] {
        let world = conversation(stage);
        let buf = drawn(&world, &mut TranscriptView::default(), width, height);
        picture(name, &buf);
        if !name.contains("light") && !name.contains("unknown") {
            insta::assert_snapshot!(format!("conversation_{name}"), screen(&buf));
        }
    }
}

/// Many short blocks, each with its number in it.
fn numbered(count: usize) -> World {
    let mut world = World::new(Stage::dark());
    for n in 0..count {
        let kind = if n % 10 == 0 {
            user(&format!("prompt{n}"))
        } else {
            agent(
                &format!("block{n} has some words that wrap when it is narrow"),
                true,
            )
        };
        world.transcript.push_for_test(kind);
    }
    world
}

fn top(view: &TranscriptView) -> String {
    let shown = view.shown.first().expect("something is shown");
    let rows = shown.rows.get(shown.skip..).unwrap_or(&[]);
    testing::coloured(rows)
}

pub(super) fn text_on_screen(world: &World, view: &mut TranscriptView) -> String {
    screen(&drawn(world, view, 60, 12))
}

#[test]
fn the_view_follows_the_end_until_it_is_scrolled() {
    let mut world = numbered(50);
    let mut view = TranscriptView::default();
    assert!(text_on_screen(&world, &mut view).contains("block49"));
    world.transcript.push_for_test(agent("newest", true));
    assert!(text_on_screen(&world, &mut view).contains("newest"));

    view.scroll(Scroll::Lines(-5));
    let before = text_on_screen(&world, &mut view);
    assert!(!view.is_following());
    for n in 0..100 {
        world
            .transcript
            .push_for_test(agent(&format!("more{n}"), true));
    }
    let after = text_on_screen(&world, &mut view);
    let rows = |text: &str| -> Vec<String> {
        let lines = text.lines().take(11);
        lines
            .map(|line| line.trim_end_matches(['▐', ' ']).to_owned())
            .collect()
    };
    assert_eq!(rows(&before), rows(&after));

    view.scroll(Scroll::Bottom);
    assert!(text_on_screen(&world, &mut view).contains("more99"));
    assert!(view.is_following());
}

#[test]
fn a_blank_row_sets_the_conversation_apart_from_what_is_below() {
    let world = numbered(50);
    let mut view = TranscriptView::default();
    let last_two = |height, view: &mut TranscriptView| {
        let screen = screen(&drawn(&world, view, 60, height));
        let rows: Vec<&str> = screen.lines().collect();
        (
            rows[rows.len() - 2].to_owned(),
            rows[rows.len() - 1].to_owned(),
        )
    };
    let (end, foot) = last_two(12, &mut view);
    assert!(end.contains("block49") && foot.is_empty(), "{end}|{foot}");
    let (_, end) = last_two(6, &mut view);
    assert!(end.contains("block49"), "there is no room for it: {end}");
}

#[test]
fn it_is_known_how_much_is_new_below() {
    let mut world = numbered(50);
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    assert_eq!(view.below(), None, "at the end");
    view.scroll(Scroll::Lines(-20));
    text_on_screen(&world, &mut view);
    assert_eq!(view.below(), Some(Below { new: 0, rows: 20 }));
    for n in 0..21 {
        world
            .transcript
            .push_for_test(agent(&format!("more{n}"), true));
    }
    // A blank row stands between messages.
    text_on_screen(&world, &mut view);
    while view.deadline().is_some() {
        text_on_screen(&world, &mut view);
    }
    assert_eq!(view.below().map(|below| below.new), Some(42));
    // A resize makes nothing new.
    drawn(&world, &mut view, 200, 12);
    assert_eq!(view.below().map(|below| below.new), Some(42));
}

#[test]
fn scrolling_down_to_the_end_follows_again() {
    let world = numbered(50);
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    view.scroll(Scroll::Pages(-2.0));
    text_on_screen(&world, &mut view);
    assert!(!view.is_following());
    view.scroll(Scroll::Pages(3.0));
    text_on_screen(&world, &mut view);
    assert!(view.is_following());
    assert_eq!(view.new_rows(), 0);
}

#[test]
fn prompts_are_jumped_between() {
    let world = numbered(50);
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    for expected in ["prompt40", "prompt30"] {
        view.scroll(Scroll::PrevPrompt);
        text_on_screen(&world, &mut view);
        assert!(top(&view).contains(expected), "{}", top(&view));
    }
    view.scroll(Scroll::NextPrompt);
    text_on_screen(&world, &mut view);
    assert!(top(&view).contains("prompt40"));
    view.scroll(Scroll::NextPrompt);
    text_on_screen(&world, &mut view);
    assert!(view.is_following());
    view.scroll(Scroll::Top);
    text_on_screen(&world, &mut view);
    assert!(top(&view).contains("prompt0"));
}

#[test]
fn going_back_to_a_width_goes_back_to_the_row() {
    let mut world = World::new(Stage::dark());
    let words: Vec<String> = (0..2_000).map(|n| format!("w{n}")).collect();
    world
        .transcript
        .push_for_test(agent(&words.join(" "), true));
    let mut view = TranscriptView::default();
    drawn(&world, &mut view, 80, 20);
    view.scroll(Scroll::Lines(-37));
    drawn(&world, &mut view, 80, 20);
    let before = top(&view);
    for width in [33, 120, 20] {
        drawn(&world, &mut view, width, 20);
        let first = before.split_whitespace().next().expect("a word");
        assert!(top(&view).lines().next().expect("a row").contains(first));
    }
    drawn(&world, &mut view, 80, 20);
    assert_eq!(top(&view), before);
}

#[test]
fn a_message_that_grows_under_the_reader_stays() {
    let mut world = World::new(Stage::dark());
    let id = world.transcript.push_for_test(agent("", false));
    let mut view = TranscriptView::default();
    let grow = |world: &mut World, text: &str| {
        let BlockKind::Agent(message) = world.transcript.edit_for_test(id) else {
            panic!("an agent's message")
        };
        message.text.push(&crate::text::SafeText::new(text));
    };
    grow(
        &mut world,
        &"one two three four five six seven\n".repeat(60),
    );
    drawn(&world, &mut view, 60, 12);
    view.scroll(Scroll::Lines(-20));
    drawn(&world, &mut view, 60, 12);
    let before = top(&view);
    let first = before.lines().next().expect("a row").to_owned();
    for n in 0..50 {
        grow(&mut world, &format!("paragraph {n}\n\n- item\n"));
        drawn(&world, &mut view, 60, 12);
        assert_eq!(top(&view).lines().next(), Some(first.as_str()));
    }
}

// V1-SES-09: a replay begins with an empty transcript, and what was there may come back.
#[test]
fn a_transcript_that_is_replaced_is_shown_anew() {
    let mut world = numbered(50);
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    view.scroll(Scroll::Lines(-20));
    let before = text_on_screen(&world, &mut view);
    let kept = world.transcript.take_for_test();
    assert_eq!(text_on_screen(&world, &mut view).trim(), "");
    world.transcript.push_for_test(agent("again", true));
    assert!(text_on_screen(&world, &mut view).contains("again"));
    world.transcript.put_back_for_test(kept);
    let after = text_on_screen(&world, &mut view);
    assert!(
        !after.contains("again") && after.contains("block49"),
        "{before}\n{after}"
    );
}

#[test]
fn forgetting_the_beginning_moves_nothing() {
    let mut world = numbered(50);
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    view.scroll(Scroll::Lines(-20));
    text_on_screen(&world, &mut view);
    let before = top(&view);
    let sign = notice(NoticeLevel::Quiet, "20 blocks are left out", None);
    world.transcript.forget_first_for_test(20, sign);
    text_on_screen(&world, &mut view);
    assert_eq!(top(&view), before);
    view.scroll(Scroll::Top);
    assert!(text_on_screen(&world, &mut view).contains("20 blocks are left out"));
    // The anchor itself is forgotten.
    world
        .transcript
        .forget_first_for_test(20, notice(NoticeLevel::Quiet, "more", None));
    assert!(text_on_screen(&world, &mut view).contains("more"));
}

#[test]
fn an_idle_view_asks_for_nothing_and_a_visible_clock_for_one_frame_a_second() {
    let mut world = numbered(5);
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    assert_eq!(view.deadline(), None);

    let mut running = call(ToolKind::Execute, "sleep 9", world.stage.now);
    (running.state, running.took) = (ToolState::InProgress, None);
    world.transcript.push_for_test(tool(running));
    text_on_screen(&world, &mut view);
    let second = std::time::Duration::from_secs(1);
    assert_eq!(view.deadline(), Some(world.stage.now + second));
    world.settings.motion = false;
    text_on_screen(&world, &mut view);
    assert_eq!(view.deadline(), None);
    world.settings.motion = true;

    // Scrolled out of view it moves nothing.
    for n in 0..30 {
        world
            .transcript
            .push_for_test(agent(&format!("more{n}"), true));
    }
    text_on_screen(&world, &mut view);
    assert_eq!(view.deadline(), None);
}

#[test]
fn a_frame_without_changes_draws_no_rows_anew() {
    let world = conversation(Stage::dark());
    let mut view = TranscriptView::default();
    drawn(&world, &mut view, 80, 40);
    let rendered = view.rendered_rows;
    for _ in 0..5 {
        drawn(&world, &mut view, 80, 40);
    }
    assert_eq!(view.rendered_rows, rendered);
}

#[test]
fn a_frame_costs_the_same_in_a_long_transcript_and_in_a_short_one() {
    let cost = |blocks| {
        let mut world = numbered(blocks);
        let mut view = TranscriptView::default();
        text_on_screen(&world, &mut view);
        let first = view.rendered_rows;
        world.transcript.push_for_test(agent("newest", true));
        text_on_screen(&world, &mut view);
        view.scroll(Scroll::Pages(-1.0));
        text_on_screen(&world, &mut view);
        (first, view.rendered_rows - first)
    };
    assert_eq!(cost(50), cost(20_000));
}

// Drawing a message anew for each chunk makes an endless one ever slower.
#[test]
fn two_hundred_thousand_chunks_cost_the_screen_and_what_was_added() {
    let mut world = World::new(Stage::dark());
    let id = world.transcript.push_for_test(agent("", false));
    let mut view = TranscriptView::default();
    let mut costs = Vec::new();
    let mut chunk = 0;
    for _ in 0..400 {
        for _ in 0..500 {
            let BlockKind::Agent(message) = world.transcript.edit_for_test(id) else {
                panic!("an agent's message")
            };
            chunk += 1;
            let end = if chunk % 40 == 0 { ".\n\n" } else { " " };
            message
                .text
                .push(&crate::text::SafeText::new(&format!("word{end}")));
        }
        let before = view.rendered_rows;
        text_on_screen(&world, &mut view);
        costs.push(view.rendered_rows - before);
    }
    let early: usize = costs[10..20].iter().sum();
    let late: usize = costs[390..].iter().sum();
    assert!(late <= 2 * early, "{early} rows early, {late} rows late");

    // Scrolled anywhere in it.
    view.scroll(Scroll::Top);
    let before = view.rendered_rows;
    text_on_screen(&world, &mut view);
    assert!(view.rendered_rows - before < 100);
}

// A message of five megabytes, laid out in one go, held up the keys.
#[test]
fn megabytes_in_one_piece_are_taken_in_over_several_frames() {
    for done in [false, true] {
        let mut world = World::new(Stage::dark());
        let text = "0123456789abcde ".repeat(200_000) + "the very end";
        world.transcript.push_for_test(agent(&text, done));
        let mut view = TranscriptView::default();
        let mut frames = 1;
        let mut shown = text_on_screen(&world, &mut view);
        while !shown.contains("the very end") {
            world.stage.now = view.deadline().expect("there is more to take in");
            shown = text_on_screen(&world, &mut view);
            frames += 1;
        }
        assert!((4..20).contains(&frames), "{frames} frames");
    }
}

#[test]
fn the_cache_of_rows_is_bounded() {
    let mut world = World::new(Stage::dark());
    for n in 0..300 {
        world
            .transcript
            .push_for_test(agent(&format!("row {n}\n").repeat(400), true));
    }
    let mut view = TranscriptView::default();
    text_on_screen(&world, &mut view);
    for _ in 0..300 {
        view.scroll(Scroll::Lines(-401));
        text_on_screen(&world, &mut view);
        assert!(view.cache.weight() <= cache::MAX_WEIGHT + (4 << 20));
    }
}

#[test]
fn a_live_terminal_is_drawn_anew_only_when_it_changed_and_shows() {
    let mut world = numbered(3);
    world.terminal("t", "make", "one\r\n", None);
    let mut running = call(ToolKind::Execute, "make", world.stage.now);
    running.content = vec![ToolContent::Terminal(TerminalId::new("t"))];
    world.transcript.push_for_test(tool(running));
    let mut view = TranscriptView::default();
    assert!(text_on_screen(&world, &mut view).contains("one"));
    let feed = |world: &World, text: &str| {
        let screen = world
            .screens
            .get(&TerminalId::new("t"))
            .expect("the terminal");
        screen.change(|screen| screen.feed(text.as_bytes()));
    };
    feed(&world, "two\r\n");
    assert!(text_on_screen(&world, &mut view).contains("two"));
    for n in 0..30 {
        world
            .transcript
            .push_for_test(agent(&format!("more{n}"), true));
    }
    text_on_screen(&world, &mut view);
    let rendered = view.rendered_rows;
    feed(&world, "three\r\n");
    text_on_screen(&world, &mut view);
    assert_eq!(view.rendered_rows, rendered);
}

#[test]
fn details_unfold_everywhere() {
    let world = conversation(Stage::dark());
    let mut view = TranscriptView::default();
    view.toggle_details();
    let text = screen(&drawn(&world, &mut view, 80, 160));
    assert!(text.contains("src/table.rs:12"), "{text}");
    assert!(text.contains("{\"a\":1}"), "{text}");
    assert!(text.contains("{\"city\":\"Graz\"}"), "{text}");
    assert_eq!(
        text.matches("Look at the command first.").count(),
        14,
        "{text}"
    );
    view.toggle_details();
    let text = screen(&drawn(&world, &mut view, 80, 160));
    assert!(!text.contains("src/table.rs:12"));
}

#[test]
fn wide_graphemes_at_the_edge_are_not_cut() {
    let mut world = World::new(Stage::dark());
    world
        .transcript
        .push_for_test(agent("日本語日本語日本語日本語", true));
    let mut view = TranscriptView::default();
    world.sync(&mut view, 20, 5);
    // The area is narrower than what was laid out.
    let area = Rect::new(0, 0, 9, 5);
    let mut buf = Buffer::empty(area);
    view.draw(area, &mut buf, &world.stage.ctx(20));
    assert_eq!(screen(&buf).lines().next(), Some("  日本語"));
}

#[test]
fn the_transcript_reads_as_plain_text() {
    let world = conversation(Stage::dark());
    insta::assert_snapshot!(whole_text(&world.source()));
}

#[derive(Clone, Debug)]
enum Step {
    Append(u8),
    Grow(u8),
    Fold(u8),
    Width(u16),
    Height(u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        any::<u8>().prop_map(Step::Append),
        any::<u8>().prop_map(Step::Grow),
        any::<u8>().prop_map(Step::Fold),
        (20..160_u16).prop_map(Step::Width),
        (8..30_u16).prop_map(Step::Height),
    ];
    proptest::collection::vec(step, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Scrolled up the view never moves by itself, and resizing keeps the topmost text.
    #[test]
    fn the_top_text_stays_whatever_happens(steps in steps(), up in 40..120_i32) {
        let mut world = World::new(Stage::dark());
        for n in 0..40_usize {
            let kind = match n % 4 {
                0 => {
                    let mut read = call(ToolKind::Read, &format!("tool{n}"), world.stage.now);
                    read.content = vec![text_piece("a\nb\nc\nd")];
                    tool(read)
                }
                _ => agent(&(0..30).map(|w| format!("b{n}w{w} ")).collect::<String>(), true),
            };
            world.transcript.push_for_test(kind);
        }
        let tail = world.transcript.push_for_test(agent("", false));
        let (mut width, mut height) = (80, 16);
        let mut view = TranscriptView::default();
        drawn(&world, &mut view, width, height);
        view.scroll(Scroll::Lines(-up));
        drawn(&world, &mut view, width, height);
        let word = |view: &TranscriptView| -> Option<String> {
            let rows = view.shown.iter().flat_map(|shown| shown.rows.iter().skip(shown.skip));
            rows.flat_map(|row| row.line.spans.iter())
                .flat_map(|span| span.content.split_whitespace())
                .find(|word| word.len() > 2)
                .map(str::to_owned)
        };
        let first = word(&view).expect("words");
        let anchored = view.shown.first().expect("rows").item;
        for step in steps {
            match step {
                Step::Append(n) => {
                    world.transcript.push_for_test(agent(&format!("new{n}"), true));
                }
                Step::Grow(n) => {
                    if let BlockKind::Agent(message) = world.transcript.edit_for_test(tail) {
                        message.text.push(&crate::text::SafeText::new(&format!("grown{n} ")));
                    }
                }
                Step::Fold(n) => {
                    let index = usize::from(n) % 40;
                    if index == anchored {
                        continue;
                    }
                    view.selected = Some(view.items[index].id);
                    view.toggle_fold(&world.source());
                    // Folding brings the block into view; here only its effect on others counts.
                    view.pending.clear();
                    view.browse_exit();
                }
                Step::Width(new) => width = new,
                Step::Height(new) => height = new,
            }
            drawn(&world, &mut view, width, height);
            if view.is_following() {
                // Higher than what is left: the end is at the bottom.
                return Ok(());
            }
            let shown = view.shown.first().expect("rows");
            let top_row = shown.rows.get(shown.skip).expect("a row");
            let text: String = top_row.line.spans.iter().map(|s| s.content.as_ref()).collect();
            prop_assert!(
                text.contains(&first) || word(&view).as_ref() == Some(&first),
                "{first} is gone: {text}"
            );
        }
    }
}

#[test]
fn the_prompt_above_a_scrolled_view_stays_on_its_first_row() {
    let mut world = World::new(Stage::dark());
    for n in 0..3 {
        let text = format!("question {n}\nwith more to it");
        world.transcript.push_for_test(user(&text));
        for line in 0..15 {
            let text = format!("answer {n}.{line}");
            world.transcript.push_for_test(agent(&text, true));
        }
    }
    let mut view = TranscriptView::default();
    let rows = |view: &mut TranscriptView| -> Vec<String> {
        let screen = screen(&drawn(&world, view, 60, 12));
        let plain = |line: &str| line.trim_end_matches('▐').trim_end().to_owned();
        screen.lines().map(plain).collect()
    };
    let end = rows(&mut view);
    assert!(!end[0].contains("question"), "at the end: {end:#?}");
    view.scroll(Scroll::Lines(-1));
    let up = rows(&mut view);
    assert!(up[0].contains("question 2 …"), "{up:#?}");
    assert_eq!(up[2..11], end[1..10], "by one row, as asked");
    view.scroll(Scroll::Lines(-7));
    assert_eq!(rows(&mut view)[9..11], end[1..3]);
    view.scroll(Scroll::Lines(8));
    assert_eq!(rows(&mut view), end);
    view.scroll(Scroll::PrevPrompt);
    let prompt = rows(&mut view);
    assert!(prompt[0].contains("question 2") && !prompt[0].contains('…'));
    assert!(prompt[1].contains("with more to it"), "{prompt:#?}");
    view.scroll(Scroll::Lines(-3));
    assert!(rows(&mut view)[0].contains("question 1 …"));
}
