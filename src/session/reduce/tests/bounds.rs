//! What an agent sends in numbers, at each bound: one below, as many, one above.

use super::*;
use crate::{
    proto::{
        PlanBody, PlanEntry, PlanId, PlanPriority, PlanStatus, SessionInfo, SessionPage,
        SlashCommand, TerminalId, TerminalPatch, ToolContent, ToolLocation,
    },
    session::reduce::bounds::*,
};

/// How many of so many are kept.
type Kept = fn(usize) -> usize;

fn name(n: usize) -> SafeText {
    SafeText::new(&format!("n{n}"))
}

fn entry(content: &str) -> PlanEntry {
    PlanEntry {
        content: SafeText::new(content),
        priority: PlanPriority::Medium,
        status: PlanStatus::Pending,
    }
}

fn terminal(n: usize, command: &str) -> AgentEvent {
    AgentEvent::Terminal(Box::new(TerminalPatch {
        command: Patch::Set(command.to_owned()),
        cwd: Patch::Set(command.to_owned()),
        ..TerminalPatch::new(TerminalId::new(format!("t{n}")))
    }))
}

fn call_with(content: Vec<ToolContent>, locations: Vec<ToolLocation>) -> Play {
    let mut play = Play::running();
    play.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
        announces: true,
        content: Patch::Set(content),
        locations: Patch::Set(locations),
        ..ToolCallPatch::new(ToolCallId::new("a"))
    })));
    play
}

fn call(play: &Play) -> &ToolCall {
    let blocks = play.session.transcript.blocks().iter();
    let mut calls = blocks.filter_map(|block| match &block.kind {
        BlockKind::Tool(call) => Some(call),
        _ => None,
    });
    calls.next().expect("a call")
}

fn listed(sessions: Vec<SessionInfo>) -> usize {
    let mut play = Play::open_with(AgentCaps {
        list: true,
        ..AgentCaps::default()
    });
    play.event(Event::ListSessions);
    let page = SessionPage {
        sessions,
        next: None,
    };
    play.reply(
        CallTag::ListSessions { first: true },
        CallResult::SessionsListed(page),
    );
    play.session.earlier.sessions.len()
}

fn info(n: usize, title: &str) -> SessionInfo {
    SessionInfo {
        id: SessionId::new(format!("{n:04}")),
        title: Some(SafeText::new(title)),
        cwd: None,
        updated: None,
        additional_directories: Vec::new(),
    }
}

fn with_commands(count: usize) -> usize {
    let mut play = Play::open();
    let command = |n| SlashCommand {
        name: name(n),
        description: SafeText::default(),
        hint: None,
    };
    play.update(AgentEvent::Commands((0..count).map(command).collect()));
    play.session.commands.len()
}

fn with_entries(count: usize) -> usize {
    let mut play = Play::running();
    play.update(AgentEvent::Plan(vec![entry("x"); count]));
    play.session.plan.len()
}

/// In KiB of what the entries say; each has one.
fn with_said(count: usize) -> usize {
    let mut play = Play::running();
    play.update(AgentEvent::NamedPlan(crate::proto::NamedPlan {
        id: PlanId::new("p"),
        body: PlanBody::Items(vec![entry(&"x".repeat(1 << 10)); count]),
    }));
    match &play.session.plans[0].body {
        PlanBody::Items(entries) => entries.len(),
        _ => 0,
    }
}

fn with_plans(count: usize) -> usize {
    let mut play = Play::running();
    for n in 0..count {
        play.update(AgentEvent::NamedPlan(crate::proto::NamedPlan {
            id: PlanId::new(format!("p{n}")),
            body: PlanBody::Items(vec![entry("x")]),
        }));
    }
    play.session.plans.len()
}

fn with_terminals(count: usize) -> usize {
    let mut play = Play::running();
    for n in 0..count {
        play.update(terminal(n, "x"));
    }
    play.session.terminals.len()
}

fn with_content(count: usize) -> usize {
    let piece = ToolContent::Block(text("x"));
    call(&call_with(vec![piece; count], Vec::new()))
        .content
        .len()
}

fn with_locations(count: usize) -> usize {
    let location = |n: usize| ToolLocation {
        path: format!("/p/{n}"),
        line: None,
    };
    let locations = (0..count).map(location).collect();
    call(&call_with(Vec::new(), locations)).locations.len()
}

fn with_questions(count: usize) -> usize {
    let mut play = Play::running();
    for n in 0..count {
        play.asks_about(&format!("t{n}"));
    }
    play.session.questions.len()
}

fn with_queue(count: usize) -> usize {
    let mut play = Play::running();
    for n in 0..count {
        play.event(Event::Submit(prompt(&format!("p{n}"))));
    }
    play.session.queue.len()
}

#[test]
fn what_is_kept_by_number_is_bounded_at_its_edge() {
    let bounds: [(&str, usize, Kept); 10] = [
        ("commands", MAX_COMMANDS, with_commands),
        ("entries of a plan", MAX_PLAN, with_entries),
        ("what entries say", MAX_PLAN_TEXT >> 10, with_said),
        ("plans", MAX_PLANS, with_plans),
        ("terminals", MAX_TERMINALS, with_terminals),
        ("content of a call", MAX_TOOL_ITEMS, with_content),
        ("locations of a call", MAX_TOOL_ITEMS, with_locations),
        ("questions", MAX_QUESTIONS, with_questions),
        ("prompts that wait", MAX_QUEUE, with_queue),
        ("sessions that are listed", 1_000, |count| {
            listed((0..count).map(|n| info(n, "")).collect())
        }),
    ];
    for (what, most, kept) in bounds {
        for count in [most - 1, most, most + 1] {
            assert_eq!(kept(count), count.min(most), "{what}: {count} of {most}");
        }
    }
}

#[test]
fn a_list_of_sessions_is_bounded_in_bytes_and_its_cut_told() {
    let each = 8 << 10;
    let most = (4 << 20) / each;
    for count in [most - 1, most, most + 1] {
        let title = "x".repeat(each - 4);
        let kept = listed((0..count).map(|n| info(n, &title)).collect());
        assert_eq!(kept, count.min(most), "{count}");
    }
}

#[test]
fn texts_that_are_kept_are_bounded_at_their_edges() {
    let bounds: [(&str, usize, Kept); 4] = [
        ("a call's title", MAX_TITLE, |length| {
            let mut play = Play::running();
            play.update(tool("a", &"x".repeat(length), ToolStatus::InProgress));
            call(&play).title.len()
        }),
        ("a terminal's command", MAX_TITLE, |length| {
            let mut play = Play::running();
            play.update(terminal(0, &"x".repeat(length)));
            let info = play.session.terminals.values().next().expect("there");
            assert_eq!(info.cwd.len(), info.command.len());
            info.command.len()
        }),
        ("the text of a call", MAX_TOOL_TEXT, |length| {
            let said = ToolContent::Block(text(&"x".repeat(length)));
            let play = call_with(vec![said], Vec::new());
            call(&play)
                .content
                .iter()
                .map(tool_content_weight)
                .sum::<usize>()
                - 64
        }),
        ("a plan in markdown", MAX_PLAN_TEXT, |length| {
            let mut play = Play::running();
            play.update(AgentEvent::NamedPlan(crate::proto::NamedPlan {
                id: PlanId::new("p"),
                body: PlanBody::Text(crate::proto::PlanText {
                    text: SafeText::new(&"x".repeat(length)),
                    path: None,
                }),
            }));
            named_plan_weight(&play.session.plans[0])
        }),
    ];
    for (what, most, kept) in bounds {
        for length in [most - 1, most] {
            assert_eq!(kept(length), length, "{what}");
        }
        // What is missing is told within it.
        for length in [most + 1, 3 * most] {
            let kept = kept(length);
            assert!((most / 2..most + 64).contains(&kept), "{what}: {kept}");
        }
    }
}
