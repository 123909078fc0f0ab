//! A subagent's conversation within the block that stands for it: its last rows while it works, all
//! of it when unfolded. Each of its blocks is a segment of that block, laid out when it shows.

use std::ops::Range;

use ratatui::style::Style;

use super::{
    cache::Content,
    frame::{Frame, Source},
    item::{Item, detail, moves},
    segment::render_segment,
};
use crate::{
    model::SessionId,
    session::{Block, BlockKind, Subagent},
    text::last_bytes,
    ui::render::{
        RenderContext, Rendered, Row,
        excerpt::{Excerpt, Keep},
        format::count,
        line::{StyledLine, Wrapping, prefixed},
        plan::{Pinned, render_pinned_plans},
        subagent::render_subagent_place,
        tool::{Detail, piece_count},
    },
};

/// Cells that a conversation within another is indented by.
const INDENT: u16 = 2;
/// Narrower than this nothing is drawn within.
const MIN_WIDTH: u16 = 16;
/// Rows of what it does now.
const LIVE_ROWS: usize = 4;
/// Blocks of it that are looked at for those.
const LIVE_BLOCKS: usize = 4;
/// Blocks that unfolding in place shows, the latest; the viewer shows everything.
const SHOWN_BLOCKS: usize = 200;
/// Bytes of a message within; the viewer shows everything.
const MESSAGE_BYTES: usize = 32 << 10;

/// How many segments the block of a subagent has.
pub fn segments(id: &SessionId, detail: Detail, source: &Source<'_>) -> usize {
    let Some(subagent) = source.subagents.get(id) else {
        return 1;
    };
    match detail {
        Detail::Header => 1,
        Detail::Short => 2,
        Detail::Full => 2 + shown(subagent).len(),
    }
}

/// What of its blocks is shown.
fn shown(subagent: &Subagent) -> Range<usize> {
    let all = subagent.conversation.transcript.blocks().len();
    all.saturating_sub(SHOWN_BLOCKS)..all
}

fn block_at(subagent: &Subagent, segment: usize) -> Option<&Block> {
    let at = shown(subagent).start + segment.checked_sub(2)?;
    subagent.conversation.transcript.blocks().get(at)
}

/// What the rows of a segment depend on; the first is the header's.
pub fn content(id: &SessionId, segment: usize, detail: Detail, frame: &Frame<'_>) -> Content {
    let Some(subagent) = frame.source.subagents.get(id) else {
        return Content::Block { rev: 0, screen: 0 };
    };
    match (segment, detail) {
        (1, _) => Content::Block {
            rev: subagent.conversation.transcript.rev(),
            screen: 0,
        },
        _ => block_at(subagent, segment).map_or(Content::Block { rev: 0, screen: 0 }, |block| {
            Content::Block {
                rev: block.rev,
                screen: screens(block, frame),
            }
        }),
    }
}

/// Grows with what the terminals of a block show.
fn screens(block: &Block, frame: &Frame<'_>) -> u64 {
    match &block.kind {
        BlockKind::Tool(call) => call
            .content
            .iter()
            .map(|piece| super::item::screen_rev(piece, frame))
            .sum(),
        _ => 0,
    }
}

/// A spinner or a clock is in a segment.
pub fn segment_moves(id: &SessionId, segment: usize, source: &Source<'_>) -> bool {
    let Some(subagent) = source.subagents.get(id) else {
        return false;
    };
    if segment < 2 {
        return subagent.is_active();
    }
    block_at(subagent, segment).is_some_and(|block| moves(block, source))
}

/// A segment behind the header.
pub fn render(id: &SessionId, segment: usize, detail: Detail, frame: &Frame<'_>) -> Rendered {
    let Some(subagent) = frame.source.subagents.get(id) else {
        return Rendered::default();
    };
    if frame.ctx.width < MIN_WIDTH {
        return Rendered::default();
    }
    let within = within(subagent, frame);
    let mut rendered = match (segment, detail) {
        (1, Detail::Full) => above_blocks(subagent, frame, &within),
        (1, _) => Rendered {
            rows: live_rows(subagent, &within),
            provisional: false,
        },
        _ => match block_at(subagent, segment) {
            Some(block) => block_rows(block, &within),
            None => Rendered::default(),
        },
    };
    let mut indent = StyledLine::new();
    indent.fill_to(INDENT.into(), Style::new());
    for row in &mut rendered.rows {
        *row = prefixed(&indent, std::mem::take(row), frame.ctx.width.into());
    }
    rendered
}

/// The frame as a subagent's own transcript sees it.
fn within<'a>(subagent: &'a Subagent, frame: &Frame<'a>) -> Frame<'a> {
    Frame {
        source: Source {
            transcript: &subagent.conversation.transcript,
            here: Some(&subagent.id),
            ..frame.source
        },
        ctx: RenderContext {
            width: frame.ctx.width - INDENT,
            indent: frame.ctx.indent + INDENT,
            ..frame.ctx
        },
        ..*frame
    }
}

/// Where it works, its plans, and how much of it is left out.
fn above_blocks(subagent: &Subagent, frame: &Frame<'_>, within: &Frame<'_>) -> Rendered {
    let ctx = &within.ctx;
    let source = &frame.source;
    let place = (source.cwd, source.directories);
    let mut rows: Vec<Row> = render_subagent_place(source.subagents, &subagent.id, place, ctx)
        .into_iter()
        .collect();
    rows.extend(plan_rows(subagent, ctx));
    let left_out = shown(subagent).start;
    if left_out > 0 {
        let text = format!("  +{} before", count(left_out, "block"));
        let line = StyledLine::styled(&text, ctx.theme.dim);
        rows.push(line.truncate(ctx.width.into(), ctx.symbols.ellipsis));
    }
    Rendered {
        rows,
        provisional: false,
    }
}

/// Its plans, a row each.
fn plan_rows(subagent: &Subagent, ctx: &RenderContext<'_>) -> Vec<Row> {
    let plain = Some(Pinned::Items(&subagent.conversation.plan))
        .filter(|_| !subagent.conversation.plan.is_empty());
    let named = subagent.conversation.plans.iter().map(Pinned::of);
    let plans: Vec<Pinned<'_>> = plain.into_iter().chain(named).collect();
    render_pinned_plans(&plans, plans.len(), ctx)
}

/// The last rows of what it says and does.
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

/// A block in a row or two.
fn short_rows(block: &Block, within: &Frame<'_>) -> Vec<Row> {
    let text = match &block.kind {
        BlockKind::Agent(message) => message.text.as_str(),
        BlockKind::User(message) => message.text.as_str(),
        BlockKind::Content(_) => return Vec::new(),
        _ => {
            let item = Item::new(block, false);
            return render_segment(block, &item, 0, Detail::Header, within).rows;
        }
    };
    let ctx = &within.ctx;
    let excerpt = Excerpt {
        keep: Keep::Tail,
        max_rows: 2,
        wrapping: Wrapping::Words,
        style: ctx.theme.dim,
    };
    let mut indent = StyledLine::new();
    indent.fill_to(2, Style::new());
    let room = usize::from(ctx.width).saturating_sub(3).max(1);
    let mut rows = excerpt.rows(last_bytes(text.trim(), 4 * room), room, ctx);
    rows.drain(..rows.len().saturating_sub(2));
    rows.into_iter()
        .map(|row| prefixed(&indent, row, ctx.width.into()))
        .collect()
}

/// A block of it as it stands in a transcript.
fn block_rows(block: &Block, within: &Frame<'_>) -> Rendered {
    if let BlockKind::Agent(message) = &block.kind
        && message.text.len() > MESSAGE_BYTES
    {
        return tail_of_message(&message.text, within);
    }
    let detail = match &block.kind {
        BlockKind::Thought(_) => Detail::Header,
        _ => detail(block, None, false, within.settings.thoughts, &within.source),
    };
    let mut item = Item::new(block, false);
    item.prepare_whole(block, detail, within);
    let mut all = Rendered::default();
    let segments = match &block.kind {
        BlockKind::Tool(call) => 1 + piece_count(call, detail),
        _ => item.heights.len(),
    };
    for segment in 0..segments {
        let rendered = render_segment(block, &item, segment, detail, within);
        all.provisional |= rendered.provisional;
        all.rows.extend(rendered.rows);
    }
    all
}

fn tail_of_message(text: &str, within: &Frame<'_>) -> Rendered {
    let ctx = &within.ctx;
    let body = RenderContext {
        width: ctx.width.saturating_sub(3).max(1),
        ..*ctx
    };
    let tail = last_bytes(text, MESSAGE_BYTES);
    let mut rendered = crate::ui::render::markdown::render_whole(tail, &body);
    let mut indent = StyledLine::new();
    indent.fill_to(2, Style::new());
    for row in &mut rendered.rows {
        *row = prefixed(&indent, std::mem::take(row), ctx.width.into());
    }
    rendered
}
