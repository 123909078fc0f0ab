//! What is printed on the normal screen after leaving (`ui.exit_print`).

use std::time::{Duration, Instant};

use ratatui::style::Style;

use super::items::Item;
use crate::{
    session::{Block, BlockKind},
    ui::{
        blocks::{Detail, Frame, Settings, Source, Tick, draw, has_gap, view},
        render::{RenderContext, Row},
        theme::Theme,
    },
};

/// Rows that are printed; of more the last.
const MAX_ROWS: usize = 5_000;

/// After this no older block is laid out: leaving must be quick.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much of a conversation is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// The last prompt and all that came after it.
    LastExchange,
    /// The whole conversation, as far as that is quickly done.
    Conversation,
    /// All of it, however long that takes: for the person who asked for it.
    Everything,
}

/// Rows at `ctx.width`. Give it an [immediate](crate::ui::offload::Offload::immediate) offload.
pub fn printed_rows(
    which: Printed,
    source: Source<'_>,
    settings: &Settings,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let is_prompt = |block: &Block| matches!(block.kind, BlockKind::User(_));
    let from = match which {
        Printed::LastExchange => source.transcript.blocks().iter().rposition(is_prompt),
        Printed::Conversation | Printed::Everything => None,
    };
    let bound = match which {
        Printed::LastExchange | Printed::Conversation => Bound {
            rows: MAX_ROWS,
            until: Some(Instant::now() + PATIENCE),
        },
        Printed::Everything => Bound {
            rows: usize::MAX,
            until: None,
        },
    };
    rows_from(from.unwrap_or(0), source, settings, ctx, bound)
}

/// How much is laid out.
#[derive(Clone, Copy)]
struct Bound {
    rows: usize,
    until: Option<Instant>,
}

fn rows_from(
    from: usize,
    source: Source<'_>,
    settings: &Settings,
    ctx: &RenderContext<'_>,
    bound: Bound,
) -> Vec<Row> {
    // The terminal wraps again what stands on its normal screen: rows that are filled up would break.
    let theme = Theme {
        band: Style::new(),
        ..ctx.theme.clone()
    };
    let frame = Frame {
        source,
        // Nothing moves, but elapsed times are shown.
        settings: Settings {
            motion: true,
            ..*settings
        },
        ctx: RenderContext {
            theme: &theme,
            ..*ctx
        },
        tick: Tick::at(ctx.now, ctx.now, false),
        found: None,
    };
    let blocks = source.transcript.blocks();
    // From the end up, so that a long conversation costs only what is printed of it.
    let mut kept: Vec<Vec<Row>> = Vec::new();
    let mut left = bound.rows;
    for (index, block) in blocks.iter().enumerate().skip(from).rev() {
        let detail = |at: usize| {
            let block = blocks.get(at);
            block.map_or(Detail::Short, |block| {
                detail_of(block, bound.until.is_none(), &frame)
            })
        };
        let gap = index > from && has_gap(index, detail, &source);
        let rows = last_rows(block, gap, left, bound.until.is_none(), &frame);
        left = left.saturating_sub(rows.len());
        kept.push(rows);
        if left == 0 || bound.until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
    }
    kept.into_iter().rev().flatten().collect()
}

fn detail_of(block: &Block, whole: bool, frame: &Frame<'_>) -> Detail {
    let thoughts = frame.settings.thoughts;
    match &block.kind {
        BlockKind::Subagent(_) if whole => Detail::Full,
        kind => view(kind).usual_detail(thoughts, &frame.source),
    }
}

/// The last rows of a block, at most `most`. Its segments are laid out downwards: the colours of
/// code continue from the segment before. `whole`: also what subagents said, which cannot be unfolded
/// there.
fn last_rows(block: &Block, gap: bool, most: usize, whole: bool, frame: &Frame<'_>) -> Vec<Row> {
    let detail = detail_of(block, whole, frame);
    let mut item = Item::new(block, gap);
    item.prepare_whole(block, detail, frame);
    let mut first = item.heights.len();
    let mut estimated = 0;
    while first > 0 && estimated < most {
        first -= 1;
        estimated += item.heights.get(first);
    }
    let segments = first..item.heights.len();
    let rows = segments.flat_map(|at| draw(block, gap, &item.part(at, detail), frame).rows);
    let mut rows: Vec<Row> = rows.collect();
    rows.drain(..rows.len().saturating_sub(most));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{
        render::testing::{self, Stage},
        transcript::samples::{World, agent, conversation},
    };

    fn printed_from(world: &World, from: usize, width: u16) -> Vec<Row> {
        let bound = Bound {
            rows: 5_000,
            until: None,
        };
        let ctx = world.stage.ctx(width);
        rows_from(from, world.source(), &world.settings, &ctx, bound)
    }

    #[test]
    fn of_a_huge_answer_the_end_is_printed() {
        let mut world = World::new(Stage::dark());
        let code = "fn main() { let x = \"y\"; }\n".repeat(40_000);
        let text = format!("```rust\n{code}```\n\nthe very end");
        world.transcript.push_for_test(agent(&text, true));
        let rows = printed_from(&world, 0, 80);
        assert!(rows.len() <= 5_000);
        assert!(testing::text(&rows, 80).contains("the very end"));
    }

    #[test]
    fn the_last_exchange_is_printed() {
        let world = conversation(Stage::dark());
        let rows = printed_from(&world, 16, 60);
        insta::assert_snapshot!(testing::text(&rows, 60));
    }
}
