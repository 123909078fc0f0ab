//! The pieces of a tool call's body, each by what it is.

use super::{Detail, ToolContext, body_context, indented};
use crate::{
    model::{ContentBlock, RawJson, TerminalId, ToolContent, ToolKind},
    session::{ToolCall, ToolState},
    text::{SafeText, first_bytes},
    ui::render::{
        RenderContext, Rendered, Row,
        content::{FULL_ROWS, render_content},
        diff::{DiffOptions, change_label, render_diff},
        excerpt::{Excerpt, Keep, unfenced},
        format::count,
        line::{StyledLine, Wrapping},
        markdown,
        subagent::session_link,
        terminal::{render_screen, render_terminal_header},
    },
};

/// Rows of text that [`Detail::Short`] shows.
const SHORT_TEXT_ROWS: usize = 8;
/// Rows of a terminal's end.
const SHORT_TERMINAL_ROWS: usize = 10;
const SHORT_DIFF_ROWS: usize = 20;
/// Rows of raw input or output.
const RAW_ROWS: usize = 12;
/// Bytes of prose that are laid out.
const MAX_PROSE: usize = 64 << 10;
/// Pieces that are drawn of one call: agents send one or two.
pub const MAX_PIECES: usize = 100;

/// How many pieces [`render_tool_piece`] can be asked for.
pub fn piece_count(call: &ToolCall, detail: Detail) -> usize {
    let content = call.content.len().min(MAX_PIECES);
    match detail {
        Detail::Header => 0,
        Detail::Short => content + usize::from(shows_raw_error(call)),
        // Behind the content comes what it was called with and gave back.
        Detail::Full => content + 1,
    }
}

/// The rows of piece `at`; none for one that has nothing to show.
pub fn render_tool_piece(
    call: &ToolCall,
    at: usize,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let body = body_context(ctx);
    let mut rendered = match call.content.get(at).filter(|_| at < MAX_PIECES) {
        Some(ToolContent::Block(ContentBlock::Text(text))) => match call.kind {
            ToolKind::Think | ToolKind::SwitchMode => prose(text, tool.detail, &body),
            _ => plain(text_rows(call, text, tool.detail, &body)),
        },
        Some(ToolContent::Block(content)) => render_content(content, text_room(tool.detail), &body),
        Some(ToolContent::Diff(diff)) => render_diff_piece(call, diff, tool, &body),
        Some(ToolContent::Terminal(id)) => plain(terminal_rows(call, id, tool, &body)),
        // V1-TOOL-11
        Some(ToolContent::Session(id)) => plain(vec![session_link(id, tool.subagents, &body)]),
        Some(ToolContent::Unknown { kind, .. }) => {
            let label = format!("[content of unknown type: {}]", SafeText::line(kind));
            plain(vec![dim(&label, &body)])
        }
        None => plain(raw_rows(call, tool.detail, &body)),
    };
    rendered.rows = indented(rendered.rows, ctx);
    rendered
}

fn plain(rows: Vec<Row>) -> Rendered {
    Rendered {
        rows,
        provisional: false,
    }
}

fn text_room(detail: Detail) -> usize {
    if detail == Detail::Full {
        FULL_ROWS
    } else {
        SHORT_TEXT_ROWS
    }
}

/// Text that is written for people: plans to agree to, what a subagent thinks.
fn prose(text: &SafeText, detail: Detail, ctx: &RenderContext<'_>) -> Rendered {
    let shown = first_bytes(text.trim(), MAX_PROSE);
    let mut rendered = markdown::render_whole(shown, ctx);
    let room = text_room(detail);
    let cut = rendered.rows.len().saturating_sub(room);
    if cut > 1 {
        rendered.rows.truncate(room);
        rendered
            .rows
            .push(dim(&format!("+{}", count(cut, "row")), ctx));
    }
    rendered
}

fn text_rows(
    call: &ToolCall,
    text: &SafeText,
    detail: Detail,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let (text, _) = unfenced(text);
    if text.trim().is_empty() {
        return Vec::new();
    }
    let runs = call.kind == ToolKind::Execute;
    let failed = call.state == ToolState::Failed;
    let excerpt = Excerpt {
        keep: if runs { Keep::Tail } else { Keep::Head },
        max_rows: match (runs, detail) {
            (true, Detail::Short) => SHORT_TERMINAL_ROWS,
            _ => text_room(detail),
        },
        wrapping: Wrapping::Verbatim,
        style: if failed && !runs {
            ctx.theme.error
        } else {
            ctx.theme.text
        },
    };
    excerpt.rows(text, usize::from(ctx.width), ctx)
}

fn render_diff_piece(
    call: &ToolCall,
    diff: &std::sync::Arc<crate::model::Diff>,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let options = DiffOptions {
        max_rows: if tool.detail == Detail::Full {
            FULL_ROWS
        } else {
            SHORT_DIFF_ROWS
        },
        layout: tool.layout,
    };
    let mut rendered = render_diff(diff, &options, ctx);
    if let Some(label) = change_label(diff, tool.cwd) {
        rendered.rows.insert(0, dim(&label, ctx));
    }
    let diffs = call
        .content
        .iter()
        .filter(|piece| matches!(piece, ToolContent::Diff(_)))
        .take(2)
        .count();
    // With several, the header cannot say which is which.
    if diffs > 1 {
        let path = super::shown_path(&diff.path, tool.cwd);
        let name = StyledLine::styled(&path, ctx.theme.strong);
        let name = name.truncate(usize::from(ctx.width), ctx.symbols.ellipsis);
        rendered.rows.insert(0, name);
    }
    rendered
}

/// The terminal's last rows (V1-TOOL-10, V1-TERM-14). An id that nobody knows costs one line,
/// and the rest of the call is shown.
fn terminal_rows(
    call: &ToolCall,
    id: &TerminalId,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let Some(screen) = tool.screens.get(id) else {
        return vec![dim("[output of a terminal, no longer kept]", ctx)];
    };
    let info = tool.terminals.get(id);
    let ended = info.is_none_or(|info| info.exit.is_some());
    if tool.detail == Detail::Short && ended && gives_text(call) {
        // The output as the agent took it (fast-agent): once is enough.
        return Vec::new();
    }
    let max_rows = if tool.detail == Detail::Full {
        FULL_ROWS
    } else {
        SHORT_TERMINAL_ROWS
    };
    let title = call.command.as_deref().unwrap_or(&call.title);
    let screen = screen.lock();
    let ran = !call.had_no_leave() || screen.row_count() > 0;
    let header = info.and_then(|info| render_terminal_header(info, title, ran, ctx));
    let mut rows: Vec<Row> = header.into_iter().collect();
    rows.extend(render_screen(&screen, max_rows, ctx));
    rows
}

fn gives_text(call: &ToolCall) -> bool {
    call.content.iter().any(|piece| {
        matches!(piece, ToolContent::Block(ContentBlock::Text(text)) if !text.trim().is_empty())
    })
}

/// A failed call without content says why in its raw output.
fn shows_raw_error(call: &ToolCall) -> bool {
    call.state == ToolState::Failed && call.content.is_empty() && call.raw_output.is_some()
}

/// What the call was made with and what came back, as JSON (V1-TOOL-13).
fn raw_rows(call: &ToolCall, detail: Detail, ctx: &RenderContext<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let hidden = call.content.len().saturating_sub(MAX_PIECES);
    if hidden > 0 {
        rows.push(dim(&format!("+{}", count(hidden, "piece")), ctx));
    }
    if detail == Detail::Full {
        if let Some(raw) = call.other_input_asked() {
            rows.extend(json_rows("ask", raw, ctx));
        }
        if let Some(raw) = &call.raw_input {
            rows.extend(json_rows("in", raw, ctx));
        }
    }
    if let Some(raw) = &call.raw_output {
        rows.extend(json_rows("out", raw, ctx));
    }
    rows
}

fn json_rows(label: &str, raw: &RawJson, ctx: &RenderContext<'_>) -> Vec<Row> {
    // Enough for the rows; the viewer shows all of it.
    let bytes = usize::from(ctx.width) * (RAW_ROWS + 1);
    let shown = first_bytes(&raw.0, bytes);
    let text = SafeText::line(shown);
    let mut prefix = StyledLine::styled(label, ctx.theme.accent);
    prefix.fill_to(4, ctx.theme.dim);
    let mut rest = StyledLine::new();
    rest.fill_to(4, ctx.theme.dim);
    let line = StyledLine::styled(&text, ctx.theme.dim);
    let mut rows = line.wrap_with(Wrapping::Hard, usize::from(ctx.width), &prefix, &rest);
    if rows.len() > RAW_ROWS || shown.len() < raw.0.len() {
        rows.truncate(RAW_ROWS);
        rows.push(dim(ctx.symbols.ellipsis, ctx));
    }
    rows
}

fn dim(text: &str, ctx: &RenderContext<'_>) -> Row {
    StyledLine::styled(text, ctx.theme.dim).truncate(usize::from(ctx.width), ctx.symbols.ellipsis)
}
