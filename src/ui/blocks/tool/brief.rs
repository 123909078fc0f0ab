//! A tool call in a few words: what it does now, for the row above the composer.

use std::path::Path;

use super::header::object_line;
use crate::{model::ToolKind, session::ToolCall, text::SafeText};

/// What a running call does: `Running cargo test`, `Editing src/main.rs`.
pub fn doing(call: &ToolCall, cwd: &Path) -> (&'static str, SafeText) {
    (verb(call.kind), object_line(call, cwd))
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
