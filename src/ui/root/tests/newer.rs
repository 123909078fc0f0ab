//! What came to the protocol later: plans with ids, notices, compactions.

use super::*;
use crate::{
    proto::{
        AgentNotice, CompactionId, CompactionPatch, CompactionStatus, ContentBlock, NamedPlan,
        NoticeSeverity, Patch, PlanBody, PlanId, PlanText,
    },
    ui::transcript::transcript_text,
};

fn entry(content: &'static str, status: PlanStatus) -> PlanEntry {
    PlanEntry {
        content: content.into(),
        priority: PlanPriority::Medium,
        status,
    }
}

fn named(id: &str, body: PlanBody) -> AgentEvent {
    AgentEvent::NamedPlan(NamedPlan {
        id: PlanId::new(id),
        body,
    })
}

fn markdown_plan() -> AgentEvent {
    named(
        "b",
        PlanBody::Text(PlanText {
            text: SafeText::new(
                "# Move the printing out\n\n1. one `Printer` trait\n2. a table and a JSON one\n\n\
                 Then the flag only *chooses*.\n\nNo other command is touched.\n",
            ),
            path: Some("/home/me/src/tool/PLAN.md".into()),
        }),
    )
}

fn compaction(id: &str, status: CompactionStatus) -> CompactionPatch {
    CompactionPatch {
        id: CompactionId::new(id),
        status: Some(status),
        summary: Patch::Keep,
        error: Patch::Keep,
        meta: Patch::Keep,
    }
}

fn notice(severity: NoticeSeverity, title: &'static str, more: Option<&'static str>) -> AgentEvent {
    AgentEvent::Notice(AgentNotice {
        severity,
        title: title.into(),
        description: more.map(Into::into),
    })
}

fn at_work() -> Bench {
    let mut bench = Bench::working();
    let event = |patch| AgentEvent::Compaction(Box::new(patch));
    bench.message("The window is nearly full, so first the summary.");
    bench.update(event(CompactionPatch {
        summary: Patch::Set(vec![ContentBlock::Text(
            "**So far:** `list` prints a table.\n\n- the flag is parsed\n- nothing is tested"
                .into(),
        )]),
        ..compaction("done", CompactionStatus::Completed)
    }));
    bench.update(event(CompactionPatch {
        error: Patch::Set("the summary did not fit either".into()),
        ..compaction("failed", CompactionStatus::Failed)
    }));
    bench.update(event(compaction("now", CompactionStatus::InProgress)));
    bench.wait(2_000);
    bench.update(AgentEvent::Plan(vec![
        entry("read the command", PlanStatus::Completed),
        entry("add the flag", PlanStatus::InProgress),
    ]));
    bench.update(named(
        "a",
        PlanBody::Items(vec![
            entry("write the tests", PlanStatus::InProgress),
            entry("run them", PlanStatus::Pending),
        ]),
    ));
    bench.update(markdown_plan());
    bench
}

/// What the app does with the reducer's wishes.
fn tell_notices(screen: &mut Screen) {
    for effect in std::mem::take(&mut screen.bench.effects) {
        if let crate::session::Effect::Notice(notice) = effect {
            screen.ui.notice(notice);
        }
    }
}

// V1-PLAN-03, V1-PLAN-04, V1-NOTE-01, V1-COMP-01
#[test]
fn pictures_of_plans_side_by_side_a_compaction_and_a_notice() {
    let mut bench = at_work();
    bench.update(notice(
        NoticeSeverity::Warning,
        "Most of the hourly budget is used",
        Some("About 12 requests are left. It is full again at 14:00."),
    ));
    bench.update(notice(
        NoticeSeverity::Info,
        "A newer version is there: 1.19",
        None,
    ));
    let mut screen = Screen::new(bench);
    tell_notices(&mut screen);
    for (width, height) in [(40, 20), (80, 30), (120, 40), (200, 50)] {
        screen.size = (width, height);
        let name = format!("newer_{width}x{height}");
        let buffer = screen.buffer().0;
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
}

// V1-NOTE-01: a toast goes by itself, and no export has it.
#[test]
fn a_notice_goes_after_a_while_and_is_in_no_export() {
    let mut bench = Bench::working();
    bench.update(notice(NoticeSeverity::Error, "The quota is used up", None));
    let mut screen = Screen::new(bench);
    tell_notices(&mut screen);
    assert!(screen.draw().contains("The quota is used up"));
    let until = screen.ui.deadline(&screen.bench.context());
    assert!(until.is_some());
    let text = transcript_text(&screen.bench.session, &screen.bench.screens);
    assert!(!text.contains("quota"), "{text}");
    screen.bench.wait(12_000);
    assert!(!screen.draw().contains("quota"));
}

#[test]
fn notices_wait_for_their_turn_and_an_agent_cannot_fill_the_screen() {
    let mut bench = Bench::working();
    for n in 0..100 {
        bench.update(AgentEvent::Notice(AgentNotice {
            severity: NoticeSeverity::Info,
            title: SafeText::line(&format!("notice {n}.")),
            description: None,
        }));
    }
    let mut screen = Screen::new(bench);
    tell_notices(&mut screen);
    let shown = |screen: &mut Screen| screen.draw().matches("notice ").count();
    assert_eq!(shown(&mut screen), 3);
    screen.bench.wait(6_000);
    assert_eq!(shown(&mut screen), 3);
    for _ in 0..20 {
        screen.bench.wait(6_000);
        screen.draw();
    }
    assert_eq!(shown(&mut screen), 0);
}

// V1-COMP-01: the summary folds.
#[test]
fn the_summary_of_a_compaction_is_shown_on_demand() {
    let mut screen = Screen::new(at_work()).sized(80, 40);
    assert!(!screen.draw().contains("nothing is tested"));
    screen.press("ctrl-o");
    assert!(screen.draw().contains("nothing is tested"));
}

#[test]
fn a_plan_in_markdown_stands_in_the_transcript_when_its_turn_is_over() {
    let mut bench = Bench::working();
    bench.update(markdown_plan());
    turn_ends(&mut bench, StopReason::EndTurn);
    let mut screen = Screen::new(bench);
    let drawn = screen.draw();
    assert!(drawn.contains("plan PLAN.md"), "{drawn}");
    assert!(
        screen
            .ui
            .links()
            .iter()
            .any(|link| link.uri.ends_with("PLAN.md"))
    );
}
