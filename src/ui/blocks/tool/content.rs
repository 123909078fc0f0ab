//! The pieces of a tool call's content: all that is shown of each kind is here.

use std::sync::Arc;

use similar::TextDiff;

use super::{Detail, GUTTER, ToolContext, body_context, indent_body};
use crate::{
    model::{ContentBlock, Diff, DiffText, RawJson, TerminalId, ToolContent, ToolKind},
    session::{ToolCall, ToolState},
    text::{SafeText, first_bytes},
    ui::{
        blocks::{
            Frame, Searched, Source,
            content::{content_path, content_text, render_content, unknown_row},
            plan::entry_line,
            rows::{FULL_ROWS, cut, dim, narrowed, prose},
            subagent::{session_link, session_name},
        },
        offload::Offload,
        render::{
            RenderContext, Rendered, Row,
            diff::{DiffOptions, change_label, diff_model, render_diff},
            excerpt::{Excerpt, Keep, unfenced},
            format::{count, shown_path},
            line::{StyledLine, Wrapping, prefixed},
            terminal::{render_screen, render_terminal_header},
        },
    },
};

/// Rows of text that [`Detail::Short`] shows.
const SHORT_TEXT_ROWS: usize = 8;
/// The last rows of a terminal.
const SHORT_TERMINAL_ROWS: usize = 10;
const SHORT_DIFF_ROWS: usize = 20;
/// Of an error: what it is; the rest is details.
const SHORT_ERROR_ROWS: usize = 1;
/// Rows of raw input or output.
const RAW_ROWS: usize = 12;
/// A diff of more bytes than this is not written out as text.
const MAX_DIFF_BYTES: usize = 256 << 10;
/// Pieces drawn of one call: agents send one or two.
pub const MAX_PIECES: usize = 100;

const NO_SCREEN: &str = "[output of a terminal, no longer kept]";

/// The rows of piece `at`; none for one that has nothing to show.
pub(super) fn render_tool_piece(
    call: &ToolCall,
    at: usize,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let body = body_context(ctx);
    let piece = call.content.get(at).filter(|_| at < MAX_PIECES);
    if piece.is_some_and(|piece| tells_refusal(call, piece, tool.detail)) {
        return Rendered::default();
    }
    let gutter = piece.is_some_and(|piece| has_gutter(call, piece));
    let inner = if gutter {
        narrowed(GUTTER.into(), &body)
    } else {
        body
    };
    let mut rendered = match piece {
        Some(piece) => render_piece(call, piece, tool, &inner),
        None => raw_rows(call, tool.detail, &inner).into(),
    };
    if gutter {
        lay_gutter(&mut rendered.rows, &body);
    }
    indent_body(&mut rendered.rows, ctx);
    rendered
}

/// Output has one. Code and prose have none: a terminal's own selection copies them clean.
fn has_gutter(call: &ToolCall, piece: &ToolContent) -> bool {
    match piece {
        ToolContent::Terminal(_) => true,
        ToolContent::Block(ContentBlock::Text(_)) => !matches!(
            call.kind,
            ToolKind::Read | ToolKind::Think | ToolKind::SwitchMode
        ),
        _ => false,
    }
}

/// Puts the gutter before rows, and sets back what has no colour: it is not what the agent says.
fn lay_gutter(rows: &mut [Row], ctx: &RenderContext<'_>) {
    let dim = ctx.theme.dim;
    let gutter = StyledLine::styled(ctx.symbols.column, dim).with(" ", dim);
    for row in rows {
        let mut inner = std::mem::take(row);
        for span in &mut inner.line.spans {
            if span.style.fg.is_none() && span.style.bg.is_none() {
                span.style = dim.patch(span.style);
            }
        }
        *row = prefixed(&gutter, inner, ctx.width.into());
    }
}

/// What the agent puts out for a call that was denied is that refusal in other words.
fn tells_refusal(call: &ToolCall, piece: &ToolContent, detail: Detail) -> bool {
    let out = matches!(
        piece,
        ToolContent::Terminal(_) | ToolContent::Block(ContentBlock::Text(_))
    );
    let over = matches!(
        call.state,
        ToolState::Failed | ToolState::Ended | ToolState::Cancelled | ToolState::Completed
    );
    out && over && detail != Detail::Full && call.is_denied()
}

/// Whether rows stand below the header.
pub(super) fn has_body(call: &ToolCall, detail: Detail, source: &Source<'_>) -> bool {
    if detail == Detail::Header {
        return false;
    }
    let shows = |piece: &ToolContent| match piece {
        piece if tells_refusal(call, piece, detail) => false,
        ToolContent::Block(ContentBlock::Text(text)) => !text.trim().is_empty(),
        ToolContent::Terminal(id) => {
            let screen = source.screens.get(id);
            screen.is_none_or(|screen| screen.lock().row_count() > 0)
        }
        _ => true,
    };
    let mut pieces = call.content.iter().take(MAX_PIECES);
    pieces.any(shows) || shows_raw(call, detail)
}

fn render_piece(
    call: &ToolCall,
    piece: &ToolContent,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Rendered {
    match piece {
        ToolContent::Block(ContentBlock::Text(text)) => match call.kind {
            // Prose: plans to agree to, thoughts of subagents.
            ToolKind::Think | ToolKind::SwitchMode => {
                let mut rendered = prose(text, ctx);
                cut(&mut rendered.rows, text_room(tool.detail), ctx);
                rendered
            }
            _ => text_rows(call, text, tool, ctx).into(),
        },
        ToolContent::Block(content) => render_content(content, text_room(tool.detail), ctx),
        ToolContent::Diff(diff) => render_diff_piece(call, diff, tool, ctx),
        ToolContent::Terminal(id) => terminal_rows(call, id, tool, ctx).into(),
        // V1-TOOL-11
        ToolContent::Session(id) => vec![session_link(id, tool.subagents, ctx)].into(),
        ToolContent::Unknown { kind, .. } => vec![unknown_row(kind, ctx)].into(),
    }
}

/// As plain text.
pub(in crate::ui::blocks) fn piece_text(piece: &ToolContent, source: &Source<'_>) -> String {
    match piece {
        ToolContent::Block(content) => content_text(content),
        ToolContent::Diff(diff) => diff_text(diff, source),
        ToolContent::Terminal(id) => match source.screens.get(id) {
            Some(screen) => screen.lock().text(usize::MAX),
            None => NO_SCREEN.to_owned(),
        },
        ToolContent::Session(id) => format!("[{}]", session_name(id, source)),
        ToolContent::Unknown { kind, .. } => format!("[content of unknown type: {kind}]"),
    }
}

/// For find: a piece as it is shown; `None` while a diff is compared.
pub(super) fn searched_piece<'a>(
    call: &'a ToolCall,
    segment: usize,
    piece: &'a ToolContent,
    source: &Source<'a>,
    offload: &Offload,
) -> Option<Searched<'a>> {
    Some(match piece {
        ToolContent::Block(ContentBlock::Text(text)) => match call.kind {
            ToolKind::Think | ToolKind::SwitchMode => {
                Searched::markdown(segment, text, true).within(segment)
            }
            _ => Searched::plain(segment, unfenced(text).0),
        },
        ToolContent::Diff(diff) => Searched::plain(segment, diff_model(diff, offload)?.shown()),
        other => Searched::plain(segment, piece_text(other, source)),
    })
}

/// What a question about a call shows of a piece of its content.
pub enum Asked<'a> {
    Diff(&'a Arc<Diff>),
    Text(&'a SafeText),
    Content(&'a ContentBlock),
    Json(&'a SafeText, &'a RawJson),
    Nothing,
}

pub fn asked(piece: &ToolContent) -> Asked<'_> {
    match piece {
        ToolContent::Diff(diff) => Asked::Diff(diff),
        ToolContent::Block(ContentBlock::Text(text)) => Asked::Text(text),
        ToolContent::Block(content) => Asked::Content(content),
        ToolContent::Unknown { kind, raw } => Asked::Json(kind, raw),
        // A terminal has not started yet, and a link to a session says nothing.
        ToolContent::Terminal(_) | ToolContent::Session(_) => Asked::Nothing,
    }
}

/// The file that it is about.
pub(super) fn path(piece: &ToolContent) -> Option<&str> {
    match piece {
        ToolContent::Diff(diff) => Some(&diff.path),
        ToolContent::Block(content) => content_path(content),
        ToolContent::Terminal(_) | ToolContent::Session(_) | ToolContent::Unknown { .. } => None,
    }
}

/// A revision of what a piece shows without a change of its call: a terminal's.
pub fn screen_rev(piece: &ToolContent, frame: &Frame<'_>) -> u64 {
    let ToolContent::Terminal(id) = piece else {
        return 0;
    };
    let info = frame.source.terminals.get(id);
    let exited = info.is_some_and(|info| info.exit.is_some());
    let screen = frame.source.screens.get(id);
    let rev = screen.map_or(0, |screen| screen.lock().rev() + 1);
    2 * rev + u64::from(exited)
}

/// As a unified diff.
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

/// Puts its note above it, where patch tools skip it.
fn noted(text: String, diff: &Diff) -> String {
    match &diff.note {
        Some(note) => format!("[{note}]\n{text}"),
        None => text,
    }
}

/// The line that find is at, where the piece is unfolded: folded ones unfold for their match.
fn found_in(tool: &ToolContext<'_>) -> Option<usize> {
    tool.found.filter(|_| tool.detail == Detail::Full)
}

fn text_room(detail: Detail) -> usize {
    if detail == Detail::Full {
        FULL_ROWS
    } else {
        SHORT_TEXT_ROWS
    }
}

fn text_rows(
    call: &ToolCall,
    text: &SafeText,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let detail = tool.detail;
    let (text, _) = unfenced(text);
    if text.trim().is_empty() {
        return Vec::new();
    }
    let runs = call.kind == ToolKind::Execute;
    let failed = call.state == ToolState::Failed && !runs;
    let excerpt = Excerpt {
        keep: if runs { Keep::Tail } else { Keep::Head },
        max_rows: match (runs, detail) {
            (true, Detail::Short) => SHORT_TERMINAL_ROWS,
            _ if failed && detail != Detail::Full => SHORT_ERROR_ROWS,
            _ => text_room(detail),
        },
        wrapping: match call.kind {
            ToolKind::Read => Wrapping::Verbatim,
            _ => Wrapping::Words,
        },
        style: match call.kind {
            _ if failed => ctx.theme.error,
            ToolKind::Think | ToolKind::SwitchMode => ctx.theme.text,
            _ => ctx.theme.dim,
        },
    };
    excerpt.rows_with(found_in(tool), text, usize::from(ctx.width), ctx)
}

fn render_diff_piece(
    call: &ToolCall,
    diff: &Arc<Diff>,
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
        found: found_in(tool),
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
    // With several diffs the header cannot name each file.
    if diffs > 1 {
        let path = shown_path(&diff.path, tool.cwd);
        let name = StyledLine::styled(&path, ctx.theme.strong);
        let name = name.truncate(usize::from(ctx.width), ctx.symbols.ellipsis);
        rendered.rows.insert(0, name);
    }
    rendered
}

/// The terminal's last rows (V1-TOOL-10, V1-TERM-14). An unknown id costs one line.
fn terminal_rows(
    call: &ToolCall,
    id: &TerminalId,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let Some(screen) = tool.screens.get(id) else {
        return vec![dim(NO_SCREEN, ctx)];
    };
    let info = tool.terminals.get(id);
    let ended = info.is_none_or(|info| info.exit.is_some());
    if tool.detail == Detail::Short && ended && gives_text(call) {
        // The agent sent the output as text as well (fast-agent): once is enough.
        return Vec::new();
    }
    let max_rows = if tool.detail == Detail::Full {
        FULL_ROWS
    } else {
        SHORT_TERMINAL_ROWS
    };
    let title = call.command.as_deref().unwrap_or(&call.title);
    let screen = screen.lock();
    let ran = !call.had_no_leave();
    let header = info.and_then(|info| render_terminal_header(info, title, ran, ctx));
    let mut rows: Vec<Row> = header.into_iter().collect();
    // A line above its rows tells what is missing of them.
    let missing = usize::from(screen.dropped_rows() > 0);
    let found = found_in(tool).and_then(|line| line.checked_sub(missing));
    rows.extend(render_screen(&screen, max_rows, found, ctx));
    rows
}

fn gives_text(call: &ToolCall) -> bool {
    call.content.iter().any(|piece| {
        matches!(piece, ToolContent::Block(ContentBlock::Text(text)) if !text.trim().is_empty())
    })
}

/// Whether there are rows of [`raw_rows`].
pub(super) fn shows_raw(call: &ToolCall, detail: Detail) -> bool {
    let full = detail == Detail::Full;
    call.content.len() > MAX_PIECES
        || full && !call.todos.is_empty()
        || full && call.other_input_asked().is_some()
        || full && shows_raw_input(call)
        || (full || call.state == ToolState::Failed) && shows_raw_output(call)
}

/// Its input is shown raw where nothing else tells it; the viewer has it in any case.
fn shows_raw_input(call: &ToolCall) -> bool {
    let told = match call.kind {
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            let diff = |piece: &ToolContent| matches!(piece, ToolContent::Diff(_));
            call.content.iter().any(diff)
        }
        ToolKind::Read => !call.locations.is_empty(),
        _ => call.command.is_some(),
    };
    call.raw_input.is_some() && !told && call.todos.is_empty()
}

/// Its output is what its content shows, and why it failed.
fn shows_raw_output(call: &ToolCall) -> bool {
    let listed = !call.todos.is_empty() && call.state != ToolState::Failed;
    call.raw_output.is_some() && call.content.is_empty() && !listed
}

/// Its raw input and output (V1-TOOL-13).
fn raw_rows(call: &ToolCall, detail: Detail, ctx: &RenderContext<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let hidden = call.content.len().saturating_sub(MAX_PIECES);
    if hidden > 0 {
        rows.push(dim(&format!("+{}", count(hidden, "piece")), ctx));
    }
    if detail == Detail::Full {
        let width = usize::from(ctx.width);
        let entries = call.todos.iter().map(|entry| entry_line(entry, ctx));
        rows.extend(entries.map(|line| line.truncate(width, ctx.symbols.ellipsis)));
        if let Some(raw) = call.other_input_asked() {
            rows.extend(json_rows("ask", raw, ctx));
        }
        if let Some(raw) = call.raw_input.as_ref().filter(|_| shows_raw_input(call)) {
            rows.extend(json_rows("in", raw, ctx));
        }
    }
    if let Some(raw) = call.raw_output.as_ref().filter(|_| shows_raw_output(call)) {
        rows.extend(json_rows("out", raw, ctx));
    }
    rows
}

fn json_rows(label: &str, raw: &RawJson, ctx: &RenderContext<'_>) -> Vec<Row> {
    // Enough for these rows; the viewer shows all of it.
    let bytes = usize::from(ctx.width) * (RAW_ROWS + 1);
    let shown = first_bytes(&raw.0, bytes);
    let text = SafeText::line(shown);
    let mut prefix = StyledLine::styled(label, ctx.theme.accent);
    prefix.fill_to(4, ctx.theme.dim);
    let mut rest = StyledLine::new();
    rest.fill_to(prefix.width(), ctx.theme.dim);
    let line = StyledLine::styled(&text, ctx.theme.dim);
    let mut rows = line.wrap_with(Wrapping::Verbatim, usize::from(ctx.width), &prefix, &rest);
    if rows.len() > RAW_ROWS || shown.len() < raw.0.len() {
        rows.truncate(RAW_ROWS);
        rows.push(dim(ctx.symbols.ellipsis, ctx));
    }
    rows
}
