//! Tool calls, their content, their diffs, and terminals of the agent.

use super::*;
use crate::model::{
    DiffText, ExitStatus, FileChange, FileKind, Patch, TerminalId, TerminalSize, ToolContent,
    ToolKind, ToolStatus,
};

fn call(mut update: Value) -> crate::model::ToolCallPatch {
    update["toolCallId"] = "c".into();
    match event(tagged("tool_call_update", update)) {
        AgentEvent::ToolCall(call) => *call,
        other => panic!("{other:?}"),
    }
}

// V2-UPD-03, V2-RPC-03
#[test]
fn a_tool_call_is_patched_member_by_member() {
    let nothing = call(json!({}));
    assert_eq!(
        nothing,
        crate::model::ToolCallPatch::new(crate::model::ToolCallId::new("c"))
    );
    let cleared = call(json!({
        "title": null, "name": null, "kind": null, "status": null, "content": null,
        "locations": null, "rawInput": null, "rawOutput": null, "capabilities": null,
    }));
    assert_eq!(cleared.title, Patch::Clear);
    assert_eq!(cleared.name, Patch::Clear);
    assert_eq!(cleared.kind, Patch::Clear);
    assert_eq!(cleared.status, Patch::Clear);
    assert_eq!(cleared.content, Patch::Clear);
    assert_eq!(cleared.locations, Patch::Clear);
    assert_eq!(cleared.raw_input, Patch::Clear);
    assert_eq!(cleared.raw_output, Patch::Clear);
    assert_eq!(cleared.command, Patch::Clear);
    assert_eq!(cleared.cancel, Patch::Clear);
    let set = call(json!({
        "title": "Run", "name": "bash", "kind": "execute", "status": "paused",
        "rawInput": {"command": "make", "cwd": "/p"}, "rawOutput": 7,
        "locations": [{"path": "/p/a", "line": 3}, {"path": "/p/b", "line": 0}, {"line": 1}],
        "content": [
            {"type": "content", "content": block("x")},
            {"type": "terminal", "terminalId": "t"},
            {"type": "session", "sessionId": "child"},
            {"type": "content"},
            {"type": "_chart", "points": [1]},
        ],
        "capabilities": {"cancel": {}},
    }));
    assert_eq!(set.kind, Patch::Set(ToolKind::Execute));
    assert_eq!(set.status, Patch::Set(ToolStatus::Paused));
    assert_eq!(set.command, Patch::Set("make".to_owned()));
    assert_eq!(set.command_cwd, Patch::Set("/p".to_owned()));
    assert_eq!(set.cancel, Patch::Set(true));
    let Patch::Set(locations) = &set.locations else {
        panic!("{set:?}");
    };
    let lines: Vec<_> = locations.iter().map(|place| place.line).collect();
    assert_eq!(lines, [Some(3), None]);
    let Patch::Set(content) = &set.content else {
        panic!("{set:?}");
    };
    assert!(
        matches!(
            &content[..],
            [
                ToolContent::Block(_),
                ToolContent::Terminal(_),
                ToolContent::Session(_),
                ToolContent::Unknown { kind, .. },
            ] if &**kind == "_chart"
        ),
        "{content:?}"
    );
    for (status, expected) in [
        ("pending", ToolStatus::Pending),
        ("in_progress", ToolStatus::InProgress),
        ("completed", ToolStatus::Completed),
        ("failed", ToolStatus::Failed),
        ("cancelled", ToolStatus::Cancelled),
        ("_stuck", ToolStatus::Unknown("_stuck".into())),
    ] {
        assert_eq!(call(json!({"status": status})).status, Patch::Set(expected));
    }
    // An input that names no command takes back the one before.
    assert_eq!(call(json!({"rawInput": {}})).command, Patch::Clear);
    assert_eq!(call(json!({"capabilities": {}})).cancel, Patch::Set(false));
    assert!(is_malformed(&event(tagged("tool_call_update", json!({})))));
    // There is no such update any more.
    let announced = event(tagged(
        "tool_call",
        json!({"toolCallId": "c", "title": "x"}),
    ));
    assert!(
        matches!(&announced, AgentEvent::Unknown { what, .. } if &**what == "tool_call"),
        "{announced:?}"
    );
}

// V2-UPD-04
#[test]
fn a_piece_of_content_is_added_to_its_call() {
    let chunk = |content: Value| {
        let chunk = json!({"toolCallId": "c", "content": content});
        event(tagged("tool_call_content_chunk", chunk))
    };
    let AgentEvent::ToolContent { id, content, .. } =
        chunk(json!({"type": "content", "content": block("more")}))
    else {
        panic!("no content");
    };
    assert_eq!(id.as_str(), "c");
    assert_eq!(content, [ToolContent::Block(text("more"))]);
    assert!(is_malformed(&chunk(json!({"type": "terminal"}))));
    assert!(is_malformed(&chunk(json!([]))));
}

// V2-UPD-05
#[test]
fn a_terminal_of_the_agent_prints_bytes() {
    // The first half of an emoji, and the second one: both are whole base64.
    for (data, expected) in [("8J8=", vec![0xf0, 0x9f]), ("mIA", vec![0x98, 0x80])] {
        let chunk = json!({"terminalId": "t", "data": data});
        assert_eq!(
            event(tagged("terminal_output_chunk", chunk)),
            AgentEvent::TerminalOutput {
                id: TerminalId::new("t"),
                data: expected,
            }
        );
    }
    for broken in ["a", "####", "8J8=8J8="] {
        let chunk = json!({"terminalId": "t", "data": broken});
        assert!(is_malformed(&event(tagged("terminal_output_chunk", chunk))));
    }
    let terminal = |mut update: Value| {
        update["terminalId"] = "t".into();
        match event(tagged("terminal_update", update)) {
            AgentEvent::Terminal(terminal) => *terminal,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        terminal(json!({})),
        crate::model::TerminalPatch::new(TerminalId::new("t"))
    );
    let set = terminal(json!({
        "command": "make", "cwd": "/p", "output": {"data": "aGk="}, "size": {"cols": 80, "rows": 24},
        "exitStatus": {"exitCode": -3, "signal": "SIGTERM"}, "capabilities": {"cancel": {}},
    }));
    assert_eq!(set.command, Patch::Set("make".to_owned()));
    assert_eq!(set.output, Patch::Set(b"hi".to_vec()));
    let size = TerminalSize {
        columns: 80,
        rows: 24,
    };
    assert_eq!(set.size, Patch::Set(size));
    let exit = ExitStatus {
        code: Some(-3),
        signal: Some("SIGTERM".to_owned()),
    };
    assert_eq!(set.exit, Patch::Set(exit));
    assert_eq!(set.cancel, Patch::Set(true));
    // It has ended, even if nothing is known of how.
    let ended = terminal(json!({"exitStatus": {}}));
    assert_eq!(ended.exit, Patch::Set(ExitStatus::default()));
    let cleared = terminal(json!({
        "command": null, "cwd": null, "output": null, "exitStatus": null, "size": null,
        "capabilities": null,
    }));
    assert_eq!(cleared.output, Patch::Clear);
    assert_eq!(cleared.exit, Patch::Clear);
    assert_eq!(cleared.size, Patch::Clear);
    assert_eq!(
        terminal(json!({"size": {"cols": 0, "rows": 1}})).size,
        Patch::Keep
    );
}

fn diffs(content: Value) -> Vec<ToolContent> {
    match call(json!({"content": [content]})).content {
        Patch::Set(content) => content,
        other => panic!("{other:?}"),
    }
}

// V2-UPD-06
#[test]
fn each_change_of_a_diff_is_one_with_its_part_of_the_patch() {
    let changes = json!([
        {"operation": "modify", "path": "/p/a", "fileType": "text", "mimeType": "text/x-rust"},
        {"operation": "move", "oldPath": "/p/b", "path": "/p/c"},
        {"operation": "delete", "path": "/p/d", "fileType": "binary"},
        {"operation": "add", "path": "/p/e", "fileType": "symlink"},
        {"operation": "copy", "oldPath": "/p/a", "path": "/p/f", "fileType": "_pipe"},
        {"operation": "_chmod", "path": "/p/g", "fileType": "directory"},
        {"operation": "_sync"},
        {"operation": "move", "path": "/p/nowhere"},
    ]);
    let patch = "diff --git /p/a /p/a\n--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x\n+y\n\
                 diff --git /p/z /p/z\n--- /p/z\n+++ /p/z\n@@ -1 +1 @@\n-x\n+y\n";
    let all = diffs(json!({
        "type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": patch},
    }));
    let told: Vec<_> = all
        .iter()
        .map(|content| match content {
            ToolContent::Diff(diff) => (
                diff.path.as_str(),
                diff.change.clone(),
                diff.file.clone(),
                matches!(diff.text, DiffText::Patch(_)),
            ),
            ToolContent::Unknown { kind, .. } => {
                let change = FileChange::Other(kind.clone());
                ("?", change, FileKind::Unknown, false)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let from = |path: &str| path.to_owned();
    assert_eq!(
        told,
        [
            ("/p/a", FileChange::Modify, FileKind::Text, true),
            (
                "/p/c",
                FileChange::Move { from: from("/p/b") },
                FileKind::Unknown,
                false
            ),
            ("/p/d", FileChange::Delete, FileKind::Binary, false),
            ("/p/e", FileChange::Add, FileKind::Symlink, false),
            (
                "/p/f",
                FileChange::Copy { from: from("/p/a") },
                FileKind::Other("_pipe".into()),
                false
            ),
            (
                "/p/g",
                FileChange::Other("_chmod".into()),
                FileKind::Directory,
                false
            ),
            (
                "?",
                FileChange::Other("_sync".into()),
                FileKind::Unknown,
                false
            ),
            (
                "?",
                FileChange::Other("patch of another file".into()),
                FileKind::Unknown,
                false
            ),
        ]
    );
}

// V2-UPD-06
#[test]
fn a_diff_does_without_a_patch_and_not_without_changes() {
    let change = json!([{"operation": "modify", "path": "/p/a"}]);
    let text = |patch: Value| {
        let all = diffs(json!({"type": "diff", "changes": change, "patch": patch}));
        match &all[..] {
            [ToolContent::Diff(diff), rest @ ..] => (diff.text.clone(), rest.len()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text(Value::Null), (DiffText::None, 0));
    assert_eq!(text(json!({"format": "git_patch"})), (DiffText::None, 0));
    assert_eq!(
        text(json!({"format": "_ed", "text": "1d"})),
        (DiffText::None, 1)
    );
    // Of one file it is what the patch says, however it names it.
    let (shown, _) = text(json!({"format": "git_patch", "text": "@@ -1 +1 @@\n-x\n+y\n"}));
    assert_eq!(shown, DiffText::Patch("@@ -1 +1 @@\n-x\n+y\n".into()));
    for none in [json!([]), json!([{"operation": "add"}]), json!(7)] {
        let chunk = json!({"toolCallId": "c", "content": {"type": "diff", "changes": none}});
        assert!(is_malformed(&event(tagged(
            "tool_call_content_chunk",
            chunk
        ))));
    }
}
