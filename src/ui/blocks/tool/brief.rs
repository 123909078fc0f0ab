//! A tool call in a few words: what it does now, for the row above the composer.

use std::path::Path;

use super::header::object_line;
use crate::{model::ToolKind, session::ToolCall, text::SafeText};

/// What a running call does: `Running cargo test`, `Editing src/main.rs`.
pub fn doing(call: &ToolCall, cwd: &Path) -> (&'static str, SafeText) {
    let object = object_line(call, cwd);
    if call.kind != ToolKind::Think {
        return (verb(call.kind), object);
    }
    // "Think it over" goes on as "Thinking it over"; what else it is called is what is thought about.
    let title = call.title.trim();
    let (first, rest) = title.split_once(' ').unwrap_or((title, ""));
    match first {
        think if think.eq_ignore_ascii_case("think") => ("Thinking", SafeText::line(rest.trim())),
        thinking if thinking.eq_ignore_ascii_case("thinking") => {
            ("Thinking", SafeText::line(rest.trim()))
        }
        _ => (verb(call.kind), object),
    }
}

fn verb(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "Reading",
        ToolKind::Edit => "Editing",
        ToolKind::Delete => "Deleting",
        ToolKind::Move => "Moving",
        ToolKind::Search => "Searching",
        ToolKind::Execute => "Running",
        ToolKind::Think => "Thinking:",
        ToolKind::Fetch => "Fetching",
        ToolKind::SwitchMode => "Switching mode:",
        ToolKind::Other => "Using",
    }
}
