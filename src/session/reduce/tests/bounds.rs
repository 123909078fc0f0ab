//! What an agent sends in numbers, at each bound: one below, as many, one above.

use super::*;
use crate::{
    model::{
        OptionId, PlanBody, PlanEntry, PlanId, PlanPriority, PlanStatus, SessionInfo, SessionPage,
        SlashCommand, TerminalId, TerminalPatch, ToolContent, ToolLocation,
    },
    session::reduce::conversation::bounds::*,
};

/// How many of so many are kept.
type Kept = fn(usize) -> usize;

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
    let blocks = play.session.conversation.transcript.blocks().iter();
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

/// Each with so many bytes, which are a name of five and what is said of it.
fn with_commands_of(count: usize, bytes: usize) -> usize {
    let mut play = Play::open();
    let command = |n: usize| SlashCommand {
        name: SafeText::new(&format!("{n:05}")),
        description: SafeText::new(&"x".repeat(bytes - 5)),
        hint: None,
    };
    play.update(AgentEvent::Commands((0..count).map(command).collect()));
    play.session.commands.len()
}

fn providers_of(count: usize, bytes: usize) -> usize {
    let mut play = Play::open_with(AgentCaps {
        providers: true,
        ..AgentCaps::default()
    });
    play.event(Event::ListProviders);
    let provider = |n: usize| crate::model::Provider {
        id: format!("{n:0bytes$}"),
        protocols: Vec::new(),
        required: false,
        current: None,
    };
    let list = (0..count).map(provider).collect();
    play.reply(CallTag::ListProviders, CallResult::ProvidersListed(list));
    play.session.providers.list.len()
}

/// Options that are on or off, each of so many bytes.
fn options_of(count: usize, bytes: usize) -> usize {
    let mut play = Play::open();
    let option = |n: usize| crate::model::ConfigOption {
        name: SafeText::default(),
        ..options::flag(&format!("{n:0bytes$}"), false)
    };
    play.update(AgentEvent::ConfigOptions((0..count).map(option).collect()));
    play.session.config_options.len()
}

/// Values of one option, each of so many bytes.
fn values_of(count: usize, bytes: usize) -> usize {
    let mut play = Play::open();
    let mut option = options::select("a", "x", "0", &[]);
    if let crate::model::ConfigKind::Select { values, .. } = &mut option.kind {
        values.extend((0..count).map(|n| crate::model::ConfigValue {
            value: format!("{n:05}"),
            name: SafeText::new(&"x".repeat(bytes - 5)),
            description: None,
            group: None,
        }));
    }
    play.update(AgentEvent::ConfigOptions(vec![option]));
    play.session.config_options[0].values().len()
}

fn with_entries(count: usize) -> usize {
    let mut play = Play::running();
    play.update(AgentEvent::Plan(vec![entry("x"); count]));
    play.session.conversation.plan.len()
}

/// In KiB of what the entries say; each has one.
fn with_said(count: usize) -> usize {
    let mut play = Play::running();
    play.update(AgentEvent::NamedPlan(crate::model::NamedPlan {
        id: PlanId::new("p"),
        body: PlanBody::Items(vec![entry(&"x".repeat(1 << 10)); count]),
    }));
    match &play.session.conversation.plans[0].body {
        PlanBody::Items(entries) => entries.len(),
        _ => 0,
    }
}

fn with_plans(count: usize) -> usize {
    let mut play = Play::running();
    for n in 0..count {
        play.update(AgentEvent::NamedPlan(crate::model::NamedPlan {
            id: PlanId::new(format!("p{n}")),
            body: PlanBody::Items(vec![entry("x")]),
        }));
    }
    play.session.conversation.plans.len()
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
    let bounds: [(&str, usize, Kept); 17] = [
        ("commands", MAX_COMMANDS, |count| with_commands_of(count, 5)),
        ("bytes of commands", MAX_COMMANDS_BYTES >> 12, |count| {
            with_commands_of(count, 1 << 12)
        }),
        ("providers", MAX_PROVIDERS, |count| providers_of(count, 3)),
        ("bytes of providers", MAX_PROVIDERS_BYTES >> 12, |count| {
            providers_of(count, 1 << 12)
        }),
        ("options", MAX_OPTIONS, |count| options_of(count, 4)),
        ("bytes of options", MAX_OPTIONS_BYTES >> 15, |count| {
            options_of(count, 1 << 15)
        }),
        ("values", MAX_OPTION_VALUES, |count| values_of(count, 5)),
        // The option itself takes three bytes: one value less.
        ("bytes of values", (MAX_OPTIONS_BYTES >> 12) - 1, |count| {
            values_of(count, 1 << 12)
        }),
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
                .map(ToolContent::weight)
                .sum::<usize>()
                - 64
        }),
        ("a plan in markdown", MAX_PLAN_TEXT, |length| {
            let mut play = Play::running();
            play.update(AgentEvent::NamedPlan(crate::model::NamedPlan {
                id: PlanId::new("p"),
                body: PlanBody::Text(crate::model::PlanText {
                    text: SafeText::new(&"x".repeat(length)),
                    path: None,
                }),
            }));
            named_plan_weight(&play.session.conversation.plans[0])
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

#[test]
fn a_question_whose_options_are_too_long_is_refused_at_the_edge() {
    for (bytes, asked) in [
        (MAX_OPTIONS_OF_QUESTION - 1, 1),
        (MAX_OPTIONS_OF_QUESTION, 1),
        (MAX_OPTIONS_OF_QUESTION + 1, 0),
    ] {
        let mut play = Play::running();
        let option = PermissionOption {
            id: OptionId::new("o".repeat(bytes - 3)),
            name: "yes".into(),
            kind: PermissionKind::AllowOnce,
        };
        play.asks_with("t", vec![option]);
        assert_eq!(play.session.questions.len(), asked, "{bytes}");
        assert_eq!(
            play.mentions("a request was refused"),
            asked == 0,
            "{bytes}"
        );
    }
}

/// However long the ids are that an agent chooses, they count as what they hold.
#[test]
fn ids_count_among_what_a_conversation_holds() {
    let long = "i".repeat(MAX_TRANSCRIPT / 128);
    let mut play = Play::running();
    for n in 0..300 {
        let message = format!("{n}{long}");
        play.update(chunk(ChunkRole::Agent, Some(&message), "word"));
        assert!(play.session.conversation.weight <= MAX_TRANSCRIPT);
    }
    assert!(play.mentions("dropped to save memory"));
}
