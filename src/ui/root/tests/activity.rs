//! The row above the composer while the agent works, the rule below it and the plan in it.

use std::time::Duration;

use super::*;
use crate::{
    model::{ChunkRole, ContentBlock, Meta, ToolKind, ToolStatus},
    text::SafeText,
};

fn thought(bench: &mut Bench) {
    bench.update(AgentEvent::Chunk {
        role: ChunkRole::Thought,
        message: None,
        content: ContentBlock::Text(SafeText::new("let me see")),
        meta: Meta::default(),
    });
}

fn runs(bench: &mut Bench, kind: ToolKind, title: &'static str) {
    let mut call = bench.call(kind);
    call.title = Patch::Set(title.into());
    call.status = Patch::Set(ToolStatus::InProgress);
    bench.update(AgentEvent::ToolCall(Box::new(call)));
}

#[test]
fn what_the_agent_does_now_stands_above_the_composer() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.wait(1_000);
    let told = screen.activity();
    assert_eq!(told, "⠸ Waiting for the agent · 1s · esc interrupts");
    thought(&mut screen.bench);
    assert!(screen.activity().contains("Thinking · 1s"));
    screen.bench.message("I will");
    assert!(screen.activity().contains("Writing · 1s"));
    runs(&mut screen.bench, ToolKind::Execute, "cargo test list");
    screen.bench.wait(33_000);
    let told = screen.activity();
    assert!(
        told.contains("Running cargo test list · 34s · esc interrupts"),
        "{told}"
    );
    assert!(!screen.status().contains("34s"), "{}", screen.status());
    turn_ends(&mut screen.bench, StopReason::EndTurn);
    assert_eq!(screen.activity(), "");
}

#[test]
fn thinking_reads_as_a_sentence() {
    for (title, told) in [
        ("Think it over", "Thinking it over · "),
        ("think", "Thinking · "),
        ("Thinking about tests", "Thinking about tests · "),
        ("Delegate the tests", "Thinking: Delegate the tests · "),
    ] {
        let mut screen = Screen::new(Bench::working());
        runs(&mut screen.bench, ToolKind::Think, title);
        screen.bench.wait(1_000);
        let activity = screen.activity();
        assert!(activity.contains(told), "{activity}");
    }
}

#[test]
fn the_start_of_an_agent_is_told_there_too() {
    let mut screen = Screen::new(Bench::starting());
    screen.bench.wait(3_000);
    let told = screen.activity();
    assert!(told.contains("Starting opencode · 3s"), "{told}");
}

#[test]
fn silence_is_told() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.wait(44_000);
    assert!(!screen.activity().contains("no word"));
    screen.bench.wait(1_000);
    let told = screen.activity();
    assert!(told.contains("45s · no word for 45s · esc"), "{told}");
}

#[test]
fn what_fits_of_it_is_told() {
    let mut screen = Screen::new(Bench::working()).sized(40, 12);
    runs(
        &mut screen.bench,
        ToolKind::Execute,
        "cargo test --all-features -- --nocapture list",
    );
    screen.bench.wait(5_000);
    let told = screen.activity();
    assert_eq!(told, "⠦ Running carg… · 5s · esc interrupts");
    screen.bench.wait(60_000);
    let told = screen.activity();
    assert!(told.ends_with("· no word for 1m 05s"), "{told}");
}

#[test]
fn a_question_takes_its_place() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("ls");
    assert_eq!(screen.activity(), "");
    assert!(screen.status().contains("1 question waits"));
}

#[test]
fn without_motion_nothing_turns_or_counts() {
    let mut settings = settings();
    settings.ui.motion = false;
    let mut screen = Screen::new(Bench::working());
    screen.ui = Ui::new(settings, Offload::immediate());
    screen.bench.wait(5_000);
    assert_eq!(
        screen.activity(),
        "• Waiting for the agent · esc interrupts"
    );
    let silent = screen.ui.deadline(&screen.bench.context());
    assert_eq!(
        silent,
        Some(screen.bench.now + Duration::from_secs(40)),
        "only silence is told"
    );
}

#[test]
fn what_waits_without_a_row_is_counted_once() {
    let mut screen = Screen::new(Bench::working()).sized(100, 30);
    for n in 0..6 {
        screen.bench.prompt(&format!("then {n}"));
    }
    let drawn = screen.draw();
    assert!(drawn.contains("esc interrupts · 3 queued"), "{drawn}");
    assert!(!drawn.contains("+3 queued prompts"), "{drawn}");
}

fn plan(bench: &mut Bench, done: usize) {
    let entries = ["read the code", "write it", "test it", "tell of it"];
    let entries = entries.iter().enumerate().map(|(n, entry)| PlanEntry {
        content: (*entry).into(),
        priority: PlanPriority::Medium,
        status: match n {
            n if n < done => PlanStatus::Completed,
            n if n == done => PlanStatus::InProgress,
            _ => PlanStatus::Pending,
        },
    });
    bench.update(AgentEvent::Plan(entries.collect()));
}

#[test]
fn an_unfinished_plan_is_in_the_rule_and_opens_by_a_key() {
    let mut screen = Screen::new(Bench::working());
    plan(&mut screen.bench, 2);
    let drawn = screen.draw();
    assert!(drawn.contains("─ plan 2/4 · ▸ test it ───"), "{drawn}");
    assert!(!drawn.contains("tell of it"), "{drawn}");
    screen.press("ctrl-t");
    let drawn = screen.draw();
    assert!(drawn.contains("tell of it"), "{drawn}");
    assert_eq!(
        drawn.matches("test it").count(),
        2,
        "with the prompt: {drawn}"
    );
    plan(&mut screen.bench, 4);
    let drawn = screen.draw();
    assert!(!drawn.contains("─ plan"), "{drawn}");
}

#[test]
fn the_rule_counts_what_is_below_and_names_the_key() {
    let mut screen = Screen::new(Bench::working());
    let text: String = (0..60).map(|n| format!("- line {n}\n")).collect();
    screen.bench.message(&text);
    screen.draw();
    screen.press("pgup");
    let drawn = screen.draw();
    assert!(drawn.contains("lines below · ctrl-end ─"), "{drawn}");
    screen.bench.message("- and one\n- more\n");
    let drawn = screen.draw();
    assert!(drawn.contains("new lines · ctrl-end ─"), "{drawn}");
    screen.press("ctrl-end");
    assert!(!screen.draw().contains("ctrl-end"));
}
