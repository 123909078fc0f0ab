use std::{collections::BTreeMap, time::Duration};

use super::*;
use crate::{
    model::{
        ContentBlock, ExitStatus, PlanEntry, PlanPriority, PlanStatus, RawJson, ToolCallId,
        ToolLocation,
    },
    session::{Answered, By, Subagents},
    ui::render::testing::{self, Stage, at_widths},
    vt::SharedScreen,
};

struct Props {
    stage: Stage,
    terminals: BTreeMap<TerminalId, TerminalInfo>,
    screens: Screens,
    subagents: Subagents,
}

impl Props {
    fn new(stage: Stage) -> Self {
        Self {
            stage,
            terminals: BTreeMap::new(),
            screens: Screens::default(),
            subagents: Subagents::default(),
        }
    }

    fn rows(&self, call: &ToolCall, detail: Detail, ctx: &RenderContext<'_>) -> Vec<Row> {
        let tool = ToolContext {
            cwd: Path::new("/work/tool"),
            subagents: &self.subagents,
            terminals: &self.terminals,
            screens: &self.screens,
            layout: DiffLayout::Auto,
            detail,
            found: None,
            spinner: Some("⠹"),
        };
        let mut rows = render_tool_header(call, &tool, ctx).rows;
        for piece in 0..piece_count(call, detail) {
            rows.extend(render_tool_piece(call, piece, &tool, ctx).rows);
        }
        rows
    }

    fn text(&self, call: &ToolCall, detail: Detail, width: u16) -> String {
        let rows = self.rows(call, detail, &self.stage.ctx(width));
        testing::text(&rows, width)
    }
}

fn call(kind: ToolKind, title: &str, props: &Props) -> ToolCall {
    ToolCall {
        title: SafeText::new(title),
        kind,
        state: ToolState::Completed,
        ..ToolCall::new(ToolCallId::new("c"), props.stage.now)
    }
}

fn text_piece(text: &str) -> ToolContent {
    ToolContent::Block(ContentBlock::Text(SafeText::new(text)))
}

#[test]
fn every_kind_and_state() {
    let mut props = Props::new(Stage::dark());
    props.stage.now += Duration::from_secs(4);
    let mut calls = Vec::new();
    for (kind, title) in [
        (ToolKind::Read, "Read src/main.rs"),
        (ToolKind::Edit, "Edit"),
        (ToolKind::Delete, "src/old.rs"),
        (ToolKind::Move, "src/a.rs to src/b.rs"),
        (ToolKind::Search, "fn main"),
        (ToolKind::Execute, "`cargo build`"),
        (ToolKind::Think, "about it"),
        (ToolKind::Fetch, "https://example.com"),
        (ToolKind::SwitchMode, "plan"),
        (ToolKind::Other, "weather in Graz"),
    ] {
        let mut call = call(kind, title, &props);
        call.took = Some(Duration::from_millis(1_250));
        calls.push(call);
    }
    calls[1].locations = vec![ToolLocation {
        path: "/work/tool/src/main.rs".into(),
        line: Some(12),
    }];
    for state in [
        ToolState::Pending,
        ToolState::InProgress,
        ToolState::Completed,
        ToolState::Failed,
        ToolState::Cancelled,
        ToolState::Ended,
        ToolState::Unknown(SafeText::new("paused")),
    ] {
        let mut call = call(ToolKind::Other, "task", &props);
        call.started -= Duration::from_secs(3);
        call.state = state;
        calls.push(call);
    }
    let last = calls.last_mut().expect("calls");
    last.asking = true;
    let shown = at_widths(&props.stage, |ctx| {
        calls
            .iter()
            .flat_map(|call| props.rows(call, Detail::Short, ctx))
            .collect()
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn the_person_is_told_that_their_own_command_stays_theirs() {
    let props = Props::new(Stage::dark());
    let mut own = call(ToolKind::Execute, "! ls", &props);
    own.command = Some("ls".into());
    own.by_person = true;
    let said = "not sent to the agent";
    let short = props.text(&own, Detail::Short, 80);
    assert!(
        short.lines().next().is_some_and(|row| row.contains(said)),
        "{short}"
    );
    own.command = Some("cargo test --workspace --all-targets -- --nocapture".into());
    let long = props.text(&own, Detail::Short, 60);
    assert!(
        long.contains("--nocapture") && long.contains(said),
        "{long}"
    );
    own.by_person = false;
    assert!(!props.text(&own, Detail::Short, 80).contains(said));
}

#[test]
fn a_long_output_is_folded_with_its_count() {
    let props = Props::new(Stage::dark());
    let mut read = call(ToolKind::Read, "Read a.txt", &props);
    let lines: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    read.content = vec![text_piece(&lines)];
    assert!(props.text(&read, Detail::Header, 60).contains("40 lines"));
    let short = props.text(&read, Detail::Short, 60);
    assert!(
        short.contains("line 8 ") && short.contains("+32 lines"),
        "{short}"
    );
    let full = props.text(&read, Detail::Full, 60);
    assert!(full.contains("line 40") && !full.contains("+32"), "{full}");
    // Of a command the end is wanted.
    read.kind = ToolKind::Execute;
    let short = props.text(&read, Detail::Short, 60);
    assert!(
        short.contains("+30 lines") && short.contains("line 40"),
        "{short}"
    );
}

#[test]
fn a_command_of_many_lines_is_whole_when_unfolded() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "Run a script", &props);
    run.command = Some("set -e\nfor f in *; do\n  echo \"$f\"\ndone".into());
    insta::assert_snapshot!(
        [Detail::Header, Detail::Full]
            .map(|detail| props.text(&run, detail, 40))
            .join("\n")
    );
}

// V1-UPD-12
#[test]
fn no_control_character_of_a_command_or_path_gets_through() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "x", &props);
    run.command = Some("echo \u{1b}]52;c;AA\u{7} \u{202e}txt".into());
    let mut read = call(ToolKind::Read, "x", &props);
    read.locations = vec![ToolLocation {
        path: "/work/tool/a\u{1b}[2J\nb".into(),
        line: None,
    }];
    let mut raw = call(ToolKind::Other, "x", &props);
    raw.raw_input = Some(RawJson("\"\u{202e}\u{9b}\"".into()));
    for call in [run, read, raw] {
        let shown = props.text(&call, Detail::Full, 80);
        let foreign = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(foreign), "{shown:?}");
    }
}

// Some agents send a terminal and its output as text besides.
#[test]
fn output_that_the_agent_gives_as_text_too_is_shown_once_unless_in_full() {
    let mut props = Props::new(Stage::dark());
    let id = TerminalId::new("t");
    let screen = SharedScreen::new(24, 80);
    screen.change(|screen| screen.feed(b"built\r\n"));
    props.screens.insert(id.clone(), screen);
    let mut info = TerminalInfo {
        command: "make".into(),
        cwd: "/work/tool".into(),

        exit: None,
        ..TerminalInfo::new(props.stage.now)
    };
    props.terminals.insert(id.clone(), info.clone());
    let mut call = call(ToolKind::Execute, "make", &props);
    call.content = vec![ToolContent::Terminal(id.clone())];
    let times = |props: &Props, call: &ToolCall, detail| {
        props.text(call, detail, 80).matches("built").count()
    };
    assert_eq!(times(&props, &call, Detail::Short), 1);
    info.exit = Some(ExitStatus::default());
    props.terminals.insert(id, info);
    assert_eq!(times(&props, &call, Detail::Short), 1);
    call.content.push(text_piece("built"));
    assert_eq!(times(&props, &call, Detail::Short), 1);
    assert_eq!(times(&props, &call, Detail::Full), 2);
}

#[test]
fn an_unknown_terminal_costs_one_line() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "make", &props);
    run.content = vec![
        text_piece("before"),
        ToolContent::Terminal(TerminalId::new("gone")),
        text_piece("after"),
    ];
    let shown = props.text(&run, Detail::Short, 60);
    assert!(
        shown.contains("before") && shown.contains("after"),
        "{shown}"
    );
    assert_eq!(
        shown
            .matches("output of a terminal, no longer kept")
            .count(),
        1
    );
}

#[test]
fn what_was_asked_keeps_its_answer() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "rm -rf target", &props);
    let answer = |answer: &'static str, allowed: bool, by| Answered {
        answer: answer.into(),
        allowed: Some(allowed),
        by,
    };
    run.answers = vec![
        answer("Yes, once", true, By::Person),
        answer("No", false, By::Person),
        answer("Reject", false, By::Rule("execute rm".into())),
        answer("Allow", true, By::Rule("allow-all".into())),
        answer("cancelled", false, By::Nobody),
    ];
    insta::assert_snapshot!(props.text(&run, Detail::Header, 60));
}

/// However the agent puts it: as failed, as done, or not at all.
#[test]
fn a_call_that_was_denied_is_not_said_to_have_failed() {
    let props = Props::new(Stage::dark());
    let mut edit = call(ToolKind::Edit, "Write notes.txt", &props);
    edit.answers = vec![Answered {
        answer: "No".into(),
        allowed: Some(false),
        by: By::Person,
    }];
    for state in [ToolState::Failed, ToolState::Ended, ToolState::Completed] {
        edit.state = state;
        let shown = props.text(&edit, Detail::Header, 60);
        assert!(shown.contains("✗ Edit"), "{shown}");
        assert!(shown.contains("denied by you"), "{shown}");
        let whole = props.text(&edit, Detail::Full, 60);
        assert!(whole.contains("denied by you · No"), "{whole}");
        assert!(!shown.contains("failed"), "{shown}");
        assert!(!shown.contains("no result"), "{shown}");
    }
}

#[test]
fn an_allowed_call_has_no_line_that_says_so_until_it_is_unfolded() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "cargo test", &props);
    for by in [By::Person, By::Rule("allow-all".into())] {
        run.answers = vec![Answered {
            answer: "Yes".into(),
            allowed: Some(true),
            by,
        }];
        for detail in [Detail::Header, Detail::Short] {
            assert!(!props.text(&run, detail, 60).contains("allowed"));
        }
        assert!(props.text(&run, Detail::Full, 60).contains("allowed by"));
    }
}

#[test]
fn a_refusal_is_not_told_again_in_the_agents_words() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "rm -r build", &props);
    run.content = vec![text_piece("The user rejected permission to use this tool.")];
    run.answers = vec![Answered {
        answer: "No".into(),
        allowed: Some(false),
        by: By::Person,
    }];
    for state in [ToolState::Failed, ToolState::Ended, ToolState::Completed] {
        run.state = state;
        let shown = props.text(&run, Detail::Short, 60);
        assert!(!shown.contains("rejected"), "{shown}");
        let whole = props.text(&run, Detail::Full, 60);
        assert!(whole.contains("rejected"), "{whole}");
    }
}

#[test]
fn output_stands_dim_behind_a_gutter_and_breaks_between_words() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "cargo test", &props);
    run.content = vec![text_piece(
        "running a hundred and fifty-one tests of the parser",
    )];
    let rows = props.rows(&run, Detail::Short, &props.stage.ctx(40));
    let shown: Vec<String> = rows.iter().map(|row| row.line.to_string()).collect();
    assert_eq!(
        shown[1..],
        [
            "    │ running a hundred and fifty-one",
            "    │ tests of the parser"
        ]
    );
    let dim = props.stage.theme.dim;
    let said = rows[1].line.spans.last().expect("the text");
    assert_eq!(said.style, dim);
    run.kind = ToolKind::Read;
    let shown = props.text(&run, Detail::Full, 40);
    assert!(!shown.contains('│'), "code is copied clean: {shown}");
}

#[test]
fn an_error_is_one_line_and_its_details_once() {
    let props = Props::new(Stage::dark());
    let error = "no such file: src/a.rs\nlooked in /work\nand in /work/tool";
    let mut edit = call(ToolKind::Edit, "Edit src/a.rs", &props);
    edit.state = ToolState::Failed;
    edit.content = vec![text_piece(error)];
    edit.raw_output = Some(RawJson(format!("{{\"error\":{error:?}}}").into()));
    let shown = props.text(&edit, Detail::Short, 60);
    assert_eq!(shown.matches("no such file").count(), 1, "{shown}");
    assert!(shown.contains("+2 lines"), "{shown}");
    let whole = props.text(&edit, Detail::Full, 60);
    assert_eq!(whole.matches("no such file").count(), 1, "{whole}");
    assert!(whole.contains("and in /work/tool"), "{whole}");
}

#[test]
fn raw_input_stands_only_where_nothing_else_tells_it() {
    let props = Props::new(Stage::dark());
    let raw = || Some(RawJson(r#"{"command":"cargo test"}"#.into()));
    let mut run = call(ToolKind::Execute, "cargo test", &props);
    run.raw_input = raw();
    run.command = Some("cargo test".into());
    let shown = props.text(&run, Detail::Full, 60);
    assert!(!shown.contains('{'), "{shown}");
    run.command = None;
    let shown = props.text(&run, Detail::Full, 60);
    assert!(shown.contains('{'), "{shown}");
}

#[test]
fn a_list_of_what_is_to_be_done_is_shown_as_such_and_never_as_json() {
    let props = Props::new(Stage::dark());
    let mut todo = call(ToolKind::Other, "3 todos", &props);
    todo.raw_input = Some(RawJson(r#"{"todos":[]}"#.into()));
    todo.raw_output = Some(RawJson(r#"{"output":"[]"}"#.into()));
    let entry = |content: &str, status| PlanEntry {
        content: SafeText::new(content),
        priority: PlanPriority::default(),
        status,
    };
    todo.todos = vec![
        entry("read it", PlanStatus::Completed),
        entry("change it", PlanStatus::InProgress),
        entry("test it", PlanStatus::Pending),
    ];
    let shown = props.text(&todo, Detail::Short, 60);
    assert_eq!(shown.trim_end().lines().count(), 1, "{shown}");
    let shown = props.text(&todo, Detail::Full, 60);
    assert!(!shown.contains('{'), "{shown}");
    for line in ["✓ read it", "▸ change it", "test it"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    // Why it failed is told as of any other.
    todo.state = ToolState::Failed;
    let shown = props.text(&todo, Detail::Short, 60);
    assert!(shown.contains("output"), "{shown}");
}

#[test]
fn a_call_that_nobody_answered_for_is_said_not_to_be_answered() {
    let props = Props::new(Stage::dark());
    let mut edit = call(ToolKind::Edit, "Write notes.txt", &props);
    edit.answers = vec![Answered {
        answer: "cancelled".into(),
        allowed: Some(false),
        by: By::Nobody,
    }];
    for state in [ToolState::Ended, ToolState::Pending] {
        edit.state = state;
        let shown = props.text(&edit, Detail::Header, 60);
        assert!(shown.contains("not answered"), "{shown}");
        assert!(!shown.contains("no result"), "{shown}");
        assert!(!shown.contains("waits"), "{shown}");
    }
}

#[test]
fn an_answer_whose_meaning_nobody_tells_is_no_refusal() {
    let props = Props::new(Stage::dark());
    let mut run = call(ToolKind::Execute, "ls", &props);
    run.answers = vec![Answered {
        answer: "Proceed with care".into(),
        allowed: None,
        by: By::Person,
    }];
    let shown = props.text(&run, Detail::Header, 60);
    assert!(shown.contains("answered: Proceed with care"), "{shown}");
    assert!(!run.is_denied() && !shown.contains("denied"), "{shown}");
}

#[test]
fn a_failed_call_without_content_shows_its_raw_output() {
    let props = Props::new(Stage::dark());
    let mut call = call(ToolKind::Other, "weather", &props);
    call.state = ToolState::Failed;
    call.raw_output = Some(RawJson(r#"{"error":"no such city"}"#.into()));
    let shown = props.text(&call, Detail::Short, 60);
    assert!(shown.contains("no such city"), "{shown}");
}

#[test]
fn paths_inside_the_workspace_are_relative() {
    let cwd = Path::new("/work/tool");
    assert_eq!(shown_path("/work/tool/src/a.rs", cwd).as_str(), "src/a.rs");
    assert_eq!(
        shown_path("/work/toolbox/a.rs", cwd).as_str(),
        "/work/toolbox/a.rs"
    );
    assert_eq!(shown_path("/work/tool", cwd).as_str(), "/work/tool");
    assert_eq!(shown_path("src/a.rs", cwd).as_str(), "src/a.rs");
}

#[test]
fn of_a_path_that_is_too_long_the_end_is_kept() {
    let props = Props::new(Stage::dark());
    let mut read = call(ToolKind::Read, "x", &props);
    read.locations = vec![ToolLocation {
        path: "/somewhere/else/with/a/long/way/to/the/file.rs".into(),
        line: None,
    }];
    assert!(
        props
            .text(&read, Detail::Header, 30)
            .contains("…g/way/to/the/file.rs")
    );
}
