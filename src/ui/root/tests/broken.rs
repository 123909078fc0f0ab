//! What cannot be drawn takes nothing else with it.

use super::*;
use crate::{
    model::{ToolKind, ToolStatus},
    text::SafeText,
    ui::contain::faults,
};

/// The agent says something before, the text at which drawing fails, and something behind.
fn with_a_fault(places: &[(&'static str, &'static str)]) -> Screen {
    faults::set(places);
    let mut bench = Bench::working();
    for text in ["the first part", "*BOOM* stays legible", "the last part"] {
        bench.message(text);
        let mut call = bench.call(ToolKind::Other);
        call.status = Patch::Set(ToolStatus::Completed);
        bench.update(AgentEvent::ToolCall(Box::new(call)));
    }
    let mut screen = Screen::new(bench).sized(100, 30);
    screen.draw();
    screen
}

#[test]
fn a_block_that_cannot_be_drawn_stands_as_plain_text_and_is_told_once() {
    for place in ["draw", "split"] {
        let mut screen = with_a_fault(&[(place, "BOOM")]);
        let shown = screen.draw();
        for text in ["the first part", "*BOOM* stays legible", "the last part"] {
            assert!(shown.contains(text), "{place}: {shown}");
        }
        assert!(shown.contains("acp-tui could not draw"), "{place}: {shown}");
        assert!(shown.contains("--log FILE"), "{place}: {shown}");
        screen.bench.wait(15_000);
        screen.size = (70, 30);
        let later = screen.draw();
        assert!(later.contains("BOOM") && !later.contains("could not draw"));
    }
}

#[test]
fn where_its_plain_text_fails_as_well_a_row_stands_for_it() {
    let mut screen = with_a_fault(&[("draw", "BOOM"), ("plain", "BOOM")]);
    let shown = screen.draw();
    assert!(shown.contains("the first part") && shown.contains("the last part"));
    assert!(
        shown.contains("cannot be drawn") && !shown.contains("BOOM"),
        "{shown}"
    );
}

#[test]
fn a_question_that_cannot_be_drawn_takes_no_answer_but_to_stop() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("rm -rf target");
    faults::set(&[("dialog", "")]);
    screen.settle();
    let shown = screen.draw();
    assert!(shown.contains("esc closes this"), "{shown}");
    for key in ["y", "1", "enter", "down", "enter", "a"] {
        screen.bench.wait(1_000);
        let commands = screen.press(key);
        assert!(
            !kinds(&commands).iter().any(|kind| kind.contains("Answer")),
            "{key}"
        );
    }
    faults::set(&[]);
    screen.press("backspace backspace backspace");
    screen.settle();
    assert!(screen.draw().contains("rm -rf target"));
    assert_eq!(kinds(&screen.press("1")), ["Session(Answer"]);
}

#[test]
fn a_question_that_cannot_be_drawn_is_left_by_esc() {
    let mut screen = Screen::new(Bench::working());
    screen.bench.asks_to_run("rm -rf target");
    faults::set(&[("dialog", "")]);
    screen.settle();
    assert!(stops(&screen.press("esc")));
}

#[test]
fn without_motion_nothing_moves_during_a_turn() {
    let mut bench = Bench::working();
    let mut call = bench.call(ToolKind::Execute);
    call.title = Patch::Set(SafeText::line("LONG-JOB"));
    call.status = Patch::Set(ToolStatus::InProgress);
    bench.update(AgentEvent::ToolCall(Box::new(call)));
    let mut ui = settings();
    ui.ui.motion = false;
    let mut screen = Screen::new(bench);
    screen.ui = Ui::new(ui, Offload::immediate());
    let first = screen.draw();
    assert!(first.contains("Running LONG-JOB"), "{first}");
    for _ in 0..20 {
        screen.bench.wait(1_700);
        assert_eq!(screen.draw(), first);
    }
    // That nothing comes is told, once.
    let at = screen
        .ui
        .deadline(&screen.bench.context())
        .expect("silence is told");
    screen.bench.now = at;
    let silent = screen.draw();
    assert!(silent.contains("no word for 45s"), "{silent}");
    assert_eq!(screen.ui.deadline(&screen.bench.context()), None);
    screen.bench.wait(30_000);
    assert_eq!(screen.draw(), silent);
}
