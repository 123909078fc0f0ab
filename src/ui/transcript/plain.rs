//! Blocks as plain text: for the clipboard, the pager and the viewer.

use similar::TextDiff;

use super::frame::Source;
use crate::{
    model::{
        CompactionStatus, ContentBlock, Diff, DiffText, PlanStatus, SessionId, TerminalId,
        ToolContent,
    },
    session::{
        Block, BlockKind, Compaction, Piece, Pieces, Session, SessionMessage, ToolCall, ToolState,
    },
    text::{SafeText, first_bytes},
    ui::render::{diff::change_label, subagent::session_name, tool::shown_path},
    vt::Screens,
};

/// Bytes of a diff's texts up to which it is written out; the rest is for the viewer.
const MAX_DIFF_BYTES: usize = 256 << 10;

/// Everything said and done, for `$PAGER` (F3).
pub fn transcript_text(session: &Session, screens: &Screens) -> String {
    whole_text(&Source::new(session, screens))
}

pub(super) fn whole_text(source: &Source<'_>) -> String {
    let mut out = String::new();
    for block in source.transcript.blocks() {
        let text = match &block.kind {
            BlockKind::User(message) => quoted(&message.text, "> "),
            BlockKind::Thought(thought) if thought.text.trim().is_empty() => continue,
            BlockKind::Thought(thought) => {
                format!("[thought]\n{}", quoted(thought.text.trim(), "  "))
            }
            BlockKind::Tool(call) => tool_text(call, source),
            _ => block_text(block, source),
        };
        out.push_str(text.trim_end());
        out.push_str("\n\n");
    }
    out
}

/// What was written, and nothing else.
pub(super) fn block_text(block: &Block, source: &Source<'_>) -> String {
    match &block.kind {
        BlockKind::User(message) => message.text.to_string(),
        BlockKind::Agent(message) => message.text.as_str().to_owned(),
        BlockKind::Thought(thought) => thought.text.as_str().to_owned(),
        BlockKind::Tool(call) => {
            let body = body_text(call, source);
            if body.trim().is_empty() {
                title(call)
            } else {
                body
            }
        }
        BlockKind::Plan(entries) => {
            let line = |entry: &crate::model::PlanEntry| {
                let sign = match entry.status {
                    PlanStatus::Completed => "[x]",
                    PlanStatus::Cancelled => "[-]",
                    PlanStatus::InProgress => "[>]",
                    PlanStatus::Pending => "[ ]",
                };
                format!("{sign} {}", entry.content.trim())
            };
            entries.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        BlockKind::PlanText(plan) => plan.text.to_string(),
        BlockKind::Compaction(compaction) => compaction_text(compaction),
        BlockKind::Subagent(id) => subagent_text(id, source),
        BlockKind::SessionMessage(message) => message_text(message, source),
        BlockKind::Content(content) => content_text(content),
        BlockKind::Notice(notice) => match &notice.detail {
            Some(detail) => format!("{}\n{detail}", notice.text),
            None => notice.text.to_string(),
        },
    }
}

/// What a tool call's header says, or one piece of its content, cut to what people read.
pub(super) fn tool_part(call: &ToolCall, segment: usize, source: &Source<'_>) -> String {
    let Some(piece) = segment.checked_sub(1) else {
        return header(call, source);
    };
    let text = match call.content.get(piece) {
        Some(piece) => piece_text(piece, source),
        None => [&call.raw_input, &call.raw_output]
            .into_iter()
            .flatten()
            .map(|raw| SafeText::new(&raw.0).to_string())
            .collect::<Vec<_>>()
            .join("\n"),
    };
    first_bytes(&text, MAX_DIFF_BYTES).to_owned()
}

/// As [`block_text`], with the JSON that a tool call was made with and gave back.
pub(super) fn block_text_with_raw(block: &Block, source: &Source<'_>) -> String {
    let BlockKind::Tool(call) = &block.kind else {
        return block_text(block, source);
    };
    // Its title says what it is: only a command may need more room than that.
    let mut out = match &call.command {
        Some(command) => format!("$ {}\n\n", SafeText::new(command.trim())),
        None => String::new(),
    };
    out.push_str(body_text(call, source).trim_end());
    out.push('\n');
    let raws = [
        ("asked input", call.other_input_asked()),
        ("input", call.raw_input.as_ref()),
        ("output", call.raw_output.as_ref()),
    ];
    for (label, raw) in raws {
        if let Some(raw) = raw {
            out.push_str(&format!("\n── raw {label} ──\n{}\n", raw.0));
        }
    }
    out
}

pub(super) fn block_title(block: &Block, source: &Source<'_>) -> SafeText {
    match &block.kind {
        BlockKind::User(_) => "you".into(),
        BlockKind::Agent(_) => "message".into(),
        BlockKind::Thought(_) => "thought".into(),
        BlockKind::Tool(call) => SafeText::line(&header(call, source)),
        BlockKind::Plan(_) | BlockKind::PlanText(_) => "plan".into(),
        BlockKind::Compaction(_) => "compaction".into(),
        BlockKind::Subagent(id) => session_name(id, source.root, source.subagents),
        BlockKind::SessionMessage(_) => "message between sessions".into(),
        BlockKind::Content(_) => "content".into(),
        BlockKind::Notice(_) => "notice".into(),
    }
}

fn compaction_text(compaction: &Compaction) -> String {
    let status = match &compaction.status {
        CompactionStatus::InProgress => "in progress".to_owned(),
        CompactionStatus::Completed => "done".to_owned(),
        CompactionStatus::Failed => "failed".to_owned(),
        CompactionStatus::Cancelled => "cancelled".to_owned(),
        CompactionStatus::Unknown(status) => status.to_string(),
    };
    let mut out = format!("[compaction of the context: {status}]");
    if let Some(error) = &compaction.error {
        out.push_str(&format!("\n{error}"));
    }
    if !compaction.summary.is_empty() {
        out.push_str(&format!("\n{}", pieces_text(&compaction.summary)));
    }
    out
}

/// Its whole conversation, indented below its name.
fn subagent_text(id: &SessionId, source: &Source<'_>) -> String {
    let Some(subagent) = source.subagents.get(id) else {
        return "[subagent that is no longer known]".to_owned();
    };
    let within = Source {
        transcript: &subagent.conversation.transcript,
        here: Some(id),
        ..*source
    };
    let mut out = format!("[agent] {}", subagent.name());
    if let Some(text) = &subagent.description {
        out.push_str(&format!("\n{}", quoted(text.trim(), "  ")));
    }
    out.push_str(&format!(
        "\n{}",
        quoted(whole_text(&within).trim_end(), "  ")
    ));
    out
}

fn message_text(message: &SessionMessage, source: &Source<'_>) -> String {
    let name = |id: &Option<SessionId>| match id {
        Some(id) => session_name(id, source.root, source.subagents).to_string(),
        None => "?".to_owned(),
    };
    let (from, to) = (name(&message.sender), name(&message.recipient));
    format!(
        "[message from {from} to {to}]\n{}",
        pieces_text(&message.content)
    )
}

fn pieces_text(pieces: &Pieces) -> String {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Content(content) => content_text(content),
    });
    pieces.collect::<Vec<_>>().join("\n")
}

fn tool_text(call: &ToolCall, source: &Source<'_>) -> String {
    let state = match &call.state {
        ToolState::Pending => "pending".to_owned(),
        _ if call.doubted && call.state.is_open() => "state unknown".to_owned(),
        ToolState::InProgress => "running".to_owned(),
        ToolState::Paused => "paused".to_owned(),
        ToolState::Completed => "done".to_owned(),
        ToolState::Failed => "failed".to_owned(),
        ToolState::Cancelled => "cancelled".to_owned(),
        ToolState::Ended if call.had_no_leave() => "not run".to_owned(),
        ToolState::Ended => "no result".to_owned(),
        ToolState::Unknown(status) => status.to_string(),
    };
    let body = quoted(body_text(call, source).trim_end(), "  ");
    format!("[{state}] {}\n{body}\n", header(call, source))
}

fn header(call: &ToolCall, source: &Source<'_>) -> String {
    let title = title(call);
    match call.locations.first() {
        Some(location) if !title.contains(location.path.as_str()) => {
            let path = shown_path(&location.path, source.cwd);
            if title.contains(path.as_str()) {
                title
            } else {
                format!("{title} ({path})")
            }
        }
        _ => title,
    }
}

fn title(call: &ToolCall) -> String {
    match &call.command {
        Some(command) => SafeText::new(command).to_string(),
        None => call.title.to_string(),
    }
}

fn body_text(call: &ToolCall, source: &Source<'_>) -> String {
    let pieces = call.content.iter().map(|piece| piece_text(piece, source));
    pieces.collect::<Vec<_>>().join("\n")
}

fn piece_text(piece: &ToolContent, source: &Source<'_>) -> String {
    match piece {
        ToolContent::Block(content) => content_text(content),
        ToolContent::Diff(diff) => diff_text(diff, source),
        ToolContent::Terminal(id) => terminal_text(id, source),
        ToolContent::Session(id) => {
            format!("[{}]", session_name(id, source.root, source.subagents))
        }
        ToolContent::Unknown { kind, .. } => format!("[content of unknown type: {kind}]"),
    }
}

fn content_text(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.to_string(),
        ContentBlock::Image(media) => format!("[image: {}]", media.mime_type),
        ContentBlock::Audio(media) => format!("[audio: {}]", media.mime_type),
        ContentBlock::ResourceLink(link) => SafeText::line(&link.uri).to_string(),
        ContentBlock::Resource(resource) => match &resource.text {
            Some(text) => text.to_string(),
            None => format!("[resource: {}]", SafeText::line(&resource.uri)),
        },
        ContentBlock::ForAgent(content) => content_text(content),
        ContentBlock::Unknown { kind, raw } => {
            format!(
                "[content of unknown type: {kind}]\n{}",
                SafeText::new(&raw.0)
            )
        }
    }
}

/// In the unified form that patch tools read.
fn diff_text(diff: &Diff, source: &Source<'_>) -> String {
    let path = shown_path(&diff.path, source.cwd);
    let (old, new) = match &diff.text {
        DiffText::Sides { old, new } => (old, new),
        DiffText::Patch(patch) => return noted(patch.trim_end().to_owned(), diff),
        DiffText::None => {
            let label = change_label(diff, source.cwd).unwrap_or_default();
            return format!("[{path}: {label}]");
        }
    };
    if diff.weight() > MAX_DIFF_BYTES {
        return format!("--- {path}\n[too large to be written out here]");
    }
    let before = if old.is_some() {
        path.as_str()
    } else {
        "/dev/null"
    };
    let old = old.clone().unwrap_or_default();
    let text = TextDiff::configure()
        .timeout(std::time::Duration::from_millis(50))
        .diff_lines(old.as_str(), new.as_str())
        .unified_diff()
        .header(before, &path)
        .to_string();
    noted(text, diff)
}

/// What is to be known of it stands above, where patch tools skip it.
fn noted(text: String, diff: &Diff) -> String {
    match &diff.note {
        Some(note) => format!("[{note}]\n{text}"),
        None => text,
    }
}

fn terminal_text(id: &TerminalId, source: &Source<'_>) -> String {
    let Some(screen) = source.screens.get(id) else {
        return "[output of a terminal, no longer kept]".to_owned();
    };
    screen.lock().text(usize::MAX)
}

fn quoted(text: &str, prefix: &str) -> String {
    let line = |line: &str| format!("{prefix}{line}").trim_end().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
