//! A subagent: its state, and its conversation inside its block: the last rows while it works, all
//! of it when unfolded. Each block of the conversation is a segment, laid out when visible.

use std::ops::Range;

use ratatui::style::Style;

use super::{
    BlockView, Content, CutText, Detail, Frame, Part, Searched, Source, draw,
    plan::{Pinned, render_pinned_plans},
    quoted,
    rows::{INDENT, dim, indent, last_rows, narrowed, push_verb},
    view, whole_text,
};
use crate::{
    config::Thoughts,
    model::{SessionId, StopReason, WorkState},
    session::{Block, BlockKind, Subagent, Subagents},
    text::{SafeText, last_bytes},
    ui::{
        offload::Offload,
        render::{
            RenderContext, Rendered, Row,
            format::{count, elapsed, elapsed_seconds, shown_path},
            line::{StyledLine, Wrapping, spread},
            markdown,
        },
    },
};

/// Rows of its description.
const DESCRIPTION_ROWS: usize = 4;
/// On narrower screens the conversation is not drawn.
const MIN_WIDTH: u16 = 16;
/// Rows of its latest activity.
const LIVE_ROWS: usize = 4;
/// Blocks that these rows are taken from.
const LIVE_BLOCKS: usize = 4;
/// Rows of each of these blocks.
const LIVE_TEXT_ROWS: usize = 2;
/// The latest blocks, shown when unfolded; the viewer shows all.
const SHOWN_BLOCKS: usize = 200;
/// Bytes of each message in it; the viewer shows all.
const MESSAGE_BYTES: usize = 32 << 10;

/// Its first segments: the header, and the details or activity below it.
const OWN_SEGMENTS: usize = 2;

impl BlockView for SessionId {
    fn name(&self) -> &'static str {
        "a subagent"
    }

    fn title(&self, source: &Source<'_>) -> SafeText {
        session_name(self, source)
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let subagent = frame.source.subagents.get(self);
        if part.segment == 0 {
            let whole = part.detail == Detail::Full;
            return render_header(subagent, whole, frame.spinner(), &frame.ctx).into();
        }
        match subagent {
            Some(subagent) if frame.ctx.width >= MIN_WIDTH => render_within(subagent, part, frame),
            _ => Rendered::default(),
        }
    }

    /// Its conversation, indented below its name.
    fn text(&self, source: &Source<'_>) -> String {
        let Some(subagent) = source.subagents.get(self) else {
            return "[unknown subagent]".to_owned();
        };
        let mut out = format!("[agent] {}", subagent.name());
        let description = subagent.description.as_ref().map(|text| text.trim());
        let said = whole_text(&source_within(subagent, source));
        for text in description.into_iter().chain([said.trim_end()]) {
            out.push_str(&format!("\n{}", quoted(text, "  ")));
        }
        out
    }

    /// Its header, and each block of its conversation in the segment that shows it.
    fn searched<'a>(&'a self, source: &Source<'a>, offload: &Offload) -> Option<Vec<Searched<'a>>> {
        let Some(subagent) = source.subagents.get(self) else {
            return Some(Vec::new());
        };
        let mut all = vec![Searched::plain(0, subagent.name().to_string())];
        if let Some(description) = &subagent.description {
            all.push(Searched::plain(0, description.as_str()));
        }
        let within = source_within(subagent, source);
        let first = shown(subagent).start;
        for (at, block) in within.transcript.blocks().iter().enumerate() {
            // Those that are left out are told of in the segment above the others.
            let segment = match at.checked_sub(first) {
                Some(at) => OWN_SEGMENTS + at,
                None => 1,
            };
            let texts = view(&block.kind).searched(&within, offload)?;
            all.extend(texts.into_iter().map(|text| text.within(segment)));
        }
        Some(all)
    }

    fn usual_detail(&self, _: Thoughts, source: &Source<'_>) -> Detail {
        // While it works some rows are shown; afterwards only the header.
        match source.subagents.get(self) {
            Some(subagent) if subagent.is_active() => Detail::Short,
            _ => Detail::Header,
        }
    }

    fn segments(&self, detail: Detail, source: &Source<'_>) -> usize {
        match (source.subagents.get(self), detail) {
            (None, _) | (_, Detail::Header) => 1,
            (_, Detail::Short) => OWN_SEGMENTS,
            (Some(subagent), Detail::Full) => OWN_SEGMENTS + shown(subagent).len(),
        }
    }

    fn has_body(&self, detail: Detail, source: &Source<'_>) -> bool {
        detail != Detail::Header && source.subagents.get(self).is_some()
    }

    fn is_long(&self) -> bool {
        true
    }

    fn content(&self, rev: u64, segment: usize, _: Detail, frame: &Frame<'_>) -> Content {
        let subagent = frame.source.subagents.get(self);
        let block = subagent.and_then(|subagent| block_at(subagent, segment));
        match (segment, subagent, block) {
            (0, ..) => Content::Block { rev, screen: 0 },
            (1, Some(subagent), _) => Content::Block {
                rev: subagent.conversation.transcript.rev(),
                screen: 0,
            },
            (_, _, Some(block)) => Content::Block {
                rev: block.rev,
                screen: screens(block, frame),
            },
            _ => Content::Block { rev: 0, screen: 0 },
        }
    }

    fn moves(&self, segment: usize, source: &Source<'_>) -> bool {
        let Some(subagent) = source.subagents.get(self) else {
            return false;
        };
        if segment < OWN_SEGMENTS {
            return subagent.is_active();
        }
        block_at(subagent, segment).is_some_and(|block| view(&block.kind).moves(0, source))
    }
}

/// Which of its blocks are shown.
fn shown(subagent: &Subagent) -> Range<usize> {
    let all = subagent.conversation.transcript.blocks().len();
    all.saturating_sub(SHOWN_BLOCKS)..all
}

fn block_at(subagent: &Subagent, segment: usize) -> Option<&Block> {
    let at = shown(subagent).start + segment.checked_sub(OWN_SEGMENTS)?;
    subagent.conversation.transcript.blocks().get(at)
}

/// Changes with the output of the terminals in a block.
fn screens(block: &Block, frame: &Frame<'_>) -> u64 {
    match &block.kind {
        BlockKind::Tool(call) => {
            let pieces = call.content.iter();
            pieces
                .map(|piece| super::tool::screen_rev(piece, frame))
                .sum()
        }
        _ => 0,
    }
}

/// The source for drawing a subagent's transcript.
fn source_within<'a>(subagent: &'a Subagent, source: &Source<'a>) -> Source<'a> {
    Source {
        transcript: &subagent.conversation.transcript,
        here: Some(&subagent.id),
        ..*source
    }
}

/// A segment after the header.
fn render_within(subagent: &Subagent, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
    let within = Frame {
        source: source_within(subagent, &frame.source),
        ctx: RenderContext {
            indent: frame.ctx.indent + INDENT as u16,
            ..narrowed(INDENT, &frame.ctx)
        },
        ..*frame
    };
    let mut rendered = match (part.segment, part.detail) {
        (1, Detail::Full) => above_blocks(subagent, frame, &within).into(),
        (1, _) => live_rows(subagent, &within).into(),
        _ => match block_at(subagent, part.segment) {
            Some(block) => block_rows(block, &within),
            None => Rendered::default(),
        },
    };
    indent(&mut rendered.rows, INDENT, &frame.ctx);
    rendered
}

/// Its directory, its plans, and how many blocks are hidden.
fn above_blocks(subagent: &Subagent, frame: &Frame<'_>, within: &Frame<'_>) -> Vec<Row> {
    let ctx = &within.ctx;
    let mut rows: Vec<Row> = render_place(&subagent.id, &frame.source, ctx)
        .into_iter()
        .collect();
    rows.extend(plan_rows(subagent, ctx));
    let left_out = shown(subagent).start;
    if left_out > 0 {
        rows.push(dim(&format!("  +{} before", count(left_out, "block")), ctx));
    }
    rows
}

/// Its plans, a row each.
fn plan_rows(subagent: &Subagent, ctx: &RenderContext<'_>) -> Vec<Row> {
    let plain = Some(Pinned::Items(&subagent.conversation.plan))
        .filter(|_| !subagent.conversation.plan.is_empty());
    let named = subagent.conversation.plans.iter().map(Pinned::of);
    let plans: Vec<Pinned<'_>> = plain.into_iter().chain(named).collect();
    render_pinned_plans(&plans, plans.len(), ctx)
}

/// The last rows of its conversation.
fn live_rows(subagent: &Subagent, within: &Frame<'_>) -> Vec<Row> {
    let blocks = subagent.conversation.transcript.blocks();
    let from = blocks.len().saturating_sub(LIVE_BLOCKS);
    let mut rows = plan_rows(subagent, &within.ctx);
    rows.truncate(1);
    let room = LIVE_ROWS - rows.len();
    let mut last: Vec<Row> = Vec::new();
    for block in blocks.iter().skip(from) {
        last.extend(short_rows(block, within));
    }
    last.drain(..last.len().saturating_sub(room));
    rows.extend(last);
    rows
}

/// A block on one or two rows.
fn short_rows(block: &Block, within: &Frame<'_>) -> Vec<Row> {
    let text = match &block.kind {
        BlockKind::Agent(message) => message.text.as_str(),
        BlockKind::User(message) => message.text.as_str(),
        BlockKind::Content(_) => return Vec::new(),
        _ => {
            let header = Part {
                segment: 0,
                detail: Detail::Header,
                text: &CutText::default(),
            };
            return draw(block, false, &header, within).rows;
        }
    };
    let ctx = &within.ctx;
    let room = usize::from(narrowed(INDENT + 1, ctx).width);
    let end = last_bytes(text.trim(), 4 * room);
    last_rows(end, LIVE_TEXT_ROWS, INDENT, ctx.theme.dim, ctx)
}

/// One of its blocks, drawn as in a transcript.
fn block_rows(block: &Block, within: &Frame<'_>) -> Rendered {
    let view = view(&block.kind);
    let detail = match &block.kind {
        BlockKind::Agent(message) if message.text.len() > MESSAGE_BYTES => {
            return tail_of_message(&message.text, &within.ctx);
        }
        _ if within.found.is_some() => Detail::Full,
        BlockKind::Thought(_) => Detail::Header,
        _ => view.usual_detail(within.settings.thoughts, &within.source),
    };
    let text = CutText::whole(view.markdown(detail), within.ctx.now);
    let mut all = Rendered::default();
    for segment in 0..view.segments(detail, &within.source) + text.segments() {
        let part = Part {
            segment,
            detail,
            text: &text,
        };
        let rendered = draw(block, false, &part, within);
        all.provisional |= rendered.provisional;
        all.rows.extend(rendered.rows);
    }
    all
}

fn tail_of_message(text: &str, ctx: &RenderContext<'_>) -> Rendered {
    let tail = last_bytes(text, MESSAGE_BYTES);
    let mut rendered = markdown::render_whole(tail, &narrowed(INDENT + 1, ctx));
    indent(&mut rendered.rows, INDENT, ctx);
    rendered
}

/// `⠹ agent  Explore the tests · 3 tools`; with `whole` also what it is for and where it works. `None`
/// for one that is no longer known.
fn render_header(
    subagent: Option<&Subagent>,
    whole: bool,
    spinner: Option<&str>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let width = usize::from(ctx.prose_width());
    let mut left = StyledLine::styled("  ", Style::new());
    let Some(subagent) = subagent else {
        left.push(symbols.ended, theme.dim);
        left.push(" ", Style::new());
        push_verb(&mut left, "Agent", ctx);
        left.push("[unknown subagent]", theme.dim);
        return vec![left.truncate(width, symbols.ellipsis)];
    };
    let state = Standing::of(subagent, spinner, ctx);
    left.push(state.sign, state.style);
    left.push(" ", Style::new());
    push_verb(&mut left, "Agent", ctx);
    let rest = StyledLine::blanks(left.width());
    let mut about = StyledLine::new();
    let tools = subagent.conversation.transcript.tool_calls();
    if tools > 0 {
        let text = format!(" {} {}", symbols.separator, count(tools, "tool"));
        about.push(&text, theme.dim);
    }
    if let Some(said) = &state.said {
        about.push(&format!(" {} {said}", symbols.separator), state.said_style);
    }
    let time = time(subagent, spinner.is_some(), ctx);
    let taken = left.width() + about.width() + time.width() + usize::from(!time.is_empty()) * 2;
    let room = width.saturating_sub(taken).max(12);
    let name = StyledLine::styled(&subagent.name(), theme.text);
    for span in name.truncate(room, symbols.ellipsis).line.spans {
        left.push(&span.content, span.style);
    }
    left.extend(&about);
    let mut rows = vec![spread(&left, &time, width, symbols.ellipsis)];
    let error = state.error.map(|text| (text, theme.error));
    let description = subagent.description.clone().filter(|_| whole);
    let description = description.map(|text| (text, theme.dim));
    for (text, style) in error.into_iter().chain(description) {
        let lines = StyledLine::lines(text.trim(), style);
        let wrapped = lines.flat_map(|line| line.wrap_with(Wrapping::Words, width, &rest, &rest));
        rows.extend(wrapped.take(DESCRIPTION_ROWS));
    }
    rows
}

/// `in ../worktree, also docs`: where a subagent works, if not where its session does.
fn render_place(id: &SessionId, source: &Source<'_>, ctx: &RenderContext<'_>) -> Option<Row> {
    let (cwd, directories) = (source.cwd, source.directories);
    let own = source.subagents.cwd_of(id, cwd);
    let others = source.subagents.directories_of(id, directories);
    if own == cwd && others == directories {
        return None;
    }
    let mut text = format!("in {}", shown_path(&own.to_string_lossy(), cwd));
    for (n, other) in others.iter().enumerate() {
        let shown = shown_path(&other.to_string_lossy(), cwd);
        text.push_str(if n == 0 { ", also " } else { ", " });
        text.push_str(&shown);
    }
    let mut line = StyledLine::blanks(2 * INDENT);
    line.push(&SafeText::line(&text), ctx.theme.dim);
    Some(line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis))
}

/// A subagent's state as a sign and words.
struct Standing<'a> {
    sign: &'a str,
    style: Style,
    /// Words for what the sign does not show.
    said: Option<SafeText>,
    said_style: Style,
    error: Option<SafeText>,
}

impl<'a> Standing<'a> {
    fn of(subagent: &Subagent, spinner: Option<&'a str>, ctx: &RenderContext<'a>) -> Self {
        let (theme, symbols) = (ctx.theme, ctx.symbols);
        let still = symbols.spinner.first().copied().unwrap_or(symbols.pending);
        let standing = |sign, style| Self {
            sign,
            style,
            said: None,
            said_style: theme.dim,
            error: None,
        };
        let saying = |sign, style, said: &str, said_style| Self {
            said: Some(SafeText::line(said)),
            said_style,
            ..standing(sign, style)
        };
        let warning = |said| saying("!", theme.warning, said, theme.warning);
        match &subagent.state {
            _ if subagent.cancelling => {
                saying(symbols.cancelled, theme.warning, "cancelling", theme.dim)
            }
            Some(WorkState::Running) => standing(spinner.unwrap_or(still), theme.accent),
            Some(WorkState::RequiresAction) => {
                let style = theme.warning.patch(theme.strong);
                saying(symbols.asking, style, "waiting for you", theme.warning)
            }
            Some(WorkState::Idle(None | Some(StopReason::EndTurn)))
                if subagent.in_background() > 0 =>
            {
                let text = format!("{} in background", subagent.in_background());
                saying(symbols.done, theme.success, &text, theme.accent)
            }
            Some(WorkState::Idle(reason)) => match reason {
                None => standing(symbols.done, theme.success),
                Some(reason) => match reason {
                    StopReason::EndTurn => standing(symbols.done, theme.success),
                    StopReason::Cancelled => {
                        saying(symbols.cancelled, theme.warning, "cancelled", theme.dim)
                    }
                    StopReason::MaxTokens => warning("token limit"),
                    StopReason::MaxTurnRequests => warning("limit of requests"),
                    StopReason::Refusal => warning("refused"),
                    StopReason::Unknown(reason) => warning(reason),
                    StopReason::Error(error) => Self {
                        error: Some(error.message.clone()).filter(|text| !text.trim().is_empty()),
                        ..saying(symbols.failed, theme.error, "failed", theme.error)
                    },
                },
            },
            // V1-SUB-04: its earlier state is not shown as the current one.
            Some(WorkState::Unknown) => {
                saying(symbols.pending, theme.dim, "state unknown", theme.dim)
            }
            Some(WorkState::Other(state)) => saying(symbols.pending, theme.dim, state, theme.dim),
            None => standing(symbols.ended, theme.dim),
        }
    }
}

fn time(subagent: &Subagent, moving: bool, ctx: &RenderContext<'_>) -> StyledLine {
    let text = match (subagent.took, &subagent.state) {
        (Some(took), _) if took.as_millis() >= 100 => elapsed(took),
        // Without motion no time counts up.
        (None, Some(WorkState::Running)) if moving => {
            elapsed_seconds(ctx.now.saturating_duration_since(subagent.started))
        }
        _ => return StyledLine::new(),
    };
    StyledLine::styled(&text, ctx.theme.dim)
}

/// The name of a session where it is mentioned.
pub(super) fn session_name(id: &SessionId, source: &Source<'_>) -> SafeText {
    match source.subagents.get(id) {
        Some(subagent) => subagent.name(),
        None if source.root == Some(id) => "the main agent".into(),
        None => SafeText::line(&format!("session {}", id.as_str())),
    }
}

/// `→ agent  Explore the tests`: a link to a session in a tool call (V1-TOOL-11).
pub(super) fn session_link(id: &SessionId, subagents: &Subagents, ctx: &RenderContext<'_>) -> Row {
    let mut line = StyledLine::new();
    match subagents.get(id) {
        Some(subagent) => {
            let standing = Standing::of(subagent, None, ctx);
            line.push(standing.sign, standing.style);
            line.push(" agent ", ctx.theme.strong);
            line.push(&subagent.name(), ctx.theme.text);
        }
        None => {
            let name = SafeText::line(id.as_str());
            line.push(&format!("[session {name}]"), ctx.theme.dim);
        }
    }
    line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis)
}
