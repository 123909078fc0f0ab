//! Draws one segment of one block.

use ratatui::{style::Style, text::Line};

use super::{
    frame::Frame,
    item::Item,
    nested,
    plain::{block_text, tool_part},
};
#[cfg(test)]
use crate::ui::contain::faults;
use crate::{
    session::{Block, BlockKind},
    text::first_bytes,
    ui::contain::contained,
    ui::render::{
        RenderContext, Rendered, Row,
        compaction::{render_compaction_header, render_piece},
        content::{FULL_ROWS, render_content},
        line::{StyledLine, Wrapping, prefixed},
        markdown,
        notice::render_notice,
        plan::{render_finished_plan, render_plan_text},
        subagent::{render_message_header, render_subagent_header},
        thought::{render_thought_header, render_thought_tail},
        tool::{Detail, render_tool_header, render_tool_piece},
        user::render_user,
    },
};

/// Rows of a message of the person's that are shown unless it is unfolded.
const SHORT_USER_ROWS: usize = 12;
/// Rows of a plan in markdown.
const SHORT_PLAN_ROWS: usize = 8;
/// Rows of a message between sessions.
const SHORT_MESSAGE_ROWS: usize = 6;
/// Rows of other content.
const SHORT_CONTENT_ROWS: usize = 8;
/// Rows of what an agent said when it failed.
const SHORT_NOTICE_ROWS: usize = 8;
/// Blanks left of what the agent says.
const INDENT: usize = 2;

/// The segment's rows, the gap above it included. One that cannot be drawn stands as plain text, and
/// takes nothing else with it.
pub fn render_segment(
    block: &Block,
    item: &Item,
    segment: usize,
    detail: Detail,
    frame: &Frame<'_>,
) -> Rendered {
    let kind = kind(block);
    let drawn = contained(kind, || draw(block, item, segment, detail, frame));
    drawn.unwrap_or_else(|_| {
        let rows = contained(kind, || plain_rows(block, item, segment, frame));
        plain(rows.unwrap_or_else(|_| vec![Row::from(Line::from(UNDRAWN))]))
    })
}

/// Stands for what cannot be drawn at all.
const UNDRAWN: &str = "  [a part of this block cannot be drawn]";

/// Bytes of a block that stand for it where it cannot be drawn; a text's segments are shown whole.
const MAX_PLAIN: usize = 64 << 10;

fn kind(block: &Block) -> &'static str {
    match &block.kind {
        BlockKind::User(_) => "a message of yours",
        BlockKind::Agent(_) => "a message",
        BlockKind::Thought(_) => "a thought",
        BlockKind::Tool(_) => "a tool call",
        BlockKind::Plan(_) | BlockKind::PlanText(_) => "a plan",
        BlockKind::Compaction(_) => "a compaction",
        BlockKind::Subagent(_) => "a subagent",
        BlockKind::SessionMessage(_) => "a message between sessions",
        BlockKind::Content(_) => "content",
        BlockKind::Notice(_) => "a notice",
    }
}

fn plain_rows(block: &Block, item: &Item, segment: usize, frame: &Frame<'_>) -> Vec<Row> {
    let part = match &block.kind {
        BlockKind::Agent(message) => item
            .text_segment(segment)
            .and_then(|part| message.text.get(part.range.clone()))
            .map(str::to_owned),
        BlockKind::Thought(thought) => segment
            .checked_sub(1)
            .and_then(|at| item.text_segment(at))
            .and_then(|part| thought.text.get(part.range.clone()))
            .map(str::to_owned),
        BlockKind::Tool(call) => Some(tool_part(call, segment, &frame.source)),
        _ => None,
    };
    let text = part.unwrap_or_else(|| {
        let whole = block_text(block, &frame.source);
        first_bytes(&whole, MAX_PLAIN).to_owned()
    });
    #[cfg(test)]
    faults::meet("plain", &text);
    let mut indent = StyledLine::new();
    indent.fill_to(INDENT, Style::new());
    let gap = (item.gap && segment == 0).then(Row::default);
    let lines = StyledLine::lines(text.trim_end(), frame.ctx.theme.text);
    let width = usize::from(frame.ctx.width);
    let rows = lines.flat_map(|line| line.wrap_with(Wrapping::Verbatim, width, &indent, &indent));
    gap.into_iter().chain(rows).collect()
}

fn draw(block: &Block, item: &Item, segment: usize, detail: Detail, frame: &Frame<'_>) -> Rendered {
    #[cfg(test)]
    faults::meet("draw", &block_text(block, &frame.source));
    let full = detail == Detail::Full;
    let mut rendered = match &block.kind {
        BlockKind::User(message) => {
            let room = if full { FULL_ROWS } else { SHORT_USER_ROWS };
            plain(render_user(message, room, &frame.ctx))
        }
        BlockKind::Agent(message) => text(item, &message.text, segment, INDENT, frame),
        BlockKind::Thought(thought) => match segment.checked_sub(1) {
            // Some agents send thoughts of nothing but newlines.
            None if thought.took.is_some() && thought.text.trim().is_empty() => plain(Vec::new()),
            None => {
                let spinner = frame.spinner();
                let unfolded = detail != Detail::Header;
                plain(vec![render_thought_header(
                    thought, unfolded, spinner, &frame.ctx,
                )])
            }
            Some(segment) if full => {
                let mut rendered = text(item, &thought.text, segment, 2 * INDENT, frame);
                for row in &mut rendered.rows {
                    for span in &mut row.line.spans {
                        span.style = span.style.patch(frame.ctx.theme.thought);
                    }
                }
                rendered
            }
            Some(_) => plain(render_thought_tail(thought, &frame.ctx)),
        },
        BlockKind::Tool(call) => match segment.checked_sub(1) {
            None => render_tool_header(call, &frame.tool(detail), &frame.ctx),
            Some(piece) => render_tool_piece(call, piece, &frame.tool(detail), &frame.ctx),
        },
        BlockKind::Plan(entries) => plain(render_finished_plan(entries, &frame.ctx)),
        BlockKind::PlanText(plan) => {
            let room = if full { FULL_ROWS } else { SHORT_PLAN_ROWS };
            render_plan_text(plan, room, &frame.ctx)
        }
        BlockKind::Compaction(compaction) => match segment.checked_sub(1) {
            None => plain(render_compaction_header(
                compaction,
                full,
                frame.spinner(),
                &frame.ctx,
            )),
            Some(piece) => render_piece(&compaction.summary, piece, FULL_ROWS, &frame.ctx),
        },
        BlockKind::Subagent(id) => match segment {
            0 => plain(render_subagent_header(
                frame.source.subagents.get(id),
                full,
                frame.spinner(),
                &frame.ctx,
            )),
            _ => nested::render(id, segment, detail, frame),
        },
        BlockKind::SessionMessage(message) => match segment.checked_sub(1) {
            None => plain(vec![render_message_header(
                message,
                frame.source.here,
                (frame.source.root, frame.source.subagents),
                detail != Detail::Header,
                &frame.ctx,
            )]),
            Some(piece) => {
                let room = if full { FULL_ROWS } else { SHORT_MESSAGE_ROWS };
                render_piece(&message.content, piece, room, &frame.ctx)
            }
        },
        BlockKind::Content(content) => {
            let room = if full { FULL_ROWS } else { SHORT_CONTENT_ROWS };
            let mut rendered = render_content(content, room, &narrowed(INDENT, frame));
            indent(&mut rendered.rows, INDENT, frame);
            rendered
        }
        BlockKind::Notice(notice) => {
            let room = if full { FULL_ROWS } else { SHORT_NOTICE_ROWS };
            let detail = detail != Detail::Header;
            plain(render_notice(notice, detail, room, &frame.ctx))
        }
    };
    if item.gap && segment == 0 && !rendered.rows.is_empty() {
        rendered.rows.insert(0, Row::default());
    }
    rendered
}

/// A segment of a text in markdown.
fn text(item: &Item, source: &str, segment: usize, by: usize, frame: &Frame<'_>) -> Rendered {
    let (Some(text), Some(segment)) = (&item.text, item.text_segment(segment)) else {
        return Rendered::default();
    };
    let mut rendered = markdown::render(source, segment, text.defs(), &narrowed(by, frame));
    indent(&mut rendered.rows, by, frame);
    rendered
}

fn plain(rows: Vec<Row>) -> Rendered {
    Rendered {
        rows,
        provisional: false,
    }
}

/// For rows that will be indented by `by`, with a column left free at the right of wide ones.
fn narrowed<'a>(by: usize, frame: &Frame<'a>) -> RenderContext<'a> {
    let right = if frame.ctx.width < 40 { 0 } else { 1 };
    let taken = u16::try_from(by).unwrap_or(0) + right;
    RenderContext {
        width: frame.ctx.width.saturating_sub(taken).max(1),
        ..frame.ctx
    }
}

fn indent(rows: &mut [Row], by: usize, frame: &Frame<'_>) {
    let mut blanks = StyledLine::new();
    blanks.fill_to(by, Style::new());
    for row in rows {
        *row = prefixed(&blanks, std::mem::take(row), usize::from(frame.ctx.width));
    }
}
