//! A tool call's header: status, verb, object, figures; and the answers to its permission requests.

use std::path::Path;

use ratatui::style::Style;

use super::{Detail, ToolContext, body_context, content::MAX_PIECES, indent_body};
use crate::{
    model::{self, ContentBlock, Diff, FileChange, ToolContent, ToolKind},
    session::{Answered, By, ToolCall, ToolState},
    text::{SafeText, cell_width, first_bytes, is_grapheme_boundary},
    ui::blocks::rows::{FULL_ROWS, push_verb},
    ui::render::{
        RenderContext, Rendered, Row,
        command::{one_line, shown_command},
        diff::{DiffStats, Form, diff_summary},
        excerpt::{MAX_LINE_BYTES, line_count},
        format::{count, elapsed, elapsed_seconds, grouped, shown_path},
        line::{StyledLine, Wrapping, joined, pad, spread},
    },
};

/// The object keeps this many cells before the figures get room.
const MIN_OBJECT: usize = 16;

/// A command of at most this many rows is shown whole when folded.
const COMMAND_ROWS: usize = 3;

/// The header and, below it, the answers to what was asked; with [`Detail::Full`] the whole
/// command as well.
pub(super) fn render_tool_header(
    call: &ToolCall,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let (counts, provisional) = counts(call, ctx);
    let mut left = StyledLine::styled("  ", Style::new());
    let (sign, sign_style) = sign(call, tool, ctx);
    left.push(sign, sign_style);
    left.push(" ", Style::new());
    push_verb(&mut left, call_verb(call), ctx);
    let object = object(call, tool.cwd);
    let object_style = match call.state {
        ToolState::Cancelled | ToolState::Ended => ctx.theme.dim,
        _ => ctx.theme.text,
    };
    let mut about = StyledLine::new();
    push_counts(&mut about, counts, ctx);
    let mut state = StyledLine::new();
    push_state(&mut state, call, tool, ctx);
    let mut time = time(call, tool, ctx);

    // Without room, the least useful goes first: the time, words that repeat the sign, the figures.
    let width = usize::from(ctx.prose_width());
    let shown = StyledLine::styled(&object.line, object_style);
    let wanted = left.width() + shown.width().min(MIN_OBJECT) + about.width();
    if wanted + state.width() + time.width() + 2 > width {
        time = StyledLine::new();
    }
    if wanted > width {
        about = StyledLine::new();
    } else if wanted + state.width() <= width {
        about.extend(&state);
    }
    let gap = if time.is_empty() { 0 } else { 2 };
    let mut own = StyledLine::new();
    if call.by_person {
        own.push("not sent to the agent", ctx.theme.dim);
    }
    let beside = width.saturating_sub(left.width() + about.width() + time.width() + gap);
    let own_below =
        call.by_person && (object.more || object.lines || shown.width() + own.width() + 2 > beside);
    if call.by_person && !own_below {
        about.push("  ", Style::new());
        about.extend(&own);
    }
    let room = width.saturating_sub(left.width() + about.width() + time.width() + gap);
    let whole = object.more || object.lines || shown.width() > room;
    let whole_answers = tool.detail == Detail::Full;
    let answers = call.answers.iter();
    // That a call was allowed is told by its going on.
    let answers = answers.filter(|answer| whole_answers || answer.allowed != Some(true));
    let answers = answers.map(|answer| answer_row(answer, whole_answers, ctx));
    let own = own_below.then(|| own.truncate(width, ctx.symbols.ellipsis));
    let mut answers: Vec<Row> = answers.chain(own).collect();
    indent_body(&mut answers, ctx);
    if whole && about.is_empty() && call.kind == ToolKind::Execute && tool.detail != Detail::Header
    {
        let text = whole_text(call);
        if let Some(mut rows) = command_rows(&text, object_style, &left, &time, width) {
            rows.extend(answers);
            return Rendered { rows, provisional };
        }
    }
    if shown.width() > room && object.path {
        left.push(
            &path_end(&object.line, room, ctx.symbols.ellipsis),
            object_style,
        );
    } else {
        for span in shown.truncate(room, ctx.symbols.ellipsis).line.spans {
            left.push(&span.content, span.style);
        }
    }
    if object.more && shown.width() + 2 <= room {
        left.push(&format!(" {}", ctx.symbols.ellipsis), ctx.theme.dim);
    }
    left.extend(&about);
    let mut rows = vec![spread(&left, &time, width, ctx.symbols.ellipsis)];

    if tool.detail == Detail::Full && whole {
        rows.extend(whole_object(call, tool, ctx));
    }
    rows.extend(answers);
    Rendered { rows, provisional }
}

/// A whole command after `left`, with `time` at the end of its first row; `None` if it takes too
/// many rows.
fn command_rows(
    command: &str,
    style: Style,
    left: &StyledLine,
    time: &StyledLine,
    width: usize,
) -> Option<Vec<Row>> {
    if command.len() > COMMAND_ROWS * width {
        return None;
    }
    let rest = StyledLine::blanks(left.width());
    let room = match time.width() {
        0 => width,
        time => width.saturating_sub(time + 2),
    };
    let mut rows: Vec<Row> = StyledLine::lines(command, style)
        .enumerate()
        .flat_map(|(n, line)| {
            let prefix = if n == 0 { left } else { &rest };
            line.wrap_with(Wrapping::Verbatim, room, prefix, &rest)
        })
        .take(COMMAND_ROWS + 1)
        .collect();
    if rows.len() > COMMAND_ROWS {
        return None;
    }
    if let Some(first) = rows.first_mut().filter(|_| !time.is_empty()) {
        pad(first, width - time.width(), Style::new());
        *first = joined(std::mem::take(first), time.clone().into_row());
    }
    Some(rows)
}

fn sign(call: &ToolCall, tool: &ToolContext<'_>, ctx: &RenderContext<'_>) -> (&'static str, Style) {
    let (symbols, theme) = (ctx.symbols, ctx.theme);
    if call.asking {
        return (symbols.asking, theme.warning.patch(theme.strong));
    }
    match call.state {
        ToolState::Pending => (symbols.pending, theme.dim),
        _ if call.doubted && call.state.is_open() => (symbols.pending, theme.dim),
        ToolState::Paused => (symbols.pending, theme.warning),
        ToolState::InProgress | ToolState::Unknown(_) => {
            let still = symbols.spinner.first().copied().unwrap_or(symbols.pending);
            (tool.spinner.unwrap_or(still), theme.accent)
        }
        // Some agents report it as completed once they have read the refusal.
        ToolState::Completed | ToolState::Ended if call.is_denied() => {
            (symbols.failed, theme.error)
        }
        ToolState::Completed => (symbols.done, theme.success),
        ToolState::Failed => (symbols.failed, theme.error),
        ToolState::Cancelled => (symbols.cancelled, theme.warning),
        ToolState::Ended => (symbols.ended, theme.dim),
    }
}

fn call_verb(call: &ToolCall) -> &'static str {
    match call.kind {
        // The title is all of it.
        ToolKind::Other if call.only_asked => "Ask",
        kind => verb(kind),
    }
}

fn verb(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "Read",
        ToolKind::Edit => "Edit",
        ToolKind::Delete => "Delete",
        ToolKind::Move => "Move",
        ToolKind::Search => "Search",
        ToolKind::Execute => "Run",
        ToolKind::Think => "Think",
        ToolKind::Fetch => "Fetch",
        ToolKind::SwitchMode => "Mode",
        ToolKind::Other => "Tool",
    }
}

/// The object of the call, on one line.
struct Object {
    line: SafeText,
    /// There are more lines of it, or more of this one.
    more: bool,
    /// It is a command of several lines.
    lines: bool,
    /// It is a path: its end matters most.
    path: bool,
}

/// The end of a path that fits `room` cells.
fn path_end(path: &str, room: usize, ellipsis: &str) -> String {
    let room = room.saturating_sub(cell_width(ellipsis));
    let mut from = path.len();
    for (at, _) in path.char_indices().rev() {
        if cell_width(&path[at..]) > room {
            break;
        }
        if is_grapheme_boundary(path, at) {
            from = at;
        }
    }
    format!("{ellipsis}{}", &path[from..])
}

/// The object of the call alone, on one line.
pub(super) fn object_line(call: &ToolCall, cwd: &Path) -> SafeText {
    object(call, cwd).line
}

fn object(call: &ToolCall, cwd: &Path) -> Object {
    if let Some(path) = path_object(call, cwd) {
        return Object {
            line: path,
            more: false,
            lines: false,
            path: true,
        };
    }
    if let Some(command) = whole_command(call) {
        // All of its lines: the first can be a comment.
        let line = one_line(first_bytes(&command, MAX_LINE_BYTES));
        return Object {
            more: command.len() > MAX_LINE_BYTES,
            lines: command.contains('\n'),
            line,
            path: false,
        };
    }
    let text = whole_text(call);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let shown = first_bytes(first, MAX_LINE_BYTES);
    Object {
        line: SafeText::line(shown),
        more: !rest.trim().is_empty() || shown.len() < first.len(),
        lines: false,
        path: false,
    }
}

/// The file that a call which works on files names, relative to the session's directory.
pub(super) fn path_object(call: &ToolCall, cwd: &Path) -> Option<SafeText> {
    if !matches!(
        call.kind,
        ToolKind::Read | ToolKind::Edit | ToolKind::Delete
    ) {
        return None;
    }
    let mut diffs = diffs(call).map(|diff| diff.path.as_str());
    if let Some(first) = diffs.next() {
        let shown = shown_path(first, cwd);
        let others = diffs.filter(|path| *path != first).count();
        return Some(match others {
            0 => shown,
            n => SafeText::line(&format!("{shown} and {}", count(n, "more file"))),
        });
    }
    let [location] = call.locations.as_slice() else {
        return None;
    };
    let shown = shown_path(&location.path, cwd);
    Some(match location.line {
        // Agents name the first line where they mean the file.
        Some(line) if line > 1 => SafeText::line(&format!("{shown}:{line}")),
        _ => shown,
    })
}

/// The command of a call that runs one, behind what is set for it.
fn whole_command(call: &ToolCall) -> Option<SafeText> {
    let command = call.command.as_deref().filter(|c| !c.trim().is_empty())?;
    let run = call.input.as_ref().and_then(|input| input.run.as_ref());
    let env = run.map(|run| run.env.as_slice()).unwrap_or_default();
    let command = shown_command(command);
    Some(model::shown_command(command.trim(), env))
}

/// The command of a call that runs one, else the title; without code marks around it, and without
/// the verb that stands before it already.
fn whole_text(call: &ToolCall) -> SafeText {
    if let Some(command) = whole_command(call) {
        return command;
    }
    let title = call.title.trim();
    let title = title
        .strip_prefix('`')
        .and_then(|title| title.strip_suffix('`'))
        .filter(|title| !title.contains('`'))
        .unwrap_or(title);
    let bare = title
        .split_once(' ')
        .filter(|(first, _)| first.eq_ignore_ascii_case(verb(call.kind)))
        .map_or(title, |(_, rest)| rest.trim_start());
    match (bare.is_empty(), call.name.as_deref()) {
        (true, Some(name)) => SafeText::line(name),
        _ => SafeText::new(bare),
    }
}

fn whole_object(call: &ToolCall, tool: &ToolContext<'_>, ctx: &RenderContext<'_>) -> Vec<Row> {
    let body = body_context(ctx);
    let text = path_object(call, tool.cwd).unwrap_or_else(|| whole_text(call));
    let mut prompt = StyledLine::new();
    if call.kind == ToolKind::Execute {
        prompt.push("$ ", ctx.theme.dim);
    }
    let rest = StyledLine::blanks(prompt.width());
    let mut rows: Vec<Row> = StyledLine::lines(&text, ctx.theme.text)
        .enumerate()
        .flat_map(|(n, line)| {
            let prefix = if n == 0 { &prompt } else { &rest };
            line.wrap_with(Wrapping::Verbatim, usize::from(body.width), prefix, &rest)
        })
        .take(FULL_ROWS)
        .collect();
    indent_body(&mut rows, ctx);
    rows
}

fn diffs(call: &ToolCall) -> impl Iterator<Item = &std::sync::Arc<Diff>> {
    call.content.iter().filter_map(|piece| match piece {
        ToolContent::Diff(diff) => Some(diff),
        _ => None,
    })
}

#[derive(Default)]
struct Counts {
    stats: DiffStats,
    /// All of it is new.
    created: bool,
    /// All of it takes the place of what was there.
    overwrites: bool,
    known: bool,
}

/// Lines added and removed by all diffs, and whether some are still compared.
fn counts(call: &ToolCall, ctx: &RenderContext<'_>) -> (Counts, bool) {
    let mut counts = Counts {
        created: true,
        overwrites: true,
        ..Counts::default()
    };
    if diffs(call).nth(MAX_PIECES).is_some() {
        // More than is counted.
        return (Counts::default(), false);
    }
    let mut waiting = false;
    for diff in diffs(call) {
        let Some(summary) = diff_summary(diff, ctx.offload) else {
            waiting = true;
            continue;
        };
        if summary.form == Form::Untold {
            (counts.created, counts.overwrites) = (false, false);
            continue;
        }
        counts.known = true;
        counts.created &= summary.form == Form::Created;
        counts.overwrites &= diff.change == FileChange::Overwrite;
        counts.stats.added += summary.stats.added;
        counts.stats.removed += summary.stats.removed;
    }
    counts.known &= !waiting;
    (counts, waiting)
}

fn push_counts(line: &mut StyledLine, counts: Counts, ctx: &RenderContext<'_>) {
    if !counts.known {
        return;
    }
    let (theme, DiffStats { added, removed }) = (ctx.theme, counts.stats);
    line.push("  ", Style::new());
    if counts.created {
        line.push("new ", theme.dim);
    } else if counts.overwrites {
        line.push("overwrite ", theme.dim);
    }
    line.push(&format!("+{}", grouped(added)), theme.success);
    if !counts.created {
        line.push(
            &format!(" {}{}", ctx.symbols.minus, grouped(removed)),
            theme.error,
        );
    }
}

/// Words for what the sign does not show.
fn push_state(
    line: &mut StyledLine,
    call: &ToolCall,
    tool: &ToolContext<'_>,
    ctx: &RenderContext<'_>,
) {
    let theme = ctx.theme;
    let mut push = |text: &str, style| {
        line.push("  ", Style::new());
        line.push(text, style);
    };
    if call.asking {
        push("waiting for your answer", theme.warning);
        return;
    }
    match &call.state {
        // The row below says it.
        ToolState::Ended | ToolState::Failed if call.is_denied() => {}
        state if call.cancelling && state.is_open() => push("cancelling", theme.dim),
        // V2-STATE-03: its last known state, not its current one.
        state if call.doubted && state.is_open() => push("state unknown", theme.dim),
        ToolState::Paused => push("paused", theme.warning),
        ToolState::Cancelled => push("cancelled", theme.warning),
        // The same if no one answered.
        ToolState::Ended if call.only_asked || call.had_no_leave() => {}
        ToolState::Ended => push("no result", theme.dim),
        ToolState::Unknown(status) => push(&SafeText::line(status), theme.dim),
        ToolState::Failed if call.kind != ToolKind::Execute => push("failed", theme.error),
        _ => {}
    }
    if tool.detail == Detail::Header && !call.state.is_open() {
        let lines = folded_lines(call);
        if lines > 0 {
            push(&count(lines, "line"), theme.dim);
        }
    }
}

/// Lines of text hidden in a folded call.
fn folded_lines(call: &ToolCall) -> usize {
    call.content
        .iter()
        .map(|piece| match piece {
            ToolContent::Block(ContentBlock::Text(text)) => {
                line_count(crate::ui::render::excerpt::unfenced(text).0)
            }
            _ => 0,
        })
        .sum()
}

fn time(call: &ToolCall, tool: &ToolContext<'_>, ctx: &RenderContext<'_>) -> StyledLine {
    let text = match (call.took, &call.state) {
        (Some(took), _) if took.as_millis() >= 100 => elapsed(took),
        // Without motion no time counts up: it is shown at the end.
        (None, ToolState::InProgress) if call.is_running() && tool.spinner.is_some() => {
            elapsed_seconds(ctx.now.saturating_duration_since(call.started))
        }
        _ => return StyledLine::new(),
    };
    StyledLine::styled(&text, ctx.theme.dim)
}

/// `denied by you`: who answered, and how.
pub fn verdict(answer: &Answered) -> String {
    let verb = match answer.allowed {
        Some(true) => "allowed",
        Some(false) => "denied",
        None => "answered",
    };
    match &answer.by {
        By::Nobody => "not answered".to_owned(),
        By::Person if answer.allowed.is_none() => verb.to_owned(),
        By::Person => format!("{verb} by you"),
        By::Rule(rule) => format!("{verb} by {}", SafeText::line(&model::rule_words(rule))),
    }
}

/// `denied by you`, `answered: Allow`, where it is not known what that means; `whole`: the words of the
/// option as well.
fn answer_row(answer: &Answered, whole: bool, ctx: &RenderContext<'_>) -> Row {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let denied = !matches!(answer.by, By::Nobody) && answer.allowed == Some(false);
    let style = if denied { theme.error } else { theme.dim };
    let mut line = StyledLine::styled(&verdict(answer), style);
    let said = SafeText::line(answer.answer.trim());
    if !said.is_empty() && (whole || answer.allowed.is_none()) {
        let separator = match (&answer.by, answer.allowed) {
            (By::Person, None) => ": ".to_owned(),
            _ => format!(" {} ", symbols.separator),
        };
        line.push(&format!("{separator}{said}"), theme.dim);
    }
    let width = body_context(ctx).width;
    line.truncate(usize::from(width), symbols.ellipsis)
}
