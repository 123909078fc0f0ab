//! An agent that says what it does, changes of files by list, questions in its own words (V2).

use super::*;
use crate::{
    model::{
        Background, CommandSubject, Diff, DiffText, FileChange, FileKind, FromAgent, HostRequest,
        MessageId, PermissionRequest, PermissionSubject, RawJson, RequestKey, StateUpdate,
        TerminalId, TerminalPatch, ToolCallId, ToolCallPatch, ToolContent, ToolKind, ToolStatus,
        WorkState,
    },
    session::{Question, Verdict},
    text::SafeText,
    ui::{blocks::transcript_text, testing::usual_options},
};

fn state(state: WorkState) -> AgentEvent {
    AgentEvent::State(state.into())
}

fn beside(state: WorkState, count: usize) -> AgentEvent {
    let background = (0..count).map(|n| Background::Other(SafeText::line(&n.to_string())));
    AgentEvent::State(StateUpdate {
        background: Some(background.collect()),
        ..state.into()
    })
}

fn at_work() -> Bench {
    let mut bench = Bench::working();
    bench.update(state(WorkState::Running));
    bench.says(FromAgent::Reply {
        caller: crate::model::SessionKey::default(),
        call: CallTag::Prompt {
            session: Bench::session_id(),
        },
        result: CallResult::PromptAccepted {
            message: MessageId::new("m"),
        },
    });
    bench
}

fn call(id: &str, title: &'static str, kind: ToolKind, status: ToolStatus) -> ToolCallPatch {
    ToolCallPatch {
        title: Patch::Set(title.into()),
        kind: Patch::Set(kind),
        status: Patch::Set(status),
        ..ToolCallPatch::new(ToolCallId::new(id))
    }
}

fn tells(bench: &mut Bench, patch: ToolCallPatch) {
    bench.update(AgentEvent::ToolCall(Box::new(patch)));
}

/// The parts of a patch about `cli.rs` and about `print.rs`.
const PATCHES: [&str; 2] = [
    "diff --git /home/me/src/tool/src/cli.rs /home/me/src/tool/src/cli.rs\n\
    --- /home/me/src/tool/src/cli.rs\n+++ /home/me/src/tool/src/cli.rs\n\
    @@ -41,4 +41,5 @@ fn main() {\n     let args = parse();\n-    list(&args);\n\
    +    let out = Printer::new(&args);\n+    list(&args, out);\n     done();\n }\n\
    @@ -90,2 +91,1 @@\n-// old\n }\n",
    "diff --git /home/me/src/tool/src/out.rs /home/me/src/tool/src/print.rs\n\
    similarity index 90%\nrename from /home/me/src/tool/src/out.rs\n\
    rename to /home/me/src/tool/src/print.rs\n\
    --- /home/me/src/tool/src/out.rs\n+++ /home/me/src/tool/src/print.rs\n\
    @@ -1 +1 @@\n-mod out;\n+mod print;\n",
];

fn changes() -> Vec<ToolContent> {
    let change = |path: &str, change, file| Diff {
        path: format!("/home/me/src/tool/{path}"),
        change,
        file,
        mime_type: None,
        text: DiffText::None,
        note: None,
    };
    let from = |path: &str| format!("/home/me/src/tool/{path}");
    let mut diffs = [
        change("src/cli.rs", FileChange::Modify, FileKind::Text),
        change(
            "src/print.rs",
            FileChange::Move {
                from: from("src/out.rs"),
            },
            FileKind::Text,
        ),
        change("src/table", FileChange::Add, FileKind::Directory),
        Diff {
            mime_type: Some("image/png".into()),
            ..change("docs/list.png", FileChange::Add, FileKind::Binary)
        },
        change(
            "docs/latest",
            FileChange::Copy {
                from: from("docs/v1"),
            },
            FileKind::Symlink,
        ),
        change("src/old.rs", FileChange::Delete, FileKind::Unknown),
        change("Cargo.lock", FileChange::Modify, FileKind::Unknown),
    ];
    for (diff, patch) in diffs.iter_mut().zip(PATCHES) {
        diff.text = DiffText::Patch(SafeText::with_line_ends(patch));
    }
    diffs
        .into_iter()
        .map(|diff| ToolContent::Diff(diff.into()))
        .collect()
}

// V2-UPD-06
#[test]
fn pictures_of_changes_by_list() {
    let mut bench = at_work();
    tells(
        &mut bench,
        ToolCallPatch {
            content: Patch::Set(changes()),
            ..call(
                "t",
                "Move the printing out",
                ToolKind::Edit,
                ToolStatus::Completed,
            )
        },
    );
    let mut screen = Screen::new(bench);
    screen.draw();
    screen.press("ctrl-o");
    for width in [40, 80, 200] {
        screen.size = (width, 50);
        let name = format!("changes_{width}");
        let buffer = screen.buffer().0;
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
    // What is copied says the same.
    let copied = transcript_text(&screen.bench.session, &screen.bench.screens);
    for part in [
        "+    list(&args, out);",
        "rename from /home/me/src/tool/src/out.rs",
        "docs/list.png: new, binary, image/png",
        "docs/latest: copied from docs/v1, symbolic link",
        "src/old.rs: deleted",
        "Cargo.lock: changed",
    ] {
        assert!(copied.contains(part), "{part}: {copied}");
    }
}

// V2-UPD-06
#[test]
fn all_changes_of_a_list_are_in_the_viewer() {
    let mut bench = at_work();
    tells(
        &mut bench,
        ToolCallPatch {
            content: Patch::Set(changes()),
            ..call(
                "t",
                "Move the printing out",
                ToolKind::Edit,
                ToolStatus::Completed,
            )
        },
    );
    let mut screen = Screen::new(bench).sized(80, 40);
    screen.draw();
    screen.press("tab d");
    let drawn = screen.draw();
    insta::assert_snapshot!("changes_viewer", drawn);
}

// V2-UPD-03, V2-STATE-02, V2-STATE-03
#[test]
fn pictures_of_work_in_its_states() {
    let mut bench = at_work();
    let calls = [
        (
            "a",
            "cargo watch",
            ToolKind::Execute,
            ToolStatus::InProgress,
        ),
        (
            "b",
            "Wait for the build",
            ToolKind::Other,
            ToolStatus::Paused,
        ),
        (
            "c",
            "Fetch the docs",
            ToolKind::Fetch,
            ToolStatus::Cancelled,
        ),
        (
            "d",
            "Think it over",
            ToolKind::Think,
            ToolStatus::Unknown("_asleep".into()),
        ),
    ];
    for (id, title, kind, status) in calls {
        tells(&mut bench, call(id, title, kind, status));
    }
    bench.update(AgentEvent::Terminal(Box::new(TerminalPatch {
        command: Patch::Set("cargo watch".into()),
        ..TerminalPatch::new(TerminalId::new("x"))
    })));
    bench.wait(3_000);
    let mut screen = Screen::new(bench);
    let picture = |screen: &mut Screen, name: &str| {
        for width in [40, 80, 200] {
            screen.size = (width, 18);
            let name = format!("work_{name}_{width}");
            let buffer = screen.buffer().0;
            keep(&name, &buffer);
            insta::assert_snapshot!(name, text(&buffer));
        }
    };
    screen.bench.update(beside(WorkState::Running, 2));
    picture(&mut screen, "running");
    screen.bench.update(beside(WorkState::Unknown, 2));
    picture(&mut screen, "unknown");
    assert!(
        screen.ui.deadline(&screen.bench.context()).is_none(),
        "nothing moves"
    );
    screen
        .bench
        .update(beside(WorkState::Idle(Some(StopReason::EndTurn)), 1));
    picture(&mut screen, "idle");
}

// V2-STATE-01, V2-STATE-02
#[test]
fn it_is_told_what_goes_on() {
    let mut screen = Screen::new(at_work()).sized(120, 20);
    for (event, told) in [
        (beside(WorkState::Running, 2), "2 in background"),
        (
            state(WorkState::RequiresAction),
            "Waiting for you · esc interrupts",
        ),
        (state(WorkState::Other("_dreaming".into())), "Dreaming"),
        (state(WorkState::Unknown), "State unknown · esc stops"),
        (beside(WorkState::Idle(None), 1), "1 in background"),
    ] {
        screen.bench.update(event);
        let shown = format!("{} {}", screen.activity(), screen.status());
        assert!(shown.contains(told), "{told}: {shown}");
    }
    screen.bench.update(state(WorkState::Idle(None)));
    assert!(!screen.status().contains("background"));
}

// V2-STATE-02
#[test]
fn leaving_with_work_in_the_background_asks_twice() {
    let mut screen = Screen::new(at_work());
    screen
        .bench
        .update(beside(WorkState::Idle(Some(StopReason::EndTurn)), 1));
    screen.draw();
    assert!(!quits(&screen.press("ctrl-d")));
    assert!(
        screen
            .draw()
            .contains("again stops what runs in the background")
    );
    assert!(quits(&screen.press("ctrl-d")));
    screen.bench.update(beside(WorkState::Idle(None), 0));
    screen.bench.wait(10_000);
    assert!(quits(&screen.press("ctrl-d")));
}

// V2-CAN-02
#[test]
fn one_call_or_terminal_is_stopped_where_that_is_offered() {
    let mut bench = at_work();
    tells(
        &mut bench,
        ToolCallPatch {
            content: Patch::Set(vec![ToolContent::Terminal(TerminalId::new("x"))]),
            ..call("a", "Watch", ToolKind::Other, ToolStatus::InProgress)
        },
    );
    let terminal = |cancel| {
        AgentEvent::Terminal(Box::new(TerminalPatch {
            cancel: Patch::Set(cancel),
            ..TerminalPatch::new(TerminalId::new("x"))
        }))
    };
    bench.update(terminal(false));
    let mut screen = Screen::new(bench).sized(120, 24);
    screen.draw();
    screen.press("tab");
    assert!(!screen.draw().contains("stops it"));
    assert!(screen.press("x").is_empty());
    assert!(screen.draw().contains("cannot be stopped separately"));
    screen.bench.update(terminal(true));
    screen.bench.wait(10_000);
    assert!(screen.draw().contains("x stops it"));
    let commands = screen.press("x");
    assert!(
        matches!(
            commands.as_slice(),
            [UiCommand::Session(Event::CancelTerminal { of: None, id })] if id.as_str() == "x"
        ),
        "{commands:?}"
    );
    // The call before what runs in it.
    tells(
        &mut screen.bench,
        ToolCallPatch {
            cancel: Patch::Set(true),
            ..ToolCallPatch::new(ToolCallId::new("a"))
        },
    );
    let commands = screen.press("x");
    assert!(
        matches!(
            commands.as_slice(),
            [UiCommand::Session(Event::CancelToolCall { of: None, id })] if id.as_str() == "a"
        ),
        "{commands:?}"
    );
    screen.apply(commands);
    assert!(screen.draw().contains("cancelling"));
}

fn asks(bench: &mut Bench, number: u64, subject: PermissionSubject) {
    bench.says(FromAgent::Request {
        key: RequestKey {
            connection: bench.session.connection.expect("a connection"),
            number,
        },
        request: HostRequest::Permission(Box::new(PermissionRequest {
            session: Bench::session_id(),
            title: Some("Let it reach the package registry?".into()),
            description: Some("The build needs three new crates.\nNothing else is fetched.".into()),
            subject,
            options: usual_options(),
        })),
    });
    let asked = bench.session.questions.iter().map(Question::id).next_back();
    let question = asked.expect("a question");
    let verdict = Verdict::ask(None);
    bench.event(Event::Decided {
        question,
        revision: None,
        verdict,
    });
}

// V2-PERM-01
#[test]
fn pictures_of_questions_in_the_agents_words() {
    let command = PermissionSubject::Command(CommandSubject {
        command: "cargo fetch --locked".into(),
        cwd: "/home/me/src/tool/crates".into(),
        tool_call: None,
        terminal: None,
    });
    let other = PermissionSubject::Other {
        kind: "_network".into(),
        raw: RawJson(r#"{"type":"_network","host":"index.crates.io"}"#.into()),
    };
    let mut call = call("t", "Edit Cargo.toml", ToolKind::Edit, ToolStatus::Pending);
    call.locations = Patch::Set(vec![crate::model::ToolLocation {
        path: "/home/me/src/tool/Cargo.toml".into(),
        line: None,
    }]);
    for (name, subject) in [
        ("command", command),
        ("other", other),
        ("none", PermissionSubject::None),
        ("call", PermissionSubject::ToolCall(Box::new(call))),
    ] {
        let mut bench = at_work();
        asks(&mut bench, 70, subject);
        let mut screen = Screen::new(bench);
        screen.settle();
        for width in [40, 80, 200] {
            screen.size = (width, 24);
            let name = format!("asks_{name}_{width}");
            let buffer = screen.buffer().0;
            keep(&name, &buffer);
            insta::assert_snapshot!(name, text(&buffer));
        }
    }
}

// V2-UPD-01
#[test]
fn a_message_that_is_worded_anew_is_drawn_anew() {
    let mut bench = at_work();
    let chunk = |said: &str| AgentEvent::Chunk {
        role: crate::model::ChunkRole::Agent,
        message: Some(MessageId::new("a")),
        content: crate::model::ContentBlock::Text(SafeText::new(said)),
        meta: crate::model::Meta::default(),
    };
    let whole = |said: &str| AgentEvent::Message {
        role: crate::model::ChunkRole::Agent,
        id: MessageId::new("a"),
        content: Patch::Set(vec![crate::model::ContentBlock::Text(SafeText::new(said))]),
        meta: crate::model::Meta::default(),
    };
    bench.update(chunk("# One\n\nfirst words\n\nlast"));
    let mut screen = Screen::new(bench);
    assert!(screen.draw().contains("first words"));
    // Longer, and of the same shape.
    screen
        .bench
        .update(whole("# Two\n\nother words\n\nlast words, and many more"));
    let drawn = screen.draw();
    assert!(
        drawn.contains("Two") && drawn.contains("other words"),
        "{drawn}"
    );
    assert!(
        !drawn.contains("first") && !drawn.contains("One"),
        "{drawn}"
    );
    screen.bench.update(chunk(" behind it"));
    assert!(screen.draw().contains("many more behind it"));
    screen.bench.update(AgentEvent::Message {
        role: crate::model::ChunkRole::Agent,
        id: MessageId::new("a"),
        content: Patch::Clear,
        meta: crate::model::Meta::default(),
    });
    assert!(!screen.draw().contains("words"));
}
