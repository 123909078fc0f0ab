//! What came to the protocol later: plans with ids, notices, compactions.

use super::*;
use crate::{
    model::{
        AgentNotice, ChunkRole, CompactionPatch, CompactionStatus, ContentBlock, ContentPatch,
        EntityId, EntityPatch, EntityUpdate, FromAgent, Meta, NamedPlan, NoticeSeverity, Patch,
        PlanBody, PlanId, PlanText, RpcError, SessionId, SessionMessagePatch, StopReason,
        SubagentCaps, SubagentPatch, ToolCallId, ToolCallPatch, ToolContent, ToolKind, ToolStatus,
        WorkState,
    },
    ui::blocks::transcript_text,
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

fn compaction(
    id: &str,
    status: CompactionStatus,
    error: Patch<SafeText>,
    summary: Patch<Vec<ContentBlock>>,
) -> AgentEvent {
    let status = Some(status);
    AgentEvent::Entity(Box::new(EntityUpdate {
        id: EntityId::new(id),
        kind: EntityPatch::Compaction(CompactionPatch { status, error }),
        content: ContentPatch::Whole(summary),
        meta: Meta::default(),
    }))
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
    bench.message("The window is nearly full, so first the summary.");
    let summary = Patch::Set(vec![ContentBlock::Text(
        "**So far:** `list` prints a table.\n\n- the flag is parsed\n- nothing is tested".into(),
    )]);
    bench.update(compaction(
        "done",
        CompactionStatus::Completed,
        Patch::Keep,
        summary,
    ));
    let error = Patch::Set("the summary did not fit either".into());
    bench.update(compaction(
        "failed",
        CompactionStatus::Failed,
        error,
        Patch::Keep,
    ));
    bench.update(compaction(
        "now",
        CompactionStatus::InProgress,
        Patch::Keep,
        Patch::Keep,
    ));
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
    assert!(screen.ui.links().is_empty(), "the path is the agent's");
}

fn child(id: &str, change: impl FnOnce(&mut SubagentPatch)) -> AgentEvent {
    let mut patch = SubagentPatch::new(SessionId::new(id));
    change(&mut patch);
    AgentEvent::Subagent(Box::new(patch))
}

fn running(id: &str, title: &'static str) -> AgentEvent {
    child(id, |patch| {
        patch.title = Patch::Set(title.into());
        patch.state = Patch::Set(WorkState::Running.into());
    })
}

fn rests(id: &str, reason: StopReason) -> AgentEvent {
    child(id, |patch| {
        patch.state = Patch::Set(WorkState::Idle(Some(reason)).into());
    })
}

fn call(id: &str, kind: ToolKind, title: &'static str, status: ToolStatus) -> AgentEvent {
    AgentEvent::ToolCall(Box::new(ToolCallPatch {
        announces: true,
        title: Patch::Set(title.into()),
        kind: Patch::Set(kind),
        status: Patch::Set(status),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }))
}

fn text_of(said: &'static str) -> AgentEvent {
    AgentEvent::Chunk {
        role: ChunkRole::Agent,
        message: None,
        content: ContentBlock::Text(said.into()),
        meta: Meta::default(),
    }
}

impl Bench {
    fn child_update(&mut self, id: &str, event: AgentEvent) {
        self.says(FromAgent::Update {
            session: Some(SessionId::new(id)),
            event,
        });
    }
}

fn with_subagents() -> Bench {
    use ToolStatus::{Completed, InProgress};
    let mut bench = Bench::working();
    bench.message("Two look around at the same time, a third one failed.");
    bench.update(running("a", "Find where `list` is tested"));
    bench.update(AgentEvent::Entity(Box::new(EntityUpdate {
        id: EntityId::new("m"),
        kind: EntityPatch::SessionMessage(SessionMessagePatch {
            sender: Patch::Set(Bench::session_id()),
            recipient: Patch::Set(SessionId::new("a")),
        }),
        content: ContentPatch::Whole(Patch::Set(vec![ContentBlock::Text(
            "Look for tests of `list`. Tell me which run the binary.".into(),
        )])),
        meta: Meta::default(),
    })));
    bench.child_update(
        "a",
        call("1", ToolKind::Search, "list in tests/", Completed),
    );
    bench.child_update("a", call("2", ToolKind::Read, "tests/list.rs", Completed));
    bench.child_update(
        "a",
        text_of("`tests/list.rs` has six of them, and two run the binary."),
    );
    bench.update(rests("a", StopReason::EndTurn));
    bench.update(running("b", "Run the tests that there are"));
    bench.child_update("b", text_of("First the fast ones."));
    bench.child_update("b", running("bb", "Build it in a worktree"));
    bench.child_update(
        "bb",
        call("1", ToolKind::Execute, "cargo build", InProgress),
    );
    bench.child_update(
        "b",
        call("2", ToolKind::Execute, "cargo test list", InProgress),
    );
    bench.update(running("f", "Ask the big model"));
    bench.update(rests(
        "f",
        StopReason::Error(RpcError::new(-32000, "the quota is used up")),
    ));
    bench.update(child("w", |patch| {
        patch.title = Patch::Set("Deploy".into());
        patch.state = Patch::Set(WorkState::RequiresAction.into());
    }));
    bench.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
        title: Patch::Set("Delegate the tests".into()),
        kind: Patch::Set(ToolKind::Think),
        status: Patch::Set(InProgress),
        content: Patch::Set(vec![
            ToolContent::Session(SessionId::new("b")),
            ToolContent::Session(SessionId::new("gone")),
        ]),
        ..ToolCallPatch::new(ToolCallId::new("task"))
    })));
    bench.wait(3_000);
    bench
}

// V1-SUB-01, V1-SUB-04, V1-SUB-05, V1-TOOL-11
#[test]
fn pictures_of_subagents() {
    let mut screen = Screen::new(with_subagents());
    for (width, height) in [(40, 40), (80, 40), (200, 40)] {
        screen.size = (width, height);
        let name = format!("subagents_{width}x{height}");
        let buffer = screen.buffer().0;
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
    screen.size = (80, 60);
    screen.press("ctrl-o");
    let buffer = screen.buffer().0;
    keep("subagents_unfolded", &buffer);
    insta::assert_snapshot!("subagents_unfolded", text(&buffer));
}

#[test]
fn the_whole_conversation_of_a_subagent_is_in_the_pagers_text() {
    let bench = with_subagents();
    let text = transcript_text(&bench.session, &bench.screens);
    for part in [
        "Find where",
        "has six of them",
        "cargo build",
        "Look for tests",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

// V1-TOOL-11: `t` on the call goes to the subagent that it names; one that nobody knows is named
// without a link.
#[test]
fn a_call_leads_to_its_subagent() {
    let mut screen = Screen::new(with_subagents()).sized(100, 50);
    screen.draw();
    screen.press("tab");
    assert!(screen.draw().contains("t goes to the agent"));
    assert!(screen.draw().contains("[session gone]"));
    screen.press("t");
    let drawn = screen.draw();
    assert!(!drawn.contains("goes to the agent"), "{drawn}");
    screen.press("enter");
    assert!(screen.draw().contains("First the fast ones."));
}

// V1-SUB-03
#[test]
fn a_subagent_is_stopped_only_where_that_is_offered() {
    let mut bench = Bench::working();
    bench.update(running("a", "Look around"));
    let mut screen = Screen::new(bench);
    screen.draw();
    screen.press("tab");
    assert!(!screen.draw().contains("stops it"));
    assert!(screen.press("x").is_empty());
    screen.bench.update(child("a", |patch| {
        patch.caps = Patch::Set(SubagentCaps { cancel: true });
    }));
    assert!(screen.draw().contains("x stops it"));
    let commands = screen.press("x");
    assert!(
        matches!(
            commands.as_slice(),
            [UiCommand::Session(Event::CancelSubagent(id))] if id.as_str() == "a"
        ),
        "{commands:?}"
    );
}

// V1-SUB-02: its spinner turns and its rows change although only its own transcript does.
#[test]
fn what_a_subagent_does_is_drawn_as_it_does_it() {
    let mut bench = Bench::working();
    bench.update(running("a", "Look around"));
    let mut screen = Screen::new(bench);
    screen.draw();
    for n in 0..30 {
        let said = SafeText::line(&format!("step {n}. "));
        screen.bench.child_update(
            "a",
            AgentEvent::Chunk {
                role: ChunkRole::Agent,
                message: None,
                content: ContentBlock::Text(said),
                meta: Meta::default(),
            },
        );
        assert!(screen.draw().contains(&format!("step {n}.")));
    }
    let context = screen.bench.context();
    assert!(screen.ui.deadline(&context).is_some());
}
