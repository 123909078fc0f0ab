//! What a scripted agent says to weigh on memory: raw inputs of numbers, diffs of megabytes, rounds of
//! everything for a soak. Written as text, so that the agent itself stays small.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A tool call whose raw input is a list of numbers of about so many bytes.
pub fn numbers(session: &str, bytes: usize) -> String {
    let mut line = format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"tool_call","toolCallId":"numbers","title":"NUMBERS","kind":"other","status":"completed","rawInput":{{"values":["#
    );
    line.reserve(bytes + 64);
    let from = line.len();
    let mut n = 0_u32;
    while line.len() - from < bytes {
        // Writing to a string does not fail.
        let _ = write!(line, "{},", n % 1_000);
        n += 1;
    }
    line.push_str("0]}}}}\n");
    line
}

/// An edit with a diff of about `bytes` a side, in which each third line changed.
pub fn diff(session: &str, n: u64, bytes: usize) -> String {
    let side = |tag: &str| {
        let mut text = String::with_capacity(bytes + 64);
        let mut line = 0_usize;
        while text.len() < bytes {
            let tag = if line.is_multiple_of(3) { tag } else { "same" };
            let _ = write!(
                text,
                "    let value_{line} = compute({n}, \\\"{tag}\\\");\\n"
            );
            line += 1;
        }
        text
    };
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"tool_call","toolCallId":"diff-{n}","title":"Edit {n}","kind":"edit","status":"completed","content":[{{"type":"diff","path":"src/value{n}.rs","oldText":"{}","newText":"{}"}}]}}}}}}{}"#,
        side("old"),
        side("new"),
        "\n"
    )
}

/// The steps of one round of a soak: some of everything.
pub fn round(n: u64) -> Vec<Value> {
    let piece = |k: u64| super::agent::markdown_piece(n * 40 + k);
    let text: String = (0..60).map(piece).collect();
    let old: String = (0..30)
        .map(|line| format!("let x{line} = {n};\n"))
        .collect();
    let new = old.replace("let x1", "let y1");
    let (read, edit, run, ask) = (
        format!("read-{n}"),
        format!("edit-{n}"),
        format!("run-{n}"),
        format!("ask-{n}"),
    );
    let entry = |content: &str, status: &str| json!({"content": content, "priority": "medium", "status": status});
    let thought: String = (0..20)
        .map(|k| super::agent::prose_piece(n + k, true))
        .collect();
    vec![
        json!({"thought": thought}),
        json!({"text": text}),
        json!({"update": {"sessionUpdate": "plan", "entries": [
            entry("look", "completed"), entry("change", "in_progress"), entry("test", "pending")]}}),
        json!({"update": {"sessionUpdate": "tool_call", "toolCallId": read, "title": "Read a file",
            "kind": "read", "status": "in_progress", "rawInput": {"path": "src/a.rs"}}}),
        json!({"update": {"sessionUpdate": "tool_call_update", "toolCallId": read, "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": old}}]}}),
        json!({"update": {"sessionUpdate": "tool_call", "toolCallId": edit, "title": "Edit a file",
            "kind": "edit", "status": "completed",
            "content": [{"type": "diff", "path": format!("src/a{n}.rs"), "oldText": old, "newText": new}]}}),
        json!({"request": {"method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": ask, "title": "Run it", "kind": "execute",
                         "rawInput": {"command": format!("echo {n}")}},
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"},
                        {"optionId": "n", "name": "No", "kind": "reject_once"}]}}}),
        json!({"request": {"method": "terminal/create",
            "params": {"command": "seq", "args": ["1", "60"]}}}),
        json!({"update": {"sessionUpdate": "tool_call", "toolCallId": run, "title": "seq 1 60",
            "kind": "execute", "status": "in_progress",
            "content": [{"type": "terminal", "terminalId": "$terminal"}]}}),
        json!({"request": {"method": "terminal/wait_for_exit", "params": {"terminalId": "$terminal"}}}),
        json!({"request": {"method": "terminal/release", "params": {"terminalId": "$terminal"}}}),
        json!({"update": {"sessionUpdate": "tool_call_update", "toolCallId": run, "status": "completed"}}),
        json!({"update": {"sessionUpdate": "plan", "entries": [
            entry("look", "completed"), entry("change", "completed"), entry("test", "completed")]}}),
        json!({"text": format!("\n\nROUND-{n}-DONE\n")}),
    ]
}
